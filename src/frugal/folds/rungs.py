"""Scores on fewer rows: all rungs that successive halving can ask for, in one table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from frugal.folds.scores import score
from frugal.folds.strategies import make, with_facts
from frugal.folds.strategies.successive_halving import SuccessiveHalving
from frugal.folds.table import ScoreTable, beside
from frugal.interface import Candidate
from frugal.seeds import rng_for

if TYPE_CHECKING:
    from frugal.datasets import Dataset


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
        classifier: name of a learner, one of `frugal.learners.known()`.
        candidates: the distinct candidates.
        n_candidates: lengths of the candidate lists that will be searched.
        settings: settings of `successive_halving`.
        seed: number of the repetition.
        **scoring: further arguments of `score`.

    Raises:
        ValueError: on an unknown setting, or what `score` refuses.
    """
    n_rows = len(dataset.training().y)
    halvings = _halvings(n_candidates, n_rows=n_rows, n_classes=dataset.n_classes, settings=settings)
    rows, cv = _rows_of(halvings), halvings[0].cv
    parts = [score(dataset, classifier, candidates, n_folds=cv, seed=seed, n_rows=r, **scoring) for r in rows]
    table = beside(parts)
    return dataclasses.replace(table, meta={**table.meta, "n_rows": None, "rungs": rows})


def _halvings(
    n_candidates: Iterable[int], *, n_rows: int, n_classes: int, settings: Mapping[str, Any]
) -> list[SuccessiveHalving]:
    name = "successive_halving"
    settings = with_facts(name, settings, n_rows=n_rows, n_classes=n_classes)
    # Its folds are those of `cv`, so it does not matter how many the others have.
    strategies = [make(name, n_candidates=n, n_folds=2, rng=rng_for(name), **settings) for n in n_candidates]
    return cast(list[SuccessiveHalving], strategies)


def _rows_of(halvings: Iterable[SuccessiveHalving]) -> list[int]:
    return sorted({rung.resource for halving in halvings for rung in halving.rungs})


def split_rungs(table: ScoreTable) -> dict[int, ScoreTable]:
    """The tables of `score_rungs` by number of rows."""
    width = table.scores.shape[1] // len(table.meta["rungs"])
    rungs = {}
    for i, n_rows in enumerate(table.meta["rungs"]):
        columns = slice(i * width, (i + 1) * width)
        failures = [
            [row, column - columns.start, message]
            for row, column, message in table.meta.get("failures", [])
            if columns.start <= column < columns.stop
        ]
        meta = {**table.meta, "n_rows": n_rows, "folds": table.meta["folds"][columns], "failures": failures}
        rungs[n_rows] = ScoreTable(table.scores[:, columns], table.seconds[:, columns], table.candidates, meta)
    return rungs
