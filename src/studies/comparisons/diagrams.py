"""Critical-difference diagrams (Demšar 2006, Figure 1b): average ranks, joined where they do not differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies import style
from studies.comparisons.ranks import alike
from studies.style import Look

LookOf = Callable[[Mapping[Any, Any]], Look]
MarkerOf = Callable[[Mapping[Any, Any]], dict[str, Any]]

MIN_BLOCKS: Final = 3
"""Cells from which on a diagram is drawn: with two the critical difference is nearly as long as the scale."""


def draw_diagrams(parts: Mapping[str, pd.DataFrame], look_of: LookOf, marker_of: MarkerOf) -> Figure:
    """A diagram below the other, those of fewer than `MIN_BLOCKS` cells left out; for use inside `style.styled`.

    Args:
        parts: by title, rows of `ranks.rank_table` with data.
        look_of: look of a row, for its label.
        marker_of: arguments of matplotlib's `plot` for the marker of a row.
    """
    shown = {title: part for title, part in parts.items() if len(part) and part["n_blocks"].iloc[0] >= MIN_BLOCKS}
    if not shown:
        figure = Figure(figsize=style.ONE_COLUMN, layout="constrained")
        style.say_not_run(figure.subplots())
        return figure
    heights = [_height(part) for part in shown.values()]
    figure = Figure(figsize=(style.TWO_COLUMN[0], 0.21 * sum(heights)), layout="constrained")
    panels = figure.subplots(len(shown), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (title, part), height in zip(panels, shown.items(), heights, strict=True):
        _draw_diagram(axes, part, height, look_of, marker_of)
        test = part.iloc[0]
        p = "p < 0.001" if test["p"] < 0.001 else f"p = {test['p']:.3f}"
        axes.set_title(f"{title}: {test['n_blocks']} cells, Friedman χ² = {test['statistic']:.1f}, {p}")
    style.mark_stand_in(figure, pd.concat(shown.values())["data"])
    return figure


def _height(part: pd.DataFrame) -> float:
    """Lines of text that a diagram takes: title and scale, stretches, and half of the methods."""
    return 4.5 + 0.5 * len(_stretches(part)) + (len(part) + 1) // 2


def _stretches(part: pd.DataFrame) -> list[tuple[float, float]]:
    return alike(part["mean_rank"].to_numpy(), float(part["critical_difference"].iloc[0]))


def _draw_diagram(axes: Axes, part: pd.DataFrame, height: float, look_of: LookOf, marker_of: MarkerOf) -> None:
    """One diagram, best ranks at the left; y counts lines of text downwards from the scale of ranks."""
    n, difference = len(part), float(part["critical_difference"].iloc[0])
    edge = max(n, 1 + difference)
    axes.set(xlim=(1 - 0.48 * edge, edge + 0.48 * edge), ylim=(height - 2.8, -1.7))
    axes.set_axis_off()
    axes.plot([1, edge], [0, 0], color="black", lw=1)
    for rank in range(1, n + 1):
        axes.plot([rank, rank], [-0.2, 0], color="black", lw=1)
        axes.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize=7)
    axes.plot([edge - difference, edge], [-1.4, -1.4], "|-", color="black", lw=1.4)
    axes.text(edge - difference - 0.15, -1.4, f"critical difference {difference:.2f}", ha="right", va="center")
    stretches = _stretches(part)
    for i, (first, last) in enumerate(stretches):
        axes.plot([first - 0.06, last + 0.06], [0.5 + 0.5 * i] * 2, color="black", lw=2.5, solid_capstyle="butt")
    below = 0.8 + 0.5 * len(stretches)
    rows, n_left = part.sort_values("mean_rank").to_dict("records"), (len(part) + 1) // 2
    for i, row in enumerate(rows):  # the better half at the left, the other at the right, led to their ranks
        at_left = i < n_left
        y = below + (i if at_left else len(rows) - 1 - i)
        x, side = (1 - 0.03 * edge, "right") if at_left else (1.03 * edge, "left")
        axes.plot([row["mean_rank"]] * 2 + [x], [0, y, y], color="#777777", lw=0.7, zorder=1)
        axes.plot([row["mean_rank"]], [0], "o", color="black", markersize=3)
        axes.plot([x], [y], zorder=3, **marker_of(row))
        axes.text(x, y, f"   {look_of(row).label} ({row['mean_rank']:.2f})   ", ha=side, va="center")
