"""Document 003, Figure 8: likelihood against rows and seconds, the growth of the samples, and their table."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.big_data.sample_sizes import BATCH, FIXED, GROWING, MEASURES, METHODS, SGD, UNGUARDED, need, outcomes
from studies.big_data.tables import OURS, PUBLISHED
from studies.estimates import Array
from studies.records import Artefact
from studies.tidy import by_measure, provenance, read_printed, shares_of_answers, tidied
from studies.trajectories import mean_path

_THETAS: Final = tuple(method.name for method in (*GROWING, UNGUARDED))
PANELS: Final = {"fixed and growing": (FIXED.name, BATCH.name, "dynamic_50", SGD.name), "theta": _THETAS}
"""Panels of Figure 8, left and right, and what stands in them."""
PUBLISHED_ROWS: Final = 168_776
"""Rows of the data behind the published curves, which are not public."""
_DIGITISED: Final = {
    "fixed and growing": ("survey_fig8_left", {"FG5": FIXED.name, "FG100": BATCH.name, "Dynamic": "dynamic_50"}),
    "theta": (
        "survey_fig8_right",
        {str(round(100 * method.settings["theta"])): method.name for method in GROWING},
    ),
}
"""By panel the file of the document's curves, and the methods by its columns."""
_N_POINTS: Final = 401
_COLUMNS: Final = ["panel", "source", "method", "x", "mean", "low", "high", "n_seeds", "n_rows", "data"]


# Numbers -------------------------------------------------------------------------------------------------------


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Every measure of `outcomes`, mean with its interval; keys measure and method, then `tidy.TIDY`."""
    orders = {"measure": MEASURES, "method": [method.name for method in METHODS]}
    table = shares_of_answers(by_measure(outcomes(runs), MEASURES, ["method"]), ["missed_level"])
    return tidied(table, ["measure", "method"], scale, "n_missing", orders=orders)


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Likelihood of the training data against rows accessed, and the published curves.

    A step counts once it has ended. A fit that has converged stays where it is.

    Returns:
        panel (of `PANELS`), source (ours, published), method, x (passes: rows accessed, of all rows), mean, low,
        high (95 % interval of the mean over the seeds), n_seeds (nan where published), n_rows, data.
    """
    need(runs, "points", "likelihood", "n_rows", "max_passes")
    limit = float(runs["max_passes"].min())
    passes = runs.assign(x=runs["points"] / runs["n_rows"])
    grid = np.linspace(0.0, limit, _N_POINTS)
    curves = [
        _curve(passes, method, "likelihood", grid, panel) for panel, names in PANELS.items() for method in names
    ]
    return pd.concat([*curves, *(_published(panel, limit) for panel in PANELS)], ignore_index=True)


def summarise_seconds(runs: pd.DataFrame) -> pd.DataFrame:
    """Likelihood against seconds of the fit, every method until its first seed ends; columns of `summarise`."""
    need(runs, "seconds", "likelihood", "n_rows")
    timed = runs.rename(columns={"seconds": "x"})
    curves = []
    for panel, names in PANELS.items():
        for method in names:
            ends = timed[timed["method"] == method].groupby("seed")["x"].max()
            grid = np.linspace(0.0, float(ends.min()), _N_POINTS)
            curves.append(_curve(timed, method, "likelihood", grid, panel))
    return pd.concat(curves, ignore_index=True)


def summarise_growth(runs: pd.DataFrame) -> pd.DataFrame:
    """Size of the last sample, as a share of all rows, against rows accessed; geometric mean and its interval.

    Returns:
        The columns of `summarise`, one panel.
    """
    need(runs, "points", "size", "n_rows", "max_passes")
    shares = runs.assign(x=runs["points"] / runs["n_rows"], share=np.log(runs["size"] / runs["n_rows"]))
    grid = np.geomspace(0.02, float(runs["max_passes"].min()), _N_POINTS)
    curves = [_curve(shares, method, "share", grid, "growth") for method in _THETAS]
    table = pd.concat(curves, ignore_index=True)
    return table.assign(**{name: np.exp(table[name]).clip(upper=1.0) for name in ("mean", "low", "high")})


def _curve(runs: pd.DataFrame, method: str, value: str, grid: Array, panel: str) -> pd.DataFrame:
    """A method's value at every x of the grid: that of the last step that ended before, mean over the seeds.

    Raises:
        ValueError: if the method was not run.
    """
    part = runs[runs["method"] == method].sort_values("iteration")
    if part.empty:
        raise ValueError(f"the runs lack the method {method!r}")
    line = mean_path([steps for _, steps in part.groupby("seed")], "x", value, grid)
    facts = {"panel": panel, "source": OURS, "method": method, "n_rows": part["n_rows"].min()}
    return line.assign(**facts, data=provenance(part))[_COLUMNS]


def _published(panel: str, limit: float) -> pd.DataFrame:
    """The document's curves of a panel, up to a number of passes over its rows."""
    name, methods = _DIGITISED[panel]
    table = read_printed(name).rename(columns=methods).drop_duplicates()
    passes = table.assign(x=table["x"] * 1e6 / PUBLISHED_ROWS)
    long = passes.melt("x", var_name="method", value_name="mean").dropna()
    shown = long[long["x"] <= limit].assign(panel=panel, source=PUBLISHED, low=np.nan, high=np.nan)
    return shown.assign(n_seeds=np.nan, n_rows=PUBLISHED_ROWS, data=PUBLISHED)[_COLUMNS]


# Pictures ------------------------------------------------------------------------------------------------------

