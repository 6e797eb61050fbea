"""`data/processed/<name>/`: X.npy, y.npy and provenance.json, written whole by `prepare`, read by `load`."""

from __future__ import annotations

import hashlib
import json
import math
import time
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_between, check_whole
from frugal.datasets._files import recover, whole_folder
from frugal.datasets.arrays import class_counts, content_hash, stored_hash
from frugal.datasets.catalogue import CATALOGUE, DatasetError, Entry, parse_name
from frugal.datasets.dataset import Dataset
from frugal.datasets.sources import Arrival, StandInWarning, resolve
from frugal.limits import check_plain

_MAX_TIMEOUT_S = 86_400.0


def prepare(
    name: str,
    *,
    root: str | Path = "data",
    allow_stand_in: bool = True,
    opt_in: Collection[str] = (),
    timeout_s: float = 60.0,
    n_retries: int = 3,
) -> Path:
    """Find a dataset and write it to `<root>/processed/<name>/`, whole or not at all.

    Args:
        name: a dataset of the catalogue; `letter_2000` prepares `letter`.
        root: the data folder, which holds `raw/` and `processed/`.
        allow_stand_in: whether a stand-in may be used, with a `StandInWarning`, when no source has the dataset.
        opt_in: names of datasets that are only fetched on demand (pima2) and that the user asked for.
        timeout_s: seconds a server may stay silent.
        n_retries: attempts after the first one, at least 1.

    Returns:
        The folder. The same source gives the same bytes.

    Raises:
        ValueError: if the name is unknown, or a setting out of range.
        DatasetError: if no source has the dataset, or the folder cannot be written.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from frugal.datasets import prepare
        >>> with TemporaryDirectory() as folder:
        ...     sorted(path.name for path in prepare("wdbc", root=folder).iterdir())
        ['X.npy', 'provenance.json', 'y.npy']
    """
    entry = CATALOGUE[parse_name(name)[0]]
    check_between("timeout_s", timeout_s, 0, _MAX_TIMEOUT_S, above=True)
    check_whole("n_retries", n_retries, 1)
    folder = Path(root) / "processed" / entry.name
    with whole_folder(folder) as part:
        arrival = resolve(
            entry,
            Path(root) / "raw" / entry.name,
            allow_stand_in=allow_stand_in,
            opted_in=entry.name in opt_in,
            timeout_s=timeout_s,
            n_retries=n_retries,
        )
        np.save(part / "X.npy", np.ascontiguousarray(arrival.arrays.X))
        np.save(part / "y.npy", arrival.arrays.y)
        record = _record(entry, arrival)
        text = json.dumps(record | {"record_sha256": _hash_of(record)}, indent=2) + "\n"
        (part / "provenance.json").write_text(text, encoding="utf-8")
    return folder


def _record(entry: Entry, arrival: Arrival) -> dict[str, object]:
    """What is written beside the arrays: no date and no absolute path, so that bytes are reproducible."""
    X, y = arrival.arrays.X, arrival.arrays.y
    counts = class_counts(y)
    splits = arrival.arrays.splits or {"all": (0, len(y))}
    return {
        "name": entry.name,
        "provenance": arrival.provenance,
        "source": arrival.source,
        "files": dict(arrival.files),
        "note": arrival.note,
        "stand_in_reason": list(arrival.failed),
        "task": entry.note,
        "shape": list(X.shape),
        "dtype": str(X.dtype),
        "image_shape": list(entry.image_shape) if entry.image_shape else None,
        "n_classes": len(counts),
        "class_counts": list(counts),
        "splits": {split: list(rows) for split, rows in splits.items()},
        "content_sha256": content_hash(X, y),
        "stored_sha256": stored_hash(X, y),
    }


