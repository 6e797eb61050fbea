"""Strategies of all documents side by side, on the same folds; what no single document compares.

Its figures stand in `drawn`, apart, so that runs and tables are made without matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from studies.folds_comparison.entries import Entry, entries_of
from studies.folds_comparison.runs import compare
from studies.folds_comparison.tables import FLOOR, render, strategies_table
from studies.verdicts import no_claims as claims

__all__ = ["FLOOR", "FLOORS", "TABLES", "Entry", "claims", "compare", "entries_of", "render"]

TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    "strategies": strategies_table,
    "strategies_network": strategies_table,
}
"""Table name -> how it is made from runs and the label of the scale."""

FLOORS: Mapping[str, int] = dict.fromkeys(
    ("strategies_network", "pareto_network", "anytime_network", "network"), 3
)
"""Repetitions under which results of this name are not published; `FLOOR` for the others."""
HAS_CLAIMS = False
"""Whether results are published with claims.csv."""
