"""Make everything that is published again, from the published runs, and compare it with what is published.

Every table, figure, file of cells and file of claims, and the summary of all claims, is made by the command that
the workflow runs for it.
Two kinds of figures are drawn from their published CSV, and their numbers are not made again. These are figures
that explain, whose CSV is the only run that is kept, and figures whose runs are not published.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from frugal.checks import check_known
from frugal.interface import RunError
from studies.arguments import make_parser
from studies.artefacts import Shown, shown
from studies.captions import caption
from studies.jobs import JOBS
from studies.publish import copy_whole, read_left_out, read_records
from studies.registry import PAPERS
from studies.verdicts import scale_label, write_summary

log = logging.getLogger("frugal")
COMPARED = (".csv", ".md")


@dataclass
class Redrawn:
    """The outcome of `redraw`.

    Attributes:
        complete: artefacts made from published runs, such as `greedy_cv/tables/table1`.
        lacking: artefacts whose numbers cannot be made again, claims of which only some can be judged, and their
            runs that are not published.
        differing: files that are not byte for byte what is published, and the first line that differs.
    """

    complete: list[str] = field(default_factory=list)
    lacking: dict[str, list[str]] = field(default_factory=dict)
    differing: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Raise if a file differs.

        Raises:
            RunError: with the files that differ.
        """
        if self.differing:
            listed = "; ".join(f"{name}, {where}" for name, where in self.differing.items())
            raise RunError(f"{len(self.differing)} files differ from what is published: {listed}")


def redraw(papers: Iterable[str] = (), *, published: Path, output: Path) -> Redrawn:
    """Make everything again that is published of some papers, and log what cannot be made.

    Args:
        papers: their names; none: all papers.
        published: folder of the published results.
        output: gets a folder for each paper; if it is `published`, that is replaced.

    Raises:
        ValueError: on an unknown paper, or one of which nothing is published.
    """
    redrawn, listed = Redrawn(), tuple(papers) or PAPERS
    for paper in listed:
        check_known("paper", paper, PAPERS)
        folder = published / paper
        with TemporaryDirectory() as scratch:
            remade = Path(scratch, folder.name)
            remade.mkdir()
            for artefact in _artefacts(paper, folder):
                _make(artefact, remade, redrawn)
            redrawn.differing |= _differences(remade, folder) | _unknown(paper, folder)
            _put(remade, output / folder.name)
    _summarise(listed, published, output, redrawn)
    for runs in dict.fromkeys(map(tuple, redrawn.lacking.values())):
        names = [name for name, missing in redrawn.lacking.items() if tuple(missing) == runs]
        log.info(
            "not made again, or in part, since these runs are not published, %s: %s",
            ", ".join(runs),
            ", ".join(names),
        )
    counts = len(redrawn.complete), len(redrawn.lacking)
    log.info("%d made again from runs; %d not, or in part, since their runs are not published", *counts)
    return redrawn


def _summarise(papers: Iterable[str], published: Path, output: Path, redrawn: Redrawn) -> None:
    """Make the summary of all claims that were made again now, and of those of other papers, as published."""
    claims = []
    for path in sorted(published.glob("*/claims*.csv")):
        if path.parent.name not in papers:
            claims.append(path)
        elif f"{path.parent.name}/{path.stem}" in redrawn.complete:
            claims.append(output / path.relative_to(published))
    if not claims:
        return
    with TemporaryDirectory() as scratch:
        remade = Path(scratch)
        write_summary(claims, remade / "claims_summary.csv")
        redrawn.differing |= _differences(remade, published)
        _put(remade, output)


def _put(remade: Path, output: Path) -> None:
    """Copy all files of a folder into another, one by one, so that each is old or new if this is stopped."""
    for path in sorted(remade.rglob("*")):
        if path.is_file():
            copy_whole(path, output / path.relative_to(remade))


