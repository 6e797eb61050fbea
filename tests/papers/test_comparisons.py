"""Strategies side by side: what each run says, the statistics of the ranks, the table and the figures."""

import dataclasses
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from frugal import config, folds, papers
from frugal.cli import main
from frugal.folds import ScoreTable
from frugal.folds.replay import Trace
from frugal.folds.search import Kept, draw, search
from frugal.interface import FoldTask
from frugal.papers import style
from frugal.papers.comparisons import Entry, compare, entries_of, read_tables
from frugal.papers.comparisons.ranks import alike, critical_difference, friedman, rank_table
from frugal.papers.comparisons.runs import SHARES, measure, outcome, regret_at
from frugal.papers.comparisons.tables import (
    render,
    strategies_table,
    summarise_anytime,
    summarise_pareto,
    summarise_ranks,
)
from frugal.seeds import rng_for

FIGURES = papers.figures("comparisons")
ROOT = Path(__file__).parents[2]


def table(scores, *, dataset="toy", seed=0, space="ranges", seconds=None, n_rows=None):
    scores = np.asarray(scores, dtype=float)
    meta = {
        "dataset": dataset, "data": "generated", "classifier": "knn", "space": space, "seed": seed,
        "n_folds": scores.shape[1], "n_rows": n_rows, "n_rows_of_dataset": 100, "n_classes": 2,
        "folds": list(range(scores.shape[1])), "failures": [],
    }  # fmt: skip
    seconds = np.zeros_like(scores) if seconds is None else seconds
    return ScoreTable(scores, seconds, [{"i": i} for i in range(len(scores))], meta)


def random_table(seed=0, n=30, k=4, **more):
    return table(np.random.default_rng(seed).integers(1, 20, size=(n, k)) / 20, seed=seed, **more)


# Runs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["standard", "greedy", "greedy_early_stopping"])
def test_a_run_is_the_search_of_the_same_strategy(strategy):
    kept = Kept(random_table(space="grid"), {})
    theirs = search(strategy, kept.table, {}, n_candidates=50, settings={}).result
    ours = measure(Entry("mine", strategy), kept, n_candidates=50)
    shared = set(theirs) & set(ours) - {"method"}
    assert {"chosen", "quality", "regret", "rows_share", "n_evaluations", "n_tied"} <= shared
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}
    assert (ours["method"], ours["strategy"]) == ("mine", strategy)


def stopped(strategy, kept, n, budget):
    """Regret of a fresh strategy that is told only what `budget` evaluations on all rows pay for in full."""
    drawn = draw(kept.table, n)
    rungs = {rows: draw(rung, n) for rows, rung in kept.rungs.items()}
    facts = {"n_rows": 100, "n_classes": 2} if strategy == "successive_halving" else {}
    settings = {"cv": 2, "min_resources": 16} if facts else {}
    rng = rng_for(strategy, "toy", "knn", n, drawn.scores.shape[1], 0)
    fresh = folds.make(strategy, n_candidates=n, n_folds=drawn.scores.shape[1], rng=rng, **facts, **settings)
    spent = 0.0
    while (task := fresh.ask()) is not None:
        # A fit trains on all rows but one fold's: of 100 in 3 folds, of a rung's in 2.
        spent += 1.0 if task.n_rows is None else (task.n_rows / 2) / (100 * 2 / 3)
        if spent > budget + 1e-9:
            break
        source = drawn if task.n_rows is None else rungs[task.n_rows]
        fresh.tell(task, source.scores[task.candidate, task.fold])
    return math.nan if fresh.incumbent is None else drawn.means.max() - drawn.means[fresh.incumbent]


