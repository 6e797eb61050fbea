"""Every way to save trials on the same problems; what no single document compares.

`runs` makes searches comparable, `summaries` has the numbers and `figures` the pictures; average ranks and their
diagrams are those of `papers.comparisons`. Figures stand in `drawn`, so that tables need no matplotlib.
"""

from __future__ import annotations

from frugal.papers.trials_comparison.summaries import FLOOR, TABLES, render
from frugal.papers.verdicts import no_claims as claims

__all__ = ["FLOOR", "FLOORS", "TABLES", "claims", "render"]

FLOORS: dict[str, int] = {}
"""Repetitions under which results of a name are not published; `FLOOR` for the others."""
HAS_CLAIMS = False
"""Whether results are published with claims.csv."""
