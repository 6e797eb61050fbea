import numpy as np
import pandas as pd
import pytest

from frugal.files import read, whole, write


@pytest.mark.parametrize("names_part", [True, False])
def test_an_error_of_the_system_names_the_file_that_was_to_be_written(tmp_path, names_part):
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: '\S*/t\.csv'$"):  # noqa: SIM117
        with whole(tmp_path / "t.csv") as part:
            raise OSError(28, "No space left on device", *([str(part)] if names_part else []))
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_system_about_another_file_is_left_as_it_is(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), whole(tmp_path / "t.csv"):
        (tmp_path / "other").read_text()


def text_of(tmp_path, **columns):
    write(pd.DataFrame(columns), tmp_path / "t.csv")
    return (tmp_path / "t.csv").read_text().splitlines()[1:]


def test_a_file_that_is_replaced_hands_on_its_permissions(tmp_path):
    path = tmp_path / "search.jsonl"
    path.touch(mode=0o600)
    with whole(path) as part:
        part.write_text("more")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("more", 0o600)


def test_numbers_are_rounded_to_8_significant_digits(tmp_path):
    shown = text_of(tmp_path, x=[2 / 3, 123456.789012, 1.23456789012e-7, -1e-300 / 3])
    assert shown == ["0.66666667", "123456.79", "1.2345679e-07", "-3.3333333e-301"]


def test_whole_columns_keep_all_digits_with_gaps_or_without(tmp_path):
    assert text_of(tmp_path, x=[1234567890123]) == ["1234567890123"]
    assert text_of(tmp_path, x=[1234567890123.0, np.nan, 2.0], y="a") == ["1234567890123,a", ",a", "2,a"]


@pytest.mark.parametrize("odd", [0.5, np.inf, 2.0**60])
def test_a_column_that_is_not_whole_is_rounded_throughout(tmp_path, odd):
    assert text_of(tmp_path, x=[1234567890.0, odd])[0] == "1.2345679e+09"


def test_a_column_without_a_number_stays_empty(tmp_path):
    assert text_of(tmp_path, x=[np.nan, np.nan], y=1) == [",1", ",1"]


def test_what_was_written_is_written_again_with_the_same_bytes(tmp_path):
    frame = pd.DataFrame({"x": np.random.default_rng(0).lognormal(0, 9, 500), "n": range(500)})
    write(frame, tmp_path / "a.csv")
    write(read(tmp_path / "a.csv"), tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_table_whose_rows_are_longer_than_its_header_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("a,b\n1,2,3\n", "\na,b\n1,2,3\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"a\.csv is truncated or not a CSV file"):
            read(path)
