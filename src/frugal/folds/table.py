"""Stored scores of every fold of every candidate, computed once, for every strategy to replay."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal import parquet
from frugal.checks import as_python, is_whole
from frugal.extras import explained
from frugal.files import whole
from frugal.interface import Candidate
from frugal.spaces import as_json
from frugal.stats import mean_score

_META_KEY, _ROWS_KEY = b"frugal", b"frugal.rows"
_COUNTS = ("n_deferred", "n_tied")
"""Metadata that are summed when blocks of folds are joined (see `fast.FoldScores`)."""
_AGAIN = "delete it and run again"


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores and seconds of `candidates` x `folds`.

    Attributes:
        scores: accuracy in [0, 1], nan where the fit failed, shape (n_candidates, n_folds).
        seconds: measured seconds of fit and score, nan where not measured, same shape.
        candidates: one per row.
        meta: facts about its making (dataset, classifier, seed, ...), and `failures`: [row, column, message].

    Raises:
        ValueError: if the shapes do not belong together, or a score is outside [0, 1].

    Examples:
        >>> from frugal.folds import ScoreTable
        >>> table = ScoreTable([[0.5, 1.0], [0.5, 0.5]], [[0.1, 0.1], [0.2, 0.2]], [{"C": 1}, {"C": 10}])
        >>> table.means.tolist()
        [0.75, 0.5]
        >>> table.take([1, 1, 0]).candidates
        [{'C': 10}, {'C': 10}, {'C': 1}]
    """

    scores: NDArray[np.float64]
    seconds: NDArray[np.float64]
    candidates: list[Candidate]
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        scores = np.asarray(self.scores, dtype=np.float64)
        seconds = np.asarray(self.seconds, dtype=np.float64)
        if scores.ndim != 2 or scores.size == 0:
            raise ValueError(
                f"scores must have shape (n_candidates, n_folds) with at least one of each, got {scores.shape}"
            )
        if seconds.shape != scores.shape or len(self.candidates) != len(scores):
            raise ValueError(
                f"scores {scores.shape}, seconds {seconds.shape} and {len(self.candidates)} "
                f"candidates do not belong together"
            )
        if np.any(np.isinf(scores) | (scores < 0) | (scores > 1)):
            raise ValueError("scores must lie in [0, 1], or be nan where a fit failed")
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "seconds", seconds)

    @property
    def means(self) -> NDArray[np.float64]:
        """Comparable mean score per candidate (`stats.mean_score`), shape (n_candidates,)."""
        return np.array([mean_score(row) for row in self.scores.tolist()])

    def take(self, indices: ArrayLike) -> ScoreTable:
        """The table of a drawn candidate list, in its order, repeats and all.

        Args:
            indices: rows to take, shape (n_drawn,), each in [0, n_candidates).

        Raises:
            ValueError: on other indices.
        """
        rows = np.asarray(indices)
        is_list = rows.dtype.kind in "iu" and rows.ndim == 1 and rows.size > 0
        if not is_list or rows.min() < 0 or rows.max() >= len(self.scores):
            raise ValueError(f"indices must be a list of rows in [0, {len(self.scores)})")
        candidates = [self.candidates[i] for i in rows]
        meta = dict(self.meta)
        if meta.get("failures"):
            by_row = defaultdict(list)
            for row, column, message in meta["failures"]:
                by_row[row].append((column, message))
            meta["failures"] = [
                [new, *failure] for new, old in enumerate(rows.tolist()) for failure in by_row[old]
            ]
        return ScoreTable(self.scores[rows], self.seconds[rows], candidates, meta)

    @classmethod
    def join(cls, blocks: Iterable[ScoreTable]) -> ScoreTable:
        """One table from blocks of folds of the same candidates, in fold order.

        Raises:
            ValueError: if the blocks differ in candidates or making, do not say their folds, or folds repeat or
                are missing.
        """
        parts = list(blocks)
        if any(not {"folds", "n_folds"} <= set(part.meta) for part in parts):
            raise ValueError("meta of a block must have folds and n_folds, as `frugal.folds.score` writes them")
        parts.sort(key=lambda part: part.meta["folds"][0])
        if not parts:
            raise ValueError("there is no block of folds to join")
        first = parts[0]
        for part in parts[1:]:
            if part.candidates != first.candidates or _making(part) != _making(first):
                raise ValueError("the blocks of folds come from different candidates or settings")
        folds = [fold for part in parts for fold in part.meta["folds"]]
        if len(folds) != first.meta["n_folds"] or folds != list(range(len(folds))):
            raise ValueError(f"folds 0 to {first.meta['n_folds'] - 1} are needed, got {folds}")
        return beside(parts)

    def write(self, path: str | Path, *, seconds_path: str | Path | None = None) -> None:
        """Write a parquet file with one row per candidate and fold.

        Args:
            path: the file; columns candidate, hyperparameters (JSON), fold, score, reason and, unless they
                go elsewhere, seconds.
            seconds_path: a second file for the seconds, so that `path` has reproducible bytes.
        """
        import pandas as pd

        n_candidates, n_folds = self.scores.shape
        folds = self.meta.get("folds", list(range(n_folds)))
        texts = [as_json(c) for c in self.candidates]
        reasons = np.full(self.scores.shape, "", dtype=object)
        for row, column, message in self.meta.get("failures", []):
            reasons[row, column] = message
        index = _index(n_candidates, folds)
        seconds = {"seconds": self.seconds.ravel()}
        columns = {
            "candidate": index["candidate"],
            "hyperparameters": np.repeat(np.array(texts, dtype=object), n_folds),
            "fold": index["fold"],
            "score": self.scores.ravel(),
            "reason": reasons.ravel(),
        }
        if seconds_path is None:
            columns |= seconds
        else:
            _write_parquet(pd.DataFrame(index | seconds), seconds_path, self.meta)
        _write_parquet(pd.DataFrame(columns), path, self.meta)

    @classmethod
    def read(cls, path: str | Path, *, seconds_path: str | Path | None = None) -> ScoreTable:
        """Read what `write` wrote; seconds are nan where no file has them.

        Raises:
            ValueError: if a file is truncated, is not a score table, or has rows that are missing or out of
                order; the message names it.
            FileNotFoundError: if there is no such file.
        """
        stored, meta = _read_parquet(path, ("candidate", "hyperparameters", "fold", "score"))
        frame = stored.to_pandas(ignore_metadata=True)
        _check_folds(path, meta)
        folds = meta.get("folds") or list(range(min(int(frame["fold"].max()) + 1, len(frame))))
        texts = frame["hyperparameters"].to_numpy()[:: len(folds)]
        index = _index(len(texts), folds)
        is_repeated = np.array_equal(frame["hyperparameters"], np.repeat(texts, len(folds)))
        if not _has_index(frame, index) or not is_repeated:
            raise ValueError(f"{path} does not hold every fold of every candidate in order; {_AGAIN}")
        parquet.verify(stored, path)
        if seconds_path is not None:
            seconds = _read_seconds(seconds_path, path, index, meta)
        else:
            seconds = frame["seconds"].to_numpy() if "seconds" in frame else np.full(len(frame), math.nan)
        shape = len(texts), len(folds)
        _check_failures(path, meta, shape)
        candidates = [json.loads(text) for text in texts]
        return cls(frame["score"].to_numpy().reshape(shape), seconds.reshape(shape), candidates, meta)


