"""The table and the figures of the comparison, from small runs."""

import math

import pandas as pd
import pytest
from toy_runs import random_table, small_runs, texts

from frugal.folds.search import Kept
from studies import registry
from studies.cli import main
from studies.folds_comparison.comparison import (
    FLOOR,
    SHARES,
    regret_at,
    render,
    summarise_anytime,
    summarise_pareto,
    summarise_prices,
    summarise_ranks,
    tabulate,
)
from studies.folds_comparison.entries import Entry
from studies.folds_comparison.replays import compare

FIGURES = registry.figures("folds_comparison")
ENTRIES = [
    Entry("standard", "standard"),
    Entry("standard_quarter", "standard", {}, budget_share=0.25),
    Entry("greedy", "greedy"),
    Entry("greedy_half", "greedy", {}, budget_share=0.5),
    Entry("patient", "greedy_early_stopping", {"epsilon": 0.2}),
]


@pytest.fixture(scope="module")
def runs():
    kept = [
        Kept(random_table(seed, k=k, dataset=dataset))
        for dataset in ("toy", "other") for k in (4, 5) for seed in (0, 1, 2)
    ]  # fmt: skip
    return pd.concat([compare(entry, kept, [8, 16]) for entry in ENTRIES], ignore_index=True)


COLUMNS = "method strategy budget_share n k measure mean se low high n_seeds n_missing scale data".split()


def test_the_table_averages_over_cells_with_an_interval_over_seeds(runs):
    table = tabulate(runs, "smoke")
    assert list(table.columns) == COLUMNS
    prunings = {"n_judged", "n_wrong", "best_pruned"}
    assert set(table["measure"]) == {"folds_share", "rows_share", "quality", "regret", "lost_best", *prunings}
    assert len(table) == 8 * len(ENTRIES) * 4
    cell = runs.query("method == 'patient' and n == 8 and k == 4")
    by_seed = cell.groupby("seed")["regret"].mean()
    row = table.query("method == 'patient' and n == 8 and k == 4 and measure == 'regret'").iloc[0]
    assert row["mean"] == pytest.approx(by_seed.mean())
    margin = 4.302653 * by_seed.std() / math.sqrt(3)  # 97.5 % point of Student's t with two degrees of freedom
    assert [row["low"], row["high"]] == pytest.approx([by_seed.mean() - margin, by_seed.mean() + margin])
    assert row[["n_seeds", "n_missing", "scale", "data"]].tolist() == [3, 0, "smoke", "generated"]
    reference = table.query("method == 'standard'").groupby("measure")["mean"].agg(["min", "max"])
    assert reference.loc["regret"].tolist() == [0, 0]
    assert reference.loc["folds_share"].tolist() == [1, 1]


def test_seconds_count_in_their_own_measure_alone(runs):
    timed = runs.query("k == 5 and n == 8").assign(seconds=1.0, overhead_s=0.5, exhaustive_s=6.0, regret=99.0)
    table = tabulate(pd.concat([runs, timed]), "paper")
    shares = table[table["measure"] == "time_share"]
    assert shares["mean"].tolist() == pytest.approx([0.25] * len(ENTRIES))
    assert set(shares["k"]) == {5}
    assert table.query("measure == 'regret'")["mean"].max() < 1
    assert "| seconds |" in render(table)
    assert "there are no fits that were timed alone" not in render(table)


def test_a_cell_below_the_floor_is_not_run_in_a_table_that_reaches_it(runs):
    enough = pd.concat([runs.query("seed == 0").assign(seed=seed) for seed in range(FLOOR)])
    timed = enough.query("k == 5 and seed < 2").assign(seconds=1.0, overhead_s=0.5, exhaustive_s=6.0)
    table = tabulate(pd.concat([enough, timed]), "paper")
    below = table[table["measure"] == "time_share"]
    assert set(below["scale"]) == {"not run at this scale"}
    assert below[["mean", "se", "low", "high"]].isna().all(axis=None)
    assert set(below["n_seeds"]) == {2}
    others = table[table["measure"] != "time_share"]
    assert set(others["scale"]) == {"paper"}
    assert others["mean"].notna().all()
    text = render(table)
    assert "| not run at this scale | 1.0000 ± 0.0000 |" in text
    assert "scale paper, 10 seeds, data: generated" in text
    small = tabulate(pd.concat([enough.query("seed < 9"), timed]), "laptop")
    assert set(small["scale"]) == {"laptop"}


def test_the_markdown_has_a_row_per_strategy_and_says_what_its_numbers_are(runs):
    text = render(tabulate(runs, "smoke"))
    head, _, first, *_ = text.splitlines()
    heads = "n | k | strategy | folds | rows | rank percentile | regret | best lost | prunings | wrong prunings"
    assert head == f"| {heads} | best pruned |"
    assert first.startswith("| 8 | 4 | greedy | 1.0000 ± 0.0000 | 1.0000 ± 0.0000 | 1.0000")
    assert sum(line.startswith(("| 8 |", "| 16 |")) for line in text.splitlines()) == len(ENTRIES) * 4
    note = text.strip().splitlines()[-1]
    assert "scale smoke, 3 seeds, data: generated" in note
    assert "Seconds: there are no fits that were timed alone." in note
    assert "†" not in text
    assert "†" in render(tabulate(runs.assign(data="original/stand-in"), "smoke"))


def test_one_repetition_has_no_interval(runs):
    text = render(tabulate(runs[runs["seed"] == 0], "smoke"))
    assert "±" not in text


def test_the_front_holds_what_nothing_betters():
    runs = small_runs({"cheap": [0.4], "good": [0.1], "worse": [0.2], "dear": [0.1]})
    cost = {"cheap": 0.1, "good": 0.5, "worse": 0.6, "dear": 0.9}
    summary = summarise_pareto(runs.assign(rows_share=runs["method"].map(cost))).set_index("method")
    assert summary["on_front"].to_dict() == {"cheap": True, "good": True, "worse": False, "dear": False}
    assert summary["cost"].to_dict() == cost
    assert summary["mean"].to_dict() == pytest.approx({"cheap": 0.4, "good": 0.1, "worse": 0.2, "dear": 0.1})


def test_what_has_no_regret_is_not_on_the_front():
    runs = small_runs({"nothing": [math.nan], "good": [0.1]})
    cost = {"nothing": 0.1, "good": 0.5}
    summary = summarise_pareto(runs.assign(rows_share=runs["method"].map(cost))).set_index("method")
    assert summary["on_front"].to_dict() == {"nothing": False, "good": True}


def test_anytime_curves_are_of_strategies_without_a_budget(runs):
    summary = summarise_anytime(runs)
    assert set(summary["method"]) == {"standard", "greedy", "patient"}
    line = summary.query("method == 'greedy' and n == 16 and k == 5")
    assert line["share"].tolist() == list(SHARES)
    cell = runs.query("method == 'greedy' and n == 16 and k == 5")
    assert line["mean"].iloc[6] == pytest.approx(cell[regret_at(1 / 4)].mean())
    early = summary.query("n == 8 and k == 4 and share == 0.015625")  # half an evaluation
    assert (early["n_seeds"].max(), early["n_missing"].min()) == (0, 6)


def test_ranks_at_equal_cost_leave_searches_under_a_budget_out(runs):
    summary = summarise_ranks(runs)
    methods = summary.groupby("measure")["method"].apply(set)
    assert methods["regret"] == methods["rows_share"] == {entry.name for entry in ENTRIES}
    assert methods[regret_at(1 / 4)] == {"standard", "greedy", "patient"}
    assert set(summary["n_blocks"]) == {2 * 1 * 2 * 2}
    final = summary[summary["measure"] == "regret"].set_index("method")["mean_rank"]
    assert final["standard"] == final["greedy"] == final.min()


def priced_runs():
    """Two strategies on two cells: half of 8 x 5 fits and 3 s of their own, and every fit with none."""
    kept = pd.concat(
        small_runs({name: [0.01, 0.03]}, rows_share=share)
        for name, share in (("standard", 1.0), ("exact_pruning", 0.5))
    ).assign(n=8)
    cheap = kept[kept["method"] == "exact_pruning"].assign(method="quarter", rows_share=0.25, budget_share=0.25)
    timed = kept.assign(
        seconds=1.0, exhaustive_s=2.0, regret=9.0, overhead_s=kept["method"].map({"standard": 0.0}).fillna(3.0)
    )
    return pd.concat([kept, cheap, timed, timed[timed["method"] == "standard"].assign(k=4)])