@pytest.mark.parametrize("strategy", ["standard", "greedy", "greedy_early_stopping", "successive_halving"])
def test_the_anytime_curve_is_that_of_searches_stopped_at_each_cost(strategy):
    rng = np.random.default_rng(3)
    kept = Kept(
        table(rng.integers(0, 20, size=(9, 3)) / 20),
        {rows: table(rng.integers(0, 20, size=(9, 2)) / 20, n_rows=rows) for rows in (16, 48)},
    )
    settings = {"cv": 2, "min_resources": 16} if strategy == "successive_halving" else {}
    run = measure(Entry("e", strategy, settings), kept, n_candidates=9)
    expected = [stopped(strategy, kept, 9, share * 27) for share in SHARES]
    assert [run[regret_at(share)] for share in SHARES] == pytest.approx(expected, nan_ok=True)
    assert math.isnan(run[regret_at(1 / 64)]) == (strategy != "successive_halving")  # less than one evaluation
    assert run[regret_at(1.0)] == run["regret"]
    assert len(set(expected)) > 2


def test_the_curve_of_the_standard_search_by_hand():
    # Completed in order, three folds each: the incumbent after 3, 6 and 9 of 12 evaluations has mean .2, .2, .9.
    kept = Kept(table([[0.2] * 3, [0.1] * 3, [0.9] * 3, [0.5] * 3]), {})
    run = measure(Entry("standard", "standard"), kept, n_candidates=4)
    curve = {share: run[regret_at(share)] for share in (1 / 4, 1 / 2, 3 / 4, 1.0)}
    assert curve == pytest.approx({1 / 4: 0.7, 1 / 2: 0.7, 3 / 4: 0.0, 1.0: 0.0})
    assert math.isnan(run[regret_at(1 / 16)])  # no evaluation is paid for by 0.75


def test_the_best_is_lost_where_it_is_neither_chosen_nor_complete():
    best_last = [[0.2, 0.2], [0.1, 0.1], [0.3, 0.3], [0.9, 0.9]]
    kept = Kept(table(best_last), {})
    half = measure(Entry("h", "standard", {}, 0.5), kept, n_candidates=4)
    assert (half["chosen"], half["lost_best"], half["n_evaluations"]) == (0, True, 4)
    assert half["regret"] == pytest.approx(0.7)
    assert half["quality"] == 0.5
    whole = measure(Entry("s", "standard"), kept, n_candidates=4)
    assert (whole["chosen"], whole["lost_best"], whole["regret"], whole["rows_share"]) == (3, False, 0.0, 1.0)


def test_any_of_several_best_candidates_will_do():
    kept = Kept(table([[0.9, 0.7], [0.1, 0.1], [0.7, 0.9], [0.8, 0.8]]), {})
    half = measure(Entry("h", "standard", {}, 0.5), kept, n_candidates=4)
    assert (half["n_tied"], half["chosen"], half["lost_best"], half["regret"]) == (3, 0, False, 0.0)


def test_a_best_candidate_that_was_completed_but_passed_over_is_not_lost():
    tasks = [FoldTask(c, f) for c in (0, 1) for f in (0, 1)]
    trace = Trace(tasks, np.zeros(4), np.zeros(4), chosen=0, complete=True)
    run = outcome(np.array([0.5, 0.9]), trace, 2)
    assert (run["chosen"], run["lost_best"], run["n_tied"]) == (0, False, 1)
    assert run["regret"] == pytest.approx(0.4)
    cut = dataclasses.replace(trace, tasks=tasks[:3])
    assert outcome(np.array([0.5, 0.9]), cut, 2)["lost_best"] is True


def test_a_search_without_a_choice_has_lost_the_best_and_has_no_regret():
    nothing = Trace([], np.zeros(0), np.zeros(0), chosen=None, complete=False)
    run = outcome(np.array([0.5, 0.9]), nothing, 2)
    assert (run["chosen"], run["lost_best"]) == (-1, True)
    assert np.isnan([run["regret"], run["quality"]]).all()


def test_a_failed_candidate_counts_as_score_0():
    kept = Kept(table([[0.9, np.nan], [0.4, 0.4]]), {})
    run = measure(Entry("h", "standard", {}, 0.25), kept, n_candidates=2)  # one evaluation, which looks good
    assert (run["chosen"], run["regret"], run["lost_best"]) == (0, 0.4, True)
    with pytest.raises(ValueError, match="every candidate failed"):
        measure(Entry("s", "standard"), Kept(table([[np.nan, 0.5]] * 2), {}), n_candidates=2)


