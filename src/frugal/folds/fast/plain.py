"""What the exact batch scorers share: a fold, its scores, and what is left to one fit per candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from frugal.folds.fits import fit_and_score
from frugal.interface import Candidate


@dataclass(frozen=True, eq=False)
class Fold:
    """One split, already scaled.

    Attributes:
        X_train: training rows, (n_train, n_features).
        y_train: their classes, (n_train,).
        X_test: rows to score, (n_test, n_features).
        y_test: their classes, (n_test,).
    """

    X_train: NDArray[np.float64]
    y_train: NDArray[np.int64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FoldScores:
    """What came of scoring a list of candidates on one fold.

    Attributes:
        scores: accuracy per candidate, (n_candidates,); nan where the fit or its score failed.
        reasons: candidate index -> "ErrorType: message" of a failed one.
        n_deferred: test rows x candidates that scikit-learn itself had to score: a tie decides them, or two
            classes are too close to call.
        n_tied: test rows x candidates whose k-th and (k+1)-th neighbours are equally far; where they are not
            deferred, the vote is the same whichever of the tied neighbours are taken.
    """

    scores: NDArray[np.float64]
    reasons: Mapping[int, str]
    n_deferred: int = 0
    n_tied: int = 0


@dataclass
class Batch:
    """What a batch scorer could score; the candidates that it left out are for the reference.

    Attributes:
        scores: candidate index -> accuracy.
        n_deferred: as in `FoldScores`.
        n_tied: as in `FoldScores`.
    """

    scores: dict[int, float] = field(default_factory=dict)
    n_deferred: int = 0
    n_tied: int = 0


def complete(
    classifier: str, fold: Fold, candidates: Sequence[Candidate], batch: Batch, *, seed: int
) -> FoldScores:
    """Scores of all candidates: those of `batch`, the others by the reference."""
    scores = np.full(len(candidates), math.nan)
    reasons = {}
    arrays = (fold.X_train, fold.y_train, fold.X_test, fold.y_test)
    for index, candidate in enumerate(candidates):
        if index in batch.scores:
            scores[index] = batch.scores[index]
            continue
        fit = fit_and_score(classifier, candidate, *arrays, seed=seed)
        scores[index] = fit.score
        if fit.reason:
            reasons[index] = fit.reason
    return FoldScores(scores, reasons, batch.n_deferred, batch.n_tied)


def encode(y: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.intp]:
    """Position of each label in `known` (sorted), -1 for a label that is not there; (n_rows,)."""
    positions = np.minimum(np.searchsorted(known, y), len(known) - 1)
    return np.where(known[positions] == y, positions, -1)
