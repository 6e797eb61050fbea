"""Figure 1 of document 004, computed: accuracy against complexity on a subset and on all rows, and the VC bound.

The document draws a schema. Here the classifier is a linear SVM on F random Fourier features
(`learners.svm_rff`), at a fixed C and gamma. The two classes are the first and the second half of a data set's.
Halfspaces of F features
have the VC dimension V = F + 1, so that the bound can be drawn, too: with the shatter coefficient at most
(n + 1)^V, with probability 1 - delta no classifier's error on n rows is farther from the expected one than

    epsilon = sqrt(32 (V log(n + 1) + log(8 / delta)) / n)

which is the document's Theorem 1, 8 S(n) exp(-n epsilon^2 / 32) = delta, solved for epsilon; its Corollary 1 is
garbled (128 in the place of 32, and log(8 / delta) outside the brackets).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from frugal.seeds import rng_for
from frugal.stats import standard_error
from studies import plotters, style
from studies.cells import every
from studies.estimates import Arrays, Estimate, exact, mean, ratio, tied
from studies.hypertune.data_set_claims import are_real
from studies.hypertune.searches import FLOOR, FLOOR_ROWS, without_stand_ins
from studies.records import Artefact, Claim, Floor, Method, Study
from studies.regions import above
from studies.tidy import provenance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

METHODS: Final = (
    Method("subset", label="a subset (M2 of the document)", color="#D9820A", marker="D", linestyle="-"),
    Method("all", label="all rows (M1)", color="#00318F", marker="^", linestyle="--"),
)
DELTA: Final = 0.05


# Runs ----------------------------------------------------------------------------------------------------------


def bound(n_rows: int, vc_dimension: int, delta: float = DELTA) -> float:
    """The largest gap between an error on `n_rows` rows and the expected one, with probability 1 - `delta`."""
    return float(np.sqrt(32 * (vc_dimension * np.log(n_rows + 1) + np.log(8 / delta)) / n_rows))


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


# Claims --------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on, each (n_sizes, n_seeds) unless it says otherwise.

    Returns:
        n_features; by method accuracies, `{method} gap` (between training and test accuracy) and `{method} bound`;
        `{method} best`, as of `best_features`, (n_seeds,), and `subset lost`, as of `lost_by_the_most_features`,
        (n_seeds,).
    """
    gaps = runs.assign(gap=(runs["train_accuracy"] - runs["accuracy"]).abs())
    found: dict[str, Array] = {}
    for method, part in gaps.groupby("method"):
        wide = {
            name: part.pivot_table(name, index="n_features", columns="seed")
            for name in ("accuracy", "gap", "bound")
        }
        found[str(method)] = wide["accuracy"].to_numpy(float)
        found |= {f"{method} {name}": wide[name].to_numpy(float) for name in ("gap", "bound")}
        sizes = wide["accuracy"].index.to_numpy(float)
        found["n_features"] = np.repeat(sizes[:, None], found[str(method)].shape[1], axis=1)
    found |= {f"{name} best": best.to_numpy(float) for name, best in best_features(runs).items()}
    return found | {"subset lost": lost_by_the_most_features(found["subset"])}


def best_features(runs: pd.DataFrame) -> pd.DataFrame:
    """log2 of the number of features with the highest accuracy on the test rows, by seed, a column per method."""
    best = runs.loc[runs.groupby(["method", "seed"])["accuracy"].idxmax()]
    wide = best.pivot_table("n_features", index="seed", columns="method")
    return wide.reindex(columns=[method.name for method in METHODS]).apply(np.log2)


def lost_by_the_most_features(accuracy: Array) -> Array:
    """Accuracy with the most features less that with the number that is best on the other seeds, (n_seeds,).

    Were the number chosen on the same seeds the difference could not be above 0, and noise alone would do.

    Args:
        accuracy: by number of features, increasing, and seed, (n_sizes, n_seeds).

    Returns:
        nan where there is one seed alone.
    """
    n_seeds = accuracy.shape[1]
    if n_seeds < 2:
        return np.full(n_seeds, np.nan)
    others = (accuracy.sum(axis=1, keepdims=True) - accuracy) / (n_seeds - 1)
    lost: Array = accuracy[-1] - accuracy[others.argmax(axis=0), np.arange(n_seeds)]
    return lost


