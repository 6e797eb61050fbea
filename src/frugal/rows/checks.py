"""Checks of rows and labels. Each error is one sentence that says what is accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_dense, is_real

Read = Callable[[], Iterable[tuple[ArrayLike, ArrayLike | None]]]
"""Starts a new pass over chunks (X, y)."""
SEPARATED: Final = "a hyperplane separates the classes, so the likelihood has no maximum: set ridge above 0"
"""Message on rows whose likelihood has no maximum without a penalty."""


def check_features(X: ArrayLike) -> NDArray[Any]:
    """Return `X` as a numeric array of shape (n, d), without a copy if possible; entries are not checked.

    Columns of numbers and booleans of a table are numbers, too; missing ones become nan.

    Raises:
        ValueError: on a sparse matrix, another shape, no rows or columns, or entries that are no real numbers.
    """
    check_dense(X)
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


def names_of(X: object) -> tuple[Any, ...] | None:
    """Names of the columns of a table, such as a data frame, if they are strings; None: there are none."""
    names = tuple(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def check_names(what: str, names: tuple[Any, ...] | None, known: tuple[Any, ...] | None) -> None:
    """Raise unless the columns of a table are the known ones in the same order; arrays have no names to check.

    Raises:
        ValueError: listing both. `what` says in the message which table it is.
    """
    if names is not None and known is not None and names != known:
        raise ValueError(f"{what} must have the columns {[*known]} in this order, got {[*names]}")


def check_array(name: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a new array of floats, which is finite and has this shape.

    Raises:
        ValueError: on another shape, or an entry that is no finite number.
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers of shape {shape}, got {value!r}") from error
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite and of shape {shape}, got shape {array.shape}")
    return array


def check_read(read: object) -> None:
    """Raise unless `read` is a function.

    Raises:
        TypeError: naming what it is.
    """
    if not callable(read):
        raise TypeError(
            f"read must be a function that starts a pass over chunks (X, y), got a {type(read).__name__}"
        )


def chunks_of(read: Read) -> Iterator[tuple[ArrayLike, ArrayLike | None]]:
    """Yield the chunks of a pass that have rows.

    Raises:
        ValueError: if a chunk is a table whose columns differ from those of a table before.
    """
    names = None
    for X, y in read():
        if np.shape(X)[:1] == (0,):
            continue
        check_names("every chunk", names_of(X), names)
        names = names or names_of(X)
        yield X, y


def check_binary(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return labels 0 and 1 as floats; objects that are numbers or booleans are numbers, too.

    Raises:
        ValueError: on another label.
    """
    if y.dtype.kind in "biuf":
        others = y[(y != 0) & (y != 1)].tolist()
    else:
        numbers = (int, float, np.number, np.bool_)
        others = [label for label in y.tolist() if not (isinstance(label, numbers) and label in (0, 1))]
    if others:
        raise ValueError(f"y must hold the labels 0 and 1, got {others[0]!r}")
    return y.astype(float)


def check_finite(name: str, array: NDArray[Any]) -> None:
    """Raise ValueError unless every entry is finite."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got nan or infinite entries")


def check_targets(y: ArrayLike, n: int) -> NDArray[Any]:
    """Return `y` as an array of class labels or numbers, shape (n,).

    Raises:
        ValueError: on another shape or entries that are neither.
    """
    array = as_labels(y)
    if array.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one entry per row of X, got {array.shape}")
    if array.dtype.kind == "O":
        if all(isinstance(label, str) for label in array):
            array = array.astype(str)
        elif all(isinstance(label, bool | np.bool_) or is_real(label) for label in array):
            array = np.array(array.tolist())
    if array.dtype.kind not in "biufUS":
        raise ValueError(f"y must hold integers, booleans, strings or real numbers, got dtype {array.dtype}")
    return array


def as_labels(y: ArrayLike) -> NDArray[Any]:
    """Labels as an array; as objects where NumPy would write numbers among texts, such as nan, as texts."""
    array = np.asarray(y)
    if array.dtype.kind in "US" and not isinstance(y, np.ndarray):
        objects = np.asarray(y, dtype=object)
        if not all(isinstance(label, str | bytes) for label in objects.ravel()):
            return objects
    return array


def are_labels(y: NDArray[Any]) -> bool:
    """True if targets are class labels: integers, booleans and strings are, floating-point numbers are not."""
    return y.dtype.kind in "biuUS"
