"""A search as rows, one per trial, and what it had spent when it was as good as another one."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from time import process_time

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask
from frugal.trials.problems import Problem, Report
from frugal.trials.runs import run

CURRENCIES = ("seconds", "rows")
"""What is spent: seconds of trials, of their checks and of the optimiser; rows, as the problem counts them."""


class Clocked:
    """A problem whose reports are clocked: what they are answered with may cost more than the trial.

    Attributes:
        name: as the problem's, as the next two.
        space: see there.
        data: see there.
        spent: seconds of the processor in reports, by trial.

    Args:
        problem: whose trials' own seconds are without those of reports.
    """

    def __init__(self, problem: Problem) -> None:
        self.name, self.space, self.data, self.spent = (
            problem.name,
            problem.space,
            problem.data,
            dict[int, float](),
        )
        self._problem = problem

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """As the problem does."""
        self.spent[task.id] = 0.0

        def clocked(of: TrialTask, epoch: int, score: float) -> bool:
            started = process_time()
            goes_on = report(of, epoch, score)
            self.spent[task.id] += process_time() - started
            return goes_on

        return self._problem.evaluate(task, clocked)


def follow(strategy: TrialStrategy, problem: Problem, test_error: Callable[[Candidate], float]) -> pd.DataFrame:
    """A search and what it would return.

    Args:
        strategy: fresh.
        problem: what its trials are made on; their cost is rows.
        test_error: of a candidate, as the search would use it.

    Returns:
        A row per trial: trial, n_rows (nan: all), n_epochs (0 without any), error (measured, on validation rows),
        best_error (the least so far), test_error (of the incumbent), seconds, check_seconds (of what reports are
        answered with), overhead_s (of the optimiser before the trial), rows; and data.
    """
    clocked = Clocked(problem)
    table = run(strategy, clocked)
    chosen = [math.nan if text is None else test_error(json.loads(text)) for text in table["incumbent"]]
    return pd.DataFrame(
        {
            "trial": table["id"],
            "n_rows": pd.to_numeric(table["n_rows"]),
            "n_epochs": [len(json.loads(text)) for text in table["curve"]],
            "error": table["error"],
            "best_error": table["error"].cummin(),
            "test_error": chosen,
            "seconds": table["seconds"],
            "check_seconds": [clocked.spent[trial] for trial in table["id"]],
            "overhead_s": table["overhead_s"],
            "rows": table["cost"],
            "data": problem.data,
        }
    )


def spent(path: pd.DataFrame, currency: str) -> NDArray[np.float64]:
    """What a search had spent after each trial, (n_trials,)."""
    whole = path[["seconds", "check_seconds", "overhead_s"]].sum(axis=1)
    return (whole if currency == "seconds" else path["rows"]).cumsum().to_numpy(float)


def to_same(runs: pd.DataFrame, method: str, other: str, currency: str, quality: str) -> pd.Series:
    """What a search spent until it was as good as the worse of two ends, over what the other one spent.

    Of each seed, the target is the larger of the two searches' last values; both were there at some time, so that
    no search is left out.

    Args:
        runs: rows of `follow` with method and seed.
        method: of the search.
        other: of the one it is compared with.
        currency: one of `CURRENCIES`.
        quality: column that is to be low.

    Returns:
        log10 of the ratio by seed, below 0 where the search spent less; empty where one was not run.
    """
    found = {}
    for seed, part in runs[runs["method"].isin((method, other))].groupby("seed"):
        paths = [part[part["method"] == name].sort_values("trial") for name in (method, other)]
        if any(path.empty for path in paths):
            continue
        values = [path[quality].to_numpy(float) for path in paths]
        target = max(value[-1] for value in values) + 1e-12  # errors are multiples of one over the rows
        first = [int(np.flatnonzero(value <= target)[0]) for value in values]
        until = [spent(path, currency)[i] for path, i in zip(paths, first, strict=True)]
        found[seed] = math.log10(until[0] / until[1])
    return pd.Series(found, dtype=float)
