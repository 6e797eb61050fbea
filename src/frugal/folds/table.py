"""Kept scores: what every fold of every candidate scored, once computed, for every strategy to replay."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.files import whole
from frugal.interface import Candidate
from frugal.stats import mean_score

_META_KEY = b"frugal"


@dataclass(frozen=True)
class ScoreTable:
    """Scores and seconds of `candidates` x `folds`.

    Attributes:
        scores: accuracy in [0, 1], nan where the fit failed, shape (n_candidates, n_folds).
        seconds: measured seconds of fit and score, nan where not measured, same shape.
        candidates: one per row.
        meta: how it was made (dataset, classifier, seed, ...), and `failures`: [row, column, message].
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
        """
        rows = np.asarray(indices, dtype=np.intp)
        if rows.ndim != 1 or rows.size == 0 or rows.min() < 0 or rows.max() >= len(self.scores):
            raise ValueError(f"indices must be a list of rows in [0, {len(self.scores)})")
        candidates = [self.candidates[i] for i in rows]
        return ScoreTable(self.scores[rows], self.seconds[rows], candidates, self.meta)

    @classmethod
    def join(cls, blocks: Iterable[ScoreTable]) -> ScoreTable:
        """One table from blocks of folds of the same candidates, in fold order.

        Raises:
            ValueError: if the blocks differ in candidates or making, or folds repeat or are missing.
        """
        parts = sorted(blocks, key=lambda block: block.meta["folds"][0])
        if not parts:
            raise ValueError("there is no block of folds to join")
        first = parts[0]
        for part in parts[1:]:
            if part.candidates != first.candidates or _making(part) != _making(first):
                raise ValueError("the blocks of folds come from different candidates or settings")
        folds = [fold for part in parts for fold in part.meta["folds"]]
        if folds != list(range(first.meta["n_folds"])):
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
        texts = [json.dumps(dict(c), sort_keys=True) for c in self.candidates]
        reasons = np.full(self.scores.shape, "", dtype=object)
        for row, column, message in self.meta.get("failures", []):
            reasons[row, column] = message
        index = {
            "candidate": np.repeat(np.arange(n_candidates, dtype=np.int32), n_folds),
            "fold": np.tile(np.asarray(folds, dtype=np.int32), n_candidates),
        }
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
            ValueError: if a file is truncated or not a score table; the message names it.
        """
        frame, meta = _read_parquet(path, ("candidate", "hyperparameters", "fold", "score"))
        n_folds = len(frame) // max(int(frame["candidate"].max()) + 1, 1)
        shape = (len(frame) // n_folds, n_folds)
        texts = frame["hyperparameters"].to_numpy()[::n_folds]
        if seconds_path is not None:
            seconds_frame, _ = _read_parquet(seconds_path, ("candidate", "fold", "seconds"))
            if len(seconds_frame) != len(frame):
                raise ValueError(f"{seconds_path} has {len(seconds_frame)} rows, {path} {len(frame)}")
            seconds = seconds_frame["seconds"].to_numpy()
        elif "seconds" in frame:
            seconds = frame["seconds"].to_numpy()
        else:
            seconds = np.full(len(frame), math.nan)
        return cls(
            frame["score"].to_numpy().reshape(shape),
            seconds.reshape(shape),
            [json.loads(text) for text in texts],
            meta,
        )


def beside(parts: Sequence[ScoreTable]) -> ScoreTable:
    """Tables of the same candidates as one, their columns in the given order; meta is the first's."""
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
        "n_deferred": sum(part.meta.get("n_deferred", 0) for part in parts),
    }
    scores = np.hstack([part.scores for part in parts])
    seconds = np.hstack([part.seconds for part in parts])
    return ScoreTable(scores, seconds, parts[0].candidates, meta)


def _making(table: ScoreTable) -> dict[str, Any]:
    return {k: v for k, v in table.meta.items() if k not in ("folds", "failures", "n_deferred")}


def _write_parquet(frame: Any, path: str | Path, meta: Mapping[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    text = json.dumps(dict(meta), sort_keys=True).encode()
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), _META_KEY: text})
    with whole(path) as part:
        pq.write_table(table, part)


def _read_parquet(path: str | Path, columns: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{path} is truncated or not a parquet file; delete it and run again") from error
    text = (table.schema.metadata or {}).get(_META_KEY)
    missing = [name for name in columns if name not in table.column_names]
    if text is None or missing or table.num_rows == 0:
        raise ValueError(f"{path} is not a score table: it lacks {', '.join(missing) or 'rows or metadata'}")
    return table.to_pandas(), json.loads(text)
