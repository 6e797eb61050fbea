"""Run tasks on any `concurrent.futures` executor, dask's included. The evaluating function is sent once."""

from __future__ import annotations

import os
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from secrets import token_hex
from typing import Any

from frugal.pickles import dumps
from frugal.workers import Workers

Evaluate = Callable[[Any], Any]
"""A function of a small task; the function itself may hold large data."""
_N_HELD = 4


def workers_of(executor: Executor, argument: str) -> int:
    """Number of tasks that an executor runs at once.

    Args:
        executor: any executor.
        argument: name of the argument by which a caller can give this number, for the message.

    Raises:
        ValueError: if it is no executor, or does not tell.
    """
    if not callable(getattr(executor, "submit", None)):
        raise ValueError(f"executor must have a method submit, as those of concurrent.futures, got {executor!r}")
    client = getattr(executor, "_client", None)
    counts = [sum(client.ncores().values())] if client is not None else []
    counts += [getattr(executor, name, None) for name in ("_max_workers", "num_workers", "n_workers")]
    for count in counts:
        if isinstance(count, int) and count > 0:
            return count
    raise ValueError(
        f"{argument} must be given, since {type(executor).__name__} does not state its number of workers"
    )


_held: OrderedDict[str, Evaluate] = OrderedDict()
"""In each worker process: the evaluating function of each run, by the run's key."""


class _MissingError(LookupError):
    """Raised by a process that has not received the data of a run yet."""


def _evaluate_held(key: str, data: bytes | None, task: Any) -> Any:
    """Evaluate with the function this process holds, or with `data`, which it then keeps."""
    if data is not None and key not in _held:
        _held[key] = pickle.loads(data)
        while len(_held) > _N_HELD:
            _held.popitem(last=False)
    try:
        evaluate = _held[key]
    except KeyError:
        raise _MissingError(key) from None
    return evaluate(task)


@contextmanager
def holding(executor: Executor, evaluate: Evaluate) -> Iterator[Executor]:
    """Wrap an executor so that each process receives `evaluate` once. The given executor stays open."""
    if is_dask(executor):
        yield OnDask(executor, evaluate)
        return
    key = f"{os.getpid()}-{token_hex(8)}"
    _held[key] = evaluate  # for threads, and for processes that are forked from here on
    try:
        yield _Sending(executor, evaluate, key)
    finally:
        _held.pop(key, None)


class _Sending(Executor):
    """Sends a task with the key of its run only, and again with all data if the process lacks them."""

    def __init__(self, executor: Executor, evaluate: Evaluate, key: str) -> None:
        self._executor, self._evaluate, self._key = executor, evaluate, key
        self._max_workers = getattr(executor, "_max_workers", None)
        self._data: bytes | None = None
        self._is_starting = _starts_empty(executor)

    @property
    def is_starting(self) -> bool:
        """Whether the processes of a pool may still be loading, so that no time limit runs."""
        return self._is_starting and self._data is None

    @property
    def killing(self) -> Callable[[Future[Any]], None] | None:
        """A function that gives up a task and kills the process that runs it, if the executor can."""
        executor = self._executor
        if not isinstance(executor, Workers):
            return None
        return lambda future: executor.stop(future._sent)  # type: ignore[attr-defined]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Evaluate a task; `fn` is the function that the worker process holds."""
        return _Relayed(self._executor, self._key, self._payload, *args)

    def _payload(self) -> bytes:
        if self._data is None:
            self._data = dumps(self._evaluate)
        return self._data


def _starts_empty(executor: Executor) -> bool:
    """Whether a pool has no process yet, and the first that it starts will ask for the data."""
    if not isinstance(executor, ProcessPoolExecutor) or executor._processes:
        return False
    context = executor._mp_context
    return context is not None and context.get_start_method() != "fork"


class _Relayed(Future[Any]):
    """Future of a task that may have to be sent twice."""

    def __init__(self, executor: Executor, key: str, payload: Callable[[], bytes], task: Any) -> None:
        super().__init__()
        self._executor, self._key, self._payload, self._task = executor, key, payload, task
        self._is_given_up = False
        self._send(None)

    def _send(self, data: bytes | None) -> None:
        self._sent = self._executor.submit(_evaluate_held, self._key, data, self._task)
        self._sent.add_done_callback(self._take)

    def _take(self, sent: Future[Any]) -> None:
        if sent.cancelled() or (self._is_given_up and isinstance(sent.exception(), _MissingError)):
            super().cancel()
            self.set_running_or_notify_cancel()
            return
        error = sent.exception()
        try:
            if isinstance(error, _MissingError):
                self._send(self._payload())
            elif error is not None:
                self.set_exception(error)
            else:
                self.set_result(sent.result())
        except Exception as failure:  # noqa: BLE001  whatever the executor raises is the future's to raise
            self.set_exception(failure)

    def running(self) -> bool:
        """True if the executor reports that the task is running."""
        return self._sent.running()

    def cancel(self) -> bool:
        """Cancel the task if the executor can; one that runs is not sent again if the process lacks the data."""
        self._is_given_up = True
        return self._sent.cancel()


class ExitedError(Exception):
    """Stands for the SystemExit of a task, with its arguments, where that would end a worker."""


def _evaluate(evaluate: Evaluate, task: Any) -> Any:
    try:
        return evaluate(task)
    except SystemExit as error:
        raise ExitedError(*error.args) from None


def is_dask(executor: Executor) -> bool:
    """Whether an executor is that of a dask client."""
    return hasattr(executor, "_client")


class OnDask(Executor):
    """For dask: the data are the result of a task of their own, which every worker fetches once.

    Scattered data are lost with the workers that hold them, while dask recomputes the result of a task.
    """

    def __init__(self, executor: Any, evaluate: Evaluate) -> None:
        from distributed import client

        self._executor = executor
        self._closed = getattr(client, "ClosedClientError", BrokenExecutor)  # new in distributed 2025.4
        where = {**getattr(executor, "_kwargs", {}), "pure": False}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # once is what is wanted
            self._data = executor._client.submit(pickle.loads, dumps(evaluate), **where)

    @property
    def _max_workers(self) -> int | None:
        """Number of threads that the workers have now: workers may come and go."""
        return sum(self._executor._client.ncores().values()) or None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Evaluate a task; `fn` is the result of the data task.

        Raises:
            BrokenExecutor: if the client has lost its scheduler, and the data with it.
        """
        if self._data.cancelled():
            raise BrokenExecutor("dask has lost the data of the search, as where its scheduler starts anew")
        try:  # not pure: a task that is sent again, since its worker died, is another
            future: Future[Any] = self._executor.submit(_evaluate, self._data, *args, pure=False)
        except self._closed as error:
            raise BrokenExecutor(str(error)) from error
        return future
