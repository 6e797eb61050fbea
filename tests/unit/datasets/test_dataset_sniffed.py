import zipfile

import pandas as pd
import pytest

from frugal.datasets import DatasetError, from_csv
from frugal.datasets.user_table import read_table

FRAME = pd.DataFrame({"größe": [1.5, -2.25, 3.0], "stadt": ["Köln", "Bonn, Süd", "Trier"], "y": [0, 1, 0]})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_separators_and_encodings_are_found_out(tmp_path, separator, encoding):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path, sep=separator, encoding=encoding, index=False)
    pd.testing.assert_frame_equal(read_table(path)[0], FRAME)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zip"])
def test_packed_files_are_found_out_too(tmp_path, suffix):
    path = tmp_path / f"mine.csv{suffix}"
    FRAME.to_csv(path, sep=";", index=False)
    pd.testing.assert_frame_equal(read_table(path)[0], FRAME)


@pytest.mark.parametrize("names", [[], ["a.csv", "b.csv"]])
def test_a_packed_file_that_is_not_of_one_table_is_refused(tmp_path, names):
    path = tmp_path / "mine.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name in names:
            packed.writestr(name, "a,b\n1,2\n")
    with pytest.raises(DatasetError, match=rf"mine\.zip holds {len(names)} files, expected one table"):
        read_table(path)


def test_a_decimal_comma_is_one_where_commas_separate_nothing(tmp_path):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path, sep=";", decimal=",", index=False)
    assert read_table(path)[0]["größe"].tolist() == [1.5, -2.25, 3.0]
    path.write_text("a;b\n1,5;2.5\n3,5;4.5\n")  # both: words and numbers
    assert read_table(path)[0]["b"].tolist() == [2.5, 4.5]
    path.write_text("a,b\n1,5\n3,5\n")
    assert read_table(path)[0].to_numpy().tolist() == [[1, 5], [3, 5]]
    path.write_text("a;b\n0,125;1,500\n0,250;2,500\n")
    assert read_table(path)[0].to_numpy().tolist() == [[0.125, 1.5], [0.25, 2.5]]


def test_a_comma_that_may_mark_thousands_is_no_decimal_comma(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("income\tlate\n950\tno\n1,200\tyes\n12,000\tno\n800\tyes\n")
    assert read_table(path)[0]["income"].tolist() == ["950", "1,200", "12,000", "800"]
    with pytest.raises(DatasetError, match="values in column 'income' that are not numbers"):
        from_csv(path)


def test_long_tables_are_told_by_their_beginning(tmp_path):
    path = tmp_path / "mine.csv"
    long = pd.concat([FRAME] * 20_000, ignore_index=True)
    long.to_csv(path, sep=";", index=False)
    pd.testing.assert_frame_equal(read_table(path)[0], long)


def test_parquet_is_read_as_it_is(tmp_path):
    path = tmp_path / "mine.parquet"
    frame = FRAME.assign(
        date=pd.to_datetime(["2024-01-01", None, "2024-02-01"]), kind=FRAME["stadt"].astype("category")
    )
    frame.to_parquet(path)
    assert read_table(path)[0]["date"].dtype.kind == "M"
    assert read_table(path)[0]["stadt"].tolist() == FRAME["stadt"].tolist()
    FRAME.assign(cells=[[1], [2], [3]]).to_parquet(path)
    with pytest.raises(DatasetError, match="column 'cells'"):
        read_table(path)
    path.write_bytes(b"PAR1 no more")
    with pytest.raises(DatasetError, match=r"mine\.parquet cannot be read as a parquet table"):
        read_table(path)


def test_a_parquet_table_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DatasetError, match=r"^there is no file .*absent\.parquet: name a table$"):
        read_table(tmp_path / "absent.parquet")


def test_the_index_that_pandas_writes_is_left_out(tmp_path):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path)
    table, notes = read_table(path)
    pd.testing.assert_frame_equal(table, FRAME)
    assert notes == ["the first column has no name and counts the rows from 0: it is left out"]
    FRAME.set_index("y").rename_axis(None).to_csv(path)
    with pytest.raises(DatasetError, match="has a column without a name"):
        read_table(path)


