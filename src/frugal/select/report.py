"""Report of a search: result, cost and warnings."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import as_python
from frugal.select.problem import Problem
from frugal.select.run import SCORINGS, dummy_estimator, name_of_scoring

if TYPE_CHECKING:
    import pandas as pd

    from frugal.model_selection import FoldSearchCV, TrialSearchCV

FLATTERING: Final = 0.8
"""Share of the larger class from which on accuracy says little."""
N_SHOWN: Final = 5
_OPTIONAL_COLUMNS: Final = {
    "n_folds_evaluated": int, "stopped_because": str, "n_rows": int, "order": int, "resource": int,
}  # fmt: skip
"""Columns of `cv_results_` that only some searches have -> type of their values."""


@dataclass(frozen=True)
class Baseline:
    """A constant prediction: the most frequent class, or the mean.

    Attributes:
        name: description of the prediction.
        scores: score of each fold, shape (n_folds,).
    """

    name: str
    scores: NDArray[np.float64]


def baseline(problem: Problem, found: FoldSearchCV | TrialSearchCV) -> Baseline:
    """Score a constant prediction on the folds of the search."""
    from sklearn.model_selection import cross_val_score

    dummy = dummy_estimator(problem, found.scoring)
    scores = cross_val_score(
        dummy, problem.table, problem.target, groups=problem.groups, cv=found.cv, scoring=found.scoring
    )
    if problem.task == "regression":
        return Baseline(f"always the {dummy.strategy}", scores)
    return Baseline(f"always {as_python(problem.target.mode().iloc[0])!r}", scores)


def name_of(model: Any) -> str:
    """Name of an estimator, for people."""
    inner = getattr(model, "regressor", model)  # of a target that is scaled
    return str(getattr(inner, "learner", type(inner).__name__))


def ranking(found: FoldSearchCV | TrialSearchCV) -> pd.DataFrame:
    """One row per candidate in the order of rank: estimator, hyperparameters, mean and spread of its scores.

    Further columns are those of `_OPTIONAL_COLUMNS` that the search has.
    """
    import pandas as pd

    results = found.cv_results_
    rows = []
    for number in np.argsort(results["rank_test_score"], kind="stable"):
        params = dict(results["params"][number])
        estimator = name_of(params.pop("model", found.estimator[-1]))
        values = {name.removeprefix("model__"): value for name, value in params.items()}
        values |= values.pop("candidate", {})  # of `Learned`
        rows.append({
            "rank": int(results["rank_test_score"][number]),
            "estimator": estimator,
            "hyperparameters": json.dumps(values, default=lambda value: value.item()),
            "mean_score": float(results["mean_test_score"][number]),
            "sd_over_folds": float(results["std_test_score"][number]),
            **{name: kind(results[name][number]) for name, kind in _OPTIONAL_COLUMNS.items() if name in results},
        })  # fmt: skip
    return pd.DataFrame(rows)


def fold_cost(problem: Problem, found: FoldSearchCV) -> str:
    """Describe the fits, rows and seconds of the search, beside those of the exhaustive search."""
    results, n_fits, n_all = found.cv_results_, found.n_fits_, found.n_fits_exhaustive_
    folds = range(found.n_splits_)
    is_made = np.column_stack([results[f"split{fold}_order"] for fold in folds]) > 0
    more = f", {found.n_fits_kept_} of them from the journal" if found.n_fits_kept_ else ""
    more += _failed(found, is_made)
    if found.ended_because_:
        return f"{n_fits} fits{more}; {found.ended_because_}, an exhaustive search makes {n_all}"
    if "n_rows" in results:
        return f"{n_fits} fits{more}, most of them on a part of the rows, in place of {n_all} on all"
    times = results["mean_fit_time"] + results["mean_score_time"]
    spent = float(np.nansum(is_made.sum(axis=1) * times))
    # A candidate without a time would take the mean of the others.
    whole = float(found.n_splits_ * np.where(np.isnan(times), np.nanmean(times), times).sum())
    sizes = _sizes(problem, found)
    pairs = (
        (f"{n_fits} fits{more}", f"{n_all}"),
        (f"{(is_made.sum(axis=0) * sizes).sum():,} training rows", f"{len(is_made) * sizes.sum():,}"),
        (f"{spent:.3g} s of fitting", f"about {whole:.3g} s"),
    )
    return ", ".join(f"{ours} in place of {exhaustive}" for ours, exhaustive in pairs)


def trial_cost(problem: Problem, found: TrialSearchCV) -> str:
    """Describe trials, fits, resource and seconds of the search, beside those of trials on the full resource."""
    results, n_trials, n_splits = found.cv_results_, found.n_trials_, found.n_splits_
    seconds = float(np.nansum(n_splits * (results["mean_fit_time"] + results["mean_score_time"])))
    text = f"{n_trials} trials"
    text += f", {found.n_trials_kept_} of them from the journal" if found.n_trials_kept_ else ""
    text += _failed(found, np.ones((n_trials, n_splits), dtype=bool)) + f", {found.n_fits_} fits"
    if found.resource == "n_samples":
        sizes, n_rows = _sizes(problem, found), len(problem.target)
        n_used = int((results["resource"][:, None] * sizes // n_rows).sum())
        text += f", {n_used:,} training rows in place of {n_trials * sizes.sum():,} if each trial had all"
    elif found.resource is not None:
        most = found.best_params_[found.resource]
        total = n_splits * int(results["resource"].sum())
        name = found.resource.removeprefix("model__")
        text += f", {name} {total:,} in all in place of {n_trials * n_splits * most:,} if each trial had all"
    end = f"; {found.ended_because_}" if found.ended_because_ else ""
    return f"{text}, {seconds:.3g} s of fitting{end}"


def _failed(found: FoldSearchCV | TrialSearchCV, is_made: NDArray[np.bool_]) -> str:
    """Describe the number of candidates with a failed fit; `is_made` masks the fits that were made."""
    scores = np.column_stack([found.cv_results_[f"split{fold}_test_score"] for fold in range(found.n_splits_)])
    n_failed = int((is_made & np.isnan(scores)).any(axis=1).sum())
    return f", {n_failed} candidates failed" if n_failed else ""


def _sizes(problem: Problem, found: FoldSearchCV | TrialSearchCV) -> NDArray[np.int64]:
    """Training rows of each fold."""
    splits = found.cv.split(problem.table, problem.target, problem.groups)
    return np.array([len(train) for train, _ in splits])


def comparison(found: FoldSearchCV | TrialSearchCV, baseline: Baseline) -> str:
    """Describe the best score beside the baseline's, on the folds that both have."""
    best = best_scores(found)
    has_both = np.isfinite(best) & np.isfinite(baseline.scores)
    suffix = "" if has_both.all() else f" of {has_both.sum()} of {len(best)} folds"
    score = found.best_score_ if has_both.all() else best[has_both].mean()
    name, constant = name_of_scoring(found.scoring), baseline.scores[has_both].mean()
    digits = _digits([score, constant])
    return f"{name} {score:{digits}}{suffix}; {baseline.name}: {constant:{digits}}"


