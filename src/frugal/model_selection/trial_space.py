"""The `SearchSpace` of a search, from distributions or a `SearchSpace`, and its texts in a journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from frugal.checks import as_python, check_vector, is_real
from frugal.interface import Candidate
from frugal.model_selection.definitions import hash_of
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
            numbers is refused too: it may be a range, as in other optimisers, or two categories. So is one such as
            (1e-3, 1.0, "log-uniform"), which is a range in scikit-optimize.
    """
    if isinstance(space, SearchSpace) and space.dimensions:
        return space
    if not isinstance(space, Mapping) or not space:
        raise ValueError(
            "space must be a SearchSpace, or a dict from names to dimensions, lists of values or frozen "
            f"distributions of scipy.stats, got {space!r}"
        )
    return SearchSpace({name: _dimension(name, values) for name, values in space.items()})


def space_parts(space: SearchSpace) -> dict[str, str]:
    """What a journal's header has of a space: its text, and the objects that it lists, by class and content."""
    dimensions = {name: without_addresses(repr(_as_listed(one))) for name, one in space.dimensions.items()}
    contents = [content for value in _listed(space) if (content := _content(value)) is not value]
    text = as_text(dimensions | {"signs": dict(space.signs)})
    return {"space": text, "listed objects": ", ".join(map(str, contents))}


def _as_listed(dimension: Dimension) -> Dimension | tuple[str, list[Any]]:
    """A dimension, but listed objects by their classes alone: the text of a set depends on the process."""
    if not isinstance(dimension, Choice):
        return dimension
    return "Choice", [value if is_plain(value) else type(value).__qualname__ for value in dimension.values]


def candidate_text(space: SearchSpace) -> Callable[[Candidate], str]:
    """Return a function that writes the candidates of a space as texts for the rows of a journal.

    Listed objects count by their content at this moment, since a trial may change them.
    """
    contents = {id(value): _content(value) for value in _listed(space)}

    def text(candidate: Candidate) -> str:
        values = {name: contents.get(id(value), value) for name, value in candidate.items()}
        return as_text({name: _content(value) for name, value in values.items()})

    return text


def _listed(space: SearchSpace) -> Iterator[Any]:
    """Values that the dimensions of a space list."""
    for dimension in space.dimensions.values():
        if isinstance(dimension, Choice):
            yield from dimension.values


def _content(value: Any) -> Any:
    """A plain value as it is; the class and the hash of any other, or its text if it cannot be hashed.

    Estimators count by their parameters, since a function may have fitted them where they are listed.
    """
    if is_plain(value):
        return value
    try:
        return f"{type(value).__qualname__} {hash_of(_unfitted(value))}"
    except Exception:  # noqa: BLE001  whatever keeps an object of the user's from being pickled
        return without_addresses(repr(value))


def _unfitted(value: Any) -> Any:
    """A copy without what a fit has left; the value itself if it cannot be copied."""
    try:
        return clone(value, safe=False)
    except Exception:  # noqa: BLE001  whatever keeps an object of the user's from being copied
        return value


def is_plain(value: Any) -> bool:
    """True for None, texts, numbers and truth values, and for lists, tuples and dicts of them."""
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(name, str) and is_plain(one) for name, one in value.items())
    return value is None or isinstance(as_python(value), bool | int | float | str)


def _dimension(name: object, values: Any) -> Dimension:
    if isinstance(values, Dimension) and not isinstance(values, type):
        return values
    if isinstance(values, tuple) and len(values) == 2 and all(map(is_real, values)):
        low, high = values
        raise ValueError(
            f"{name!r} is the tuple {values!r}, which may be a range or two values: for a range give "
            f"Uniform({low!r}, {high!r}) or another dimension of frugal.spaces, for two values a list"
        )
    is_range = isinstance(values, tuple) and len(values) > 2 and values[2] in ("uniform", "log-uniform")
    if is_range and all(map(is_real, values[:2])):
        low, high = values[:2]
        wanted = f"Uniform({low!r}, {high!r}" + (', "log")' if values[2] == "log-uniform" else ")")
        raise ValueError(f"{name!r} is the tuple {values!r}: for a range give {wanted}, for its values a list")
    if isinstance(values, list | tuple | range | np.ndarray):
        check_vector(name, values)
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
