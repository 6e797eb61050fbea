"""Strategies on live evaluations: faults, time limits, order of answers, interruptions."""

import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest

from frugal import folds
from frugal.executors import holding
from frugal.folds import Broken, Fit, Interrupted, OutOfMemoryError
from frugal.interface import WAIT, FoldTask
from frugal.workers import Workers

N, K = 8, 3
SCORES = np.random.default_rng(5).integers(1, 20, size=(N, K)) / 20
FAULTY = FoldTask(2, 1)
ENDINGS = {
    "kill": "was killed by SIGKILL",
    "terminate": "was killed by SIGTERM",
    "_exit": "ended with status 0",
}
"""How a worker dies, and what is said of it."""


def greedy(name="greedy_early_stopping"):
    return folds.make(name, n_candidates=N, n_folds=K, rng=np.random.default_rng(0))


@dataclass(frozen=True)
class Evaluation:
    """Scores of a table, and a fault at one task, of which every call leaves a file in `folder`."""

    folder: Path
    fault: str = ""
    n_faults: int = 99
    slow: bool = False
    faulty: FoldTask = FAULTY

    def __call__(self, task):
        n_before = self.calls(task)
        (self.folder / f"{task.candidate}-{task.fold}-{n_before}").touch()
        if task == self.faulty and n_before < self.n_faults:
            self.fail()
        if self.slow:
            time.sleep(np.random.default_rng(os.getpid() + time.time_ns()).uniform(0, 0.02))
        return Fit(float(SCORES[task.candidate, task.fold]), 0.5)

    def calls(self, task):
        return len(list(self.folder.glob(f"{task.candidate}-{task.fold}-*")))

    def fail(self):
        match self.fault:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "terminate":
                os.kill(os.getpid(), signal.SIGTERM)
            case "_exit":
                os._exit(0)
            case "hang":
                time.sleep(600)
            case "sys.exit":
                sys.exit("enough")
            case "memory":
                raise MemoryError("8 GiB")
            case "interrupt":
                raise KeyboardInterrupt
            case "unsendable":
                raise UnsendableError(threading.Lock(), 1)
            case "bug":
                raise LookupError("no such fold")


class UnsendableError(Exception):
    """Neither pickled, for its lock, nor unpickled, for its second argument."""

    def __init__(self, lock, number):
        super().__init__(f"number {number}")
        self.lock = lock


def in_workers(evaluate, n_workers=2, name="greedy_early_stopping", **options):
    options = {"n_pending": 2} | options
    others = len(active_children())
    with Workers(n_workers, evaluate, start_method="fork") as workers:
        try:
            return folds.run(greedy(name), evaluate, executor=workers, **options)
        finally:
            assert len(active_children()) - others <= n_workers


@pytest.fixture(autouse=True)
def no_process_is_left():
    others = set(active_children())  # pools that other tests of this process keep
    yield
    assert set(active_children()) <= others


def same(trace, other):
    assert trace.tasks == other.tasks
    assert trace.answers == other.answers
    np.testing.assert_array_equal(trace.scores, other.scores)
    assert (trace.chosen, trace.complete) == (other.chosen, other.complete)


def failures(trace):
    return {task: fit.reason for task, fit in zip(trace.tasks, trace.answers, strict=True) if fit.reason}


def calls_of_others(evaluate):
    return {evaluate.calls(task) for task in tasks() if task != FAULTY}


def tasks():
    return [FoldTask(candidate, fold) for candidate in range(N) for fold in range(K)]


@pytest.mark.parametrize("name", ["greedy_early_stopping", "exact_pruning", "standard"])
@pytest.mark.parametrize("n_pending", [1, 3, 5])
def test_neither_the_number_of_workers_nor_their_speed_changes_a_run(name, n_pending, tmp_path):
    here = folds.run(greedy(name), Evaluation(tmp_path), n_pending=n_pending)
    for n_workers in (1, 3):
        slow = Evaluation(tmp_path, slow=True)
        same(in_workers(slow, n_workers, name, n_pending=n_pending), here)
    with ThreadPoolExecutor(3) as threads:
        same(folds.run(greedy(name), slow, executor=threads, n_pending=n_pending), here)


