"""Numbers of Figures 2 to 5: the best validation accuracy so far, against trials and against time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd

from studies.hypertune.searched import CELL, WHOLE, least_scope, paths
from studies.paths import steps
from studies.tidy import provenance

PANELS: Final = {"trials": "trial", "seconds": "spent_s"}
"""Panel -> what it is drawn against."""
N_POINTS: Final = 201
_COLUMNS: Final = [
    "learner", "dataset", "panel", "method", "x", "mean", "se", "n_rows", "n_epochs", "n_seeds", "n_missing",
    "data",
]  # fmt: skip


def summarise_curves(runs: pd.DataFrame, learners: Iterable[str]) -> pd.DataFrame:
    """Mean over seeds of the best validation accuracy on all rows, with its standard error.

    Every search is a step function of what it has spent; a line begins where all seeds have a value and ends where
    the longest search does, those that have ended keeping their last value. HyperTune's begin in time once it is
    through with its subsets. Methods other than `searched.WHOLE` have no such trials, or few, and are left out;
    Hyperband's are those of a last rung and are drawn against time alone, since in trials those before would not
    show.

    Args:
        runs: searches.
        learners: of the figure; those without searches are left out.

    Returns:
        learner, dataset, panel (trials: x is their number; seconds: those of trials, on subsets too, and of the
        optimiser), method, x, mean, se, n_rows and n_epochs (of trials on all, the fewest of a seed; 0 epochs of a
        learner without), n_seeds, n_missing (seeds without a value), data. No rows if there are no such searches.
    """
    listed = list(learners)
    here = runs[runs["learner"].isin(listed) & runs["method"].isin(WHOLE)]
    if here.empty:
        return pd.DataFrame(columns=_COLUMNS)
    found = paths(here)
    parts = []
    for cell, part in found.groupby(["learner", "dataset", "method"], sort=False):
        learner, dataset, method = map(str, cell)
        for panel, x in PANELS.items():
            if panel == "trials" and method == "hyperband":
                continue
            curve = _curve(part[part["is_whole"]] if panel == "trials" else part, x)
            parts.append(curve.assign(learner=learner, dataset=dataset, panel=panel, method=method))
    return pd.concat(parts, ignore_index=True).merge(least_scope(found), "left", on=CELL[:3])[_COLUMNS]


def _curve(part: pd.DataFrame, x: str) -> pd.DataFrame:
    whole = [path for _, path in part.groupby(CELL, sort=False)]
    told = [path for path in whole if path["best"].notna().any()]
    n_missing = len(whole) - len(told)
    if not told:
        return pd.DataFrame({"x": [np.nan], "n_seeds": 0, "n_missing": n_missing, "data": provenance(part)})
    first = max(float(path.loc[path["best"].notna(), x].min()) for path in told)
    last = max(float(path[x].max()) for path in told)
    grid = np.arange(first, last + 1) if x == "trial" else np.linspace(first, last, N_POINTS)
    values = 1 - np.array([steps(path[x].to_numpy(float), path["best"].to_numpy(float), grid) for path in told])
    se = np.full(len(grid), np.nan)
    if len(told) > 1:
        se = values.std(axis=0, ddof=1) / np.sqrt(len(told))
    facts = {"n_seeds": len(told), "n_missing": n_missing, "data": provenance(part)}
    return pd.DataFrame({"x": grid, "mean": values.mean(axis=0), "se": se, **facts})


def areas(found: pd.DataFrame, method: str, other: str, panel: str) -> pd.DataFrame:
    """How far one method's curve lies below another's, on average over what both have spent, problem by problem.

    Args:
        found: searches as of `paths`.
        method: said to be ahead.
        other: said to be behind.
        panel: of `PANELS`.

    Returns:
        learner, dataset, seed, behind: mean over the range that both curves of a seed have of the best validation
        accuracy of `other` less that of `method`; below 0 where `method` is ahead. nan where they share no range.
    """
    x, rows = PANELS[panel], []
    for (learner, dataset, seed), part in found.groupby(["learner", "dataset", "seed"], sort=False):
        pair = [part[(part["method"] == name) & part["best"].notna()] for name in (method, other)]
        if any(path.empty for path in pair):
            continue
        pair = [path[path["is_whole"]] if panel == "trials" else path for path in pair]
        first, last = max(path[x].min() for path in pair), min(path[x].max() for path in pair)
        grid = np.arange(first, last + 1) if x == "trial" else np.linspace(first, last, N_POINTS)
        behind = np.nan
        if last >= first:
            ours, theirs = (steps(path[x].to_numpy(float), path["best"].to_numpy(float), grid) for path in pair)
            behind = float((ours - theirs).mean())
        rows.append([learner, dataset, seed, behind])
    return pd.DataFrame(rows, columns=["learner", "dataset", "seed", "behind"])
