"""Pictures of the searches with combinations: how good, against what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from studies import style
from studies.big_data.searched_beyond import summaries
from studies.drawn import Drawn
from studies.style import Look

LOOKS: Final[Mapping[str, Mapping[str, Look]]] = {
    "growing_termination": {
        "batch": Look("#000000", "all rows", "", ":", ""),
        "batch_terminated": Look("#926A00", "all rows, termination", "", "--", ""),
        "dynamic": Look("#7AACEB", "growing samples", "", "-.", ""),
        "dynamic_terminated": Look("#00318F", "growing samples, termination", "", "-", ""),
    },
    "reduced_search": {
        "random_svm": Look("#000000", "random, SVM", "", ":", ""),
        "ei_svm": Look("#684319", "EI, SVM", "", "--", ""),
        "fabolas_svm": Look("#926A00", "Fabolas, SVM", "", "-", ""),
        "random_wkm": Look("#7F7F7F", "random, WKM-SVM", "", (0, (1, 1)), ""),
        "ei_wkm": Look("#7AACEB", "EI, WKM-SVM", "", (0, (5, 1)), ""),
        "fabolas_wkm": Look("#00318F", "Fabolas, WKM-SVM", "", "-", ""),
    },
    "terminating_fabolas": {
        "random": Look("#000000", "random", "", ":", ""),
        "random_terminated": Look("#7F7F7F", "random, termination", "", "--", ""),
        "fabolas": Look("#F2B138", "Fabolas", "", "-", ""),
        "fabolas_spent": Look("#D07CA1", "Fabolas, termination: cost spent", "", "-.", ""),
        "fabolas_horizon": Look("#00318F", "... cost to the end", "", "-", ""),
        "fabolas_joint": Look("#2F6756", "... one model of cost and loss", "", (0, (5, 1)), ""),
        "fabolas_uncorrelated": Look("#8FBFAE", "... the same, uncorrelated", "", (0, (1, 1)), ""),
    },
}
"""Experiment -> how its methods are drawn."""
_Y: Final = {
    "growing_termination": "Least validation error so far",
    "reduced_search": "Test error of the incumbent",
    "terminating_fabolas": "Test error of the incumbent",
}
_X: Final = {
    "growing_termination": {"rows": "Rows accessed", "seconds": "Trials and checks (s)"},
    "reduced_search": {"rows": "Rows touched", "seconds": "Trials and optimiser (s)"},
    "terminating_fabolas": {"rows": "Rows times epochs", "seconds": "Trials, checks and optimiser (s)"},
}


@style.styled
def draw(numbers: pd.DataFrame, *, experiment: str) -> Figure:
    """A panel per currency, both axes logarithmic; bands are the intervals of three seeds or more."""
    figure = Figure(figsize=(style.TWO_COLUMN[0], 3.4), layout="constrained")
    panels: Any = figure.subplots(1, 2, sharey=True)
    for axes, currency in zip(panels, _X[experiment], strict=True):
        part = numbers[numbers["panel"] == currency]
        if part.empty:
            style.say_not_run(axes)
            continue
        for method, look in LOOKS[experiment].items():
            _step(axes, part[part["method"] == method], look)
        axes.set(xlabel=_X[experiment][currency])
        formatter = EngFormatter(sep="") if currency == "rows" else None
        style.log_axis(axes.xaxis, part["x"].min(), part["x"].max(), formatter=formatter)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel(_Y[experiment])
    style.log_axis(panels[0].yaxis, 0.9 * numbers["mean"].min(), 1.1 * numbers["mean"].max())
    style.legend(figure, panels[:1], n_columns=3, below=True)
    style.mark_stand_in(figure, numbers["data"])
    return figure


def _step(axes: Axes, line: pd.DataFrame, look: Look) -> None:
    axes.step(line["x"], line["mean"], where="post", color=look.color, linestyle=look.linestyle, label=look.label)
    style.band(axes, line, look.color, step="post")


FIGURES: Final[dict[str, Drawn]] = {
    experiment: Drawn(partial(summaries.summarise, experiment=experiment), partial(draw, experiment=experiment))
    for experiment in LOOKS
}
"""Figure name, which is that of its experiment -> its numbers and its picture."""
