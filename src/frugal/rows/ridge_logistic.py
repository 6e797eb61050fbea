"""Logistic regression on weighted rows: the estimator of document 003's evaluation of the bootstraps.

With z_i = 1 for the class that sorts last and -1 for the other, and weights w_i, it minimises

    sum_i w_i log(1 + exp(-z_i x_i . beta)) / sum_i w_i + ridge / 2 |beta|^2

Differs from the document, which does not state its estimator in full: the small ridge penalty. Without it, a small
subsample that a hyperplane separates has no estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pandas import isna
from scipy.linalg import lapack
from scipy.special import expit

from frugal.checks import check_number
from frugal.rows.checks import SEPARATED, as_labels, check_array, check_features, check_finite
from frugal.rows.descent import halve
from frugal.rows.weighted_logistic import costs_no_likelihood

Array = NDArray[np.float64]

_MAX_STEPS = 100
_TOLERANCE = 1e-8
"""Largest relative change of a row's linear predictor in the last step.

Newton's method converges quadratically, so that the error is then about the square of it.
"""


def fit_logistic(
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    ridge: float = 1e-5,
    start: ArrayLike | None = None,
) -> Array:
    """Two-class logistic regression by Newton's method with step halving.

    Minimises `sum_i w_i log(1 + exp(-z_i x_i . beta)) / sum_i w_i + ridge / 2 |beta|^2`, z_i being 1 for the class
    that sorts last and -1 for the other. Weights that are scaled by a constant give the same estimate. There is no
    intercept: append a column of ones where one is wanted.

    The penalty depends on units, and falls on the column of ones too: where a column's standard deviation is 0.01,
    or its mean is 400 standard deviations, the default shrinks coefficients and intervals to a half, a tenth or
    less. Standardise the columns first, or set `ridge` to 0.

    Args:
        X: features, shape (n, d).
        y: labels of two classes, shape (n,).
        weights: counts or other numbers of at least 0, shape (n,); None: all 1.
        ridge: penalty on the mean loss, at least 0.
        start: coefficients to start from, shape (d,), such as a fit to other weights; None: zeros.

    Returns:
        Coefficients, shape (d,).

    Raises:
        ValueError: on other shapes, entries that are not finite, a weight below 0, other than two classes among
            the rows of positive weight, and with `ridge` 0 if a hyperplane separates them or columns are
            dependent.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> bool(np.abs(rows.fit_logistic(X, y) - [-1.0, 1.0]).max() < 0.2)
        True
    """
    X, z, w = _checked(X, y, weights, ridge)
    shape = X.shape[1:]
    beta = np.zeros(shape) if start is None else check_array("start", start, shape)

    def loss(at: Array) -> float:
        return float(w @ np.logaddexp(0.0, -z * (X @ at)) + 0.5 * ridge * at @ at)

    value = loss(beta)
    for _ in range(_MAX_STEPS):
        eta = X @ beta
        p = expit(-z * eta)
        gradient = ridge * beta - X.T @ (w * z * p)
        direction = _newton(X, w * p * (1.0 - p), gradient, ridge)
        if direction is None:
            break
        change = X @ direction
        if (np.abs(change) <= _TOLERANCE * (1.0 + np.abs(eta))).all():
            return beta + direction
        if ridge == 0.0 and costs_no_likelihood(X, z, direction, z * change):
            raise ValueError(SEPARATED)
        line = partial(_along, loss, beta, direction)
        step, value, _ = halve(line, value, float(gradient @ direction), 1.0)
        beta = beta + step * direction
    raise ValueError(f"Newton's method found no maximum with ridge={ridge:g}: columns of X may be dependent")


def _along(loss: Callable[[Array], float], beta: Array, direction: Array, step: float) -> float:
    return loss(beta + step * direction)


def _checked(X: ArrayLike, y: ArrayLike, weights: ArrayLike | None, ridge: float) -> tuple[Array, Array, Array]:
    """Features, signs and weights that sum to 1, of the rows of positive weight."""
    check_number("ridge", ridge, 0.0)
    if y is None:
        raise ValueError("y must hold the labels of the rows, got None")
    features, labels = np.asarray(check_features(X), dtype=float), as_labels(y)
    w = np.ones(len(features)) if weights is None else np.asarray(weights, dtype=float)
    for name, array in (("y", labels), ("weights", w)):
        if array.shape != (len(features),):
            raise ValueError(f"{name} must have shape ({len(features)},), one per row of X, got {array.shape}")
    if not (np.isfinite(w).all() and (w >= 0).all() and w.any()):
        raise ValueError("weights must be finite, at least 0 and not all 0")
    check_finite("X", features)
    check_finite("y", labels)
    if labels.dtype.kind in "OMm" and isna(labels).any():
        raise ValueError("y must not hold missing labels")
    used = w > 0
    if not used.all():
        features, labels, w = features[used], labels[used], w[used]
    try:
        classes = np.unique(labels)
    except TypeError as error:
        raise ValueError("y must hold labels of one kind, all text or all numbers") from error
    if len(classes) != 2:
        raise ValueError(f"y must hold two classes where weights are positive, got {len(classes)} distinct values")
    return features, np.where(labels == classes[1], 1.0, -1.0), w / w.sum()


def _newton(X: Array, curvature: Array, gradient: Array, ridge: float) -> Array | None:
    """Newton's direction, shape (d,); None where the Hessian is singular."""
    hessian = (X * curvature[:, None]).T @ X
    hessian.flat[:: len(hessian) + 1] += ridge
    _, direction, failed = lapack.dposv(hessian, -gradient)
    return None if failed else np.asarray(direction)
