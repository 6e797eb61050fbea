"""Wrap a learner of `frugal.learners` as a scikit-learn classifier with any labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from frugal import learners
from frugal.interface import Candidate


def _offers(method: str) -> Any:
    """Condition for `available_if`: the learner's own classifier has a method."""
    return lambda self: hasattr(learners.build(self.learner, self.candidate or {}, seed=self.seed), method)


class Learned(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner as a scikit-learn classifier; `fit` encodes the labels and builds the learner.

    Args:
        learner: name of a learner that is not trained in epochs.
        candidate: hyperparameters; None: the learner's defaults.
        seed: seed of learners that draw at random.

    Attributes:
        classes_: the labels, sorted.
        fitted_: the learner's own classifier.
    """

    def __init__(self, learner: str, candidate: Candidate | None = None, seed: int = 0) -> None:
        self.learner = learner
        self.candidate = candidate
        self.seed = seed

    def set_params(self, **params: Any) -> Self:
        """Set parameters; any other name is a hyperparameter of the candidate."""
        settings = {name: params.pop(name) for name in tuple(params) if name in ("learner", "candidate", "seed")}
        super().set_params(**settings)
        if params:
            self.candidate = {**(self.candidate or {}), **params}
        return self

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

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of `classes_`, shape (n_rows, n_classes)."""
        return np.asarray(self.fitted_.predict_proba(np.asarray(X)), dtype=np.float64)

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Decision values of the learner's own classifier."""
        return np.asarray(self.fitted_.decision_function(np.asarray(X)), dtype=np.float64)