def test_one_pending_task_is_a_replay(tmp_path):
    table = folds.ScoreTable(SCORES, np.full_like(SCORES, 0.5), [{"i": i} for i in range(N)], {})
    same(folds.run(greedy(), Evaluation(tmp_path)), folds.replay(greedy(), table))


def test_answers_are_told_in_the_order_of_asking_though_they_come_in_another():
    class Asks:
        incumbent, complete = 0, True

        def __init__(self):
            self.asked, self.finished = [], []

        def ask(self):
            if len(self.asked) == N:
                return None
            self.asked.append(FoldTask(len(self.asked), 0))
            return self.asked[-1]

        def tell(self, task, score):
            assert len(self.asked) - len(self.finished) <= 4
            self.finished.append(task)

    ended = []

    three_ended = threading.Event()

    def evaluate(task):
        if task.candidate == 0:
            three_ended.wait(30)
        ended.append(task)
        if len(ended) == 3:
            three_ended.set()
        return Fit(0.5, 0.0)

    strategy = Asks()
    with ThreadPoolExecutor(2) as threads:
        trace = folds.run(strategy, evaluate, executor=threads, n_pending=4)
    assert strategy.finished == strategy.asked == trace.tasks
    assert ended[:4] == [FoldTask(i, 0) for i in (1, 2, 3, 0)]  # a free worker does not wait for the oldest task


@pytest.mark.parametrize("fault", ENDINGS)
def test_a_task_whose_worker_dies_is_repeated_once_with_one_warning(fault, tmp_path):
    evaluate = Evaluation(tmp_path, fault, n_faults=1)
    with pytest.warns(RuntimeWarning) as warned:
        trace = in_workers(evaluate, name="standard")
    assert [str(w.message) for w in warned] == [
        f"candidate 2, fold 1 is repeated, since its worker died: the worker {ENDINGS[fault]}"
    ]
    same(trace, folds.run(greedy("standard"), Evaluation(tmp_path), n_pending=2))


def test_a_task_whose_worker_dies_twice_has_failed_and_no_other(tmp_path):
    evaluate = Evaluation(tmp_path, "kill")
    with pytest.warns(RuntimeWarning, match="candidate 2, fold 1 is repeated"):
        trace = in_workers(evaluate, name="standard")
    assert failures(trace) == {FAULTY: "its worker died twice: the worker was killed by SIGKILL"}
    assert evaluate.calls(FAULTY) == 2
    assert calls_of_others(evaluate) == {1}
    assert math.isnan(trace.scores[trace.tasks.index(FAULTY)])


def test_workers_that_all_die_at_every_task_end_the_run_with_every_fold_failed(tmp_path):
    def dies(task):
        os._exit(1)

    with pytest.warns(RuntimeWarning):
        trace = in_workers(dies, name="standard")
    assert trace.chosen is None
    assert len(failures(trace)) == len(trace.tasks) == N * K


def test_a_fit_that_hangs_has_failed_and_no_other(tmp_path):
    evaluate = Evaluation(tmp_path, "hang")
    trace = in_workers(evaluate, name="standard", fit_timeout=3.0)
    assert failures(trace) == {FAULTY: "the fit took more than 3 s"}
    assert trace.seconds[trace.tasks.index(FAULTY)] == 3.0
    assert {evaluate.calls(task) for task in tasks()} == {1}


def test_a_task_that_waits_for_a_worker_does_not_run_out_of_time():
    def evaluate(task):
        time.sleep(0.1)
        return Fit(0.5, 0.1)

    trace = in_workers(evaluate, n_workers=1, name="standard", n_pending=N * K, fit_timeout=2.0)
    assert failures(trace) == {}
    with ThreadPoolExecutor(1) as threads:
        trace = folds.run(greedy("standard"), evaluate, executor=threads, n_pending=N * K, fit_timeout=2.0)
    assert failures(trace) == {}


class Silent(ThreadPoolExecutor):
    """As the executor of dask: a future is pending until it is done."""

    def submit(self, fn, /, *args, **kwargs):
        silent = Future()
        inner = super().submit(fn, *args, **kwargs)
        inner.add_done_callback(lambda f: silent.set_result(f.result()) if not silent.cancelled() else None)
        return silent


