"""Figures 11 and 12 of document 001, with the published points drawn in."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from frugal.papers import style
from frugal.papers.greedy_cv.tables import SEARCH_METHODS, published
from frugal.papers.markdown import NAMES
from frugal.stats import mean_interval

KEYS = ["classifier", "method", "k"]
SHADES = ("#00318F", "#926A00", "#D07CA1")
"""One colour per classifier, told apart by lightness too."""


def _cells(runs: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Mean search time per cell with its 95 % interval over seeds (one mean per seed)."""
    rows = []
    for cell, part in runs.groupby(keys, sort=True):
        by_seed = part.groupby("seed")["search_time"].mean()
        low, high = mean_interval(by_seed)
        labels = dict(zip(keys, cell, strict=True))
        rows.append({**labels, "mean": by_seed.mean(), "low": low, "high": high, "n_seeds": len(by_seed)})
    return pd.DataFrame(rows)


def summarise_figure11(runs: pd.DataFrame) -> pd.DataFrame:
    """Breast cancer, averaged over k and n: columns classifier, method, mean, low, high, n_seeds, published."""
    ours = _cells(runs[runs["dataset"] == "wdbc"], ["classifier", "method"])
    printed = published("table1").query("dataset == 'wdbc'").groupby(["classifier", "method"], as_index=False)
    return ours.merge(printed["published"].mean(), on=["classifier", "method"], how="left")


@style.styled
def draw_figure11(summary: pd.DataFrame) -> Figure:
    """Bars per classifier; the published averages as diamonds."""
    classifiers = sorted(summary["classifier"].unique())
    figure = Figure(figsize=style.ONE_COLUMN, layout="constrained")
    axes = figure.subplots()
    for shift, method in zip((-0.2, 0.2), SEARCH_METHODS, strict=True):
        part = summary[summary["method"] == method].set_index("classifier").reindex(classifiers)
        look, x = style.LOOKS[method], np.arange(len(classifiers)) + shift
        spread = np.nan_to_num(np.vstack([part["mean"] - part["low"], part["high"] - part["mean"]]))
        axes.bar(
            x, part["mean"], 0.38, yerr=spread, capsize=2, color=look.color, hatch=look.hatch,
            edgecolor="white", label=look.label,
        )  # fmt: skip
        axes.plot(
            x, part["published"], "D", color="black", markerfacecolor="white", markersize=5,
            label="published" if shift > 0 else None,
        )  # fmt: skip
    axes.set_xticks(range(len(classifiers)), [NAMES[c].replace(" ", "\n", 1) for c in classifiers])
    axes.set(ylabel="Search time (share of n·k folds)", ylim=(0, 0.7))
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def summarise_figure12(runs: pd.DataFrame) -> pd.DataFrame:
    """Boston by k, classifier and n: columns classifier, method, k, n, mean, low, high, n_seeds, published.

    The document prints only the average over n, which `published` repeats.
    """
    ours = _cells(runs[runs["dataset"] == "boston"], [*KEYS, "n"])
    printed = published("table1").query("dataset == 'boston'")[[*KEYS, "published"]]
    return ours.merge(printed, on=KEYS, how="left")


@style.styled
def draw_figure12(summary: pd.DataFrame) -> Figure:
    """Three panels, one per k; greedy by classifier, standard averaged over the classifiers as baseline."""
    folds = sorted(summary["k"].unique())
    figure = Figure(figsize=(style.TWO_COLUMN[0], 3.3), layout="constrained")
    panels = figure.subplots(1, len(folds), sharey=True, squeeze=False)[0]
    ticks = sorted(summary["n"].unique())
    for axes, k in zip(panels, folds, strict=True):
        part = summary[summary["k"] == k]
        baseline = part[part["method"] == "standard"].groupby("n")["mean"].mean()
        look = style.LOOKS["standard"]
        axes.plot(
            baseline.index, baseline, color=look.color, linestyle="--", marker="s", label="standard (average)"
        )
        greedy = part[part["method"] == "greedy"]
        for (classifier, line), color, marker in zip(greedy.groupby("classifier"), SHADES, "ov^", strict=False):
            axes.plot(
                line["n"], line["mean"], color=color, marker=marker, label=f"greedy, {NAMES[str(classifier)]}"
            )
            axes.fill_between(line["n"], line["low"], line["high"], color=color, alpha=0.18)
            axes.plot(
                ticks[-1] * 1.5, line["published"].iloc[0], marker=marker, color="black", markerfacecolor="white",
                linestyle="none", label="published, average over n" if classifier == "knn" else None,
            )  # fmt: skip
        axes.set(xscale="log", ylim=(0, 0.7), xlabel="Candidates n", title=f"k = {k}")
        axes.set_xlim(ticks[0] * 0.85, ticks[-1] * 1.9)
        axes.set_xticks(ticks, [str(t) for t in ticks], rotation=45)
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("Search time (share of n·k folds)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure
