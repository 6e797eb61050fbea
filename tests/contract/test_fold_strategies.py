"""One life cycle put to every strategy of the folds family."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from frugal import folds
from frugal.interface import FoldTask

N, K = 13, 4
SCORES = np.random.default_rng(7).integers(1, 20, size=(N, K)) / 20
TABLE = folds.ScoreTable(SCORES, np.ones_like(SCORES), [{"i": i} for i in range(N)], {})


@pytest.fixture(params=folds.known())
def fresh(request):
    return lambda: folds.make(request.param, n_candidates=N, n_folds=K, rng=np.random.default_rng(0))


def evaluate(task):
    return folds.Fit(SCORES[task.candidate, task.fold], 0.0)


def test_the_same_seed_gives_the_same_run(fresh):
    first, second = folds.replay(fresh(), TABLE), folds.replay(fresh(), TABLE)
    assert first.tasks == second.tasks
    assert (first.chosen, first.complete) == (second.chosen, second.complete)
    assert first.events == second.events


def test_no_fold_is_asked_twice_and_folds_exist(fresh):
    tasks = folds.replay(fresh(), TABLE).tasks
    assert len(set(tasks)) == len(tasks) <= N * K
    assert all(0 <= t.candidate < N and 0 <= t.fold < K and t.n_rows is None for t in tasks)


def test_a_finished_run_names_a_candidate_and_stays_finished(fresh):
    strategy = fresh()
    trace = folds.replay(strategy, TABLE)
    assert trace.chosen in range(N)
    assert strategy.ask() is None
    assert (strategy.incumbent, strategy.complete) == (trace.chosen, trace.complete)


def test_nothing_is_returned_before_anything_is_told(fresh):
    strategy = fresh()
    assert strategy.incumbent is None
    assert strategy.complete is False
    assert isinstance(strategy.ask(), FoldTask)
    assert strategy.incumbent is None


def test_answers_are_checked(fresh):
    strategy = fresh()
    task = strategy.ask()
    for score in (float("inf"), float("-inf"), 10**400, "0.5", None):
        with pytest.raises(ValueError, match="a score must be a finite number, or nan for a failed fit"):
            strategy.tell(task, score)
    with pytest.raises(ValueError, match="was not asked"):
        strategy.tell(FoldTask(N - 1, K - 1), 0.5)
    strategy.tell(task, 0.5)
    with pytest.raises(ValueError, match="told before"):
        strategy.tell(task, 0.5)


NEEDS = {
    "beta_greedy": (r"the Beta model needs scores in \[0, 1\]", (-0.1, 1.5)),
    "beta_pruning": (r"the Beta model needs scores in \[0, 1\]", (-0.1, 1.5)),
    "beta_sequential": (r"the Beta model needs scores in \[0, 1\]", (-0.1, 1.5)),
    "exact_pruning": ("exact_pruning needs scores of at most best_possible_score=1", (1.5,)),
    "threshold_pruning": ("it needs scores of at least 0", (-0.1,)),
}
"""What a strategy says of scores that it cannot do with, and such scores; the others take every real number."""


@pytest.mark.parametrize("name", folds.known())
def test_a_strategy_takes_every_real_number_or_says_what_it_needs(name):
    strategy = folds.make(name, n_candidates=N, n_folds=K, rng=np.random.default_rng(0))
    sentence, refused = NEEDS.get(name, ("", ()))
    task = strategy.ask()
    for score in refused:
        with pytest.raises(ValueError, match=f"{sentence}.*, got {score}"):
            strategy.tell(task, score)
    for score in {-1e9, -0.1, 1.5, 1e9}:
        if not refused:
            strategy.tell(task, score)
            task = strategy.ask()
    strategy.tell(task, 0.5)
    assert strategy.incumbent is not None


def live(name, scores, **chosen):
    """The trace on live answers, which are not held to be shares, and the number of folds of each candidate."""
    n_candidates, n_folds = scores.shape
    strategy = folds.make(name, n_candidates=n_candidates, n_folds=n_folds, rng=np.random.default_rng(0), **chosen)
    return folds.run(strategy, lambda task: folds.Fit(scores[task.candidate, task.fold], 0.0))


@settings(deadline=None, max_examples=60)
@example(  # every candidate before the last has the same score in some folds, so that many regressions fit
    name="predicted_folds",
    scores=np.array([[0, 0, -1, 1, 1], *[[1] * 5] * 5, [1, 1, 0, 1, 1]]),
    scale=0,
    shift=1,
)
@given(
    name=st.sampled_from([name for name in folds.known() if name not in NEEDS]),
    scores=arrays(
        np.int64, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=9), elements=st.integers(-99, 99)
    ),
    scale=st.integers(-40, 40),
    shift=st.integers(-999, 999),
)
def test_a_change_of_unit_changes_no_choice(name, scores, scale, shift):
    """Scores that are whole numbers, times a power of two: no sum is rounded, so that equal means stay equal."""
    plain, other = live(name, scores.astype(float)), live(name, (scores + shift) * 2.0**scale)
    assert other.tasks == plain.tasks
    assert (other.chosen, other.complete) == (plain.chosen, plain.complete)


@settings(deadline=None, max_examples=60)
@given(
    errors=arrays(
        np.float64, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=9), elements=st.floats(0, 1e6)
    ),
    failed=st.floats(0, 0.3),
    seed=st.integers(0, 99),
)
def test_exact_pruning_on_negated_errors_chooses_what_standard_chooses(errors, failed, seed):
    scores = np.where(np.random.default_rng(seed).random(errors.shape) < failed, np.nan, -errors)
    exact, every = live("exact_pruning", scores, best_possible_score=0.0), live("standard", scores)
    assert exact.chosen == every.chosen
    assert len(exact.tasks) <= scores.size


def test_one_live_worker_does_what_a_replay_does(fresh):
    live, kept = folds.run(fresh(), evaluate), folds.replay(fresh(), TABLE)
    assert live.tasks == kept.tasks
    assert live.chosen == kept.chosen


@pytest.mark.parametrize("n_workers", [2, 5, 50])
def test_several_workers_share_one_strategy(fresh, n_workers):
    with ThreadPoolExecutor(n_workers) as pool:
        trace = folds.run(fresh(), evaluate, executor=pool, n_pending=n_workers)
    assert len(set(trace.tasks)) == len(trace.tasks)
    assert trace.chosen in range(N)
    assert trace.complete


def test_answers_may_come_in_any_order(fresh):
    strategy, rng, out, n_answers = fresh(), np.random.default_rng(3), [], 0
    while True:
        task = strategy.ask()
        if isinstance(task, FoldTask):
            out.append(task)
            if len(out) < 4:
                continue
        if not out:
            assert task is None
            break
        answer = out.pop(int(rng.integers(len(out))))
        strategy.tell(answer, SCORES[answer.candidate, answer.fold])
        n_answers += 1
    assert n_answers <= N * K
    assert strategy.incumbent in range(N)


def test_every_strategy_survives_failed_fits(fresh):
    scores = SCORES.copy()
    scores[::2] = np.nan
    table = folds.ScoreTable(scores, np.ones_like(scores), TABLE.candidates, {})
    chosen = folds.replay(fresh(), table).chosen
    assert chosen % 2 == 1  # the others failed on every fold
