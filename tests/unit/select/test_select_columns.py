import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from frugal.select.columns import Columns, as_days, find_columns, is_date, transformer

N = 40


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "number": range(1, N + 1),
        "size": rng.normal(size=N),
        "rooms": rng.integers(1, 5, N),
        "town": rng.choice(["Bern", "Basel", "Biel"], N),
        "name": [f"house {i}" for i in range(N)],
        "sold": [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)],
        "country": "CH",
        "nothing": [None] * N,
        "dear": [f"{'yes' if i % 3 else 'no'}!" for i in range(N)],
    })  # fmt: skip


@pytest.fixture
def target():
    return pd.Series(["yes" if i % 3 else "no" for i in range(N)])


def test_kinds_are_told_apart_and_what_teaches_nothing_or_too_much_is_left_out(table, target):
    found = find_columns(table, target)
    assert (found.numbers, found.words, found.dates) == (["size", "rooms"], ["town"], ["sold"])
    assert found.left_out == {
        "number": "an identifier, which is another one in every row",
        "name": "an identifier, which is another one in every row",
        "country": "which has one value",
        "nothing": "which is empty",
        "dear": "which tells the target's values one for one",
    }
    assert "left out: country, which has one value" in str(found)


def test_a_measurement_that_differs_in_every_row_is_kept(table, target):
    assert "size" in find_columns(table, target).numbers
    shuffled = table.assign(number=np.random.default_rng(1).permutation(N) * 3)
    assert "number" in find_columns(shuffled, target).numbers


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2024-05-31", None, "2023/1/2 10:00"], True),
        (["31.05.2024", "1.6.24"], True),
        (["2024-05-31", "soon"], False),
        (["12", "13"], False),
        ([None, None], False),
    ],
)
def test_dates_are_known_by_how_they_are_written(values, expected):
    assert is_date(pd.Series(values, dtype=object)) is expected


def test_dates_become_days_weekdays_and_months():
    days = as_days(pd.DataFrame({"on": ["1970-01-08", None], "at": ["02.01.1970", "03.02.1970"]}))
    assert days[0].tolist() == [7.0, 3.0, 1.0, 1.0, 4.0, 1.0]  # a Thursday; the second of January, a Friday
    assert np.isnan(days[1, :3]).all()
    assert days[1, 3:].tolist() == [33.0, 1.0, 2.0]


def test_new_rows_may_lack_values_and_have_other_words(table, target):
    made = transformer(find_columns(table, target))
    X = made.fit_transform(table)
    assert np.isfinite(X).all()
    assert X.shape == (N, 2 + 3 + 3)
    new = pd.DataFrame({"size": [None], "rooms": [2], "town": ["Chur"], "sold": [None], "extra": [1]})
    assert np.isfinite(made.transform(new.astype({"size": float}))).all()
    assert np.isfinite(clone(made).fit_transform(table.assign(town=[None, "Bern"] * (N // 2)))).all()


def test_an_empty_kind_is_no_step():
    assert [name for name, *_ in transformer(Columns(numbers=["a"])).transformers] == ["numbers"]
