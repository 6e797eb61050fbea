"""Run a fold strategy on stored scores, or live on fits by several workers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass, field
from time import thread_time
from types import MappingProxyType
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_whole
from frugal.folds.fits import Fit
from frugal.folds.table import ScoreTable
from frugal.interface import FoldStrategy, FoldTask, Wait
from frugal.pending import Family, Pending, drive
from frugal.workers import Workers

Evaluate = Callable[[FoldTask], Fit]
_NO_RUNGS: Final[Mapping[int, ScoreTable]] = MappingProxyType({})
_NOTHING_KEPT: Final[Mapping[FoldTask, Fit]] = MappingProxyType({})
Ended = TypeVar("Ended", "Interrupted", "OutOfMemoryError", "Broken")


@dataclass(frozen=True, eq=False)
class Trace:
    """The evaluations of a run, in order.

    Attributes:
        tasks: evaluations, in the order in which the strategy was told their scores.
        scores: score of each evaluation, shape (n_tasks,).
        seconds: measured seconds of each evaluation, shape (n_tasks,); a repeated candidate counts again.
        chosen: the chosen candidate; None if no fit succeeded.
        complete: whether the chosen candidate has all its folds; of `successive_halving` with folds as its
            resource, whether every rung is finished.
        events: events of the strategy (completions, rungs, stops), each with its step from 1.
        overhead_s: CPU seconds spent in the strategy itself.
        answers: the fits behind the scores, with the reasons of failures, in the order of `tasks`.

    Examples:
        >>> import numpy as np
        >>> from frugal import folds
        >>> scores = [[0.9, 0.8], [0.3, 0.9], [0.7, 0.8]]
        >>> table = folds.ScoreTable(scores, np.ones((3, 2)), [{"C": 1}, {"C": 10}, {"C": 100}])
        >>> strategy = folds.make("exact_pruning", n_candidates=3, n_folds=2, rng=np.random.default_rng(0))
        >>> trace = folds.replay(strategy, table)
        >>> [(task.candidate, task.fold) for task in trace.tasks]
        [(0, 0), (1, 0), (2, 0), (0, 1)]
        >>> trace.completion_steps(3, 2).tolist()
        [4, 0, 0]
    """

    tasks: list[FoldTask]
    scores: NDArray[np.float64]
    seconds: NDArray[np.float64]
    chosen: int | None
    complete: bool
    events: list[dict[str, Any]] = field(default_factory=list)
    overhead_s: float = 0.0
    answers: list[Fit] = field(default_factory=list)

    def completion_steps(self, n_candidates: int, n_folds: int) -> NDArray[np.int64]:
        """Step (from 1) at which each candidate got its last fold on all rows; 0 where it did not.

        Args:
            n_candidates: length of the candidate list.
            n_folds: folds of a complete candidate.
        """
        steps = np.zeros(n_candidates, dtype=np.int64)
        counts = [0] * n_candidates
        for step, task in enumerate(self.tasks, start=1):
            counts[task.candidate] += task.n_rows is None
            if task.n_rows is None and counts[task.candidate] == n_folds:
                steps[task.candidate] = step
        return steps


def replay(strategy: FoldStrategy, table: ScoreTable, rungs: Mapping[int, ScoreTable] = _NO_RUNGS) -> Trace:
    """Run a strategy to its end on stored scores.

    Args:
        strategy: a fresh one, made for the table's number of candidates.
        table: scores on all rows of each fold.
        rungs: tables for evaluations on fewer rows, by number of rows.

    Raises:
        ValueError: if the strategy asks for scores that no table has, or waits while nothing is pending.

    Examples:
        >>> import numpy as np
        >>> from frugal import folds
        >>> scores = [[0.9, 0.8], [0.3, 0.9], [0.7, 0.8]]
        >>> table = folds.ScoreTable(scores, np.ones((3, 2)), [{"C": 1}, {"C": 10}, {"C": 100}])
        >>> strategy = folds.make("exact_pruning", n_candidates=3, n_folds=2, rng=np.random.default_rng(0))
        >>> trace = folds.replay(strategy, table)
        >>> table.candidates[trace.chosen], len(trace.tasks)
        ({'C': 1}, 4)
    """
    cells = {None: (table.scores.tolist(), table.seconds.tolist())} | {
        rows: (rung.scores.tolist(), rung.seconds.tolist()) for rows, rung in rungs.items()
    }
    log = _Log(strategy)
    while (task := log.ask()) is not None:
        if isinstance(task, Wait):
            raise ValueError("the strategy returned WAIT while no evaluation was pending")
        try:
            if min(task.candidate, task.fold) < 0:
                raise IndexError
            scores, seconds = cells[task.n_rows]
            fit = Fit(scores[task.candidate][task.fold], seconds[task.candidate][task.fold])
        except (KeyError, IndexError):
            sizes = ", ".join(str(rows or "all") for rows in cells)
            raise ValueError(f"no kept score for {task}; there are scores for {sizes} rows") from None
        log.tell(task, fit)
    return log.trace()


class Interrupted(KeyboardInterrupt):
    """A run was ended by Ctrl-C; `trace` has the evaluations so far.

    Examples:
        >>> import numpy as np
        >>> from frugal import folds
        >>> strategy = folds.make("standard", n_candidates=2, n_folds=2, rng=np.random.default_rng(0))
        >>> def evaluate(task):
        ...     if task.fold == 1:
        ...         raise KeyboardInterrupt
        ...     return folds.Fit(score=0.9, seconds=0.0)
        >>> try:
        ...     folds.run(strategy, evaluate)
        ... except folds.Interrupted as error:
        ...     error.trace.scores.tolist()
        [0.9]
    """

    trace: Trace


class OutOfMemoryError(MemoryError):
    """An evaluation ran out of memory; `trace` has the evaluations so far.

    Examples:
        >>> import numpy as np
        >>> from frugal import folds
        >>> strategy = folds.make("standard", n_candidates=2, n_folds=2, rng=np.random.default_rng(0))
        >>> def evaluate(task):
        ...     if task.fold == 1:
        ...         raise MemoryError
        ...     return folds.Fit(score=0.9, seconds=0.0)
        >>> try:
        ...     folds.run(strategy, evaluate)
        ... except folds.OutOfMemoryError as error:
        ...     error.trace.scores.tolist()
        [0.9]
    """

    trace: Trace


class Broken(BrokenExecutor):
    """The executor of a run broke; `trace` has the evaluations so far.

    Examples:
        >>> from concurrent.futures import BrokenExecutor
        >>> import numpy as np
        >>> from frugal import folds
        >>> strategy = folds.make("standard", n_candidates=2, n_folds=2, rng=np.random.default_rng(0))
        >>> def evaluate(task):
        ...     if task.fold == 1:
        ...         raise BrokenExecutor("the pool is gone")
        ...     return folds.Fit(score=0.9, seconds=0.0)
        >>> try:
        ...     folds.run(strategy, evaluate)
        ... except folds.Broken as error:
        ...     error.trace.scores.tolist()
        [0.9]
    """

    trace: Trace


def run(
    strategy: FoldStrategy,
    evaluate: Evaluate,
    *,
    executor: Executor | None = None,
    n_pending: int = 1,
    fit_timeout: float | None = None,
    failed_score: float = math.nan,
    kept: Mapping[FoldTask, Fit] = _NOTHING_KEPT,
    keep: Callable[[FoldTask, Fit], None] = lambda task, fit: None,
    stop: Callable[[], bool] = lambda: False,
) -> Trace:
    """Run a strategy to its end on live evaluations.

    Results are told in the order of asking. So the trace depends on the number of pending tasks, but neither on
    the number of workers nor on their speed. A task whose worker dies is repeated once, with a warning. It counts
    as failed if its worker dies again, and so does one that calls `sys.exit`.

    Args:
        strategy: a fresh one.
        evaluate: task -> fit; picklable if the executor uses processes. An exception ends the run.
        executor: executor of the evaluations, such as `Workers`; None: in this thread, one at a time.
        n_pending: number of tasks asked for before the result of the first is told. If it exceeds the number of
            workers, they stay busy while the oldest task takes long.
        fit_timeout: seconds after which an evaluation counts as failed. `Workers` kill the process; the worker of
            another executor is lost until the evaluation ends.
        failed_score: score told for an evaluation that counts as failed.
        kept: evaluations of an interrupted run, which are told without being repeated.
        keep: called in this thread with each new task and its fit, as soon as it is done.
        stop: called before each new task; if it returns True, the run ends once the pending tasks are done.

    Raises:
        ValueError: if `n_pending` is below 1, `fit_timeout` is not positive or given without an executor, or the
            strategy waits while nothing is pending.
        TypeError: if `evaluate` returns something else than a `Fit`.
        Interrupted: on Ctrl-C.
        OutOfMemoryError: if an evaluation raises MemoryError.
        Broken: if the executor breaks, or if every worker is held by evaluations that were given up.

    Examples:
        >>> import numpy as np
        >>> from frugal import folds
        >>> scores = [[0.9, 0.8], [0.3, 0.9], [0.7, 0.8]]
        >>> def evaluate(task):
        ...     return folds.Fit(score=scores[task.candidate][task.fold], seconds=0.0)
        >>> strategy = folds.make("exact_pruning", n_candidates=3, n_folds=2, rng=np.random.default_rng(0))
        >>> trace = folds.run(strategy, evaluate)
        >>> trace.chosen, len(trace.tasks)
        (0, 4)
    """
    check_whole("n_pending", n_pending, 1)
    log = _Log(strategy)
    family: Family[FoldTask, Fit] = Family(
        noun="fit",
        name=lambda task: f"candidate {task.candidate}, fold {task.fold}",
        answer=Fit,
        failed=lambda task, seconds, reason: Fit(failed_score, seconds, reason),
    )
    with Pending(family, evaluate, executor, fit_timeout, kept.get, keep) as pending:
        try:
            drive(log.ask, log.tell, pending, n_pending, stop)
        except KeyboardInterrupt as error:
            raise _ended(Interrupted("the run was interrupted"), log) from error
        except MemoryError as error:
            raise _ended(OutOfMemoryError(str(error) or "the machine has too little memory"), log) from error
        except BrokenExecutor as error:
            raise _ended(Broken(str(error)), log) from error
    return log.trace()


def _ended(error: Ended, log: _Log) -> Ended:
    error.trace = log.trace()
    return error


def run_in_processes(
    strategy: FoldStrategy,
    evaluate: Evaluate,
    *,
    n_workers: int,
    n_pending: int | None = None,
    start_method: str = "loky",
    **options: Any,
) -> Trace:
    """Run a strategy to its end on live evaluations in processes of its own.

    Args:
        strategy: a fresh one.
        evaluate: task -> fit; sent once to every worker, data and all.
        n_workers: number of processes.
        n_pending: as in `run`; None: `n_workers`.
        start_method: start method of the processes; see `Workers`.
        **options: further arguments of `run`.

    Raises:
        ValueError: if `n_workers` is below 1, on an unknown start method, or as `run`.
        TypeError, Interrupted, OutOfMemoryError, Broken: as `run`.

    Examples:
        >>> import numpy as np
        >>> from frugal import folds
        >>> scores = [[0.9, 0.8], [0.3, 0.9], [0.7, 0.8]]
        >>> def evaluate(task):
        ...     return folds.Fit(score=scores[task.candidate][task.fold], seconds=0.0)
        >>> strategy = folds.make("exact_pruning", n_candidates=3, n_folds=2, rng=np.random.default_rng(0))
        >>> trace = folds.run_in_processes(strategy, evaluate, n_workers=1)
        >>> trace.chosen, len(trace.tasks)
        (0, 4)
    """
    with Workers(n_workers, evaluate, start_method=start_method) as workers:
        n_pending = n_workers if n_pending is None else n_pending
        return run(strategy, evaluate, executor=workers, n_pending=n_pending, **options)


class _Log:
    """A strategy with a log of its results and of its own seconds."""

    def __init__(self, strategy: FoldStrategy) -> None:
        self._strategy = strategy
        self._tasks: list[FoldTask] = []
        self._answers: list[Fit] = []
        self._overhead_s = 0.0

    def ask(self) -> FoldTask | Wait | None:
        started = thread_time()
        task = self._strategy.ask()
        self._overhead_s += thread_time() - started
        return task

    def tell(self, task: FoldTask, answer: Fit) -> None:
        started = thread_time()
        self._strategy.tell(task, answer.score)
        self._overhead_s += thread_time() - started
        self._tasks.append(task)
        self._answers.append(answer)

    def trace(self) -> Trace:
        strategy = self._strategy
        return Trace(
            self._tasks,
            np.array([answer.score for answer in self._answers], dtype=float),
            np.array([answer.seconds for answer in self._answers], dtype=float),
            strategy.incumbent,
            strategy.complete,
            list(getattr(strategy, "events", [])),
            self._overhead_s,
            self._answers,
        )
