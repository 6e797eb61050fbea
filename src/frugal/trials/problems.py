"""Interface of the problems that evaluate trials, and the problem of a learner on a dataset."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from frugal import learners
from frugal.datasets import Dataset
from frugal.interface import Candidate, Trial, TrialTask
from frugal.learners import NETWORKS, build, networks, record, scaler_for
from frugal.learners.training import Epochwise
from frugal.seeds import rng_for, seed_for
from frugal.spaces import SearchSpace, as_json
from frugal.threads import one_thread
from frugal.trials.parts import Parts, refuse


class States:
    """Networks of finished trials, which later trials may continue.

    Files appear whole or not at all. A file that was taken stays until the next trial begins (`settle`), since a
    run that is killed before then has to repeat the trial that took it.

    Args:
        folder: folder with one file per trial, created with the first file. None: networks stay in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._held: dict[int, Epochwise] = {}
        self._taken: set[int] = set()

    def keep(self, trial: int, network: Epochwise) -> None:
        """Store the network of a trial.

        Raises:
            OSError: if its file cannot be written.
        """
        if self._folder is None:
            self._held[trial] = network
        else:
            network.save(self._path(self._folder, trial))

    def take(self, trial: int, fresh: Epochwise) -> Epochwise:
        """Take the network of a trial; this works once.

        Args:
            trial: number of the trial.
            fresh: an untrained network of the same candidate, which a file is read into.

        Raises:
            ValueError: if there is none, it was taken before, or it is of another candidate.
        """
        path = None if self._folder is None else self._path(self._folder, trial)
        left = trial in self._held if path is None else path.exists()
        if not left or trial in self._taken:
            raise ValueError(f"trial {trial} has left no state")
        if path is None:
            network = self._held[trial]
            if network.plan != fresh.plan:
                raise ValueError(f"the state of trial {trial} is of another candidate: {network.plan}")
            del self._held[trial]
        else:
            network = fresh.load(path)
        self._taken.add(trial)
        return network

    def settle(self) -> None:
        """Remove the taken files; called when the next trial begins: by then, the one that took them is stored."""
        if self._folder is not None:
            for trial in self._taken:
                self._path(self._folder, trial).unlink(missing_ok=True)
            self._taken.clear()

    @staticmethod
    def _path(folder: Path, trial: int) -> Path:
        return folder / f"trial{trial}.pt"


Report = Callable[[TrialTask, int, float], bool]
"""Called after each epoch with task, epoch (from 1) and validation score; returning False stops the trial."""


class Problem(Protocol):
    """An objective that evaluates one trial after the other.

    Attributes:
        name: learner and dataset, or name of the function.
        space: the search space.
        data: provenance of the data.

    Examples:
        >>> from frugal.benchmarks import problem
        >>> from frugal.interface import TrialTask
        >>> from frugal.trials import Problem
        >>> branin: Problem = problem("function", "branin", 0, {})
        >>> round(branin.evaluate(TrialTask(0, {"x": 3.14159, "y": 2.275}), lambda *_: True).error, 3)
        0.398
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def space(self) -> SearchSpace: ...  # noqa: D102
    @property
    def data(self) -> str: ...  # noqa: D102

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Evaluate one trial; `overhead_s` of the result is 0."""


@runtime_checkable
class Recalling(Protocol):
    """A problem whose results depend on earlier trials, so that a resumed run has to replay them."""

    def recall(self, trial: Trial) -> None:
        """Record a trial that was made before the run was interrupted."""


