import math

import numpy as np
import pytest
from scipy import stats as reference

from frugal.learners import space
from frugal.spaces import Choice, Exponential, Integer, SearchSpace, Uniform

MIXED = SearchSpace(
    {"a": Uniform(2.0, 6.0), "b": Integer(1, 3), "c": Choice(("x", None, 7)), "d": Exponential(0.01)}
)


def test_olsons_grids_have_the_published_sizes():
    sizes = {name: len(space("grid", name).grid()) for name in ("bernoulli_nb", "decision_tree", "knn")}
    assert sizes == {"bernoulli_nb": 140, "decision_tree": 280, "knn": 54}


def test_every_draw_maps_back_to_itself():
    for candidate in MIXED.sample(np.random.default_rng(0), 200):
        again = MIXED.from_unit(MIXED.to_unit(candidate))
        assert again["b"] == candidate["b"]
        assert again["c"] == candidate["c"]
        assert again["a"] == pytest.approx(candidate["a"])
        assert again["d"] == pytest.approx(candidate["d"])


def test_draws_follow_their_distributions():
    drawn = MIXED.sample(np.random.default_rng(1), 4000)
    assert reference.kstest([c["a"] for c in drawn], reference.uniform(2, 4).cdf).pvalue > 1e-3
    assert reference.kstest([c["d"] for c in drawn], reference.expon(scale=0.01).cdf).pvalue > 1e-3
    assert reference.chisquare([sum(c["b"] == i for c in drawn) for i in (1, 2, 3)]).pvalue > 1e-3


def test_a_shorter_draw_is_a_prefix():
    longer = MIXED.sample(np.random.default_rng(2), 20)
    assert MIXED.sample(np.random.default_rng(2), 5) == longer[:5]


def test_both_ends_of_the_unit_interval_are_in_the_space():
    for u in (0.0, 1.0):
        ends = MIXED.from_unit(np.full(4, u))
        assert 2.0 <= ends["a"] <= 6.0
        assert ends["b"] in (1, 2, 3)
        assert math.isfinite(ends["d"])


@pytest.mark.parametrize(
    ("dimension", "value", "message"),
    [
        (Uniform(0, 1), 2, r"2 is outside \[0, 1\]"),
        (Integer(1, 9), 2.5, "not a whole number"),
        (Choice(("a",)), "b", r"'b' is not one of \['a'\]"),
        (Exponential(1.0), -1, "below 0"),
        (Uniform(0, 1), True, "True is not a number"),
    ],
)
def test_values_outside_a_dimension_are_refused(dimension, value, message):
    with pytest.raises(ValueError, match=message):
        dimension.to_unit(value)


def test_a_space_without_lists_has_no_grid():
    with pytest.raises(ValueError, match="'alpha' does not list its values"):
        space("ranges", "bernoulli_nb").grid()


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match="unknown space 'grids'; known: grid, ranges"):
        space("grids", "knn")
    with pytest.raises(ValueError, match="unknown classifier 'svm'; known: bernoulli_nb"):
        space("grid", "svm")
