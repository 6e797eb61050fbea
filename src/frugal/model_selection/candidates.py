"""The candidates of a search, from a grid, distributions or a `SearchSpace`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frugal.checks import check_vector
from frugal.interface import Candidate
from frugal.spaces import Choice, Dimension, SearchSpace

N_DRAWN = 64
"""Default number of candidates drawn from a space without a grid."""
N_ROUNDS = 20
"""Largest number of rounds of draws; later rounds replace candidates that were drawn before."""
_SCALARS = (str, bytes, bool, int, float, np.generic, type(None))

Space = Mapping[str, Any] | Sequence[Mapping[str, Any]] | SearchSpace


@dataclass(frozen=True)
class _Draws:
    """A dimension with the interface of scipy's distributions."""

    dimension: Dimension

    def rvs(self, random_state: np.random.RandomState) -> object:
        """Draw one value."""
        return self.dimension.from_unit(float(random_state.random_sample()))


def list_candidates(
    space: Space, n_candidates: int | None, random_state: np.random.RandomState
) -> list[Candidate]:
    """List the whole grid in scikit-learn's order, or draw candidates as RandomizedSearchCV does.

    From distributions none is drawn twice, from a grid no position.

    Args:
        space: a dict from names to lists of values or distributions (anything with `rvs`, or a `Dimension`), a
            list of such dicts, or a `SearchSpace`.
        n_candidates: number of candidates to draw; None: the whole grid if every value is listed, else `N_DRAWN`.
        random_state: generator of the draws.

    Raises:
        ValueError: if the space is empty or of another type, or a value neither a list nor a distribution.
    """
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    spaces = _spaces(space)
    if not any(hasattr(values, "rvs") for one in spaces for values in one.values()):
        grid = ParameterGrid(spaces)
        if n_candidates is None:
            return list(grid)
        if n_candidates > len(grid):
            warnings.warn(
                f"the space has {len(grid)} candidates, fewer than the {n_candidates} asked for: all are searched",
                stacklevel=5,
            )
            n_candidates = len(grid)
        return list(ParameterSampler(spaces, n_candidates, random_state=random_state))
    wanted = n_candidates or N_DRAWN
    found: dict[Any, Candidate] = {}
    for _ in range(N_ROUNDS):
        for candidate in ParameterSampler(spaces, wanted, random_state=random_state):
            found.setdefault(_key(candidate), candidate)
        if len(found) >= wanted:
            break
    if len(found) < wanted and n_candidates is not None:
        warnings.warn(
            f"{N_ROUNDS * wanted} draws gave {len(found)} different candidates, fewer than the {wanted} asked "
            "for: these are searched",
            stacklevel=5,
        )
    return list(found.values())[:wanted]


def _key(candidate: Candidate) -> tuple[Any, ...]:
    """Key that equal candidates share; values that are no scalars or tuples of them are compared by identity."""
    return tuple((name, _part(value)) for name, value in candidate.items())


def _part(value: Any) -> tuple[Any, ...]:
    if type(value) is tuple:
        return (tuple, *map(_part, value))
    return type(value), value if isinstance(value, _SCALARS) else id(value)


def _spaces(space: Space) -> list[dict[str, Any]]:
    if isinstance(space, SearchSpace):
        space = space.dimensions
    spaces = [space] if isinstance(space, Mapping) else space
    if not isinstance(spaces, list | tuple) or not spaces or not all(isinstance(one, Mapping) for one in spaces):
        raise ValueError(
            "space must be a parameter grid, a dict of distributions, a list of either, or a SearchSpace, "
            f"got {space!r}"
        )
    return [{name: _values(name, values) for name, values in one.items()} for one in spaces]


def _values(name: str, values: Any) -> Any:
    """Convert our dimensions to what scikit-learn accepts; return other values unchanged.

    Its sampler would take the letters of a text, or the keys of a mapping, for values.
    """
    if isinstance(values, Choice):
        return list(values.values)
    if isinstance(values, Dimension) and not isinstance(values, type):
        return _Draws(values)
    if not hasattr(values, "rvs"):
        is_listed = hasattr(values, "__len__") and hasattr(values, "__getitem__")
        is_scalar = isinstance(values, np.ndarray) and values.ndim == 0
        if not is_listed or is_scalar or isinstance(values, str | bytes | Mapping):
            raise ValueError(f"{name!r} must list its values or be a distribution, got {values!r}")
        if len(values) == 0:
            raise ValueError(f"{name!r} must list at least one value, got none")
        check_vector(name, values)
        if isinstance(values, np.ndarray):
            return list(values)  # whose elements are the same objects at each draw
    return values
