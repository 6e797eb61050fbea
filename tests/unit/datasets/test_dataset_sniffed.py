import pandas as pd
import pytest

from frugal.datasets import DatasetError
from frugal.datasets.user_table import read_table

FRAME = pd.DataFrame({"größe": [1.5, -2.25, 3.0], "stadt": ["Köln", "Bonn, Süd", "Trier"], "y": [0, 1, 0]})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_separators_and_encodings_are_found_out(tmp_path, separator, encoding):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path, sep=separator, encoding=encoding, index=False)
    pd.testing.assert_frame_equal(read_table(path), FRAME)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zip"])
def test_packed_files_are_found_out_too(tmp_path, suffix):
    path = tmp_path / f"mine.csv{suffix}"
    FRAME.to_csv(path, sep=";", index=False)
    pd.testing.assert_frame_equal(read_table(path), FRAME)


def test_a_decimal_comma_is_one_where_commas_separate_nothing(tmp_path):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path, sep=";", decimal=",", index=False)
    assert read_table(path)["größe"].tolist() == [1.5, -2.25, 3.0]
    path.write_text("a;b\n1,5;2.5\n3,5;4.5\n")  # both: words and numbers
    assert read_table(path)["b"].tolist() == [2.5, 4.5]
    path.write_text("a,b\n1,5\n3,5\n")
    assert read_table(path).to_numpy().tolist() == [[1, 5], [3, 5]]


def test_long_tables_are_told_by_their_beginning(tmp_path):
    path = tmp_path / "mine.csv"
    long = pd.concat([FRAME] * 20_000, ignore_index=True)
    long.to_csv(path, sep=";", index=False)
    pd.testing.assert_frame_equal(read_table(path), long)


def test_parquet_is_read_as_it_is(tmp_path):
    path = tmp_path / "mine.parquet"
    frame = FRAME.assign(
        on=pd.to_datetime(["2024-01-01", None, "2024-02-01"]), kind=FRAME["stadt"].astype("category")
    )
    frame.to_parquet(path)
    assert read_table(path)["on"].dtype.kind == "M"
    assert read_table(path)["stadt"].tolist() == FRAME["stadt"].tolist()
    FRAME.assign(cells=[[1], [2], [3]]).to_parquet(path)
    with pytest.raises(DatasetError, match="column 'cells'"):
        read_table(path)
    path.write_bytes(b"PAR1 no more")
    with pytest.raises(DatasetError, match=r"mine\.parquet cannot be read as a parquet table"):
        read_table(path)
