"""Candidates one after the other, each dropped as soon as a rule says so: the base of several strategies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

from frugal.folds.ledger import ANY_SCORE, BaseFoldStrategy, ScoreRange
from frugal.interface import WAIT, FoldTask, Wait


class Sequential(BaseFoldStrategy, ABC):
    """Ask-and-tell over candidates in their order; with several workers the next candidates are started early."""

    def __init__(self, *, n_candidates: int, n_folds: int, score_range: ScoreRange = ANY_SCORE) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, score_range=score_range)
        self._open: list[int] = []
        self._next = 0

    @abstractmethod
    def _verdict(self, candidate: int) -> dict[str, Any] | None:
        """Why a candidate with an answer just told and folds left is dropped; None to go on.

        Returns:
            Further keys of its `prune` event.
        """

    def ask(self) -> FoldTask | Wait | None:
        """Next fold of the first open candidate that waits for no answer, else the next candidate's first."""
        ledger = self._ledger
        candidate = next((c for c in self._open if not ledger.awaits(c)), None)
        if candidate is None:
            if self._next == ledger.n_candidates:
                return WAIT if ledger.n_pending else None
            candidate, self._next = self._next, self._next + 1
            self._open.append(candidate)
        return ledger.ask_next(candidate)

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; drops the candidate where the rule says so."""
        ledger, candidate = self._ledger, task.candidate
        mean = ledger.tell(task, score)
        if ledger.has_all_folds(candidate):
            self._open.remove(candidate)
            return
        reason = {"failed": True} if mean == -math.inf else self._verdict(candidate)
        if reason is not None:
            self._open.remove(candidate)
            ledger.note("prune", candidate, **reason)
