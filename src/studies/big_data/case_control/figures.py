"""The figures of section 3.3, from their numbers alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from studies import style
from studies.big_data.case_control import summaries
from studies.drawn import Drawn
from studies.style import Look

LOOKS: Final[dict[str, Look]] = {
    "uniform": Look("#000000", "uniform", "o", "-", ""),
    "cc": Look("#D07CA1", "CC, weighted", "P", ":", ""),
    "cc_unweighted": Look("#684319", "CC as printed, unweighted", "X", (0, (3, 1, 1, 1, 1, 1)), ""),
    "lcc": Look("#4580EB", "LCC, r rows", "^", "-.", ""),
    "lcc_total": Look("#00318F", r"LCC, $r_0 + r$ rows", "v", (0, (5, 1)), ""),
    "osmac_mvc": Look("#F2B138", "OSMAC, eq. 17 (mVc)", "s", "-", ""),
    "osmac_mmse": Look("#926A00", "OSMAC, A-optimal (mMSE)", "D", "--", ""),
    "full": Look("#7A7A7A", "full data, bootstrapped", "", "--", ""),
}
"""By method of `subsampling`."""
_STAR: Final = Look("#7A7A7A", "full data", "*", "none", "")
BIAS_LOOKS: Final[dict[str, Look]] = {
    "cc": Look("#684319", "CC, intercept corrected", "X", (0, (3, 1, 1, 1, 1, 1)), ""),
    "cc_weighted": Look("#D07CA1", "CC, weighted", "P", ":", ""),
    "lcc": Look("#4580EB", "LCC, pilot grows with r", "^", "-.", ""),
    "lcc_fixed": Look("#00318F", "LCC, pilot of fixed size", "v", (0, (5, 1)), ""),
}
"""By method of `bias`."""
_FIGURE9: Final = {
    "full": Look("#000000", "fit to all rows", "", "-", ""),
    "cc": Look("#C1272D", "limit of CC", "", "--", ""),
}
_ERROR: Final = r"Mean squared error $\|\hat\beta - \beta\|^2$"
_AXES: Final = {"seconds": "Time of one fit (s)", "rows_touched": "Gradients and probabilities computed (rows)"}


@style.styled
def draw_figure10(table: pd.DataFrame) -> Figure:
    """Mean squared error against r, a panel per design; hollow: the document's digitised points."""
    figure = Figure(figsize=(7.2, 3.9), layout="constrained")
    for axis, (design, part) in zip(figure.subplots(1, 2), table.groupby("panel", sort=True), strict=True):
        axis.set(yscale="log")
        _lines(axis, part[part["source"] == "ours"], LOOKS)
        for method, points in part[(part["source"] == "published")].groupby("method"):
            look = LOOKS[str(method)]
            given = {"marker": look.marker or "_", "linestyle": "none", "markersize": 6.5, "markeredgewidth": 0.9}
            axis.plot(points["r"], points["mean"], color=look.color, markerfacecolor="none", **given)
        axis.set(title=design, xlabel="Rows of the second step, r", ylabel=_ERROR)
        axis.grid(alpha=0.3)
    axis.plot(
        [], [], color="#7A7A7A", marker="o", markerfacecolor="none", linestyle="none", label="hollow: published"
    )
    _legend(figure, axis, 3)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_costs(table: pd.DataFrame) -> Figure:
    """Mean squared error against seconds and against rows touched, a row of panels per design."""
    figure = Figure(figsize=(7.2, 5.6), layout="constrained")
    designs = sorted(table["panel"].unique())
    for row, design in zip(figure.subplots(len(designs), 2, squeeze=False), designs, strict=True):
        for axis, name in zip(row, summaries.COSTS, strict=True):
            part = table[(table["panel"] == design) & (table["axis"] == name)]
            axis.set(title=design, xlabel=_AXES[name], ylabel=_ERROR, xscale="log", yscale="log")
            _lines(axis, part, LOOKS | {"full": _STAR}, x="cost")
            axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.xaxis.set_minor_formatter(NullFormatter())
            axis.grid(alpha=0.3)
    _legend(figure, axis, 3)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_figure9(table: pd.DataFrame) -> Figure:
    """Left the rows with both boundaries, right precision against recall on held-out rows."""
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    rows = table[table["panel"] == "rows"]
    for name, color, marker, size, label in (
        ("0", "#B8B8B8", "o", 3, "class 0"),
        ("1", "#2458C5", "^", 14, "class 1"),
    ):
        part = rows[rows["name"].astype(str) == name]
        left.scatter(
            part["x"], part["y"], s=size, c=color, marker=marker, linewidths=0, label=label, rasterized=True
        )
    for axis, panel in ((left, "boundary"), (right, "precision")):
        for name, look in _FIGURE9.items():
            line = table[(table["panel"] == panel) & (table["name"] == name)]
            axis.plot(line["x"], line["y"], color=look.color, linestyle=look.linestyle, label=look.label)
    margin = 0.3
    left.set(xlabel="Feature 1", ylabel="Feature 2", ylim=(rows["y"].min() - margin, rows["y"].max() + margin))
    left.set(xlim=(rows["x"].min() - margin, rows["x"].max() + margin))
    right.set(xlabel="Recall", ylabel="Precision", xlim=(0, 1), ylim=(0, 1.02))
    right.grid(alpha=0.3)
    _legend(figure, left, 4)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_bias(table: pd.DataFrame) -> Figure:
    """Distance from the slopes of the fit to all rows against r, of single fits and of their mean."""
    titles = {"distance": "Distance of the slopes, one fit (rms)", "distance_of_mean": "Distance of their mean"}
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    for axis, (panel, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        part = table[table["panel"] == panel]
        axis.set(xscale="log", yscale="log")
        _lines(axis, part, BIAS_LOOKS)
        if panel == "distance":
            sizes = np.array([part["r"].min(), part["r"].max()], dtype=float)
            start = part.loc[(part["method"] == "cc_weighted") & (part["r"] == sizes[0]), "mean"]
            heights = 0.6 * float(start.iloc[0]) * np.sqrt(sizes[0] / sizes)
            axis.plot(sizes, heights, color="#7A7A7A", linewidth=0.8, linestyle=":", label=r"slope $-1/2$")
            handles = axis
        axis.set(xlabel="Rows of the second step, r", ylabel=title)
        axis.grid(alpha=0.3)
    _legend(figure, handles, 3)
    style.mark_stand_in(figure, table["data"])
    return figure


def _lines(axis: Axes, part: pd.DataFrame, looks: dict[str, Look], x: str = "r") -> None:
    """The means of each method that there is, along r, and against r their intervals as a band.

    The y axis is set by the means, so that the band of a few seeds may end at it.
    """
    for method, look in looks.items():
        line = part[part["method"] == method].sort_values("r")
        if line.empty:
            continue
        drawn_as: dict[str, Any] = {
            "color": look.color,
            "linestyle": look.linestyle,
            "marker": look.marker,
            "label": look.label,
        }
        axis.plot(line[x], line["mean"], **drawn_as)
        if x == "r":
            low = line["low"].clip(lower=0.01 * line["mean"])  # above 0, for the log axis
            axis.fill_between(line[x], low, line["high"], color=look.color, alpha=0.12, linewidth=0)
    axis.set(ylim=(0.5 * part["mean"].min(), 1.8 * part["mean"].max()))


def _legend(figure: Figure, axis: Axes, n_columns: int) -> None:
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=n_columns)


FIGURES: Final[dict[str, Drawn]] = {
    "figure9": Drawn(summaries.summarise_figure9, draw_figure9),
    "figure10": Drawn(summaries.summarise_figure10, draw_figure10),
    "figure10_seconds": Drawn(summaries.summarise_costs, draw_costs),
    "bias": Drawn(summaries.summarise_bias, draw_bias),
}
"""`figure9` takes a seed, `bias` the runs of `bias`, the others those of `subsampling`."""
