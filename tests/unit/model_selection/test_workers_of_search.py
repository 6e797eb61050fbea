"""The same search wherever its fits run, with its data sent once."""

import os
import pickle
import signal
import threading
import time
from collections import Counter
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import ClassVar

import joblib
import numpy as np
import pytest
from joblib._parallel_backends import LokyBackend
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
from tabled import grid

from frugal import minimize
from frugal.model_selection import FoldSearchCV, GreedySearchCV, TrialSearchCV, fold_search, minimum, trial_search
from frugal.model_selection.backends import open_backend
from frugal.workers import Workers

SPACE = {"C": [0.001, 0.01, 0.1, 1, 10, 100]}
X, Y = load_iris(return_X_y=True)


class Weighed:
    """Writes down where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __setstate__(self, state):
        self.__dict__ = state
        with Path(self.path).open("a") as file:
            file.write(f"{os.getpid()}\n")


class Heavy(SVC):
    """An SVC that carries something whose copies are counted."""

    def __init__(self, C=1.0, load=None):
        super().__init__(C=C)
        self.load = load

    def __sklearn_clone__(self):
        return type(self)(C=self.C, load=self.load)


class Elsewhere(LokyBackend):
    """A backend that is not joblib's own."""


def same(first, second):
    for name, column in first.cv_results_.items():
        if "_time" not in name:
            np.testing.assert_array_equal(column, second.cv_results_[name], err_msg=name)


@pytest.fixture(scope="module")
def here():
    """The search in this process, with three fits pending."""
    return FoldSearchCV(SVC(), SPACE, n_pending=3).fit(X, Y)


def test_processes_change_nothing(here):
    search = FoldSearchCV(SVC(), SPACE, n_pending=3, n_jobs=2).fit(X, Y)
    same(search, here)
    assert search.best_params_ == here.best_params_


@pytest.mark.parametrize("backend", ["threading", "elsewhere"])
def test_backends_of_joblib_change_nothing(here, backend):
    joblib.register_parallel_backend("elsewhere", Elsewhere)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        same(FoldSearchCV(SVC(), SPACE, n_pending=3).fit(X, Y), here)


def test_threads_change_nothing_and_the_executor_stays_open(here):
    with ThreadPoolExecutor(2) as pool:
        search = FoldSearchCV(SVC(), SPACE, n_pending=3, executor=pool).fit(X, Y)
        same(search, here)
        assert clone(search).executor is pool
        assert cross_val_score(GreedySearchCV(SVC(), SPACE, executor=pool), X, Y, cv=2).min() > 0.9
        assert pool.submit(len, "abc").result() == 3
        again = pickle.loads(pickle.dumps(search))
    assert again.executor is None
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


def test_a_process_is_sent_the_data_once(tmp_path, here):
    log = tmp_path / "log"
    heavy = Heavy(load=Weighed(str(log)))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        search = FoldSearchCV(heavy, SPACE, executor=pool, n_pending=3).fit(X, Y)
    same(search, here)
    loads = Counter(log.read_text().split())
    assert set(loads.values()) == {1}
    assert len(loads) <= 2


def test_the_next_search_runs_in_the_same_processes_with_its_own_data(tmp_path, here):
    loads = []
    for name in "ab":
        log = tmp_path / name
        search = FoldSearchCV(Heavy(load=Weighed(str(log))), SPACE, n_jobs=2, n_pending=3).fit(X, Y)
        same(search, here)
        loads.append(log.read_text().split())
    assert set(loads[1]) & set(loads[0])
    assert [len(one) for one in loads] == [len(set(one)) for one in loads]


class Last(SVC):
    """Its first fit waits until three others have begun."""

    begun: ClassVar[list[float]] = []

    def fit(self, X, y):
        self.begun.append(self.C)
        end, is_first = time.monotonic() + 60, len(self.begun) == 1
        while is_first and len(self.begun) < 4:
            assert time.monotonic() < end, "no other fits are begun"
            time.sleep(0.01)
        return super().fit(X, y)


def test_workers_are_kept_busy_while_one_fit_takes_long(monkeypatch):
    monkeypatch.setattr(Last, "begun", [])
    with ThreadPoolExecutor(2) as pool:
        search = FoldSearchCV(Last(), SPACE, strategy="standard", executor=pool, error_score="raise", cv=2)
        search.set_params(refit=False).fit(X, Y)
    assert len(Last.begun) == 12