def halving_kept(rows=(16, 48)):
    few = np.linspace(0.1, 0.9, 9)[:, None].repeat(2, axis=1)
    rungs = {16: table(few, n_rows=16), 48: table(few[::-1], n_rows=48)}
    return Kept(table(few.repeat(2, axis=1)[:, :3]), {n: rungs[n] for n in rows})


HALVING = Entry("halved", "successive_halving", {"cv": 2, "min_resources": 16})


def test_evaluations_on_fewer_rows_cost_their_share_of_the_rows():
    run = measure(HALVING, halving_kept(), n_candidates=9)
    # 18 fits on half of 16 rows and 6 on half of 48, of 27 fits on two thirds of 100.
    assert run["rows_share"] == pytest.approx((18 * 8 + 6 * 24) / (27 * 200 / 3))
    assert run["folds_share"] == pytest.approx(24 / 27)
    assert (run["chosen"], run["lost_best"]) == (6, True)  # on all rows candidate 8 is best


def test_halving_is_left_out_where_its_rungs_are_not_kept():
    kept = [halving_kept((16,)), halving_kept()]
    with pytest.warns(
        UserWarning, match=r"left out on toy with n = 9: halved asks for 2 folds on \[16, 48\] rows"
    ):
        assert len(compare(HALVING, kept, [9])) == 1
    with pytest.raises(ValueError, match=r"halved has no run: on toy with n = 9: halved asks .* kept are \[\]"):
        compare(HALVING, [halving_kept(())], [9])


def test_every_length_and_repetition_has_a_row_that_depends_on_names_alone():
    kept = [Kept(random_table(seed), {}) for seed in (0, 1)]
    runs = compare(Entry("g", "greedy"), kept, [8, 16])
    assert runs[["n", "seed"]].to_numpy().tolist() == [[8, 0], [16, 0], [8, 1], [16, 1]]
    alone = compare(Entry("g", "greedy"), kept[1:], [16])
    pd.testing.assert_frame_equal(alone, runs.tail(1).reset_index(drop=True))


def test_timed_runs_add_up_the_kept_seconds_and_have_no_curve():
    seconds = np.array([[1.0, 2.0], [10.0, 20.0]])
    kept = Kept(table([[0.5, 0.5], [0.6, 0.6]], seconds=seconds), {})
    run = measure(Entry("h", "standard", {}, 0.5), kept, n_candidates=2, timed=True)
    assert (run["seconds"], run["exhaustive_s"]) == (3.0, 33.0)
    assert run["overhead_s"] >= 0
    assert regret_at(1.0) not in run


def test_kept_files_of_several_cells_are_told_apart(tmp_path):
    whole, other = random_table(0), random_table(1, k=3, dataset="other")
    paths, times = [], []
    for i, part in enumerate((other, whole)):
        for fold in range(part.scores.shape[1]):
            block = ScoreTable(
                part.scores[:, [fold]],
                part.seconds[:, [fold]] + i,
                part.candidates,
                {**part.meta, "folds": [fold]},
            )
            paths.append(tmp_path / f"{i}-{fold}.parquet")
            times.append(tmp_path / f"{i}-{fold}-seconds.parquet")
            block.write(paths[-1], seconds_path=times[-1])
    rungs = ScoreTable(
        whole.scores, whole.seconds, whole.candidates, {**whole.meta, "rungs": [16, 48], "folds": [0, 1, 0, 1]}
    )
    rungs.write(tmp_path / "rungs.parquet")
    kept = read_tables([*paths, tmp_path / "rungs.parquet"])
    assert [part.table.meta["dataset"] for part in kept] == ["other", "toy"]
    assert np.array_equal(kept[1].table.scores, whole.scores)
    assert [sorted(part.rungs) for part in kept] == [[], [16, 48]]
    timed = read_tables(paths, times)
    assert [part.table.seconds.max() for part in timed] == [0.0, 1.0]
    with pytest.raises(ValueError, match="7 score files need as many files of seconds, got 1"):
        read_tables(paths, times[:1])


