"""Document 002's searches as tables, figures and claims read them: paths, their ends, distances, mean curves."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from frugal.interface import Candidate
from frugal.spaces import SearchSpace
from studies import plotters, style
from studies.exploration.document import FLOOR
from studies.records import Look, Method
from studies.shared.searches import CELL, candidates, lowest, so_far, trials_of
from studies.tidy import provenance
from studies.trajectories import mean_path

FUNCTION: Final = "function"
"""What stands for a learner in searches on functions."""
AS_CODED: Final = Method(
    "doc002_as_coded",
    label="DNGO as coded for the page",
    color="#F2B138",
    marker="P",
    linestyle=(0, (3, 1, 1, 1)),
    hatch="++",
)
TASK2: Final = ("random", "ei", "ei_explore", "dngo", "tpe", "smac", "doc002_as_coded")
COMPARED: Final = ("random", "tpe", "smac", "ei", "ei_explore", "dngo")
"""Methods of task 2 and of the comparison, in the order in which they are shown."""
LOOKS: Final[Mapping[str, Look]] = {
    **{name: style.LOOKS[name] for name in TASK2 if name != AS_CODED.name},
    AS_CODED.name: AS_CODED.look,
    "ei": replace(style.LOOKS["ei"], label="EI on a GP"),
    "ei_explore": replace(style.LOOKS["ei_explore"], label="top-two EI on a GP"),
    "tpe": replace(style.LOOKS["tpe"], linestyle=":"),
}
"""Of the methods; labels name their surrogates."""


def searches(runs: pd.DataFrame, learner: str | None = None) -> pd.DataFrame:
    """The rows of `benchmarks.searches.search` among others', of a learner where it is given.

    Raises:
        ValueError: if a column is missing, or there are no such rows.
    """
    found = trials_of(runs, "candidate", "error", "incumbent")
    found = found if learner is None else found[found["learner"] == learner]
    if found.empty:
        raise ValueError(f"the runs hold no searches of {learner}")
    return found.reset_index(drop=True)


def paths(found: pd.DataFrame) -> pd.DataFrame:
    """Searches as of `so_far`, with best, the lowest error so far (nan before a trial succeeded)."""
    return so_far(found).assign(best=lowest(found, found["error"]))


def ends(found: pd.DataFrame) -> pd.DataFrame:
    """Last row of each of `paths`."""
    return paths(found).groupby(CELL, sort=False).tail(1).reset_index(drop=True)


def chosen(found: pd.DataFrame) -> list[Candidate | None]:
    """Each search's choice by then, row by row: the column `recommendation` if there is one, else `incumbent`."""
    return candidates(found["recommendation" if "recommendation" in found else "incumbent"])


def log10_regret(found: pd.DataFrame) -> pd.Series[float]:
    """log10 of the distance of `best` to the minimum of the function that was searched, at least 1e-6."""
    from frugal.benchmarks.functions import FUNCTIONS

    minima = found["dataset"].map(lambda name: FUNCTIONS[str(name)].minimum)
    return pd.Series(np.log10((found["best"] - minima).clip(lower=1e-6)), found.index)


def has_enough_searches(runs: pd.DataFrame, methods: Collection[str], n_trials: int, n_rows: int = 0) -> bool:
    """Whether every dataset has `FLOOR` seeds of each of these methods, and every search `n_trials` trials.

    With `n_rows`, whether they are also on as many training rows, which are the cost of a trial without epochs.
    """
    last = ends(searches(runs))
    counts = last.pivot_table("seed", "dataset", "method", aggfunc="nunique", fill_value=0)
    least = counts.reindex(columns=list(methods), fill_value=0).to_numpy().min()
    has_rows = n_rows == 0 or last["cost"].min() >= n_rows
    return bool(least >= FLOOR and last["trial"].min() >= n_trials and has_rows)


def space_of(learner: str, dataset: str) -> SearchSpace:
    """The space that a problem is searched in."""
    from frugal import learners
    from frugal.benchmarks.functions import FUNCTIONS

    if learner == FUNCTION:
        return FUNCTIONS[dataset].space
    return learners.default_space(learner)


def n_initial(found: pd.DataFrame, learner: str, dataset: str) -> int:
    """Number of first candidates that random search, EI and top-two EI share from the smallest seed.

    None of the three chose these candidates.

    Raises:
        ValueError: if one of the three was not run.
    """
    part = found[(found["learner"] == learner) & (found["dataset"] == dataset)]
    part = part[part["seed"] == part["seed"].min()]
    lists = [part[part["method"] == method]["candidate"].tolist() for method in ("random", "ei", "ei_explore")]
    if not all(lists):
        raise ValueError(
            f"random, ei and ei_explore are needed on {dataset}, got {', '.join(part['method'].unique())}"
        )
    n = 0
    while n < min(map(len, lists)) and len({listed[n] for listed in lists}) == 1:
        n += 1
    return n


