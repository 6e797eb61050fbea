"""Figure 1 of document 004, computed: accuracy against complexity on a subset and on all rows, and the VC bound.

The document draws a schema, and names no measure of complexity. There are two here.

Random features: a linear SVM on F random Fourier features (`learners.svm_rff`), at a fixed C and gamma. The two
classes are the first and the second half of a data set's.

Gamma: an SVM with a radial kernel on MNIST, the more complex the narrower the kernel. At each gamma C is the one
with the least validation error. A seed draws the rows of the subset, and all rows.

Halfspaces of F features have the VC dimension V = F + 1, so that the bound can be drawn, too: with the shatter
coefficient at most (n + 1)^V, with probability 1 - delta no classifier's error on n rows is farther from the
expected one than

    epsilon = sqrt(32 (V log(n + 1) + log(8 / delta)) / n)

which is the document's Theorem 1, 8 S(n) exp(-n epsilon^2 / 32) = delta, solved for epsilon; its Corollary 1 is
garbled (128 in the place of 32, and log(8 / delta) outside the brackets).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator

from frugal.checks import check_whole
from frugal.seeds import rng_for
from frugal.stats import standard_error
from studies import plotters, style
from studies.cells import every
from studies.estimates import Array, Arrays, Estimate, exact, mean, ratio, tied
from studies.hypertune.data_set_claims import MARGIN, are_real
from studies.hypertune.searches import FLOOR, FLOOR_ROWS, without_stand_ins
from studies.measures import Measure
from studies.records import Artefact, Claim, Floor, Method, Study
from studies.regions import above
from studies.tidy import provenance

METHODS: Final = (
    Method("subset", label="a subset (M2 of the document)", color="#D9820A", marker="D", linestyle="-"),
    Method("all", label="all rows (M1)", color="#00318F", marker="^", linestyle="--"),
)
DELTA: Final = 0.05


# Runs ----------------------------------------------------------------------------------------------------------


def bound(n_rows: int, vc_dimension: int) -> float:
    """The largest gap between an error on `n_rows` rows and the expected one, with probability 1 - `DELTA`."""
    return float(np.sqrt(32 * (vc_dimension * np.log(n_rows + 1) + np.log(8 / DELTA)) / n_rows))


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Accuracies of one seed on a subset of the training rows, or on all of them, a row per number of features.

    Returns:
        dataset, data, n_rows, n_features, train_accuracy, accuracy (on the test rows), bound.

    Raises:
        ValueError: on more rows than there are.
    """
    from frugal import datasets, learners
    from frugal.threads import one_thread
    from frugal.trials.parts import split

    data = datasets.load(settings["dataset"], root=root)
    n_train, n_test = settings["n_train"], settings["n_test"]
    parts = split(data, n_valid=1, n_test=n_test, seed=0, n_train=n_train, train_seed=seed)
    (X, y), (X_test, y_test) = parts.train, parts.test
    y, y_test = (np.asarray(labels >= data.n_classes / 2, dtype=np.int64) for labels in (y, y_test))
    if method == "subset":
        drawn = rng_for("complexity", "subset", seed).permutation(len(y))[: settings["subset_rows"]]
        X, y = X[drawn], y[drawn]
    rows = []
    for n_features in settings["n_features"]:
        candidate = {"C": settings["C"], "gamma": settings["gamma"], "n_features": n_features}
        with one_thread():
            fitted = learners.build("svm_rff", candidate, seed=seed).fit(X, y)
            right = [float(np.mean(fitted.predict(a) == b)) for a, b in ((X, y), (X_test, y_test))]
        rows.append([len(y), n_features, *right, bound(len(y), n_features + 1)])
    table = pd.DataFrame(rows, columns=["n_rows", "n_features", "train_accuracy", "accuracy", "bound"])
    table.insert(0, "data", data.provenance)
    table.insert(0, "dataset", data.name)
    return table


