"""One module per strategy. The strategy `ei` is the class `Ei` of the module `ei`; nothing else declares it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

import numpy as np

from frugal.checks import check_rng
from frugal.interface import TrialStrategy
from frugal.locked import locked
from frugal.registry import Registry
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.termination import terminating

_REGISTRY = Registry(__name__, __path__, shared=("space", "n_trials", "rng"))


def known() -> list[str]:
    """Names of the strategies of this family.

    Examples:
        >>> from frugal import trials
        >>> "ei" in trials.known()
        True
    """
    return _REGISTRY.known()


def settings_of(name: str) -> dict[str, Any]:
    """Settings of a strategy with their defaults, read from its constructor.

    Raises:
        ValueError: on an unknown strategy; the message lists the known ones.
        ImportError: without an optional package that the strategy needs.

    Examples:
        >>> from frugal import trials
        >>> trials.settings_of("random")
        {'initial': ()}
    """
    return _REGISTRY.settings_of(name)


def make(
    name: str,
    *,
    space: SearchSpace,
    n_trials: int,
    rng: np.random.Generator,
    termination: Mapping[str, Any] | None = None,
    **settings: Any,
) -> TrialStrategy:
    """Make a new strategy.

    Args:
        name: one of `known()`.
        space: the search space, with at least one dimension.
        n_trials: largest number of trials, at least 1.
        rng: generator of all random draws.
        termination: settings of `Terminating`, at least `horizon`, to cut hopeless trials short; None: no trial is
            cut short.
        **settings: settings of the algorithm, in the paper's units.

    Raises:
        ValueError: on an unknown strategy or setting (the message lists the known ones), or a setting
            outside its range.
        ImportError: without an optional package that the strategy needs.

    Examples:
        >>> import numpy as np
        >>> from frugal import trials
        >>> from frugal.interface import Trial
        >>> from frugal.spaces import SearchSpace, Uniform
        >>> space = SearchSpace({"x": Uniform(-1.0, 1.0)})
        >>> strategy = trials.make("random", space=space, n_trials=50, rng=np.random.default_rng(0))
        >>> while (task := strategy.ask()) is not None:
        ...     strategy.tell(Trial(task, error=task.candidate["x"] ** 2, seconds=0.0, cost=1.0))
        >>> abs(strategy.incumbent["x"]) < 0.2
        True
    """
    strategy = _REGISTRY.checked(name, settings)
    check_rng(rng)
    if not isinstance(space, SearchSpace):
        raise ValueError(f"space must be a SearchSpace, got {space!r}")
    built = cast(TrialStrategy, strategy(space=space, n_trials=n_trials, rng=rng, **settings))
    if termination is None:
        return locked(built)
    if not isinstance(termination, Mapping):
        raise ValueError(f"termination must hold settings by name, got {termination!r}")
    apart = rng.spawn(1)[0]  # so that a strategy draws the same numbers with termination and without
    return locked(terminating(built, rng=apart, **termination))


def check_strategy(name: str, settings: Collection[str]) -> None:
    """Check a strategy's name and settings before its search space is known.

    Raises:
        ValueError: on an unknown strategy or setting; the message lists the known ones.
    """
    _REGISTRY.checked(name, settings)


def check_termination(settings: Mapping[str, Any]) -> None:
    """Check the settings of `termination` as `make` does, before the strategy is made.

    Raises:
        ValueError: as `make`.
    """
    space = SearchSpace({"x": Uniform(0.0, 1.0)})
    make("random", space=space, n_trials=1, rng=np.random.default_rng(0), termination=settings)
