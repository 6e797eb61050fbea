"""Standard k-fold selection that drops a candidate a fixed share behind the best one.

Source: Gabrys (2019), "Pruned cross validation for hyperparameter optimization", reference [2] of document 000,
for maximised scores. A candidate is dropped if its mean so far, times 1 + threshold, is below the best candidate's
mean over the same folds. The best candidate is the complete one with the highest mean. As in the author's program,
a candidate gets at least two folds, and the first one gets all. Differs from it: a pruned candidate gets no
extrapolated score, since it is never returned.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frugal.checks import check_number, check_whole
from frugal.folds.ledger import ScoreRange, Sequential
from frugal.stats import mean_score

NOT_NEGATIVE = ScoreRange(
    0.0, math.inf, "threshold_pruning compares shares of a mean, so it needs scores of at least 0"
)


class ThresholdPruning(Sequential):
    """Pruning by a share of the best mean; `events` lists what was pruned when, and against which candidate.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        threshold: share that a candidate may be behind, at least 0.
        min_folds: folds that a candidate has at least before it is dropped.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        threshold: float = 0.1,
        min_folds: int = 2,
    ) -> None:
        check_number("threshold", threshold, 0)
        check_whole("min_folds", min_folds, 1)
        self._threshold, self._min_folds = threshold, min_folds
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, score_range=NOT_NEGATIVE)

    def _verdict(self, candidate: int) -> dict[str, Any] | None:
        ledger = self._ledger
        scores, best = ledger.scores[candidate], ledger.best
        if best is None or len(scores) < self._min_folds:
            return None
        reference = mean_score(ledger.scores[best][: len(scores)])
        # Means are rounded to 12 decimals, and the product magnifies that: a tie is not behind.
        behind = mean_score(scores) * (1 + self._threshold) < reference - 1e-9
        return {"against": best} if behind else None
