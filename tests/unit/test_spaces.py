import math
from copy import deepcopy

import numpy as np
import pytest
from scipy import stats as reference

from frugal.learners import space
from frugal.spaces import (
    Choice,
    Continuous,
    Discrete,
    Exponential,
    Integer,
    Ordinal,
    SearchSpace,
    Uniform,
    as_json,
)
from frugal.trials.encoding import Encoding, ListedSpace

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


SPACE = SearchSpace({"depth": Integer(1, 4), "rate": Uniform(0.0, 1.0)})


@pytest.mark.parametrize(
    ("dimension", "value", "message"),
    [
        (Uniform(0, 1), 2, r"2 is outside \[0, 1\]"),
        (Integer(1, 9), 2.5, "2.5 is not a whole number in"),
        (Integer(1, 9), np.int64(10), r"np.int64\(10\) is not a whole number in \[1, 9\]"),
        (Integer(1, 9), math.nan, "nan is not a whole number"),
        (Integer(1, 9), math.inf, "inf is not a whole number"),
        (Choice(("a",)), "b", r"'b' is not one of \['a'\]"),
        (Exponential(1.0), -1, "-1 is below 0"),
        (Exponential(1.0), math.nan, "nan is below 0 or not finite"),
        (Exponential(1.0), math.inf, "inf is below 0 or not finite"),
        (Uniform(0, 1), math.nan, r"nan is outside \[0, 1\]"),
        (Uniform(0, 1), True, "True is not a number"),
        (Uniform(0, 1), "0.5", "'0.5' is not a number"),
        (Uniform(0, 1), 10**400, "more than 308 digits is in no dimension"),
        (Integer(1, 9), 10**400, "is not a whole number in|is in no dimension"),
        (Continuous(reference.uniform(0, 1)), 1.5, r"1.5 is outside \[0.0, 1.0\]"),
        (Continuous(reference.norm()), math.inf, "inf is outside .* or not finite"),
        (Discrete(reference.randint(1, 4)), 4, r"4 is not a whole number that randint\(1, 4\) can give"),
        (Discrete(reference.randint(1, 4)), 1.5, "1.5 is not a whole number"),
        (Discrete(reference.poisson(4)), math.inf, "inf is not a whole number"),
    ],
)
def test_values_outside_a_dimension_are_refused(dimension, value, message):
    with pytest.raises(ValueError, match=message):
        dimension.to_unit(value)


@pytest.mark.parametrize(
    "values", [(1, 1.0, "sqrt"), (True, 1), (0, False), ([1], np.array([1]), np.array([1.0, 2.0])), ({}, None)]
)
def test_every_listed_value_has_a_cell_of_its_own_also_where_two_are_equal(values):
    dimension = Choice(values)
    again = [dimension.from_unit(dimension.to_unit(value)) for value in values]
    assert all(one is value for one, value in zip(again, values, strict=True))
    assert len(np.unique(Encoding(SearchSpace({"x": dimension})).grid(), axis=0)) == len(values)
    copies = [deepcopy(value) for value in values]  # as from a journal
    assert [dimension.place(value) for value in copies] == list(range(len(values)))


def test_a_value_that_is_merely_equal_is_found():
    assert Choice((16, 32)).place(np.int64(32)) == 1
    assert Choice((0.5, 1)).place(1.0) == 1


def test_a_space_without_lists_has_no_grid():
    with pytest.raises(ValueError, match="'alpha' does not list its values"):
        space("ranges", "bernoulli_nb").grid()


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match="unknown space of knn 'grids'; known: grid, ranges"):
        space("grids", "knn")
    with pytest.raises(ValueError, match="unknown learner 'forest'; known: bernoulli_nb"):
        space("grid", "forest")


LOGS = SearchSpace({"c": Uniform(1e-3, 1e3, "log"), "n": Integer(1, 1000, "log"), "o": Ordinal((3, 1, 2))})


