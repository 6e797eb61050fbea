"""Figure 5 of document 003: searches with termination and without, against seconds and epochs, and their table."""

from __future__ import annotations

import json
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.big_data.curve_search import COMPARED, METHODS, NAMES, pairs, searches, shares_cut
from studies.big_data.tables import render
from studies.estimates import Array
from studies.methods import TRIALS as RECORDS
from studies.records import Artefact
from studies.tidy import mean_of_each, provenance, shares_of_answers, shares_within, tidied
from studies.trajectories import mean_path, until_last

N_POINTS: Final = 201
SHOWN: Final = "random_terminated"
"""Whose curves Figure 5 has on its left, of the first seed."""
PAIRED: Final = (
    "log2_seconds", "log2_epochs", "whole_seconds", "whole_epochs", "error_difference", "test_error_difference",
    "reached",
)  # fmt: skip
_COLORS: Final = {"random": "#000000", "tpe": "#D07CA1", "smac": "#2F6CC0"}
SHARES: Final = ("check_share", "overhead_share", "cut", "cut_high", "cut_ahead", "cut_low")
"""Measures from 0 to 1."""
ANSWERS: Final = ("cut_best", "reached")
"""One yes or no per search."""
_NAMES: Final = {"random": "random", "tpe": "TPE", "smac": "SMAC"}
_SPENT: Final = {"seconds": "Epochs, optimiser and checks (s)", "epochs": "Epochs"}
_KEPT, _CUT = "#9AA0A6", "#C0392B"


# Numbers and tables ------------------------------------------------------------------------------------------


def summarise(runs: pd.DataFrame, currency: str = "seconds") -> pd.DataFrame:
    """The curves of one search, and the best validation error of all against what was spent.

    The currency is `seconds` or `epochs`.

    Returns:
        panel (curves: a line is a trial of `SHOWN`'s first seed, x the epoch, the value its validation error;
        search: a line is a method, x what was spent, with the interval over seeds), dataset, line, x, mean, low,
        high, cut (of a trial), n_seeds, data.
    """
    found = searches(runs)
    parts = []
    for dataset, trials in found.groupby("dataset", sort=False):
        shown = trials[trials["method"] == SHOWN]
        for trial in shown[shown["seed"] == shown["seed"].min()].itertuples():
            scores = np.array(json.loads(str(trial.curve)), dtype=float)
            line = {"x": np.arange(1.0, len(scores) + 1), "mean": 1 - scores, "cut": bool(trial.cut)}
            seeds = {"n_seeds": shown["seed"].nunique()}
            parts.append(
                pd.DataFrame({"panel": "curves", "dataset": dataset, "line": str(trial.id), **line, **seeds})
            )
        grid = np.linspace(0, trials[f"spent_{currency}"].max(), N_POINTS)
        for method, part in trials.groupby("method", sort=False):
            parts.append(
                _path(part, f"spent_{currency}", grid).assign(panel="search", dataset=dataset, line=method)
            )
    table = pd.concat(parts, ignore_index=True).assign(data=provenance(runs))
    return table[["panel", "dataset", "line", "x", "mean", "low", "high", "cut", "n_seeds", "data"]]


