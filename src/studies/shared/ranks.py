"""Friedman's test over cells, Nemenyi's critical difference of average ranks, and diagrams of both.

Source: Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7, section 3.2.2; the
diagrams are those of his Figure 1b. His data sets are our blocks; k is n_methods, N is n_blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies import plotters, style
from studies.records import Look

LEVEL: Final = 0.05
"""Of the test and of the critical difference."""
MIN_BLOCKS: Final = 3
"""Cells from which on a diagram is drawn: with two the critical difference is nearly as long as the scale."""
COLUMNS: Final = [
    "method", "mean_rank", "n_methods", "n_blocks", "n_seeds", "statistic", "p", "critical_difference",
]  # fmt: skip
"""Of `rank_table`."""

LookOf = Callable[[Mapping[Any, Any]], Look]
MarkerOf = Callable[[Mapping[Any, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of equal ranks.

    Attributes:
        mean_ranks: per method, 1 is best, tied ones share their average rank; shape (n_methods,).
        statistic: chi-square with n_methods - 1 degrees of freedom, corrected for ties.
        p: of the statistic.
    """

    mean_ranks: NDArray[np.float64]
    statistic: float
    p: float


def friedman(losses: NDArray[np.float64]) -> Friedman:
    """Average ranks over blocks, and the test that they are all the same.

    Args:
        losses: lower is better, shape (n_blocks, n_methods), at least 2 and 3, none of them nan.
    """
    from scipy import stats

    ranks = stats.rankdata(losses, axis=1)
    if (losses == losses[:, :1]).all():
        return Friedman(ranks.mean(axis=0), 0.0, 1.0)  # scipy divides by zero where everything is tied
    outcome = stats.friedmanchisquare(*losses.T)
    return Friedman(ranks.mean(axis=0), float(outcome.statistic), float(outcome.pvalue))


