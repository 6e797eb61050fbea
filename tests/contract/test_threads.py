"""Eight threads on one strategy, switched as often as Python can: nothing is asked twice, budgets are kept."""

import pickle
import sys
from contextlib import contextmanager
from threading import Event, Thread
from time import sleep

import numpy as np
import pytest
from test_fold_strategies import SCORES, K
from test_fold_strategies import N as N_CANDIDATES
from test_trial_strategies import QUICK, SPACE, answer

from frugal import folds, trials
from frugal.interface import Wait

N_THREADS = 8
N_TRIALS = 12
DEAR = set(QUICK) | {"smac", "tpe"}


@contextmanager
def hasty():
    """Threads are switched as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def drive(strategy, evaluate):
    """What eight threads ask of a strategy that they share, until each is told that there is nothing left."""
    asked, errors, is_over = [], [], Event()

    def work():
        try:
            while not is_over.is_set() and (task := strategy.ask()) is not None:
                if isinstance(task, Wait):
                    sleep(0)
                    continue
                asked.append(task)
                evaluate(task)
        except Exception as error:  # noqa: BLE001  it is raised where the threads are started
            errors.append(error)
            is_over.set()  # no other waits for what this one has not told

    threads = [Thread(target=work, daemon=True) for _ in range(N_THREADS)]
    try:
        with hasty():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        is_over.set()
    if errors:
        raise errors[0]
    return asked


def serve_folds(name, seed):
    """A strategy of folds that eight threads have shared, and what it asked."""
    rng = np.random.default_rng(seed)
    strategy = folds.make(name, n_candidates=N_CANDIDATES, n_folds=K, rng=rng)
    return strategy, drive(strategy, lambda task: strategy.tell(task, SCORES[task.candidate, task.fold]))


def is_served_folds(served):
    """Whether no fold was asked twice, and the incumbent was scored, on all folds if it is complete."""
    strategy, tasks = served
    full = [task for task in tasks if task.n_rows is None]
    its = {task.fold for task in full if task.candidate == strategy.incumbent}
    is_scored = its == {task.fold for task in full} if strategy.complete else len(its) > 0
    return len(set(tasks)) == len(tasks) <= N_CANDIDATES * K and strategy.ask() is None and is_scored


def serve_trials(name, seed):
    """A strategy of trials that eight threads have shared, and what it asked."""
    rng = np.random.default_rng(seed)
    strategy = trials.make(name, space=SPACE, n_trials=N_TRIALS, rng=rng, **QUICK.get(name, {}))
    return strategy, drive(strategy, lambda task: strategy.tell(answer(task)))


def is_served_trials(served):
    """Whether the budget was spent and no more, ids follow each other, and the incumbent was tried."""
    strategy, tasks = served
    ids = sorted(task.id for task in tasks)
    is_tried = strategy.incumbent in [task.candidate for task in tasks]
    return ids == list(range(N_TRIALS)) and strategy.ask() is None and is_tried


@pytest.mark.parametrize("name", folds.known())
def test_fold_strategies_serve_several_threads(name):
    assert all(is_served_folds(serve_folds(name, seed)) for seed in range(5))


@pytest.mark.parametrize("name", trials.known())
def test_trial_strategies_serve_several_threads(name):
    assert all(is_served_trials(serve_trials(name, seed)) for seed in range(1 if name in DEAR else 20))


def test_the_recommendation_waits_for_the_other_threads(monkeypatch):
    # It fits the surrogate, as `ask` does.
    strategy = trials.make("ei", space=SPACE, n_trials=4, rng=np.random.default_rng(0))
    for _ in range(2):
        strategy.tell(answer(strategy.ask()))
    fits, fitted = [], strategy._fitted
    monkeypatch.setattr(strategy, "_fitted", lambda: (fits.append(1), fitted())[1])
    reader = Thread(target=lambda: strategy.recommendation, daemon=True)
    with vars(strategy)["_lock"]:
        reader.start()
        reader.join(0.2)
        assert fits == []
    reader.join(60.0)
    assert not reader.is_alive()
    assert fits == [1]


@pytest.mark.parametrize("name", ["greedy", "beta_pruning"])
def test_a_pickled_strategy_goes_on_where_it_was(name):
    strategy = folds.make(name, n_candidates=N_CANDIDATES, n_folds=K, rng=np.random.default_rng(0))
    for _ in range(5):
        task = strategy.ask()
        strategy.tell(task, SCORES[task.candidate, task.fold])
    other = pickle.loads(pickle.dumps(strategy))
    assert type(other) is type(strategy)
    assert "_lock" in vars(other)
    assert vars(other)["_lock"] is not vars(strategy)["_lock"]
    for _ in range(5):
        task = strategy.ask()
        assert other.ask() == task
        for one in (strategy, other):
            one.tell(task, SCORES[task.candidate, task.fold])
    assert other.incumbent == strategy.incumbent
