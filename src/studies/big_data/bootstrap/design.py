"""The data of Figure 7, what is true of it, and a fit that says when it ended."""

from __future__ import annotations

import math
from functools import cache
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from frugal.rows import fit_logistic, interval_widths
from frugal.seeds import rng_for

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DEGREES = 3
"""Of freedom, of the Student t distribution that features have."""
_CHUNK = 20_000


def draw(n_rows: int, n_features: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Features from Student's t with 3 degrees of freedom, and labels by `P(1 | x) = 1 / (1 + exp(-sum_j x_j))`.

    All coefficients are 1, there is no intercept, and features may change places: one width is true of all.

    Args:
        n_rows: how many rows.
        n_features: columns, d.
        rng: generator.

    Returns:
        Features (n_rows, d), labels 0 and 1 (n_rows,).
    """
    X = rng.standard_t(DEGREES, size=(n_rows, n_features))
    return X, (rng.random(n_rows) < expit(X.sum(axis=1))).astype(np.int64)


@cache
def asymptotic_width(n_rows: int, n_features: int, n_draws: int) -> float:
    """Width of the central 95 % range of a coefficient over data sets of `n_rows`, for many rows.

    `2 * 1.96 * sqrt(diag(I^-1) / n_rows)`, I being Fisher's information of a row at the true coefficients,
    averaged over `n_draws` rows, and the square root over the coefficients.
    """
    rng, information = rng_for("bootstrap", "information"), np.zeros((n_features, n_features))
    for first in range(0, n_draws, _CHUNK):
        X = rng.standard_t(DEGREES, size=(min(_CHUNK, n_draws - first), n_features))
        p = expit(X.sum(axis=1))
        information += (X * (p * (1.0 - p))[:, None]).T @ X
    variances = np.diag(np.linalg.inv(information)) * n_draws / n_rows
    return 2 * 1.959964 * float(np.sqrt(variances).mean())


def timed_fit(X: ArrayLike, y: ArrayLike, weights: ArrayLike, start: Floats | None = None) -> Floats:
    """`fit_logistic`'s coefficients and then the moment at which it ended, shape (d + 1,).

    The moment, in seconds, goes with the coefficients because a fit may be another process's; the clock is the
    same for all processes of a machine.
    """
    coef = fit_logistic(X, y, weights, start=None if start is None else start[:-1])
    return np.append(coef, perf_counter())


def timed_widths(estimates: Floats) -> Floats:
    """Widths of the intervals of what `timed_fit` gave, shape (k, d + 1), without the moments: shape (d,)."""
    return interval_widths(estimates[:, :-1])


def n_distinct(n_draws: int, n_rows: int) -> float:
    """Distinct rows expected among `n_draws` drawn with replacement from `n_rows`: 63.2 % for as many draws."""
    return n_rows * -math.expm1(n_draws * math.log1p(-1.0 / n_rows)) if n_rows > 1 else 1.0