def distances(found: pd.DataFrame, n_initial: int) -> pd.DataFrame:
    """How far each candidate after the first ones was from the incumbent that it was chosen against.

    Args:
        found: searches.
        n_initial: candidates that no strategy chose.

    Returns:
        `CELL`, data, distance: the Euclidean distance in the unit cube over that of opposite corners, mean over
        the search's trials.
    """
    rows = []
    for cell, path in found.groupby(CELL, sort=False):
        space = space_of(str(cell[0]), str(cell[1]))
        points = [space.to_unit(json.loads(candidate)) for candidate in path["candidate"]]
        before = path["incumbent"].shift()
        gaps = [
            float(np.linalg.norm(points[i] - space.to_unit(json.loads(before.iloc[i]))))
            for i in range(n_initial, len(points))
            if isinstance(before.iloc[i], str)
        ]
        mean = np.mean(gaps) / math.sqrt(len(space.dimensions)) if gaps else math.nan
        rows.append([*cell, path["data"].iloc[0], mean])
    return pd.DataFrame(rows, columns=[*CELL, "data", "distance"])


def curves(
    table: pd.DataFrame, x: str, value: str, methods: Sequence[str], *, n_points: int = 201
) -> pd.DataFrame:
    """Mean over the seeds of a value against what was spent, a step function of it, with its 95 % interval.

    Args:
        table: of `paths`, one problem.
        x: `trial`, with a point at every trial, or another column that grows along a search.
        value: column that is averaged.
        methods: in the order wanted. Two kinds of methods are left out: those of which no search has a value, and
            those of which one search ends before another one has its first value.
        n_points: number of points if `x` is not `trial`.

    Returns:
        method, x, mean, low, high, n_seeds, n_missing (seeds without any value, which are left out), data. A line
        begins where all other seeds have a value, and ends with the shortest of their searches.

    Raises:
        ValueError: if no method is left.
    """
    parts = []
    for method in methods:
        whole = [path for _, path in table[table["method"] == method].groupby("seed")]
        steps = [path for path in whole if path[value].notna().any()]
        if not steps:
            continue
        first = max(float(path.loc[path[value].notna(), x].min()) for path in steps)
        last = min(float(path[x].max()) for path in steps)
        if last < first:
            continue
        grid = np.arange(first, last + 1) if x == "trial" else np.linspace(first, last, n_points)
        line = mean_path(steps, x, value, grid)
        line.insert(0, "method", method)
        parts.append(line.assign(n_missing=len(whole) - len(steps), data=provenance(table)))
    if not parts:
        raise ValueError(f"no search by {', '.join(methods)} has a trial that succeeded before the others end")
    return pd.concat(parts, ignore_index=True)


def draw_curves(axis: plotters.Axes, table: pd.DataFrame, *, discrete: bool) -> None:
    """The lines of `curves`, with 95 % intervals at their ends.

    Args:
        axis: which to draw on.
        table: of `curves`, one panel.
        discrete: whether x is a number of trials.
    """
    from matplotlib.ticker import MaxNLocator

    def every(place: int, n_points: int) -> object:
        return max(1, n_points // 6) if discrete else (10 + 8 * place, 50)

    plotters.lines(axis, table, LOOKS, every=every, band=0, is_step=True)
    span = float(table["x"].max() - table["x"].min())
    last = table.groupby("method", sort=False).tail(1)
    shift = 0.02 * span if len(set(last["x"])) == 1 else 0.0  # where all end alike, bars stand side by side
    for i, (look, end) in enumerate(plotters.each(last, LOOKS, "method", None), start=1):
        axis.plot(end["x"], end["mean"], marker=look.marker, color=look.color)
        if end["low"].notna().all():
            at, reach = end["x"] + i * shift, plotters.spread(end)
            axis.errorbar(at, end["mean"], yerr=reach, color=look.color, linewidth=1.0, capsize=1.5)
    if discrete:
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))


def reach(table: pd.DataFrame) -> tuple[float, float]:
    """The least and the greatest of the means and of the ends' intervals."""
    last = table.groupby(["panel", "method"]).tail(1)
    shown = pd.concat([table["mean"], last["low"], last["high"]])
    return float(shown.min()), float(shown.max())


def limits(table: pd.DataFrame) -> tuple[float, float]:
    """Limits of an axis that shows every mean and every bar."""
    low, high = reach(table)
    return low - 0.05 * (high - low), high + 0.05 * (high - low)
