"""A Gaussian process with given hyperparameters: its posterior, its evidence and the evidence's gradient.

Source: Rasmussen and Williams (2006), "Gaussian Processes for Machine Learning", Algorithm 2.1 and equation 5.9.
Let a be the amplitude, K the kernel between the n points X, k_x = a k(X, x), and c a constant prior mean. With
`A = a K + noise_variance I = L L'` and alpha = A^-1 (y - c):

    mean(x) = c + k_x' alpha,   var(x) = a k(x, x) - |L^-1 k_x|^2
    log p(y) = -(y - c)' alpha / 2 - sum_i log L_ii - n / 2 log(2 pi)
    d log p / d theta = tr((alpha alpha' - A^-1) dA / d theta) / 2
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtrs

from frugal.trials.surrogates.covariances import Covariance
from frugal.trials.surrogates.kernels import Array

JITTERS = (0.0, *(10.0**exponent for exponent in range(-10, -3)))
"""Jitters added to the diagonal, in multiples of its mean; the first whose pivots are all large enough is used."""
SMALLEST_PIVOT = 1e2 * float(np.finfo(float).eps)
"""A factor of n rows is used if its squared diagonal is above this times n times the mean diagonal of the matrix.
What is smaller is round-off that came out positive by luck, and variances from it may be far below 0."""
SMALLEST_VARIANCE = 1e-12
"""A variance is raised to at least this multiple of its prior variance."""
LARGEST_ROUND_OFF = -1e-8
"""A variance below this multiple of the largest prior variance raises FloatingPointError: it is no round-off."""


def cholesky(matrix: Array) -> tuple[Array, float]:
    """Lower Cholesky factor and the jitter that was added to the diagonal, 0 if none.

    Args:
        matrix: symmetric, shape (n, n); only its lower triangle is read.

    Raises:
        numpy.linalg.LinAlgError: if 1e-4 times the mean of the diagonal does not suffice.
    """
    mean = float(np.diagonal(matrix).mean())
    for jitter in JITTERS:
        shifted = matrix if jitter == 0 else matrix + jitter * mean * np.eye(len(matrix))
        factor, info = dpotrf(shifted, lower=1, clean=1)
        if info == 0 and (np.diagonal(factor) ** 2 > len(matrix) * SMALLEST_PIVOT * mean).all():
            return factor, jitter * mean
    raise np.linalg.LinAlgError(
        f"a matrix of shape {matrix.shape} has no Cholesky factor with up to {JITTERS[-1] * mean:g} added"
    )


@dataclass(frozen=True)
class Data:
    """Points (n, d), targets (n,) less the prior mean, and the pairs of points below the diagonal.

    Attributes:
        pairs: pairs of points as `Covariance.pairs` reduces them, (b, n (n - 1) / 2).
        below: positions of the pairs in a flat (n, n) array, column by column.
    """

    X: Array
    residuals: Array
    pairs: Array
    below: NDArray[np.intp]

    @classmethod
    def from_points(cls, covariance: Covariance, X: Array, residuals: Array) -> Data:
        """Build the data with their pairs."""
        column, row = np.triu_indices(len(X), 1)
        return cls(X, residuals, covariance.pairs(X[row], X[column]), column * len(X) + row)


class Posterior:
    """The posterior given theta = (covariance's parameters, log amplitude, log noise variance).

    Attributes:
        jitter: number that was added to the diagonal of A.
        log_evidence: log p(y).
    """

    def __init__(self, covariance: Covariance, data: Data, theta: Array) -> None:
        self._covariance, self.data, self.theta = covariance, data, theta
        self._parameters, self.amplitude, self.noise = theta[:-2], math.exp(theta[-2]), math.exp(theta[-1])
        n = len(data.X)
        self._set_pullbacks()
        gram = np.zeros(n * n)
        gram[data.below] = self.amplitude * self._k
        gram[:: n + 1] = self.amplitude * self._diagonal + self.noise
        self._factor, self.jitter = cholesky(gram.reshape((n, n), order="F"))
        self.alpha: Array = dpotrs(self._factor, data.residuals, lower=1)[0]
        half_log_det = float(np.log(np.diagonal(self._factor)).sum())
        self.log_evidence = (
            -0.5 * float(data.residuals @ self.alpha) - half_log_det - n / 2 * math.log(2 * math.pi)
        )

    def _set_pullbacks(self) -> None:
        """Compute covariances, and the functions that pull derivatives back through them."""
        self._k, self._pullback = self._covariance.on_pairs(self.data.pairs, self._parameters)
        self._diagonal, self._diagonal_pullback = self._covariance.at(self.data.X, self._parameters)

    def __getstate__(self) -> dict[str, Any]:
        """All but the functions, which cannot be pickled and are made again."""
        return {name: value for name, value in vars(self).items() if not name.endswith("_pullback")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._set_pullbacks()

    def evidence_gradient(self) -> Array:
        """Derivative of the log evidence in theta; the jitter counts as a constant."""
        return self._pulled_back(np.outer(self.alpha, self.alpha) - self._inverse())

    def _inverse(self) -> Array:
        """A^-1, only its lower triangle."""
        return np.asarray(dpotri(self._factor, lower=1)[0])

    def _pulled_back(self, weights: Array) -> Array:
        """Derivative of tr(weights A) / 2 in theta; only the lower triangle of weights (n, n) is read."""
        below, diagonal = weights.T.ravel()[self.data.below], np.diagonal(weights)
        by_amplitude = float(below @ self._k) + float((diagonal * self._diagonal).sum()) / 2
        shape = self._pullback(self.amplitude * below) + self._diagonal_pullback(self.amplitude * diagonal / 2)
        return np.concatenate([shape, [self.amplitude * by_amplitude, self.noise * float(diagonal.sum()) / 2]])

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean, less the prior mean, and variance of f at X (m, d): each (m,)."""
        mean, variance, prior, _ = self._moments(X)
        return mean, self._clip(variance, prior)

    def _moments(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean, variance before it is clipped, prior variance, each (m,), and L^-1 k_X (n, m)."""
        cross = self.amplitude * self._covariance.between(X, self.data.X, self._parameters)
        prior = self.amplitude * self._covariance.at(X, self._parameters)[0]
        half = self._solve(cross.T)
        return cross @ self.alpha, prior - (half * half).sum(axis=0), prior, half

    def predict_with_gradient(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """As `predict`, then the derivatives of both at X: each (m, d)."""
        mean, variance, by_mean, by_variance, prior, _, _ = self._moments_with_gradient(X)
        return mean, self._clip(variance, prior), by_mean.T, self._flat(by_variance, variance, prior).T

    def _moments_with_gradient(self, X: Array) -> tuple[Array, Array, Array, Array, Array, Array, Array]:
        """Mean and variance as in `_moments`, their derivatives (d, m), prior variance, L^-1 k_X and dk_X.

        The last is the derivative of the covariance with the data at X, (d, m, n).
        """
        value, slopes = self._covariance.between_with_gradient(X, self.data.X, self._parameters)
        at, at_slopes = self._covariance.at_with_gradient(X, self._parameters)
        half = self._solve(self.amplitude * value.T)
        full = self._solve(half, transposed=True)
        prior = self.amplitude * at
        by_mean = self.amplitude * (slopes @ self.alpha)
        by_variance = self.amplitude * at_slopes - 2 * self.amplitude * (slopes * full.T).sum(axis=2)
        variance = prior - (half * half).sum(axis=0)
        mean = self.amplitude * (value @ self.alpha)
        return mean, variance, by_mean, by_variance, prior, half, self.amplitude * slopes

    @staticmethod
    def _flat(by_variance: Array, variance: Array, prior: Array) -> Array:
        """Derivatives (d, m) of variances, 0 where these are clipped."""
        return np.where(variance < SMALLEST_VARIANCE * prior, 0.0, by_variance)

    def covariance(self, A: Array, B: Array) -> Array:
        """Covariance of f(A) and f(B), shape (m, n), for A (m, d) and B (n, d)."""
        prior, to_a, to_b = (
            self.amplitude * self._covariance.between(P, Q, self._parameters)
            for P, Q in ((A, B), (self.data.X, A), (self.data.X, B))
        )
        return np.asarray(prior - self._solve(to_a).T @ self._solve(to_b))

    def _solve(self, right: Array, *, transposed: bool = False) -> Array:
        solved, info = dtrtrs(self._factor, right, lower=1, trans=int(transposed))
        if info:
            raise np.linalg.LinAlgError(f"the Cholesky factor is singular at row {info - 1}")
        return np.asarray(solved)

    def _clip(self, variance: Array, prior: Array) -> Array:
        if (
            variance < LARGEST_ROUND_OFF * max(self.amplitude * self._diagonal.max(), prior.max(initial=0.0))
        ).any():
            raise FloatingPointError(f"a variance of {variance.min():g} is no round-off of 0")
        low = variance < SMALLEST_VARIANCE * prior
        return np.where(low, SMALLEST_VARIANCE * prior, variance)
