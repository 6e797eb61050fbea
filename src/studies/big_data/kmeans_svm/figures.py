"""Pictures of figures 11 and 12 of document 003, from the numbers of `summaries`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies import style
from studies.big_data.kmeans_svm import summaries
from studies.big_data.kmeans_svm.summaries import FIGURE12, FIGURE12_ROWS, OURS, PUBLISHED
from studies.drawn import Drawn

LOOKS: Final = {
    "full": style.Look("#000000", "full SVM", "o", "-", ""),
    "svm_km": style.Look("#D07CA1", "SVM-KM", "^", ":", "||"),
    "km_svm": style.Look("#F2B138", "KM-SVM", "s", "--", "//"),
    "wkm_svm": style.Look("#00318F", "WKM-SVM", "D", "-", "xx"),
}
_GREY: Final = "#8A8F96"
_TITLES: Final = {
    "test_error": "Test error",
    "train_seconds": "Training time (s)",
    "n_support": "Support vectors",
    "rows_touched": "Rows given to SVM fits",
    "share_left": "Rows left (share)",
}
_LOGARITHMIC: Final = ("train_seconds", "rows_touched")
_SHIFTS: Final = {"svm_km": 0.96, "km_svm": 1.0, "wkm_svm": 1.04}
"""Factors on R, so that bars do not hide each other."""


@style.styled
def draw_figure11(table: pd.DataFrame) -> Figure:
    """A panel per method: centres open and filled, the full SVM's line thick, the reduced one's thin."""
    figure = Figure(figsize=(7.2, 3.1), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axis, letter, (method, part) in zip(panels, "ab", table.groupby("panel", sort=True), strict=True):
        centres = part[part["kind"] == "centre"]
        for label, face in ((0, "none"), (1, "#4A4F55")):
            own = centres[centres["label"] == label]
            axis.scatter(own["x"], own["y"], s=22, facecolors=face, edgecolors="#4A4F55", linewidths=0.8,
                         label=f"centres of class {label}", zorder=2)  # fmt: skip
        if method == "wkm_svm":
            for row in centres.itertuples():
                axis.annotate(f"{row.size:.0f}", (row.x, row.y), (3, 3), textcoords="offset points", fontsize=6)
        _draw_lines(axis, part, str(method))
        angle = part["angle_deg"].iloc[0]
        axis.set(title=f"({letter}) {LOOKS[str(method)].label}: {angle:.1f}° from the full SVM", xlabel="x₁")
        heights = centres["y"]
        axis.set_ylim(heights.min() - 0.2, heights.max() + 0.2)
        axis.set_aspect("equal", adjustable="box")
    panels[0].set_ylabel("x₂")
    found = dict(zip(*reversed(panels[0].get_legend_handles_labels()), strict=True))
    found |= dict(zip(*reversed(panels[1].get_legend_handles_labels()), strict=True))
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=6)
    return figure


def _draw_lines(axis: Axes, part: pd.DataFrame, method: str) -> None:
    for kind, look, width in (("full", LOOKS["full"], 2.6), ("reduced", LOOKS[method], 1.2)):
        line = part[part["kind"] == kind]
        axis.plot(line["x"], line["y"], color=look.color, linewidth=width, zorder=3, label=look.label)
        for number, side in enumerate((-1, 1)):
            edge = part[(part["kind"] == f"{kind} margin") & (part["label"] == side)]
            label = "margins" if kind == "full" and number == 0 else None
            axis.plot(edge["x"], edge["y"], color=look.color, linewidth=0.35 * width, linestyle="--", label=label)


@style.styled
def draw_boundary_angles(table: pd.DataFrame) -> Figure:
    """Share of data sets against the angle that they do not exceed; the picture's angles as grey lines."""
    figure = Figure(figsize=(4.4, 2.9), layout="constrained")
    axis = figure.subplots()
    for method, line in table[table["source"] == OURS].groupby("method", sort=True):
        look, mean = LOOKS[str(method)], line.iloc[0]
        label = f"{look.label}, mean {mean['mean']:.1f}° ({mean['low']:.1f} to {mean['high']:.1f})"
        angles, shares = np.r_[0.0, line["angle_deg"]], np.r_[0.0, line["share"]]
        axis.step(angles, shares, where="post", color=look.color, linestyle=look.linestyle, label=label)
    for row in table[table["source"] == PUBLISHED].itertuples():
        look = LOOKS[str(row.method)]
        label = f"{look.label} in the published picture"
        axis.axvline(float(str(row.angle_deg)), color=_GREY, linestyle=look.linestyle, linewidth=1, label=label)
    axis.set(xlabel="Angle to the full SVM's line (degrees)", ylabel="Share of data sets", ylim=(0, 1.02))
    axis.set_xlim(0, None)
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


