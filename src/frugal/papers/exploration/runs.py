"""Rows of document 002's experiments: searches, refits of what they chose, task 1, and what fits cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import pandas as pd

from frugal import learners, trials
from frugal.checks import check_settings
from frugal.interface import Candidate, TrialStrategy
from frugal.papers.exploration.as_coded import NAME, Doc002AsCoded
from frugal.papers.exploration.problems import problem
from frugal.papers.exploration.surrogate_cost import surrogate_cost
from frugal.papers.exploration.task1_search import N_TRIALS, run_task1
from frugal.seeds import rng_for
from frugal.trials.problems import LearnerProblem, Problem
from frugal.trials.runs import Journal, run

REPORTED: Final[Candidate] = {"C": 3.775, "intercept_scaling": 1.625}
"""The page's optimum of task 2."""
N_INITIAL: Final = 5
"""Candidates that every method of a repetition starts from."""
SETTINGS: Final = ("n_train", "n_valid", "n_test", "space", "n_initial", "strategies")
REPORTED_ROW, GRID_ROW = "reported", "grid"


def trials_of(
    method: str,
    learner: str,
    dataset: str,
    seed: int,
    n_trials: int,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal_path: str | Path | None = None,
) -> pd.DataFrame:
    """One search; equal but for its seconds, whether or not it was interrupted.

    Args:
        method: a strategy of the family, or `doc002_as_coded`, which starts from a design of its own.
        learner: as of `problems.problem`.
        dataset: the same.
        seed: number of the repetition; its first candidates are those of every method.
        n_trials: that are made, the first candidates among them.
        settings: those of `problems.problem`; n_initial, the first candidates (`N_INITIAL`); strategies, settings
            by method.
        root: folder of the datasets.
        journal_path: where trials are kept as they are made; None: nowhere.

    Returns:
        method, learner, dataset, seed, data, then `trials.runs.COLUMNS`, a row per trial.

    Raises:
        ValueError: on an unknown name or setting, more first candidates than trials, or a journal of another run.
    """
    check_settings(settings, SETTINGS, complete=False)
    on = problem(learner, dataset, seed, settings, root)
    names = {"method": method, "learner": learner, "dataset": dataset, "seed": seed}
    strategy = _strategy(names, n_trials, settings, on)
    if journal_path is None:
        table = run(strategy, on)
    else:
        own = settings.get("strategies", {}).get(method, {})
        of = {**names, "n_trials": n_trials, "settings": {**settings, "strategies": own}}
        journal = Journal(journal_path, of)
        table = run(strategy, on, kept=journal.trials, keep=journal.keep)
    return pd.concat([pd.DataFrame({**names, "data": on.data}, index=table.index), table], axis=1)


def _strategy(names: Mapping[str, Any], n_trials: int, settings: Mapping[str, Any], on: Problem) -> TrialStrategy:
    method, where = names["method"], (names["learner"], names["dataset"], names["seed"])
    n_initial = settings.get("n_initial", N_INITIAL)
    given: dict[str, Any] = {
        "space": on.space,
        "n_trials": n_trials,
        "rng": rng_for("exploration", "trials", method, *where),
    }
    own = settings.get("strategies", {}).get(method, {})
    if method == NAME:
        return Doc002AsCoded(**given, n_initial=n_initial, **own)
    first = trials.initial_design(on.space, n_initial, rng_for("exploration", "initial design", *where))
    return trials.make(method, **given, initial=first, **own)


def refits(runs: pd.DataFrame, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """What the searches chose, fitted on all training rows and tested; beside it the reported point and a grid.

    A candidate that several searches chose is fitted once.

    Args:
        runs: rows of `trials_of`, of one learner and dataset; each search's choice is its last incumbent.
        settings: those of `problems.problem`, with refit_rows, training rows of the choices and of the reported
            point (None: all), and grid_rows, those of the grid (None: all; 0: no grid).
        root: folder of the datasets.

    Returns:
        A row per search, one for the reported point and one per candidate of the learner's space `grid`:
        experiment (refits), method (the search's, `reported` or `grid`), learner, dataset, seed, data, candidate,
        n_rows, test_error, seconds.

    Raises:
        ValueError: if the runs are of several problems, or a fit fails.
    """
    problems = runs[["learner", "dataset"]].drop_duplicates()
    if len(problems) != 1:
        raise ValueError(f"refits are of one learner and dataset, got {problems.to_numpy().tolist()}")
    learner, dataset = (str(part) for part in problems.iloc[0])
    facts = {"experiment": "refits", "learner": learner, "dataset": dataset, "data": runs["data"].iloc[0]}
    fitted: dict[tuple[str, int | None], dict[str, Any]] = {}
    known = {name: value for name, value in settings.items() if name in SETTINGS}
    sizes = {name: settings.get(name) for name in ("refit_rows", "grid_rows")}
    on = {n: problem(learner, dataset, 0, {**known, "n_train": n}, root) for n in sizes.values() if n != 0}

    def row(method: str, seed: int, candidate: str, n_rows: int | None) -> dict[str, Any]:
        if (candidate, n_rows) not in fitted:
            fitted[candidate, n_rows] = _refit(on[n_rows], json.loads(candidate))
        return {"method": method, "seed": seed, **facts, "candidate": candidate, **fitted[candidate, n_rows]}

    last = runs.sort_values("id").groupby(["method", "seed"], sort=False)["incumbent"].last()
    rows = [row(str(key[0]), int(key[1]), chosen, sizes["refit_rows"]) for key, chosen in last.items()]  # type: ignore[index]
    rows.append(row(REPORTED_ROW, 0, json.dumps(dict(REPORTED), sort_keys=True), sizes["refit_rows"]))
    if sizes["grid_rows"] != 0:
        grid = learners.space("grid", learner).grid()
        rows += [row(GRID_ROW, 0, json.dumps(dict(c), sort_keys=True), sizes["grid_rows"]) for c in grid]
    first = ["experiment", "method", "learner", "dataset", "seed", "data"]
    return pd.DataFrame(rows)[[*first, "candidate", "n_rows", "test_error", "seconds"]]


def _refit(on: Problem, candidate: Candidate) -> dict[str, Any]:
    """Error on the test rows, of a fit on all training rows of a problem; with the seconds of both."""
    if not isinstance(on, LearnerProblem):
        raise ValueError(f"{on.name} has no test rows, so nothing to refit on")
    started = perf_counter()
    test_error = on.test_error(candidate)
    return {"n_rows": len(on.parts.train[1]), "test_error": test_error, "seconds": perf_counter() - started}


def task1(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Searches of task 1 by one of `task1_search.SEARCHES`; settings n_trials and some of `DNGO`."""
    known = ("n_trials", "n_epochs", "n_steps", "n_walkers", "marginalise")
    check_settings(settings, known, complete=False)
    return run_task1([seed], searches=(method,), **{"n_trials": N_TRIALS, **settings})


Run = Callable[[str, int, Mapping[str, Any], str | Path], pd.DataFrame]
EXPERIMENTS: Final[dict[str, tuple[Run, tuple[str, ...]]]] = {
    "task1": (task1, ("dngo", "dngo_as_coded")),
    "surrogate_cost": (surrogate_cost, ("gp", "dngo")),
}
"""Those that are no searches by a strategy: what makes the rows of one method and seed, and the methods."""
