"""The generated designs of the combinations, what is true of them, and splits of real data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit

from frugal import datasets
from frugal.checks import check_known
from frugal.rows import interval_widths
from frugal.rows.weighted_logistic import fit_weighted
from frugal.seeds import rng_for

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Part = tuple[Floats, Ints]
"""Features (n, d) and labels (n,)."""

BETA: Mapping[str, Floats] = {"nzNormal": np.full(7, 0.5), "student_t": np.ones(10)}
"""True coefficients; neither design has an intercept."""
RIDGE = 1e-5
"""Penalty on the mean loss: without one a little subsample that a hyperplane separates has no estimate."""


class Split(NamedTuple):
    """A dataset's rows for training and for testing, features scaled on the former."""

    X: Floats
    y: Ints
    X_test: Floats
    y_test: Ints
    data: str


def generate(design: str, n: int, rng: Generator) -> tuple[Floats, Ints]:
    """Rows (n, d) and labels 0 or 1 (n,) of a logistic model.

    `nzNormal` is that of document 003's Figure 10: N(1.5, Sigma), Sigma 1 on and 0.5 off the diagonal, about 95 %
    ones. `student_t` is that of its Figure 7 as Kleiner et al. (2014) describe it: independent Student's t of 3
    degrees of freedom.

    Raises:
        ValueError: on an unknown design.
    """
    check_known("design", design, BETA)
    beta = BETA[design]
    if design == "nzNormal":
        shared, own = rng.standard_normal((n, 1)), rng.standard_normal((n, len(beta)))
        X = 1.5 + np.sqrt(0.5) * (shared + own)
    else:
        X = rng.standard_t(3, size=(n, len(beta)))
    return X, (rng.random(n) < expit(X @ beta)).astype(np.int64)


@cache
def true_width(design: str, n: int, n_truth: int) -> float:
    """Width of the central 95 % of a coefficient fitted to n rows, over `n_truth` datasets of them.

    All coefficients of a design are exchangeable, so that one width, of all of their deviations, holds for each.
    """
    rng = rng_for("big_data", "combinations", "truth", design, n)
    fits = [maximum_likelihood(*generate(design, n, rng), start=BETA[design]) for _ in range(n_truth)]
    return float(interval_widths(np.concatenate(fits)[:, None])[0])


def maximum_likelihood(X: Floats, y: Ints, start: Floats) -> Floats:
    """Coefficients (d,) of the fit to all rows."""
    one = np.ones(len(X))
    fit = fit_weighted(X, y.astype(float), weights=one, offsets=0.0 * one, start=start, sample="the data")
    return fit.coef


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
    """The rows of `split`, the last `n_valid` that are not for testing apart for validation; and provenance.

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


def _scaled(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    mean, spread = train.mean(axis=0), train.std(axis=0)
    spread[spread == 0.0] = 1.0
    return (train - mean) / spread, (test - mean) / spread
