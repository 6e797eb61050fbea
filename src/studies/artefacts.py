"""The tables, figures and claims of every paper, and the runs that each is made from.

The workflow's rules, `publish` and `redraw` read it. Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from frugal.checks import check_known
from studies.beta_pruning import paper as beta_pruning
from studies.big_data import paper as big_data
from studies.experiments import EXPERIMENTS, EXTRAPOLATED, SEARCHES
from studies.exploration import paper as exploration
from studies.folds_comparison import paper as folds_comparison
from studies.greedy_cv import paper as greedy_cv
from studies.hypertune import paper as hypertune
from studies.hypertune.searches import LEARNERS
from studies.records import Paper
from studies.trials_comparison import paper as trials_comparison

Made = Mapping[str, tuple[str, ...]]
"""By name of an artefact the names of the runs that it is made from."""


class Shown(NamedTuple):
    """What a paper shows under `results/{folder}/`.

    Attributes:
        folder: the paper's name, or that of a comparison.
        paper: name of its module in `studies`.
        tables: a CSV and a Markdown file each, under `tables/`.
        figures: two pictures, a CSV and a caption each, under `figures/`.
        explained: the same for figures that explain by a small real run from a seed; by name the data sets that
            this reads. Their CSV is the run that is kept.
        claims: `{name}.csv`, and the findings beside it.
        cells: statistics of runs, a CSV each, under `cells/`.
        runs_under: folder of the runs, under that of the paper.
        derived: runs that `python -m studies derive` computes, and what from: other runs, or nothing.
    """

    folder: str
    paper: str
    tables: Made
    figures: Made
    explained: Made = MappingProxyType({})
    claims: Made = MappingProxyType({})
    cells: Made = MappingProxyType({})
    runs_under: str = "runs"
    derived: Made = MappingProxyType({})

    def run_path(self, run: str) -> str:
        """Path of a run under `results/`."""
        return str(PurePosixPath(self.folder, self.runs_under, f"{run}.parquet"))

    def runs(self) -> list[str]:
        """Names of all runs, each once."""
        kinds = (self.tables, self.figures, self.claims, self.cells)
        return list(dict.fromkeys(run for kind in kinds for runs in kind.values() for run in runs))

    def made_from(self, path: str) -> tuple[str, ...] | None:
        """Runs that a file of the paper is made from, none if it explains; None: it is not the paper's.

        Args:
            path: of a table, picture, caption, file of cells, claims or findings, under the paper's folder.
        """
        place, _, name = str(PurePosixPath(path).with_suffix("")).rpartition("/")
        if place == "figures":
            return () if name in self.explained else self.figures.get(name)
        if not place:
            return self.claims.get(name.replace("findings", "claims", 1))
        if place == "tables":
            return self.tables.get(name)
        return self.cells.get(f"{place}/{name}".removeprefix("cells/")) if place.startswith("cells") else None


def shown(paper: str, config: Mapping[str, Any]) -> Shown:
    """What a paper shows with a configuration.

    Args:
        paper: one of `PAPERS`.
        config: all keys.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    check_known("paper", paper, PAPERS)
    return PAPERS[paper](config)


def _each(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    return {name: (name,) for name in names}


def _recorded(paper: Paper, config: Mapping[str, Any]) -> Shown:
    """What a paper shows whose records list everything."""
    kinds: dict[str, dict[str, tuple[str, ...]]] = {"table": {}, "figure": {}, "explained": {}}
    for one in paper.artefacts:
        if one.runs == ():
            kinds["explained"][one.name] = one.datasets
        else:
            kinds[one.kind][one.name] = one.runs_of(config)
    judged, claims = {claim.of for claim in paper.claims}, dict[str, tuple[str, ...]]()
    for study in paper.studies:
        if study.name in judged:
            listed = (*claims.get(study.claims_file, ()), *(study.reads or (study.name,)))
            claims[study.claims_file] = tuple(dict.fromkeys(listed))
    return Shown(
        folder=paper.name,
        paper=paper.name,
        tables=kinds["table"],
        figures=kinds["figure"],
        explained=kinds["explained"],
        claims=claims,
        cells=_each(paper.cells(config) if callable(paper.cells) else paper.cells),
        runs_under=paper.runs_folder,
        derived={study.name: study.derived_from for study in paper.studies if study.derive is not None},
    )


def _big_data(config: Mapping[str, Any]) -> Shown:
    """Of its claims the runs of every study, of those without claims, too."""
    searches = [name for name, search in SEARCHES.items() if search.paper == "big_data"]
    experiments = [name for name, known in EXPERIMENTS.items() if known.package.startswith("big_data.")]
    runs = (*searches, EXTRAPOLATED, *experiments)
    return _recorded(big_data.PAPER, config)._replace(claims={"claims": runs})


def _hypertune(config: Mapping[str, Any]) -> Shown:
    """Of its claims those on the learners that are tuned, and on Figure 1."""
    tuned = [name for name in LEARNERS if config["hypertune"][name]["datasets"]]
    runs = ("complexity", *(f"{name}{end}" for name in tuned for end in ("", "_refits")))
    return _recorded(hypertune.PAPER, config)._replace(claims={"claims": runs})


PAPERS: Mapping[str, Callable[[Mapping[str, Any]], Shown]] = {
    "beta_pruning": partial(_recorded, beta_pruning.PAPER),
    "greedy_cv": partial(_recorded, greedy_cv.PAPER),
    "exploration": partial(_recorded, exploration.PAPER),
    "big_data": _big_data,
    "hypertune": _hypertune,
    "folds_comparison": partial(_recorded, folds_comparison.PAPER),
    "trials_comparison": partial(_recorded, trials_comparison.PAPER),
}
"""By name of the module in `studies`."""
