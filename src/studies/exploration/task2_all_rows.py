"""Task 2 of document 002 by DNGO on all 50,000 training rows, as the document has it.

The searches of `task2` train on fewer rows, where another point is the best.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.exploration.document import ALL, published
from studies.exploration.refits import ALL_ROWS, OPTIMUM, REPORTED
from studies.exploration.searches import has_enough_searches
from studies.exploration.task2 import LEARNER, N_TRIALS, choices, coordinate
from studies.measures import share_of
from studies.methods import TRIALS
from studies.records import Artefact, Claim, Study
from studies.tidy import by_measure, tidied

METHOD: Final = replace(TRIALS["dngo"], name="dngo_all_rows", variant_of="dngo")
"""It has the look and the random numbers of DNGO in `task2`."""
MEASURED: Final = (*REPORTED, "valid_accuracy", "seconds")
"""Measures of one search."""
KEYS: Final = ["measure", "method"]


def found_points(runs: pd.DataFrame) -> pd.DataFrame:
    """The choice of each search, in the order of the seeds.

    Returns:
        method, seed, data; C and intercept_scaling; valid_accuracy, of the best trial; seconds of the search, the
        optimiser's included; is_near, 1 where C and intercept_scaling are both at most one cell of the learner's
        5 x 5 grid away from the reported point, else 0, nan without a choice or on fewer than `ALL_ROWS` rows.
    """
    from frugal import learners

    found = choices(runs).sort_values("seed")
    grid = learners.space("grid", LEARNER).grid()
    is_near = np.ones(len(found), bool)
    for name in REPORTED:
        values = sorted({coordinate(candidate, name) for candidate in grid})
        is_near &= np.abs(found[name].to_numpy(float) - published(2)[name]) <= values[1] - values[0] + 1e-12
    return found.assign(
        valid_accuracy=1 - found["best"],
        seconds=found["spent_seconds"],
        is_near=np.where(found["C"].notna() & (found["cost"] >= ALL_ROWS), is_near.astype(float), np.nan),
    )[["method", "seed", "data", *MEASURED, "is_near"]]


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Array that the claim is measured on, (n_seeds,)."""
    return {"near": found_points(runs)["is_near"].to_numpy(float)}


IS_ENOUGH: Final = partial(has_enough_searches, methods=(METHOD.name,), n_trials=N_TRIALS, n_rows=ALL_ROWS)
TASK2_ALL_ROWS: Final = Study(
    name="task2_all_rows",
    methods=(METHOD,),
    problems=((LEARNER, "mnist"),),
    arrays=arrays,
    is_enough=IS_ENOUGH,
)
CLAIMS: Final = (
    Claim(
        # Near: at most one cell of the 5 x 5 grid away in both, since the surface is flat between its points.
        "exploration.task2.search_finds_optimum",
        section="Task 2",
        quote=OPTIMUM,
        quantity="share of DNGO's searches on all 50,000 training rows that choose a point near {3.775, 1.625}: "
        "at most one cell of a 5 x 5 grid away in both",
        unit="%",
        agrees=ALL,
        measure=share_of("near"),
        artefact="tables/task2_all_rows",
        study="task2_all_rows",
    ),
)


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What the searches choose, beside the reported point.

    Returns:
        `KEYS`, `tidy.TIDY` and n_missing, the seeds without a value. Measures: `MEASURED`.
    """
    table = by_measure(found_points(runs), MEASURED, ["method"])
    table["published"] = table["measure"].map(published(2))
    orders = {"measure": MEASURED, "method": (METHOD.name,)}
    return tidied(table, KEYS, scale, "n_missing", orders=orders)


TABLE: Final = Artefact(
    "task2_all_rows",
    ("task2_all_rows",),
    tabulate,
    """Task 2 of document 002, searched by DNGO on {{ n_train or "all 50,000" }} training rows of MNIST ({{
    n_valid }} validation rows, {{ n_trials }} trials): what a search chooses, beside the reported point, its best
    validation accuracy, and its seconds, the optimiser's included. Means over {{ n_seeds | seeds }}.""",
)
