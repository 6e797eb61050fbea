"""Figures of the comparison: what a strategy costs against what it loses, on the way and in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from studies import style
from studies.shared.ranks import draw_diagrams
from studies.folds_comparison.tables import EQUAL_SHARE, FACTS, LISTS, RANKED, budget_text
from studies.records import default_look
from studies.style import Look

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
    look = style.LOOKS.get(strategy) or _plain_look(strategy)
    if pd.notna(budget_share):
        return replace(look, label=f"{look.label}, {budget_text(budget_share)}")
    return look if method == strategy else replace(look, label=method.replace("_", " "))


def _plain_look(strategy: str) -> Look:
    """The look of a strategy that has none: its first letter, and a colour that its name decides."""
    return replace(default_look(strategy, crc32(strategy.encode())), marker=f"${strategy[0]}$")


def _marker(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A strategy's marker: whole without a budget, half with one of a half or more, else open."""
    look, share = _look_of_row(row), row["budget_share"]
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
            look, mean = _look_of_row(row), 100 * row["mean"]
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
    by = {measure: summary[summary["measure"] == measure] for measure in RANKED}
    shown = {f"Rank by {_TITLES[measure]}": part for measure, part in by.items()}
    return draw_diagrams(shown, _look_of_row, _marker)


def _look_of_row(row: Mapping[Any, Any]) -> Look:
    return look_of(**{fact: row[fact] for fact in FACTS})
