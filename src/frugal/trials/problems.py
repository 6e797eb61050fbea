"""What trials are made on: a learner on a dataset, or a function whose minimum is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from frugal.datasets import Dataset
from frugal.interface import Candidate, Trial, TrialTask
from frugal.learners import NETWORKS, build, networks, scaler_for
from frugal.seeds import rng_for, seed_for
from frugal.spaces import SearchSpace, as_json
from frugal.threads import one_thread
from frugal.trials.states import States

if TYPE_CHECKING:
    from frugal.learners.networks.network import Network

Report = Callable[[TrialTask, int, float], bool]
"""What a learner with epochs calls after each of them: task, epoch from 1, validation score; False stops it."""


class Problem(Protocol):
    """Something to be optimised, one trial after the other.

    Attributes:
        name: of learner and dataset, or of the function.
        space: where candidates come from.
        data: provenance of the data.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def space(self) -> SearchSpace: ...  # noqa: D102
    @property
    def data(self) -> str: ...  # noqa: D102

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Carry out one trial; `overhead_s` of what it returns is 0."""


@runtime_checkable
class Recalling(Protocol):
    """A problem whose answers depend on the trials before, so that a resumed run tells it of those."""

    def recall(self, trial: Trial) -> None:
        """Take note of a trial that was made before the run was interrupted."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows to fit, to validate and to test on; the last are shown to no strategy.

    Attributes:
        train: X (n_train, n_features) and y (n_train,).
        valid: the same for validation.
        test: the same for testing.
    """

    train: tuple[NDArray[Any], NDArray[np.int64]]
    valid: tuple[NDArray[Any], NDArray[np.int64]]
    test: tuple[NDArray[Any], NDArray[np.int64]]


def split(
    data: Dataset,
    *,
    n_valid: int,
    n_test: int = 0,
    seed: int | None = None,
    n_train: int | None = None,
    train_seed: int = 0,
) -> Parts:
    """Set rows apart for validation, and for testing where the dataset has set none apart itself.

    Args:
        data: the dataset; its split "test" is kept where it has one.
        n_valid: rows for validation.
        n_test: rows for testing, where the dataset has no such split.
        seed: draws them; None: the last rows of the training part, as Eggensperger et al. (2013) do on MNIST.
        n_train: of the rows that are left to fit on, how many are kept; None: all.
        train_seed: draws these; validation and test rows do not depend on it.

    Raises:
        ValueError: if fewer than one row would be left to fit on, fewer than `n_train` are left, or `n_test` is
            given for a dataset that has a split of its own, or not given for one that has none.
    """
    has_test = "test" in data.splits
    _refuse(has_test and n_test > 0, f"{data.name} has test rows of its own; n_test must be 0, got {n_test}")
    _refuse(not has_test and n_test < 1, f"{data.name} has no test rows of its own; n_test must be at least 1")
    rows = data.splits["train"] if has_test else np.arange(len(data.y))
    if seed is not None:
        rows = rng_for("split", data.name, seed).permutation(rows)
    n_left = len(rows) - n_valid - n_test
    _refuse(n_valid < 1 or n_left < 1, f"n_valid must lie in [1, {len(rows) - n_test - 1}], got {n_valid}")
    test = data.splits["test"] if has_test else rows[n_left + n_valid :]
    train = rows[:n_left]
    if n_train is not None:
        _refuse(not 1 <= n_train <= n_left, f"n_train must lie in [1, {n_left}], got {n_train}")
        train = np.sort(rng_for("training rows", data.name, train_seed).permutation(train)[:n_train])
    parts = (train, rows[n_left : n_left + n_valid], test)
    return Parts(*((data.X[part], data.y[part]) for part in parts))


@dataclass(frozen=True, eq=False)
class LearnerProblem:
    """A learner on a dataset: a trial fits it on some or all training rows and scores it on the validation rows.

    The cost of a trial is rows times epochs, where a network is trained in epochs or a hyperparameter says how
    many there are (`n_epochs`), and rows for other learners. Pixels (uint8) are divided by 255. What a learner
    raises over bad candidates (ValueError, ArithmeticError, LinAlgError) makes a failed trial with its reason.
    Seconds are the processor's, which jobs beside it do not lengthen, and the clock's where a GPU computes.

    Attributes:
        learner: one that `learners.build` knows, or a network.
        dataset: whose rows they are.
        parts: these rows.
        space: of the learner's hyperparameters.
        seed: of the learner and of the rows that a trial on fewer draws.
        scaler: fitted on a trial's training rows, as `learners.scaler_for` knows it.
        states: folder for the networks that later trials may continue (`States`), so that a killed run can be
            resumed; None: they are kept in memory.
        device: where networks compute: `auto`, `cpu` or `cuda`.
    """

    learner: str
    dataset: Dataset
    parts: Parts
    space: SearchSpace
    seed: int = 0
    scaler: str = "none"
    states: Path | None = None
    device: str = "auto"

    @property
    def name(self) -> str:
        """Learner and dataset."""
        return f"{self.learner} on {self.dataset.name}"

    @property
    def data(self) -> str:
        """The dataset's provenance."""
        return self.dataset.provenance

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Fit on the task's rows, score on the validation rows.

        Raises:
            ValueError: if there are not as many rows as the task asks for, it asks a learner without epochs for
                epochs, or a network for none, or for the state of a trial that has none.
        """
        rows = self.rows(task)
        if self.learner in NETWORKS:
            return self._train(task, rows, report)
        has_epochs = task.epochs is not None or task.resume_from is not None
        _refuse(has_epochs, f"{self.learner} is not trained in epochs")
        started = process_time()
        error, reason = self._fit(task.candidate, rows, self.parts.valid)
        n_epochs = int(task.candidate.get("n_epochs", 1))  # type: ignore[call-overload]
        return Trial(task, error, process_time() - started, float(len(rows) * n_epochs), reason=reason)

    def test_error(self, candidate: Candidate, n_rows: int | None = None, subset: int = 0) -> float:
        """Error on the test rows after a fit on draw `subset` of `n_rows` (None: all) rows; not for networks."""
        task = TrialTask(0, candidate, n_rows, subset)
        error, reason = self._fit(candidate, self.rows(task), self.parts.test)
        _refuse(math.isnan(error), f"the chosen candidate of {self.name} failed: {reason}")
        return error

    def network_test_error(self, trial: Trial) -> float:
        """Error on the test rows of the network that a trial has left; it can be continued no more.

        Raises:
            ValueError: if the trial has left no network.
        """
        network = self._states.take(trial.task.id, self._network(trial.task.candidate))
        return 1 - network.score(*self.parts.test)

    @cached_property
    def _states(self) -> States:
        return States(self.states)

    def rows(self, task: TrialTask) -> NDArray[np.int64]:
        """Rows of the training part that a task is fitted on: the first ones of a draw of its own."""
        n_all = len(self.parts.train[1])
        if task.n_rows is None:
            return np.arange(n_all)
        _refuse(not 1 <= task.n_rows <= n_all, f"a trial asks for {task.n_rows} rows; there are {n_all}")
        drawn = rng_for("trial rows", self.dataset.name, self.seed, task.subset).permutation(n_all)
        return np.sort(drawn[: task.n_rows])

    def _fit(
        self, candidate: Candidate, rows: NDArray[np.int64], scored: tuple[NDArray[Any], NDArray[np.int64]]
    ) -> tuple[float, str]:
        X, y = self.parts.train[0][rows], self.parts.train[1][rows]
        X_scored, y_scored = scored
        try:
            with one_thread():
                if X.dtype == np.uint8:
                    X, X_scored = X / 255.0, X_scored / 255.0
                scaler = scaler_for(self.scaler)
                if scaler is not None:
                    X, X_scored = scaler.fit_transform(X), scaler.transform(X_scored)
                fitted = build(self.learner, candidate, seed=self.seed).fit(X, y)
                return float(np.mean(fitted.predict(X_scored) != y_scored)), ""
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:  # what bad candidates lead to
            return math.nan, f"{type(error).__name__}: {error}"

    def _train(self, task: TrialTask, rows: NDArray[np.int64], report: Report) -> Trial:
        _refuse(task.epochs is None, f"{self.learner} needs a number of epochs")
        assert task.epochs is not None
        self._states.settle()
        network = self._network(task.candidate)
        if task.resume_from is not None:
            network = self._states.take(task.resume_from, network)
        done = network.n_epochs
        clock = perf_counter if network.device == "cuda" else process_time
        started = clock()
        X, y = self.parts.train[0][rows], self.parts.train[1][rows]
        trained = network.fit(
            X, y, *self.parts.valid, epochs=task.epochs, report=lambda epoch, score: report(task, epoch, score)
        )
        seconds, n_epochs = clock() - started, len(trained.curve)
        self._states.keep(task.id, network)
        error = math.nan if trained.reason else 1 - trained.curve[-1]
        cost = float(len(rows) * (n_epochs - done))
        return Trial(task, error, seconds, cost, tuple(trained.curve), trained.reason)

    def _network(self, candidate: Candidate) -> Network:
        """Untrained; its seed depends on the candidate."""
        return networks.make(
            self.learner,
            candidate,
            input_shape=self.dataset.image_shape or self.dataset.X.shape[1:],
            n_classes=self.dataset.n_classes,
            seed=seed_for("trial", self.seed, as_json(candidate)),
            device=self.device,
        )


def _refuse(condition: bool, sentence: str) -> None:
    if condition:
        raise ValueError(sentence)
