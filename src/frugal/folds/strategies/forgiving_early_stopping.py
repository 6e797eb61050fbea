"""Candidates in their order, each dropped as soon as its mean so far is below the incumbent's worst fold.

Source: Bergman, Purucker and Hutter (2024), "Don't Waste Your Time: Early Stopping Cross-Validation", AutoML
Conference 2024 (PMLR 256:9), method "Forgiving"; departures as in `aggressive_early_stopping`.
"""

from __future__ import annotations

from frugal.folds.strategies.aggressive_early_stopping import AggressiveEarlyStopping
from frugal.stats import mean_score


class ForgivingEarlyStopping(AggressiveEarlyStopping):
    """Early stopping by the incumbent's worst fold; `events` lists what was pruned when, and against what.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
    """

    def _bound(self, scores: list[float]) -> float:
        return mean_score([min(scores)])  # rounded as the means that it is compared with
