"""Where fits run: here, in processes of ours, on a joblib backend or on any executor; data are sent once."""

from __future__ import annotations

import os
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from frugal.workers import Workers, _dumps

Evaluate = Callable[[Any], Any]
"""Of a fold task or of a trial task."""
_N_HELD = 4


@dataclass(frozen=True)
class Backend:
    """Where a search evaluates.

    Attributes:
        evaluate: task -> answer, light to send.
        executor: that runs it; None: here, one at a time.
        n_pending: how many fits may be out at once.
    """

    evaluate: Evaluate
    executor: Executor | None
    n_pending: int


@contextmanager
def open_backend(
    evaluate: Evaluate,
    *,
    n_jobs: int | None,
    executor: Executor | None,
    n_pending: int | None,
    needs_workers: bool = False,
) -> Iterator[Backend]:
    """Find where to evaluate: `executor`, else the active joblib backend with `n_jobs`, as joblib counts them.

    joblib's own process backends are replaced by our `Workers`, which survive the death of one of them.

    Args:
        evaluate: task -> answer, with all its data.
        n_jobs: as of joblib.
        executor: any executor; None: joblib decides.
        n_pending: tasks that may be out at once; None: as many as there are workers.
        needs_workers: never evaluate in this process, so that a fit can be given up.

    Raises:
        ValueError: if the number of workers of an executor is not known and `n_pending` is not given, or a
            backend cannot answer asynchronously.
    """
    with ExitStack() as stack:
        if executor is not None:
            n_workers = n_pending or _n_workers(executor)
            found: Executor | None = stack.enter_context(_holding(executor, evaluate))
        else:
            found, n_workers = _of_joblib(evaluate, n_jobs, needs_workers, stack)
        yield Backend(evaluate, found, n_pending or n_workers)


def _of_joblib(
    evaluate: Evaluate, n_jobs: int | None, needs_workers: bool, stack: ExitStack
) -> tuple[Executor | None, int]:
    """The executor of the active backend, and its number of workers."""
    from joblib import effective_n_jobs
    from joblib._parallel_backends import LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend
    from joblib.parallel import get_active_backend

    backend, n = get_active_backend()[0], effective_n_jobs(n_jobs)
    if hasattr(backend, "client"):
        return stack.enter_context(_holding(backend.client.get_executor(), evaluate)), n
    is_ours = type(backend) in (LokyBackend, MultiprocessingBackend, SequentialBackend)
    if is_ours or (isinstance(backend, ThreadingBackend) and (n == 1 or needs_workers)):
        return (stack.enter_context(Workers(n, evaluate)) if n > 1 or needs_workers else None), n
    if isinstance(backend, ThreadingBackend):
        return stack.enter_context(ThreadPoolExecutor(n)), n
    return stack.enter_context(_holding(stack.enter_context(_JoblibExecutor(backend, n)), evaluate)), n


def _n_workers(executor: Executor) -> int:
    """How many tasks an executor works at.

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
        f"n_pending must say how many fits may be out at once, since {type(executor).__name__} does not say "
        "how many workers it has"
    )


# Data sent once -----------------------------------------------------------------------------------------------


_held: OrderedDict[str, Evaluate] = OrderedDict()
"""In every process that evaluates: what it evaluates by, under the key of its search."""


class _MissingError(LookupError):
    """A process has not been sent the data of a search yet."""


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
def _holding(executor: Executor, evaluate: Evaluate) -> Iterator[Executor]:
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
    """Sends a task with the key of its search alone, and again with all data where the process lacks them."""

    def __init__(self, executor: Executor, evaluate: Evaluate, key: str) -> None:
        self._executor, self._evaluate, self._key = executor, evaluate, key
        self._data: bytes | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Evaluate a task; `fn` is what the other end holds."""
        return _Relayed(self._executor, self._key, self._payload, *args)

    def _payload(self) -> bytes:
        if self._data is None:
            self._data = _dumps(self._evaluate)
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
            self._data = executor._client.submit(pickle.loads, _dumps(evaluate), pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Evaluate a task; `fn` is what the other task holds."""
        future: Future[Any] = self._executor.submit(_evaluate_by, self._data, *args)
        return future


def _evaluate_by(evaluate: Evaluate, task: Any) -> Any:
    return evaluate(task)


# Other joblib backends ------------------------------------------------------------------------------------------


class _JoblibExecutor(Executor):
    """A joblib backend as an executor, such as that of ray; a context manager.

    Raises:
        ValueError: if the backend gives answers only to who waits for them.
    """

    def __init__(self, backend: Any, n_jobs: int) -> None:
        from joblib import Parallel

        if not getattr(backend, "supports_retrieve_callback", False):
            raise ValueError(f"{type(backend).__name__} of joblib cannot answer asynchronously; give an executor")
        self._backend = backend
        self._parallel = Parallel(n_jobs=n_jobs, backend=backend)
        backend.configure(n_jobs=n_jobs, parallel=self._parallel)
        backend.start_call()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Evaluate `fn` of these arguments."""
        from joblib.parallel import BatchedCalls

        future: Future[Any] = Future()

        def take(sent: Any) -> None:
            try:
                (answer,) = self._backend.retrieve_result_callback(sent)
            except Exception as error:  # noqa: BLE001  whatever the task raised is the future's to raise
                future.set_exception(error)
            else:
                future.set_result(answer)

        send = getattr(self._backend, "submit", None) or self._backend.apply_async  # joblib before 1.5
        send(BatchedCalls([(fn, args, kwargs)], self._backend.get_nested_backend()), callback=take)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the backend's workers; with `cancel_futures`, what they are at too."""
        if cancel_futures:
            self._backend.abort_everything(ensure_ready=False)
        self._backend.stop_call()
        self._backend.terminate()
