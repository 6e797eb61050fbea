"""A continuous distribution on the real line by its density on a sinh grid, and P(X > Y) of two of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline, PPoly

Array = NDArray[np.float64]

DROP = 22.0
"""Log units below its maximum at which the integrand of a posterior is cut off."""
N_POINTS = 200
"""Points of the grid; doubling them changes no probability of the Beta model by more than 1e-6."""


class Predictive:
    """Density on equal steps of t, where y = centre + scale * sinh(t), and its integral as a spline.

    Near the centre the points stand `scale` times a constant apart; away from it they reach out exponentially, as
    tails that fall like a power of log x need.

    Args:
        density: function of y, shape (n,), to the density, shape (n,); need not be normalised.
        centre: place of most of the mass.
        scale: width of most of the mass, above 0.
        reach: largest distance of a grid point from `centre`, above `scale`.
        n_points: number of grid points.
    """

    def __init__(
        self,
        density: Callable[[Array], Array],
        *,
        centre: float,
        scale: float,
        reach: float,
        n_points: int = N_POINTS,
    ) -> None:
        self.centre, self.scale = centre, scale
        end = math.asinh(reach / scale)
        self._t = np.linspace(-end, end, n_points)
        self._y = centre + scale * np.sinh(self._t)
        in_t = density(self._y) * np.cosh(self._t)
        self._mass = in_t / in_t.sum()
        step = self._t[1] - self._t[0]
        self._cdf: PPoly = CubicSpline(self._t, self._mass / step).antiderivative()

    def cdf(self, y: Array) -> Array:
        """P(Y <= y), any shape."""
        t = np.arcsinh((y - self.centre) / self.scale)
        return np.asarray(np.clip(self._cdf(np.clip(t, self._t[0], self._t[-1])), 0.0, 1.0))

    def quantile(self, share: ArrayLike) -> Array:
        """The y with P(Y <= y) = share, any shape: between two points of the grid, then by Newton's method.

        Args:
            share: probabilities in [0, 1].
        """
        share = np.asarray(share, dtype=float)
        after = np.clip(np.searchsorted(self._cdf_at_points, share), 1, len(self._t) - 1)
        low, high = self._t[after - 1], self._t[after]
        t = (low + high) / 2
        for _ in range(4):
            slope = np.maximum(self._density(t), 1e-300)
            t = np.clip(t - (self._cdf(t) - share) / slope, low, high)
        return np.asarray(self.centre + self.scale * np.sinh(t))

    @cached_property
    def _density(self) -> PPoly:
        return self._cdf.derivative()

    @cached_property
    def _cdf_at_points(self) -> Array:
        return np.maximum.accumulate(np.clip(self._cdf(self._t), 0.0, 1.0))

    def prob_above(self, other: Predictive) -> float:
        """P(Y_self > Y_other) for independent draws: the integral of our density times the other's cdf."""
        return min(float(self._mass @ other.cdf(self._y)), 1.0)


def narrowed(grid: Array, values: Array) -> tuple[float, float]:
    """Ends of the part of a grid where values are within `DROP` of the largest, with one more point on each side.

    Args:
        grid: increasing points, shape (n,).
        values: logarithms at these points, shape (n,).
    """
    inside = np.flatnonzero(values >= values.max() - DROP)
    return grid[max(inside[0] - 1, 0)], grid[min(inside[-1] + 1, len(grid) - 1)]


class HasPredictive(Protocol):
    """A posterior whose predictive distribution is given on the real line, after an increasing transformation."""

    @property
    def predictive(self) -> Predictive:
        """The distribution of one further value, on the line."""
        ...


def prob_greater(p: HasPredictive, q: HasPredictive) -> float:
    """P(X_p > X_q) for independent draws from two posterior predictives: equation 5 of document 000.

    The density of the narrower one is integrated against the distribution function of the other, so that
    P(X_p > X_q) + P(X_q > X_p) = 1 to rounding.

    Args:
        p: posterior of X_p.
        q: posterior of X_q, of the same kind.

    Examples:
        >>> from frugal.folds.beta import Posterior, prob_greater
        >>> round(prob_greater(Posterior.fit([0.91, 0.93, 0.92]), Posterior.fit([0.88, 0.9])), 2)
        0.74
    """
    first, second = p.predictive, q.predictive
    if first is second:
        return 0.5
    if (first.scale, first.centre) <= (second.scale, second.centre):
        return first.prob_above(second)
    return 1.0 - second.prob_above(first)
