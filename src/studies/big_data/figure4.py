"""Figure 4 of document 003, all stored curves beside it, and the tables of extrapolations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for
from studies import plotters, style
from studies.big_data.curve_fits import (
    COMBINATION,
    MODELS,
    PARTS,
    STOPS,
    deviations,
    final_predictions,
    lines,
    threshold_predictions,
)
from studies.big_data.curve_search import NAMES
from studies.big_data.tables import REPETITIONS
from studies.estimates import Arrays, resampled
from studies.records import Artefact, Look
from studies.tidy import MEASURED, mean_of_each, provenance, shares_of_answers, shares_within, tidied

N_BINS: Final = 10
ANSWERS: Final = ("best", "dropped")
"""One yes or no per curve."""
SHARES: Final = ("coverage_90", "stopped", "wrongly_stopped")
"""Measures from 0 to 1."""
_LOOKS: Final = {
    "early": Look("#00318F", "early third of the epochs", "o", "-", ""),
    "middle": Look("#D07CA1", "middle third of the epochs", "s", "--", ""),
    "late": Look("#926A00", "late third of the epochs", "^", ":", ""),
}
_FAMILIES: Final = {
    "vapor_pressure": Look("#00318F", "vapor pressure", "o", "-", ""),
    "ilog2": Look("#F2B138", "ilog2", "s", "--", ""),
    "weibull": Look("#2F6756", "Weibull", "^", "-", ""),
    "pow3": Look("#B0306A", "pow3", "v", "-.", ""),
    "pow4": Look("#926A00", "pow4", "D", "-", ""),
    "log_log_linear": Look("#4580EB", "log log linear", "P", "--", ""),
    "mmf": Look("#8A8F94", "MMF", "X", "-.", ""),
    "janoschek": Look("#D9820A", "Janoschek", "<", (0, (4, 3)), ""),
    "hill3": Look("#5F9E8F", "Hill3", ">", "-", ""),
    "log_power": Look("#684319", "log power", "h", (0, (4, 3)), ""),
    "exp4": Look("#D07CA1", "exp4", "*", (0, (1, 2)), ""),
}
"""Of the lines of Figure 4, where several families may lie on each other: later ones have gaps."""


# Numbers and tables ------------------------------------------------------------------------------------------


def summarise_curve_fits(runs: pd.DataFrame) -> pd.DataFrame:
    """Deviations of each model over all curves.

    Returns:
        dataset, model, median, low and high (quartiles), mean, best (share of the curves), n_points, n_epochs,
        n_seeds (curves), data. Of deviations where the model has a value.
    """
    rows = []
    for (dataset, model), part in deviations(runs).groupby(["dataset", "model"], sort=False):
        far = part["deviation"].dropna()
        numbers = [far.median(), far.quantile(0.25), far.quantile(0.75), far.mean(), part["best"].mean()]
        rows.append(
            [dataset, model, *numbers, *part[["n_points", "n_epochs"]].iloc[0], len(part), provenance(part)]
        )
    names = ["median", "low", "high", "mean", "best", "n_points", "n_epochs", "n_seeds", "data"]
    return pd.DataFrame(rows, columns=["dataset", "model", *names])


def summarise_calibration(runs: pd.DataFrame) -> pd.DataFrame:
    """How often a curve ended above a threshold, by the probability that was given to it.

    Returns:
        dataset, part of the curve, predicted (mean of P in one of ten bins), observed (share that came true),
        n_pairs (of curve at a check and threshold), n_seeds (curves of the part), data.
    """
    rows = []
    for (dataset, part), pairs in threshold_predictions(runs).groupby(["dataset", "part"], sort=False):
        bins = np.minimum((pairs["prob_above"] * N_BINS).astype(int), N_BINS - 1)
        for _, binned in pairs.groupby(bins):
            numbers = (binned["prob_above"].mean(), binned["above"].mean(), len(binned), pairs["seed"].nunique())
            rows.append([dataset, part, *numbers, provenance(pairs)])
    return pd.DataFrame(rows, columns=["dataset", "part", "predicted", "observed", "n_pairs", "n_seeds", "data"])


def tabulate_curve_fits(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Deviations at the end of every curve, by data and model; a curve is a repetition.

    Returns:
        dataset, model, measure, `TIDY`, n_missing, says. Measures: mean and median deviation, of the curves where
        the model has a value; best, share of the curves where it is the nearest; dropped, share where the prior
        kept it out of the combination.
    """
    found = deviations(runs)
    columns = {"mean": "deviation", "best": "best", "dropped": "dropped"}
    measures = {name: found.assign(value=found[column].astype(float)) for name, column in columns.items()}
    rows = []
    for (dataset, model), part in found.groupby(["dataset", "model"], sort=False):
        far = part["deviation"].dropna().to_numpy(float)
        median, low, high = (np.nan,) * 3
        if len(far):
            names = ("curve_fits", str(dataset), str(model))
            estimate = resampled(_median, {"far": far}, rng_for("bootstrap", *names))
            median, low, high = estimate.ours, max(estimate.low, 0.0), estimate.high
        counts = len(far), len(part) - len(far)
        rows.append([dataset, model, "median", median, np.nan, low, high, *counts, provenance(part)])
    keys = ["dataset", "model", "measure"]
    medians = pd.DataFrame(rows, columns=[*keys, *MEASURED])
    table = pd.concat([mean_of_each(measures, keys), medians], ignore_index=True)
    return _curve_table(table, keys, scale, {"model": MODELS, "measure": ("mean", "median", "best", "dropped")})


