"""Document 003, section 2.1: searches on a look-up table; every expected number is worked out by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from frugal.benchmarks.searches import search
from studies import registry, style
from studies.big_data import arrivals, figure3, size_search
from studies.big_data.paper import PAPER
from studies.blocks import n_trials_of, sized
from studies.methods import TRIALS
from studies.shared.look_up_tables import least_test_error
from studies.verdicts import CONTRADICTED, NOT_RUN, REPRODUCED, UNDECIDED, judge_claims

SIZES = (512, 1024, 2048, 4096, 8192)
FIGURES = {one.name: one for one in figure3.ARTEFACTS if one.draw}
LEAST = 0.04
"""Test error of the table's best candidate."""


def table(n_per_dimension=2, sizes=SIZES, ratio=200.0):
    """A table whose errors fall with its candidate's number, and evaluations of 1 to `ratio` seconds."""
    rows = []
    values = [float(i) for i in range(n_per_dimension)]
    grid = [(C, gamma) for C in values for gamma in values]
    for n in sizes:
        for i, (C, gamma) in enumerate(grid):
            error = LEAST * (1 + len(grid) - 1 - i)
            share = (n - sizes[0]) / (sizes[-1] - sizes[0]) if len(sizes) > 1 else 1.0
            cell = {"candidate": json.dumps({"C": C, "gamma": gamma}), "n_rows": n, "subset": 0}
            rows.append(
                cell
                | {"error": min(error / 2, 1.0), "test_error": min(error, 1.0), "reason": ""}
                | {"seconds": ratio**share, "cost": 10 * ratio**share}
            )
    labels = {"learner": "svm", "dataset": "mnist", "data": "original", "seed": 0}
    return pd.DataFrame([labels | row for row in rows])


def path(method, seed, seconds, test_errors, n_rows=None, overhead_s=0.0):
    """A search whose trials take `seconds` each, and ten times as much in cost."""
    n = len(test_errors)
    return pd.DataFrame({
        "method": method, "learner": "lookup", "dataset": "svm_mnist", "seed": seed, "data": "original",
        "id": range(n), "candidate": "{}", "seconds": seconds, "cost": 10 * np.asarray(seconds, float),
        "overhead_s": overhead_s, "n_rows": [n_rows] * n if n_rows is None else n_rows, "test_error": test_errors,
    })  # fmt: skip


ARRIVAL = {"fabolas": 10.0, "mtbo_512": 100.0, "mtbo_32": 100.0, "mtbo_4": 150.0, "ei": 1500.0,
           "entropy_search": 1600.0, "random": 8000.0}  # fmt: skip
"""Seconds until the target, of the claims' toy: the geometric mean over an even number of seeds."""


def toy(n_seeds=10, arrival=ARRIVAL, n_per_dimension=14, never=(), ratio=200.0, n_random=100):
    """Searches that are good at their second trial, or never; and a table that is large enough."""
    paths = []
    for method, seconds in arrival.items():
        spread = 1 + 0.02 * arrivals.METHODS.index(method)  # so that ratios vary from seed to seed
        for seed in range(n_seeds):
            n = n_random if method == "random" else 3
            steps = np.full(n, seconds * 2.0**seed * (spread if seed % 2 else 1 / spread))
            steps[:2] /= 2
            error = 10 * LEAST if method in never else LEAST
            sizes = None if method in ("random", "ei", "entropy_search") else [512, 2048, 8192]
            paths.append(path(method, seed, steps, [10 * LEAST] + [error] * (n - 1), sizes))
    return pd.concat([table(n_per_dimension, ratio=ratio), *paths], ignore_index=True)


def judged(runs):
    found = judge_claims(size_search.CLAIMS, {"svm_search": runs}, "paper")
    return found[found["id"].str.contains("svm_search")].set_index("id")


def row(runs, what):
    return judged(runs).loc[f"big_data.svm_search.{what}"]


