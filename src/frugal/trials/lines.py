"""A file of finished work, one JSON object per line, that a killed job or search goes on from."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar
from zlib import crc32

from frugal.files import whole
from frugal.limits import check_plain

log = logging.getLogger("frugal")
CODE, CHECK = "code", "crc32"
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
        way: how the user asks for that, for messages.
    """

    path: Path
    code: Callable[[], str] = str
    restart: bool = False
    way: str = "--restart"

    @property
    def remedy(self) -> str:
        """What to do about a file that is refused."""
        return f"delete it, or set it aside by {self.way}"

    def set_aside(self, why: str = "") -> None:
        """Move the file away, its name ending in `.old`."""
        aside = self.path.with_name(f"{self.path.name}.old")
        self.path.replace(aside)
        log.warning("warning: %s%s is set aside as %s, and begun anew", self.path, why, aside)

    def is_current(self, kept: Mapping[str, Any], header: Mapping[str, Any], code: str) -> bool:
        """Whether the file is of this code; if not, it is set aside.

        Args:
            kept: what the file says that it is of.
            header: what the job is of.
            code: the hash of its code.

        Raises:
            ValueError: if the file is of another job.
        """
        if other := differing(kept, header):
            what = " and ".join(other)
            raise ValueError(f"{self.path} is the journal of another run, with other {what}; {self.remedy}")
        if kept.get(CODE, "") != code:
            self.set_aside(" was made by other code; it")
            return False
        return True


JournalPath = str | Path | JournalFile
"""A path alone is that of a journal of which nobody asks what code it is of."""


def file_of(journal: JournalPath) -> JournalFile:
    """The file of a journal."""
    return journal if isinstance(journal, JournalFile) else JournalFile(Path(journal))


def differing(kept: Mapping[str, Any], header: Mapping[str, Any]) -> list[str]:
    """Names of what is not the same in two headers, but for their code."""

    def text(of: Mapping[str, Any], name: str) -> str:
        return json.dumps(of[name], sort_keys=True) if name in of else ""

    names = dict.fromkeys((*header, *kept))
    return [name for name in names if name != CODE and text(kept, name) != text(header, name)]


def as_object(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object that a text is; None: it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class Lines:
    """What a job has done so far, each piece on disk before the next begins.

    Every line carries a checksum; so the first also tells a journal from another file.

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
        self._journal: JournalFile | None = None
        self._file: TextIO | None = None
        if journal is not None:
            self._journal = file_of(journal)
            self._open(self._journal, header)

    def _open(self, journal: JournalFile, header: dict[str, Any]) -> None:
        path, code = journal.path, journal.code()
        if journal.restart and path.exists():
            journal.set_aside()
            self.has_set_aside = True
        kept = _complete_lines(journal) if path.exists() else []
        if kept and not _is_gone_on_from(journal, kept, header, code):
            self.has_set_aside, kept = True, []
        self._rows = [_checked(journal, number, line) for number, line in enumerate(kept[1:], start=2)]
        first = _line(header | ({CODE: code} if code else {}))
        with whole(path) as part:
            part.write_text("".join(f"{line}\n" for line in kept or [first]))
        self._file = path.open("a")  # rows go to this file, whatever another process puts under its name

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
                assert self._journal is not None
                where = f"{self._journal.path}, line {number}"
                raise ValueError(f"{where}, is no row of this job ({error!r}); {self._journal.remedy}") from error
        return found

    def add(self, row: dict[str, Any]) -> None:
        """Append a row to the file, if there is one."""
        if self._file is None:
            return
        self._file.write(f"{_line(row)}\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file, if there is one; nothing can be added any more."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _is_gone_on_from(journal: JournalFile, lines: list[str], header: dict[str, Any], code: str) -> bool:
    """Whether lines are of this job and of this code; if not, they are set aside, or in nobody's way."""
    kept = _as_object(journal, 1, lines[0])
    if CHECK in kept:
        kept = _checked(journal, 1, lines[0])
        is_other = len(lines) == 1 and bool(differing(kept, header))
        return not is_other and journal.is_current(kept, header, code)
    if differing(kept, header):
        raise ValueError(f"{journal.path} is no journal, since its first line has no checksum; {journal.remedy}")
    journal.set_aside(" was made by other code; it")  # from before headers had a checksum
    return False


def _complete_lines(journal: JournalFile) -> list[str]:
    path = journal.path
    check_plain(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no journal, since it is not a text; {journal.remedy}") from error
    if text and "\n" not in text:
        raise ValueError(f"{path} is no journal, since it has no line; {journal.remedy}")
    return text.split("\n")[:-1]  # the last is empty, or was cut off by a crash and is done again


def _as_object(journal: JournalFile, number: int, line: str) -> dict[str, Any]:
    value = as_object(line)
    if value is None:
        shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
        where = f"{journal.path}, line {number}"
        raise ValueError(f"{where}, must be a JSON object, got {shown!r}; {journal.remedy}")
    return value


def _checked(journal: JournalFile, number: int, line: str) -> dict[str, Any]:
    """What a line holds, without its checksum."""
    row = _as_object(journal, number, line)
    if row.pop(CHECK, None) != _check_of(row):
        where = f"{journal.path}, line {number}"
        raise ValueError(f"{where}, is damaged: it has another checksum or none; {journal.remedy}")
    return row


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row | {CHECK: _check_of(row)})


def _check_of(row: dict[str, Any]) -> str:
    return f"{crc32(json.dumps(row).encode()):08x}"
