"""Means over seeds as section 3's tables and figures have them, and lines against the rows drawn, with bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from studies.records import Look
from studies.tidy import TIDY, mean_by_seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def averaged(runs: pd.DataFrame, value: str, keys: list[str]) -> pd.DataFrame:
    """`mean_by_seed` as figures hold it: the keys, mean, low, high, n_seeds, data."""
    return mean_by_seed(runs, value, keys).rename(columns={"ours": "mean"}).drop(columns=["ours_se", "n_missing"])


def tidied(table: pd.DataFrame, keys: list[str], scale: str) -> pd.DataFrame:
    """The keys and `TIDY`, without errors or stars of what is published."""
    return table.assign(published_se=float("nan"), published_stars="", stars="", scale=scale)[[*keys, *TIDY]]


def by_measure(runs: pd.DataFrame, measures: Sequence[str], keys: list[str]) -> pd.DataFrame:
    """Means of columns over seeds, as `mean_by_seed` gives them; the first key is measure, the column's name."""
    long = runs.melt([*keys, "seed", "data"], list(measures), var_name="measure")
    return mean_by_seed(long, "value", ["measure", *keys])


def in_order(table: pd.DataFrame, measures: tuple[str, ...], keys: list[str]) -> pd.DataFrame:
    """The rows of `by_measure` in the order of the measures, then of the keys."""
    places = table["measure"].map(measures.index)
    return table.assign(place=places).sort_values(["place", *keys], ignore_index=True)


def draw_lines(axis: Axes, part: pd.DataFrame, looks: Mapping[str, Look], x: str = "r") -> None:
    """The means of each method that there is, along r, and against r their intervals as a band.

    The y axis is set by the means, so that the band of a few seeds may end at it.
    """
    for method, look in looks.items():
        line = part[part["method"] == method].sort_values("r")
        if line.empty:
            continue
        axis.plot(
            line[x],
            line["mean"],
            color=look.color,
            linestyle=look.linestyle,
            marker=look.marker,
            label=look.label,
        )
        if x == "r":
            low = line["low"].clip(lower=0.01 * line["mean"])  # above 0, for the log axis
            axis.fill_between(line[x], low, line["high"], color=look.color, alpha=0.12, linewidth=0)
    axis.set(ylim=(0.5 * part["mean"].min(), 1.8 * part["mean"].max()))
