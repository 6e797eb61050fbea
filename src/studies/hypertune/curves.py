"""Figures 2 to 5 of document 004, the table of controls, and claims on searches.

Curves are the best validation accuracy so far against trials and against time. The document does not say what its
figures' horizontal axes are, so that its sentences are judged by both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies import plotters, style
from studies.estimates import Array
from studies.hypertune.data_set_claims import (
    ALL,
    MARGIN,
    ORDER,
    RAW,
    DataSetClaim,
    are_real,
    by_data_set,
    lacking,
    measured,
    out_of_reach,
)
from studies.hypertune.errors import render_cells
from studies.hypertune.searches import (
    CONTROLS,
    DATASETS,
    LEARNERS,
    N_POINTS,
    OPTIMUM,
    PANELS,
    PROBLEM,
    TESTER,
    at_floor,
    is_tuned,
    least_scope,
    not_run,
    paths,
    runs_of,
    scope,
    without_stand_ins,
)
from studies.hypertune.settings import ON_TABLES
from studies.kinds import SEARCH, of_experiment
from studies.methods import methods
from studies.records import Artefact, Method, Study
from studies.regions import above
from studies.shared.searches import CELL
from studies.tidy import TIDY, is_stand_in, mean_by_seed, provenance, tidied
from studies.trajectories import steps

DRAWN: Final = ("random", "hyperband", "ei", "hypertune", OPTIMUM)
"""Methods in the figures: with trials on all rows; Fabolas and Hyperband on rows ask for few such."""
COMPARED: Final = ("ei", OPTIMUM, *CONTROLS)
"""Those whose curves HyperTune's are compared with, in verdicts or in the table of controls."""


# Claims --------------------------------------------------------------------------------------------------------


def areas(searches: pd.DataFrame, method: str, other: str, panel: str) -> pd.DataFrame:
    """How far one method's curve lies below another's, on average over what both have spent, problem by problem.

    Returns:
        learner, dataset, seed, behind: mean over the range that both curves of a seed have of the best validation
        accuracy of `other` less that of `method`; below 0 where `method` is ahead. nan where they share no range.
    """
    x, rows = PANELS[panel], []
    for (learner, dataset, seed), part in searches.groupby(PROBLEM, sort=False):
        pair = [part[(part["method"] == name) & part["best"].notna()] for name in (method, other)]
        if any(path.empty for path in pair):
            continue
        pair = [path[path["is_whole"]] if panel == "trials" else path for path in pair]
        first, last = max(path[x].min() for path in pair), min(path[x].max() for path in pair)
        behind = np.nan
        if last >= first:
            grid = _grid(x, first, last)
            ours, theirs = (steps(path[x].to_numpy(float), path["best"].to_numpy(float), grid) for path in pair)
            behind = float((ours - theirs).mean())
        rows.append([learner, dataset, seed, behind])
    return pd.DataFrame(rows, columns=[*PROBLEM, "behind"])


def _grid(x: str, first: float, last: float) -> NDArray[np.float64]:
    """Every trial from the first to the last, or `N_POINTS` of the time between them."""
    return np.arange(first, last + 1) if x == "trial" else np.linspace(first, last, N_POINTS)


