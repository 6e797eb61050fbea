"""Checks of rows and labels. Each error is one sentence that says what is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_features(X: ArrayLike) -> NDArray[Any]:
    """Return `X` as a numeric array of shape (n, d), without a copy if possible; entries are not checked.

    Columns of numbers and booleans of a table are numbers, too; missing ones become nan.

    Raises:
        ValueError: on a sparse matrix, another shape, no rows or columns, or entries that are no real numbers.
    """
    if hasattr(X, "toarray"):
        raise ValueError(f"X must be dense, got a {type(X).__name__}: give X.toarray()")
    array = np.asarray(X)
    if (
        array.dtype.kind == "O"
        and hasattr(X, "dtypes")
        and all(getattr(dtype, "kind", "O") in "biuf" for dtype in X.dtypes)
    ):
        array = X.to_numpy(dtype=float, na_value=np.nan)  # type: ignore[union-attr]
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"X must have shape (n, d) with at least one row and one column, got {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"X must hold real numbers, got dtype {array.dtype}")
    return array


def check_finite(name: str, array: NDArray[Any]) -> None:
    """Raise unless every entry is finite.

    Raises:
        ValueError: naming the argument.
    """
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got nan or infinite entries")


def check_targets(y: ArrayLike, n: int) -> NDArray[Any]:
    """Return `y` as an array of class labels or numbers, shape (n,).

    Raises:
        ValueError: on another shape or entries that are neither.
    """
    array = np.asarray(y)
    if array.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one entry per row of X, got {array.shape}")
    if array.dtype.kind == "O" and all(isinstance(label, str) for label in array):
        array = array.astype(str)
    if array.dtype.kind not in "biufUS":
        raise ValueError(f"y must hold integers, booleans, strings or real numbers, got dtype {array.dtype}")
    return array


def are_labels(y: NDArray[Any]) -> bool:
    """True if targets are class labels: integers, booleans and strings are, floating-point numbers are not."""
    return y.dtype.kind in "biuUS"
