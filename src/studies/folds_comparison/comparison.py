"""Strategies of all documents on the same folds: what they cost and what they lose, as a table and as figures.

`replays` makes the runs, one row per strategy and repetition; what is compared, a strategy with its settings, is
called `method` in them. Runs with seconds are those on timed fits; they count in `time_share` and prices alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies import plotters, style
from studies.estimates import NOT_RUN
from studies.kinds import CELL, Kind
from studies.markdown import about_marked, made_of, mark, plain
from studies.records import Artefact, FoldsOf, Look, Method, Study, default_look
from studies.shared.network_scores import FLOOR as NETWORK_FLOOR
from studies.shared.ranks import COLUMNS, draw_diagrams, rank_table
from studies.tidy import FROM_0, SHARE, in_order, mean_by_seed, need, provenance, stacked

FLOOR: Final = 10
"""Repetitions under which no number is published."""
SHARES: Final = (1 / 64, 1 / 32, 1 / 16, 3 / 32, 1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1.0)
"""Of the cost of the exhaustive search: where the anytime curve is read."""


def regret_at(share: float) -> str:
    """Column of the regret after a share of the exhaustive search's cost."""
    return f"regret_at_{share:g}"


LISTS: Final = ["n", "k"]
FACTS: Final = ["method", "strategy", "budget_share"]
MEASURES: Final = {
    "folds_share": "folds",
    "rows_share": "rows",
    "time_share": "seconds",
    "quality": "rank percentile",
    "regret": "regret",
    "lost_best": "best lost",
    "n_judged": "prunings",
    "n_wrong": "wrong prunings",
    "best_pruned": "best pruned",
}
"""Columns of runs that the table averages, and their heads; the first three are shares of the full search's."""
EQUAL_SHARE: Final = 1 / 4
"""Of the cost of the exhaustive search: where strategies are ranked by their regret at the same cost."""
RANKED: Final = {
    "regret": "regret of the choice",
    "rows_share": "cost (rows trained on)",
    regret_at(EQUAL_SHARE): f"regret after {Fraction(EQUAL_SHARE)} of the exhaustive search's cost",
}
"""What strategies are ranked by: what they end with, what it cost, and where they stood at the same cost."""
MEAN: Final = {"ours": "mean", "ours_se": "se"}

_LIGHTER: Final = {"beta_pruning_tau_0_7": "#B9E0C9", "beta_pruning_tau_0_9": "#6FB08E"}
"""Colours of the same strategy with other settings; its marker stays."""

_COMPARED: Final = (*CELL, "strategy", "budget_share")
_SHARES: Final = ("folds_share", "rows_share")
_OF_A_NETWORK: Final = {"classifier": "mnist_cnn"}
_OF_NO_NETWORK: Final = {"classifier": "(?!mnist_cnn).*"}


def compared(study: Study, config: Mapping[str, Any]) -> dict[str, list[Method]]:
    """What the configuration compares, with its share of the budget among the settings."""
    from studies.folds_comparison.entries import entries_of

    methods = []
    for entry in entries_of(config).values():
        share = {} if entry.budget_share is None else {"budget_share": entry.budget_share}
        methods.append(Method(entry.name, entry.strategy, {**entry.settings, **share}))
    return {study.name: methods}


def folds_of(study: Study, config: Mapping[str, Any]) -> FoldsOf:
    """The compared numbers of folds, and the datasets: its own, or those of document 001."""
    block = config["folds_comparison"]
    return {"folds_comparison.n_folds": (block["n_folds"], block.get("datasets", config["greedy_cv"]["datasets"]))}


RUNS: Final = Study(
    name="runs",
    folds=folds_of,
    replayed=compared,
    kinds=(Kind((*_COMPARED, *_SHARES), _OF_NO_NETWORK, ("seconds",)),),
)
"""Replays of document 001's kept scores; the configuration says what is compared."""
TIMED: Final = Study(
    name="timed",
    replayed=compared,
    kinds=(Kind((*_COMPARED, "seconds", "overhead_s"), _OF_NO_NETWORK),),
    is_timed=True,
)
"""The same on timed fits."""
NETWORK: Final = Study(
    name="network",
    replayed=compared,
    kinds=(Kind((*_COMPARED, *_SHARES), _OF_A_NETWORK, ("seconds",)),),
    floor=NETWORK_FLOOR,
)
"""The same of the kept scores of document 000's network."""


