"""Bootstraps of a logistic model, step by step: the computing behind document 003's section 3.1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from frugal.rows import Bag, b_of_n, blb, bootstrap, fit_logistic, interval_widths, subsample_size
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.estimates import Array

Ints = NDArray[np.int64]

DEGREES: Final = 3
"""Degrees of freedom of the Student t distribution of the features."""
_CHUNK: Final = 20_000
"""Rows of which Fisher's information is summed at a time."""
_MOST_STEPS: Final = 60
"""Most rows of a path; of more steps about as many are kept, evenly spaced in logarithms (`steps`)."""


# Rows and fits -------------------------------------------------------------------------------------------------


def draw_rows(n_rows: int, n_features: int, rng: np.random.Generator) -> tuple[Array, Ints]:
    """Features from Student's t with 3 degrees of freedom, and labels by `P(1 | x) = 1 / (1 + exp(-sum_j x_j))`.

    All coefficients are 1, there is no intercept, and features may change places: one width is true of all.

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


def fit_true(n_rows: int, n_features: int, seed: int, number: int) -> dict[str, float]:
    """Coefficients `coef_0` to `coef_{d-1}` of a fit to a fresh data set: one draw of the true range."""
    X, y = draw_rows(n_rows, n_features, rng_for("intervals", "truth", seed, number))
    with one_thread():
        coef = fit_logistic(X, y, start=np.ones(n_features))
    return {f"coef_{j}": float(value) for j, value in enumerate(coef)}


def timed_fit(X: ArrayLike, y: ArrayLike, weights: ArrayLike, start: Array | None = None) -> Array:
    """`fit_logistic`'s coefficients and then the moment at which it ended, shape (d + 1,).

    The moment, in seconds, goes with the coefficients because a fit may be another process's; the clock is the
    same for all processes of a machine.
    """
    coef = fit_logistic(X, y, weights, start=None if start is None else start[:-1])
    return np.append(coef, perf_counter())


def timed_widths(estimates: Array) -> Array:
    """Widths of the intervals of what `timed_fit` gave, shape (k, d + 1), without the moments: shape (d,)."""
    return interval_widths(estimates[:, :-1])


TIMED: Final[dict[str, Any]] = {"fit": timed_fit, "statistic": timed_widths, "warm_start": True}
"""What every bootstrap here is given."""


def start_workers(n_workers: int) -> None:
    """Let the worker processes import what they need, as those of a cluster have."""
    X, y = draw_rows(200, 2, rng_for("interval_workers", "start"))
    bootstrap(X, y, r=4 * n_workers, rng=rng_for("interval_workers", "start"), n_workers=n_workers, **TIMED)


def n_distinct(n_draws: int, n_rows: int) -> float:
    """Distinct rows expected among `n_draws` drawn with replacement from `n_rows`: 63.2 % for as many draws."""
    return n_rows * -math.expm1(n_draws * math.log1p(-1.0 / n_rows)) if n_rows > 1 else 1.0


# Paths: what a bootstrap has found after every subsample or resample, and what it has spent by then --------------


def paths(method: str, X: Array, y: Ints, seed: int, settings: Mapping[str, Any]) -> Iterator[pd.DataFrame]:
    """A path for every gamma, with its gamma and b; of `bootstrap` one, whose gamma is 1.

    Args:
        method: `blb`, `b_of_n` or `bootstrap`.
        X: features, shape (n, d).
        y: labels, shape (n,).
        seed: of the resamples.
        settings: `gammas`, `r`, `n_resamples`, `max_fits`, as of `intervals.run`.
    """
    n, r, most = len(X), settings["r"], settings["max_fits"]
    budget = settings["n_resamples"] * n_distinct(n, n)
    for gamma in [1.0] if method == "bootstrap" else settings["gammas"]:
        b, rng = subsample_size(n, gamma), rng_for("intervals", method, f"{gamma:g}", seed)
        began = perf_counter()
        if method == "blb":
            s = max(1, min(math.ceil(budget / (r * n_distinct(n, b))), most // r))
            path = by_subsample(blb(X, y, b=b, s=s, r=r, rng=rng, **TIMED), began)
        elif method == "b_of_n":
            n_fits = max(2, min(math.ceil(budget / n_distinct(b, n)), most))
            path = by_resample(b_of_n(X, y, b=b, r=n_fits, rng=rng, **TIMED), began, math.sqrt(b / n))
        else:
            path = by_resample(bootstrap(X, y, r=settings["n_resamples"], rng=rng, **TIMED), began)
        yield path.assign(gamma=gamma, b=b)


def by_subsample(bag: Bag, began: float) -> pd.DataFrame:
    """The path of a bag of little bootstraps: a row after each subsample in `steps`, with the mean widths so far.

    Args:
        bag: of `timed_fit` and `timed_widths`.
        began: moment at which it was begun, seconds.

    Returns:
        n_finished (subsamples), seconds, rows_touched (distinct rows per fit, summed over all fits so far),
        rows_held (rows of a subsample: all that its resamples need), fraction_distinct (distinct rows per fit
        over n, mean so far), largest_share (of a resample's distinct rows in `bag.b`, largest so far), n_failed
        fits, coef_error (of the averaged coefficients, mean distance to their true value, 1), and widths.
    """
    kept = np.array(steps(bag.s))
    widths = _mean_so_far(bag.statistics)[kept - 1]
    coefs = _mean_so_far(bag.coefs[:, :-1])[kept - 1]
    return _path(bag, began, kept, kept * bag.estimates.shape[1], np.full(len(kept), bag.b), coefs, widths)


def _mean_so_far(found: Array) -> Array:
    """Means of the first 1, 2, ... subsamples, without those whose fits all failed (nan)."""
    counts: Array = np.cumsum(np.isfinite(found), axis=0)
    return np.cumsum(np.nan_to_num(found), axis=0) / counts


def by_resample(bag: Bag, began: float, factor: float = 1.0) -> pd.DataFrame:
    """The path of a bootstrap: a row after each resample in `steps`, with the widths of the intervals so far.

    The widths are those of all fits so far, so they are 0 after the first fit.

    Args:
        bag: as for `by_subsample`, of one subsample.
        began: moment at which it was begun, seconds.
        factor: by which widths are multiplied, `sqrt(b / n)` for b out of n.

    Returns:
        The columns of `by_subsample`, n_finished counting resamples; rows_held is the most that a resample had.
    """
    kept = np.array(steps(bag.n_fits))
    done = [bag.estimates[0, :k][np.isfinite(bag.estimates[0, :k, 0])] for k in kept]
    d = bag.estimates.shape[2] - 1
    widths = np.array([factor * timed_widths(part) if len(part) else np.full(d, np.nan) for part in done])
    coefs = np.array([part[:, :-1].mean(axis=0) if len(part) else np.full(d, np.nan) for part in done])
    return _path(bag, began, kept, kept, np.maximum.accumulate(bag.rows[0])[kept - 1], coefs, widths)


def steps(total: int) -> list[int]:
    """Numbers, from 1, of the steps that a path keeps of `total`; the last step is always kept.

    Up to `_MOST_STEPS` steps are all kept. Of more steps about so many are kept, evenly spaced in logarithms.
    """
    if total <= _MOST_STEPS:
        return list(range(1, total + 1))
    return sorted({*np.geomspace(1, total, _MOST_STEPS).round().astype(int).tolist(), total})


def _path(
    bag: Bag, began: float, kept: Any, n_fits: Any, rows_held: Any, coefs: Array, widths: Array
) -> pd.DataFrame:
    """Rows of a path: after `kept` steps, which are `n_fits` fits."""
    ends, rows = bag.estimates[..., -1].ravel(), bag.rows.ravel()
    columns = {
        "n_finished": kept,
        "seconds": np.fmax.accumulate(ends)[n_fits - 1] - began,
        "rows_touched": np.cumsum(rows)[n_fits - 1],
        "rows_held": rows_held,
        "fraction_distinct": np.cumsum(rows)[n_fits - 1] / n_fits / bag.n,
        "largest_share": np.maximum.accumulate(rows)[n_fits - 1] / bag.b,
        "n_failed": np.cumsum(~np.isfinite(ends))[n_fits - 1],
        "coef_error": np.abs(coefs - 1.0).mean(axis=1),
    }
    return pd.DataFrame(columns | {f"width_{j}": width for j, width in enumerate(widths.T)})