def test_a_log_scale_is_even_in_the_logarithm():
    drawn = LOGS.sample(np.random.default_rng(3), 4000)
    assert reference.kstest([c["c"] for c in drawn], reference.loguniform(1e-3, 1e3).cdf).pvalue > 1e-3
    n = np.array([c["n"] for c in drawn])
    edges = np.log(np.array([0.5, 1.5, 10.5, 100.5, 1000.5]) / 0.5) / np.log(1000.5 / 0.5)
    expected = 4000 * np.diff(edges)
    seen = np.histogram(n, bins=[0.5, 1.5, 10.5, 100.5, 1000.5])[0]
    assert reference.chisquare(seen, expected).pvalue > 1e-3


def test_log_scales_map_back_to_themselves_and_keep_their_ends():
    for candidate in LOGS.sample(np.random.default_rng(4), 200):
        again = LOGS.from_unit(LOGS.to_unit(candidate))
        assert again["c"] == pytest.approx(candidate["c"])
        assert (again["n"], again["o"]) == (candidate["n"], candidate["o"])
    assert [LOGS.from_unit(np.full(3, u))["n"] for u in (0.0, 1.0)] == [1, 1000]
    assert [LOGS.from_unit(np.full(3, u))["c"] for u in (0.0, 1.0)] == [1e-3, 1e3]


def test_the_end_of_a_range_is_not_overshot_by_rounding():
    bounds = np.round(np.random.default_rng(5).uniform(0, 10, (500, 2)), 2)
    for low, high in bounds[bounds[:, 0] < bounds[:, 1]]:
        dimension = Uniform(float(low), float(high))
        assert dimension.to_unit(dimension.from_unit(1.0)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Uniform(2, 1), r"low < high, got \[2, 1\]"),
        (lambda: Uniform(0, math.inf), "finite"),
        (lambda: Uniform(0, 1, "log"), r"above 0, got \[0, 1\]"),
        (lambda: Uniform(1e-200, 1e200, "log"), r"high / low must be a finite number, got \[1e-200, 1e\+200\]"),
        (lambda: Uniform(-1e308, 1e308), r"high - low must be a finite number, got \[-1e\+308, 1e\+308\]"),
        (lambda: Integer(1, 10**400), "high - low must be a finite number"),
        (lambda: Integer(0, 9, "log"), "above 0"),
        (lambda: Uniform(1, 2, "ln"), "unknown scale 'ln'; known: linear, log"),
        (lambda: Uniform("a", 1), r"finite numbers with low < high, got \[a, 1\]"),
        (lambda: Uniform(math.nan, 1), r"low < high, got \[nan, 1\]"),
        (lambda: Integer(0.5, 3.5), r"bounds of an Integer must be whole numbers, got \[0.5, 3.5\]"),
        (lambda: Integer(1, 3.0), r"bounds of an Integer must be whole numbers, got \[1, 3.0\]"),
        (lambda: Integer(False, 3), r"finite numbers with low < high, got \[False, 3\]"),
        (lambda: Exponential(-1.0), "mean must be above 0 and a finite number, got -1.0"),
        (lambda: Exponential(0.0), "mean must be above 0 and a finite number, got 0.0"),
        (lambda: Exponential(math.inf), "mean must be above 0 and a finite number, got inf"),
        (lambda: Choice(()), "at least one value"),
        (lambda: Choice("rbf"), "values must be a tuple or a list, got 'rbf'"),
        (lambda: Choice(5), "values must be a tuple or a list, got 5"),
        (lambda: Choice(np.array(5)), r"values must be a tuple or a list, got array\(5\)"),
        (lambda: Continuous(reference.uniform), "expected a frozen continuous distribution of scipy.stats, got"),
        (
            lambda: Continuous(reference.randint(1, 4)),
            "expected a frozen continuous distribution of scipy.stats, got",
        ),
        (lambda: Discrete(3), "expected a frozen discrete distribution of scipy.stats, got 3"),
        (lambda: SearchSpace({"a": 3}), r"'a' must be a dimension, such as Uniform\(0.0, 1.0\) or .*, got 3"),
        (lambda: SearchSpace({"a": Uniform(0, 1), "b": (0, 1)}), r"'b' must be a dimension, .*, got \(0, 1\)"),
        (lambda: SearchSpace({"a": Integer}), "'a' must be a dimension, .*, got <class"),
        (lambda: SearchSpace({1: Uniform(0, 1)}), "the name of a dimension must be a string, got 1"),
        (lambda: SearchSpace([Uniform(0, 1)]), "dimensions must be a mapping from names to dimensions, got"),
        (lambda: SPACE.sample(0, 2), "rng must be a numpy.random.Generator, got 0"),
        (lambda: SPACE.sample(np.random.default_rng(0), -1), "n_candidates must be at least 0 .*, got -1"),
        (lambda: SPACE.from_unit([0.5]), r"expected 2 numbers in \[0, 1\], got \[0.5\]"),
        (lambda: SPACE.to_unit({"depth": 9, "rate": 0.5}), r"'depth': 9 is not a whole number in \[1, 4\]"),
    ],
)
def test_dimensions_and_spaces_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_space_without_a_continuous_dimension_has_a_number_of_points():
    assert SPACE.n_points is None
    assert SearchSpace({"depth": Integer(1, 4), "rule": Choice(("gini", "entropy"))}).n_points == 8
    assert SearchSpace({"depth": Discrete(reference.randint(1, 4)), "size": Ordinal((16, 32))}).n_points == 6
    assert SearchSpace({"depth": Discrete(reference.poisson(2))}).n_points is None
    squares = reference.rv_discrete(values=([1, 4, 9], [0.2, 0.3, 0.5]))()
    assert SearchSpace({"depth": Discrete(squares)}).n_points == 3
    assert SearchSpace({"depth": Discrete(reference.randint(1, 10**7))}).n_points == 10**7 - 1
    listed = ({"rate": 0.1}, {"rate": 0.2}, {"rate": 0.3})
    assert ListedSpace({"rate": Uniform(0.0, 1.0)}, listed=listed).n_points == 3


