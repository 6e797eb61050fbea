"""Logistic regression with weights and offsets, and its sandwich standard errors.

Labels 0 and 1, no penalty, no intercept of its own: a model with an intercept has a column of ones. The estimate
maximises

    sum_i w_i log P(y_i | x_i),    P(1 | x_i) = p_i = 1 / (1 + exp(-(beta^T x_i + o_i))),

with a weight w_i and an offset o_i per row. Its covariance is the sandwich of the weighted scores,

    H^-1 V H^-1,    H = sum_i w_i p_i (1 - p_i) x_i x_i^T,    V = sum_i w_i^2 (y_i - p_i)^2 x_i x_i^T.

With w_i = 1 / pi_i these are the covariance and the matrices of Wang, Zhu and Ma (2018), "Optimal subsampling for
large sample logistic regression", JASA 113: their W = R N H^-1 and V_c = V / (R N)^2 for R rows drawn out of N.
Differs from their program: a fit may start at the pilot's estimate. The end is judged by log-odds, which do not
depend on units. Separation is proved, not inferred from coefficients above 100. A step that goes beyond the
maximum along its line is halved, at most to log(1 + m) / m, where m is the largest change of a row's log-odds. A
step so short cannot go beyond the maximum: after a share t of the step, the curvature has changed by a factor of
at most exp(m t) (Bach 2010, "Self-concordant analysis for logistic regression", Electronic Journal of Statistics
4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]

MAX_STEPS: Final = 100
_TOLERANCE: Final = 1e-6
"""Largest change of a row's log-odds in the last Newton step; the remaining error is about its square."""
_RECESSION: Final = 1e-10
"""Loss of margin, relative to the terms of its sum, up to which a step is taken to cost a row no likelihood."""
_ROUNDING: Final = 1e-12
"""Change of a row's log-odds, relative to them, that is taken to be rounding."""
_DEPENDENT: Final = 1e-13
"""Smallest eigenvalue of the Gram matrix of columns of length 1 up to which they are taken to be dependent."""
_REASONS: Final = {
    "missing_class": "misses a class",
    "collinear": "has linearly dependent columns, so that its coefficients are not determined",
    "separated": "is separated by a linear boundary, so that its likelihood has no maximum",
    "no_convergence": f"did not converge by Newton's method with at most {MAX_STEPS} steps",
}


class FitError(ValueError):
    """Raised if the rows do not determine the coefficients.

    Attributes:
        sample: which rows, for people.
        reason: `missing_class`, `collinear`, `separated` or `no_convergence`.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> X, y = np.ones((10, 2)), np.tile([0, 1], 5)
        >>> try:
        ...     rows.fit_subsample(X, y, method="uniform", pilot_size=0, size=50, rng=np.random.default_rng(0))
        ... except rows.FitError as error:
        ...     error.reason
        'collinear'
    """

    def __init__(self, sample: str, reason: str) -> None:
        super().__init__(sample, reason)
        self.sample, self.reason = sample, reason

    def __str__(self) -> str:
        return f"{self.sample} {_REASONS[self.reason]}"


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """A maximum of the weighted likelihood.

    Attributes:
        coef: shape (d,).
        covariance: sandwich covariance of `coef`, shape (d, d).
        information: H at `coef`, with weights of mean 1, shape (d, d).
        n_steps: Newton steps taken.
    """

    coef: Floats
    covariance: Floats
    information: Floats
    n_steps: int


