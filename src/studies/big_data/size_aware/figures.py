"""The figures of section 2.1, from their numbers alone."""

from __future__ import annotations

from functools import partial
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from studies import style
from studies.big_data.size_aware import intuition
from studies.big_data.size_aware.summaries import summarise_figure3
from studies.drawn import Drawn
from studies.style import TRIALS

_TITLES: Final = {"left": "Optimisers", "middle": "Fabolas and MTBO's sizes", "right": "Sizes chosen"}
_SECONDS: Final = "Evaluations and optimiser (s)"


@style.styled
def draw_figure3(table: pd.DataFrame, spent: str = _SECONDS) -> Figure:
    """Test error of the incumbent against what was spent, both logarithmic, and the sizes chosen by iteration."""
    panels = [panel for panel in _TITLES if (table["panel"] == panel).any()]
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, panel in zip(axes, panels, strict=True):
        part = table[table["panel"] == panel]
        _lines(axis, part)
        axis.set(title=_TITLES[panel])
        if panel == "right":
            axis.set(xlabel="Iteration", ylabel="Training rows, s")
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            style.log_axis(axis.yaxis, part["mean"].min() / 1.3, 1.3 * part["mean"].max(), base=2)
            continue
        least = part["least_test_error"]
        axis.axhline(float(least.iloc[0]), color="black", linewidth=0.8, linestyle=":", label="least of the table")
        axis.set(xlabel=spent, ylabel="Test error of the incumbent")
        style.log_axis(axis.xaxis, part["x"].min(), part["x"].max())
        style.log_axis(axis.yaxis, 0.9 * least.min(), 1.1 * part["mean"].max())
    style.legend(figure, axes, n_columns=4)
    ratio = float(table["cost_ratio"].iloc[0])
    axes[0].set_title(f"{_TITLES['left']} (largest evaluation: {ratio:.3g} x the smallest)", fontsize=7)
    style.mark_stand_in(figure, table["data"])
    return figure


def _lines(axis: Axes, table: pd.DataFrame) -> None:
    for method, line in table.groupby("method", sort=False):
        look = TRIALS[str(method)]
        axis.step(
            line["x"], line["mean"], where="post", color=look.color, linestyle=look.linestyle, label=look.label
        )
        style.band(axis, line, look.color, step="post")
    axis.grid(alpha=0.3)


_SUMMARISE_COST: Final = partial(summarise_figure3, currency="cost")
FIGURES: Final[dict[str, Drawn]] = {
    **intuition.FIGURES,
    "figure3": Drawn(summarise_figure3, draw_figure3),
    "figure3_cost": Drawn(_SUMMARISE_COST, partial(draw_figure3, spent="Kernel values computed")),
    "figure3_cnn": Drawn(summarise_figure3, draw_figure3),
    "figure3_cnn_cost": Drawn(_SUMMARISE_COST, partial(draw_figure3, spent="Training rows times epochs")),
}
"""Figures 1 and 2 from a seed, the others from `svm_search` and, with cnn in their names, `cnn_search`."""
