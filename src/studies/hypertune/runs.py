"""Rows of document 004's experiments beside its searches: what these chose, fitted and tested; and Figure 1."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal import learners
from frugal.checks import check_settings
from frugal.interface import Candidate, TrialTask
from frugal.spaces import as_json
from frugal.trials.lines import JournalPath, Lines
from frugal.trials.problems import LearnerProblem
from frugal.trials.searches import problem
from studies.blocks import on_dataset, rows_of
from studies.hypertune.complexity import METHODS, complexity
from studies.hypertune.listed import CONTROLS, MAJORITY, TESTER
from studies.hypertune.searched import budget_of, paths, within

SETTINGS: Final = ("n_train", "n_valid", "n_test", "scalers", "epochs")

log = logging.getLogger(__name__)


def refits(
    runs: pd.DataFrame,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """What each search had chosen within HyperTune's time of its seed, fitted on all its rows and tested.

    A candidate that several searches of a seed chose is fitted once. Beside the methods stands `majority`: what
    always saying the training rows' most frequent class comes to. Controls, which are compared by trials, are left
    out.

    Args:
        runs: rows of `trials.searches.search`, HyperTune's among them.
        settings: n_train, training rows, n_valid, validation rows, and n_test, test rows of datasets that set none
            apart, each one number or one by dataset; scalers, by dataset; epochs, of learners trained in epochs.
        root: folder of the datasets.
        journal_path: where fits are kept as they are made, so that a killed job goes on; None: nowhere.

    Returns:
        A row per search: experiment ({learner}_refits), method, learner, dataset, seed, data, candidate, budget_s
        (all that the seed's methods may spend), spent_s (what this one had), whole_s (all of the search), n_rows,
        n_epochs (nan without), test_error, nan where training diverged or failed, which is said, or nothing was
        chosen.

    Raises:
        ValueError: if a seed has no search by HyperTune, on an unknown setting, or the journal is another job's.
    """
    check_settings(settings, SETTINGS, complete=False)
    fits = Fits(settings, root, journal_path)
    rows = []
    found = paths(runs[~runs["method"].isin(CONTROLS)])
    for cell, part in found.groupby(["learner", "dataset", "seed"], sort=False):
        learner, dataset, seed = str(cell[0]), str(cell[1]), int(part["seed"].iloc[0])
        by = {str(method): path for method, path in part.groupby("method", sort=False)}
        if TESTER not in by:
            raise ValueError(f"{learner} on {dataset} has no search by {TESTER} from seed {seed}, so no budget")
        total_s = budget_of(by[TESTER], rows_of(settings, dataset)["n_valid"]).total
        facts = {"learner": learner, "dataset": dataset, "seed": seed, "data": part["data"].iloc[0]}
        rows.append({"method": MAJORITY, **facts, **fits.majority(learner, dataset, seed)})
        for method, path in by.items():
            chosen, spent_s = within(path, total_s)
            spent = {"budget_s": total_s, "spent_s": spent_s, "whole_s": float(path["spent_s"].iloc[-1])}
            rows.append({"method": method, **facts, **spent, **fits.of(learner, dataset, seed, chosen)})
    table = pd.DataFrame(rows)
    table.insert(0, "experiment", table["learner"] + "_refits")
    return table


class Fits:
    """Fits of candidates on the problems of seeds, each made once.

    Args:
        settings: of `refits`.
        root: folder of the datasets.
        journal_path: where fits are kept as they are made; None: nowhere.
    """

    def __init__(self, settings: Mapping[str, Any], root: str | Path, journal_path: JournalPath | None) -> None:
        self._settings, self._root = settings, root
        self._lines = Lines(journal_path, {"settings": dict(settings)})
        self._latest: tuple[tuple[str, str, int], LearnerProblem] | None = None
        self._made = dict(self._lines.rows(lambda row: (row["key"], row["fit"])))

    def of(self, learner: str, dataset: str, seed: int, candidate: Candidate | None) -> dict[str, Any]:
        """candidate, n_rows, n_epochs and test_error of a fit."""
        if candidate is None:
            return {"candidate": None, "test_error": math.nan}
        key = f"{learner} {dataset} {seed} {as_json(candidate)}"
        if key not in self._made:
            on = self._problem(learner, dataset, seed)
            facts = {"n_rows": len(on.parts.train[1]), "n_epochs": on.n_epochs}
            self._made[key] = {**facts, "test_error": _tested(on, candidate)}
            self._lines.add({"key": key, "fit": self._made[key]})
        return {"candidate": as_json(candidate), **self._made[key]}

    def majority(self, learner: str, dataset: str, seed: int) -> dict[str, Any]:
        """n_rows and test_error of the training rows' most frequent class."""
        on = self._problem(learner, dataset, seed)
        y, y_test = on.parts.train[1], on.parts.test[1]
        return {"n_rows": len(y), "test_error": float(np.mean(y_test != np.bincount(y).argmax()))}

    def _problem(self, learner: str, dataset: str, seed: int) -> LearnerProblem:
        """Of the latest seed read once; each time without the networks of fits before."""
        if self._latest is None or self._latest[0] != (learner, dataset, seed):
            self._latest = (learner, dataset, seed), self._read(learner, dataset, seed)
        return replace(self._latest[1])

    def _read(self, learner: str, dataset: str, seed: int) -> LearnerProblem:
        own = {name: value for name, value in self._settings.items() if name != "scalers"}
        on = problem(learner, dataset, seed, own | on_dataset(self._settings, dataset), self._root)
        assert isinstance(on, LearnerProblem)
        return on


def _tested(on: LearnerProblem, candidate: Candidate) -> float:
    """Test error; of a learner with epochs that of the very training which a trial on all rows is.

    A candidate that was chosen on fewer rows may fail on all of them; it has no error, and the others have theirs.
    """
    if not learners.in_epochs(on.learner):
        try:
            return on.test_error(candidate)
        except ValueError as error:
            log.warning("warning: %s", error)
            return math.nan
    trial = on.evaluate(TrialTask(0, candidate), lambda *_: True)
    return math.nan if trial.reason else on.network_test_error(trial)


Run = Callable[[str, int, Mapping[str, Any], str | Path], pd.DataFrame]
EXPERIMENTS: Final[dict[str, tuple[Run, tuple[str, ...]]]] = {"complexity": (complexity, METHODS)}
"""Those that are no searches: what makes the rows of one method and seed, and the methods."""
