"""What the settings of the combinations and of the fractions may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from frugal.checks import check_between, check_number, check_positive, check_whole
from frugal.checks import check_settings as refuse_names

Check = Callable[[str, Any], None]


def whole(low: int) -> Check:
    """A whole number, at least `low`."""
    return lambda name, value: check_whole(name, value, low)


def _exponent(name: str, value: Any) -> None:
    check_between(name, value, 0.0, 1.0, above=True)


def _share(name: str, value: Any) -> None:
    check_between(name, value, 0.0, 1.0, above=True)
    if value == 1:
        raise ValueError(f"{name} must be below 1, got {value!r}")


def _each(check: Check) -> Check:
    def every(name: str, values: Any) -> None:
        if not isinstance(values, (list, tuple)) or not values:
            raise ValueError(f"{name} must be a list of one or more, got {values!r}")
        for value in values:
            check(name, value)

    return every


def _name(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise ValueError(f"{name} must hold names, got {value!r}")


def _sizes(name: str, values: Any) -> None:
    if not isinstance(values, Mapping) or not values:
        raise ValueError(f"{name} must give rows per design, got {values!r}")
    for design, n in values.items():
        check_whole(f"{name}[{design!r}]", n, 100)


def _limit(name: str, value: Any) -> None:
    if value is not None:
        check_whole(name, value, 2)


_SHARED: dict[str, Check] = {
    "theta": lambda name, value: check_between(name, value, 0.0, 1.0),
    "datasets": _each(_name),
    "n_components": whole(1),
    "svm_rows": whole(2),
    "C": check_positive,
}
COMBINATIONS: Mapping[str, Check] = _SHARED | {
    "sizes": _sizes,
    "gammas": _each(_exponent),
    "s": whole(1),
    "r": whole(2),
    "pilot_size": whole(1),
    "n_truth": whole(2),
    "dynamic_gammas": _each(_exponent),
    "svm_test": whole(1),
    "svm_gammas": _each(_exponent),
    "svm_s": whole(1),
    "svm_r": whole(2),
    "compression": lambda name, value: check_number(name, value, 1.0),
}
"""Setting -> what refuses a wrong value."""
FRACTIONS: Mapping[str, Check] = _SHARED | {
    "fractions": _each(_share),
    "passes": _each(check_positive),
    "n_train": _limit,
    "pilot_share": _share,
    "s": whole(2),
    "r": whole(2),
}
"""The same; `s` is what b of n calls r."""


def check_settings(settings: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    """Refuse a setting that is not known, the lack of one that is, and a wrong value, before anything runs.

    Raises:
        ValueError: naming the setting, and if it is unknown or missing all known ones.
    """
    refuse_names(settings, checks)
    for name, check in checks.items():
        check(name, settings[name])
    for gamma in settings.get("dynamic_gammas", ()):
        if gamma not in settings["gammas"]:
            known = ", ".join(map(str, settings["gammas"]))
            raise ValueError(f"dynamic_gammas must be among gammas ({known}), got {gamma!r}")
