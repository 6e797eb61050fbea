"""Make look-up tables: real fits of every listed candidate at every size and draw of rows.

A table has one row per cell, columns `COLUMNS`; `LookUpProblem` reads it. A killed job goes on from its journal
and ends in the same table, its seconds aside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from frugal import learners
from frugal.checks import check_whole
from frugal.datasets.arrays import stored_hash
from frugal.interface import Candidate, TrialTask
from frugal.spaces import as_json
from frugal.trials.lines import JournalPath, Lines
from frugal.trials.problems import LearnerProblem

FACTS: Final = ("learner", "dataset", "data", "seed")
KEY: Final = ("candidate", "n_rows", "subset")
CELL: Final = (*KEY, "error", "test_error", "seconds", "cost", "reason")
COLUMNS: Final = (*FACTS, *CELL)
"""Columns of a look-up table. candidate: a JSON object. n_rows, subset: as in `TrialTask`. error, test_error:
errors on the validation and test rows; nan if the fit failed, with its reason. seconds: time to evaluate this cell
alone. cost: a proxy that is the same on every machine."""

Group = Callable[[LearnerProblem, list[Candidate], int, int], Iterator[dict[str, Any]]]
"""(problem, candidates, n_rows, subset) -> cells, one for each candidate."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of a table and the number of draws of each.

    Attributes:
        n_rows: numbers of training rows, each once.
        n_subsets: number of draws of each size; with a single draw, an optimiser sees no noise of sampling.

    Raises:
        ValueError: if there are none, one is listed twice, or there are not as many numbers of draws.
    """

    n_rows: Sequence[int]
    n_subsets: Sequence[int]

    def __post_init__(self) -> None:
        for n_rows in self.n_rows:
            check_whole("sizes", n_rows, 1)
        for n_subsets in self.n_subsets:
            check_whole("n_subsets", n_subsets, 1)
        if not self.n_rows or len(set(self.n_rows)) < len(self.n_rows):
            raise ValueError(f"sizes must be at least one number of rows, none of them twice, got {self.n_rows}")
        if len(self.n_rows) != len(self.n_subsets):
            raise ValueError(
                f"n_subsets must hold a number per size, so {len(self.n_rows)}, got {len(self.n_subsets)}"
            )

    def check(self, problem: LearnerProblem) -> None:
        """Raise ValueError on sizes below the number of classes or above the training rows."""
        n_classes, n_train = problem.dataset.n_classes, len(problem.parts.train[1])
        for n_rows in self.n_rows:
            if n_rows < n_classes:
                raise ValueError(f"sizes must be at least {n_classes}, the number of classes, got {n_rows}")
            check_whole("sizes", n_rows, n_classes, n_train, "the training rows")

    def draws(self) -> list[tuple[int, int]]:
        """(n_rows, subset) of each draw, the smallest sizes first."""
        ordered = sorted(zip(self.n_rows, self.n_subsets, strict=True))
        return [(n, subset) for n, n_subsets in ordered for subset in range(n_subsets)]


def measure(
    problem: LearnerProblem,
    candidates: Sequence[Candidate],
    sizes: Sequence[int],
    n_subsets: Sequence[int],
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """Make a table by trials of a learner for the validation errors, and further fits for the test errors.

    Seconds and cost of a cell are those of its trial in `LearnerProblem`.

    Args:
        problem: the problem whose trials fill the cells; its learner must not be trained in epochs.
        candidates: candidates of the table, each once.
        sizes: numbers of training rows, each at least the number of classes.
        n_subsets: number of draws at each size, one entry per size.
        journal_path: file that stores each cell as it is made; None: no file.

    Returns:
        Columns `COLUMNS`, in the order of sizes, draws and candidates.

    Raises:
        ValueError: on a learner that is trained in epochs, no candidate or one listed twice, sizes or draws that
            `Sizes` refuses or the problem cannot fill, or a journal of another job.
    """
    if learners.in_epochs(problem.learner):
        raise ValueError(f"{problem.learner} is trained in epochs, for which there are no tables")
    return in_groups(problem, candidates, Sizes(sizes, n_subsets), _one_by_one, journal_path)


def in_groups(
    problem: LearnerProblem,
    candidates: Sequence[Candidate],
    sizes: Sizes,
    group: Group,
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """Make the table of `measure`; `group` makes all missing cells of one size and draw together."""
    sizes.check(problem)
    names = [as_json(candidate) for candidate in candidates]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"candidates must be at least one, none of them twice, got {len(names)}")
    facts = facts_of(problem)
    of_parts = {"train": problem.parts.train, "valid": problem.parts.valid, "test": problem.parts.test}
    parts: dict[str, Any] = {f"n_{name}": len(y) for name, (_, y) in of_parts.items()}
    parts["rows"] = [stored_hash(X, y) for X, y in of_parts.values()]
    scaled = {} if problem.scaler == "none" else {"scaler": problem.scaler}
    with closing(Lines(journal_path, {**facts, **parts, **scaled, "candidates": names})) as journal:
        cells = dict(journal.rows(lambda row: (_key(row), row)))
        for n_rows, subset in sizes.draws():
            left = [c for c, name in zip(candidates, names, strict=True) if (name, n_rows, subset) not in cells]
            for cell in group(problem, left, n_rows, subset) if left else ():
                cells[_key(cell)] = cell
                journal.add(cell)
    ordered = [cells[name, *draw] for draw in sizes.draws() for name in names]
    table = pd.DataFrame(ordered, columns=list(CELL))
    return pd.concat([pd.DataFrame(facts, index=table.index), table], axis=1)


def facts_of(problem: LearnerProblem) -> dict[str, Any]:
    """Facts that identify the problem of a table, under the keys `FACTS`."""
    return dict(zip(FACTS, (problem.learner, problem.dataset.name, problem.data, problem.seed), strict=True))


def _key(row: Mapping[str, Any]) -> tuple[str, int, int]:
    return row["candidate"], row["n_rows"], row["subset"]


def _one_by_one(
    problem: LearnerProblem, candidates: list[Candidate], n_rows: int, subset: int
) -> Iterator[dict[str, Any]]:
    for candidate in candidates:
        trial = problem.evaluate(TrialTask(0, candidate, n_rows, subset), lambda *_: True)
        failed = math.isnan(trial.error)
        yield {
            "candidate": as_json(candidate),
            "n_rows": n_rows,
            "subset": subset,
            "error": trial.error,
            "test_error": math.nan if failed else problem.test_error(candidate, n_rows, subset),
            "seconds": trial.seconds,
            "cost": trial.cost,
            "reason": trial.reason,
        }
