"""Document 003, Figure 12: errors, seconds, support vectors and rows against the compression, and their table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.big_data.boundaries import LOOKS
from studies.big_data.compression import PIMA
from studies.big_data.tables import OURS, PUBLISHED
from studies.captions import in_seeds
from studies.records import Artefact
from studies.tidy import by_measure, provenance, read_printed, shares_of_answers, tidied

PANELS: Final = ("test_error", "train_seconds", "n_support")
ROWS_PANELS: Final = ("rows_touched", "share_left")
MEASURES: Final = (
    "test_error",
    "train_seconds",
    "fit_seconds",
    "predict_seconds",
    "n_support",
    "n_reduced",
    "rows_touched",
    "n_distances",
    "at_edge",
)
"""Of the table."""
KEYS: Final = ["dataset", "method", "compression"]
_COLUMNS: Final = [
    "panel", "source", "dataset", "method", "compression", "mean", "low", "high", "least", "greatest", "n_seeds",
    "data",
]  # fmt: skip


# Numbers -------------------------------------------------------------------------------------------------------


def published() -> pd.DataFrame:
    """The document's points of Figure 12: measure, method, compression, published."""
    table = read_printed("survey_fig12")
    parts = []
    for measure, suffix in (("test_error", "err"), ("train_seconds", "time"), ("n_support", "sv")):
        for method, prefix in (("km_svm", "km"), ("wkm_svm", "wkm")):
            keys = {"measure": measure, "method": method, "compression": table["compression"].astype(float)}
            parts.append(pd.DataFrame({**keys, "published": table[f"{prefix}-{suffix}"]}))
    return pd.concat(parts, ignore_index=True)


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """`MEASURES` of every data set, method and compression; those are its keys, then `tidy.TIDY`."""
    theirs = published().assign(dataset=PIMA)
    table = shares_of_answers(by_measure(runs, MEASURES, KEYS), ["at_edge"]).merge(
        theirs, on=["measure", *KEYS], how="left"
    )
    return tidied(table, ["measure", *KEYS], scale, orders={"measure": MEASURES})


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Test error, training time and support vectors against R, and the document's, which are of `PIMA` alone.

    Returns:
        panel (of `PANELS`), source, dataset, method, compression, mean, low, high (95 % t-interval over seeds),
        least and greatest (of a seed), n_seeds (nan where published), data.
    """
    ours = _curves(runs, PANELS)
    theirs = published().rename(columns={"measure": "panel", "published": "mean"})
    theirs = theirs.assign(source=PUBLISHED, dataset=PIMA, n_seeds=np.nan, data="original")
    return pd.concat([ours, theirs], ignore_index=True)[_COLUMNS]


def summarise_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows that SVMs were given, and the share of the training rows left, against R; as `summarise`."""
    return _curves(runs.assign(share_left=runs["n_reduced"] / runs["n_train"]), ROWS_PANELS)


def _curves(runs: pd.DataFrame, panels: tuple[str, ...]) -> pd.DataFrame:
    found = by_measure(runs, panels, KEYS)
    long = runs.melt(KEYS, list(panels), var_name="measure")
    ends = long.groupby(["measure", *KEYS])["value"].agg(least="min", greatest="max").reset_index()
    names = {"measure": "panel", "ours": "mean"}
    return found.merge(ends, on=["measure", *KEYS]).rename(columns=names).assign(source=OURS)[_COLUMNS]


# Pictures ------------------------------------------------------------------------------------------------------

_GREY: Final = "#8A8F96"
_TITLES: Final = {
    "test_error": "Test error",
    "train_seconds": "Training time (s)",
    "n_support": "Support vectors",
    "rows_touched": "Rows given to SVM fits",
    "share_left": "Rows left (share)",
}
_LOGARITHMIC: Final = ("train_seconds", "rows_touched")
_SHIFTS: Final = {"svm_km": 0.96, "km_svm": 1.0, "wkm_svm": 1.04}
"""Factors on R, so that bars do not hide each other."""


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """A row of panels per data set: test error, training time, support vectors; bars are 95 % intervals."""
    figure, panels = _panels(table, PANELS, 7.2)
    for axis, part, _, panel in panels:
        _draw_published(axis, part[part["source"] == PUBLISHED])
        _draw_curves(axis, part[part["source"] == OURS], panel)
        if panel in _LOGARITHMIC:
            _scale(axis, part)
        else:
            axis.set_ylim(0, 1.1 * part[["mean", "high"]].max().max())
    return plotters.finish(figure, table, 5)


@style.styled
def draw_rows(table: pd.DataFrame) -> plotters.Figure:
    """A row of panels per data set: rows given to SVM fits, and rows left with their range over splits."""
    figure, panels = _panels(table, ROWS_PANELS, 6.0)
    for axis, part, _, panel in panels:
        if panel == "share_left":
            part = part.assign(low=part["least"], high=part["greatest"])
            axis.set_ylim(0, 1.05)
        _draw_curves(axis, part, panel)
        if panel in _LOGARITHMIC:
            _scale(axis, part)
    return plotters.finish(figure, table, 5)


