"""Copy a paper's results to results/published/, with a record of what they were made from and on."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

import frugal
from frugal import parquet
from frugal.extras import DISTRIBUTION
from frugal.files import whole, write_text
from frugal.trials.lines import as_object
from studies import registry
from studies.artefacts import Shown, shown
from studies.effective import effective
from studies.estimates import NOT_RUN
from studies.records import Paper

PARTS = (
    "tables/*.csv",
    "tables/*.md",
    "figures/*.csv",
    "figures/*.md",
    "figures/*.png",
    "figures/*.svg",
    "cells/**/*.csv",
    "claims*.csv",
    "findings*.csv",
)
RUNS = "runs/**/*.parquet"
"""What tables, figures and claims are made of, so that they can be made again, or otherwise, without the runs."""
RECORD = "provenance.json"
MADE_ON = ("machine", "packages")
"""Of a record, what says on what its results were made."""


def publish(
    paper: str,
    *,
    results: Path,
    data: Path,
    config: Mapping[str, Any],
    partial: bool = False,
    only: Sequence[str] = (),
    commit: str | None = None,
    made_on: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Copy tables, figures, cells, claims and runs to `<results>/published/<folder>/`, and write provenance.json.

    Files that several papers' runs look up (`Paper.shared`, patterns under `results`) go to the same place under
    `<results>/published/`. A table, figure or file of cells is left out if one of its numbers is from fewer
    repetitions than its floor. So is a file of claims on a study of ours (`claims_*.csv`) if one of its claims is
    below the floor. provenance.json lists them under `left_out`. Files of an earlier call that this call does not
    publish are deleted; with `only`, just those that neither this configuration nor that of a record shows.

    provenance.json has a record for each call of which a file is still published. A record holds the whole
    configuration, the commit, versions, machine and datasets; under `settings` what the jobs of its runs got, by
    run, problem and method; and under `parts` the date at which each file was made. Files that `redraw` makes from
    published runs are not among the parts: the record of their runs is theirs.

    Args:
        paper: name of the paper.
        results: the folder of the results.
        data: the folder of the datasets, whose records are quoted.
        config: the whole configuration that the results were made with.
        partial: publish although some claims, not all, are below the floor.
        only: patterns of the paths under the paper's folder, such as `runs/*`, or under `results` of what several
            papers look up, such as `lookup/*`; none: everything.
        commit: of the checkout that made the results; by default, that of the working directory.
        made_on: machine and packages that made the results, as `this_machine` says it there; by default, these.

    Returns:
        The files written.

    Raises:
        ValueError: if a claim was not run at the published floor, there are no claims where the paper judges
            some, everything is left out, nothing is as `only` says, a file, or a table of a run, is of another
            scale than the configuration, a parquet file or the published record is damaged, or a run that is
            published, and that the paper still has, would be deleted.
    """
    declared, contents = registry.paper(paper), shown(paper, config)
    source, published = results / contents.folder, results / "published"
    target = published / contents.folder
    if contents.claims and _is_wanted("claims.csv", only):
        _check_claims(source / "claims.csv", partial=partial, scale=config["scale"])
    found = [path for pattern in PARTS for path in sorted(source.glob(pattern))]
    found = [path for path in found if _is_shown(contents, path.relative_to(source))]
    paths = [path for path in found if _is_wanted(str(path.relative_to(source)), only)]
    left_out = [path for path in paths if not reaches_floor(path.relative_to(source), source, declared)]
    if len(left_out) == len(paths) and not only:
        raise ValueError(f"{source} has nothing that reaches the published floor; run at paper scale first")
    copies = {target / path.relative_to(source): path for path in paths if path not in left_out}
    runs = _runs(contents, results, only)
    copies |= runs
    shared = [path for pattern in declared.shared for path in sorted(results.glob(pattern))]
    shared = [path for path in shared if _is_wanted(str(path.relative_to(results)), only)]
    copies |= {published / path.relative_to(results): path for path in shared}
    if not copies:
        raise ValueError(f"{source} has nothing to publish that is like {' or '.join(only)}")
    old = {path for pattern in (*PARTS, RUNS) for path in target.glob(pattern)} - set(copies)
    earlier = read_records(target) if (target / RECORD).exists() else []
    # Runs do not say their scale; tables and figures that were made of them do.
    for path in dict.fromkeys([*_shown_of(runs, found, contents, source, target), *copies.values()]):
        check_scale(path, config["scale"])
    if only:
        shows = [contents, *(shown(paper, one["config"]) for one in earlier)]
        old = {path for path in old if not any(_is_shown(one, path.relative_to(target)) for one in shows)}
    else:
        _check_lost(contents, source, (path.relative_to(target) for path in old))
    for path in copies.values():
        if path.suffix == ".parquet":
            parquet.verify(parquet.read_table(path), path)
    parts = {str(copy.relative_to(published)): _date(path) for copy, path in copies.items()}
    record = _record(contents, config, data, commit or _commit(), made_on or this_machine(), parts)
    names = [*(read_left_out(target) if earlier and only else []), *(str(p.relative_to(source)) for p in left_out)]
    for copy, path in copies.items():
        (_copy_run if copy in runs else copy_whole)(path, copy)
    # Shared files that are not in the results now stay, with their record.
    kept = {str(path.relative_to(published)) for path in published.rglob("*") if path not in old}
    names = [name for name in dict.fromkeys(names) if f"{contents.folder}/{name}" not in kept]
    write_records(target, _without_others([*earlier, record], contents, kept), names)
    for path in old:
        path.unlink()
    return [*copies, target / RECORD]


