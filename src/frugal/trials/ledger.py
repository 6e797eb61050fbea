"""Bookkeeping shared by all trials strategies: numbered trials, results, budget and incumbent."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from frugal.checks import check_whole, is_finite, is_nan
from frugal.interface import Candidate, Trial, TrialTask, Wait
from frugal.spaces import SearchSpace
from frugal.trials.checks import LARGEST_TARGET, check_list


class BaseTrialStrategy(ABC):
    """Base of the strategies of this family, whose budget is a number of trials.

    A subclass proposes the candidates (`_propose`). The incumbent is the candidate with the lowest error, on a
    tie the first one. A failed trial counts against the budget, but is never the incumbent.

    Attributes:
        trials: finished trials, in the order of their results.

    Args:
        space: the search space, with at least one dimension.
        n_trials: largest number of trials, at least 1.
        initial: candidates to try first, in order, so that strategies can share a design.

    Raises:
        ValueError: on an empty space, no trials, more initial candidates than trials or one outside the space.
    """

    def __init__(self, *, space: SearchSpace, n_trials: int, initial: Sequence[Candidate] = ()) -> None:
        check_whole("n_trials", n_trials, 1)
        if not space.dimensions:
            raise ValueError("space must have at least one dimension, got none")
        check_list("initial", initial)
        for candidate in initial:
            if not isinstance(candidate, Mapping):
                raise ValueError(f"initial must hold candidates, values by name, got {candidate!r}")
        if len(initial) > n_trials:
            raise ValueError(f"initial must hold at most n_trials = {n_trials} candidates, got {len(initial)}")
        for candidate in initial:
            space.to_unit(candidate)
        self._space, self._n_trials, self._initial = space, n_trials, [dict(c) for c in initial]
        self._asked: list[TrialTask] = []
        self._pending: dict[int, TrialTask] = {}
        self._best: Trial | None = None
        self.trials: list[Trial] = []

    def ask(self) -> TrialTask | Wait | None:
        """Return the next trial; WAIT: a pending result is needed; None: no trial is left or the run converged."""
        n_asked = len(self._asked)
        if n_asked >= self._n_trials:
            return None
        candidate = self._initial[n_asked] if n_asked < len(self._initial) else self._propose()
        if candidate is None or isinstance(candidate, Wait):
            return candidate
        task = self._task(n_asked, candidate)
        self._asked.append(task)
        self._pending[task.id] = task
        return replace(task, candidate=dict(candidate))  # the caller may change it

    def tell(self, trial: Trial) -> None:
        """Record a result. Its error is any finite number, also outside [0, 1], or nan if the trial failed.

        Raises:
            TypeError: if the result is not a `Trial`.
            ValueError: if the error is infinite or no real number, or the task was not asked or is answered. One
                whose candidate was changed was not asked.
        """
        self._check_answer(trial)
        task = self._pending.get(trial.task.id)
        if task is None or task != trial.task:
            raise ValueError(f"{trial.task} was not asked, or was told before")
        del self._pending[trial.task.id]
        trial = replace(trial, task=task)
        self.trials.append(trial)
        if not math.isnan(trial.error) and (self._best is None or trial.error < self._best.error):
            self._best = trial

    def _check_answer(self, trial: Trial) -> None:
        """Raise TypeError or ValueError unless the strategy can use the result `trial`."""
        if not isinstance(trial, Trial):
            raise TypeError(f"an answer must be a Trial, got {trial!r}")
        if not is_finite(trial.error) and not is_nan(trial.error):
            raise ValueError(f"an error must be a finite number, or nan for a failed trial, got {trial.error!r}")
        if abs(float(trial.error)) > LARGEST_TARGET:  # NumPy's short floats cannot hold the limit
            raise ValueError(f"an error must lie within +-{LARGEST_TARGET:g}, got {trial.error:g}")

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """Always True: no trial is stopped early."""
        return True

    @property
    def incumbent(self) -> Candidate | None:
        """Candidate with the lowest error so far; None before a trial has succeeded. The caller may change it."""
        return None if self._best is None else dict(self._best.task.candidate)

    def _drawn(self, rng: np.random.Generator) -> Candidate:
        """Draw a candidate; of a space of which only some are listed, one of these."""
        return self._space.from_unit(rng.random(len(self._space.dimensions)))

    def _task(self, number: int, candidate: Candidate) -> TrialTask:
        """Task of a candidate, initial or proposed, on all rows."""
        return TrialTask(number, candidate)

    @property
    def _n_succeeded(self) -> int:
        return sum(not math.isnan(trial.error) for trial in self.trials)

    def _errors(self) -> NDArray[np.float64]:
        """Errors so far; failures count as the worst of them."""
        errors = np.array([trial.error for trial in self.trials])
        return np.where(np.isnan(errors), np.nanmax(errors), errors)

    @abstractmethod
    def _propose(self) -> Candidate | Wait | None:
        """Candidate to try next; WAIT or None as `ask` returns them."""


def check_n_initial(n_initial: int, n_trials: int) -> None:
    """Raise ValueError unless an initial design has at least one candidate and at most `n_trials`."""
    check_whole("n_initial", n_initial, 1)
    if n_initial > n_trials:
        raise ValueError(f"n_initial must be at most n_trials = {n_trials}, got {n_initial}")


LARGEST_DESIGN: Final = 100_000
"""Largest initial design, since all its candidates are in memory at once."""


def initial_design(space: SearchSpace, n: int, rng: np.random.Generator) -> list[Candidate]:
    """A Latin hypercube of `n` candidates: each coordinate's range is cut into n parts, and each part is met once.

    Raises:
        ValueError: if `n` is not whole, below 1 or above `LARGEST_DESIGN`.

    Examples:
        >>> import numpy as np
        >>> from frugal.spaces import SearchSpace, Uniform
        >>> from frugal.trials import initial_design
        >>> design = initial_design(SearchSpace({"x": Uniform(0.0, 1.0)}), 4, np.random.default_rng(0))
        >>> sorted(int(4 * candidate["x"]) for candidate in design)
        [0, 1, 2, 3]
    """
    check_whole("n", n, 1, LARGEST_DESIGN)
    return [space.from_unit(u) for u in qmc.LatinHypercube(len(space.dimensions), rng=rng).random(n)]
