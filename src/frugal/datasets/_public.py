"""Public sources: OpenML through scikit-learn, MNIST and CIFAR-10 through torchvision."""

from __future__ import annotations

import http.client
import shutil
import socket
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frugal.datasets.catalogue import DatasetError, Entry

if TYPE_CHECKING:
    import pandas as pd

DELAY_S = 1.0
"""Pause between two attempts, in seconds."""

OPENML_FILE = "openml.csv.gz"
CIFAR_FILE = "cifar-10-python.tar.gz"

# What an unreachable, slow, half-sent or nonsensical answer may raise inside the two clients.
_FAILURES = (
    OSError,
    EOFError,
    http.client.HTTPException,
    zlib.error,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RuntimeError,
    ImportError,
)


def fetch(entry: Entry, folder: Path, *, timeout_s: float, n_retries: int) -> tuple[str, list[str]]:
    """Download a dataset's source files into `folder`, which is private to this call.

    Args:
        entry: what to fetch.
        folder: where; files are not verified against the catalogue here.
        timeout_s: seconds a server may stay silent.
        n_retries: attempts after the first one.

    Returns:
        The source in words, and the names of the files to keep, relative to `folder`.

    Raises:
        DatasetError: if it could not be had, with the reason in one clause.
    """
    try:
        with _patience(timeout_s):
            if entry.openml is not None:
                return _fetch_openml(entry.openml, folder, n_retries)
            return _fetch_torchvision(entry, folder, n_retries)
    except _FAILURES as error:
        source = f"OpenML {entry.openml}" if entry.openml is not None else f"torchvision {entry.torchvision}"
        text = " ".join(f"{type(error).__name__}: {error}".replace(str(folder), "data/raw").split())
        raise DatasetError(f"{source} failed ({text[:200]})") from error


@contextmanager
def _patience(timeout_s: float) -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(timeout_s)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _fetch_openml(data_id: int, folder: Path, n_retries: int) -> tuple[str, list[str]]:
    """The table as `openml.csv.gz`, target last, `?` where a value is missing.

    scikit-learn checks the table's md5 against its description, which it always tries four times itself.
    """
    from sklearn.datasets import fetch_openml

    cache = folder / "cache"
    bunch = fetch_openml(
        data_id=data_id,
        data_home=cache,
        n_retries=n_retries,
        delay=DELAY_S,
        parser="auto",
        read_csv_kwargs={"dtype": str},  # its own reading fails on nominal columns of numbers
    )
    table = _as_frame(bunch.data, bunch.target, bunch.target_names[0])
    options = {"method": "gzip", "mtime": 0}
    table.to_csv(folder / OPENML_FILE, index=False, na_rep="?", compression=options)
    shutil.rmtree(cache)
    return f"OpenML {data_id}", [OPENML_FILE]


def _as_frame(data: Any, target: Any, target_name: str) -> pd.DataFrame:
    """Features and then the target, text without its quotes.

    A sparse ARFF file gives a sparse matrix of numbers, any other a frame of text.
    """
    import pandas as pd

    if hasattr(data, "toarray"):
        frame = pd.DataFrame(data.toarray())
        frame[target_name] = np.asarray(target)
        return frame
    columns = {name: data[name] for name in data.columns} | {target_name: target}
    return pd.DataFrame({name: values.str.strip().str.strip("'") for name, values in columns.items()})


def _fetch_torchvision(entry: Entry, folder: Path, n_retries: int) -> tuple[str, list[str]]:
    """The archives that torchvision downloads, whose md5 it checks."""
    from frugal.datasets._torchvision import import_datasets

    module = import_datasets()
    for attempt in range(n_retries + 1):
        try:
            if entry.torchvision == "MNIST":
                module.MNIST(str(folder), train=True, download=True)
                return "torchvision MNIST", [file.path for file in entry.files]
            source = module.CIFAR10
            module.utils.download_url(source.url, str(folder), CIFAR_FILE, source.tgz_md5)
            return "torchvision CIFAR10", [CIFAR_FILE]
        except _FAILURES:
            if attempt == n_retries:
                raise
            time.sleep(DELAY_S)
    raise AssertionError("the last attempt returns or raises")