@pytest.mark.parametrize("make_executor", [ThreadPoolExecutor, Silent])
def test_another_executors_fit_that_hangs_is_abandoned(make_executor):
    ends = threading.Event()

    def evaluate(task):
        if task == FAULTY:
            ends.wait(60)
        return Fit(0.5, 0.0)

    with make_executor(2) as executor:
        trace = folds.run(greedy("standard"), evaluate, executor=executor, n_pending=2, fit_timeout=3.0)
        ends.set()
    assert failures(trace) == {FAULTY: "the fit took more than 3 s"}


@pytest.mark.parametrize(("make_executor", "n_workers"), [(ThreadPoolExecutor, 1), (Silent, 2)])
def test_hanging_fits_that_hold_every_worker_of_another_executor_end_the_run(make_executor, n_workers):
    ends = threading.Event()

    def evaluate(task):
        ends.wait(60)
        return Fit(0.5, 0.0)

    with make_executor(n_workers) as executor:
        message = f"no worker starts candidate 0, fold {n_workers}: fits that were given up"
        with pytest.raises(Broken, match=message) as caught:
            folds.run(greedy("standard"), evaluate, executor=executor, n_pending=1, fit_timeout=1.0)
        ends.set()
    assert len(caught.value.trace.tasks) == n_workers


def starts_late():
    """Of this module, so that the process has imported what the first task needs."""
    time.sleep(3.0)


def test_the_time_limit_begins_once_a_pools_process_has_started(tmp_path):
    evaluate, context = Evaluation(tmp_path), multiprocessing.get_context("spawn")
    options = {"mp_context": context, "initializer": starts_late}
    with ProcessPoolExecutor(1, **options) as pool, holding(pool, evaluate) as held:
        trace = folds.run(greedy("standard"), evaluate, executor=held, fit_timeout=2.0)
    assert failures(trace) == {}


def test_a_pool_that_hanging_fits_hold_ends_the_next_run_too(tmp_path):
    evaluate = Evaluation(tmp_path, "hang", faulty=FoldTask(0, 0))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for _ in range(2):
            with pytest.raises(Broken), holding(pool, evaluate) as held:
                folds.run(greedy("standard"), evaluate, executor=held, fit_timeout=0.5)
        for process in pool._processes.values():
            process.kill()


@pytest.fixture
def dask():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        yield client


def test_sys_exit_in_a_fit_on_dask_is_a_failed_fit(dask, tmp_path):
    evaluate = Evaluation(tmp_path, "sys.exit")
    with pytest.warns(RuntimeWarning, match="^candidate 2, fold 1 failed: the fit called sys.exit..enough..$"):
        trace = folds.run(greedy("standard"), evaluate, executor=dask.get_executor(), n_pending=2)
    assert failures(trace) == {FAULTY: "the fit called sys.exit('enough')"}


def test_a_task_whose_data_dask_has_lost_breaks_the_executor(dask, tmp_path):
    evaluate = Evaluation(tmp_path)
    with holding(dask.get_executor(), evaluate) as held:
        assert held.submit(evaluate, FAULTY).result().score == SCORES[2, 1]
        dask.cancel([held._data], force=True)
        with pytest.raises(BrokenExecutor, match="dask has lost the data of the search"):
            held.submit(evaluate, FAULTY)


def test_a_task_is_sent_to_dask_again_as_another(dask, tmp_path):
    evaluate = Evaluation(tmp_path, "bug")
    with holding(dask.get_executor(), evaluate) as held:
        first = held.submit(evaluate, FAULTY)
        assert isinstance(first.exception(), LookupError)
        assert isinstance(held.submit(evaluate, FAULTY).exception(), LookupError)
    assert evaluate.calls(FAULTY) == 2


