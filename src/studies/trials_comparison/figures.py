"""Figures of the comparison, from their numbers alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from studies import style
from studies.comparisons.diagrams import draw_diagrams
from studies.methods import METHODS
from studies.records import Look, default_look
from studies.trials_comparison.listed import GROUPS, PROBLEMS, in_order

_ACROSS: Final = {
    "seconds": "Evaluations and optimiser (s)",
    "cost": "Cost of evaluations ({})",
    "trials": "Trials, on whatever rows",
}
_REGRETS: Final = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def looks_of(found: Iterable[str]) -> dict[str, Look]:
    """The look of each method, by name: its own, or a plain one, different for each that has none."""
    shown = in_order(found)
    others = [name for name in shown if name not in METHODS]
    return {
        name: METHODS[name].look if name in METHODS else default_look(name, others.index(name)) for name in shown
    }


def _face(method: str, look: Look) -> dict[str, Any]:
    """The marker of a method, open where it cuts trials short."""
    is_open = method in METHODS and METHODS[method].termination is not None
    return {
        "marker": look.marker,
        "color": look.color,
        "markerfacecolor": "white" if is_open else look.color,
        "markeredgecolor": look.color if is_open else "black",
        "markeredgewidth": 0.8 if is_open else 0.4,
        "markersize": 7 if look.marker == "*" else 4.5,
    }


@style.styled
def draw_anytime(summary: pd.DataFrame, currency: str) -> Figure:
    """A panel per problem, a line per method; the vertical line is the budget of `summaries.budget_of`."""
    shown = [problem for problem in PROBLEMS.values() if (summary["problem"] == problem.title).any()]
    n_rows = -(-len(shown) // 2)
    figure = Figure(figsize=(style.TWO_COLUMN[0], 1.0 + 2.3 * n_rows), layout="constrained")
    panels, looks = [*figure.subplots(n_rows, 2, squeeze=False).flat], looks_of(summary["method"])
    for axes, (title, _, unit) in zip(panels, shown, strict=False):
        _draw_panel(axes, summary[summary["problem"] == title], looks)
        axes.set(title=title, xlabel=_ACROSS[currency].format(unit), ylabel="Regret (points of test error)")
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    style.legend(figure, panels, n_columns=5, below=True)
    style.mark_stand_in(figure, summary["data"])
    return figure


def _draw_panel(axes: Axes, part: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    lines = part.dropna(subset=["x", "mean"])
    if lines.empty:
        style.say_not_run(axes)
        return
    for i, (method, line) in enumerate(lines.groupby("method", sort=False)):
        look, at = looks[str(method)], _marked(line["x"].to_numpy(), i / len(looks))
        axes.plot(
            line["x"], 100 * line["mean"], drawstyle="steps-post", label=look.label, linestyle=look.linestyle,
            markevery=at, linewidth=1.1, clip_on=False, **_face(str(method), look),  # a regret of 0 is on the edge
        )  # fmt: skip
        told = line.iloc[at]
        if told["n_seeds"].min() >= style.N_OF_BAND:
            axes.vlines(told["x"], 100 * told["low"], 100 * told["high"], color=look.color, linewidth=0.8)
    axes.axvline(part["budget"].iloc[0], color="#555555", linewidth=0.8, linestyle=":")
    style.log_axis(axes.xaxis, lines["x"].min() / 1.1, lines["x"].max() * 1.1)
    axes.set_yscale("function", functions=(_root, np.square))  # has a zero, and tells small regrets apart
    top = 105 * float(lines["mean"].max()) or 1.0
    axes.set_ylim(0, top)
    ticks: list[float] = []
    for tick in _REGRETS:
        if tick < top and (not ticks or _root(tick / top) - _root(ticks[-1] / top) > 0.07):  # room for its label
            ticks.append(tick)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.grid(alpha=0.3)
    few = part[part["n_missing"] > 0].groupby("method", sort=False)["n_missing"].first()
    if len(few):
        text = "\n".join(["no incumbent:", *(f"{looks[str(name)].label}, {n} seeds" for name, n in few.items())])
        behind = {"color": "white", "pad": 1}
        axes.text(0.98, 0.98, text, transform=axes.transAxes, ha="right", va="top", fontsize=6, bbox=behind)


def _marked(x: NDArray[np.float64], begin: float) -> list[int]:
    """Which points of a line have a marker and an interval: bands of so many methods would hide each other.

    They are a third of the line apart on a logarithmic axis, the first after the share `begin` of a third.
    """
    at = x[0] * (x[-1] / x[0]) ** ((begin + np.arange(3)) / 3)
    return sorted(set(np.searchsorted(x, at, side="right") - 1))


def _root(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    return np.asarray(np.sqrt(np.maximum(values, 0.0)))


@style.styled
def draw_ranks(summary: pd.DataFrame, currency: str) -> Figure:
    """A critical-difference diagram per group of problems."""
    looks = looks_of(summary["method"])
    shown = {
        f"Regret at equal {currency}, {name}": summary[summary["group"] == group] for group, name in GROUPS.items()
    }
    return draw_diagrams(
        shown,
        lambda row: looks[row["method"]],
        lambda row: {**_face(row["method"], looks[row["method"]]), "linestyle": "none"},
    )
