"""Eight threads on one strategy, switched as often as Python can: nothing is asked twice, budgets are kept."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
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


@pytest.fixture
def hasty():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def drive(strategy, evaluate):
    """What eight threads ask of a strategy that they share, until each is told that there is nothing left."""

    def work(_):
        tasks = []
        while (task := strategy.ask()) is not None:
            if isinstance(task, Wait):
                sleep(0)
                continue
            tasks.append(task)
            evaluate(task)
        return tasks

    with ThreadPoolExecutor(N_THREADS) as pool:
        return [task for tasks in pool.map(work, range(N_THREADS)) for task in tasks]


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", folds.known())
def test_fold_strategies_serve_several_threads(name):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        strategy = folds.make(name, n_candidates=N_CANDIDATES, n_folds=K, rng=rng)
        tasks = drive(strategy, lambda task, to=strategy: to.tell(task, SCORES[task.candidate, task.fold]))
        assert len(set(tasks)) == len(tasks) <= N_CANDIDATES * K
        assert strategy.incumbent in range(N_CANDIDATES)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", trials.known())
def test_trial_strategies_serve_several_threads(name):
    for seed in range(1 if name in DEAR else 20):
        rng = np.random.default_rng(seed)
        strategy = trials.make(name, space=SPACE, n_trials=N_TRIALS, rng=rng, **QUICK.get(name, {}))
        tasks = drive(strategy, lambda task, to=strategy: to.tell(answer(task)))
        assert sorted(task.id for task in tasks) == list(range(len(tasks)))
        assert len(tasks) <= N_TRIALS
        assert strategy.incumbent is not None


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