def test_an_arrival_is_the_first_time_at_the_target_and_all_of_a_search_that_never_is():
    runs = pd.concat([
        table(),
        path("ei", 0, [1.0, 2.0, 4.0, 8.0], [math.nan, 0.044, 0.05, 0.04], overhead_s=0.5),
        path("random", 0, [1.0, 2.0], [0.9, 0.05]),
    ])  # fmt: skip
    assert arrivals.targets(runs) == pytest.approx({"good": 0.044, "fair": 0.06, "best": 0.04})
    found = arrivals.arrivals(runs, arrivals.targets(runs)["good"], "seconds").set_index("method")
    assert found.loc["ei", ["spent", "reached", "left"]].tolist() == [4.0, True, True]
    assert found.loc["random", ["spent", "reached", "left"]].tolist() == [3.0, False, False]
    cost = arrivals.arrivals(runs, 0.044, "cost").set_index("method")["spent"]
    assert cost.to_dict() == {"random": 30.0, "ei": 30.0}


def test_the_optimum_is_what_the_validation_error_would_choose():
    runs = table()
    largest = runs["n_rows"] == 8192
    runs.loc[largest, "error"] = [0.01, 0.02, 0.03, 0.04]
    runs = pd.concat([runs, path("ei", 0, [1.0], [0.5])])
    assert least_test_error(runs) == pytest.approx(LEAST)
    assert arrivals.optimum(runs) == pytest.approx(4 * LEAST)


def test_a_line_of_figure_3_begins_when_every_seed_has_an_incumbent_and_ends_with_the_longest():
    runs = pd.concat([
        table(),
        path("random", 0, [1.0, 1.0, 2.0], [0.8, 0.4, 0.1]),
        path("random", 1, [2.0, 6.0], [0.6, 0.2]),
        path("fabolas", 0, [0.5, 99.5], [0.3, 0.2], [512, 8192]),
        path("fabolas", 1, [0.5, 99.5], [0.3, 0.2], [2048, 8192]),
    ])  # fmt: skip
    found = figure3.summarise(runs)
    line = found[(found["panel"] == "left") & (found["method"] == "random")]
    assert 2.0 <= line["x"].min() < 2.1
    assert 7.8 < line["x"].max() <= 8.0
    assert not line["mean"].isna().any()

    def at(x):
        return line[line["x"] <= x].iloc[-1]

    # At 3 s: 0.4 and 0.6; at 5 s the first seed has ended at 0.1 and keeps it.
    assert at(3.0)["mean"] == pytest.approx(0.5)
    half = stats.t.ppf(0.975, 1) * 0.1
    assert at(3.0)[["low", "high"]].tolist() == pytest.approx([0.5 - half, 0.5 + half])
    assert at(5.0)["mean"] == pytest.approx((0.1 + 0.6) / 2)
    fabolas = found[(found["panel"] == "middle") & (found["method"] == "fabolas")]
    assert fabolas["x"].iloc[-1] == 100.0
    grids = [set(part["x"][:-1]) for _, part in found[found["panel"] != "right"].groupby(["panel", "method"])]
    assert all(grid <= max(grids, key=len) for grid in grids)  # one grid for all lines, and the end of each


def test_the_sizes_of_figure_3_are_geometric_means_of_those_who_choose_them():
    runs = pd.concat([
        table(ratio=50.0),
        path("random", 0, [1.0], [0.8]),
        path("fabolas", 0, [1.0, 1.0], [0.3, 0.2], [512, 8192]),
        path("fabolas", 1, [1.0, 1.0], [0.3, 0.2], [2048, 8192]),
    ])  # fmt: skip
    found = figure3.summarise(runs)
    sizes = found[found["panel"] == "right"]
    assert sizes["method"].tolist() == ["fabolas"] * 2
    assert sizes["x"].tolist() == [1, 2]
    assert sizes["mean"].tolist() == pytest.approx([1024, 8192])
    assert sizes["high"].iloc[0] == pytest.approx(1024 * 2 ** stats.t.ppf(0.975, 1))
    assert found["cost_ratio"].tolist() == pytest.approx([50.0] * len(found))
    assert found["least_test_error"].tolist() == pytest.approx([LEAST] * len(found))


def test_the_cost_of_figure_3_leaves_the_optimiser_out():
    runs = pd.concat([table(), path("random", 0, [1.0, 1.0], [0.8, 0.4], overhead_s=100.0)])
    found = figure3.summarise(runs, "cost")
    assert set(found["panel"]) == {"left"}
    assert found["x"].iloc[[0, -1]].tolist() == pytest.approx([10.0, 20.0])
    assert found["mean"].iloc[[0, -1]].tolist() == [0.8, 0.4]