@dataclass(frozen=True, eq=False)
class LearnerProblem:
    """A learner on a dataset: a trial fits it on some or all training rows and scores it on the validation rows.

    The cost of a trial is rows times epochs, where a network is trained in epochs or a hyperparameter says how
    many there are (`n_epochs`), and rows for other learners. Pixels (uint8) are divided by 255. If a learner that
    is not trained in epochs raises ValueError, ArithmeticError or LinAlgError, the trial fails with that reason;
    one that is returns its reason. Seconds are CPU time, which other jobs do not lengthen, or wall-clock time if a
    GPU computes.

    Attributes:
        learner: name of a learner or network.
        dataset: the dataset.
        parts: training, validation and test rows.
        space: the search space.
        seed: seed of the learner, and of the draw of rows for trials on fewer rows.
        scaler: fitted on a trial's training rows, as `learners.scaler_for` knows it.
        states: folder for the networks that later trials may continue (`States`), so that a killed run can be
            resumed; None: they are kept in memory.
        device: device of networks: `auto`, `cpu` or `cuda`.
        epochs: epochs of a trial whose task has no `epochs`, if the learner trains in epochs; None:
            `learners.n_epochs`.
    """

    learner: str
    dataset: Dataset
    parts: Parts
    space: SearchSpace
    seed: int = 0
    scaler: str = "none"
    states: Path | None = None
    device: str = "auto"
    epochs: int | None = None

    @property
    def name(self) -> str:
        """Learner and dataset."""
        return f"{self.learner} on {self.dataset.name}"

    @property
    def data(self) -> str:
        """The dataset's provenance."""
        return self.dataset.provenance

    @property
    def n_epochs(self) -> int | None:
        """Default epochs of a trial: the setting, else the learner's number; None if it has neither."""
        return learners.n_epochs(self.learner) if self.epochs is None else self.epochs

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Fit on the task's rows, score on the validation rows.

        Raises:
            ValueError: if the task asks for more rows than there are, for epochs of a learner without them, or for
                the state of a trial that left none; or if a learner needs epochs and no number of them is known.
        """
        rows = self.rows(task)
        if learners.in_epochs(self.learner):
            return self._train(task, rows, report)
        has_epochs = task.epochs is not None or task.resume_from is not None
        refuse(has_epochs, f"{self.learner} is not trained in epochs")
        started = process_time()
        error, reason = self._fit(task.candidate, rows, self.parts.valid)
        n_epochs = int(task.candidate.get("n_epochs", 1))  # type: ignore[call-overload]
        return Trial(task, error, process_time() - started, float(len(rows) * n_epochs), reason=reason)

    def warm(self, candidate: Candidate) -> None:
        """Fit the learner once to one row per class, so that no trial pays for the first imports.

        The result is ignored, and no random number of a trial is drawn.
        """
        y = self.parts.train[1]
        rows = np.sort(np.unique(y, return_index=True)[1])
        if not learners.in_epochs(self.learner):
            with warnings.catch_warnings(action="ignore"):  # that there are as many classes as rows
                self._fit(candidate, rows, (self.parts.train[0][rows], y[rows]))
            return
        X, X_valid = self._scaled(self.parts.train[0][rows], self.parts.train[0][rows])
        self._network(candidate).fit(X, y[rows], X_valid, y[rows], epochs=1, report=lambda *_: True)

    def test_error(self, candidate: Candidate, n_rows: int | None = None, subset: int = 0) -> float:
        """Error on the test rows after a fit on draw `subset` of `n_rows` (None: all) rows; not for networks."""
        task = TrialTask(0, candidate, n_rows, subset)
        error, reason = self._fit(candidate, self.rows(task), self.parts.test)
        refuse(math.isnan(error), f"the chosen candidate of {self.name} failed: {reason}")
        return error

    def network_test_error(self, trial: Trial) -> float:
        """Test error of the network that a trial has left; the trial cannot be continued afterwards.

        Raises:
            ValueError: if the trial has left no network.
        """
        left = self._states.take(trial.task.id, self._network(trial.task.candidate))
        X, y = self.parts.test
        X = self._scaled(self.parts.train[0][self.rows(trial.task)], X)[1]
        return 1 - left.score(X, y)

    @cached_property
    def _states(self) -> States:
        return States(self.states)

    def rows(self, task: TrialTask) -> NDArray[np.int64]:
        """Return the training rows of a task, sorted: the first `n_rows` of the permutation of its `subset`."""
        n_all = len(self.parts.train[1])
        if task.n_rows is None:
            return np.arange(n_all)
        refuse(not 1 <= task.n_rows <= n_all, f"a trial asks for {task.n_rows} rows; there are {n_all}")
        drawn = rng_for("trial rows", self.dataset.name, self.seed, task.subset).permutation(n_all)
        return np.sort(drawn[: task.n_rows])

    def _fit(
        self, candidate: Candidate, rows: NDArray[np.int64], scored: tuple[NDArray[Any], NDArray[np.int64]]
    ) -> tuple[float, str]:
        X, y = self.parts.train[0][rows], self.parts.train[1][rows]
        X_scored, y_scored = scored
        try:
            with one_thread():
                X, X_scored = self._scaled(X, X_scored)
                fitted = build(self.learner, candidate, seed=self._seed_of(candidate)).fit(X, y)
                predicted = np.asarray(fitted.predict(X_scored)).reshape(y_scored.shape)  # some give a column
                return float(np.mean(predicted != y_scored)), ""
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:  # what bad candidates lead to
            return math.nan, f"{type(error).__name__}: {error}"

    def _scaled(self, X: NDArray[Any], X_scored: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Scale rows: pixels to [0, 1], then the scaler; networks do so themselves."""
        if self.learner in NETWORKS:
            return X, X_scored
        if X.dtype == np.uint8:
            X, X_scored = X / 255.0, X_scored / 255.0
        scaler, shared = scaler_for(self.scaler), X_scored.view()
        shared.setflags(write=False)  # or a model that predicts in place would change them for later trials
        return (X, shared) if scaler is None else (scaler.fit_transform(X), scaler.transform(shared))

    def _seed_of(self, candidate: Candidate) -> int:
        """Return the seed of a candidate's fit, the same in trials and in test fits.

        It is derived from the candidate if the learner trains in epochs; else it is the seed of the problem.
        """
        in_epochs = learners.in_epochs(self.learner)
        return seed_for("trial", self.seed, as_json(candidate)) if in_epochs else self.seed

    def _train(self, task: TrialTask, rows: NDArray[np.int64], report: Report) -> Trial:
        epochs = self.n_epochs if task.epochs is None else task.epochs
        if epochs is None:
            raise ValueError(f"{self.learner} needs a number of epochs")
        self._states.settle()
        network = self._network(task.candidate)
        if task.resume_from is not None:
            network = self._states.take(task.resume_from, network)
        done = network.n_epochs
        clock = perf_counter if network.device == "cuda" else process_time
        started = clock()
        y, (X_valid, y_valid) = self.parts.train[1][rows], self.parts.valid
        X, X_valid = self._scaled(self.parts.train[0][rows], X_valid)
        trained = network.fit(
            X, y, X_valid, y_valid, epochs=epochs, report=lambda epoch, score: report(task, epoch, score)
        )
        seconds, n_epochs = clock() - started, len(trained.curve)
        self._states.keep(task.id, network)
        error = math.nan if trained.reason else 1 - trained.curve[-1]
        cost = float(len(rows) * (n_epochs - done))
        return Trial(task, error, seconds, cost, tuple(trained.curve), trained.reason)

    def _network(self, candidate: Candidate) -> Epochwise:
        """An untrained network."""
        seed = self._seed_of(candidate)
        in_epochs = record(self.learner).in_epochs
        if in_epochs is not None:
            return in_epochs(candidate, seed)
        return networks.make(
            self.learner,
            candidate,
            input_shape=self.dataset.row_shape,
            n_classes=self.dataset.n_classes,
            seed=seed,
            device=self.device,
        )
