"""Pictures of document 002's searches and of the surrogates' cost, from the tables of their modules."""

from __future__ import annotations

from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter, StrMethodFormatter

from studies import style
from studies.exploration.looks import LOOKS
from studies.exploration.task1_figure import COLORS
from studies.style import Look

_TASK2: Final = {"trials": "Trials", "seconds": "Seconds, the optimiser's included", "cost": "Rows fitted"}
_COMPARISON: Final = {
    "branin": ("Branin", "Trials", "Lowest value - minimum\n(geometric mean)"),
    "hartmann6": ("Hartmann-6", "Trials", "Lowest value - minimum\n(geometric mean)"),
    "logistic_trials": ("Logistic regression, 4 hyperparameters", "Trials", "Validation error (%)"),
    "logistic_cost": ("The same, as far as all seeds of a method go", "Rows x epochs", "Validation error (%)"),
}
_COSTS: Final = {
    "gp": Look("#00318F", "GP: log evidence and gradient", "^", "-", ""),
    "dngo": Look("#2F6756", "DNGO: whole fit", "<", "--", ""),
}


@style.styled
def draw_task2(table: pd.DataFrame) -> Figure:
    """Best validation accuracy so far against trials, seconds and rows; bars at the ends are 95 % intervals."""
    figure = Figure(figsize=(7.2, 3.3), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    for axis, (panel, label) in zip(axes, _TASK2.items(), strict=True):
        part = table[table["panel"] == panel]
        _draw(axis, part, discrete=panel == "trials")
        axis.set(xlabel=label)
        if panel == "seconds":
            style.log_axis(axis.xaxis, 0.9 * part["x"].min(), 1.1 * part["x"].max())
        if panel == "cost":
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes[2].xaxis.set_major_locator(MaxNLocator(4))
    axes[0].set(ylabel="Best validation accuracy", ylim=_limits(table))
    axes[0].yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1))
    style.legend(figure, axes, n_columns=4)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_comparison(table: pd.DataFrame) -> Figure:
    """What is left to the minimum of two functions, and the error of a learner; bars are 95 % intervals."""
    figure = Figure(figsize=(7.2, 5.2), layout="constrained")
    axes = figure.subplots(2, 2)
    for axis, (panel, (title, across, up)) in zip(axes.flat, _COMPARISON.items(), strict=True):
        part = table[table["panel"] == panel]
        if part.empty:
            style.say_not_run(axis)
            continue
        _draw(axis, part, discrete=panel != "logistic_cost")
        axis.set(title=title, xlabel=across, ylabel=up)
        if panel == "logistic_cost":
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axis.xaxis.set_major_locator(MaxNLocator(4))
        if panel in ("branin", "hartmann6"):
            low, high = _reach(part)
            axis.set(yscale="log", ylim=(low / 1.5, high * 1.5))
        else:
            axis.set(ylim=_limits(part))
    style.legend(figure, axes.flat, n_columns=4)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_surrogate_cost(table: pd.DataFrame) -> Figure:
    """Seconds of a fit against trials, both on logarithmic axes, with the powers that the document states."""
    figure = Figure(figsize=(4.6, 3.2), layout="constrained")
    axis = figure.subplots()
    for method, power in (("gp", 3), ("dngo", 1)):
        line = table[table["method"] == method].sort_values("n_trials")
        look = _COSTS[method]
        axis.plot(line["n_trials"], line["mean"], color=look.color, marker=look.marker, linestyle=look.linestyle,
                  label=look.label)  # fmt: skip
        style.band(axis, line, look.color, x="n_trials", alpha=0.2)
        last = line.iloc[-1]
        guide = last["mean"] * (line["n_trials"] / last["n_trials"]) ** power
        axis.plot(line["n_trials"], guide, color="#8A8F94", linewidth=0.8, linestyle=":")
        name = "linear" if power == 1 else "cubic"
        axis.annotate(name, (line["n_trials"].iloc[0], guide.iloc[0]), xytext=(-4, 0), textcoords="offset points",
                      ha="right", va="center", color="#8A8F94", fontsize=7)  # fmt: skip
    axis.set(xscale="log", yscale="log", xlabel="Trials", ylabel="Processor time (s)")
    axis.margins(x=0.14)
    axis.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
    return figure


