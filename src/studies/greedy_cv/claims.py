"""The claims of document 001 and our findings, judged on our runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from studies.estimates import Arrays
from studies.greedy_cv.measures import (
    early_stopping_arrays,
    search_time_arrays,
    sizes_arrays,
    wall_clock_arrays,
)
from studies.greedy_cv.quoted import EARLY_STOPPING, SEARCH_TIME, SIZES, WALL_CLOCK
from studies.greedy_cv.tables import CELL, K_STOPPING, N_SEARCH, published
from studies.records import Claim
from studies.tidy import need, provenance
from studies.verdicts import judge

FLOOR = 30
"""Repetitions under which no number of the document is published and no verdict given."""
STUDY_FLOOR = 5
"""The same for our own studies beside it (sensitivity, sizes), which the document has no repetitions for."""


@dataclass(frozen=True)
class Experiment:
    """What is claimed of an experiment, and what it takes to judge that.

    Attributes:
        claims: on the arrays.
        arrays: from runs.
        cells: dataset, classifier, k and n of the document's cells; None for a study of ours, where any will do.
        floor: repetitions that every cell must have.
    """

    claims: tuple[Claim, ...]
    arrays: Callable[[pd.DataFrame], Arrays]
    cells: Callable[[], pd.DataFrame] | None
    floor: int


def _printed_cells(table: str, inner: str, values: tuple[int, ...]) -> pd.DataFrame:
    cells = published(table).drop(columns=["method", "published", "published_stars"]).drop_duplicates()
    return cells.merge(pd.DataFrame({inner: values}), how="cross")


EXPERIMENTS: Mapping[str, Experiment] = {
    "search_time": Experiment(
        SEARCH_TIME, search_time_arrays, lambda: _printed_cells("table1", "n", N_SEARCH), FLOOR
    ),
    "early_stopping": Experiment(
        EARLY_STOPPING, early_stopping_arrays, lambda: _printed_cells("table2", "k", K_STOPPING), FLOOR
    ),
    "wall_clock": Experiment(
        WALL_CLOCK, wall_clock_arrays, lambda: _printed_cells("table3", "k", K_STOPPING), FLOOR
    ),
}
"""What the document did."""

STUDIES: Mapping[str, Experiment] = {"sizes": Experiment(SIZES, sizes_arrays, None, STUDY_FLOOR)}
"""What it conjectures and we did beside it."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, and our findings; those of `EXPERIMENTS`, or those of `STUDIES`.

    Those of an experiment without runs are listed as not run.

    Args:
        runs: by name of the experiment, keys of `EXPERIMENTS`, or of `STUDIES` alone.
        scale: label of the run.

    Returns:
        A row per claim, as `verdicts.judge` gives it.

    Raises:
        ValueError: on other names; the message lists the known ones.
    """
    experiments = STUDIES if set(runs) & set(STUDIES) else EXPERIMENTS
    if set(runs) - set(experiments):
        known = f"{', '.join(EXPERIMENTS)}, or {', '.join(STUDIES)} alone"
        raise ValueError(f"claims are made of runs of {known}, not of {', '.join(runs)}")
    parts = []
    for name, experiment in experiments.items():
        arrays, enough, data = None, False, ""
        if name in runs:
            of, enough = _of_document(runs[name], experiment)
            arrays, data = experiment.arrays(of), provenance(of)
        parts.append(judge(experiment.claims, arrays, enough=enough, scale=scale, data=data))
    return pd.concat(parts, ignore_index=True)


def _of_document(runs: pd.DataFrame, experiment: Experiment) -> tuple[pd.DataFrame, bool]:
    """Runs of the document's cells (all runs if one is missing), and whether all are there and reach the floor."""
    need(runs)
    keys = [*CELL, "k", "n"]
    if experiment.cells is None:
        is_whole = len(runs["dataset"].unique()) > 1
    else:
        cells = experiment.cells()
        inside = runs.merge(cells, on=keys)
        is_whole = len(inside[keys].drop_duplicates()) == len(cells)
        runs = inside if is_whole else runs
    n_seeds = runs.groupby([*keys, "method"])["seed"].nunique().min()
    return runs, bool(is_whole and n_seeds >= experiment.floor)
