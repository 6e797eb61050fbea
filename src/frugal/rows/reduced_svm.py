"""Base of the k-means SVMs: reduce the training rows, then fit scikit-learn's SVC to the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from frugal.checks import check_number

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Left = tuple[Floats, Indices, Floats, Floats]
"""Reduced rows: features (m, d), class numbers, weights and sizes, each (m,)."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """The reduced training rows.

    Attributes:
        X: centres and rows, shape (m, d).
        y: their labels, shape (m,).
        weights: factors of the penalty C, shape (m,).
        sizes: total weight of the training rows that each stands for, shape (m,).
        variance: weighted variance of all entries of the training rows.
        columns: names of the columns of X, if they are strings; None: they are not.
    """

    X: Floats
    y: NDArray[Any]
    weights: Floats
    sizes: Floats
    variance: float
    columns: NDArray[Any] | None = None


class ReducedSVM(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the k-means SVMs, for two classes or more (one against one).

    Equal rows are merged into a heavier one and sorted before they are clustered, so that their order does not
    matter, and a row of weight 2 is a row given twice (with a compression of 1, up to the tolerance of SVC).
    `gamma="scale"` is 1 / (d var(X)) of the rows before they are clustered, so that the kernel does not depend on
    the compression. The variance is weighted by `sample_weight`; that of SVC is not.

    Args:
        compression: R, rows per cluster, at least 1; 1 is the plain SVM.
        C: penalty of a misclassified row.
        kernel: kernel of scikit-learn's SVC, not `precomputed`.
        gamma: argument of scikit-learn's SVC.
        tol: argument of scikit-learn's SVC.
        n_init: number of restarts of k-means.
        batch_size: rows per step of mini-batch k-means; None: k-means on all rows at once.
        random_state: seed of k-means.

    Attributes:
        classes_: labels, shape (n_classes,).
        reduced_: the `Reduced` rows on which the SVM was fitted.
        svc_: the fitted `sklearn.svm.SVC`; `svc_.n_support_` counts its support vectors per class.
        n_features_in_: number of features.
        feature_names_in_: names of the columns of X, if they are strings.
    """

    def __init__(
        self,
        compression: float = 5.0,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        tol: float = 1e-3,
        n_init: int = 3,
        batch_size: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.compression = compression
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.tol = tol
        self.n_init = n_init
        self.batch_size = batch_size
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Reduce the rows and fit the SVM.

        Args:
            X: training rows, shape (n, d).
            y: labels, shape (n,).
            sample_weight: weights of the rows, at least 0, shape (n,); a row of weight 2 counts as two. So weights
                of mean 1 keep the number of clusters, and weights that sum to 1 leave one of each class.

        Raises:
            ValueError: on a parameter out of range, fewer than two classes, or what scikit-learn refuses.
        """
        return self.fit_reduced(self.reduce(X, y, sample_weight))

    def fit_reduced(self, reduced: Reduced) -> Self:
        """Fit the SVM alone, so that one reduction can serve many values of C and gamma.

        Args:
            reduced: from `reduce`.

        Raises:
            ValueError: on a parameter that `sklearn.svm.SVC` refuses.
        """
        gamma: float | str = self.gamma
        if isinstance(gamma, str) and gamma == "scale":
            gamma = 1.0 / (reduced.X.shape[1] * reduced.variance) if reduced.variance > 0.0 else 1.0
        svc = SVC(C=self.C, kernel=self.kernel, gamma=gamma, tol=self.tol)
        self.svc_ = svc.fit(reduced.X, reduced.y, reduced.weights)
        self.classes_: NDArray[Any] = self.svc_.classes_
        self.reduced_ = reduced
        self.n_features_in_: int = reduced.X.shape[1]
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if reduced.columns is not None:
            self.feature_names_in_: NDArray[Any] = reduced.columns
        return self

    def reduce(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Reduced:
        """Cluster the rows; arguments and errors are those of `fit`. Leaves the fitted model as it is."""
        check_number("compression", self.compression, 1)
        if self.kernel == "precomputed":
            raise ValueError("kernel must act on rows, since these are clustered, got 'precomputed'")
        checker = clone(self)  # which takes note of the columns
        rows, labels = validate_data(checker, X, y, dtype=np.float64)
        columns = getattr(checker, "feature_names_in_", None)
        check_classification_targets(labels)
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
        if not weights.all():
            rows, labels, weights = (array[weights > 0.0] for array in (rows, labels, weights))
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                f"y must hold two classes among rows of positive weight, got {len(classes)} class(es)"
            )
        variance = float(rows.var()) if sample_weight is None else _variance(rows, weights)
        if self.compression == 1:
            return Reduced(rows, labels, weights, weights, variance, columns)
        merged, _, totals = merge(np.column_stack([rows, codes]), weights)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        centres, codes, factors, sizes = self._reduce(merged[:, :-1], merged[:, -1].astype(np.intp), totals, seed)
        return Reduced(centres, classes[codes], factors, sizes, variance, columns)

    @abstractmethod
    def _reduce(self, X: Floats, codes: Indices, weights: Floats, seed: int) -> Left:
        """Reduce distinct, sorted rows of known class number and weight."""

    def decision_function(self, X: ArrayLike) -> Floats:
        """Decision values as in `sklearn.svm.SVC`: shape (n,) for two classes, else (n, n_classes).

        Args:
            X: rows, shape (n, d).
        """
        check_is_fitted(self)
        return np.asarray(self.svc_.decision_function(validate_data(self, X, dtype=np.float64, reset=False)))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels, shape (n,).

        Args:
            X: rows, shape (n, d).
        """
        check_is_fitted(self)
        return np.asarray(self.svc_.predict(validate_data(self, X, dtype=np.float64, reset=False)))

    def _cluster(self, X: Floats, weights: Floats, seed: int) -> Indices:
        """Cluster number of distinct rows, shape (n,), for about one cluster per `compression` of their weight."""
        n_clusters = max(1, round(float(weights.sum()) / self.compression))
        if n_clusters >= len(X):
            return np.arange(len(X))
        if self.batch_size is None:
            clusters = KMeans(n_clusters, n_init=self.n_init, random_state=seed)
        else:
            clusters = MiniBatchKMeans(
                n_clusters, n_init=self.n_init, random_state=seed, batch_size=self.batch_size
            )
        return np.asarray(clusters.fit(X, sample_weight=weights).labels_, dtype=np.intp)


def merge(rows: Floats, weights: Floats) -> tuple[Floats, Indices, Floats]:
    """Merge equal rows and add up their weights.

    Args:
        rows: shape (n, d).
        weights: shape (n,).

    Returns:
        The m distinct rows in sorted order, shape (m, d); which of them each row is, shape (n,); their total
        weights, shape (m,).
    """
    distinct, number_of = np.unique(rows, axis=0, return_inverse=True)
    return distinct, number_of, np.bincount(number_of, weights).astype(float)


def _variance(X: Floats, weights: Floats) -> float:
    """Variance of all entries, each weighted as its row."""
    mean = np.average(X, axis=0, weights=weights).mean()
    return float(np.average((X - mean) ** 2, axis=0, weights=weights).mean())
