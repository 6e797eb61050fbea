"""Evaluations under way, answered in the order in which they were asked for."""

from __future__ import annotations

import math
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from time import monotonic
from typing import Final

from frugal.checks import check_between
from frugal.folds.fits import Fit
from frugal.interface import FoldTask
from frugal.workers import WorkerDiedError, Workers

Evaluate = Callable[[FoldTask], Fit]
_TICK_S: Final = 0.05
"""How often it is looked which evaluations have started, where there is a time limit."""


@dataclass(eq=False)
class _Evaluation:
    task: FoldTask
    answer: Fit | BaseException | None = None
    future: Future[Fit] | None = None
    has_died: bool = False
    submitted: float = 0.0
    is_running: bool = False
    counted_from: float | None = None  # where the time limit starts to count


class Pending:
    """Tasks that are asked for and not told yet; a context manager that lets none of them go on.

    Args:
        evaluate: task -> fit.
        executor: where it is called; None: here.
        fit_timeout: seconds that an evaluation may take; None: any.
        kept: answers that are known.
        keep: called with each new answer as soon as it is seen.

    Raises:
        ValueError: if `fit_timeout` is not positive, or given without an executor.
    """

    def __init__(
        self,
        evaluate: Evaluate,
        executor: Executor | None,
        fit_timeout: float | None,
        kept: Mapping[FoldTask, Fit],
        keep: Callable[[FoldTask, Fit], None],
    ) -> None:
        if fit_timeout is not None:
            check_between("fit_timeout", fit_timeout, 0.0, math.inf, above=True)
            if executor is None:
                raise ValueError("fit_timeout needs an executor; an evaluation in this process cannot be ended")
        self._evaluate, self._executor, self._fit_timeout = evaluate, executor, fit_timeout
        self._kept, self._keep = kept, keep
        self._queue: deque[_Evaluation] = deque()
        self._says_what_runs = False

    def __enter__(self) -> Pending:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._unanswered():
            self._give_up(one)

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, task: FoldTask) -> None:
        """Start to evaluate a task."""
        one = _Evaluation(task, self._kept.get(task))
        self._queue.append(one)
        if one.answer is None:
            self._start(one)
            self._collect()

    def take(self) -> tuple[FoldTask, Fit]:
        """The oldest task with its answer, once there is one.

        Raises:
            BaseException: what its evaluation raised.
        """
        while (answer := self._queue[0].answer) is None:
            self._wait()
            self._collect()
        if isinstance(answer, BaseException):
            raise answer
        return self._queue.popleft().task, answer

    def _start(self, one: _Evaluation) -> None:
        one.submitted, one.is_running, one.counted_from = monotonic(), False, None
        if self._executor is None:
            one.future = Future()
            try:
                one.future.set_result(self._evaluate(one.task))
            except (Exception, SystemExit) as error:  # noqa: BLE001  raised where it is taken, as an executor's
                one.future.set_exception(error)
        else:
            one.future = self._executor.submit(self._evaluate, one.task)

    def _unanswered(self) -> list[_Evaluation]:
        return [one for one in self._queue if one.answer is None]

    def _wait(self) -> None:
        futures = [one.future for one in self._unanswered() if one.future is not None]
        wait(futures, None if self._fit_timeout is None else _TICK_S, FIRST_COMPLETED)

    def _collect(self) -> None:
        """Take note of what has ended, and end what has taken too long."""
        for one in self._unanswered():
            assert one.future is not None
            if one.future.done():
                self._settle(one, one.future)
            elif self._fit_timeout is not None and self._is_over(one, self._fit_timeout):
                self._expire(one, self._fit_timeout)
            if isinstance(one.answer, Fit):
                self._keep(one.task, one.answer)

    def _settle(self, one: _Evaluation, future: Future[Fit]) -> None:
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            fit = future.result()
            one.answer = fit if isinstance(fit, Fit) else _not_a_fit(fit)
        elif isinstance(error, SystemExit):
            one.answer = Fit(math.nan, monotonic() - one.submitted, f"the fit called sys.exit({error.code!r})")
            _warn(f"{_name(one.task)} failed: {one.answer.reason}")
        elif isinstance(error, MemoryError):
            one.answer = MemoryError(f"{_name(one.task)}: the machine has too little memory ({error})")
        elif not _is_death(error):
            one.answer = error
        elif one.has_died:
            one.answer = Fit(math.nan, monotonic() - one.submitted, f"its worker died twice: {error}")
        else:
            one.has_died = True
            _warn(f"{_name(one.task)} is repeated, since its worker died: {error}")
            self._start(one)

    def _is_over(self, one: _Evaluation, fit_timeout: float) -> bool:
        """Whether an evaluation has run for longer than the limit.

        Not every executor says which do: where the oldest one does not run, it may, and is counted as if it did.
        """
        assert one.future is not None
        if one.future.running() and not one.is_running:
            one.is_running, one.counted_from, self._says_what_runs = True, monotonic(), True
        may_run = one is self._unanswered()[0] and not isinstance(self._executor, Workers)
        if may_run and one.counted_from is None:
            one.counted_from = monotonic()
        return one.counted_from is not None and monotonic() - one.counted_from > fit_timeout

    def _expire(self, one: _Evaluation, fit_timeout: float) -> None:
        if self._says_what_runs and not one.is_running:
            one.answer = BrokenExecutor(f"no worker starts {_name(one.task)}: fits that were given up hold them")
            return
        self._give_up(one)
        one.answer = Fit(math.nan, fit_timeout, f"the fit took more than {fit_timeout:g} s")

    def _give_up(self, one: _Evaluation) -> None:
        assert one.future is not None
        if isinstance(self._executor, Workers):
            self._executor.stop(one.future)
        else:
            one.future.cancel()


def _is_death(error: BaseException) -> bool:
    """Whether a worker died, and others live on: of our own `Workers`, or of dask."""
    return isinstance(error, (WorkerDiedError, CancelledError)) or type(error).__name__ == "KilledWorker"


def _not_a_fit(value: object) -> TypeError:
    return TypeError(f"an evaluation must return a Fit (score, seconds, reason), got {type(value).__name__}")


def _name(task: FoldTask) -> str:
    return f"candidate {task.candidate}, fold {task.fold}"


def _warn(sentence: str) -> None:
    warnings.warn(sentence, RuntimeWarning, stacklevel=2)
