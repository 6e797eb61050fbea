"""One life cycle put to every strategy of the folds family."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from frugal import folds
from frugal.interface import WAIT, FoldTask

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
    for score in (1.5, -0.1, float("inf"), "0.5", None):
        with pytest.raises(ValueError, match=r"a score must lie in \[0, 1\]"):
            strategy.tell(task, score)
    with pytest.raises(ValueError, match="was not asked"):
        strategy.tell(FoldTask(N - 1, K - 1), 0.5)
    strategy.tell(task, 0.5)
    with pytest.raises(ValueError, match="told before"):
        strategy.tell(task, 0.5)


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
    strategy, rng, out, told = fresh(), np.random.default_rng(3), [], 0
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
        told += 1
    assert task is None
    assert task is not WAIT
    assert told <= N * K
    assert strategy.incumbent in range(N)


def test_every_strategy_survives_failed_fits(fresh):
    scores = SCORES.copy()
    scores[::2] = np.nan
    table = folds.ScoreTable(scores, np.ones_like(scores), TABLE.candidates, {})
    chosen = folds.replay(fresh(), table).chosen
    assert chosen % 2 == 1  # the others failed on every fold
