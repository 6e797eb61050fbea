"""A file of finished work, one JSON object per line, that a killed job goes on from."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar
from zlib import crc32

from frugal.files import naming, whole

log = logging.getLogger("frugal")
CODE, CHECK = "code", "crc32"
_REMEDY = "delete it, or set it aside by --restart"
_SHOWN = 60  # characters of a line that is refused


T = TypeVar("T")


@dataclass(frozen=True)
class JournalFile:
    """Where a job keeps what it has done, and with which code it does it.

    Attributes:
        path: of the file.
        code: gives the hash of the code that its results depend on, once its arguments have been checked; empty:
            nobody asks.
        restart: whether a file that is there is set aside, whatever it holds.
    """

    path: Path
    code: Callable[[], str] = str
    restart: bool = False


JournalPath = str | Path | JournalFile
"""A path alone is that of a journal of which nobody asks what code it is of."""


def file_of(journal: JournalPath) -> JournalFile:
    """The file of a journal."""
    return journal if isinstance(journal, JournalFile) else JournalFile(Path(journal))


class Lines:
    """What a job has done so far, each piece on disk before the next begins.

    Attributes:
        has_set_aside: whether there was a file that is not gone on from.
    """

    def __init__(self, journal: JournalPath | None, header: dict[str, Any]) -> None:
        """Open, or go on with, a file.

        One that older code has written is set aside, its name ending in `.old`, and so is any where `restart` asks
        for it. An empty file, and another job's that holds no row, are written over. A last line that was cut off
        is done again.

        Args:
            journal: the file; its folder is made. None: nothing is kept.
            header: what the job is of.

        Raises:
            ValueError: if the file belongs to another job, or is no journal.
        """
        self._rows: list[dict[str, Any]] = []
        self.has_set_aside = False
        self._path: Path | None = None
        self._file: TextIO | None = None
        if journal is not None:
            self._path = file_of(journal).path
            self._open(self._path, file_of(journal), header)

    def _open(self, path: Path, journal: JournalFile, header: dict[str, Any]) -> None:
        code = journal.code()
        first = json.dumps(header | ({CODE: code} if code else {}), sort_keys=True)
        if journal.restart and path.exists():
            self._set_aside(path)
        kept = _complete_lines(path) if path.exists() else []
        if kept and is_older(kept[0], header, code):
            self._set_aside(path, " was made by other code; it")
            kept = []
        if kept and kept[0] != first:
            _as_object(path, 1, kept[0])
            if len(kept) > 1:
                raise ValueError(f"{path} is the journal of {kept[0]}, not of {first}; {_REMEDY}")
            self.has_set_aside, kept = True, []
        self._rows = [_as_row(path, number, line) for number, line in enumerate(kept[1:], start=2)]
        with whole(path) as part:
            part.write_text("".join(f"{line}\n" for line in kept or [first]))
        self._file = path.open("a")  # rows go to this file, whatever another process puts under its name

    def _set_aside(self, path: Path, why: str = "") -> None:
        aside = path.with_name(f"{path.name}.old")
        path.replace(aside)
        log.warning("warning: %s%s is set aside as %s, and begun anew", path, why, aside)
        self.has_set_aside = True

    def rows(self, convert: Callable[[dict[str, Any]], T]) -> list[T]:
        """What the file held when it was opened, in order.

        Args:
            convert: makes what is needed of a row.

        Raises:
            ValueError: if a row lacks a value, or has one of another kind, so that `convert` raises.
        """
        found = []
        for number, row in enumerate(self._rows, start=2):
            try:
                found.append(convert(row))
            except (KeyError, TypeError, ValueError) as error:
                where = f"{self._path}, line {number}"
                raise ValueError(f"{where}, is no row of this job ({error!r}); {_REMEDY}") from error
        return found

    def add(self, row: dict[str, Any]) -> None:
        """Append a row to the file, if there is one."""
        if self._file is None or self._path is None:
            return
        with naming(self._path):
            self._file.write(json.dumps(row | {CHECK: _check_of(row)}) + "\n")
            self._file.flush()


def _complete_lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no journal, since it is not a text; {_REMEDY}") from error
    if text and "\n" not in text:
        raise ValueError(f"{path} is no journal, since it has no line; {_REMEDY}")
    return text.split("\n")[:-1]  # the last is empty, or was cut off by a crash and is done again


def _as_object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
        raise ValueError(f"{path}, line {number}, must be a JSON object, got {shown!r}; {_REMEDY}")
    return value


def _as_row(path: Path, number: int, line: str) -> dict[str, Any]:
    """A row without its checksum; one that has none was written before rows had one."""
    row = _as_object(path, number, line)
    if row.pop(CHECK, None) not in (None, _check_of(row)):
        raise ValueError(f"{path}, line {number}, is damaged: it has another checksum; {_REMEDY}")
    return row


def _check_of(row: dict[str, Any]) -> str:
    return f"{crc32(json.dumps(row).encode()):08x}"


def is_older(first: str, header: dict[str, Any], code: str) -> bool:
    """Whether the first line of a file is that of the same job, but of other code than `code`, or of none."""
    try:
        kept = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(kept, dict) and kept.pop(CODE, "") != code and kept == json.loads(json.dumps(header))
