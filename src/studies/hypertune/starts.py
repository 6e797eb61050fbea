"""HyperTune on look-up tables: what its start does, and what its signs do, beside EI. The studies are ours.

The document leaves open which candidates HyperTune first tries on all rows. Two readings are compared: those that
its rivals start from (`shared`), and the average of the optima on subsets (`subset_optimum`). With reversed signs
HyperTune does the same on subsets, so the difference to right signs is that of the signs alone. EI is HyperTune
without subsets and signs. A table of real fits makes many seeds cheap. The first is of an SVM on MNIST, the others
are of `OTHERS`.

Errors are best validation errors so far on all rows, compared as ratios seed by seed. By trials, both searches
have made as many trials on all rows. By seconds, EI has what it had found when HyperTune ended that trial; seconds
are those of trials, on subsets too, and of the optimiser.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.random import Generator

from studies import kinds, plotters, style
from studies.estimates import Array, Arrays, Estimate, ratio, tied
from studies.hypertune.searches import FLOOR, N_POINTS, PANELS, paths
from studies.markdown import crossed, made_of, with_interval
from studies.records import Artefact, Claim, Floor, LineStyle, Method, Study
from studies.regions import above
from studies.shared.look_up_tables import cells
from studies.shared.searches import trials_of
from studies.tidy import in_order, mean_by_seed, provenance, tidied
from studies.trajectories import mean_curve, steps


def _method(name: str, label: str, color: str, marker: str, linestyle: LineStyle, **settings: object) -> Method:
    """HyperTune, or a control of it: all share settings and random numbers."""
    base = "" if name == "hypertune_shared" else "hypertune_shared"
    return Method(name, "hypertune", settings, None, base, label, color, marker, linestyle)


_OPTIMUM, _SHARED = "HyperTune from the subsets' optimum", "HyperTune from the shared start"
METHODS: Final = (
    _method("hypertune_optimum", _OPTIMUM, "#8A4B00", "h", "-", start="subset_optimum"),
    _method("hypertune_shared", _SHARED, "#D9820A", "D", "--", start="shared"),
    _method(
        "hypertune_optimum_reversed",
        f"{_OPTIMUM}, signs reversed",
        "#9A9A9A",
        "v",
        ":",
        start="subset_optimum",
        control="reversed",
    ),
    _method(
        "hypertune_shared_reversed",
        f"{_SHARED}, signs reversed",
        "#555555",
        "s",
        "--",
        start="shared",
        control="reversed",
    ),
    _method("ei_se", "EI, which has no signs", "#00318F", "^", (0, (1, 1)), control="unsigned"),
)
NAMES: Final = tuple(method.name for method in METHODS)
"""Of the methods."""
EI: Final = "ei_se"
STARTS: Final = {
    "hypertune_optimum": "HyperTune's, which starts from the subsets' optimum",
    "hypertune_shared": "HyperTune's, which starts from the shared candidates",
}
"""Methods with right signs, one for each start -> whose error it is, in words."""
OTHERS: Final = {
    "svm_letter": "SVM on letter",
    "elastic_net_letter": "elastic net on letter",
    "elastic_net_adult": "elastic net on scaled adult",
}
"""Look-up table -> its learner and data set, in words."""
TABLES: Final = ("svm_mnist", *OTHERS)
"""All of them, in the order in which they are shown."""
TRIALS: Final = (4, 8, 12, 20)
"""Trials on all rows after which searches are compared; fixed before any run."""
KEYS: Final = ("dataset", "method", "measure", "trial")
_MEASURES: Final = ("by_trials", *(f"by_seconds_of_{start}" for start in STARTS))
_LOOKS: Final = {method.name: method.look for method in METHODS}


# Runs ----------------------------------------------------------------------------------------------------------


def whole_trials(runs: pd.DataFrame) -> pd.DataFrame:
    """Trials on all rows of searches, in order; columns as of `searches.paths`."""
    found = paths(runs)
    return found[found["is_whole"]]


def at_trials(runs: pd.DataFrame) -> pd.DataFrame:
    """Best errors after `TRIALS` on all rows, and what EI had found in the seconds that these took.

    Returns:
        dataset (the table), method, measure (`by_trials`; of EI also `by_seconds_of_{method}`, when that method of
        `STARTS` ended the trial), trial, seed, data, error. nan where EI had not ended a trial by then.
    """
    searches, rows = whole_trials(runs), []
    rivals = dict(iter(searches[searches["method"] == EI].groupby(["dataset", "seed"])))
    for (dataset, method, seed), path in searches.groupby(["dataset", "method", "seed"]):
        reached = path[path["trial"].isin(TRIALS)]
        rows.append(reached.assign(measure="by_trials", error=reached["best"]))
        rival = rivals.get((dataset, seed))
        if method in STARTS and rival is not None:
            known = [rival[name].to_numpy(float) for name in ("spent_seconds", "best")]
            error = steps(known[0], known[1], reached["spent_seconds"].to_numpy(float))
            rows.append(reached.assign(method=EI, measure=f"by_seconds_of_{method}", error=error))
    return pd.concat(rows, ignore_index=True)[[*KEYS, "seed", "data", "error"]]


def most_rows(runs: pd.DataFrame) -> pd.Series[int]:
    """The most rows of each look-up table, by its name, which is that of its learner and data set."""
    found = cells(runs)
    most: pd.Series[int] = found["n_rows"].groupby(found["learner"] + "_" + found["dataset"]).max()
    return most


# Claims --------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Best errors by "{dataset} {method} {measure} {trial}", each (n_seeds,); nan where there is no value."""
    errors = at_trials(runs).pivot_table("error", index=[*KEYS], columns="seed", dropna=False)
    listed = pd.MultiIndex.from_product([TABLES, NAMES, _MEASURES, TRIALS])
    rows = errors.reindex(listed).to_numpy(float)
    return {" ".join(map(str, cell)): row for cell, row in zip(listed, rows, strict=True)}


