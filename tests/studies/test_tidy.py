"""The columns of every regenerated table, and what the documents print."""

import pandas as pd
import pytest

from studies.tidy import TIDY, in_order, read_printed, tidied

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


def test_printed_numbers_are_found_by_their_name():
    errors = read_printed("hypertune_tables")
    assert {"table", "learner", "dataset", "method", "value", "se"} <= {*errors}


def test_a_value_that_has_no_place_is_refused():
    with pytest.raises(ValueError, match="method must be one of ei, random, got 'mine'"):
        in_order(pd.DataFrame({"method": ["random", "mine"]}), {"method": ("ei", "random")})
