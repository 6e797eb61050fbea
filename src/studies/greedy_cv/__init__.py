"""Document 001: "Greed is good", greedy k-fold cross validation (Soper 2021, Electronics 10(16):1973).

Its figures stand in `drawn`, apart, so that tables and claims are made without matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from studies.greedy_cv import sensitivity, tables
from studies.greedy_cv.claims import FLOOR, STUDY_FLOOR, claims

__all__ = ["FLOOR", "FLOORS", "TABLES", "claims"]

TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    "table1": tables.table1,
    "table1_by_n": tables.table1_by_n,
    "table2": tables.table2,
    "table3": tables.table3,
    "sensitivity": sensitivity.sensitivity_table,
    "sizes": sensitivity.sizes_table,
}
"""Table name -> how it is made from runs and the label of the scale."""

FLOORS = {"sensitivity": STUDY_FLOOR, "sizes": STUDY_FLOOR, "variants": STUDY_FLOOR}
"""Repetitions under which results of this name or in this folder are not published; `FLOOR` for the others."""
