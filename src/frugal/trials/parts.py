"""Split rows for fitting, validation and testing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.datasets import Dataset
from frugal.seeds import rng_for


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows for fitting, validation and testing. No strategy sees the test rows.

    Attributes:
        train: X (n_train, n_features) and y (n_train,).
        valid: the same for validation.
        test: the same for testing.
    """

    train: tuple[NDArray[Any], NDArray[np.int64]]
    valid: tuple[NDArray[Any], NDArray[np.int64]]
    test: tuple[NDArray[Any], NDArray[np.int64]]


def split(
    data: Dataset,
    *,
    n_valid: int,
    n_test: int = 0,
    seed: int | None = None,
    n_train: int | None = None,
    train_seed: int = 0,
) -> Parts:
    """Set rows apart for validation, and for testing unless the dataset has its own test rows.

    Args:
        data: the dataset; its split "test" is kept where it has one.
        n_valid: rows for validation.
        n_test: rows for testing, where the dataset has no such split.
        seed: seed of the draw of validation and test rows; None: the last rows of the training part, as
            Eggensperger et al. (2013) do on MNIST.
        n_train: number of training rows to keep of the remaining rows; None: all.
        train_seed: seed of this draw; validation and test rows do not depend on it.

    Raises:
        ValueError: if no row, or fewer than `n_train` rows, remain for training; or if `n_test` is given for a
            dataset with a test split, or not given for one without.
    """
    has_test = "test" in data.splits
    refuse(has_test and n_test != 0, f"{data.name} has test rows of its own; n_test must be 0, got {n_test}")
    refuse(not has_test and n_test < 1, f"{data.name} has no test rows of its own; n_test must be at least 1")
    rows = data.splits["train"] if has_test else np.arange(len(data.y))
    if seed is not None:
        rows = rng_for("split", data.name, seed).permutation(rows)
    refuse(n_test > len(rows) - 2, f"n_test must be at most {len(rows) - 2}, got {n_test}")
    n_left = len(rows) - n_valid - n_test
    refuse(n_valid < 1 or n_left < 1, f"n_valid must lie in [1, {len(rows) - n_test - 1}], got {n_valid}")
    test = data.splits["test"] if has_test else rows[n_left + n_valid :]
    train = rows[:n_left]
    if n_train is not None:
        refuse(not 1 <= n_train <= n_left, f"n_train must lie in [1, {n_left}], got {n_train}")
        train = np.sort(rng_for("training rows", data.name, train_seed).permutation(train)[:n_train])
    parts = (train, rows[n_left : n_left + n_valid], test)
    return Parts(*((data.X[part], data.y[part]) for part in parts))


def refuse(condition: bool, sentence: str) -> None:
    """Raise ValueError if the condition holds."""
    if condition:
        raise ValueError(sentence)
