"""The papers, and their studies and artefacts by name.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from frugal.checks import check_known
from studies.methods import TRIALS
from studies.records import Artefact, Claim, Floor, Method, Paper, Study

if TYPE_CHECKING:
    import pandas as pd

DOCUMENTS: Final = ("beta_pruning", "greedy_cv", "exploration", "big_data", "hypertune")
"""Names of the papers that each reproduce a document."""
PAPERS: Final = (*DOCUMENTS, "folds_comparison", "trials_comparison")
"""Names of the papers, each a package with a module `paper` and its `PAPER`; the last two compare across them."""


@cache
def paper(name: str) -> Paper:
    """The records of a paper. Its artefacts are those that it lists, then the `FIGURE` of each module `figure_*`.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    check_known("paper", name, PAPERS)
    found: Paper = _module(f"{name}.paper").PAPER
    modules = [module.name for module in pkgutil.iter_modules(_module(name).__path__)]
    figures = [_module(f"{name}.{module}").FIGURE for module in modules if module.startswith("figure_")]
    return replace(found, artefacts=(*found.artefacts, *figures))


def _module(name: str) -> Any:
    return import_module(f"studies.{name}")


def study(name: str) -> Study:
    """The record of a study.

    Raises:
        ValueError: if no paper has it; the message lists the known ones.
    """
    return _find("study", name)[0]


def experiment(name: str) -> Study:
    """The record of a study whose runs are made by jobs of their own: one of `experiments`.

    Raises:
        ValueError: on another name; the message lists the known ones.
    """
    return _find("experiment", name, lambda study: study.run is not None)[0]


def paper_of(name: str) -> str:
    """Name of the paper that a study is of.

    Raises:
        ValueError: as `study`.
    """
    return _find("study", name)[1].name


def _find(kind: str, name: str, is_one: Callable[[Study], bool] = lambda study: True) -> tuple[Study, Paper]:
    known: dict[str, tuple[Study, Paper]] = {}
    for document in map(paper, PAPERS):  # one after the other, since to import them all takes half a second
        known |= {one.name: (one, document) for one in document.studies if is_one(one)}
        if name in known:
            break
    check_known(kind, name, known)
    return known[name]


def study_of_run(name: str, run: str) -> Study:
    """The study of a paper that has a run of this name.

    Raises:
        ValueError: if none has.
    """
    found = next((study for study in paper(name).studies if study.kind_of(run) is not None), None)
    if found is None:
        raise ValueError(f"{name} has no run {run!r}")
    return found


def experiments() -> dict[str, Study]:
    """Studies whose runs are made by jobs of their own, by name: those with a `run`."""
    return {one.name: one for document in map(paper, PAPERS) for one in document.studies if one.run is not None}


def searches() -> dict[str, Study]:
    """Studies whose jobs are searches of hyperparameters, by name: those with problems."""
    return {one.name: one for document in map(paper, PAPERS) for one in document.studies if one.problems}


def search_methods() -> dict[str, Method]:
    """All methods of searches by name: those that papers share in the order of tables, then those of one paper."""
    return {**TRIALS, **{one.name: one for study in searches().values() for one in study.methods}}


def derived(name: str) -> dict[str, Callable[..., pd.DataFrame]]:
    """The functions that derive runs of a paper, by the name of the run."""
    return {study.name: study.derive for study in paper(name).studies if study.derive is not None}


def refit(name: str) -> Callable[..., pd.DataFrame]:
    """The function that fits and tests the choices of a paper's searches.

    Raises:
        ValueError: if it has no searches.
    """
    found = next((study.refit for study in paper(name).studies if study.refit), None)
    if found is None:
        raise ValueError(f"{name} has no searches whose choices could be fitted")
    return found


def tables(name: str) -> dict[str, Artefact]:
    """The tables of a paper, by name."""
    return {one.name: one for one in paper(name).artefacts if one.kind == "table"}


def figures(name: str) -> dict[str, Artefact]:
    """The figures of a paper, by name."""
    return {one.name: one for one in paper(name).artefacts if one.kind == "figure"}


def artefact(paper_name: str, kind: str, name: str) -> Artefact:
    """A table or figure of a paper.

    Raises:
        ValueError: if it has none of this name; the message lists the known ones.
    """
    found = tables(paper_name) if kind == "table" else figures(paper_name)
    check_known(f"{kind} of {paper_name}", name, found)
    return found[name]


def judged_by(record: Paper) -> list[str]:
    """The definitions that judge the claims of a paper, as `module:name`: the claims, and what measures runs."""
    homes = [home_of(claim) for claim in record.claims]
    for one in record.studies:
        parts = filter(None, (one.judged, one.arrays, one.is_enough, one.unjudged))
        homes += [home_of(part) if isinstance(part, Floor | partial) else place_of(part) for part in parts]
    return list(dict.fromkeys(homes))


def place_of(function: Callable[..., object]) -> str:
    """Where a function is defined, `module:name`."""
    return f"{function.__module__}:{function.__qualname__}"


def home_of(record: Study | Artefact | Claim | Floor | partial[Any]) -> str:
    """Where a record is declared, `module:CONSTANT`, alone or in a tuple of records.

    Raises:
        ValueError: if no module of the studies holds it.
    """
    if id(record) not in _HOMES:
        _find_homes()
    if id(record) not in _HOMES:
        raise ValueError(f"no module of the studies holds {record}")
    return _HOMES[id(record)]


_HOMES: Final[dict[int, str]] = {}
"""By the `id` of a record, which lives as long as its module."""


def _find_homes() -> None:
    """Fill `_HOMES` with the records of all modules of the studies that are imported by now."""
    modules = [module for name, module in sys.modules.items() if name.startswith("studies.")]
    held = [(f"{module.__name__}:{name}", value) for module in modules for name, value in vars(module).items()]
    for home, value in held:
        if isinstance(value, Study | Artefact | Claim | Floor | partial):
            _HOMES.setdefault(id(value), home)
    for home, value in held:
        for one in value if isinstance(value, tuple) else ():
            if isinstance(one, Study | Artefact | Claim):
                _HOMES.setdefault(id(one), home)
