import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from frugal.datasets import DatasetError, from_csv
from frugal.datasets.user_table import read_table
from frugal.select.columns import (
    Columns,
    as_date,
    as_days,
    as_number,
    as_words,
    date_order,
    decimal_mark,
    find_columns,
    present,
    transformer,
)
from frugal.select.problem import problem_of

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
    found = find_columns(table, target, "classification")
    assert (list(found.numeric), found.categorical, list(found.dates)) == (["size", "rooms"], ["town"], ["sold"])
    assert found.left_out == {
        "number": "an identifier: every row has a different value (--keep uses it)",
        "name": "an identifier: every row has a different value (--keep uses it)",
        "country": "which has one value",
        "nothing": "which is empty",
        "dear": "a copy of the target (leakage)",
    }
    assert "left out: country, which has one value" in str(found)


def test_a_feature_that_foretells_a_target_of_numbers_well_is_no_copy_of_it():
    draws = np.random.default_rng(0).normal(size=(2, 200))
    nearly = pd.DataFrame({"x": draws[0] + 0.01 * draws[1]})  # a correlation of 0.99995
    assert find_columns(nearly, pd.Series(draws[0]), "regression").left_out == {}


def test_a_measurement_that_differs_in_every_row_is_kept(table, target):
    assert "size" in find_columns(table, target, "classification").numeric
    shuffled = table.assign(number=np.random.default_rng(1).permutation(N) * 3)
    assert "number" in find_columns(shuffled, target, "classification").numeric


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2024-05-31", None, "2023/1/2 10:00"], "year first"),
        (["31.05.2024", "1.6.24"], "day first"),
        (["01/02/2024", "05/31/2024"], "month first"),
        (["2024-05-31T10:00:00+02:00", "2024-12-01T10:00:00+01:00"], "year first"),
        ([datetime.date(2024, 5, 31), None], "year first"),
        (["2024-05-31"] * 9 + ["soon"], "year first"),
        (["2024-05-06"] * 9 + ["05/31/2024"], "month first"),
        (["2024-05-06"] * 9 + ["01/02/2024"], "day first"),
        (["88-11-04", "03-08-24"], "year first"),
        (["04-11-88", "03-08-24"], "day first"),
        (["2024-05-31", "soon"], None),
        (["10.10.10.1", "10.10.12.7"], None),
        (["1.14.37", "3.99.61"], None),
        (["12", "13"], None),
        ([None, None], None),
    ],
)
def test_dates_are_known_by_how_they_are_written(values, expected):
    assert date_order(present(pd.Series(values, dtype=object))) == expected


def test_dates_become_days_weekdays_and_months():
    frame = pd.DataFrame({"on": ["1970-01-08", None], "at": ["02.01.1970", "03.02.1970"]})
    days = as_days(frame, ["year first", "day first"])
    assert days[0].tolist() == [7.0, 3.0, 1.0, 1.0, 4.0, 1.0]  # a Thursday; the second of January, a Friday
    assert np.isnan(days[1, :3]).all()
    assert days[1, 3:].tolist() == [33.0, 1.0, 2.0]


def test_dates_of_a_year_are_read_alike_however_they_are_written():
    year = pd.Series(pd.date_range("2024-01-01", "2024-12-31"))
    for written in ("%m/%d/%Y", "%d.%m.%Y", "%Y-%m-%d", "%Y/%m/%d"):
        texts = year.dt.strftime(written)
        order = date_order(texts)
        assert as_date(texts, order).tolist() == year.tolist()
        # one alone is read as among the others
        assert as_date(texts[4:5], order).tolist() == year[4:5].tolist()


@pytest.mark.parametrize("written", ["%d.%m.%Y", "%m/%d/%Y", "%y-%m-%d", "%d-%m-%y"])
@pytest.mark.parametrize("others", ["%Y-%m-%d", "%Y/%m/%d %H:%M"])
def test_dates_that_begin_with_the_year_are_so_read_among_others(written, others):
    days = pd.Series(pd.date_range("1996-01-01", "2005-12-31"))
    for every in (2, 5):
        is_other = days.index % every == 0
        texts = days.dt.strftime(written).where(~is_other, days.dt.strftime(others))
        assert as_date(texts, date_order(texts)).tolist() == days.tolist()


