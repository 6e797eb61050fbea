"""Every fit of a search on disk, so that the same search repeats none."""

from __future__ import annotations

import json
import math
import os
import pickle
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from frugal import parquet
from frugal.extras import explained
from frugal.files import naming, whole
from frugal.folds.fits import Fit
from frugal.interface import FoldTask
from frugal.model_selection.evaluation import ScoredFit
from frugal.workers import _dumps

_KEY: Final = b"frugal.journal"


def fingerprint(**parts: Any) -> dict[str, str]:
    """A hash of each part of what a search is, by value; functions that have no module are hashed by content."""
    import joblib

    hashes = {}
    for name, part in parts.items():
        try:
            hashes[name] = str(joblib.hash(part))
        except (pickle.PicklingError, AttributeError, TypeError):  # a lambda, or a function within a function
            hashes[name] = str(joblib.hash(_dumps(part)))
    return hashes


class Journal:
    """The fits of one search; a context manager.

    Parquet files cannot be appended to. So each fit goes at once, as a line of JSON, into a file beside a parquet
    journal, `.lines` added to its name; when the search ends, by Ctrl-C too, both become the parquet file. After a
    kill the next search reads both. A journal of any other name stays a file of lines.

    Attributes:
        kept: finished fits by task.

    Args:
        path: of the journal; its folder is made. None: nothing is kept.
        parts: what the search is, from `fingerprint`.

    Raises:
        ValueError: if the file is the journal of another search, or no journal.
    """

    _apart: ClassVar[tuple[str, ...]] = ("seed",)
    """Parts that need not be the same, unless a fit depends on them: the rows of fits on fewer rows are drawn."""
    _texts: ClassVar = ("test_scores", "train_scores")
    """Columns that are JSON in a parquet file."""
    _columns: ClassVar = (
        dict.fromkeys(("candidate", "fold", "n_rows"), "int64")
        | {"score": "float64", "seconds": "float64", "reason": "string"}
        | {"test_scores": "string", "train_scores": "string", "fit_time": "float64", "score_time": "float64"}
    )

    def __init__(self, path: str | os.PathLike[str] | None, parts: Mapping[str, Any]) -> None:
        self.kept: dict[FoldTask, Fit] = {}
        self._path, self._parts = None if path is None else Path(path), dict(parts)
        self._file: Any = None
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._is_parquet = self._path.suffix == ".parquet"
        self._lines = self._path.with_name(f"{self._path.name}.lines") if self._is_parquet else self._path
        if self._is_parquet:
            with explained():
                import pyarrow  # noqa: F401  what is missing is said before a fit
            if self._path.exists():
                self._read_parquet(self._path)
        is_new = not (self._lines.exists() and self._read_lines(self._lines))
        self._file = self._lines.open("w" if is_new else "a", encoding="utf-8")
        if is_new:
            self._write(self._parts)

    def keep(self, task: FoldTask, fit: Fit) -> None:
        """Append a fit; it is on disk when this returns."""
        if self._file is not None:
            self.kept[task] = fit
            self._write(_row(task, fit))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files; the lines of a parquet journal become part of it."""
        if self._file is None:
            return
        self._file.close()
        self._file = None
        if self._is_parquet:
            assert self._path is not None
            self._write_parquet(self._path)
            self._lines.unlink()

    def _write(self, row: Mapping[str, Any]) -> None:
        with naming(self._lines):
            self._file.write(json.dumps(row) + "\n")
            self._file.flush()

    def _read_lines(self, path: Path) -> bool:
        """Take note of the fits of a file of lines; False: it holds not even a whole first line."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is no text, so it is no journal of a search; name another") from error
        whole_lines = [line for line in lines if line.endswith("\n")]  # one cut off by a crash is done again
        try:
            first, *rows = [json.loads(line) for line in whole_lines] or [None]
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is no journal of a search; name another file") from error
        if first is None:
            if lines:
                raise ValueError(f"{path} has no whole line, so it is no journal; name another file")
            return False
        self._check(path, first)
        for number, row in enumerate(rows, start=2):
            try:
                self._take(row)
            except (AttributeError, LookupError, TypeError) as error:
                raise ValueError(f"{path}, line {number}, is no fit of a search; delete the line") from error
        if len(whole_lines) < len(lines):
            with whole(path) as part:
                part.write_text("".join(whole_lines), encoding="utf-8")
        return True

    def _read_parquet(self, path: Path) -> None:
        table = parquet.read_table(path)
        parquet.verify(table, path)
        header = (table.schema.metadata or {}).get(_KEY)
        self._check(path, None if header is None else json.loads(header))
        for row in table.to_pylist():
            self._take({**row, **{name: json.loads(row[name]) for name in self._texts}})

    def _check(self, path: Path, parts: object) -> None:
        if not isinstance(parts, dict) or set(parts) != set(self._parts):
            raise ValueError(f"{path} is no journal of a search; name another file")
        other = [name for name in self._parts if name not in self._apart and parts[name] != self._parts[name]]
        if other:
            raise ValueError(
                f"{path} is the journal of a search with other {' and '.join(other)}; "
                "name another file or delete it"
            )

    def check_seed(self) -> None:
        """Refuse fits on fewer rows that were drawn by another seed.

        Raises:
            ValueError: naming the file.
        """
        if self._path is None or seed_in(self._path) == self._parts["seed"]:
            return
        if any(task.n_rows is not None for task in self.kept):
            raise ValueError(
                f"{self._path} is the journal of a search with another random_state, by which rows are drawn; "
                "name another file or delete it"
            )

    def _rows(self) -> list[dict[str, Any]]:
        return [_row(task, fit) for task, fit in self.kept.items()]

    def _take(self, row: dict[str, Any]) -> None:
        task = FoldTask(row.pop("candidate"), row.pop("fold"), row.pop("n_rows"))
        self.kept[task] = ScoredFit(**row)

    def _write_parquet(self, path: Path) -> None:
        with explained():
            import pyarrow as pa

        rows = self._rows()
        for row in rows:
            row |= {name: json.dumps(row[name]) for name in self._texts}
        schema = pa.schema(
            [(name, getattr(pa, kind)()) for name, kind in self._columns.items()],
            metadata={_KEY: json.dumps(self._parts).encode()},
        )
        with whole(path) as part:
            parquet.write_table(pa.Table.from_pylist(rows, schema=schema), part)