def _lead_of(method: str, rival: str, panel: str) -> str:
    """Name in `arrays` of a method's mean lead over a rival, by trials or seconds."""
    return f"{method} {rival} {panel}"


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that claims on searches are measured on, each (n_datasets, n_seeds) in `ORDER`; nan: no value.

    Returns:
        "{method} {rival} {panel}", by how many points HyperTune's best validation error lies below that of each
        of `COMPARED`, and that of its other start below EI's; `constant`, 1 where no method does better than the
        majority's class.
    """
    searches = paths(runs)
    leads = {
        _lead_of(method, rival, panel): -100 * by_data_set(areas(searches, method, rival, panel), "behind", runs)
        for panel in PANELS
        for method, rival in (*((TESTER, rival) for rival in COMPARED), (OPTIMUM, "ei"))
    }
    return leads | {"constant": _constant(searches, runs["seed"].nunique())}


def _constant(searches: pd.DataFrame, n_seeds: int) -> Array:
    """1 where most trials on all rows have one and the same error, and every search ends near it.

    `searches` are as of `paths`; the array is (n_datasets, n_seeds) in `ORDER`.
    """
    constant = np.zeros((len(ORDER), n_seeds))
    for dataset, part in searches[searches["is_whole"] & searches["error"].notna()].groupby("dataset"):
        shares = part["error"].round(9).value_counts(normalize=True)
        is_most = shares.iloc[0] > 0.5
        ends = part.groupby(["method", "seed"])["error"].min()
        is_near = bool(((ends - float(shares.index[0])).abs() <= MARGIN / 100).all())
        constant[ORDER.index(str(dataset))] = float(is_most and is_near)
    return constant


def unjudged(runs: pd.DataFrame) -> Mapping[str, tuple[str, str]]:
    """Labels in place of verdicts on the searches of a learner, by the id of a claim."""
    claims = [claim for claim in CLAIMS if claim.study == runs["learner"].iloc[0]]
    rows = without_stand_ins(runs)
    labels = lacking(claims, scope(paths(rows)).assign(is_short=False), arrays(rows))
    return labels | out_of_reach(claims, runs)


def _variant(name: str, **settings: object) -> Method:
    return Method(name, "hypertune", settings, variant_of="hypertune")


_NEUTRAL: Final = _variant("hypertune_neutral")
"""Which hyperparameter is neutral depends on the learner: its settings say so."""
TUNERS: Final = (
    *methods("random", "ei", "fabolas", "hypertune"),
    _variant("hypertune_reversed", control="reversed"),
    _variant("hypertune_unsigned", control="unsigned"),
)
"""What document 004 is about, compares itself with, and two negative controls."""
_OPTIMUM: Final = _variant(OPTIMUM, start="subset_optimum")
ON_EPOCHS: Final = (
    *TUNERS,
    *methods("hyperband"),
    Method("hyperband_rows", "hyperband", {"resource": "rows"}, variant_of="hyperband"),
)


def _searches(
    learner: str, compared: tuple[Method, ...], datasets: tuple[str, ...] = ON_TABLES, minutes: int = 1440
) -> Study:
    return Study(
        name=learner,
        methods=compared,
        problems=tuple((learner, dataset) for dataset in datasets),
        resource="rows",
        minutes=minutes,
        kinds=(of_experiment(learner, SEARCH, kind="searches"),),
        judged=without_stand_ins,
        arrays=arrays,
        is_enough=are_real,
        unjudged=unjudged,
        is_run=partial(is_tuned, learner=learner),
    )


STUDIES: Final = (
    _searches("elastic_net", (*TUNERS, _NEUTRAL, _variant("hypertune_literal", region="literal"))),
    _searches("svm", TUNERS),
    _searches("svm_rff", (*ON_EPOCHS, _OPTIMUM)),
    _searches("mlp", (*ON_EPOCHS, _OPTIMUM, _NEUTRAL), ("mnist",)),
    _searches("cifar_cnn", (*ON_EPOCHS, _OPTIMUM), ("cifar10",), minutes=2160),  # 24 hours, and a last trial
)
"""Searches of each learner."""

_CONTROLLED: Final = ("letter", RAW)
"""Data sets on which the elastic net's controls are judged: a trial takes two seconds and less there."""
_FIGURES: Final = {"elastic_net": "figure2", "svm": "figure3", "svm_rff": "figure4", "mlp": "figure5"}
_CONTROLS: Final = {
    "hypertune_literal": ("literal", "HyperTune with signs in the region that Algorithm 1 prints"),
    "hypertune_reversed": ("reversed", "HyperTune with reversed signs"),
    "hypertune_unsigned": ("unsigned", "HyperTune without signs"),
    "hypertune_neutral": ("neutral", "HyperTune with a sign on the neutral ratio alone"),
}
"""Controls -> their name in ids, and what they are, in words."""
_STARTS: Final = {
    TESTER: ("", "HyperTune begins with the shared candidates"),
    OPTIMUM: ("optimum_", "HyperTune begins with the subsets' optimum"),
}
"""HyperTune from either start -> its name in ids, and how it begins, in words."""
_PANELS: Final = {
    "trials": ("by_trials", "mean over the trials on all rows that both made"),
    "seconds": (
        "by_time",
        "mean over the time from when both had ended a trial on all rows, that on subsets included",
    ),
}
"""Panels -> their name in ids, and what is averaged, in words."""


