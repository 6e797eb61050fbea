"""Parquet files that were damaged are refused; those of other software are read."""

import os
import subprocess
import sys
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from frugal import parquet
from frugal.datasets import DatasetError, user_table
from frugal.files import read, write
from frugal.limits import ALWAYS

FRAME = pd.DataFrame(
    {"x": np.linspace(0, 1, 50), "n": range(50), "name": ["a", "b"] * 25, "gap": [None, 1.5] * 25}
)


@pytest.fixture
def path(tmp_path):
    write(FRAME, tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_what_was_written_is_read(path):
    pd.testing.assert_frame_equal(read(path), FRAME)


def test_a_table_of_other_software_is_read(path):
    FRAME.to_parquet(path, index=False)
    pd.testing.assert_frame_equal(read(path), FRAME)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.set_column(0, "x", pa.array(np.nextafter(FRAME["x"], 2))),
        lambda t: t.rename_columns(["x", "m", "name", "gap"]),
        lambda t: t.slice(1),
        lambda t: t.set_column(1, "n", t["n"].cast(pa.int32())),
    ],
    ids=["a value", "a name", "a row", "a type"],
)
def test_a_table_that_is_not_what_was_written_is_refused(path, change):
    table = pq.read_table(path)
    pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(ValueError, match=r"t\.parquet is damaged: it does not hold what was written"):
        read(path)


@pytest.mark.parametrize("damaged", [b'{"index_columns" []}', b"{\xff}"])
def test_metadata_of_pandas_that_are_no_json_are_damage(path, damaged):
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, b"pandas": damaged}), path)
    with pytest.raises(ValueError, match=r"t\.parquet is truncated or not a parquet file"):
        read(path)


def test_metadata_are_part_of_what_is_verified(tmp_path):
    table = pa.Table.from_pandas(FRAME, preserve_index=False).replace_schema_metadata({b"seed": b"0"})
    parquet.write_table(table, tmp_path / "t.parquet")
    found = parquet.read_table(tmp_path / "t.parquet")
    parquet.verify(found, tmp_path / "t.parquet")
    other = found.replace_schema_metadata({**found.schema.metadata, b"seed": b"1"})
    with pytest.raises(ValueError, match="is damaged"):
        parquet.verify(other, tmp_path / "t.parquet")


def test_a_flipped_byte_anywhere_is_refused_or_harmless(path):
    content, messages = path.read_bytes(), []
    for place in range(0, len(content), 11):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        try:
            found = read(path, *FRAME.columns)
        except ValueError as error:
            messages.append(str(error))
        else:
            pd.testing.assert_frame_equal(found, FRAME)
    assert len(messages) > len(content) / 44
    assert not any("\n" in message for message in messages)


FLIPS = """
import sys
from pathlib import Path
from frugal import parquet

path, first = Path(sys.argv[1]), int(sys.argv[2])
content = path.read_bytes()
for place in range(first, len(content)):
    for bit in range(8):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
        try:
            parquet.read_table(path)
        except ValueError:
            print(place, bit)
"""


def test_no_flipped_bit_of_the_metadata_ends_the_process(path):
    pq.write_table(pa.table({"t": ["a", None, "a"], "x": [1, 2, 3]}), path, store_schema=False)
    n_bytes = int.from_bytes(path.read_bytes()[-8:-4], "little")
    first = path.stat().st_size - 8 - n_bytes
    done = subprocess.run(
        [sys.executable, "-c", FLIPS, path, str(first)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > n_bytes


def test_a_file_that_claims_far_more_than_its_size_is_not_read(path):
    n_rows = ALWAYS // 8 + 1  # of eight bytes each; run-length encoded they take a few kB
    pq.write_table(pa.table({"x": pa.array(np.zeros(n_rows, dtype=np.int64))}), path)
    assert path.stat().st_size < ALWAYS / 100
    with pytest.raises(ValueError, match=rf"t\.parquet has \d+ bytes and claims to hold {8 * n_rows}, expected"):
        read(path)


def test_texts_that_a_file_has_once_count_as_often_as_they_are_repeated(path):
    n_rows, text = 1200, "x" * 2**18
    pq.write_table(pa.table({"t": pa.array([text] * n_rows), "u": pa.array(["a", "b", None] * 400)}), path)
    assert path.stat().st_size < ALWAYS / 100
    claim = n_rows * 2**18 + 800
    with pytest.raises(ValueError, match=rf"t\.parquet has \d+ bytes and claims to hold {claim}, expected"):
        read(path)


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", pa.dictionary(pa.int32(), pa.string())])
def test_texts_are_read_as_they_were_written(path, kind):
    texts = ["a", "", None, "b", "a"]
    column = pa.array([None if one is None else one.encode() for one in texts] if kind == "binary" else texts)
    written = pa.table({"t": column.cast(kind), "n.t": column.cast(kind), "x": [1, 2, 3, 4, 5]})
    pq.write_table(written, path, row_group_size=2)
    found = parquet.read_table(path)
    assert found.schema == written.schema
    assert found.to_pylist() == written.to_pylist()


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_texts_without_a_dictionary_are_read(path, encoding):
    written = pa.table({"t": ["a", None, "ab"]})
    pq.write_table(written, path, use_dictionary=False, column_encoding={"t": encoding})
    assert parquet.read_table(path).equals(written)


def test_columns_of_one_name_and_parts_of_others_are_read(path):
    texts, parts = pa.array(["a", None, "a"]), pa.array([{"t": "b"}] * 3)
    written = pa.table([texts, texts, parts, texts], names=["a", "a", "n", "n.t"])
    pq.write_table(written, path)
    assert parquet.read_table(path).equals(written)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    for name in ("t.parquet", "t.csv"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(ValueError, match="is not a plain file but a folder, a device or a pipe"):
            read(tmp_path / name)


def test_what_cannot_be_read_is_not_called_damaged(tmp_path, monkeypatch):
    path = tmp_path / "mine.parquet"
    pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}).to_parquet(path)
    for error, sentence in (
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (MemoryError(), "does not fit in memory"),
    ):
        reading = Mock(side_effect=error)
        monkeypatch.setattr(pq.ParquetFile, "read", reading)
        with pytest.raises(DatasetError, match=sentence) as told:
            user_table.read_table(path)
        assert "delete it" not in str(told.value)
    path.write_bytes(b"PAR1")
    with pytest.raises(DatasetError, match=r"truncated or not a parquet file$"):
        user_table.read_table(path)
