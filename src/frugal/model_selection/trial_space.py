"""The `SearchSpace` of a search, from distributions or a `SearchSpace`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from frugal.checks import is_real
from frugal.model_selection.definitions import definitions_in
from frugal.spaces import Choice, Continuous, Dimension, Discrete, SearchSpace
from frugal.trials.live import as_text, without_addresses

TrialSpace = Mapping[str, Any] | SearchSpace


def as_space(space: TrialSpace) -> SearchSpace:
    """Convert a space to a `SearchSpace`.

    Args:
        space: a `SearchSpace`, or names with dimensions, lists of values (categorical) or frozen distributions of
            `scipy.stats`.

    Raises:
        ValueError: if the space is empty or of another type, or has a dimension of another type. A tuple of two
            numbers is refused too: it may be a range, as in other optimisers, or two categories.
    """
    if isinstance(space, SearchSpace) and space.dimensions:
        return space
    if not isinstance(space, Mapping) or not space:
        raise ValueError(
            "space must be a SearchSpace, or a dict from names to dimensions, lists of values or frozen "
            f"distributions of scipy.stats, got {space!r}"
        )
    return SearchSpace({name: _dimension(name, values) for name, values in space.items()})


def space_text(space: SearchSpace) -> str:
    """Write a space as text for the header of a journal; functions and classes of the user count by content."""
    dimensions = {name: without_addresses(repr(dimension)) for name, dimension in space.dimensions.items()}
    chosen = [choice.values for choice in space.dimensions.values() if isinstance(choice, Choice)]
    code = definitions_in(chosen)
    return as_text(dimensions | {"signs": dict(space.signs)} | ({"code": code} if code else {}))


def _dimension(name: object, values: Any) -> Dimension:
    if isinstance(values, Dimension) and not isinstance(values, type):
        return values
    if isinstance(values, tuple) and len(values) == 2 and all(map(is_real, values)):
        low, high = values
        raise ValueError(
            f"{name!r} is the tuple {values!r}, which may be a range or two values: for a range give "
            f"Uniform({low!r}, {high!r}) or another dimension of frugal.spaces, for two values a list"
        )
    if isinstance(values, list | tuple | range | np.ndarray):
        if len(values) == 0:
            raise ValueError(f"{name!r} must list at least one value, got {values!r}")
        return Choice(tuple(values.tolist() if isinstance(values, np.ndarray) else values))
    for kind in (Continuous, Discrete):
        try:
            return kind(values)
        except ValueError:
            continue
    raise ValueError(
        f"{name!r} must be a dimension such as Uniform(0.0, 1.0), a list of values or a frozen distribution of "
        f"scipy.stats, got {values!r}"
    )