def plain(candidate: Candidate) -> dict[str, object]:
    """Convert NumPy scalars among a candidate's values to Python values."""
    return {name: as_python(value) for name, value in candidate.items()}


def beside(parts: Sequence[ScoreTable]) -> ScoreTable:
    """Join tables of the same candidates, with their columns in the given order.

    The metadata are those of the first table, but folds and failures are joined, and counts are summed.
    """
    starts = np.cumsum([0] + [part.scores.shape[1] for part in parts]).tolist()
    failures = [
        [row, start + column, message]
        for part, start in zip(parts, starts, strict=False)
        for row, column, message in part.meta.get("failures", [])
    ]
    meta = {
        **parts[0].meta,
        "folds": [fold for part in parts for fold in part.meta["folds"]],
        "failures": sorted(failures),
    } | {name: sum(part.meta.get(name, 0) for part in parts) for name in _COUNTS}
    scores = np.hstack([part.scores for part in parts])
    seconds = np.hstack([part.seconds for part in parts])
    return ScoreTable(scores, seconds, parts[0].candidates, meta)


def _making(table: ScoreTable) -> dict[str, Any]:
    return {k: v for k, v in table.meta.items() if k not in ("folds", "failures", *_COUNTS)}


def _index(n_candidates: int, folds: Sequence[int]) -> dict[str, NDArray[np.int32]]:
    """Columns `candidate` and `fold` of a file, in the order of its rows."""
    return {
        "candidate": np.repeat(np.arange(n_candidates, dtype=np.int32), len(folds)),
        "fold": np.tile(np.asarray(folds, dtype=np.int32), n_candidates),
    }


