"""Interface of surrogates for acquisitions and strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from frugal.trials.surrogates.kernels import Array


class Component(Protocol):
    """A Gaussian prediction at every point, from one setting of the hyperparameters.

    Examples:
        >>> from frugal.trials.surrogates import GP, Component
        >>> component: Component = GP(lengthscale=0.3, noise_variance=0.0).fit([[0.0], [1.0]], [0.2, 0.4])
        >>> component.noise_variance
        0.0
    """

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of f at X (m, d): each (m,)."""

    def predict_with_gradient(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Both, then their derivatives at X: (m,), (m,), (m, d), (m, d)."""

    def covariance(self, A: Array, B: Array) -> Array:
        """Posterior covariance (m, n) of f at A (m, d) and f at B (n, d)."""

    @property
    def noise_variance(self) -> float:
        """Variance of an observation about f."""


class Surrogate(Protocol):
    """A mixture, in equal shares, of one component per sample of the hyperparameters.

    Examples:
        >>> from frugal.trials.surrogates import GP, Surrogate
        >>> surrogate: Surrogate = GP(lengthscale=0.3, noise_variance=0.0).fit([[0.0], [1.0]], [0.2, 0.4])
        >>> len(surrogate.components)
        1
    """

    @property
    def components(self) -> Sequence[Component]:
        """At least one."""

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of the mixture at X (m, d): each (m,)."""

    def believing(self, X: Array) -> Surrogate:
        """A copy in which each component's own means were observed at X (m, d)."""
