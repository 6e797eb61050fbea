"""What points, answers and settings may be, refused in one sentence that names them and what is accepted."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_number(name: str, value: object, low: float, *, above: bool = False) -> None:
    """Refuse what is no finite number of at least `low`; with `above`, `low` itself too.

    Raises:
        ValueError: naming the setting.
    """
    if not _is_number(value) or not low <= value < math.inf or (above and value == low):  # type: ignore[operator]
        raise ValueError(
            f"{name} must be {'above' if above else 'at least'} {low:g} and a finite number, got {value!r}"
        )


def check_between(name: str, value: object, low: float, high: float) -> None:
    """Refuse what is no number from `low` to `high`.

    Raises:
        ValueError: naming the setting.
    """
    if not _is_number(value) or not low <= value <= high:  # type: ignore[operator]
        raise ValueError(f"{name} must be at least {low:g} and at most {high:g}, got {value!r}")


def check_whole(name: str, value: object, low: int) -> None:
    """Refuse what is no whole number of at least `low`.

    Raises:
        ValueError: naming the setting.
    """
    if not _is_number(value) or not isinstance(value, (int, np.integer)) or int(value) < low:
        raise ValueError(f"{name} must be at least {low} and a whole number, got {value!r}")


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


def check_points(X: ArrayLike, d: int | None = None, name: str = "X") -> NDArray[np.float64]:
    """Points of the unit cube as an array (n, d).

    Raises:
        ValueError: on another shape, or a coordinate outside [0, 1].
    """
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] == 0 or d not in (None, points.shape[1]):
        raise ValueError(f"{name} must have shape (n, {d or 'd'}), got {points.shape}")
    outside = points[~((points >= 0) & (points <= 1))]
    if len(outside):
        raise ValueError(f"{name} must lie in the unit cube, got a coordinate of {outside[0]}")
    return points


def check_targets(y: ArrayLike, n: int) -> NDArray[np.float64]:
    """Finite targets as an array (n,), n at least 1.

    Raises:
        ValueError: on another shape, none, or a target that is not finite.
    """
    targets = np.asarray(y, dtype=float)
    if n == 0 or targets.shape != (n,):
        raise ValueError(
            f"y must have shape ({n},), one target per row of X and at least one, got {targets.shape}"
        )
    if not np.isfinite(targets).all():
        raise ValueError(f"y must be finite, got {targets[~np.isfinite(targets)][0]}")
    return targets


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
