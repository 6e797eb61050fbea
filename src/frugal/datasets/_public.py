"""Public sources: OpenML through scikit-learn, MNIST and CIFAR-10 through torchvision."""

from __future__ import annotations

import http.client
import re
import shutil
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frugal.datasets._web import bounded
from frugal.datasets.catalogue import DamageError, DatasetError, Entry

if TYPE_CHECKING:
    import pandas as pd

DELAY_S = 1.0
"""Pause between two attempts, in seconds."""

OPENML_FILE = "openml.csv.gz"
CIFAR_FILE = "cifar-10-python.tar.gz"

_NETWORK = (OSError, EOFError, http.client.HTTPException, zlib.error)
"""What an unreachable, slow or half-sent answer raises inside the two clients."""
_OPENML = (*_NETWORK, ValueError, LookupError, TypeError)
"""And an answer that is no JSON, or other JSON than scikit-learn looks into, or a table with another checksum."""
_TORCHVISION = (*_NETWORK, RuntimeError)
"""And an archive with another checksum."""


def fetch(entry: Entry, folder: Path, *, timeout_s: float, n_retries: int) -> tuple[str, list[str]]:
    """Download a dataset's source files into `folder`, which is private to this call.

    Args:
        entry: the dataset.
        folder: folder for the files, which are not verified against the catalogue here.
        timeout_s: seconds a server may stay silent.
        n_retries: attempts after the first one.

    Returns:
        The source in words, and the names of the files to keep, relative to `folder`.

    Raises:
        DatasetError: if the download fails, with the reason in one clause.
    """
    is_openml = entry.openml is not None
    source = f"OpenML {entry.openml}" if is_openml else f"torchvision {entry.torchvision}"
    failures = _OPENML if is_openml else _TORCHVISION
    try:
        with bounded(timeout_s=timeout_s, limit=entry.max_bytes):
            if not is_openml:
                return source, _download(entry, folder, n_retries)
            bunch = _ask_openml(entry.openml, folder / "cache", n_retries)
    except failures as error:
        text = " ".join(f"{type(error).__name__}: {error}".replace(str(folder), "data/raw").split())
        kind = DamageError if re.search("checksum|corrupted", str(error)) else DatasetError
        raise kind(f"{source} failed ({text[:200]})") from error
    _save(bunch, folder)
    return source, [OPENML_FILE]


def _ask_openml(data_id: int | None, cache: Path, n_retries: int) -> Any:
    """The table from scikit-learn, which checks its md5; it always tries four times to get the description."""
    from sklearn.datasets import fetch_openml

    return fetch_openml(
        data_id=data_id,
        data_home=cache,
        n_retries=n_retries,
        delay=DELAY_S,
        parser="auto",
        read_csv_kwargs={"dtype": str},  # its own reading fails on nominal columns of numbers
    )


def _save(bunch: Any, folder: Path) -> None:
    """The table as `openml.csv.gz`, target last, `?` where a value is missing; nothing else stays in `folder`."""
    table = _as_frame(bunch.data, bunch.target, bunch.target_names[0])
    options = {"method": "gzip", "mtime": 0}
    table.to_csv(folder / OPENML_FILE, index=False, na_rep="?", compression=options)
    shutil.rmtree(folder / "cache")


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


def _download(entry: Entry, folder: Path, n_retries: int) -> list[str]:
    """The archives that torchvision downloads, whose md5 it checks."""
    from frugal.datasets._readers import import_datasets

    module = import_datasets()
    for attempt in range(n_retries + 1):
        try:
            if entry.torchvision == "MNIST":
                module.MNIST(str(folder), train=True, download=True)
                return [file.path for file in entry.files]
            source = module.CIFAR10
            module.utils.download_url(source.url, str(folder), CIFAR_FILE, source.tgz_md5)
            return [CIFAR_FILE]
        except _TORCHVISION:
            if attempt == n_retries:
                raise
            time.sleep(DELAY_S)
    raise AssertionError("the last attempt returns or raises")
