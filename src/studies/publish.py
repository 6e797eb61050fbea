"""Copy a paper's results to results/published/, with a record of what they were made from and on."""

from __future__ import annotations

import json
import platform
import re
import shutil
from collections.abc import Mapping
from importlib.metadata import requires, version
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

import studies
from frugal.files import whole
from studies.verdicts import NOT_RUN

PARTS = (
    "tables/*.csv",
    "tables/*.md",
    "figures/*.csv",
    "figures/*.png",
    "figures/*.svg",
    "cells/**/*.csv",
    "claims*.csv",
)
RUNS = "runs/*.parquet"
"""What tables, figures and claims are made of, so that they can be made again, or otherwise, without the runs."""


def publish(
    paper: str, *, results: Path, data: Path, config: Mapping[str, Any], partial: bool = False
) -> list[Path]:
    """Copy tables, figures, cells, claims and runs to `<results>/published/<folder>/`, and write provenance.json.

    The folder is the paper's name, unless its module has another FOLDER. What several papers' runs look up, which
    a module names in MADE_FROM as patterns under `results`, goes to the same place under `<results>/published/`.
    A table, figure or file of cells with a number from fewer repetitions than its floor is left out, as are claims
    on our own study (`claims_*.csv`) of which one is below it, and provenance.json lists it under `left_out`. What
    an earlier call published in the folder and this one does not is deleted, since the record is not of it.

    Args:
        paper: name of the paper.
        results: the folder of the results.
        data: the folder of the datasets, whose records are quoted.
        config: the configuration that the results were made with.
        partial: publish although some claims, not all, are below the floor.

    Returns:
        The files written.

    Raises:
        ValueError: if a claim was not run at the published floor, there are no claims where the paper's module
            judges some, or everything is left out.
    """
    of = studies.module(paper)
    folder = getattr(of, "FOLDER", paper)
    source, target = results / folder, results / "published" / folder
    if getattr(of, "HAS_CLAIMS", True):
        _check_claims(source / "claims.csv", partial=partial)
    paths = [path for pattern in PARTS for path in sorted(source.glob(pattern))]
    left_out = [path for path in paths if not _reaches_floor(path.relative_to(source), source, of)]
    if len(left_out) == len(paths):
        raise ValueError(f"{source} has nothing that reaches the published floor; run at paper scale first")
    own = [*(path for path in paths if path not in left_out), *sorted(source.glob(RUNS))]
    copies = {target / path.relative_to(source): path for path in own}
    shared = [path for pattern in getattr(of, "MADE_FROM", ()) for path in sorted(results.glob(pattern))]
    copies |= {results / "published" / path.relative_to(results): path for path in shared}
    for copy, path in copies.items():
        with whole(copy) as part:
            shutil.copyfile(path, part)
    stale = {path for pattern in (*PARTS, RUNS) for path in target.glob(pattern)} - set(copies)
    for path in stale:
        path.unlink()
    record = {
        "left_out": [str(path.relative_to(source)) for path in left_out],
        "config": dict(config),
        "machine": {"system": platform.platform(), "processor": _processor(), "python": platform.python_version()},
        "packages": {name: version(name) for name in ("frugal", *_dependencies())},
        "datasets": {
            path.parent.name: json.loads(path.read_text())
            for path in sorted(data.glob("processed/*/provenance.json"))
        },
    }
    with whole(target / "provenance.json") as part:
        part.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
    return [*copies, target / "provenance.json"]


def _check_claims(path: Path, *, partial: bool) -> None:
    if not path.exists():
        raise ValueError(f"{path} does not exist; run the workflow at paper scale first")
    verdicts = pd.read_csv(path)["verdict"]
    below = verdicts.eq(NOT_RUN).sum()
    if below and not (partial and below < len(verdicts)):
        raise ValueError(f"{path} has {below} claims below the published floor; run at paper scale first")


def _reaches_floor(name: Path, source: Path, of: ModuleType) -> bool:
    """Whether every number of a result, in the CSV of the same name, has as many repetitions as asked for.

    A cell that says in its `scale` that it was not run shows no number; a result without any is none. A paper's
    module whose floor is of more than repetitions and rows says with its own `reaches_floor(table)` whether a
    table of such numbers is above it.
    """
    numbers = (source / name).with_suffix(".csv")
    table = pd.read_csv(numbers) if numbers.exists() else pd.DataFrame()
    if name.stem.startswith("claims_"):
        return not table["verdict"].eq(NOT_RUN).any()
    if "n_seeds" not in table:
        return True
    if "scale" in table:
        table = table[table["scale"] != NOT_RUN]
    if table.empty:  # a table of cells that were not run, or the picture that says so
        return False
    if hasattr(of, "reaches_floor"):
        return bool(of.reaches_floor(table))
    floors = [of.FLOORS[part] for part in name.with_suffix("").parts if part in of.FLOORS]
    enough_rows = "n_rows" not in table or table["n_rows"].min() >= getattr(of, "FLOOR_ROWS", 0)
    return bool(enough_rows and table["n_seeds"].min() >= min(floors, default=of.FLOOR))


def _dependencies() -> list[str]:
    """Names of the packages that ours asks for, those of its extras aside."""
    asked = [text for text in requires("frugal") or [] if "extra ==" not in text]
    return [re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in asked]


def _processor() -> str:
    """Model name and number of processors, as Linux states them; what Python knows elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(models)} x {models[0]}" if models else platform.processor()
