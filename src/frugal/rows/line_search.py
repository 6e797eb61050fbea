"""Step lengths along a direction of descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

_ARMIJO, _MAX_TRIALS = 1e-4, 30
_ROUNDING = 1e-14
"""Relative rise of a value that counts as rounding."""


class Halved(NamedTuple):
    """Outcome of `halve`.

    Attributes:
        step: length of the step; 0 if none was found.
        value: of the function there.
        n_trials: steps tried.
    """

    step: float
    value: float
    n_trials: int


def halve(value: Callable[[float], float], at_0: float, slope: float, first: float) -> Halved:
    """The first of `first`, `first / 2`, `first / 4`, ... that lowers a function enough.

    Enough is Armijo's `value(step) <= at_0 + 1e-4 step slope`, up to rounding. Gives up after 30 trials.

    Args:
        value: of the function at a step.
        at_0: its value at 0.
        slope: its derivative at 0.
        first: first step to try.
    """
    step = first
    for n_trials in range(1, _MAX_TRIALS + 1):
        new = value(step)
        if new <= at_0 + _ARMIJO * step * slope + _ROUNDING * abs(at_0):
            return Halved(step, new, n_trials)
        step /= 2.0
    return Halved(0.0, at_0, _MAX_TRIALS)
