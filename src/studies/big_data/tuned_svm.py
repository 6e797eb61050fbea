"""One k-means SVM, tuned on one split and timed: the measurement behind Figure 12."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
from sklearn import config_context
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from frugal import datasets
from frugal.rows.learners import make
from frugal.rows.reduced_svm import Reduced
from frugal.seeds import rng_for, seed_for
from studies.big_data import ripley
from studies.big_data.compression import TEST_SHARE
from studies.big_data.splits import Ints, Split

N_RIPLEY: Final = (125, 500)
"""Rows per class for training and for testing, those of Ripley's own data set."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is tuned on which rows.

    Attributes:
        rows: to train on and to test on, features unscaled.
        n_folds: of the cross-validation that chooses C and gamma.
        Cs: penalties of the grid, in the order in which ties are resolved.
        gammas: of the radial kernel, likewise.
        n_init: restarts of k-means.
    """

    rows: Split
    n_folds: int
    Cs: tuple[float, ...]
    gammas: tuple[float, ...]
    n_init: int


def rows_of(dataset: str, seed: int, root: str | Path = "data") -> Split:
    """One split of a data set, features unscaled; the same for every method.

    Raises:
        ValueError: on an unknown data set.
    """
    if dataset == "ripley":
        rng = rng_for("compression", "ripley", seed)
        return Split(*ripley.simulate(N_RIPLEY[0], rng), *ripley.simulate(N_RIPLEY[1], rng), "generated")
    data = datasets.load(dataset, root=root).training()
    X, X_test, y, y_test = train_test_split(
        np.asarray(data.X, dtype=float),
        data.y,
        test_size=TEST_SHARE,
        stratify=data.y,
        random_state=seed_for("compression", "split", dataset, seed),
    )
    return Split(X, y, X_test, y_test, data.provenance)


def measure(method: str, compression: float, task: Task, *, names: tuple[str | int, ...]) -> dict[str, Any]:
    """Tune, fit and test one method at one compression.

    scikit-learn's checks of parameters and for numbers that are not finite are off, since at a few hundred rows
    they take as long as the fits.

    Args:
        method: one of `frugal.rows.learners.METHODS`.
        compression: R.
        task: on what.
        names: what folds and clusters are seeded by, the same for all methods.

    Returns:
        The columns of `compression.run` after `compression`.
    """
    with config_context(assume_finite=True, skip_parameter_validation=True):
        started = perf_counter()
        best, n_rows, n_distances = _tune(method, compression, task, names)
        fitting = perf_counter()
        scaler = StandardScaler().fit(task.rows.X)
        X, y = scaler.transform(task.rows.X), task.rows.y
        svm = make(
            method, compression=compression, **best, n_init=task.n_init, random_state=seed_for(*names, "all")
        )
        svm.fit(X, y)
        fitted = perf_counter()
        predicted = svm.predict(scaler.transform(task.rows.X_test))
        done = perf_counter()
    return {
        "n_train": len(y),
        "n_test": len(task.rows.y_test),
        "test_error": float(np.mean(predicted != task.rows.y_test)),
        "train_seconds": fitted - started,
        "fit_seconds": fitted - fitting,
        "predict_seconds": done - fitted,
        "n_support": int(svm.svc_.n_support_.sum()),
        "n_reduced": len(svm.reduced_.y),
        **best,
        "rows_touched": n_rows + len(svm.reduced_.y),
        "n_distances": n_distances + count_distances(method, y, compression),
        "at_edge": best["C"] in (task.Cs[0], task.Cs[-1]) or best["gamma"] in (task.gammas[0], task.gammas[-1]),
    }


def _tune(
    method: str, compression: float, task: Task, names: tuple[str | int, ...]
) -> tuple[dict[str, float], int, int]:
    """C and gamma with the most validation rows right, the first of those tied; rows fitted; distances."""
    grid = [{"C": C, "gamma": gamma} for C, gamma in product(task.Cs, task.gammas)]
    n_right, n_rows, n_distances = np.zeros(len(grid), dtype=int), 0, 0
    X, y = task.rows.X, task.rows.y
    folds = StratifiedKFold(task.n_folds, shuffle=True, random_state=seed_for(*names, "folds"))
    for fold, (train, valid) in enumerate(folds.split(X, y)):
        scaler = StandardScaler().fit(X[train])
        reduced: Reduced = make(
            method, compression=compression, n_init=task.n_init, random_state=seed_for(*names, fold)
        ).reduce(scaler.transform(X[train]), y[train])
        shown = scaler.transform(X[valid])
        n_distances += count_distances(method, y[train], compression)
        for i, candidate in enumerate(grid):
            svm = make(method, compression=compression, **candidate).fit_reduced(reduced)
            n_right[i] += int(np.count_nonzero(svm.svc_.predict(shown) == y[valid]))
            n_rows += len(reduced.y)
    return grid[int(n_right.argmax())], n_rows, n_distances


def count_distances(method: str, y: Ints, compression: float) -> int:
    """Distances of rows to centres in one pass of k-means over all that is clustered; 0 without compression.

    Args:
        method: `svm_km` clusters all rows together, the others each class by itself.
        y: labels of the rows, shape (n,).
        compression: R; about one cluster for every R rows.
    """
    if compression == 1:
        return 0
    sizes = [len(y)] if method == "svm_km" else np.unique(y, return_counts=True)[1].tolist()
    return sum(n * max(1, round(n / compression)) for n in sizes)
