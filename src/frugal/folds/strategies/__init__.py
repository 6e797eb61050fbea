"""One module per strategy; a module `greedy` holds the class `Greedy`, and that is all it takes to be known."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

import numpy as np

from frugal.folds.checks import check_counts
from frugal.interface import FoldStrategy


def known() -> list[str]:
    """Names of the strategies of this family."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def settings_of(name: str) -> dict[str, Any]:
    """Settings of a strategy and their defaults, as its constructor takes them.

    Raises:
        ValueError: on an unknown strategy; the message lists the known ones.
    """
    parameters = inspect.signature(_class_of(name)).parameters.values()
    shared = ("n_candidates", "n_folds", "rng")
    return {p.name: p.default for p in parameters if p.name not in shared}


def with_facts(name: str, settings: Mapping[str, Any], *, n_rows: int, n_classes: int) -> dict[str, Any]:
    """Settings of a strategy on a dataset: the facts that its constructor takes, unless they are given.

    Args:
        name: one of `known()`.
        settings: of the strategy; they win.
        n_rows: rows of the dataset.
        n_classes: its classes.

    Raises:
        ValueError: on an unknown strategy; the message lists the known ones.
    """
    facts = {"n_rows": n_rows, "n_classes": n_classes}
    return {fact: value for fact, value in facts.items() if fact in settings_of(name)} | dict(settings)


def make(name: str, *, n_candidates: int, n_folds: int, rng: np.random.Generator, **settings: Any) -> FoldStrategy:
    """A fresh strategy.

    Args:
        name: one of `known()`.
        n_candidates: at least 1.
        n_folds: at least 2.
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
    check_counts(n_candidates, n_folds)
    made = strategy(n_candidates=n_candidates, n_folds=n_folds, rng=rng, **settings)
    return cast(FoldStrategy, made)


def _class_of(name: str) -> type:
    if name not in known():
        raise ValueError(f"unknown strategy {name!r}; known: {', '.join(known())}")
    module = import_module(f"{__name__}.{name}")
    camel = "".join(word.capitalize() for word in name.split("_"))
    return cast(type, getattr(module, camel))
