"""Figures of results: 11 and 12 of document 001, with the published points, and those of our own studies."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from studies import style
from studies.greedy_cv.tables import SEARCH_METHODS, published
from studies.markdown import NAMES
from studies.tidy import mean_by_seed, need

SHADES = {"bernoulli_nb": "#00318F", "decision_tree": "#926A00", "knn": "#D07CA1"}
"""One colour per classifier, told apart by lightness too."""
MARKERS = {"bernoulli_nb": "o", "decision_tree": "v", "knn": "^"}
VARIANTS = {
    "as_configured": "as configured",
    "min_max": "min-max scaler",
    "robust": "robust scaler",
    "standard": "standard scaler",
    "plain_folds": "plain folds",
    "ranges": "random ranges",
    "first_of_ties": "first of tied best",
    "last_of_ties": "last of tied best",
}


def summarise_figure11(runs: pd.DataFrame) -> pd.DataFrame:
    """Breast cancer, averaged over the k and n that were run.

    Returns:
        Columns classifier, method, those of `mean_by_seed`, published (averaged over the same k).
    """
    need(runs, "search_time")
    keys = ["classifier", "method"]
    runs = runs[runs["dataset"] == "wdbc"]
    printed = published("table1").query("dataset == 'wdbc'").merge(runs[["k"]].drop_duplicates(), on="k")
    means = printed.groupby(keys, as_index=False)["published"].mean()
    return mean_by_seed(runs, "search_time", keys).merge(means, on=keys, how="left")


@style.styled
def draw_figure11(summary: pd.DataFrame) -> Figure:
    """Bars per classifier; the published averages as diamonds."""
    figure = Figure(figsize=style.ONE_COLUMN, layout="constrained")
    axes = figure.subplots()
    axes.set_ylabel("Search time (share of n·k folds)")
    if summary.empty:
        style.say_not_run(axes)
        return figure
    classifiers = sorted(summary["classifier"].unique())
    for shift, method in zip((-0.2, 0.2), SEARCH_METHODS, strict=True):
        part = summary[summary["method"] == method].set_index("classifier").reindex(classifiers)
        look, x = style.LOOKS[method], np.arange(len(classifiers)) + shift
        spread = np.nan_to_num(np.vstack([part["ours"] - part["low"], part["high"] - part["ours"]]))
        axes.bar(
            x, part["ours"], 0.38, yerr=spread, capsize=2, color=look.color, hatch=look.hatch,
            edgecolor="white", label=look.label,
        )  # fmt: skip
        axes.plot(
            x, part["published"], "D", color="black", markerfacecolor="white", markersize=5,
            label="published" if shift > 0 else None,
        )  # fmt: skip
    axes.set_xticks(range(len(classifiers)), [NAMES[c].replace(" ", "\n", 1) for c in classifiers])
    axes.set_ylim(0, _top(summary))
    figure.legend(loc="outside upper center", ncols=3)
    style.mark_stand_in(figure, summary["data"])
    return figure


def _top(summary: pd.DataFrame) -> float:
    """Upper end of the axis: the document's 0.7, or more where a mean would not fit."""
    return max(0.7, 1.05 * float(summary["ours"].max()))


def summarise_figure12(runs: pd.DataFrame) -> pd.DataFrame:
    """Boston by k, classifier and n.

    Returns:
        Columns classifier, method, k, n, those of `mean_by_seed`, published. The document prints only the average
        over n, which `published` repeats.
    """
    need(runs, "search_time")
    keys = ["classifier", "method", "k"]
    ours = mean_by_seed(runs[runs["dataset"] == "boston"], "search_time", [*keys, "n"])
    printed = published("table1").query("dataset == 'boston'")[[*keys, "published"]]
    return ours.merge(printed, on=keys, how="left")


