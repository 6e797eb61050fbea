"""One real scikit-learn fit, scored and timed: the reference that every shortcut is held against."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from frugal.interface import Candidate
from frugal.learners import build


@dataclass(frozen=True)
class Fit:
    """Accuracy in [0, 1] (nan if it failed, with the reason) and seconds of fitting and scoring."""

    score: float
    seconds: float
    reason: str = ""


def fit_and_score(
    classifier: str,
    candidate: Candidate,
    X_train: NDArray[np.float64],
    y_train: NDArray[np.int64],
    X_test: NDArray[np.float64],
    y_test: NDArray[np.int64],
    *,
    seed: int,
) -> Fit:
    """Build, fit and score one candidate; whatever scikit-learn raises becomes the reason of a failed fit.

    Args:
        classifier: one of `learners.CLASSIFIERS`.
        candidate: its hyperparameters.
        X_train: training rows, shape (n_train, n_features).
        y_train: their labels, shape (n_train,).
        X_test: validation rows, shape (n_test, n_features).
        y_test: their labels, shape (n_test,).
        seed: `random_state` of learners that draw at random.
    """
    started = perf_counter()
    try:
        estimator = build(classifier, candidate, seed=seed).fit(X_train, y_train)
        score = float(np.mean(estimator.predict(X_test) == y_test))
    except Exception as error:  # noqa: BLE001  a failed fit is a row with its reason, whatever it raised
        return Fit(math.nan, perf_counter() - started, f"{type(error).__name__}: {error}")
    return Fit(score, perf_counter() - started)
