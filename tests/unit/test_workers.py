import copyreg
import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from concurrent.futures import BrokenExecutor, wait
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from unittest.mock import Mock

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from frugal.workers import START_METHODS, WorkerDiedError, Workers, _ending, shared_workers


class UnsendableError(Exception):
    """One that holds what cannot be pickled."""

    def __init__(self):
        super().__init__("holds a lock")
        self.lock = threading.Lock()


class NeedsTwoError(Exception):
    """One that pickles and does not unpickle: it is made anew from its message alone."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


class OwnMemoryError(MemoryError):
    """The same, of a lack of memory."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def work(task):
    match task:
        case ("kill", number):
            os.kill(os.getpid(), number)
        case ("end", status):
            os._exit(status)
        case ("leave", status):
            sys.exit(status)
        case ("sleep", seconds):
            time.sleep(seconds)
        case "orphan":
            if os.fork() == 0:
                os.closerange(0, 3)
                time.sleep(30)
                os._exit(0)
            os._exit(7)
        case "unsendable":
            raise UnsendableError
        case "needs two":
            raise NeedsTwoError("one", "two")
        case "own memory error":
            raise OwnMemoryError("one", "two")
        case "memory":
            raise MemoryError("no room")
        case "processes":
            with get_context("fork").Pool(1) as pool:
                return pool.map(len, ["ab"])
        case "workers":
            with Workers(1, work, start_method="fork") as inner:
                return inner.submit(work, "process").result(60) != os.getpid()
        case "lambda":
            return threading.Lock()
        case "process":
            return os.getpid()
        case "threads":
            return os.environ["OMP_NUM_THREADS"], limits()
    return task


def limits():
    import numpy  # noqa: F401

    return {library["num_threads"] for library in threadpool_info()}


@pytest.fixture
def others():
    """Processes that other tests have left to joblib, which uses them again."""
    return set(active_children())


@pytest.fixture
def workers(others):
    with Workers(1, work, start_method="fork") as pool:
        yield pool
    assert set(active_children()) <= others


def test_a_process_that_dies_before_one_that_it_forked_is_noticed(workers):
    with pytest.raises(WorkerDiedError, match="7"):
        workers.submit(work, "orphan").result(timeout=20)
    assert workers.submit(work, 3).result(timeout=20) == 3


