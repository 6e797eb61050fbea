"""Searches as paths; every expected number is worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from studies.trajectories import mean_at, mean_path, stays_within, steps, until_as_good, until_last


def path(*qualities):
    """A search whose trials cost 1, 2, 4, ..."""
    return np.array(qualities, dtype=float), np.cumsum(2.0 ** np.arange(len(qualities)))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (path(0.5, 0.3, 0.1), path(0.9, 0.2, 0.2, 0.2), (7.0, 3.0)),  # 0.2 is what the worse one ends with
        (path(0.1, 0.1), path(0.1, 0.1, 0.1), (1.0, 1.0)),
        (path(0.2, 0.4, 0.2), path(0.3, 0.2), (7.0, 3.0)),  # a lucky first trial, lost again, does not count
        (path(0.2, 0.4), path(0.3, 0.2), (1.0, 1.0)),  # the worse end is 0.4
        (path(math.nan, 0.2, math.nan, 0.2), path(0.2), (15.0, 1.0)),
        (path(0.1, math.nan), path(0.2), (math.nan, math.nan)),
    ],
)
def test_searches_are_compared_from_when_both_stay_as_good_as_the_worse_end(first, second, expected):
    assert until_as_good(first, second) == pytest.approx(expected, nan_ok=True)
    assert until_as_good(second, first) == pytest.approx(expected[::-1], nan_ok=True)


@pytest.mark.parametrize(
    ("values", "first"), [([0.3, 0.1, 0.2, 0.1], 3), ([0.1, 0.1], 0), ([0.1, 0.2], 2), ([math.nan, 0.1], 1)]
)
def test_within_means_to_stay(values, first):
    assert stays_within(np.array(values), 0.15) == first


def test_steps_hold_their_value_and_are_nan_before_the_first():
    found = steps(np.array([1.0, 3.0]), np.array([0.5, 0.2]), np.array([0.9, 1.0, 2.9, 3.0, 99.0]))
    assert found == pytest.approx([math.nan, 0.5, 0.5, 0.2, 0.2], nan_ok=True)


def test_a_line_ends_where_its_longest_search_ends():
    paths = [
        pd.DataFrame({"spent": [1.0, 2.5], "error": [0.5, 0.3]}),
        pd.DataFrame({"spent": [3.5], "error": [0.1]}),
    ]
    xs = until_last(np.array([1.0, 2.0, 3.0, 4.0]), paths, "spent")
    assert xs.tolist() == [1.0, 2.0, 3.0, 3.5]
    assert mean_path(paths, "spent", "error", xs)["mean"].tolist() == pytest.approx([0.2])


def test_a_mean_needs_every_seed_and_an_interval_two():
    found = mean_at(np.array([1.0, 2.0]), np.array([[math.nan, 0.1], [0.2, 0.3]]))
    assert found["mean"].tolist() == pytest.approx([math.nan, 0.2], nan_ok=True)
    assert found["high"].iloc[1] == pytest.approx(0.2 + stats.t.ppf(0.975, 1) * 0.1)
    assert mean_at(np.array([1.0]), np.array([[0.1]]))[["low", "high"]].isna().all(axis=None)
