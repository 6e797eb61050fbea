"""What the comparison of strategies on the same folds consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from studies.folds_comparison import comparison
from studies.records import Paper


def cells(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the runs of which there are statistics by cell."""
    return ("runs", *comparison.timed_runs(config), "network")


PAPER: Final = Paper(
    name="folds_comparison",
    title="Strategies that save folds, side by side",
    studies=(comparison.RUNS, comparison.TIMED, comparison.NETWORK),
    artefacts=comparison.ARTEFACTS,
    cells=cells,
    floor=comparison.FLOOR,
    runs_folder="",
    all_shown={"n_folds": [5], "n_timed_seeds": 1},
)
