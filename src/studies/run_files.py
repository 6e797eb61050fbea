"""Checks of the files of runs that commands are given: runs of one paper are refused for another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from frugal.checks import check_known
from frugal.files import read_rows
from studies import registry
from studies.artefacts import Shown, shown
from studies.kinds import SEARCH, Kind

if TYPE_CHECKING:
    import pandas as pd

SEARCHES: Final = Kind(SEARCH, name="searches")
"""Of the trials family, of any experiment."""
TABLES: Final = (
    Kind(
        ("learner", "dataset", "data", "candidate", "n_rows", "subset", "test_error"),
        name="fits of a look-up table",
    ),
    Kind(("network", "dataset", "data", "id", "candidate", "epoch", "score"), name="stored curves"),
)
"""What searches look up."""


def everything(paper: str) -> Shown:
    """All that a paper shows.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    return shown(paper, _AllShown())


class _AllShown(dict[str, Any]):
    """By paper the least settings with which it shows all that it can, looked up when they are asked for."""

    def __missing__(self, paper: str) -> Mapping[str, Any]:
        return registry.paper(paper).all_shown


def kind_of(paper: str, run: str) -> Kind:
    """What the runs of a paper that have this name hold.

    Raises:
        ValueError: if it has none.
    """
    kind = registry.study_of_run(paper, run).kind_of(run)
    assert kind is not None
    return kind


def described(runs: pd.DataFrame) -> str:
    """What a table holds, in words: the runs that it fits, or its columns."""
    for paper in registry.PAPERS:
        files = everything(paper)
        for run in files.runs():
            if kind_of(paper, run).holds(runs):
                return f"runs of {run.partition('/')[0]} of {files.folder}"
    known = [kind.name for kind in (SEARCHES, *TABLES) if kind.holds(runs)]
    return known[0] if known else f"the columns {', '.join(map(str, runs.columns))}"


def check_shown(paper: str, kind: str, name: str, paths: Iterable[str]) -> None:
    """Refuse runs that are not those of a table or figure; one that is not made from runs passes.

    Raises:
        ValueError: if a file holds other runs, in a sentence with what it holds and what would be accepted.
    """
    files = everything(paper)
    needed = files.by_kind[kind].get(name, ())
    kinds = {kind_of(paper, run).name for run in needed}
    accepted = [run for run in files.runs() if kind_of(paper, run).name in kinds]
    rule = f"{name} of {files.folder} is made from runs of {', '.join(accepted)}"
    for path in paths if needed else ():
        _check(path, [kind_of(paper, run) for run in accepted], rule)


def check_claimed(paper: str, paths: Iterable[str]) -> None:
    """Refuse runs that the claims of a paper cannot be judged on; files are named for experiments.

    Raises:
        ValueError: if a file is not named for a run of the paper, two files have the same name, or a file holds
            other runs than its name says.
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
    derived = everything(paper).derived
    if not derived:
        raise ValueError(f"{paper} derives no runs")
    check_known(f"derived run of {paper}", name, derived)
    needed = derived[name]
    rule = f"{name} of {paper} is derived from {'runs of ' + ', '.join(needed) if needed else 'no runs'}"
    if len(paths) != len(needed):
        raise ValueError(f"{rule}, so --runs takes {len(needed)} files, got {len(paths)}")
    for path, run in zip(paths, needed, strict=True):
        _check(path, [kind_of(paper, run)], rule)


def check_refitted(paper: str, paths: Iterable[str]) -> None:
    """Refuse all but searches whose choices a paper refits, and the tables or curves that they look up.

    Raises:
        ValueError: as `check_shown`, or if the paper has no searches whose choices could be fitted.
    """
    registry.refit(paper)
    refitted = [study for study in registry.paper(paper).studies if study.refit is not None]
    runs = list(dict.fromkeys(run for study in refitted for run in study.refit_from))
    kinds = [kind_of(paper, run) for run in runs] or [SEARCHES, *TABLES]
    what = f"runs of {', '.join(runs)}" if runs else "searches, and the table or the curves that they look up"
    for path in paths:
        _check(path, kinds, f"refits of {paper} are of {what}")


def _check(path: str, kinds: Iterable[Kind], rule: str) -> None:
    """Raise unless a file holds runs of one of the kinds; `rule` ends the message."""
    runs = read_rows(path)
    if not any(kind.holds(runs) for kind in kinds):
        raise ValueError(f"{path} holds {described(runs)}, but {rule}")
