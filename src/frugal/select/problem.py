"""The learning problem in a user's own table: target, task, columns and folds."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frugal.checks import as_python, check_choice, check_whole
from frugal.datasets.catalogue import DatasetError
from frugal.datasets.user_table import stripped
from frugal.select.columns import Columns, as_number, decimal_mark, find_columns, unread_numbers

if TYPE_CHECKING:
    import pandas as pd

TASKS: Final = ("classification", "regression")
MOST_CLASSES: Final = 20
"""A target with more different whole numbers than this is a regression's."""
ROWS_OF_CLASS: Final = 5
"""A target of numbers is a regression's, too, if each value has fewer rows than this on average."""
MANY_REPEATED: Final = 0.05
"""Share of repeated rows above which a note says so."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A learning problem: features, target and task.

    Attributes:
        path: path of the table.
        table: features, one row per case.
        target: values to predict.
        groups: group of each row; rows of one group stay in one fold; None: there are no groups.
        task: one of `TASKS`.
        columns: kinds of the feature columns.
        notes: notes for the user.
    """

    path: Path
    table: pd.DataFrame
    target: pd.Series
    groups: pd.Series | None
    task: str
    columns: Columns
    notes: tuple[str, ...]


def problem_of(
    path: str | Path,
    table: pd.DataFrame,
    *,
    target: str | None = None,
    groups: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    task: str | None = None,
) -> Problem:
    """Make a learning problem from a table.

    Args:
        path: path of the table, for messages.
        table: the table, with named columns.
        target: name of the column to predict; None: the last one.
        groups: name of the column of groups; rows of one group stay in one fold.
        drop: names of columns to leave out.
        keep: names of columns that are used even if they look like an identifier or a copy of the target.
        task: one of `TASKS`; None: a regression if the target has fractions, more than `MOST_CLASSES` different
            numbers, or numbers that seldom repeat.

    Raises:
        DatasetError: naming the table, where a column is missing or has two purposes, or nothing can be learned.
    """
    import pandas as pd

    path = Path(path)
    target = str(table.columns[-1]) if target is None else target
    grouped_by = [] if groups is None else [groups]
    if groups in table:
        table = table.copy(deep=False)
        table[groups] = stripped(table[groups])
    _check_names(path, table, {"target": [target], "groups": grouped_by, "drop": drop, "keep": keep})
    y, notes = _target_of(path, table[target], task, table.attrs.get("decimal", "."))
    found = _task_of(y) if task is None else task
    check_choice("task", found, TASKS)
    if task is None:
        other = next(one for one in TASKS if one != found)
        can_be_other = y.dtype.kind in "iufb" and (found == "classification" or _is_whole(y))
        remedy = f" (--task {other} says otherwise)" if can_be_other else ""
        notes.append(f"{target} has {y.nunique()} different values: a {found}{remedy}")
    if _is_rounded(y, found):
        raise DatasetError(
            f"{path} has whole numbers above 2^53 in {target!r}, which would be rounded, since some are missing "
            "or too large: write these classes as words, such as id123, or leave out the rows without one"
        )
    if y.nunique() < 2:
        raise DatasetError(
            f"{path} has {len(y.dropna())} row(s) with a {target!r} and {y.nunique()} different value(s) of it, "
            "expected two or more"
        )
    if found == "classification" and y.dtype.kind == "f" and not _is_whole(y):
        raise DatasetError(f"{path} has fractions in {target!r}, which are no classes: leave out --task")
    if found == "regression" and y.dtype.kind not in "iufb":
        raise DatasetError(f"{path} has values of {target!r} that are not finite numbers, as a regression needs")
    features = table.drop(columns=[target, *grouped_by, *drop])
    columns = find_columns(features, y, found, keep)
    if not columns.used:
        why = f"; {columns}".replace("\n", "; ") if columns.left_out else ": it has the target alone"
        raise DatasetError(f"{path} has no column to learn from{why}")
    has_target = y.notna()
    if not has_target.all():
        notes.append(f"{int((~has_target).sum())} rows without {target} are left out")
    if groups is not None:
        notes.append(
            f"the rows of each of {table[groups][has_target].nunique()} values of {groups} stay in one fold"
        )
    features, y = columns.parsed(features)[has_target], y[has_target]
    if found == "regression" and y.dtype.kind == "b":
        y = y.astype(int)
    elif found == "classification":
        y = _without_gaps(y)
    labels = None if groups is None else table[groups][has_target]
    rows = pd.concat([features, y], axis=1)
    if labels is not None:  # those of one group are in one part
        rows = rows[~pd.concat([rows, labels], axis=1).duplicated()]
    if (n_repeated := int(rows.duplicated().sum())) > MANY_REPEATED * len(rows):
        notes.append(
            f"{n_repeated} of {len(rows)} rows repeat another one, and can be in both parts of a fold, "
            "so scores are too optimistic"
        )
    return Problem(path, features, y, labels, found, columns, tuple(notes))


