"""What the columns of a user's table are, and the transformer that makes numbers of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.compose import ColumnTransformer

MOST_CATEGORIES: Final = 20
"""Words of a column that get a column of their own; the rarer ones share one."""
_DATE: Final = re.compile(r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})\b")
_MISSING: Final = "missing"


@dataclass
class Columns:
    """Columns of a table by kind, each in the table's order.

    Attributes:
        numbers: measured or counted; missing values become the median, with a column that says so.
        words: categories; missing values are one of them.
        dates: become days since 1970, day of the week and month.
        left_out: why, by name.
    """

    numbers: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> list[str]:
        """Those that are learned from."""
        return [*self.numbers, *self.words, *self.dates]

    def __str__(self) -> str:
        """One line per kind."""
        lines = [
            f"{len(names)} {kind}: {_shown(names)}"
            for kind, names in (("of numbers", self.numbers), ("of words", self.words), ("of dates", self.dates))
            if names
        ]
        return "\n".join([*lines, *(f"left out: {name}, {why}" for name, why in self.left_out.items())])


def _shown(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def find_columns(table: pd.DataFrame, target: pd.Series) -> Columns:
    """Tell the kinds of columns apart, and leave out those from which nothing, or too much, is learned.

    Left out are columns with one value, identifiers (words, or whole numbers that rise by one, which differ in
    every row), and copies of the target, that is columns whose values tell the target's one for one.

    Args:
        table: the features, a row per case.
        target: of the same length.
    """
    found = Columns()
    for name in map(str, table.columns):
        column = table[name]
        if (why := _why_left_out(column, target)) is not None:
            found.left_out[name] = why
        elif is_date(column):
            found.dates.append(name)
        elif column.dtype.kind in "iufb":
            found.numbers.append(name)
        else:
            found.words.append(name)
    return found


def _why_left_out(column: pd.Series, target: pd.Series) -> str | None:
    values = column.dropna()
    n_different = values.nunique()
    if n_different < 2:
        return "which has one value" if n_different else "which is empty"
    if _copies(column, target):
        return "which tells the target's values one for one"
    if n_different == len(column):
        is_counter = values.dtype.kind in "iu" and bool((values.diff().iloc[1:] == 1).all())
        if is_counter or (values.dtype.kind not in "iufbM" and not is_date(column)):
            return "an identifier, which is another one in every row"
    return None


def _copies(column: pd.Series, target: pd.Series) -> bool:
    """Whether each value of a column goes with one of the target's, and the other way round."""
    import pandas as pd

    codes, answers = (pd.factorize(values, use_na_sentinel=False)[0] for values in (column, target))
    n_codes, n_answers = codes.max() + 1, answers.max() + 1
    if n_codes != n_answers or n_answers == len(answers):
        return False
    return bool(len(np.unique(codes.astype(np.int64) * n_answers + answers)) == n_codes)


def is_date(column: pd.Series) -> bool:
    """Whether a column holds dates, as such or written out, such as 2024-05-31 or 31.05.2024."""
    if column.dtype.kind == "M":
        return True
    if column.dtype.kind in "iufb":
        return False
    values = column.dropna()
    return len(values) > 0 and all(isinstance(value, str) and _DATE.match(value) for value in values)


def as_words(X: Any) -> NDArray[np.object_]:
    """Every value as text, missing ones as a word of their own; shape (n_rows, n_columns)."""
    import pandas as pd

    frame = pd.DataFrame(X)
    return frame.astype(object).where(frame.notna(), _MISSING).astype(str).to_numpy(dtype=object)


def as_days(X: Any) -> NDArray[np.float64]:
    """Of each column of dates three: days since 1970, day of the week from 0, month; nan where missing."""
    import pandas as pd

    parts: list[pd.Series] = []
    for _, column in pd.DataFrame(X).items():
        starts_with_year = column.dropna().astype(str).str.match(r"\s*\d{4}").all()
        dates = pd.to_datetime(column, errors="coerce", dayfirst=not starts_with_year, format="mixed")
        days = (dates - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
        parts += [days, dates.dt.day_of_week, dates.dt.month]
    return np.column_stack([part.to_numpy(dtype=np.float64) for part in parts])


def transformer(columns: Columns) -> ColumnTransformer:
    """Imputes, scales and encodes; new tables may lack values, and hold words that training did not have."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    def scaled() -> list[Any]:
        return [SimpleImputer(strategy="median", add_indicator=True), StandardScaler()]

    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False
    )
    steps = [
        ("numbers", make_pipeline(*scaled()), columns.numbers),
        ("words", make_pipeline(FunctionTransformer(as_words), encoder), columns.words),
        ("dates", make_pipeline(FunctionTransformer(as_days), *scaled()), columns.dates),
    ]
    return ColumnTransformer([step for step in steps if step[2]])
