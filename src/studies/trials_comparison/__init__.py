"""Every way to save trials on the same problems; what no single document compares.

`runs` makes searches comparable, `summaries` has the numbers and `figures` the pictures; average ranks and their
diagrams are those of `studies.shared.ranks`. Figures stand in `drawn`, so that tables need no matplotlib.
"""

from __future__ import annotations

from studies.trials_comparison.summaries import FLOOR, TABLES, reaches_floor, render
from studies.verdicts import no_claims as claims

__all__ = ["FLOOR", "FLOORS", "MADE_FROM", "TABLES", "claims", "reaches_floor", "render"]

FLOORS: dict[str, int] = {}
"""Repetitions under which results of a name are not published; `FLOOR` for the others."""
MADE_FROM = ("lookup/*.parquet", "curves/*.parquet")
"""Under `results/`, tables and stored curves that searches look up; they are published with the results."""
HAS_CLAIMS = False
"""Whether results are published with claims.csv."""
