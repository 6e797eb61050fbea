"""Standard k-fold selection: every fold of one candidate, then the next.

Source: document 001 (Soper 2021, Electronics 10(16):1973), Algorithm 1; n is n_candidates, k is n_folds, b is
budget. Differs from the listing: it ends when the candidates are exhausted, where the listing asks for a next
one. A candidate that the budget cuts off is returned only where none is complete, and then marked as
incomplete. On a tie the candidate completed first stays the best.
"""

from __future__ import annotations

import numpy as np

from frugal.folds.ledger import BaseFoldStrategy, limit_of
from frugal.interface import FoldTask, Wait


class Standard(BaseFoldStrategy):
    """Standard selection: candidates in their order, all folds of each.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        budget: fold evaluations at most; None: all of them.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        budget: int | None = None,
    ) -> None:
        self._limit = limit_of(budget, n_candidates * n_folds)
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)

    def ask(self) -> FoldTask | Wait | None:
        """Next fold in row order; None once the budget is asked."""
        ledger = self._ledger
        if ledger.n_asked == self._limit:
            return None
        return ledger.ask(*divmod(ledger.n_asked, ledger.n_folds))

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit."""
        self._ledger.tell(task, score)
