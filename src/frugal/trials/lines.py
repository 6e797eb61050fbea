"""A file of finished work, one JSON object per line, that a killed job goes on from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from frugal.files import whole


class Lines:
    """What a job has done so far, each piece on disk before the next begins.

    Attributes:
        path: of the file.
        rows: what it held when it was opened, in order.
    """

    def __init__(self, path: str | Path, header: dict[str, Any]) -> None:
        """Open, or go on with, a file.

        Args:
            path: of the file; its folder is made.
            header: what the job is of; another job's file is refused.

        Raises:
            ValueError: if the file belongs to another job.
        """
        self.path = Path(path)
        first = json.dumps(header, sort_keys=True)
        lines = self.path.read_text().splitlines(keepends=True) if self.path.exists() else []
        kept = [line for line in lines if line.endswith("\n")]  # a line cut off by a crash is done again
        if kept and kept[0].rstrip("\n") != first:
            raise ValueError(f"{path} is the journal of {kept[0].strip()}, not of {first}; delete it")
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in kept[1:]]
        with whole(self.path) as part:
            part.write_text("".join(kept) or first + "\n")

    def add(self, row: dict[str, Any]) -> None:
        """Append a row."""
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
