"""Candidates in their order, each dropped as soon as its mean so far is below the incumbent's mean.

Source: Bergman, Purucker and Hutter (2024), "Don't Waste Your Time: Early Stopping Cross-Validation", AutoML
Conference 2024 (PMLR 256:9), method "Aggressive". Differs from it: the candidates are a list, not the draws of a
search under way, so that a candidate in progress is judged against whatever candidate is the incumbent by then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frugal.folds.ledger import Sequential
from frugal.stats import mean_score


class AggressiveEarlyStopping(Sequential):
    """Early stopping by the incumbent's mean; `events` lists what was pruned when, and against what.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
    """

    def __init__(self, *, n_candidates: int, n_folds: int, rng: np.random.Generator) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)

    def _verdict(self, candidate: int) -> dict[str, Any] | None:
        ledger, best = self._ledger, self._ledger.best
        if best is None:
            return None
        bound = self._bound(ledger.scores[best])
        return None if mean_score(ledger.scores[candidate]) >= bound else {"against": best, "bound": bound}

    def _bound(self, scores: list[float]) -> float:
        """Mean that a candidate must reach to go on, computed from the incumbent's fold scores."""
        return mean_score(scores)