@pytest.mark.parametrize("where", ["here", "threads", "workers"])
def test_sys_exit_in_a_fit_is_a_failed_fit_that_is_said(where, tmp_path):
    evaluate = Evaluation(tmp_path, "sys.exit")
    with pytest.warns(RuntimeWarning, match="^candidate 2, fold 1 failed: the fit called sys.exit..enough..$"):
        trace = evaluated(where, evaluate)
    assert failures(trace) == {FAULTY: "the fit called sys.exit('enough')"}
    assert len(trace.tasks) == N * K


def test_sys_exit_is_said_though_its_code_was_lost_on_the_way():
    """As by tblib, with which distributed pickles exceptions."""

    class Losing(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):
            lost, sent = SystemExit.__new__(SystemExit), Future()
            lost.args = ("enough",)
            sent.set_exception(lost)
            return sent

    with Losing(1) as executor, pytest.warns(RuntimeWarning, match="failed: the fit called sys.exit..enough..$"):
        trace = folds.run(greedy("standard"), lambda task: Fit(0.5, 0.0), executor=executor)
    assert set(failures(trace).values()) == {"the fit called sys.exit('enough')"}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (BrokenExecutor("no worker is left"), Broken),
        (RuntimeError("cannot schedule new futures after shutdown"), Broken),
        (KeyboardInterrupt(), Interrupted),
    ],
)
def test_what_an_executor_raises_when_asked_ends_the_run_which_keeps_what_was_told(fault, kind):
    class Failing(ThreadPoolExecutor):
        n_asked = 0

        def submit(self, fn, /, *args, **kwargs):
            self.n_asked += 1
            if self.n_asked == 4:
                raise fault
            return super().submit(fn, *args, **kwargs)

    with Failing(1) as executor, pytest.raises(kind) as caught:
        folds.run(greedy("standard"), lambda task: Fit(0.5, 0.0), executor=executor)
    assert len(caught.value.trace.tasks) == 3


def evaluated(where, evaluate, **options):
    if where == "workers":
        return in_workers(evaluate, name="standard", **options)
    if where == "here":
        return folds.run(greedy("standard"), evaluate, **options)
    with ThreadPoolExecutor(2) as threads:
        return folds.run(greedy("standard"), evaluate, executor=threads, n_pending=2, **options)


@pytest.mark.parametrize("where", ["here", "threads", "workers"])
@pytest.mark.parametrize(
    ("fault", "kind", "sentence"),
    [
        ("memory", OutOfMemoryError, "candidate 2, fold 1: the machine has too little memory (8 GiB)"),
        ("interrupt", Interrupted, "the run was interrupted"),
    ],
)
def test_what_is_no_fault_of_a_candidate_ends_the_run_which_keeps_what_was_told(
    where, fault, kind, sentence, tmp_path
):
    with pytest.raises(kind) as caught:
        evaluated(where, Evaluation(tmp_path, fault))
    assert str(caught.value) == sentence
    trace = caught.value.trace
    alone = folds.run(greedy("standard"), Evaluation(tmp_path))
    assert trace.tasks == alone.tasks[: alone.tasks.index(FAULTY)]
    assert trace.answers == alone.answers[: len(trace.tasks)]
    assert trace.chosen is not None


@pytest.mark.parametrize(
    ("fault", "kind", "sentence"),
    [("bug", LookupError, "no such fold"), ("unsendable", RuntimeError, "UnsendableError: number 1")],
)
def test_an_evaluation_that_raises_ends_the_run_whether_or_not_it_can_be_pickled(fault, kind, sentence, tmp_path):
    evaluate = Evaluation(tmp_path, fault)
    with pytest.raises(kind) as caught:
        in_workers(evaluate, name="standard")
    assert type(caught.value) is kind
    assert caught.value.args == (sentence,)
    assert evaluate.calls(FAULTY) == 1


def test_ctrl_c_ends_the_run_its_workers_and_nothing_that_was_told(tmp_path):
    evaluate, kept = Evaluation(tmp_path, "hang"), {}

    def interrupt():
        while not evaluate.calls(FAULTY) or len(kept) < 8:  # seven are asked for before it
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    started = time.monotonic()
    with pytest.raises(Interrupted) as caught:
        in_workers(evaluate, name="standard", n_pending=4, keep=kept.__setitem__)
    assert time.monotonic() - started < 60
    finished = caught.value.trace.tasks
    assert FAULTY not in finished
    assert set(finished) < set(kept)  # those that ended after the one that hangs are kept, too
    again = Evaluation(tmp_path / "again")
    again.folder.mkdir()
    trace = in_workers(again, name="standard", n_pending=4, kept=kept)
    same(trace, folds.run(greedy("standard"), Evaluation(tmp_path), n_pending=4))
    assert all(again.calls(task) == (task not in kept) for task in trace.tasks)


