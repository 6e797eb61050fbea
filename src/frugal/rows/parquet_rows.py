"""Rows of parquet files, read one row group at a time: memory of a row group, not of the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_known
from frugal.extras import explained
from frugal.rows.checks import are_labels, check_targets
from frugal.rows.resamples import Ints, Rows

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds


class ParquetRows:
    """Rows of a parquet dataset, for `blb`, `bootstrap`, `b_of_n`, `blb_stream` and `osmac_stream`.

    Workers get paths and read one row group at a time. So several row groups should fit in memory; their size is
    set when the files are written (`row_group_size`). Every read must find the same rows in the same order.

    Args:
        source: path of a parquet file or of a folder of them, also in folders named `column=value`, or a
            `pyarrow.dataset.Dataset` of such files.
        target: name of the column for y; None: there is no y.
        columns: names of the columns for X, in order; None: all others, except the index of a data frame.

    Attributes:
        columns: names of the columns for X.
        target: name of the column for y.
        sizes: rows of each row group, shape (n_groups,); row groups without rows are left out.

    Raises:
        MissingExtraError: without pyarrow.
        FileNotFoundError: if there is no such file or folder.
        ValueError: on an unknown or repeated column, the target among those of X, no column for X, no rows, files
            of another format, a column of X that is not of numbers, one whose type differs between files, or a
            target with missing entries.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import numpy as np, pandas as pd
        >>> from frugal.rows import ParquetRows, blb, fit_logistic, interval_widths
        >>> rng = np.random.default_rng(0)
        >>> table = pd.DataFrame(rng.normal(size=(5000, 2)), columns=["age", "income"])
        >>> table["late"] = rng.random(5000) < 1 / (1 + np.exp(-table["age"]))
        >>> folder = TemporaryDirectory()
        >>> table.to_parquet(f"{folder.name}/loans.parquet", row_group_size=1000)
        >>> rows = ParquetRows(f"{folder.name}/loans.parquet", target="late")
        >>> len(rows), len(rows.sizes)
        (5000, 5)
        >>> found = blb(rows, b=500, s=3, r=50, fit=fit_logistic, statistic=interval_widths, rng=rng)
        >>> bool(abs(found.coef[0] - 1) < 0.2)
        True
        >>> folder.cleanup()
    """

    def __init__(
        self, source: str | Path | ds.Dataset, *, target: str | None = None, columns: Sequence[str] | None = None
    ) -> None:
        with explained():
            import pyarrow.dataset as ds
        found = source if isinstance(source, ds.Dataset) else _opened(source)
        known = found.schema.names
        index = (found.schema.pandas_metadata or {}).get("index_columns", [])
        others = [name for name in known if name != target and name not in index]
        if isinstance(columns, str):
            raise ValueError(f"columns must be a list of names, got {columns!r}")
        self.target, self.columns = target, others if columns is None else [*columns]
        if target in self.columns or len(set(self.columns)) < len(self.columns):
            raise ValueError(f"columns must name columns of X once each, and not the target, got {self.columns}")
        for name in [*self.columns, *([] if target is None else [target])]:
            check_known("column", name, known)
        if not self.columns:
            raise ValueError("columns must name at least one column for X, got none")
        files = list(found.get_fragments())
        if not all(isinstance(file, ds.ParquetFileFragment) for file in files):
            raise ValueError(f"source must be a dataset of parquet files, got a {type(files[0]).__name__}")
        groups = [group for file in files for group in file.split_by_row_group()]
        self._groups = [group for group in groups if group.row_groups[0].num_rows]
        self._schema = found.schema
        self.sizes: Ints = np.array([group.row_groups[0].num_rows for group in self._groups], dtype=np.int64)
        if not self._groups:
            raise ValueError("source must hold at least one row, got none")
        self._check_types(files)
        if target is not None:
            self._check_target()

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def __call__(self) -> Iterator[tuple[NDArray[Any], NDArray[Any] | None]]:
        """Yield every row group as (X, y)."""
        return map(self.read, range(len(self.sizes)))

    def read(self, group: int) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """A row group: X of shape (sizes[group], d), and y; a missing number or boolean is nan."""
        X = np.column_stack(self._read(group, self.columns))
        return X, None if self.target is None else self._read(group, [self.target])[0]

    @cached_property
    def starts(self) -> Ints:
        """Number of the first row of each row group, shape (n_groups,)."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def classes(self) -> NDArray[Any] | None:
        """Labels of the target, sorted; None if it holds floating-point numbers, or there is none.

        Reads the target column alone.
        """
        if self.target is None:
            return None
        found: list[NDArray[Any]] = []
        for group, size in enumerate(self.sizes):
            y = check_targets(self._read(group, [self.target])[0], int(size))
            if not are_labels(y):
                return None
            found = [np.unique(np.concatenate([*found, np.unique(y)]))]
        return found[0]

    def take(self, numbers: Ints) -> Rows:
        """The rows with these numbers, which must increase."""
        X, y = list[NDArray[Any]](), list[NDArray[Any]]()
        for group, wanted in enumerate(np.split(numbers, np.searchsorted(numbers, self.starts[1:]))):
            if len(wanted):
                features, targets = self.read(group)
                X.append(features[wanted - self.starts[group]])
                if targets is not None:
                    y.append(targets[wanted - self.starts[group]])
        return Rows.from_arrays(np.concatenate(X), np.concatenate(y) if y else None, self.classes)

    def _check_types(self, files: Sequence[ds.ParquetFileFragment]) -> None:
        """Raise unless columns of X are numeric and every file has the types of the first."""
        from pyarrow import types

        used = [*self.columns, *([] if self.target is None else [self.target])]
        for name in self.columns:
            kind = self._schema.field(name).type
            is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
            if not (is_number or (types.is_dictionary(kind) and types.is_integer(kind.value_type))):
                raise ValueError(f"X must hold real numbers, got column {name!r} of type {kind}")
        for file in files:
            here = file.physical_schema
            for name in used:
                at = here.get_field_index(name)  # -1: the key of a folder, or a column that the file lacks
                kind = self._schema.field(name).type
                if at >= 0 and here.field(at).type != kind and not types.is_dictionary(kind):
                    raise ValueError(
                        f"every file must hold column {name!r} as {kind}, as the first one does; "
                        f"{file.path} holds it as {here.field(at).type}"
                    )

    def _check_target(self) -> None:
        """Raise on missing targets, counted by the statistics of the row groups or by reading the column."""
        for number, group in enumerate(self._groups):
            n_missing = _n_missing(group, str(self.target))
            if n_missing is None:
                table = group.to_table(schema=self._schema, columns=[self.target], use_threads=False)
                n_missing = table.column(0).null_count
            if n_missing:
                raise ValueError(
                    f"target {self.target!r} must have no missing entries, got {n_missing} in row group {number} "
                    f"({group.path}): drop these rows"
                )

    def _read(self, group: int, names: list[str]) -> list[NDArray[Any]]:
        table = self._groups[group].to_table(schema=self._schema, columns=names, use_threads=False)
        return [_as_numpy(table.column(name)) for name in names]


