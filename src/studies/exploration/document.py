"""What document 002 prints, and the floor under the verdicts on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from studies.records import Floor
from studies.regions import at_least
from studies.tidy import read_printed

FLOOR: Final = 5
"""Repetitions under which no number is published and no verdict given."""
OF_EVERY_METHOD: Final = Floor(seeds=FLOOR, groups=("method",))
ALL: Final = at_least(95)
"""Per cent of searches that "all" are: a share's margin, where the document prints none, is 5 points."""


@cache
def published(task: int) -> Mapping[str, float]:
    """What the page prints of task 1 (K, beta, lambda) or 2 (C, intercept_scaling, test_accuracy)."""
    table = read_printed("exploration")
    part = table[table["task"] == task]
    return {str(name): float(value) for name, value in zip(part["quantity"], part["value"], strict=True)}
