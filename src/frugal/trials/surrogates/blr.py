"""Bayesian linear regression on given features, the head of DNGO.

Source: Snoek et al. (2015), "Scalable Bayesian optimization using deep neural networks", equations 2 to 6; Bishop
(2006), "Pattern Recognition and Machine Learning", sections 3.3 and 3.5. With H features phi(x) of a point x,
those of n points as the rows of `P` (n, H), and targets `y` (n,):

    y_i = w . P_i + e_i,   w ~ N(0, I / alpha),   e_i ~ N(0, 1 / beta)
    A = alpha I + beta P'P,   m = beta A^-1 P'y
    mean(x) = m . phi(x),   var(x) = phi(x)' A^-1 phi(x)   (+ 1 / beta for an observation)
    log p(y) = H/2 log alpha + n/2 log(beta / (2 pi)) - beta/2 |y - P m|^2 - alpha/2 m . m - 1/2 log |A|

Computed differently: one singular value decomposition `P = U S V'` (n H min(n, H) multiplications) serves every
(alpha, beta). In the basis U the targets are independent, of variances `1 / beta + S_i^2 / alpha`, so that the
evidence is a sum of terms without cancellation, whether n is below H or above, in O(min(n, H)) per (alpha, beta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from frugal.trials.surrogates.kernels import Array


class BLR:
    """One regression with its data decomposed. Every method takes the hyperparameters as arguments.

    `log_alpha` (log precision of the weights' prior) and `log_beta` (log precision of the noise) are numbers, or
    arrays of one shape, (S,) or any other where S stands below.

    Attributes:
        n: number of rows.
        n_features: H.
    """

    def __init__(self, features: ArrayLike, y: ArrayLike) -> None:
        """Decompose.

        Args:
            features: P, shape (n, H).
            y: targets, shape (n,).

        Raises:
            ValueError: on other shapes, no rows or columns, or entries that are not finite.
        """
        P, targets = finite("features", features, 2), finite("y", y, 1)
        if 0 in P.shape or targets.shape != P.shape[:1]:
            raise ValueError(
                f"features must be (n, H) and y (n,), n and H at least 1, got {P.shape} and {targets.shape}"
            )
        self._features, self._y = P, targets
        self.n, self.n_features = P.shape
        # With n below H all of V is wanted: what the data say nothing of keeps the prior's variance.
        U, singular, self._Vt = np.linalg.svd(P, full_matrices=self.n < self.n_features)
        self._singular, self._squares = singular, singular**2
        self._targets = U.T @ targets  # in the basis U
        rest = targets - U @ self._targets
        self._n_rest = self.n - len(singular)
        self._rest = float(rest @ rest) if self._n_rest else 0.0

    def log_evidence(self, log_alpha: ArrayLike, log_beta: ArrayLike) -> Array:
        """`log p(y | alpha, beta)`, shape (S,)."""
        alpha, beta = _precisions(log_alpha, log_beta)
        variances = 1 / beta[..., None] + self._squares / alpha[..., None]
        within = np.log(variances) + self._targets**2 / variances
        beyond = beta * self._rest - self._n_rest * np.asarray(log_beta, dtype=float)
        return np.asarray(-0.5 * (within.sum(axis=-1) + beyond + self.n * math.log(2 * math.pi)))

    def evidence_gradient(self, log_alpha: ArrayLike, log_beta: ArrayLike) -> Array:
        """Derivatives of `log_evidence` by log alpha and by log beta, shape (S, 2)."""
        alpha, beta = _precisions(log_alpha, log_beta)
        noise, signal = 1 / beta[..., None], self._squares / alpha[..., None]
        slack = 0.5 * (1 - self._targets**2 / (noise + signal)) / (noise + signal)
        by_beta = (noise * slack).sum(axis=-1) + 0.5 * (self._n_rest - beta * self._rest)
        return np.stack([(signal * slack).sum(axis=-1), by_beta], axis=-1)

    def squared_residuals(self, log_alpha: ArrayLike, log_beta: ArrayLike) -> Array:
        """`|y - P m|^2`, shape (S,)."""
        alpha, beta = _precisions(log_alpha, log_beta)
        ratio = (alpha / beta)[..., None]
        return np.asarray(((self._targets * ratio / (self._squares + ratio)) ** 2).sum(axis=-1) + self._rest)

    def log_det(self, log_alpha: ArrayLike, log_beta: ArrayLike) -> Array:
        """`log |A|`, shape (S,)."""
        alpha, beta = _precisions(log_alpha, log_beta)
        within = np.log(alpha[..., None] + beta[..., None] * self._squares).sum(axis=-1)
        return np.asarray(within + (self.n_features - len(self._squares)) * np.log(alpha))

    def weights(self, log_alpha: ArrayLike, log_beta: ArrayLike) -> Array:
        """Posterior mean of the weights, m, shape (S, H)."""
        alpha, beta = _precisions(log_alpha, log_beta)
        shrunk = self._targets * self._singular / (self._squares + (alpha / beta)[..., None])
        return np.asarray(shrunk @ self._Vt[: len(self._squares)])

    def at(self, log_alpha: ArrayLike, log_beta: ArrayLike) -> Head:
        """The posterior of the weights, for many predictions from the same hyperparameters."""
        alpha, beta = _precisions(log_alpha, log_beta)
        squares = np.zeros(self.n_features)
        squares[: len(self._squares)] = self._squares
        precisions = alpha[..., None] + beta[..., None] * squares
        return Head(self.weights(log_alpha, log_beta), self._Vt.T / np.sqrt(precisions)[..., None, :])

    def predict(self, features: ArrayLike, log_alpha: ArrayLike, log_beta: ArrayLike) -> tuple[Array, Array]:
        """Mean and standard deviation of `w . phi`, without the noise, each (S, m).

        Args:
            features: phi at the points to predict, shape (m, H).
            log_alpha: as above.
            log_beta: as above.

        Raises:
            ValueError: if the features are not (m, H) or not finite.
        """
        return self.at(log_alpha, log_beta).predict(self._checked(features))

    def extended(self, features: ArrayLike, y: ArrayLike) -> BLR:
        """The regression with further rows: features (m, H), y (m,).

        Raises:
            ValueError: on other shapes, or entries that are not finite.
        """
        return BLR(np.vstack([self._features, self._checked(features)]), np.concatenate([self._y, y]))

    def _checked(self, features: ArrayLike) -> Array:
        phi = finite("features", features, 2)
        if phi.shape[1] != self.n_features:
            raise ValueError(f"features must have {self.n_features} columns, got {phi.shape[1]}")
        return phi


@dataclass(frozen=True)
class Head:
    """Posterior of the weights; S stands for any leading shape, none too.

    Attributes:
        weights: their mean, (S, H).
        root: a root R of their covariance, R R' = A^-1, (S, H, H).
    """

    weights: Array
    root: Array

    def predict(self, phi: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of `w . phi` at phi (m, H): each (S, m)."""
        return self.weights @ phi.T, np.sqrt(((phi @ self.root) ** 2).sum(axis=-1))

    def predict_gradient(self, phi: Array, jacobian: Array) -> tuple[Array, Array]:
        """Derivatives of `predict` by the inputs, each (S, m, d), given those of phi, (m, H, d)."""
        half = phi @ self.root
        std = np.sqrt((half**2).sum(axis=-1))
        solved = half @ np.swapaxes(self.root, -1, -2)  # A^-1 phi, (S, m, H)
        by_mean = (self.weights[..., None, None, :] @ jacobian)[..., 0, :]
        return by_mean, (solved[..., None, :] @ jacobian)[..., 0, :] / std[..., None]

    def covariance(self, first: Array, second: Array) -> Array:
        """Covariance of `w . phi` between phi (m, H) and phi (k, H): (S, m, k)."""
        return np.asarray((first @ self.root) @ np.swapaxes(second @ self.root, -1, -2))


def mixture(means: Array, stds: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of equally likely normal distributions, over the first axis of each."""
    mean = means.mean(axis=0)
    return mean, np.sqrt((stds**2 + (means - mean) ** 2).mean(axis=0))


def finite(name: str, values: ArrayLike, n_axes: int) -> Array:
    """An array of finite numbers with so many axes, as floats.

    Raises:
        ValueError: on another number of axes, or an entry that is no finite number.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.ndim != n_axes:
        raise ValueError(
            f"{name} must be an array of numbers with {n_axes} axes, got {array.ndim} of {array.dtype}"
        )
    array = array.astype(float)
    if not np.isfinite(array).all():
        bad = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[bad]} at {bad}")
    return array


def _precisions(log_alpha: ArrayLike, log_beta: ArrayLike) -> tuple[Array, Array]:
    return np.exp(np.asarray(log_alpha, dtype=float)), np.exp(np.asarray(log_beta, dtype=float))
