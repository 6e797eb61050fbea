"""The arrays of a dataset: hashed, counted, verified."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.datasets.catalogue import DatasetError

_BLOCK_ROWS = 4_096


@dataclass(frozen=True, eq=False)
class Arrays:
    """The arrays that a reader makes from a source.

    Attributes:
        X: (n_rows, n_features), float64, or uint8 for images.
        y: (n_rows,) int64, labels from 0.
        splits: split name -> [first row, last row + 1]; empty: no split of its own.
    """

    X: NDArray[Any]
    y: NDArray[np.int64]
    splits: Mapping[str, tuple[int, int]]


def content_hash(X: NDArray[Any], y: NDArray[np.int64]) -> str:
    """SHA-256 of X as little-endian float64 in C order, then y as little-endian int64.

    Args:
        X: (n_rows, n_features), any real dtype; converted a block of rows at a time.
        y: (n_rows,) labels.

    Examples:
        >>> import numpy as np
        >>> from frugal.datasets import content_hash
        >>> pixels, y = np.array([[0], [255]], dtype=np.uint8), np.array([0, 1])
        >>> content_hash(pixels, y) == content_hash(pixels.astype(np.float64), y)
        True
    """
    digest = hashlib.sha256()
    for first in range(0, len(X), _BLOCK_ROWS):
        digest.update(np.ascontiguousarray(X[first : first + _BLOCK_ROWS], dtype="<f8").data)
    digest.update(np.ascontiguousarray(y, dtype="<i8").data)
    return digest.hexdigest()


def stored_hash(X: NDArray[Any], y: NDArray[np.int64]) -> str:
    """SHA-256 of the arrays as they are stored: X in C order, then y.

    On images it takes an eighth of the time of `content_hash`.

    Args:
        X: (n_rows, n_features).
        y: (n_rows,) labels.
    """
    digest = hashlib.sha256(np.ascontiguousarray(X).data)
    digest.update(np.ascontiguousarray(y).data)
    return digest.hexdigest()


def row_hash(X: NDArray[Any], y: NDArray[np.int64]) -> str:
    """SHA-256 of the rows of (X, y) as float64, sorted: equal for equal rows in any order."""
    table = np.ascontiguousarray(np.column_stack([X, y]), dtype="<f8")
    rows = np.sort(table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel())
    return hashlib.sha256(rows.tobytes()).hexdigest()


def class_counts(y: NDArray[np.int64]) -> tuple[int, ...]:
    """Rows per label, labels being 0, 1, ... without a gap."""
    return tuple(int(n) for n in np.bincount(y))


def encode(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Labels 0, 1, ... in the sorted order of the values, shape (n_rows,)."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def verify(
    where: str,
    arrays: Arrays,
    shape: tuple[int, int],
    counts: tuple[int, ...] | None,
) -> None:
    """Refuse arrays of another shape or other class counts than expected.

    Args:
        where: the file or source, for the message.
        arrays: the arrays.
        shape: (n_rows, n_features) expected.
        counts: rows per class expected; None: any two classes or more.

    Raises:
        DatasetError: on a mismatch, saying what was found and what was expected, or on a non-finite value.
    """
    X, y = arrays.X, arrays.y
    if X.shape != shape or y.shape != shape[:1]:
        raise DatasetError(f"{where} gives X {X.shape} and y {y.shape}, expected X {shape} and y {shape[:1]}")
    found = class_counts(y)
    if counts is not None and found != counts:
        raise DatasetError(f"{where} gives class counts {found}, labels sorted, expected {counts}")
    if len(found) < 2:
        raise DatasetError(f"{where} holds a single class, expected two or more")
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        raise DatasetError(f"{where} holds values that are missing or infinite, expected finite numbers")
