"""Scores on fewer rows: every rung that successive halving can ask for, in one table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from frugal.folds.scores import score
from frugal.folds.strategies.successive_halving import plan_rungs, smallest_resource
from frugal.folds.table import ScoreTable, beside
from frugal.interface import Candidate

if TYPE_CHECKING:
    from frugal.datasets import Dataset


def rung_rows(
    n_candidates: Iterable[int], *, n_rows: int, n_classes: int, settings: Mapping[str, Any]
) -> list[int]:
    """Every number of rows that halving asks for, over several lengths of the candidate list.

    Args:
        n_candidates: lengths.
        n_rows: rows of the dataset.
        n_classes: its classes.
        settings: of `successive_halving`.
    """
    least = settings.get("min_resources", "exhaust")
    rows = {
        rung.resource
        for n in n_candidates
        for rung in plan_rungs(
            n,
            smallest=least if isinstance(least, int) else smallest_resource(settings.get("cv", 5), n_classes),
            largest=n_rows,
            factor=settings.get("factor", 3),
            exhaust=least == "exhaust",
            aggressive_elimination=settings.get("aggressive_elimination", False),
        )
    }
    return sorted(rows)


def score_rungs(
    dataset: Dataset,
    classifier: str,
    candidates: Sequence[Candidate],
    *,
    n_candidates: Iterable[int],
    settings: Mapping[str, Any],
    seed: int,
    **scoring: Any,
) -> ScoreTable:
    """Scores on each rung's rows, side by side; `split_rungs` takes them apart again.

    Args:
        dataset: rows and labels.
        classifier: one of `learners.CLASSIFIERS`.
        candidates: the distinct ones.
        n_candidates: lengths of the candidate lists that will be searched.
        settings: of `successive_halving`.
        seed: number of the repetition.
        **scoring: further arguments of `score`.
    """
    rows = rung_rows(n_candidates, n_rows=len(dataset.y), n_classes=dataset.n_classes, settings=settings)
    cv = int(settings.get("cv", 5))
    parts = [score(dataset, classifier, candidates, n_folds=cv, seed=seed, n_rows=r, **scoring) for r in rows]
    table = beside(parts)
    return dataclasses.replace(table, meta={**table.meta, "n_rows": None, "rungs": rows})


def split_rungs(table: ScoreTable) -> dict[int, ScoreTable]:
    """The tables of `score_rungs` by number of rows."""
    rows = table.meta["rungs"]
    scores = np.split(table.scores, len(rows), axis=1)
    seconds = np.split(table.seconds, len(rows), axis=1)
    return {
        r: ScoreTable(s, t, table.candidates, {**table.meta, "n_rows": r})
        for r, s, t in zip(rows, scores, seconds, strict=True)
    }
