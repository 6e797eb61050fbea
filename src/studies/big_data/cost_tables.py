"""Tables and error bars of section 4's errors and costs: every seed counts, also those without a fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.records import Look
from studies.tidy import mean_by_seed, tidied

IsGeometric = Callable[[pd.DataFrame, str], bool]
"""Whether means of a measure over these runs are geometric ones, since it spans decades."""


def means(runs: pd.DataFrame, measure: str, keys: list[str], *, is_geometric: bool) -> pd.DataFrame:
    """`mean_by_seed` where n_seeds counts every seed that was run; a geometric mean has no ours_se."""
    if not is_geometric:
        return with_all_seeds(mean_by_seed(runs, measure, keys))
    logs = runs.assign(value=np.log10(runs[measure].where(runs[measure] > 0)))
    table = with_all_seeds(mean_by_seed(logs, "value", keys))
    table[["ours", "low", "high"]] = 10.0 ** table[["ours", "low", "high"]]
    return table.assign(ours_se=np.nan)


def with_all_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """With the seeds that were run as n_seeds; those of them without a value are n_missing."""
    return table.assign(n_seeds=table["n_seeds"] + table["n_missing"])


def tabulate_means(
    runs: pd.DataFrame, keys: list[str], measures: Sequence[str], scale: str, is_geometric: IsGeometric
) -> pd.DataFrame:
    """Means of several measures: the keys (first that of the problem), measure, `TIDY`, n_missing."""
    parts = [
        means(part, measure, keys, is_geometric=is_geometric(part, measure)).assign(measure=measure)
        for _, part in runs.groupby(keys[0], sort=False)
        for measure in measures
    ]
    table = pd.concat(parts, ignore_index=True).sort_values([*keys, "measure"])
    return tidied(table, [*keys, "measure"], scale, "n_missing")


def draw_intervals(axis: plotters.Axes, part: pd.DataFrame, looks: Mapping[str, Look], *, x: str) -> None:
    """Means along a column, joined, with their intervals as bars."""
    plotters.bars(axis, part, looks, x=x, markeredgecolor="black", markeredgewidth=0.4)


def hold_means(axes: plotters.Axes, part: pd.DataFrame, *, log: bool) -> None:
    """Limits within which every mean lies; intervals of few seeds may go beyond."""
    from matplotlib.ticker import NullFormatter

    axes.set_xscale("log")
    low, high = float(part["mean"].min()), float(part["mean"].max())
    if log:
        style.log_axis(axes.yaxis, low / 2.5, high * 2.5)
    else:
        axes.set_ylim(0, 1.35 * high)
    axes.xaxis.set_minor_formatter(NullFormatter())