def _curve_table(table: pd.DataFrame, keys: list[str], scale: str, orders: Mapping[str, Any]) -> pd.DataFrame:
    table = shares_of_answers(shares_within(table, SHARES), ANSWERS).assign(says="")
    shown = tidied(table, keys, scale, "n_missing", "says", orders={"dataset": NAMES, **orders})
    shown.attrs[REPETITIONS] = "curves"
    return shown


def _median(arrays: Arrays) -> float:
    return float(np.median(arrays["far"]))


def tabulate_calibration(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What P is worth, by data and part of the curve; a curve is a repetition.

    Returns:
        dataset, part, measure, `TIDY`, n_missing, says. Measures: signed_error, E[f_comb(E)] - y_E; coverage_90,
        share of the checks whose central 90 % interval of y_E holds it; stopped, share of the thresholds for which
        the document's rule stops; wrongly_stopped, share for which it stops and the curve ends above.
    """
    believed, pairs = final_predictions(runs), threshold_predictions(runs)
    stops = pairs["prob_above"] < STOPS
    measures = {
        "signed_error": believed.assign(value=believed["error"]),
        "coverage_90": believed.assign(value=believed["rank"].between(0.05, 0.95).astype(float)),
        "stopped": pairs.assign(value=stops.astype(float)),
        "wrongly_stopped": pairs.assign(value=(stops & pairs["above"]).astype(float)),
    }
    keys = ["dataset", "part", "measure"]
    return _curve_table(mean_of_each(measures, keys), keys, scale, {"part": PARTS, "measure": measures})


# Pictures ----------------------------------------------------------------------------------------------------


@style.styled
def draw_figure4(table: pd.DataFrame) -> plotters.Figure:
    """The observed curve, its eleven families and their combination; deviations in the legend."""
    figure = style.new_figure(7.2, 3.6)
    axes = figure.subplots()
    n, epochs = int(table["n_points"].iloc[0]), int(table["epoch"].max())
    families = [str(model) for model in table["model"].unique() if model in MODELS[:-1]]
    observed = table[table["model"] == "observed"]
    axes.plot(observed["epoch"], observed["score"], color="#9AA0A6", linewidth=0.8, marker=".", label="observed")
    for i, model in enumerate(families):
        look, every = _FAMILIES[model], max(1, epochs // 5)
        _line(axes, table, model, look.label, color=look.color, linestyle=look.linestyle, linewidth=1.2,
              marker=look.marker, markersize=4.5, markevery=(every * (i + 1) // len(families), every))  # fmt: skip
    if (table["model"] == COMBINATION).any():
        _line(axes, table, COMBINATION, "combination", color="#000000", linewidth=2.6)
    axes.axvline(n, color="#000000", linewidth=0.8, linestyle=":")
    low, high = observed["score"].min(), observed["score"].max()
    axes.set(xlim=(1, epochs), ylim=(low - 0.1 * (high - low), high + 0.3 * (high - low)))
    title = f"{NAMES[str(table['dataset'].iloc[0])]}, fitted to the first {n} of {epochs} epochs"
    axes.set(xlabel="Epoch", ylabel="Validation score", title=title)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", title=f"|Δy| after {epochs} epochs", title_fontsize=7)
    style.mark_data(figure, table["data"])
    return figure


def _line(axes: plotters.Axes, table: pd.DataFrame, model: str, name: str, **look: Any) -> None:
    line = table[table["model"] == model]
    axes.plot(line["epoch"], line["score"], label=f"{name} {line['deviation'].iloc[0]:.3f}", **look)


@style.styled
def draw_curve_fits(table: pd.DataFrame) -> plotters.Figure:
    """Median deviation of each model with its quartiles, the mean, and the share of curves where it is best."""
    figure, panels = plotters.row(table, "dataset", size=(7.2, 3.4), sharey=True)
    for axes, part, dataset in panels:
        part = part.assign(at=part["model"].map(MODELS.index))
        for is_all, color in ((False, "#00318F"), (True, "#C0392B")):
            shown = part[(part["model"] == COMBINATION) == is_all]
            labels = (None, None) if is_all else ("median, quartiles", "mean")
            axes.hlines(shown["at"], shown["low"], shown["high"], color=color, linewidth=1.6)
            for column, marker, label in zip(("median", "mean"), "ox", labels, strict=True):
                axes.plot(shown[column], shown["at"], marker, color=color, label=label)
        for at, share in zip(part["at"], part["best"], strict=True):
            axes.text(1.01, at, f"{share:.0%}", transform=axes.get_yaxis_transform(), va="center", fontsize=7)
        axes.annotate("nearest", (1.01, 1.01), xycoords="axes fraction", fontsize=7)
        first = part.iloc[0]
        counts = f"{first['n_points']:g} of {first['n_epochs']:g} epochs, {first['n_seeds']:g} curves"
        axes.set(xlabel="|Δy| at the last epoch", title=f"{NAMES[dataset]}: {counts}")
        values = part[["median", "low", "high", "mean"]].to_numpy(float)
        values = values[values > 0]
        style.log_axis(axes.xaxis, 0.8 * values.min(), 1.25 * values.max())
        axes.set_yticks(range(len(MODELS)), [model.replace("_", " ") for model in MODELS])
        axes.grid(alpha=0.3, axis="x")
    figure.axes[0].invert_yaxis()
    return plotters.finish(figure, table, 2, panels=figure.axes[:1])


_FEW: Final = 20
"""Pairs of a curve and a threshold below which a bin is not drawn."""


@style.styled
def draw_calibration(table: pd.DataFrame) -> plotters.Figure:
    """Share of the thresholds that curves ended above, against the probability that was given to it."""
    figure, panels = plotters.row(table, "dataset", size=(7.2, 3.4), sharey=True)
    for axes, part, dataset in panels:
        axes.plot([0, 1], [0, 1], color="#8A8F94", linewidth=0.8, label="calibrated")
        shown = part[part["n_pairs"] >= _FEW].rename(columns={"predicted": "x", "observed": "mean"})
        plotters.lines(axes, shown, _LOOKS, by="part", order=_LOOKS, band=0)
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel="P(y_E > ŷ), predicted", title=NAMES[dataset])
    figure.axes[0].set_ylabel("Share that ended above ŷ")
    return plotters.finish(figure, table, 4)


# Artefacts ---------------------------------------------------------------------------------------------------

_SEARCHES: Final = """{% set searches = config["big_data"]["curve_search"] %}"""
_MODELS: Final = """Models are fitted to the epochs up to the check nearest to a sixth of the curve (checks every
    {{ searches["check_share"] }} of the epochs; the document: the first 50 of 300): the families by least squares
    from the authors' first values, at which MMF's may stay a constant, the combination, sampled as {{
    searches["curve"].items() | map("join", " ") | join(", ") }} says, by the mean of its samples."""
_CHECKS: Final = """Checks are {{ searches["check_share"] }} of the epochs apart, thresholds the last scores of the
    other curves of the set that the curve has not passed when it is checked. The sampler's settings are
    {{ searches["curve"].items() | map("join", " ") | join(", ") }}; the authors' code has 2500 steps, 500 of them
    burn-in. Repetitions, counted as seeds, are curves."""
FIGURE4: Final = Artefact(
    "figure4",
    ("curve_fits",),
    lines,
    f"""{_SEARCHES}Figure 4 of document 003: a learning curve of a network, the eleven families of curves and their
    combination, and in the legend how far off they are at the last epoch. The curve is the one of the stored
    CIFAR-10 (JPEG) curves that ends highest; the figure curve_fits has all curves. {_MODELS} Lines beyond the
    frame are not shown.""",
    draw_figure4,
)
ALL_CURVES: Final = Artefact(
    "curve_fits",
    ("curve_fits",),
    summarise_curve_fits,
    f"""{_SEARCHES}Figure 4 over all stored curves: how far off each model is at the last epoch, median with
    quartiles and mean, and at the right the share of the curves in which it is the nearest. {_MODELS} Curves that
    diverged are left out; the least-squares fits that the prior keeps out of the combination are not.""",
    draw_curve_fits,
)
CALIBRATION: Final = Artefact(
    "curve_calibration",
    ("curve_fits",),
    summarise_calibration,
    f"""{_SEARCHES}What P is worth, over all stored curves: how often a curve ended above a threshold, against the
    probability P(y_E > ŷ | y_1:n) that it was given, in ten bins, by the third of the epochs that n is in. Bins
    of fewer than {_FEW} pairs of a curve and a threshold are not drawn. There are no intervals: the pairs are of
    few curves. {_CHECKS}""",
    draw_calibration,
)
FITS_TABLE: Final = Artefact(
    "curve_fits",
    ("curve_fits",),
    tabulate_curve_fits,
    f"""{_SEARCHES}How far off each model of Figure 4 is at the last epoch, over all stored curves: mean and
    median, share of the curves in which it is the nearest (best), and share in which the prior keeps it out of the
    combination (dropped; of the combination: no family is left). Repetitions, counted as seeds, are curves.
    {_MODELS} Curves that diverged are left out; intervals are at 95 %.""",
)
CALIBRATION_TABLE: Final = Artefact(
    "curve_calibration",
    ("curve_fits",),
    tabulate_calibration,
    f"""{_SEARCHES}What P is worth, over all stored curves: signed error (expected less observed last score), share
    of the checks whose central 90 % interval holds the last score, share of the thresholds for which the rule
    stops (P < 0.05), and share for which it stops although the curve ends above; by the third of the epochs.
    {_CHECKS}""",
)
ARTEFACTS: Final = (FIGURE4, ALL_CURVES, CALIBRATION, FITS_TABLE, CALIBRATION_TABLE)
