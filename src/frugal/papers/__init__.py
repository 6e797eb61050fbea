"""One module per document: its tables and figures, its claims, its published values."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

PAPERS = ("greedy_cv",)


def module(paper: str) -> ModuleType:
    """The module of a paper, with TABLES, FIGURES and claims().

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    if paper not in PAPERS:
        raise ValueError(f"unknown paper {paper!r}; known: {', '.join(PAPERS)}")
    return import_module(f"{__name__}.{paper}")
