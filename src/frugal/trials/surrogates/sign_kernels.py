"""Covariances of a process with its partial derivatives, and of these with each other, at the sites of signs.

Source: Riihimaki and Vehtari (2010), "Gaussian processes with monotonicity information"; equations 1 and 2 of
document 004. For a kernel k = h(t) of t = sum_e delta_e^2 / l_e^2, delta = x - x', with

    s = -2 dh / dt,   u = -2 ds / dt,   w = -2 du / dt

the covariances are

    cov(f(x), df(x') / dx'_d)             = s delta_d / l_d^2
    cov(df(x) / dx_d, df(x') / dx'_g)     = s [d = g] / l_d^2 - u delta_d delta_g / (l_d^2 l_g^2)

and, since dt / d log l_e = -2 delta_e^2 / l_e^2, their derivatives in log l_e follow from s -> u delta_e^2 / l_e^2
and u -> w delta_e^2 / l_e^2. For se, s = u = w = k. For matern52_ard, with q = sqrt(5 t), s = 5 / 3 (1 + q) e^-q,
u = 25 / 3 e^-q and w = 125 / 3 e^-q / q; the last only ever stands beside a delta squared, and counts as 0 at
q = 0. Amplitudes are left to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from frugal.trials.surrogates.kernels import Array, PullBack, differences

Ints = NDArray[np.int64]
Profile = Callable[[Array], tuple[Array, Array, Array]]
"""From t to s, u and w."""


def _se(t: Array) -> tuple[Array, Array, Array]:
    value = np.exp(-0.5 * t)
    return value, value, value


def _matern52(t: Array) -> tuple[Array, Array, Array]:
    q = np.sqrt(5 * t)
    decay = np.exp(-q)
    third = np.divide(125 / 3 * decay, q, out=np.zeros_like(q), where=q > 0)
    return 5 / 3 * (1 + q) * decay, 25 / 3 * decay, third


PROFILES: Final[Mapping[str, Profile]] = {"se": _se, "matern52_ard": _matern52}
"""Kernels that a process with signs may have."""


@dataclass(frozen=True, eq=False)
class Sites:
    """Where the sign of a partial derivative is known.

    Attributes:
        X: points of the unit cube, (m, d).
        dim: in which of the d coordinates the derivative is taken, (m,).
        sign: -1.0 or 1.0, (m,).
        kernel: one of `PROFILES`.
        v: scale of the probit likelihood, in units of the derivative.
        own: differences between the points, (d, m, m).
    """

    X: Array
    dim: Ints
    sign: Array
    kernel: str
    v: float
    own: Array

    @classmethod
    def of(cls, X: Array, dim: Ints, sign: Array, kernel: str, v: float) -> Sites:
        """Sites with their differences."""
        return cls(X, dim, sign, kernel, v, differences(X, X))

    def from_values(self, delta: Array, log_lengthscale: Array) -> tuple[Array, PullBack]:
        """Covariances (n, m) of values with the derivatives, and what turns weights on them into a gradient.

        Args:
            delta: differences between the points of the values and the sites, (d, n, m).
            log_lengthscale: (d,).
        """
        inverse, squares = np.exp(-2 * log_lengthscale), delta * delta
        s, u, _ = PROFILES[self.kernel](np.tensordot(inverse, squares, axes=1))
        along = self._along(delta) * inverse[self.dim]
        value = s * along

        def pullback(weights: Array) -> Array:
            by_distance = inverse * np.tensordot(squares, weights * along * u, axes=2)
            return np.asarray(by_distance - 2 * self._per_dimension((weights * value).sum(axis=0), len(inverse)))

        return value, pullback

    def from_values_gradient(self, delta: Array, log_lengthscale: Array) -> Array:
        """Derivatives (d, n, m) of these covariances in the points of the values."""
        inverse = np.exp(-2 * log_lengthscale)
        s, u, _ = PROFILES[self.kernel](np.tensordot(inverse, delta * delta, axes=1))
        along = self._along(delta) * inverse[self.dim]
        slopes = -u * along * delta * inverse[:, None, None]
        slopes[self.dim, :, np.arange(len(self.dim))] += (s * inverse[self.dim]).T
        return np.asarray(slopes)

    def among(self, log_lengthscale: Array) -> tuple[Array, PullBack]:
        """Covariances (m, m) of the derivatives, and what turns weights on them into a gradient."""
        inverse, squares = np.exp(-2 * log_lengthscale), self.own * self.own
        s, u, w = PROFILES[self.kernel](np.tensordot(inverse, squares, axes=1))
        by_column = self._along(self.own) * inverse[self.dim]
        both = -by_column.T * by_column  # the difference changes its sign with the order of the points
        same = np.where(self.dim[:, None] == self.dim, inverse[self.dim], 0.0)

        def pullback(weights: Array) -> Array:
            by_distance = inverse * np.tensordot(squares, weights * (u * same - w * both), axes=2)
            from_same, from_both = weights * s * same, weights * u * both
            direct = from_both.sum(axis=0) + from_both.sum(axis=1) - from_same.sum(axis=1)
            return np.asarray(by_distance + 2 * self._per_dimension(direct, len(inverse)))

        return s * same - u * both, pullback

    def _along(self, delta: Array) -> Array:
        """Of differences (d, n, m), those along each site's own coordinate, (n, m)."""
        return np.asarray(delta[self.dim, :, np.arange(len(self.dim))].T)

    def _per_dimension(self, per_site: Array, d: int) -> Array:
        return np.bincount(self.dim, weights=per_site, minlength=d).astype(np.float64)
