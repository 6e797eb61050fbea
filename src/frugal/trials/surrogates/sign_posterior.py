"""A Gaussian process given values and signs of partial derivatives, with given hyperparameters.

Source: document 004, equations 1 to 5, and Riihimaki and Vehtari (2010), "Gaussian processes with monotonicity
information". The algebra is that of the joint vector of values and derivatives with sites as in
`frugal.trials.surrogates.sign_sites`, taken in two steps. First the values, exactly
(`frugal.trials.surrogates.posterior`): they leave the derivatives at the sites with a mean m0 and a covariance S0.
Then the sites. Here a is the amplitude, y is less the prior mean, and tau are the precisions of the sites. k_f and
k_g are the covariances of f(x) with values and derivatives, A = K_ff + noise I, G = A^-1 K_fg,
`q(x) = k_g - G' k_f` and R = (S0 + diag(tau)^-1)^-1:

    mean(x) = k_f' A^-1 y + q' c_g,   var(x) = a - k_f' A^-1 k_f - q' R q,   c_g = S0^-1 (mean of g - m0)
    log Z = log p(y) + log P(signs | y)
    d log Z / d theta = tr((c c' - P) dK / d theta) / 2,   c = (A^-1 y - G c_g, c_g),
    P = [[A^-1 + G R G', -G R], [-R G', R]]

where dA / d log noise = noise I for the values and 0 for the derivatives. The gradient takes the sites as they
are: the evidence is stationary in them.

The covariances of a process with its partial derivatives, and of these with each other, are those of document
004, equations 1 and 2. For a kernel k = h(t) of t = sum_e delta_e^2 / l_e^2, delta = x - x', with

    s = -2 dh / dt,   u = -2 ds / dt,   w = -2 du / dt

they are

    cov(f(x), df(x') / dx'_d)             = s delta_d / l_d^2
    cov(df(x) / dx_d, df(x') / dx'_g)     = s [d = g] / l_d^2 - u delta_d delta_g / (l_d^2 l_g^2)

and, since dt / d log l_e = -2 delta_e^2 / l_e^2, their derivatives in log l_e, beside those of the factors 1 /
l_e^2, follow from s -> u delta_e^2 / l_e^2 and u -> w delta_e^2 / l_e^2. For se, s = u = w = k. For matern52_ard,
with q = sqrt(5 t), s = 5 / 3 (1 + q) e^-q, u = 25 / 3 e^-q and w = 125 / 3 e^-q / q; the last only ever stands
beside a delta squared, and counts as 0 at q = 0. Amplitudes are left to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from frugal.trials.surrogates.covariances import Covariance
from frugal.trials.surrogates.kernels import Array, PullBack, differences
from frugal.trials.surrogates.posterior import Data, Posterior
from frugal.trials.surrogates.sign_sites import hold, propagate

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
        differences: differences between the points, (d, m, m).
    """

    X: Array
    dim: Ints
    sign: Array
    kernel: str
    v: float
    differences: Array

    @classmethod
    def from_points(cls, X: Array, dim: Ints, sign: Array, kernel: str, v: float) -> Sites:
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
        inverse, squares = np.exp(-2 * log_lengthscale), self.differences * self.differences
        s, u, w = PROFILES[self.kernel](np.tensordot(inverse, squares, axes=1))
        by_column = self._along(self.differences) * inverse[self.dim]
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


@dataclass(frozen=True)
class SignData(Data):
    """Data with the sites of signs, and the differences (d, n, m) between the points of both."""

    sites: Sites
    to_sites: Array

    @classmethod
    def with_sites(cls, data: Data, sites: Sites) -> SignData:
        """The same values with other sites."""
        to_sites = differences(data.X, sites.X)
        return cls(data.X, data.residuals, data.pairs, data.below, sites, to_sites)