def test_a_separator_at_the_end_of_each_line_makes_no_column(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b,y,\n1,2,0,\n3,4,1,\n")
    table, notes = read_table(path)
    assert list(table.columns) == ["a", "b", "y"]
    assert notes == ["the last column has neither a name nor a value: it is left out"]
    path.write_text("a,b,y,\n1,2,0,\n3,4,1,5\n")
    with pytest.raises(DatasetError, match="has a column without a name"):
        read_table(path)


def test_a_file_of_row_numbers_alone_has_no_column(tmp_path):
    path = tmp_path / "mine.csv"
    pd.DataFrame(index=range(3)).to_csv(path)
    with pytest.raises(DatasetError, match="has no header line"):
        read_table(path)


def test_how_a_table_was_read_is_said(tmp_path):
    path = tmp_path / "mine.csv"
    FRAME.to_csv(path, sep=";", decimal=",", index=False)
    assert read_table(path)[1] == ["read with ';' between fields and a decimal comma"]


def test_names_are_texts_without_spaces_around_them(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a, b, y\n1, 2, 3\n")
    table, notes = read_table(path)
    assert list(table.columns) == ["a", "b", "y"]
    assert notes == ["spaces around names are left out, as in 'b' for ' b'"]
    path.write_text("a, a\n1, 2\n")
    with pytest.raises(DatasetError, match="several columns named 'a'"):
        read_table(path)
    path.write_text("a,b\x1b[2J\n1,2\n")
    with pytest.raises(DatasetError, match=r"characters of a terminal in the name 'b\\x1b\[2J': rename"):
        read_table(path)
    path.write_text('a,"b\n(years)"\n1,2\n')
    assert list(read_table(path)[0].columns) == ["a", "b\n(years)"]
    pd.DataFrame({0: [1, 2], 1: [3, 4]}).to_parquet(tmp_path / "mine.PARQUET")
    assert list(read_table(tmp_path / "mine.PARQUET")[0].columns) == ["0", "1"]


def test_a_spreadsheet_is_refused_by_name(tmp_path):
    (tmp_path / "mine.xlsx").write_bytes(b"PK")
    with pytest.raises(DatasetError, match="is a spreadsheet: save it as CSV or parquet"):
        read_table(tmp_path / "mine.xlsx")


def test_values_that_no_row_has_are_no_classes(tmp_path):
    path = tmp_path / "mine.parquet"
    kinds = pd.Categorical(["a", "b", "a"], categories=["a", "b", "c"])
    FRAME.assign(kind=kinds).to_parquet(path)
    assert list(read_table(path)[0]["kind"].value_counts().index) == ["a", "b"]


def test_only_an_empty_cell_is_missing(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b\nNA,1\n,2\nNone,3\n")
    assert read_table(path)[0]["a"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_commas_in_every_name_and_number_separate_nothing(tmp_path, separator):
    path = tmp_path / "lengths.csv"
    rows = ["Länge, mm;Breite, mm", "1,5;2,5", "2,25;3,5", "1,75;2,75"]
    path.write_text("".join(f"{row.replace(';', separator)}\n" for row in rows), encoding="utf-8")
    table, notes = read_table(path)
    assert table.columns.tolist() == ["Länge, mm", "Breite, mm"]
    assert table["Breite, mm"].tolist() == [2.5, 3.5, 2.75]
    assert len(notes) == 1
    assert notes[0].endswith("between fields and a decimal comma")


def test_a_semicolon_is_preferred_to_commas_in_names_and_numbers(tmp_path):
    path = tmp_path / "lengths.csv"
    path.write_text("Länge, mm;Breite, mm;Art\n1,5;2,5;A\n2,25;3,5;B\n1,75;2,75;A\n", encoding="utf-8")
    table, notes = read_table(path)
    assert table.columns.tolist() == ["Länge, mm", "Breite, mm", "Art"]
    assert table["Länge, mm"].tolist() == [1.5, 2.25, 1.75]
    assert notes == ["read with ';' between fields and a decimal comma"]
    assert table.attrs == {"decimal": ","}


def test_a_first_line_of_data_with_a_word_is_no_header(tmp_path):
    path = tmp_path / "iris.data"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,setosa\n6.1,2.9,other\n5.8,2.7,other\n")
    for read in (from_csv, read_table):
        with pytest.raises(DatasetError, match="no header line, since its first line is like those below it"):
            read(path)
    path.write_text("2019,2020,kind\n1,2,a\n3,4,b\n")
    assert list(read_table(path)[0].columns) == ["2019", "2020", "kind"]
    path.write_text("0,1,y\n5.1,3.5,y\n4.9,3.0,n\n")  # as pandas names columns
    assert list(read_table(path)[0].columns) == ["0", "1", "y"]


def test_a_parquet_table_has_an_index_that_is_a_column_once_and_some_column(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"a": [1.5, 2.5], "y": [0, 1]})
    frame.set_index("y", drop=False).to_parquet(path)
    assert sorted(read_table(path)[0].columns) == ["a", "y"]
    frame.set_axis(pd.Index([7, 8], name="y")).to_parquet(path)
    with pytest.raises(DatasetError, match="has an index 'y' that differs from its column of that name: rename"):
        read_table(path)
    pd.DataFrame(index=range(3)).to_parquet(path)
    with pytest.raises(DatasetError, match="has no columns, expected one or more"):
        read_table(path)
