"""Document 000's experiment, replayed on kept network scores: its candidates in random order, pruned or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from frugal.folds import ScoreTable
from frugal.folds.replay import Trace, replay
from frugal.folds.search import Kept, prepare
from frugal.folds.strategies import try_out
from frugal.stats import mean_score
from studies.beta_pruning.network import EXPLORERS
from studies.shared.network_scores import in_authors_order
from studies.shared.prunings import judge

Settings = Mapping[str, Mapping[str, Any]]


def check_swept(settings: Settings, *, taus: Iterable[float], buffers: Iterable[int]) -> None:
    """Build every strategy of an experiment once, so that wrong settings are refused before any replay.

    Raises:
        ValueError: on an unknown strategy or setting, or a value outside its range.
    """
    for name, block in settings.items():
        if not isinstance(block, Mapping):
            raise ValueError(f"settings of {name} must be a mapping, got {block!r}")
        try_out(name, block)
    for tau, buffer in product(taus, buffers):
        try_out("beta_pruning", {**settings.get("beta_pruning", {}), "tau": tau, "buffer": buffer})


def explore(tables: Iterable[ScoreTable], settings: Settings) -> pd.DataFrame:
    """What `EXPLORERS` had after every training.

    `tables` holds the scores of the distinct candidates, one table per seed, `settings` those of each
    strategy.

    Returns:
        One row per seed, method and step (trainings so far, from 1), with the columns of every run and n_rows (of
        the dataset); explored (candidates trained at all), n_complete, n_pruned, best_mean (accuracy of the
        candidate that would be returned, over the folds that it has; nan while every network has diverged).

    Raises:
        ValueError: if every candidate of a table has a failed fold.
    """
    rows = []
    for table in tables:
        scored = in_authors_order(table)
        for method in EXPLORERS:
            trace = _replay(method, scored, settings.get(method, {}))
            rows += [_labels(method, scored) | step for step in _steps(trace, scored)]
    return pd.DataFrame(rows)


def sweep(
    tables: Iterable[ScoreTable], settings: Settings, *, taus: Sequence[float], buffers: Sequence[int]
) -> pd.DataFrame:
    """Whole runs of `beta_pruning` at every tau and buffer, and of what it is compared with.

    `tables` and `settings` are as in `explore`; `taus` are thresholds of equation 5, `buffers` sizes of
    the buffer.

    Returns:
        One row per seed and run, with the columns of every run and n_rows; tau and buffer (nan where a method has
        none), is_configured (whether these are the settings given), failed_as (`failed`, or `chance` where a
        diverged network scores 1 / n_classes, as it does in the document's program); folds_share (trained, of
        n * k), explored_at_20 (candidates trained at all by 20 trainings), n_pruned, n_judged (of these, for
        their scores and for good, not for a failed fit), n_wrong (of these, better over all folds than the
        candidate they were pruned against), regret (of the choice, in mean accuracy over all folds), lost_best (no
        candidate with the best mean was chosen).

    Raises:
        ValueError: as `explore`.
    """
    rows = []
    for table in tables:
        scored = in_authors_order(table)
        by_chance = np.where(np.isnan(scored.scores), 1 / scored.meta["n_classes"], scored.scores)
        chance = ScoreTable(by_chance, scored.seconds, scored.candidates, {**scored.meta, "failures": []})
        configured = settings.get("beta_pruning", {})
        swept: list[Mapping[str, Any]] = [
            {**configured, "tau": tau, "buffer": buffer} for tau, buffer in product(taus, buffers)
        ]
        if configured not in swept:
            swept = [configured, *swept]
        cells = [("beta_pruning", used, scored) for used in swept]
        cells += [(name, settings.get(name, {}), scored) for name in ("standard", "threshold_pruning")]
        for name, used, replayed in [*cells, ("beta_pruning", configured, chance)]:
            labels = {setting: used.get(setting, np.nan) for setting in ("tau", "buffer")}
            labels["is_configured"] = used == settings.get(name, {})
            labels["failed_as"] = "chance" if replayed is chance else "failed"
            trace = _replay(name, replayed, used)
            rows.append(_labels(name, replayed) | labels | _measure(trace, replayed))
    return pd.DataFrame(rows)


def _replay(method: str, scored: ScoreTable, settings: Mapping[str, Any]) -> Trace:
    ready = prepare(method, Kept(scored), n_candidates=len(scored.candidates), settings=settings)
    return replay(ready.strategy, ready.table)


def _labels(method: str, scored: ScoreTable) -> dict[str, Any]:
    (n, k), meta = scored.scores.shape, scored.meta
    row = {"method": method, "dataset": meta["dataset"], "classifier": meta["classifier"], "n": n, "k": k}
    return row | {"seed": meta["seed"], "data": meta["data"], "n_rows": meta["n_rows_of_dataset"]}


def _steps(trace: Trace, scored: ScoreTable) -> Iterable[dict[str, Any]]:
    n_folds = scored.scores.shape[1]
    scores_so_far: dict[int, list[float]] = {}
    means: dict[int, float] = {}  # of candidates none of whose networks has diverged
    pruned_at = [event["step"] for event in trace.events if event["event"] == "prune"]
    for step, (task, score) in enumerate(zip(trace.tasks, trace.scores.tolist(), strict=True), start=1):
        scores_so_far.setdefault(task.candidate, []).append(score)
        means[task.candidate] = mean_score(scores_so_far[task.candidate])
        if not np.isfinite(means[task.candidate]):
            del means[task.candidate]
        finished = [candidate for candidate, scores in scores_so_far.items() if len(scores) == n_folds]
        complete = [means[candidate] for candidate in finished if candidate in means]
        yield {
            "step": step,
            "explored": len(scores_so_far),
            "n_complete": len(finished),
            "n_pruned": sum(at <= step for at in pruned_at),
            "best_mean": max(complete or means.values(), default=np.nan),
        }


def _measure(trace: Trace, scored: ScoreTable) -> dict[str, Any]:
    means = np.maximum(scored.means, 0.0)  # a failed candidate counts as 0
    prunings = judge(trace, means)
    regret = np.nan if trace.chosen is None else float(means.max() - means[trace.chosen])
    return {
        "folds_share": len(trace.tasks) / scored.scores.size,
        "explored_at_20": len({task.candidate for task in trace.tasks[:20]}),
        **{name: prunings[name] for name in ("n_pruned", "n_judged", "n_wrong")},
        "regret": regret,
        "lost_best": float(regret != 0),
    }