def fit_weighted(
    X: Floats,
    y: Floats,
    *,
    weights: Floats,
    sample: str,
    offsets: Floats | None = None,
    start: Floats | None = None,
) -> LogisticFit:
    """Maximise the weighted likelihood by Newton's method.

    Only the ratios of the weights matter: they may span many decades and are scaled to mean 1.

    Args:
        X: finite rows, shape (n, d).
        y: labels, 0 or 1, shape (n,).
        weights: above 0, shape (n,).
        sample: name of these rows in error messages.
        offsets: known parts of the log-odds, shape (n,); None: zeros.
        start: coefficients to begin with, shape (d,); None: zeros.

    Raises:
        FitError: if the rows lack a class, have dependent columns, are separated (also if some lie on the
            boundary), or the steps do not converge.
    """
    if not 0.0 < y.mean() < 1.0:
        raise FitError(sample, "missing_class")
    lengths = np.sqrt(np.einsum("ij,ij->j", X, X))
    Z = X / np.where(lengths > 0.0, lengths, 1.0)  # so that units do not spoil the equations' condition
    if np.linalg.eigvalsh(Z.T @ Z)[0] < _DEPENDENT:
        raise FitError(sample, "collinear")
    offsets = np.zeros(len(X)) if offsets is None else offsets
    start = np.zeros(X.shape[1]) if start is None else start
    w, sign = weights / weights.mean(), 2.0 * y - 1.0
    coef, margins = start * lengths, sign * (X @ start + offsets)
    for n_steps in range(1, MAX_STEPS + 1):
        scores, information = _derivatives(Z, sign, w, margins)
        gradient = scores.sum(axis=0)
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            break
        gains = sign * (Z @ step)
        largest = float(np.abs(gains).max())
        if float((np.abs(gains) - _ROUNDING * np.abs(margins)).max()) <= _TOLERANCE:
            return _fitted(X, sign, w, (coef + step) / lengths, margins + gains, n_steps)
        if costs_no_likelihood(Z, sign, step, gains):
            raise FitError(sample, "separated")
        length = _step_length(w, margins, gains, largest)
        coef, margins = coef + length * step, margins + length * gains
    raise FitError(sample, "no_convergence")


def costs_no_likelihood(X: Floats, sign: Floats, step: Floats, gains: Floats) -> bool:
    """Whether no row loses likelihood, however far one goes along a step: a hyperplane separates the classes.

    Rounding is no loss. It is judged by the terms of the row's own sum, since one far row may gain a billion times
    what the others lose. Coefficients that have converged count as unchanged.

    Args:
        X: rows, shape (n, d).
        sign: 1 or -1 by class, shape (n,).
        step: change of the coefficients, shape (d,).
        gains: change of the margins that it makes, `sign * (X @ step)`, shape (n,).
    """
    if gains.min() < -_RECESSION * gains.max():
        return False
    sizes = np.abs(X)
    terms = sizes.max(axis=0) * np.abs(step)
    moving = np.where(terms > _RECESSION * terms.max(), step, 0.0)
    return bool((sign * (X @ moving) >= -_RECESSION * (sizes @ np.abs(moving))).all())


def _step_length(w: Floats, margins: Floats, gains: Floats, largest: float) -> float:
    """Share of a step that does not go beyond the maximum along it; see the module's docstring.

    Args:
        w: weights, shape (n,).
        margins: signed log-odds before the step, shape (n,).
        gains: their changes by the whole step, shape (n,).
        largest: largest absolute change.
    """
    length, safe = 1.0, float(np.log1p(largest)) / largest
    while length > safe and float((w * expit(-(margins + length * gains))) @ gains) < 0.0:
        length = max(length / 2.0, safe)
    return length


def _fitted(X: Floats, sign: Floats, w: Floats, coef: Floats, margins: Floats, n_steps: int) -> LogisticFit:
    scores, information = _derivatives(X, sign, w, margins)
    inverse = np.linalg.inv(information)
    return LogisticFit(coef, inverse @ (scores.T @ scores) @ inverse, information, n_steps)


def _derivatives(X: Floats, sign: Floats, w: Floats, margins: Floats) -> tuple[Floats, Floats]:
    """Weighted score of each row, shape (n, d), and information H, shape (d, d)."""
    missing = expit(-margins)  # |y - p|, which has no rounding error where p is close to y
    return X * (w * sign * missing)[:, None], (X * (w * missing * expit(margins))[:, None]).T @ X
