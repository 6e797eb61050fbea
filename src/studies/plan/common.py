"""What all parts of the plan share: paths, shares of work, settings and hashes as rules take them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from frugal.datasets.catalogue import parse_name
from studies.arguments import DRAWN, FINDINGS, MARKDOWN

Config = Mapping[str, Any]
Wildcards = Any
"""What Snakemake fills a rule's places with: names as attributes, text as values."""
ALL: Final = "all"
"""In a path, in place of one length: a job does all of them."""


def shares(n_items: int, per_job: int) -> list[tuple[int, int]]:
    """First and last item of each job, both included, for items numbered from 0 and `per_job` items a job."""
    return [(first, min(first + per_job, n_items) - 1) for first in range(0, n_items, per_job)]


def as_json(settings: Mapping[str, Any]) -> str:
    """Settings as a command takes them, in one order, so that only what they say re-runs a job."""
    return json.dumps(settings, sort_keys=True)


def prepared(dataset: str) -> list[str]:
    """The files of a prepared dataset of the catalogue; the name may be a place to fill in."""
    return [f"data/processed/{dataset}/{file}" for file in ("provenance.json", "X.npy", "y.npy")]


def refuse_stand_in(dataset: str) -> list[str]:
    """Input function of a dataset, which reads no file: a stand-in that is kept ends the run before any job.

    Raises:
        ValueError: if the prepared dataset is a stand-in; the message says what to do.
    """
    record = Path(prepared(dataset)[0])
    try:
        is_stand_in = json.loads(record.read_bytes())["provenance"] == "stand-in"
    except (OSError, LookupError, TypeError, ValueError):
        return []  # there is none yet, or jobs that read it say what is damaged
    if is_stand_in:
        raise ValueError(
            f"{record.parent} holds a stand-in, which allow_stand_in: false refuses; delete the folder to look for"
            " the real data, or set allow_stand_in: true"
        )
    return []


def dataset_files(name: str) -> list[str]:
    """The files of a prepared dataset, or of that which a subset such as letter_2000 is drawn from."""
    return prepared(parse_name(name)[0])


def files(kind: str, paper: str, name: str) -> list[str]:
    """The files of a table, a figure (pictures, numbers, caption), or claims with our findings beside them."""
    path = Path(f"results/{paper}", "" if kind == "claims" else f"{kind}s", f"{name}.csv")
    beside = {"table": MARKDOWN, "figure": DRAWN, "claims": FINDINGS}[kind]
    itself = [] if kind == "figure" else [path]
    return [str(one) for one in (*itself, *(place(path) for place in beside.values()))]
