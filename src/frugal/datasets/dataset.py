"""A dataset in memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_dense, is_whole
from frugal.seeds import rng_for

Provenance = Literal["original", "jpeg", "stand-in", "generated"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A classification dataset.

    Attributes:
        name: as in the catalogue, with `_<rows>` after it if rows were drawn from it.
        X: features, (n_rows, n_features); float64, or uint8 from 0 to 255 for mnist and cifar10.
        y: labels, (n_rows,) int64 from 0 to n_classes - 1.
        n_classes: number of classes.
        provenance: "original"; "jpeg" (CIFAR-10 from compressed pictures); "stand-in" (what replaces
            a dataset that could not be had); "generated" (made by a study on purpose).
        splits: split name -> row indices, int64: "all", or "train" and "test".
        image_shape: shape of one row where rows are images: `X.reshape(-1, *image_shape)`.
    """

    name: str
    X: NDArray[Any]
    y: NDArray[np.int64]
    n_classes: int
    provenance: Provenance
    splits: Mapping[str, NDArray[np.int64]]
    image_shape: tuple[int, ...] | None = None

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of one row: that of an image, or (n_features,)."""
        return self.image_shape or self.X.shape[1:]

    @classmethod
    def from_arrays(cls, X: ArrayLike, y: ArrayLike, *, name: str = "arrays") -> Dataset:
        """A dataset of arrays in memory; labels are numbered in sorted order.

        Args:
            X: numbers, shape (n_rows, n_features).
            y: labels of any kind but fractions, shape (n_rows,).
            name: name of the dataset, from which folds and seeds are derived.

        Raises:
            ValueError: if X is sparse or holds anything but numbers, the shapes do not go together, a number
                is missing or infinite, a label is missing or a fraction, labels of different kinds have no order,
                or there is one class.

        Examples:
            >>> Dataset.from_arrays([[0.1], [0.2], [0.3]], ["no", "yes", "no"]).y.tolist()
            [0, 1, 0]
        """
        import pandas as pd

        numbers, labels = _as_numbers(X), np.asarray(y)
        if numbers.ndim != 2 or labels.shape != numbers.shape[:1]:
            raise ValueError(
                f"X must have shape (n_rows, n_features) and y (n_rows,), got {numbers.shape} and {labels.shape}"
            )
        if not np.isfinite(numbers).all():
            raise ValueError("X holds values that are missing or infinite; fill them in or drop the rows")
        if labels.dtype.kind not in "biu":
            objects = np.asarray(y, dtype=object)
            if pd.isna(objects).any():
                raise ValueError("y holds missing labels; drop those rows")
            floats = [label for label in objects if isinstance(label, float | np.floating)]
            others = [label for label in floats if not float(label).is_integer()]
            if others:
                raise ValueError(f"y holds {others[0]}, which is no class; write classes as whole numbers or text")
            if labels.dtype.kind in "US" and not all(isinstance(label, str | bytes) for label in objects):
                labels = objects  # NumPy has written the numbers among them as text
        try:
            values, codes = np.unique(labels, return_inverse=True)
        except TypeError as error:
            examples = " and ".join(repr(label) for label in {type(label): label for label in labels}.values())
            raise ValueError(
                f"y holds labels of different kinds, such as {examples}; write them all as text or all as numbers"
            ) from error
        if len(values) < 2:
            raise ValueError("y holds a single class, expected two or more")
        everything = {"all": np.arange(len(labels))}
        return cls(name, numbers, codes.astype(np.int64), len(values), "original", everything)

    def training(self) -> Dataset:
        """The rows of the split "train" alone, or the dataset itself where nothing is set apart for testing."""
        if "train" not in self.splits:
            return self
        rows = self.splits["train"]
        everything = {"all": np.arange(len(rows))}
        return dataclasses.replace(self, X=self.X[rows], y=self.y[rows], splits=everything)

    def subset(self, n_rows: int) -> Dataset:
        """Rows drawn without replacement, in their order here; the same ones for the same name and number.

        If the dataset has test rows, all of them are kept, and rows are drawn from the others only.

        Args:
            n_rows: number of rows, from 1 to all that are not for testing.

        Raises:
            ValueError: if there are not that many rows.
        """
        pool = self.splits.get("train", np.arange(len(self.y)))
        test = self.splits.get("test", np.arange(0))
        if not is_whole(n_rows, 1) or n_rows > len(pool):
            raise ValueError(f"cannot draw {n_rows} rows of {self.name}: it has {len(pool)} ({self.provenance})")
        drawn = rng_for("rows", self.name, n_rows).choice(len(pool), size=n_rows, replace=False)
        rows = np.concatenate([pool[np.sort(drawn)], test])
        splits = {"train": np.arange(n_rows), "test": np.arange(n_rows, len(rows))}
        return dataclasses.replace(
            self,
            name=f"{self.name}_{n_rows}",
            X=np.ascontiguousarray(self.X[rows]),
            y=self.y[rows],
            splits=splits if len(test) else {"all": np.arange(n_rows)},
        )


def _as_numbers(X: ArrayLike) -> NDArray[np.float64]:
    """X as an array of numbers; shape and entries are not checked.

    Raises:
        ValueError: if it is sparse, or holds something else than numbers, or rows of different lengths.
    """
    check_dense(X)
    dtypes = getattr(X, "dtypes", None)  # of a data frame's columns
    for dtype in dtypes if isinstance(dtypes, Iterable) else [getattr(X, "dtype", None)]:
        if getattr(dtype, "kind", "f") in "cmM":  # NumPy would take parts or counts of these
            raise ValueError(f"X must hold real numbers, got dtype {dtype}")
    try:
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must hold real numbers in rows of the same length: {error}") from error
