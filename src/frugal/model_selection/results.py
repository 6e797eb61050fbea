"""The `cv_results_` of a search that may have skipped folds."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.folds.fits import Fit
from frugal.interface import Candidate, FoldTask
from frugal.model_selection.evaluation import ScoredFit, Scores
from frugal.stats import mean_score

Floats = NDArray[np.float64]
_NON_FINITE = "One or more of the (test|train) scores are non-finite"


@dataclass(frozen=True, eq=False)
class Outcome:
    """The evaluations of a search, and how its strategy ended.

    Attributes:
        candidates: the candidate list.
        n_folds: number of folds of a complete candidate.
        fits: finished evaluations, in the order of asking.
        events: events of the strategy.
        chosen: the strategy's incumbent; None: there is none.
        ended: the limit or interruption that ended the search; empty if the strategy ended it.
        is_interrupted: whether it was an interruption.
    """

    candidates: Sequence[Candidate]
    n_folds: int
    fits: Mapping[FoldTask, Fit]
    events: Sequence[Mapping[str, Any]] = ()
    chosen: int | None = None
    ended: str = ""
    is_interrupted: bool = False

    @property
    def dropped(self) -> dict[int, Mapping[str, Any]]:
        """The event of each candidate that was dropped (`prune`), and neither restored nor completed later."""
        found: dict[int, Mapping[str, Any]] = {}
        for event in self.events:
            if event["event"] in ("complete", "restore"):
                found.pop(event["candidate"], None)
            elif event.get("candidate") is not None:
                found[event["candidate"]] = event
        return found

    @property
    def choice(self) -> int | None:
        """The incumbent, or, if that was dropped before any candidate was complete, the best of the others.

        Their means are compared over the first folds, as many as each of them has.
        """
        dropped = self.dropped
        if self.chosen not in dropped:
            return self.chosen
        scores: dict[int, list[float]] = {}
        for task, fit in sorted(self.fits.items(), key=lambda item: item[0].fold):
            if task.candidate not in dropped:
                scores.setdefault(task.candidate, []).append(fit.score)
        n_common = min(map(len, scores.values()), default=0)
        means = {candidate: mean_score(listed[:n_common]) for candidate, listed in scores.items()}
        best = max(means, key=lambda candidate: (means[candidate], -candidate), default=None)
        return self.chosen if best is None or means[best] == -math.inf else best

    def cells(self) -> dict[tuple[int, int], tuple[int, FoldTask, Fit]]:
        """(candidate, fold) -> step from 1, task and fit of the evaluation that counts.

        All folds of a candidate that count are on the same number of rows: the largest for which it has every
        fold, or, if there is none, the largest.
        """
        by_rows: dict[int, dict[float, dict[int, tuple[int, FoldTask, Fit]]]] = {}
        for step, (task, fit) in enumerate(self.fits.items(), start=1):
            by_size = by_rows.setdefault(task.candidate, {})
            by_size.setdefault(_n_rows(task), {})[task.fold] = step, task, fit
        found = {}
        for candidate, folds_by_rows in by_rows.items():
            whole = [rows for rows, folds in folds_by_rows.items() if len(folds) == self.n_folds]
            for fold, cell in folds_by_rows[max(whole or folds_by_rows)].items():
                found[candidate, fold] = cell
        return found


def _n_rows(task: FoldTask) -> float:
    return math.inf if task.n_rows is None else task.n_rows


def tabulate(
    outcome: Outcome,
    formatter: Callable[[Sequence[Candidate], int, list[dict[str, Any]]], dict[str, Any]],
    *,
    error_score: float,
    n_rows: int,
    return_train_score: bool,
    metric: str | None = None,
) -> dict[str, Any]:
    """The columns that scikit-learn's searches have, and `split*_order`, `n_folds_evaluated`, `stopped_because`.

    An incomplete candidate has nan in the splits of its missing folds, no mean, and a rank below every complete
    one that has a score; its times are means over the folds that it has. If no complete candidate has a score,
    scores are means over the folds so far.

    Args:
        outcome: the evaluations.
        formatter: scikit-learn's `_format_results`: takes candidates, number of folds and one dict per fit.
        error_score: score of a failed fit.
        n_rows: number of rows of the data, for tasks whose `n_rows` is None.
        return_train_score: whether to add columns of training scores.
        metric: name of the score that the strategy sees; None: the first.
    """
    cells, names = outcome.cells(), metric_names(outcome.fits.values())
    shape, metrics = (len(outcome.candidates), outcome.n_folds), names or ["score"]
    hole = formatter_input(Fit(math.nan, math.nan), names, math.nan, return_train_score)
    outs = [
        formatter_input(cells[at][2], names, error_score, return_train_score) if at in cells else hole
        for at in np.ndindex(shape)
    ]
    has = np.array([at in cells for at in np.ndindex(shape)]).reshape(shape)
    with warnings.catch_warnings():
        if _has_good_scores(outs, has):
            warnings.filterwarnings("ignore", _NON_FINITE)
        results = formatter(outcome.candidates, outcome.n_folds, outs)
    rows = np.full(shape, np.nan)
    for at, (_, task, _) in cells.items():
        rows[at] = n_rows if task.n_rows is None else task.n_rows
    if not has.all() or len(np.unique(rows)) > 1:
        for name in metrics:
            chosen = outcome.choice if name == seen_metric(metric, metrics) else None
            _rank(results, name, has, rows, chosen)
        is_incomplete = ~np.asarray(has.all(axis=1))
        for name in ("fit_time", "score_time"):
            _fill(results, name, np.array([out[name] for out in outs]).reshape(shape), is_incomplete)
    return results | _more(outcome, cells, has, rows)


def is_complete(outcome: Outcome) -> NDArray[np.bool_]:
    """Mask of the candidates with all folds on the most rows of any complete candidate, shape (n_candidates,)."""
    counts = np.zeros(len(outcome.candidates), dtype=int)
    rows = np.zeros(len(outcome.candidates))
    for (candidate, _), (_, task, _) in outcome.cells().items():
        counts[candidate] += 1
        rows[candidate] = _n_rows(task)
    has_all = counts == outcome.n_folds
    return np.asarray(has_all & (rows == max(rows[has_all], default=0.0)))


def metric_names(fits: Any) -> list[str] | None:
    """Names of the metrics; None: scores are not listed by metric, and columns are named `score`."""
    for fit in fits:
        if isinstance(fit, ScoredFit) and isinstance(fit.test_scores, dict):
            return list(fit.test_scores)
    return None


def seen_metric(metric: str | None, metrics: list[str]) -> str:
    """The metric that the strategy sees: the one that `refit` names, if there are several, or the first."""
    return metric if metric in metrics else metrics[0]


def formatter_input(
    fit: Fit, metrics: list[str] | None, error_score: float, return_train_score: bool
) -> dict[str, Any]:
    """Convert a fit for scikit-learn's formatter; an abandoned fit has `error_score`.

    Args:
        fit: the fit.
        metrics: names of the metrics; None: scores are not listed by metric.
        error_score: score of an abandoned fit.
        return_train_score: whether there are training scores.
    """
    test: Scores = error_score
    train: Scores | None = None
    times = math.nan, math.nan
    if isinstance(fit, ScoredFit):
        test, train, times = fit.test_scores, fit.train_scores, (fit.fit_time, fit.score_time)
    out = {
        "test_scores": _by_metric(test, metrics),
        "fit_time": times[0],
        "score_time": times[1],
        "fit_error": fit.reason or None,
    }
    if return_train_score:
        out["train_scores"] = _by_metric(error_score if train is None else train, metrics)
    return out


def _by_metric(scores: Scores, metrics: list[str] | None) -> Scores:
    """Repeat the score of a failed fit for each metric."""
    if isinstance(scores, dict) or metrics is None:
        return scores
    return dict.fromkeys(metrics, scores)


def _has_good_scores(outs: list[dict[str, Any]], has: NDArray[np.bool_]) -> bool:
    """True if every score of an evaluated fold is finite, so that a mean is nan for a hole alone."""
    for out, is_there in zip(outs, has.ravel(), strict=True):
        for name in ("test_scores", "train_scores"):
            scores = out.get(name, 0.0)
            values = scores.values() if isinstance(scores, dict) else [scores]
            if is_there and not all(math.isfinite(value) for value in values):
                return False
    return True


def _columns(results: Mapping[str, Any], name: str, n_folds: int) -> Floats:
    return np.column_stack([results[f"split{fold}_{name}"] for fold in range(n_folds)])


def _fill(results: dict[str, Any], name: str, values: Floats, which: NDArray[np.bool_]) -> None:
    """Set mean and standard deviation over the available folds for incomplete candidates."""
    partial = which & ~np.isnan(values).all(axis=1)
    results[f"mean_{name}"][partial] = np.nanmean(values[partial], axis=1)
    results[f"std_{name}"][partial] = np.nanstd(values[partial], axis=1)


def _rank(results: dict[str, Any], metric: str, has: NDArray[np.bool_], rows: Floats, chosen: int | None) -> None:
    """Rank candidates: complete ones first, then by rows, most first, then by mean; ties share a rank.

    If there are complete ones, and none of them has a score, the others rank by folds, most first. They have means
    over these whenever no complete one has a score.
    """
    complete: NDArray[np.bool_] = np.asarray(has.all(axis=1))
    scores = _columns(results, f"test_{metric}", has.shape[1])
    means = np.full(len(scores), np.nan)
    means[complete] = results[f"mean_test_{metric}"][complete]
    partial: NDArray[np.bool_] = ~complete & np.asarray(has.any(axis=1))
    means[partial] = [np.mean(row[here]) for row, here in zip(scores[partial], has[partial], strict=True)]
    is_scored = partial & ~np.isnan(means)  # a failed fold makes the mean nan, as in scikit-learn
    has_best = not np.isnan(means[complete]).all()
    if not has_best:
        for kind in ("test", "train"):
            if f"mean_{kind}_{metric}" in results:
                _fill(results, f"{kind}_{metric}", _columns(results, f"{kind}_{metric}", has.shape[1]), is_scored)
    most = np.nan_to_num(np.fmax.reduce(rows, axis=1), nan=0.0)
    is_chosen = np.zeros(len(scores), dtype=bool)
    if not complete.any() and chosen is not None:
        is_chosen[chosen] = True
    n_folds = has.sum(axis=1) if complete.any() and not has_best else np.zeros(len(scores))
    results[f"rank_test_{metric}"] = ranks_by(means, ~complete, -n_folds, -most, ~is_chosen)


def ranks_by(means: Floats, *keys: NDArray[Any]) -> NDArray[np.int32]:
    """Ranks from 1, each (n,): by the keys in their order, least first, then by mean, greatest first.

    Ties share a rank. Failed ones, whose mean is nan, tie as the last.
    """
    from scipy.stats import rankdata

    failed = np.isnan(means)
    table = np.column_stack([failed, *(np.where(failed, 0.0, key) for key in (*keys, -means))])
    _, place = np.unique(table, axis=0, return_inverse=True)
    return rankdata(place.ravel(), method="min").astype(np.int32)


def _more(
    outcome: Outcome,
    cells: Mapping[tuple[int, int], tuple[int, FoldTask, Fit]],
    has: NDArray[np.bool_],
    rows: Floats,
) -> dict[str, Any]:
    order = np.zeros(has.shape, dtype=np.int64)
    for at, (step, _, _) in cells.items():
        order[at] = step
    reasons = _reasons(outcome, has)
    more: dict[str, Any] = {
        "n_folds_evaluated": has.sum(axis=1),
        "stopped_because": np.array(reasons, dtype=object),
    }
    if any(task.n_rows is not None for task in outcome.fits):
        more["n_rows"] = np.nan_to_num(np.fmax.reduce(rows, axis=1), nan=0.0).astype(np.int64)
    return more | {f"split{fold}_order": order[:, fold] for fold in range(outcome.n_folds)}


def _reasons(outcome: Outcome, has: NDArray[np.bool_]) -> list[str]:
    """Reason why each candidate was stopped; empty for complete ones."""
    failed = {task.candidate for task, fit in outcome.fits.items() if fit.reason}
    stopped = {candidate: _because(event, candidate in failed) for candidate, event in outcome.dropped.items()}
    end, has_rungs = outcome.ended, False
    for event in outcome.events:
        if event["event"] == "stop":
            end = f"the search stopped: {event['n_inferior']} candidates completed in a row were no better"
        elif event["event"] == "rung":
            has_rungs = True
    default = end or ("it left after a rung" if has_rungs else "the budget was spent")
    n_has = has.sum(axis=1)
    if has_rungs and not has.all(axis=1).any():  # folds are the resource, and the last rung has not all of them
        stopped |= dict.fromkeys(np.flatnonzero(n_has == n_has.max()).tolist(), end or "the rungs ended")
    most = np.zeros(len(has))
    for task in outcome.fits:
        most[task.candidate] = max(most[task.candidate], _n_rows(task))
    is_whole = has.all(axis=1) & (most == most.max(initial=0.0))  # on as many rows as any other
    return ["" if whole else stopped.get(candidate, default) for candidate, whole in enumerate(is_whole)]


def _because(event: Mapping[str, Any], has_failed: bool) -> str:
    if event.get("failed"):
        return "a fit failed" if has_failed else "a score does not count: not finite, or a log-loss too large"
    text = "dropped"
    if "against" in event:
        text += f" against candidate {event['against']}"
    if "probability" in event:
        text += f", which is better with probability {event['probability']:.6g}"
    if "bound" in event:
        text += f": its mean can be {event['bound']:.6g} at most"
    return text