LOOKS: Final = {method.name: method.look for method in METHODS}
_GREY: Final = "#8A8F94"
_TITLES: Final = dict(zip(PANELS, ("Fixed and growing samples", "Choice of θ"), strict=True))
_LIKELIHOOD: Final = "Likelihood of the training data"
_PASSES: Final = "Rows accessed / all rows (passes)"


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Ours above, with 95 % bands over the seeds; the document's curves, of other data, below in grey."""
    shared: Any = {"sharex": True, "sharey": "row", "height_ratios": (2, 1)}
    figure, panels = plotters.grid(table, "source", "panel", size=lambda _: (7.2, 4.9), **shared)
    ours = table[table["source"] == OURS]
    for axis, part, source, panel in panels:
        if source == OURS:
            plotters.lines(axis, part, LOOKS, every=_marked)
            axis.set(title=_TITLES[panel], xlim=(0, ours["x"].max()), ylim=_limits(ours))
        else:
            look: Any = {"color": _GREY, "linewidth": 1, "markerfacecolor": "none", "label": None}
            plotters.lines(axis, part, LOOKS, every=lambda _, n: max(1, n // 10), band=0, **look)
            axis.set(title="published (speech data, 129 classes)")
    plotters.label_edges(figure, _PASSES)
    figure.axes[0].set(ylabel=_LIKELIHOOD)
    figure.axes[2].set(ylabel="Likelihood", ylim=(0, None))
    return plotters.finish(figure, table, 3)


@style.styled
def draw_seconds(table: pd.DataFrame) -> plotters.Figure:
    """Likelihood against seconds, with 95 % bands over the seeds."""
    figure, panels = plotters.row(table, "panel", size=(7.2, 3.4), sharex=True, sharey=True)
    for axis, part, panel in panels:
        plotters.lines(axis, part, LOOKS, every=_marked)
        axis.set(title=_TITLES[panel], xlabel="Seconds of the fit")
    figure.axes[0].set(ylabel=_LIKELIHOOD, xlim=(0, None), ylim=_limits(table))
    return plotters.finish(figure, table, 3)


@style.styled
def draw_growth(table: pd.DataFrame) -> plotters.Figure:
    """Share of the rows that is sampled, against rows accessed, both on logarithmic axes."""
    figure, [(axis, *_)] = plotters.row(table, "panel", size=(5.2, 3.4))
    plotters.lines(axis, table, LOOKS, every=_marked)
    axis.set(xscale="log", yscale="log", xlabel=_PASSES)
    axis.set(ylabel="Size of the sample / all rows", xlim=(table["x"].min(), table["x"].max()))
    return plotters.finish(figure, table, 3)


def _marked(place: int, n_points: int) -> tuple[int, int]:
    """Markers of a line, apart from those of the others."""
    return 10 + 8 * place, 50


def _limits(table: pd.DataFrame) -> tuple[float, float]:
    """Limits of an axis from 0 that shows every mean; the bands of few seeds may go beyond."""
    return 0.0, 1.1 * float(table["mean"].max())


_RUNS: Final = ("sample_sizes",)
TABLE: Final = Artefact(
    "sample_sizes",
    _RUNS,
    tabulate,
    """What the fits of Figure 8 of document 003 come to within {{ max_passes }} passes: likelihood and accuracy on
    all training rows; passes and seconds until exp(-J) has made 95 % of the gain of the batch method of the same
    seed (the whole run counts where that was missed, and missed_level says how often it was); passes until half of
    the rows or more are drawn; sum of the falls of exp(-J) from step to step; number of steps.
    {{ n_rows or "All" }} rows of {{ dataset }}, standardised, multinomial logistic regression;
    {{ n_seeds | seeds }}.""",
)
FIGURE8: Final = Artefact(
    "figure8",
    _RUNS,
    summarise,
    """Figure 8 of document 003. Likelihood of the training data, exp(-J) with J the mean log loss over all rows,
    against rows accessed (trials of a step and products with the Hessian included). Left: Newton-CG on all rows,
    on a fixed {{ 100 * fixed_share }} % of them and on samples that grow from {{ 100 * start_share }} %, and
    growing samples by gradient descent. Right: four values of theta, and theta 0.75 with the test as the
    document prints it, without a guard against noise. Above: {{ n_rows or "all" }} rows of {{ dataset }},
    standardised, multinomial logistic regression; the mean over {{ n_seeds | seeds }} in a 95 % band. Below: the
    document's curves, digitised, on 168,776 rows of speech data in 129 classes that are not public, so that
    levels are not comparable; its axis in millions is divided by those rows.""",
    draw,
)
FIGURE8_SECONDS: Final = Artefact(
    "figure8_seconds",
    _RUNS,
    summarise_seconds,
    """Figure 8 of document 003 against measured seconds of the fit alone, one thread; the document has no such
    axis. The same runs: {{ n_rows or "all" }} rows of {{ dataset }}, standardised, multinomial logistic
    regression, {{ max_passes }} passes; the mean over {{ n_seeds | seeds }} in a 95 % band, each line until its
    first seed has ended.""",
    draw_seconds,
)
GROWTH: Final = Artefact(
    "sample_growth",
    _RUNS,
    summarise_growth,
    """How the samples of Figure 8 of document 003 grow: size of the last sample against rows accessed, both as a
    share of all rows, for each theta; without the guard against noise, the test as the document prints it, samples
    stay small at theta 0.75. {{ n_rows or "All" }} rows of {{ dataset }}, standardised, multinomial logistic
    regression; the geometric mean over {{ n_seeds | seeds }} in a 95 % band.""",
    draw_growth,
)
ARTEFACTS: Final = (TABLE, FIGURE8, FIGURE8_SECONDS, GROWTH)
