"""Subsamples of generated rows, fitted again and again: the computing behind document 003's section 3.3.

Every method meets the same rows. Within a repeat the methods that take a pilot take the same one, since the
generator of the drawing does not depend on the method and draws the pilot first.

Rows are counted three ways: `rows_drawn`, those of the fits; `rows_scored`, the pass over all rows that turns a
pilot into probabilities, 0 without one; and `rows_touched`, how often a row's gradient or probability was
computed: a drawn row once per Newton step of its fit, a scored row once. Failed pilots are drawn but not touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from frugal.rows import FitError, SubsampleFit, fit_subsample
from frugal.rows.weighted_logistic import LogisticFit, fit_weighted
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.subsampling import DESIGNS
from studies.estimates import Array

N_FEATURES: Final = 7
COEF: Final = np.full(N_FEATURES, 0.5)
"""The true coefficients of both designs (Wang, Zhu and Ma 2018)."""
RARE_MEAN: Final = np.array([1.5, 1.5])
RARE_SD: Final = np.array([2.0, 0.3])
"""Of the rare class; the other is standard normal.

The document prints no parameters. The covariances differ, so that the true log-odds are quadratic, by 3/8 x_1^2
and -5.06 x_2^2, and no linear model is right. They were fixed before any method was run.
"""
_N_TIMED: Final = 3


def design_rows(name: str, n_rows: int, rng: Generator) -> tuple[Array, Array]:
    """Rows of a design of Figure 10: no intercept, correlations of one half.

    The name is a key of `subsampling.DESIGNS`.

    Returns:
        Features, shape (n_rows, N_FEATURES), and labels, 0 or 1, from the logistic model with `COEF`, shape
        (n_rows,).
    """
    factor = np.linalg.cholesky(0.5 + 0.5 * np.eye(N_FEATURES))
    X = DESIGNS[name] + rng.standard_normal((n_rows, N_FEATURES)) @ factor.T
    return X, (rng.random(n_rows) < expit(X @ COEF)).astype(float)


def rare_rows(n_rows: int, share: float, rng: Generator) -> tuple[Array, Array]:
    """Rows of a rare class within a common one, two features after a column of ones.

    Label 1 has the probability `share`.

    Returns:
        Features, shape (n_rows, 3), and labels, shape (n_rows,).
    """
    y = (rng.random(n_rows) < share).astype(float)
    normal = rng.standard_normal((n_rows, 2))
    X = np.where(y[:, None] == 1.0, RARE_MEAN + RARE_SD * normal, normal)
    return np.column_stack([np.ones(n_rows), X]), y


def repeat(
    X: Array, y: Array, drawing: Mapping[str, Any], n: int, *names: str | int
) -> tuple[Array, dict[str, float]]:
    """Coefficients of `n` subsamples, (n, d), nan where the fit failed; and what they took."""
    coefs, seconds, fits = np.full((n, X.shape[1]), np.nan), [], []
    with one_thread():
        for i in range(n):
            rng, started = rng_for(*names, i), perf_counter()
            try:
                fit = fit_subsample(X, y, rng=rng, **drawing)
            except FitError:
                continue
            seconds.append(perf_counter() - started)
            coefs[i] = fit.coef
            fits.append(fit)
    return coefs, {
        "share_failed": 1 - len(fits) / n,
        "share_pilot_failed": mean([float(bool(fit.pilot_failures)) for fit in fits]),
        "seconds": float(np.median(seconds)) if seconds else np.nan,
        "rows_drawn": mean([fit.n_drawn for fit in fits]),
        "rows_scored": mean([fit.n_scored for fit in fits]),
        "rows_touched": mean([_touched(fit, drawing["pilot_size"]) for fit in fits]),
    }


def _touched(fit: SubsampleFit, pilot_size: int) -> float:
    """How often a row's gradient or probability was computed."""
    evaluations = len(fit.rows) * fit.n_steps
    if fit.pilot is not None:
        evaluations += pilot_size * (2 if fit.pilot_failures else 1) * fit.pilot.n_steps
    return float(evaluations + fit.n_scored)


def bootstraps(X: Array, y: Array, n: int, *names: str | int) -> tuple[Array, dict[str, float]]:
    """Coefficients of `n` bootstraps, (n, d), and what a fit to the rows themselves takes."""
    coefs = np.empty((n, X.shape[1]))
    for i in range(n):
        drawn, counts = np.unique(
            rng_for(*names, "bootstrap", i).integers(len(y), size=len(y)), return_counts=True
        )
        coefs[i] = fit_all(X[drawn], y[drawn], counts.astype(float)).coef
    return coefs, cost_of_all(X, y)


def cost_of_all(X: Array, y: Array) -> dict[str, float]:
    """What a fit to all rows takes, as `repeat` has it of subsamples."""
    seconds = []
    with one_thread():
        for _ in range(_N_TIMED):
            started = perf_counter()
            fit = fit_all(X, y)
            seconds.append(perf_counter() - started)
    return {
        "share_failed": 0.0,
        "share_pilot_failed": 0.0,
        "seconds": float(np.median(seconds)),
        "rows_drawn": float(len(y)),
        "rows_scored": 0.0,
        "rows_touched": float(len(y) * fit.n_steps),
    }


def fit_all(X: Array, y: Array, weights: Array | None = None) -> LogisticFit:
    """The fit to all rows, without a penalty; each counts once by default."""
    weights = np.ones(len(y)) if weights is None else weights
    return fit_weighted(X, y, weights=weights, sample="all rows")


def mean(values: list[float]) -> float:
    """Mean of the values; nan if there are none."""
    return float(np.mean(values)) if values else np.nan


def squared(vector: Array) -> float:
    """Squared length of the vector."""
    return float(vector @ vector)


def mean_squared(vectors: Array) -> float:
    """Mean of the squared lengths of the vectors; nan if there are none."""
    return mean([squared(vector) for vector in vectors])