def test_the_table_has_means_differences_and_those_who_never_arrive():
    runs = pd.concat([
        table(),
        *(path("random", seed, [100.0, 100.0], [0.9, 0.08]) for seed in (0, 1)),
        path("ei", 0, [1.0, 8.0], [0.9, 0.04], overhead_s=0.5),
        path("ei", 1, [1.0, 8.0], [0.9, 0.06], overhead_s=0.5),
    ])  # fmt: skip
    found = registry.tables("big_data")["svm_search"].summarise(runs, "paper").set_index(["method", "measure"])
    ours = found["ours"]
    assert ours["ei", "test_error"] == pytest.approx(0.05)
    assert ours["ei", "test_error_less_random"] == pytest.approx(-0.03)
    assert ours["ei", "seconds_to_10"] == ours["ei", "seconds_to_50"] == pytest.approx(10.0)
    assert ours["ei", "log10_seconds_to_10_less_random"] == pytest.approx(math.log10(10 / 200))
    assert ours["ei", "log10_cost_to_10_less_random"] == pytest.approx(math.log10(90 / 2000))
    assert ours["ei", "overhead_share"] == pytest.approx(0.1)
    assert ours["random", "overhead_share"] == ours["random", "left_10"] == 0
    says = found["says"]
    assert says["ei", "seconds_to_10"] == "1 of 2 seeds never"
    assert says["ei", "seconds_to_50"] == ""
    assert says["random", "cost_to_10"] == "2 of 2 seeds never"
    either = "or more: 1 of 2 seeds never; or less: 2 of 2 seeds never of random's"
    assert {says["ei", f"log10_{spent}_to_10_less_random"] for spent in ("seconds", "cost")} == {either}
    assert (found["n_seeds"] == 2).all()
    assert "never" in PAPER.render(found.reset_index())


RATIOS = {  # of the pair that lies least inside its region
    "bayesian_to_random": (8000 / 1600, REPRODUCED),
    "mtbo_to_all_rows": (1600 / 100, REPRODUCED),
    "mtbo_first": (10 / 150, UNDECIDED),  # of three sizes, and the sentence has others
    "fabolas_to_mtbo": (150 / 10, REPRODUCED),
    "optimum_together": (150 / 10, CONTRADICTED),
    "fabolas_to_random": (8000 / 10, REPRODUCED),
}


def test_claims_are_judged_by_ratios_seed_by_seed():
    found = judged(toy())
    for suffix, is_ours in (("", False), ("_kernel_values", True)):  # ten kernel values a second
        rows = found.loc[[f"big_data.svm_search.{what}{suffix}" for what in RATIOS]]
        assert rows["ours"].tolist() == pytest.approx([ratio for ratio, _ in RATIOS.values()])
        assert rows["verdict"].tolist() == [verdict for _, verdict in RATIOS.values()]
        assert (rows["is_ours"] == is_ours).all()
        assert ((rows["quote"] == "") == is_ours).all()
    of_good = "big_data.svm_search.fabolas_to_random_for_good"
    for_good = found.loc[[of_good, f"{of_good}_kernel_values"]]
    assert for_good["ours"].tolist() == pytest.approx([8000 / 10] * 2)  # no search leaves
    assert for_good["is_ours"].all()
    assert len(found) == 2 * len(RATIOS) + 2
    assert "methods: agree 6, open 0, disagree 0" in found["quantity"].iloc[0]