def _row(task: FoldTask, fit: Fit) -> dict[str, Any]:
    """A fit as a line holds it: plain numbers, nan where there is none."""
    scored = fit if isinstance(fit, ScoredFit) else ScoredFit(fit.score, fit.seconds, fit.reason)
    row = {"candidate": task.candidate, "fold": task.fold, "n_rows": task.n_rows} | asdict(scored)
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: float(score) for name, score in value.items()}
    if value is None or isinstance(value, str | int):
        return value
    return float(value) if not math.isnan(value) else math.nan


def seed_in(path: str | os.PathLike[str] | None) -> int | None:
    """The seed of the search whose journal this is, for a search without one; None: there is no journal."""
    if path is None:
        return None
    path = Path(path)
    header: Any = None
    if path.suffix == ".parquet" and path.exists():
        with explained():
            import pyarrow as pa
            import pyarrow.parquet as pq

        try:
            header = (pq.read_schema(path).metadata or {}).get(_KEY)
        except (pa.ArrowException, OSError):
            return None  # the journal itself says what is wrong with it
    else:
        lines = path.with_name(f"{path.name}.lines") if path.suffix == ".parquet" else path
        if lines.exists():
            with lines.open(encoding="utf-8", errors="replace") as file:
                header = file.readline()
    try:
        parts = json.loads(header or "null")
    except (ValueError, RecursionError):
        return None
    seed = parts.get("seed") if isinstance(parts, dict) else None
    return seed if isinstance(seed, int) else None
