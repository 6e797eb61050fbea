"""Rows of document 002's experiments: refits of what its searches chose, task 1, and what fits cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Any, Final

import pandas as pd

from frugal import learners
from frugal.checks import check_settings
from frugal.interface import Candidate
from frugal.spaces import as_json
from frugal.trials.lines import JournalPath, Lines
from frugal.trials.problems import LearnerProblem
from frugal.trials.searches import SETTINGS, problem
from studies.exploration.surrogate_cost import surrogate_cost
from studies.exploration.task1_search import N_TRIALS, SEARCHES, run_task1

REPORTED: Final[Candidate] = {"C": 3.775, "intercept_scaling": 1.625}
"""The page's optimum of task 2."""
REPORTED_ROW, GRID_ROW = "reported", "grid"


def refits(
    runs: pd.DataFrame,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """What the searches chose, fitted on all training rows and tested; beside it the reported point and a grid.

    A candidate that several searches chose is fitted once.

    Args:
        runs: rows of `trials.searches.search`, of one learner and dataset; a search's choice is its last
            recommendation.
        settings: those of `trials.searches.problem`, with refit_rows, training rows of the choices and of the
            reported point (None: all), and grid_rows, those of the grid (None: all; 0: no grid).
        root: folder of the datasets.
        journal_path: where fits are kept as they are made, so that a killed job goes on; None: nowhere.

    Returns:
        A row per search, one for the reported point and one per candidate of the learner's space `grid`:
        experiment (refits), method (the search's, `reported` or `grid`), learner, dataset, seed, data, candidate,
        n_rows, test_error, seconds (of the processor).

    Raises:
        ValueError: if the runs are of several problems or of one without rows, a fit fails, or the journal is
            another job's.
    """
    problems = runs[["learner", "dataset"]].drop_duplicates()
    if len(problems) != 1:
        raise ValueError(f"refits are of one learner and dataset, got {problems.to_numpy().tolist()}")
    learner, dataset = (str(part) for part in problems.iloc[0])
    facts = {"experiment": "refits", "learner": learner, "dataset": dataset, "data": runs["data"].iloc[0]}
    fits = _Fits(learner, dataset, settings, root, journal_path)

    def row(method: str, seed: int, candidate: str, size: str) -> dict[str, Any]:
        return {"method": method, "seed": seed, **facts, "candidate": candidate, **fits.of(candidate, size)}

    last = runs.sort_values("id").groupby(["method", "seed"], sort=False)["recommendation"].last()
    rows = [row(str(key[0]), int(key[1]), chosen, "refit_rows") for key, chosen in last.items()]  # type: ignore[index]
    rows.append(row(REPORTED_ROW, 0, as_json(REPORTED), "refit_rows"))
    if settings.get("grid_rows") != 0:
        grid = learners.space("grid", learner).grid()
        rows += [row(GRID_ROW, 0, as_json(c), "grid_rows") for c in grid]
    first = ["experiment", "method", "learner", "dataset", "seed", "data"]
    return pd.DataFrame(rows)[[*first, "candidate", "n_rows", "test_error", "seconds"]]


class _Fits:
    """Fits of candidates on the rows that a setting names, each made once."""

    def __init__(
        self,
        learner: str,
        dataset: str,
        settings: Mapping[str, Any],
        root: str | Path,
        journal_path: JournalPath | None,
    ) -> None:
        known = {name: value for name, value in settings.items() if name in SETTINGS}
        self._sizes = {name: settings.get(name) for name in ("refit_rows", "grid_rows")}
        self._on: dict[int | None, LearnerProblem] = {}
        for n in {size for size in self._sizes.values() if size != 0}:
            on = problem(learner, dataset, 0, {**known, "n_train": n}, root)
            if not isinstance(on, LearnerProblem):
                raise ValueError(f"{on.name} has no test rows, so nothing to refit on")
            self._on[n] = on
        header = {"learner": learner, "dataset": dataset, "settings": dict(settings)}
        self._lines = Lines(journal_path, header)
        self._made: dict[tuple[str, int | None], dict[str, Any]] = dict(
            self._lines.rows(lambda row: ((row["candidate"], row["size"]), row["fit"]))
        )

    def of(self, candidate: str, size: str) -> dict[str, Any]:
        """Rows, error on the test rows and seconds of a fit and its test."""
        n_rows = self._sizes[size]
        if (candidate, n_rows) not in self._made:
            on, started = self._on[n_rows], process_time()
            test_error = on.test_error(json.loads(candidate))
            fit = {"n_rows": len(on.parts.train[1]), "test_error": test_error, "seconds": process_time() - started}
            self._made[candidate, n_rows] = fit
            self._lines.add({"candidate": candidate, "size": n_rows, "fit": fit})
        return self._made[candidate, n_rows]


def task1(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Searches of task 1 by one of `task1_search.SEARCHES`; settings n_trials and some of `DNGO`."""
    known = ("n_trials", "n_epochs", "n_steps", "n_walkers", "marginalise")
    check_settings(settings, known, complete=False)
    return run_task1([seed], searches=(method,), **{"n_trials": N_TRIALS, **settings})


Run = Callable[[str, int, Mapping[str, Any], str | Path], pd.DataFrame]
EXPERIMENTS: Final[dict[str, tuple[Run, tuple[str, ...]]]] = {
    "task1": (task1, SEARCHES),
    "surrogate_cost": (surrogate_cost, ("gp", "dngo")),
}
"""Those that are no searches by a strategy: what makes the rows of one method and seed, and the methods."""
