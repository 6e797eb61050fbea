"""A strategy that is asked no further once fits or time are spent."""

from __future__ import annotations

import math
from time import monotonic
from typing import Any

from frugal.interface import FoldStrategy, FoldTask, Wait


class Limited:
    """Hands through what a strategy asks and is told, until a limit is reached.

    Attributes:
        ended: why nothing more is asked; empty: the strategy decides.
        n_asked: evaluations asked for.

    Args:
        strategy: a fresh one.
        max_fits: evaluations at most; None: no limit.
        time_limit: seconds after which none is started; None: no limit.
    """

    def __init__(self, strategy: FoldStrategy, *, max_fits: int | None, time_limit: float | None) -> None:
        self._strategy, self._max_fits = strategy, math.inf if max_fits is None else max_fits
        self._time_limit, self._started = time_limit, monotonic()
        self.ended, self.n_asked = "", 0

    def ask(self) -> FoldTask | Wait | None:
        """The next evaluation; None once a limit is reached."""
        if self.n_asked >= self._max_fits:
            self.ended = f"max_fits={self._max_fits} was reached"
        elif self._time_limit is not None and monotonic() - self._started >= self._time_limit:
            self.ended = f"time_limit={self._time_limit:g} s was reached"
        if self.ended:
            return None
        task = self._strategy.ask()
        self.n_asked += isinstance(task, FoldTask)
        return task

    def tell(self, task: FoldTask, score: float) -> None:
        """Answer a task."""
        self._strategy.tell(task, score)

    @property
    def events(self) -> list[dict[str, Any]]:
        """Of the strategy."""
        return list(getattr(self._strategy, "events", []))

    @property
    def incumbent(self) -> int | None:
        """Of the strategy."""
        return self._strategy.incumbent

    @property
    def complete(self) -> bool:
        """Whether the incumbent has all its folds."""
        return self._strategy.complete