class _Artefact(NamedTuple):
    """A table, figure, file of cells or of claims that is to be made.

    Attributes:
        contents: what its paper shows.
        name: its path under the paper's folder, without an end, such as `tables/table1`.
        runs: names of its runs.
        paths: their published files, by name.
        numbers: of a figure, its published CSV.
        config: that it was made with; its scale is that of all runs, such as `desk and paper`.
        scales: of the runs, by name.
    """

    contents: Shown
    name: str
    runs: tuple[str, ...]
    paths: dict[str, Path]
    numbers: Path
    config: Mapping[str, Any]
    scales: Mapping[str, str]

    @property
    def is_partial(self) -> bool:
        """Whether it is made of the published runs alone: claims on others say that they were not run."""
        return self.name in self.contents.claims and self.numbers.exists()

    @property
    def missing(self) -> list[str]:
        """Runs that are not published."""
        return [run for run in self.runs if run not in self.paths]


def _artefacts(paper: str, folder: Path) -> Iterator[_Artefact]:
    """Artefacts of a paper but those that were left out at publication."""
    records = read_records(folder)
    left_out = read_left_out(folder)
    for name, (contents, runs) in _declared(paper, records, folder).items():
        if f"{name}.csv" not in left_out:
            paths = {run: _of_run(folder, run) for run in runs}
            paths = {run: path for run, path in paths.items() if path.exists()}
            if len(paths) == len(runs):
                config = config_of_runs(records, runs, f"{name}.csv", folder.name)
            else:
                sources = [f"runs/{run}.parquet" for run in runs]
                config = config_of(records, [f"{name}.csv", *sources], folder.name)
            scales = scales_of(records, paths, folder.name)
            yield _Artefact(contents, name, runs, paths, folder / f"{name}.csv", config, scales)


def _declared(paper: str, records: list[dict[str, Any]], folder: Path) -> dict[str, tuple[Shown, tuple[str, ...]]]:
    """What a paper shows, and the runs of each artefact by its name, with the configurations of its records.

    The latest record counts. But where an earlier one shows more runs of an artefact, and all are published, that
    does: parts that are published with a smaller configuration leave the others as they were.
    """
    found: dict[str, tuple[Shown, tuple[str, ...]]] = {}
    for record in reversed(records):
        contents = shown(paper, record["config"])
        for name, runs in _named(contents):
            is_whole = all(_of_run(folder, run).exists() for run in runs)
            if name not in found or (is_whole and len(runs) > len(found[name][1])):
                found[name] = contents, runs
    return found


def _of_run(folder: Path, run: str) -> Path:
    """The published file of a run."""
    return folder / "runs" / f"{run}.parquet"


def _named(contents: Shown) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Path of each artefact under the paper's folder, without an end, and its runs; none of one that explains."""
    by_kind = contents.by_kind
    folders = {
        "tables/": by_kind["table"],
        "figures/": by_kind["figure"],
        "cells/": contents.cells,
        "": by_kind["claims"],
    }
    for folder, artefacts in folders.items():
        for name, runs in artefacts.items():
            yield f"{folder}{name}", runs


def config_of_runs(
    records: list[dict[str, Any]], runs: Sequence[str], numbers: str, folder: str
) -> Mapping[str, Any]:
    """The configuration that an artefact was made with from its runs, with the scale of all of them.

    Args:
        records: of the paper.
        runs: names of its runs; none: it is drawn from its numbers.
        numbers: its CSV.
        folder: of the paper.
    """
    config = config_of(records, [*(f"runs/{run}.parquet" for run in runs), numbers], folder)
    return {**config, "scale": scale_label(scales_of(records, runs, folder), runs) or config["scale"]}


def scales_of(records: list[dict[str, Any]], runs: Iterable[str], folder: str) -> dict[str, str]:
    """The scale of each run that a record holds, by name."""
    found = {}
    for run in runs:
        for record in records:  # the latest is the last
            if f"{folder}/runs/{run}.parquet" in record["parts"]:
                found[run] = record["config"]["scale"]
    return found