def test_two_fits_or_one_trial_of_each_worker_are_pending_by_default(monkeypatch):
    seen = []

    @contextmanager
    def spied(*args, **options):
        with open_backend(*args, **options) as backend:
            seen.append(backend.n_pending)
            yield backend

    for module in (fold_search, trial_search, minimum):
        monkeypatch.setattr(module, "open_backend", spied)
    given = {"strategy": "random", "n_trials": 3, "random_state": 0}
    with ThreadPoolExecutor(3) as pool:
        for options in ({}, {"n_jobs": 1}, {"n_jobs": 2}, {"executor": pool}):
            FoldSearchCV(SVC(), SPACE, **options).fit(X, Y)
            TrialSearchCV(SVC(), SPACE, **given, **options).fit(X, Y)
            workers = {"n_workers": options["n_jobs"]} if "n_jobs" in options else options
            minimize(at_three, SPACE, **given, **workers)
    assert seen == [1, 1, 1, 1, 1, 1, 4, 2, 2, 6, 3, 3]


@pytest.mark.slow
def test_a_fit_that_hangs_is_given_up():
    estimator, space, cv, X, y = grid([[0.5, 0.5], [0.9, 0.9], [0.6, 0.6]], slow=1, seconds=60.0)
    search = FoldSearchCV(estimator, space, cv=cv, strategy="threshold_pruning", fit_timeout=2.0)
    with pytest.warns(Warning, match="the fit took more than 2 s"):
        search.fit(X, y)
    assert search.best_params_ == {"i": 2}
    assert search.cv_results_["stopped_because"][1] == "a fit failed"
    assert search.cv_results_["rank_test_score"].tolist() == [2, 3, 1]
    with pytest.raises(RuntimeError, match="the fit took more than 2 s"):
        search.set_params(error_score="raise").fit(X, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # that a fit is repeated, since its worker died
@pytest.mark.parametrize(
    ("end", "error_score"),
    [
        ({"kills": 1}, 0.55),
        ({"kills": 1}, np.nan),
        ({"slow": 1, "seconds": 60.0}, 0.55),
    ],
)
def test_the_strategy_is_told_of_a_fit_that_was_given_up_what_it_is_told_of_one_that_raised(end, error_score):
    def searched(scores, **fixed):
        estimator, space, cv, X, y = grid(scores, **fixed)
        options = {"strategy": "threshold_pruning", "error_score": error_score, "fit_timeout": 4.0}
        with pytest.warns(FitFailedWarning):
            return FoldSearchCV(estimator, space, cv=cv, **options).fit(X, y)

    raised = searched([[0.5, 0.5], [np.nan, np.nan], [0.6, 0.6]])
    given_up = searched([[0.5, 0.5], [0.9, 0.9], [0.6, 0.6]], **end)
    same(given_up, raised)
    assert given_up.cv_results_["n_folds_evaluated"].tolist() == [2, 1 if np.isnan(error_score) else 2, 2]


@pytest.mark.slow
def test_a_fit_that_hangs_is_given_up_under_threads_too():
    estimator, space, cv, X, y = grid([[0.5, 0.5], [0.9, 0.9], [0.6, 0.6]], slow=1, seconds=60.0)
    search = FoldSearchCV(estimator, space, cv=cv, strategy="threshold_pruning", fit_timeout=2.0)
    threads = joblib.parallel_config("threading", n_jobs=2)
    with threads, pytest.warns(Warning, match="the fit took more than 2 s"):
        search.fit(X, y)
    assert search.best_params_ == {"i": 2}


class Ends(SVC):
    """Its fit ends its process where C is 3."""

    def fit(self, X, y):
        if self.C == 3:
            os._exit(9)
        return super().fit(X, y)


def at_three(candidate):
    if candidate["C"] == 3:
        os._exit(9)
    return -candidate["C"]


@pytest.mark.slow
def test_a_pool_that_breaks_leaves_the_best_so_far_and_the_journal(tmp_path):
    def pool():
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    options = {"cv": 2, "n_pending": 1, "journal": tmp_path / "folds.jsonl"}
    search = FoldSearchCV(Ends(), {"C": [1, 2, 3, 4]}, strategy="standard", **options)
    after = r"the executor broke \(.*abruptly.*\) after 4 fits; the best candidate so far is in place; the same"
    with pool() as executor, pytest.warns(UserWarning, match=after), pytest.raises(BrokenExecutor):
        search.set_params(executor=executor).fit(X, Y)
    assert search.cv_results_["n_folds_evaluated"].tolist() == [2, 2, 0, 0]
    assert search.best_params_ in ({"C": 1}, {"C": 2})
    assert search.predict(X).shape == Y.shape
    assert search.ended_because_.startswith("the executor broke (")
    again = search.set_params(executor=None, max_fits=4).fit(X, Y)
    assert (again.n_fits_, again.n_fits_kept_) == (4, 4)

    given = {"strategy": "random", "n_trials": 12, "random_state": 0, "n_pending": 1}
    values = [
        params["C"] for params in TrialSearchCV(SVC(), {"C": [1, 2, 3]}, **given).fit(X, Y).cv_results_["params"]
    ]
    n_done = values.index(3)
    assert n_done > 0
    search = TrialSearchCV(Ends(), {"C": [1, 2, 3]}, **given)
    after = rf"after {n_done} trials; the best candidate so far is in place; give journal=... to go on"
    with pool() as executor, pytest.warns(UserWarning, match=after), pytest.raises(BrokenExecutor):
        search.set_params(executor=executor).fit(X, Y)
    assert search.n_trials_ == n_done
    assert search.predict(X).shape == Y.shape
    warning = pytest.warns(UserWarning, match="`found` of this Broken")
    with pool() as executor, warning, pytest.raises(BrokenExecutor, match="terminated abruptly") as raised:
        minimize(at_three, {"C": [1, 2, 3]}, executor=executor, **given)
    assert 0 < raised.value.found.n_trials < 12
    assert raised.value.found.error in (-1, -2)


def test_workers_of_ones_own_are_an_executor_that_knows_its_size():
    with Workers(2) as pool:
        same(FoldSearchCV(SVC(), SPACE, executor=pool).fit(X, Y), FoldSearchCV(SVC(), SPACE, n_jobs=2).fit(X, Y))


@pytest.mark.slow
def test_workers_of_ones_own_kill_a_fit_that_takes_too_long():
    estimator, space, cv, X, y = grid([[0.1] * 2, [0.9] * 2, [0.5] * 2], slow=1, seconds=60.0)
    search = FoldSearchCV(estimator, space, strategy="threshold_pruning", fit_timeout=10, cv=cv, refit=False)
    started = time.monotonic()
    with Workers(1) as pool:
        search.set_params(executor=pool)
        with pytest.warns(FitFailedWarning):
            search.fit(X, y)
    assert search.best_params_ == {"i": 2}
    assert time.monotonic() - started < 40


def test_an_executor_of_unknown_size_needs_a_number_of_pending_fits(here):
    class Plain(Executor):
        def __init__(self, pool):
            self.submit = pool.submit

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ValueError, match="n_pending must be given, since Plain"):
            FoldSearchCV(SVC(), SPACE, executor=Plain(pool)).fit(X, Y)
        same(FoldSearchCV(SVC(), SPACE, executor=Plain(pool), n_pending=3).fit(X, Y), here)


