"""Searches over a learner that trains on fewer rows: Fabolas and others on the WKM-SVM, and on the plain SVM.

Document 003, section 4: "Since Fabolas is a hyperparameter optimizer that does not make assumptions about the
learner, it can be combined trivially with any of the training optimization approaches presented in Section 3."
C and gamma are searched; the compression is given. Rows that several trials share are clustered once: the centres
depend neither on C nor on gamma. So searches on all rows cluster once, whereas Fabolas, whose trials draw their
rows anew, clusters in each.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from frugal import learners
from frugal.interface import Candidate, Trial, TrialTask
from frugal.rows import WKMSVM
from frugal.rows.reduced_svm import Reduced
from frugal.seeds import rng_for, seed_for
from frugal.spaces import SearchSpace, as_json
from frugal.threads import one_thread
from frugal.trials import strategies
from frugal.trials.ledger import initial_design
from frugal.trials.problems import Report
from studies.big_data.beyond.costs import N_INIT
from studies.big_data.beyond.designs import Part, split_in_three
from studies.big_data.beyond.settings import check_settings
from studies.big_data.searched_beyond.paths import follow
from studies.big_data.searched_beyond.settings import REDUCED
from studies.experiments import REDUCED as SEARCHED

METHODS = tuple(SEARCHED)


class ReducedProblem:
    """Implements `trials.problems.Problem`: an SVM on the centres of some or all training rows, weighted.

    Seconds are the processor's: of clustering, where these rows were not clustered before, of the fit and of the
    validation. Cost is rows touched: those clustered, where they are, and the rows or centres fitted to.

    Attributes:
        name: of the learner.
        space: `ranges` of the learner `svm`, HPOlib's.
        data: provenance of the dataset.

    Args:
        train: features (n, d) and labels, 0 or 1, (n,).
        valid: the same for validation.
        test: the same for testing.
        data: provenance.
        compression: rows per centre; 1 is the plain SVM.
        seed: of the draws of rows and of k-means.
    """

    def __init__(self, train: Part, valid: Part, test: Part, *, data: str, compression: float, seed: int) -> None:
        self.name, self.data = f"WKM-SVM of compression {compression:g}", data
        self.space: SearchSpace = learners.space("ranges", "svm")
        self._train, self._valid, self._test = train, valid, test
        self._compression, self._seed = compression, seed
        self._kept: dict[tuple[int, int], Reduced] = {}
        self._test_errors: dict[str, float] = {}

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Reduce the task's rows if they were not before, fit, and score on the validation rows."""
        started = process_time()
        reduced, n_clustered = self._reduced(task)
        error = self._error(task.candidate, reduced, self._valid)
        return Trial(task, error, process_time() - started, float(n_clustered + len(reduced.X)))

    def test_error(self, candidate: Candidate) -> float:
        """Of a fit to all training rows, reduced."""
        key = as_json(candidate)
        if key not in self._test_errors:
            reduced, _ = self._reduced(TrialTask(0, candidate))
            self._test_errors[key] = self._error(candidate, reduced, self._test)
        return self._test_errors[key]

    def _reduced(self, task: TrialTask) -> tuple[Reduced, int]:
        """What the SVM is fitted to, and how many rows were clustered for it now."""
        X, y = self._train
        n = len(y) if task.n_rows is None else task.n_rows
        key = (n, 0 if n == len(y) else task.subset)  # every draw of all rows is the same
        if key in self._kept:
            return self._kept[key], 0
        rows = np.sort(rng_for("big_data", "reduced_search", "rows", self._seed, key[1]).permutation(len(y))[:n])
        start = seed_for("big_data", "reduced_search", "kmeans", self._seed, *key)
        svm = WKMSVM(self._compression, n_init=N_INIT, random_state=start)
        self._kept[key] = svm.reduce(X[rows], y[rows])
        return self._kept[key], 0 if self._compression == 1 else n

    def _error(self, candidate: Candidate, reduced: Reduced, part: Part) -> float:
        own: dict[str, Any] = dict(candidate)
        svm = WKMSVM(self._compression, **own).fit_reduced(reduced)
        return float((svm.predict(part[0]) != part[1]).mean())


def problem(compression: float, seed: int, settings: Mapping[str, Any], root: str | Path) -> ReducedProblem:
    """What the trials of a seed are made on; the later half of the classes is told from the earlier."""
    n_train, n_valid = settings["sizes"][-1], settings["n_valid"]
    *parts, data = split_in_three(
        settings["dataset"], seed, root=root, n_train=n_train, n_valid=n_valid, n_test=settings["n_test"]
    )
    middle = (int(max(y.max() for _, y in parts)) + 1) // 2
    train, valid, test = ((X, (y >= middle).astype(np.int64)) for X, y in parts)
    return ReducedProblem(train, valid, test, data=data, compression=compression, seed=seed)


def search(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> pd.DataFrame:
    """One search of one seed; strategies start from the same candidates. Columns: those of `paths.follow`.

    And full_test_error, on the last row alone: that of the plain SVM with the C and gamma that were found.
    """
    check_settings(settings, REDUCED)
    name, learner = SEARCHED[method].strategy, SEARCHED[method].settings["learner"]
    own = dict(settings["strategies"].get(name, {}))
    with one_thread():
        on = problem(settings["compression"] if learner == "wkm" else 1.0, seed, settings, root)
        names = ("big_data", "reduced_search", settings["dataset"])
        n_trials, n_drawn = settings["n_trials"][name], settings["n_initial"]
        first = initial_design(on.space, n_drawn, rng_for(*names, "initial design", seed))
        own["initial"] = first[: own.pop("n_initial", n_drawn)]
        if name == "fabolas":
            own |= {"sizes": settings["sizes"], "n_valid": settings["n_valid"]}
        rng = rng_for(*names, name, seed)  # the same of both learners
        strategy = strategies.make(name, space=on.space, n_trials=n_trials, rng=rng, **own)
        table = follow(strategy, on, on.test_error)
        chosen = strategy.incumbent
        assert chosen is not None  # some trial has succeeded: an SVM's fit raises, it does not fail
        whole = on if learner == "svm" else problem(1.0, seed, settings, root)
        last = table.index == table.index[-1]
        table["full_test_error"] = np.where(last, whole.test_error(chosen), np.nan)
    return table.assign(n_train=settings["sizes"][-1], dataset=settings["dataset"])
