import math
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from frugal.stats import mean_and_sd, mean_interval, mean_score, rank_percentile, standard_error, stars, welch

samples = st.lists(st.floats(-10, 10), min_size=3, max_size=20)


@given(samples, samples)
def test_welch_agrees_with_scipy(first, second):
    assume(np.std(first) + np.std(second) >= 1e-6)
    ours, theirs = welch(first, second), reference.ttest_ind(first, second, equal_var=False)
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.dof == pytest.approx(theirs.df, rel=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-12)


def test_welch_of_constant_samples_degenerates():
    assert welch([1.0, 1.0], [1.0, 1.0]).p == 1.0
    assert welch([1.0, 1.0], [0.9, 0.9]).p == 0.0
    assert math.isnan(welch([1.0], [2.0, 3.0]).p)
    assert math.isnan(welch([math.nan] * 2, [2.0, 3.0]).p)


@pytest.mark.parametrize("value", [0.1, 0.9, 1 / 3])
def test_equal_constants_are_equal_in_samples_of_any_sizes(value):
    assert welch([value] * 10, [value] * 30).p == 1.0
    assert welch([value] * 10, [value] * 3 + [math.nan] * 7).p == 1.0


def test_many_welch_tests_are_those_of_one_pair_after_the_other():
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(4, 3, 9)), rng.normal(0.5, 2.0, size=(4, 3, 6))
    first[rng.random(first.shape) < 0.2] = np.nan
    first[0, 0, 1:] = np.nan  # one value: no test
    first[0, 1], second[0, 1], first[0, 2], second[0, 2] = 1.0, 1.0, 0.5, 1.0  # constant samples
    many = welch(first, second)
    one = [welch(a[~np.isnan(a)], b) for a, b in zip(first.reshape(12, 9), second.reshape(12, 6), strict=True)]
    np.testing.assert_allclose(many.p.ravel(), [test.p for test in one], rtol=1e-12)
    np.testing.assert_allclose(many.t.ravel(), [test.t for test in one], rtol=1e-12)


def test_stars_at_their_bounds():
    assert [stars(p) for p in (0.0009, 0.001, 0.01, 0.05, math.nan)] == ["***", "**", "*", "", ""]


def test_interval_agrees_with_scipy():
    x = np.random.default_rng(0).normal(size=12)
    theirs = reference.t.interval(0.95, 11, loc=x.mean(), scale=reference.sem(x))
    assert mean_interval(x) == pytest.approx(theirs)
    assert standard_error(x) == pytest.approx(reference.sem(x))
    assert standard_error([0.9184] * 5) == 0.0


@given(st.permutations([0.1, 0.2, 0.3, 0.7, 0.9]))
def test_the_order_of_folds_does_not_change_a_mean(scores):
    assert mean_score(scores) == 0.44


def test_equal_means_of_different_scores_compare_equal():
    # 0.1 + 0.7 and 0.4 + 0.4 differ in the last bit as plain sums do.
    assert mean_score([0.1, 0.7]) == mean_score([0.4, 0.4])
    assert mean_score([0.5, math.nan]) == -math.inf


def test_the_second_best_of_a_hundred_scores_99_percent():
    # Document 001, section 4.1.
    means = np.arange(100) / 100
    assert rank_percentile(means, 98) == 0.99
    assert rank_percentile(np.ones(7), 3) == 1.0


@pytest.mark.parametrize("scale", [1e-14, 1e-3, 1.0, 1e6, 1e12])
def test_means_of_any_size_tell_digits_from_rounding(scale):
    """A difference in the tenth digit counts; one in the order of the same addends does not."""
    assert mean_score([-1.0 * scale, -2.0 * scale]) > mean_score([-1.0 * scale, -2.0000000001 * scale])
    assert mean_score([0.1 * scale, 0.3 * scale]) == mean_score([0.2 * scale, 0.2 * scale])


@pytest.mark.parametrize("value", [0.0, 0.1, 0.25, 1e300])
def test_equal_values_are_standardised_to_zero(value):
    assert mean_and_sd([value] * 3) == (value, 1.0)


def test_values_are_standardised_by_their_mean_and_deviation():
    values = np.random.default_rng(0).normal(3, 2, size=50)
    assert mean_and_sd(values) == (values.mean(), values.std())


def test_the_mean_of_zeros_is_zero():
    assert mean_score([0.0, -0.0]) == 0.0


def test_the_mean_of_huge_scores_is_a_number():
    assert mean_score([-1.7e308, -1.5e308]) == -1.6e308
    largest = sys.float_info.max
    for n in range(1, 12):  # a sum of n thirds, sixths, ... of the largest number may round to more than it
        assert mean_score([-largest] * n) == pytest.approx(-largest, rel=1e-11)
    assert mean_score([largest, largest, math.nan]) == -math.inf


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan])
def test_a_level_is_a_share(level):
    with pytest.raises(ValueError, match="level must be above 0 and below 1, got"):
        mean_interval([0.1, 0.2, 0.3], level=level)


def test_values_that_differ_by_rounding_are_standardised_to_about_0():
    values = np.array([0.3, 0.1 + 0.2])
    assert values[0] != values[1]
    mean, sd = mean_and_sd(values)
    assert np.abs((values - mean) / sd).max() < 1e-9
