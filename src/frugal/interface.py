"""The types that every part of Frugal shares. This module imports nothing else of the package.

A strategy is an ask-and-tell object: `ask` returns the next evaluation, `tell` takes its result. So the same
object can replay stored scores, drive live fits, and serve several workers at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

Candidate = Mapping[str, object]
"""One point of a search space: hyperparameter name -> value."""


class RunError(ValueError):
    """A run failed on input that was good; the command line ends with status 3 in place of 2.

    Examples:
        >>> from frugal.interface import RunError
        >>> issubclass(RunError, ValueError)
        True
    """


@dataclass(frozen=True)
class Wait:
    """Nothing to start until an answer comes (unlike None, which means finished).

    Examples:
        >>> import numpy as np
        >>> from frugal.folds import make
        >>> from frugal.interface import WAIT
        >>> strategy = make("greedy", n_candidates=1, n_folds=2, rng=np.random.default_rng(0))
        >>> strategy.ask()
        FoldTask(candidate=0, fold=0, n_rows=None)
        >>> strategy.ask() is WAIT  # its only candidate is being fitted
        True
    """


WAIT: Final = Wait()


@dataclass(frozen=True, slots=True)
class FoldTask:
    """Fit `candidate` without `fold`, score it on `fold`.

    Attributes:
        candidate: index into the candidate list.
        fold: fold number, from 0.
        n_rows: rows of the whole dataset to use, taken inside the split; None: all of them.

    Examples:
        >>> import numpy as np
        >>> from frugal.folds import make
        >>> strategy = make("greedy", n_candidates=3, n_folds=2, rng=np.random.default_rng(0))
        >>> strategy.ask()
        FoldTask(candidate=0, fold=0, n_rows=None)
    """

    candidate: int
    fold: int
    n_rows: int | None = None


@dataclass(frozen=True, slots=True)
class TrialTask:
    """Fit and score `candidate` once at one resource.

    Attributes:
        id: number of the trial within its run.
        candidate: the hyperparameters.
        n_rows: training rows to use; None: all.
        subset: which seeded draw of `n_rows` rows (same number, same rows).
        epochs: passes over the rows, for learners that train in epochs.
        resume_from: id of the trial whose state continues.

    Examples:
        >>> from frugal.interface import TrialTask
        >>> TrialTask(id=0, candidate={"C": 1.0}, n_rows=512)
        TrialTask(id=0, candidate={'C': 1.0}, n_rows=512, subset=0, epochs=None, resume_from=None)
    """

    id: int
    candidate: Candidate
    n_rows: int | None = None
    subset: int = 0
    epochs: int | None = None
    resume_from: int | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a `TrialTask`.

    Attributes:
        task: the task that was asked.
        error: any real number from -1e100 to 1e100, lower is better; nan if the trial failed, with `reason`.
        seconds: measured: the processor's; the clock's where a GPU computes, in `TrialSearchCV` and in `minimize`.
        cost: machine-independent proxy (rows x epochs, stated per learner).
        curve: validation score per epoch, where the learner has epochs.
        reason: why the trial failed; empty if it did not.
        overhead_s: seconds of the optimiser before the trial.

    Examples:
        >>> from frugal.interface import Trial, TrialTask
        >>> Trial(TrialTask(id=0, candidate={"C": 1.0}), error=0.08, seconds=1.5, cost=512.0).error
        0.08
    """

    task: TrialTask
    error: float
    seconds: float
    cost: float
    curve: tuple[float, ...] = ()
    reason: str = ""
    overhead_s: float = 0.0


class FoldStrategy(Protocol):
    """Chooses which fold of which candidate to evaluate next.

    Examples:
        >>> import numpy as np
        >>> from frugal.folds import make
        >>> from frugal.interface import FoldStrategy
        >>> scores = [[0.90, 0.92], [0.80, 0.95]]  # by candidate and fold
        >>> strategy: FoldStrategy = make(
        ...     "greedy_early_stopping", n_candidates=2, n_folds=2, rng=np.random.default_rng(0)
        ... )
        >>> while (task := strategy.ask()) is not None:
        ...     strategy.tell(task, scores[task.candidate][task.fold])
        >>> strategy.incumbent, strategy.complete
        (0, True)
    """

    def ask(self) -> FoldTask | Wait | None:
        """Next evaluation; WAIT: none before an answer is told; None: finished."""

    def tell(self, task: FoldTask, score: float) -> None:
        """Answer `task` with a score, any real number, higher is better; nan if the fit failed."""

    @property
    def incumbent(self) -> int | None:
        """The candidate it would return if stopped now."""

    @property
    def complete(self) -> bool:
        """True if every fold of the incumbent has been evaluated."""


class TrialStrategy(Protocol):
    """Chooses which candidate to try next, and on how much.

    Examples:
        >>> import numpy as np
        >>> from frugal.interface import Trial, TrialStrategy
        >>> from frugal.spaces import SearchSpace, Uniform
        >>> from frugal.trials import make
        >>> space = SearchSpace({"x": Uniform(-1.0, 1.0)})
        >>> strategy: TrialStrategy = make("random", space=space, n_trials=3, rng=np.random.default_rng(0))
        >>> while (task := strategy.ask()) is not None:
        ...     strategy.tell(Trial(task, error=task.candidate["x"] ** 2, seconds=0.0, cost=1.0))
        >>> round(strategy.incumbent["x"], 2)
        0.27
    """

    def ask(self) -> TrialTask | Wait | None:
        """Next trial; WAIT: none before an answer is told; None: finished."""

    def tell(self, trial: Trial) -> None:
        """Take note of a finished or failed trial."""

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """Take note of a score on the way; False: stop this trial early."""

    @property
    def incumbent(self) -> Candidate | None:
        """The candidate it would return if stopped now."""
