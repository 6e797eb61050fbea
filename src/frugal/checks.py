"""Checks of settings, names and tables: each refuses a wrong value in a sentence that says what is accepted."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def is_number(value: object, low: float) -> bool:
    """True if `value` is a finite real number of at least `low`; a bool is not."""
    return is_finite(value) and low <= float(value)  # type: ignore[arg-type]


def is_finite(value: object) -> bool:
    """True if `value` is a finite real number; a bool is not, nor a whole number above all floats."""
    try:
        return is_real(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def is_real(value: object) -> bool:
    """True if `value` is a real number; nan and infinity are, a bool is not."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_nan(value: object) -> bool:
    """True if `value` is a real number that is nan."""
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def is_whole(value: object, low: int) -> bool:
    """True if `value` is an integer of at least `low`; a bool is not."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return int(value) >= low


def as_python(value: Any) -> Any:
    """Return a scalar of NumPy as Python's, and any other value as it is."""
    return value.item() if isinstance(value, np.generic) else value


def json_default(value: object) -> object:
    """The `default` of `json.dumps`: a scalar of NumPy as Python's.

    Raises:
        TypeError: on any other value.
    """
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} cannot be written as JSON")


def check_vector(name: object, value: object) -> None:
    """Raise ValueError if `value` is an array whose shape is not (n,)."""
    if isinstance(value, np.ndarray) and value.ndim != 1:
        raise ValueError(f"{name!r} must be an array of shape (n,), got shape {value.shape}")


def check_number(name: str, value: object, low: float, *, above: bool = False) -> None:
    """Raise ValueError unless `value` is a finite number of at least `low`; with `above`, above `low`."""
    if not is_number(value, low) or (above and value == low):
        raise ValueError(
            f"{name} must be {'above' if above else 'at least'} {low:g} and a finite number, got {value!r}"
        )


def check_finite(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a finite number."""
    if not is_finite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")


def check_positive(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a finite number above 0."""
    check_number(name, value, 0.0, above=True)


def check_between(name: str, value: object, low: float, high: float, *, above: bool = False) -> None:
    """Raise ValueError unless `value` is a number from `low` to `high`; with `above`, above `low`."""
    inside = is_number(value, low) and value <= high  # type: ignore[operator]
    if not inside or (above and value == low):
        bound = "above" if above else "at least"
        raise ValueError(f"{name} must be {bound} {low:g} and at most {high:g}, got {value!r}")


def check_whole(name: str, value: object, low: int, high: int | None = None, what: str = "") -> None:
    """Raise ValueError unless `value` is an integer from `low` to `high`. `what` says what `high` is."""
    if not is_whole(value, low) or (high is not None and int(value) > high):  # type: ignore[call-overload]
        bound = "" if high is None else f", at most {high}{what and ', ' + what},"
        raise ValueError(f"{name} must be at least {low}{bound} and a whole number, got {value!r}")


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Raise ValueError unless `value` is among `known`."""
    known = list(known)
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


def check_flag(name: str, value: object) -> None:
    """Raise ValueError unless `value` is True or False: a text such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be one of True, False, got {value!r}")


def check_dense(X: object) -> None:
    """Raise ValueError if X is a sparse matrix."""
    if hasattr(X, "toarray"):
        raise ValueError(f"X must be dense, got a {type(X).__name__}: give X.toarray()")


def check_rng(rng: object) -> None:
    """Raise ValueError unless `rng` is a NumPy generator; a seed is not."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")


def check_known(kind: str, name: str, known: Collection[str]) -> None:
    """Raise ValueError unless `name` is among `known`. `kind` says what is named."""
    if name not in known:
        raise ValueError(f"unknown {kind} {name!r}; known: {', '.join(known)}")


def check_settings(
    settings: Mapping[str, Any], known: Collection[str], kind: str = "setting", *, complete: bool = True
) -> None:
    """Raise ValueError on a setting not among `known` or, where settings must be `complete`, on a missing one."""
    for name in settings:
        check_known(kind, name, known)
    for name in known if complete else ():
        if name not in settings:
            raise ValueError(f"missing {kind} {name!r}; known: {', '.join(known)}")


def check_columns(what: str, table: pd.DataFrame, columns: Iterable[str]) -> None:
    """Raise ValueError unless a table has these columns. `what` names it in the message."""
    missing = [column for column in columns if column not in table]
    if missing:
        raise ValueError(f"{what} lacks the column {missing[0]!r}; it has {', '.join(map(str, table))}")
