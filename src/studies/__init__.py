"""One module per document: its tables and figures, its claims, its published values; two compare across them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

PAPERS = (
    "beta_pruning",
    "greedy_cv",
    "exploration",
    "big_data",
    "hypertune",
    "folds_comparison",
    "trials_comparison",
)
_HOMES = dict.fromkeys(
    ("beta_pruning", "exploration", "big_data", "hypertune", "folds_comparison", "greedy_cv", "trials_comparison"),
    ".paper",
)
"""Where the contents of a paper stand, under its package."""


def module(paper: str) -> ModuleType:
    """The module of a paper, with TABLES, claims() and the floors under published numbers; without matplotlib.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    _check(paper)
    return import_module(f"{__name__}.{paper}{_HOMES.get(paper, '')}")


def tables(paper: str) -> Mapping[str, Any]:
    """How each table of a paper is made from runs and the label of the scale, by name.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    from studies import registry

    old: Mapping[str, Any] = getattr(module(paper), "TABLES", {})
    return {**old, **{one.name: one.summarise for one in registry.artefacts(paper) if one.draw is None}}


def figures(paper: str) -> Mapping[str, Any]:
    """The figures of a paper by name, each with summarise() and draw(); brings matplotlib in.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    from studies import registry

    _check(paper)
    home = f"{__name__}.{paper}.drawn"
    old: Mapping[str, Any] = import_module(home).FIGURES if find_spec(home) else {}
    return {**old, **{one.name: one for one in registry.artefacts(paper) if one.draw is not None}}


def _check(paper: str) -> None:
    from frugal.checks import check_known  # brings numpy in, which the settings do without

    check_known("paper", paper, PAPERS)
