"""Pictures of Figure 8 and of the growth of the samples, from the tables of `summaries`."""

from __future__ import annotations

from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies import style
from studies.big_data.sample_size import summaries
from studies.big_data.sample_size.summaries import OURS, PANELS, PUBLISHED
from studies.drawn import Drawn
from studies.style import Look

LOOKS: Final[dict[str, Look]] = {
    "batch": Look("#000000", "batch (all rows)", "o", (0, (8, 1)), ""),
    "fixed_5": Look("#D07CA1", "fixed, 5 % of the rows", "s", (0, (5, 1)), "//"),
    "sgd_50": Look("#2F6756", "growing, θ = 0.5, SGD", "^", ":", ".."),
    "dynamic_10": Look("#F2B138", "growing, θ = 0.1", "D", (0, (3, 1, 1, 1)), "xx"),
    "dynamic_25": Look("#926A00", "growing, θ = 0.25", "v", "--", "\\\\"),
    "dynamic_50": Look("#00318F", "growing, θ = 0.5", "<", "-", "--"),
    "dynamic_75": Look("#4580EB", "growing, θ = 0.75", ">", "-.", "++"),
    "dynamic_75_unguarded": Look("#7AACEB", "growing, θ = 0.75, without guard", "P", ":", "||"),
}
"""One look per method, in every figure of the section."""
_GREY: Final = "#8A8F94"
_TITLES: Final = dict(zip(PANELS, ("Fixed and growing samples", "Choice of θ"), strict=True))
_LIKELIHOOD: Final = "Likelihood of the training data"


@style.styled
def draw_figure8(table: pd.DataFrame) -> Figure:
    """Ours above, with 95 % bands over the seeds; the document's curves, of other data, below in grey."""
    figure = Figure(figsize=(7.2, 4.9), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey="row", height_ratios=(2, 1))
    for column, (panel, title) in enumerate(_TITLES.items()):
        above, below = axes[0, column], axes[1, column]
        _draw(above, table[(table["panel"] == panel) & (table["source"] == OURS)])
        above.set(title=title)
        theirs = table[(table["panel"] == panel) & (table["source"] == PUBLISHED)]
        for method, line in theirs.groupby("method", sort=False):
            look = LOOKS[str(method)]
            below.plot(line["x"], line["mean"], color=_GREY, linewidth=1, linestyle=look.linestyle,
                       marker=look.marker, markerfacecolor="none", markevery=max(1, len(line) // 10))  # fmt: skip
        below.set(title="published (speech data, 129 classes)", xlabel="Rows accessed / all rows (passes)")
        below.grid(alpha=0.3)
    ours = table[table["source"] == OURS]
    axes[0, 0].set(ylabel=_LIKELIHOOD, xlim=(0, ours["x"].max()), ylim=_limits(ours))
    axes[1, 0].set(ylabel="Published", ylim=(0, None))
    style.legend(figure, axes[0], n_columns=3)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_seconds(table: pd.DataFrame) -> Figure:
    """Likelihood against seconds, with 95 % bands over the seeds."""
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    for axis, (panel, title) in zip(axes, _TITLES.items(), strict=True):
        _draw(axis, table[table["panel"] == panel])
        axis.set(title=title, xlabel="Seconds of the fit")
    axes[0].set(ylabel=_LIKELIHOOD, xlim=(0, None), ylim=_limits(table))
    style.legend(figure, axes, n_columns=3)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_growth(table: pd.DataFrame) -> Figure:
    """Share of the rows that is sampled, against rows accessed, both on logarithmic axes."""
    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    axis = figure.subplots()
    _draw(axis, table)
    axis.set(xscale="log", yscale="log", xlabel="Rows accessed / all rows (passes)")
    axis.set(ylabel="Size of the sample / all rows", xlim=(table["x"].min(), table["x"].max()))
    style.legend(figure, [axis], n_columns=3)
    style.mark_stand_in(figure, table["data"])
    return figure


def _draw(axis: Axes, table: pd.DataFrame) -> None:
    for i, (method, line) in enumerate(table.groupby("method", sort=False)):
        look = LOOKS[str(method)]
        axis.plot(line["x"], line["mean"], color=look.color, linestyle=look.linestyle, label=look.label,
                  marker=look.marker, markevery=(10 + 8 * i, 50))  # fmt: skip
        axis.fill_between(line["x"], line["low"], line["high"], color=look.color, alpha=0.2, linewidth=0)
    axis.grid(alpha=0.3)


def _limits(table: pd.DataFrame) -> tuple[float, float]:
    """Of an axis from 0 that shows every mean; the bands of few seeds may be far wider."""
    return 0.0, 1.1 * float(table["mean"].max())


FIGURES: dict[str, Drawn] = {
    "figure8": Drawn(summaries.summarise_figure8, draw_figure8),
    "figure8_seconds": Drawn(summaries.summarise_seconds, draw_seconds),
    "sample_growth": Drawn(summaries.summarise_growth, draw_growth),
}
"""Figure name -> its numbers and its picture, from runs of `sample_sizes`."""
