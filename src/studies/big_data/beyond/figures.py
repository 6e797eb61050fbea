"""Pictures of the combinations against their parts, and of every method against the fraction of rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter, PercentFormatter

from studies import style
from studies.big_data.beyond import summaries
from studies.drawn import Drawn
from studies.style import Look

_DASHED: Final = (0, (5, 1))
_DOTTED: Final = (0, (1, 1))
LOOKS: Final[Mapping[str, Look]] = {
    "full": Look("#000000", "all rows", "*", ":", ""),
    "bootstrap": Look("#684319", "bootstrap", "h", ":", ""),
    "blb": Look("#4580EB", "BLB", "s", "--", ""),
    "osmac_mvc": Look("#F2B138", "OSMAC", "D", "-.", ""),
    "blb_osmac": Look("#2F6756", "BLB + OSMAC", "o", "-", ""),
    "dynamic": Look("#926A00", "dynamic sizes", "P", ":", ""),
    "blb_dynamic": Look("#D07CA1", "BLB + dynamic sizes", "X", "-", ""),
    "full_svm": Look("#000000", "SVM, all rows", "*", ":", ""),
    "wkm_svm": Look("#684319", "WKM-SVM", "v", ":", ""),
    "blb_svm": Look("#7AACEB", "BLB, SVM", "s", "--", ""),
    "blb_wkm_svm": Look("#00318F", "BLB + WKM-SVM", "^", "-", ""),
    "uniform": Look("#7F7F7F", "uniform", "o", "-", ""),
    "cc": Look("#FFD18E", "case-control", "<", "--", ""),
    "lcc": Look("#D07CA1", "local case-control", ">", "-.", ""),
    "osmac_mmse": Look("#926A00", "OSMAC, mMSE", "d", ":", ""),
    "b_of_n": Look("#7AACEB", "b of n, averaged", "p", ":", ""),
    "full_logistic": Look("#000000", "all rows", "", "-", ""),
    "km_svm": Look("#F2B138", "KM-SVM", "v", "--", ""),
    "svm_km": Look("#D07CA1", "SVM-KM", "X", "-.", ""),
    "uniform_svm": Look("#7F7F7F", "uniform, SVM", "o", "-", ""),
}
"""How each method is drawn here; every one has a colour, a marker and a line of its own within a panel."""
_OF_FRACTIONS: Final[Mapping[str, Look]] = {
    "osmac_mvc": Look("#2F6756", "OSMAC, mVc", "D", "-", ""),
    "blb": Look("#4580EB", "BLB, averaged", "s", _DASHED, ""),
    "dynamic": Look("#684319", "dynamic sizes", "P", _DOTTED, ""),
    "wkm_svm": Look("#00318F", "WKM-SVM", "^", "-", ""),
    "full_svm": Look("#000000", "all rows", "", "-", ""),
}
_WORDS: Final = {
    ("error", False): "Squared error of the coefficients",
    ("error", True): "Test error (share)",
    ("width_error", False): "Relative error of interval widths",
    ("seconds", True): "Seconds, all fits",
    "rows_touched": "Rows touched, all fits",
    "rows_accessed": "Rows accessed, repeats counted",
    "distinct_accessed": "Rows accessed, distinct per sample",
}
_MEASURES: Final = {
    "accuracy": "Test accuracy (share)",
    "seconds": "Seconds",
    "rows_accessed": "Rows accessed",
}


@style.styled
def draw_combinations(numbers: pd.DataFrame) -> Figure:
    """A column per combination; above its error, below its widths or seconds, both against rows."""
    figure = Figure(figsize=(style.TWO_COLUMN[0], 5.0), layout="constrained")
    for axes, number in zip(figure.subplots(2, 3).flat, range(1, 7), strict=True):
        part = numbers[numbers["panel"] == number]
        if part.empty:
            style.say_not_run(axes)
            continue
        problem, measure, against = (str(part[key].iloc[0]) for key in ("problem", "measure", "against"))
        is_svm = number in (3, 6)
        for method, line in part.groupby("method", sort=False):
            _draw(axes, line.sort_values("gamma"), LOOKS[str(method)], x="rows")
        _set_axes(axes, part, log=(measure, is_svm) != ("error", True) and measure != "width_error")
        axes.set(xlabel=_WORDS[against], ylabel=_WORDS[measure, is_svm])
        axes.set_xlim(part["rows"].min() / 2, part["rows"].max() * 2)  # so that there is room for a tick or two
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        if number <= 3:
            axes.set_title(f"{problem}, {'test error' if is_svm else 'coefficients'}")
    style.legend(figure, figure.axes, n_columns=5, below=True)
    style.mark_stand_in(figure, numbers["data"])
    return figure


@style.styled
def draw_fractions(numbers: pd.DataFrame, measures: tuple[str, ...]) -> Figure:
    """A column per dataset and kind of model, a row per measure; training on all rows is a line across."""
    panels = numbers[["dataset", "family"]].drop_duplicates().sort_values(["dataset", "family"])
    wide = 2 if len(measures) == 1 else len(panels)
    high = len(measures) * -(-len(panels) // wide)
    figure = Figure(figsize=(style.TWO_COLUMN[0], 1.1 + 2.2 * high), layout="constrained")
    every = list(figure.subplots(high, wide, squeeze=False).flat)
    for i, measure in enumerate(measures):
        for j, (dataset, family) in enumerate(panels.itertuples(index=False)):
            axes = every[i * len(panels) + j]
            part = numbers[(numbers["dataset"] == dataset) & (numbers["family"] == family)]
            _draw_panel(axes, part[part["measure"] == measure], measure, steps=(1.0, 3.0) if wide == 2 else (1.0,))
            if i == 0:
                axes.set_title(f"{dataset}, {'SVM' if family == 'svm' else 'logistic'}")
            if j % wide == 0:
                axes.set_ylabel(_MEASURES[measure])
    for axes in every[-wide:]:
        axes.set_xlabel("Share of rows trained on")
    style.legend(figure, figure.axes, n_columns=5, below=True)
    style.mark_stand_in(figure, numbers["data"])
    return figure


def _draw_panel(axes: Axes, part: pd.DataFrame, measure: str, steps: tuple[float, ...]) -> None:
    """One panel; `steps` are the multiples of a power of ten that have a tick. Without a fit there is no point."""
    part = part.dropna(subset=["mean", "rows_share"])
    if part.empty:
        style.say_not_run(axes)
        return
    for method, line in part.groupby("method", sort=False):
        look = _OF_FRACTIONS.get(str(method), LOOKS[str(method)])
        if method in ("full_logistic", "full_svm"):
            mean, low, high = (float(line[key].iloc[0]) for key in ("mean", "low", "high"))
            axes.axhline(mean, color=look.color, linewidth=0.9, label=look.label, zorder=1)
            axes.axhspan(low, high, color=look.color, alpha=0.12, linewidth=0)
        else:
            _draw(axes, line.sort_values("fraction"), look, x="rows_share")
    _set_axes(axes, part, log=measure != "accuracy")
    axes.xaxis.set_major_locator(LogLocator(subs=steps))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    if measure == "accuracy":
        low, high = float(part["mean"].min()), float(part["mean"].max())
        axes.set_ylim(low - 0.1 * (high - low) - 0.01, high + 0.15 * (high - low) + 0.01)


def _set_axes(axes: Axes, part: pd.DataFrame, *, log: bool) -> None:
    """Axes that hold every mean; intervals of few seeds may go beyond."""
    axes.set_xscale("log")
    low, high = float(part["mean"].min()), float(part["mean"].max())
    if log:
        axes.set_yscale("log")
        axes.set_ylim(low / 2.5, high * 2.5)
    else:
        axes.set_ylim(0, 1.35 * high)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(alpha=0.3)


def _draw(axes: Axes, line: pd.DataFrame, look: Look, *, x: str) -> None:
    spread = [(line["mean"] - line["low"]).clip(lower=0), (line["high"] - line["mean"]).clip(lower=0)]
    axes.errorbar(
        line[x], line["mean"], yerr=[part.fillna(0.0) for part in spread], color=look.color, marker=look.marker,
        linestyle=look.linestyle, capsize=2, elinewidth=0.8, label=look.label,
        markeredgecolor="black", markeredgewidth=0.4,
    )  # fmt: skip


FIGURES: dict[str, Drawn] = {
    "combinations": Drawn(summaries.summarise_combinations, draw_combinations),
    "fractions": Drawn(summaries.summarise_fractions, partial(draw_fractions, measures=("accuracy",))),
    "fractions_seconds": Drawn(
        summaries.summarise_fractions, partial(draw_fractions, measures=("seconds", "rows_accessed"))
    ),
}
"""Figure name -> its numbers and its picture; the first reads runs of `combinations`, the others `fractions`."""
