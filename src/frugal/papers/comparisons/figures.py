"""Figures of the comparison: what a strategy costs against what it loses, on the way and in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from frugal.papers import style
from frugal.papers.comparisons.ranks import alike
from frugal.papers.comparisons.tables import EQUAL_SHARE, FACTS, LISTS, RANKED, budget_text
from frugal.papers.style import Look

_UNKNOWN = Look("#808080", "", "h", (0, (1, 1)), "")
_TICKS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
_REGRETS = (0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_TITLES = dict(
    zip(
        RANKED,
        (
            "regret of the choice",
            "cost (rows trained on)",
            f"regret after {Fraction(EQUAL_SHARE)} of the exhaustive search's cost",
        ),
        strict=True,
    )
)


def look_of(method: str, strategy: str, budget_share: float) -> Look:
    """The strategy's look, its label telling what is compared."""
    look = style.LOOKS.get(strategy, replace(_UNKNOWN, label=strategy.replace("_", " ")))
    if pd.notna(budget_share):
        return replace(look, label=f"{look.label}, {budget_text(budget_share)}")
    return look if method == strategy else replace(look, label=method.replace("_", " "))


def _marker(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A strategy's marker: whole without a budget, half with one of a half or more, else open."""
    look, share = look_of(**{fact: row[fact] for fact in FACTS}), row["budget_share"]
    face = "white" if share < 0.5 else look.color
    edge = {"markeredgecolor": "black", "markeredgewidth": 0.6}
    fill = {
        "markerfacecolor": face,
        "markerfacecoloralt": "white",
        "fillstyle": "left" if share >= 0.5 else "full",
    }
    return {"marker": look.marker, "markersize": 8 if look.marker == "*" else 6, **edge, **fill}


def _panels(summary: pd.DataFrame, figure: Figure) -> list[tuple[Axes, pd.DataFrame]]:
    """A panel per n (down) and k (across), with its part of the summary."""
    lengths, folds = (sorted(summary[key].unique()) for key in LISTS)
    grid = figure.subplots(len(lengths), len(folds), sharex=True, sharey=True, squeeze=False)
    parts, top = [], 105 * float((summary["mean"] + summary["se"].fillna(0)).max()) or 1.0
    for (i, j), axes in np.ndenumerate(grid):
        axes.set_title(f"n = {lengths[i]}, k = {folds[j]}")
        axes.set_xscale("log", base=2)
        axes.set_xticks(_TICKS, ["1" if t == 1 else f"1/{round(1 / t)}" for t in _TICKS])
        axes.minorticks_off()
        axes.set_yscale("function", functions=(_root, np.square))  # has a zero, and tells small regrets apart
        axes.set_ylim(0, top)
        ticks = [t for t in _REGRETS if t == 0 or 0.01 * top < t < top]
        axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
        axes.grid(alpha=0.3)
        parts.append((axes, summary[(summary["n"] == lengths[i]) & (summary["k"] == folds[j])]))
    for axes in grid[-1]:
        axes.set_xlabel("Folds spent (share of n·k, weighted by rows)")
    for axes in grid[:, 0]:
        axes.set_ylabel("Regret (points of accuracy)")
    return parts


def _root(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(np.maximum(values, 0.0)))


def _canvas(summary: pd.DataFrame) -> Figure:
    n_rows = max(1, summary["n"].nunique())
    return Figure(figsize=(style.TWO_COLUMN[0], 1.3 + 2.4 * n_rows), layout="constrained")


@style.styled
def draw_pareto(summary: pd.DataFrame) -> Figure:
    """A point per strategy, one standard error each side, and the front of those that none betters."""
    figure = _canvas(summary)
    if summary.empty:
        style.say_not_run(figure.subplots())
        return figure
    for axes, part in _panels(summary, figure):
        front = part[part["on_front"]].sort_values("cost")
        axes.step(front["cost"], 100 * front["mean"], where="post", color="#999999", lw=1, zorder=1, label="front")
        for row in part.to_dict("records"):
            look, mean = look_of(**{fact: row[fact] for fact in FACTS}), 100 * row["mean"]
            error, cost_error = 100 * np.nan_to_num(row["se"]), np.nan_to_num(row["cost_se"])
            axes.errorbar(
                [row["cost"]], [mean], xerr=cost_error, yerr=[[min(error, mean)], [error]], elinewidth=0.8,
                color=look.color, linestyle="none", label=look.label, clip_on=False, **_marker(row),
            )  # fmt: skip
    _legend(figure)
    style.mark_stand_in(figure, summary["data"])
    return figure


def _legend(figure: Figure) -> None:
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)


