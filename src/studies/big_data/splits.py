"""Splits of real data into training, validation and test rows; and what all fits of section 4 have in common."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from frugal import datasets
from frugal.rows import Fit, fit_dynamic_sample
from frugal.seeds import rng_for
from studies.estimates import Array

Ints = NDArray[np.int64]
Part = tuple[Array, Ints]
"""Features (n, d) and labels (n,)."""
Result = TypeVar("Result")

RIDGE: Final = 1e-5
"""Penalty on the mean loss: without one a little subsample that a hyperplane separates has no estimate."""
TOL: Final = 1e-4
"""Largest entry of the gradient where a Newton-CG fit ends: a few hundredths of the gradient's noise on n rows."""
N_INIT: Final = 1
"""Restarts of k-means (the library's default is 3): inside BLB each of s r fits clusters anew."""


class Split(NamedTuple):
    """A dataset's rows for training and for testing, and its provenance."""

    X: Array
    y: Ints
    X_test: Array
    y_test: Ints
    data: str


def split(
    name: str,
    seed: int,
    *,
    root: str | Path,
    n_train: int | None = None,
    n_test: int | None = None,
    n_components: int | None = None,
) -> Split:
    """One fifth of a dataset's rows to test on, the others to train on; the same ones for the same name and seed.

    Features are scaled to mean 0 and variance 1 over the training rows. adult's 108 columns are 6 numbers and
    indicators that sum to 1 per attribute, so that no fit without a penalty is determined: with `n_components`
    their leading principal components, of the training rows, take their place, scaled again.

    Args:
        name: of the dataset.
        seed: of the split.
        root: the data folder.
        n_train: training rows, at most; None: four fifths of all.
        n_test: test rows, at most.
        n_components: for data with more features than this, how many to keep.
    """
    dataset = datasets.load(name, root=root)
    order = rng_for("big_data", "split", name, seed).permutation(len(dataset.y))
    fifth = len(order) // 5
    test, train = order[:fifth][:n_test], order[fifth:][:n_train]
    X, X_test = _scaled(*(dataset.X[rows].astype(float) for rows in (train, test)))
    if n_components is not None and X.shape[1] > n_components:
        values, vectors = np.linalg.eigh(X.T @ X)
        leading = vectors[:, np.argsort(values)[::-1][:n_components]]
        X, X_test = _scaled(X @ leading, X_test @ leading)
    return Split(X, dataset.y[train], X_test, dataset.y[test], dataset.provenance)


def split_in_three(
    name: str, seed: int, *, root: str | Path, n_train: int, n_valid: int, n_test: int | None = None
) -> tuple[Part, Part, Part, str]:
    """Parts for training, validation and testing, and the provenance of the dataset.

    They are the rows of `split`; the last `n_valid` of its training rows are for validation.

    Raises:
        ValueError: if there are fewer rows than these to train and validate on.
    """
    found = split(name, seed, root=root, n_train=n_train + n_valid, n_test=n_test)
    if len(found.y) < n_train + n_valid:
        raise ValueError(
            f"{name} has {len(found.y)} rows to train and validate on, got {n_train} to train and {n_valid} to"
            " validate on"
        )
    train, valid = ((found.X[rows], found.y[rows]) for rows in (slice(n_train), slice(n_train, None)))
    return train, valid, (found.X_test, found.y_test), found.data


def two_classes(*parts: Ints) -> list[Ints]:
    """Labels of parts of a dataset, 1 for the later half of all classes and 0 for the earlier half."""
    middle = (int(max(y.max() for y in parts)) + 1) // 2
    return [(y >= middle).astype(np.int64) for y in parts]


def check_rows(name: str, n_train: int, n_valid: int) -> None:
    """Refuse what `split_in_three` would refuse, without the data: a fifth of all rows is for testing.

    Raises:
        ValueError: if there are fewer rows than these to train and validate on.
    """
    from studies.builds import hollow

    n_all = len(hollow(name).y)
    n_rows = n_all - n_all // 5
    if n_train + n_valid > n_rows:
        raise ValueError(f"{name} has {n_rows} rows to train and validate on, got {n_train} and {n_valid}")


def _scaled(train: Array, test: Array) -> tuple[Array, Array]:
    mean, spread = train.mean(axis=0), train.std(axis=0)
    spread[spread == 0.0] = 1.0
    return (train - mean) / spread, (test - mean) / spread


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    """Result of a call and its seconds; fits that fail do not warn, since they are counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        start = time.perf_counter()
        found = call()
        return found, time.perf_counter() - start


def batch_fit(X: Array, y: Ints, *, rng: np.random.Generator, **settings: Any) -> Fit:
    """Newton-CG with every row in every sample; the Hessian on a tenth of them.

    X is (n, d), y (n,); `rng` draws the rows of the Hessian; `settings` are those of `fit_dynamic_sample`.
    """
    all_rows: dict[str, Any] = {"theta": 0.0, "dynamic": False, "initial_size": len(y), "tol": TOL}
    return fit_dynamic_sample(X, y, rng=rng, **all_rows, **settings)
