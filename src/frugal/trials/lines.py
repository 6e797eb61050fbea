"""A journal: one JSON object per line for each finished piece of work, so that a killed job can resume."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from errno import ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP
from itertools import count
from pathlib import Path
from typing import IO, Any, TextIO, TypeVar
from zlib import crc32

from frugal.checks import json_default
from frugal.files import naming, whole
from frugal.limits import check_plain

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("frugal")
CODE, CHECK = "code", "crc32"
_SHOWN = 60  # characters of a line that is refused


T = TypeVar("T")


@dataclass(frozen=True)
class JournalFile:
    """Path of a job's journal, with the hash of the job's code.

    Attributes:
        path: path of the file.
        code: returns the hash of the code on which the results depend; called after the arguments of the job are
            checked. An empty hash is not compared.
        restart: whether to set an existing file aside, whatever it holds.
        way: how a user asks for a restart, for messages.
        apart: names in the header whose values may differ once there is a row.
    """

    path: Path
    code: Callable[[], str] = str
    restart: bool = False
    way: str = "--restart"
    apart: tuple[str, ...] = ()

    @property
    def remedy(self) -> str:
        """Advice for the message if the file is refused."""
        return f"delete it, or set it aside by {self.way}"

    def set_aside(self, why: str = "") -> None:
        """Move the file away, its name ending in `.old`, or in `.old2` and so on where there is one already.

        Raises:
            ValueError: if it is a folder or a device.
        """
        check_plain(self.path)
        names = (f"{self.path.name}.old{number if number > 1 else ''}" for number in count(1))
        aside = next(path for name in names if not (path := self.path.with_name(name)).exists())
        self.path.replace(aside)
        log.warning("warning: %s%s is set aside as %s, and begun anew", self.path, why, aside)

    def is_current(self, kept: Mapping[str, Any], header: Mapping[str, Any], code: str, *, is_empty: bool) -> bool:
        """True if the file is of this job and this code. A file of other code is set aside.

        Older code may have written fewer fields; those that the file lacks say nothing then.

        Args:
            kept: header in the file.
            header: header of the job.
            code: hash of the job's code.
            is_empty: whether the file has no row; such a file is overwritten if any field differs.

        Raises:
            ValueError: if the file is of another job.
        """
        is_of_other_code = code != "" and kept.get(CODE, "") != code
        other = (replace(self, apart=()) if is_empty else self).differing(kept, header)
        if is_of_other_code:
            other = [name for name in other if name in kept]
        if other and not is_empty:
            what = " and ".join(other)
            raise ValueError(f"{self.path} is the journal of another run, with other {what}; {self.remedy}")
        if not other and is_of_other_code:
            self.set_aside(" was made by other code; it")
            return False
        return not other

    def differing(self, kept: Mapping[str, Any], header: Mapping[str, Any]) -> list[str]:
        """Return the names of the header fields that differ, without the code and the fields in `apart`."""

        def text(head: Mapping[str, Any], name: str) -> str:
            return json.dumps(head[name], sort_keys=True) if name in head else ""

        names = dict.fromkeys((*header, *kept))
        counting = [name for name in names if name not in (CODE, *self.apart)]
        return [name for name in counting if text(kept, name) != text(header, name)]


JournalPath = str | Path | JournalFile
"""A plain path stands for a journal whose code is not checked."""


def file_of(journal: JournalPath) -> JournalFile:
    """Path of a journal."""
    return journal if isinstance(journal, JournalFile) else JournalFile(Path(journal))


def as_object(text: str | bytes) -> dict[str, Any] | None:
    """Parse a text as a JSON object; None if it is not one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def as_plain(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return a header as it is read back from a file: numbers of NumPy become Python's.

    Raises:
        TypeError: on a value that cannot be written.
    """
    plain: dict[str, Any] = json.loads(json.dumps(dict(header), default=json_default))
    return plain


class Lines:
    """The finished pieces of a job. Each is written before the next begins, and survives the death of the process.

    Every line carries a checksum; so the first also tells a journal from another file.

    Attributes:
        header: header of the file.
        has_set_aside: whether an existing file was set aside or overwritten.
    """

    def __init__(self, journal: JournalPath | None, header: dict[str, Any]) -> None:
        """Create a journal, or resume one.

        A file of older code is set aside under a name ending in `.old`; with `restart`, any file is. An empty file
        is overwritten, and so is another job's without rows. A truncated last line is dropped.

        Args:
            journal: the file; its folder is created. None: nothing is stored.
            header: values that identify the job.

        Raises:
            ValueError: if the file belongs to another job, or is not a journal.
        """
        self._rows: list[dict[str, Any]] = []
        self.header, self.has_set_aside = header, False
        self._journal: JournalFile | None = None
        self._file: TextIO | None = None
        if journal is not None:
            self._journal = file_of(journal)
            self._open(self._journal, as_plain(header))

    def _open(self, journal: JournalFile, header: dict[str, Any]) -> None:
        path, code = journal.path, journal.code()
        if journal.restart and path.exists():
            journal.set_aside()
            self.has_set_aside = True
        lines = _complete_lines(journal) if path.exists() else []
        kept = _header_gone_on_from(journal, lines, header, code) if lines else None
        self.header = header | ({CODE: code} if code else {}) if kept is None else kept
        if kept is None:
            self.has_set_aside |= bool(lines)
            lines = [_line(self.header)]
        self._rows = [_checked(journal, number, line) for number, line in enumerate(lines[1:], start=2)]
        with whole(path) as part:
            part.write_text("".join(f"{line}\n" for line in lines))
        self._file = path.open("a")  # rows go to this file, whatever another process puts under its name

    def rows(self, convert: Callable[[dict[str, Any]], T]) -> list[T]:
        """Rows of the file at the time it was opened, in order.

        Args:
            convert: function of a row.

        Raises:
            ValueError: if `convert` raises, because a row lacks a value or has one of another type.
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
        if self._file is None or self._journal is None:
            return
        with naming(self._journal.path):
            self._file.write(f"{_line(row)}\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file, if there is one; nothing can be added any more."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _header_gone_on_from(
    journal: JournalFile, lines: list[str], header: dict[str, Any], code: str
) -> dict[str, Any] | None:
    """Header of the lines to resume from; None if they were set aside or can be overwritten."""
    if CHECK not in _as_object(journal, 1, lines[0]):
        raise ValueError(f"{journal.path} is no journal, since its first line has no checksum; {journal.remedy}")
    kept = _checked(journal, 1, lines[0])
    return kept if journal.is_current(kept, header, code, is_empty=len(lines) == 1) else None


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
    """Parse a line and check its checksum."""
    row = _as_object(journal, number, line)
    if row.pop(CHECK, None) != _check_of(row):
        where = f"{journal.path}, line {number}"
        raise ValueError(f"{where}, is damaged: it has another checksum or none; {journal.remedy}")
    return row


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row | {CHECK: _check_of(row)}, default=json_default)


def _check_of(row: dict[str, Any]) -> str:
    return f"{crc32(json.dumps(row, default=json_default).encode()):08x}"


@contextmanager
def lock_journal(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Hold an exclusive lock on a journal.

    The lock is on a file beside the journal, and the system releases it if the process dies. On machines and file
    systems without locks this does nothing.

    Args:
        path: path of the journal, which need not exist; None: there is no journal.

    Raises:
        ValueError: naming the journal, if another search is writing it, or if it is no plain file.
    """
    if path is not None and not os.fspath(path):
        raise ValueError("journal must name a file, got ''")
    if path is None or fcntl is None:
        yield
        return
    with suppress(FileNotFoundError):
        check_plain(os.fspath(path))
    lock = Path(f"{os.fspath(path)}.lock").absolute()
    lock.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        while True:
            file = stack.enter_context(_opened(lock))
            if not _is_locked(file):
                raise ValueError(
                    f"{path} is the journal of a search that is under way; searches that run at once, or one "
                    "within another, need one each"
                )
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                    break  # otherwise the search before has just removed the file that is locked here
        stack.callback(_remove, lock)
        _locks.add(file)
        stack.callback(_locks.discard, file)
        yield


def _remove(lock: Path) -> None:
    with suppress(FileNotFoundError, PermissionError):  # another user's may stay, which does no harm
        lock.unlink()


def _opened(lock: Path) -> IO[str]:
    """Open a lock file; one that another user's search has left can be locked, too, if it can be read."""
    try:
        return lock.open("a")
    except PermissionError:
        if not lock.exists():
            raise
        return lock.open()


_locks: set[IO[str]] = set()
"""The locks that this process holds."""


def _close_locks() -> None:
    """In a forked process: it may outlive this one, and would hold its locks."""
    for file in _locks:
        file.close()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_locks)


def _is_locked(file: IO[str]) -> bool:
    """Lock an open file; returns False if another process or thread holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP):
            raise
    return True