def _hash_of(record: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def load(name: str, *, root: str | Path = "data") -> Dataset:
    """Read a prepared dataset; on a machine that lacks it, prepare it first with the defaults of `prepare`.

    If no source has the dataset, its stand-in is read, with a `StandInWarning`, and `provenance` says so. One that
    is fetched only on demand (pima2) gets a stand-in unless `prepare(name, opt_in=[name])` came first.

    Args:
        name: a dataset of the catalogue; `letter_2000` means 2,000 rows of letter, drawn by `Dataset.subset`.
        root: the data folder.

    Returns:
        The dataset. Images (uint8) are mapped from the file, copy-on-write; other arrays are in memory.

    Raises:
        ValueError: if the name is unknown; the message lists the known ones.
        DatasetError: if the files are damaged, or the dataset is absent and cannot be prepared.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from frugal.datasets import load
        >>> with TemporaryDirectory() as folder:
        ...     dataset = load("wdbc", root=folder)  # fetched or copied first, since the folder is empty
        >>> dataset.X.shape, dataset.n_classes
        ((569, 30), 2)
    """
    base, n_rows = parse_name(name)
    folder = Path(root) / "processed" / base
    if not folder.exists():
        recover(folder)
    is_kept = (folder / "provenance.json").is_file()
    if not is_kept:
        prepare(base, root=root)
    try:
        try:
            dataset = _read(base, folder)
        except FileNotFoundError:
            time.sleep(0.1)  # another process that prepares it may just be putting its folder in place
            dataset = _read(base, folder)
    except (OSError, EOFError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise DatasetError(f"{folder} is damaged ({error}): delete it and prepare {base} again") from error
    if is_kept and dataset.provenance == "stand-in":  # `prepare` has just said so of a new one
        text = f"{folder} holds a stand-in of an earlier run; `frugal data {base}` looks for the real data"
        warnings.warn(text, StandInWarning, stacklevel=2)
    return dataset if n_rows is None else dataset.subset(n_rows)


def _read(name: str, folder: Path) -> Dataset:
    record: dict[str, Any] = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    if not isinstance(record, dict):
        raise ValueError("provenance.json is not a JSON object")
    if record.pop("record_sha256", None) != _hash_of(record):
        raise ValueError("provenance.json is not what was written")
    images = record["dtype"] == "uint8"
    X = _map(folder / "X.npy") if images else np.array(_map(folder / "X.npy"))
    y = np.array(_map(folder / "y.npy"))
    if list(X.shape) != record["shape"] or str(X.dtype) != record["dtype"] or y.shape != X.shape[:1]:
        raise ValueError(f"X.npy and y.npy have shapes {X.shape} and {y.shape}, not those on record")
    _verify_content(folder, X, y, record)
    return Dataset(
        name=name,
        X=X,
        y=y,
        n_classes=int(record["n_classes"]),
        provenance=record["provenance"],
        splits={split: np.arange(*rows) for split, rows in record["splits"].items()},
        image_shape=tuple(record["image_shape"]) if record["image_shape"] else None,
    )


def _map(path: Path) -> NDArray[Any]:
    """An array in the file itself, copy-on-write, so that a header cannot claim more than the file holds.

    Raises:
        ValueError: if it is no plain file, no .npy file, shorter than its header says, or holds pickled objects.
    """
    check_plain(path)
    with path.open("rb") as file:
        try:
            readers = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
            shape, _, dtype = readers[np.lib.format.read_magic(file)[0]](file)
        except (SyntaxError, TokenError) as error:
            raise ValueError(f"{path.name} has no header of an array") from error
        n_bytes = file.tell() + math.prod(shape) * dtype.itemsize
    if dtype.hasobject or path.stat().st_size != n_bytes:
        raise ValueError(f"{path.name} is not of the size or kind that its header says")
    return np.lib.format.open_memmap(path, mode="c")


_verified: set[tuple[object, ...]] = set()
"""Folders whose arrays this process has hashed, with size and time stamp of X.npy and y.npy."""


def _verify_content(folder: Path, X: NDArray[Any], y: NDArray[np.int64], record: Mapping[str, Any]) -> None:
    """Hash arrays once per process, and again where their files have another size or time stamp since.

    Raises:
        ValueError: if they are not those on record.
    """
    stats = [(folder / name).stat() for name in ("X.npy", "y.npy")]
    key = (str(folder.resolve()), *(number for stat in stats for number in (stat.st_size, stat.st_mtime_ns)))
    if key in _verified:
        return
    if stored_hash(X, y) != record["stored_sha256"]:
        raise ValueError("X.npy and y.npy do not have the hash on record")
    _verified.add(key)
