"""One trial of an estimator: every split fitted and scored for one candidate at one resource."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from frugal.interface import Candidate, FoldTask, Trial, TrialTask
from frugal.model_selection.evaluation import Evaluation, ScoredFit, primary_score
from frugal.model_selection.limited_trials import usable
from frugal.seeds import seed_for
from frugal.trials.checks import LARGEST_TARGET


@dataclass(frozen=True, slots=True)
class ScoredTrial(Trial):
    """A trial with everything that `cv_results_` reports.

    Attributes:
        fits: one fit per split, in order.
    """

    fits: tuple[ScoredFit, ...] = ()


@dataclass(frozen=True)
class _OneCandidate:
    """A sequence of candidates of which one is known; scikit-learn prints its length."""

    number: int
    candidate: Candidate
    n_candidates: int

    def __getitem__(self, number: int) -> Candidate:
        if number != self.number:
            raise IndexError(number)
        return self.candidate

    def __len__(self) -> int:
        return self.n_candidates


@dataclass(frozen=True, eq=False)
class TrialEvaluation:
    """Evaluate a trial; it holds everything that a trial needs, and is sent to each worker once.

    The error is `best_possible_score` minus the mean score. The cost is the number of training rows in all splits,
    times the resource if that is a parameter of the estimator.

    Attributes:
        folds: evaluates one split; its own list of candidates is not used.
        n_rows: number of rows of the data.
        n_trials: largest number of trials of the search.
        parameter: parameter of the estimator that a task's `epochs` set; None: there is none.
        best_possible_score: score at which the error is 0; any number.
    """

    folds: Evaluation
    n_rows: int
    n_trials: int
    parameter: str | None
    best_possible_score: float

    def __call__(self, task: TrialTask) -> ScoredTrial:
        """Fit and score a candidate on every split."""
        n_rows = None if task.n_rows == self.n_rows else task.n_rows
        seed = seed_for("subset", self.folds.seed, task.subset)
        candidate = params_of(task, self.parameter)
        listed: Any = _OneCandidate(task.id, candidate, max(self.n_trials, task.id + 1))
        one = replace(self.folds, candidates=listed, seed=seed)
        n_splits = len(self.folds.splits)
        fits = tuple(one(FoldTask(task.id, split, n_rows)) for split in range(n_splits))
        score = float(np.mean([fit.score for fit in fits]))
        reason = next((fit.reason for fit in fits if fit.reason), "")
        if math.isnan(score) and not reason:
            reason = "a score is not finite"
        n_trained = sum(len(train) for train, _ in self.folds.splits) * (n_rows or self.n_rows) / self.n_rows
        trial = ScoredTrial(
            task=task,
            error=self.best_possible_score - score,
            seconds=sum(fit.seconds for fit in fits),
            cost=n_trained * (task.epochs or 1),
            reason=_last_line(reason) if math.isnan(score) else "",
            fits=fits,
        )
        return usable(trial)

    def failed_error(self, error_score: float) -> float:
        """Error of an abandoned trial, as if all its fits had failed."""
        error = self.best_possible_score - primary_score(error_score, None)
        return error if abs(error) <= LARGEST_TARGET else math.nan


def params_of(task: TrialTask, parameter: str | None) -> Mapping[str, Any]:
    """Parameters of the candidate, including the resource if it is a parameter."""
    if parameter is None or task.epochs is None:
        return task.candidate
    return {**task.candidate, parameter: task.epochs}


def _last_line(reason: str) -> str:
    """Last line of a traceback: the exception."""
    lines = reason.strip().splitlines()
    return lines[-1] if lines else ""