class SignPosterior(Posterior):
    """The posterior of values and signs, given theta = (log length-scales, log amplitude, log noise variance).

    Attributes:
        log_evidence: log p(y, signs); nan if the sites were given.
        approximation: distribution of the derivatives at the sites, given the values.

    Args:
        covariance: the stationary one of the sites' kernel.
        data: values and sites.
        theta: the hyperparameters.
        held: precisions of the sites, and these times the sites' means of g, each (m,); None: found by expectation
            propagation.
    """

    def __init__(
        self, covariance: Covariance, data: SignData, theta: Array, held: tuple[Array, Array] | None = None
    ) -> None:
        super().__init__(covariance, data, theta)
        self._sites = data.sites
        self._half_sites = self._solve(self._cross)
        mean = self._cross.T @ self.alpha
        left = self._among - self._half_sites.T @ self._half_sites
        if held is None:
            self.approximation = propagate(mean, left, data.sites.sign, data.sites.v)
        else:
            self.approximation = hold(mean, left, held[0], held[1] - held[0] * mean)
        self._mean_at_sites = mean
        self.log_evidence += self.approximation.log_evidence

    def _set_pullbacks(self) -> None:
        super()._set_pullbacks()
        assert isinstance(self.data, SignData)
        cross, self._cross_pullback = self.data.sites.from_values(self.data.to_sites, self._parameters)
        among, self._among_pullback = self.data.sites.among(self._parameters)
        self._cross, self._among = self.amplitude * cross, self.amplitude * among

    @property
    def held(self) -> tuple[Array, Array]:
        """The sites as the argument `held` takes them."""
        found = self.approximation
        return found.tau, found.nu + found.tau * self._mean_at_sites

    def evidence_gradient(self) -> Array:
        """Derivative of the log evidence in theta, the sites taken as they are."""
        found = self.approximation
        pulled, inner = self._solve(self._half_sites, transposed=True), found.root.T @ found.root
        values = self.alpha - pulled @ found.weights
        spread = pulled @ found.root.T
        gradient = self._pulled_back(np.outer(values, values) - self._inverse() - spread @ spread.T)
        crossed = np.outer(values, found.weights) + pulled @ inner
        within = (np.outer(found.weights, found.weights) - inner) / 2
        gradient[:-2] += self._cross_pullback(self.amplitude * crossed)
        gradient[:-2] += self._among_pullback(self.amplitude * within)
        gradient[-2] += float((crossed * self._cross).sum()) + float((within * self._among).sum())
        return gradient

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean, less the prior mean, and variance of f at X (m, d): each (m,)."""
        mean, variance, prior, half = self._moments(X)
        shown = self._shown(X, half)
        less = shown @ self.approximation.root.T
        return mean + shown @ self.approximation.weights, self._clip(variance - (less * less).sum(axis=1), prior)

    def predict_with_gradient(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """As `predict`, then the derivatives of both at X: each (m, d)."""
        mean, variance, by_mean, by_variance, prior, half, slopes = self._moments_with_gradient(X)
        root, weights = self.approximation.root, self.approximation.weights
        shown = self._shown(X, half)
        pulled = self._solve(self._half_sites, transposed=True)
        delta = differences(X, self._sites.X)
        shown_slopes = self.amplitude * self._sites.from_values_gradient(delta, self._parameters) - slopes @ pulled
        less = shown @ root.T
        variance = variance - (less * less).sum(axis=1)
        by_variance = by_variance - 2 * (shown_slopes * (less @ root)).sum(axis=2)
        moments = mean + shown @ weights, self._clip(variance, prior)
        return *moments, (by_mean + shown_slopes @ weights).T, self._flat(by_variance, variance, prior).T

    def covariance(self, A: Array, B: Array) -> Array:
        """Covariance of f(A) and f(B), shape (m, n), for A (m, d) and B (n, d)."""
        to_a, to_b = (
            self._shown(
                P, self._solve(self.amplitude * self._covariance.between(self.data.X, P, self._parameters))
            )
            @ self.approximation.root.T
            for P in (A, B)
        )
        return super().covariance(A, B) - to_a @ to_b.T

    def _shown(self, X: Array, half: Array) -> Array:
        """Covariances (m, n_sites) of f at X (m, d) with the derivatives, given the values; `half` is L^-1 k_X."""
        cross = self._sites.from_values(differences(X, self._sites.X), self._parameters)[0]
        return np.asarray(self.amplitude * cross - half.T @ self._half_sites)
