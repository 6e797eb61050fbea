"""Processes that evaluate tasks, each with a pipe and a thread of its own.

joblib's loky pool shares one queue: it breaks as a whole when one process dies, and cannot end a single task. Here
it is known which process has which task, so that a death or a time limit costs that task alone.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

from frugal.checks import check_choice, check_whole

P = ParamSpec("P")
T = TypeVar("T")
START_METHODS: Final = ("loky", "fork", "forkserver", "spawn")
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_STARTING: Final = threading.Lock()
"""One process starts at a time: a forked one must not hold the pipes of another that is just being started."""


class WorkerDiedError(RuntimeError):
    """A process ended before its task did; the message says how."""


class Workers(Executor):
    """An executor of processes that hold what they evaluate, data and all; a context manager.

    A process that dies fails its task with `WorkerDiedError`, and another is started in its place. What a task
    raises is raised by its future; if it cannot be pickled, a RuntimeError with its text. Each process computes on
    one thread, ignores Ctrl-C, and cannot start processes of multiprocessing. None outlives the block, or this
    process.

    Args:
        n_workers: how many processes; each is started with its first task.
        evaluate: a callable that is sent once to every process; `submit(evaluate, task)` sends the task alone.
        start_method: `loky` starts a fresh interpreter that does not import `__main__` again; `fork`, `forkserver`
            and `spawn` are those of multiprocessing.

    Raises:
        ValueError: if `n_workers` is below 1, or on an unknown start method.
    """

    def __init__(
        self, n_workers: int, evaluate: Callable[..., Any] | None = None, *, start_method: str = "loky"
    ) -> None:
        check_whole("n_workers", n_workers, 1)
        check_choice("start_method", start_method, START_METHODS)
        self._evaluate, self._is_open = evaluate, True
        self._queue: SimpleQueue[tuple[Future[Any], bytes] | None] = SimpleQueue()
        data = _dumps(evaluate)
        self._workers = [_Worker(self._queue, data, start_method) for _ in range(n_workers)]
        for worker in self._workers:
            worker.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Evaluate `fn` of these arguments in the first process that is free.

        Raises:
            RuntimeError: after `shutdown`.
        """
        if not self._is_open:
            raise RuntimeError("these workers have been shut down")
        future: Future[T] = Future()
        self._queue.put((future, _dumps((None if fn is self._evaluate else fn, args, kwargs))))
        return future

    def stop(self, future: Future[Any]) -> None:
        """Give a task up: it is cancelled, or the process that is at it is killed; no other task is."""
        if not future.cancel():
            for worker in self._workers:
                worker.stop(future)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End every process after what has been submitted; with `cancel_futures`, after what it is at."""
        self._is_open = False
        while cancel_futures:
            try:
                job = self._queue.get_nowait()
            except Empty:
                break
            if job is not None:
                job[0].cancel()
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers if wait else ():
            worker.join()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """As `shutdown`; an exception kills every process."""
        self._is_open = False
        for worker in self._workers if kind is not None else ():
            worker.kill()
        self.shutdown(cancel_futures=kind is not None)


class _Worker(threading.Thread):
    """A process, started when there is a task for it, and the thread that serves it."""

    def __init__(self, queue: SimpleQueue[Any], data: bytes, start_method: str) -> None:
        super().__init__(daemon=True)
        self._queue, self._data, self._start_method = queue, data, start_method
        self._lock = threading.Lock()
        self._is_killed = False
        self._process: Any = None
        self._pipe: Connection[bytes, bytes] | None = None
        self._future: Future[Any] | None = None

    def run(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # in the processes that it starts, too
        while (job := self._queue.get()) is not None:
            self._do(*job)
        self._end()

    def stop(self, future: Future[Any]) -> None:
        """Kill the process if it is at this task."""
        with self._lock:
            if self._future is future:
                _kill(self._process)

    def kill(self) -> None:
        """Kill the process, for good."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                _kill(self._process)

    def _do(self, future: Future[Any], message: bytes) -> None:
        try:
            self._begin()
        except Exception as error:  # noqa: BLE001  whatever keeps a process from starting is the future's to raise
            self._end()
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
            return
        with self._lock:
            if not future.set_running_or_notify_cancel():
                return
            self._future = future
        try:
            answer = self._receive(message)
        except Exception as error:  # noqa: BLE001  a future that is never done would hang its run
            answer = False, error
        with self._lock:
            self._future = None
        if answer[0]:
            future.set_result(answer[1])
            return
        if isinstance(answer[1], WorkerDiedError):
            self._end()
        future.set_exception(answer[1])

    def _begin(self) -> None:
        """Have a process that has loaded what it evaluates.

        Raises:
            BrokenExecutor: if it could not.
        """
        if self._process is not None and self._process.is_alive():
            return
        self._end()
        with _STARTING:
            context = _context(self._start_method)
            ours, other = context.Pipe()
            process = context.Process(target=_work, args=(other,), daemon=True)
            try:
                process.start()
            except OSError as error:
                raise BrokenExecutor(f"a worker cannot be started: {error}") from error
            finally:
                other.close()
        with self._lock:
            self._process, self._pipe = process, ours
            if self._is_killed:
                _kill(process)
        try:
            is_ready, value = self._receive(self._data)
        except WorkerDiedError as error:
            raise BrokenExecutor(f"a worker cannot be started: {error}") from None
        if not is_ready:
            raise BrokenExecutor(f"a worker cannot load what it evaluates: {_text(value)}")

    def _receive(self, message: bytes) -> tuple[bool, Any]:
        """Send a message and wait for what comes of it: whether it went well, and the value or the exception.

        Raises:
            WorkerDiedError: if the process ends first.
        """
        assert self._pipe is not None
        try:
            self._pipe.send_bytes(message)
            wait([self._pipe, self._process.sentinel])
            if not self._pipe.poll():
                raise EOFError
            received = self._pipe.recv_bytes()
        except (EOFError, OSError):
            self._process.join()
            raise WorkerDiedError(_ending(self._process.exitcode)) from None
        try:
            is_good, value = pickle.loads(received)
        except Exception as error:  # noqa: BLE001  whatever unpickling raises
            return False, RuntimeError(f"an answer cannot be unpickled: {_text(error)}")
        return is_good, value

    def _end(self) -> None:
        """Let the process go: an empty message ends it."""
        with self._lock:
            process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if pipe is not None:
            with suppress(OSError):  # it has ended by itself
                pipe.send_bytes(b"")
            pipe.close()
        if process is not None:
            process.join(5.0)
            _kill(process)
            process.join()