@style.styled
def draw_figure12(table: pd.DataFrame) -> Figure:
    """A row of panels per data set: test error, training time, support vectors; bars are 95 % intervals."""

    def draw(axis: Axes, part: pd.DataFrame, panel: str) -> None:
        _draw_published(axis, part[part["source"] == PUBLISHED])
        _draw_curves(axis, part[part["source"] == OURS], panel)
        if panel not in _LOGARITHMIC:
            axis.set_ylim(0, 1.1 * part[["mean", "high"]].max().max())

    return _panels(table, tuple(FIGURE12), 7.2, draw)


@style.styled
def draw_figure12_rows(table: pd.DataFrame) -> Figure:
    """A row of panels per data set: rows given to SVM fits, and rows left with their range over splits."""

    def draw(axis: Axes, part: pd.DataFrame, panel: str) -> None:
        if panel == "share_left":
            part = part.assign(low=part["least"], high=part["greatest"])
            axis.set_ylim(0, 1.05)
        _draw_curves(axis, part, panel)

    return _panels(table, tuple(FIGURE12_ROWS), 6.0, draw)


def _panels(
    table: pd.DataFrame, panels: tuple[str, ...], width: float, draw: Callable[[Axes, pd.DataFrame, str], None]
) -> Figure:
    """A row per data set and a column per panel, against R; width in inches."""
    datasets = list(dict.fromkeys(table["dataset"]))
    figure = Figure(figsize=(width, 0.6 + 1.9 * len(datasets)), layout="constrained")
    grid = figure.subplots(len(datasets), len(panels), squeeze=False, sharex=True)
    for dataset, axes in zip(datasets, grid, strict=True):
        for panel, axis in zip(panels, axes, strict=True):
            draw(axis, table[(table["dataset"] == dataset) & (table["panel"] == panel)], panel)
        axes[0].set_title(_name(table, dataset), loc="left", fontweight="bold")
    for axis in grid[-1]:
        axis.set_xlabel("Compression R")
    _finish(figure, grid)
    style.mark_stand_in(figure, table["data"])
    return figure


def _name(table: pd.DataFrame, dataset: str) -> str:
    ours = table[(table["dataset"] == dataset) & (table["source"] == OURS)]
    if not len(ours):
        return f"{dataset} (published only)"
    return f"{dataset}, {'/'.join(sorted(set(ours['data'])))}, {ours['n_seeds'].iloc[0]:g} seed(s)"


def _draw_curves(axis: Axes, part: pd.DataFrame, panel: str) -> None:
    for method, line in part.groupby("method", sort=True):
        look = LOOKS[str(method)]
        x = line["compression"] * _SHIFTS[str(method)]
        spread = np.vstack([line["mean"] - line["low"], line["high"] - line["mean"]])
        axis.errorbar(x, line["mean"], yerr=np.maximum(spread, 0), color=look.color, marker=look.marker, capsize=2,
                      linestyle=look.linestyle, elinewidth=0.8, label=look.label)  # fmt: skip
    axis.set(ylabel=_TITLES[panel], xscale="log")
    ticks = sorted({*part["compression"], 1.0, 3.0, 5.0, 10.0})
    axis.set_xticks(ticks, [f"{ratio:g}" for ratio in ticks])
    axis.minorticks_off()
    if panel in _LOGARITHMIC:
        axis.set_yscale("log")
    axis.grid(alpha=0.3)


def _draw_published(axis: Axes, part: pd.DataFrame) -> None:
    for method, line in part.groupby("method", sort=True):
        look = LOOKS[str(method)]
        style_of: dict[str, Any] = {"color": _GREY, "marker": look.marker, "linestyle": look.linestyle}
        axis.plot(line["compression"], line["mean"], **style_of, markerfacecolor="none", linewidth=0.9,
                  label=f"{look.label}, published (Pima)")  # fmt: skip


def _finish(figure: Figure, grid: Any) -> None:
    """One legend over all panels."""
    found: dict[str, Any] = {}
    for axis in grid.ravel():
        handles, labels = axis.get_legend_handles_labels()
        found |= {label: handle for handle, label in zip(handles, labels, strict=True) if label not in found}
    figure.legend(found.values(), found.keys(), loc="outside upper center", ncols=5)


FIGURES: dict[str, Drawn] = {
    "figure11": Drawn(summaries.summarise_figure11, draw_figure11),
    "boundary_angles": Drawn(summaries.summarise_boundary_angles, draw_boundary_angles),
    "figure12": Drawn(summaries.summarise_figure12, draw_figure12),
    "figure12_rows": Drawn(summaries.summarise_figure12_rows, draw_figure12_rows),
}
"""Figure name -> its numbers and its picture; figure11 takes a seed, the others runs."""
