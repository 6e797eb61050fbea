"""Document 000: "Cross validation pruning using Bayesian methods" (Kreutzman 2020).

Its figures stand in `drawn`, apart, so that claims are made without matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from studies.beta_pruning import network
from studies.beta_pruning.claims import FLOOR, FLOOR_ROWS, claims

__all__ = ["FLOOR", "FLOORS", "FLOOR_ROWS", "TABLES", "claims"]

TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {"sweep": network.sweep_table}
"""The document prints no table; ours is of runs at other values of tau and buffer."""

FLOORS: dict[str, int] = {}
"""Repetitions under which results of this name are not published; `FLOOR` for the others."""
