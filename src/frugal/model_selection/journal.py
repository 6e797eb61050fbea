"""Journal of a search: it stores every fit, so that the same search repeats none. One search at a time uses it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar, Final, Self

from frugal import parquet
from frugal.code import Job, jobs
from frugal.extras import explained
from frugal.files import whole
from frugal.folds.fits import Fit
from frugal.interface import FoldTask
from frugal.model_selection.evaluation import ScoredFit
from frugal.trials.lines import CODE, JournalFile, JournalPath, Lines, as_object, as_plain, file_of

_KEY: Final = b"frugal.journal"


def fingerprint(**parts: Any) -> dict[str, str]:
    """Hash each part of a search by value; functions and classes of the user by content."""
    from frugal.model_selection.definitions import hash_of

    return {name: hash_of(part) for name, part in parts.items()}


def journal_of(
    path: str | os.PathLike[str] | None, *roots: str, names: Iterable[tuple[str, str]] = (), restart: bool
) -> JournalFile | None:
    """The journal file of a search, resumed if the search's code is unchanged; None: no journal.

    Args:
        path: path of the journal.
        *roots: definitions that the stored results depend on, as `package.module:name`.
        names: pairs of kind and name, which select parts of these definitions; see `frugal.code.jobs`.
        restart: whether to set an existing file aside.
    """
    if path is None:
        return None
    job = Job(roots, tuple(names))
    return JournalFile(Path(path).absolute(), lambda: jobs.hash_of(job), restart, way="restart=True")


def definitions_of_ours(*values: Any) -> list[str]:
    """Classes and functions of this package among estimators, their parts and other values, for the code hash."""
    parts = [*values]
    for value in values:
        if hasattr(value, "get_params") and not isinstance(value, type):
            parts += value.get_params().values()
    found: set[Any] = {part if isinstance(part, type | FunctionType) else type(part) for part in parts}
    theirs = {one for one in found if isinstance(one, type) and not _is_ours(one)}
    found |= {base for one in theirs for base in one.__mro__}
    return sorted(f"{one.__module__}:{one.__qualname__}" for one in found if _is_ours(one))


def _is_ours(definition: Any) -> bool:
    return (definition.__module__ or "").startswith("frugal.")


class Journal:
    """The fits of one search; a context manager.

    Nothing can be appended to a parquet file. So each fit is written at once, as a line of JSON, to a file beside
    a parquet journal, with `.lines` added to its name. When the search ends, also by Ctrl-C, the lines are merged
    into the parquet file. After a kill the next search reads both. A journal of any other name is a file of lines.

    Attributes:
        kept: finished fits by task.

    Args:
        journal: the file; its folder is created. A journal of older code is set aside. None: nothing is stored.
        parts: values that identify the search, from `fingerprint`.

    Raises:
        ValueError: if the file is the journal of another search, or not a journal.
    """

    _apart: ClassVar[tuple[str, ...]] = ("seed", "row_seed")
    """Parts that may differ, unless a fit depends on them: row_seed draws the rows of fits on fewer rows."""
    _texts: ClassVar = ("test_scores", "train_scores")
    """Columns stored as JSON in a parquet file."""
    _columns: ClassVar = (
        dict.fromkeys(("candidate", "fold", "n_rows"), "int64")
        | {"score": "float64", "seconds": "float64", "reason": "string"}
        | {"test_scores": "string", "train_scores": "string", "fit_time": "float64", "score_time": "float64"}
    )

    def __init__(self, journal: JournalPath | None, parts: Mapping[str, Any]) -> None:
        self.kept: dict[FoldTask, Fit] = {}
        self._header = as_plain(parts)
        self._journal = lines = None if journal is None else replace(file_of(journal), apart=self._apart)
        self._parquet: Path | None = None
        if lines is not None and lines.path.suffix == ".parquet":
            with explained():
                import pyarrow  # noqa: F401  so that a missing package is reported before a fit
            self._parquet = lines.path
            self._read_parquet(lines)
            lines = replace(lines, path=_lines_beside(self._parquet))
        self._lines = Lines(lines, self._header)
        self._lines.rows(self._take)
        self._is_drawn_alike = self._lines.header.get("row_seed") == parts.get("row_seed")
        drawn = any(task.n_rows is not None for task in self.kept)
        if self._journal is not None and drawn and not self._is_drawn_alike:
            raise ValueError(
                f"{self._journal.path} is the journal of another run, with another random_state or "
                f"n_candidates, by which rows are drawn; {self._journal.remedy}"
            )

    def keep(self, task: FoldTask, fit: Fit) -> None:
        """Append a fit, which then survives the death of the process, unless another seed drew its rows."""
        if self._journal is not None and (self._is_drawn_alike or task.n_rows is None):
            self.kept[task] = fit
            self._lines.add(_row(task, fit))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files; the lines of a parquet journal become part of it."""
        self._lines.close()
        if self._parquet is not None:
            self._write_parquet(self._parquet)
            _lines_beside(self._parquet).unlink()

    def _read_parquet(self, journal: JournalFile) -> None:
        """Read the header and rows of a parquet journal, unless it is set aside."""
        path, code = journal.path, journal.code()
        if not path.exists():
            return
        if journal.restart:
            journal.set_aside()
            return
        table = parquet.read_table(path)
        parquet.verify(table, path)
        kept = as_object((table.schema.metadata or {}).get(_KEY, b"null"))
        if kept is None:
            raise ValueError(f"{path} is no journal of a search; {journal.remedy}")
        if journal.is_current(kept, self._header, code, is_empty=not table.num_rows):
            self._header = {name: part for name, part in kept.items() if name != CODE}
            for row in table.to_pylist():
                self._take({**row, **{name: json.loads(row[name]) for name in self._texts}})

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
            metadata={_KEY: json.dumps(self._lines.header).encode()},
        )
        with whole(path) as part:
            parquet.write_table(pa.Table.from_pylist(rows, schema=schema), part)


