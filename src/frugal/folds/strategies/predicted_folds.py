"""Candidates in their order, each dropped once its predicted mean over all folds cannot be the best.

A missing fold's score is predicted by a linear regression on the scores of the folds that the candidate has. It is
fitted to the candidates that have both. Each prediction is raised by `n_sds` residual standard deviations. The
candidate is dropped if the mean of its scores and these raised predictions is below the incumbent's mean.

Source: elastic/ml-cpp, pull requests 790 and 915, which tune gradient boosting this way. Differs from it:
all candidates get their folds in one order, so that a candidate with the missing fold has all earlier ones and no
value is filled in. If several regressions fit equally well, the one with the smallest slopes is taken. The
residual variance is divided by its degrees of freedom; without any, nothing is dropped. Candidates with equal
scores count as one in it: they show nothing of the variance. The first `n_startup` candidates of the list get all
their folds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_number, check_whole
from frugal.folds.ledger import Sequential
from frugal.stats import mean_score

_ROUNDING = 1e-9
"""Share of the range of scores by which a bound may fall short of the best mean: means are rounded."""


class PredictedFolds(Sequential):
    """Pruning by predicted folds; `events` lists what was pruned when, against what, and the bound on its mean.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        n_sds: residual standard deviations that a prediction is raised by; at least 0.
        n_startup: first candidates that get all their folds; None: as many as there are folds.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        n_sds: float = 2.0,
        n_startup: int | None = None,
    ) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)
        check_number("n_sds", n_sds, 0)
        if n_startup is not None:
            check_whole("n_startup", n_startup, 1)
        self._n_sds, self._n_startup = n_sds, n_folds if n_startup is None else n_startup

    def _verdict(self, candidate: int) -> dict[str, Any] | None:
        ledger, best = self._ledger, self._ledger.best
        if candidate < self._n_startup or best is None:
            return None
        scores = np.array(ledger.scores[candidate])
        others = [np.array(s) for c, s in enumerate(ledger.scores) if c != candidate and not np.isnan(s).any()]
        missing = range(len(scores), ledger.n_folds)
        bounds = [_bound(scores, [s for s in others if len(s) > fold], fold, self._n_sds) for fold in missing]
        if not np.isfinite(bounds).all():
            return None
        bound = mean_score([*ledger.scores[candidate], *bounds])
        slack = _ROUNDING * float(np.ptp(np.concatenate([scores, *others])))
        reaches = bound + slack >= mean_score(ledger.scores[best])
        return None if reaches else {"against": best, "bound": bound}


def _bound(scores: NDArray[np.float64], others: list[NDArray[np.float64]], fold: int, n_sds: float) -> float:
    """Score predicted for a missing fold plus `n_sds` residual standard deviations; not finite if unknown.

    Args:
        scores: scores of the candidate, shape (n_done,).
        others: scores of the candidates that have the fold, each with more than `fold` entries.
        fold: number of the missing fold.
        n_sds: number of residual standard deviations.
    """
    n_done = len(scores)
    if len(others) - n_done - 1 < 1:
        return math.inf
    known = np.array([other[[*range(n_done), fold]] for other in others])
    _, first = np.unique(known, axis=0, return_index=True)  # equal rows say no more than one of them
    known = known[np.sort(first)]
    dof = len(known) - n_done - 1
    if dof < 1:
        return math.inf
    features, targets = known[:, :-1], known[:, -1]
    with np.errstate(over="ignore", invalid="ignore"):  # scores near the largest float
        centre, mean = features.mean(axis=0), targets.mean()
        features, targets = features - centre, targets - mean
        if not (np.isfinite(features).all() and np.isfinite(targets).all()):
            return math.inf
        weights = np.linalg.lstsq(features, targets, rcond=None)[0]
        residuals = targets - features @ weights
        return float(mean + (scores - centre) @ weights + n_sds * math.sqrt(residuals @ residuals / dof))
