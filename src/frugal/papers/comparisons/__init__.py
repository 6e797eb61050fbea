"""Strategies of all documents side by side, on the same folds; what no single document compares.

Its figures stand in `drawn`, apart, so that runs and tables are made without matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from frugal.papers.comparisons.entries import Entry, entries_of
from frugal.papers.comparisons.runs import compare, read_tables
from frugal.papers.comparisons.tables import render, strategies_table

__all__ = ["FLOOR", "FLOORS", "TABLES", "Entry", "claims", "compare", "entries_of", "read_tables", "render"]

TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {"strategies": strategies_table}
"""Table name -> how it is made from runs and the label of the scale."""

FLOOR = 10
"""Repetitions under which results are not published."""
FLOORS: Mapping[str, int] = {}


def claims(runs: Mapping[str, pd.DataFrame], *, scale: str) -> pd.DataFrame:
    """There are none: each document's own module judges its claims.

    Raises:
        ValueError: always.
    """
    raise ValueError("comparisons judge no claims; name the paper whose claims are meant")