def run_by_gamma(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Accuracies of SVMs on one draw of the subset's rows, or of all rows, a row per gamma.

    Returns:
        dataset, data, n_rows, gamma, C (of the grid's, the one with the least validation error), accuracy (on the
        test rows).

    Raises:
        ValueError: on more rows than there are.
    """
    from frugal import datasets, learners
    from frugal.benchmarks.look_up_jobs import grid_of
    from frugal.benchmarks.svm_table import measure_svm
    from frugal.trials.parts import split
    from frugal.trials.problems import LearnerProblem

    data = datasets.load(settings["dataset"], root=root)
    parts = split(data, n_valid=settings["n_valid"], n_test=0)
    grid = grid_of(learners.space("ranges", "svm"), settings["n_per_dimension"])
    candidates = [candidate for candidate in grid.grid() if candidate["gamma"] <= settings["max_gamma"]]
    n_rows = settings["subset_rows" if method == "subset" else "n_train"]
    cells = measure_svm(LearnerProblem("svm", data, parts, grid, seed=seed), candidates, [n_rows], [1])
    cells = cells.assign(**pd.DataFrame(cells["candidate"].map(json.loads).tolist()))
    best = cells.sort_values("error", kind="stable").drop_duplicates("gamma").sort_values("gamma")
    best = best.assign(accuracy=1 - best["test_error"])
    found: pd.DataFrame = best[["dataset", "data", "n_rows", "gamma", "C", "accuracy"]]
    return found.reset_index(drop=True)


# Claims --------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims on random features are measured on: `accuracies`, and the gaps with their bounds.

    Returns:
        Those of `accuracies`, and by method `{method} gap` (between training and test accuracy) and
        `{method} bound`, each (n_sizes, n_seeds).
    """
    runs = runs.assign(complexity=runs["n_features"], gap=(runs["train_accuracy"] - runs["accuracy"]).abs())
    found = accuracies(runs)
    for method, part in runs.groupby("method"):
        for name in ("gap", "bound"):
            found[f"{method} {name}"] = part.pivot_table(name, "complexity", "seed").to_numpy(float)
    return found


def accuracies(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims on accuracies are measured on.

    Args:
        runs: method, seed, complexity, accuracy.

    Returns:
        complexity and by method accuracies, (n_sizes, n_seeds); `{method} best`, the complexity with the highest
        accuracy, and `subset lost`, as of `lost_by_the_most_complex`, (n_seeds,).
    """
    found: dict[str, Array] = {}
    for method, part in runs.groupby("method"):
        wide = part.pivot_table("accuracy", "complexity", "seed")
        sizes, found[str(method)] = wide.index.to_numpy(float), wide.to_numpy(float)
        found[f"{method} best"] = sizes[found[str(method)].argmax(axis=0)]
        found["complexity"] = np.tile(sizes[:, None], wide.shape[1])
    return found | {"subset lost": lost_by_the_most_complex(found["subset"])}


def lost_by_the_most_complex(accuracy: Array) -> Array:
    """Accuracy of the most complex model less that of the one that is best on the other seeds, (n_seeds,).

    Were the model chosen on the same seeds the difference could not be above 0, and noise alone would do.

    Args:
        accuracy: by complexity, increasing, and seed, (n_sizes, n_seeds).

    Returns:
        nan where there is one seed alone.
    """
    n_seeds = accuracy.shape[1]
    if n_seeds < 2:
        return np.full(n_seeds, np.nan)
    others = (accuracy.sum(axis=1, keepdims=True) - accuracy) / (n_seeds - 1)
    lost: Array = accuracy[-1] - accuracy[others.argmax(axis=0), np.arange(n_seeds)]
    return lost


def where_all_rows_learn(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs where the SVM on all rows learns: `MARGIN` points above its accuracy at the largest gamma; or else all.

    With narrower kernels every model says the most frequent class, on few rows and on many.
    """
    found = without_stand_ins(runs).rename(columns={"gamma": "complexity"})
    most = found[found["method"] == "all"].groupby("complexity")["accuracy"].min()
    learns = most.index[100 * (most - most.iloc[-1]) > MARGIN]
    return found[found["complexity"].isin(learns)] if len(learns) else found


def _are_real_and_large(runs: pd.DataFrame) -> bool:
    return bool(are_real(runs) and runs["n_rows"].max() >= FLOOR_ROWS)


ENOUGH: Final = Floor(seeds=FLOOR, groups=("method",), further=_are_real_and_large)


def check(settings: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Refuse more rows than the data set has."""
    from frugal.trials.parts import split
    from studies.builds import hollow

    split(hollow(settings["dataset"]), n_valid=1, n_test=settings["n_test"], n_train=settings["n_train"])


def check_by_gamma(settings: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Refuse more rows than the data set has, and a largest gamma that leaves fewer than two."""
    from frugal import learners
    from frugal.benchmarks.look_up_jobs import grid_of
    from frugal.trials.parts import split
    from studies.builds import hollow

    parts = split(hollow(settings["dataset"]), n_valid=settings["n_valid"], n_test=0)
    check_whole("n_train", settings["n_train"], 10, len(parts.train[1]), "the training rows")
    grid = grid_of(learners.space("ranges", "svm"), settings["n_per_dimension"])
    second = sorted({float(candidate["gamma"]) for candidate in grid.grid()})[1]  # type: ignore[arg-type]
    if settings["max_gamma"] < second:
        raise ValueError(
            f"max_gamma must be at least {second:.3g}, the grid's second, got {settings['max_gamma']}"
        )


COMPLEXITY: Final = Study(
    name="complexity",
    methods=METHODS,
    run=run,
    learner="svm_rff",
    datasets="dataset",
    check=check,
    judged=without_stand_ins,
    arrays=arrays,
    is_enough=ENOUGH,
)
COMPLEXITY_BY_GAMMA: Final = Study(
    name="complexity_by_gamma",
    methods=METHODS,
    run=run_by_gamma,
    learner="svm",
    is_long=True,
    datasets="dataset",
    check=check_by_gamma,
    judged=where_all_rows_learn,
    arrays=accuracies,
    is_enough=ENOUGH,
)
_claim = partial(Claim, artefact="figures/figure1", agrees=above(0), unit="points")
_INTRODUCTION: Final = "Introduction"
_THEORY: Final = "Key insights from PAC Generalization Bound"


def _complexities(arrays: Arrays) -> list[str]:
    return [f"{x:.3g}" if x < 1 else f"{x:.0f}" for x in arrays["complexity"][:, 0]]


def _within_bound(arrays: Arrays, rng: Generator) -> Estimate:
    """A gap of two shares cannot lie above a bound of 100 points: such cells are left out."""
    bounds, gaps = (
        np.concatenate([arrays[f"subset {value}"], arrays[f"all {value}"]]) for value in ("bound", "gap")
    )
    names = [f"{rows} with {n} features" for rows in ("the subset", "all rows") for n in _complexities(arrays)]
    judged = [i for i, row in enumerate(bounds) if row.max() < 1]
    left_out = f"{len(bounds) - len(judged)} of {len(bounds)} left out, whose bound is 100 points and more"
    if not judged:
        return Estimate(np.nan, np.nan, np.nan, remark=left_out)
    cells = 100 * (bounds - gaps)[judged]
    found = every(cells, above(0), noun="cells", names=[names[i] for i in judged])
    return replace(found, remark=f"{found.remark}; {left_out}")


def _more_complex_optimum(arrays: Arrays, rng: Generator) -> Estimate:
    """Best complexity on all rows over that on the subset."""
    return ratio(arrays["all best"], arrays["subset best"])


def _among_features(arrays: Arrays, rng: Generator) -> Estimate:
    """`_more_complex_optimum`, which is unknown where the best number on all rows is the most that was tried."""
    found = _more_complex_optimum(arrays, rng)
    most = arrays["complexity"][-1, 0]
    if np.isnan(found.ours) or (arrays["all best"] < most).any():
        return found
    return tied(found, f"the best on all rows is the most, {most:,.0f}, in every seed; more were not tried")


def _subset_degrades(arrays: Arrays, rng: Generator) -> Estimate:
    """Loss of the most complex."""
    return _loss(arrays["subset lost"], f"{arrays['complexity'][-1, 0]:,.0f}")


def _loss(lost: Array, last: str) -> Estimate:
    """Loss of the last model; 0 by definition, and no evidence, where it is the best in every seed."""
    found = mean(-100 * lost)
    if np.isnan(found.ours) or lost.any():
        return found
    return tied(found, f"the best is the most, {last}, in every seed, so that the difference is 0 by definition")


def _subset_degrades_while_all_rise(arrays: Arrays, rng: Generator) -> Estimate:
    """Loss of the model that is best on all rows: beyond it these degrade, too."""
    last = int(arrays["all"].mean(axis=1).argmax())
    return _loss(lost_by_the_most_complex(arrays["subset"][: last + 1]), _complexities(arrays)[last])


def _subset_poorer(arrays: Arrays, rng: Generator, *, noun: str) -> Estimate:
    return every(100 * (arrays["all"] - arrays["subset"]), above(0), noun=noun, names=_complexities(arrays))


def _monotone_rise(arrays: Arrays, rng: Generator) -> Estimate:
    """Steps of all rows' accuracy, from the least complex model to the one that is best on the subset."""
    last = int(arrays["subset"].mean(axis=1).argmax())
    names = [f"from {few} to {many}" for few, many in pairwise(_complexities(arrays)[: last + 1])]
    return every(100 * np.diff(arrays["all"][: last + 1], axis=0), above(0), noun="steps", names=names)


_FEATURES: Final = {
    "study": "complexity",
    "noun": "numbers of features",
    "setting": "number of random features",
    "fewest": "the fewest random features",
    "last": "the most",
}
_GAMMA: Final = {
    "study": "complexity_by_gamma",
    "noun": "gammas",
    "setting": "gamma of an SVM on MNIST",
    "fewest": "the smallest gamma",
    "last": "the one that is best on all rows",
}


def _on_accuracies(end: str, by: Mapping[str, str], optimum: Measure, degrades: Measure) -> tuple[Claim, ...]:
    """The claims on accuracies, `by` one measure of complexity; `end` is the end of their ids.

    `optimum` measures the best complexity on all rows over that on the subset, `degrades` what the subset loses.
    """
    setting = by["setting"]
    return (
        _claim(
            f"hypertune.figure1.more_complex_optimum{end}",
            study=by["study"],
            section=_THEORY,
            quote="the lowest generalization risk (highest accuracy) for a model that is trained on a larger data "
            "will occur at a more complex model than the one with a smaller training set",
            quantity=f"{setting} that is best on test rows, trained on all rows over trained on the subset",
            unit="times",
            agrees=above(1),
            measure=optimum,
        ),
        _claim(
            f"hypertune.figure1.subset_degrades{end}",
            study=by["study"],
            section=_INTRODUCTION,
            quote="its generalization performance degrades as it selects more complex models",
            quantity=f"test accuracy, trained on the subset, with the {setting} that is best on the other seeds "
            f"less with {by['last']}",
            measure=degrades,
        ),
        _claim(
            f"hypertune.figure1.subset_poorer{end}",
            study=by["study"],
            section=_INTRODUCTION,
            quote="M2 exhibits poorer generalization performance compared to M1",
            quantity=f"test accuracy, trained on all rows less trained on the subset, at each {setting}",
            measure=partial(_subset_poorer, noun=by["noun"]),
        ),
        _claim(
            f"hypertune.figure1.monotone_rise{end}",
            study=by["study"],
            section=_INTRODUCTION,
            quote="Between the lower and upper bounds of the performance in M2, the performance of M1 rises "
            "strictly monotonically",
            quantity=f"rise of test accuracy, trained on all rows, at each step from {by['fewest']} to the "
            "one that is best on the subset",
            measure=_monotone_rise,
        ),
    )


_ON_BOUND: Final = (
    _claim(
        "hypertune.theory.theorem1",
        study="complexity",
        section=_THEORY,
        quote="For binary classification and the 0/1 loss function, we have the following generalization bounds",
        quantity="Theorem 1's bound at a probability of 95 % minus the gap between training and test error of one "
        "trained classifier, a linear SVM on random features, at each number of rows and of features",
        measure=_within_bound,
        is_by_construction=True,  # a proved bound
    ),
    _claim(
        "hypertune.theory.bound_on_fewer_rows",
        study="complexity",
        section=_THEORY,
        quote="For a fixed VC dimension ... the generalization bound is higher when n is small",
        quantity="Theorem 1's bound on the subset's rows over that on all rows, at the VC dimension where they "
        "are closest",
        unit="times",
        agrees=above(1),
        measure=lambda arrays, rng: exact(float((arrays["subset bound"] / arrays["all bound"]).min())),
        is_by_construction=True,
    ),
)
CLAIMS: Final = (
    *_ON_BOUND,
    *_on_accuracies("", _FEATURES, _among_features, _subset_degrades),
    *_on_accuracies("_in_gamma", _GAMMA, _more_complex_optimum, _subset_degrades_while_all_rise),
)


# Figure --------------------------------------------------------------------------------------------------------


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds.

    Returns:
        panel (`gamma` or `features`), method, n_rows (trained on), complexity, mean and se (accuracy on the test
        rows), train_mean, train_se and bound (of features), n_seeds, data.
    """
    panels = {
        panel: runs[runs[column].notna()].rename(columns={column: "complexity"})
        for panel, column in (("gamma", "gamma"), ("features", "n_features"))
    }
    rows = []
    for panel, found in panels.items():
        for cell, part in found.groupby(["method", "n_rows", "complexity"], sort=True):
            measured = (part["accuracy"], part["train_accuracy"])
            numbers = [number for values in measured for number in (values.mean(), standard_error(values))]
            rows.append([panel, *cell, *numbers, part["bound"].iloc[0], part["seed"].nunique(), provenance(part)])
    names = ["mean", "se", "train_mean", "train_se", "bound", "n_seeds", "data"]
    return pd.DataFrame(rows, columns=["panel", "method", "n_rows", "complexity", *names])


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Left and middle: accuracy on test rows, dotted on those trained on; right: the bound of the gap."""
    from matplotlib.ticker import StrMethodFormatter

    figure = style.new_figure(7.2, 3.2)
    gamma, features, bounds = figure.subplots(1, 3)
    _draw_accuracies(gamma, table[table["panel"] == "gamma"])
    _draw_accuracies(features, table[table["panel"] == "features"])
    _draw_bounds(bounds, table[table["panel"] == "features"])
    gamma.set(xlabel="Complexity: gamma", ylabel="Accuracy", xscale="log")
    features.set(xlabel="Complexity: random features")
    features.text(
        0.97, 0.03, "star: best\ndotted: rows trained on", ha="right", fontsize=7, transform=features.transAxes
    )
    for axis in (features, bounds):
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    return plotters.finish(figure, table, 2, panels=[gamma])


def _draw_accuracies(axis: plotters.Axes, table: pd.DataFrame) -> None:
    """Accuracies of one panel, a star at the best; those on the rows trained on where they are known."""
    from matplotlib.ticker import PercentFormatter

    for method in METHODS:
        line = table[table["method"] == method.name]
        line = line.assign(low=line["mean"] - line["se"], high=line["mean"] + line["se"])
        plotters.lines(axis, line, {method.name: method.look}, x="complexity")
        best = line[line["mean"] == line["mean"].max()]
        axis.plot(best["complexity"], best["mean"], "*", color=method.look.color, markersize=11, label="_best")
        if line["train_mean"].notna().any():
            axis.plot(
                line["complexity"], line["train_mean"], color=method.look.color, linewidth=0.8, linestyle=":"
            )
    axis.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    sizes = table.groupby("method")["n_rows"].max()
    draws = f"{table['n_seeds'].max()} draw{'s' if table['n_seeds'].max() > 1 else ''}"
    axis.set_title(f"{sizes['subset']:,.0f} and {sizes['all']:,.0f} rows, {draws}", fontsize=8)


def _draw_bounds(axis: plotters.Axes, table: pd.DataFrame) -> None:
    """Theorem 1's bound of the gap; grey where it says nothing."""
    looks = {method.name: method.look for method in METHODS}
    plotters.lines(axis, table.assign(mean=table["bound"]), looks, x="complexity", order=looks, band=0)
    axis.set(ylim=(min(0.5, 0.8 * table["bound"].min()), 2 * table["bound"].max()))
    axis.axhspan(1.0, axis.get_ylim()[1], color="#EEF0F2", linewidth=0)
    axis.set(xlabel="VC dimension - 1", ylabel="Bound of the gap, probability 95 %", yscale="log")
    axis.text(0.03, 0.95, "above 1 it says nothing", transform=axis.transAxes, va="top", fontsize=7)


FIGURE1: Final = Artefact(
    "figure1",
    ("complexity", "complexity_by_gamma"),
    summarise,
    """The document's schema, computed. Left: an SVM with a radial kernel on MNIST, on all rows (M1) and on few of
    them (M2), at each gamma with the C of the least validation error, mean over draws of both (their number is in
    the panel's title).
    Middle: a linear SVM on random Fourier features (C {{ C }}, gamma {{ gamma }}) tells the first half of
    {{ dataset }}'s classes from the second, trained on {{ n_train }} rows (M1) or on {{ subset_rows }} of them
    (M2), mean over {{ n_seeds | seeds }}. Accuracies are on test rows, those of dotted lines on the rows trained
    on; a star marks the best. Bands are one standard error, from three draws on. Right: what Theorem 1 bounds the
    gap between the error on the training rows and the expected one by, with probability 95 %, for the middle
    panel.""",
    draw,
)
