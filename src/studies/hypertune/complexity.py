"""Figure 1 from a computation: accuracy against complexity on a subset and on all rows, and the VC bound of both.

The document draws a schema. Here the classifier is a linear SVM on F random Fourier features (`learners.svm_rff`)
of two classes, the first and the second half of a data set's, at a fixed C and gamma. Halfspaces of F features
have the VC dimension V = F + 1, so that the bound can be drawn, too: with the shatter coefficient at most
(n + 1)^V, with probability 1 - delta no classifier's error on n rows is farther from the expected one than

    epsilon = sqrt(32 (V log(n + 1) + log(8 / delta)) / n)

which is the document's Theorem 1, 8 S(n) exp(-n epsilon^2 / 32) = delta, solved for epsilon; its Corollary 1 is
garbled (128 in the place of 32, and log(8 / delta) outside the brackets).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal import datasets, learners
from frugal.checks import check_settings, check_whole
from frugal.seeds import rng_for
from frugal.stats import standard_error
from frugal.threads import one_thread
from frugal.trials.parts import split
from studies.tidy import provenance

METHODS: Final = ("subset", "all")
SETTINGS: Final = ("dataset", "n_train", "subset_rows", "n_test", "n_features", "C", "gamma")
DELTA: Final = 0.05


def bound(n_rows: int, vc_dimension: int, delta: float = DELTA) -> float:
    """The largest gap between an error on `n_rows` rows and the expected one, with probability 1 - `delta`."""
    return float(np.sqrt(32 * (vc_dimension * np.log(n_rows + 1) + np.log(8 / delta)) / n_rows))


def complexity(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Accuracies of one seed on a subset of the training rows, or on all of them, a row per number of features.

    Args:
        method: of `METHODS`.
        seed: draws the training rows, of these the subset, and the random features.
        settings: dataset, one that sets no test rows apart; n_train, training rows; subset_rows, of the subset;
            n_test, test rows; n_features, numbers of random features; C and gamma, of the SVM.
        root: folder of the datasets.

    Returns:
        dataset, data, n_rows, n_features, train_accuracy, accuracy (on the test rows), bound.

    Raises:
        ValueError: on an unknown or missing setting, or more rows than there are.
    """
    check_settings(settings, SETTINGS, complete=True)
    check_whole("subset_rows", settings["subset_rows"], 2, settings["n_train"], "the training rows")
    data = datasets.load(settings["dataset"], root=root)
    of = split(data, n_valid=1, n_test=settings["n_test"], seed=0, n_train=settings["n_train"], train_seed=seed)
    (X, y), (X_test, y_test) = of.train, of.test
    y, y_test = (np.asarray(labels >= data.n_classes / 2, dtype=np.int64) for labels in (y, y_test))
    if method == "subset":
        rows = rng_for("complexity", "subset", seed).permutation(len(y))[: settings["subset_rows"]]
        X, y = X[rows], y[rows]
    found = []
    for n_features in settings["n_features"]:
        candidate = {"C": settings["C"], "gamma": settings["gamma"], "n_features": n_features}
        with one_thread():
            fitted = learners.build("svm_rff", candidate, seed=seed).fit(X, y)
            right = [float(np.mean(fitted.predict(a) == b)) for a, b in ((X, y), (X_test, y_test))]
        found.append([len(y), n_features, *right, bound(len(y), n_features + 1)])
    table = pd.DataFrame(found, columns=["n_rows", "n_features", "train_accuracy", "accuracy", "bound"])
    table.insert(0, "data", data.provenance)
    table.insert(0, "dataset", data.name)
    return table


def summarise_figure1(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds.

    Args:
        runs: rows of `complexity`.

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


def best_features(runs: pd.DataFrame) -> pd.DataFrame:
    """log2 of the number of features with the highest accuracy on the test rows, by seed, a column per method."""
    best = runs.loc[runs.groupby(["method", "seed"])["accuracy"].idxmax()]
    wide = best.pivot_table("n_features", index="seed", columns="method").reindex(columns=list(METHODS))
    return wide.apply(np.log2)


def lost_by_the_most_features(accuracy: NDArray[np.float64]) -> NDArray[np.float64]:
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
    lost: NDArray[np.float64] = accuracy[-1] - accuracy[others.argmax(axis=0), np.arange(n_seeds)]
    return lost
