"""Trials of an estimator, each with every split fitted and scored for one candidate, and their `cv_results_`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from frugal.folds.fits import Fit
from frugal.interface import Candidate, FoldTask, Trial, TrialTask
from frugal.model_selection.evaluation import Evaluation, ScoredFit, exception_of, primary_score
from frugal.model_selection.results import formatter_input, metric_names, ranks_by, seen_metric
from frugal.model_selection.trial_plan import Plan, usable
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
            reason=exception_of(reason) if math.isnan(score) else "",
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


def fits_of(trials: Sequence[Trial], n_splits: int) -> list[Fit]:
    """The fits of all trials, one per split; each fit of an abandoned trial failed."""
    return [
        fit
        for trial in trials
        for fit in (
            trial.fits if isinstance(trial, ScoredTrial) else [Fit(math.nan, math.nan, trial.reason)] * n_splits
        )
    ]


def tabulate_trials(
    trials: Sequence[Trial],
    plan: Plan,
    formatter: Callable[[Sequence[Candidate], int, list[dict[str, Any]]], dict[str, Any]],
    *,
    n_splits: int,
    n_rows: int,
    parameter: str | None,
    error_score: float,
    return_train_score: bool,
    metric: str | None = None,
) -> dict[str, Any]:
    """The columns that scikit-learn's searches have, one row per trial, with `order` and perhaps `resource`.

    Trials rank by resource, the full one first, then by mean score; failed ones are last, among them those whose
    score is infinite.

    Args:
        trials: the trials, in the order of asking.
        plan: the strategy's settings, and the resource of a whole trial.
        formatter: scikit-learn's `_format_results`: takes candidates, number of splits and one dict per fit.
        n_splits: number of splits of a trial.
        n_rows: number of rows of the data.
        parameter: the estimator's parameter that is the resource; None: none is.
        error_score: score of a failed fit.
        return_train_score: whether to add columns of training scores.
        metric: name of the score that the strategy sees; None: the first.
    """
    fits = fits_of(trials, n_splits)
    names = metric_names(fits)
    metrics = names or ["score"]
    outs = [formatter_input(fit, names, error_score, return_train_score) for fit in fits]
    results = formatter([params_of(trial.task, parameter) for trial in trials], n_splits, outs)
    resource = np.array([_resource(trial, plan, n_rows) for trial in trials], dtype=np.int64)
    failed = np.array([math.isnan(trial.error) for trial in trials])
    for name in metrics:
        means = results[f"mean_test_{name}"]
        is_failed = failed if name == seen_metric(metric, metrics) else ~np.isfinite(means)
        results[f"rank_test_{name}"] = ranks_by(np.where(is_failed, math.nan, means), -resource)
    more: dict[str, Any] = {"order": np.arange(1, len(trials) + 1)}
    return results | more | ({} if plan.varies is None else {"resource": resource})


def _resource(trial: Trial, plan: Plan, n_rows: int) -> int:
    if plan.varies == "epochs":
        assert trial.task.epochs is not None
        return trial.task.epochs
    return n_rows if trial.task.n_rows is None else trial.task.n_rows


def choice_of(params: Mapping[str, Any], plan: Plan, parameter: str | None) -> dict[str, Any]:
    """Parameters of a row with the full resource, for `best_params_`."""
    whole = {} if parameter is None or plan.epochs is None else {parameter: plan.epochs}
    return dict(params) | whole
