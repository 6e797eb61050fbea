"""From source files to arrays, one function per kind of source."""

from __future__ import annotations

import functools
import gzip
import importlib.util
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugal.datasets._files import read_members
from frugal.datasets.arrays import Arrays, encode
from frugal.datasets.catalogue import DatasetError, Entry
from frugal.extras import explained
from frugal.limits import Bounded
from frugal.seeds import rng_for

if TYPE_CHECKING:
    import pandas as pd

MISSING_IF_ZERO = ("plas", "pres", "skin", "insu", "mass")
"""Columns of OpenML 37 in which 0 stands for a missing value."""


def read_bundled(entry: Entry) -> Arrays:
    """`wdbc` or `digits`, from scikit-learn itself."""
    from sklearn.datasets import load_breast_cancer, load_digits

    X, y = {"wdbc": load_breast_cancer, "digits": load_digits}[entry.name](return_X_y=True)
    return Arrays(X.astype(np.float64), y.astype(np.int64), {})


def read_table(path: Path, entry: Entry) -> Arrays:
    """A CSV file, target last, `?` for a missing value.

    Raises:
        DatasetError: if the file is not such a table.
    """
    import pandas as pd

    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            stream = io.BufferedReader(Bounded(file, entry.max_bytes, path.name))
            frame = pd.read_csv(stream, na_values=["?"], keep_default_na=False)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise DatasetError(f"{path.name} cannot be read as a table: {error}") from error
    return from_frame(frame, entry)


def from_frame(frame: pd.DataFrame, entry: Entry) -> Arrays:
    """Arrays of a table whose last column is the target.

    Raises:
        DatasetError: if a column that should be numeric is not, or one that is needed is missing.
    """
    coders: dict[str, Callable[[pd.DataFrame], tuple[NDArray[Any], NDArray[np.int64]]]] = {
        "labels": _labels,
        "quartiles": _quartiles,
        "one_hot": _one_hot,
        "codes": _codes,
        "complete_cases": _complete_cases,
    }
    try:
        X, y = coders[entry.reader](frame)
    except (KeyError, TypeError, ValueError) as error:
        says = f"the table of {entry.name} does not have the columns that the reader {entry.reader!r} expects"
        raise DatasetError(f"{says}: {error}") from error
    return Arrays(X, y, entry.splits)