def _ahead_of(
    learner: str,
    quote: str,
    rival: str = "ei",
    *,
    method: str = TESTER,
    panels: tuple[str, ...] = tuple(PANELS),
    datasets: tuple[str, ...] = ALL,
) -> tuple[DataSetClaim, ...]:
    """HyperTune leads a rival against trials, and against time, on each of the data sets that was run.

    Of one data set alone the mean is judged.
    """
    name, label = _CONTROLS.get(rival, (rival, ""))
    start, begins = _STARTS[method]
    whose, note = ("the control's", f"; the control is {label}") if label else ("EI's", f"; {begins}")
    return tuple(
        DataSetClaim(
            f"hypertune.{learner}.{start}ahead_of_{name}_{_PANELS[panel][0]}",
            section=LEARNERS[learner].section,
            quote=quote,
            quantity=f"best validation error so far, {whose} less HyperTune's, {_PANELS[panel][1]}{note}",
            unit="points",
            agrees=above(0),
            measure=measured(itemgetter(_lead_of(method, rival, panel)), above(0), datasets),
            artefact="tables/controls" if label else f"figures/{_FIGURES[learner]}",
            study=learner,
            methods=(method, rival),
            datasets=datasets,
            lead=_lead_of(method, rival, panel),
        )
        for panel in panels
    )


def _ahead_of_control(
    learner: str, rival: str, datasets: tuple[str, ...], panels: tuple[str, ...] = ("trials",)
) -> tuple[DataSetClaim, ...]:
    return _ahead_of(learner, "", rival, panels=panels, datasets=datasets)


_MNIST: Final = ("mnist",)
_ON_MNIST: Final = "HyperTune performs better than EI on the validation dataset"
CLAIMS: Final = (
    *_ahead_of("elastic_net", "HyperTune outperforms EI in all the datasets"),
    *_ahead_of_control("elastic_net", "hypertune_literal", _CONTROLLED, tuple(PANELS)),
    *_ahead_of_control("elastic_net", "hypertune_reversed", _CONTROLLED),
    *_ahead_of_control("elastic_net", "hypertune_unsigned", _CONTROLLED),
    *_ahead_of_control("elastic_net", "hypertune_neutral", _CONTROLLED),
    *_ahead_of("svm", "In all the datasets, HyperTune significantly outperforms EI"),
    *_ahead_of("svm_rff", "HyperTune again outperforms EI in all the datasets"),
    *_ahead_of("svm_rff", "", method=OPTIMUM),
    *_ahead_of("mlp", _ON_MNIST, datasets=_MNIST),
    *_ahead_of("mlp", "", method=OPTIMUM, datasets=_MNIST),
    *_ahead_of_control("mlp", "hypertune_reversed", _MNIST),
)


# Table of controls ---------------------------------------------------------------------------------------------

_CONTROL_KEYS: Final = ["learner", "dataset", "method", "measure"]
_CONTROL_COLUMNS: Final = [*_CONTROL_KEYS, *TIDY, "n_rows", "n_epochs", "n_missing"]