def test_a_new_evaluation_is_kept_once_and_a_kept_one_never_again(tmp_path):
    seen = []
    first = folds.run(greedy(), Evaluation(tmp_path), keep=lambda task, fit: seen.append((task, fit)))
    assert seen == list(zip(first.tasks, first.answers, strict=True))
    kept, seen[:] = dict(seen[:3]), []
    again = folds.run(greedy(), Evaluation(tmp_path), kept=kept, keep=lambda task, fit: seen.append((task, fit)))
    same(again, first)
    assert [task for task, _ in seen] == first.tasks[3:]


@pytest.mark.parametrize("n_pending", [1, 2])
def test_a_run_that_is_stopped_asks_no_more_and_tells_what_is_pending(n_pending, tmp_path):
    asked = []

    def stop():
        asked.append(None)
        return len(asked) > 5

    evaluate = Evaluation(tmp_path)
    trace = folds.run(greedy("standard"), evaluate, n_pending=n_pending, stop=stop)
    assert len(trace.tasks) == 5
    assert len(asked) == 6
    assert sum(evaluate.calls(task) for task in tasks()) == 5
    assert trace.tasks == folds.run(greedy("standard"), evaluate, n_pending=n_pending).tasks[:5]


def test_a_subclass_of_a_fit_comes_back_as_it_is():
    @dataclass(frozen=True)
    class Fitted(Fit):
        n_rows: int = 0

    def evaluate(task):
        return Fitted(0.5, 0.0, n_rows=task.candidate)

    trace = in_workers(evaluate, name="standard")
    assert [fit.n_rows for fit in trace.answers] == [task.candidate for task in trace.tasks]


def dies(task):
    os._exit(1)


def test_another_executor_that_breaks_ends_the_run_with_a_sentence():
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(1, mp_context=context) as pool,
        pytest.raises(Broken, match="process pool") as caught,
    ):
        folds.run(greedy(), dies, executor=pool)
    assert caught.value.trace.tasks == []


class Waits:
    """A strategy that never asks."""

    incumbent, complete = None, False

    def ask(self):
        return WAIT


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"n_pending": 0}, ValueError, "n_pending must be at least 1 and a whole number, got 0"),
        ({"fit_timeout": 1.0}, ValueError, "fit_timeout needs an executor"),
        ({"fit_timeout": 0.0}, ValueError, "fit_timeout must be above 0"),
        ({"fit_timeout": math.nan}, ValueError, "fit_timeout must be above 0"),
        ({"fit_timeout": math.inf}, ValueError, "fit_timeout must be above 0 and a finite number, got inf"),
        ({"strategy": Waits()}, ValueError, "the strategy returned WAIT while no evaluation was pending"),
        (
            {"evaluate": lambda task: (0.5, 0.1)},
            TypeError,
            r"must return a Fit .score, seconds, reason., got tuple",
        ),
    ],
)
def test_what_makes_no_run_is_refused(options, kind, message, tmp_path):
    given = {"strategy": greedy(), "evaluate": Evaluation(tmp_path)} | options
    with pytest.raises(kind, match=message):
        folds.run(given.pop("strategy"), given.pop("evaluate"), **given)


def nap(task):
    time.sleep(1.0)
    return Fit(0.5, 1.0)


def test_a_task_in_the_queue_of_a_pool_of_processes_does_not_run_out_of_time():
    strategy = folds.make("standard", n_candidates=2, n_folds=2, rng=np.random.default_rng(0))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(nap, None).result()  # the process has started
        trace = folds.run(strategy, nap, executor=pool, n_pending=4, fit_timeout=3.5)
    assert [fit.reason for fit in trace.answers] == [""] * 4