def test_dates_of_another_kind_than_those_before_are_read():
    order = date_order(pd.Series(["13/01/2024", "05/02/2024"]))
    assert as_date(pd.Series(["2024-02-03"]), order).tolist() == [pd.Timestamp("2024-02-03")]
    order = date_order(pd.Series(["2024-02-03"]))
    assert as_date(pd.Series(["03/02/2024", "3.2.24"]), order).tolist() == [pd.Timestamp("2024-02-03")] * 2


def test_dates_with_a_time_zone_are_those_of_utc():
    texts = pd.Series(["2024-05-31T01:00:00+02:00", "2024-12-01T23:30:00-01:00"])
    expected = [pd.Timestamp("2024-05-30 23:00"), pd.Timestamp("2024-12-02 00:30")]
    assert as_date(texts, "year first").tolist() == expected
    assert as_date(pd.to_datetime(texts, utc=True).dt.tz_convert("Asia/Tokyo"), "year first").tolist() == expected


@pytest.mark.parametrize(
    ("values", "mark", "numbers"),
    [
        (["1.5"] * 9 + ["?"], ".", [1.5] * 9 + [np.nan]),
        (["1,5"] * 9 + ["?"], ",", [1.5] * 9 + [np.nan]),
        ([Decimal("1.5"), Decimal("2")], ".", [1.5, 2.0]),
        ([np.inf, 1.0], ".", [np.nan, 1.0]),
        (pd.to_timedelta(["1 min", None]), ".", [60.0, np.nan]),
        (["1.5", "NA"], ".", [1.5, np.nan]),
        (["1,500", "2,500"], None, None),
        (["1,500"] * 30 + ["48,12"], None, None),
        (["1,500"] * 18 + ["1,5"] * 2, ",", [1.5] * 20),
        (["1", "?"], None, None),
        ([*"123456789", "9" * 400], ".", [*range(1, 10), np.nan]),
        ([*range(1, 10), -(10**400)], ".", [*range(1, 10), np.nan]),
    ],
)
def test_numbers_are_known_by_most_of_the_values(values, mark, numbers):
    column = pd.Series(values)
    assert decimal_mark(present(column)) == mark
    if mark is not None:
        np.testing.assert_array_equal(as_number(column, mark), numbers)


def test_what_counts_as_missing_is_named(table, target):
    odd = table.assign(size=table["size"].astype(object).where(table.index != 3, "?"), rooms=table["rooms"] / 1.0)
    odd.loc[5, "rooms"] = np.inf
    found = find_columns(odd, target, "classification")
    assert found.odd == {"size": "1 value(s) count as missing: '?'", "rooms": "1 value(s) count as missing: 'inf'"}
    assert list(found.numeric) == ["size", "rooms"]
    assert np.isfinite(transformer(found).fit_transform(odd)).all()


def test_repeated_rows_make_no_copies_of_a_target_of_numbers():
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
    noise = pd.concat([noise, noise[:1]], ignore_index=True)
    price = noise["a"] + rng.normal(size=101)
    price[100] = price[0]
    assert find_columns(noise, price, "regression").left_out == {}
    reasons = find_columns(noise.assign(usd=1.1 * price + 3), price, "regression").left_out
    assert reasons == {"usd": "a copy of the target (leakage)"}


def test_a_column_that_is_kept_is_used_whatever_it_holds(table, target):
    found = find_columns(table, target, "classification", ["number", "nothing", "dear"])
    assert "number" in found.numeric
    assert "dear" in found.categorical
    assert found.left_out["nothing"] == "which is empty"


def test_a_word_for_a_missing_value_is_one(table, target):
    garage = table.assign(garage=["NA" if i % 4 else "yes" for i in range(N)])
    found = find_columns(garage, target, "classification")
    assert "garage" in found.categorical
    fitted = transformer(found).fit(garage)
    as_pandas_reads = garage.assign(garage=garage["garage"].replace("NA", np.nan))
    np.testing.assert_array_equal(fitted.transform(garage), fitted.transform(as_pandas_reads))


