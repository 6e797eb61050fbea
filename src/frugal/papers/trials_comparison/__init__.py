"""Every way to save trials on the same problems; what no single document compares.

`runs` makes searches comparable, `summaries` has the numbers and `figures` the pictures; average ranks and their
diagrams are those of `papers.comparisons`. Figures stand in `drawn`, so that tables need no matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from frugal.papers.trials_comparison.summaries import FLOOR, TABLES, render

__all__ = ["FLOOR", "FLOORS", "TABLES", "claims", "render"]

FLOORS: dict[str, int] = {}
"""Repetitions under which results of a name are not published; `FLOOR` for the others."""
HAS_CLAIMS = False
"""Whether results are published with claims.csv."""


def claims(runs: Mapping[str, pd.DataFrame], *, scale: str) -> pd.DataFrame:
    """There are none: each document's own module judges its claims.

    Raises:
        ValueError: always.
    """
    raise ValueError("comparisons judge no claims; name the paper whose claims are meant")
