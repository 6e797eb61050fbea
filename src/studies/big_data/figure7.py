"""Document 003, Figure 7: errors of interval widths against seconds and rows, and the table of their ends."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.big_data.intervals import BOOT, with_errors
from studies.big_data.tables import OURS, PUBLISHED
from studies.records import Artefact, Look
from studies.tidy import by_measure, means, provenance, read_printed, tidied

KEYS: Final = ["experiment", "n_workers", "method", "gamma", "measure"]
MEASURES: Final = (
    "relative_error",
    "width_ratio",
    "coef_error",
    "n_finished",
    "n_failed",
    "seconds",
    "rows_touched",
    "rows_held",
    "fraction_distinct",
)
"""Of a path's end."""
_METHODS: Final = {"BLB": "blb", "BOFN": "b_of_n", "BOOT": "bootstrap", "BLB-0.7": "blb"}
"""By the document's names."""
_COLUMNS: Final = [
    "experiment", "source", "method", "gamma", "n_workers", "n_finished", "seconds", "rows_touched", "mean", "low",
    "high", "n_seeds", "n_rows", "data", "published_s",
]  # fmt: skip


# Numbers -------------------------------------------------------------------------------------------------------


def published() -> pd.DataFrame:
    """The document's points, read off its figure: experiment, method, gamma, published_s, mean."""
    parts = []
    for name, experiment in (("left_middle", "intervals"), ("right", "interval_workers")):
        table = read_printed(f"survey_fig7_{name}")
        is_boot = table["method"] == "BOOT"
        columns = {
            "experiment": experiment,
            "method": table["method"].map(_METHODS),
            "gamma": table["gamma"].where(~is_boot, 1.0) if "gamma" in table else np.where(is_boot, 1.0, 0.7),
            "published_s": table["time_s"],
            "mean": table["relative_error"],
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Relative error of the widths after every step, and the document's curves on our time axis.

    The document's seconds are of 2012, and are multiplied by a factor. For the left and middle panel it is the one
    with which BLB's first subsample ends when ours does, on average (the geometric mean over gamma); both are r
    fits to n^gamma rows. For the right panel the first resample of BOOT does, with the most workers.

    Returns:
        experiment, source (`OURS`, `PUBLISHED`), method, gamma, n_workers, n_finished, seconds and rows_touched
        (means), mean, low, high (of the error: 95 % t-interval over seeds), n_seeds and n_rows (nan where
        published), data, published_s.
    """
    paths, keys = with_errors(runs), ["experiment", "n_workers", "method", "gamma", "n_finished"]
    costs = paths.groupby(keys).agg({"seconds": "mean", "rows_touched": "mean", "n_rows": "min"}).reset_index()
    ours = means(paths, "relative_error", keys).merge(costs, on=keys).assign(source=OURS, published_s=np.nan)
    theirs = published()
    theirs = theirs[theirs["experiment"].isin(ours["experiment"])]
    factors = theirs["experiment"].map({name: _factor(ours, theirs, name) for name in ours["experiment"].unique()})
    theirs = theirs.assign(source=PUBLISHED, seconds=theirs["published_s"] * factors, data=provenance(runs))
    return pd.concat([ours, theirs], ignore_index=True)[_COLUMNS]


def _factor(ours: pd.DataFrame, theirs: pd.DataFrame, experiment: str) -> float:
    """Factor by which the document's seconds are multiplied."""
    method = "blb" if experiment == "intervals" else "bootstrap"
    ours, theirs = (
        table[(table["experiment"] == experiment) & (table["method"] == method)] for table in (ours, theirs)
    )
    ours = ours[ours["n_workers"] == ours["n_workers"].max()]
    ratios = ours.groupby("gamma")["seconds"].min() / theirs.groupby("gamma")["published_s"].min()
    return float(np.exp(np.log(ratios.dropna()).mean()))


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Where every curve of Figure 7 ends: `MEASURES`, keys `KEYS`, then `tidy.TIDY`."""
    paths = with_errors(runs)
    curve = ["experiment", "n_workers", "method", "gamma"]
    ends = paths.loc[paths.groupby([*curve, "seed"])["n_finished"].idxmax()]
    theirs = published().groupby(["experiment", "method", "gamma"], as_index=False).last()
    # BOOT's last point on the cluster is that of its tenth resample, and none of the end of ours.
    theirs = theirs[(theirs["experiment"] == "intervals") | (theirs["method"] == "blb")]
    theirs = theirs.rename(columns={"mean": "published"}).assign(measure="relative_error")
    keys = [key for key in KEYS if key != "n_workers"]
    table = by_measure(ends, MEASURES, curve).merge(theirs[[*keys, "published"]], how="left", on=keys)
    table = table.astype({"n_workers": int})
    return tidied(table, KEYS, scale, "n_missing", orders={"measure": MEASURES})


# Pictures ------------------------------------------------------------------------------------------------------

GAMMAS: Final[dict[float, Look]] = {
    0.5: Look("#D9A520", "$b = n^{0.5}$", "o", "-", ""),
    0.6: Look("#4580EB", "$b = n^{0.6}$", "s", "--", "//"),
    0.7: Look("#8C2D62", "$b = n^{0.7}$", "D", "-.", "\\\\"),
    0.8: Look("#2F6756", "$b = n^{0.8}$", "^", (0, (5, 1)), ".."),
    0.9: Look("#00318F", "$b = n^{0.9}$", "v", (0, (3, 1, 1, 1)), "xx"),
}
"""One look per size of the subsamples."""
_BOOT: Final = BOOT.look
_GREY: Final = "#9A9A9A"
_LEAST: Final = 0.02
"""Error at the foot of the panels."""
_TITLES: Final = {"blb": "BLB and BOOT", "b_of_n": "BOFN and BOOT", "workers": "worker processes"}
_AXES: Final = {"seconds": "Time (s)", "rows_touched": "Rows touched"}


@style.styled
def draw(table: pd.DataFrame, *, x: str = "seconds") -> plotters.Figure:
    """Error against what was spent: BLB, BOFN, and with workers; bars at their ends are 95 % intervals over seeds.

    Against `seconds` the document has curves; against `rows_touched` it has none.
    """
    figure = style.new_figure(7.2, 3.5)
    panels = dict(zip(_TITLES, figure.subplots(1, 3, sharey=True), strict=True))
    serial, parallel = (table[table["experiment"] == name] for name in ("intervals", "interval_workers"))
    for method in ("blb", "b_of_n"):
        _draw_paths(panels[method], serial[serial["method"].isin([method, "bootstrap"])], x)
    _draw_workers(panels["workers"], parallel, x)
    for name, axes in panels.items():
        axes.set(title=_TITLES[name])
        if axes.has_data():
            axes.set(xlabel=_AXES[x])
            _scale(axes)
    panels["blb"].set(ylabel="Relative error of interval widths")
    return plotters.finish(figure, table, 5, below=True)


def _scale(axes: plotters.Axes) -> None:
    """Both axes logarithmic, with a few plain numbers."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

    axes.set(xscale="log", yscale="log", ylim=(_LEAST, 1.3))
    axes.set_yticks([0.03, 0.1, 0.3, 1.0], ["0.03", "0.1", "0.3", "1"])
    axes.set_yticks([], minor=True)
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if high / low < 100 else (1.0,)))
    axes.xaxis.set_major_formatter(LogFormatterSciNotation(labelOnlyBase=False))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(alpha=0.3)


