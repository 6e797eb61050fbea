"""What the settings of the searches with combinations may be."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from frugal.checks import check_between, check_number, check_whole
from frugal.checks import check_settings as refuse_names
from frugal.trials import strategies
from studies.big_data.beyond.settings import Check, whole


def _name(name: str, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a name, got {value!r}")


def _block(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} must hold settings by name, got {value!r}")


def _sizes(name: str, values: Any) -> None:
    if not isinstance(values, (list, tuple)) or len(values) < 2:
        raise ValueError(f"{name} must be a list of two numbers of rows or more, got {values!r}")
    for value in values:
        check_whole(name, value, 2)
    if any(b <= a for a, b in pairwise(values)):
        raise ValueError(f"{name} must increase, got {list(values)}")


def _counts(known: tuple[str, ...]) -> Check:
    def every(name: str, value: Any) -> None:
        _block(name, value)
        refuse_names(value, known, f"method of {name}")
        for method, n_trials in value.items():
            check_whole(f"{name} of {method}", n_trials, 2)

    return every


GROWING: Mapping[str, Check] = {
    "dataset": _name,
    "n_train": whole(100),
    "n_valid": whole(10),
    "horizon": whole(6),
    "theta": lambda name, value: check_between(name, value, 0.0, 1.0),
    "start_share": lambda name, value: check_between(name, value, 0.0, 1.0, above=True),
    "n_trials": whole(2),
    "termination": _block,
}
"""Setting -> what refuses a wrong value; those of the termination are refused by `rule_of`."""
REDUCED: Mapping[str, Check] = {
    "dataset": _name,
    "sizes": _sizes,
    "n_valid": whole(10),
    "n_test": whole(10),
    "compression": lambda name, value: check_number(name, value, 1.0, above=True),
    "n_initial": whole(2),
    "n_trials": _counts(("random", "ei", "fabolas")),
    "strategies": _block,
}
"""The same; those of a strategy are refused by itself."""
TERMINATED: Mapping[str, Check] = {
    "curves": _name,
    "table": _name,
    "n_initial": whole(2),
    "n_trials": whole(3),
    "fabolas": _block,
    "termination": _block,
}
"""The same; curves is the name of a stored set, table the file of it."""


def rule_of(termination: Mapping[str, Any], horizon: int) -> dict[str, Any]:
    """Settings of `Terminating` for trials of so many epochs.

    Raises:
        ValueError: on settings that it refuses, or a horizon among them.
    """
    if "horizon" in termination:
        raise ValueError(f"termination must not hold horizon, which is {horizon}, the epochs of a whole trial")
    rule = {"horizon": horizon, **termination}
    strategies.check_termination(rule)
    return rule
