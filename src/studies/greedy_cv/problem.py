"""One real problem of two hyperparameters, cheap enough that its true surface can be listed.

A kernel ridge classifier (least squares on labels -1 and +1, Gaussian kernel) learns the Wisconsin
breast-cancer data. Its hyperparameters are the kernel's inverse squared width and the ridge penalty; its loss is
the mean squared error on the validation rows, which is differentiable in both:

    K = exp(-gamma D),  alpha = (K + lambda n I)^-1 y,  loss = |K_v alpha - y_v|^2 / n_v

with D the squared distances between training rows (n, n) and K_v the kernel between validation and training
rows (n_v, n). A point is (log10 gamma, log10 lambda), shape (2,). Its searches run on one thread: the matrices are
small, and sums on one thread have the same last digit everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy

from frugal.seeds import rng_for
from studies.estimates import Array

AXES: Final = ("log10_gamma", "log10_lambda")
BOUNDS: Final[Mapping[str, tuple[float, float]]] = {"log10_gamma": (-4.5, 0.0), "log10_lambda": (-6.0, 0.5)}
LOW, HIGH = np.array(list(BOUNDS.values())).T
N_TRAIN, N_VALIDATION = 160, 320
N_SURFACE: Final = 41
"""Points per axis of the surface."""
OPTIMUM_SHARE: Final = 0.1
"""The optimum region is the best tenth of the surface, so n uniform draws all miss it with chance 0.9^n."""


def to_point(unit: Array) -> Array:
    """Points, shape (..., 2), from the unit square."""
    point: Array = LOW + unit * (HIGH - LOW)
    return point


def to_unit(point: Array) -> Array:
    """Inverse of `to_point`."""
    unit: Array = (point - LOW) / (HIGH - LOW)
    return unit


@dataclass(frozen=True, eq=False)
class Problem:
    """The seeded rows, as distances.

    Attributes:
        distances: between training rows, shape (n, n), squared, in standard deviations of the training rows.
        distances_validation: validation to training rows, shape (n_v, n).
        y: training labels -1 and +1, shape (n,).
        y_validation: validation labels, shape (n_v,).
    """

    distances: Array
    distances_validation: Array
    y: Array
    y_validation: Array

    def loss(self, point: Array, n_rows: int | None = None) -> float:
        """Validation loss at a point after training on the first `n_rows` rows (None: all)."""
        return self._solve(point, n_rows)[0]

    def loss_and_gradient(self, point: Array) -> tuple[float, Array]:
        """Loss, and its hypergradient in log10 units, shape (2,), by implicit differentiation.

        With A = K + lambda n I: d alpha = -A^-1 (dA) alpha, so one adjoint solve A v = dloss/dalpha gives
        both derivatives.
        """
        loss, alpha, factor, kernel, kernel_validation, residual = self._solve(point, None)
        scale = 2.0 / len(residual)
        adjoint = scipy.linalg.cho_solve(factor, scale * kernel_validation.T @ residual)
        by_gamma = scale * residual @ (-self.distances_validation * kernel_validation @ alpha)
        by_gamma -= adjoint @ (-self.distances * kernel @ alpha)
        by_lambda = -len(alpha) * adjoint @ alpha
        chain = np.log(10.0) * 10.0**point
        return loss, chain * np.array([by_gamma, by_lambda])

    def _solve(self, point: Array, n_rows: int | None) -> tuple[float, Array, Any, Array, Array, Array]:
        gamma, penalty = 10.0**point
        y = self.y[:n_rows]
        kernel = np.exp(-gamma * self.distances[:n_rows, :n_rows])
        kernel_validation = np.exp(-gamma * self.distances_validation[:, :n_rows])
        factor = scipy.linalg.cho_factor(kernel + penalty * len(y) * np.eye(len(y)))
        alpha = scipy.linalg.cho_solve(factor, y)
        residual = kernel_validation @ alpha - self.y_validation
        return float(np.mean(residual**2)), alpha, factor, kernel, kernel_validation, residual

    @cached_property
    def surface(self) -> pd.DataFrame:
        """True loss on a dense grid: columns log10_gamma, log10_lambda (varying fastest), loss."""
        axes = [np.linspace(*BOUNDS[name], N_SURFACE) for name in AXES]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
        losses = np.concatenate([self._column(value, axes[1]) for value in axes[0]])
        return pd.DataFrame({AXES[0]: points[:, 0], AXES[1]: points[:, 1], "loss": losses})

    def _column(self, log10_gamma: float, log10_lambdas: Array) -> Array:
        """Losses of one gamma and every lambda, from one eigendecomposition."""
        n, gamma = len(self.y), 10.0**log10_gamma
        values, vectors = np.linalg.eigh(np.exp(-gamma * self.distances))
        shifted = np.maximum(values, 0.0)[:, None] + n * 10.0 ** log10_lambdas[None, :]
        alphas = vectors @ ((vectors.T @ self.y)[:, None] / shifted)
        predicted = np.exp(-gamma * self.distances_validation) @ alphas
        losses: Array = np.mean((predicted - self.y_validation[:, None]) ** 2, axis=0)
        return losses

    @property
    def optimum_loss(self) -> float:
        """A point lies in the optimum region if its loss is at most this."""
        return optimum_loss(self.surface["loss"])


def optimum_loss(losses: pd.Series[float]) -> float:
    """Highest loss of the optimum region, from the losses of a surface."""
    return float(losses.quantile(OPTIMUM_SHARE))


@lru_cache(maxsize=8)
def make_problem(seed: int) -> Problem:
    """The problem whose training and validation rows `seed` draws."""
    from sklearn.datasets import load_breast_cancer

    X, target = load_breast_cancer(return_X_y=True)
    rows = rng_for("search_problem", seed).permutation(len(X))
    train, validation = rows[:N_TRAIN], rows[N_TRAIN : N_TRAIN + N_VALIDATION]
    X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    y = 2.0 * target - 1.0
    return Problem(
        _squared_distances(X[train], X[train]),
        _squared_distances(X[validation], X[train]),
        y[train],
        y[validation],
    )


def _squared_distances(a: Array, b: Array) -> Array:
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2.0 * a @ b.T
    clipped: Array = np.maximum(squares, 0.0)
    return clipped


def evaluations(points: Array, losses: list[float]) -> pd.DataFrame:
    """Table of evaluations in order: step from 1, the axes, loss, best_so_far.

    The points are (n, 2), the losses (n,), all after training on all rows.
    """
    table = pd.DataFrame({"step": np.arange(1, len(losses) + 1), AXES[0]: points[:, 0], AXES[1]: points[:, 1]})
    table["loss"] = losses
    table["best_so_far"] = np.minimum.accumulate(losses)
    return table