def _check_lost(contents: Shown, source: Path, deleted: Iterable[Path]) -> None:
    """Refuse to delete a published run that the paper still has."""
    lost = sorted(name for name in deleted if name.suffix == ".parquet" and _is_shown(contents, name))
    if lost:
        raise ValueError(
            f"{source} lacks {lost[0]}, which is published and would be deleted: run it, or name with --only what "
            "is to be published"
        )


def _record(
    contents: Shown,
    config: Mapping[str, Any],
    data: Path,
    commit: str,
    made_on: Mapping[str, Any],
    parts: Mapping[str, str],
) -> dict[str, Any]:
    """The record of one call; `parts` are the dates of the files by their paths."""
    datasets = sorted(data.glob("processed/*/provenance.json"))
    return {
        "commit": commit,
        "config": dict(config),
        "settings": effective(contents.folder, config),
        **{key: made_on[key] for key in MADE_ON},
        "datasets": {path.parent.name: _provenance(path) for path in datasets},
        "parts": dict(parts),
    }


def _provenance(path: Path) -> dict[str, Any]:
    """The record of a dataset.

    Raises:
        ValueError: if the file is not JSON.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from error
    return found


def this_machine() -> dict[str, dict[str, str]]:
    """Machine and packages of this process, `MADE_ON`; an accelerator only where torch finds one."""
    machine = {"system": platform.platform(), "processor": _processor(), "python": platform.python_version()}
    if find_spec("torch") is not None:
        import torch

        if torch.cuda.is_available():
            machine["accelerator"] = f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}"
    packages = {"frugal": frugal.__version__}
    for name in _dependencies():
        with suppress(PackageNotFoundError):  # such as Snakemake on a machine that only ran jobs
            packages[name] = version(name)
    return {"machine": machine, "packages": packages}


def read_machine(path: Path) -> dict[str, Any]:
    """What `python -m studies machine` wrote on the machine of a run.

    Raises:
        ValueError: if the file holds something else.
    """
    found = as_object(path.read_bytes())
    if found is None or not all(isinstance(found.get(key), dict) for key in MADE_ON):
        raise ValueError(f"{path} must be what `python -m studies machine` writes: {' and '.join(MADE_ON)}")
    return found


def read_left_out(folder: Path) -> list[str]:
    """The files that were below the floor when a folder was published, by their paths there."""
    left_out: list[str] = _read_record(folder)["left_out"]
    return left_out


def read_records(folder: Path) -> list[dict[str, Any]]:
    """The records of a published folder, the latest last.

    Raises:
        ValueError: if it has no provenance.json, or a damaged one.
    """
    records: list[dict[str, Any]] = _read_record(folder)["records"]
    return records


def _read_record(folder: Path) -> dict[str, Any]:
    path = folder / RECORD
    if not path.exists():
        raise ValueError(f"{path} does not exist; publish the paper first")
    found = as_object(path.read_bytes())
    if found is None or not all(isinstance(found.get(key), list) for key in ("left_out", "records")):
        raise ValueError(f"{path} is damaged: it must hold the lists left_out and records; check it out again")
    return found


def write_records(folder: Path, records: Iterable[Mapping[str, Any]], left_out: Sequence[str] = ()) -> None:
    """Write provenance.json.

    The latest record is the last; `left_out` is what is below the floor, by its path under the folder.
    """
    # Keys are not sorted: in the configuration their order is that of what they name.
    text = json.dumps({"left_out": list(left_out), "records": list(records)}, indent=1)
    write_text(text + "\n", folder / RECORD)


def _without_others(
    records: Sequence[Mapping[str, Any]], contents: Shown, kept: Collection[str]
) -> list[Mapping[str, Any]]:
    """Records with the parts that are theirs: kept, in no later record, not redrawn from published runs.

    `kept` are the paths under results/published/ of the files that stay.
    """
    found: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    for record in reversed(records):
        parts = {
            name: date
            for name, date in record["parts"].items()
            if name in kept and name not in seen and not _is_redrawn(contents, name, kept)
        }
        seen |= set(parts)
        if parts:
            found.append({**record, "parts": parts, "settings": of_parts(contents, record["settings"], parts)})
    return found[::-1]


def of_parts(contents: Shown, settings: Mapping[str, Any], parts: Iterable[str]) -> dict[str, Any]:
    """The settings, by run, of the runs that some parts depend on.

    Args:
        contents: what the paper shows.
        settings: by run.
        parts: paths under results/published/.
    """
    names = [name.removeprefix(f"{contents.folder}/") for name in parts]
    runs = {name.removeprefix("runs/").removesuffix(".parquet") for name in names if name.startswith("runs/")}
    runs |= {run for name in names for run in contents.made_from(name) or ()}
    return {run: found for run, found in settings.items() if run in runs}


def _is_redrawn(contents: Shown, name: str, kept: Collection[str]) -> bool:
    """Whether a part is made from runs that are all among the files that stay."""
    runs = contents.made_from(name.removeprefix(f"{contents.folder}/")) or ()
    return bool(runs) and all(f"{contents.folder}/runs/{run}.parquet" in kept for run in runs)


def _is_shown(contents: Shown, name: Path) -> bool:
    """Whether a published file is of an artefact that the paper has, or one of its runs."""
    if name.parts[0] == "runs":
        return str(name.with_suffix("").relative_to("runs")) in contents.runs()
    return contents.made_from(str(name)) is not None


def _is_wanted(name: str, only: Sequence[str]) -> bool:
    return not only or any(fnmatch(name, pattern) for pattern in only)


def _runs(contents: Shown, results: Path, only: Sequence[str]) -> dict[Path, Path]:
    """Where runs are published, and where they lie."""
    folder = results / "published" / contents.folder
    names = [run for run in contents.runs() if _is_wanted(f"runs/{run}.parquet", only)]
    paths = {folder / "runs" / f"{run}.parquet": results / contents.run_path(run) for run in names}
    return {copy: path for copy, path in paths.items() if path.exists()}


def copy_whole(path: Path, copy: Path) -> None:
    """Copy a file; what was there before stays until the copy is whole."""
    with whole(copy) as part:
        shutil.copyfile(path, part)


def _copy_run(path: Path, copy: Path) -> None:
    """Write a run again, the same rows and columns in fewer bytes."""
    import pyarrow.parquet as pq

    with whole(copy) as part:
        pq.write_table(parquet.read_table(path), part, compression="zstd", compression_level=19)


def _date(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")


def whole_commit(name: str) -> str:
    """The hash of a commit of the checkout in the working directory, from a part of it, or a name.

    Raises:
        ValueError: if there is no such commit.
    """
    try:
        return _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except (OSError, subprocess.CalledProcessError) as error:
        raise ValueError(f"--commit must name a commit of this checkout, got {name!r}") from error


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.strip()


def _commit() -> str:
    """Of the checkout in the working directory, marked where its code has changes; `unknown` outside of one."""
    try:
        is_changed = _git("status", "--porcelain", "--", "src", "workflow", "config", "Snakefile")
        return _git("rev-parse", "HEAD") + (" with changes" if is_changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _shown_of(
    runs: Iterable[Path], found: Sequence[Path], contents: Shown, source: Path, target: Path
) -> list[Path]:
    """The tables, figures and cells of those found that are made of some of these runs; not the claims."""
    names = {str(run.relative_to(target / "runs").with_suffix("")) for run in runs}
    made_from = {
        path: contents.made_from(str(path.relative_to(source))) for path in found if path.parent != source
    }
    return [path for path, its_runs in made_from.items() if not names.isdisjoint(its_runs or ())]


def _check_claims(path: Path, *, partial: bool, scale: str) -> None:
    if not path.exists():
        raise ValueError(f"{path} does not exist; run the workflow at paper scale first")
    check_scale(path, scale)
    verdicts = pd.read_csv(path)["verdict"]
    below = verdicts.eq(NOT_RUN).sum()
    if below and not (partial and below < len(verdicts)):
        raise ValueError(f"{path} has {below} claims below the published floor; run at paper scale first")


class OtherScaleError(ValueError):
    """Numbers of another scale than the configuration's."""


