"""A learner of `frugal.learners` as a scikit-learn classifier, whatever its own labels and parameters are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from frugal import learners
from frugal.interface import Candidate


class Learned(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers the labels, and builds the learner once it is fitted.

    Args:
        learner: its name; one that is fitted in one go.
        candidate: its hyperparameters; None: its own defaults.
        seed: of learners that draw at random.

    Attributes:
        classes_: the labels, sorted.
        fitted_: the learner's own classifier.
    """

    def __init__(self, learner: str, candidate: Candidate | None = None, seed: int = 0) -> None:
        self.learner = learner
        self.candidate = candidate
        self.seed = seed

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to rows, shape (n_rows, n_features), and their labels, shape (n_rows,)."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        candidate: Mapping[str, Any] = self.candidate or {}
        self.fitted_ = learners.build(self.learner, candidate, seed=self.seed).fit(np.asarray(X), codes)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels, shape (n_rows,)."""
        found: NDArray[Any] = self.classes_[np.asarray(self.fitted_.predict(np.asarray(X)), dtype=np.intp)]
        return found
