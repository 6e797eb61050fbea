"""Public sources: OpenML through scikit-learn, MNIST and CIFAR-10 through torchvision.

Their downloads are bounded: by silence, by size, and to the web alone.
"""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import time
import urllib.request as web
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import unquote, urlsplit

import numpy as np

from frugal.datasets.catalogue import DamageError, DatasetError, Entry
from frugal.extras import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

_BLOCK = 2**20
_HANDLERS = (
    web.ProxyHandler,
    web.UnknownHandler,
    web.HTTPHandler,
    web.HTTPSHandler,
    web.HTTPDefaultErrorHandler,
    web.HTTPRedirectHandler,
    web.HTTPErrorProcessor,
)
"""Handlers of urllib, except those for local files, ftp and `data:` addresses."""


_one_at_a_time = RLock()
"""Opener and timeout are the whole process's, so that threads would put back each other's."""


@contextmanager
def bounded(*, timeout_s: float, limit: int) -> Iterator[None]:
    """Bound the downloads of clients that use `urllib` inside the block.

    Args:
        timeout_s: seconds a server may stay silent.
        limit: bytes that one answer may have, packed or unpacked; more is an OSError.
    """
    director = web.OpenerDirector()
    for handler in _HANDLERS:
        director.add_handler(handler())
    director.add_handler(_Limit(limit))
    with _one_at_a_time:
        silence, opener = socket.getdefaulttimeout(), web._opener  # type: ignore[attr-defined]
        socket.setdefaulttimeout(timeout_s)
        web.install_opener(director)
        try:
            yield
        finally:
            web.install_opener(opener)
            socket.setdefaulttimeout(silence)


class _Limit(web.BaseHandler):
    """Counts the bytes of each answer as they are read, and refuses a path through `..`."""

    handler_order = 1_001  # after errors and redirections

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def http_request(self, request: web.Request) -> web.Request:
        if ".." in unquote(urlsplit(request.full_url).path).split("/"):
            raise URLError("its address leads through '..', which a cache of files would follow")
        return request

    def http_response(self, request: web.Request, response: http.client.HTTPResponse) -> http.client.HTTPResponse:
        read, count = response.read, _Count(self._limit, response.headers.get("Content-Encoding") == "gzip")

        def counted(size: int | None = None) -> bytes:
            content = read(self._limit + 1 if size is None or size < 0 else size)
            count.add(content)
            return content

        response.read = counted  # type: ignore[method-assign, assignment]
        return response

    https_request, https_response = http_request, http_response


class _Count:
    """Bytes so far, and those that they unpack to."""

    def __init__(self, limit: int, is_packed: bool) -> None:
        self._limit, self._n_bytes = limit, 0
        self._unpacker = _gzip() if is_packed else None

    def add(self, content: bytes) -> None:
        """Count a block.

        Raises:
            OSError: if there are more than the limit.
        """
        while content:
            block, content = content, b""
            if self._unpacker is not None:
                try:
                    block = self._unpacker.decompress(block, _BLOCK)
                except zlib.error as error:
                    raise OSError(f"an answer that cannot be unpacked: {error}") from error
                content = self._unpacker.unconsumed_tail
                if self._unpacker.eof:  # gzip files may have several members, one after the other
                    content, self._unpacker = self._unpacker.unused_data, _gzip()
            self._n_bytes += len(block)
            if self._n_bytes > self._limit:
                raise OSError(f"an answer of more than {self._limit} bytes, the most that are expected")


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


DELAY_S = 1.0
"""Pause between two attempts, in seconds."""

OPENML_FILE = "openml.csv.gz"
CIFAR_FILE = "cifar-10-python.tar.gz"

_NETWORK = (OSError, EOFError, http.client.HTTPException, zlib.error)
"""What an unreachable, slow or half-sent answer raises inside the two clients."""
_OPENML = (*_NETWORK, ValueError, LookupError, TypeError)
"""Those, and what scikit-learn raises if the answer is no JSON, lacks keys, or has another checksum."""
_TORCHVISION = (*_NETWORK, RuntimeError)
"""Those, and what torchvision raises on an archive with another checksum."""


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
    if not is_openml and not entry.torchvision:
        raise DatasetError("no public source has it")
    source = f"OpenML {entry.openml}" if is_openml else f"torchvision {entry.torchvision}"
    failures = _OPENML if is_openml else _TORCHVISION
    try:
        with bounded(timeout_s=timeout_s, limit=entry.max_bytes):
            if not is_openml:
                return source, _download(entry, folder, n_retries)
            bunch = _ask_openml(entry.openml, folder / "cache", n_retries)
    except MissingExtraError as error:
        raise DatasetError(f"{source} failed ({error})") from error
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
