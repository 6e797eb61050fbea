"""Stored learning curves as a problem: a trial replays one of them, and costs what it cost when it was made.

Strategies ask for any candidate of a space, but only some candidates have curves. So strategies are given a
`ListedSpace`, which maps each point of its cube to the nearest candidate with a curve. A strategy that chooses
points of the cube, as the model-based ones do, therefore gets true results. Other candidates are random draws, and
those that `smac` and `tpe` make from the dimensions themselves. They get the nearest curve, by distance in the
cube, among the curves given to the fewest candidates so far. So no curve is given twice before all were given
once. A candidate that has a curve always gets its own. A candidate that is asked for again (for more epochs, to be
continued, or on other rows) gets the curve of the same number.

A set may hold every candidate on several numbers of training rows, with one draw of rows for each number. A trial
gets the result of this draw, whatever draw (`subset`) it asks for. So a strategy sees no noise from draws.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from frugal.benchmarks.curve_set import COLUMNS, SET_COLUMNS, SIZE
from frugal.benchmarks.measured import CELL
from frugal.checks import check_columns, check_whole
from frugal.files import read
from frugal.interface import Candidate, Trial, TrialTask
from frugal.learners import networks
from frugal.spaces import SearchSpace, as_json
from frugal.trials.encoding import ListedSpace
from frugal.trials.problems import Report


@dataclass(frozen=True)
class Curve:
    """A stored learning curve.

    Attributes:
        id: number of the candidate in the set.
        candidate: hyperparameters.
        scores: validation score after each epoch; nan if the network diverged.
        seconds: seconds of each epoch.
        test_error: test error after the last epoch; nan if it diverged, or if there are curves on more rows.
        reason: why training failed; empty if it did not.
    """

    id: int
    candidate: Candidate
    scores: tuple[float, ...]
    seconds: tuple[float, ...]
    test_error: float
    reason: str


class CurvesProblem:
    """A `problems.Problem` on stored curves. Each run needs its own object: results depend on earlier trials.

    A trial without `epochs` replays a curve to its end. A trial without `n_rows` replays the curve on the most
    rows. Epochs are reported one by one, and the trial ends if a report returns False. Its seconds and cost (rows
    times epochs) are those of the replayed epochs.

    Attributes:
        name: network and dataset.
        space: the search space.
        data: provenance of the dataset.
        n_epochs: epochs of a curve that did not diverge.
        sizes: numbers of training rows, increasing; every candidate has a curve for each.
        curves: curves on the most rows.
        replayed: trial -> number of its curve.

    Args:
        table: rows of one set, columns `curve_set.COLUMNS`.

    Raises:
        ValueError: if a column is missing, there are no rows, they are of several sets, or a curve is lacking or
            there twice.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        check_columns("a table of curves", table, COLUMNS)
        sets = table[[name for name in SET_COLUMNS if name != SIZE]].drop_duplicates()
        if len(sets) != 1:
            raise ValueError(f"curves to be replayed must be of one set, got {len(sets)}")
        facts = sets.iloc[0]
        self.name = f"curves of {facts['network']} on {facts['dataset']}"
        self.data, self.n_epochs = str(facts["data"]), int(facts["n_epochs"])
        self.sizes = tuple(sorted(map(int, table[SIZE].unique())))
        self._curves = {
            size: [_curve(rows, self.name) for _, rows in part.groupby("id", sort=True)]
            for size, part in table.groupby(SIZE)
        }
        self.curves = self._curves[self.sizes[-1]]
        whose = {size: [(curve.id, curve.candidate) for curve in curves] for size, curves in self._curves.items()}
        for size in self.sizes:
            if whose[size] != whose[self.sizes[-1]]:
                raise ValueError(f"{self.name} must be of the same candidates on {size} rows as on the most")
        whole = networks.space(facts["space"], facts["network"])
        listed = tuple(curve.candidate for curve in self.curves)
        self.space: SearchSpace = ListedSpace(whole.dimensions, listed, signs=whole.signs)
        self.replayed: dict[int, int] = {}
        self._given: dict[str, int] = {}  # place of the curve by candidate asked for
        self._done: dict[int, tuple[str, int, int]] = {}  # candidate, rows and epochs by trial

    @classmethod
    def read(cls, path: str | Path) -> CurvesProblem:
        """Read a set of curves from a file of the workflow.

        Raises:
            ValueError: as the constructor, and as `files.read`.
        """
        return cls(read(path))

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Replay a curve.

        Raises:
            ValueError: if the task asks for other rows or more epochs than the curves have, or to continue a trial
                that was not made, had another candidate or other rows, or has as many epochs already; or if its
                candidate lies outside the space.
        """
        n_rows = self._rows_of(task)
        n_epochs = self.n_epochs if task.epochs is None else task.epochs
        check_whole("epochs", n_epochs, 1, self.n_epochs, "those of the stored curves")
        begin = self._epochs_before(task, n_epochs)
        curve = self._curves[n_rows][self._place_for(task.candidate)]
        self.replayed[task.id] = curve.id  # whoever is reported to may ask which curve it is
        end = begin
        for score in curve.scores[begin:n_epochs]:
            end += 1
            if math.isnan(score) or not report(task, end, score):
                break
        scores = curve.scores[:end]
        failed = math.isnan(scores[-1])
        error = math.nan if failed else 1 - scores[-1]
        cost = float(n_rows * (end - begin))
        seconds = float(sum(curve.seconds[begin:end]))
        trial = Trial(task, error, seconds, cost, scores, curve.reason if failed else "")
        self.recall(trial)
        return trial

    def recall(self, trial: Trial) -> None:
        """Record the curve of a trial and how far it went; also called for the trials of an interrupted run."""
        task = trial.task
        self.replayed[task.id] = self.curves[self._place_for(task.candidate)].id
        self._done[task.id] = (as_json(task.candidate), self._rows_of(task), len(trial.curve))

    def test_error(self, candidate: Candidate) -> float:
        """Test error of the curve that stands for a candidate, on the most rows at its end; nan if it diverged.

        Raises:
            ValueError: if the candidate was not asked for.
        """
        if as_json(candidate) not in self._given:
            raise ValueError(f"{dict(candidate)} was not asked for, so no curve stands for it")
        return self.curves[self._place_for(candidate)].test_error

    def _rows_of(self, task: TrialTask) -> int:
        """Number of training rows that a task asks for."""
        if task.n_rows is None:
            return self.sizes[-1]
        if task.n_rows not in self._curves:
            known = ", ".join(map(str, self.sizes))
            raise ValueError(f"{self.name} were made on {known} rows, got n_rows {task.n_rows!r}")
        return task.n_rows

    def _place_for(self, candidate: Candidate) -> int:
        """Index of the curves that stand for a candidate, fixed when it is first asked for."""
        key = as_json(candidate)
        if key not in self._given:
            assert isinstance(self.space, ListedSpace)
            counts = np.bincount(list(self._given.values()), minlength=len(self.curves))
            apart = self.space.distances(candidate)
            may = (counts == counts.min()) | (apart == 0)  # what has a curve meets its own, whoever met it before
            self._given[key] = int(np.where(may, apart, np.inf).argmin())
        return self._given[key]

    def _epochs_before(self, task: TrialTask, n_epochs: int) -> int:
        """Epochs already done by the trial that a task continues."""
        if task.resume_from is None:
            return 0
        candidate, n_rows, n_before = self._done.get(task.resume_from, ("", 0, 0))
        if candidate != as_json(task.candidate):
            raise ValueError(f"trial {task.resume_from} has left no state of {dict(task.candidate)}")
        if n_rows != self._rows_of(task):
            raise ValueError(f"trial {task.resume_from} was on {n_rows} rows, got n_rows {task.n_rows!r}")
        if n_before >= n_epochs:
            raise ValueError(f"trial {task.resume_from} has {n_before} epochs already, got epochs {n_epochs}")
        return n_before


def as_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Convert curves to cells of a look-up table: the result of training each to its end.

    Args:
        table: as `CurvesProblem` takes it.

    Returns:
        Columns `measured.CELL`, a row per curve; subset is 0, cost rows times epochs.
    """
    epochs = table.assign(n_rows=table[SIZE].astype(int)).sort_values("epoch").groupby(["id", "n_rows"])
    cells = epochs.tail(1).set_index(["id", "n_rows"]).sort_index()
    spent = {"seconds": epochs["seconds"].sum(), "cost": epochs.size() * cells.index.get_level_values("n_rows")}
    cells = cells.assign(subset=0, error=1 - cells["score"], **spent).reset_index()
    return cells[list(CELL)].astype({"cost": float})


def _curve(rows: pd.DataFrame, name: str) -> Curve:
    rows = rows.sort_values("epoch")
    last = rows.iloc[-1]
    number, n_rows = int(last["id"]), int(last[SIZE])
    if list(rows["epoch"]) != list(range(1, len(rows) + 1)):
        raise ValueError(f"{name} must have every epoch once; number {number} on {n_rows} rows has not")
    scores, seconds = (tuple(map(float, rows[name])) for name in ("score", "seconds"))
    candidate: Mapping[str, object] = json.loads(last["candidate"])
    return Curve(number, candidate, scores, seconds, float(last["test_error"]), str(last["reason"]))
