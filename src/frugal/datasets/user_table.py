"""A user's own table as a dataset."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugal.datasets.arrays import encode
from frugal.datasets.catalogue import DatasetError
from frugal.datasets.dataset import Dataset
from frugal.datasets.dialect import HEAD_BYTES, POINT_THOUSANDS, Dialect, Encoding, dialect_of
from frugal.limits import OversizeError, check_plain, unpacked_blocks

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: str | Path) -> tuple[pd.DataFrame, list[str]]:
    """Read a table as it is: parquet, or CSV, of which separator, encoding and decimal mark are detected.

    Words such as NA stay what they are; only an empty cell is missing.

    Args:
        path: a .parquet file, or text with a header line, as it is or packed by gzip, bz2, xz or zip.

    Returns:
        The table, its names without spaces around them, and in its `attrs` the decimal mark of a text (decimal);
        and what its owner should know of how it was read.

    Raises:
        DatasetError: if the file is missing, no plain file or no table, unpacks to too much, is empty, lacks a
            header line or the name of a column, has a row with more or fewer fields than its header line, or
            cells that hold more than a value, or a name with the control characters of a terminal.
    """
    path, notes = Path(path), []
    if path.suffix.lower() == ".parquet":
        frame = _read_parquet(path)
    else:
        if path.suffix.lower() in _SPREADSHEETS:
            raise DatasetError(f"{path} is a spreadsheet: save it as CSV or parquet")
        frame, dialect = _read(path, **_ONLY_EMPTY_IS_MISSING)
        frame.attrs["decimal"] = dialect.decimal
        if dialect.separator != ",":
            mark = "comma" if dialect.decimal == "," else "point"
            notes.append(f"read with {dialect.separator!r} between fields and a decimal {mark}")
        first = frame.columns[0]
        if first == "Unnamed: 0" and np.array_equal(frame[first], np.arange(len(frame))):
            frame = frame.drop(columns=first)
            notes.append("the first column has no name and counts the rows from 0: it is left out")
        last = frame.columns[-1:]
        if any(map(_is_unnamed, last)) and frame[last].isna().all(axis=None):
            frame = frame.drop(columns=last)
            notes.append("the last column has neither a name nor a value: it is left out")
        _check_header(path, frame)
    names = [str(name) for name in frame.columns]
    if spaced := [name for name in names if name != name.strip()]:
        notes.append(f"spaces around names are left out, as in {spaced[0].strip()!r} for {spaced[0]!r}")
    frame.columns = [name.strip() for name in names]
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DatasetError(f"{path} has several columns named {repeated[0]!r}: give each its own name")
    for name in frame.columns:
        if _UNPRINTABLE.search(name):
            raise DatasetError(f"{path} has the control characters of a terminal in the name {name!r}: rename it")
    return frame, notes


def _read_parquet(path: Path) -> pd.DataFrame:
    from frugal import parquet

    if not path.exists():
        raise DatasetError(f"there is no file {path}: name a table")
    try:
        frame: pd.DataFrame = parquet.read_table(path).to_pandas()
    except (ValueError, OSError, MemoryError) as error:
        text = str(error).removesuffix("; delete it and run again")  # which nobody could make again
        raise DatasetError(f"{path} cannot be read as a parquet table: {text}") from error
    twice = [name for name in frame.index.names if name is not None and name in frame.columns]
    for name in twice:
        if not np.array_equal(frame.index.get_level_values(str(name)), frame[name]):
            raise DatasetError(
                f"{path} has an index {name!r} that differs from its column of that name: rename it"
            )
    if twice:
        frame = frame.reset_index(level=twice, drop=True)
    frame = frame.reset_index(drop=not any(frame.index.names))
    if frame.columns.empty:
        raise DatasetError(f"{path} has no columns, expected one or more")
    for name in frame.columns[frame.dtypes == "category"]:  # whose unused values would count as classes
        frame[name] = frame[name].astype(object).infer_objects()
    for label, column in frame.items():
        if column.map(lambda value: hasattr(value, "__len__") and not isinstance(value, str)).any():
            raise DatasetError(
                f"{path} has cells in column {label!r} that hold more than a value: take them apart"
            )
    return frame


def from_csv(path: str | Path, target: str | None = None) -> Dataset:
    r"""Read a CSV file with a header line, numeric features and one column of class labels.

    Args:
        path: the file, as it is or packed by gzip, bz2, xz or zip. Separator, encoding and decimal mark are
            detected. A packed file may unpack to 100 times its size, or to 256 MiB if that is more.
        target: name of the label column; None: the last one. Labels are numbered in sorted order. Where they are
            words, spaces around them do not count, and NA and None are labels, too: only an empty cell is missing.

    Returns:
        A dataset named after the file without known endings such as .csv.gz, provenance "original", with the split
        "all".

    Raises:
        DatasetError: if the file is missing, no plain file or no table, unpacks to too much, is empty, lacks a
            header line or the name of a column, has a missing value or a feature that is not numeric, no such
            target, a single class, or labels that seldom repeat; one sentence naming the file and the column.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from frugal.datasets import from_csv
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "loans.csv")
        ...     _ = path.write_text("age,late\n31,no\n45,yes\n52,no\n38,yes\n")
        ...     dataset = from_csv(path, target="late")
        >>> dataset.name, dataset.X.shape, dataset.y.tolist()
        ('loans', (4, 1), [0, 1, 0, 1])
    """
    path = Path(path)
    frame, dialect = _read(path)
    _check_header(path, frame)
    column = frame.columns[-1] if target is None else target
    if column not in frame.columns:
        listed = ", ".join(frame.columns)
        raise DatasetError(f"{path} has no column {target!r} for a target: use one of {listed}")
    if frame[column].hasnans and (frame[column].dtype.kind == "O" or frame[column].isna().all()):
        # words such as NA may be classes
        frame[column] = _read(path, **_ONLY_EMPTY_IS_MISSING)[0][column]
    frame[column] = stripped(frame[column])
    features = frame.drop(columns=column)
    if frame.empty or features.columns.empty:
        raise DatasetError(
            f"{path} has {len(frame)} rows and {len(features.columns)} features, expected one or more of each; "
            "separators are , ; tab and |"
        )
    for name, n_missing in frame.isna().sum().items():
        if n_missing:
            raise DatasetError(
                f"{path} has {n_missing} missing value(s) in column {name!r}: fill them in or drop the rows"
            )
    X = np.column_stack([_numbers(features[name], path, dialect.decimal) for name in features.columns])
    labels = frame[column].to_numpy()
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise DatasetError(f"{path} has infinite labels in column {column!r}, expected names or finite numbers")
    y = encode(labels)
    n_classes = int(y.max()) + 1
    if n_classes < 2:
        raise DatasetError(f"{path} has a single class in column {column!r}, expected two or more")
    if n_classes > max(20, len(y) / 2):
        raise DatasetError(
            f"{path} has {n_classes} different labels in column {column!r} in {len(y)} rows, expected classes "
            "that repeat: name the label's column as the target"
        )
    return Dataset(_name_of(path), X, y, n_classes, "original", {"all": np.arange(len(y))})


def stripped(labels: pd.Series) -> pd.Series:
    """Labels without spaces around words; one of spaces alone is missing."""
    if labels.dtype.kind != "O":
        return labels
    return labels.map(lambda label: label.strip() or np.nan if isinstance(label, str) else label)


def _name_of(path: Path) -> str:
    """The file's name without an ending of `_PACKED` and one of `_ENDINGS`; never empty."""
    name = path.name
    for endings in (_PACKED, _ENDINGS):
        ending = next((ending for ending in endings if name.lower().endswith(ending)), "")
        name = name[: len(name) - len(ending)] or name
    return name


