"""Task 1 of document 002: three hyperparameters of a polynomial regression on ten points.

The page reports K = 3, beta = 4, lambda = 1 and leaves out everything else. A public code fragment that matches it
in every detail supplies the points, their split, the first eight candidates and the objective, and several public
solutions of the same exercise have lambda = 1 and beta = 4 given and only K asked for. The model:

    y = w . (1, x, ..., x^K) + e,   w ~ N(0, I / lambda),   e ~ N(0, 1 / beta)

The grid that was searched is not recoverable; ours is `K_GRID`, `BETA_GRID`, `LAMBDA_GRID`. All objectives are
to be maximised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.checks import check_known
from frugal.trials.surrogates.blr import BLR
from studies.tidy import read_printed

Array = NDArray[np.float64]

X: Final = np.array([-2.23, -1.30, -0.42, 0.30, 0.33, 0.52, 0.87, 1.80, 2.74, 3.62])
Y: Final = np.array([1.01, 0.69, -0.66, -1.34, -1.75, -0.98, 0.25, 1.57, 1.65, 1.51])
TRAIN: Final = [0, 2, 3, 6, 7, 9]
VALID: Final = [1, 8]
"""Of the fragment, as are the two points left, its test points."""
K_GRID: Final = (1, 2, 3, 4, 5, 6, 7, 8)
BETA_GRID: Final = (0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0)
LAMBDA_GRID: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class Point(NamedTuple):
    """A candidate: degree of the polynomial, precision of the noise, precision of the weights."""

    K: int
    beta: float
    lambda_: float


GIVEN: Final = Point(3, 4.0, 1.0)
"""What the page reports; the exercise gives the last two."""
INITIAL: Final = tuple(
    Point(K, float(beta), float(lambda_))
    for K, beta, lambda_ in (
        (2, 1, 1), (4, 1, 1), (2, 4, 1), (3, 4, 1), (4, 4, 1), (5, 4, 1), (4, 2, 3), (5, 10, 2),
    )
)  # fmt: skip
"""The fragment's first eight candidates."""
CANDIDATES: Final = tuple(
    dict.fromkeys(
        [*INITIAL, *(Point(K, beta, lambda_) for K in K_GRID for beta in BETA_GRID for lambda_ in LAMBDA_GRID)]
    )
)
"""The initial candidates, then the rest of the grid, which holds all of them but one."""


def basis(x: Array, K: int) -> Array:
    """Powers 0 to K of x (n,), shape (n, K + 1)."""
    return np.vander(x, K + 1, increasing=True)


def predict(point: Point, x: Array, rows: list[int] | None = None) -> tuple[Array, Array]:
    """Mean and standard deviation of an observation at x (m,), each (m,), given `rows` of the ten; None: all."""
    used = list(range(len(X))) if rows is None else rows
    fitted = BLR(basis(X[used], point.K), Y[used])
    mean, std = fitted.predict(basis(x, point.K), np.log(point.lambda_), np.log(point.beta))
    return mean, np.sqrt(std**2 + 1 / point.beta)


def evidence(point: Point) -> float:
    """Log density of all ten answers."""
    return float(BLR(basis(X, point.K), Y).log_evidence(np.log(point.lambda_), np.log(point.beta)))


def validation(point: Point) -> float:
    """Sum of the log predictive densities of the validation points, given the training points."""
    return _log_density(Y[VALID], *predict(point, X[VALID], TRAIN))


def leave_one_out(point: Point) -> float:
    """Sum of the log predictive densities of each of the ten points, given the others."""
    total = 0.0
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        total += _log_density(Y[[i]], *predict(point, X[[i]], others))
    return total


def as_published(point: Point) -> float:
    """What the fragment maximises: `|y_val - mean_val| + 1 / average(var_val)`, which rewards errors."""
    mean, std = predict(point, X[VALID], TRAIN)
    return float(np.linalg.norm(Y[VALID] - mean) + 1 / np.mean(std**2))


OBJECTIVES: Final[Mapping[str, Callable[[Point], float]]] = {
    "evidence": evidence,
    "validation": validation,
    "leave_one_out": leave_one_out,
    "as_published": as_published,
}


@cache
def scores(objective: str) -> Array:
    """An objective of every candidate, (n_candidates,), read-only.

    Raises:
        ValueError: on an unknown objective; the message lists the known ones.
    """
    check_known("objective", objective, OBJECTIVES)
    values = np.array([OBJECTIVES[objective](point) for point in CANDIDATES])
    values.flags.writeable = False
    return values


def score_table() -> pd.DataFrame:
    """Every objective of every candidate: experiment (task1_scores), objective, K, beta, lambda, score, data."""
    points = pd.DataFrame([*CANDIDATES], columns=["K", "beta", "lambda"])
    parts = [points.assign(objective=name, score=scores(name)) for name in OBJECTIVES]
    table = pd.concat(parts, ignore_index=True).assign(experiment="task1_scores", data="original")
    return table[["experiment", "objective", "K", "beta", "lambda", "score", "data"]]


@cache
def published() -> Mapping[str, float]:
    """What the page prints: K, beta and lambda."""
    table = read_printed("exploration")
    part = table[table["task"] == 1]
    return {str(name): float(value) for name, value in zip(part["quantity"], part["value"], strict=True)}


def _log_density(y: Array, mean: Array, std: Array) -> float:
    return float((-(((y - mean) / std) ** 2) / 2 - np.log(std) - np.log(2 * np.pi) / 2).sum())
