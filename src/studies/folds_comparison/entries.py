"""What is compared: strategies of the folds family with their settings, each under a name of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from frugal.checks import check_between
from frugal.folds.strategies import settings_of, try_out
from studies.records import Method

HALVING: Final = "successive_halving"
"""The strategy that asks for fewer rows."""


@dataclass(frozen=True)
class Entry(Method):
    """One strategy of the folds family as it is compared; its look is that of its strategy.

    Attributes:
        budget_share: the budget as a share in (0, 1] of all folds of all candidates; None: what `settings` say.

    Raises:
        ValueError: on an unknown strategy, a share outside its range, or one for a strategy without a budget.
    """

    budget_share: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        known = settings_of(self.strategy)
        if self.budget_share is None:
            return
        check_between("budget_share", self.budget_share, 0, 1, above=True)
        if "budget" not in known:
            raise ValueError(f"budget_share is given, but {self.strategy} has no setting budget")
        if self.settings.get("budget") is not None:
            raise ValueError("give either budget_share or the setting budget, not both")

    def settings_for(self, n_candidates: int, n_folds: int) -> dict[str, Any]:
        """The settings, the share as a number of fold evaluations, rounded down but at least 1."""
        if self.budget_share is None:
            return dict(self.settings)
        total = n_candidates * n_folds
        return {**self.settings, "budget": max(1, math.floor(self.budget_share * total + 1e-9))}


def entries_of(config: Mapping[str, Any]) -> dict[str, Entry]:
    """What a configuration compares, by name; an entry's settings are put over those of its strategy's block.

    Args:
        config: all keys; `folds_comparison.compared` is a list of mappings with name, strategy, and perhaps
            settings and budget_share.

    Raises:
        ValueError: one sentence with the key, on an unknown strategy or setting, a value outside its range, or a
            name that stands twice.
    """
    entries: dict[str, Entry] = {}
    for i, block in enumerate(config["folds_comparison"]["compared"]):
        where, strategy = f"folds_comparison.compared.{i} ({block['name']})", block["strategy"]
        if block["name"] in entries:
            raise ValueError(f"{where}: the name stands twice; every compared strategy needs one of its own")
        settings = {**config["strategies"].get(strategy, {}), **block.get("settings", {})}
        try:
            entry = Entry(block["name"], strategy, settings, budget_share=block.get("budget_share"))
            changed = sorted(set(block.get("settings", {})) - {"failed"})
            if strategy == HALVING and changed:
                raise ValueError(
                    f"{changed[0]} must be left out, since scores on few rows are kept for the settings of "
                    f"strategies.{HALVING} alone"
                )
            try_out_once(strategy, json.dumps(entry.settings_for(128, 5)))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{where}: {error}") from error
        entries[entry.name] = entry
    return entries


@lru_cache(maxsize=1024)
def try_out_once(strategy: str, settings: str) -> None:
    """Build a strategy of folds from settings as JSON, once a process for the same ones, as `try_out` does."""
    try_out(strategy, json.loads(settings))
