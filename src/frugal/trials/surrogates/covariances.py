"""Covariance of a Gaussian process, less its amplitude: stationary, or times a factor of the last column.

Source: Swersky, Snoek and Adams (2013), "Multi-task Bayesian optimization", section 3.1, and Klein et al. (2017),
"Fast Bayesian optimization of machine learning hyperparameters on large datasets", section 4.1. Both multiply a
kernel on candidates by a covariance of what a trial was run on, a task or a size, the last column u of a point:

    k((x, u), (x', u')) = k_x(x, x') phi(u)' W phi(u')

phi are r features of u, and W is positive semi-definite, built from the parameters of the last column. A task has
indicators for features, a size those of a linear regression. A product of positive semi-definite kernels is one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from frugal.trials.surrogates.kernels import Array, Kernel, PullBack, differences


class Covariance(Protocol):
    """The prior covariance. Its parameters are those of the kernel, then those of the last column's factor."""

    def n_parameters(self, n_columns: int) -> int:
        """Length of the parameter vector for points of so many columns."""

    def pairs(self, A: Array, B: Array) -> Array:
        """Reduce pairs of points, the rows of A (n, c) and B (n, c), to what the covariance depends on: (b, n)."""

    def on_pairs(self, pairs: Array, parameters: Array) -> tuple[Array, PullBack]:
        """Values (n,) at such pairs, and the function that turns weights on them into a gradient."""

    def at(self, X: Array, parameters: Array) -> tuple[Array, PullBack]:
        """Variances (m,) at X (m, c), and the function that turns weights on them into a gradient."""

    def at_with_gradient(self, X: Array, parameters: Array) -> tuple[Array, Array]:
        """Variances, and their derivatives (c, m) at X."""

    def between(self, A: Array, B: Array, parameters: Array) -> Array:
        """Values (m, n) at A (m, c) and B (n, c)."""

    def between_with_gradient(self, A: Array, B: Array, parameters: Array) -> tuple[Array, Array]:
        """The same, and their derivatives (c, m, n) in A."""


class Fidelity(Protocol):
    """Features of the last column and the covariance of their weights."""

    @property
    def box(self) -> Array:
        """Lowest and highest value of each parameter, (q, 2); where the lowest is 0 it is a bound by meaning."""

    def features(self, u: Array) -> Array:
        """Shape (r, n) for u (n,)."""

    def slopes(self, u: Array) -> Array:
        """Derivatives of the features in u, (r, n); 0 where u only takes whole numbers."""

    def weights(self, parameters: Array) -> Array:
        """W, (r, r)."""

    def weights_gradient(self, parameters: Array) -> Array:
        """Derivatives of W in the parameters, (q, r, r)."""


def stationary(kernel: Kernel) -> Covariance:
    """A kernel of the differences of points, 1 at no distance."""
    return _Stationary(kernel)


class _Stationary:
    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def n_parameters(self, n_columns: int) -> int:
        return self._kernel.n_parameters(n_columns)

    def pairs(self, A: Array, B: Array) -> Array:
        return np.ascontiguousarray((A - B).T)

    def on_pairs(self, pairs: Array, parameters: Array) -> tuple[Array, PullBack]:
        return self._kernel.value_and_pullback(pairs, parameters)

    def at(self, X: Array, parameters: Array) -> tuple[Array, PullBack]:
        return np.ones(len(X)), lambda weights: np.zeros(len(parameters))

    def at_with_gradient(self, X: Array, parameters: Array) -> tuple[Array, Array]:
        return np.ones(len(X)), np.zeros(X.T.shape)

    def between(self, A: Array, B: Array, parameters: Array) -> Array:
        return self._kernel.value(differences(A, B), parameters)

    def between_with_gradient(self, A: Array, B: Array, parameters: Array) -> tuple[Array, Array]:
        return self._kernel.value_and_input_gradient(differences(A, B), parameters)


