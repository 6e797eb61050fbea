"""The papers that are declared by records, and their studies and artefacts by name.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from frugal.checks import check_known
from studies.records import Artefact, Claim, Paper, Study

if TYPE_CHECKING:
    import pandas as pd

_HOMES: Final = {
    "beta_pruning": "studies.beta_pruning.paper",
    "exploration": "studies.exploration.paper",
    "big_data": "studies.big_data.paper",
    "hypertune": "studies.hypertune.paper",
    "folds_comparison": "studies.folds_comparison.paper",
    "greedy_cv": "studies.greedy_cv.paper",
    "trials_comparison": "studies.trials_comparison.paper",
}
"""Module of `PAPER` by the name of the paper; those that are not here yet are listed in `studies.artefacts`."""


def paper(name: str) -> Paper | None:
    """The records of a paper; None if it has none."""
    found: Paper | None = import_module(_HOMES[name]).PAPER if name in _HOMES else None
    return found


def study(name: str) -> Study:
    """The record of a study.

    Raises:
        ValueError: if no paper has it; the message lists the known ones.
    """
    papers = [of for of in map(paper, _HOMES) if of is not None]
    found = {one.name: one for of in papers for one in of.studies}
    check_known("study", name, found)
    return found[name]


def derived(of: str) -> dict[str, Callable[..., pd.DataFrame]]:
    """What derives runs of a paper, by the name of the run; empty if records declare none."""
    known = paper(of)
    return {one.name: one.derive for one in (known.studies if known else ()) if one.derive is not None}


def refit(of: str) -> Callable[..., pd.DataFrame] | None:
    """What fits and tests the choices of a paper's searches; None if no record is of it."""
    known = paper(of)
    return next((one.refit for one in known.studies if one.refit), None) if known else None


def runs(of: str) -> list[str]:
    """Names of the runs of a paper's studies, whether or not a claim is on them; none if no record is of it."""
    known = paper(of)
    return [one.name for one in known.studies] if known else []


def artefacts(of: str) -> Sequence[Artefact]:
    """Tables and figures of a paper that records are of."""
    known = paper(of)
    return known.artefacts if known else ()


def artefact(of: str, kind: str, name: str) -> Artefact | None:
    """A table or figure of a paper; None if no record is of it."""
    return next((one for one in artefacts(of) if (one.kind, one.name) == (kind, name)), None)


def judged_by(of: Paper) -> list[str]:
    """What judges the claims of a paper, `module:name`: the claims, and what measures runs."""
    parts = ((one.judged, one.arrays, one.is_enough, one.instead) for one in of.studies)
    functions = [part for listed in parts for part in listed if part is not None]
    homes = [home_of(claim) for claim in of.claims]
    return list(dict.fromkeys([*homes, *map(place_of, functions)]))


def place_of(function: Callable[..., object]) -> str:
    """Where a function is defined, `module:name`."""
    return f"{function.__module__}:{function.__qualname__}"


@cache
def home_of(record: Study | Artefact | Claim) -> str:
    """Where a record is declared, `module:CONSTANT`, alone or in a tuple of records.

    Raises:
        ValueError: if no module of the studies holds it.
    """
    modules = [module for name, module in sys.modules.items() if name.startswith("studies.")]
    held = [(module.__name__, name, value) for module in modules for name, value in vars(module).items()]
    alone = [f"{module}:{name}" for module, name, value in held if value is record]
    among = [
        f"{module}:{name}"
        for module, name, value in held
        if isinstance(value, tuple) and any(one is record for one in value)
    ]
    if alone or among:
        return [*alone, *among][0]
    raise ValueError(f"no module of the studies holds {record}")
