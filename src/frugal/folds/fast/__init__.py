"""Exact batch scorers: scores of many candidates on one fold, equal to scikit-learn's.

A batch scorer shares the work that candidates have in common (neighbours, counts, converted arrays). It leaves
candidates with other hyperparameters to the reference, `fits.fit_and_score`, where they fail with scikit-learn's
own message. Scores are equal to the last bit for a fixed number of threads: if training rows are equally distant,
the neighbour that scikit-learn takes depends on its number of OpenMP threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_known
from frugal.folds.fast import knn, naive_bayes, tree
from frugal.folds.fast.plain import Batch, Fold, FoldScores, complete
from frugal.interface import Candidate

__all__ = ["FoldScores", "score_fold"]

LARGEST: Final = 1e100
"""Larger values are left to the reference, since their squares may overflow here."""

_SCORERS: Mapping[str, Callable[..., Batch]] = {
    "bernoulli_nb": naive_bayes.score,
    "decision_tree": tree.score,
    "knn": knn.score,
}


def score_fold(
    classifier: str,
    X_train: NDArray[np.float64],
    y_train: NDArray[np.int64],
    X_test: NDArray[np.float64],
    y_test: NDArray[np.int64],
    candidates: Sequence[Candidate],
    *,
    seed: int,
) -> FoldScores:
    """Accuracy of every candidate on one fold; equal to one fit per candidate, but faster.

    Args:
        classifier: one of `frugal.learners.CLASSIFIERS`.
        X_train: training rows, already scaled, C-contiguous, (n_train, n_features).
        y_train: their classes, (n_train,).
        X_test: rows to score, (n_test, n_features).
        y_test: their classes, (n_test,).
        candidates: hyperparameters; distinct ones, since a repeat is scored again.
        seed: `random_state` of learners that draw at random, the same for every candidate.

    Raises:
        ValueError: on an unknown classifier.
    """
    check_known("classifier", classifier, _SCORERS)
    fold = Fold(X_train, y_train, X_test, y_test)
    batch = _SCORERS[classifier](fold, candidates, seed=seed) if _is_regular(fold) else Batch()
    return complete(classifier, fold, candidates, batch, seed=seed)


def _is_regular(fold: Fold) -> bool:
    """True if the arrays are what the batch scorers reason about; others are for the reference."""
    (n_train, n_features), n_test = np.shape(fold.X_train), len(fold.X_test)
    shapes = np.shape(fold.X_test) == (n_test, n_features) and min(n_train, n_test, n_features) > 0
    labels = np.shape(fold.y_train) == (n_train,) and np.shape(fold.y_test) == (n_test,)
    return shapes and labels and _are_plain(fold)


def _are_plain(fold: Fold) -> bool:
    rows = (fold.X_train, fold.X_test)
    return (
        all(X.dtype == np.float64 and X.flags.c_contiguous for X in rows)
        and all(y.dtype == np.int64 for y in (fold.y_train, fold.y_test))
        and all(bool((np.abs(X) <= LARGEST).all()) for X in rows)  # False for nan and inf
    )