def _digits(scores: ArrayLike) -> str:
    """Format of scores: four decimals; four digits where all are close to 0, or one is large."""
    sizes = np.abs(np.asarray(scores, dtype=float))
    largest = sizes[np.isfinite(sizes)].max(initial=0.0)
    return ".4f" if 0.01 <= largest < 1000 or largest == 0 else ".4g"


def caveats(problem: Problem, found: FoldSearchCV | TrialSearchCV, baseline: Baseline) -> list[str]:
    """Warnings about best scores that look better than they are."""
    notes = []
    if problem.task == "classification" and found.scoring == "accuracy":
        counts = problem.target.value_counts()
        if counts.iloc[0] / counts.sum() >= FLATTERING:
            common, n_rest = as_python(counts.index[0]), int(counts.sum() - counts.iloc[0])
            share = 100 * counts.iloc[0] / counts.sum()
            notes.append(
                f"{n_rest} of {counts.sum()} rows are not {common!r}: always saying {common!r} is right in "
                f"{share:.1f} %; --scoring balanced_accuracy tells more"
            )
    n_first = int((found.cv_results_["rank_test_score"] == 1).sum())
    if n_first > 1:
        notes.append(f"{n_first} candidates share the best score; the first that was listed is taken")
    best = best_scores(found)
    has_both = np.isfinite(best) & np.isfinite(baseline.scores)
    best, others = best[has_both], baseline.scores[has_both]
    if len(best) < 2:
        return [*notes, "at most one fold can be compared with a constant prediction: give the search more time"]
    if math.isclose(best.mean(), 1.0) and found.scoring in SCORINGS.values():
        notes.append("a perfect score: does a column hold what is only known afterwards?")
    difference = best - others
    if np.ptp(difference) > 0:
        from frugal.stats import mean_interval

        low, _ = mean_interval(difference)
        if low <= 0:
            notes.append(f"over these folds the best is not clearly better than {baseline.name}")
    elif difference.mean() <= 0:
        notes.append(f"the best is no better than {baseline.name}")
    return notes


def best_scores(found: FoldSearchCV | TrialSearchCV) -> NDArray[np.float64]:
    """The best candidate's score of each fold, nan where it has none; shape (n_folds,)."""
    names = (f"split{fold}_test_score" for fold in range(found.n_splits_))
    return np.array([found.cv_results_[name][found.best_index_] for name in names])


def format_ranking(ranked: pd.DataFrame) -> str:
    """Format the first candidates, a line each: rank, estimator, mean score, spread, hyperparameters."""
    lines, first = [], ranked.head(N_SHOWN)
    digits = _digits(first["mean_score"])
    for row in first.to_dict("records"):
        hyperparameters = json.loads(row["hyperparameters"])
        shown = ", ".join(
            f"{name} {v:.3g}" if isinstance(v, float) else f"{name} {v}" for name, v in hyperparameters.items()
        )
        score = "failed"
        if row.get("stopped_because"):
            n = row["n_folds_evaluated"]
            score = f"stopped after {n} {'fold' if n == 1 else 'folds'}"
        if math.isfinite(row["mean_score"]):
            suffix = f" of {row['n_folds_evaluated']} folds" if row.get("stopped_because") else ""
            suffix += f", given {row['n_rows']} rows" if "n_rows" in row else ""
            suffix += f", given {row['resource']}" if "resource" in row else ""
            score = f"{row['mean_score']:{digits}} (sd {row['sd_over_folds']:{digits}}){suffix}"
        lines.append(f"{row['rank']:3d}. {row['estimator']}, {score}: {shown}")
    return "\n".join(lines)