def _check_header(path: Path, frame: pd.DataFrame) -> None:
    """Refuse a first line that is data, and a column without a name, such as the index that pandas writes."""
    names = [str(name) for name in frame.columns]
    if all(_is_number(name) for name in names):
        raise DatasetError(f"{path} has no header line, since its first line holds numbers alone: add one")
    numbers = [name for name in names if _is_number(name)]
    counted = [[str(i) for i in range(first, first + len(numbers))] for first in (0, 1)]  # as pandas names columns
    if (
        numbers
        and numbers not in counted
        and all(
            _is_number(name) or (frame[label].astype(str).str.strip() == name.strip()).any()
            for label, name in zip(frame.columns, names, strict=True)
        )
    ):
        raise DatasetError(f"{path} has no header line, since its first line is like those below it: add one")
    if any(_is_unnamed(name) for name in names):
        raise DatasetError(
            f"{path} has a column without a name, such as the index that pandas writes: name it, or write the "
            "table without its index (to_csv(index=False))"
        )


def _is_unnamed(name: object) -> bool:
    return str(name).startswith("Unnamed: ") or not str(name).strip()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read(path: Path, **options: Any) -> tuple[pd.DataFrame, Dialect]:
    import pandas as pd

    if not path.exists():
        raise DatasetError(f"there is no file {path}: name a CSV file with a header line")
    try:
        check_plain(path)
        dialect = _dialect(path)
        pandas_options: dict[str, Any] = {**dialect.pandas_options, **options}
        _check_counts(path, dialect)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # In one part: of several, pandas may read the same column as numbers in one and as text in another.
            frame: pd.DataFrame = pd.read_csv(path, index_col=False, low_memory=False, **pandas_options)
        if frame.iloc[:, -1].hasnans:
            _check_lengths(path, dialect, frame.shape[1])
        return frame, dialect
    except DatasetError:
        raise
    except pd.errors.ParserWarning as error:
        raise DatasetError(f"{path} has rows with more fields than its header line has names") from error
    except OversizeError as error:
        raise DatasetError(str(error)) from error
    except pd.errors.EmptyDataError as error:
        raise DatasetError(f"{path} is empty, expected a header line and rows") from error
    except _UNREADABLE as error:
        text = " ".join(str(error).split())
        if found := _TOO_MANY.search(text):
            raise DatasetError(
                f"{path} has {found[3]} fields in line {found[2]}, expected {found[1]} as in the lines before it; "
                "no other lines may stand before the header line, and a field with separators needs quotes"
            ) from error
        raise DatasetError(f"{path} cannot be read as a CSV table: {text}") from error


