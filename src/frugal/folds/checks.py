"""What a setting may be, refused in one sentence that names it, its value and what is accepted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

import numpy as np


def is_number(value: object, low: float) -> bool:
    """Whether `value` is a finite real number, no bool, of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return low <= float(value) < math.inf


def is_whole(value: object, low: int) -> bool:
    """Whether `value` is a whole number, no bool, of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return int(value) >= low


def check_number(name: str, value: object, low: float) -> None:
    """Refuse what is no finite number of at least `low`.

    Raises:
        ValueError: naming the setting.
    """
    if not is_number(value, low):
        raise ValueError(f"{name} must be at least {low} and a finite number, got {value!r}")


def check_between(name: str, value: object, low: float, high: float, *, above: bool = False) -> None:
    """Refuse what is no number from `low` to `high`; with `above`, `low` itself too.

    Raises:
        ValueError: naming the setting.
    """
    inside = is_number(value, low) and float(cast(float, value)) <= high
    if not inside or (above and value == low):
        raise ValueError(
            f"{name} must be {'above' if above else 'at least'} {low} and at most {high}, got {value!r}"
        )


def check_whole(name: str, value: object, low: int) -> None:
    """Refuse what is no whole number of at least `low`.

    Raises:
        ValueError: naming the setting.
    """
    if not is_whole(value, low):
        raise ValueError(f"{name} must be at least {low} and a whole number, got {value!r}")


def check_choice(name: str, value: object, known: Iterable[object]) -> None:
    """Refuse what is not among `known`, of the same type too.

    Raises:
        ValueError: naming the setting.
    """
    known = list(known)
    if not any(type(value) is type(choice) and value == choice for choice in known):
        raise ValueError(f"{name} must be one of {', '.join(map(str, known))}, got {value!r}")


def check_counts(n_candidates: int, n_folds: int) -> None:
    """Refuse an empty candidate list, and a single fold.

    Raises:
        ValueError: if `n_candidates` is below 1 or `n_folds` below 2.
    """
    check_whole("n_candidates", n_candidates, 1)
    check_whole("n_folds", n_folds, 2)


def check_budget(budget: int | None) -> None:
    """Refuse a budget below one fold evaluation; None means no limit.

    Raises:
        ValueError: if `budget` is below 1 or not whole.
    """
    if budget is not None:
        check_whole("budget", budget, 1)
