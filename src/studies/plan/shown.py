"""Jobs that show and judge runs: tables, figures, claims, and the runs that are derived for them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

from studies import artefacts, registry
from studies import code as job_code
from studies.captions import caption
from studies.plan.common import Config, Wildcards, dataset_files, files


def _name_of(kind: str, w: Wildcards) -> str:
    """Name of a table, of a figure or of a file of claims."""
    return f"claims{w.part}" if kind == "claims" else w.name


class ShownJobs:
    """Jobs of what papers show.

    Attributes:
        config: all keys.
        papers: what every paper and comparison shows, by its name.
        packs: by paper and pack, the kind and name of each item that one job makes; the first one names the pack.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.papers = {name: artefacts.shown(name, config) for name in registry.PAPERS}
        self.packs = {name: contents.packs(config["shown_per_job"]) for name, contents in self.papers.items()}

    def artefact_inputs(self, kind: str) -> Callable[[Wildcards], list[str]]:
        """Input function: the runs of a table, a figure or claims; the datasets of a figure that explains."""
        return lambda w: self._artefact_inputs(w.paper, kind, _name_of(kind, w))

    def _artefact_inputs(self, paper: str, kind: str, name: str) -> list[str]:
        shown = self.papers[paper]
        if self._explains(paper, kind, name):
            return [path for dataset in shown.explained[name] for path in dataset_files(dataset)]
        return self._runs(paper, kind, name, shown.by_kind[kind])

    def _explains(self, paper: str, kind: str, name: str) -> bool:
        """Whether a figure explains by a small real run of a seed."""
        return kind == "figure" and name in self.papers[paper].explained

    def figure_source(self, w: Wildcards, input: Sequence[str]) -> list[str]:
        """Params function: the flag of what a figure is drawn from, and its values."""
        if self._explains(w.paper, "figure", w.name):
            return ["--seed", str(self.config[w.paper]["figure_seed"])]
        return ["--runs", *input]

    def pack_inputs(self, w: Wildcards) -> list[str]:
        """Files that a pack of tables, figures and claims is made from: runs, or datasets if it explains."""
        listed = [self._artefact_inputs(w.paper, kind, name) for kind, name in self.packs[w.paper][w.pack]]
        return list(dict.fromkeys(path for paths in listed for path in paths))

    def pack_jobs(self, w: Wildcards, output: Any) -> list[str]:
        """Params function: the jobs of a pack, which write under its folder what they would under the paper's."""
        lines = []
        for kind, name in self.packs[w.paper][w.pack]:
            runs = self._artefact_inputs(w.paper, kind, name)
            path = PurePosixPath(files(kind, w.paper, name)[0]).relative_to(f"results/{w.paper}")
            line = [kind, w.paper, *([] if kind == "claims" else [name])]
            if kind == "figure":
                line += self.figure_source(SimpleNamespace(paper=w.paper, name=name), runs)
                line += ["--caption", caption(w.paper, name, self.config, kind=kind)]
            else:
                line += ["--runs", *runs, "--scale", self.config["scale"]]
            lines.append(shlex.join([*line, "--output", str(PurePosixPath(str(output), path))]))
        return lines

    def pack_code(self, w: Wildcards) -> list[str]:
        """Params function: hashes of the code of what is in a pack."""
        return [
            job_code.hash_of(job_code.shown(kind, w.paper, name)) for kind, name in self.packs[w.paper][w.pack]
        ]

    def pack_of(self, kind: str) -> Callable[[Wildcards], str]:
        """Input function: the folder of the pack that a table, a figure or claims are made in."""

        def found(w: Wildcards) -> str:
            name = _name_of(kind, w)
            for pack, listed in self.packs[w.paper].items():
                if (kind, name) in listed:
                    return f"results/{w.paper}/packs/{pack}"
            packed = [item for listed in self.packs[w.paper].values() for item in listed]
            known = ", ".join(item for item_kind, item in packed if item_kind == kind)
            raise ValueError(f"{w.paper} has no {kind} {name!r}; it has {known or 'none'}")

        return found

    def derived_runs(self, w: Wildcards) -> list[str]:
        """The runs that another is computed from, if any."""
        return self._runs(w.paper, "derived run", w.name, self.papers[w.paper].derived)

    def derived_names(self) -> list[str]:
        """Names of the runs that are computed from others, or from nothing."""
        return sorted({name for contents in self.papers.values() for name in contents.derived})

    def _runs(self, paper: str, kind: str, name: str, runs: artefacts.RunsOf) -> list[str]:
        """Files of the runs that an artefact, or another run, is made from; `runs` has all of its kind."""
        if name not in runs:
            raise ValueError(f"{paper} has no {kind} {name!r}; it has {', '.join(runs) or 'none'}")
        return [f"results/{self.papers[paper].run_path(run)}" for run in runs[name]]

    def caption_of(self, kind: str) -> Callable[[Wildcards], str]:
        """Params function: the caption of a table, a figure or claims."""
        return lambda w: caption(w.paper, _name_of(kind, w), self.config, kind=kind)

    def documents_claims(self) -> list[str]:
        """The files of the documents' own claims."""
        papers = [paper for paper, contents in self.papers.items() if "claims" in contents.claims]
        return [f"results/{paper}/claims.csv" for paper in papers]

    def code(self, kind: str) -> Callable[[Wildcards], str]:
        """Params function: hash of the code of a table, a figure or claims."""
        return lambda w: job_code.hash_of(job_code.shown(kind, w.paper, _name_of(kind, w)))

    def derived_code(self, w: Wildcards) -> str:
        """Hash of the code of a run that is computed from others or from nothing."""
        return job_code.hash_of(job_code.derived(w.paper, w.name))

    def files_of(self, target: str) -> list[str]:
        """The files of the tables, figures and claims that a target makes: a paper's, or that of some studies."""
        return [
            path
            for paper, contents in self.papers.items()
            for kind, names in contents.by_kind.items()
            for name in names
            if contents.group(kind, name) == target
            for path in files(kind, paper, name)
        ]

    def targets(self) -> dict[str, list[str]]:
        """By the name of a target of its own the files of every table, figure and file of claims."""
        return {
            f"{paper}_{contents.target(kind, name)}": files(kind, paper, name)
            for paper, contents in self.papers.items()
            for kind, names in contents.by_kind.items()
            for name in names
        }
