"""What document 001 leaves open, decided otherwise one at a time; and its conjecture on larger data."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from frugal.papers import style
from frugal.papers.greedy_cv.tables import CELL, SEARCH_METHODS, published
from frugal.stats import mean_interval

KEYS = [*CELL, "method", "k"]
LABELS = {
    "as_configured": "as configured",
    "min_max": "min-max scaler",
    "robust": "robust scaler",
    "standard": "standard scaler",
    "plain_folds": "plain folds",
    "ranges": "random ranges",
    "first_of_ties": "first of tied best",
    "last_of_ties": "last of tied best",
}


def sensitivity_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Table 1 per variant, over the n and k that were run; published values pool five n.

    Args:
        runs: rows of `frugal search` with a column `variant`.
        scale: label of the run.
    """
    rows = []
    for (variant, *cell), part in runs.groupby(["variant", *KEYS], sort=True):
        by_seed = part.groupby("seed")["search_time"].mean()
        low, high = mean_interval(by_seed)
        rows.append(
            {
                "variant": variant,
                **dict(zip(KEYS, cell, strict=True)),
                "ours": by_seed.mean(),
                "ours_se": by_seed.sem(),
                "low": low,
                "high": high,
                "stars": "",
                "n_seeds": len(by_seed),
                "scale": scale,
                "data": "/".join(sorted(part["data"].unique())),
                "n_tied": part["n_tied"].mean(),
            }
        )
    printed = published("table1")[[*KEYS, "published", "published_stars"]]
    table = pd.DataFrame(rows).merge(printed, on=KEYS, how="left").assign(published_se=np.nan)
    tidy = [
        "published",
        "published_se",
        "published_stars",
        "ours",
        "ours_se",
        "low",
        "high",
        "stars",
        "n_seeds",
    ]
    return table[["variant", *KEYS, *tidy, "scale", "data", "n_tied"]]


def summarise_sensitivity(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean absolute difference to Table 1 over its cells: columns variant, method, distance, low, high, n_seeds.

    The interval comes from one distance per seed (a jackknife: leaving each seed out in turn).
    """
    rows = []
    printed = published("table1").set_index(KEYS)["published"]
    for (variant, method), part in runs.groupby(["variant", "method"], sort=True):
        wide = part.pivot_table(index=KEYS, columns="seed", values="search_time")
        target = printed.reindex(wide.index).to_numpy()
        distance = float(np.mean(np.abs(wide.mean(axis=1).to_numpy() - target)))
        left_out = np.array(
            [
                float(np.mean(np.abs(wide.drop(columns=seed).mean(axis=1).to_numpy() - target)))
                for seed in wide.columns
                if wide.shape[1] > 1
            ]
        )
        n = len(left_out)
        error = float(np.sqrt((n - 1) / n * np.sum((left_out - np.mean(left_out)) ** 2))) if n else np.nan
        rows.append(
            {
                "variant": variant,
                "method": method,
                "distance": distance,
                "low": distance - 1.96 * error,
                "high": distance + 1.96 * error,
                "n_seeds": wide.shape[1],
                "n_cells": len(wide),
            }
        )
    return pd.DataFrame(rows)


@style.styled
def draw_sensitivity(summary: pd.DataFrame) -> Figure:
    """One dot per variant and method: how far it is from the published table."""
    order = [name for name in LABELS if name in set(summary["variant"])]
    order += sorted(set(summary["variant"]) - set(order))
    figure = Figure(figsize=(style.TWO_COLUMN[0], 0.42 * len(order) + 1.2), layout="constrained")
    axes = figure.subplots()
    for shift, method in zip((-0.13, 0.13), SEARCH_METHODS, strict=True):
        part = summary[summary["method"] == method].set_index("variant").reindex(order)
        look = style.LOOKS[method]
        spread = np.vstack([part["distance"] - part["low"], part["high"] - part["distance"]])
        axes.errorbar(
            part["distance"],
            np.arange(len(order)) + shift,
            xerr=np.nan_to_num(np.clip(spread, 0, None)),
            fmt=look.marker,
            color=look.color,
            label=look.label,
            capsize=2,
        )
    axes.set_yticks(range(len(order)), [LABELS.get(name, name) for name in order])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("Mean absolute difference to the published search times")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def sizes_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean search time per number of rows, classifier, method and k; the document prints nothing to compare."""
    summary = summarise_sizes(runs)
    summary = summary.rename(columns={"mean": "ours", "se": "ours_se"})
    summary = summary.assign(
        published=np.nan, published_se=np.nan, published_stars="", stars="", scale=scale,
        data="/".join(sorted(runs["data"].unique())),
    )  # fmt: skip
    tidy = [
        "published",
        "published_se",
        "published_stars",
        "ours",
        "ours_se",
        "low",
        "high",
        "stars",
        "n_seeds",
    ]
    return summary[["dataset", "classifier", "method", "k", *tidy, "scale", "data", "n_rows"]]


def summarise_sizes(runs: pd.DataFrame) -> pd.DataFrame:
    """Columns dataset, classifier, method, k, n_rows, mean, se, low, high, n_seeds; n is averaged over."""
    rows = []
    for (dataset, classifier, method, k), part in runs.groupby(["dataset", "classifier", "method", "k"]):
        by_seed = part.groupby("seed")["search_time"].mean()
        low, high = mean_interval(by_seed)
        rows.append(
            {
                "dataset": dataset,
                "classifier": classifier,
                "method": method,
                "k": k,
                "n_rows": int(str(dataset).rsplit("_", 1)[1]),
                "mean": by_seed.mean(),
                "se": by_seed.sem(),
                "low": low,
                "high": high,
                "n_seeds": len(by_seed),
            }
        )
    return pd.DataFrame(rows).sort_values(["classifier", "method", "n_rows"], ignore_index=True)


@style.styled
def draw_sizes(summary: pd.DataFrame) -> Figure:
    """Search time against the number of rows, one panel per classifier."""
    from frugal.papers.markdown import NAMES

    classifiers = sorted(summary["classifier"].unique())
    figure = Figure(figsize=(style.TWO_COLUMN[0], 3.0), layout="constrained")
    panels = figure.subplots(1, len(classifiers), sharey=True, squeeze=False)[0]
    for axes, classifier in zip(panels, classifiers, strict=True):
        for method in SEARCH_METHODS:
            line = summary[(summary["classifier"] == classifier) & (summary["method"] == method)]
            look = style.LOOKS[method]
            axes.plot(
                line["n_rows"], line["mean"], color=look.color, marker=look.marker,
                linestyle=look.linestyle, label=look.label,
            )  # fmt: skip
            axes.fill_between(line["n_rows"], line["low"], line["high"], color=look.color, alpha=0.2)
        axes.set(xscale="log", ylim=(0, 1), xlabel="Rows of letter", title=NAMES[classifier])
        ticks = sorted(summary["n_rows"].unique())
        axes.set_xticks(ticks, [f"{t:,}" for t in ticks])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("Search time (share of n·k folds)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return figure
