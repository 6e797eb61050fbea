"""Multinomial logistic regression: loss, gradient, Hessian products, and the gradient's variance over rows.

C classes share the softmax `p_ic = exp(x_i . w_c) / sum_k exp(x_i . w_k)`, one vector of coefficients each.
With e_i the indicator of the class of row i, the gradient of its loss `-log p_i,y_i` is the outer product `x_i
(p_i - e_i)^T`, so that its squared length is `|x_i|^2 |p_i - e_i|^2`: no gradient of a single row is ever
written out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

_ROUNDING = 1e-12
"""Share of the mean square of the gradients below which their variance is taken to be 0: it is rounding."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The objective on m rows, with its derivatives.

    Attributes:
        objective: mean loss plus penalty.
        gradient: gradient of the objective, shape (d, C).
        variance: trace of the covariance of the gradient over samples of m rows, equation 13; nan for one row.
        p: probabilities, shape (m, C).
        separated: whether every row's own class is strictly the most probable.
    """

    objective: float
    gradient: Array
    variance: float
    p: Array
    separated: bool


def objective(coef: Array, X: Array, codes: Ints, ridge: float) -> float:
    """Mean loss plus `ridge / 2 |coef|^2`.

    Args:
        coef: coefficients, shape (d, C).
        X: features, shape (m, d).
        codes: class per row, from 0 to C - 1, shape (m,).
        ridge: penalty.
    """
    log_p = log_softmax(X @ coef, axis=1)
    return float(-log_p[np.arange(len(X)), codes].mean() + 0.5 * ridge * np.vdot(coef, coef))


def evaluate(coef: Array, X: Array, codes: Ints, ridge: float) -> Evaluation:
    """The objective, its gradient and the variance of the gradient, in one pass.

    Equation 13, `V = sum_i |g_i - g|^2 / (m (m - 1))`, is computed as `(sum_i |g_i|^2 - m |g|^2) / (m (m -
    1))`, g_i being the gradient of row i's loss and g their mean. The penalty is in the gradient but has no
    variance.

    Args:
        coef: coefficients, shape (d, C).
        X: features, shape (m, d).
        codes: class per row, from 0 to C - 1, shape (m,).
        ridge: penalty.
    """
    m, each = len(X), np.arange(len(X))
    log_p = log_softmax(X @ coef, axis=1)
    log_p_true = log_p[each, codes]
    p = np.exp(log_p)
    residuals = p.copy()
    residuals[each, codes] -= 1.0
    loss_gradient = X.T @ residuals / m
    squares = float(np.einsum("ij,ij->i", X, X) @ np.einsum("ij,ij->i", residuals, residuals))
    spread = squares - m * float(np.vdot(loss_gradient, loss_gradient))
    if spread <= _ROUNDING * squares:
        spread = 0.0
    log_p[each, codes] = -np.inf
    return Evaluation(
        objective=float(-log_p_true.mean() + 0.5 * ridge * np.vdot(coef, coef)),
        gradient=loss_gradient + ridge * coef,
        variance=spread / (m * (m - 1)) if m > 1 else np.nan,
        p=p,
        separated=bool((log_p_true > log_p.max(axis=1)).all()),
    )


def hessian_product(direction: Array, X: Array, p: Array, ridge: float) -> Array:
    """The Hessian of the objective times a direction, shape (d, C).

    It is `X^T (P o (XD - rowsum(P o XD))) / m + ridge D`.

    Args:
        direction: D, shape (d, C).
        X: features, shape (m, d).
        p: probabilities P, shape (m, C).
        ridge: penalty.
    """
    moved = X @ direction
    moved -= np.einsum("ij,ij->i", p, moved)[:, None]
    moved *= p
    return np.asarray(X.T @ moved / len(X) + ridge * direction)
