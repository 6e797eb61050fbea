"""Worker processes, each with its own pipe and its own thread in the parent.

joblib's loky pool shares one queue: it breaks as a whole when one process dies, and cannot end a single task. Here
each process has a known task, so that a death or a time limit costs that task alone.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

from frugal.checks import check_choice, check_whole
from frugal.pickles import dumps, dumps_mapped, remove, remove_opened

P = ParamSpec("P")
T = TypeVar("T")
START_METHODS: Final = ("loky", "fork", "forkserver", "spawn")
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
IDLE_S: Final = 300.0
"""Seconds after which a process without a task ends; the same as in joblib."""
_LIFE_S: Final = 1.0
"""Seconds between two looks whether a process still lives."""
_END, _FORGET, _LOAD, _TASK = b"e", b"f", b"l", b"t"
"""First byte of a message to a process: its kind."""
_starting = threading.Lock()
"""Held while a process starts: a forked process must not inherit the pipes of another that is starting."""


class WorkerDiedError(RuntimeError):
    """A process ended before its task; the message says how.

    Examples:
        >>> import os
        >>> from frugal.workers import Workers
        >>> with Workers(1) as workers:
        ...     future = workers.submit(os._exit, 3)
        >>> str(future.exception())
        'the worker ended with status 3'
    """


@dataclass(frozen=True, eq=False)
class _Load:
    """The evaluating function of a run.

    Attributes:
        evaluate: the callable.
        data: pickle of the callable, made once for all processes, which map large arrays from one file.
    """

    evaluate: Callable[..., Any] | None
    data: bytes

    @classmethod
    def from_function(cls, evaluate: Callable[..., Any] | None) -> _Load:
        data, path = dumps_mapped(evaluate)
        load = cls(evaluate, data)
        if path:
            weakref.finalize(load, remove, path, os.getpid())
        return load


class Workers(Executor):
    """An executor whose processes keep the evaluating function and its data; a context manager.

    If a process dies, its task fails with `WorkerDiedError` and another process replaces it. The future of a
    task raises the exception of the task, or a RuntimeError with its text if it cannot be pickled. Each process
    computes on one thread and ignores Ctrl-C. No process outlives the block or the parent process. A
    process that a task has started lives on when its worker ends.

    Attributes:
        n_workers: number of processes.

    Args:
        n_workers: number of processes; each is started with its first task.
        evaluate: a callable that is sent once to every process; `submit(evaluate, task)` sends only the task.
        start_method: `loky` starts a fresh interpreter that does not import `__main__` again; `fork`, `forkserver`
            and `spawn` are those of multiprocessing.

    Raises:
        ValueError: if `n_workers` is below 1, or on an unknown start method.

    Examples:
        >>> from frugal.workers import Workers
        >>> with Workers(1, evaluate=pow) as workers:  # sent once, here
        ...     future = workers.submit(pow, 2, 5)
        >>> future.result()
        32
    """

    def __init__(
        self, n_workers: int, evaluate: Callable[..., Any] | None = None, *, start_method: str = "loky"
    ) -> None:
        check_whole("n_workers", n_workers, 1)
        check_choice("start_method", start_method, START_METHODS)
        self.n_workers = n_workers
        self._load, self._is_open = _Load.from_function(evaluate), True
        self._queue: SimpleQueue[tuple[Future[Any], bytes, _Load] | None] = SimpleQueue()
        self._workers = [_Worker(self._queue, start_method) for _ in range(n_workers)]
        for worker in self._workers:
            worker.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call `fn` with these arguments in the first free process.

        Raises:
            RuntimeError: after `shutdown`.
        """
        if not self._is_open:
            raise RuntimeError("these workers have been shut down")
        future: Future[T] = Future()
        message = dumps((None if fn is self._load.evaluate else fn, args, kwargs))
        self._queue.put((future, message, self._load))
        return future

    def load(self, evaluate: Callable[..., Any] | None) -> None:
        """Replace the evaluating callable from the next task on; it is sent once to every process."""
        self._load = _Load.from_function(evaluate)

    def forget(self) -> None:
        """Drop the evaluating callable, here and in the processes, which live on. No task may be running."""
        self.load(None)
        for worker in self._workers:
            worker.forget()

    def stop(self, future: Future[Any]) -> None:
        """Give up one task: it is cancelled, or the process that runs it is killed."""
        if not future.cancel():
            for worker in self._workers:
                worker.stop(future)

    @property
    def killing(self) -> Callable[[Future[Any]], None]:
        """The function that gives up a task and kills the process that runs it."""
        return self.stop

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End every process after all submitted tasks; with `cancel_futures`, after its running task."""
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
        """Call `shutdown`; after an exception, kill every process instead."""
        self._is_open = False
        for worker in self._workers if kind is not None else ():
            worker.kill()
        self.shutdown(cancel_futures=kind is not None)


class _Idle:
    """Workers between two searches, for the next one to take. They belong to one process, which may fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: Workers | None = None

    def exchange(self, workers: Workers | None) -> Workers | None:
        """Store `workers` (None: none) and return the ones stored before."""
        with self._lock:
            found, self._workers = self._workers, workers
        return found


