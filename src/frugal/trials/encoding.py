"""Encode candidates as points of a cube in which distances make sense for a surrogate.

Continuous, integer and ordinal dimensions are one coordinate each, that of the space's unit cube. A categorical
one of more than two values is a coordinate per value, 1 for the value taken and 0 for the others, since the order
in which its values are listed means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.interface import Candidate
from frugal.spaces import Choice, Continuous, Dimension, Discrete, Integer, SearchSpace
from frugal.trials.surrogates.kernels import Array


@dataclass(frozen=True)
class ListedSpace(SearchSpace):
    """A search space of which only listed candidates can be evaluated.

    `from_unit` returns the listed candidate nearest to a point; `sample` draws from the whole space.

    Attributes:
        listed: the candidates, at least one.
    """

    listed: tuple[Candidate, ...] = ()

    @property
    def n_points(self) -> int:
        """Number of listed candidates."""
        return len(self.listed)

    def sample(self, rng: np.random.Generator, n_candidates: int) -> list[Candidate]:
        """Independent draws from the space, listed or not."""
        return SearchSpace(self.dimensions, signs=self.signs).sample(rng, n_candidates)

    def from_unit(self, point: NDArray[np.float64]) -> Candidate:
        """Return the listed candidate nearest to the candidate of the whole space at `point`, (n_dimensions,)."""
        return self.listed[int(self.distances(super().from_unit(point)).argmin())]

    def distances(self, candidate: Candidate) -> NDArray[np.float64]:
        """Euclidean distances in the unit cube from a candidate to each listed one, shape (n_listed,)."""
        lengths: NDArray[np.float64] = np.sqrt(((self._points - self.to_unit(candidate)) ** 2).sum(axis=1))
        return lengths

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        """The listed candidates in the unit cube, (n_listed, n_dimensions)."""
        return np.array([self.to_unit(candidate) for candidate in self.listed])


LARGEST_GRID = 2048
"""Largest number of candidates for which a finite space is enumerated."""


class Encoding:
    """Map between a space and a cube.

    Attributes:
        n_coordinates: number of coordinates of the cube.
    """

    def __init__(self, space: SearchSpace) -> None:
        self._space = space
        self._widths = [_n_coordinates(dimension) for dimension in space.dimensions.values()]
        self.n_coordinates = sum(self._widths)
        self._plain = self.n_coordinates == len(self._widths)

    def encode(self, candidate: Candidate) -> Array:
        """The point (n_coordinates,) that stands for a candidate; ValueError outside the space."""
        return self.place(self._space.to_unit(candidate))

    def place(self, unit: Array) -> Array:
        """The point (n_coordinates,) at a point (d,) of the space's unit cube; numbers are not rounded."""
        return unit if self._plain else self._spread(unit)

    def coordinate(self, name: str) -> int:
        """Index of a dimension's coordinate; for a categorical dimension, of its first one."""
        return sum(self._widths[: list(self._space.dimensions).index(name)])

    def decode(self, point: Array) -> Candidate:
        """Candidate at a point (n_coordinates,); a categorical dimension takes the value with most weight."""
        if self._plain:
            return self._space.from_unit(point)
        parts = np.split(point, np.cumsum(self._widths)[:-1])
        unit = [part[0] if len(part) == 1 else (int(part.argmax()) + 0.5) / len(part) for part in parts]
        return self._space.from_unit(np.array(unit))

    def snap(self, points: Array) -> Array:
        """Move points (m, n_coordinates) to the encodings of the candidates that they decode to."""
        return np.array([self.encode(self.decode(point)) for point in points])

    def of_unit(self, unit: Array) -> Array:
        """The points (m, n_coordinates) of candidates at points (m, d) of the space's unit cube."""
        if isinstance(self._space, ListedSpace):
            return np.array([self.encode(self._space.from_unit(point)) for point in unit])
        columns = [_snapped(d, u) for d, u in zip(self._space.dimensions.values(), unit.T, strict=True)]
        return np.array([self.place(point) for point in np.column_stack(columns)])

    def grid(self) -> Array | None:
        """All candidates of a finite space, (m, n_coordinates); None for other spaces."""
        if isinstance(self._space, ListedSpace):
            few = len(self._space.listed) <= LARGEST_GRID
            return np.array([self.encode(candidate) for candidate in self._space.listed]) if few else None
        counts = [len(d.values) for d in self._space.dimensions.values() if isinstance(d, Choice)]
        if len(counts) < len(self._widths) or np.prod(counts, dtype=float) > LARGEST_GRID:
            return None
        return np.array([self.encode(candidate) for candidate in self._space.grid()])

    def _spread(self, unit: Array) -> Array:
        parts = []
        for u, width in zip(unit, self._widths, strict=True):
            part = np.zeros(width)
            part[min(int(u * width), width - 1)] = 1.0
            parts.append(part if width > 1 else np.array([u]))
        return np.concatenate(parts)


def _snapped(dimension: Dimension, u: Array) -> Array:
    """Where in [0, 1] the values at quantiles u (m,) lie, (m,)."""
    if isinstance(dimension, (Continuous, Discrete)):
        return dimension.snap(u)  # scipy's functions take a tenth of a millisecond each, whatever they are given
    return np.array([dimension.to_unit(dimension.from_unit(float(one))) for one in u])


def _n_coordinates(dimension: Dimension) -> int:
    if isinstance(dimension, Choice) and dimension.kind == "categorical" and len(dimension.values) > 2:
        return len(dimension.values)
    return 1


def to_peer(dimension: Dimension, value: object) -> Any:
    """A value as another optimiser gets it: its place in the list, a whole number, or its quantile in [0, 1]."""
    if isinstance(dimension, Choice):
        return dimension.place(value)
    return value if isinstance(dimension, Integer) else min(max(dimension.to_unit(value), 0.0), 1.0)


def from_peer(dimension: Dimension, value: Any) -> object:
    """Invert `to_peer`."""
    if isinstance(dimension, Choice):
        return dimension.values[int(value)]
    return int(value) if isinstance(dimension, Integer) else dimension.from_unit(float(value))
