"""Base of strategies with rounds: each remaining candidate gets its folds, then some are dropped."""

from __future__ import annotations

from abc import ABC, abstractmethod

from frugal.folds.ledger import BaseFoldStrategy
from frugal.interface import WAIT, FoldTask, Wait


class Rounds(BaseFoldStrategy, ABC):
    """Ask-and-tell round by round; the first round is one fold of every candidate."""

    def __init__(self, *, n_candidates: int, n_folds: int) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)
        self._alive, self._n_done = list(range(n_candidates)), 1
        self._queue = [(candidate, 0) for candidate in reversed(self._alive)]

    @abstractmethod
    def _end_round(self) -> tuple[list[int], int]:
        """Choose the candidates of `_alive` that go on, and their number of folds after the next round."""

    def ask(self) -> FoldTask | Wait | None:
        """Next fold of the round; WAIT while the round's last answers are pending."""
        if self._queue:
            return self._ledger.ask(*self._queue.pop())
        return WAIT if self._ledger.n_pending else None

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; the last answer of a round ends it."""
        self._ledger.tell(task, score)
        if self._queue or self._ledger.n_pending or self._n_done == self._ledger.n_folds:
            return
        self._alive, n_folds = self._end_round()
        tasks = [(candidate, fold) for candidate in self._alive for fold in range(self._n_done, n_folds)]
        self._queue, self._n_done = tasks[::-1], n_folds
