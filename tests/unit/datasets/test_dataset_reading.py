"""Reading prepared datasets, drawing rows from them, and a user's own table."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from frugal.datasets import Dataset, DatasetError, from_csv, load, prepare

pytestmark = pytest.mark.usefixtures("offline")


def test_an_absent_dataset_is_prepared_on_the_way(root: Path):
    assert load("wdbc", root=root).X.shape == (569, 30)
    assert (root / "processed" / "wdbc" / "provenance.json").is_file()


def test_a_subset_is_the_same_rows_every_time_in_their_order(root: Path):
    whole, part = load("digits", root=root), load("digits_100", root=root)
    assert (part.name, part.X.shape, part.n_classes) == ("digits_100", (100, 64), 10)
    np.testing.assert_array_equal(part.X, load("digits_100", root=root).X)
    np.testing.assert_array_equal(part.splits["all"], np.arange(100))
    rows = [int(np.flatnonzero((x == whole.X).all(axis=1))[0]) for x in part.X]
    assert rows == sorted(set(rows))
    np.testing.assert_array_equal(part.y, whole.y[rows])


def test_a_dataset_equals_itself_alone(root: Path):
    first, second = load("wdbc", root=root), load("wdbc", root=root)
    assert first == first
    assert first != second
    assert len({first, second}) == 2


def test_a_dataset_that_another_process_is_putting_in_place_is_waited_for(root: Path, monkeypatch):
    before = load("wdbc", root=root)
    file, aside = root / "processed" / "wdbc" / "X.npy", root / "X.npy"
    file.rename(aside)
    monkeypatch.setattr("frugal.datasets.store.time.sleep", lambda seconds: aside.rename(file))
    np.testing.assert_array_equal(load("wdbc", root=root).X, before.X)


@pytest.mark.parametrize("n_rows", [0, 4, True, 2.5])
def test_a_subset_of_no_whole_number_of_its_rows_is_refused(n_rows: int):
    dataset = Dataset("small", np.zeros((3, 1)), np.array([0, 1, 0]), 2, "generated", {"all": np.arange(3)})
    with pytest.raises(ValueError, match=f"cannot draw {n_rows} rows of small: it has 3"):
        dataset.subset(n_rows)


def spoil_bytes(folder: Path) -> None:
    content = bytearray((folder / "X.npy").read_bytes())
    content[-1] ^= 1
    (folder / "X.npy").write_bytes(content)


def cut_short(folder: Path) -> None:
    (folder / "X.npy").write_bytes((folder / "X.npy").read_bytes()[:-8])


def other_shape(folder: Path) -> None:
    np.save(folder / "X.npy", np.zeros((569, 29)))


def other_labels(folder: Path) -> None:
    np.save(folder / "y.npy", np.zeros(569, dtype=np.int64))


def no_labels(folder: Path) -> None:
    (folder / "y.npy").unlink()


def broken_record(folder: Path) -> None:
    (folder / "provenance.json").write_text("{")


def odd_provenance(folder: Path) -> None:
    record = json.loads((folder / "provenance.json").read_text())
    (folder / "provenance.json").write_text(json.dumps(record | {"provenance": "hearsay"}))


def record_without_its_hash(folder: Path) -> None:
    record = json.loads((folder / "provenance.json").read_text())
    del record["record_sha256"]
    (folder / "provenance.json").write_text(json.dumps(record))


def listed_record(folder: Path) -> None:
    (folder / "provenance.json").write_text("[]")


def unclosed_header(folder: Path) -> None:
    content = (folder / "X.npy").read_bytes()
    (folder / "X.npy").write_bytes(content.replace(b"}", b" ", 1))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (spoil_bytes, "X.npy and y.npy do not have the hash on record"),
        (cut_short, "X.npy is not of the size or kind that its header says"),
        (other_shape, r"X.npy and y.npy have shapes \(569, 29\) and \(569,\), not those on record"),
        (other_labels, "X.npy and y.npy do not have the hash on record"),
        (no_labels, "No such file"),
        (broken_record, "Expecting property name"),
        (odd_provenance, "provenance.json is not what was written"),
        (record_without_its_hash, "provenance.json is not what was written"),
        (listed_record, "provenance.json is not a JSON object"),
        (unclosed_header, "X.npy has no header of an array"),
    ],
)
def test_a_damaged_processed_folder_is_refused(damage, reason: str, root: Path):
    damage(prepare("wdbc", root=root))
    message = rf"processed/wdbc is damaged \(.*{reason}.*\): delete it and prepare wdbc again"
    with pytest.raises(DatasetError, match=message):
        load("wdbc", root=root)


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_users_table_is_read_with_the_last_column_as_target(tmp_path: Path):
    dataset = from_csv(write(tmp_path / "mine.csv", "a,b,kind\n1,2.5,yes\n3,4,no\n5,6,yes\n"))
    assert (dataset.name, dataset.n_classes, dataset.provenance) == ("mine", 2, "original")
    assert dataset.X.tolist() == [[1, 2.5], [3, 4], [5, 6]]
    assert dataset.y.tolist() == [1, 0, 1]  # "no" before "yes"
    assert dataset.splits["all"].tolist() == [0, 1, 2]


def test_a_users_table_is_read_with_a_named_target(tmp_path: Path):
    dataset = from_csv(write(tmp_path / "mine.csv", "kind,a\n7,1\n3,2\n"), target="kind")
    assert dataset.X.tolist() == [[1], [2]]
    assert dataset.y.tolist() == [1, 0]


def test_words_for_a_missing_value_are_labels_among_words(tmp_path: Path):
    only = from_csv(write(tmp_path / "only.csv", "a,kind\n1,NA\n2,None\n3,NA\n"))
    assert only.y.tolist() == [0, 1, 0]
    dataset = from_csv(write(tmp_path / "mine.csv", "a,kind\n1,NA\n3,None\n5,yes\n2,NA\n"))
    assert (dataset.n_classes, dataset.y.tolist()) == (3, [0, 1, 2, 0])


def test_spaces_around_labels_make_no_further_classes(tmp_path: Path):
    dataset = from_csv(write(tmp_path / "mine.csv", "a, kind\n1, yes\n3,no\n5,yes\n2,no \n"), target=" kind")
    assert (dataset.n_classes, dataset.y.tolist()) == (2, [1, 0, 1, 0])


def test_labels_of_a_large_table_are_of_one_kind_though_the_first_look_like_numbers(tmp_path: Path):
    n_rows = 300_000  # which pandas would read in several parts
    dataset = from_csv(write(tmp_path / "mine.csv", "a,kind\n" + "1,2\n3,4\n" * (n_rows // 2) + "5,no\n" * 2))
    assert (dataset.n_classes, np.bincount(dataset.y).tolist()) == (3, [n_rows // 2, n_rows // 2, 2])


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("loans.2023.csv", "loans.2023"),
        ("loans.v2", "loans.v2"),
        ("Loans.CSV", "Loans"),
        (".csv", ".csv"),
        ("a.csv.txt", "a.csv"),
    ],
)
def test_a_users_table_is_named_after_its_file(tmp_path: Path, file: str, name: str):
    assert from_csv(write(tmp_path / file, "a,kind\n1,yes\n3,no\n")).name == name


def test_the_name_of_a_packed_table_has_no_ending(tmp_path: Path):
    with gzip.open(tmp_path / "loans.2023.csv.gz", "wt") as file:
        file.write("a,kind\n1,yes\n3,no\n")
    assert from_csv(tmp_path / "loans.2023.csv.gz").name == "loans.2023"


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("", None, "is empty, expected a header line and rows"),
        ("a,b\n", None, "has 0 rows and 1 features, expected one or more"),
        ("a\n1\n2\n", None, "has 2 rows and 0 features, expected one or more"),
        ("a,b\nred,0\nblue,1\n", None, "has values in column 'a' that are not numbers: encode or drop it"),
        ("a,b\n1,0\n,1\n", None, r"has 1 missing value\(s\) in column 'a'"),
        ("a,b\n1,0\n2,\n", None, r"has 1 missing value\(s\) in column 'b'"),
        ("a,b\n1,0\n2,NA\n3,1\n", None, r"has 1 missing value\(s\) in column 'b'"),
        ("a,b\n1,no\n2, \n3,yes\n", None, r"has 1 missing value\(s\) in column 'b'"),
        ("a,b\n1,no\n2,\n3,NA\n", None, r"has 1 missing value\(s\) in column 'b'"),
        ("a,b\n1,no\nNA,yes\n", None, r"has 1 missing value\(s\) in column 'a'"),
        ("a,b\ninf,0\n2,1\n", None, "has infinite values in column 'a'"),
        ("a,b\n1,0\n2,0\n", None, "has a single class in column 'b', expected two or more"),
        ("a,b\n1,0\n2,1\n", "c", "has no column 'c' for a target: use one of a, b"),
        ("a,b\n1,0\n2,1,5,6\n", None, "has 4 fields in line 3, expected 2 as in the lines before it; "),
        ("made by me\nin May\na,b\n1,0\n", None, "has 2 fields in line 3, expected 1 as in the lines before it; "),
        ("b,c,label\n1,2,3,0\n2,3,4,1\n", None, "has 3 names in its header line and 4 fields in the next"),
        ("b,label\n1,2,3,0\n2,3,4,1\n", None, "has 2 names in its header line and 4 fields in the next"),
        ("\nb,c,label\n1,2,3,0\n2,3,4,1\n", None, "has rows with more fields than its header line has names"),
        ("  \n\nb,label\n1,2,0\n2,3,1\n", None, "has "),
        ("a,b,label\n1,2,0\n\n2,3\n", None, r"has 2 field\(s\) in line 4, expected 3 as in its header line"),
        ('a,b,label\n1,"2\n3",0\n2\n', None, r"has 1 field\(s\) in line 4, expected 3 as in its header line"),
        ("a,b,a\n1,2,0\n2,3,1\n", None, "has 2 columns named 'a': give each its own name"),
        ("1,0\n2,1\n", None, "has no header line, since its first line holds numbers alone: add one"),
        (",a,b\n0,1,0\n1,2,1\n", None, "has a column without a name, such as the index that pandas writes"),
        (
            "a:b\n1:0\n2:1\n",
            None,
            "has 2 rows and 0 features, expected one or more of each; separators are , ; tab",
        ),
        (
            "a,b\n" + "".join(f"1,{i / 7}\n" for i in range(30)),
            None,
            "has 30 different labels in column 'b' in 30 rows, expected classes that repeat",
        ),
    ],
)
def test_a_users_table_that_cannot_be_used_is_refused(tmp_path: Path, text: str, target: str | None, message: str):
    path = write(tmp_path / "mine.csv", text)
    with pytest.raises(DatasetError, match=rf"mine\.csv {message}") as caught:
        from_csv(path, target=target)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_sentence(tmp_path: Path):
    with pytest.raises(DatasetError, match=r"there is no file .*absent\.csv: name a CSV file"):
        from_csv(tmp_path / "absent.csv")