@style.styled
def draw_figure12(summary: pd.DataFrame) -> Figure:
    """Three panels, one per k; greedy by classifier, standard averaged over the classifiers as baseline."""
    folds = sorted(summary["k"].unique()) or [0]
    figure = Figure(figsize=(style.TWO_COLUMN[0], 3.3), layout="constrained")
    panels = figure.subplots(1, len(folds), sharey=True, squeeze=False)[0]
    panels[0].set_ylabel("Search time (share of n·k folds)")
    if summary.empty:
        style.say_not_run(panels[0])
        return figure
    ticks = sorted(summary["n"].unique())
    for axes, k in zip(panels, folds, strict=True):
        part = summary[summary["k"] == k]
        baseline = part[part["method"] == "standard"].groupby("n")["ours"].mean()
        look = style.LOOKS["standard"]
        axes.plot(
            baseline.index, baseline, color=look.color, linestyle="--", marker="s", label="standard (average)"
        )
        for name, line in part[part["method"] == "greedy"].groupby("classifier"):
            classifier = str(name)
            look_of = {"color": SHADES[classifier], "marker": MARKERS[classifier]}
            axes.plot(line["n"], line["ours"], **look_of, label=f"greedy, {NAMES[classifier]}")
            axes.fill_between(line["n"], line["low"], line["high"], color=SHADES[classifier], alpha=0.18, lw=0)
            axes.plot(
                ticks[-1] * 1.5, line["published"].iloc[0], marker=MARKERS[classifier], color=SHADES[classifier],
                markerfacecolor="white", linestyle="none", markersize=5.5,
                label=f"published mean over n, {NAMES[classifier]}",
            )  # fmt: skip
        axes.set(xscale="log", ylim=(0, _top(summary)), xlabel="Candidates n", title=f"k = {k}")
        axes.set_xlim(ticks[0] * 0.85, ticks[-1] * 1.9)
        axes.set_xticks(ticks, [str(t) for t in ticks], rotation=45)
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    handles, labels = panels[0].get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i].startswith("published"))
    figure.legend([handles[i] for i in order], [labels[i] for i in order], loc="outside upper center", ncols=2)
    style.mark_stand_in(figure, summary["data"])
    return figure


@style.styled
def draw_sensitivity(summary: pd.DataFrame) -> Figure:
    """One dot per variant and method: how far it is from the published table."""
    order = [name for name in VARIANTS if name in set(summary["variant"])]
    order += sorted(set(summary["variant"]) - set(order))
    figure = Figure(figsize=(style.TWO_COLUMN[0], 0.42 * len(order) + 1.2), layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel("Mean absolute difference to the published search times")
    if summary.empty:
        style.say_not_run(axes)
        return figure
    for shift, method in zip((-0.13, 0.13), SEARCH_METHODS, strict=True):
        part = summary[summary["method"] == method].set_index("variant").reindex(order)
        look = style.LOOKS[method]
        spread = np.vstack([part["distance"] - part["low"], part["high"] - part["distance"]])
        axes.errorbar(
            part["distance"],
            np.arange(len(order)) + shift,
            xerr=np.nan_to_num(spread),
            fmt=look.marker,
            color=look.color,
            label=look.label,
            capsize=2,
        )
    axes.set_yticks(range(len(order)), [VARIANTS.get(name, name) for name in order])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
    style.mark_stand_in(figure, summary["data"])
    return figure


@style.styled
def draw_sizes(summary: pd.DataFrame) -> Figure:
    """Search time against the number of rows, one column of panels per classifier and one row per k."""
    classifiers, folds = sorted(summary["classifier"].unique()), sorted(summary["k"].unique())
    height = 0.9 + 2.1 * len(folds)
    figure = Figure(figsize=(style.TWO_COLUMN[0], height), layout="constrained")
    panels = figure.subplots(len(folds), len(classifiers), sharex=True, sharey=True, squeeze=False)
    ticks = sorted(summary["n_rows"].unique())
    for (i, j), axes in np.ndenumerate(panels):
        part = summary[(summary["classifier"] == classifiers[j]) & (summary["k"] == folds[i])]
        for method in SEARCH_METHODS:
            line, look = part[part["method"] == method], style.LOOKS[method]
            axes.plot(
                line["n_rows"], line["ours"], color=look.color, marker=look.marker,
                linestyle=look.linestyle, label=look.label,
            )  # fmt: skip
            axes.fill_between(line["n_rows"], line["low"], line["high"], color=look.color, alpha=0.2)
        axes.set(xscale="log", ylim=(0, 1), title=f"{NAMES[classifiers[j]]}, k = {folds[i]}")
        axes.set_xticks(ticks, [f"{t:,}" for t in ticks])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    source = ", ".join(sorted(summary["dataset"].str.rsplit("_", n=1).str[0].unique()))
    for axes in panels[-1]:
        axes.set_xlabel(f"Rows of {source}")
    for axes in panels[:, 0]:
        axes.set_ylabel("Search time\n(share of n·k folds)")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    style.mark_stand_in(figure, summary["data"])
    return figure