# What is compared ----------------------------------------------------------------------------------------------


def test_a_share_is_a_budget_in_folds_for_each_n_and_k():
    entry = Entry("greedy_quarter", "greedy", {"ties": "fewest_folds"}, 0.25)
    assert entry.settings_for(128, 5) == {"ties": "fewest_folds", "budget": 160}
    assert entry.settings_for(512, 10)["budget"] == 1280
    assert Entry("g", "greedy", {}, 1 / 3).settings_for(10, 5)["budget"] == 16  # not more than the share
    assert Entry("g", "greedy", {}, 0.001).settings_for(10, 5)["budget"] == 1
    assert Entry("g", "greedy", {"budget": 7}).settings_for(10, 5) == {"budget": 7}


def made(*compared, strategies=None):
    return {"strategies": strategies or {}, "folds_comparison": {"compared": list(compared)}}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"strategy": "greed"}, "unknown strategy 'greed'; known: "),
        ({"strategy": "greedy", "settings": {"tie": 1}}, "unknown setting 'tie' of greedy; known: budget, ties"),
        ({"strategy": "greedy", "settings": {"ties": "x"}}, "ties must be one of lowest_index"),
        ({"strategy": "greedy", "budget_share": 1.5}, "budget_share must be above 0 and at most 1, got 1.5"),
        ({"strategy": "greedy", "budget_share": 0}, "budget_share must be above 0 and at most 1, got 0"),
        ({"strategy": "greedy", "budget_share": math.nan}, "budget_share must be above 0 and at most 1, got nan"),
        ({"strategy": "exact_pruning", "budget_share": 0.5}, "but exact_pruning has no setting budget"),
        ({"strategy": "greedy", "budget_share": 0.5, "settings": {"budget": 9}}, "give either budget_share or"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(block, message):
    with pytest.raises(ValueError, match=r"^folds_comparison\.compared\.1 \(mine\): ") as refusal:
        entries_of(made({"name": "standard", "strategy": "standard"}, {"name": "mine", **block}))
    assert message in str(refusal.value)


def test_a_name_that_stands_twice_is_refused():
    twice = {"name": "mine", "strategy": "standard"}
    with pytest.raises(ValueError, match=r"compared\.1 \(mine\): the name stands twice"):
        entries_of(made(twice, twice))


def test_settings_go_over_those_of_the_strategys_own_block():
    stopping = {"name": "late", "strategy": "greedy_early_stopping", "settings": {"epsilon": 0.1}}
    own = {"greedy_early_stopping": {"epsilon": 0.02, "rounding": "none"}}
    entry = entries_of(made(stopping, strategies=own))["late"]
    assert entry.settings == {"epsilon": 0.1, "rounding": "none"}


@pytest.mark.parametrize("scale", ["smoke", "config", "paper"])
def test_every_scale_compares_every_strategy(scale):
    base = config.read(ROOT / "config/config.yaml")
    entries = entries_of(config.merge(base, config.read(ROOT / f"config/{scale}.yaml")))
    assert {entry.strategy for entry in entries.values()} == set(folds.known())


# Ranks ---------------------------------------------------------------------------------------------------------

# Demšar (2006), Table 6: AUC of C4.5, with m, cf or both, on 14 data sets. He prints 0.975 twice for voting,
# the last but one, but ranks them 2 and 3: the first of them is a little more here.
DEMSAR = np.array(
    """.763 .768 .771 .798  .599 .591 .590 .569  .954 .971 .968 .967  .628 .661 .654 .657  .882 .888 .886 .898
       .936 .931 .916 .931  .661 .668 .609 .685  .583 .583 .563 .625  .775 .838 .866 .875  1.00 1.00 1.00 1.00
       .940 .962 .965 .962  .619 .666 .614 .669  .972 .981 .9751 .975  .957 .978 .946 .970""".split(),
    dtype=float,
).reshape(14, 4)  # fmt: skip


def test_ranks_and_critical_difference_are_those_of_demsars_example():
    test = friedman(-DEMSAR)
    assert test.mean_ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    # Without his correction for ties: chi-square 9.28; the ranks alone decide it.
    chi_square = 12 * 14 / (4 * 5) * (np.sum(test.mean_ranks**2) - 4 * 5**2 / 4)
    assert chi_square == pytest.approx(9.28, abs=0.01)
    assert test.statistic >= chi_square


def test_friedmans_test_is_scipys():
    losses = np.random.default_rng(0).normal(size=(12, 5)) + np.arange(5) / 2
    theirs = stats.friedmanchisquare(*losses.T)
    test = friedman(losses)
    assert (test.statistic, test.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_methods_that_are_always_tied_do_not_differ():
    test = friedman(np.ones((6, 3)))
    assert (test.mean_ranks.tolist(), test.statistic, test.p) == ([2.0, 2.0, 2.0], 0.0, 1.0)
    with pytest.raises(ValueError, match="at least 3 methods and 2 blocks, got 2 methods and 6 blocks"):
        friedman(np.ones((6, 2)))


@pytest.mark.parametrize(("n_methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_critical_differences_come_from_the_published_quantiles(n_methods, q):
    # Demšar (2006), Table 5(a): q at 0.05; his quantiles are cut after three decimals or rounded.
    for n_blocks in (6, 36):
        scale = math.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))
        assert critical_difference(n_methods, n_blocks) / scale == pytest.approx(q, abs=1.1e-3)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1, 2, 3.5, 6], [(1, 2), (2, 3.5)]),
        ([6, 1, 3.5, 2], [(1, 2), (2, 3.5)]),
        ([1, 1.5, 2, 3], [(1, 3)]),
        ([1, 4, 7], []),
        ([2, 2, 5], [(2, 2)]),
    ],
)
def test_stretches_join_what_lies_within_a_critical_difference(ranks, expected):
    assert alike(np.array(ranks, dtype=float), 2.0) == expected


