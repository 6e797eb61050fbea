"""What trials are made on: a learner on a dataset, or a function whose minimum is known."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from frugal.datasets import Dataset
from frugal.interface import Candidate, Trial, TrialTask
from frugal.learners import NETWORKS, build, networks, scaler_for
from frugal.seeds import rng_for, seed_for
from frugal.spaces import SearchSpace, Uniform
from frugal.threads import one_thread

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


@dataclass(frozen=True)
class FunctionProblem:
    """A function with a known minimum; the error of a trial is its value, which need not lie in [0, 1].

    Attributes:
        name: of the function.
        space: its box.
        function: of a candidate.
        minimum: its least value in the box.
        data: "generated".
    """

    name: str
    space: SearchSpace
    function: Callable[[Candidate], float]
    minimum: float
    data: str = "generated"

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """The function's value; a cost of 1 per trial."""
        _refuse(task.n_rows is not None or task.epochs is not None, f"{self.name} has neither rows nor epochs")
        started = perf_counter()
        value = self.function(task.candidate)
        return Trial(task, value, perf_counter() - started, 1.0)


def _branin(candidate: Candidate) -> float:
    x, y = (float(candidate[name]) for name in ("x", "y"))  # type: ignore[arg-type]
    valley = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


_HARTMANN_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)
_HARTMANN_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])


def _hartmann6(candidate: Candidate) -> float:
    x = np.array([candidate[f"x{i}"] for i in range(1, 7)], float)
    return -float(_HARTMANN_WEIGHTS @ np.exp(-(_HARTMANN_A * (x - _HARTMANN_P) ** 2).sum(axis=1)))


FUNCTIONS: Mapping[str, FunctionProblem] = {
    "branin": FunctionProblem(
        "branin", SearchSpace({"x": Uniform(-5.0, 10.0), "y": Uniform(0.0, 15.0)}), _branin, 0.39788735772973816
    ),
    "hartmann6": FunctionProblem(
        "hartmann6",
        SearchSpace({f"x{i}": Uniform(0.0, 1.0) for i in range(1, 7)}),
        _hartmann6,
        -3.322368011415515,
    ),
}
"""Branin and the six-dimensional Hartmann function, as Dixon and Szegoe (1978) state them."""


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
    raises makes a failed trial with its reason.

    Attributes:
        learner: one that `learners.build` knows, or a network.
        dataset: whose rows they are.
        parts: these rows.
        space: of the learner's hyperparameters.
        seed: of the learner and of the rows that a trial on fewer draws.
        scaler: fitted on a trial's training rows, as `learners.scaler_for` knows it.
    """

    learner: str
    dataset: Dataset
    parts: Parts
    space: SearchSpace
    seed: int = 0
    scaler: str = "none"
    _states: dict[int, Any] = field(default_factory=dict, init=False, repr=False)

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
        rows = self._rows(task)
        if self.learner in NETWORKS:
            return self._train(task, rows, report)
        has_epochs = task.epochs is not None or task.resume_from is not None
        _refuse(has_epochs, f"{self.learner} is not trained in epochs")
        started = perf_counter()
        error, reason = self._fit(task.candidate, rows, self.parts.valid)
        n_epochs = int(task.candidate.get("n_epochs", 1))  # type: ignore[call-overload]
        return Trial(task, error, perf_counter() - started, float(len(rows) * n_epochs), reason=reason)

    def test_error(self, candidate: Candidate, n_rows: int | None = None) -> float:
        """Error on the test rows after a fit on `n_rows` (None: all) training rows; not for networks."""
        error, reason = self._fit(candidate, self._rows(TrialTask(0, candidate, n_rows)), self.parts.test)
        _refuse(math.isnan(error), f"the chosen candidate of {self.name} failed: {reason}")
        return error

    def _rows(self, task: TrialTask) -> NDArray[np.int64]:
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
        except Exception as error:  # noqa: BLE001  a failed trial is a row with its reason, whatever was raised
            return math.nan, f"{type(error).__name__}: {error}"

    def _train(self, task: TrialTask, rows: NDArray[np.int64], report: Report) -> Trial:
        _refuse(task.epochs is None, f"{self.learner} needs a number of epochs")
        assert task.epochs is not None
        done = 0
        if task.resume_from is None:
            shape = self.dataset.image_shape or self.dataset.X.shape[1:]
            seed = seed_for("trial", self.seed, json.dumps(dict(task.candidate), sort_keys=True))
            network = networks.make(
                self.learner, task.candidate, input_shape=shape, n_classes=self.dataset.n_classes, seed=seed
            )
        else:
            _refuse(task.resume_from not in self._states, f"trial {task.resume_from} has left no state")
            network, done = self._states.pop(task.resume_from)
        started = perf_counter()
        X, y = self.parts.train[0][rows], self.parts.train[1][rows]
        trained = network.fit(
            X, y, *self.parts.valid, epochs=task.epochs, report=lambda epoch, score: report(task, epoch, score)
        )
        seconds, n_epochs = perf_counter() - started, len(trained.curve)
        self._states[task.id] = (network, n_epochs)
        error = math.nan if trained.reason else 1 - trained.curve[-1]
        cost = float(len(rows) * (n_epochs - done))
        return Trial(task, error, seconds, cost, tuple(trained.curve), trained.reason)


def _refuse(condition: bool, sentence: str) -> None:
    if condition:
        raise ValueError(sentence)
