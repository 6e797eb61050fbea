"""Limits of a search, and a fold strategy that keeps them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container
from copy import deepcopy
from time import monotonic
from typing import Any

from frugal.interface import FoldStrategy, FoldTask, Wait
from frugal.stats import mean_score


class Limits:
    """Limits of a search; the time limit counts from the creation of this object.

    Args:
        max_fits: largest number of fits; None: no limit.
        time_limit: seconds after which no fit is started; None: no limit.
        n_fits_each: number of fits per task.
    """

    def __init__(
        self, *, max_fits: int | None = None, time_limit: float | None = None, n_fits_each: int = 1
    ) -> None:
        self._max_fits, self._n_fits_each = math.inf if max_fits is None else max_fits, n_fits_each
        self._time_limit, self._started = time_limit, monotonic()

    def reached(self, n_asked: int, *, is_kept: bool = False) -> str:
        """Name of the limit reached after `n_asked` tasks; empty if none is. No time limit forbids a kept task."""
        if (n_asked + 1) * self._n_fits_each > self._max_fits:
            return f"max_fits={self._max_fits} was reached"
        if self._time_limit is None or is_kept:
            return ""
        if monotonic() - self._started >= self._time_limit:
            return f"time_limit={self._time_limit:g} s was reached"
        return ""


class LimitedFoldStrategy:
    """A fold strategy that stops asking when a limit is reached.

    Attributes:
        ended: the limit that ended the search; empty if none did.
        n_kept: number of evaluations asked for that are in `kept`.

    Args:
        strategy: a new strategy.
        limits: limits of the search.
        kept: evaluations that a journal has.
    """

    def __init__(self, strategy: FoldStrategy, limits: Limits, kept: Container[FoldTask] = ()) -> None:
        self._strategy, self._limits, self._kept = strategy, limits, kept
        self.ended, self.n_kept = "", 0
        self._asked: set[FoldTask] = set()
        self._scores: dict[int, list[tuple[float, float]]] = defaultdict(list)

    def ask(self) -> FoldTask | Wait | None:
        """The next evaluation; None once a limit forbids one."""
        if self.ended:
            return None
        if reached := self._limits.reached(len(self._asked)):
            task = deepcopy(self._strategy).ask()  # a strategy without further tasks ended by itself
            if not isinstance(task, FoldTask):
                return task
            is_asked = task in self._asked  # it was fitted before, on as many rows
            if not is_asked and self._limits.reached(len(self._asked), is_kept=task in self._kept):
                self.ended = reached
                return None
        task = self._strategy.ask()
        if isinstance(task, FoldTask) and task not in self._asked:
            self._asked.add(task)
            self.n_kept += task in self._kept
        return task

    def tell(self, task: FoldTask, score: float) -> None:
        """Answer a task."""
        self._strategy.tell(task, score)
        self._scores[task.candidate].append((math.inf if task.n_rows is None else task.n_rows, score))

    @property
    def best_mean(self) -> float | None:
        """Mean score so far of the incumbent, on the most rows that it was given; None: there is no incumbent."""
        incumbent = self.incumbent
        scores = [] if incumbent is None else self._scores[incumbent]
        most = max((n_rows for n_rows, _ in scores), default=None)
        return None if most is None else mean_score([score for n_rows, score in scores if n_rows == most])

    @property
    def events(self) -> list[dict[str, Any]]:
        """Events of the strategy."""
        return list(getattr(self._strategy, "events", []))

    @property
    def incumbent(self) -> int | None:
        """The incumbent of the strategy."""
        return self._strategy.incumbent

    @property
    def complete(self) -> bool:
        """True if the incumbent has all its folds."""
        return self._strategy.complete
