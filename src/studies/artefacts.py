"""The tables, figures and claims of every paper, and the runs that each is made from.

The workflow's rules, `publish` and `redraw` read it. Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from studies import registry

RunsOf = Mapping[str, tuple[str, ...]]
"""By name of an artefact the names of the runs that it is made from."""


class Shown(NamedTuple):
    """What a paper shows under `results/{folder}/`.

    Attributes:
        folder: the paper's name, or that of a comparison.
        tables: a CSV and a Markdown file each, under `tables/`.
        figures: two pictures, a CSV and a caption each, under `figures/`.
        explained: figures that explain something by a small real run from a seed, with the same files. By name,
            the data sets that this run reads. The run is kept as the figure's CSV.
        claims: `{name}.csv`, and the findings beside it.
        cells: statistics of runs, a CSV each, under `cells/`.
        runs_under: folder of the runs, under that of the paper.
        derived: runs that `python -m studies job derive` computes, and what from: other runs, or nothing.
    """

    folder: str
    tables: RunsOf
    figures: RunsOf
    explained: RunsOf
    claims: RunsOf
    cells: RunsOf
    runs_under: str
    derived: RunsOf

    @property
    def by_kind(self) -> dict[str, RunsOf]:
        """The paper's tables, figures and files of claims by `table`, `figure` and `claims`.

        A figure that explains has no runs.
        """
        return {
            "table": self.tables,
            "figure": {**dict.fromkeys(self.explained, ()), **self.figures},
            "claims": self.claims,
        }

    def run_path(self, run: str) -> str:
        """Path of a run under `results/`."""
        return str(PurePosixPath(self.folder, self.runs_under, f"{run}.parquet"))

    def runs(self) -> list[str]:
        """Names of all runs, each once."""
        kinds = (*self.by_kind.values(), self.cells)
        return list(dict.fromkeys(run for kind in kinds for runs in kind.values() for run in runs))

    def packs(self, per: Literal["runs", "paper"]) -> dict[str, list[tuple[str, str]]]:
        """Tables, figures and claims that one job makes, as (kind, name), by the `target` of the first one.

        Figures that explain have no runs; all of them form one pack.

        Args:
            per: `runs`: a pack has what is made from the same runs; `paper`: it has all that is made from runs and
                has the same `group`.
        """
        same: dict[frozenset[str] | str, list[tuple[str, str]]] = {}
        for kind, artefacts in self.by_kind.items():
            for name, runs in artefacts.items():
                key = self.group(kind, name) if runs and per == "paper" else frozenset(runs)
                same.setdefault(key, []).append((kind, name))
        return {self.target(*listed[0]): listed for listed in same.values()}

    def group(self, kind: str, name: str) -> str:
        """The target that a table, figure or claims are made with: that of the first run's study, or the paper."""
        runs = self.by_kind[kind][name]
        return (registry.study_of_run(self.folder, runs[0]).target if runs else "") or self.folder

    def target(self, kind: str, name: str) -> str:
        """Name of a table, figure or file of claims among all of the paper, as its target has it."""
        return name if name.startswith(kind) or self.folder not in registry.DOCUMENTS else f"{name}_{kind}"

    def made_from(self, path: str) -> tuple[str, ...] | None:
        """Runs that a file of the paper is made from, none if it explains; None: it is not the paper's.

        Args:
            path: of a table, picture, caption, file of cells, claims or findings, under the paper's folder.
        """
        place, _, name = str(PurePosixPath(path).with_suffix("")).rpartition("/")
        if not place:
            return self.claims.get(name.replace("findings", "claims", 1))
        if place in ("tables", "figures"):
            return self.by_kind[place.removesuffix("s")].get(name)
        return self.cells.get(f"{place}/{name}".removeprefix("cells/")) if place.startswith("cells") else None


def shown(paper: str, config: Mapping[str, Any]) -> Shown:
    """What a paper shows with a configuration.

    Raises:
        ValueError: on an unknown paper; the message lists the known ones.
    """
    record = registry.paper(paper)
    kinds: dict[str, dict[str, tuple[str, ...]]] = {"table": {}, "figure": {}, "explained": {}}
    for artefact in record.artefacts:
        if artefact.runs == ():
            kinds["explained"][artefact.name] = artefact.datasets
        else:
            kinds[artefact.kind][artefact.name] = artefact.runs_of(config)
    judged, claims = {claim.study for claim in record.claims}, dict[str, tuple[str, ...]]()
    for study in record.studies:
        if study.name in judged and (study.is_run is None or study.is_run(config)):
            listed = (*claims.get(study.claims_file, ()), *study.judged_runs)
            claims[study.claims_file] = tuple(dict.fromkeys(listed))
    return Shown(
        folder=record.name,
        tables=kinds["table"],
        figures=kinds["figure"],
        explained=kinds["explained"],
        claims=claims,
        cells={run: (run,) for run in (record.cells(config) if callable(record.cells) else record.cells)},
        runs_under=record.runs_folder,
        derived={study.name: study.derived_from for study in record.studies if study.derive is not None},
    )
