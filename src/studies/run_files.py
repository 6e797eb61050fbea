"""The kinds of runs that files hold: a table, figure, claim or refit of one paper refuses the runs of another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from frugal.checks import check_known
from frugal.files import read_rows
from studies import registry
from studies.artefacts import Shown, shown
from studies.trials_comparison.problems_and_methods import COLUMNS as PATH_COLUMNS

if TYPE_CHECKING:
    import pandas as pd


class Kind(NamedTuple):
    """How runs of one kind are recognised.

    Attributes:
        name: of the kind, which several runs of a paper may share.
        columns: that the runs must have.
        values: by column a regular expression that every value matches, unless it is missing.
        lacks: columns that the runs must not have.
    """

    name: str
    columns: tuple[str, ...]
    values: Mapping[str, str] = {}
    lacks: tuple[str, ...] = ()

    def holds(self, runs: pd.DataFrame) -> bool:
        """Whether these are runs of this kind."""
        if not set(self.columns) <= set(runs.columns) or set(self.lacks) & set(runs.columns):
            return False
        return all(
            re.fullmatch(pattern, str(value))
            for column, pattern in self.values.items()
            for value in runs[column].dropna().unique()
        )


_RUN: Final = ("method", "seed", "data")
_CELL: Final = (*_RUN, "dataset", "classifier", "n", "k")
_SEARCH: Final = (*_RUN, "learner", "dataset", "id", "error", "seconds", "incumbent")
_DERIVED: Final = {"task1_scores": ("objective", "score"), "task1_optima": ("part", "error")}
"""Columns of document 002's runs that are computed from other runs."""
_OLSON: Final = {"dataset": "wdbc|boston|digits"}
SEARCH: Final = Kind("searches", _SEARCH)
"""Of the trials family, of any experiment."""
TABLES: Final = (
    Kind("fits of a look-up table", ("learner", "dataset", "data", "candidate", "n_rows", "subset", "test_error")),
    Kind("stored curves", ("network", "dataset", "data", "id", "candidate", "epoch", "score")),
)
"""What searches look up."""
EVERYTHING: Final[Mapping[str, Any]] = {
    "greedy_cv": {
        "sensitivity": {"variants": {"any": {}}},
        "wall_clock": {"n_folds": [5]},
        "readings": {"any": {}},
        "factorial": {"spaces": ["any"], "scalers": ["none"], "splits": ["any"], "tree_seeds": ["any"]},
    },
    "folds_comparison": {"n_folds": [5], "n_timed_seeds": 1},
    "hypertune": {
        one.name: {"datasets": [one.name]} for one in registry.paper("hypertune").studies if one.problems
    },
    "trials_comparison": {},
}
"""The least configuration with which every paper shows all that it can."""


