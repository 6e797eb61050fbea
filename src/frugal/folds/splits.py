"""Splits into folds, seeded by dataset, seed and k alone, so that every strategy meets the same folds."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_known, is_whole
from frugal.seeds import rng_for, seed_for

if TYPE_CHECKING:
    from frugal.datasets import Dataset

SCHEMES = ("stratified", "plain")
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def split(dataset: Dataset, n_folds: int, seed: int, scheme: str = "stratified") -> list[Split]:
    """Shuffled k-fold splits of a dataset.

    Args:
        dataset: the dataset, whose name and labels decide the folds.
        n_folds: number of folds, at least 2 and at most the number of rows.
        seed: number of the repetition.
        scheme: `stratified` or `plain`; where k does not divide the rows the first folds are one larger.

    Returns:
        Per fold, the row numbers of its training part and of its validation part.

    Raises:
        ValueError: on an unknown scheme, or more folds than the scheme can fill.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    check_known("splits", scheme, SCHEMES)
    if len(dataset.y) < 2:
        raise ValueError(f"{dataset.name} has {len(dataset.y)} row(s), but cross-validation needs at least 2")
    if not is_whole(n_folds, 2) or n_folds > len(dataset.y):
        raise ValueError(f"n_folds must lie in [2, {len(dataset.y)}], the rows of {dataset.name}, got {n_folds!r}")
    smallest = int(np.bincount(dataset.y, minlength=dataset.n_classes).min())
    if smallest < n_folds and scheme == "stratified":
        fewer = f"at most {smallest} folds, or " if smallest >= 2 else ""
        raise ValueError(
            f"n_folds={n_folds} exceeds the {smallest} row{'s' * (smallest != 1)} of the smallest class of "
            f"{dataset.name}; use {fewer}splits: plain"
        )
    if smallest < n_folds:
        warnings.warn(
            f"the smallest class of {dataset.name} has {smallest} rows, so some of the {n_folds} folds lack it",
            stacklevel=2,
        )
    kind = StratifiedKFold if scheme == "stratified" else KFold
    splitter = kind(n_folds, shuffle=True, random_state=seed_for("folds", dataset.name, seed, n_folds))
    return list(splitter.split(dataset.X, dataset.y))


def shrink(parts: Split, dataset: Dataset, n_rows: int, seed: int, fold: int) -> Split:
    """Cut both parts of a split to the share `n_rows` of all rows, as scikit-learn's halving does.

    Each part keeps `int(n_rows / len(dataset.y) * len(part))` rows drawn without replacement,
    unstratified; the draw depends on dataset, seed, fold and `n_rows` alone.

    Raises:
        ValueError: if a part would be empty or `n_rows` exceeds the dataset.
    """
    if not is_whole(n_rows, 1) or n_rows > len(dataset.y):
        raise ValueError(f"n_rows must lie in [1, {len(dataset.y)}], got {n_rows!r}")
    rng = rng_for("rung", dataset.name, seed, fold, n_rows)
    fraction = n_rows / len(dataset.y)
    train, test = (rng.choice(part, size=int(fraction * len(part)), replace=False) for part in parts)
    if min(train.size, test.size) == 0:
        raise ValueError(f"n_rows={n_rows} leaves fold {fold} of {dataset.name} without rows")
    return train, test
