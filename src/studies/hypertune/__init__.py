"""Document 004: "Fast hyperparameter tuning using Bayesian optimization with directional derivatives" (HyperTune).

Its rows are those of searches (`trials.searches`), of what these chose, fitted and tested (`runs.refits`), and of
Figure 1's computation (`complexity`). `searched` and `curves` read the searches, `tables` has the printed tables
with ours beside, `budgets` what HyperTune's time was spent on, `claims` what the document says of them. Figures
stand in `drawn`, so that claims need no matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from studies.hypertune import budgets, tables
from studies.hypertune import claims as claimed
from studies.hypertune.tables import FLOOR, FLOOR_ROWS, reaches_floor
from studies.verdicts import check_claimed, in_place_of_verdicts, judge_all

__all__ = ["FLOOR", "FLOORS", "FLOOR_ROWS", "TABLES", "claims", "reaches_floor", "render"]

TABLES = {**tables.MADE, "budgets": budgets.table}
"""Table name -> how it is made from runs and the label of the scale."""
FLOORS: dict[str, int] = {}
"""Repetitions under which results of a name are not published; `FLOOR` for the others."""


def render(table: pd.DataFrame) -> str:
    """A table as Markdown, with notes below.

    Args:
        table: of one of `TABLES`.
    """
    return budgets.render(table) if "most" in table else tables.render(table)


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, in its order; those of an experiment without runs as not run.

    Runs on stand-ins are left out where there are others, of numbers, verdicts and provenance alike; a claim on
    data of which there are stand-ins alone is not testable here.

    Args:
        runs: by name of the experiment, a learner, `{learner}_refits` or `complexity`.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    known = [*claimed.CLAIMS, "cifar_cnn"]
    for name in runs:
        check_claimed(name, known)
    judged = judge_all([claimed], {name: claimed.real(table) for name, table in runs.items()}, known, scale)
    labels = {id: label for name, table in runs.items() for id, label in claimed.out_of_reach(name, table).items()}
    return in_place_of_verdicts(judged, labels)
