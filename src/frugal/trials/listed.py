"""A search space of which only listed candidates can be evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugal.interface import Candidate
from frugal.spaces import SearchSpace


@dataclass(frozen=True)
class ListedSpace(SearchSpace):
    """A search space of which only listed candidates can be evaluated.

    `from_unit` returns the listed candidate nearest to a point; `sample` draws from the whole space.

    Attributes:
        listed: the candidates, at least one.
    """

    listed: tuple[Candidate, ...] = ()

    def sample(self, rng: np.random.Generator, n_candidates: int) -> list[Candidate]:
        """Independent draws from the space, listed or not."""
        return SearchSpace(self.dimensions, signs=self.signs).sample(rng, n_candidates)

    def from_unit(self, point: NDArray[np.float64]) -> Candidate:
        """The listed candidate nearest to that at a point, shape (n_dimensions,), of the unit cube."""
        return self.listed[int(self.distances(super().from_unit(point)).argmin())]

    def distances(self, candidate: Candidate) -> NDArray[np.float64]:
        """Euclidean distances in the unit cube from a candidate to each listed one, shape (n_listed,)."""
        lengths: NDArray[np.float64] = np.sqrt(((self._points - self.to_unit(candidate)) ** 2).sum(axis=1))
        return lengths

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        """The listed candidates in the unit cube, (n_listed, n_dimensions)."""
        return np.array([self.to_unit(candidate) for candidate in self.listed])