def _study(name: str, is_enough: Floor, *tables: str) -> Study:
    """Searches on these look-up tables; nothing is judged before there are all of them."""
    return Study(
        name=name,
        methods=METHODS,
        problems=tuple(("lookup", table) for table in tables),
        resource="sizes",
        kinds=(kinds.of_experiment(name, kinds.SEARCH, kind="searches"),),
        judged=trials_of,
        arrays=arrays,
        is_enough=is_enough,
    )


_floor = partial(Floor, seeds=FLOOR, groups=("dataset", "method"), methods=METHODS)
ENOUGH: Final = _floor(values={"dataset": ("svm_mnist",)})
ENOUGH_OF_OTHERS: Final = _floor(values={"dataset": tuple(OTHERS)})
SVM_TABLE: Final = _study("svm_table", ENOUGH, "svm_mnist")
OTHER_TABLES: Final = _study("other_tables", ENOUGH_OF_OTHERS, *OTHERS)


def _ratio(arrays: Arrays, rng: Generator, rival: str, ours: str) -> Estimate:
    """Ratio of a rival's error to ours; tied if both are equal in every seed, since the trials were the same."""
    found = ratio(arrays[rival], arrays[ours])
    same = np.array_equal(arrays[rival], arrays[ours])
    return (
        tied(found, "both have made the same trials in every seed: signs choose none of the first")
        if same
        else found
    )


def _finding(table: str, ours: str, rival: str, by: str, trial: int) -> Claim:
    """The error of EI, or of HyperTune with reversed signs, over HyperTune's.

    `table` is of `TABLES`, `ours` of `STARTS`, `rival` is `EI` or `reversed`, `by` is `trials` or `seconds`.
    """
    is_other = table in OTHERS
    start = ours.removeprefix("hypertune_")
    method, whose = (EI, "EI's") if rival == EI else (f"{ours}_{rival}", "that with reversed signs")
    measure, when = "by_trials", f"after {trial} trials of each"
    if by == "seconds":
        measure, when = f"by_seconds_of_{ours}", f"when HyperTune has ended {trial} trials"
    return Claim(
        f"hypertune.{f'other_tables.{table}' if is_other else 'svm_table'}.{start}_{rival}_{trial}_by_{by}",
        section="Elastic Net" if table.startswith("elastic_net") else "SVM with RBF Kernel",
        quantity=f"best validation error so far on all rows, {whose} over {STARTS[ours]}, {when} on all rows, on "
        f"the look-up table of {f'the {OTHERS[table]}' if is_other else 'MNIST'}",
        unit="times",
        agrees=above(1),
        measure=partial(
            _ratio, rival=f"{table} {method} {measure} {trial}", ours=f"{table} {ours} by_trials {trial}"
        ),
        artefact="tables/starts_on_tables" if is_other else "tables/starts",
        study="other_tables" if is_other else "svm_table",
    )


