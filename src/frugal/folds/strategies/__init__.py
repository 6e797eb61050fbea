"""One module per strategy: the module `greedy` with the class `Greedy` defines the strategy `greedy`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from frugal.checks import check_rng, check_whole
from frugal.interface import FoldStrategy
from frugal.locked import locked
from frugal.registry import Registry

_REGISTRY = Registry(__name__, __path__, shared=("n_candidates", "n_folds", "rng"))


def known() -> list[str]:
    """Names of the strategies of this family.

    Examples:
        >>> from frugal import folds
        >>> "greedy_early_stopping" in folds.known()
        True
    """
    return _REGISTRY.known()


def settings_of(name: str) -> dict[str, Any]:
    """Settings of a strategy and their defaults, as its constructor takes them.

    Raises:
        ValueError: on an unknown strategy; the message lists the known ones.

    Examples:
        >>> from frugal import folds
        >>> folds.settings_of("greedy_early_stopping")
        {'epsilon': 0.02, 'rounding': 'ceiling', 'ties': 'lowest_index', 'drop_failed': False}
    """
    return _REGISTRY.settings_of(name)


def with_facts(name: str, settings: Mapping[str, Any], *, n_rows: int, n_classes: int) -> dict[str, Any]:
    """Add facts about a dataset to the settings of a strategy, if its constructor takes them.

    Args:
        name: one of `known()`.
        settings: settings that the user gave; they take precedence.
        n_rows: rows of the dataset.
        n_classes: classes of the dataset.

    Raises:
        ValueError: on an unknown strategy; the message lists the known ones.

    Examples:
        >>> from frugal import folds
        >>> folds.with_facts("successive_halving", {"factor": 2}, n_rows=1000, n_classes=3)
        {'n_rows': 1000, 'n_classes': 3, 'factor': 2}
    """
    facts = {"n_rows": n_rows, "n_classes": n_classes}
    return {fact: value for fact, value in facts.items() if fact in settings_of(name)} | dict(settings)


def make(name: str, *, n_candidates: int, n_folds: int, rng: np.random.Generator, **settings: Any) -> FoldStrategy:
    """Make a new strategy.

    Args:
        name: one of `known()`.
        n_candidates: length of the candidate list, at least 1.
        n_folds: folds of a complete candidate, at least 2. Strategies ask for the folds of a candidate in order.
        rng: generator of all random draws; most strategies draw nothing.
        **settings: settings of the algorithm, in the paper's units.

    Raises:
        ValueError: on an unknown strategy or setting (the message lists the known ones), or a setting
            outside its range.
        ImportError: without an optional package that the strategy needs.

    Examples:
        >>> import numpy as np
        >>> from frugal import folds
        >>> scores = [[0.9, 0.8], [0.3, 0.9], [0.7, 0.8]]
        >>> strategy = folds.make("greedy", n_candidates=3, n_folds=2, rng=np.random.default_rng(0))
        >>> while not strategy.complete and (task := strategy.ask()) is not None:
        ...     strategy.tell(task, scores[task.candidate][task.fold])
        >>> strategy.incumbent
        0
    """
    strategy = _REGISTRY.checked(name, settings)
    check_whole("n_candidates", n_candidates, 1)
    check_whole("n_folds", n_folds, 2)
    check_rng(rng)
    instance = strategy(n_candidates=n_candidates, n_folds=n_folds, rng=rng, **settings)
    return locked(cast(FoldStrategy, instance))


def try_out(name: str, settings: Mapping[str, Any]) -> None:
    """Check settings by building the strategy once: 128 candidates on 5 folds of a large dataset of two classes.

    Raises:
        ValueError: on an unknown strategy or setting (the message lists the known ones), or a setting
            outside its range.
        TypeError: on a setting of a type that the strategy cannot take.
    """
    settings = with_facts(name, settings, n_rows=10**6, n_classes=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a budget is small or large against the study's own lists
        make(name, n_candidates=128, n_folds=5, rng=np.random.default_rng(0), **settings)