class Joint:
    """A stationary kernel on all columns but the last, times the factor of the last one.

    The factor is linear in W, so that a pair of points is kept as its differences (d,) and the products of its
    features, one for each entry of W on and above the diagonal.
    """

    def __init__(self, kernel: Kernel, fidelity: Fidelity) -> None:
        self._kernel, self._fidelity = kernel, fidelity
        self._upper = np.triu_indices(len(fidelity.features(np.zeros(1))))

    def n_parameters(self, n_columns: int) -> int:
        """As in `Covariance`."""
        return self._kernel.n_parameters(n_columns - 1) + len(self._fidelity.box)

    def pairs(self, A: Array, B: Array) -> Array:
        """As in `Covariance`; b is d plus the number of products."""
        row, column = self._upper
        a, b = self._fidelity.features(A[:, -1]), self._fidelity.features(B[:, -1])
        products = a[row] * b[column] + np.where(row == column, 0.0, 1.0)[:, None] * a[column] * b[row]
        return np.vstack([(A[:, :-1] - B[:, :-1]).T, products])

    def on_many(self, pairs: Array, parameters: Array) -> Array:
        """Values (w, n) at pairs (b, n) for each row of parameters (w, n_parameters)."""
        shape, mixing = self._split(parameters.T)
        d = len(pairs) - len(self._upper[0])
        weights = np.array([self._fidelity.weights(row)[self._upper] for row in mixing.T])
        return self._kernel.values(pairs[:d], shape.T) * (weights @ pairs[d:])

    def on_pairs(self, pairs: Array, parameters: Array) -> tuple[Array, PullBack]:
        """As in `Covariance`."""
        shape, mixing = self._split(parameters)
        d = len(pairs) - len(self._upper[0])
        delta, products = pairs[:d], pairs[d:]
        value, pullback = self._kernel.value_and_pullback(delta, shape)
        factor = self._fidelity.weights(mixing)[self._upper] @ products

        def joint_pullback(weights: Array) -> Array:
            row, column = self._upper
            by_weight = products @ (weights * value)
            by_mixing = self._fidelity.weights_gradient(mixing)[:, row, column] @ by_weight
            return np.concatenate([pullback(weights * factor), by_mixing])

        return value * factor, joint_pullback

    def at(self, X: Array, parameters: Array) -> tuple[Array, PullBack]:
        """As in `Covariance`."""
        shape, mixing = self._split(parameters)
        features = self._fidelity.features(X[:, -1])

        def pullback(weights: Array) -> Array:
            by_weight = (features * weights) @ features.T
            by_mixing = (self._fidelity.weights_gradient(mixing) * by_weight).sum(axis=(1, 2))
            return np.concatenate([np.zeros(len(shape)), by_mixing])

        return (features * (self._fidelity.weights(mixing) @ features)).sum(axis=0), pullback

    def at_with_gradient(self, X: Array, parameters: Array) -> tuple[Array, Array]:
        """As in `Covariance`."""
        features = self._fidelity.features(X[:, -1])
        weighted = self._fidelity.weights(self._split(parameters)[1]) @ features
        slopes = np.zeros(X.T.shape)
        slopes[-1] = 2 * (self._fidelity.slopes(X[:, -1]) * weighted).sum(axis=0)
        return (features * weighted).sum(axis=0), slopes

    def between(self, A: Array, B: Array, parameters: Array) -> Array:
        """As in `Covariance`."""
        shape, mixing = self._split(parameters)
        value = self._kernel.value(differences(A[:, :-1], B[:, :-1]), shape)
        weighted = self._fidelity.weights(mixing) @ self._fidelity.features(B[:, -1])
        return value * (self._fidelity.features(A[:, -1]).T @ weighted)

    def between_with_gradient(self, A: Array, B: Array, parameters: Array) -> tuple[Array, Array]:
        """As in `Covariance`."""
        shape, mixing = self._split(parameters)
        value, slopes = self._kernel.value_and_input_gradient(differences(A[:, :-1], B[:, :-1]), shape)
        weighted = self._fidelity.weights(mixing) @ self._fidelity.features(B[:, -1])
        factor = self._fidelity.features(A[:, -1]).T @ weighted
        by_last = value * (self._fidelity.slopes(A[:, -1]).T @ weighted)
        return value * factor, np.concatenate([slopes * factor, by_last[None]])

    def _split(self, parameters: Array) -> tuple[Array, Array]:
        """Parameters of the kernel, and of the last column's factor, along the first axis."""
        n_mixing = len(self._fidelity.box)
        return parameters[: len(parameters) - n_mixing], parameters[len(parameters) - n_mixing :]