def test_new_rows_may_lack_values_and_have_other_words(table, target):
    fitted = transformer(find_columns(table, target, "classification"))
    X = fitted.fit_transform(table)
    assert np.isfinite(X).all()
    assert X.shape == (N, 2 + 3 + 3)
    new = pd.DataFrame({"size": [None], "rooms": [2], "town": ["Chur"], "sold": [None], "extra": [1]})
    assert np.isfinite(fitted.transform(new.astype({"size": float}))).all()
    assert np.isfinite(clone(fitted).fit_transform(table.assign(town=[None, "Bern"] * (N // 2)))).all()


@pytest.mark.parametrize("flags", [["True", "False", "unknown"], ["TRUE", " false", None], [True, False, np.nan]])
def test_true_and_false_are_numbers_whatever_else_a_column_of_new_rows_holds(table, target, flags):
    table["sold"] = np.arange(N) % 2 == 0
    fitted = transformer(find_columns(table, target, "classification")).fit(table)
    new = pd.DataFrame({"sold": flags}, dtype=object).join(table.drop(columns="sold")[:3])
    expected = fitted.transform(table[:3])[:2]
    np.testing.assert_array_equal(fitted.transform(new)[:2], expected)


def test_words_do_not_depend_on_the_type_that_pandas_chose():
    assert as_words(pd.DataFrame({"code": ["1", "A"]})).tolist() == [["1"], ["A"]]
    assert as_words(pd.DataFrame({"code": [1.0, None, 1.5]})).tolist() == [["1"], ["missing"], ["1.5"]]
    assert as_words(pd.DataFrame({"code": ["1.0", "2.50", "007", "A1"]})).tolist() == [
        ["1"],
        ["2.5"],
        ["7"],
        ["A1"],
    ]
    assert as_words(pd.DataFrame({"code": ["9007199254740993"]})).tolist() == [["9007199254740993"]]
    assert as_words(pd.DataFrame({"flag": [True, "FALSE", "Unsure"]})).tolist() == [
        ["true"],
        ["false"],
        ["Unsure"],
    ]


def test_numbers_with_commas_that_are_unclear_are_named_as_such(table, target):
    rng = np.random.default_rng(1)
    income = table.assign(income=[f"{thousand},{rest:03d}" for thousand, rest in rng.integers(1, 900, (N, 2))])
    found = find_columns(income, target, "classification")
    assert found.left_out["income"].startswith("numbers whose commas may mark thousands or decimals")


@pytest.mark.parametrize(
    "texts", [["12.5 %", "3%", "-7 %", "+4 %", "4"], ["$12.30", "$ 4", "$1,200", "-$9", "$-9"]]
)
def test_numbers_with_signs_are_named_as_such(texts):
    columns = find_columns(pd.DataFrame({"x": texts * 4}), pd.Series([0, 1, 1, 0] * 5), "classification")
    assert columns.left_out == {"x": "numbers with a sign such as %: write them without (--keep takes words)"}


@pytest.mark.parametrize(("n_odd", "is_said"), [(10, True), (11, False)])
def test_numbers_that_count_as_words_for_the_sake_of_others_are_named(n_odd, is_said):
    table = pd.DataFrame({"x": [str(i % 7) for i in range(20 - n_odd)] + ["-"] * n_odd})
    columns = find_columns(table, pd.Series([0, 1] * 10), "classification")
    assert columns.categorical == ["x"]
    says = {"x": "its 10 numbers count as words, since 10 value(s) are none: '-'"}
    assert columns.odd == (says if is_said else {})


def test_numbers_with_a_decimal_comma_count_as_numbers_among_words_too():
    table = pd.DataFrame({"x": [str(i) for i in range(12)] + ["1,5"] * 5 + ["-"] * 3})
    columns = find_columns(table, pd.Series([0, 1] * 10), "classification")
    assert columns.categorical == ["x"]
    assert columns.odd == {"x": "its 17 numbers count as words, since 3 value(s) are none: '-'"}


def test_infinite_values_are_named_however_many_they_are():
    table = pd.DataFrame({"x": [0.5, 1.5, 3.0, 7.0, *[np.inf] * 6] * 2})
    columns = find_columns(table, pd.Series([0, 1] * 10), "classification")
    assert columns.odd == {"x": "12 value(s) count as missing: 'inf'"}


def test_an_empty_kind_is_no_step():
    assert [name for name, *_ in transformer(Columns(numeric={"a": "."})).transformers] == ["numbers"]


def test_durations_are_seconds_also_as_text():
    waits = pd.Series(pd.to_timedelta([90, 86_400, 172_805, -60, 1], unit="s"))
    texts = waits.astype(str).where([True, True, True, True, False], None)
    assert texts[0] == "0 days 00:01:30"
    table = pd.DataFrame({"typed": waits, "text": texts, "word": ["a", "b", "a", "b", "a"]})
    columns = find_columns(table, pd.Series(["x", "y", "y", "x", "x"]), "classification")
    assert columns.numeric == {"typed": ".", "text": "."}
    parsed = columns.parsed(table)
    assert parsed["typed"].tolist() == [90.0, 86_400.0, 172_805.0, -60.0, 1.0]
    assert parsed["text"].tolist()[:4] == [90.0, 86_400.0, 172_805.0, -60.0]
    assert np.isnan(parsed["text"][4])


def test_a_copy_of_classes_that_are_words_for_a_missing_value_is_a_copy():
    target = pd.Series(["NA", "null", "ok"] * 4)
    columns = find_columns(pd.DataFrame({"copy": target, "other": list("abcd") * 3}), target, "classification")
    assert columns.left_out == {"copy": "a copy of the target (leakage)"}
    assert columns.categorical == ["other"]


@pytest.mark.parametrize("odd", ["200000 days", "-2 days -01:00:00", "1 days 25:61:00", "2 days or more"])
def test_what_is_no_duration_that_pandas_writes_is_a_word(odd):
    table = pd.DataFrame({"due": ["paid", "late", odd, "paid"] * 3})
    target = pd.Series(["x", "y", "y", "x"] * 3)
    assert find_columns(table, target, "classification").categorical == ["due"]


def test_spaces_around_words_do_not_count():
    spaced = pd.DataFrame({"age": [" 31", " NA", " 45", "12 "] * 5, "job": [" clerk", "nurse ", " ", "nurse"] * 5})
    columns = find_columns(spaced, pd.Series(["y", "n", "n", "y"] * 5), "classification")
    assert (columns.numeric, columns.categorical, columns.odd) == ({"age": "."}, ["job"], {})
    bare = pd.DataFrame({"age": ["31", None, "45", "12"] * 5, "job": ["clerk", "nurse", None, "nurse"] * 5})
    fitted = transformer(columns).fit(columns.parsed(spaced))
    np.testing.assert_array_equal(fitted.transform(bare), fitted.transform(columns.parsed(spaced)))
    copy = find_columns(spaced[["job"]], pd.Series(["a", "b", "c", "b"] * 5), "classification")
    assert copy.left_out == {"job": "a copy of the target (leakage)"}


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        ([" 1 days 02:00:00", "2 days 00:00:00 "], [93_600.0, 172_800.0]),
        (["\xa031", "\xa0-4.5"], [31.0, -4.5]),
        ([" 2020-01-31", "\xa02021-02-01"], [pd.Timestamp("2020-01-31"), pd.Timestamp("2021-02-01")]),
    ],
)
def test_what_is_found_behind_spaces_is_read_behind_spaces(texts, values):
    table = pd.DataFrame({"x": texts * 10})
    columns = find_columns(table, pd.Series([0, 1, 1, 0] * 5), "classification")
    assert columns.categorical == []
    assert columns.parsed(table)["x"].tolist() == values * 10


def test_numbers_whose_commas_may_mark_thousands_are_no_words_where_they_repeat_either():
    incomes = pd.DataFrame({"income": ["1,200", "48,123", "900", "1,200"] * 5, "word": list("abca") * 5})
    target = pd.Series([0, 1, 1, 0, 1] * 4)
    assert find_columns(incomes, target, "classification").categorical == ["word"]
    assert find_columns(incomes, target, "classification", ["income"]).categorical == ["income", "word"]


@pytest.mark.parametrize("largest", ["1,015.22", "1,015", "1 015"])
def test_numbers_with_marks_of_thousands_are_not_read_where_no_plain_one_is_as_large(largest):
    rents = pd.DataFrame({"rent": [*map(str, range(900, 930)), largest]})
    target = pd.Series([0, 1] * 15 + [0])
    assert "with marks of thousands" in find_columns(rents, target, "classification").left_out["rent"]
    with pytest.raises(DatasetError, match="numbers with marks of thousands in 'rent'"):
        problem_of("rents.csv", rents.assign(area=range(31)), target="rent")
    slip = rents.assign(rent=[*map(str, range(990, 1020)), largest])
    columns = find_columns(slip, target, "classification")
    assert columns.odd == {"rent": f"1 value(s) count as missing: {largest!r}"}


def test_the_saved_columns_read_the_decimal_comma_of_their_file(tmp_path):
    path = tmp_path / "comma.csv"
    path.write_text("a;b;y\n" + "".join(f"{i},5;{i % 7};{i % 2}\n" for i in range(30)))
    table, _ = read_table(path)
    columns = find_columns(table[["a", "b"]], table["y"], "classification")
    assert columns.numeric == {"a": ",", "b": ","}
    fitted = transformer(columns).fit(columns.parsed(table))
    new = pd.read_csv(path, sep=";")
    assert new["a"].iloc[0] == "0,5"
    np.testing.assert_array_equal(fitted.transform(new), fitted.transform(columns.parsed(table)))


def test_points_that_may_mark_thousands_in_a_table_with_a_decimal_comma_are_not_read(tmp_path):
    path = tmp_path / "towns.csv"
    people = ["1.234", "950", "12.500", "870"] * 5
    path.write_text("area;people;y\n" + "".join(f"{i},5;{n};{i % 2}\n" for i, n in enumerate(people)))
    table, _ = read_table(path)
    assert table.attrs == {"decimal": ","}
    columns = find_columns(table[["area", "people"]], table["y"], "classification")
    assert columns.left_out["people"].startswith("numbers whose points may mark thousands: write them without")
    assert columns.numeric == {"area": ","}
    with pytest.raises(DatasetError, match="numbers whose points may mark thousands in 'people': write"):
        problem_of(path, table, target="people")
    with pytest.raises(DatasetError, match="numbers in column 'people' whose points may mark thousands"):
        from_csv(path)


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["1,250,000", "2,100,000"] * 10, "with marks of thousands"),
        (["1.234,56", "2.999,10"] * 10, "with marks of thousands"),
        (["1'234", "22'500"] * 10, "with marks of thousands"),
        (["12 %", "7 %"] * 9 + ["3 %", "-"], "with a sign such as %"),
    ],
)
def test_numbers_that_are_not_read_are_named_also_beside_an_odd_value(texts, says):
    columns = find_columns(pd.DataFrame({"x": texts}), pd.Series([0, 1, 1, 0] * 5), "classification")
    assert columns.left_out["x"].startswith(f"numbers {says}")
    table = pd.DataFrame({"x": np.random.default_rng(0).normal(size=20), "y": texts})
    for task in (None, "regression"):
        with pytest.raises(DatasetError, match=f"t has numbers {says} in 'y': write them without"):
            problem_of("t", table, task=task)
    assert problem_of("t", table, task="classification").task == "classification"