class _Worker(threading.Thread):
    """A process, started with its first task, and the thread that serves it."""

    def __init__(self, queue: SimpleQueue[Any], start_method: str) -> None:
        super().__init__(daemon=True)
        self._queue, self._start_method = queue, start_method
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self._loaded: _Load | None = None  # the evaluating function that the process holds
        self._is_killed = False
        self._process: Any = None
        self._pipe: Connection[bytes, bytes] | None = None
        self._future: Future[Any] | None = None

    def run(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # also in the processes that it starts
        while (job := self._next()) is not None:
            self._do(*job)
            del job  # it holds the evaluating function of the task
        self._end()

    def _next(self) -> tuple[Future[Any], bytes, _Load] | None:
        """Wait for the next task; None: the end. A process that idles for too long is ended."""
        try:
            job: tuple[Future[Any], bytes, _Load] | None = self._queue.get(timeout=IDLE_S)
        except Empty:
            self._end()
            job = self._queue.get()
        return job

    def forget(self) -> None:
        """Make the process drop its evaluating function."""
        with self._lock, suppress(OSError):  # it has ended by itself
            self._loaded = None
            if self._pipe is not None:
                self._send(self._pipe, _FORGET)

    def stop(self, future: Future[Any]) -> None:
        """Kill the process if it runs this task."""
        with self._lock:
            if self._future is future:
                _kill(self._process)

    def kill(self) -> None:
        """Kill the process, for good."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                _kill(self._process)

    def _do(self, future: Future[Any], message: bytes, load: _Load) -> None:
        if future.cancelled():
            future.set_running_or_notify_cancel()
            return
        try:
            self._begin(load)
        except Exception as error:  # noqa: BLE001  whatever keeps a process from starting is the future's to raise
            self._end()
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
            return
        with self._lock:
            if not future.set_running_or_notify_cancel():
                return
            self._future = future
        is_usable = True
        try:
            answer = self._receive(_TASK, message)
        except Exception as error:  # noqa: BLE001  a future that is never done would hang its run
            answer, is_usable = (False, error), False  # it is dead, or its pipe may hold the rest of an answer
        with self._lock:
            self._future = None
        if answer[0]:
            future.set_result(answer[1])
            return
        if not is_usable:
            _kill(self._process)
            self._end()
        future.set_exception(answer[1])

    def _begin(self, load: _Load) -> None:
        """Make sure that a process runs and has loaded the evaluating function.

        Raises:
            BrokenExecutor: if it cannot load it.
        """
        is_there = self._process is not None and self._process.is_alive()
        if is_there and (self._loaded is load or self._has_loaded(load)):
            return
        self._end()  # a fresh process may know modules and paths that an old one does not
        self._start()
        try:
            is_ready, value = self._receive(_LOAD, load.data)
        except WorkerDiedError as error:
            raise BrokenExecutor(f"a worker cannot be started: {error}") from None
        if not is_ready:
            raise BrokenExecutor(f"a worker cannot load what it evaluates: {_text(value)}")
        self._loaded = load

    def _has_loaded(self, load: _Load) -> bool:
        """Make a running process load the evaluating function; returns False if it cannot."""
        try:
            is_ready, _ = self._receive(_LOAD, load.data)
        except WorkerDiedError:
            return False
        self._loaded = load if is_ready else None
        return is_ready

    def _start(self) -> None:
        """Start a process.

        Raises:
            BrokenExecutor: if the system refuses to start one.
        """
        with _starting:
            context = _context(self._start_method)
            ours, other = context.Pipe()
            process = context.Process(target=_work, args=(other,), daemon=True)
            config: dict[str, Any] = current_process()._config  # type: ignore[attr-defined]
            is_daemon, config["daemon"] = config.get("daemon", False), False  # else it may start none
            try:
                process.start()
            except OSError as error:
                raise BrokenExecutor(f"a worker cannot be started: {error}") from error
            finally:
                config["daemon"] = is_daemon
                other.close()
        with self._lock:
            self._process, self._pipe, self._loaded = process, ours, None
            if self._is_killed:
                _kill(process)

    def _send(self, pipe: Connection[bytes, bytes], kind: bytes, message: bytes = b"") -> None:
        """Send a message with its kind as one piece, since two threads may send."""
        with self._sending:
            pipe.send_bytes(kind)
            if kind in (_LOAD, _TASK):
                pipe.send_bytes(message)

    def _receive(self, kind: bytes, message: bytes) -> tuple[bool, Any]:
        """Send a message and wait for the reply: True and a value, or False and an exception.

        Raises:
            WorkerDiedError: if the process ends first.
        """
        assert self._pipe is not None
        try:
            self._send(self._pipe, kind, message)
            while not wait([self._pipe, self._process.sentinel], _LIFE_S):
                if not self._process.is_alive():  # a process that it has forked holds both open
                    break
            if not self._pipe.poll():
                raise EOFError
            received = self._pipe.recv_bytes()
        except (EOFError, OSError):
            self._process.join()
            raise WorkerDiedError(_ending(self._process.exitcode)) from None
        try:
            is_good, value = pickle.loads(received)
        except Exception as error:  # noqa: BLE001  whatever unpickling raises
            text = f"an answer cannot be unpickled: {_text(error)}"
            return False, MemoryError(text) if isinstance(error, MemoryError) else RuntimeError(text)
        return is_good, value

    def _end(self) -> None:
        """End the process."""
        with self._lock:
            process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
            self._loaded = None
        if pipe is not None:
            with suppress(OSError):  # it has ended by itself
                self._send(pipe, _END)
            pipe.close()
        if process is not None:
            process.join(5.0)
            _kill(process)
            process.join()


def _kill(process: Any) -> None:
    if process.is_alive():
        with suppress(ProcessLookupError, PermissionError):  # it has ended since
            os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # loky's processes have no `kill`


_idle = _Idle()


@contextmanager
def shared_workers(n_workers: int, evaluate: Callable[..., Any]) -> Iterator[Workers]:
    """Yield workers for one search. The next search uses their processes again; they end after `IDLE_S` idle.

    Args:
        n_workers: number of processes.
        evaluate: a callable that is sent once to every process, and dropped at the end of the block.

    Examples:
        >>> from frugal.workers import shared_workers
        >>> with shared_workers(1, pow) as workers:
        ...     futures = [workers.submit(pow, 2, exponent) for exponent in range(4)]
        ...     [future.result() for future in futures]
        [1, 2, 4, 8]
    """
    found = _idle.exchange(None)
    if found is not None and found.n_workers != n_workers:
        found.shutdown(wait=False)
        found = None
    workers = found or Workers(n_workers)
    try:
        workers.load(evaluate)
        yield workers
    except BaseException as error:
        workers.__exit__(type(error))
        raise
    workers.forget()
    other = _idle.exchange(workers)
    if other is not None:  # those of a concurrent search
        other.shutdown(wait=False)


@atexit.register
def _end_idle() -> None:
    if (found := _idle.exchange(None)) is not None:
        found.shutdown()


def _after_fork() -> None:
    """Drop the idle workers and replace the lock: both are the parent's, as are the threads that use them."""
    global _idle, _starting
    _idle, _starting = _Idle(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


# In a worker ----------------------------------------------------------------------------------------------------


def _work(pipe: Connection[bytes, bytes]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # a fit may start processes
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # libraries loaded later
    try:
        _serve(pipe)
    except (EOFError, OSError):  # the parent process has ended
        remove_opened()


def _serve(pipe: Connection[bytes, bytes]) -> None:
    """Answer messages until the last one.

    Raises:
        EOFError, OSError: if the parent process has ended.
    """
    from threadpoolctl import threadpool_limits

    evaluate: Callable[..., Any] | None = None
    while True:
        kind = pipe.recv_bytes()
        message = pipe.recv_bytes() if kind in (_LOAD, _TASK) else b""
        if kind == _END:
            return
        if kind == _TASK:
            pipe.send_bytes(_answer(evaluate, message))
            continue
        evaluate = None  # before the next is loaded: memory may hold only one
        if kind == _LOAD:
            try:
                evaluate = pickle.loads(message)
            except BaseException as error:  # noqa: BLE001  the parent is told, whatever it is
                pipe.send_bytes(_failure(error))
                continue
            threadpool_limits(1)  # libraries loaded by now
            pipe.send_bytes(pickle.dumps((True, None)))
        del message


def _end_with(parent: int) -> None:
    """End this process soon after its parent has ended, whatever it is doing."""
    while os.getppid() == parent:
        time.sleep(1.0)
    remove_opened()
    os._exit(1)


def _answer(evaluate: Callable[..., Any] | None, message: bytes) -> bytes:
    try:
        fn, args, kwargs = pickle.loads(message)
        called = evaluate if fn is None else fn
        assert called is not None
        return dumps((True, called(*args, **kwargs)))
    except BaseException as error:  # noqa: BLE001  the parent is told, whatever it is
        return _failure(error)


def _failure(error: BaseException) -> bytes:
    """Return an exception with its traceback as a note, or its text if it cannot be pickled."""
    with suppress(Exception):  # some take no note, such as a frozen dataclass
        error.add_note(f"in a worker:\n{''.join(traceback.format_exception(error))}")
    try:
        sent = dumps((False, error))
        pickle.loads(sent)
    except BaseException:  # noqa: BLE001  whatever pickling and unpickling raise
        kind = MemoryError if isinstance(error, MemoryError) else RuntimeError
        return pickle.dumps((False, kind(_text(error))))
    return sent


# In both --------------------------------------------------------------------------------------------------------


def _text(error: BaseException) -> str:
    """Type and message of an exception in one line."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  an exception of someone else's that has no text
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _ending(exitcode: int | None) -> str:
    """Describe how a process ended; None if another thread asked the system first."""
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
