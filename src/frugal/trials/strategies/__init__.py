"""One module per strategy; a module `ei` holds the class `Ei`, and that is all it takes to be known."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Any, cast

import numpy as np

from frugal.interface import TrialStrategy
from frugal.spaces import SearchSpace
from frugal.trials.checks import check_rng


def known() -> list[str]:
    """Names of the strategies of this family."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def settings_of(name: str) -> dict[str, Any]:
    """Settings of a strategy and their defaults, as its constructor takes them.

    Where a constructor hands further keywords on, those of the class that it is built on are settings too.

    Raises:
        ValueError: on an unknown strategy; the message lists the known ones.
    """
    settings: dict[str, Any] = {}
    for built_on in _class_of(name).__mro__:
        if "__init__" not in vars(built_on):
            continue
        parameters = list(inspect.signature(built_on).parameters.values())
        for parameter in parameters:
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in ("space", "n_trials", "rng"):
                settings.setdefault(parameter.name, parameter.default)
        if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters):
            break
    return settings


def make(
    name: str, *, space: SearchSpace, n_trials: int, rng: np.random.Generator, **settings: Any
) -> TrialStrategy:
    """A fresh strategy.

    Args:
        name: one of `known()`.
        space: where candidates come from, at least one dimension.
        n_trials: that are asked at most, at least 1.
        rng: what the strategy may draw from.
        **settings: what the paper's algorithm takes, in its units.

    Raises:
        ValueError: on an unknown strategy or setting (the message lists the known ones), or a setting
            outside its range.
    """
    strategy = _class_of(name)
    unknown = sorted(set(settings) - set(settings_of(name)))
    if unknown:
        raise ValueError(
            f"unknown setting {unknown[0]!r} of {name}; known: {', '.join(settings_of(name)) or 'none'}"
        )
    check_rng(rng)
    return cast(TrialStrategy, strategy(space=space, n_trials=n_trials, rng=rng, **settings))


def _class_of(name: str) -> type:
    if name not in known():
        raise ValueError(f"unknown strategy {name!r}; known: {', '.join(known())}")
    module = import_module(f"{__name__}.{name}")
    camel = "".join(word.capitalize() for word in name.split("_"))
    return cast(type, getattr(module, camel))