def check_scale(path: Path, scale: str) -> None:
    """Refuse a CSV with numbers of another scale than the configuration's; what was not run has none.

    Raises:
        OtherScaleError: on such a file.
        ValueError: on a file that is no CSV.
    """
    table = pd.read_csv(path) if path.suffix == ".csv" else pd.DataFrame()
    scales = table["scale"].dropna() if "scale" in table else pd.Series(dtype=object)
    other = scales[~scales.isin([scale, NOT_RUN])]
    if not other.empty:
        raise OtherScaleError(
            f"{path} is of scale {other.iloc[0]}, the configuration of {scale}; give the one that made the results"
        )


def reaches_floor(name: Path, source: Path, paper: Paper) -> bool:
    """Whether every number of a result, in the CSV of the same name, has as many repetitions as asked for.

    Claims and findings pass: they say themselves which of them were not run; `_check_claims` has counted these. In
    claims on a study of ours (`claims_*.csv`) every claim must have been run, and every finding beside them, since
    both are made together. A row whose `scale` says that it was not run shows no number. A result that has only
    such rows does not pass.
    """
    if name.stem in ("claims", "findings"):
        return True
    numbers = (source / name).with_suffix(".csv")
    if name.stem.startswith(("claims_", "findings_")):
        pair = [numbers.with_stem(f"{kind}_{name.stem.partition('_')[2]}") for kind in ("claims", "findings")]
        return not any(pd.read_csv(path)["verdict"].eq(NOT_RUN).any() for path in pair if path.exists())
    table = pd.read_csv(numbers) if numbers.exists() else pd.DataFrame()
    if "n_seeds" not in table:
        return True
    if "scale" in table:
        table = table[table["scale"] != NOT_RUN]
    if table.empty:  # a table of cells that were not run, or the picture that says so
        return False
    if paper.reaches_floor is not None:
        return paper.reaches_floor(table)
    enough_rows = "n_rows" not in table or table["n_rows"].min() >= paper.floor_rows
    return bool(enough_rows and table["n_seeds"].min() >= _floor_of(name, paper))


def _floor_of(name: Path, paper: Paper) -> int:
    """Seeds below which a table, a figure or a file of cells is not published."""
    kind, *parts = name.with_suffix("").parts
    if kind == "cells":
        listed = [study.floor for study in paper.studies if (study.cells or study.name) in parts]
    else:
        listed = [one.floor for one in paper.artefacts if (f"{one.kind}s", one.name) == (kind, parts[-1])]
    return next((floor for floor in listed if floor is not None), paper.floor)


def _dependencies() -> list[str]:
    """Names of the packages that the library and the workflow ask for."""
    asked = [text for text in requires(DISTRIBUTION) or [] if not re.search(r'extra == "(dev|docs)"', text)]
    return sorted({re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in asked} - {DISTRIBUTION})


def _processor() -> str:
    """Model name and number of processors, as Linux states them; what Python knows elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(models)} x {models[0]}" if models else platform.processor()
