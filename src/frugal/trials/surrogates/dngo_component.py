"""DNGO's prediction for one draw of its hyperparameters, and the features that all draws share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugal.trials.checks import check_points
from frugal.trials.surrogates.blr import BLR, Head
from frugal.trials.surrogates.dngo_network import Network
from frugal.trials.surrogates.dngo_prior_mean import Quadratic

Array = NDArray[np.float64]


@dataclass
class Basis:
    """From points of the unit cube to features, and from standardised targets back to their own units.

    The draws are asked about the same points one after the other, so the last points' features are kept.

    Attributes:
        network: takes standardised inputs.
        centre: mean of the inputs it was trained on, (d,).
        spread: their standard deviation, (d,).
        y_mean: mean of the targets.
        y_std: their standard deviation.
        mean: the prior mean, of standardised targets.
    """

    network: Network
    centre: Array
    spread: Array
    y_mean: float
    y_std: float
    mean: Quadratic
    _last: tuple[Array, Array] | None = field(default=None, repr=False)
    _last_jacobian: tuple[Array, Array] | None = field(default=None, repr=False)

    def features(self, X: Array) -> Array:
        """At X (m, d), shape (m, H)."""
        if self._last is None or not np.array_equal(self._last[0], X):
            self._last = X.copy(), self.network.features((X - self.centre) / self.spread)
        return self._last[1]

    def jacobian(self, X: Array) -> Array:
        """Derivatives of the features at X (m, d), shape (m, H, d)."""
        if self._last_jacobian is None or not np.array_equal(self._last_jacobian[0], X):
            by_standardised = self.network.jacobian((X - self.centre) / self.spread)[1]
            self._last_jacobian = X.copy(), by_standardised / self.spread
        return self._last_jacobian[1]


@dataclass(frozen=True)
class Component:
    """Prediction at given hyperparameters.

    Attributes:
        basis: the features.
        regression: on them, of standardised targets less the prior mean.
        log_alpha: log precision of the weights.
        log_beta: log precision of the noise.
        noisy: whether standard deviations are of an observation, with its noise, even where f's are asked for.
    """

    basis: Basis
    regression: BLR
    log_alpha: float
    log_beta: float
    noisy: bool = False

    @cached_property
    def _head(self) -> Head:
        return self.regression.at(self.log_alpha, self.log_beta)

    def predict(self, X: Array, *, with_noise: bool = False) -> tuple[Array, Array]:
        """Mean and standard deviation of f, or with noise of an observation, at X (m, d): each (m,).

        Raises:
            ValueError: on points outside the unit cube or of another dimension.
        """
        basis, X = self.basis, check_points(X, len(self.basis.centre))
        mean, std = self._head.predict(basis.features(X))
        if with_noise or self.noisy:
            std = np.hypot(std, np.exp(-self.log_beta / 2))
        return basis.y_mean + basis.y_std * (mean + basis.mean(X)), basis.y_std * std

    def predict_with_gradient(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean and standard deviation of f at X (m, d), then their derivatives: (m,), (m,), (m, d), (m, d)."""
        mean, std = self.predict(X)
        basis = self.basis
        by_mean, by_std = self._head.predict_gradient(basis.features(X), basis.jacobian(X))
        if self.noisy:  # by_std is of the std without the noise
            latent = np.sqrt(std**2 - basis.y_std**2 * np.exp(-self.log_beta))
            by_std = by_std * (latent / std)[:, None]
        return mean, std, basis.y_std * (by_mean + basis.mean.gradient(X)), basis.y_std * by_std

    def covariance(self, A: Array, B: Array) -> Array:
        """Posterior covariance (m, n) of f at A (m, d) and f at B (n, d)."""
        first, second = self.basis.features(A), self.basis.features(B)
        return self.basis.y_std**2 * self._head.covariance(first, second)

    @property
    def noise_variance(self) -> float:
        """Variance of an observation about f."""
        return float(self.basis.y_std**2 * np.exp(-self.log_beta))

    def believing(self, X: Array) -> Component:
        """A copy in which its own means were observed at X (m, d): only the uncertainty changes."""
        features = self.basis.features(check_points(X, len(self.basis.centre)))
        believed = self._head.predict(features)[0]
        return replace(self, regression=self.regression.extended(features, believed))
