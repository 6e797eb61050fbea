"""Sampling probabilities of rows for subsampled logistic regression.

Source: document 003 (Damke 2018), section 3.3, equations 15 to 17. Probability pi_i of row i out of N
(`~`: up to the factor that makes the sum 1):

    uniform      pi_i = 1 / N
    cc           pi_i = 1 / (2 N_1) if y_i = 1, else 1 / (2 N_0)                           (15)
    lcc          pi_i ~ |y_i - p_i|,  p_i = 1 / (1 + exp(-beta_0^T x_i))                   (16)
    osmac_mvc    pi_i ~ |y_i - p_i| |x_i|                                                  (17)
    osmac_mmse   pi_i ~ |y_i - p_i| |M^-1 x_i|,  M = sum_pilot p_i (1 - p_i) x_i x_i^T / pi_i

with beta_0 from a pilot, a small weighted fit. Differs from the document:

- (15) as printed sums to 2; here it is normalised.
- Probabilities below 1e-12 / N are raised to it, since weights divide by them; then all are divided by their sum.
- (16) as printed lacks the minus sign: it would draw the rows that the pilot classifies well.
- (17) minimises the trace of the scores' covariance (L-optimality, "mVc"). The A-optimal rule, whose trace the
  text describes, is `osmac_mmse` (Wang, Zhu and Ma 2018, "Optimal subsampling for large sample logistic
  regression", JASA 113).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from frugal.checks import check_choice
from frugal.rows.checks import check_array, check_binary, check_features, check_finite
from frugal.rows.weighted_logistic import FitError, Floats, LogisticFit, fit_weighted

METHODS: Final = ("uniform", "cc", "lcc", "osmac_mvc", "osmac_mmse")
WITHOUT_PILOT: Final = ("uniform", "cc")
_SMALLEST: Final = 1e-12
"""Probability, in units of 1 / N, to which smaller ones are raised, since weights divide by it."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows drawn in one step, with replacement.

    Attributes:
        rows: indices of the rows, shape (n,).
        probabilities: probability of drawing each row, shape (n,).
        shift: log(pi(x, 1) / pi(x, 0)): the shift of each row's log-odds by the drawing, shape (n,).
    """

    rows: NDArray[np.intp]
    probabilities: Floats
    shift: Floats


def sampling_probabilities(
    X: ArrayLike,
    y: ArrayLike,
    *,
    method: str,
    coef: ArrayLike | None = None,
    information: ArrayLike | None = None,
) -> Floats:
    """Probability of drawing each row, shape (N,), summing to 1; none is below about 1e-12 / N.

    Args:
        X: rows, shape (N, d).
        y: labels, 0 or 1, shape (N,).
        method: `uniform`, `cc`, `lcc`, `osmac_mvc` or `osmac_mmse`.
        coef: coefficients of the pilot, shape (d,); needed by `lcc` and both `osmac` methods.
        information: M up to a factor, shape (d, d); needed by `osmac_mmse`.

    Raises:
        ValueError: on an unknown method, labels other than 0 and 1, arrays that do not fit together, or a pilot
            that is missing, not finite or (M) not positive definite.

    Examples:
        >>> from frugal.rows import sampling_probabilities
        >>> sampling_probabilities([[1.0], [2.0], [3.0], [4.0], [5.0]], [1, 0, 0, 0, 0], method="cc").tolist()
        [0.5, 0.125, 0.125, 0.125, 0.125]
    """
    X, y = checked(X, y)
    check_choice("method", method, METHODS)
    return probabilities_of(X, y, method, coef, information)


def probabilities_of(
    X: Floats, y: Floats, method: str, coef: ArrayLike | None = None, information: ArrayLike | None = None
) -> Floats:
    """`sampling_probabilities` of rows and labels that `checked` has returned."""
    n_rows, d = X.shape
    if method == "uniform":
        return np.full(n_rows, 1.0 / n_rows)
    if method == "cc":
        n_ones = np.count_nonzero(y)
        return np.where(y == 1.0, 0.5 / n_ones, 0.5 / (n_rows - n_ones))
    scores = np.abs(y - expit(X @ _pilot_array("coef", coef, (d,), method)))
    if method == "osmac_mvc":
        scores *= norms(X)
    elif method == "osmac_mmse":
        scores *= norms(X @ _inverse(_pilot_array("information", information, (d, d), method)))
    scores /= max(float(scores.sum()), np.finfo(float).tiny)
    np.maximum(scores, _SMALLEST / n_rows, out=scores)
    scores /= scores.sum()
    return scores


def draw(X: Floats, y: Floats, method: str, n_rows: int, rng: Generator) -> Draw:
    """Draw rows by a method without a pilot.

    Args:
        X: rows, shape (N, d).
        y: labels, 0 or 1, shape (N,).
        method: one of `WITHOUT_PILOT`.
        n_rows: number of rows to draw.
        rng: draws them.
    """
    probabilities = probabilities_of(X, y, method)
    rows = rng.choice(len(y), n_rows, p=probabilities)
    n_ones = np.count_nonzero(y)
    shift = math.log((len(y) - n_ones) / n_ones) if method == "cc" else 0.0
    return Draw(rows, probabilities[rows], np.full(n_rows, shift))


def draw_by_pilot(
    X: Floats, y: Floats, method: str, n_rows: int, rng: Generator, *, coef: Floats, information: Floats
) -> Draw:
    """Draw rows by a method with a pilot.

    The factor of |y - p| in each probability does not depend on y. So every method shifts the log-odds by
    log((1 - p) / p) = -beta_0^T x.

    Args:
        X: rows, shape (N, d).
        y: labels, 0 or 1, shape (N,).
        method: one of `METHODS`, not of `WITHOUT_PILOT`.
        n_rows: number of rows to draw.
        rng: draws them.
        coef: coefficients of the pilot, shape (d,).
        information: information matrix of the pilot, shape (d, d).
    """
    probabilities = probabilities_of(X, y, method, coef, information)
    rows = rng.choice(len(y), n_rows, p=probabilities)
    return Draw(rows, probabilities[rows], -(X[rows] @ coef))


def checked(X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Convert rows and labels to floats.

    Args:
        X: shape (N, d).
        y: shape (N,).

    Raises:
        ValueError: if `X` is no finite matrix, or `y` does not hold a label 0 or 1 per row, and both of them.
    """
    X = np.asarray(check_features(X), dtype=float)
    check_finite("X", X)
    y = np.asarray(y)
    if y.shape != X.shape[:1]:
        raise ValueError(f"y must hold a label for each of the {len(X)} rows of X, got shape {y.shape}")
    y = check_binary(y)
    if y.min() == y.max():
        raise ValueError(f"y must hold both labels, got {y[0]:g} alone")
    return X, y