def _check_names(path: Path, table: pd.DataFrame, named: dict[str, Sequence[str]]) -> None:
    """Refuse names of columns that do not exist, or that are given two purposes."""
    purposes: dict[str, str] = {}
    for what, names in named.items():
        for name in names:
            if name not in table.columns:
                listed = ", ".join(table.columns)
                raise DatasetError(f"{path} has no column {name!r} ({what}): use one of {listed}")
            if purposes.setdefault(name, what) != what:
                raise DatasetError(f"{path}: the column {name!r} cannot be {purposes[name]} and {what} at once")
    for name in named["groups"]:
        if (n_missing := int(table[name].isna().sum())) > 0:
            raise DatasetError(
                f"{path} has {n_missing} rows without {name!r} (groups): fill them in or leave them out"
            )


def _target_of(path: Path, column: pd.Series, task: str | None, decimal: str) -> tuple[pd.Series, list[str]]:
    """The target, as numbers if most of its values are numbers; and a note on the values that became missing."""
    column = stripped(column)
    values = column.dropna()
    if (
        task != "classification"
        and column.dtype.kind == "O"
        and (says := unread_numbers(values, decimal_mark(values), decimal))
    ):
        raise DatasetError(
            f"{path} has numbers {says} in {column.name!r}: write them without (--task classification takes words)"
        )
    is_plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub"
    mark = decimal_mark(values, flags=False)  # true and false are classes, and so are words such as NA
    if is_plain or mark is None or (task == "classification" and column.dtype.kind == "O"):
        return column, []
    if task != "regression" and _are_flags(values):
        return column.astype(object), []
    y = as_number(column, mark, flags=False)
    odd = column[y.isna() & column.notna()]
    if odd.empty:
        return y, []
    if task is None and column.dtype.kind == "O" and _task_of(y) == "classification":
        return column, []
    return y, [f"{column.name} is read as numbers, but for {', '.join(sorted({repr(str(v)) for v in odd})[:3])}"]


def _is_rounded(y: pd.Series, task: str) -> bool:
    """True if classes are whole numbers that a float does not hold exactly."""
    return task == "classification" and y.dtype.kind == "f" and bool((y.abs() >= 2**53).any())


def _are_flags(values: pd.Series) -> bool:
    return len(values) > 0 and all(isinstance(value, bool | np.bool_) for value in values)


def _without_gaps(y: pd.Series) -> pd.Series:
    """Classes as they would be read without the rows that lack one: flags as bools, whole numbers as integers."""
    if y.dtype.kind == "O" and _are_flags(y):
        return y.astype(bool)
    return y.astype(int) if y.dtype.kind == "f" and _is_whole(y) else y


def _is_whole(y: pd.Series) -> bool:
    return bool((y.dropna() % 1 == 0).all())


def _task_of(y: pd.Series) -> str:
    n_different = y.nunique()
    is_measured = y.dtype.kind in "iuf" and (
        not _is_whole(y) or n_different > MOST_CLASSES or n_different > max(2, y.notna().sum() / ROWS_OF_CLASS)
    )
    return "regression" if is_measured else "classification"


def splitter(problem: Problem, n_folds: int, seed: int) -> Any:
    """Shuffled folds, stratified for classification, with the rows of a group in one fold.

    Raises:
        DatasetError: if a class has fewer rows, or there are fewer groups, than folds.
    """
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    check_whole("n_folds", n_folds, 2)
    groups, settings = problem.groups, {"n_splits": n_folds, "shuffle": True, "random_state": seed}
    if groups is not None and groups.nunique() < n_folds:
        raise DatasetError(f"{problem.path} has {groups.nunique()} groups, fewer than {n_folds} folds")
    if len(problem.target) < n_folds:
        raise DatasetError(
            f"{problem.path} has {len(problem.target)} row(s) with a {problem.target.name!r}, "
            f"fewer than {n_folds} folds"
        )
    if problem.task == "regression":
        return KFold(**settings) if groups is None else GroupKFold(**settings)
    counts = problem.target.value_counts()
    if counts.min() < n_folds:
        rarest = reprlib.repr(as_python(counts.idxmin()))
        raise DatasetError(
            f"{problem.path} has {counts.min()} row(s) of {problem.target.name} {rarest}, "
            f"fewer than {n_folds} folds: leave that class out, or use fewer folds"
        )
    return StratifiedKFold(**settings) if groups is None else StratifiedGroupKFold(**settings)