def _draw_paths(axes: plotters.Axes, table: pd.DataFrame, x: str) -> None:
    if not (table["source"] == OURS).any():
        style.say_not_run(axes)
        return
    for (source, method, gamma), line in table.groupby(["source", "method", "gamma"], sort=False):
        look = _BOOT if method == "bootstrap" else GAMMAS[float(str(gamma))]
        if source == PUBLISHED:
            _draw_published(axes, line, x, look)
        else:
            _draw_ours(axes, line, x, look)


def _draw_workers(axes: plotters.Axes, table: pd.DataFrame, x: str) -> None:
    ours = table[table["source"] == OURS]
    if ours.empty:
        style.say_not_run(axes)
        return
    counts = sorted(ours["n_workers"].unique())
    if x == "rows_touched":  # the same rows for any number of workers
        ours, counts = ours[ours["n_workers"] == counts[-1]], counts[-1:]
    linestyles = ("-", ":", "--", "-.")
    for i, n_workers in enumerate(counts[::-1]):
        linestyle = linestyles[i % len(linestyles)]
        workers = f"{n_workers:g} worker{'s' if n_workers > 1 else ''}"
        workers = "any number of workers" if x == "rows_touched" else workers
        part = ours[ours["n_workers"] == n_workers]
        boot, blb = (part[part["method"] == method] for method in ("bootstrap", "blb"))
        look = Look(_BOOT.color, f"BOOT, {workers}", _BOOT.marker, linestyle, "")
        _draw_ours(axes, boot, x, look, hollow=i > 0)
        size = GAMMAS[float(blb["gamma"].iloc[0])]
        look = Look(size.color, f"BLB {size.label}, {workers}", size.marker, linestyle, "")
        _draw_ours(axes, blb, x, look, hollow=i > 0)
    for method, line in table[table["source"] == PUBLISHED].groupby("method", sort=False):
        _draw_published(axes, line, x, _BOOT if method == "bootstrap" else GAMMAS[0.7])