def _are_real_and_large(runs: pd.DataFrame) -> bool:
    return bool(are_real(runs) and runs["n_rows"].max() >= FLOOR_ROWS)


ENOUGH: Final = Floor(seeds=FLOOR, groups=("method",), further=_are_real_and_large)
COMPLEXITY: Final = Study(
    name="complexity",
    methods=METHODS,
    run=run,
    datasets="dataset",
    judged=without_stand_ins,
    arrays=arrays,
    is_enough=ENOUGH,
)
_claim = partial(Claim, of="complexity", artefact="figures/figure1", agrees=above(0), unit="points")
_INTRODUCTION: Final = "Introduction"
_THEORY: Final = "Key insights from PAC Generalization Bound"


def _sizes(arrays: Arrays) -> list[str]:
    return [f"{n:.0f}" for n in arrays["n_features"][:, 0]]


def _within_bound(arrays: Arrays, rng: Generator) -> Estimate:
    """A gap of two shares cannot lie above a bound of 100 points: such cells are left out."""
    bounds, gaps = (
        np.concatenate([arrays[f"{name} {what}"] for name in ("subset", "all")]) for what in ("bound", "gap")
    )
    names = [f"{rows} with {n} features" for rows in ("the subset", "all rows") for n in _sizes(arrays)]
    says = [i for i, row in enumerate(bounds) if row.max() < 1]
    left_out = f"{len(bounds) - len(says)} of {len(bounds)} left out, whose bound is 100 points and more"
    if not says:
        return Estimate(np.nan, np.nan, np.nan, remark=left_out)
    cells = 100 * (bounds - gaps)[says]
    found = every(cells, above(0), noun="cells", names=[names[i] for i in says])
    return replace(found, remark=f"{found.remark}; {left_out}")


def _subset_degrades(arrays: Arrays, rng: Generator) -> Estimate:
    """Loss of the most features; 0 by definition, and no evidence, where they are the best in every seed."""
    found = mean(-100 * arrays["subset lost"])
    if np.isnan(found.ours) or arrays["subset lost"].any():
        return found
    most = f"{arrays['n_features'][-1, 0]:,.0f}"
    return tied(found, f"the best is the most, {most}, in every seed, so that the difference is 0 by definition")


def _subset_poorer(arrays: Arrays, rng: Generator) -> Estimate:
    points = 100 * (arrays["all"] - arrays["subset"])
    return every(points, above(0), noun="numbers of features", names=_sizes(arrays))


def _monotone_rise(arrays: Arrays, rng: Generator) -> Estimate:
    """Steps of all rows' accuracy, from the fewest features to the number that is best on the subset."""
    last = int(arrays["subset"].mean(axis=1).argmax())
    names = [f"from {few} to {many}" for few, many in pairwise(_sizes(arrays)[: last + 1])]
    return every(100 * np.diff(arrays["all"][: last + 1], axis=0), above(0), noun="steps", names=names)


CLAIMS: Final = (
    _claim(
        "hypertune.theory.theorem1",
        section=_THEORY,
        quote="For binary classification and the 0/1 loss function, we have the following generalization bounds",
        quantity="Theorem 1's bound at a probability of 95 % minus the gap between training and test error of one "
        "trained classifier, a linear SVM on random features, at each number of rows and of features",
        measure=_within_bound,
    ),
    _claim(
        "hypertune.theory.bound_on_fewer_rows",
        section=_THEORY,
        quote="For a fixed VC dimension ... the generalization bound is higher when n is small",
        quantity="Theorem 1's bound on the subset's rows over that on all rows, at the VC dimension where they "
        "are closest",
        unit="times",
        agrees=above(1),
        measure=lambda arrays, rng: exact(float((arrays["subset bound"] / arrays["all bound"]).min())),
        is_by_construction=True,
    ),
    _claim(
        "hypertune.figure1.more_complex_optimum",
        section=_THEORY,
        quote="the lowest generalization risk (highest accuracy) for a model that is trained on a larger data "
        "will occur at a more complex model than the one with a smaller training set",
        quantity="number of random features that is best on test rows, trained on all rows over trained on the "
        "subset",
        unit="times",
        agrees=above(1),
        measure=lambda arrays, rng: ratio(2 ** arrays["all best"], 2 ** arrays["subset best"]),
    ),
    _claim(
        "hypertune.figure1.subset_degrades",
        section=_INTRODUCTION,
        quote="its generalization performance degrades as it selects more complex models",
        quantity="test accuracy, trained on the subset, with the number of random features that is best on the "
        "other seeds less with the most",
        measure=_subset_degrades,
    ),
    _claim(
        "hypertune.figure1.subset_poorer",
        section=_INTRODUCTION,
        quote="M2 exhibits poorer generalization performance compared to M1",
        quantity="test accuracy, trained on all rows less trained on the subset, at each number of random "
        "features",
        measure=_subset_poorer,
    ),
    _claim(
        "hypertune.figure1.monotone_rise",
        section=_INTRODUCTION,
        quote="Between the lower and upper bounds of the performance in M2, the performance of M1 rises strictly "
        "monotonically",
        quantity="rise of test accuracy, trained on all rows, at each step from the fewest random features to the "
        "number that is best on the subset",
        measure=_monotone_rise,
    ),
)


