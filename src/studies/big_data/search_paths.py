"""A search as rows, one per trial, and what it had spent when it was as good as another one."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask
from studies.estimates import Array
from studies.trajectories import until_as_good

if TYPE_CHECKING:
    from frugal.trials.problems import Problem, Report

CURRENCIES: Final = ("rows", "seconds")
"""What is spent: rows, as the problem counts them; seconds of trials, of their checks and of the optimiser."""


class Clocked:
    """A problem whose reports are clocked: the checks that answer them may cost more than the trial.

    Attributes:
        name: that of the problem, as the next two.
        space: of its candidates.
        data: its provenance.
        spent: seconds of the processor in reports, by trial.

    Args:
        problem: whose trials' own seconds are without those of reports.
    """

    def __init__(self, problem: Problem) -> None:
        self.name, self.space, self.data = problem.name, problem.space, problem.data
        self.spent: dict[int, float] = {}
        self._problem = problem

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Evaluate the task as the problem does, with clocked reports."""
        self.spent[task.id] = 0.0

        def clocked(reported: TrialTask, epoch: int, score: float) -> bool:
            started = process_time()
            goes_on = report(reported, epoch, score)
            self.spent[task.id] += process_time() - started
            return goes_on

        return self._problem.evaluate(task, clocked)


def rule_of(termination: Mapping[str, Any], horizon: int) -> dict[str, Any]:
    """Settings of `Terminating` for trials of at most `horizon` epochs.

    Raises:
        ValueError: on settings that `Terminating` does not accept, or a horizon among them.
    """
    from frugal.trials import strategies

    if "horizon" in termination:
        raise ValueError(f"termination must not hold horizon, which is {horizon}, the epochs of a whole trial")
    rule = {"horizon": horizon, **termination}
    strategies.check_termination(rule)
    return rule


def follow(strategy: TrialStrategy, problem: Problem, test_error: Callable[[Candidate], float]) -> pd.DataFrame:
    """Run a search, and test its incumbent after each trial.

    Args:
        strategy: before its first trial.
        problem: of the trials; their cost is rows.
        test_error: of a candidate that the search would return.

    Returns:
        A row per trial: trial, n_rows (nan: all), n_epochs (0 without any), error (measured, on validation rows),
        best_error (the least so far), test_error (of the incumbent), seconds, check_seconds (of the checks that
        answer reports), overhead_s (of the optimiser before the trial), rows; and data.
    """
    from frugal.trials.runs import run

    clocked = Clocked(problem)
    table = run(strategy, clocked)
    chosen = [test_error(json.loads(text)) if isinstance(text, str) else math.nan for text in table["incumbent"]]
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


def with_spent(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows of `follow` with method and seed, in order, with spent_seconds and spent_rows up to each trial."""
    found = runs.sort_values(["method", "seed", "trial"], kind="stable", ignore_index=True)
    seconds = found[["seconds", "check_seconds", "overhead_s"]].sum(axis=1)
    by = [found["method"], found["seed"]]
    return found.assign(
        spent_seconds=seconds.groupby(by).cumsum(), spent_rows=found["rows"].astype(float).groupby(by).cumsum()
    )


def to_same(found: pd.DataFrame, method: str, other: str, currency: str, quality: str) -> pd.Series[float]:
    """log10 of what `method` spent over what `other` spent, each until as good as the worse end (`until_as_good`).

    `found` are rows of `with_spent`; `quality` is a column that is to be low.

    Returns:
        The logarithm by seed, below 0 where the search spent less; empty where one was not run.
    """
    ours, others = (_by_seed(found[found["method"] == name], currency, quality) for name in (method, other))
    ratios = {}
    for seed in sorted(ours.keys() & others.keys()):
        until, theirs = until_as_good(ours[seed], others[seed])
        ratios[seed] = math.log10(until / theirs)
    return pd.Series(ratios, dtype=float)


def _by_seed(paths: pd.DataFrame, currency: str, quality: str) -> dict[int, tuple[Array, Array]]:
    return {
        int(str(seed)): (path[quality].to_numpy(float), path[f"spent_{currency}"].to_numpy(float))
        for seed, path in paths.groupby("seed")
    }
