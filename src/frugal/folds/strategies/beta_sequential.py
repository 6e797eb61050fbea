"""Standard k-fold selection that drops a candidate once the Beta model says it is worse than the best so far.

Source: document 000 (Kreutzman 2020), end of section 3.1. A candidate is compared, by equation 5 of
`frugal.folds.beta`, with the complete candidate that has the highest mean of the posterior predictive. It is
dropped if the probability exceeds tau, or at once if a fit failed. Returned is the complete candidate with the
best mean of its accuracies, which may be another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frugal.folds.beliefs import BaseBetaStrategy
from frugal.folds.ledger import Sequential
from frugal.interface import FoldTask


class BetaSequential(BaseBetaStrategy, Sequential):
    """Candidates in their order, pruned by the model; `events` says what was pruned when, and how probably worse.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        **settings: settings of `frugal.folds.beliefs.BaseBetaStrategy`.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        **settings: Any,
    ) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, **settings)
        self._best: int | None = None

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit."""
        self._beliefs.check(score)
        super().tell(task, self._beliefs.counted(score))
        candidate, beliefs = task.candidate, self._beliefs
        if not self._ledger.has_all_folds(candidate) or beliefs.failed(candidate):
            return
        if self._best is None or beliefs.worth(candidate) > beliefs.worth(self._best):
            self._best = candidate

    def _verdict(self, candidate: int) -> dict[str, Any] | None:
        if self._best is None:
            return None
        prob = self._beliefs.prunes(self._best, candidate)
        return None if prob is None else {"against": self._best, "probability": prob}