def cut_at_quartiles(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Class 0 to 3 of each value, (n_rows,): cut at the 25, 50 and 75 % quantiles, bins right-closed."""
    return np.searchsorted(np.quantile(values, [0.25, 0.5, 0.75]), values, side="left").astype(np.int64)


def _numbers(frame: pd.DataFrame) -> NDArray[np.float64]:
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    columns = []
    for name, column in frame.items():
        try:
            numbers = column if is_numeric_dtype(column) else pd.to_numeric(column.astype(str))
        except ValueError as error:
            raise ValueError(f"column {name!r} must hold numbers: {error}") from error
        columns.append(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def _labels(frame: pd.DataFrame) -> tuple[NDArray[Any], NDArray[np.int64]]:
    return _numbers(frame.iloc[:, :-1]), encode(frame.iloc[:, -1].to_numpy())


def _quartiles(frame: pd.DataFrame) -> tuple[NDArray[Any], NDArray[np.int64]]:
    return _numbers(frame.iloc[:, :-1]), cut_at_quartiles(_numbers(frame.iloc[:, -1:])[:, 0])


def _one_hot(frame: pd.DataFrame) -> tuple[NDArray[Any], NDArray[np.int64]]:
    codes, n_categorical, y = _coded(frame)
    first = codes.shape[1] - n_categorical
    blocks = [codes[:, :first]]
    for column in codes[:, first:].T:
        blocks.append((column[:, None] == np.unique(column)[None, :]).astype(np.float64))
    return np.hstack(blocks), y


def _codes(frame: pd.DataFrame) -> tuple[NDArray[Any], NDArray[np.int64]]:
    codes, _, y = _coded(frame)
    return codes, y


def _coded(frame: pd.DataFrame) -> tuple[NDArray[np.float64], int, NDArray[np.int64]]:
    """Numeric columns, then the categorical ones as places of sorted levels; the number of these; labels."""
    from pandas.api.types import is_numeric_dtype

    features = frame.iloc[:, :-1]
    numeric = [name for name, column in features.items() if is_numeric_dtype(column)]
    categorical = features.columns.difference(numeric, sort=False)
    blocks = [_numbers(features[numeric])]
    for name in categorical:
        values = features[name].astype(object).where(features[name].notna(), "?").to_numpy(dtype=str)
        blocks.append(encode(values).astype(np.float64)[:, None])
    return np.hstack(blocks), len(categorical), encode(frame.iloc[:, -1].to_numpy(dtype=str))


def _complete_cases(frame: pd.DataFrame) -> tuple[NDArray[Any], NDArray[np.int64]]:
    complete = (frame[list(MISSING_IF_ZERO)] != 0).all(axis=1)
    return _labels(frame[complete])


def read_idx(paths: list[Path], entry: Entry) -> Arrays:
    """MNIST from its idx files, gzipped: train images, train labels, test images, test labels.

    Raises:
        DatasetError: if a file is shorter than its header says.
    """
    images = [_idx(path, 3) for path in paths[0::2]]
    labels = [_idx(path, 1) for path in paths[1::2]]
    X = np.vstack([part.reshape(len(part), -1) for part in images])
    return Arrays(X, np.concatenate(labels).astype(np.int64), entry.splits)


def _idx(path: Path, n_dimensions: int) -> NDArray[np.uint8]:
    with gzip.open(path) as stream:
        content = stream.read()
    header = 4 * (1 + n_dimensions)  # bytes before the data
    values = np.frombuffer(content[header:], dtype=np.uint8)
    shape = (
        tuple(int(n) for n in np.frombuffer(content[4:header], dtype=">i4")) if len(content) >= header else (-1,)
    )
    if content[:4] != bytes([0, 0, 8, n_dimensions]) or len(values) != np.prod(shape):
        raise DatasetError(f"{path.name} is not an idx file of {n_dimensions} dimensions, or is cut short")
    return values.reshape(shape)


def read_jpeg(archive: Path, entry: Entry) -> Arrays:
    """CIFAR-10 from an archive of `train|test/<class>/NNNN.jpg`, classes labelled in alphabetical order.

    The archive is sorted by class, so that its first rows would be aeroplanes alone: within each split the
    pictures, sorted by path, are put in one seeded order.

    Raises:
        DatasetError: if a member is refused or is not such a picture.
    """
    inside = read_members(archive, entry.max_bytes)
    pictures = {name: _pixels(name, content, entry.image_shape) for name, content in inside}
    names = []
    for split, (first, last) in entry.splits.items():
        members = sorted(name for name in pictures if name.split("/")[0] == split)
        if len(members) != last - first:
            raise DatasetError(f"{archive.name} has {len(members)} pictures in {split}/, expected {last - first}")
        order = rng_for("order", entry.name, split).permutation(len(members))
        names += [members[i] for i in order]
    X = np.stack([pictures[name] for name in names]).reshape(len(names), -1)
    return Arrays(X, encode(np.array([name.split("/")[1] for name in names])), entry.splits)


def _pixels(name: str, content: bytes, shape: tuple[int, ...] | None) -> NDArray[np.uint8]:
    with explained():
        from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=["JPEG"]) as picture:
            if shape is not None and picture.size[::-1] != shape[:2]:
                raise DatasetError(f"{name} in the archive has {picture.size} pixels, expected {shape[1::-1]}")
            return np.asarray(picture.convert("RGB"))
    except (OSError, Image.DecompressionBombError) as error:
        raise DatasetError(f"{name} in the archive is not a JPEG picture") from error


def read_cifar(folder: Path, entry: Entry) -> Arrays:
    """CIFAR-10 as first published, from torchvision's unpacked batches in `folder`, in their own order."""
    parts = [import_datasets().CIFAR10(str(folder), train=train) for train in (True, False)]
    X = np.vstack([part.data.reshape(len(part.data), -1) for part in parts])
    y = np.concatenate([np.asarray(part.targets, dtype=np.int64) for part in parts])
    return Arrays(X, y, entry.splits)


_OPERATORS = ("nms", "qnms")


@functools.cache
def import_datasets() -> Any:
    """The module `torchvision.datasets`.

    torchvision's compiled operators may be built for another torch (a CUDA build beside a CPU-only torch).
    They do not load then, and the import fails with "operator torchvision::nms does not exist", although no
    dataset needs them; so the operators that the import looks for are declared, without an implementation.

    Raises:
        ImportError: if torchvision is not installed.
    """
    with explained():
        import torch

    operators: Any = torch.ops
    libraries: Any = torch.library

    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        with explained():
            raise ModuleNotFoundError("torchvision is not installed", name="torchvision")
    try:
        operators.load_library(str(Path(spec.origin).parent / "_C.so"))
    except (OSError, ImportError):
        library = libraries.Library("torchvision", "FRAGMENT")
        for name in _OPERATORS:
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _KEPT.append(library)  # a library's declarations go when it is collected
    return importlib.import_module("torchvision.datasets")


_KEPT: list[object] = []