def test_numbers_of_numpy_are_numbers():
    assert Integer(1, 5).to_unit(np.int64(3)) == Integer(1, 5).to_unit(3) == 0.5
    assert Integer(1, 5).to_unit(np.float32(3)) == 0.5
    assert Uniform(0.0, 4.0).to_unit(np.float64(1)) == 0.25
    assert Uniform(0.0, 4.0).to_unit(np.float32(1)) == 0.25
    assert Exponential(np.float64(2)).to_unit(np.int32(0)) == 0.0
    for scale in ("linear", "log"):
        drawn = [Integer(np.int64(2), np.int64(9), scale).from_unit(u) for u in (0.0, 0.3, 1.0)]
        assert drawn == [Integer(2, 9, scale).from_unit(u) for u in (0.0, 0.3, 1.0)]
        assert {type(value) for value in drawn} == {int}  # which JSON takes


FROZEN = [
    reference.loguniform(1e-3, 1e3),
    reference.norm(3, 2),
    reference.beta(2, 5),
    reference.expon(scale=0.01),
    reference.t(2),
]


def test_bounds_and_values_of_numpy_are_those_of_python():
    byte = Integer(np.uint8(0), np.uint8(255))
    assert [byte.from_unit(u) for u in (0.0, 0.5, 1.0)] == [0, 128, 255]
    assert byte.to_unit(127) == 127.5 / 256
    assert Integer(np.int8(0), np.int8(127)).from_unit(1.0) == 127
    assert type(Uniform(np.float32(0), np.float32(1)).from_unit(0.5)) is float
    assert as_json({"x": Choice(np.arange(3)).from_unit(0.9)}) == '{"x": 2}'


