"""Folders that appear whole or not at all, checksums, and archives unpacked without trust."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import shutil
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any

from frugal.datasets.catalogue import DamageError, DatasetError, File
from frugal.files import abandoned, fresh_name, remove, remove_abandoned
from frugal.limits import ALWAYS, Bounded, OversizeError

_SWAP_ATTEMPTS = 5
_OLD = ".old"


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside `target`, which takes its place when the block ends without an error.

    Raises:
        DatasetError: if the folder cannot be made, written or moved.
    """
    part = fresh_name(target)
    try:
        recover(target)
        remove_abandoned(target)
        part.mkdir(parents=True)
        yield part
        _swap(part, target)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DatasetError(f"cannot write {target} ({reason}): name a root folder that can be written") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def recover(target: Path) -> None:
    """Put a folder back that a process moved aside and was killed before it had put another in its place.

    Raises:
        OSError: if it cannot be moved.
    """
    for old in abandoned(target, _OLD):
        _settle(old, target)


def _swap(part: Path, target: Path) -> None:
    """Put `part` in the place of `target`; of several processes doing so, the last one wins.

    At any moment either folder is whole under its name, or under that of `part` with the end `_OLD`.
    """
    old = part.with_suffix(_OLD)
    for attempt in range(_SWAP_ATTEMPTS):
        try:
            if target.exists():
                target.replace(old)
            part.replace(target)
            break
        except OSError:  # another process was faster: take the place of its folder
            if attempt == _SWAP_ATTEMPTS - 1:
                raise
        finally:
            _settle(old, target)


def _settle(old: Path, target: Path) -> None:
    """Put a folder back that was moved aside, or remove it if its place is taken; there need be none."""
    if old.exists() and not target.exists():
        try:
            old.replace(target)
        except OSError:  # another process was faster
            if not target.exists():
                raise
    if old.exists():
        rest = fresh_name(target)
        with suppress(FileNotFoundError):  # another process was faster
            old.replace(rest)  # what is half removed must never be put back
        remove(rest)


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_file(path: Path, file: File, where: str, limit: int = ALWAYS) -> dict[str, str]:
    """Verify one file against the catalogue.

    Args:
        path: the file.
        file: entry of the file in the catalogue.
        where: the folder in words, for messages.
        limit: bytes that it may unpack to, where what it unpacks to is verified.

    Returns:
        The checksum that was verified, by the file's name.

    Raises:
        DatasetError: if the file is missing.
        DamageError: if it cannot be read, unpacks to more than the limit, or has another checksum.
    """
    if not path.is_file():  # which a pipe or a device is not
        raise DatasetError(f"{where} has no {file.path}")
    kind, expected = (
        ("md5 of what it unpacks to", file.unpacked_md5) if file.unpacked_md5 else ("sha256", file.sha256)
    )
    try:
        if file.unpacked_md5:
            with gzip.open(path) as stream:
                found = hashlib.file_digest(Bounded(stream, limit, file.path), "md5").hexdigest()
        else:
            found = sha256_of(path)
    except OversizeError as error:
        raise DamageError(f"{where}: {error}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DamageError(f"{where}: {file.path} cannot be read ({type(error).__name__})") from error
    if found != expected:
        raise DamageError(f"{where}: {file.path} has {kind} {found[:12]}..., expected {expected[:12]}...")
    return {file.path: f"{'unpacked-md5' if file.unpacked_md5 else 'sha256'}:{found}"}


def check_member(member: tarfile.TarInfo, archive: Path) -> None:
    """Refuse an archive member that is not a plain file or folder inside the archive's own tree.

    Raises:
        DatasetError: on a link, a device, a sparse file, an absolute path or a path through `..`.
    """
    path = PurePosixPath(member.name)
    if not (member.isfile() or member.isdir()) or member.issparse():
        raise DatasetError(
            f"{archive.name} is refused: {member.name!r} is a link, a device or sparse, expected plain files"
        )
    if path.is_absolute() or ".." in path.parts or "\\" in member.name or ":" in member.name:
        raise DatasetError(
            f"{archive.name} is refused: {member.name!r} points outside the folder it is unpacked to"
        )


def read_members(archive: Path, limit: int = ALWAYS) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file of a tar archive, as it is or packed by gzip or xz, without writing any.

    Args:
        archive: the file.
        limit: bytes that it may unpack to.

    Raises:
        DatasetError: if a member is refused by `check_member`, or the archive is damaged or above the limit.
    """
    with _opened(archive, limit) as tar:
        for member in tar:
            check_member(member, archive)
            stream = tar.extractfile(member)
            if stream is not None:
                yield member.name, stream.read()


def unpack(archive: Path, folder: Path, limit: int = ALWAYS) -> None:
    """Unpack a tar archive, packed or not, into `folder`; nothing is written if any member is refused.

    Args:
        archive: the file.
        folder: folder for the content.
        limit: bytes that it may unpack to.

    Raises:
        DatasetError: if a member is refused by `check_member`, or the archive is damaged or above the limit.
    """
    with _opened(archive, limit) as tar:
        members = tar.getmembers()
        for member in members:
            check_member(member, archive)
        for member in members:  # `extractall` has no filter before Python 3.11.4
            to, stream = folder / member.name, tar.extractfile(member)
            if stream is None:
                to.mkdir(parents=True, exist_ok=True)
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            with to.open("wb") as file:
                shutil.copyfileobj(stream, file)


@contextmanager
def _opened(archive: Path, limit: int) -> Iterator[tarfile.TarFile]:
    """A tar archive whose every byte, of headers too, is counted as it is unpacked."""
    try:
        with (
            _unpacked(archive) as stream,
            tarfile.open(fileobj=Bounded(stream, limit, archive.name), mode="r:") as tar,
        ):
            yield tar
    except OversizeError as error:
        raise DatasetError(f"{archive.name} is refused: {error}") from error
    except (tarfile.TarError, lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise DatasetError(f"{archive.name} is a damaged archive ({type(error).__name__})") from error


def _unpacked(archive: Path) -> IO[bytes]:
    """What an archive unpacks to, by its first bytes and not by its name.

    Raises:
        DatasetError: if it is not a plain file.
    """
    if not archive.is_file():
        raise DatasetError(f"{archive.name} is not a plain file")
    with archive.open("rb") as stream:
        first = stream.read(6)
    openers: dict[bytes, Callable[[Path], Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open}
    found = [opener for start, opener in openers.items() if first.startswith(start)]
    unpacked: IO[bytes] = found[0](archive) if found else archive.open("rb")
    return unpacked
