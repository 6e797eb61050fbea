import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV

from frugal.folds import ScoreTable, make, replay
from frugal.folds.strategies.successive_halving import Rung, plan_rungs, smallest_resource
from frugal.interface import FoldTask

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("rows", "classes", "cv", "expected"),
    [
        # docs/methods.md, section 3, n = 256 and factor 3: candidates @ samples.
        (506, 4, 5, [(256, 40), (86, 120), (29, 360)]),
        (569, 2, 5, [(256, 20), (86, 60), (29, 180), (10, 540)]),
        (1797, 10, 5, [(256, 100), (86, 300), (29, 900)]),
        (506, 4, 10, [(256, 80), (86, 240)]),
        (569, 2, 10, [(256, 40), (86, 120), (29, 360)]),
        (1797, 10, 10, [(256, 200), (86, 600)]),
    ],
)
def test_rungs_of_the_documents_datasets(rows, classes, cv, expected):
    rungs = plan_rungs(256, smallest=smallest_resource(cv, classes), largest=rows)
    assert rungs == [Rung(*pair) for pair in expected]


@pytest.mark.parametrize("n_candidates", [5, 20, 81])
@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize("min_resources", ["exhaust", "smallest", 50])
@pytest.mark.parametrize("aggressive", [False, True])
def test_rungs_are_scikit_learns(n_candidates, factor, min_resources, aggressive):
    X, y = np.zeros((400, 1)), np.arange(400) % 2
    theirs = HalvingGridSearchCV(
        DummyClassifier(),
        {"random_state": list(range(n_candidates))},
        factor=factor,
        cv=3,
        min_resources=min_resources,
        aggressive_elimination=aggressive,
        refit=False,
    ).fit(X, y)
    ours = plan_rungs(
        n_candidates,
        smallest=min_resources if isinstance(min_resources, int) else smallest_resource(3, 2),
        largest=400,
        factor=factor,
        exhaust=min_resources == "exhaust",
        aggressive_elimination=aggressive,
    )
    assert [r.n_candidates for r in ours] == theirs.n_candidates_
    assert [r.resource for r in ours] == theirs.n_resources_


def brute_force(tables, rungs):
    """Survivors rung by rung, from whole score matrices; earlier candidates win ties."""
    alive = list(range(rungs[0].n_candidates))
    for rung, n_next in zip(rungs, [*(r.n_candidates for r in rungs[1:]), 1], strict=True):
        means = {c: round(float(tables[rung.resource][c].mean()), 9) for c in alive}
        alive = sorted(alive, key=lambda c, means=means: (-means[c], c))[:n_next]
    return alive[0]


@settings(max_examples=500, deadline=None)
@given(st.integers(0, 10**9))
def test_the_choice_is_that_of_a_brute_force_halving(seed):
    rng = np.random.default_rng(seed)
    n, cv, rows = int(rng.integers(2, 40)), 3, 200
    rungs = plan_rungs(n, smallest=12, largest=rows)
    scores = {r.resource: rng.integers(0, 5, size=(n, cv)) / 4 for r in rungs}
    tables = {r: ScoreTable(s, 0 * s, [{}] * n, {}) for r, s in scores.items()}
    strategy = make("successive_halving", n_candidates=n, n_folds=cv, rng=RNG, n_rows=rows, n_classes=2, cv=cv)
    trace = replay(strategy, next(iter(tables.values())), tables)
    assert trace.chosen == brute_force(scores, rungs)
    assert trace.complete
    assert len(trace.tasks) == sum(r.n_candidates * cv for r in rungs)


def test_folds_are_the_resource_where_no_rows_are_named():
    scores = np.array([[0.9, 0.1, 0.1, 0.1], [0.8, 0.9, 0.9, 0.9], [0.1, 1, 1, 1], [0.7, 0.7, 0.7, 0.7]])
    table = ScoreTable(scores, 0 * scores, [{}] * 4, {})
    trace = replay(make("successive_halving", n_candidates=4, n_folds=4, rng=RNG, factor=2), table)
    assert [(e["n_candidates"], e["resource"]) for e in trace.events] == [(4, 1), (2, 2), (1, 4)]
    assert trace.chosen == 1
    assert len(trace.tasks) == 4 + 2 + 2


def test_failed_fits_rank_last_or_as_in_older_scikit_learn_first():
    # Three rungs of 9, 3 and 1 candidates at 1, 3 and 9 folds; candidate 4 fails on its first fold.
    scores = np.linspace(0.1, 0.9, 9)[:, None].repeat(9, axis=1)
    scores[4, 0] = np.nan
    table = ScoreTable(scores, np.zeros((9, 9)), [{"c": c} for c in range(9)], {})
    arguments = {"n_candidates": 9, "n_folds": 9, "rng": RNG}
    last, first = (
        replay(make("successive_halving", **arguments, failed=failed), table) for failed in ("last", "first")
    )
    assert (last.chosen, first.chosen) == (8, 4)
    assert {task.candidate for task in first.tasks if task.fold == 2} == {4, 7, 8}
    with pytest.raises(ValueError, match="failed must be one of last, first, got 'middle'"):
        make("successive_halving", **arguments, failed="middle")


def test_halving_returns_no_failed_candidate_but_the_best_before():
    # 9 candidates on few rows, of which 3 go on; these fail on all rows, for example by a time limit.
    strategy = make(
        "successive_halving", n_candidates=9, n_folds=5, rng=np.random.default_rng(0), n_rows=90, cv=2, n_classes=2
    )
    n_largest = strategy.rungs[-1].resource
    while isinstance(task := strategy.ask(), FoldTask):
        strategy.tell(task, math.nan if task.n_rows == n_largest else task.candidate / 10)
    assert len(strategy.rungs) > 1
    assert strategy.incumbent == 8 - strategy.rungs[-1].n_candidates
    assert not strategy.complete


@pytest.mark.parametrize(
    ("rungs", "message"),
    [
        ({"smallest": 20, "largest": 100, "factor": 1}, "factor must be at least 2, got 1"),
        ({"smallest": 101, "largest": 100}, r"the smallest resource must lie in \[1, 100\], got 101"),
    ],
)
def test_rungs_that_cannot_be_are_refused(rungs, message):
    with pytest.raises(ValueError, match=message):
        plan_rungs(9, **rungs)


def test_a_first_rung_of_more_rows_than_there_are_names_the_setting():
    message = r"the first rung of successive halving has 30 rows \(min_resources\), but there are 25"
    with pytest.raises(ValueError, match=message):
        make("successive_halving", n_candidates=4, n_folds=5, rng=np.random.default_rng(0), n_rows=25, n_classes=3)
