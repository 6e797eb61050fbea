"""One module per document: its tables and figures, its claims, its published values; two compare across them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from frugal.checks import check_known

PAPERS = ("beta_pruning", "greedy_cv", "exploration", "big_data", "hypertune", "comparisons", "trials_comparison")


def module(paper: str) -> ModuleType:
    """The module of a paper, with TABLES, claims() and the floors under published numbers; without matplotlib.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    check_known("paper", paper, PAPERS)
    return import_module(f"{__name__}.{paper}")


def figures(paper: str) -> Mapping[str, Any]:
    """The figures of a paper by name, each with summarise() and draw(); brings matplotlib in.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    drawn: Mapping[str, Any] = import_module(f"{module(paper).__name__}.drawn").FIGURES
    return drawn