def config_of(records: list[dict[str, Any]], names: Iterable[str], folder: str) -> Mapping[str, Any]:
    """The configuration that a part was made with.

    Take the first of `names` that any record holds, and the latest record that holds it. If no record holds any of
    them, take the latest record.
    """
    for name in names:
        for record in reversed(records):
            if f"{folder}/{name}" in record["parts"]:
                found: Mapping[str, Any] = record["config"]
                return found
    latest: Mapping[str, Any] = records[-1]["config"]
    return latest


def _make(artefact: _Artefact, folder: Path, redrawn: Redrawn) -> None:
    """Make an artefact, from its runs, or of a figure the pictures alone, from its published numbers."""
    contents, (kind, _, name) = artefact.contents, artefact.name.rpartition("/")
    whole_name = f"{contents.folder}/{artefact.name}"
    if artefact.missing:
        redrawn.lacking[whole_name] = artefact.missing
    is_made = bool(artefact.runs) and (not artefact.missing or artefact.is_partial)
    if not is_made and not (kind == "figures" and artefact.numbers.exists()):
        return
    log.info("%s%s", whole_name, "" if is_made else ", the picture alone, from its published numbers")
    output = str(folder / f"{artefact.name}.csv")
    runs = [str(path) for path in artefact.paths.values()]
    scale = ["--scale", artefact.config["scale"]]
    if kind == "tables":
        _run("table", contents.folder, name, "--runs", *runs, *scale, "--output", output)
    elif kind == "figures":
        sources = ["--runs", *runs] if is_made else ["--numbers", str(artefact.numbers)]
        text = caption(contents.folder, name, artefact.config, runs=artefact.runs)
        _run("figure", contents.folder, name, *sources, "--caption", text, "--output", output)
    elif kind.startswith("cells"):
        with TemporaryDirectory() as scratch:
            _run("collect", "--search", *runs, "--output", f"{scratch}/runs.parquet", "--cells-output", output)
    else:
        # Of a run that is not published it is the scale of the claims that are.
        labels = {run: artefact.scales.get(run, artefact.config["scale"]) for run in artefact.runs}
        if len(set(labels.values())) == 1:
            scale = ["--scale", next(iter(labels.values()))]
        elif labels:
            scale = ["--scale", *(f"{run}={label}" for run, label in labels.items())]
        _run("claims", contents.folder, *(["--runs", *runs] if runs else []), *scale, "--output", output)
    if is_made:
        redrawn.complete.append(whole_name)


def _differences(remade: Path, published: Path) -> dict[str, str]:
    """Files that differ, by their path with the paper's folder, and the first line that does."""
    found = {}
    for path in sorted(path for path in remade.rglob("*") if path.suffix in COMPARED):
        other = published / path.relative_to(remade)
        name = f"{published.name}/{path.relative_to(remade)}"
        if not other.exists():
            found[name] = "which is not published"
        elif path.read_bytes() != other.read_bytes():
            ours, theirs = (file.read_text(encoding="utf-8").splitlines() for file in (path, other))
            same = [new == old for new, old in zip(ours, theirs, strict=False)]
            found[name] = f"line {same.index(False) + 1 if False in same else len(same) + 1}"
    return found


def _unknown(paper: str, folder: Path) -> dict[str, str]:
    """Published files that the paper has no artefact for with the configuration of any record."""
    shows = [shown(paper, record["config"]) for record in read_records(folder)]
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.suffix in COMPARED]
    unknown = [name for name in names if all(contents.made_from(name) is None for contents in shows)]
    return {f"{folder.name}/{name}": "which no artefact makes" for name in unknown}


def _run(*arguments: str) -> None:
    """A job as the workflow runs it, without what it prints."""
    args = make_parser().parse_args(["job", *arguments])
    with redirect_stdout(StringIO()):
        JOBS[args.command](args)
