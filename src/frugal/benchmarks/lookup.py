"""Look-up problems: tables of real fits replace the fits, as in Klein et al. (2017) for their SVM.

Many strategies and repetitions can then use the same fits, and each costs only its own overhead.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal import learners
from frugal.benchmarks.measured import COLUMNS, FACTS, KEY, facts_of
from frugal.checks import check_columns, check_rng, check_whole
from frugal.interface import Candidate, RunError, Trial, TrialTask
from frugal.spaces import Choice, Dimension, Ordinal, SearchSpace
from frugal.trials.problems import LearnerProblem, Report

MAX_SHARE: Final = 5e-4
"""Share of predictions in which a cell of `svm_table` may differ from a live fit, see `recheck`."""


class LookUpProblem:
    """A problem whose trials are cells of a table of real fits. The seconds of a trial are those of its cell.

    A table stores few draws of a size, so `subset` of a trial counts modulo the stored draws.

    Attributes:
        name: learner and dataset.
        space: the table's values of each hyperparameter: an `Ordinal` of numbers, with the sign that a learner of
            Frugal gives it, or a `Choice` of other values.
        data: provenance of the dataset.
        sizes: numbers of rows in the table, increasing; a trial without n_rows has the last.
        n_subsets: number of stored draws by size.
        table: the table.

    Args:
        table: a row per cell. learner, dataset, data and seed are those of all cells. candidate is a JSON object;
            n_rows and subset are as in `TrialTask`; error and test_error are those on the validation and test
            rows, nan where the fit failed, with its reason; seconds is the time of the cell alone, cost a proxy
            that is the same on every machine.

    Raises:
        ValueError: if the table lacks a column, is empty, is of several problems, has a cell twice or a candidate
            that is no JSON object of plain values, or is not whole: every combination of its values at every size
            and draw, draws numbered from 0.

    Examples:
        >>> import pandas as pd
        >>> from frugal.benchmarks import LookUpProblem
        >>> from frugal.interface import TrialTask
        >>> table = pd.DataFrame({"candidate": ['{"C": 1.0}', '{"C": 9.0}'], "error": [0.2, 0.1]})
        >>> table = table.assign(learner="svm", dataset="digits", data="original", seed=0, n_rows=800, subset=0)
        >>> table = table.assign(test_error=table["error"], seconds=0.3, cost=1.0, reason="")
        >>> problem = LookUpProblem(table)
        >>> problem.name, problem.sizes
        ('svm on digits', (800,))
        >>> problem.evaluate(TrialTask(id=0, candidate={"C": 9.0}), lambda *_: True).error
        0.1
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = _checked(table)
        first = table.iloc[0]
        self.name, self.data = f"{first['learner']} on {first['dataset']}", str(first["data"])
        self.n_subsets = {int(n): int(k) for n, k in table.groupby("n_rows")["subset"].nunique().items()}  # type: ignore[call-overload]
        self.sizes = tuple(sorted(self.n_subsets))
        candidates = {text: _candidate(text) for text in table["candidate"].unique()}
        self.space = _space(str(first["learner"]), list(candidates.values()))
        self._cells = {
            (self._values(candidates[row.candidate]), row.n_rows, row.subset): row for row in table.itertuples()
        }
        n_cells = len(self.space.grid()) * sum(self.n_subsets.values())
        if len(self._cells) != n_cells:
            raise ValueError(
                f"a table of {self.name} must have every combination of its values at every size and draw, "
                f"{n_cells} cells, got {len(self._cells)}"
            )
        for n, draws in table.groupby("n_rows")["subset"]:
            if set(draws) != set(range(draws.nunique())):
                raise ValueError(f"draws of {n} rows must be numbered from 0 on, got {sorted(set(draws))}")

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Look up the cell of a task.

        Raises:
            ValueError: on a candidate or number of rows that the table lacks, a negative `subset`, or epochs.
        """
        if task.epochs is not None or task.resume_from is not None:
            raise ValueError(f"a table of {self.name} has no epochs")
        cell = self._cell(task.candidate, task.n_rows, task.subset)
        reason = str(cell.reason) if math.isnan(cell.error) else ""
        return Trial(task, float(cell.error), float(cell.seconds), float(cell.cost), reason=reason)

    def test_error(self, candidate: Candidate, n_rows: int | None = None, subset: int = 0) -> float:
        """Return the test error of the fit on draw `subset` of `n_rows` rows (None: the most); nan if it failed.

        Raises:
            ValueError: on a candidate or number of rows that the table lacks, or a negative `subset`.
        """
        return float(self._cell(candidate, n_rows, subset).test_error)

    def _cell(self, candidate: Candidate, n_rows: int | None, subset: int) -> Any:
        size = self.sizes[-1] if n_rows is None else n_rows
        if size not in self.n_subsets:
            raise ValueError(
                f"a table of {self.name} has no {n_rows} rows; it has {', '.join(map(str, self.sizes))}"
            )
        check_whole("subset", subset, 0)
        self.space.to_unit(candidate)  # refuses what is not in the table
        return self._cells[self._values(candidate), size, subset % self.n_subsets[size]]

    def _values(self, candidate: Candidate) -> tuple[object, ...]:
        return tuple(candidate[name] for name in self.space.dimensions)


def recheck(table: pd.DataFrame, problem: LearnerProblem, n_cells: int, rng: np.random.Generator) -> pd.DataFrame:
    """Fit randomly drawn cells anew, by trials of the learner on the same rows.

    A table that `measure` made gives the same errors to the last digit. In one that `measure_svm` made, kernel
    values differ from those of SVC(kernel="rbf") in the last digits; LIBSVM stops once its optimality conditions
    hold to 1e-3, and a vote is the sign of a sum, so that a row at a boundary may fall on its other side. For the
    SVM the numbers of misclassified validation rows may therefore differ by `MAX_SHARE` of these rows, rounded up:
    5 of 10,000, a quarter of the standard error of an error of 5 %, so that a wrong draw of rows, C or gamma still
    shows. For others they may not differ.

    Args:
        table: columns `measured.COLUMNS`.
        problem: learner, dataset and seed of the table.
        n_cells: number of cells to fit.
        rng: generator that draws the cells.

    Returns:
        One row per cell, with the columns learner, dataset, data, seed, candidate, n_rows, subset, error,
        live_error, max_difference, seconds, live_seconds. For the SVM, `live_seconds` is the larger number, since
        a live SVC votes row by row.

    Raises:
        ValueError: on a table without a column or of another problem, or more cells than it has.
    """
    _checked(table)
    check_whole("n_cells", n_cells, 1, len(table), "the cells of the table")
    check_rng(rng)
    facts = facts_of(problem)
    if table.iloc[0][list(FACTS)].to_dict() != facts:
        raise ValueError(f"the table is of {table.iloc[0][list(FACTS)].to_dict()}, the problem of {facts}")
    n_valid = len(problem.parts.valid[1])
    max_flips = math.ceil(MAX_SHARE * n_valid) if problem.learner == "svm" else 0
    rows = []
    for i in np.sort(rng.choice(len(table), n_cells, replace=False)):
        cell = table.iloc[int(i)]
        task = TrialTask(0, json.loads(cell["candidate"]), int(cell["n_rows"]), int(cell["subset"]))
        live = problem.evaluate(task, lambda *_: True)
        kept = cell[[*FACTS, *KEY, "error"]].to_dict()
        new = {"live_error": live.error, "max_difference": max_flips / n_valid}
        rows.append(kept | new | {"seconds": cell["seconds"], "live_seconds": live.seconds})
    return pd.DataFrame(rows)


def check_cells(cells: pd.DataFrame) -> None:
    """Raise if the differences found by `recheck` exceed their limit.

    Raises:
        RunError: naming the first cell whose errors differ by more than they may, or one of which failed.
    """
    for cell in cells.to_dict("records"):
        kept, live, allowed = cell["error"], cell["live_error"], cell["max_difference"]
        both_failed = math.isnan(kept) and math.isnan(live)
        if not both_failed and not abs(kept - live) <= allowed + 1e-12:  # errors are multiples of 1 / n_valid
            raise RunError(
                f"{cell['candidate']} on draw {cell['subset']} of {cell['n_rows']} rows has the error {kept:g} in "
                f"the table and {live:g} live; they may differ by {allowed:g}"
            )


def _checked(table: pd.DataFrame) -> pd.DataFrame:
    check_columns("a look-up table", table, COLUMNS)
    if table.empty:
        raise ValueError("a look-up table must have at least one cell, got none")
    if len(table[list(FACTS)].drop_duplicates()) > 1:
        raise ValueError(f"a look-up table must be of one {', '.join(FACTS[:-1])} and {FACTS[-1]}, got several")
    twice = table[table.duplicated(list(KEY))]
    if len(twice):
        cell = twice.iloc[0]
        where = f"draw {cell['subset']} of {cell['n_rows']} rows"
        raise ValueError(
            f"a look-up table must have each cell once; {cell['candidate']} on {where} is there twice"
        )
    return table


def _candidate(text: object) -> Candidate:
    """The candidate of a cell, written as a JSON object."""
    try:
        found = json.loads(text)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"candidate of a look-up table must be a JSON object, got {text!r}")
    for name, value in found.items():
        if isinstance(value, list | dict):
            raise ValueError(
                f"{name!r} of a look-up table must be a number, text, true, false or null, got {value}"
            )
    return found


def _space(learner: str, candidates: list[Candidate]) -> SearchSpace:
    names = sorted(set(candidates[0]))
    if any(set(candidate) != set(names) for candidate in candidates):
        raise ValueError(
            f"candidates of a look-up table must have the same hyperparameters, as the first: {names}"
        )
    dimensions = {name: _dimension([candidate[name] for candidate in candidates]) for name in names}
    ordered = [name for name, dimension in dimensions.items() if dimension.kind != "categorical"]
    signs = learners.signs(learner) if learner in learners.known() else {}
    return SearchSpace(dimensions, signs={name: signs[name] for name in ordered if name in signs})


def _dimension(values: list[Any]) -> Dimension:
    if len({(type(value), value) for value in values}) > len(set(values)):
        listed = ", ".join(sorted(set(map(repr, values))))
        raise ValueError(f"equal values of a look-up table must be of one type, got {listed}")
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return Ordinal(tuple(sorted(set(values))))
    return Choice(tuple(dict.fromkeys(values)))
