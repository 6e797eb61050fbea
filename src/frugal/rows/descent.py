"""Directions of descent on a sample, and the length of the step along one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from frugal.checks import check_between, check_positive, check_whole
from frugal.rows.multinomial import Array, Evaluation, hessian_product

_ARMIJO, _MAX_TRIALS = 1e-4, 30
_ROUNDING = 1e-14
"""Relative rise of a value that counts as rounding."""


class Halved(NamedTuple):
    """Outcome of `halve`.

    Attributes:
        step: length of the step; 0 if none was found.
        value: value of the function after the step.
        n_trials: number of steps tried.
    """

    step: float
    value: float
    n_trials: int


def halve(value: Callable[[float], float], at_0: float, slope: float, first: float) -> Halved:
    """Find the first of the steps `first`, `first / 2`, `first / 4`, ... that lowers a function enough.

    Enough is Armijo's condition `value(step) <= at_0 + 1e-4 step slope`, up to rounding. Gives up after 30 trials.

    Args:
        value: function of the step.
        at_0: value at step 0.
        slope: derivative at step 0.
        first: first step to try.
    """
    step = first
    for n_trials in range(1, _MAX_TRIALS + 1):
        new = value(step)
        if new <= at_0 + _ARMIJO * step * slope + _ROUNDING * abs(at_0):
            return Halved(step, new, n_trials)
        step /= 2.0
    return Halved(0.0, at_0, _MAX_TRIALS)


_DAMPING = 1e-8
"""Added to the Hessian's diagonal: without a penalty it is singular along a shift of all classes."""


class Direction(NamedTuple):
    """A direction of descent, and its cost.

    Attributes:
        direction: the direction, shape (d, C).
        first: length of the first step to try along it.
        n_products: number of products with a Hessian.
        points: number of rows accessed by these products.
    """

    direction: Array
    first: float
    n_products: int = 0
    points: int = 0


class Solver(Protocol):
    """Chooses directions of descent; may use the lengths of earlier steps."""

    def direction(self, X: Array, at: Evaluation, ridge: float, rng: np.random.Generator) -> Direction:
        """Direction on a sample.

        Args:
            X: features of the sample, shape (m, d).
            at: the objective and its derivatives on the sample.
            ridge: ridge penalty.
            rng: generator of random draws.
        """

    def taken(self, step: float) -> None:
        """Record the length of the step taken; 0 if there was none."""


class NewtonCG:
    """A few conjugate gradients on the Newton equation, with the Hessian on a part of the sample.

    Args:
        step: length of the first step to try, above 0.
        hessian_share: |H| / |S|, above 0 and at most 1.
        max_products: products with the Hessian, at least 1.
        tolerance: largest residual relative to the gradient, from 0 to 1.

    Raises:
        ValueError: if a setting is out of range.
    """

    def __init__(self, step: float, *, hessian_share: float, max_products: int, tolerance: float) -> None:
        check_positive("step", step)
        check_between("hessian_share", hessian_share, 0.0, 1.0, above=True)
        check_whole("max_products", max_products, 1)
        check_between("cg_tolerance", tolerance, 0.0, 1.0)
        self._step, self._share = step, hessian_share
        self._max_products, self._tolerance = max_products, tolerance

    def direction(self, X: Array, at: Evaluation, ridge: float, rng: np.random.Generator) -> Direction:
        """An approximate Newton direction."""
        p, m = at.p, len(X)
        size = math.ceil(self._share * m)
        if size < m:
            part = rng.choice(m, size, replace=False, shuffle=False)
            X, p = X[part], p[part]
        direction, n_products = conjugate_gradients(
            at.gradient,
            lambda d: hessian_product(d, X, p, ridge + _DAMPING),
            max_steps=self._max_products,
            tolerance=self._tolerance,
        )
        return Direction(direction, self._step, n_products, n_products * size)

    def taken(self, step: float) -> None:
        """Nothing to remember: every step is tried at its full length."""


class SGD:
    """The direction against the gradient.

    Args:
        step: length of the first step to try, above 0; without `adapts`, of every step.
        adapts: whether the next step is first tried at twice the length of the last one.

    Raises:
        ValueError: if `step` is out of range.
    """

    def __init__(self, step: float, *, adapts: bool) -> None:
        check_positive("step", step)
        self._next, self._adapts = step, adapts

    def direction(self, X: Array, at: Evaluation, ridge: float, rng: np.random.Generator) -> Direction:
        """Against the gradient."""
        return Direction(-at.gradient, self._next)

    def taken(self, step: float) -> None:
        """Remember the length of the step."""
        if self._adapts and step > 0.0:
            self._next = 2.0 * step


def conjugate_gradients(
    gradient: Array, product: Callable[[Array], Array], *, max_steps: int, tolerance: float
) -> tuple[Array, int]:
    """Solve `H d = -gradient` approximately; returns the direction and the number of products.

    Ends after `max_steps`, once the residual is at most `tolerance |gradient|`, or before a direction of
    curvature 0 or less; if that is the first, the direction is `-gradient`.

    Args:
        gradient: the gradient, shape (d, C).
        product: direction -> H times the direction, both of shape (d, C).
        max_steps: largest number of products.
        tolerance: largest residual, relative to the gradient.
    """
    solution, residual = np.zeros_like(gradient), -gradient
    direction, square = residual, float(np.vdot(residual, residual))
    enough = tolerance**2 * square
    for n_steps in range(1, max_steps + 1):
        image = product(direction)
        curvature = float(np.vdot(direction, image))
        if curvature <= 0.0:
            return (solution if n_steps > 1 else -gradient), n_steps
        step = square / curvature
        solution = solution + step * direction
        residual = residual - step * image
        before, square = square, float(np.vdot(residual, residual))
        if square <= enough:
            break
        direction = residual + square / before * direction
    return solution, n_steps
