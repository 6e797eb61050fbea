"""Stationary kernels of unit variance, with derivatives in their parameters and in their first argument.

Source: Rasmussen and Williams (2006), "Gaussian Processes for Machine Learning", chapter 4. With length-scales l,
delta = x - x', r^2 = sum_d delta_d^2 / l_d^2 and q = sqrt(5) r:

    se                k = exp(-r^2 / 2)
    matern52_ard      k = (1 + q + q^2 / 3) exp(-q)
    matern52_product  k = prod_d (1 + q_d + q_d^2 / 3) exp(-q_d),   q_d = sqrt(5) |delta_d| / l_d
    se_mahalanobis    k = exp(-delta' M delta / 2),   M = L L',   L = diag(1 / l) U,   U unit lower triangular

The product is not the kernel of the summed distance (for se they coincide). The amplitude, a variance, is a factor
that the Gaussian process adds. Nothing here divides by r, so that x = x' is no special case.

Parameters of a kernel are log l (d,), and for se_mahalanobis then the d (d - 1) / 2 entries of U below its
diagonal, row by row. Arrays of differences have shape (d, ...): one block per dimension, so that sums over pairs
are fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_choice

Array = NDArray[np.float64]
PullBack = Callable[[Array], Array]
"""From weights w, shaped as the values, to the gradient (n_parameters,) of sum(w * k)."""


class Kernel(Protocol):
    """Interface of a kernel."""

    def n_parameters(self, d: int) -> int:
        """Length of the parameter vector in d dimensions."""

    def value(self, delta: Array, parameters: Array) -> Array:
        """Values, shape (...), at differences of shape (d, ...)."""

    def values(self, delta: Array, parameters: Array) -> Array:
        """Values (w, n) at differences of shape (d, n) for each row of parameters (w, n_parameters)."""

    def value_and_pullback(self, delta: Array, parameters: Array) -> tuple[Array, PullBack]:
        """Values at differences of shape (d, n), and what turns weights on them into a gradient."""

    def value_and_input_gradient(self, delta: Array, parameters: Array) -> tuple[Array, Array]:
        """Values (...) and their derivatives (d, ...) in the first argument."""


class _Radial:
    """A function of r^2, given as `profile`: r^2 -> (k, -2 dk / dr^2)."""

    def __init__(self, profile: Callable[[Array], tuple[Array, Array]]) -> None:
        self._profile = profile

    def n_parameters(self, d: int) -> int:
        return d

    def value(self, delta: Array, parameters: Array) -> Array:
        return self._profile(_contract(np.exp(-2 * parameters), delta * delta))[0]

    def values(self, delta: Array, parameters: Array) -> Array:
        return self._profile(np.exp(-2 * parameters) @ (delta * delta))[0]

    def value_and_pullback(self, delta: Array, parameters: Array) -> tuple[Array, PullBack]:
        inverse, squares = np.exp(-2 * parameters), delta * delta
        value, slope = self._profile(_contract(inverse, squares))
        return value, lambda weights: inverse * (squares @ (weights * slope))

    def value_and_input_gradient(self, delta: Array, parameters: Array) -> tuple[Array, Array]:
        inverse = np.exp(-2 * parameters)
        value, slope = self._profile(_contract(inverse, delta * delta))
        return value, -slope * delta * _as_column(inverse, delta)


class _ProductMatern52:
    """One factor per dimension; `_slopes` gives h_d with dk / ddelta_d = -k h_d delta_d / l_d^2."""

    def n_parameters(self, d: int) -> int:
        return d

    def value(self, delta: Array, parameters: Array) -> Array:
        return self._factors(delta, parameters)[0]

    def values(self, delta: Array, parameters: Array) -> Array:
        distances, inverse = np.abs(delta), np.sqrt(5.0) * np.exp(-parameters)
        product = np.exp(-inverse @ distances)
        for distance, scale in zip(distances, inverse.T, strict=True):
            q = scale[:, None] * distance
            polynomial = q / 3  # in place from here on: the arrays are too large to be made anew for each term
            polynomial += 1
            polynomial *= q
            polynomial += 1
            product *= polynomial
        return np.asarray(product)

    def value_and_pullback(self, delta: Array, parameters: Array) -> tuple[Array, PullBack]:
        value, q, polynomials = self._factors(delta, parameters)

        def pullback(weights: Array) -> Array:
            slopes = self._slopes(q, polynomials) * delta * delta * _as_column(np.exp(-2 * parameters), delta)
            return np.asarray(slopes @ (weights * value))

        return value, pullback

    def value_and_input_gradient(self, delta: Array, parameters: Array) -> tuple[Array, Array]:
        value, q, polynomials = self._factors(delta, parameters)
        h = self._slopes(q, polynomials)
        return value, -value * h * delta * _as_column(np.exp(-2 * parameters), delta)

    @staticmethod
    def _factors(delta: Array, parameters: Array) -> tuple[Array, Array, Array]:
        """Values, and for each dimension q_d and its polynomial."""
        q = np.abs(delta) * _as_column(np.sqrt(5.0) * np.exp(-parameters), delta)
        polynomials = 1 + q + q * q / 3
        return polynomials.prod(axis=0) * np.exp(-q.sum(axis=0)), q, polynomials

    @staticmethod
    def _slopes(q: Array, polynomials: Array) -> Array:
        return np.asarray(5 / 3 * (1 + q) / polynomials)


class _MahalanobisSE:
    """Differences are divided by the length-scales, then sheared: z = U' (delta / l), k = exp(-z'z / 2)."""

    def n_parameters(self, d: int) -> int:
        return d * (d + 1) // 2

    def value(self, delta: Array, parameters: Array) -> Array:
        return self._parts(delta, parameters)[0]

    def values(self, delta: Array, parameters: Array) -> Array:
        return np.array([self.value(delta, row) for row in parameters])

    def value_and_pullback(self, delta: Array, parameters: Array) -> tuple[Array, PullBack]:
        value, scaled, z, pulled = self._parts(delta, parameters)
        below = np.tril_indices(len(delta), -1)

        def pullback(weights: Array) -> Array:
            weighted = scaled * (weights * value)
            return np.concatenate([(weighted * pulled).sum(axis=1), -(weighted @ z.T)[below]])

        return value, pullback

    def value_and_input_gradient(self, delta: Array, parameters: Array) -> tuple[Array, Array]:
        value, _, _, pulled = self._parts(delta, parameters)
        return value, -value * pulled * _as_column(np.exp(-parameters[: len(delta)]), delta)

    @staticmethod
    def _parts(delta: Array, parameters: Array) -> tuple[Array, Array, Array, Array]:
        """Values, delta / l, z and U z."""
        d = len(delta)
        shear = np.eye(d)
        shear[np.tril_indices(d, -1)] = parameters[d:]
        scaled = delta * _as_column(np.exp(-parameters[:d]), delta)
        z = np.tensordot(shear.T, scaled, axes=1)
        return np.exp(-0.5 * (z * z).sum(axis=0)), scaled, z, np.tensordot(shear, z, axes=1)


def _contract(weights: Array, blocks: Array) -> Array:
    return (weights @ blocks.reshape(len(blocks), -1)).reshape(blocks.shape[1:])


def _as_column(per_dimension: Array, delta: Array) -> Array:
    return per_dimension.reshape((-1,) + (1,) * (delta.ndim - 1))


def _se(r2: Array) -> tuple[Array, Array]:
    value = np.exp(-0.5 * r2)
    return value, value


def _matern52(r2: Array) -> tuple[Array, Array]:
    q = np.sqrt(5 * r2)
    decay = np.exp(-q)
    return (1 + q + 5 / 3 * r2) * decay, 5 / 3 * (1 + q) * decay


KERNELS: Final[Mapping[str, Kernel]] = {
    "se": _Radial(_se),
    "matern52_ard": _Radial(_matern52),
    "matern52_product": _ProductMatern52(),
    "se_mahalanobis": _MahalanobisSE(),
}


def kernel_named(name: str) -> Kernel:
    """Return the kernel of this name.

    Raises:
        ValueError: on an unknown name; the message lists the known ones.
    """
    check_choice("kernel", name, KERNELS)
    return KERNELS[name]


def differences(A: Array, B: Array) -> Array:
    """Differences (d, m, n) between the points of A (m, d) and those of B (n, d)."""
    return np.asarray(A.T[:, :, None] - B.T[:, None, :])
