"""A file of finished work, one JSON object per line, that a killed job goes on from."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frugal.files import whole

log = logging.getLogger("frugal")
CODE = "code"


@dataclass(frozen=True)
class JournalFile:
    """Where a job keeps what it has done, and with which code it does it.

    Attributes:
        path: of the file.
        code: gives the hash of the code that its results depend on, once its arguments have been checked; empty:
            nobody asks.
    """

    path: Path
    code: Callable[[], str] = str


JournalPath = str | Path | JournalFile
"""A path alone is that of a journal of which nobody asks what code it is of."""


def file_of(journal: JournalPath) -> JournalFile:
    """The file of a journal."""
    return journal if isinstance(journal, JournalFile) else JournalFile(Path(journal))


class Lines:
    """What a job has done so far, each piece on disk before the next begins.

    Attributes:
        rows: what the file held when it was opened, in order.
        has_set_aside: whether a file of older code was there.
    """

    def __init__(self, journal: JournalPath | None, header: dict[str, Any]) -> None:
        """Open, or go on with, a file; one that older code has written is set aside, its name ending in `.old`.

        Args:
            journal: the file; its folder is made. None: nothing is kept.
            header: what the job is of; another job's file is refused.

        Raises:
            ValueError: if the file belongs to another job.
        """
        self.rows: list[dict[str, Any]] = []
        self.has_set_aside = False
        self._path = None if journal is None else file_of(journal).path
        if journal is not None:
            self._open(file_of(journal), header)

    def _open(self, journal: JournalFile, header: dict[str, Any]) -> None:
        path, code = journal.path, journal.code()
        first = json.dumps(header | ({CODE: code} if code else {}), sort_keys=True)
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if line.endswith("\n")]  # a line cut off by a crash is done again
        if kept and is_older(kept[0], header, code):
            aside = path.with_name(f"{path.name}.old")
            path.replace(aside)
            log.warning("warning: %s was made by other code; it is set aside as %s, and begun anew", path, aside)
            kept, self.has_set_aside = [], True
        if kept and kept[0].rstrip("\n") != first:
            raise ValueError(f"{path} is the journal of {kept[0].strip()}, not of {first}; delete it")
        self.rows = [json.loads(line) for line in kept[1:]]
        with whole(path) as part:
            part.write_text("".join(kept) or first + "\n")

    def add(self, row: dict[str, Any]) -> None:
        """Append a row to the file, if there is one."""
        if self._path is None:
            return
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")


def is_older(first: str, header: dict[str, Any], code: str) -> bool:
    """Whether the first line of a file is that of the same job, but of other code than `code`, or of none."""
    try:
        kept = json.loads(first)
    except json.JSONDecodeError:
        return False
    return isinstance(kept, dict) and kept.pop(CODE, "") != code and kept == json.loads(json.dumps(header))
