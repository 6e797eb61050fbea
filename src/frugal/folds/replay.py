"""A strategy run on kept scores, or live on fits by several workers: the same ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_whole
from frugal.folds.table import ScoreTable
from frugal.interface import FoldStrategy, FoldTask, Wait

_NO_RUNGS: Mapping[int, ScoreTable] = {}
Evaluate = Callable[[FoldTask], tuple[float, float]]
"""Task -> (score, seconds)."""


@dataclass(frozen=True, eq=False)
class Trace:
    """What a strategy did, evaluation by evaluation.

    Attributes:
        tasks: evaluations in the order they were told.
        scores: their scores, shape (n_tasks,).
        seconds: their measured seconds, a repeated candidate's counted again, shape (n_tasks,).
        chosen: the candidate returned; None if no fit succeeded.
        complete: whether it has all its folds.
        events: what the strategy noted (completions, rungs, stops), each with its step from 1.
        overhead_s: seconds of CPU spent in the strategy itself, so that other jobs on the machine do not count.
    """

    tasks: list[FoldTask]
    scores: NDArray[np.float64]
    seconds: NDArray[np.float64]
    chosen: int | None
    complete: bool
    events: list[dict[str, Any]] = field(default_factory=list)
    overhead_s: float = 0.0

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

    def scores_of(self, candidate: int) -> NDArray[np.float64]:
        """A candidate's fold scores on the most rows that it was evaluated on, shape (n_evaluated_folds,).

        Args:
            candidate: index into the candidate list.
        """
        told = [(t, s) for t, s in zip(self.tasks, self.scores, strict=True) if t.candidate == candidate]
        most = max((task.n_rows or np.inf for task, _ in told), default=np.inf)
        folds = {task.fold: score for task, score in told if (task.n_rows or np.inf) == most}
        return np.array([folds[fold] for fold in sorted(folds)])


def replay(strategy: FoldStrategy, table: ScoreTable, rungs: Mapping[int, ScoreTable] = _NO_RUNGS) -> Trace:
    """Run a strategy to its end on kept scores.

    Args:
        strategy: a fresh one, made for the table's number of candidates.
        table: scores on all rows of each fold.
        rungs: tables for evaluations on fewer rows, by number of rows.

    Raises:
        ValueError: if the strategy asks for what no table holds, or waits while nothing is pending.
    """
    cells = {None: (table.scores.tolist(), table.seconds.tolist())} | {
        rows: (rung.scores.tolist(), rung.seconds.tolist()) for rows, rung in rungs.items()
    }
    log = _Log(strategy)
    while (task := log.ask()) is not None:
        if isinstance(task, Wait):
            raise ValueError("the strategy waits, but every answer has been told")
        try:
            of_scores, of_seconds = cells[task.n_rows]
            score, spent = of_scores[task.candidate][task.fold], of_seconds[task.candidate][task.fold]
        except (KeyError, IndexError):
            held = ", ".join(str(rows or "all") for rows in cells)
            raise ValueError(f"no kept score for {task}; there are scores for {held} rows") from None
        log.tell(task, score, spent)
    return log.trace()


def run(
    strategy: FoldStrategy,
    evaluate: Evaluate,
    *,
    executor: Executor | None = None,
    n_workers: int = 1,
) -> Trace:
    """Run a strategy to its end on live evaluations.

    Args:
        strategy: a fresh one.
        evaluate: task -> (score, seconds); picklable where the executor is a process pool.
        executor: where evaluations run; None: here, one at a time.
        n_workers: how many evaluations may be out at once.

    Raises:
        ValueError: if `n_workers` is below 1 or the strategy waits while nothing is pending.
    """
    check_whole("n_workers", n_workers, 1)
    log = _Log(strategy)
    out: dict[Future[tuple[float, float]], FoldTask] = {}
    finished = False
    while out or not finished:
        while not finished and len(out) < n_workers:
            task = log.ask()
            if task is None:
                finished = True
            elif isinstance(task, Wait):
                if not out:
                    raise ValueError("the strategy waits, but every answer has been told")
                break
            else:
                out[_submit(executor, evaluate, task)] = task
        for future in wait(out, return_when=FIRST_COMPLETED).done:
            log.tell(out.pop(future), *future.result())
            finished = False  # an answer may open what was finished before it, such as a next rung
    return log.trace()


def run_in_processes(strategy: FoldStrategy, evaluate: Evaluate, *, n_workers: int) -> Trace:
    """Run a strategy to its end on live evaluations in a pool of processes of its own.

    Args:
        strategy: a fresh one.
        evaluate: task -> (score, seconds); sent once to every worker, data and all.
        n_workers: how many processes.

    Raises:
        ValueError: if `n_workers` is below 1.
    """
    check_whole("n_workers", n_workers, 1)
    with ProcessPoolExecutor(n_workers, initializer=_adopt, initargs=(evaluate,)) as pool:
        return run(strategy, _evaluate_adopted, executor=pool, n_workers=n_workers)


_adopted: list[Evaluate] = []
"""In a worker process: what it evaluates tasks by."""


def _adopt(evaluate: Evaluate) -> None:
    _adopted[:] = [evaluate]


def _evaluate_adopted(task: FoldTask) -> tuple[float, float]:
    return _adopted[0](task)


def _submit(executor: Executor | None, evaluate: Evaluate, task: FoldTask) -> Future[tuple[float, float]]:
    if executor is not None:
        return executor.submit(evaluate, task)
    future: Future[tuple[float, float]] = Future()
    future.set_result(evaluate(task))
    return future


class _Log:
    """A strategy that is asked and told, with what it was told and the seconds that it took itself."""

    def __init__(self, strategy: FoldStrategy) -> None:
        self._strategy = strategy
        self._tasks: list[FoldTask] = []
        self._scores: list[float] = []
        self._seconds: list[float] = []
        self._overhead_s = 0.0

    def ask(self) -> FoldTask | Wait | None:
        started = thread_time()
        task = self._strategy.ask()
        self._overhead_s += thread_time() - started
        return task

    def tell(self, task: FoldTask, score: float, seconds: float) -> None:
        started = thread_time()
        self._strategy.tell(task, score)
        self._overhead_s += thread_time() - started
        self._tasks.append(task)
        self._scores.append(score)
        self._seconds.append(seconds)

    def trace(self) -> Trace:
        strategy = self._strategy
        return Trace(
            self._tasks,
            np.array(self._scores, dtype=float),
            np.array(self._seconds, dtype=float),
            strategy.incumbent,
            strategy.complete,
            list(getattr(strategy, "events", [])),
            self._overhead_s,
        )
