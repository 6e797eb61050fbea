"""Checks of points, targets and sizes. Each error is one sentence that says what is accepted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_whole

N_MIN, N_MAX = 100, 50_000
"""Least and full number of rows of Fabolas unless given: those of the published experiments on MNIST."""


def check_points(X: ArrayLike, d: int | None = None, name: str = "X") -> NDArray[np.float64]:
    """Return points of the unit cube as an array (n, d).

    Raises:
        ValueError: on another shape, or a coordinate outside [0, 1].
    """
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] == 0 or d not in (None, points.shape[1]):
        raise ValueError(f"{name} must have shape (n, {d or 'd'}), got {points.shape}")
    outside = points[~((points >= 0) & (points <= 1))]
    if len(outside):
        raise ValueError(f"{name} must lie in the unit cube, got a coordinate of {outside[0]}")
    return points


def check_list(name: str, values: object) -> None:
    """Raise ValueError unless `values` are a list, tuple, range or array of one axis."""
    is_listed = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    if not (is_listed or (isinstance(values, np.ndarray) and values.ndim == 1)):
        raise ValueError(f"{name} must be a list, got {values!r}")


def check_sizes(sizes: Sequence[int], low: int) -> None:
    """Raise ValueError unless `sizes` are at least two whole numbers of at least `low` that increase."""
    check_list("sizes", sizes)
    for size in sizes:
        check_whole("sizes", size, low)
    if len(sizes) < 2 or any(after <= before for before, after in pairwise(sizes)):
        raise ValueError(f"sizes must be at least two numbers that increase, got {list(sizes)}")


LARGEST_TARGET = 1e100
"""Largest absolute target: squares, and sums of squares, of targets up to it fit into a float."""


def check_targets(y: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return finite targets as an array (n,), n at least 1.

    Raises:
        ValueError: on another shape, none, or a target that is not finite or beyond `LARGEST_TARGET`.
    """
    targets = np.asarray(y, dtype=float)
    if n == 0 or targets.shape != (n,):
        raise ValueError(
            f"y must have shape ({n},), one target per row of X and at least one, got {targets.shape}"
        )
    if not np.isfinite(targets).all():
        raise ValueError(f"y must be finite, got {targets[~np.isfinite(targets)][0]}")
    largest = float(np.abs(targets).max())
    if largest > LARGEST_TARGET:
        raise ValueError(f"y must lie within +-{LARGEST_TARGET:g}, since its variance overflows; got {largest:g}")
    return targets