def small_runs(values, **more):
    """Rows per method (a strategy's name), block (dataset) and seed: `values` is method -> regrets by block."""
    return pd.DataFrame(
        {"method": method, "strategy": method, "budget_share": math.nan, "dataset": f"d{block}",
         "classifier": "knn", "n": 128, "k": 5, "seed": seed, "data": "original", "regret": regret, **more}
        for method, regrets in values.items()
        for block, regret in enumerate(regrets)
        for seed in (0, 1)
    )  # fmt: skip


def test_ranks_are_of_means_over_seeds_and_a_missing_value_is_the_worst():
    runs = small_runs({"a": [0.0, 0.1], "b": [0.2, 0.1], "c": [0.3, 0.0]})
    runs.loc[(runs["method"] == "a") & (runs["dataset"] == "d0") & (runs["seed"] == 1), "regret"] = math.nan
    table = rank_table(runs, "regret", ["dataset"]).set_index("method")
    # d0: b, c, a; d1: c, then a and b tied.
    assert table["mean_rank"].to_dict() == {"b": 1.75, "c": 1.5, "a": 2.75}
    assert table.index.tolist() == ["c", "b", "a"]
    assert table[["n_methods", "n_blocks", "n_seeds"]].iloc[0].tolist() == [3, 2, 2]


def test_methods_that_did_not_run_everywhere_are_not_ranked():
    runs = small_runs({"a": [0.0, 0.1], "b": [0.2, 0.1], "c": [0.3, 0.0], "d": [0.0]})
    assert set(rank_table(runs, "regret", ["dataset"])["method"]) == {"a", "b", "c"}
    assert rank_table(runs[runs["method"] != "c"], "regret", ["dataset"]).empty
    assert rank_table(runs[runs["dataset"] == "d0"], "regret", ["dataset"]).empty


# Table and figures ---------------------------------------------------------------------------------------------

ENTRIES = [
    Entry("standard", "standard"),
    Entry("standard_quarter", "standard", {}, 0.25),
    Entry("greedy", "greedy"),
    Entry("greedy_half", "greedy", {}, 0.5),
    Entry("patient", "greedy_early_stopping", {"epsilon": 0.2}),
]