def _scale(axis: plotters.Axes, part: pd.DataFrame) -> None:
    ends = part[["mean", "low", "high"]].to_numpy(dtype=float)
    ends = ends[ends > 0]  # intervals may reach below
    style.log_axis(axis.yaxis, 0.95 * ends.min(), 1.05 * ends.max())


def _panels(
    table: pd.DataFrame, panels: tuple[str, ...], width: float
) -> tuple[plotters.Figure, list[tuple[plotters.Axes, pd.DataFrame, str, str]]]:
    """A row per data set, which its first panel names, and a column per panel, against R; width in inches."""
    figure, found = plotters.grid(
        table, "dataset", "panel", panels, size=lambda n: (width, 0.6 + 1.9 * n), sharex=True
    )
    for axis, _, dataset, _ in found[:: len(panels)]:
        axis.set_title(_title(table, dataset), loc="left", fontweight="bold")
    plotters.label_edges(figure, "Compression R")
    return figure, found


def _title(table: pd.DataFrame, dataset: str) -> str:
    ours = table[(table["dataset"] == dataset) & (table["source"] == OURS)]
    if not len(ours):
        return f"{dataset} (published only)"
    return f"{dataset}, {provenance(ours)}, {in_seeds(int(ours['n_seeds'].iloc[0]))}"


def _draw_curves(axis: plotters.Axes, part: pd.DataFrame, panel: str) -> None:
    shifted = part.assign(at=part["compression"] * part["method"].map(_SHIFTS))
    plotters.bars(axis, shifted, LOOKS, x="at")
    axis.set(ylabel=_TITLES[panel])
    plotters.log_ticks(axis, sorted({*part["compression"], 1.0, 3.0, 5.0, 10.0}))


def _draw_published(axis: plotters.Axes, part: pd.DataFrame) -> None:
    looks = {name: replace(look, label=f"{look.label}, published (Pima)") for name, look in LOOKS.items()}
    grey: Any = {"color": _GREY, "markerfacecolor": "none", "linewidth": 0.9}
    plotters.lines(axis, part, looks, x="compression", band=0, **grey)


_RUNS: Final = ("compression",)
_SPLITS: Final = """{{ datasets | join(", ") }}: wdbc and pima2 split 80 to 20 in strata, ripley simulated anew,
    250 rows for training and 1,000 for testing"""
_TUNING: Final = """{{ Cs | length }} values of C and {{ gammas | length }} of gamma by {{ n_folds }}-fold
    cross-validation inside the training rows, clustered once per part and scored on rows that were not"""
_ON_REQUEST: Final = """{%- if "pima2" not in datasets %} The document's data, PimaIndiansDiabetes2, are fetched
    only on request: put pima2 into `opt_in` and into `big_data: compression: datasets` of the
    configuration.{% endif %}"""
TABLE: Final = Artefact(
    "compression",
    _RUNS,
    tabulate,
    f"""What stands behind Figure 12 of document 003, and more: test error; seconds of training with tuning, of
    the final fit with its clustering, and of predicting all test rows; support vectors; rows that the final SVM
    and all SVM fits together were given; distances of rows to centres in one pass of every k-means (passes and
    restarts multiply them); share of splits in which C or gamma was chosen at the end of its list. {_SPLITS};
    {_TUNING}; {{{{ n_seeds }}}} split(s). Published values are of pima2. {_ON_REQUEST}""",
)
FIGURE12: Final = Artefact(
    "figure12",
    _RUNS,
    summarise,
    f"""Figure 12 of document 003: test error, training time with tuning (logarithmic; one thread) and support
    vectors against the compression R; R = 1 is the full SVM for every method, and SVM-KM makes about n / R
    clusters, too. {_SPLITS}. Features standardised on training rows, radial kernel, {_TUNING}. The mean over
    {{{{ n_seeds }}}} split(s) with 95 % intervals. Grey: the document's points, on PimaIndiansDiabetes2 and a
    machine and a tuning grid that it does not name. {_ON_REQUEST}""",
    draw,
)
FIGURE12_ROWS: Final = Artefact(
    "figure12_rows",
    _RUNS,
    summarise_rows,
    f"""The cost of Figure 12 of document 003 without a clock. Left: rows that all SVM fits of tuning and
    training were given (mean, 95 % interval); the work of k-means is not in it, and stands in the table
    compression as n_distances. Right: rows that the final SVM was given, as a share of the training rows, with
    bars from the least to the greatest of {{{{ n_seeds }}}} split(s): SVM-KM's cannot be foretold. {_SPLITS}.
    {_ON_REQUEST}""",
    draw_rows,
)
ARTEFACTS: Final = (TABLE, FIGURE12, FIGURE12_ROWS)