_TOO_MANY = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_ONLY_EMPTY_IS_MISSING: dict[str, Any] = {"keep_default_na": False, "na_values": [""]}
_SPREADSHEETS = (".xlsx", ".xls", ".ods")
_ENDINGS = (".csv", ".tsv", ".txt")
_PACKED = {
    ".tar": "tar",
    ".tar.gz": "tar",
    ".tar.bz2": "tar",
    ".tar.xz": "tar",
    ".gz": "gzip",
    ".bz2": "bz2",
    ".zip": "zip",
    ".xz": "xz",
    ".zst": "zstd",
}
"""What pandas unpacks a file by, by the end of its name, the longer ends first."""
_OPENERS: dict[str | None, Callable[[Path], Any]] = {
    None: lambda path: path.open("rb"),
    "gzip": gzip.open,
    "bz2": bz2.open,
    "xz": lzma.open,
}
_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    csv.Error,  # of a quoted field that is longer than csv takes
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,  # of a zip file's rare compression
    RuntimeError,  # of a zip file with a password
)


_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")


def _dialect(path: Path) -> Dialect:
    """Return the dialect of a file, which is read and unpacked once, block by block.

    So a file that unpacks to too much is refused before it is held in memory. NUL characters are refused, too: no
    table of text has them, and pandas reads them as the end of a field.
    """
    encoding, head, n_bytes = Encoding(), b"", 0
    with _unpacked(path) as file:
        for block in unpacked_blocks(path, file):
            encoding.feed(block)
            if encoding.name != "utf-16" and b"\0" in block:
                raise DatasetError(f"{path} holds NUL characters, expected a table of text")
            head += block[: HEAD_BYTES - len(head)]
            n_bytes += len(block)
    encoding.feed(b"", is_last=True)
    return dialect_of(head, encoding.name, is_whole=len(head) == n_bytes)


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    """What pandas will unpack a file to, by its suffix, as a stream."""
    name = path.name.lower()
    kind = next((kind for suffix, kind in _PACKED.items() if name.endswith(suffix)), None)
    with ExitStack() as opened:
        if kind == "zip":
            packed = opened.enter_context(zipfile.ZipFile(path))
            if len(packed.namelist()) != 1:
                raise DatasetError(f"{path} holds {len(packed.namelist())} files, expected one table")
            yield opened.enter_context(packed.open(packed.namelist()[0]))
        elif kind in _OPENERS:
            yield opened.enter_context(_OPENERS[kind](path))
        else:
            raise DatasetError(f"{path} is packed by {kind}: use gzip, bz2, xz or zip, or unpack it")


def _check_counts(path: Path, dialect: Dialect) -> None:
    """Refuse a header with a repeated name, or with fewer names than the first row has fields.

    pandas would number repeated names, and take the first columns of a longer row for an index.
    """
    import pandas as pd

    raw: dict[str, Any] = {"header": None, "nrows": 1, "dtype": str, "keep_default_na": False}
    raw |= dialect.pandas_options
    names = pd.read_csv(path, **raw).iloc[0].tolist()
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise DatasetError(f"{path} has {count} columns named {name!r}: give each its own name")
    try:
        n_fields = pd.read_csv(path, skiprows=1, **raw).shape[1]
    except pd.errors.EmptyDataError:  # a table without rows, which is refused later
        return
    if n_fields > len(names):
        raise DatasetError(
            f"{path} has {len(names)} names in its header line and {n_fields} fields in the next: "
            "name every column"
        )


def _check_lengths(path: Path, dialect: Dialect, n_names: int) -> None:
    """Refuse a row with fewer fields than the header line has names, whose end pandas would take for missing."""
    with _unpacked(path) as file:
        rows = csv.reader(
            io.TextIOWrapper(file, encoding=dialect.encoding, newline=""), delimiter=dialect.separator
        )
        for row in rows:
            is_blank = len(row) < 2 and not "".join(row).strip()
            if len(row) < n_names and not is_blank:
                raise DatasetError(
                    f"{path} has {len(row)} field(s) in line {rows.line_num}, expected {n_names} as in its header "
                    "line: write a separator for each missing value"
                )


def _numbers(column: pd.Series, path: Path, decimal: str) -> NDArray[np.float64]:
    import pandas as pd

    if (
        decimal == ","
        and column.dtype.kind == "O"
        and column.astype(str).str.fullmatch(POINT_THOUSANDS.pattern).any()
    ):
        raise DatasetError(
            f"{path} has numbers in column {column.name!r} whose points may mark thousands: write them without"
        )
    try:
        values = pd.to_numeric(column).to_numpy(dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise DatasetError(
            f"{path} has values in column {column.name!r} that are not numbers: encode or drop it"
        ) from error
    if not np.isfinite(values).all():
        raise DatasetError(f"{path} has infinite values in column {column.name!r}, expected finite numbers")
    return values