@pytest.mark.parametrize(
    ("what", "change", "verdict", "ours"),
    [
        ("bayesian_to_random", {"ei": 7000.0}, CONTRADICTED, 8 / 7),
        ("mtbo_to_all_rows", {"mtbo_4": 1400.0}, CONTRADICTED, 15 / 14),
        ("mtbo_to_all_rows", {"mtbo_512": 20.0}, CONTRADICTED, 80.0),  # two orders are not one
        ("mtbo_first", {"mtbo_32": 5.0}, REPRODUCED, 2.0),
        ("fabolas_to_mtbo", {"mtbo_512": 15.0}, CONTRADICTED, 1.5),
        ("fabolas_to_mtbo", {"mtbo_512": 32.0}, UNDECIDED, 3.2),
        ("optimum_together", {"mtbo_4": 10.0, "mtbo_32": 9.0, "mtbo_512": 9.0}, REPRODUCED, 0.9),
        ("fabolas_to_random", {"fabolas": 2.0}, CONTRADICTED, 4000.0),
        ("fabolas_to_random", {"fabolas": 100.0}, CONTRADICTED, 80.0),
    ],
)
def test_a_ratio_outside_of_its_region_contradicts(what, change, verdict, ours):
    found = row(toy(arrival=ARRIVAL | change), what)
    assert found["ours"] == pytest.approx(ours)
    assert found["verdict"] == verdict


@pytest.mark.parametrize(
    ("errors", "stays", "spent"),
    [
        ([0.9, 0.04, 0.9, 0.04, 0.04], True, 4.0),
        ([0.04, 0.04], True, 1.0),
        ([0.9, 0.04], True, 2.0),
        ([0.9, 0.04, 0.9], False, 3.0),
        ([0.9, 0.9], False, 2.0),
    ],
)
def test_a_search_stays_from_the_last_time_that_it_comes(errors, stays, spent):
    runs = pd.concat([table(), path("fabolas", 0, [1.0] * len(errors), errors)])
    (found,) = arrivals.arrivals(runs, 0.05, "seconds").to_dict("records")
    assert (found["stays"], found["spent_to_stay"]) == (stays, spent)


def test_a_search_that_never_arrives_leaves_its_side_of_the_interval_open():
    runs = toy(never=("fabolas",))
    found = size_search.arrays(runs)
    fabolas = arrivals.METHODS.index("fabolas")
    # Fabolas ends after 10 / 2 * 2 + 10 seconds, in the first seed divided by its spread.
    assert found["seconds good"][fabolas, 0] == pytest.approx(20.0 / 1.14)
    run = [name in ARRIVAL for name in arrivals.METHODS]
    assert found["good reached"][run].sum(axis=1).tolist() == [10.0] * 6 + [0.0]
    beaten = row(runs, "fabolas_to_random")
    assert beaten[["ours", "low"]].tolist() == pytest.approx([400.0, 0.0])  # 400 times at most
    assert beaten[["verdict", "seeds_to_decide"]].tolist() == [UNDECIDED, ">1000"]
    assert "of 10: Fabolas 10; they count as all that they spent" in beaten["quantity"]
    assert row(runs, "mtbo_first")["high"] == math.inf
    assert row(runs, "mtbo_first")["verdict"] == UNDECIDED  # Fabolas may be later still
    # What Fabolas spent is already too much for 100 times, so that it does not matter how much more it would take.
    late = row(toy(never=("fabolas",), arrival=ARRIVAL | {"fabolas": 100.0}), "fabolas_to_random")
    assert late[["ours", "verdict"]].tolist() == [pytest.approx(40.0), CONTRADICTED]


def test_a_random_search_that_never_arrives_takes_at_least_what_it_spent():
    found = judged(toy(never=("random",)))
    slower = found.loc["big_data.svm_search.bayesian_to_random"]
    assert slower["ours"] == pytest.approx(99 * 8000 / 1600)
    assert (slower["high"], slower["verdict"]) == (math.inf, REPRODUCED)
    assert found.loc["big_data.svm_search.fabolas_to_random", "verdict"] == CONTRADICTED  # more than 1000 times


def test_a_ratio_is_judged_whatever_a_fit_of_the_table_costs():
    # A search saves by fewer trials, too, so that no ratio of evaluation costs bounds what it can save.
    expected = judged(toy())["verdict"]
    assert judged(toy(ratio=3.0))["verdict"].tolist() == expected.tolist()
    assert set(expected) == {REPRODUCED, CONTRADICTED, UNDECIDED}


@pytest.mark.parametrize(
    "runs",
    [
        lambda: toy(n_seeds=9),
        lambda: toy(n_per_dimension=13),
        lambda: toy(n_random=99),
        lambda: toy().pipe(lambda t: t[t["n_rows"] != 512]),
        lambda: toy().pipe(lambda t: t[t["method"] != "mtbo_32"]),
    ],
)
def test_runs_below_the_floor_are_not_enough(runs):
    assert not size_search.SVM_SEARCH.is_enough(runs())