def _path(found: pd.DataFrame, x: str, grid: Array) -> pd.DataFrame:
    """Mean over the seeds, from where all have a value to the end of the longest search."""
    paths = [path for _, path in found.groupby("seed")]
    begin = max(float(path.loc[path["best_error"].notna(), x].min()) for path in paths)
    grid = np.unique([begin, *until_last(grid[grid > begin], paths, x)])
    return mean_path(paths, x, "best_error", grid).assign(cut=False)


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What the searches came to, and those with termination beside those without.

    Returns:
        dataset, method, measure, `TIDY`, n_missing, says. Measures: error (the last best validation error),
        test_error (of the last incumbent), seconds, check_share and overhead_share of them, epochs, cut (share of
        the trials), cut_high and cut_low (the same of the trials with the best tenth and the worst half of the
        errors at the end), cut_ahead (the same of those of the best tenth that would have ended below the
        best so far), cut_best (the same of the best trial). Then `PAIRED`, for searches with termination:
        the columns of `pairs`, where error and test_error are named error_difference and test_error_difference.
    """
    found = searches(runs)
    last = found.groupby(["dataset", "method", "seed"], sort=False)
    ends = last.tail(1).set_index(["dataset", "method", "seed"])
    sums = last[["check_s", "overhead_s"]].sum().div(ends["spent_seconds"], axis=0)
    values = {
        "error": ends["best_error"],
        "test_error": ends["test_error"],
        "seconds": ends["spent_seconds"],
        "check_share": sums["check_s"],
        "overhead_share": sums["overhead_s"],
        "epochs": ends["spent_epochs"],
    }
    measures = {name: ends[["data"]].assign(value=column).reset_index() for name, column in values.items()}
    cut, both = shares_cut(runs), pairs(runs)
    both = both.rename(columns={"error": "error_difference", "test_error": "test_error_difference"})
    named = [("cut", cut, "cut"), *((f"cut_{name}", cut, name) for name in ("high", "ahead", "low", "best"))]
    ended = {method.strategy: method.name for method in COMPARED if method.termination is not None}
    for name, table, column in [*named, *((name, both, name) for name in PAIRED)]:
        measures[name] = table.assign(method=table["optimiser"].map(ended), value=table[column].astype(float))
    keys = ["dataset", "method", "measure"]
    shown = shares_of_answers(shares_within(mean_of_each(measures, keys), SHARES), ANSWERS).assign(says="")
    orders = {"dataset": NAMES, "method": METHODS, "measure": measures}
    return tidied(shown, keys, scale, "n_missing", "says", orders=orders)


def render_factors(table: pd.DataFrame) -> str:
    """Markdown of `tabulate`, with factors for all logarithms."""
    logs = {name: f"log2_{name}" for name in PAIRED if name.startswith("whole_")}
    return render(table.replace({"measure": logs}))


# Pictures ----------------------------------------------------------------------------------------------------


@style.styled
def draw(table: pd.DataFrame, currency: str = "seconds") -> plotters.Figure:
    """A row of panels for each data set: the curves of one search, and the best validation error of all."""
    figure, panels = plotters.grid(
        table, "dataset", "panel", ("curves", "search"), size=lambda n: (7.2, 2.5 * n + 0.5)
    )
    for axis, part, dataset, panel in panels:
        if panel == "curves":
            _curves(axis, part)
            axis.set(xlabel="Epoch", ylabel="Validation error", ylim=(0, 1))
        else:
            _paths(axis, part)
            axis.set(xlabel=_SPENT[currency], ylabel="Best validation error")
        axis.set_title(f"{NAMES[dataset]}: {'one search' if panel == 'curves' else 'all searches'}")
    return plotters.finish(figure, table, 3)


def _curves(axes: plotters.Axes, table: pd.DataFrame) -> None:
    for _, line in table.groupby("line", sort=False):
        cut = bool(line["cut"].iloc[0])
        color = _CUT if cut else _KEPT
        axes.plot(line["x"], line["mean"], color=color, linewidth=0.8, label=None if cut else "trained to the end")
        if cut:
            axes.plot(line["x"].iloc[-1], line["mean"].iloc[-1], "x", color=color, label="cut", zorder=3)
    axes.grid(alpha=0.3)


def _paths(axes: plotters.Axes, table: pd.DataFrame) -> None:
    for method, line in table.groupby("line", sort=False):
        record = RECORDS[str(method)]
        name, is_cut = record.strategy, record.termination is not None
        linestyle, width = ("-", 1.6) if is_cut else ("--", 1.0)
        label = f"{_NAMES[name]}, {'with' if is_cut else 'without'} termination"
        axes.step(
            line["x"], line["mean"], where="post", color=_COLORS[name], linestyle=linestyle, linewidth=width,
            label=label,
        )  # fmt: skip
        style.band(axes, line, _COLORS[name], step="post", alpha=0.1)
    axes.set(xlim=(0, None))
    style.log_axis(axes.yaxis, 0.95 * table["mean"].min(), 1.05 * table["mean"].max())
    axes.grid(alpha=0.3)


# Artefacts ---------------------------------------------------------------------------------------------------

_SEARCHES: Final = """{{ n_trials }} trials a search, which replay stored curves, half of a set at paper scale: a
    search that met all would end with the best of them unless that was cut; checks {{ check_share }} of the epochs
    apart (the original: 30 of 285), delta {{ termination["delta"] | default("as by default") }}, the sampler's
    settings {{ curve.items() | map("join", " ") | join(", ") }} (the authors' code: 2500 steps, 500 of them
    burn-in). Means over {{ n_seeds | seeds }} with 95 % intervals"""
_SEEDS: Final = """drawn from three seeds on. A line begins where all seeds have a value and ends with its
    longest search; a search that has ended keeps its last value. All seeds replay one split of the data and one
    training of each candidate, so intervals are over orders and the optimisers' draws alone."""
FIGURE5: Final = Artefact(
    "figure5",
    ("curve_search",),
    summarise,
    f"""Figure 5 of document 003, for two data sets. Left: validation errors of all trials of random search with
    termination, first seed; those that were cut are marked where they were. Right: best validation error so far
    against seconds, of the epochs as they were measured when the curves were made, of the optimiser, and of the
    checks; a trial that was cut counts with its last score. {_SEARCHES}, {_SEEDS}""",
    draw,
)
FIGURE5_EPOCHS: Final = Artefact(
    "figure5_epochs",
    ("curve_search",),
    partial(summarise, currency="epochs"),
    f"""Figure 5 against epochs, which leaves out what optimiser and checks take: what counts where an epoch takes
    minutes. {_SEARCHES}, {_SEEDS}""",
    partial(draw, currency="epochs"),
)
TABLE: Final = Artefact(
    "curve_search",
    ("curve_search",),
    tabulate,
    f"""What the searches of Figure 5 came to: last best validation error, test error of the last incumbent at the
    end of its curve, seconds and the share of checks and optimiser in them, epochs; share of the trials that were
    cut, and of those with the best tenth (cut high) and the worse half (cut low) of the errors at the end of their
    curves, of those of the best tenth that would have been the best so far (cut ahead), and of the best one. With
    termination against without, seed by seed: how many times as much the search without spent as the one with,
    until both had the higher of their two last best errors (whole: all that they spent; geometric means, in the
    CSV log2 of them), differences of the errors, and whether the one with ends with an error no higher.
    {_SEARCHES}.""",
    render=render_factors,
)
ARTEFACTS: Final = (FIGURE5, FIGURE5_EPOCHS, TABLE)