def everything(paper: str) -> Shown:
    """All that a paper shows.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    return shown(paper, EVERYTHING)


def kind_of(paper: str, run: str) -> Kind:
    """What the runs of a paper that have this name hold."""
    match paper:
        case "greedy_cv":
            return _of_greedy_cv(run)
        case "beta_pruning" if run == "model":
            return Kind(run, ("measure", "value", "data"), lacks=("seed",))
        case "beta_pruning":
            columns = ("step", "explored", "best_mean") if run == "explored" else ("tau", "buffer", "folds_share")
            return Kind(run, (*_RUN, *columns))
        case "folds_comparison":
            network = "mnist_cnn"
            classifier = network if run == "network" else f"(?!{network}).*"
            timed = ("seconds", "overhead_s") if run == "timed" else ("folds_share", "rows_share")
            lacks = () if run == "timed" else ("seconds",)
            return Kind(run, (*_CELL, "strategy", "budget_share", *timed), {"classifier": classifier}, lacks)
        case "trials_comparison":
            learner, _, dataset = run.partition("-")
            return Kind("paths", tuple(PATH_COLUMNS), {"learner": learner, "dataset": dataset})
    return _of_experiment(run)


def _of_greedy_cv(run: str) -> Kind:
    columns, lacks = (*_CELL, "search_time", "n_evaluations"), ("variant", "tree_seed", "strategy")
    stopping = {"method": "greedy_early_stopping|successive_halving"}
    whole = {"method": "standard|greedy"}
    folder, _, name = run.rpartition("/")
    if folder.startswith("readings"):
        kind = _of_greedy_cv(name)
        return kind._replace(name=run, columns=(*kind.columns, "reading", "failed"))
    match folder or name:
        case "factorial":
            return Kind("factorial", (*columns, "tree_seed"), {**_OLSON, **whole}, ("strategy",))
        case "early_stopping":
            return Kind(run, (*columns, "quality"), {**_OLSON, **stopping}, (*lacks, "seconds"))
        case "wall_clock":
            return Kind(run, (*columns, "seconds", "overhead_s"), {**_OLSON, **stopping}, lacks)
        case "sizes":
            return Kind(run, columns, {"dataset": "letter_[0-9]+", **whole}, lacks)
        case "search_time":
            return Kind(run, columns, {**_OLSON, **whole}, lacks)
        case "library":
            return _of_experiment(run)
    return Kind("variants", (*columns, "variant"), {**_OLSON, **whole}, ("strategy",))


def _of_experiment(run: str) -> Kind:
    if run == "curve_fits":
        return Kind(run, ("network", "dataset", "data", "id", "observed", "final", "mean", "sd"))
    if run in _DERIVED:
        return Kind(run, ("experiment", "data", *_DERIVED[run]), {"experiment": run})
    if run in registry.experiments():
        return Kind(run, ("experiment", *_RUN), {"experiment": run})
    if run.endswith("refits"):
        columns = ("experiment", *_RUN, "learner", "dataset", "candidate", "n_rows", "test_error")
        return Kind("refits", columns, {"experiment": run})
    of_paper = registry.paper_of(run)
    return Kind("searches" if of_paper == "hypertune" else run, ("experiment", *_SEARCH), {"experiment": run})


def described(runs: pd.DataFrame) -> str:
    """What a table holds, in words: the runs that it fits, or its columns."""
    for paper in registry.PAPERS:
        files = everything(paper)
        for run in files.runs():
            if kind_of(paper, run).holds(runs):
                return f"runs of {run.partition('/')[0]} of {files.folder}"
    known = [kind.name for kind in (SEARCH, *TABLES) if kind.holds(runs)]
    return known[0] if known else f"the columns {', '.join(map(str, runs.columns))}"


def check_shown(paper: str, kind: str, name: str, paths: Iterable[str]) -> None:
    """Refuse runs that are not those of a table or figure; one that is not made from runs passes.

    Raises:
        ValueError: if a file holds other runs, in a sentence with what it holds and what would be accepted.
    """
    files = everything(paper)
    needed = (files.tables if kind == "table" else files.figures).get(name, ())
    kinds = {kind_of(paper, run).name for run in needed}
    accepted = [run for run in files.runs() if kind_of(paper, run).name in kinds]
    rule = f"{name} of {files.folder} is made from runs of {', '.join(accepted)}"
    for path in paths if needed else ():
        _check(path, [kind_of(paper, run) for run in accepted], rule)


def check_claimed(paper: str, paths: Iterable[str]) -> None:
    """Refuse runs that the claims of a paper cannot be judged on; files are named for experiments.

    Raises:
        ValueError: if a file is named for no run of the paper or as another, or holds other runs than those.
    """
    files = everything(paper)
    claimed = [run for runs in files.claims.values() for run in runs]
    studied = [study.name for study in registry.paper(paper).studies]
    named = list(dict.fromkeys([*claimed, *studied]))  # a run that no claim is on is passed over
    seen: dict[str, str] = {}
    for path in paths:
        run = Path(path).stem
        if run not in named:
            raise ValueError(f"{path} is named for no run of {files.folder}; known: {', '.join(named)}")
        if run in seen:
            raise ValueError(f"{seen[run]} and {path} are both named {run}; give one of them")
        seen[run] = path
        _check(path, [kind_of(paper, run)], f"by its name it is runs of {run} of {files.folder}")


def check_derived(paper: str, name: str, paths: Sequence[str]) -> None:
    """Refuse files that are not the runs that another run is derived from, in this order.

    Raises:
        ValueError: if the paper derives no such run, or as `check_shown`.
    """
    derived = {
        study.name: study.derived_from for study in registry.paper(paper).studies if study.derive is not None
    }
    check_known(f"derived run of {paper}", name, derived)
    needed = derived[name]
    rule = f"{name} of {paper} is derived from {'runs of ' + ', '.join(needed) if needed else 'no runs'}"
    if len(paths) != len(needed):
        raise ValueError(f"{rule}, so --runs takes {len(needed)} files, got {len(paths)}")
    for path, run in zip(paths, needed, strict=True):
        _check(path, [kind_of(paper, run)], rule)


def check_refitted(paper: str, paths: Iterable[str]) -> None:
    """Refuse files that hold neither searches whose choices a paper refits, nor what these look up.

    Raises:
        ValueError: as `check_shown`.
    """
    if paper == "trials_comparison":
        kinds, refitted = [SEARCH, *TABLES], "searches, and the table or the curves that they look up"
    else:
        searches = [one.name for one in registry.paper(paper).studies if one.problems]
        runs = ["task2"] if paper == "exploration" else searches
        kinds, refitted = [kind_of(paper, run) for run in runs], f"runs of {', '.join(runs)}"
    for path in paths:
        _check(path, kinds, f"refits of {paper} are of {refitted}")


def _check(path: str, kinds: Iterable[Kind], rule: str) -> None:
    """Raise unless a file holds runs of one of the kinds; `rule` ends the message."""
    runs = read_rows(path)
    if not any(kind.holds(runs) for kind in kinds):
        raise ValueError(f"{path} holds {described(runs)}, but {rule}")