def test_a_copy_of_the_classes_with_a_gap_is_left_out(table, target):
    answers = target.map({value: f"{value}!" for value in target.unique()})
    gap = table.assign(answers=answers.where(table.index != 3))
    assert find_columns(gap, target, "classification").left_out["answers"].startswith("a copy of the target")
    gaps = table.assign(answers=answers.where(table.index % 2 == 0))
    assert "answers" not in find_columns(gaps, target, "classification").left_out
    rare = pd.Series(["no"] * 97 + ["yes"] * 3)
    only_gaps = pd.DataFrame({"x": ["a"] * 94 + [None] * 6, "z": range(100)})
    assert "x" not in find_columns(only_gaps, rare, "classification").left_out


def test_years_of_two_digits_have_a_century_that_no_clock_chooses():
    on = pd.Series(["12.03.48", "01.07.72", "23.11.79", "04.05.85 10:00"] * 5)
    assert as_date(on, "day first").dt.year.tolist()[:4] == [2048, 1972, 1979, 1985]
    first = as_date(pd.Series(["99-12-31", "48/03/02"]), "year first")
    assert [day.date().isoformat() for day in first] == ["1999-12-31", "2048-03-02"]
    columns = find_columns(pd.DataFrame({"born": on}), pd.Series([0, 1, 1, 0] * 5), "classification")
    assert columns.odd["born"] == "years of two digits count as 1969 to 2068"


def test_dates_that_stand_for_none_are_missing():
    days = as_days(pd.DataFrame({"on": ["2024-05-31", "9999-12-31", "0001-01-01"]}), ["year first"])
    assert np.isfinite(days[0]).all()
    assert np.isnan(days[1:]).all()
