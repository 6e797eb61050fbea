"""Document 001, section 5.1: how soon greedy and standard k-fold selection find the best model.

Table 1, the 135 cells behind it, Figures 11 and 12, and the claims of that section and of the theory in 4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for
from studies import plotters, style
from studies.estimates import Array, Arrays, Estimate
from studies.greedy_cv.measures import (
    above_0_in_every,
    are_enough,
    by_method,
    count,
    n_lower,
    n_significant,
    overall,
    ratio_of_means,
    runs_of_cells,
    seed_means,
    spread,
)
from studies.greedy_cv.tables import (
    CELL,
    KEYS,
    N_SEARCH,
    SEARCH_METHODS,
    by_reading,
    compare,
    folds_of,
    kind_of_searches,
    kinds_by_reading,
    published,
    runs_by_reading,
    settings_note,
    with_published,
)
from studies.markdown import NAMES
from studies.measures import Measure
from studies.methods import methods
from studies.records import Artefact, Claim, Study, as_configured
from studies.regions import about, above, at_least, between, near, near_sd
from studies.tidy import mean_by_seed, need, tidied

CLASSIFIERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "bernoulli_nb": {"color": "#00318F", "marker": "o"},
    "decision_tree": {"color": "#926A00", "marker": "v"},
    "knn": {"color": "#D07CA1", "marker": "^"},
}
"""Looks, told apart by lightness too."""

# Claims --------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Search times by method, and under `inside` whether each lies within the theory's bounds."""
    need(runs, "search_time")
    lowest = np.where(
        runs["method"] == "greedy", (runs["n"] + runs["k"] - 1) / (runs["n"] * runs["k"]), 1 / runs["n"]
    )
    inside = runs["search_time"].between(lowest - 1e-12, 1.0).astype(float)
    runs = runs.assign(inside=inside.where(runs["search_time"].notna()))
    bounds = by_method(runs, "inside", [*CELL, "k"], "n", SEARCH_METHODS)
    return by_method(runs, "search_time", [*CELL, "k"], "n", SEARCH_METHODS) | {
        "inside": np.concatenate(list(bounds.values()))
    }


JUDGED: Final = partial(runs_of_cells, table="table1")
IS_ENOUGH: Final = partial(are_enough, table="table1")
SEARCH_TIME: Final = Study(
    name="search_time",
    methods=methods("standard", "greedy"),
    folds=folds_of,
    replayed=as_configured,
    kinds=kinds_by_reading("search_time", kind_of_searches(SEARCH_METHODS)),
    judged=JUDGED,
    arrays=arrays,
    is_enough=IS_ENOUGH,
)
_claim = partial(Claim, section="5.1", unit="share", study="search_time", artefact="tables/table1")


def _of_repetitions(name: str) -> Measure:
    """As `spread`, of means that differ by repetitions alone: with more seeds it nears 0, so none decide it."""
    measure = spread(name)
    return lambda arrays, rng: replace(measure(arrays, rng), seeds_to_decide="")


def _saved(arrays: Arrays) -> Array:
    """What greedy saves of all fold evaluations, in points, (n_cells, n_inner, n_seeds)."""
    return 100.0 * (arrays["standard"] - arrays["greedy"])