CLAIMS: Final = tuple(
    _finding(table, ours, rival, by, trial)
    for table in TABLES
    for ours in STARTS
    for rival, by in ((EI, "trials"), (EI, "seconds"), ("reversed", "trials"))
    for trial in TRIALS
)


# Table ---------------------------------------------------------------------------------------------------------


def tabulate(runs: pd.DataFrame, scale: str, keys: Sequence[str] = KEYS) -> pd.DataFrame:
    """Best validation errors so far on all rows, in %, means over seeds with 95 % intervals.

    Args:
        runs: of `svm_table` or `other_tables`.
        scale: label of the run.
        keys: which of `KEYS`; of one table all but its name.

    Returns:
        `keys` as of `at_trials`, `tidy.TIDY`, n_rows (all of the table), n_missing.
    """
    found = at_trials(runs)
    table = mean_by_seed(found.assign(error=100 * found["error"]), "error", list(KEYS))
    orders = {"dataset": TABLES, "method": NAMES, "measure": _MEASURES, "trial": None}
    table = in_order(table, orders)
    table["n_rows"] = table["dataset"].map(most_rows(runs))
    return tidied(table, list(keys), scale, "n_rows", "n_missing")


def render(table: pd.DataFrame) -> str:
    """Markdown: a column per number of trials, a row per method, and per look-up table where there are several."""
    labels = {name: look.label for name, look in _LOOKS.items()}
    when = {"by_trials": "after as many trials"} | {
        f"by_seconds_of_{start}": f"in the seconds of {labels[start]}" for start in STARTS
    }
    shown = table.assign(method=table["method"].map(labels), measure=table["measure"].map(when))
    if "dataset" in table:
        shown["dataset"] = table["dataset"].map(OTHERS)
    text = crossed(shown, "trial", [with_interval(row) for row in table.itertuples()])
    note = "Best validation error so far on all rows, in %, after 4 to 20 trials on all rows, with 95 % intervals"
    return f"{text}\n\n{note}; {made_of(table)}.\n"


TABLE: Final = Artefact(
    "starts",
    ("svm_table",),
    partial(tabulate, keys=KEYS[1:]),
    """What HyperTune's start and its signs do, on the SVM's look-up table: best validation error so far on all
    rows, mean over {{ n_seeds | seeds }} with 95 % intervals, after as many trials on all rows; of EI also in the
    seconds in which HyperTune made these, its trials on subsets and the optimisers' time included. The document
    has no such comparison.""",
    render=render,
)


OTHERS_TABLE: Final = Artefact(
    "starts_on_tables",
    ("other_tables",),
    tabulate,
    """What HyperTune's start and its signs do on three more look-up tables, of an SVM on letter and of the elastic
    net on letter and on scaled adult, shown as in the table `starts`. The sign of the elastic net is that accuracy
    falls as alpha grows; its ratio has none. Means over {{ n_seeds | seeds }} with 95 % intervals.""",
    render=render,
)