def timed_runs(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Name of the runs on timed fits, where a configuration has some."""
    block = config["folds_comparison"]
    is_timed = set(block["n_folds"]) & set(config["greedy_cv"]["wall_clock"]["n_folds"]) and block["n_timed_seeds"]
    return ("timed",) if is_timed else ()


# Table ---------------------------------------------------------------------------------------------------------


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Cost and choice of each strategy, averaged over datasets and classifiers.

    Returns:
        method, strategy, budget_share, n, k, measure (one of `MEASURES`), mean, se, low, high (95 % Student
        interval over seeds), n_seeds, n_missing, scale, data. In a table that reaches `FLOOR` a cell that does
        not has no numbers, and says so in the place of its scale.
    """
    need(runs, *FACTS, *(measure for measure in MEASURES if measure != "time_share"))
    kept, timed = split_timed(runs)
    parts = [
        mean_by_seed(
            timed if measure == "time_share" else kept,
            measure,
            [*LISTS, "method"],
            SHARE if measure in ("quality", "lost_best", "best_pruned") else FROM_0,
        ).assign(measure=measure)
        for measure in MEASURES
    ]
    table = stacked(parts).rename(columns=MEAN)
    orders = {**dict.fromkeys([*LISTS, "method"]), "measure": MEASURES}
    table = with_facts(runs, in_order(table, orders)).assign(scale=scale)
    if table["n_seeds"].max() >= FLOOR:
        below = table["n_seeds"] < FLOOR
        table.loc[below, ["mean", "se", "low", "high"]] = np.nan
        table.loc[below, "scale"] = NOT_RUN
    numbers = ["mean", "se", "low", "high", "n_seeds", "n_missing", "scale", "data"]
    return table[[*FACTS, *LISTS, "measure", *numbers]]


def split_timed(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs on kept scores, and those on timed fits with `time_share`.

    The share is measured seconds of the search, its own overhead included, over those of fitting every candidate
    on every fold.
    """
    if "seconds" not in runs:
        return runs, runs.iloc[:0].assign(time_share=np.nan)
    is_timed = runs["seconds"].notna()
    timed = runs[is_timed]
    spent = timed["seconds"] + timed["overhead_s"]
    return runs[~is_timed], timed.assign(time_share=spent / timed["exhaustive_s"])


def with_facts(runs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """A table by method with each method's strategy and budget_share."""
    return table.merge(runs[FACTS].drop_duplicates(), on="method", how="left")


def render(table: pd.DataFrame) -> str:
    """Markdown of `tabulate`: a row per n, k and strategy, a column per measure that was made."""
    keys, cells = [*LISTS, "method"], [_cell(row) for row in table.to_dict("records")]
    wide = table.assign(cell=cells).pivot_table(index=keys, columns="measure", values="cell", aggfunc="first")
    shown = wide[[measure for measure in MEASURES if measure in wide]].fillna(NOT_RUN).reset_index()
    shown["method"] = shown["method"].map(in_words)
    heads = {"method": "strategy", **MEASURES}
    return f"{plain(shown.rename(columns=heads))}\n{_note(table)}\n"


def _cell(row: Mapping[Any, Any]) -> str:
    if row["scale"] == NOT_RUN:
        return NOT_RUN
    mean = f"{row['mean']:.4f}" if pd.notna(row["mean"]) else "no value"
    error = f" ± {row['se']:.4f}" if pd.notna(row["se"]) else ""
    return mean + error + mark(row["data"])


def _note(table: pd.DataFrame) -> str:
    run = table[table["scale"] != NOT_RUN]
    error = " ± one standard error over seeds" if run["se"].notna().any() else ""
    text = f"Means over datasets and classifiers{error}; {made_of(run)}. "
    text += "Folds, rows and seconds: share of the exhaustive search's."
    if "time_share" not in set(table["measure"]):
        text += " Seconds: there are no fits that were timed alone."
    if run["n_missing"].sum():
        text += f" {run['n_missing'].sum()} values are missing and left out."
    return text + about_marked(run)


# Figures -------------------------------------------------------------------------------------------------------

PRICES: Final = tuple(10**exponent for exponent in np.linspace(-3, math.log10(60), 25).round(12).tolist())
"""Seconds of one fit: from a millisecond to a minute."""
PRICED: Final = [
    "strategy", "budget_share", "fits", "regret", "overhead_s", "overhead_low", "overhead_high", "break_even_s",
    "fit_s", "seconds", "share", "n_seeds", "data",
]  # fmt: skip
"""Columns of `summarise_prices` behind its keys."""
_PRICE_TICKS: Final = {0.001: "1 ms", 0.01: "10 ms", 0.1: "0.1 s", 1: "1 s", 10: "10 s", 60: "1 min"}
_MOST_SHARE: Final = 1.6
_TICKS: Final = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
_N_COLUMNS: Final = 5
"""Panels beside each other in `draw_anytime`."""
_REGRETS: Final = (0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def summarise_pareto(runs: pd.DataFrame) -> pd.DataFrame:
    """Cost and regret of each strategy, per n and k.

    Returns:
        n, k, method, strategy, budget_share, cost (share of the rows that the exhaustive search trains on),
        cost_se, cost_low, cost_high, mean, se, low, high, n_seeds, n_missing and data of the regret, and on_front:
        it has a regret, and none is as cheap and as good, and better in one of them.
    """
    need(runs, *FACTS, "rows_share", "regret")
    runs, keys = split_timed(runs)[0], [*LISTS, "method"]
    renamed = {"ours": "cost", "ours_se": "cost_se", "low": "cost_low", "high": "cost_high"}
    cost = mean_by_seed(runs, "rows_share", keys, FROM_0).rename(columns=renamed)[[*keys, *renamed.values()]]
    table = with_facts(runs, cost.merge(mean_by_seed(runs, "regret", keys, FROM_0).rename(columns=MEAN), on=keys))
    fronts = [on_front(part["cost"], part["mean"]) for _, part in table.groupby(LISTS)]
    table["on_front"] = pd.concat(fronts) if fronts else False
    return table


def on_front(cost: pd.Series, regret: pd.Series) -> pd.Series:
    """Whether each point has a regret, and no other one is as cheap and as good, and better in cost or regret."""
    x, y = cost.to_numpy(), regret.to_numpy()
    no_worse = (x[None, :] <= x[:, None]) & (y[None, :] <= y[:, None])
    less = (x[None, :] < x[:, None]) | (y[None, :] < y[:, None])
    return pd.Series(~(no_worse & less).any(axis=1) & ~np.isnan(y), index=cost.index)


_SPENT: Final = "Folds spent (share of n·k, weighted by rows)"
_TRAININGS: Final = "Trainings done (share of n·k)"


@style.styled
def draw_pareto(summary: pd.DataFrame, spent: str = _SPENT) -> plotters.Figure:
    """A point per strategy, one standard error each side, and the front of those that none betters."""
    if summary.empty:
        return style.figure_not_run(style.TWO_COLUMN[0], 3.7)
    figure, panels = plotters.grid(
        summary, "n", "k", sorted(summary["k"].unique()), size=lambda n: (style.TWO_COLUMN[0], 1.3 + 2.4 * n),
        sharex=True, sharey=True,
    )  # fmt: skip
    top = 105 * float((summary["mean"] + summary["se"].fillna(0)).max()) or 1.0
    for axes, _, n, k in panels:
        axes.set_title(f"n = {n}, k = {k}")
        _scale(axes, top)
        axes.set(xscale="linear", xlim=(0, 1.04))
        axes.set_xticks(np.linspace(0, 1, 6))
    plotters.label_edges(figure, spent, "Regret (points of accuracy)")
    for axes, part, *_ in panels:
        front = part[part["on_front"]].sort_values("cost")
        if len(front) > 1:
            steps = front["cost"], 100 * front["mean"]
            axes.step(*steps, where="post", color="#999999", lw=1, zorder=1, label="front")
        for row in part.to_dict("records"):
            look, mean = _look_of_row(row), 100 * row["mean"]
            error, cost_error = 100 * np.nan_to_num(row["se"]), np.nan_to_num(row["cost_se"])
            axes.errorbar(
                [row["cost"]], [mean], xerr=cost_error, yerr=[[min(error, mean)], [error]], elinewidth=0.8,
                color=look.color, linestyle="none", label=look.label, clip_on=False, **_marker(row),
            )  # fmt: skip
    return plotters.finish(figure, summary, 4, panels=figure.axes[:1], below=True)


def summarise_anytime(runs: pd.DataFrame) -> pd.DataFrame:
    """Regret of the incumbent after shares of the exhaustive search's cost, per n and k.

    Strategies with a budget are left out: each follows its curve without a budget until the budget is spent.

    Returns:
        n, k, method, strategy, budget_share, share; mean, se, low, high, n_seeds, n_missing and data of the
        regret.
    """
    need(runs, *FACTS, *map(regret_at, SHARES))
    runs, keys = split_timed(runs)[0], [*LISTS, "method"]
    runs = runs[runs["budget_share"].isna()]
    parts = [mean_by_seed(runs, regret_at(share), keys, FROM_0).assign(share=share) for share in SHARES]
    table = pd.concat(parts, ignore_index=True).rename(columns=MEAN)
    return with_facts(runs, table).sort_values([*keys, "share"], ignore_index=True)


@style.styled
def draw_anytime(summary: pd.DataFrame, spent: str = _SPENT) -> plotters.Figure:
    """A block of panels per n and k, and in it one per strategy, the others in grey behind it."""
    if summary.empty:
        return style.figure_not_run(*style.TWO_COLUMN)
    lists = list(summary.groupby(LISTS))
    n_rows = -(-summary["method"].nunique() // _N_COLUMNS)
    figure = style.new_figure(style.TWO_COLUMN[0], 0.4 + len(lists) * (0.5 + 1.05 * n_rows))
    top = 105 * float(np.nanmax(summary[["mean", "high"]].to_numpy(float))) or 1.0
    blocks = figure.subfigures(len(lists), 1, squeeze=False)[:, 0]
    for block, ((n, k), part) in zip(blocks, lists, strict=True):
        block.suptitle(f"n = {n}, k = {k}", fontsize=8)
        grid = block.subplots(n_rows, _N_COLUMNS, sharex=True, sharey=True, squeeze=False)
        _draw_each(grid.ravel(), part, top)
        for axes in grid[:, 0]:
            axes.set_ylabel("Regret (points)", fontsize=7)
        block.supxlabel(spent, fontsize=7)
    style.mark_data(figure, summary["data"])
    return figure


def _draw_each(panels: NDArray[np.object_], part: pd.DataFrame, top: float) -> None:
    """A panel per strategy: its mean regret and interval, the standard method first."""
    lines = {str(method): line for method, line in part.groupby("method")}
    shown = sorted(lines, key=lambda method: (method != "standard", method))
    for axes, method in zip(panels, shown, strict=False):
        for other in lines.values():
            axes.plot(other["share"], 100 * other["mean"], color=style.BEHIND, linewidth=0.6, zorder=1)
        line = lines[method].assign(**100 * lines[method][["mean", "low", "high"]])
        look = look_of(method, str(line["strategy"].iloc[0]), np.nan)
        style.band(axes, line, look.color, x="share", alpha=0.25)
        axes.plot(line["share"], line["mean"], color=look.color, linewidth=1.4, clip_on=False)
        axes.set_title(look.label, fontsize=7)
        _scale(axes, top, every=2)
        axes.tick_params(labelsize=6, length=2)
    for axes in panels[len(shown) :]:
        axes.set_visible(False)
    for axes in panels[max(0, len(shown) - _N_COLUMNS) : len(shown)]:
        axes.tick_params(labelbottom=True)


def summarise_ranks(runs: pd.DataFrame) -> pd.DataFrame:
    """Average ranks over the cells of dataset, classifier, n and k, for each of `RANKED`.

    At the same cost only strategies without a budget are ranked: with a budget they have the same regret.

    Returns:
        measure, method, strategy, budget_share, the other `COLUMNS` of `rank_table`, data.
    """
    need(runs, *FACTS, *RANKED)
    runs = split_timed(runs)[0]
    unlimited = runs[runs["budget_share"].isna()]
    blocks = ["dataset", "classifier", *LISTS]
    parts = [
        rank_table(unlimited if measure == regret_at(EQUAL_SHARE) else runs, measure, blocks).assign(
            measure=measure
        )
        for measure in RANKED
    ]
    table = with_facts(runs, stacked(parts))
    return table.assign(data=provenance(runs))[["measure", *FACTS, *COLUMNS[1:], "data"]]


@style.styled
def draw_ranks(summary: pd.DataFrame) -> plotters.Figure:
    """A critical-difference diagram per measure: average ranks, joined where they do not differ."""
    parts = {f"Rank by {title}": summary[summary["measure"] == measure] for measure, title in RANKED.items()}
    return draw_diagrams(parts, _look_of_row, _marker)


def summarise_prices(runs: pd.DataFrame) -> pd.DataFrame:
    """What a whole search takes, against what one fit does, per n and k of the timed runs.

    The seconds of a search are those of its fits plus the strategy's own CPU seconds. A fit on fewer rows counts
    by its share of the rows. The strategy's seconds were measured beside timed fits, and do not depend on the
    seconds of a fit. A strategy with a budget spends just that budget, so it is left out.

    Returns:
        n, k, method, strategy, budget_share, fits (mean number), regret (mean), overhead_s (mean), overhead_low
        and overhead_high (its 95 % Student interval over seeds), break_even_s (seconds of a fit from which on the
        search takes less than every fit does; nan if never), fit_s (of `PRICES`), seconds, share (of the seconds
        of every fit), n_seeds, data.
    """
    need(runs, *FACTS, "rows_share", "regret")
    kept, timed = split_timed(runs[runs["budget_share"].isna()])
    keys = [*LISTS, "method"]
    if timed.empty:
        return pd.DataFrame(columns=[*keys, *PRICED])
    names = {"ours": "overhead_s", "low": "overhead_low", "high": "overhead_high"}
    overheads = mean_by_seed(timed, "overhead_s", keys, FROM_0).rename(columns=names)
    table = overheads[[*keys, *names.values(), "n_seeds", "data"]]
    cells = [*LISTS, "dataset", "classifier"]
    kept = kept.merge(timed[cells].drop_duplicates(), on=cells)
    for measure in ("rows_share", "regret"):
        found = mean_by_seed(kept, measure, keys).rename(columns={"ours": measure})
        table = table.merge(found[[*keys, measure]], on=keys)
    every = table["n"] * table["k"]
    table["fits"] = every * table["rows_share"]
    saved = (every - table["fits"]).where(table["fits"] < every)
    table["break_even_s"] = table["overhead_s"] / saved
    table = with_facts(runs, table).merge(pd.DataFrame({"fit_s": PRICES}), how="cross")
    table["seconds"] = table["fits"] * table["fit_s"] + table["overhead_s"]
    table["share"] = table["seconds"] / (table["n"] * table["k"] * table["fit_s"])
    return table[[*keys, *PRICED]].sort_values([*keys, "fit_s"], ignore_index=True)


@style.styled
def draw_prices(summary: pd.DataFrame) -> plotters.Figure:
    """A row per n and k: seconds of a search, and their share of those of every fit; a line per strategy."""
    if summary.empty:
        return style.figure_not_run(style.TWO_COLUMN[0], 4.4)
    lists = list(summary.groupby(LISTS))
    figure = style.new_figure(style.TWO_COLUMN[0], 1.5 + 2.9 * len(lists))
    for axes, ((n, k), part) in zip(figure.subplots(len(lists), 2, squeeze=False), lists, strict=True):
        for _, line in part.groupby("method"):
            row = line.iloc[0].to_dict()
            look = _look_of_row(row)
            label = f"{look.label} ({100 * row['regret']:.2g})"
            for axis, value in zip(axes, ("seconds", "share"), strict=True):
                axis.plot(line["fit_s"], line[value], color=look.color, linestyle=look.linestyle, label=label)
        for axis in axes:
            axis.set(xscale="log", xlabel="Seconds of one fit", xlim=(PRICES[0], PRICES[-1]))
            axis.set_xticks(list(_PRICE_TICKS), list(_PRICE_TICKS.values()))
            axis.minorticks_off()
            axis.grid(alpha=0.3)
        axes[0].set(yscale="log", ylabel="Seconds of the search", title=f"n = {n}, k = {k}")
        axes[1].set(ylabel="Share of the seconds of every fit", ylim=(0, _MOST_SHARE), title="as a share")
        axes[1].axhline(1, color="#000000", linewidth=0.8, linestyle=":")
    title = "in brackets: regret of the choice, in points of accuracy"
    return plotters.finish(figure, summary, 3, panels=figure.axes[:1], below=True, title=title)


def look_of(method: str, strategy: str, budget_share: float) -> Look:
    """The look of a strategy, with what is compared as its label."""
    has_budget = bool(pd.notna(budget_share))
    look = style.LOOKS.get(strategy) or _plain_look(strategy if has_budget else method)
    if has_budget:
        return replace(look, label=f"{look.label}, budget {Fraction(budget_share).limit_denominator(100)}")
    if method == strategy:
        return look
    return replace(look, label=in_words(method), color=_LIGHTER.get(method, look.color))


def in_words(method: str) -> str:
    """The name of what is compared as people read it: `beta pruning tau 0.7` of `beta_pruning_tau_0_7`."""
    return re.sub(r"\b0 (?=[0-9])", "0.", method.replace("_", " "))


def _plain_look(method: str) -> Look:
    """A look where the strategy has none: a letter of the name's last word, and a colour that the name decides."""
    return replace(
        default_look(method, crc32(method.encode())), marker=f"${method.strip('_').rpartition('_')[2][0]}$"
    )


def _look_of_row(row: Mapping[Any, Any]) -> Look:
    return look_of(**{fact: row[fact] for fact in FACTS})


def _marker(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A strategy's marker: whole without a budget, half with one of a half or more, else open."""
    look, share = _look_of_row(row), row["budget_share"]
    face = "white" if share < 0.5 else look.color
    edge = {"markeredgecolor": "black", "markeredgewidth": 0.6}
    fill = {
        "markerfacecolor": face,
        "markerfacecoloralt": "white",
        "fillstyle": "left" if share >= 0.5 else "full",
    }
    return {"marker": look.marker, "markersize": 8 if look.marker == "*" else 6, **edge, **fill}


def _scale(axes: plotters.Axes, top: float, *, every: int = 1) -> None:
    """Shares by their logarithms, regrets up to `top` by their roots; one tick of `every` is shown."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(_TICKS[::every], ["1" if t == 1 else f"1/{round(1 / t)}" for t in _TICKS[::every]])
    axes.minorticks_off()
    style.root_axis(axes, top)
    ticks = [t for t in _REGRETS if t == 0 or 0.01 * top < t < top][::every]
    axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axes.grid(alpha=0.3)


_SEEDS: Final = "{{ config.folds_comparison.n_seeds | seeds }}."
_DATA: Final = """{% set own = config.folds_comparison %}the datasets
{%- if "datasets" in own %} {{ own.datasets | join(", ") }} and the
{%- elif "classifiers" in own %} of document 001 and the{% else %} and{% endif %} classifiers {{
own.classifiers | join(", ") if "classifiers" in own else "of document 001" }}, candidates drawn from {{
"lists" if own.space == "grid" else "ranges" }} of values"""
"""What the comparison averages over, in captions."""
_OF_NETWORK: Final = """The list is the document's: 96 candidates in random order, 24 of them repeats. Successive
halving is left out, since the network is not trained on fewer images, and so are seconds, since trainings ran
beside each other.
{{ config.beta_pruning.network.dataset }}, {{ config.beta_pruning.network.epochs }} epochs per training,
{{ config.beta_pruning.network.n_seeds | seeds }}."""

TABLE: Final = Artefact(
    "strategies",
    lambda config: ("runs", *timed_runs(config)),
    tabulate,
    f"""Every strategy that saves folds, replayed on the same kept folds and averaged over {_DATA}; the CSV holds
    95 % intervals over seeds. Folds and rows are shares of the exhaustive search's: fold evaluations, and rows
    trained on, which differ only for successive halving, whose evaluations use fewer rows. Seconds, where there
    are timed fits, are those of the fits and of the strategy itself over those of every fit; the batch scorers'
    seconds are not used. Rank percentile is the share of candidates that are not strictly better than the choice,
    regret the mean score of the truly best candidate less that of the choice, and the best is lost where no
    candidate with the best mean was chosen. Prunings are those of one search, for scores
    and for good. A wrong one drops a candidate that is better over all folds than the one it was compared with.
    The best is pruned where every candidate with the best mean is. What a rung of halving drops, or a budget
    leaves out, is no pruning here. {_SEEDS}""",
    render=render,
)
PARETO: Final = Artefact(
    "pareto",
    ("runs",),
    summarise_pareto,
    f"""Regret of the choice against its cost, averaged over {_DATA}, with one standard error over seeds each side.
    The cost is the share of n·k fold evaluations, one on fewer rows counted by its share of the rows; the grey
    line joins the strategies that none betters in both. Half-filled and open markers are searches under a budget.
    Searches that run to the end, standard and greedy, coincide at a cost of 1 and no regret; the table tells
    strategies apart that lie close to them. The vertical scale is that of the square root. {_SEEDS}""",
    draw_pareto,
)
ANYTIME: Final = Artefact(
    "anytime",
    ("runs",),
    summarise_anytime,
    f"""Regret of the candidate that each strategy would return if stopped, against the share of n·k fold
    evaluations spent, one on fewer rows counted by its share of the rows; averaged over {_DATA}. Each panel shows
    one strategy with its 95 % interval over seeds, and the others in grey. A strategy that has ended keeps its
    choice. Regrets are read at {len(SHARES)} shares, which straight lines join. Searches under a budget are left
    out. The vertical scale is that of the square root. {_SEEDS}""",
    draw_anytime,
)
RANKS: Final = Artefact(
    "ranks",
    ("runs",),
    summarise_ranks,
    f"""Critical-difference diagrams: average rank of each strategy over the cells of dataset, classifier, n and k,
    1 being best, by the regret of its choice, by its cost, and by its regret after a quarter of the exhaustive
    search's cost, which leaves out searches under a budget. Thick lines join strategies whose average ranks differ
    by less than Nemenyi's critical difference at 5 %. The value of a cell is a mean over seeds; cells of one
    dataset are not independent, so that the p-values of Friedman's test are lower than they should be, and the
    ranks depend on which strategies are compared. {_SEEDS}""",
    draw_ranks,
)
PRICE: Final = Artefact(
    "prices",
    lambda config: ("runs", *timed_runs(config)),
    summarise_prices,
    f"""What a whole search takes against what one fit takes, from a millisecond to a minute. Left: seconds, both
    axes logarithmic. Right: share of the seconds of every fit. A search takes its share of the n·k fits, one on
    fewer rows counted by its share of them, and the strategy's own CPU seconds, both as measured on document 001's
    nine cells. Where a line lies above 1 the strategy takes longer than it saves; break_even_s in the CSV is where
    that ends. Successive halving's line is a lower bound: fits of milliseconds on few rows take longer than their
    share of the rows. In brackets: regret of the choice, in points. Greedy's line is hidden behind that of
    standard, and lines may leave the right panel above. Searches under a budget take that budget and are left out.
    {_SEEDS}""",
    draw_prices,
)
NETWORK_TABLE: Final = Artefact(
    "strategies_network",
    ("network",),
    tabulate,
    f"""Every strategy that saves folds, replayed on the kept scores of document 000's network; columns as in the
    table on document 001's scores. {_OF_NETWORK}""",
    render=render,
    floor=NETWORK_FLOOR,
)
NETWORK_PARETO: Final = Artefact(
    "pareto_network",
    ("network",),
    summarise_pareto,
    f"""Regret of the choice against its cost (share of n·k trainings) on the kept scores of document 000's
    network, with one standard error over seeds each side. Where several strategies are bettered by none in both, a
    grey line joins them. Half-filled and open markers are searches under a budget. The vertical scale is that of
    the square root. {_OF_NETWORK}""",
    partial(draw_pareto, spent=_TRAININGS),
    floor=NETWORK_FLOOR,
)
NETWORK_ANYTIME: Final = Artefact(
    "anytime_network",
    ("network",),
    summarise_anytime,
    f"""Regret of the candidate that each strategy would return if stopped, against the share of n·k trainings
    done, on the kept scores of document 000's network. Each panel shows one strategy with its 95 % interval over
    seeds, and the others in grey. A strategy that has ended keeps its choice. Regrets are read at {len(SHARES)}
    shares, which straight lines join. Searches under a budget are left out. The vertical scale is that of the
    square root. {_OF_NETWORK}""",
    partial(draw_anytime, spent=_TRAININGS),
    floor=NETWORK_FLOOR,
)
ARTEFACTS: Final = (TABLE, PARETO, ANYTIME, RANKS, PRICE, NETWORK_TABLE, NETWORK_PARETO, NETWORK_ANYTIME)
