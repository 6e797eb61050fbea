"""Document 002: "Bayesian Exploration", hyperparameter optimisation with DNGO on two small tasks.

`runs` makes the rows of its experiments; `task1*`, `task2`, `comparison` and `costs` the
tables and the numbers of figures; `quoted` has what the document says about them, on the numbers of `claimed`.
Figures stand in `drawn`, so that claims need no matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from studies.exploration import quoted
from studies.exploration.comparison import table_comparison, table_greediness
from studies.exploration.costs import table_surrogate_cost
from studies.exploration.listed import render
from studies.exploration.task1_errors import table_errors_as_coded
from studies.exploration.task1_tables import table_task1
from studies.exploration.task2 import table_task2
from studies.verdicts import judge_all

__all__ = ["FLOOR", "FLOORS", "FLOOR_ROWS", "TABLES", "claims", "render"]

FLOOR = quoted.FLOOR
"""Repetitions under which no number is published and no verdict given."""
FLOORS: dict[str, int] = {}
"""The same for results of a name; `FLOOR` for the others."""
FLOOR_ROWS = quoted.FLOOR_ROWS
"""Rows of the refits under which the table of task 2 is not published."""
TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    "task1": table_task1,
    "errors_as_coded": table_errors_as_coded,
    "task2": table_task2,
    "comparison": table_comparison,
    "greediness": table_greediness,
    "surrogate_cost": table_surrogate_cost,
}
"""Table name -> how it is made from runs and the label of the scale."""
TASK1 = ("task1", "task1_scores", "task1_optima")
"""Runs that the claims on task 1 need, all of them."""
EXPERIMENTS = (*TASK1, "task2", "refits", "functions", "logistic", "surrogate_cost")
"""Names of the runs; no claim is on `logistic`."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts; those of an experiment without runs as not run.

    Args:
        runs: by name of the experiment.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    found = {name: table for name, table in runs.items() if name not in TASK1}
    if runs.keys() >= set(TASK1):
        found["task1"] = pd.concat([runs[name] for name in TASK1], ignore_index=True)
    return judge_all([quoted], found, EXPERIMENTS, scale)