# Figures -------------------------------------------------------------------------------------------------------


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of the best validation error so far on all rows, with 95 % intervals.

    A line begins where all seeds have a value, and ends with the longest search.

    Returns:
        dataset (the table), panel (`PANELS`), method, x, mean, low, high, n_seeds, n_rows (all of the table) and
        data.
    """
    parts = []
    for dataset, searches in whole_trials(runs).groupby("dataset"):
        facts = {"dataset": dataset, "data": provenance(searches)}
        for panel, x in PANELS.items():
            grid = np.arange(1.0, searches["trial"].max() + 1)
            if panel == "seconds":
                grid = np.geomspace(searches["spent_seconds"].min(), searches["spent_seconds"].max(), N_POINTS)
            for method, part in searches.groupby("method"):
                parts.append(mean_curve(part, x, "best", grid).assign(**facts, panel=panel, method=method))
    table = pd.concat(parts, ignore_index=True)
    table = in_order(table, {"dataset": TABLES, "panel": PANELS, "method": NAMES, "x": None})
    table["n_rows"] = table["dataset"].map(most_rows(runs))
    return table[["dataset", "panel", "method", "x", "mean", "low", "high", "n_seeds", "n_rows", "data"]]


def of_one_table(runs: pd.DataFrame) -> pd.DataFrame:
    """`summarise` without the name of the only table."""
    return summarise(runs).drop(columns="dataset")


def _panel(axis: plotters.Axes, part: pd.DataFrame, panel: str, beside: pd.DataFrame) -> None:
    """Errors of one table against trials on all rows, or against seconds; errors and seconds are logarithmic.

    `beside` has the rows of all panels that share the axis of errors.
    """
    from matplotlib.ticker import MaxNLocator

    plotters.lines(axis, part, _LOOKS, is_step=True, band=0.15, every=lambda _, n_points: [n_points - 1])
    lowest = beside[["low", "mean"]].min().min()
    least = max(0.95 * lowest, 0.5 * beside["mean"].min())  # intervals may reach below 0
    style.log_axis(axis.yaxis, least, 1.1 * beside["mean"].max())
    if panel == "trials":
        axis.set(xlabel="Trials on all rows")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        axis.set(xlabel="Seconds, subsets and optimiser included")
        style.log_axis(axis.xaxis, part["x"].min(), part["x"].max())


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Left against trials on all rows, right against seconds."""
    figure, panels = plotters.row(table, "panel", tuple(PANELS), size=(7.2, 3.6), sharey=True)
    for axis, part, panel in panels:
        _panel(axis, part, panel, table)
    plotters.label_edges(figure, y="Best validation error so far")
    return plotters.finish(figure, table, 2)


@style.styled
def draw_others(table: pd.DataFrame) -> plotters.Figure:
    """A row of panels for each look-up table: left against compared trials on all rows, right against seconds."""
    shown = table[(table["panel"] == "seconds") | (table["x"] <= TRIALS[-1])]
    figure, panels = plotters.grid(
        shown, "dataset", "panel", tuple(PANELS), size=lambda n: (7.2, 2.9 * n + 0.6), sharey="row"
    )
    for axis, part, dataset, panel in panels:
        _panel(axis, part, panel, shown[shown["dataset"] == dataset])
        axis.set_title(OTHERS[dataset])
    plotters.label_edges(figure, y="Best validation error so far")
    return plotters.finish(figure, table, 2)


FIGURE: Final = Artefact(
    "starts",
    ("svm_table",),
    of_one_table,
    """HyperTune on the look-up table of an SVM on MNIST ({{ config["lookup"]["svm_mnist"]["sizes"] | max }} rows),
    from either start, with right and with reversed signs, and EI, which has neither subsets nor signs. Best
    validation error so far of trials on all rows, mean over {{ n_seeds | seeds }} with 95 % intervals (drawn from
    three seeds on): left against these trials, right against seconds, those of trials on subsets and of the
    optimiser included. A line begins where all seeds have a value; bands may leave the panel. All seeds look
    up one table, with one draw of all rows.""",
    draw,
)
OTHERS_FIGURE: Final = Artefact(
    "starts_on_tables",
    ("other_tables",),
    summarise,
    """HyperTune on look-up tables of an SVM on letter, and of the elastic net on letter and on scaled adult, from
    either start, with right and with reversed signs, and EI, which has neither subsets nor signs. Best validation
    error so far of trials on all rows, mean over {{ n_seeds | seeds }} with 95 % intervals (drawn from three seeds
    on): left against these trials, right against seconds, those of trials on subsets and of the optimiser
    included. A line begins where all seeds have a value; all seeds look up the same tables. EI makes
    {{ n_trials["ei_se"] }} trials, of which no more than 20 are drawn left.""",
    draw_others,
)
