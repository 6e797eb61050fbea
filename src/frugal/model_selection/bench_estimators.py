"""The estimators that `frugal bench select` searches, each with a grid of 64 candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Listed = Mapping[str, list[Any]]
MOST_CATEGORIES: Final = 50
"""A column of whole numbers with more distinct values counts as numeric."""
CHEAP: Final = ("max_leaf_nodes", "max_features", "max_depth")
"""Hyperparameters whose first value makes the cheapest fit, for FLAML's cost-frugal search."""


def _svc(X: NDArray[np.float64]) -> tuple[Any, Listed]:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    grid: Listed = {"svc__C": np.logspace(-2, 3, 8).tolist(), "svc__gamma": np.logspace(-4, 1, 8).tolist()}
    return make_pipeline(StandardScaler(), SVC()), grid


def _hist_gradient_boosting(X: NDArray[np.float64]) -> tuple[Any, Listed]:
    from sklearn.ensemble import HistGradientBoostingClassifier

    grid: Listed = {
        "learning_rate": [0.03, 0.1, 0.3, 1.0],
        "max_leaf_nodes": [4, 8, 16, 31],
        "min_samples_leaf": [5, 20],
        "l2_regularization": [0.0, 1.0],
    }
    return HistGradientBoostingClassifier(max_iter=30, early_stopping=False, random_state=0), grid


def _extra_trees(X: NDArray[np.float64]) -> tuple[Any, Listed]:
    from sklearn.ensemble import ExtraTreesClassifier

    grid: Listed = {
        "max_features": [0.1, 0.25, 0.5, 1.0],
        "min_samples_leaf": [1, 2, 5, 10],
        "max_depth": [8, None],
        "criterion": ["gini", "entropy"],
    }
    return ExtraTreesClassifier(50, random_state=0), grid


def _columns(X: NDArray[np.float64]) -> tuple[Any, Listed]:
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

    is_category = np.array([_is_category(column) for column in X.T])
    columns = ColumnTransformer(
        [
            ("numbers", StandardScaler(), np.flatnonzero(~is_category)),
            ("categories", OneHotEncoder(handle_unknown="infrequent_if_exist"), np.flatnonzero(is_category)),
        ]
    )
    # A table without categories has another transformer to choose, so that no two candidates are the same.
    choices: Listed = {"columns__categories__min_frequency": [None, 20]}
    if not is_category.any():
        choices = {"columns__numbers": [StandardScaler(), QuantileTransformer(n_quantiles=100)]}
    grid: Listed = {
        "model__C": np.logspace(-4, 3, 16).tolist(),
        "model__class_weight": [None, "balanced"],
        **choices,
    }
    return Pipeline([("columns", columns), ("model", LogisticRegression(max_iter=200))]), grid


def _is_category(column: NDArray[np.float64]) -> bool:
    values = np.unique(column)
    return len(values) <= MOST_CATEGORIES and bool((values == np.round(values)).all())


ESTIMATORS: Final[Mapping[str, Callable[[NDArray[np.float64]], tuple[Any, Listed]]]] = {
    "svc": _svc,
    "hist_gradient_boosting": _hist_gradient_boosting,
    "extra_trees": _extra_trees,
    "columns": _columns,
}
"""Name -> from the rows, shape (n_rows, n_features), the unfitted estimator and its grid."""
