"""Pending evaluations, whose results are told in the order in which they were asked for."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass, fields
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from frugal.checks import check_positive
from frugal.executors import ExitedError, OnDask, is_dask
from frugal.interface import Wait
from frugal.workers import WorkerDiedError

Task = TypeVar("Task")
Answer = TypeVar("Answer")
_TICK_S: Final = 0.05
"""Seconds between two checks of which evaluations have started, if there is a time limit."""


@dataclass(frozen=True)
class Family(Generic[Task, Answer]):
    """The names that a family of strategies uses for its evaluations.

    Attributes:
        noun: word for an evaluation, such as `fit`.
        name: task -> its name in messages.
        answer: class of the results.
        failed: (task, seconds, reason) -> the result of a failed evaluation.
    """

    noun: str
    name: Callable[[Task], str]
    answer: type[Answer]
    failed: Callable[[Task, float, str], Answer]


@dataclass(eq=False)
class _Evaluation(Generic[Task, Answer]):
    task: Task
    answer: Answer | BaseException | None = None
    future: Future[Answer] | None = None
    has_died: bool = False
    submitted: float = 0.0
    is_running: bool = False
    counted_from: float | None = None  # start of the time limit


class Pending(Generic[Task, Answer]):
    """Tasks that were asked for and not told yet. Leaving the context ends all of them.

    Args:
        family: names of the tasks and results.
        evaluate: task -> result.
        executor: executor that runs `evaluate`; None: in this thread.
        timeout: seconds that an evaluation may take; None: no limit.
        kept: task -> its result, if a journal has it.
        keep: called with each new result as soon as it arrives.

    Raises:
        ValueError: if `timeout` is not positive, or given without an executor.
    """

    def __init__(
        self,
        family: Family[Task, Answer],
        evaluate: Callable[[Task], Answer],
        executor: Executor | None,
        timeout: float | None,
        kept: Callable[[Task], Answer | None],
        keep: Callable[[Task, Answer], None],
    ) -> None:
        if timeout is not None:
            check_positive(f"{family.noun}_timeout", timeout)
            if executor is None:
                raise ValueError(
                    f"{family.noun}_timeout needs an executor; an evaluation in this process cannot be ended"
                )
        if executor is not None and is_dask(executor):
            executor = OnDask(executor, evaluate)
        self._family, self._evaluate, self._executor, self._timeout = family, evaluate, executor, timeout
        self._kept, self._keep = kept, keep
        self._killing: Callable[[Future[Any]], None] | None = getattr(executor, "killing", None)
        self._queue: deque[_Evaluation[Task, Answer]] = deque()
        self._lost: list[Future[Answer]] = []  # given up, though the executor may still run them
        self._says_what_runs = False
        self._n_in_a_row = 0  # evaluations given up since the last answer

    def __enter__(self) -> Pending[Task, Answer]:
        return self

    def __exit__(self, *_: object) -> None:
        for entry in self._unanswered():
            self._give_up(entry)

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, task: Task) -> None:
        """Start to evaluate a task."""
        entry = _Evaluation(task, self._kept(task))
        if entry.answer is None:
            self._start(entry)
        self._queue.append(entry)
        if entry.answer is None:
            self._collect()

    def take(self) -> tuple[Task, Answer]:
        """Wait for the result of the oldest task; return both.

        Raises:
            BaseException: as raised by the evaluation.
        """
        while (answer := self._queue[0].answer) is None:
            self._wait()
            self._collect()
        if isinstance(answer, BaseException):
            raise answer
        return self._queue.popleft().task, answer

    def _start(self, entry: _Evaluation[Task, Answer]) -> None:
        entry.submitted, entry.is_running, entry.counted_from = monotonic(), False, None
        if self._executor is None:
            entry.future = Future()
            try:
                entry.future.set_result(self._evaluate(entry.task))
            except (Exception, SystemExit) as error:  # noqa: BLE001  raised where it is taken, as an executor's
                entry.future.set_exception(error)
        else:
            try:
                entry.future = self._executor.submit(self._evaluate, entry.task)
            except (BrokenExecutor, NotImplementedError, RecursionError):
                raise
            except RuntimeError as error:  # that of an executor that was shut down
                raise BrokenExecutor(str(error)) from error

    def _unanswered(self) -> list[_Evaluation[Task, Answer]]:
        return [entry for entry in self._queue if entry.answer is None]

    def _wait(self) -> None:
        futures = [entry.future for entry in self._unanswered() if entry.future is not None]
        wait(futures, None if self._timeout is None else _TICK_S, FIRST_COMPLETED)

    def _collect(self) -> None:
        """Store the results that have arrived, and end evaluations that took too long."""
        for entry in self._unanswered():
            assert entry.future is not None
            if entry.future.done():
                self._settle(entry, entry.future)
            elif self._timeout is not None and self._is_over(entry, self._timeout):
                self._expire(entry, self._timeout)
            if isinstance(entry.answer, self._family.answer):
                self._keep(entry.task, entry.answer)

    def _settle(self, entry: _Evaluation[Task, Answer], future: Future[Answer]) -> None:
        family, seconds = self._family, monotonic() - entry.submitted
        error = CancelledError() if future.cancelled() else future.exception()
        self._n_in_a_row = 0
        if error is None:
            answer = future.result()
            entry.answer = answer if isinstance(answer, family.answer) else _of_another_kind(family.answer, answer)
        elif isinstance(error, SystemExit | ExitedError):
            arguments = ", ".join(map(repr, error.args))  # not its code, which pickling may lose
            reason = f"the {family.noun} called sys.exit({arguments})"
            entry.answer = family.failed(entry.task, seconds, reason)
            _warn(f"{family.name(entry.task)} failed: {reason}")
        elif isinstance(error, MemoryError):
            entry.answer = MemoryError(f"{family.name(entry.task)}: the machine has too little memory ({error})")
        elif not _is_death(error):
            entry.answer = error
        elif entry.has_died:
            entry.answer = family.failed(entry.task, seconds, f"its worker died twice: {error}")
        else:
            entry.has_died = True
            _warn(f"{family.name(entry.task)} is repeated, since its worker died: {error}")
            self._start(entry)

    def _is_over(self, entry: _Evaluation[Task, Answer], timeout: float) -> bool:
        """True if an evaluation has run for longer than the limit.

        Some executors do not report what runs. An oldest task that is not reported as running counts as running.
        Pools of processes report tasks that wait in their queue, too: no more run than there are workers.
        """
        assert entry.future is not None
        if getattr(self._executor, "is_starting", False):
            return False
        if entry.future.running() and not entry.is_running and self._has_free_worker():
            entry.is_running, entry.counted_from, self._says_what_runs = True, monotonic(), True
        may_run = entry is self._unanswered()[0] and self._killing is None
        if may_run and entry.counted_from is None:
            entry.counted_from = monotonic()
        return entry.counted_from is not None and monotonic() - entry.counted_from > timeout

    @property
    def _n_workers(self) -> int | None:
        """Number of workers of the executor; None if it does not tell."""
        return getattr(self._executor, "_max_workers", None)

    def _has_free_worker(self) -> bool:
        """True unless as many evaluations run as the executor has workers; True if it does not tell."""
        n_workers = self._n_workers
        running = [entry.future for entry in self._unanswered() if entry.is_running]
        n_busy = sum(1 for future in (*running, *self._lost) if future is not None and not future.done())
        return n_workers is None or n_busy < n_workers

    def _expire(self, entry: _Evaluation[Task, Answer], timeout: float) -> None:
        family = self._family
        n_workers = self._n_workers
        is_full = not self._says_what_runs and n_workers is not None and self._n_in_a_row >= n_workers
        if is_full and not self._is_over(entry, 2 * timeout):
            return  # it may start yet, once one that was given up ends
        if is_full or (self._says_what_runs and not entry.is_running):
            self._give_up(entry)
            name = family.name(entry.task)
            entry.answer = BrokenExecutor(f"no worker starts {name}: {family.noun}s that were given up hold them")
            return
        self._give_up(entry)
        self._n_in_a_row += 1
        entry.answer = family.failed(entry.task, timeout, f"the {family.noun} took more than {timeout:g} s")

    def _give_up(self, entry: _Evaluation[Task, Answer]) -> None:
        assert entry.future is not None
        if self._killing is not None:
            self._killing(entry.future)
        elif not entry.future.cancel():
            self._lost.append(entry.future)


def drive(
    ask: Callable[[], Task | Wait | None],
    tell: Callable[[Task, Answer], None],
    pending: Pending[Task, Answer],
    n_pending: int,
    stop: Callable[[], bool],
) -> None:
    """Ask and tell until a strategy is finished, up to `n_pending` tasks ahead, in the order of asking.

    Args:
        ask: method of the strategy.
        tell: method of the strategy.
        pending: an empty one.
        n_pending: largest number of pending tasks.
        stop: called before each new task; if it returns True, no more tasks are asked for.

    Raises:
        ValueError: if the strategy waits while nothing is pending.
        BaseException: as raised by an evaluation.
    """
    has_stopped = False
    while True:
        while len(pending) < n_pending and not has_stopped:
            if has_stopped := stop():
                break
            task = ask()
            if isinstance(task, Wait) and not pending:
                raise ValueError("the strategy returned WAIT while no evaluation was pending")
            if task is None or isinstance(task, Wait):
                break  # an answer may open what was finished before it, such as a next rung
            pending.add(task)
        if not pending:
            return
        tell(*pending.take())


def _is_death(error: BaseException) -> bool:
    """True if the error means that one worker died while others live on: of `Workers`, or of dask."""
    return isinstance(error, (WorkerDiedError, CancelledError)) or type(error).__name__ == "KilledWorker"


def _of_another_kind(wanted: Any, value: object) -> TypeError:
    parts = ", ".join(field.name for field in fields(wanted))
    return TypeError(f"an evaluation must return a {wanted.__name__} ({parts}), got {type(value).__name__}")


def _warn(sentence: str) -> None:
    warnings.warn(sentence, RuntimeWarning, stacklevel=2)
