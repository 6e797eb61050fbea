"""The `cv_results_` of a search by trials."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from frugal.folds.fits import Fit
from frugal.interface import Candidate, Trial
from frugal.model_selection.results import formatter_input, metric_names
from frugal.model_selection.trial_evaluation import ScoredTrial, params_of
from frugal.model_selection.trial_plan import Plan


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
) -> dict[str, Any]:
    """The columns that scikit-learn's searches have, one row per trial, with `order` and perhaps `resource`.

    Trials rank by resource, the full one first, then by mean score.

    Args:
        trials: the trials, in the order of asking.
        plan: the strategy's settings, and the resource of a whole trial.
        formatter: scikit-learn's `_format_results`: takes candidates, number of splits and one dict per fit.
        n_splits: number of splits of a trial.
        n_rows: number of rows of the data.
        parameter: the estimator's parameter that is the resource; None: none is.
        error_score: score of a failed fit.
        return_train_score: whether to add columns of training scores.
    """
    fits = fits_of(trials, n_splits)
    metrics = metric_names(fits)
    outs = [formatter_input(fit, metrics, error_score, return_train_score) for fit in fits]
    results = formatter([params_of(trial.task, parameter) for trial in trials], n_splits, outs)
    resource = np.array([_resource(trial, plan, n_rows) for trial in trials], dtype=np.int64)
    for metric in metrics:
        results[f"rank_test_{metric}"] = _ranks(results[f"mean_test_{metric}"], resource)
    more: dict[str, Any] = {"order": np.arange(1, len(trials) + 1)}
    return results | more | ({} if plan.varies is None else {"resource": resource})


def _resource(trial: Trial, plan: Plan, n_rows: int) -> int:
    if plan.varies == "epochs":
        assert trial.task.epochs is not None
        return trial.task.epochs
    return n_rows if trial.task.n_rows is None else trial.task.n_rows


def _ranks(means: Any, resource: Any) -> Any:
    """Ranks from 1: by resource, most first, then by mean; ties share a rank, failed trials come last."""
    ranks, n_ranked = np.zeros(len(means), dtype=np.int32), 0
    failed = np.isnan(means)
    groups = [~failed & (resource == amount) for amount in sorted(set(resource[~failed]), reverse=True)]
    for group in [*groups, failed]:
        values = np.where(np.isnan(means[group]), 0.0, -means[group])
        ranks[group] = n_ranked + rankdata(values, method="min")
        n_ranked += int(group.sum())
    return ranks


def choice_of(params: Mapping[str, Any], plan: Plan, parameter: str | None) -> dict[str, Any]:
    """Parameters of a row with the full resource, for `best_params_`."""
    whole = {} if parameter is None or plan.epochs is None else {parameter: plan.epochs}
    return dict(params) | whole