def _has_index(frame: Any, index: Mapping[str, NDArray[np.int32]]) -> bool:
    """True if a data frame has just the rows of `index`, in their order."""
    return all(np.array_equal(frame[name], column) for name, column in index.items())


def _read_seconds(
    path: str | Path, scores_path: str | Path, index: Mapping[str, NDArray[np.int32]], meta: Mapping[str, Any]
) -> NDArray[np.float64]:
    """Read the seconds of a score file that has the rows `index` and this metadata, shape (n_rows,)."""
    stored, seconds_meta = _read_parquet(path, ("candidate", "fold", "seconds"))
    frame = stored.to_pandas(ignore_metadata=True)
    if not _has_index(frame, index) or seconds_meta != meta:
        raise ValueError(f"{path} does not hold the seconds of {scores_path}; name the right file, or {_AGAIN}")
    parquet.verify(stored, path)
    seconds: NDArray[np.float64] = frame["seconds"].to_numpy()
    return seconds


def _write_parquet(frame: Any, path: str | Path, meta: Mapping[str, Any]) -> None:
    with explained():
        import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    text = json.dumps(dict(meta), sort_keys=True).encode()
    ours = {_META_KEY: text, _ROWS_KEY: b"%d" % len(frame)}
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), **ours})
    with whole(path) as part:
        parquet.write_table(table, part)


def _check_folds(path: str | Path, meta: Mapping[str, Any]) -> None:
    """Raise ValueError unless the numbers of the folds, if a file says them, are such numbers."""
    folds = meta.get("folds", [0])
    if not isinstance(folds, list) or not folds or not all(is_whole(fold, 0) and fold < 2**31 for fold in folds):
        expected = "whole numbers from 0 to 2^31 - 1"
        raise ValueError(f"{path} is damaged: its folds are {folds!r}, but must be {expected}; {_AGAIN}")


def _check_failures(path: str | Path, meta: Mapping[str, Any], shape: tuple[int, int]) -> None:
    """Raise ValueError unless every failed fit that a file lists has a row, a column and a reason."""
    failures = meta.get("failures", [])
    for failure in failures if isinstance(failures, list) else [failures]:
        match failure:
            case [int(row), int(column), str()] if 0 <= row < shape[0] and 0 <= column < shape[1]:
                continue
        expected = "a candidate, a fold and a reason"
        raise ValueError(f"{path} is damaged: it lists the failure {failure!r}, but must say {expected}; {_AGAIN}")


def _read_parquet(path: str | Path, columns: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    if not Path(path).exists():
        raise FileNotFoundError(f"{path} does not exist")
    table = parquet.read_table(path)
    found = table.schema.metadata or {}
    missing = [name for name in columns if name not in table.column_names]
    if _META_KEY not in found or missing or table.num_rows == 0:
        raise ValueError(f"{path} is not a score table: it lacks {', '.join(missing) or 'rows or metadata'}")
    n_rows = b"%d" % table.num_rows
    n_written = found.get(_ROWS_KEY, n_rows)
    if n_rows != n_written:
        n_written = n_written.decode(errors="backslashreplace")
        raise ValueError(f"{path} holds {table.num_rows} of the {n_written} rows that were written; {_AGAIN}")
    try:
        meta = json.loads(found[_META_KEY])
    except ValueError:
        meta = None
    if not isinstance(meta, dict):
        raise ValueError(f"{path} is damaged: its metadata are no JSON object; {_AGAIN}")
    return table, meta