def _row(task: FoldTask, fit: Fit) -> dict[str, Any]:
    """Convert a fit to plain values for a line."""
    scored = fit if isinstance(fit, ScoredFit) else ScoredFit(fit.score, fit.seconds, fit.reason)
    return {"candidate": task.candidate, "fold": task.fold, "n_rows": task.n_rows, **plain_fit(scored)}


def plain_fit(fit: ScoredFit) -> dict[str, Any]:
    """Convert a fit to plain values by the names of its attributes."""
    return {name: _plain(value) for name, value in asdict(fit).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: float(score) for name, score in value.items()}
    if isinstance(value, str):
        return sendable(value)
    return None if value is None else float(value)


def sendable(text: str) -> str:
    """A text with the bytes that no encoding has, as of a name of a file, written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def seed_in(path: str | os.PathLike[str] | None) -> int | None:
    """Seed stored in a journal, for a search without `random_state`; None if there is no journal."""
    if path is None:
        return None
    path = Path(path)
    text: str | bytes = ""
    if path.suffix == ".parquet" and path.exists():
        with explained():
            import pyarrow as pa
            import pyarrow.parquet as pq

        try:
            text = (pq.read_schema(path).metadata or {}).get(_KEY, b"")
        except (pa.ArrowException, OSError):
            return None  # opening the journal reports the error
    else:
        lines = _lines_beside(path) if path.suffix == ".parquet" else path
        if lines.is_file():
            with lines.open(encoding="utf-8", errors="replace") as file:
                text = file.readline()
    seed = (as_object(text) or {}).get("seed")
    return seed if isinstance(seed, int) else None


def _lines_beside(path: Path) -> Path:
    """Path of the lines that will become part of a parquet journal."""
    return path.with_name(f"{path.name}.lines")