@style.styled
def draw_anytime(summary: pd.DataFrame) -> Figure:
    """A curve per strategy; a panel per n and k."""
    figure = _canvas(summary)
    if summary.empty:
        style.say_not_run(figure.subplots())
        return figure
    for axes, part in _panels(summary, figure):
        for (method, strategy), line in part.groupby(["method", "strategy"]):
            look = look_of(str(method), str(strategy), np.nan)
            axes.plot(
                line["share"], 100 * line["mean"], color=look.color, marker=look.marker, linestyle=look.linestyle,
                markeredgecolor="black", markeredgewidth=0.4, label=look.label, clip_on=False,
            )  # fmt: skip
    _legend(figure)
    style.mark_stand_in(figure, summary["data"])
    return figure


@style.styled
def draw_ranks(summary: pd.DataFrame) -> Figure:
    """A critical-difference diagram per measure: average ranks, joined where they do not differ."""
    shown = [(measure, part) for measure in RANKED if len(part := summary[summary["measure"] == measure])]
    if not shown:
        figure = Figure(figsize=style.ONE_COLUMN, layout="constrained")
        style.say_not_run(figure.subplots())
        return figure
    heights = [_height(part) for _, part in shown]
    figure = Figure(figsize=(style.TWO_COLUMN[0], 0.21 * sum(heights)), layout="constrained")
    panels = figure.subplots(len(shown), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (measure, part), height in zip(panels, shown, heights, strict=True):
        _draw_diagram(axes, part, height)
        test = part.iloc[0]
        p = "p < 0.001" if test["p"] < 0.001 else f"p = {test['p']:.3f}"
        axes.set_title(
            f"Rank by {_TITLES[measure]}: {test['n_blocks']} cells, Friedman χ² = {test['statistic']:.1f}, {p}"
        )
    style.mark_stand_in(figure, summary["data"])
    return figure


def _height(part: pd.DataFrame) -> float:
    """Lines of text that a diagram takes: title and scale, stretches, and half of the methods."""
    return 4.5 + 0.5 * len(_stretches(part)) + (len(part) + 1) // 2


def _stretches(part: pd.DataFrame) -> list[tuple[float, float]]:
    return alike(part["mean_rank"].to_numpy(), float(part["critical_difference"].iloc[0]))


def _draw_diagram(axes: Axes, part: pd.DataFrame, height: float) -> None:
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
    _draw_names(axes, part, edge, below=0.8 + 0.5 * len(stretches))


def _draw_names(axes: Axes, part: pd.DataFrame, edge: float, *, below: float) -> None:
    """Names of the better half at the left and of the other half at the right, led to their ranks."""
    rows, n_left = part.sort_values("mean_rank").to_dict("records"), (len(part) + 1) // 2
    for i, row in enumerate(rows):
        at_left = i < n_left
        y = below + (i if at_left else len(rows) - 1 - i)
        x, side = (1 - 0.03 * edge, "right") if at_left else (1.03 * edge, "left")
        axes.plot([row["mean_rank"]] * 2 + [x], [0, y, y], color="#777777", lw=0.7, zorder=1)
        axes.plot([row["mean_rank"]], [0], "o", color="black", markersize=3)
        axes.plot([x], [y], zorder=3, **_marker(row))
        look = look_of(**{fact: row[fact] for fact in FACTS})
        axes.text(x, y, f"   {look.label} ({row['mean_rank']:.2f})   ", ha=side, va="center")