def _draw_ours(axes: plotters.Axes, line: pd.DataFrame, x: str, look: Look, *, hollow: bool = False) -> None:
    """A curve of means, and at its end the interval."""
    line = line.sort_values("n_finished")
    face = "none" if hollow else look.color
    shared: dict[str, Any] = {"color": look.color, "marker": look.marker, "markerfacecolor": face}
    every = max(1, len(line) // 6)
    axes.plot(line[x], line["mean"], linestyle=look.linestyle, markevery=every, label=look.label, **shared)
    end = line.tail(1)
    end = end.assign(low=end["low"].clip(lower=_LEAST / 2))  # what a log axis can show
    axes.errorbar(end[x], end["mean"], yerr=plotters.spread(end), capsize=2, linewidth=0.9, **shared)


def _draw_published(axes: plotters.Axes, line: pd.DataFrame, x: str, look: Look) -> None:
    """The document's curve as a thin line, with some of its points; none against rows."""
    if x != "seconds":
        return
    line = line.sort_values(x)
    kept = np.unique(np.geomspace(1, len(line), 12).round().astype(int)) - 1
    axes.plot(line[x], line["mean"], color=_GREY, linewidth=0.7, linestyle=look.linestyle, zorder=1)
    points: Any = {"marker": look.marker, "markersize": 3.5, "markerfacecolor": "none", "markeredgewidth": 0.7}
    points |= {"linestyle": "none", "label": "published (grey, same marker)"}
    axes.plot(line[x].iloc[kept], line["mean"].iloc[kept], color=_GREY, zorder=1, **points)


_RUNS: Final = ("intervals", "interval_workers")
_WORKERS: Final = """{%- set workers = config["big_data"]["interval_workers"] -%}"""
_PANELS: Final = """Left and middle: {{ n_rows }} generated rows, {{ n_features }} features from Student's t with
    3 degrees of freedom, logistic model with coefficients of 1; a point after every subsample (BLB, {{ r }}
    resamples each) or resample (BOFN, BOOT), until a path has touched as many rows as BOOT's {{ n_resamples }}
    resamples or made {{ max_fits }} fits; the true width is that of {{ n_seeds * n_truth_per_seed }} further
    data sets. Right: {{ workers["n_rows"] }} rows and {{ workers["n_features"] }} features, BLB with b =
    n<sup>{{ workers["gamma"] }}</sup>, s = {{ workers["s"] }}, r = {{ workers["r"] }} spread over its
    subsamples, BOOT over its {{ workers["n_resamples"] }} resamples, worker processes of one machine in the
    place of the document's Spark cluster; true widths by Fisher's information. Means over
    {{ n_seeds | seeds }} (left and middle) and {{ workers["n_seeds"] | seeds }} (right), 95 % intervals at the
    ends."""
TABLE: Final = Artefact(
    "interval_widths",
    _RUNS,
    tabulate,
    f"""{_WORKERS} Where the curves of Figure 7 of document 003 end: relative error of the interval widths
    (published: the last digitised point, after ten seconds of 2012), mean width over the true one, mean distance
    of the averaged coefficients to 1 (bagging, the document's own reading), subsamples or resamples done, fits
    that failed, seconds, rows touched, rows held at once (of a subsample, or the most that a resample had), and
    distinct rows per fit over all rows. {_PANELS}""",
)
FIGURE7: Final = Artefact(
    "figure7",
    _RUNS,
    summarise,
    f"""{_WORKERS} Figure 7 of document 003: relative error of the widths of 95 % intervals, mean over the
    coefficients, against seconds (both logarithmic; one thread per process). {_PANELS} Grey: the document's
    points, read off its figure; its seconds, of 2012, are multiplied by one factor for left and middle, so that
    BLB's first subsamples end when ours do (geometric mean over b), and by one for the right, so that BOOT's
    first resample does.""",
    draw,
)
FIGURE7_ROWS: Final = Artefact(
    "figure7_rows",
    _RUNS,
    summarise,
    f"""{_WORKERS} Figure 7 of document 003 without a clock: the same errors against rows touched, the distinct
    rows of every weighted fit added up over the fits, whose number does not depend on the machine or the
    workers. {_PANELS}""",
    partial(draw, x="rows_touched"),
)
ARTEFACTS: Final = (TABLE, FIGURE7, FIGURE7_ROWS)
