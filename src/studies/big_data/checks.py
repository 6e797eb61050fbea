"""Checks of the settings of section 4's studies, which each keep a table of them beside their `run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from frugal.checks import check_between, check_whole
from frugal.checks import check_settings as check_names

Check = Callable[[str, Any], None]
"""Raises ValueError unless a value is what the setting of this name may be."""


def check_settings(settings: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    """Check the settings of a study before anything runs.

    Args:
        settings: by name.
        checks: by name of every setting that there is.

    Raises:
        ValueError: on an unknown setting, a missing one, or a wrong value; the message names it.
    """
    check_names(settings, checks)
    for name, check in checks.items():
        check(name, settings[name])


def whole(low: int) -> Check:
    """An integer of at least `low`."""
    return lambda name, value: check_whole(name, value, low)


def each(check: Check) -> Check:
    """A list of one or more values, each of which passes `check`."""

    def check_each(name: str, values: Any) -> None:
        if not isinstance(values, (list, tuple)) or not values:
            raise ValueError(f"{name} must be a list of one or more, got {values!r}")
        for value in values:
            check(name, value)

    return check_each


def share(name: str, value: Any) -> None:
    """A number above 0 and below 1."""
    check_between(name, value, 0.0, 1.0, above=True)
    if value == 1:
        raise ValueError(f"{name} must be below 1, got {value!r}")


def unit(name: str, value: Any) -> None:
    """A number in [0, 1]."""
    check_between(name, value, 0.0, 1.0)


def positive_unit(name: str, value: Any) -> None:
    """A number in (0, 1]."""
    check_between(name, value, 0.0, 1.0, above=True)


def text(name: str, value: Any) -> None:
    """A name."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a name, got {value!r}")


def block(name: str, value: Any) -> None:
    """Settings by name, which are checked by what takes them."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must hold settings by name, got {value!r}")


def increasing(name: str, values: Any) -> None:
    """Two numbers of rows or more, each larger than the one before."""
    if not isinstance(values, (list, tuple)) or len(values) < 2:
        raise ValueError(f"{name} must be a list of two numbers of rows or more, got {values!r}")
    for value in values:
        check_whole(name, value, 2)
    if any(b <= a for a, b in pairwise(values)):
        raise ValueError(f"{name} must increase, got {list(values)}")


def trials_of(methods: tuple[str, ...]) -> Check:
    """A number of trials for each of the methods."""

    def check_trials(name: str, value: Any) -> None:
        block(name, value)
        check_names(value, methods, f"method of {name}")
        for method, n_trials in value.items():
            check_whole(f"{name} of {method}", n_trials, 2)

    return check_trials


def rule_of(termination: Mapping[str, Any], horizon: int) -> dict[str, Any]:
    """Settings of `Terminating` for trials of at most `horizon` epochs.

    Raises:
        ValueError: on settings that `Terminating` does not accept, or a horizon among them.
    """
    from frugal.trials import strategies

    if "horizon" in termination:
        raise ValueError(f"termination must not hold horizon, which is {horizon}, the epochs of a whole trial")
    rule = {"horizon": horizon, **termination}
    strategies.check_termination(rule)
    return rule
