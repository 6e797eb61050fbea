"""Map tasks in this process, in several processes or on any executor, with results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from frugal.checks import check_whole
from frugal.executors import holding, workers_of
from frugal.threads import one_thread

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Spread:
    """Where tasks are computed, and how many at once.

    Attributes:
        n_workers: number of tasks at once; 1 without an executor means in this process.
        executor: the executor; None: processes of joblib, or its active backend.
    """

    n_workers: int = 1
    executor: Executor | None = None

    @classmethod
    def over(cls, n_workers: int | None, executor: Executor | None) -> Spread:
        """Choose the number of workers: as requested; if None, that of the executor, or one.

        Raises:
            ValueError: if `n_workers` is below 1, or is None and the executor does not state its number.
        """
        if n_workers is not None:
            check_whole("n_workers", n_workers, 1)
        elif executor is not None:
            n_workers = workers_of(executor, "n_workers")
        return cls(n_workers or 1, executor)

    @property
    def is_here(self) -> bool:
        """True if tasks are computed in this process."""
        return self.executor is None and self.n_workers == 1

    def map(
        self, evaluate: Callable[[Task], Result], tasks: Iterable[Task], *, may_stop: bool = False
    ) -> Iterator[Result]:
        """Yield the results of `evaluate` in the order of the tasks.

        Args:
            evaluate: picklable function (closures too); each worker of an executor receives it once.
            tasks: the tasks.
            may_stop: whether the caller may stop early. At most `n_workers` tasks are then computed ahead of the
                last result taken, and none in this process.
        """
        if self.is_here:
            return map(evaluate, tasks)
        if self.executor is not None:
            return self._on(self.executor, evaluate, tasks, may_stop)
        return self._in_processes(evaluate, tasks, may_stop)

    def _in_processes(
        self, evaluate: Callable[[Task], Result], tasks: Iterable[Task], may_stop: bool
    ) -> Iterator[Result]:
        from sklearn.utils.parallel import Parallel, delayed

        waiting = iter(tasks)
        with Parallel(n_jobs=self.n_workers) as pool:
            while batch := list(islice(waiting, self.n_workers if may_stop else None)):
                yield from pool(delayed(evaluate)(task) for task in batch)

    def _on(
        self, executor: Executor, evaluate: Callable[[Task], Result], tasks: Iterable[Task], may_stop: bool
    ) -> Iterator[Result]:
        waiting, queue = iter(tasks), deque[Future[Result]]()
        # Threads share one limit: it must outlast every fit, and no fit may outlast it.
        with one_thread(), holding(executor, evaluate) as held:
            try:
                while True:
                    out = [future for future in queue if not future.done()]
                    n_free = self.n_workers - len(queue if may_stop else out)
                    new = [held.submit(evaluate, task) for task in islice(waiting, max(n_free, 0))]
                    queue.extend(new)
                    if not queue:
                        return
                    if queue[0].done():
                        yield queue.popleft().result()
                    else:
                        wait([*out, *new], return_when=FIRST_COMPLETED)
            finally:
                for future in queue:
                    future.cancel()
                if isinstance(executor, ThreadPoolExecutor):
                    wait(queue)