def norms(X: Floats) -> Floats:
    """Lengths of the rows, shape (N,)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", X, X)))


def _pilot_array(name: str, value: ArrayLike | None, shape: tuple[int, ...], method: str) -> Floats:
    """What a method needs of its pilot, as a finite array of a given shape."""
    if value is None:
        raise ValueError(f"{name} of the pilot is needed by {method}, got None")
    return check_array(name, value, shape)


def _inverse(information: Floats) -> Floats:
    try:
        return np.asarray(cho_solve(cho_factor(information), np.eye(len(information))))
    except LinAlgError:
        raise ValueError("information must be positive definite, got a matrix that is not") from None


@dataclass(frozen=True, eq=False)
class Pilot:
    """Outcome of a pilot.

    Attributes:
        draw: the last draw.
        fit: fit to that draw; None: it failed.
        errors: errors of the fits that failed.
        n_drawn: number of rows in all its draws.
    """

    draw: Draw
    fit: LogisticFit | None
    errors: tuple[FitError, ...]
    n_drawn: int


def fit_pilot(X: Floats, y: Floats, method: str, size: int, rng: Generator) -> Pilot:
    """The fit to `size` rows, each weighted by 1 / its probability; to twice as many if that fails.

    Args:
        X: rows, (n, d).
        y: labels, 0 or 1, (n,).
        method: by which the pilot's own rows are drawn, of `sampling.WITHOUT_PILOT`.
        size: rows of the first draw.
        rng: generator of the draws.
    """
    errors: list[FitError] = []
    for n_rows in (size, 2 * size):
        drawn, fit = draw(X, y, method, n_rows, rng), None
        try:
            fit = fit_weighted(
                X[drawn.rows],
                y[drawn.rows],
                weights=1.0 / drawn.probabilities,
                sample=f"the pilot of {n_rows} rows",
            )
            break
        except FitError as error:
            errors.append(error)
    return Pilot(drawn, fit, tuple(errors), size * (1 + 2 * bool(errors)))