def waits_for(n_lines, path):
    end = time.monotonic() + 120
    while not path.exists() or len(path.read_text().splitlines()) < n_lines:
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.slow
def test_a_search_in_a_task_of_dask_runs_on_it_too():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    search = GreedySearchCV(SVC(), {"C": [1, 10]})
    with distributed.Client(**options), joblib.parallel_config(backend="dask"):
        assert cross_val_score(search, X, Y, cv=2).min() > 0.9


def in_a_pool(timeout):
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, fit_timeout=timeout).fit(X, Y)
    return search.best_score_


@pytest.mark.slow
def test_a_process_of_a_pool_may_limit_its_fits():
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(in_a_pool, (300.0,)) > 0.9


@pytest.mark.slow
def test_dask_runs_the_same_search_although_a_worker_dies(tmp_path):
    distributed = pytest.importorskip("distributed")
    rng = np.random.default_rng(0)
    scores, log = rng.uniform(0.3, 0.9, (20, 5)), tmp_path / "log"
    estimator, space, cv, X, y = grid(scores, log=str(log), seconds=0.1)
    given = {"cv": cv, "strategy": "standard", "n_pending": 4, "refit": False}
    alone = FoldSearchCV(estimator, space, **given).fit(X, y)
    fits = Counter(log.read_text().splitlines())
    assert set(fits.values()) == {1}
    log.unlink()
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        with joblib.parallel_config(backend="dask"):
            same(FoldSearchCV(estimator, space, **given).fit(X, y), alone)
        assert Counter(log.read_text().splitlines()) == fits
        log.unlink()
        victim = next(iter(client.run(os.getpid).values()))

        def kill():
            waits_for(20, log)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        same(FoldSearchCV(estimator, space, executor=client.get_executor(), **given).fit(X, y), alone)
        killer.join()
    again = Counter(log.read_text().splitlines())
    assert set(again) == set(fits)
    assert sum(again.values()) <= 100 + 4  # at most those that were out when the worker died
    assert len(log.read_text().splitlines()) >= 100
    with pytest.raises(ProcessLookupError):
        os.kill(victim, 0)
