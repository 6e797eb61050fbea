"""Checks of files before they are read: regular files only, and no decompression bombs."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

FACTOR = 100
"""Largest ratio of unpacked to packed bytes."""
ALWAYS = 256 * 2**20
"""Unpacked bytes that are allowed for every file, however small it is."""
_BLOCK = 2**20


class OversizeError(ValueError):
    """A file holds, or claims to hold, more than it may."""


class Readable(Protocol):
    """A binary stream that `Bounded` can wrap."""

    def read(self, size: int = ..., /) -> bytes:
        """The next bytes."""


def check_plain(path: str | Path) -> None:
    """Raise unless `path` is a regular file: a device, FIFO or socket might never end.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: naming the path.
    """
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise ValueError(f"{path} is not a plain file but a folder, a device or a pipe: name a file")


def check_claim(path: str | Path, n_bytes: int) -> None:
    """Raise if a file unpacks to more than `FACTOR` times its size and more than `ALWAYS`.

    Raises:
        OversizeError: naming the file and both sizes.
    """
    size = Path(path).stat().st_size
    limit = max(ALWAYS, FACTOR * size)
    if n_bytes > limit:
        raise OversizeError(f"{path} has {size} bytes and claims to hold {n_bytes}, expected at most {limit}")


def unpacked_blocks(path: Path, unpacked: Readable) -> Iterator[bytes]:
    """Yield the unpacked content of a file, block by block.

    Raises:
        OversizeError: naming the file, as soon as it exceeds the limits of `check_claim`.
    """
    n_bytes = 0
    while block := unpacked.read(_BLOCK):
        n_bytes += len(block)
        check_claim(path, n_bytes)
        yield block


def check_zip(path: str | Path) -> None:
    """Raise if a zip file (torch and NumPy write such files) is damaged or claims to unpack to far too much.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: naming the file.
    """
    check_plain(path)
    try:
        with zipfile.ZipFile(path) as packed:
            check_claim(path, sum(member.file_size for member in packed.infolist()))
            damaged = packed.testzip()
    except OversizeError:
        raise
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"{path} is damaged, or not a zip file") from error
    if damaged is not None:
        raise ValueError(f"{path} is damaged: {damaged} has another checksum")


class Bounded(io.RawIOBase):
    """A readable, seekable stream that refuses to go beyond a limit.

    Attributes:
        name: name of the file, for messages.
    """

    def __init__(self, stream: Any, limit: int, name: str) -> None:
        """Bound `stream`, which must be at its start, to `limit` bytes."""
        self._stream, self._limit, self._place, self.name = stream, limit, 0, name

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """Position in bytes."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position relative to the start or to the current one.

        Raises:
            OversizeError: if it is beyond the limit.
            ValueError: if it is relative to the end, which is unknown.
        """
        if whence == io.SEEK_END:
            raise ValueError("the end of an unpacked stream is not known")
        place = offset + (self._place if whence == io.SEEK_CUR else 0)
        self._check(place)
        self._place = self._stream.seek(place)
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes, all by default.

        Raises:
            OversizeError: if they end beyond the limit.
        """
        most = self._limit - self._place + 1
        content: bytes = self._stream.read(most if size is None or size < 0 else min(size, most))
        self._place += len(content)
        self._check(self._place)
        return content

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes; returns how many.

        Raises:
            OversizeError: if they end beyond the limit.
        """
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def _check(self, place: int) -> None:
        if place > self._limit:
            raise OversizeError(f"{self.name} unpacks to more than the {self._limit} bytes expected of it")
