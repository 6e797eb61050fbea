"""Pictures of figures 2 to 7 of document 000 and of the sweep, from the tables of `model` and `network`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies import style
from studies.beta_pruning.network import RECORDED

_EXACT, _DRAWS, _LIKELIHOOD = style.LOOKS["beta_pruning"].color, "#C9CDD2", "#926A00"


@style.styled
def draw_exponentials(table: pd.DataFrame) -> Figure:
    """Two panels, the share of the mass that each shows in its title."""
    figure, axes = _panels(table, (7.2, 2.4))
    for axis, (name, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        axis.plot(part["x"], part["density"], color=_EXACT)
        axis.fill_between(part["x"], part["density"], color=_EXACT, alpha=0.15, linewidth=0)
        share = float(np.trapezoid(part["density"], part["x"]))
        axis.set(title=f"{name}: {share:.1%} of the mass is shown", xlabel="precision μ", ylabel="density")
        axis.set(xlim=(0, part["x"].max()), ylim=(0, None))
    return figure


@style.styled
def draw_betas(table: pd.DataFrame) -> Figure:
    """Three panels on one scale of x."""
    figure, axes = _panels(table, (7.2, 2.4))
    for axis, (name, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        axis.plot(part["x"], part["density"], color=_EXACT)
        peak = part["density"].max()
        axis.set(title=f"{name}: peak {peak:.3g}", xlabel="mean accuracy η", ylabel="density")
        axis.set(xlim=(0, 1), ylim=(0, 1.08 * peak))
    return figure


@style.styled
def draw_prior_predictive(table: pd.DataFrame) -> Figure:
    """Histogram of draws, the exact density, and the uniform density for comparison."""
    figure, (axis,) = _panels(table, (4.2, 2.7))
    _draw(axis, table)
    axis.axhline(1, color="#000000", linewidth=0.8, linestyle=":", label="uniform")
    axis.set(xlabel="fold accuracy", ylabel="density", xlim=(0, 1), ylim=(0, 2.2))
    axis.legend(ncols=3, loc="upper center")
    return figure


@style.styled
def draw_predictives(table: pd.DataFrame) -> Figure:
    """A panel per set of accuracies, its tallest exact bin in the title."""
    figure, axes = _panels(table, (7.2, 2.6), share_y=True)
    for axis, (name, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        exact = part[part["kind"] == "exact"]
        _draw(axis, part)
        axis.set(title=f"{name}\ntallest exact bin {exact['density'].max():.2f}", xlabel="fold accuracy")
        axis.set(xlim=(0, 1))
    axes[0].set(ylabel="density")
    axes[0].legend(loc="upper right")
    return figure


@style.styled
def draw_contrast(table: pd.DataFrame) -> Figure:
    """A panel per set of accuracies: draws, exact density, and the fit by maximum likelihood."""
    figure, axes = _panels(table, (7.2, 2.8))
    for axis, (name, part) in zip(axes, table.groupby("panel", sort=False), strict=True):
        _draw(axis, part)
        likely = part[part["kind"] == "maximum likelihood"]
        axis.plot(likely["x"], likely["density"], color=_LIKELIHOOD, linestyle="--", label="maximum likelihood")
        peak = likely["density"].max()
        axis.set(title=f"{name}: likelihood fit peaks at {peak:.1f}", xlabel="fold accuracy", ylabel="density")
        axis.set(xlim=(0, 1), ylim=(0, 1.05 * peak))
    axes[1].legend(loc="upper left")
    return figure


@style.styled
def draw_figure7(table: pd.DataFrame) -> Figure:
    """Candidates explored and best mean accuracy against trainings; bands from the least to the greatest seed."""
    figure = Figure(figsize=style.TWO_COLUMN, layout="constrained")
    titles = {"explored": "Hyperparameter sets explored", "best_mean": "Error of the best (1 - mean accuracy)"}
    for axis, (panel, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        part = table[table["panel"] == panel]
        if panel == "best_mean":
            part = part.assign(mean=1 - part["mean"], low=1 - part["high"], high=1 - part["low"])
        for method in ("standard", "beta_pruning"):
            line, look = part[part["method"] == method], style.LOOKS[method]
            axis.plot(line["step"], line["mean"], color=look.color, linestyle="-", label=look.label)
            axis.fill_between(line["step"], line["low"], line["high"], color=look.color, alpha=0.2, linewidth=0)
        line = part[part["method"] == RECORDED]
        axis.plot(line["step"], line["mean"], color="#000000", linestyle=":", label="beta pruning, document's run")
        axis.set(xlabel="Networks trained", ylabel=title, xlim=(0, None))
        axis.set(**({"ylim": (0, None)} if panel == "explored" else {"yscale": "log"}))
        axis.grid(alpha=0.3)
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    style.mark_stand_in(figure, table["data"])
    return figure


@style.styled
def draw_sweep(table: pd.DataFrame) -> Figure:
    """Cost, exploration and regret against tau, a line per buffer; bars from the least to the greatest seed.

    A measure that is 0 at every setting has a sentence and no panel.
    """
    taus, buffers = sorted(table["tau"].unique()), sorted(table["buffer"].unique())
    titles = {
        "folds_share": "Networks trained (share of n·k)",
        "explored_at_20": "Sets explored by 20 trainings",
        "regret": "Regret (mean accuracy)",
    }
    shown = [panel for panel in titles if (table.loc[table["panel"] == panel, "high"] > 0).any()]
    figure = Figure(
        figsize=(style.TWO_COLUMN[0] * len(shown) / len(titles), style.TWO_COLUMN[1]), layout="constrained"
    )
    panels = figure.subplots(1, len(shown), squeeze=False)[0]
    for axis, panel in zip(panels, shown, strict=True):
        for i, (buffer, color) in enumerate(zip(buffers, style.sequence(len(buffers)), strict=True)):
            line = table[(table["panel"] == panel) & (table["buffer"] == buffer)].set_index("tau").reindex(taus)
            spread = np.vstack([line["mean"] - line["low"], line["high"] - line["mean"]])
            spread = np.maximum(spread, 0)  # the mean of equal numbers may be off by a rounding
            x = np.arange(len(taus)) + 0.06 * (i - (len(buffers) - 1) / 2)
            axis.errorbar(x, line["mean"], yerr=spread, color=color, marker="os^DvP*X"[i % 8], capsize=2,
                          label=f"buffer {buffer:g}")  # fmt: skip
        axis.set_xticks(range(len(taus)), [f"{tau:g}" for tau in taus])
        axis.set(xlabel="Pruning threshold τ", ylabel=titles[panel], ylim=(0, None))
        axis.grid(alpha=0.3)
    zeros = [f"{title}: 0 at every setting" for panel, title in titles.items() if panel not in shown]
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(buffers), title="\n".join(zeros))
    style.mark_stand_in(figure, table["data"])
    return figure


def _panels(table: pd.DataFrame, size: tuple[float, float], *, share_y: bool = False) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, table["panel"].nunique(), sharey=share_y, squeeze=False)
    return figure, list(axes[0])


def _draw(axis: Axes, part: pd.DataFrame) -> None:
    """Draws as bars; what is exact as a curve, or as the steps of its bins."""
    draws, exact = part[part["kind"] == "draws"], part[part["kind"] == "exact"]
    axis.bar(draws["x"], draws["density"], width=draws["width"], color=_DRAWS, label="4000 draws")
    if exact["width"].isna().all():
        axis.plot(exact["x"], exact["density"], color=_EXACT, label="exact")
    else:
        edges = np.append(exact["x"] - exact["width"] / 2, exact["x"].iloc[-1] + exact["width"].iloc[-1] / 2)
        axis.stairs(exact["density"], edges, color=_EXACT, label="exact")