def _opened(source: str | Path) -> ds.Dataset:
    """The dataset of a file or a folder. Names of folders under the latter, `column=value`, are a column."""
    import pyarrow.dataset as ds

    return ds.dataset(source, format="parquet", partitioning="hive" if Path(source).is_dir() else None)


def _as_numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column as an array; where entries are missing, booleans and categories become numbers and nan as well."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count and types.is_boolean(column.type):
        column = column.cast("double")
    found: NDArray[Any] = column.to_numpy()
    return found


def _n_missing(group: ds.ParquetFileFragment, name: str) -> int | None:
    """Number of missing entries of a column in a row group, from the file's statistics; None without them."""
    metadata = group.metadata.row_group(group.row_groups[0].id)
    for number in range(metadata.num_columns):
        column = metadata.column(number)
        if column.path_in_schema == name:
            has_count = column.statistics is not None and column.statistics.has_null_count
            return int(column.statistics.null_count) if has_count else None
    return None


def rows_of(X: ArrayLike | ParquetRows, y: ArrayLike | None) -> Rows | ParquetRows:
    """Rows in memory after their shapes and types are checked, or those of parquet files.

    Raises:
        ValueError: on a wrong shape or type, or a `y` beside parquet files, which have their own.
    """
    if not isinstance(X, ParquetRows):
        return Rows.from_arrays(X, y)
    if y is not None:
        raise ValueError(f"y must be None where X is a ParquetRows, which has a target, got {type(y).__name__}")
    return X
