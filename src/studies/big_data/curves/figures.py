"""The figures of section 2.2, from their numbers alone."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies import style
from studies.big_data.curves import fits
from studies.big_data.curves.searched import NAMES
from studies.big_data.curves.summaries import summarise_calibration, summarise_curve_fits, summarise_figure5
from studies.drawn import Drawn
from studies.methods import METHODS
from studies.records import Look

_COLORS: Final = {"random": "#000000", "tpe": "#D07CA1", "smac": "#2F6CC0"}
_NAMES: Final = {"random": "random", "tpe": "TPE", "smac": "SMAC"}
_PARTS: Final = {"early": ("#00318F", "o", "-"), "middle": ("#D07CA1", "s", "--"), "late": ("#926A00", "^", ":")}
_SPENT: Final = {"seconds": "Epochs, optimiser and checks (s)", "epochs": "Epochs"}
_FAMILIES: Final = {
    "vapor_pressure": Look("#00318F", "vapor pressure", "o", "-", ""),
    "ilog2": Look("#F2B138", "ilog2", "s", "--", ""),
    "weibull": Look("#2F6756", "Weibull", "^", "-", ""),
    "pow3": Look("#B0306A", "pow3", "v", "-.", ""),
    "pow4": Look("#926A00", "pow4", "D", "-", ""),
    "log_log_linear": Look("#4580EB", "log log linear", "P", "--", ""),
    "mmf": Look("#8A8F94", "MMF", "X", "-.", ""),
    "janoschek": Look("#D9820A", "Janoschek", "<", (0, (4, 3)), ""),
    "hill3": Look("#5F9E8F", "Hill3", ">", "-", ""),
    "log_power": Look("#684319", "log power", "h", (0, (4, 3)), ""),
    "exp4": Look("#D07CA1", "exp4", "*", (0, (1, 2)), ""),
}
"""Of the lines of Figure 4, where several families may lie on each other: later ones have gaps."""
_KEPT, _CUT = "#9AA0A6", "#C0392B"


@style.styled
def draw_figure4(table: pd.DataFrame) -> Figure:
    """The observed curve, its eleven families and their combination; deviations in the legend."""
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.subplots()
    n, epochs = int(table["n_points"].iloc[0]), int(table["epoch"].max())
    families = [model for model in table["model"].unique() if model in fits.MODELS[:-1]]
    observed = table[table["model"] == "observed"]
    axes.plot(observed["epoch"], observed["score"], color="#9AA0A6", linewidth=0.8, marker=".", label="observed")
    for i, model in enumerate(families):
        look, every = _FAMILIES[str(model)], max(1, epochs // 5)
        _line(axes, table, model, look.label, color=look.color, linestyle=look.linestyle, linewidth=1.2,
              marker=look.marker, markersize=4.5, markevery=(every * (i + 1) // len(families), every))  # fmt: skip
    if (table["model"] == fits.COMBINATION).any():
        _line(axes, table, fits.COMBINATION, "combination", color="#000000", linewidth=2.6)
    axes.axvline(n, color="#000000", linewidth=0.8, linestyle=":")
    low, high = observed["score"].min(), observed["score"].max()
    axes.set(xlim=(1, epochs), ylim=(low - 0.1 * (high - low), high + 0.3 * (high - low)))
    data = NAMES[str(table["dataset"].iloc[0])]
    axes.set(
        xlabel="Epoch", ylabel="Validation score", title=f"{data}, fitted to the first {n} of {epochs} epochs"
    )
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", title=f"|Δy| after {epochs} epochs", title_fontsize=7)
    style.mark_stand_in(figure, table["data"])
    return figure


def _line(axes: Axes, table: pd.DataFrame, model: str, name: str, **look: object) -> None:
    line = table[table["model"] == model]
    label = f"{name} {line['deviation'].iloc[0]:.3f}"
    axes.plot(line["epoch"], line["score"], label=label, **look)  # type: ignore[arg-type]


@style.styled
def draw_curve_fits(table: pd.DataFrame) -> Figure:
    """Median deviation of each model with its quartiles, the mean, and the share of curves where it is best."""
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    sets = list(table["dataset"].unique())
    panels = figure.subplots(1, len(sets), sharey=True, squeeze=False)[0]
    for axes, dataset in zip(panels, sets, strict=True):
        part = table[table["dataset"] == dataset]
        y = [fits.MODELS.index(str(model)) for model in part["model"]]
        is_all = np.array(part["model"] == fits.COMBINATION)
        for which, color in ((~is_all, "#00318F"), (is_all, "#C0392B")):
            own, at = part[which], np.array(y)[which]
            axes.hlines(at, own["low"], own["high"], color=color, linewidth=1.6)
            axes.plot(
                own["median"],
                at,
                "o",
                color=color,
                label="median, quartiles" if not own.empty and which is not is_all else None,
            )
            axes.plot(own["mean"], at, "x", color=color, label="mean" if which is not is_all else None)
        for at, share in zip(y, part["best"], strict=True):
            axes.text(1.01, at, f"{share:.0%}", transform=axes.get_yaxis_transform(), va="center", fontsize=7)
        first = part.iloc[0]
        title = (
            f"{NAMES[dataset]}: {first['n_points']:g} of {first['n_epochs']:g} epochs, {first['n_seeds']:g} curves"
        )
        axes.set(xlabel="|Δy| at the last epoch", title=title)
        values = part[["median", "low", "high", "mean"]].to_numpy(float)
        values = values[values > 0]
        style.log_axis(axes.xaxis, 0.8 * values.min(), 1.25 * values.max())
        axes.set_yticks(range(len(fits.MODELS)), [model.replace("_", " ") for model in fits.MODELS])
        axes.grid(alpha=0.3, axis="x")
    panels[0].invert_yaxis()
    panels[-1].annotate("nearest", (1.01, -0.11), xycoords="axes fraction", fontsize=7)
    style.legend(figure, panels[:1], n_columns=2)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_calibration(table: pd.DataFrame) -> Figure:
    """Share of the thresholds that curves ended above, against the probability that was given to it."""
    sets = list(table["dataset"].unique())
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    panels = figure.subplots(1, len(sets), sharey=True, squeeze=False)[0]
    for axes, dataset in zip(panels, sets, strict=True):
        axes.plot([0, 1], [0, 1], color="#8A8F94", linewidth=0.8, label="calibrated")
        for name, (color, marker, linestyle) in _PARTS.items():
            part = table[(table["dataset"] == dataset) & (table["part"] == name)]
            if not part.empty:
                label = f"{name} third of the epochs"
                axes.plot(part["predicted"], part["observed"], linestyle, marker=marker, color=color, label=label)
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel="P(y_E > ŷ), predicted", title=NAMES[dataset])
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("Share that ended above ŷ")
    style.legend(figure, panels, n_columns=4)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_figure5(table: pd.DataFrame, currency: str = "seconds") -> Figure:
    """A row of panels for each data set: the curves of one search, and the best validation error of all."""
    sets = list(table["dataset"].unique())
    figure = Figure(figsize=(7.2, 2.5 * len(sets) + 0.5), layout="constrained")
    rows = figure.subplots(len(sets), 2, squeeze=False)
    for (left, right), dataset in zip(rows, sets, strict=True):
        part = table[table["dataset"] == dataset]
        _curves(left, part[part["panel"] == "curves"])
        _paths(right, part[part["panel"] == "search"])
        left.set(title=f"{NAMES[dataset]}: one search", xlabel="Epoch", ylabel="Validation error", ylim=(0, 1))
        right.set(title=f"{NAMES[dataset]}: all searches", xlabel=_SPENT[currency], ylabel="Best validation error")
    style.legend(figure, rows.flat, n_columns=3)
    style.mark_stand_in(figure, table["data"])
    return figure


def _curves(axes: Axes, table: pd.DataFrame) -> None:
    for _, line in table.groupby("line", sort=False):
        cut = bool(line["cut"].iloc[0])
        color = _CUT if cut else _KEPT
        axes.plot(line["x"], line["mean"], color=color, linewidth=0.8, label=None if cut else "trained to the end")
        if cut:
            axes.plot(line["x"].iloc[-1], line["mean"].iloc[-1], "x", color=color, label="cut", zorder=3)
    axes.grid(alpha=0.3)


def _paths(axes: Axes, table: pd.DataFrame) -> None:
    for method, line in table.groupby("line", sort=False):
        record = METHODS[str(method)]
        name, is_cut = record.strategy, record.termination is not None
        linestyle, width = ("-", 1.6) if is_cut else ("--", 1.0)
        label = f"{_NAMES[name]}, {'with' if is_cut else 'without'} termination"
        axes.step(
            line["x"], line["mean"], where="post", color=_COLORS[name], linestyle=linestyle, linewidth=width,
            label=label,
        )  # fmt: skip
        style.band(axes, line, _COLORS[name], step="post", alpha=0.1)
    axes.set(xlim=(0, None))
    style.log_axis(axes.yaxis, 0.95 * table["mean"].min(), 1.05 * table["mean"].max())
    axes.grid(alpha=0.3)


FIGURES: Final[dict[str, Drawn]] = {
    "figure4": Drawn(fits.lines, draw_figure4),
    "curve_fits": Drawn(summarise_curve_fits, draw_curve_fits),
    "curve_calibration": Drawn(summarise_calibration, draw_calibration),
    "figure5": Drawn(summarise_figure5, draw_figure5),
    "figure5_epochs": Drawn(
        partial(summarise_figure5, currency="epochs"), partial(draw_figure5, currency="epochs")
    ),
}
"""From `curve_fits`, and Figure 5 from `curve_search`."""