def tabulate_controls(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """How far EI, HyperTune's other start and its controls are behind it: means of differences seed by seed.

    Only curves are compared, not choices. Unless HyperTune's time is fixed, it ends with one of HyperTune's own
    trials. Milliseconds would then decide whether a control's trial of the same length ends within that time.

    Returns:
        learner, dataset, method (`COMPARED`), measure (behind_trials: the best validation error so far, mean over
        the trials on all rows that both made, the method's less HyperTune's, so above 0 where HyperTune is the
        better; behind_seconds: the same over the time, that on subsets included, in which both had such a trial),
        `tidy.TIDY`, n_rows, n_epochs, n_missing. One row that says so where none of them shares a problem with
        HyperTune; cells below the floor are left out where others reach it.
    """
    searches = paths(runs)
    gaps = pd.concat(
        areas(searches, TESTER, name, panel).assign(method=name, measure=f"behind_{panel}")
        for name in COMPARED
        for panel in PANELS
    )
    if gaps.empty:
        return not_run(
            _CONTROL_COLUMNS, learner="none", dataset="none", method=COMPARED[0], measure="behind_trials"
        )
    gaps = gaps.assign(value=-gaps["behind"])
    gaps = gaps.merge(runs[[*PROBLEM, "data"]].drop_duplicates(PROBLEM), on=PROBLEM)
    cells = at_floor(mean_by_seed(gaps, "value", _CONTROL_KEYS).merge(least_scope(searches)))
    return tidied(cells, _CONTROL_KEYS, scale, "n_rows", "n_epochs", "n_missing")


def render_controls(table: pd.DataFrame) -> str:
    """Markdown of `tabulate_controls`."""
    measured = "Best validation error so far, the method's less HyperTune's, above 0 where HyperTune is better"
    return render_cells(table, "measure", f"{measured}: means ± standard errors over seeds")


CONTROLS_TABLE: Final = Artefact(
    "controls",
    runs_of(tuple(LEARNERS), ""),
    tabulate_controls,
    """How far HyperTune is from EI; from itself where its first trial on all rows is the average of the subsets'
    optima; and from its negative controls, which are not in the document: all signs reversed, no signs (then
    nothing is run on subsets), one sign on a hyperparameter that has nothing to do with complexity, and signs
    where Algorithm 1 literally puts them. Differences to HyperTune seed by seed of the best validation error so
    far, above 0 where HyperTune is better: mean over the trials on all rows that both made, and over the time,
    that on subsets included, in which both had such a trial.""",
    render=render_controls,
)


# Figures 2 to 5 ------------------------------------------------------------------------------------------------

LOOKS: Final = {
    "random": replace(style.LOOKS["random"], color="#555555", linestyle=(0, (1, 1.5))),
    "hyperband": replace(style.LOOKS["hyperband"], color="#9A9A9A", linestyle=(0, (6, 1.5))),
    "hypertune": replace(style.LOOKS["hypertune"], linestyle="-"),
    OPTIMUM: replace(
        style.LOOKS["hypertune"],
        label="HyperTune from the subsets' optimum",
        color="#8A4B00",
        linestyle=(0, (4, 1.5, 1, 1.5)),
    ),
    "ei": replace(style.LOOKS["ei"], linestyle="--"),
}
"""Looks by method, in the order of drawing, so that dashes lie over lines. The grey lines and HyperTune's other
start are not in the document."""
_ACROSS: Final = {"trials": "Trials on all rows", "seconds": "Seconds, subsets' and\noptimiser's included"}
_COLUMNS: Final = [
    "learner", "dataset", "panel", "method", "x", "mean", "se", "n_rows", "n_epochs", "n_seeds", "n_missing",
    "data",
]  # fmt: skip


def summarise(runs: pd.DataFrame, learners: tuple[str, ...]) -> pd.DataFrame:
    """Mean over seeds of the best validation accuracy on all rows, with its standard error.

    Every search is a step function of what it has spent. A line begins where all seeds have a value, and ends with
    the longest search; a search that has ended keeps its last value. Against time, HyperTune's lines begin after
    its trials on subsets. Left out are Fabolas and Hyperband on rows, which have few trials on all rows, and
    controls, which have a table. Hyperband's trials on all rows are those of a last rung. They are drawn against
    time alone, since the trials of earlier rungs would not show against trials.

    Returns:
        learner, dataset, panel (trials: x is their number; seconds: those of trials, on subsets too, and of the
        optimiser), method, x, mean, se, n_rows and n_epochs (of trials on all, the fewest of a seed; 0 epochs of a
        learner without), n_seeds, n_missing (seeds without a value), data. No rows if there are no such searches.
    """
    shown = runs[runs["learner"].isin(learners) & runs["method"].isin(DRAWN)]
    if shown.empty:
        return pd.DataFrame(columns=_COLUMNS)
    searches = paths(shown)
    parts = []
    for cell, part in searches.groupby(CELL[:3], sort=False):
        for panel, x in PANELS.items():
            if panel == "trials" and cell[2] == "hyperband":
                continue
            curve = _curve(part[part["is_whole"]] if panel == "trials" else part, x)
            parts.append(curve.assign(**dict(zip(CELL[:3], map(str, cell), strict=True)), panel=panel))
    return pd.concat(parts, ignore_index=True).merge(least_scope(searches), "left", on=CELL[:3])[_COLUMNS]


def _curve(part: pd.DataFrame, x: str) -> pd.DataFrame:
    searches = [path for _, path in part.groupby(CELL, sort=False)]
    with_value = [path for path in searches if path["best"].notna().any()]
    facts = {"n_seeds": len(with_value), "n_missing": len(searches) - len(with_value), "data": provenance(part)}
    if not with_value:
        return pd.DataFrame({"x": [np.nan], **facts})
    first = max(float(path.loc[path["best"].notna(), x].min()) for path in with_value)
    last = max(float(path[x].max()) for path in with_value)
    grid = _grid(x, first, last)
    best = [steps(path[x].to_numpy(float), path["best"].to_numpy(float), grid) for path in with_value]
    values = 1 - np.array(best)
    se = np.full(len(grid), np.nan)
    if len(with_value) > 1:
        se = values.std(axis=0, ddof=1) / np.sqrt(len(with_value))
    return pd.DataFrame({"x": grid, "mean": values.mean(axis=0), "se": se, **facts})


@style.styled
def draw(table: pd.DataFrame, learners: tuple[str, ...]) -> plotters.Figure:
    """A column per data set, against trials above and against time below; bands are one standard error."""
    from matplotlib.ticker import MaxNLocator

    columns = [
        (learner, name)
        for learner in learners
        for name in DATASETS
        if ((table["learner"] == learner) & (table["dataset"] == name)).any()
    ]
    if not columns:
        return style.figure_not_run(3.5, 4.0)
    figure = style.new_figure(max(3.5, 1.9 * len(columns) + 0.4), 4.0)
    axes = figure.subplots(len(PANELS), len(columns), squeeze=False)
    for (learner, name), column in zip(columns, axes.T, strict=True):
        part = table[(table["learner"] == learner) & (table["dataset"] == name)]
        for panel, axis in zip(PANELS, column, strict=True):
            lines = part[part["panel"] == panel]
            _draw_lines(axis, lines)
            axis.set(xlabel=_ACROSS[panel], ylim=_limits(lines) if lines["mean"].notna().any() else None)
        mark = " †" if part["data"].map(is_stand_in).any() else ""
        title = DATASETS[name].title
        title = f"{LEARNERS[learner].title} on {title}" if len(learners) > 1 else title
        column[0].set(title=title + mark)
        column[0].xaxis.set_major_locator(MaxNLocator(4, integer=True))
        column[1].xaxis.set_major_locator(MaxNLocator(3))
    for first in axes[:, 0]:
        first.set(ylabel="Best validation accuracy")
    return plotters.finish(figure, table, 2 if (table["method"] == OPTIMUM).any() else 4)


def _draw_lines(axis: plotters.Axes, table: pd.DataFrame) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

    drawn = table[table["mean"].notna()]
    drawn = drawn.assign(low=drawn["mean"] - drawn["se"], high=drawn["mean"] + drawn["se"])
    plotters.lines(axis, drawn, LOOKS, order=LOOKS, every=lambda _, n_points: [n_points - 1], is_step=True)
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))
    axis.yaxis.set_minor_locator(NullLocator())


