"""Candidates one after the other, each dropped as soon as a rule says so: the frame of several strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from frugal.folds.ledger import Ledger
from frugal.interface import WAIT, FoldTask, Wait


class Sequential:
    """Ask-and-tell over candidates in their order; with several workers the next candidates are started early.

    Args:
        ledger: of the strategy.
        verdict: candidate, with an answer just told and folds left -> why it is dropped, as the further keys of
            its `prune` event, or None to go on.
    """

    def __init__(self, ledger: Ledger, verdict: Callable[[int], dict[str, Any] | None]) -> None:
        self._ledger, self._verdict = ledger, verdict
        self._open: list[int] = []
        self._pending: set[int] = set()
        self._next = 0

    def ask(self) -> FoldTask | Wait | None:
        """Next fold of the first open candidate that waits for no answer, else the next candidate's first."""
        ledger = self._ledger
        candidate = next((c for c in self._open if c not in self._pending), None)
        if candidate is None:
            if self._next == ledger.n_candidates:
                return WAIT if self._pending else None
            candidate, self._next = self._next, self._next + 1
            self._open.append(candidate)
        self._pending.add(candidate)
        return ledger.ask(candidate, len(ledger.scores[candidate]))

    def tell(self, task: FoldTask, score: float) -> None:
        """Note an answer, and drop the candidate where the rule says so."""
        ledger, candidate = self._ledger, task.candidate
        mean = ledger.tell(task, score)
        self._pending.remove(candidate)
        if len(ledger.scores[candidate]) == ledger.n_folds:
            self._open.remove(candidate)
            return
        reason = {"failed": True} if mean == -float("inf") else self._verdict(candidate)
        if reason is not None:
            self._open.remove(candidate)
            ledger.note("prune", candidate, **reason)
