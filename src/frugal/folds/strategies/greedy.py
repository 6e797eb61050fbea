"""Greedy k-fold selection: the next fold of the incomplete candidate with the best mean so far.

Source: document 001 (Soper 2021, Electronics 10(16):1973), Algorithm 2; n is n_candidates, k is n_folds, b is
budget. Differs from the listing: the first sweep over all candidates stops at the budget too, and the search
ends when every candidate is complete. With several workers, a candidate whose answer is pending is passed over.
A candidate with a failed fit comes after all others; the document does not speak of such fits.
"""

from __future__ import annotations

import heapq
import math
import warnings

import numpy as np

from frugal.checks import check_choice, check_flag
from frugal.folds.ledger import BaseFoldStrategy, limit_of
from frugal.interface import WAIT, FoldTask, Wait

TIES = {"lowest_index": 0, "fewest_folds": 1, "most_folds": -1}
"""How equal means are ordered: sign of the number of folds done; the candidate's index decides last."""


class Greedy(BaseFoldStrategy):
    """Greedy selection in O(log n_candidates) per fold, by a heap of incomplete candidates.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        budget: fold evaluations at most; None: all of them.
        ties: which of several equally good candidates goes on: `lowest_index`, `fewest_folds` or `most_folds`.
        drop_failed: whether a candidate with a failed fit gets no more folds once another has a score; until then
            such candidates take turns.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        budget: int | None = None,
        ties: str = "lowest_index",
        drop_failed: bool = False,
    ) -> None:
        self._limit = limit_of(budget, n_candidates * n_folds)
        check_choice("ties", ties, TIES)
        check_flag("drop_failed", drop_failed)
        if budget is not None and budget < n_candidates + n_folds - 1:
            warnings.warn(
                f"budget {budget} is below n_candidates + n_folds - 1 = "
                f"{n_candidates + n_folds - 1}, so no candidate may be complete at its end",
                stacklevel=3,
            )
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)
        self._sign, self._drop_failed = TIES[ties], drop_failed
        self._heap: list[tuple[float, int, int]] = []
        self._failed: list[int] = []

    def ask(self) -> FoldTask | Wait | None:
        """First fold of every candidate, then the greedy choice; WAIT while all others are pending."""
        ledger = self._ledger
        if ledger.n_asked == self._limit:
            return None
        if ledger.n_asked < ledger.n_candidates:
            return ledger.ask(ledger.n_asked, 0)
        if self._heap:
            return ledger.ask_next(heapq.heappop(self._heap)[2])
        if self._failed:
            return ledger.ask_next(self._failed.pop(0))
        return WAIT if ledger.n_pending else None

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; drops candidates with a failed fit if asked to."""
        ledger, candidate = self._ledger, task.candidate
        mean = ledger.tell(task, score)
        n_done = len(ledger.scores[candidate])
        if n_done < ledger.n_folds and mean == -math.inf and self._drop_failed:
            self._failed.append(candidate)
        elif n_done < ledger.n_folds:
            heapq.heappush(self._heap, (-mean, self._sign * n_done, candidate))
        if self._failed and ledger.incumbent is not None:
            for failed in self._failed:
                ledger.note("prune", failed, failed=True)
            self._failed.clear()
