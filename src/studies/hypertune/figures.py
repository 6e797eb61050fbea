"""Pictures of document 004, from the tables of `complexity` and `curves`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator, PercentFormatter, StrMethodFormatter

from studies import style
from studies.drawn import Drawn
from studies.experiments import TUNED_IN
from studies.hypertune.complexity import summarise_figure1
from studies.hypertune.curves import PANELS, summarise_curves
from studies.hypertune.listed import TITLES
from studies.style import TRIALS, Look
from studies.tidy import is_stand_in

LOOKS: Final = {
    "random": replace(TRIALS["random"], color="#555555", linestyle=(0, (1, 1.5))),
    "hyperband": replace(TRIALS["hyperband"], color="#9A9A9A", linestyle=(0, (6, 1.5))),
    "hypertune": replace(TRIALS["hypertune"], linestyle="-"),
    "ei": replace(TRIALS["ei"], linestyle="--"),
}
"""By method, later ones over those before, dashes over lines; the last two are the document's, others grey."""
_SIZES: Final = {
    "subset": Look("#D9820A", "a subset (M2 of the document)", "D", "-", ""),
    "all": Look("#00318F", "all rows (M1)", "^", "--", ""),
}
_DATASETS: Final = {
    "letter": "letter",
    "mnist": "MNIST",
    "adult_codes": "adult, unscaled codes",
    "adult": "adult, scaled",
    "vehicle": "vehicle",
    "cifar10": "CIFAR-10 (JPEG)",
}
_ACROSS: Final = {"trials": "Trials on all rows", "seconds": "Seconds, subsets' and\noptimiser's included"}


@style.styled
def draw_figure1(table: pd.DataFrame) -> Figure:
    """Left: accuracy on the test rows and on those trained on; right: the VC bound of the gap between the two."""
    figure = Figure(figsize=(7.2, 3.0), layout="constrained")
    accuracy, bounds = figure.subplots(1, 2)
    for method, look in _SIZES.items():
        line = table[table["method"] == method].sort_values("n_features")
        label = f"{look.label}, {line['n_rows'].iloc[0]:,.0f} rows"
        how: dict[str, Any] = {"color": look.color, "linestyle": look.linestyle, "label": label}
        accuracy.plot(line["n_features"], line["mean"], marker=look.marker, **how)
        _band(accuracy, line, "n_features", look.color)
        best = line[line["mean"] == line["mean"].max()]
        accuracy.plot(best["n_features"], best["mean"], "*", color=look.color, markersize=11, label="_best")
        accuracy.plot(line["n_features"], line["train_mean"], color=look.color, linewidth=0.8, linestyle=":")
        bounds.plot(line["n_features"], line["bound"], marker=look.marker, **how)
    accuracy.set(xlabel="Complexity: random Fourier features", ylabel="Accuracy")
    note = "marks: test rows, star: best\ndotted: rows trained on"
    accuracy.text(0.97, 0.03, note, ha="right", fontsize=7, transform=accuracy.transAxes)
    accuracy.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    bounds.set(ylim=(min(0.5, 0.8 * table["bound"].min()), 2 * table["bound"].max()))
    bounds.axhspan(1.0, bounds.get_ylim()[1], color="#EEF0F2", linewidth=0)
    bounds.set(xlabel="VC dimension - 1", ylabel="Bound of the gap, probability 95 %", yscale="log")
    bounds.text(0.03, 0.95, "above 1 it says nothing", transform=bounds.transAxes, va="top", fontsize=7)
    for axis in (accuracy, bounds):
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.grid(alpha=0.3)
    style.legend(figure, [accuracy], n_columns=2)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_curves(learners: tuple[str, ...], table: pd.DataFrame) -> Figure:
    """A column per data set, against trials above and against time below; bands are one standard error."""
    columns = [
        (learner, name)
        for learner in learners
        for name in _DATASETS
        if ((table["learner"] == learner) & (table["dataset"] == name)).any()
    ]
    figure = Figure(figsize=(max(3.5, 1.9 * len(columns) + 0.4), 4.0), layout="constrained")
    if not columns:
        style.say_not_run(figure.subplots())
        return figure
    axes = figure.subplots(len(PANELS), len(columns), squeeze=False)
    for (learner, name), above in zip(columns, axes.T, strict=True):
        here = table[(table["learner"] == learner) & (table["dataset"] == name)]
        for panel, axis in zip(PANELS, above, strict=True):
            _draw(axis, here[here["panel"] == panel])
            axis.set(xlabel=_ACROSS[panel], ylim=_limits(here))
        mark = " †" if here["data"].map(is_stand_in).any() else ""
        title = f"{TITLES[learner]} on {_DATASETS[name]}" if len(learners) > 1 else _DATASETS[name]
        above[0].set(title=title + mark)
        above[0].xaxis.set_major_locator(MaxNLocator(4, integer=True))
        above[1].xaxis.set_major_locator(MaxNLocator(3))
    for first in axes[:, 0]:
        first.set(ylabel="Best validation accuracy")
    style.legend(figure, axes.flat, n_columns=4)
    style.mark_stand_in(figure, table["data"])
    return figure


def _draw(axis: Axes, table: pd.DataFrame) -> None:
    for above, (method, look) in enumerate(LOOKS.items()):
        line = table[(table["method"] == method) & table["mean"].notna()]
        if line.empty:
            continue
        axis.plot(line["x"], line["mean"], color=look.color, linestyle=look.linestyle, label=look.label,
                  drawstyle="steps-post", zorder=2 + 0.1 * above)  # fmt: skip
        axis.plot(line["x"].iloc[-1], line["mean"].iloc[-1], marker=look.marker, color=look.color)
        _band(axis, line, "x", look.color, step="post")
    axis.grid(alpha=0.3)
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
    axis.yaxis.set_minor_locator(NullLocator())


def _band(axis: Axes, line: pd.DataFrame, x: str, color: str, step: Literal["post"] | None = None) -> None:
    """One standard error each side."""
    ends = line.assign(low=line["mean"] - line["se"], high=line["mean"] + line["se"])
    style.band(axis, ends, color, x=x, step=step, alpha=0.2)


def _limits(table: pd.DataFrame) -> tuple[float, float]:
    """Of the accuracies: the ends of all lines and the better three quarters of what they are made of."""
    ends = table.groupby(["panel", "method"])["mean"].last()
    low, high = min(float(ends.min()), float(table["mean"].quantile(0.25))), float(table["mean"].max())
    room = max(0.08 * (high - low), 0.005)
    return max(low - room, 0.0), float(np.minimum(high + room, 1.0))


def _of(learners: tuple[str, ...]) -> Drawn:
    return Drawn(partial(summarise_curves, learners=learners), partial(draw_curves, learners))


FIGURES: Final[dict[str, Drawn]] = {
    "figure1": Drawn(summarise_figure1, draw_figure1),
    **{name: _of(learners) for name, learners in TUNED_IN.items() if name.startswith("figure")},
}
"""Figure name -> its numbers and its picture, from runs."""