def _saved_in_every_cell(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """What greedy saves of all fold evaluations, in points, in every cell of Table 1."""
    return above_0_in_every(seed_means(_saved(arrays)), "table1", [*CELL, "k"], "cells")


def _saved_in_every_comparison(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """The same in every comparison."""
    saved = _saved(arrays)
    return above_0_in_every(saved.reshape(-1, saved.shape[-1]), "table1", [*CELL, "k", "n"], "comparisons")


def _times_as_quick(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Standard's mean search time over greedy's; two claims are on it, which share the first one's resamples."""
    shared = rng_for("bootstrap", "greedy_cv.search_time.more_than_twice")
    return ratio_of_means("standard", "greedy")(arrays, shared)


CLAIMS: Final = (
    _claim(
        "greedy_cv.search_time.greedy_mean",
        quote="the overall mean search time for the greedy method was 0.246",
        quantity="mean search time of the greedy method, as a share of all fold evaluations",
        published=0.246,
        agrees=near(0.246, unit=0.001),
        measure=overall("greedy"),
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.greedy_sd",
        quote="the greedy method was 0.246 (std dev = 0.059)",
        quantity="standard deviation of the greedy method's mean search time over the 27 cells of Table 1",
        published=0.059,
        agrees=near_sd(0.059),
        measure=spread("greedy"),
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.standard_mean",
        quote="the overall mean search time for the standard method was 0.500",
        quantity="mean search time of the standard method, as a share of all fold evaluations",
        published=0.500,
        agrees=near(0.500, unit=0.001),
        measure=overall("standard"),
        is_by_construction=True,  # the tied best comes first or last in half of all random orders
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.standard_sd",
        quote="the standard method was 0.500 (std dev = 0.023)",
        quantity="standard deviation of the standard method's mean search time over the 27 cells of Table 1",
        published=0.023,
        agrees=near_sd(0.023),
        measure=_of_repetitions("standard"),
        is_by_construction=True,  # all cells have the mean 0.5, so that this is what 150 repetitions leave
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.more_than_twice",
        quote="identified the best-performing ML model among the set of candidate models more than twice as "
        "quickly on average",
        quantity="mean search time, the standard method's over the greedy method's",
        unit="times",
        agrees=above(2),
        measure=_times_as_quick,
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.about_twice",
        section="6",
        quote="identify the optimal ML model approximately twice as quickly as the standard method",
        quantity="mean search time, the standard method's over the greedy method's",
        unit="times",
        published=2,
        agrees=about(2),
        measure=_times_as_quick,
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.n_significant",
        quote="statistically outperformed the standard k-fold method at the p < 0.001 level in every combination "
        "of dataset, ML algorithm, and value of k",
        quantity="cells of Table 1, of 27, in which the greedy method is faster at p < .001 (Welch's test on the "
        "values of five n and 30 repetitions; in the document's table all 27 have three stars)",
        unit="cells",
        agrees=between(26, 27),  # the document's own tests on its own repetitions: a count, within one
        measure=count(lambda a: n_significant(a["greedy"], a["standard"], 0.001)),
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.every_cell",
        quote="statistically outperformed the standard k-fold method ... in every combination of dataset, ML "
        "algorithm, and value of k",
        quantity="search time, in % of all fold evaluations, the standard method's less the greedy method's; the "
        "cell of Table 1 where this is least",
        unit="points",
        agrees=above(0),
        measure=_saved_in_every_cell,
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.every_comparison",
        quote="the greedy k-fold method was observed to consistently outperform the standard k-fold method on "
        "average in all of the 135 comparisons",
        quantity="search time, in % of all fold evaluations, the standard method's less the greedy method's; the "
        "comparison where this is least",
        unit="points",
        agrees=above(0),
        measure=_saved_in_every_comparison,
        artefact="tables/table1_by_n",
        inferred_from="Table 1",
    ),
    _claim(
        "greedy_cv.search_time.bounds",
        section="4.1",
        quote="the minimum search time for the standard method is 1/n ... While the maximum theoretical search "
        "time for the greedy k-fold method is also 1.0, the minimum time for the greedy method to find the "
        "optimal model is (n + k - 1)/nk",
        quantity="share of searches, of both methods, whose search time lies within these bounds",
        unit="%",
        agrees=at_least(100),
        measure=count(lambda a: 100.0 * float(np.nanmean(a["inside"]))),
        is_by_construction=True,
        artefact="tables/table1_by_n",
    ),
    _claim(
        "greedy_cv.search_time.n_significant_clustered",
        quantity="cells of Table 1, of 27, in which the greedy method is faster at p < .001 by Welch's test on "
        "one mean per repetition, since the five values of a repetition are not independent",
        unit="cells",
        agrees=between(26, 27),
        measure=count(lambda a: n_significant(seed_means(a["greedy"]), seed_means(a["standard"]), 0.001)),
    ),
    _claim(
        "greedy_cv.search_time.n_ahead",
        quantity="comparisons, of 135, in which the greedy method has the lower mean search time, whatever the "
        "intervals",
        unit="comparisons",
        agrees=between(134, 135),
        measure=count(lambda a: n_lower(a["greedy"], a["standard"])),
        artefact="tables/table1_by_n",
    ),
)

# Tables and figures --------------------------------------------------------------------------------------------


def table1(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Average search time to find the optimal model, pooled over n."""
    need(runs, "search_time")
    ours = compare(runs, "search_time", [*CELL, "k"], higher_is_better=False)
    table = with_published("table1", ours, KEYS, scale, ["p", "p_clustered"])
    table.attrs.update(settings_note(runs, "n", N_SEARCH))
    return table


def table1_by_n(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The 135 cells behind Table 1, with the average number of candidates tied for best."""
    need(runs, "search_time", "n_tied")
    keys = [*CELL, "k", "n"]
    ours = compare(runs, "search_time", keys, higher_is_better=False)
    ties = runs.groupby([*keys, "method"], as_index=False)["n_tied"].mean()
    table = ours.merge(ties, on=[*keys, "method"])
    return tidied(table, [*CELL, "method", "k", "n"], scale, "n_missing", "p", "n_tied")


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
def draw_figure11(summary: pd.DataFrame) -> plotters.Figure:
    """A panel per reading, in it bars per classifier; the published averages as diamonds."""
    readings = list(summary["reading"].unique()) or [""]
    size = max(style.ONE_COLUMN[0], 2.3 * len(readings)), style.ONE_COLUMN[1]
    figure, panels = plotters.row(summary, "reading", readings, size=size, sharey=True)
    figure.axes[0].set_ylabel("Search time (share of n·k folds)")
    for axes, part, reading in panels:
        _draw_bars(axes, part, sorted(summary["classifier"].unique()))
        axes.set(ylim=(0, _top(summary)), title=_in_words(reading) if len(readings) > 1 else "")
    return plotters.finish(figure, summary, 3)


def _in_words(reading: str) -> str:
    """`lists, olson scaler` of `grid/olson`; behind it what else is not the default."""
    space, scaler, *others = reading.split("/")
    named = "lists" if space == "grid" else space, f"{'no' if scaler == 'none' else scaler} scaler"
    return ", ".join([*named, *others])


def _draw_bars(axes: plotters.Axes, summary: pd.DataFrame, classifiers: list[str]) -> None:
    for shift, method in zip((-0.2, 0.2), SEARCH_METHODS, strict=True):
        part = summary[summary["method"] == method].set_index("classifier").reindex(classifiers)
        look, x = style.LOOKS[method], np.arange(len(classifiers)) + shift
        axes.bar(
            x, part["ours"], 0.38, yerr=plotters.spread(part, "ours"), capsize=2, ecolor="#8A8F94",
            color=look.color, hatch=look.hatch, edgecolor="white", label=look.label,
        )  # fmt: skip
        axes.plot(
            x + 0.1, part["published"], "D", color="black", markerfacecolor="white", markersize=5,
            label="published" if shift > 0 else None,
        )  # fmt: skip
    axes.set_xticks(range(len(classifiers)), [NAMES[c].replace(" ", "\n", 1) for c in classifiers])


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
def draw_figure12(summary: pd.DataFrame) -> plotters.Figure:
    """A row per reading, in it a panel per k; greedy by classifier, standard averaged over them as baseline."""
    folds, readings = sorted(summary["k"].unique()) or [0], list(summary["reading"].unique()) or [""]
    figure = style.new_figure(style.TWO_COLUMN[0], 0.9 + 2.4 * len(readings))
    panels = figure.subplots(len(readings), len(folds), sharex=True, sharey=True, squeeze=False)
    if summary.empty:
        style.say_not_run(panels[0, 0])
        return figure
    for (i, j), axes in np.ndenumerate(panels):
        part = summary[(summary["reading"] == readings[i]) & (summary["k"] == folds[j])]
        _draw_lengths(axes, part, sorted(summary["n"].unique()))
        axes.set(ylim=(0, _top(summary)), title=f"k = {folds[j]}" if i == 0 else "")
    for axes, reading in zip(panels[:, 0], readings, strict=True):
        label = "Search time (share of n·k folds)"
        axes.set_ylabel(f"{_in_words(reading)}\n{label}" if len(readings) > 1 else label)
    for axes in panels[-1]:
        axes.set_xlabel("Candidates n")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i].startswith("published"))
    figure.legend([handles[i] for i in order], [labels[i] for i in order], loc="outside upper center", ncols=2)
    style.mark_data(figure, summary["data"])
    return figure


def _draw_lengths(axes: plotters.Axes, part: pd.DataFrame, ticks: list[int]) -> None:
    """Search times of one reading and k against n."""
    standard, look = part[part["method"] == "standard"], style.LOOKS["standard"]
    baseline = standard.groupby("n")["ours"].mean()
    axes.plot(baseline.index, baseline, color=look.color, linestyle="--", marker="s", label="standard (average)")
    axes.plot(
        ticks[-1] * 1.5, standard["published"].mean(), color=look.color, linestyle="none", marker="s",
        markerfacecolor="white", markersize=5.5, label="published mean over n, standard (average)",
    )  # fmt: skip
    for name, line in part[part["method"] == "greedy"].groupby("classifier"):
        classifier = str(name)
        shade = CLASSIFIERS[classifier]
        axes.plot(line["n"], line["ours"], **shade, label=f"greedy, {NAMES[classifier]}")
        style.band(axes, line, shade["color"], x="n", alpha=0.18)
        axes.plot(
            ticks[-1] * 1.5, line["published"].iloc[0], **shade,
            markerfacecolor="white", linestyle="none", markersize=5.5,
            label=f"published mean over n, {NAMES[classifier]}",
        )  # fmt: skip
    plotters.log_ticks(axes, ticks, rotation=45)
    axes.set_xlim(ticks[0] * 0.85, ticks[-1] * 1.9)
    axes.grid(alpha=0.3)


RUNS: Final = runs_by_reading("search_time")
TABLE1: Final = Artefact(
    "table1",
    RUNS,
    by_reading(table1, "reading"),
    """Table 1 of document 001: average search time to find the optimal model, ours beside the published value (in
    brackets), values pooled over n as the document does, one block of rows per reading of the document.
    {{ n_seeds | seeds }}.""",
)
TABLE1_BY_N: Final = Artefact(
    "table1_by_n",
    RUNS,
    by_reading(table1_by_n, "reading"),
    """The 135 cells behind Table 1 of document 001, one per n, which the document does not print, for each
    reading. {{ n_seeds | seeds }}.""",
)
FIGURE11: Final = Artefact(
    "figure11",
    RUNS,
    by_reading(summarise_figure11, "reading"),
    """Figure 11 of document 001: search time on breast cancer, averaged over k and n: bars are our means, thin
    lines on them 95 % intervals over seeds, diamonds the averages of the published Table 1; one panel per reading:
    candidates from random ranges or from Olson et al.'s lists, and the scaler (olson: Olson et al.'s own). {{
    n_seeds | seeds }}.""",
    draw_figure11,
)
FIGURE12: Final = Artefact(
    "figure12",
    RUNS,
    by_reading(summarise_figure12, "reading"),
    """Figure 12 of document 001: search time on Boston against the number of candidates, one panel per k; open
    markers at the right, in their classifier's colour, are the published averages over n, bands 95 % intervals
    over seeds; one row of panels per reading: candidates from random ranges or from Olson et al.'s lists, and the
    scaler (olson: Olson et al.'s own). Standard is a mean over the classifiers, without a band. {{ n_seeds | seeds
    }}.""",
    draw_figure12,
)