@pytest.mark.parametrize("frozen", FROZEN, ids=lambda frozen: frozen.dist.name)
def test_a_scipy_distribution_maps_back_to_itself_to_the_last_digit(frozen):
    dimension = Continuous(frozen)
    for u in (*np.random.default_rng(0).random(100), 0.0, 1.0):
        value = dimension.from_unit(u)
        assert dimension.from_unit(dimension.to_unit(value)) == value
        assert dimension.to_unit(value) == pytest.approx(u, abs=2.0**-31)
        assert math.isfinite(value)
    assert dimension.from_unit(0.25) == frozen.ppf(0.25)  # a quantile of the grid


@pytest.mark.parametrize(
    "dimension",
    [
        *map(Continuous, (*FROZEN, reference.beta(0.1, 0.1), reference.gamma(0.01))),
        *map(Discrete, (reference.randint(1, 10), reference.poisson(4), reference.skellam(3, 2))),
    ],
    ids=repr,
)
def test_quantiles_snap_at_once_to_where_values_lie(dimension):
    u = np.append(np.random.default_rng(0).random(100), [0.0, 1.0, 1e-12, 1 - 1e-12])
    one_by_one = [dimension.to_unit(dimension.from_unit(float(quantile))) for quantile in u]
    assert dimension.snap(u).tolist() == one_by_one


@pytest.mark.parametrize(
    "frozen",
    [
        reference.binom(40, 0.3),
        reference.binom(2000, 0.9),
        reference.hypergeom(200, 60, 40),
        reference.randint(1, 10),
    ],
    ids=lambda frozen: frozen.dist.name,
)
def test_the_ends_of_a_discrete_distribution_map_back_where_its_cdf_rounds(frozen):
    dimension, u = Discrete(frozen), np.array([0.0, 0.5, 1.0])
    values = [dimension.from_unit(float(quantile)) for quantile in u]
    units = [dimension.to_unit(value) for value in values]
    assert [dimension.from_unit(unit) for unit in units] == values
    assert dimension.snap(u).tolist() == units


@pytest.mark.parametrize(
    ("frozen", "values"),
    [
        (reference.randint(1, 10), range(1, 10)),
        (reference.binom(5, 0.3), range(6)),
        (reference.poisson(4), range(20)),
    ],
    ids=lambda given: getattr(getattr(given, "dist", None), "name", ""),
)
def test_whole_numbers_of_a_scipy_distribution_map_back_to_themselves(frozen, values):
    dimension = Discrete(frozen)
    assert [dimension.from_unit(dimension.to_unit(value)) for value in values] == list(values)
    assert dimension.from_unit(0.0) == min(values)
    drawn = [dimension.from_unit(u) for u in np.random.default_rng(1).random(2000)]
    assert np.mean(drawn) == pytest.approx(frozen.mean(), abs=4 * frozen.std() / math.sqrt(2000))


def test_whole_numbers_finer_than_the_cdf_have_a_quantile():
    wide = Discrete(reference.randint(0, 2**60))
    for u in (0.1, 0.5, 0.9):
        assert abs(wide.to_unit(wide.from_unit(u)) - u) < 1e-9


def test_scalars_of_numpy_have_json():
    assert as_json({"a": np.int64(1), "b": np.bool_(True)}) == as_json({"a": 1, "b": True})


@pytest.mark.parametrize("point", [[0.5], [0.5, 1.5], [0.5, -0.1]])
def test_a_point_outside_the_unit_cube_is_no_candidate(point):
    space = SearchSpace({"a": Uniform(0.0, 1.0), "b": Uniform(0.0, 1.0)})
    with pytest.raises(ValueError, match=r"expected 2 numbers in \[0, 1\], got"):
        space.from_unit(np.array(point))


def test_whole_numbers_beyond_the_floats_are_told_apart():
    wide, close = Integer(0, 2**63 - 1), Integer(10**17, 10**17 + 8)
    assert wide.to_unit(wide.from_unit(1.0)) == 1.0
    assert [close.from_unit(close.to_unit(10**17 + i)) for i in range(9)] == [10**17 + i for i in range(9)]
