"""The Gaussian process of Fabolas: candidates and the number of rows they were trained on.

Source: Klein et al. (2017), "Fast Bayesian optimization of machine learning hyperparameters on large datasets",
section 4.1. With s in [0, 1] the size, 1 for all rows,

    k((x, s), (x', s')) = a k_x(x, x') phi(s)' W phi(s'),   phi(s) = (1, psi(s))
    psi(s) = (1 - s)^2 for the loss,   psi(s) = s for the cost
    W = [[env_a, c], [c, env_b]],   c = rho (env_a env_b)^(1/2), rho = tanh(r); `diagonal`: rho = 0

The Cholesky factor of W is that of rho's correlation matrix, its rows times the roots of env_a and env_b. At s = 1
the loss is the constant part alone; nothing makes it fall as s grows. Targets are log errors or log seconds.

Differs from the paper, which takes s for the fraction of rows: by default it is log-scaled, as in its code,

    s = (log2 n - log2 n_min) / (log2 n_max - log2 n_min)

and `linear` is (n - n_min) / (n_max - n_min), whose features span the same functions as those of the fraction. The
paper's W is full, its code's diagonal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_choice, check_whole
from frugal.trials.surrogates.joint_gp import JointGP
from frugal.trials.surrogates.kernels import Array

VARIANTS: Final = ("loss", "cost")
SIZE_COVARIANCES: Final = ("diagonal", "full")
SCALES: Final = ("log2", "linear")
ENV_BOX, CORRELATION_BOX = (-20.0, 20.0), (-5.0, 5.0)
"""Of log env_a and log env_b; of r, so that |rho| is at most 0.9999."""


def to_unit_size(n: ArrayLike, n_min: int, n_max: int, scale: str = "log2") -> Array:
    """Sizes s in [0, 1] of n rows, any shape.

    `log2`: s = (log2 n - log2 n_min) / (log2 n_max - log2 n_min); `linear`: s = (n - n_min) / (n_max - n_min).

    Args:
        n: numbers of rows.
        n_min: rows at s = 0.
        n_max: rows at s = 1.
        scale: `log2` or `linear`.

    Raises:
        ValueError: on an unknown scale, bounds that are no whole numbers with 1 <= n_min < n_max, or a number of
            rows outside them.

    Examples:
        >>> from frugal.trials.surrogates import to_unit_size
        >>> to_unit_size([100, 200, 400], 100, 400).tolist()
        [0.0, 0.5, 1.0]
    """
    _check_sizes(n_min, n_max, scale)
    rows = np.asarray(n, dtype=float)
    outside = rows[~((rows >= n_min) & (rows <= n_max))]
    if outside.size:
        raise ValueError(f"n must be at least {n_min} and at most {n_max} rows, got {outside.flat[0]:g}")
    if scale == "log2":
        sizes = np.log2(rows / n_min) / math.log2(n_max / n_min)  # of n_max it may miss 1 by a last digit
        return np.where(rows == n_max, 1.0, sizes)
    return np.asarray((rows - n_min) / (n_max - n_min))


def from_unit_size(s: ArrayLike, n_min: int, n_max: int, scale: str = "log2") -> NDArray[np.int64]:
    """Numbers of rows, rounded, of sizes s in [0, 1], any shape.

    Args:
        s: sizes.
        n_min: rows at s = 0.
        n_max: rows at s = 1.
        scale: `log2` or `linear`, as in `to_unit_size`.

    Raises:
        ValueError: on an unknown scale, other bounds, or an s outside [0, 1].

    Examples:
        >>> from frugal.trials.surrogates import from_unit_size
        >>> from_unit_size([0.0, 0.5, 1.0], 100, 400).tolist()
        [100, 200, 400]
    """
    _check_sizes(n_min, n_max, scale)
    sizes = np.asarray(s, dtype=float)
    outside = sizes[~((sizes >= 0) & (sizes <= 1))]
    if outside.size:
        raise ValueError(f"s must be at least 0 and at most 1, got {outside.flat[0]:g}")
    if scale == "log2":
        rows: Array = n_min * np.exp2(sizes * math.log2(n_max / n_min))
    else:
        rows = n_min + sizes * (n_max - n_min)
    return np.asarray(np.clip(np.rint(rows), n_min, n_max), dtype=np.int64)


def _check_sizes(n_min: int, n_max: int, scale: str) -> None:
    check_choice("scale", scale, SCALES)
    check_whole("n_min", n_min, 1)
    check_whole("n_max", n_max, n_min + 1)


class _SizeFactor:
    """phi(s)' W phi(s'), with parameters (log env_a, log env_b) and, if full, r."""

    def __init__(self, variant: str, *, full: bool) -> None:
        self._loss, self._full = variant == "loss", full

    @property
    def box(self) -> Array:
        return np.array([ENV_BOX, ENV_BOX, CORRELATION_BOX][: 3 if self._full else 2])

    def features(self, u: Array) -> Array:
        return np.array([np.ones_like(u), (1 - u) ** 2 if self._loss else u])

    def slopes(self, u: Array) -> Array:
        return np.array([np.zeros_like(u), -2 * (1 - u) if self._loss else np.ones_like(u)])

    def weights(self, parameters: Array) -> Array:
        constant, slope, both = self._entries(parameters)
        return np.array([[constant, both], [both, slope]])

    def weights_gradient(self, parameters: Array) -> Array:
        constant, slope, both = self._entries(parameters)
        by_constant, by_slope = [[constant, both / 2], [both / 2, 0.0]], [[0.0, both / 2], [both / 2, slope]]
        if not self._full:
            return np.array([by_constant, by_slope])
        by_r = math.sqrt(constant * slope) / math.cosh(parameters[2]) ** 2
        return np.array([by_constant, by_slope, [[0.0, by_r], [by_r, 0.0]]])

    def _entries(self, parameters: Array) -> tuple[float, float, float]:
        constant, slope = math.exp(parameters[0]), math.exp(parameters[1])
        both = math.tanh(parameters[2]) * math.sqrt(constant * slope) if self._full else 0.0
        return constant, slope, both


class SizeGP(JointGP):
    """Log error or log seconds at joint points (n, d + 1), the last column a size s in [0, 1].

    A hyperparameter that is given is fixed, one of None is fitted. Targets are used as they are, less their mean:
    with the prior `repaired` standardise them first, with `robo` do not.

    Args:
        variant: `loss` or `cost`.
        size_covariance: W `diagonal`, or `full` with its correlation.
        prior: `repaired` or `robo`, which knows no full W.
        size_weights: env_a and env_b, above 0, and of a full W the correlation, within -0.9999 and 0.9999. Only
            their products with the amplitude matter to f; the priors tell them apart.
        noise_scale: scale of the horseshoe.
        **settings: settings of `JointGP`: kernel, lengthscale, amplitude, noise_variance, mean, n_restarts.

    Raises:
        ValueError: on an unknown variant, kernel, covariance or prior, or a hyperparameter that cannot be.

    Examples:
        >>> from frugal.trials.surrogates import SizeGP
        >>> gp = SizeGP(lengthscale=0.3, amplitude=1.0, noise_variance=1e-6, size_weights=(1.0, 1.0))
        >>> gp = gp.fit([[0.2, 0.0], [0.2, 0.5], [0.8, 0.0]], [1.0, 0.4, 0.7])
        >>> mean, std = gp.predict([[0.2, 1.0], [0.8, 1.0]])  # at all rows; two sizes say all of a candidate
        >>> mean.round(2).tolist(), std.round(2).tolist()
        ([0.2, 0.61], [0.0, 0.7])
    """

    _robo: Mapping[str, Any] = {"environment": True, "amplitude_shift": -2.0}

    def __init__(
        self,
        variant: str = "loss",
        *,
        size_covariance: str = "diagonal",
        prior: str = "repaired",
        size_weights: ArrayLike | None = None,
        noise_scale: float = 0.001,
        **settings: Any,
    ) -> None:
        check_choice("variant", variant, VARIANTS)
        check_choice("size_covariance", size_covariance, SIZE_COVARIANCES)
        full = size_covariance == "full"
        if full and prior == "robo":
            raise ValueError("size_covariance must be diagonal with the prior 'robo', got 'full'")
        mixing, factor = _given(size_weights, full=full), _SizeFactor(variant, full=full)
        super().__init__(factor, mixing=mixing, noise_scale=noise_scale, prior=prior, **settings)


def _given(size_weights: ArrayLike | None, *, full: bool) -> Array:
    """Parameters of the factor, nan where they are free."""
    n_parameters = 3 if full else 2
    if size_weights is None:
        return np.full(n_parameters, np.nan)
    values = np.asarray(size_weights, dtype=float)
    if values.shape != (n_parameters,) or not ((values[:2] > 0) & np.isfinite(values[:2])).all():
        raise ValueError(
            f"size_weights must be env_a and env_b, above 0{', and a correlation' if full else ''},"
            f" got {size_weights!r}"
        )
    if full and not abs(values[2]) < math.tanh(CORRELATION_BOX[1]):
        raise ValueError(f"the correlation of size_weights must be within -0.9999 and 0.9999, got {values[2]:g}")
    return np.concatenate([np.log(values[:2]), np.arctanh(values[2:])])