@pytest.mark.parametrize("start_method", START_METHODS)
def test_what_main_defines_is_evaluated_however_processes_start(start_method, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        from frugal.workers import Workers

        class Adds:
            def __init__(self, n):
                self.n = n
            def __call__(self, m):
                return self.n + m

        if __name__ == "__main__":
            adds = Adds(3)
            with Workers(2, adds, start_method=sys.argv[1]) as workers:
                futures = [workers.submit(adds, m) for m in range(5)]
                print([future.result() for future in futures], workers.submit(lambda: "other").result())
        """)
    )
    done = subprocess.run([sys.executable, script, start_method], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[3, 4, 5, 6, 7] other"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("task", "ending"),
    [
        (("kill", signal.SIGKILL), "the worker was killed by SIGKILL"),
        (("kill", signal.SIGTERM), "the worker was killed by SIGTERM"),
        (("end", 0), "the worker ended with status 0"),
        (("end", 7), "the worker ended with status 7"),
    ],
)
def test_a_death_fails_its_task_alone(workers, task, ending):
    before, lost, after = (workers.submit(work, one) for one in (1, task, 2))
    assert (before.result(), after.result()) == (1, 2)
    with pytest.raises(WorkerDiedError, match=f"^{ending}$"):
        lost.result()


def test_a_process_that_dies_while_it_waits_costs_no_task(workers, others):
    process = workers.submit(work, "process").result()
    os.kill(process, signal.SIGKILL)
    while not set(active_children()) <= others:
        time.sleep(0.01)
    assert workers.submit(work, 1).result() == 1


@pytest.mark.parametrize(
    ("task", "kind", "text"),
    [
        ("unsendable", RuntimeError, "UnsendableError: holds a lock"),
        ("needs two", RuntimeError, "NeedsTwoError: one and two"),
        ("own memory error", MemoryError, "OwnMemoryError: one and two"),
        ("memory", MemoryError, "no room"),
        ("lambda", TypeError, "cannot pickle '_thread.lock' object"),
        (("leave", 3), SystemExit, "3"),
    ],
)
def test_what_a_task_raises_is_raised_and_the_process_lives_on(monkeypatch, workers, task, kind, text):
    for of_ours in (NeedsTwoError, OwnMemoryError):  # distributed teaches pickle every exception that it finds
        monkeypatch.delitem(copyreg.dispatch_table, of_ours, raising=False)
    process = workers.submit(work, "process").result()
    error = workers.submit(work, task).exception()
    assert type(error) is kind
    assert str(error) == text
    assert workers.submit(work, "process").result() == process


def test_where_it_was_raised_is_a_note(workers):
    (note,) = workers.submit(work, "memory").exception().__notes__
    assert note.startswith("in a worker:\nTraceback")
    assert 'raise MemoryError("no room")' in note


def test_one_thread_is_used_by_each_process(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    limits()  # loads the libraries
    with threadpool_limits(2), Workers(1, work, start_method="fork") as workers:
        assert limits() == {2}
        assert workers.submit(work, "threads").result() == ("1", {1})


class Empty:
    """A callable of no length, as an empty torch.nn.Sequential is."""

    def __len__(self):
        return 0

    def __call__(self, task):
        return ("empty", task)


def test_a_callable_of_no_length_is_called(workers):
    assert workers.submit(Empty(), 1).result() == ("empty", 1)


def test_a_task_may_start_processes(workers):
    assert workers.submit(work, "processes").result() == [2]


def test_a_task_may_have_workers_of_its_own(workers):
    assert workers.submit(work, "workers").result(60) is True


def test_a_task_that_is_stopped_costs_no_other_its_process():
    with Workers(2, work, start_method="fork") as workers:
        hanging, other = workers.submit(work, ("sleep", 60.0)), workers.submit(work, ("sleep", 2.0))
        queued, last = workers.submit(work, 1), workers.submit(work, 2)
        workers.stop(queued)
        while not (hanging.running() and (other.running() or other.done())):
            time.sleep(0.01)
        workers.stop(hanging)
        with pytest.raises(WorkerDiedError):
            hanging.result()
        assert queued.cancelled()
        assert (other.result(), last.result()) == (("sleep", 2.0), 2)


def test_an_answer_that_does_not_fit_in_memory_is_not_taken_for_the_next(workers, monkeypatch):
    assert workers.submit(work, 0).result() == 0
    for place, name in ((Connection, "recv_bytes"), (pickle, "loads")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, Mock(side_effect=MemoryError("of 9 GiB")))
            failed = workers.submit(work, 1)
            with pytest.raises(MemoryError, match="of 9 GiB"):
                failed.result()
        assert workers.submit(work, 2).result() == 2


def test_no_process_outlives_an_exception(others):
    started = time.monotonic()
    workers = Workers(2, work, start_method="fork")
    hanging = [workers.submit(work, ("sleep", 60.0)) for _ in range(3)]
    while sum(future.running() for future in hanging) < 2:
        time.sleep(0.01)
    with pytest.raises(KeyboardInterrupt), workers:
        raise KeyboardInterrupt
    assert set(active_children()) <= others
    assert time.monotonic() - started < 30
    assert all(future.done() for future in hanging)
    with pytest.raises(RuntimeError, match="these workers have been shut down"):
        workers.submit(work, 1)


@pytest.mark.parametrize("start_method", ["loky", "fork"])
def test_no_process_outlives_a_parent_that_is_killed(start_method, tmp_path):
    code = """
        import os, sys, time
        from frugal.workers import Workers
        def hang(path):
            open(path, "w").write(str(os.getpid()))
            time.sleep(600)
        workers = Workers(2, hang, start_method=sys.argv[1])
        futures = [workers.submit(hang, path) for path in sys.argv[2:]]
        futures[0].result()
    """
    paths = [tmp_path / name for name in "ab"]
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), start_method, *map(str, paths)])
    until(lambda: all(path.exists() and path.read_text() for path in paths))
    parent.kill()
    parent.wait()
    processes = [int(path.read_text()) for path in paths]
    until(lambda: not any(is_running(process) for process in processes))


def until(holds, seconds=60.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def refuse():
    raise OSError("no such data")


class Refuses:
    def __reduce__(self):
        return refuse, ()

    def __call__(self, task):
        return task


def dies():
    os._exit(5)


class Dies(Refuses):
    def __reduce__(self):
        return dies, ()


@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (Refuses(), "a worker cannot load what it evaluates: OSError: no such data"),
        (Dies(), "a worker cannot be started: the worker ended with status 5"),
    ],
    ids=["no data", "death"],
)
def test_what_goes_wrong_before_the_first_task_is_not_that_tasks(evaluate, message):
    with Workers(1, evaluate, start_method="fork") as workers:
        error = workers.submit(evaluate, 1).exception()
    assert type(error) is BrokenExecutor
    assert str(error) == message


class Heavy:
    """Counts how often it is pickled."""

    n_pickled = 0

    def __getstate__(self):
        Heavy.n_pickled += 1
        return {}

    def __call__(self, task):
        return task


def test_data_are_pickled_once_whatever_the_number_of_workers_and_tasks(monkeypatch):
    monkeypatch.setattr(Heavy, "n_pickled", 0)
    heavy = Heavy()
    with Workers(3, heavy, start_method="fork") as workers:
        futures = [workers.submit(heavy, i) for i in range(20)]
        assert [future.result() for future in futures] == list(range(20))
    assert Heavy.n_pickled == 1


def test_a_free_process_gets_the_next_task_at_once():
    with Workers(2, work, start_method="fork") as workers:
        slow, *quick = (workers.submit(work, ("sleep", s)) for s in (60.0, 0.0, 0.0, 0.0, 0.0))
        wait(quick)
        assert not slow.done()
        workers.stop(slow)


class Scales:
    """Multiplies, and says where; what it holds is found in the list that the process has of all of them."""

    def __init__(self, factor, where=None):
        self.factor, self.where = factor, where

    def __setstate__(self, state):
        self.__dict__ = state
        ALIVE.add(self)

    def __call__(self, task):
        if task == "sleep":
            time.sleep(60)
        if task == "factors":
            gc.collect()
            return sorted(one.factor for one in ALIVE)
        return self.factor * task, os.getpid()


ALIVE = weakref.WeakSet()


def test_the_next_search_uses_the_same_processes_which_have_let_go_of_the_data():
    processes, held = [], []
    for factor in (2, 3):
        scales = Scales(factor)
        with shared_workers(1, scales) as workers:
            value, process = workers.submit(scales, 5).result()
            assert value == 5 * factor
            held.append(workers.submit(scales, "factors").result())
        processes.append(process)
        reference = weakref.ref(scales)
        del scales
        until(lambda reference=reference: gc.collect() >= 0 and reference() is None)
    assert processes[0] == processes[1]
    assert held == [[2], [3]]


def test_an_exception_or_another_number_ends_shared_processes(others):
    scales = Scales(1)

    def interrupted():
        with shared_workers(1, scales) as workers:
            future = workers.submit(scales, "sleep")
            until(future.running)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert set(active_children()) <= others
    with shared_workers(2, scales) as workers, shared_workers(1, scales) as beside:
        assert workers.n_workers == 2
        assert beside is not workers
        with shared_workers(1, scales) as third:
            assert third not in (beside, workers)


def test_processes_that_wait_for_long_end_and_are_started_anew(monkeypatch, others):
    monkeypatch.setattr("frugal.workers.IDLE_S", 0.2)
    with Workers(1, work, start_method="fork") as workers:
        first = workers.submit(work, "process").result()
        until(lambda: set(active_children()) <= others)
        assert workers.submit(work, "process").result() != first


def test_a_process_that_lacks_what_is_loaded_is_replaced(tmp_path, monkeypatch):
    with Workers(1, work, start_method="fork") as workers:
        first = workers.submit(work, "process").result()
        (tmp_path / "arrived.py").write_text("import os\ndef late(task):\n    return task, os.getpid()\n")
        monkeypatch.syspath_prepend(tmp_path)
        from arrived import late

        workers.load(late)
        value, second = workers.submit(late, 7).result()
    assert (value, second != first) == (7, True)


def test_pools_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="n_workers must be at least 1 and a whole number, got 0"):
        Workers(0)
    with pytest.raises(ValueError, match="start_method"):
        Workers(1, start_method="thread")


def test_a_process_that_another_thread_was_told_of_has_ended_all_the_same():
    assert _ending(None) == "the worker ended"


@dataclass(frozen=True)
class FrozenError(Exception):
    code: int


def raise_frozen(task):
    raise FrozenError(task)


def test_an_exception_that_takes_no_note_is_raised_and_the_process_lives_on():
    with Workers(1, raise_frozen) as workers:
        errors = [workers.submit(raise_frozen, code).exception(60) for code in (3, 4)]
    assert [repr(error) for error in errors] == [
        "RuntimeError('FrozenError: 3')",
        "RuntimeError('FrozenError: 4')",
    ]
