"""Parquet files with a hash of their content. A damaged file is refused, never computed with."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from frugal.extras import explained
from frugal.limits import check_claim, check_plain

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_HASH = b"frugal.content"
_CELL_BYTES = 8
_NO_JSON = (json.JSONDecodeError, UnicodeDecodeError)


def write_table(table: pa.Table, path: str | Path) -> None:
    """Write a table; its metadata gain a hash of the columns and of the other metadata."""
    with explained():
        import pyarrow.parquet as pq

    metadata = {**(table.schema.metadata or {}), _HASH: _digest(table)}
    pq.write_table(table.replace_schema_metadata(metadata), path)


def read_table(path: str | Path) -> pa.Table:
    """Read a table without calling `verify`.

    Raises:
        FileNotFoundError: if there is no such file.
        PermissionError: if it may not be read.
        MemoryError: if it does not fit in memory.
        ValueError: if it is not a plain file, is truncated or no parquet file, or claims to hold far more than its
            size.
    """
    with explained():
        import pyarrow as pa
        import pyarrow.parquet as pq

    check_plain(path)
    try:
        with pq.ParquetFile(path) as file:
            facts = file.metadata
            stored = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
            check_claim(path, max(stored, _CELL_BYTES * facts.num_rows * facts.num_columns))
            _check_texts(path, file)
            table = file.read()
        table.validate(full=True)  # texts that are no UTF-8 among it
        _ = table.schema.pandas_metadata  # JSON, which is parsed whenever a frame is made of the table
    except PermissionError:
        raise
    except MemoryError as error:
        raise MemoryError(f"{path} does not fit in memory") from error
    except (pa.ArrowException, OSError, OverflowError, *_NO_JSON) as error:
        raise ValueError(f"{path} is truncated or not a parquet file; delete it and run again") from error
    return table


def _check_texts(path: str | Path, file: pq.ParquetFile) -> None:
    """Raise OversizeError if a few texts, each stored once in a dictionary, are repeated too often.

    Texts within lists and structures are not counted, nor those that pyarrow cannot read as a dictionary. Which
    ones are, is found by reading them: asking for a column's encodings ends the process where these are damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = pa.types
    flat = {
        one.name for one in file.schema_arrow if not (kinds.is_nested(one.type) or kinds.is_dictionary(one.type))
    }
    names = {leaf.path for leaf in file.schema if leaf.physical_type == "BYTE_ARRAY" and leaf.path in flat}
    n_bytes = 0
    for name in sorted(names):
        with suppress(OSError), pq.ParquetFile(path, read_dictionary=[name]) as again:
            columns = again.read(columns=[name]).columns
            n_bytes += sum(_n_bytes(column) for column in columns if kinds.is_dictionary(column.type))
    check_claim(path, n_bytes)


def _n_bytes(texts: pa.ChunkedArray) -> int:
    """Bytes of the texts of a column that was read as a dictionary, repeated as they are."""
    import pyarrow.compute as pc

    lengths = [pc.binary_length(chunk.dictionary).take(chunk.indices) for chunk in texts.chunks]
    return sum(pc.sum(one).as_py() or 0 for one in lengths)


def verify(table: pa.Table, path: str | Path) -> None:
    """Raise if a table differs from its hash. Files without a hash (older, or of other software) pass.

    Raises:
        ValueError: naming the file that it was read from.
    """
    kept = (table.schema.metadata or {}).get(_HASH)
    if kept is not None and kept != _digest(table):
        raise ValueError(f"{path} is damaged: it does not hold what was written; delete it and run again")


def _digest(table: pa.Table) -> bytes:
    """SHA-256 of the columns' names, types and values and of the metadata but for the hash itself."""
    import pandas as pd

    digest = hashlib.sha256("\n".join(f"{field.name}: {field.type}" for field in table.schema).encode())
    for key, value in sorted((table.schema.metadata or {}).items()):
        if key != _HASH:
            digest.update(key + b"\0" + value + b"\0")
    digest.update(
        pd.util.hash_pandas_object(table.to_pandas(ignore_metadata=True), index=False).to_numpy().tobytes()
    )
    return digest.hexdigest().encode()
