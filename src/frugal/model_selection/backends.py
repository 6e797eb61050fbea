"""Choose where fits run: in this process, in our workers, on a joblib backend or on any executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from frugal.executors import Evaluate, holding, workers_of
from frugal.workers import shared_workers

_ON_DASK: Final = ("workers", "allow_other_workers", "resources", "retries")
"""Arguments of joblib's dask backend that say where tasks may run, as an executor of dask takes them."""


@dataclass(frozen=True)
class Backend:
    """The executor of a search and its number of workers.

    Attributes:
        executor: the executor; None: tasks run in this thread, one at a time.
        n_pending: number of tasks that may be pending at once.
    """

    executor: Executor | None
    n_pending: int


@contextmanager
def open_backend(
    evaluate: Evaluate,
    *,
    n_jobs: int | None,
    executor: Executor | None,
    n_pending: int | None,
    n_per_worker: int = 1,
    needs_workers: bool = False,
) -> Iterator[Backend]:
    """Open the backend of a search: `executor`, else the active joblib backend with `n_jobs` workers.

    joblib's own process backends are replaced by our `Workers`, which survive the death of one of them, and whose
    processes are used again by the next search.

    Args:
        evaluate: task -> result, with all its data.
        n_jobs: number of workers, as joblib counts them.
        executor: any executor; None: joblib chooses.
        n_pending: number of tasks that may be pending at once; None: `n_per_worker` per worker, or one if there is
            a single worker.
        n_per_worker: values above one keep workers busy while the oldest task takes long.
        needs_workers: whether tasks must run in other processes, so that they can be killed.

    Raises:
        ValueError: if the number of workers of an executor is unknown and `n_pending` is not given, or a backend
            cannot answer asynchronously.
    """
    with ExitStack() as stack:
        if executor is not None:
            n_workers = n_pending or workers_of(executor, "n_pending")
            found: Executor | None = stack.enter_context(holding(executor, evaluate))
        else:
            found, n_workers = _joblib_executor(evaluate, n_jobs, needs_workers, stack)
        yield Backend(found, n_pending or (n_workers * n_per_worker if n_workers > 1 else 1))


def _joblib_executor(
    evaluate: Evaluate, n_jobs: int | None, needs_workers: bool, stack: ExitStack
) -> tuple[Executor | None, int]:
    """The executor of the active backend, and its number of workers."""
    from joblib import effective_n_jobs
    from joblib._parallel_backends import LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend
    from joblib.parallel import get_active_backend

    backend, n = get_active_backend()[0], effective_n_jobs(n_jobs)
    if hasattr(backend, "client"):
        # A search in a task of dask gives its thread back meanwhile.
        stack.enter_context(backend.retrieval_context())
        restrictions = {name: value for name, value in backend.submit_kwargs.items() if name in _ON_DASK}
        return stack.enter_context(holding(backend.client.get_executor(**restrictions), evaluate)), n
    is_ours = type(backend) in (LokyBackend, MultiprocessingBackend, SequentialBackend)
    if is_ours or (isinstance(backend, ThreadingBackend) and (n == 1 or needs_workers)):
        return (stack.enter_context(shared_workers(n, evaluate)) if n > 1 or needs_workers else None), n
    if isinstance(backend, ThreadingBackend):
        return stack.enter_context(ThreadPoolExecutor(n)), n
    return stack.enter_context(holding(stack.enter_context(_JoblibExecutor(backend, n)), evaluate)), n


# Other joblib backends ------------------------------------------------------------------------------------------


class _JoblibExecutor(Executor):
    """A joblib backend as an executor, such as that of ray; a context manager.

    Raises:
        ValueError: if the backend cannot answer asynchronously.
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
        """Call `fn` with these arguments on the backend."""
        from joblib.parallel import BatchedCalls

        future: Future[Any] = Future()

        def take(sent: Any) -> None:
            try:
                (answer,) = self._backend.retrieve_result_callback(sent)
            except BaseException as error:  # noqa: BLE001  the future raises what the task raised, sys.exit too
                future.set_exception(error)
            else:
                future.set_result(answer)

        send = getattr(self._backend, "submit", None) or self._backend.apply_async  # joblib before 1.5
        send(BatchedCalls([(fn, args, kwargs)], self._backend.get_nested_backend()), callback=take)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the backend's workers; with `cancel_futures`, also their running tasks."""
        if cancel_futures:
            self._backend.abort_everything(ensure_ready=False)
        self._backend.stop_call()
        self._backend.terminate()