@style.styled
def draw_task1_path(table: pd.DataFrame) -> Figure:
    """The scores of one search's trials and the best so far, under two objectives, with K beside each trial."""
    figure = Figure(figsize=(7.2, 3.0), layout="constrained")
    axes = figure.subplots(1, table["panel"].nunique(), squeeze=False)[0]
    for axis, (panel, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        first = part[part["is_initial"].astype(bool)]
        axis.axvspan(0.5, len(first) + 0.5, color="#EEF0F2", linewidth=0)
        axis.plot(part["step"], part["score"], "o", color=COLORS["best"], markersize=3, label="score of a trial")
        axis.step(part["step"], part["best"], where="post", color=COLORS["mean"], label="best so far")
        axis.axhline(part["optimum"].iloc[0], color="#8A8F94", linestyle=":", label="best of all candidates")
        for row in part.to_dict("records"):
            axis.annotate(f"{row['K']:.0f}", (row["step"], row["score"]), xytext=(0, 4), fontsize=6, ha="center",
                          textcoords="offset points")  # fmt: skip
        axis.set(title=str(panel), xlabel="Trial (shaded: the first candidates; digits: K)", xlim=(0.5, None))
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        low, high = part["score"].quantile(0.1), part["score"].max()
        optimum = float(part["optimum"].iloc[0])
        room = 0.15
        if optimum > high + (high - low):
            room = 0.3  # for the sentence above the scores
            text = f"best of all candidates: {optimum:.1f}, above the panel"
            axis.text(
                0.97, 0.97, text, transform=axis.transAxes, ha="right", va="top", color="#8A8F94", fontsize=7
            )
        else:
            high = max(high, optimum)
        bottom = low - 0.15 * (high - low)
        axis.set(ylim=(bottom, high + room * (high - low)))
        if n_below := int((part["score"] < bottom).sum()):
            text = f"{n_below} score{'s' if n_below > 1 else ''} below the panel"
            axis.text(0.97, 0.03, text, transform=axis.transAxes, ha="right", color="#8A8F94", fontsize=7)
    axes[0].set(ylabel="Objective (maximised)")
    style.legend(figure, axes, n_columns=4)
    return figure


def _draw(axis: Axes, table: pd.DataFrame, *, discrete: bool) -> None:
    span = float(table["x"].max() - table["x"].min())
    same_end = len(set(table.groupby("method")["x"].max())) == 1  # then bars stand side by side
    for i, (method, line) in enumerate(table.groupby("method", sort=False)):
        look = LOOKS[str(method)]
        every = max(1, len(line) // 6) if discrete else (10 + 8 * i, 50)
        axis.plot(line["x"], line["mean"], color=look.color, linestyle=look.linestyle, label=look.label,
                  marker=look.marker, markevery=every, drawstyle="steps-post")  # fmt: skip
        end = line.iloc[-1]
        at = end["x"] + (0.02 * (i + 1) * span if same_end else 0.0)
        axis.plot(end["x"], end["mean"], marker=look.marker, color=look.color)
        if pd.notna(end["low"]):
            reach = [[end["mean"] - end["low"]], [end["high"] - end["mean"]]]
            axis.errorbar(at, end["mean"], yerr=reach, color=look.color, linewidth=1.0, capsize=1.5)
    axis.grid(alpha=0.3)
    if discrete:
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))


def _limits(table: pd.DataFrame) -> tuple[float, float]:
    """Of an axis that shows every mean and every bar."""
    low, high = _reach(table)
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _reach(table: pd.DataFrame) -> tuple[float, float]:
    """The least and the greatest of the means and of the ends' intervals."""
    ends = table.groupby(["panel", "method"]).tail(1)
    shown = pd.concat([table["mean"], ends["low"], ends["high"]])
    return float(shown.min()), float(shown.max())
