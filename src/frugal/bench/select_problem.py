"""Problems of `frugal bench select`: tables, estimators with a grid of 64 candidates, the scores of every fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.interface import Candidate
from frugal.seeds import rng_for, seed_for

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


SHARE: Final = 0.25
"""Budget of the searches that need one, as a share of the exhaustive search's fits."""
TEST_SHARE: Final = 0.3


@dataclass(frozen=True, eq=False)
class Problem:
    """One table, estimator and seed, with the results of the exhaustive search.

    Attributes:
        table: name of the table.
        data: provenance of its rows.
        kind: name of the estimator, one of `ESTIMATORS`.
        seed: seed of the splits.
        estimator: the unfitted estimator.
        grid: hyperparameter -> values.
        candidates: the grid, in an order drawn by the seed, so that no search profits from the grid's own order.
        development: X, shape (n_rows, n_features), and y of the rows for the search.
        test: X and y of the rows set apart.
        splits: folds of the development rows.
        scores: accuracies, shape (n_candidates, n_folds).
        seconds: mean seconds per fold of fit and score, with a share of the exhaustive search's overhead, shape
            (n_candidates,).
        exhaustive_s: seconds of GridSearchCV, without its last fit.
    """

    table: str
    data: str
    kind: str
    seed: int
    estimator: Any
    grid: Mapping[str, Sequence[Any]]
    candidates: Sequence[Candidate]
    development: tuple[NDArray[Any], NDArray[Any]]
    test: tuple[NDArray[Any], NDArray[Any]]
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
    scores: NDArray[np.float64]
    seconds: NDArray[np.float64]
    exhaustive_s: float
    _tested: dict[int, float] = field(default_factory=dict)

    @cached_property
    def best(self) -> int:
        """The exhaustive choice."""
        return int(self.scores.mean(axis=1).argmax())

    @property
    def n_fits(self) -> int:
        """Number of fits of the exhaustive search."""
        return int(self.scores.size)

    def test_score(self, candidate: int) -> float:
        """Accuracy on the rows set apart of a candidate fitted to all others."""
        from sklearn.base import clone

        if candidate not in self._tested:
            fitted = clone(self.estimator).set_params(**self.candidates[candidate]).fit(*self.development)
            self._tested[candidate] = float(fitted.score(*self.test))
        return self._tested[candidate]


@dataclass(frozen=True)
class Choice:
    """The choice of a search, and its cost.

    Attributes:
        candidate: index of the chosen candidate.
        n_fits: number of fits.
        n_row_fits: number of fits, where a fit on half of the rows counts half.
        seconds: seconds of the fits and of the search itself.
    """

    candidate: int
    n_fits: int
    n_row_fits: float
    seconds: float


class Spent:
    """Look scores up, and sum the cost of their fits.

    Attributes:
        n_fits: number of fits so far.
        seconds: seconds of these fits.

    Args:
        problem: the problem that holds the scores.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem, self._started = problem, perf_counter()
        self.n_fits, self.seconds = 0, 0.0

    def score(self, candidate: int, fold: int) -> float:
        """Look up the score of one fit."""
        self.n_fits += 1
        self.seconds += float(self._problem.seconds[candidate])
        return float(self._problem.scores[candidate, fold])

    @property
    def is_over(self) -> bool:
        """True if a search that needs a budget has spent it."""
        return self.n_fits >= SHARE * self._problem.n_fits

    def choice(self, candidate: int) -> Choice:
        """Build the result; the time since the start, without fits, counts as the search's own."""
        search_s = perf_counter() - self._started
        return Choice(candidate, self.n_fits, self.n_fits, self.seconds + search_s)


def one_by_one(candidates: Sequence[Candidate]) -> list[dict[str, list[Any]]]:
    """A list of grids with which scikit-learn's searches try these candidates in this order."""
    return [{name: [value] for name, value in candidate.items()} for candidate in candidates]


def measure(table: str, kind: str, seed: int, *, n_folds: int, n_rows: int, root: str) -> Problem:
    """Score every candidate on every fold."""
    from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold, train_test_split

    from frugal.datasets import load

    data = load(table, root=root)
    names = ("select", table, seed)
    drawn = rng_for("bench", *names).permutation(len(data.y))[:n_rows]
    X, y = np.asarray(data.X, dtype=np.float64)[drawn], np.asarray(data.y)[drawn]
    split_seed = seed_for("bench", *names)
    X, X_test, y, y_test = train_test_split(X, y, test_size=TEST_SHARE, random_state=split_seed, stratify=y)
    splits = list(StratifiedKFold(n_folds, shuffle=True, random_state=split_seed).split(X, y))
    estimator, grid = ESTIMATORS[kind](X)
    listed = list(ParameterGrid(dict(grid)))
    candidates = [listed[i] for i in rng_for("bench", "order", *names, kind).permutation(len(listed))]
    started = perf_counter()
    results = GridSearchCV(estimator, one_by_one(candidates), cv=splits, refit=False).fit(X, y).cv_results_
    exhaustive_s = perf_counter() - started
    in_fits = np.asarray(results["mean_fit_time"] + results["mean_score_time"])
    beside = (exhaustive_s - n_folds * in_fits.sum()) / (n_folds * len(candidates))
    return Problem(
        table=table,
        data=data.provenance,
        kind=kind,
        seed=seed,
        estimator=estimator,
        grid=grid,
        candidates=candidates,
        development=(X, y),
        test=(X_test, y_test),
        splits=splits,
        scores=np.stack([results[f"split{fold}_test_score"] for fold in range(n_folds)], axis=1),
        seconds=in_fits + beside,
        exhaustive_s=exhaustive_s,
    )
