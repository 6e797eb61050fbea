"""What each run of the comparison says: cost, choice, regret on the way."""

import math

import numpy as np
import pandas as pd
import pytest
from toy_runs import random_table, table

from frugal import folds
from frugal.folds.replay import Trace
from frugal.folds.search import Kept, draw, search
from frugal.interface import FoldTask
from frugal.seeds import rng_for
from studies.folds_comparison.comparison import SHARES, regret_at
from studies.folds_comparison.entries import Entry
from studies.folds_comparison.replays import compare, measure, outcome


@pytest.mark.parametrize("strategy", ["standard", "greedy", "greedy_early_stopping"])
def test_a_run_is_the_search_of_the_same_strategy(strategy):
    kept = Kept(random_table(space="grid"))
    theirs = search(strategy, kept, n_candidates=50, settings={}).result
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
    kept = Kept(table([[0.2] * 3, [0.1] * 3, [0.9] * 3, [0.5] * 3]))
    run = measure(Entry("standard", "standard"), kept, n_candidates=4)
    curve = {share: run[regret_at(share)] for share in (1 / 4, 1 / 2, 3 / 4, 1.0)}
    assert curve == pytest.approx({1 / 4: 0.7, 1 / 2: 0.7, 3 / 4: 0.0, 1.0: 0.0})
    assert math.isnan(run[regret_at(1 / 16)])  # no evaluation is paid for by 0.75


def test_the_best_is_lost_where_a_budget_ends_before_it():
    best_last = [[0.2, 0.2], [0.1, 0.1], [0.3, 0.3], [0.9, 0.9]]
    kept = Kept(table(best_last))
    half = measure(Entry("h", "standard", {}, budget_share=0.5), kept, n_candidates=4)
    assert (half["chosen"], half["lost_best"], half["n_evaluations"]) == (0, True, 4)
    assert half["regret"] == pytest.approx(0.7)
    assert half["quality"] == 0.5
    whole = measure(Entry("s", "standard"), kept, n_candidates=4)
    assert (whole["chosen"], whole["lost_best"], whole["regret"], whole["rows_share"]) == (3, False, 0.0, 1.0)


def test_any_of_several_best_candidates_will_do():
    kept = Kept(table([[0.9, 0.7], [0.1, 0.1], [0.7, 0.9], [0.8, 0.8]]))
    half = measure(Entry("h", "standard", {}, budget_share=0.5), kept, n_candidates=4)
    assert (half["n_tied"], half["chosen"], half["lost_best"], half["regret"]) == (3, 0, False, 0.0)


def test_the_best_is_lost_where_another_is_chosen():
    trace = Trace([FoldTask(0, 0)], np.zeros(1), np.zeros(1), chosen=0, complete=False)
    run = outcome(np.array([0.5, 0.9]), trace)
    assert (run["chosen"], run["lost_best"], run["n_tied"]) == (0, True, 1)
    assert run["regret"] == pytest.approx(0.4)


def test_a_search_without_a_choice_has_lost_the_best_and_has_no_regret():
    nothing = Trace([], np.zeros(0), np.zeros(0), chosen=None, complete=False)
    run = outcome(np.array([0.5, 0.9]), nothing)
    assert (run["chosen"], run["lost_best"]) == (-1, True)
    assert np.isnan([run["regret"], run["quality"]]).all()


def test_a_failed_candidate_counts_as_score_0():
    kept = Kept(table([[0.9, np.nan], [0.4, 0.4]]))
    run = measure(
        Entry("h", "standard", {}, budget_share=0.25), kept, n_candidates=2
    )  # one evaluation, which looks good
    assert (run["chosen"], run["regret"], run["lost_best"]) == (0, 0.4, True)
    with pytest.raises(ValueError, match="every candidate failed"):
        measure(Entry("s", "standard"), Kept(table([[np.nan, 0.5]] * 2)), n_candidates=2)


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
        UserWarning,
        match=r"halved is left out on toy with n = 9: .* asks for 2 folds on \[16, 48\] rows; .* are \[16\]",
    ):
        assert len(compare(HALVING, kept, [9])) == 1
    with pytest.raises(ValueError, match=r"halved has no run: on toy with n = 9: .* kept of these are \[\]"):
        compare(HALVING, [halving_kept(())], [9])


def test_every_length_and_repetition_has_a_row_that_depends_on_names_alone():
    kept = [Kept(random_table(seed)) for seed in (0, 1)]
    runs = compare(Entry("g", "greedy"), kept, [8, 16])
    assert runs[["n", "seed"]].to_numpy().tolist() == [[8, 0], [16, 0], [8, 1], [16, 1]]
    alone = compare(Entry("g", "greedy"), kept[1:], [16])
    pd.testing.assert_frame_equal(alone, runs.tail(1).reset_index(drop=True))


def test_timed_runs_add_up_the_kept_seconds_and_have_no_curve():
    seconds = np.array([[1.0, 2.0], [10.0, 20.0]])
    kept = Kept(table([[0.5, 0.5], [0.6, 0.6]], seconds=seconds))
    run = measure(Entry("h", "standard", {}, budget_share=0.5), kept, n_candidates=2, timed=True)
    assert (run["seconds"], run["exhaustive_s"]) == (3.0, 33.0)
    assert run["overhead_s"] >= 0
    assert regret_at(1.0) not in run