def test_a_search_takes_its_share_of_the_fits_and_its_own_seconds_at_every_price():
    table = summarise_prices(priced_runs())
    assert set(table["method"]) == {"standard", "exact_pruning"}  # a budget is what it says
    assert set(table["k"]) == {5}  # where nothing was replayed there is no share
    ends = table.groupby("method")["fit_s"].agg(["min", "max", "size"])
    assert ends.to_numpy().tolist() == [[pytest.approx(0.001), pytest.approx(60), 25]] * 2
    ours = table[table["method"] == "exact_pruning"]
    ours = ours.set_index(ours["fit_s"].round(3))
    assert set(ours["fits"]) == {20}
    assert ours.loc[0.001, ["seconds", "share"]].tolist() == pytest.approx([20 * 0.001 + 3, 3.02 / 0.04])
    assert ours.loc[60.0, ["seconds", "share"]].tolist() == pytest.approx([1203, 1203 / 2400])
    assert set(ours["break_even_s"]) == {3 / 20}  # 20 fits saved pay for 3 s
    assert set(ours["regret"]) == {0.02}
    every = table[table["method"] == "standard"]
    assert every["break_even_s"].isna().all()
    assert every["share"].to_numpy() == pytest.approx(1.0)


def test_prices_are_of_the_cells_that_were_timed():
    runs = priced_runs()
    one = runs["dataset"] == runs["dataset"].iloc[0]
    assert not one.all()
    untimed = runs["seconds"].isna()
    priced = ["fits", "regret", "overhead_s", "share"]
    expected = summarise_prices(runs[one])[priced]
    pd.testing.assert_frame_equal(summarise_prices(runs[one | untimed])[priced], expected)


def test_prices_are_drawn_for_timed_runs_and_said_to_be_missing_without_them(runs):
    priced = priced_runs()
    figure = FIGURES["prices"].draw(summarise_prices(priced))
    written = texts(figure)
    assert "exact pruning (2)" in written
    assert [axes.get_xscale() for axes in figure.axes] == ["log", "log"]
    assert figure.axes[0].get_yscale() == "log"
    marked = texts(FIGURES["prices"].draw(summarise_prices(priced.assign(data="stand-in"))))
    assert any("stand-in data" in text for text in marked)
    nothing = summarise_prices(runs)
    assert "fit_s" in nothing
    assert nothing.empty
    assert "not run at this scale" in texts(FIGURES["prices"].draw(nothing))


@pytest.mark.parametrize("name", ["pareto", "anytime", "ranks"])
def test_a_figure_draws_from_a_small_run_and_marks_a_stand_in(name, runs):
    marks = {}
    for data in ("original", "original/stand-in"):
        written = texts(FIGURES[name].draw(FIGURES[name].summarise(runs.assign(data=data))))
        marks[data] = any("stand-in data" in text for text in written)
        for label in ("standard k-fold", "greedy", "patient"):
            assert any(text.strip().startswith(label) for text in written)
    assert marks == {"original": False, "original/stand-in": True}


@pytest.mark.parametrize("name", ["pareto", "anytime", "ranks"])
def test_a_figure_without_runs_says_so(name, runs):
    assert "not run at this scale" in texts(FIGURES[name].draw(FIGURES[name].summarise(runs.iloc[:0])))


def test_a_strategy_without_a_look_of_its_own_is_drawn_too(runs):
    summary = summarise_pareto(runs.replace({"strategy": {"standard": "my_rule"}}))
    assert "my rule, budget 1/4" in texts(FIGURES["pareto"].draw(summary))


@pytest.mark.parametrize("name", ["pareto", "anytime", "ranks"])
def test_the_command_writes_picture_and_numbers(name, runs, tmp_path):
    runs.to_parquet(tmp_path / "runs.parquet")
    output = tmp_path / f"{name}.png"
    command = [
        "job",
        "figure",
        "folds_comparison",
        name,
        "--runs",
        str(tmp_path / "runs.parquet"),
        "--output",
        str(output),
    ]
    assert main(command) == 0
    assert output.stat().st_size > 5000
    assert output.with_suffix(".svg").stat().st_size > 5000
    numbers = pd.read_csv(output.with_suffix(".csv"))
    assert {"method", "strategy", "n_seeds", "data"} <= set(numbers.columns)


def test_runs_of_another_kind_are_refused(runs):
    for summarise in (summarise_pareto, summarise_anytime, summarise_ranks):
        with pytest.raises(ValueError, match="the table of runs lacks the column 'budget_share'"):
            summarise(runs.drop(columns="budget_share"))