@pytest.fixture(scope="module")
def runs():
    kept = [
        Kept(random_table(seed, k=k, dataset=dataset), {})
        for dataset in ("toy", "other") for k in (4, 5) for seed in (0, 1, 2)
    ]  # fmt: skip
    return pd.concat([compare(entry, kept, [8, 16]) for entry in ENTRIES], ignore_index=True)


COLUMNS = "method strategy budget_share n k measure mean se low high n_seeds n_missing scale data".split()


def test_the_table_averages_over_cells_with_an_interval_over_seeds(runs):
    table = strategies_table(runs, "smoke")
    assert list(table.columns) == COLUMNS
    assert set(table["measure"]) == {"folds_share", "rows_share", "quality", "regret", "lost_best"}
    assert len(table) == 5 * len(ENTRIES) * 4
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
    table = strategies_table(pd.concat([runs, timed]), "paper")
    shares = table[table["measure"] == "time_share"]
    assert shares["mean"].tolist() == pytest.approx([0.25] * len(ENTRIES))
    assert set(shares["k"]) == {5}
    assert table.query("measure == 'regret'")["mean"].max() < 1
    assert "| seconds |" in render(table)
    assert "no timed fits at this scale" not in render(table)


def test_the_markdown_has_a_row_per_strategy_and_says_what_its_numbers_are(runs):
    text = render(strategies_table(runs, "smoke"))
    head, _, first, *_ = text.splitlines()
    assert head == "| n | k | strategy | folds | rows | rank percentile | regret | best lost |"
    assert first.startswith("| 8 | 4 | greedy | 1.0000 ± 0.0000 | 1.0000 ± 0.0000 | 1.0000")
    assert sum(line.startswith(("| 8 |", "| 16 |")) for line in text.splitlines()) == len(ENTRIES) * 4
    note = text.strip().splitlines()[-1]
    assert "scale smoke, 3 seeds, data: generated" in note
    assert "Seconds: no timed fits at this scale." in note
    assert "†" not in text
    assert "†" in render(strategies_table(runs.assign(data="original/stand-in"), "smoke"))


def test_one_repetition_has_no_interval(runs):
    text = render(strategies_table(runs[runs["seed"] == 0], "smoke"))
    assert "±" not in text


def test_the_front_holds_what_nothing_betters():
    runs = small_runs({"cheap": [0.4], "good": [0.1], "worse": [0.2], "dear": [0.1]})
    cost = {"cheap": 0.1, "good": 0.5, "worse": 0.6, "dear": 0.9}
    summary = summarise_pareto(runs.assign(rows_share=runs["method"].map(cost))).set_index("method")
    assert summary["on_front"].to_dict() == {"cheap": True, "good": True, "worse": False, "dear": False}
    assert summary["cost"].to_dict() == cost
    assert summary["mean"].to_dict() == pytest.approx({"cheap": 0.4, "good": 0.1, "worse": 0.2, "dear": 0.1})


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


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


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
    command = ["figure", "comparisons", name, "--runs", str(tmp_path / "runs.parquet"), "--output", str(output)]
    assert main(command) == 0
    assert output.stat().st_size > 5000
    assert output.with_suffix(".svg").stat().st_size > 5000
    numbers = pd.read_csv(output.with_suffix(".csv"))
    assert {"method", "strategy", "n_seeds", "data"} <= set(numbers.columns)


def test_looks_of_all_strategies_are_told_apart():
    looks = [style.LOOKS[name] for name in folds.known()]
    assert len({(look.color, look.marker) for look in looks}) == len(looks)
    assert len({look.marker for look in looks}) == len(looks)


def test_runs_of_another_kind_are_refused(runs):
    for summarise in (summarise_pareto, summarise_anytime, summarise_ranks):
        with pytest.raises(ValueError, match="the runs lack the column 'budget_share'"):
            summarise(runs.drop(columns="budget_share"))


def test_runs_and_tables_are_made_without_matplotlib():
    code = "import sys, frugal.papers as p; p.module('comparisons'); sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
