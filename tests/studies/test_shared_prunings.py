"""Prunings judged by the scores of all folds: against counting by hand."""

import numpy as np
import pytest
from toy_runs import random_table, table

from frugal import folds
from frugal.folds.replay import Trace, replay
from frugal.folds.search import Kept
from studies.folds_comparison.entries import Entry
from studies.folds_comparison.replays import measure
from studies.shared.prunings import judge


def trace_of(*events):
    return Trace([], np.zeros(0), np.zeros(0), chosen=0, complete=True, events=list(events))


def prune(candidate, **why):
    return {"event": "prune", "candidate": candidate, **why}


COMPLETE = {"event": "complete", "candidate": 0, "best": True}
RESTORE = {"event": "restore", "candidate": 3}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([COMPLETE], (0, 0, 0, False)),
        ([prune(1, against=0)], (1, 1, 0, False)),
        ([prune(2, against=0)], (1, 1, 1, False)),  # better than the first, and not the best
        ([prune(3, against=2)], (1, 1, 1, True)),
        ([COMPLETE, prune(3)], (1, 1, 1, True)),  # a peer that does not say against which
        ([prune(3, failed=True)], (1, 0, 0, False)),
        ([prune(3, against=2), RESTORE], (1, 0, 0, False)),
        ([prune(3, against=2), RESTORE, prune(3, against=0)], (2, 1, 1, True)),
    ],
)
def test_a_pruning_is_judged_where_it_is_for_scores_and_for_good(events, expected):
    assert tuple(judge(trace_of(*events), np.array([0.5, 0.4, 0.6, 0.9])).values()) == expected


def test_one_of_several_best_candidates_may_be_pruned():
    means = np.array([0.9, 0.9, 0.1])
    assert judge(trace_of(prune(1, against=2)), means)["best_pruned"] is False
    assert judge(trace_of(prune(1, against=2), prune(0, against=2)), means)["best_pruned"] is True


@pytest.mark.parametrize("strategy", ["aggressive_early_stopping", "threshold_pruning", "paired_racing"])
def test_the_best_is_pruned_just_where_a_strategy_that_prunes_loses_it(strategy):
    lost = []
    for seed in range(40):
        run = measure(Entry("e", strategy), Kept(random_table(seed, n=12, k=6)), n_candidates=12)
        assert run["n_wrong"] <= run["n_judged"] == run["n_pruned"]
        assert run["best_pruned"] == run["lost_best"]
        lost.append(run["lost_best"])
    assert any(lost)
    assert not all(lost)


def test_exact_pruning_is_never_wrong_and_drops_no_best_candidate():
    for seed in range(20):
        run = measure(Entry("e", "exact_pruning"), Kept(random_table(seed, n=12, k=6)), n_candidates=12)
        assert run["n_judged"] > 0
        assert (run["n_wrong"], run["best_pruned"]) == (0, False)


def test_searches_that_drop_nobody_have_no_prunings():
    drawn = random_table(3)
    strategy = folds.make("greedy", n_candidates=30, n_folds=4, rng=np.random.default_rng(0))
    assert judge(replay(strategy, drawn), drawn.means) == {
        "n_pruned": 0, "n_judged": 0, "n_wrong": 0, "best_pruned": False,
    }  # fmt: skip


def test_a_candidate_that_only_looks_worse_at_first_is_a_wrong_pruning():
    kept = Kept(table([[0.7, 0.7, 0.7], [0.5, 0.95, 0.95], [0.1, 0.1, 0.1]]))
    run = measure(Entry("e", "aggressive_early_stopping"), kept, n_candidates=3)
    assert (run["n_judged"], run["n_wrong"], run["best_pruned"], run["lost_best"]) == (2, 1, True, True)
