"""Searches as rows of `benchmarks.searches.search`: found among others, and added up trial by trial."""

from __future__ import annotations

import json
from typing import Final

import pandas as pd

from frugal.checks import check_columns
from frugal.interface import Candidate
from studies.shared.look_up_tables import is_trial

CELL: Final = ["learner", "dataset", "method", "seed"]
"""Columns that name a search."""
_SPENT: Final = ("seconds", "overhead_s", "cost")


def trials_of(runs: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The trials of each search in order, without the cells, curves and fits beside them.

    Raises:
        ValueError: if a column is missing, of these or of those that `so_far` reads, or there are no searches.
    """
    check_columns("the table of runs", runs, (*CELL, "data", "id", *_SPENT, *columns))
    trials = runs[is_trial(runs)]
    if trials.empty:
        raise ValueError("the runs hold no searches")
    return trials.sort_values([*CELL, "id"], kind="stable", ignore_index=True)


def so_far(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials in order with what their search had spent after each.

    Returns:
        Their columns; trial (from 1); spent_seconds (of evaluations, the optimiser and its checks), spent_overhead
        (of these, the optimiser's and its checks'), spent_cost.
    """
    search = [trials[name] for name in CELL]
    checks = trials["check_s"].fillna(0.0) if "check_s" in trials else 0.0
    return trials.assign(
        trial=trials.groupby(search).cumcount() + 1,
        spent_seconds=(trials["seconds"] + trials["overhead_s"] + checks).groupby(search).cumsum(),
        spent_overhead=(trials["overhead_s"] + checks).groupby(search).cumsum(),
        spent_cost=trials["cost"].groupby(search).cumsum(),
    )


def lowest(trials: pd.DataFrame, errors: pd.Series[float]) -> pd.Series[float]:
    """The lowest error that each search had found after each of its trials in order, nan before one.

    `errors` are those of the trials, nan of one that failed or does not count.
    """
    search = [trials[name] for name in CELL]
    return errors.groupby(search).cummin().groupby(search).ffill()


def candidates(texts: pd.Series[str]) -> list[Candidate | None]:
    """The candidates of a column; None where there is none."""
    return [json.loads(text) if isinstance(text, str) else None for text in texts]