def test_no_verdict_is_given_without_a_method():
    runs = toy()
    assert NOT_RUN not in set(judged(runs)["verdict"])
    assert set(judged(runs[runs["method"] != "mtbo_32"])["verdict"]) == {NOT_RUN}


@pytest.mark.parametrize(("name", "n_panels"), [("figure3", 3), ("figure3_cost", 2)])
def test_a_picture_has_every_method_and_the_tables_ratio(name, n_panels):
    drawn = FIGURES[name]
    picture = drawn.draw(drawn.summarise(toy(2)))
    assert len(picture.axes) == n_panels
    labels = {text.get_text() for text in picture.legends[0].get_texts()}
    assert labels == {style.LOOKS[method].label for method in registry.study("svm_search").method_names} | {
        "least of the table"
    }
    assert "(costs up to 200 to 1)" in picture.axes[0].get_title()


def test_the_left_panel_has_mtbo_4_where_no_other_was_run():
    runs = toy(2)
    found = figure3.summarise(runs[~runs["method"].isin(["mtbo_32", "mtbo_512"])])
    shown = found.groupby("panel")["method"].unique().map(list).to_dict()
    assert shown["left"] == ["random", "ei", "entropy_search", "mtbo_4", "fabolas"]
    assert shown["middle"] == shown["right"] == ["mtbo_4", "fabolas"]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (table, "the table of runs lacks the column 'method'"),
        (lambda: table().assign(method="", id=math.nan, overhead_s=0.0), "the runs hold no searches"),
        (lambda: path("ei", 0, [1.0], [0.5]), "the runs hold no cells of the table"),
    ],
)
def test_runs_of_another_kind_are_refused(runs, message):
    with pytest.raises(ValueError, match=message):
        figure3.summarise(runs())


def test_a_search_of_a_table_tells_the_test_error_of_its_incumbent(tmp_path):
    cells = table(3, sizes=(10, 20), ratio=2.0)
    cells.to_parquet(tmp_path / "table.parquet")
    settings = {"table": str(tmp_path / "table.parquet"), "n_initial": 2}
    found = search("random", "lookup", "svm_mnist", 0, 6, settings)
    expected = cells[cells["n_rows"] == 20].set_index("candidate")["test_error"]
    assert found["test_error"].tolist() == expected[found["incumbent"]].tolist()
    assert found["test_error"].iloc[-1] < found["test_error"].iloc[0]


TABLE = {"sizes": [1024, 512, 256, 128], "n_valid": 500}


@pytest.mark.parametrize(
    ("method", "given", "settings"),
    [
        ("ei", {"n_initial": 2}, {"n_initial": 2}),
        ("fabolas", {}, {"sizes": [128, 256, 512, 1024], "n_valid": 500}),
        ("mtbo_4", {"divisor": 4}, {"auxiliary": 256, "n_max": 1024, "n_valid": 500}),
    ],
)  # fmt: skip
def test_strategies_that_choose_sizes_are_given_those_of_the_table(method, given, settings):
    assert sized(TRIALS[method], given, TABLE) == settings


def test_a_size_that_the_table_lacks_is_refused():
    with pytest.raises(
        ValueError, match="divisor of mtbo_16 must lead from 1024 rows to one of 128, 256, 512, got 16"
    ):
        sized(TRIALS["mtbo_16"], {"divisor": 16}, TABLE)


def test_trials_are_one_number_or_one_by_method_and_none_where_it_is_not_run():
    assert set(n_trials_of(registry.study("functions"), {"n_trials": 7}, "branin").values()) == {7}
    search = registry.study("svm_search")
    n_trials = {**dict.fromkeys(search.method_names), "fabolas": 8, "random": 9}
    assert n_trials_of(search, {"n_trials": n_trials}, "svm_mnist") == {"random": 9, "fabolas": 8}
    with pytest.raises(ValueError, match=r"unknown method of svm_search 'tpe'; known: random, ei, .*fabolas"):
        n_trials_of(search, {"n_trials": {"tpe": 8}}, "svm_mnist")
