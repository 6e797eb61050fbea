"""Search spaces: named dimensions, drawn from, listed as a grid, mapped to and from the unit cube.

Each dimension is a distribution; `from_unit` is its quantile function, so a uniform draw in the unit cube is
a draw from the space. Integers are rounded after the inverse map and the rounded value is what is stored.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from frugal.interface import Candidate


class Dimension(Protocol):
    """One hyperparameter: what values it takes and how they are spread."""

    def from_unit(self, u: float) -> object:
        """Value at quantile `u` in [0, 1]."""

    def to_unit(self, value: object) -> float:
        """A `u` with `from_unit(u) == value`; ValueError outside the dimension."""


@dataclass(frozen=True)
class Choice:
    """A listed value, all equally likely."""

    values: tuple[object, ...]

    def from_unit(self, u: float) -> object:
        """Value at quantile `u`."""
        return self.values[min(int(u * len(self.values)), len(self.values) - 1)]

    def to_unit(self, value: object) -> float:
        """Centre of the value's cell."""
        if value not in self.values:
            raise ValueError(f"{value!r} is not one of {list(self.values)}")
        return (self.values.index(value) + 0.5) / len(self.values)


@dataclass(frozen=True)
class Uniform:
    """A number in [low, high]."""

    low: float
    high: float

    def from_unit(self, u: float) -> float:
        """Value at quantile `u`."""
        return self.low + u * (self.high - self.low)

    def to_unit(self, value: object) -> float:
        """Quantile of `value`."""
        x = _number(value)
        if not self.low <= x <= self.high:
            raise ValueError(f"{value!r} is outside [{self.low}, {self.high}]")
        return (x - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Integer:
    """A whole number from low to high, both included."""

    low: int
    high: int

    def from_unit(self, u: float) -> int:
        """Value at quantile `u`."""
        return min(self.low + int(u * (self.high - self.low + 1)), self.high)

    def to_unit(self, value: object) -> float:
        """Centre of the value's cell."""
        x = _number(value)
        if x != int(x) or not self.low <= x <= self.high:
            raise ValueError(f"{value!r} is not a whole number in [{self.low}, {self.high}]")
        return (int(x) - self.low + 0.5) / (self.high - self.low + 1)


@dataclass(frozen=True)
class Exponential:
    """A number from 0 up, exponentially distributed with the given mean."""

    mean: float

    def from_unit(self, u: float) -> float:
        """Value at quantile `u`; the quantile 1 is capped just below."""
        return -self.mean * math.log1p(-min(u, 1.0 - 2.0**-53))

    def to_unit(self, value: object) -> float:
        """Quantile of `value`."""
        x = _number(value)
        if x < 0:
            raise ValueError(f"{value!r} is below 0")
        return -math.expm1(-x / self.mean)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


@dataclass(frozen=True)
class SearchSpace:
    """Named dimensions, in order."""

    dimensions: Mapping[str, Dimension]

    def sample(self, rng: np.random.Generator, n_candidates: int) -> list[Candidate]:
        """Independent draws, with replacement; a shorter draw from an equal rng is a prefix."""
        return [self.from_unit(u) for u in rng.random((n_candidates, len(self.dimensions)))]

    def from_unit(self, point: NDArray[np.float64]) -> Candidate:
        """Candidate at a point, shape (n_dimensions,), of the unit cube."""
        if point.shape != (len(self.dimensions),) or not ((point >= 0) & (point <= 1)).all():
            raise ValueError(f"expected {len(self.dimensions)} numbers in [0, 1], got {point}")
        items = zip(self.dimensions.items(), point, strict=True)
        return {name: dimension.from_unit(float(u)) for (name, dimension), u in items}

    def to_unit(self, candidate: Candidate) -> NDArray[np.float64]:
        """Point of the unit cube, shape (n_dimensions,), that maps to `candidate`."""
        if set(candidate) != set(self.dimensions):
            raise ValueError(f"expected values for {list(self.dimensions)}, got {list(candidate)}")
        return np.array([d.to_unit(candidate[name]) for name, d in self.dimensions.items()])

    def grid(self) -> list[Candidate]:
        """All candidates of a space that lists its values, the last dimension varying fastest.

        Raises:
            ValueError: if a dimension is not a `Choice`, since its values cannot be listed.
        """
        lists = []
        for name, dimension in self.dimensions.items():
            if not isinstance(dimension, Choice):
                raise ValueError(f"{name!r} does not list its values, so there is no grid")
            lists.append(dimension.values)
        return [dict(zip(self.dimensions, row, strict=True)) for row in itertools.product(*lists)]