# Figure --------------------------------------------------------------------------------------------------------


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds.

    Returns:
        method, n_rows (trained on), n_features, mean and se (accuracy on the test rows), train_mean, train_se,
        bound, n_seeds, data.
    """
    rows = []
    for cell, part in runs.groupby(["method", "n_rows", "n_features"], sort=True):
        numbers = [
            number
            for name in ("accuracy", "train_accuracy")
            for number in (part[name].mean(), standard_error(part[name]))
        ]
        rows.append([*cell, *numbers, part["bound"].iloc[0], part["seed"].nunique(), provenance(part)])
    names = ["mean", "se", "train_mean", "train_se", "bound", "n_seeds", "data"]
    return pd.DataFrame(rows, columns=["method", "n_rows", "n_features", *names])


@style.styled
def draw(table: pd.DataFrame) -> Figure:
    """Left: accuracy on the test rows and on those trained on; right: the VC bound of the gap between the two."""
    from matplotlib.ticker import PercentFormatter, StrMethodFormatter

    figure = style.new_figure(7.2, 3.0)
    accuracy, bounds = figure.subplots(1, 2)
    for method in METHODS:
        line = table[table["method"] == method.name].sort_values("n_features")
        line = line.assign(low=line["mean"] - line["se"], high=line["mean"] + line["se"])
        look = replace(method.look, label=f"{method.look.label}, {line['n_rows'].iloc[0]:,.0f} rows")
        plotters.lines(accuracy, line, {method.name: look}, x="n_features")
        plotters.lines(bounds, line.assign(mean=line["bound"]), {method.name: look}, x="n_features", band=0)
        best = line[line["mean"] == line["mean"].max()]
        accuracy.plot(best["n_features"], best["mean"], "*", color=look.color, markersize=11, label="_best")
        accuracy.plot(line["n_features"], line["train_mean"], color=look.color, linewidth=0.8, linestyle=":")
    accuracy.set(xlabel="Complexity: random Fourier features", ylabel="Accuracy")
    note = "marks: test rows, star: best\ndotted: rows trained on"
    accuracy.text(0.97, 0.03, note, ha="right", fontsize=7, transform=accuracy.transAxes)
    accuracy.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    bounds.set(ylim=(min(0.5, 0.8 * table["bound"].min()), 2 * table["bound"].max()))
    bounds.axhspan(1.0, bounds.get_ylim()[1], color="#EEF0F2", linewidth=0)
    bounds.set(xlabel="VC dimension - 1", ylabel="Bound of the gap, probability 95 %", yscale="log")
    bounds.text(0.03, 0.95, "above 1 it says nothing", transform=bounds.transAxes, va="top", fontsize=7)
    for axis in (accuracy, bounds):
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    return plotters.finish(figure, table, 2, panels=[accuracy])


FIGURE1: Final = Artefact(
    "figure1",
    ("complexity",),
    summarise,
    """The document's schema, computed: a linear SVM on random Fourier features (C {{ C }}, gamma {{ gamma }})
    tells the first half of {{ dataset }}'s classes from the second, trained on {{ n_train }} rows (M1) or on
    {{ subset_rows }} of them (M2). Left: accuracy on {{ n_test }} test rows, mean over {{ n_seeds }} seed(s) with
    a band of one standard error. Right: what Theorem 1 bounds the gap between the error on the training rows and
    the expected one by, with probability 95 %.""",
    draw,
)
