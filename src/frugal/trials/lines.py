"""A file of finished work, one JSON object per line, that a killed job goes on from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from frugal.files import whole


class Lines:
    """What a job has done so far, each piece on disk before the next begins.

    Attributes:
        rows: what the file held when it was opened, in order.
    """

    def __init__(self, path: str | Path | None, header: dict[str, Any]) -> None:
        """Open, or go on with, a file.

        Args:
            path: of the file; its folder is made. None: nothing is kept.
            header: what the job is of; another job's file is refused.

        Raises:
            ValueError: if the file belongs to another job.
        """
        self.rows: list[dict[str, Any]] = []
        self._path = None if path is None else Path(path)
        if self._path is not None:
            self._open(self._path, header)

    def _open(self, path: Path, header: dict[str, Any]) -> None:
        first = json.dumps(header, sort_keys=True)
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if line.endswith("\n")]  # a line cut off by a crash is done again
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
