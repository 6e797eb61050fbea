"""Table 1 at every combination of what document 001 leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from studies import style
from studies.greedy_cv.combinations import combinations
from studies.records import Study

FACTORIAL: Final = Study(name="factorial", methods=style.strategies("standard", "greedy"), floor=10)


def runs_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the runs: one combination each."""
    return tuple(f"factorial/{name}" for name in combinations(config["greedy_cv"]["factorial"]))
