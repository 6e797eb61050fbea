"""What a file may be and how much it may hold, checked before it is read: plain files, no bombs."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

FACTOR = 100
"""A file may unpack to as many times its own size."""
ALWAYS = 256 * 2**20
"""Bytes that any file may unpack to, however small it is."""
_BLOCK = 2**20


class OversizeError(ValueError):
    """A file holds, or claims to hold, more than it may."""


class Readable(Protocol):
    """What `Bounded` reads from."""

    def read(self, size: int = ..., /) -> bytes:
        """The next bytes."""


def check_plain(path: str | Path) -> None:
    """Refuse a device, a FIFO, a socket or a folder, which could be read for ever or not at all.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: naming the path.
    """
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise ValueError(f"{path} is not a plain file but a folder, a device or a pipe: name a file")


def check_claim(path: str | Path, n_bytes: int) -> None:
    """Refuse a file that unpacks to more than `FACTOR` times its size and `ALWAYS`.

    Raises:
        OversizeError: naming the file and both sizes.
    """
    size = Path(path).stat().st_size
    limit = max(ALWAYS, FACTOR * size)
    if n_bytes > limit:
        raise OversizeError(f"{path} has {size} bytes and claims to hold {n_bytes}, expected at most {limit}")


def unpacked_blocks(path: Path, unpacked: Readable) -> Iterator[bytes]:
    """What a file unpacks to, block by block.

    Raises:
        OversizeError: naming the file, as soon as there is more than `check_claim` allows.
    """
    n_bytes = 0
    while block := unpacked.read(_BLOCK):
        n_bytes += len(block)
        check_claim(path, n_bytes)
        yield block


def check_zip(path: str | Path) -> None:
    """Refuse a zip file, such as one of torch or NumPy, that is damaged or claims to hold far more than its size.

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
    """A stream that can be read and moved in up to a limit.

    Attributes:
        name: of the file, for the message.
    """

    def __init__(self, stream: Any, limit: int, name: str) -> None:
        """Bound `stream`, which must be at its start, to `limit` bytes."""
        self._stream, self._limit, self._place, self.name = stream, limit, 0, name

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Bytes before the next one."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place counted from the start or from here.

        Raises:
            OversizeError: if it is beyond the limit.
            ValueError: if it is counted from the end, which is not known.
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