def critical_difference(n_methods: int, n_blocks: int) -> float:
    """Nemenyi's: q sqrt(k (k + 1) / 6 N), with q the 95 % point of the studentized range over root 2.

    Both numbers are positive, k at least 2.
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - LEVEL, n_methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))


def alike(mean_ranks: NDArray[np.float64], difference: float) -> list[tuple[float, float]]:
    """The longest stretches of ranks, two methods in each at least, within a critical difference.

    Returns:
        First and last rank of each stretch, in order; none lies inside another.
    """
    ranks = np.sort(mean_ranks)
    last = np.searchsorted(ranks, ranks + difference, side="right") - 1
    stretches = []
    for i, j in enumerate(last):
        if j > i and (i == 0 or j > last[i - 1]):
            stretches.append((float(ranks[i]), float(ranks[j])))
    return stretches


def rank_table(runs: pd.DataFrame, measure: str, blocks: list[str]) -> pd.DataFrame:
    """Average ranks of methods over blocks, with the test's outcome in every row.

    A block's value is the mean over its seeds. A method of which any run has no value ranks last in that block.
    Methods that did not run in every block are left out, since ranks among different methods cannot be averaged.

    Lower values of the measure are better; `blocks` are columns that make a block.

    Returns:
        `COLUMNS`, best first, n_seeds being the least of any block; no row where fewer than three methods ran in
        every block, or there are fewer than two blocks.
    """
    filled = runs.assign(value=runs[measure].fillna(math.inf))
    cells = filled.pivot_table(index=blocks, columns="method", values="value").dropna(axis="columns")
    n_blocks, n_methods = cells.shape
    if n_methods < 3 or n_blocks < 2:
        return pd.DataFrame(columns=COLUMNS)
    test = friedman(cells.to_numpy())
    ran = runs[runs["method"].isin(cells.columns)]
    table = pd.DataFrame({"method": cells.columns, "mean_rank": test.mean_ranks}).assign(
        n_methods=n_methods,
        n_blocks=n_blocks,
        n_seeds=ran.groupby([*blocks, "method"])["seed"].nunique().min(),
        statistic=test.statistic,
        p=test.p,
        critical_difference=critical_difference(n_methods, n_blocks),
    )
    return table.sort_values(["mean_rank", "method"], ignore_index=True)[COLUMNS]


def draw_diagrams(parts: Mapping[str, pd.DataFrame], look_of: LookOf, marker_of: MarkerOf) -> plotters.Figure:
    """A diagram below the other, those of fewer than `MIN_BLOCKS` cells left out; for use inside `style.styled`.

    Args:
        parts: by title, rows of `rank_table` with data.
        look_of: look of a row, for its label.
        marker_of: arguments of matplotlib's `plot` for the marker of a row.
    """
    shown = {title: part for title, part in parts.items() if len(part) and part["n_blocks"].iloc[0] >= MIN_BLOCKS}
    if not shown:
        return style.figure_not_run(*style.ONE_COLUMN)
    heights = [_height(part) for part in shown.values()]
    figure = style.new_figure(style.TWO_COLUMN[0], 0.21 * sum(heights))
    panels = figure.subplots(len(shown), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (title, part), height in zip(panels, shown.items(), heights, strict=True):
        _draw_diagram(axes, part, height, look_of, marker_of)
        test = part.iloc[0]
        p = "p < 0.001" if test["p"] < 0.001 else f"p = {test['p']:.3f}"
        axes.set_title(f"{title}: {test['n_blocks']} cells, Friedman χ² = {test['statistic']:.1f}, {p}")
    style.mark_data(figure, pd.concat(shown.values())["data"])
    return figure


def _height(part: pd.DataFrame) -> float:
    """Lines of text that a diagram takes: title and scale, stretches, and half of the methods."""
    return 4.5 + 0.5 * len(_stretches(part)) + (len(part) + 1) // 2


def _stretches(part: pd.DataFrame) -> list[tuple[float, float]]:
    return alike(part["mean_rank"].to_numpy(), float(part["critical_difference"].iloc[0]))


def _draw_diagram(
    axes: plotters.Axes, part: pd.DataFrame, height: float, look_of: LookOf, marker_of: MarkerOf
) -> None:
    """One diagram, best ranks at the left; y counts lines of text downwards from the scale of ranks."""
    n, difference = len(part), float(part["critical_difference"].iloc[0])
    edge = max(n, 1 + difference)
    axes.set(xlim=(1 - 0.48 * edge, edge + 0.48 * edge), ylim=(height - 2.8, -1.7))
    axes.set_axis_off()
    axes.plot([1, edge], [0, 0], color="black", lw=1)
    for rank in range(1, n + 1):
        axes.plot([rank, rank], [-0.2, 0], color="black", lw=1)
        if n <= 17 or rank % 2:  # of more every second one, since the numbers would run together
            axes.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize=7)
    axes.plot([edge - difference, edge], [-1.4, -1.4], "|-", color="black", lw=1.4)
    axes.text(edge - difference - 0.15, -1.4, f"critical difference {difference:.2f}", ha="right", va="center")
    stretches = _stretches(part)
    for i, (first, last) in enumerate(stretches):
        axes.plot([first - 0.06, last + 0.06], [0.5 + 0.5 * i] * 2, color="black", lw=2.5, solid_capstyle="butt")
    below = 0.8 + 0.5 * len(stretches)
    rows, n_left = part.to_dict("records"), (len(part) + 1) // 2
    for i, row in enumerate(rows):  # the better half at the left, the other at the right, led to their ranks
        at_left = i < n_left
        y = below + (i if at_left else len(rows) - 1 - i)
        x, side = (1 - 0.03 * edge, "right") if at_left else (1.03 * edge, "left")
        axes.plot([row["mean_rank"]] * 2 + [x], [0, y, y], color="#777777", lw=0.7, zorder=1)
        axes.plot([row["mean_rank"]], [0], "o", color="black", markersize=3)
        axes.plot([x], [y], zorder=3, **marker_of(row))
        axes.text(x, y, f"   {look_of(row).label} ({row['mean_rank']:.2f})   ", ha=side, va="center")
