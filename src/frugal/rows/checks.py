"""What rows, labels and settings may be, refused in one sentence that names them and what is accepted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_number(name: str, value: object, low: float) -> None:
    """Refuse what is no finite number of at least `low`.

    Raises:
        ValueError: naming the setting.
    """
    if not _is_number(value) or not low <= value < math.inf:  # type: ignore[operator]
        raise ValueError(f"{name} must be at least {low:g} and a finite number, got {value!r}")


def check_positive(name: str, value: object) -> None:
    """Refuse what is no finite number above 0.

    Raises:
        ValueError: naming the setting.
    """
    if not _is_number(value) or not 0.0 < value < math.inf:  # type: ignore[operator]
        raise ValueError(f"{name} must be above 0 and a finite number, got {value!r}")


def check_between(name: str, value: object, low: float, high: float, *, above: bool = False) -> None:
    """Refuse what is no number from `low` to `high`; with `above`, `low` itself too.

    Raises:
        ValueError: naming the setting.
    """
    inside = _is_number(value) and low <= value <= high  # type: ignore[operator]
    if not inside or (above and value == low):
        bound = "above" if above else "at least"
        raise ValueError(f"{name} must be {bound} {low:g} and at most {high:g}, got {value!r}")


def check_whole(name: str, value: object, low: int, high: int | None = None, what: str = "") -> None:
    """Refuse what is no whole number of at least `low` and at most `high`, of which `what` says what it is.

    Raises:
        ValueError: naming the setting.
    """
    whole = _is_number(value) and isinstance(value, (int, np.integer))
    if not whole or int(value) < low or (high is not None and int(value) > high):  # type: ignore[call-overload]
        bound = "" if high is None else f", at most {high}{what and ', ' + what},"
        raise ValueError(f"{name} must be at least {low}{bound} and a whole number, got {value!r}")


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Refuse what is not among `known`.

    Raises:
        ValueError: naming the setting.
    """
    known = list(known)
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


def check_rng(rng: object) -> None:
    """Refuse what is no NumPy generator, such as a seed.

    Raises:
        ValueError: naming the argument.
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")


def check_features(X: ArrayLike) -> NDArray[Any]:
    """`X` as an array of numbers of shape (n, d), not copied where it is one; entries are not looked at.

    Raises:
        ValueError: on another shape, no rows or columns, or entries that are no real numbers.
    """
    array = np.asarray(X)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"X must have shape (n, d) with at least one row and one column, got {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"X must hold real numbers, got dtype {array.dtype}")
    return array


def check_targets(y: ArrayLike, n: int) -> NDArray[Any]:
    """`y` as an array of shape (n,) that holds class labels or numbers.

    Raises:
        ValueError: on another shape or entries that are neither.
    """
    array = np.asarray(y)
    if array.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one entry per row of X, got {array.shape}")
    if array.dtype.kind == "O" and all(isinstance(label, str) for label in array):
        array = array.astype(str)
    if array.dtype.kind not in "biufUS":
        raise ValueError(f"y must hold integers, booleans, strings or real numbers, got dtype {array.dtype}")
    return array


def are_labels(y: NDArray[Any]) -> bool:
    """Whether targets are class labels: integers, booleans and strings are, floating-point numbers are not."""
    return y.dtype.kind in "biuUS"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
