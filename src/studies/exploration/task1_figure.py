"""Picture of document 002's task 1, from the numbers of `task1_tables.summarise_task1`."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from studies import style

COLORS = {"mean": "#00318F", "best": "#926A00"}
_MEAN, _BEST = COLORS["mean"], COLORS["best"]


@style.styled
def draw_task1(table: pd.DataFrame) -> Figure:
    """Left, the page's picture: points, predictive mean and band at K = 3; right, the evidence behind K = 3."""
    figure = Figure(figsize=style.TWO_COLUMN, layout="constrained")
    left, right = figure.subplots(1, 2)
    fit = table[table["panel"] == "fit"]
    points, line = fit[fit["series"] == "points"], fit[fit["series"] == "predictive"]
    left.plot(line["x"], line["y"], color=_MEAN, label="predictive mean")
    left.fill_between(line["x"], line["low"], line["high"], color=_MEAN, alpha=0.18, linewidth=0, label="± 2 sd")
    left.plot(points["x"], points["y"], "o", color="#000000", label="the ten points")
    left.set(title="K = 3, β = 4, λ = 1, as reported", xlabel="x", ylabel="y")
    left.set(xlim=(line["x"].min(), line["x"].max()))
    left.legend(loc="upper left")
    labels = {
        "given": ("β = 4, λ = 1 given", _MEAN, "o", "-"),
        "best": ("best β and λ of the grid", _BEST, "s", "--"),
    }
    evidence = table[table["panel"] == "evidence"]
    for series, (label, color, marker, linestyle) in labels.items():
        part = evidence[evidence["series"] == series]
        right.plot(part["x"], part["y"], color=color, marker=marker, linestyle=linestyle, label=label)
        top = part.iloc[int(part["y"].to_numpy().argmax())]
        right.annotate(f"K = {top['x']:.0f}", (top["x"], top["y"]), xytext=(0, 6), textcoords="offset points",
                       ha="center", color=color, fontsize=7)  # fmt: skip
    right.set(title="What K = 3 rests on", xlabel="degree K", ylabel="log evidence of the ten points (nats)")
    right.margins(y=0.12)
    right.legend(loc="lower left")
    return figure
