"""The columns of every regenerated table, and what the documents print."""

import pandas as pd
import pytest
from scipy.stats import binomtest

from studies.tidy import TIDY, in_order, mean_by_seed, read_printed, shares_of_answers, tidied

MEASURED = pd.DataFrame(
    {"method": ["b", "a"], "ours": 1.0, "ours_se": 0.1, "low": 0.8, "high": 1.2, "n_seeds": 10, "data": "original"}
)


def test_what_no_document_prints_is_left_empty_and_own_stars_are_kept():
    table = tidied(MEASURED, ["method"], "smoke")
    assert list(table) == ["method", *TIDY]
    assert table[["published", "published_se"]].isna().all(axis=None)
    assert table.iloc[0][["published_stars", "stars", "scale"]].tolist() == ["", "", "smoke"]
    assert tidied(MEASURED.assign(stars=["**", ""]), ["method"], "smoke")["stars"].tolist() == ["**", ""]


def test_rows_stay_as_they_are_unless_a_key_has_an_order():
    table = MEASURED.assign(measure=["error", "cost"])
    assert tidied(table, ["method"], "smoke")["method"].tolist() == ["b", "a"]
    keys = ["measure", "method"]
    assert tidied(table, keys, "smoke", orders={"measure": ["cost", "error"]})["method"].tolist() == ["a", "b"]
    same = pd.concat([table, table.assign(measure="cost", ours=2.0)], ignore_index=True)
    shown = tidied(same, keys, "smoke", orders={"measure": ["error", "cost"]})
    assert list(zip(shown["measure"], shown["method"], strict=True)) == [
        ("error", "b"), ("cost", "a"), ("cost", "a"), ("cost", "b"),
    ]  # fmt: skip


@pytest.mark.parametrize("n_yes", [0, 3, 10])
def test_a_share_of_answers_has_wilsons_interval_and_other_measures_keep_students(n_yes):
    answers = [1.0] * n_yes + [0.0] * (10 - n_yes)
    runs = pd.concat(
        pd.DataFrame({"measure": name, "seed": range(10), "value": values, "data": "original"})
        for name, values in (("won", answers), ("spent", range(10)))
    )
    means = mean_by_seed(runs, "value", ["measure"]).set_index("measure")
    found = shares_of_answers(means.reset_index(), ["won"]).set_index("measure")
    wilson = binomtest(n_yes, 10).proportion_ci(method="wilson")
    assert found.loc["won", ["low", "high"]].tolist() == pytest.approx([wilson.low, wilson.high], abs=1e-12)
    assert found.loc["spent"].equals(means.loc["spent"])
    assert found["ours"].equals(means["ours"])


def test_rows_with_the_same_label_keep_their_own_intervals():
    shares = pd.DataFrame(
        {"measure": ["won", "spent"], "ours": 0.5, "low": 0.0, "high": 1.0, "n_seeds": 10}, index=[0, 0]
    )
    found = shares_of_answers(shares, ["won"]).set_index("measure")
    assert found.loc["spent", ["low", "high"]].tolist() == [0, 1]
    assert 0 < found.loc["won", "low"] < found.loc["won", "high"] < 1


def test_a_share_of_anything_but_yes_and_no_is_refused():
    with pytest.raises(AssertionError, match="another answer than yes and no"):
        shares_of_answers(pd.DataFrame({"measure": ["won"], "ours": 0.25, "n_seeds": 3}), ["won"])


def test_printed_numbers_are_found_by_their_name():
    errors = read_printed("hypertune_tables")
    assert {"table", "learner", "dataset", "method", "value", "se"} <= {*errors}


def test_a_value_that_has_no_place_is_refused():
    with pytest.raises(ValueError, match="method must be one of ei, random, got 'mine'"):
        in_order(pd.DataFrame({"method": ["random", "mine"]}), {"method": ("ei", "random")})