def _kill(process: Any) -> None:
    if process.is_alive():
        with suppress(ProcessLookupError):  # it has ended since
            os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # loky's processes have no `kill`


# In a worker ----------------------------------------------------------------------------------------------------


def _work(pipe: Connection[bytes, bytes]) -> None:
    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # libraries that are loaded later
    try:
        evaluate = pickle.loads(pipe.recv_bytes())
    except BaseException as error:  # noqa: BLE001  the parent is told, whatever it is
        pipe.send_bytes(_failure(error))
        return
    with threadpool_limits(1):  # libraries that are loaded by now
        pipe.send_bytes(pickle.dumps((True, None)))
        while True:
            try:
                message = pipe.recv_bytes()
            except (EOFError, OSError):
                return
            if not message:
                return
            pipe.send_bytes(_answer(evaluate, message))


def _end_with(parent: int) -> None:
    """End this process, whatever it is at, soon after its parent has ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _answer(evaluate: Callable[..., Any], message: bytes) -> bytes:
    try:
        fn, args, kwargs = pickle.loads(message)
        return _dumps((True, (fn or evaluate)(*args, **kwargs)))
    except BaseException as error:  # noqa: BLE001  the parent is told, whatever it is
        return _failure(error)


def _failure(error: BaseException) -> bytes:
    """An exception, with where it was raised as a note; or its text, if the exception cannot be sent."""
    error.add_note(f"in a worker:\n{''.join(traceback.format_exception(error))}")
    try:
        sent = _dumps((False, error))
        pickle.loads(sent)
    except BaseException:  # noqa: BLE001  whatever pickling and unpickling raise
        kind = MemoryError if isinstance(error, MemoryError) else RuntimeError
        return pickle.dumps((False, kind(_text(error))))
    return sent


# In both --------------------------------------------------------------------------------------------------------


def _text(error: BaseException) -> str:
    """Type and message in one line."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  an exception of someone else's that has no text
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _ending(exitcode: int | None) -> str:
    """How a process ended; None: another thread has asked the system first."""
    if exitcode is None:
        return "the worker ended"
    if exitcode >= 0:
        return f"the worker ended with status {exitcode}"
    try:
        return f"the worker was killed by {signal.Signals(-exitcode).name}"
    except ValueError:
        return f"the worker was killed by signal {-exitcode}"


def _context(start_method: str) -> Any:
    if start_method == "loky":
        from joblib.externals.loky.backend import get_context as loky_context

        return loky_context("loky")
    return get_context(start_method)


def _dumps(value: Any) -> bytes:
    """Pickle a value, what `__main__` defines by content."""
    try:
        import cloudpickle
    except ImportError:  # joblib before 1.6 brings a copy
        from joblib.externals import cloudpickle
    data: bytes = cloudpickle.dumps(value)
    return data
