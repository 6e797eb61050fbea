"""What settings and names may be, refused in one sentence that names them and what is accepted."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np


def is_number(value: object, low: float) -> bool:
    """Whether `value` is a finite real number, no bool, of at least `low`."""
    return is_real(value) and low <= float(value) < math.inf  # type: ignore[arg-type]


def is_real(value: object) -> bool:
    """Whether `value` is a real number, no bool; nan and infinite ones are."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: object, low: int) -> bool:
    """Whether `value` is a whole number, no bool, of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return int(value) >= low


def check_number(name: str, value: object, low: float, *, above: bool = False) -> None:
    """Refuse what is no finite number of at least `low`; with `above`, `low` itself too.

    Raises:
        ValueError: naming the setting.
    """
    if not is_number(value, low) or (above and value == low):
        raise ValueError(
            f"{name} must be {'above' if above else 'at least'} {low:g} and a finite number, got {value!r}"
        )


def check_positive(name: str, value: object) -> None:
    """Refuse what is no finite number above 0.

    Raises:
        ValueError: naming the setting.
    """
    check_number(name, value, 0.0, above=True)


def check_between(name: str, value: object, low: float, high: float, *, above: bool = False) -> None:
    """Refuse what is no number from `low` to `high`; with `above`, `low` itself too.

    Raises:
        ValueError: naming the setting.
    """
    inside = is_number(value, low) and value <= high  # type: ignore[operator]
    if not inside or (above and value == low):
        bound = "above" if above else "at least"
        raise ValueError(f"{name} must be {bound} {low:g} and at most {high:g}, got {value!r}")


def check_whole(name: str, value: object, low: int, high: int | None = None, what: str = "") -> None:
    """Refuse what is no whole number of at least `low` and at most `high`, of which `what` says what it is.

    Raises:
        ValueError: naming the setting.
    """
    if not is_whole(value, low) or (high is not None and int(value) > high):  # type: ignore[call-overload]
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


def check_known(kind: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that is not among `known`; `kind` says what it is the name of.

    Raises:
        ValueError: listing the known ones.
    """
    if name not in known:
        raise ValueError(f"unknown {kind} {name!r}; known: {', '.join(known)}")


def check_settings(
    settings: Mapping[str, Any], known: Collection[str], kind: str = "setting", *, complete: bool = True
) -> None:
    """Refuse a setting that is not among `known`, and, where they have to be `complete`, the lack of one that is.

    Raises:
        ValueError: naming it and listing the known ones.
    """
    for name in settings:
        check_known(kind, name, known)
    for name in known if complete else ():
        if name not in settings:
            raise ValueError(f"missing {kind} {name!r}; known: {', '.join(known)}")
