"""Fits of the searches' choices on all rows, with test errors; each is made once and kept at once."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from frugal import learners
from frugal.benchmarks.problem_by_name import of_problem, problem
from frugal.interface import Candidate, TrialTask
from frugal.spaces import as_json
from frugal.trials.lines import JournalPath, Lines
from frugal.trials.problems import LearnerProblem
from studies.blocks import on_dataset
from studies.tidy import provenance

log = logging.getLogger(__name__)
Fit = dict[str, Any]


class KeptFits:
    """Results of fits by key; a killed job goes on from those in its journal.

    Raises:
        ValueError: if the journal is another job's.
    """

    def __init__(self, journal: JournalPath | None, header: Mapping[str, Any]) -> None:
        self._lines = Lines(journal, dict(header))
        self._kept: dict[str, Fit] = dict(self._lines.rows(lambda row: (row["key"], row["fit"])))

    def get(self, key: str, make: Callable[[], Fit]) -> Fit:
        """The fit of a key; `make` is called if there is none yet."""
        if key not in self._kept:
            self._kept[key] = make()
            self._lines.add({"key": key, "fit": self._kept[key]})
        return self._kept[key]


def data_of(runs: pd.DataFrame) -> dict[str, str]:
    """Where the data of runs are from, by the name of the dataset."""
    return {str(name): provenance(part) for name, part in runs.groupby("dataset")}


class SeedFits:
    """Fits of candidates on the rows of learners, datasets and seeds, each made once.

    Args:
        settings: those of `benchmarks.problem`, each one value or one by dataset; and scalers, by
            dataset.
        root: folder of the datasets.
        journal: where fits are kept as they are made; None: nowhere.
        data: where the data are from, by dataset; a journal of fits on others is refused.
    """

    def __init__(
        self, settings: Mapping[str, Any], root: str | Path, journal: JournalPath | None, data: Mapping[str, str]
    ) -> None:
        self._settings, self._root = settings, root
        self._kept = KeptFits(journal, {"settings": dict(settings), "data": dict(data)})
        self._latest: tuple[tuple[str, str, int], LearnerProblem] | None = None

    def fit(self, learner: str, dataset: str, seed: int, candidate: Candidate | None) -> Fit:
        """Return candidate (as JSON), n_rows, n_epochs and test_error of a fit to all rows.

        If `candidate` is None, return candidate None and test_error nan alone.
        """
        if candidate is None:
            return {"candidate": None, "test_error": math.nan}

        def make() -> Fit:
            problem = self._problem(learner, dataset, seed)
            n_rows, n_epochs = len(problem.parts.train[1]), problem.n_epochs
            return {"n_rows": n_rows, "n_epochs": n_epochs, "test_error": _test_error(problem, candidate)}

        text = as_json(candidate)
        return {"candidate": text, **self._kept.get(f"{learner} {dataset} {seed} {text}", make)}

    def majority(self, learner: str, dataset: str, seed: int) -> Fit:
        """n_rows and test_error of the training rows' most frequent class."""
        parts = self._problem(learner, dataset, seed).parts
        y, y_test = parts.train[1], parts.test[1]
        return {"n_rows": len(y), "test_error": float(np.mean(y_test != np.bincount(y).argmax()))}

    def _problem(self, learner: str, dataset: str, seed: int) -> LearnerProblem:
        """The problem of a learner, dataset and seed. The latest one is kept, so that its data are read once.

        Each call returns a copy, without the networks of earlier fits.
        """
        if self._latest is None or self._latest[0] != (learner, dataset, seed):
            self._latest = (learner, dataset, seed), self._read(learner, dataset, seed)
        return replace(self._latest[1])

    def _read(self, learner: str, dataset: str, seed: int) -> LearnerProblem:
        settings = {**self._settings, **on_dataset(self._settings, dataset)}
        found = problem(learner, dataset, seed, of_problem(settings), self._root)
        assert isinstance(found, LearnerProblem)
        return found


def _test_error(problem: LearnerProblem, candidate: Candidate) -> float:
    """Test error of a candidate fitted to all rows; nan if the fit fails.

    For a learner with epochs, it is the error of the network that a trial on all rows trains. A candidate that was
    chosen on fewer rows may fail on all of them. It then has no error, and the other candidates keep theirs.
    """
    if not learners.in_epochs(problem.learner):
        try:
            return problem.test_error(candidate)
        except ValueError as error:
            log.warning("warning: %s", error)
            return math.nan
    trial = problem.evaluate(TrialTask(0, candidate), lambda *_: True)
    return math.nan if trial.reason else problem.network_test_error(trial)
