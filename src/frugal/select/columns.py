"""Detect the kinds of columns in a user's table, and build the transformer that encodes them."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.datasets.dialect import MAY_BE_THOUSANDS, POINT_THOUSANDS, WITH_COMMA

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.compose import ColumnTransformer

MOST_CATEGORIES: Final = 20
"""Largest number of one-hot columns per column of words; rarer words share one."""
MOST_ARE: Final = 0.9
"""Smallest share of numbers, or dates, in a column of that kind; its other values count as missing."""
MOSTLY: Final = 0.5
"""Largest share of other values in a column whose numbers are said to count as words."""
NO_VALUE: Final = (
    "", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None",
)  # fmt: skip
"""Words that stand for a missing value of a feature. A target may hold such a word as a class."""
_YEAR_FIRST: Final = re.compile(r"\s*\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\.?\d)")
_YEAR_LAST: Final = re.compile(r"\s*(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\.?\d)")
_PIVOT: Final = 69
"""Years of two digits from this one on are of the last century."""
_WITH_SIGN: Final = re.compile(r"\s*[-+]?([$€£]\s*-?\d[\d.,]*|\d[\d.,]*\s*[%$€£])\s*")
_GROUPED: Final = re.compile(r"\s*[-+]?[1-9]\d{0,2}([,.' \u00a0\u202f])\d{3}(\1\d{3})*([.,]\d+)?\s*")
_UNREAD: Final = {
    MAY_BE_THOUSANDS: "whose commas may mark thousands or decimals",
    _WITH_SIGN: "with a sign such as %",
    _GROUPED: "with marks of thousands",
}
"""Patterns of numbers that are not read, such as 48,123, 12.5 % and 1,250,000, and what is said of them."""
_FIRST_GROUPED: Final = 1000
_DURATION: Final = re.compile(r"-?\d{1,6} days( \+?\d{2}:[0-5]\d:[0-5]\d(\.\d{1,9})?)?")
"""A duration as pandas writes it, such as `1 days 02:00:00`."""
_FEW: Final = 0.05
"""Largest share of other numbers with commas in a column whose commas may mark thousands: its slips."""
_ENDLESS: Final = re.compile(r"\s*[-+]?\d{309,}\s*")
_PLAIN_NUMBER: Final = re.compile(r"[-+]?\d+(\.\d+)?")
_FLAGS: Final = {"true": 1.0, "false": 0.0}
"""Numbers for the words of a column of true and false, in lower case."""
_MISSING: Final = "missing"


@dataclass
class Columns:
    """Columns of a table by kind, each in the table's order.

    Attributes:
        numeric: columns of numbers -> decimal mark; missing values become the median, with an indicator column.
        categorical: columns of categories; a missing value is one of them.
        dates: columns of dates -> order of day, month and year; a date becomes days since 1970, day of the week
            and month.
        left_out: columns that are not used -> reason.
        odd: columns of numbers or dates -> description of the values that count as missing; columns of words of
            which most are numbers -> description of the others; columns of dates -> how years of two digits count.
    """

    numeric: dict[str, str] = field(default_factory=dict)
    categorical: list[str] = field(default_factory=list)
    dates: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> list[str]:
        """Names of the columns to learn from."""
        return [*self.numeric, *self.categorical, *self.dates]

    def __str__(self) -> str:
        """One line per kind, and per column with odd values or left out."""
        numbers = [name + " (decimal comma)" * (mark == ",") for name, mark in self.numeric.items()]
        dates = [f"{name} ({order})" for name, order in self.dates.items()]
        lines = [
            f"{len(names)} {kind}: {_shown(names)}"
            for kind, names in (("of numbers", numbers), ("of words", self.categorical), ("of dates", dates))
            if names
        ]
        lines += [f"{name}: {odd}" for name, odd in self.odd.items()]
        return "\n".join([*lines, *(f"left out: {name}, {why}" for name, why in self.left_out.items())])

    def parsed(self, table: pd.DataFrame) -> pd.DataFrame:
        """The used columns, with numbers and dates parsed, so that no fit has to parse them again."""
        parsed = {name: as_number(table[name], mark) for name, mark in self.numeric.items()}
        parsed |= {name: as_date(table[name], order) for name, order in self.dates.items()}
        used = table[self.used].copy()
        for name, values in parsed.items():
            used[name] = values
        return used


def _shown(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def find_columns(table: pd.DataFrame, target: pd.Series, task: str, keep: Collection[str] = ()) -> Columns:
    """Determine the kind of each column, and leave out the columns that teach nothing or give the target away.

    These columns are left out: empty columns, columns with the same value in every row, identifiers (words that
    differ in every row, or whole numbers that rise by one), copies of the target, and numbers that cannot be read:
    with signs such as %, or with commas or points that may mark thousands. A copy matches the classes one to one,
    gaps aside, or is a linear function of a target of numbers.

    Args:
        table: the features, one row per case, as of `read_table`.
        target: the target, of the same length; may be missing in some rows.
        task: `classification` or `regression`.
        keep: columns to use even if they look like an identifier or a copy.
    """
    found = Columns()
    for name in table.columns:
        column = bare(table[name])
        values = present(column)
        mark, decimal = decimal_mark(values), table.attrs.get("decimal", ".")
        unread = "" if values.dtype.kind in "iufbmM" else unread_numbers(values, mark, decimal)
        if unread:
            mark = None
        if mark == "." and decimal == ",":  # pandas has read it; new rows may come as text
            mark = ","
        order = None if mark is not None else date_order(values)
        parsed = values
        if mark is not None:
            parsed = as_number(values, mark)
        elif order is not None:
            parsed = as_date(values, order)
        is_words = mark is None and order is None
        why = None
        if values.empty or name not in keep:
            why = _why_left_out(parsed, column, target, task, is_words=is_words)
            if unread:
                why = f"numbers {unread}: write them without (--keep takes words)"
        if why is not None:
            found.left_out[name] = why
            continue
        if mark is not None:
            found.numeric[name] = mark
        elif order is not None:
            found.dates[name] = order
        else:
            found.categorical.append(name)
        is_odd = (as_number(values, ",", flags=False) if is_words else parsed).isna()  # it reads points, too
        n_odd = int(is_odd.sum())
        if 0 < n_odd <= (MOSTLY if is_words else 1) * len(values):
            count = f"its {len(values) - n_odd} numbers count as words, since {n_odd} value(s) are none"
            shown = _shown([reprlib.repr(str(value)) for value in values[is_odd].unique()], 3)
            found.odd[name] = f"{count if is_words else f'{n_odd} value(s) count as missing'}: {shown}"
        if order is not None and any(_with_century(value, order) is not value for value in values):
            odd = f"{found.odd[name]}; " if name in found.odd else ""
            found.odd[name] = f"{odd}years of two digits count as {_PIVOT + 1900} to {_PIVOT + 1999}"
    return found


def unread_numbers(values: pd.Series, mark: str | None, decimal: str) -> str:
    """What is said of texts that are mostly numbers, of which some are not read; empty for others.

    Numbers with marks of thousands among plain ones are slips, unless all plain ones are below 1,000.

    Args:
        values: the texts.
        mark: their decimal mark, as of `decimal_mark`.
        decimal: decimal mark of the table.
    """
    if decimal == "," and _are_numbers_or(POINT_THOUSANDS, values):
        return "whose points may mark thousands"
    if mark is not None:
        numbers = as_number(values, mark, flags=False)
        odd = values[numbers.isna()].astype(str)
        is_grouped = any(any(p.fullmatch(text) for p in (MAY_BE_THOUSANDS, _GROUPED)) for text in odd)
        return _UNREAD[_GROUPED] if is_grouped and numbers.abs().max() < _FIRST_GROUPED else ""
    return next((says for pattern, says in _UNREAD.items() if _are_numbers_or(pattern, values)), "")


def _are_numbers_or(pattern: re.Pattern[str], values: pd.Series) -> bool:
    """True for texts of which some match a pattern and most others are numbers."""
    texts = values.astype(str)
    match = texts.map(lambda text: pattern.fullmatch(text) is not None).astype(bool)
    if not match.any():
        return False
    n_numbers = as_number(texts[~match], ",", flags=False).notna().sum()  # it reads points, too
    return bool(match.sum() + n_numbers >= MOST_ARE * len(texts))


def _why_left_out(
    values: pd.Series, raw: pd.Series, target: pd.Series, task: str, *, is_words: bool
) -> str | None:
    n_different, n_rows = values.nunique(), len(raw)
    if n_different == 0:
        return "which is empty"
    if n_different == 1 and len(values) == n_rows:
        return "which has one value"
    # As classes, words for a missing value are words.
    if _copies(values, target, task) or (task == "classification" and _copies(raw, target, task)):
        return "a copy of the target (leakage)"
    if n_different == n_rows:
        is_counter = values.dtype.kind == "f" and bool((values % 1 == 0).all() and (values.diff()[1:] == 1).all())
        if is_counter or is_words:
            return "an identifier: every row has a different value (--keep uses it)"
    return None


def _copies(values: pd.Series, target: pd.Series, task: str) -> bool:
    """True if values match the classes one to one, or are a linear function of a target of numbers."""
    import pandas as pd

    both = pd.DataFrame({"value": values, "target": target}).dropna(subset="target")
    if task == "regression":
        both = both.dropna()
        if (
            values.dtype.kind != "f"
            or len(both) < 3
            or both["value"].nunique() < 2
            or both["target"].nunique() < 2
        ):
            return False
        return bool(abs(np.corrcoef(both["value"], both["target"].astype(float))[0, 1]) > 1 - 1e-9)
    present_in_both = both.dropna()
    has_few_gaps = MOST_ARE * len(both) <= len(present_in_both) < len(both)
    has_few_gaps &= present_in_both["target"].nunique() == both["target"].nunique()
    return _match(both) or (has_few_gaps and _match(present_in_both))


def _match(both: pd.DataFrame) -> bool:
    """True if the values of two columns match one to one, gaps included, and some repeat."""
    import pandas as pd

    codes, answers = (pd.factorize(both[name], use_na_sentinel=False)[0] for name in both)
    n_codes, n_answers = codes.max() + 1, answers.max() + 1
    if n_codes != n_answers or 2 * n_answers > len(answers):
        return False
    return bool(len(np.unique(codes.astype(np.int64) * n_answers + answers)) == n_codes)


def bare(column: pd.Series) -> pd.Series:
    """A feature without spaces around its words, as they stand behind a separator in many files."""
    return column if column.dtype.kind in "iufbmM" else column.map(_bare)


def _bare(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def present(column: pd.Series) -> pd.Series:
    """The values of a feature, without missing ones and words for them."""
    values = column.dropna()
    return values if values.dtype.kind in "iufbmM" else values[~values.isin(NO_VALUE)]


def decimal_mark(values: pd.Series, *, flags: bool = True) -> str | None:
    """Decimal mark of a column of numbers, or of texts of which most are numbers; None for other columns.

    It is a comma if more than a few of the numbers with commas have another number of digits behind it than three.
    With `flags` the words true and false count as numbers.
    """
    if values.dtype.kind in "iufbm":
        return "."
    if values.dtype.kind == "M" or values.empty:
        return None
    texts = values.astype(str)
    with_comma = texts[texts.str.fullmatch(WITH_COMMA.pattern)]
    is_decimal = ~with_comma.str.fullmatch(MAY_BE_THOUSANDS.pattern).astype(bool)
    is_comma = is_decimal.sum() > _FEW * len(with_comma)
    mark = "," if is_comma else "."
    return mark if as_number(values, mark, flags=flags).notna().sum() >= MOST_ARE * len(values) else None


def as_number(column: pd.Series, mark: str = ".", *, flags: bool = True) -> pd.Series:
    """Values as floats, durations in seconds; nan where there is no finite number.

    With `flags` the words true and false are 1 and 0. pandas reads a column of them as text if one value is odd.
    """
    import pandas as pd

    if column.dtype.kind == "m":
        seconds: pd.Series = column.dt.total_seconds()
        return seconds
    if column.dtype.kind not in "iufb":
        column = bare(column.astype(object)).astype(object)
        if mark == ",":
            column = column.map(
                lambda value: (
                    value.replace(",", ".") if isinstance(value, str) and WITH_COMMA.fullmatch(value) else value
                )
            )
        if flags:
            column = column.map(lambda value: _FLAGS.get(_lower(value), value))
        column = column.astype(object)
        is_duration = np.array(
            [isinstance(one, str) and bool(_DURATION.fullmatch(one)) for one in column], dtype=bool
        )
        if is_duration.any():
            durations = pd.to_timedelta(column[is_duration].astype(str), errors="coerce")
            column[is_duration] = durations.dt.total_seconds().to_numpy()
        column = pd.to_numeric(column.map(_no_endless), errors="coerce")
    return column.astype(np.float64).replace([np.inf, -np.inf], np.nan)


def _lower(value: object) -> str:
    return value.lower() if isinstance(value, str) else ""


def _no_endless(value: object) -> object:
    """Replace a whole number above all floats, on which pandas raises OverflowError, by infinity."""
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    return np.inf if _ENDLESS.fullmatch(text) else value


def date_order(values: pd.Series) -> str | None:
    """`year first`, `month first` or `day first` if most values are dates, as text or typed; else None.

    The order is that of the dates that end with the year; `year first` if there are none. The month is first if
    more of them have a second number above 12 than a first number above 12; else the day is. Dates with years of
    two digits begin with the year if more of them have a first number above 31 than a last number above 31.
    """
    import pandas as pd

    if values.dtype.kind == "M" or pd.api.types.infer_dtype(values) in ("date", "datetime"):
        return "year first"
    if values.dtype.kind in "iufbm":
        return None
    texts = [value for value in values if isinstance(value, str)]
    year_last = [match for match in map(_YEAR_LAST.match, texts) if match]
    n_year_first = sum(_YEAR_FIRST.match(text) is not None for text in texts)
    if n_year_first + len(year_last) < max(1, MOST_ARE * len(values)):
        return None
    short = [match for match in year_last if len(match[4]) == 2]
    begin, end = (sum(int(match[part]) > 31 for match in short) for part in (1, 4))
    if begin > end:
        year_last = [match for match in year_last if len(match[4]) == 4]
    days_first, months_first = (sum(int(match[part]) > 12 for match in year_last) for part in (1, 3))
    order = "month first" if months_first > days_first else "day first"
    if not year_last:
        order = "year first"
    return order if as_date(values, order).notna().sum() >= MOST_ARE * len(values) else None


def as_date(column: pd.Series, order: str) -> pd.Series:
    """Values as dates without a time zone (dates with one are converted to UTC); NaT for other values.

    Dates that begin with a year of four digits are read as year, month and day whatever the order. Dates such as
    9999-12-31, which stand for none, are outside of what a date in nanoseconds can be: NaT, too.
    """
    import pandas as pd

    def read(texts: pd.Series, *, dayfirst: bool) -> pd.Series:
        return pd.to_datetime(texts, errors="coerce", dayfirst=dayfirst, format="mixed", utc=True)

    if column.dtype.kind == "M":
        dates = read(column, dayfirst=False)
    else:
        texts = bare(column.astype(object)).map(lambda value: _with_century(value, order)).astype(object)
        is_year_first = texts.astype(str).str.match(_YEAR_FIRST.pattern)
        dates = read(texts.mask(is_year_first), dayfirst=order != "month first")
        dates = dates.where(~is_year_first, read(texts.where(is_year_first), dayfirst=False))
    local: pd.Series = dates.dt.tz_localize(None)
    return local.where((local >= pd.Timestamp.min.ceil("D")) & (local <= pd.Timestamp.max.floor("D")))


def _with_century(value: object, order: str) -> object:
    """A date with a year of two digits, whose century the day of the run would choose, with one of four."""
    match = _YEAR_LAST.match(value) if isinstance(value, str) else None
    if match is None or len(match[4]) == 4:
        return value
    assert isinstance(value, str)
    begins = len(match[1]) == 2 and (order == "year first" or int(match[1]) > 31)  # 99-12-31
    place = 1 if begins else 4
    century = 19 if int(match[place]) >= _PIVOT else 20
    if place == 1:
        return f"{century}{match[1]}-{match[3]}-{match[4]}{value[match.end() :]}"
    return f"{value[: match.start(4)]}{century}{value[match.start(4) :]}"


def as_numbers(X: Any, marks: Sequence[str]) -> NDArray[np.float64]:
    """Every column as floats, shape (n_rows, n_columns); nan where missing."""
    import pandas as pd

    columns = pd.DataFrame(X).items()
    return np.column_stack([as_number(column, mark) for (_, column), mark in zip(columns, marks, strict=True)])


def as_words(X: Any) -> NDArray[np.object_]:
    """Every value as text, missing ones as "missing"; shape (n_rows, n_columns).

    Words do not depend on spaces around them or on the type that pandas chose: 1.0, "1.0" and "01" are "1", and
    True, "True" and "TRUE" are "true".
    """
    import pandas as pd

    frame = pd.DataFrame(X).astype(object).map(_bare)
    return frame.where(frame.notna() & ~frame.isin(NO_VALUE), _MISSING).map(_word).to_numpy(dtype=object)


def _word(value: object) -> str:
    if isinstance(value, float | np.floating) and value.is_integer():
        return str(int(value))
    text = str(value)
    if _PLAIN_NUMBER.fullmatch(text) and abs(number := float(text)) < 2**53:  # pandas reads it among numbers alone
        return str(int(number)) if number.is_integer() else repr(number)
    return lower if (lower := _lower(text)) in _FLAGS else text


def as_days(X: Any, orders: Sequence[str]) -> NDArray[np.float64]:
    """Three columns per column of dates: days since 1970, day of the week from 0, month; nan where missing."""
    import pandas as pd

    parts: list[pd.Series] = []
    for (_, column), order in zip(pd.DataFrame(X).items(), orders, strict=True):
        dates = as_date(column, order)
        days = (dates - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
        parts += [days, dates.dt.day_of_week, dates.dt.month]
    return np.column_stack([part.to_numpy(dtype=np.float64) for part in parts])


def transformer(columns: Columns) -> ColumnTransformer:
    """A transformer that imputes, scales and encodes; new tables may have missing values and unknown words."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    def scaled() -> list[Any]:
        return [SimpleImputer(strategy="median", add_indicator=True), StandardScaler()]

    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False
    )
    numbers = FunctionTransformer(as_numbers, kw_args={"marks": tuple(columns.numeric.values())})
    dates = FunctionTransformer(as_days, kw_args={"orders": tuple(columns.dates.values())})
    steps = [
        ("numbers", make_pipeline(numbers, *scaled()), list(columns.numeric)),
        ("words", make_pipeline(FunctionTransformer(as_words), encoder), columns.categorical),
        ("dates", make_pipeline(dates, *scaled()), list(columns.dates)),
    ]
    return ColumnTransformer([step for step in steps if step[2]])
