"""Tasks on any executor of `concurrent.futures`, dask's among them, with what they are evaluated by sent once."""

from __future__ import annotations

import os
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from secrets import token_hex
from typing import Any

from frugal.pickles import dumps

Evaluate = Callable[[Any], Any]
"""Of a task, which is small; what it holds is large."""
_N_HELD = 4


def workers_of(executor: Executor, argument: str) -> int:
    """How many tasks an executor works at.

    Args:
        executor: any.
        argument: by which a caller could say it.

    Raises:
        ValueError: if it does not say.
    """
    client = getattr(executor, "_client", None)
    counts = [sum(client.ncores().values())] if client is not None else []
    counts += [getattr(executor, name, None) for name in ("_max_workers", "num_workers")]
    for count in counts:
        if isinstance(count, int) and count > 0:
            return count
    raise ValueError(
        f"{argument} must say how many fits may be out at once, since {type(executor).__name__} does not say "
        "how many workers it has"
    )


_held: OrderedDict[str, Evaluate] = OrderedDict()
"""In every process that evaluates: what it evaluates by, under the key of its run."""


class _MissingError(LookupError):
    """A process has not been sent the data of a run yet."""


def _evaluate_held(key: str, data: bytes | None, task: Any) -> Any:
    """Evaluate by what this process holds, or by `data`, which it then holds."""
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
    """An executor that sends `evaluate` to a process only if that has not got it; the given one stays open."""
    if hasattr(executor, "_client"):
        yield _OnDask(executor, evaluate)
        return
    key = f"{os.getpid()}-{token_hex(8)}"
    _held[key] = evaluate  # for threads, and for processes that are forked from here on
    try:
        yield _Sending(executor, evaluate, key)
    finally:
        _held.pop(key, None)


class _Sending(Executor):
    """Sends a task with the key of its run alone, and again with all data where the process lacks them."""

    def __init__(self, executor: Executor, evaluate: Evaluate, key: str) -> None:
        self._executor, self._evaluate, self._key = executor, evaluate, key
        self._data: bytes | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Evaluate a task; `fn` is what the other end holds."""
        return _Relayed(self._executor, self._key, self._payload, *args)

    def _payload(self) -> bytes:
        if self._data is None:
            self._data = dumps(self._evaluate)
        return self._data


class _Relayed(Future[Any]):
    """The answer to a task that may have to be sent twice."""

    def __init__(self, executor: Executor, key: str, payload: Callable[[], bytes], task: Any) -> None:
        super().__init__()
        self._executor, self._key, self._payload, self._task = executor, key, payload, task
        self._send(None)

    def _send(self, data: bytes | None) -> None:
        self._sent = self._executor.submit(_evaluate_held, self._key, data, self._task)
        self._sent.add_done_callback(self._take)

    def _take(self, sent: Future[Any]) -> None:
        if sent.cancelled():
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
        """Whether the executor says that it is at it."""
        return self._sent.running()

    def cancel(self) -> bool:
        """Cancel the task where the executor can."""
        return self._sent.cancel()


class _OnDask(Executor):
    """On dask: the data are the result of a task of their own, which every worker fetches once.

    Scattered data would be lost with the workers that have them; the result of a task is made again.
    """

    def __init__(self, executor: Any, evaluate: Evaluate) -> None:
        self._executor = executor
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # once is what is wanted
            self._data = executor._client.submit(pickle.loads, dumps(evaluate), pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Evaluate a task; `fn` is what the other task holds."""
        future: Future[Any] = self._executor.submit(_evaluate_by, self._data, *args)
        return future


def _evaluate_by(evaluate: Evaluate, task: Any) -> Any:
    return evaluate(task)