def _limits(table: pd.DataFrame) -> tuple[float, float]:
    """Limits of a panel's accuracies: the better half of each line's points."""
    low, high = float(table.groupby("method")["mean"].median().min()), float(table["mean"].max())
    room = max(0.08 * (high - low), 0.005)
    return max(low - room, 0.0), float(np.minimum(high + room, 1.0))


_CAPTION: Final = """; on {{ b.n_train ~ " training rows" if b.n_train is number else "as many training rows as the
document's splits leave" }}. Best validation accuracy so far of trials on all rows, mean over {{ b.n_seeds |
seeds }}
{%- if b.n_seeds > 2 %} with a band of one standard error (a 95 % interval is {{ b.n_seeds | interval_over_error }}
times as wide){% endif %}: above
against these trials, below against time, in which HyperTune's begins once its searches on five subsets are over.
EI is HyperTune without signs; HyperTune, EI{{ ", random search and Hyperband" if b.n_trials.get("hyperband") else
" and random search" }} start from the same candidates. A line begins where all seeds have a value and ends where
the longest search does, those that have ended keeping their last value; it may start below the panel, and bands
may leave it. Fabolas is left out, as in the document, since it hardly tries candidates on all rows
{%- if b.n_trials.get("hyperband") %}, and so is Hyperband in trials, whose first rungs would not show{% endif %}.
{%- if "adult" in b.datasets %} Adult is shown with its categories as unscaled whole numbers and one-hot and
scaled.{% endif %}"""


_OTHER_START: Final = (
    " Where it is run, HyperTune from the average of the subsets' optima stands beside HyperTune."
)


def _figure(name: str, learners: tuple[str, ...], tuned: str, also: str = "") -> Artefact:
    """One of Figures 2 to 5.

    The caption has the settings of the first learner; `tuned` names the learners in words, and `also` is what the
    caption ends with.
    """
    return Artefact(
        name,
        runs_of(learners, ""),
        partial(summarise, learners=learners),
        f"{{% set b = config.hypertune.{learners[0]} %}}Tuning of {tuned}{_CAPTION}{also}",
        partial(draw, learners=learners),
    )


FIGURE2: Final = _figure("figure2", ("elastic_net",), "the elastic net")
FIGURE3: Final = _figure("figure3", ("svm",), "the SVM with a radial kernel")
FIGURE4: Final = _figure("figure4", ("svm_rff",), "the SVM on random Fourier features", _OTHER_START)
FIGURE5: Final = _figure(
    "figure5",
    ("mlp", "cifar_cnn"),
    "the MLP on MNIST, and of the CNN on CIFAR-10 (JPEG) where it is run (on rows of its own), of which the "
    "document has no curve",
    _OTHER_START,
)
