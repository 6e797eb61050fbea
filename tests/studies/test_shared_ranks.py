"""Friedman's test, critical differences and average ranks."""

import math

import numpy as np
import pytest
from scipy import stats
from toy_runs import small_runs

from studies.shared.ranks import alike, critical_difference, friedman, rank_table

# Demšar (2006), Table 6: AUC of C4.5, with m, cf or both, on 14 data sets. He prints 0.975 twice for voting,
# the last but one, but ranks them 2 and 3: the first of them is a little more here.
DEMSAR = np.array(
    """.763 .768 .771 .798  .599 .591 .590 .569  .954 .971 .968 .967  .628 .661 .654 .657  .882 .888 .886 .898
       .936 .931 .916 .931  .661 .668 .609 .685  .583 .583 .563 .625  .775 .838 .866 .875  1.00 1.00 1.00 1.00
       .940 .962 .965 .962  .619 .666 .614 .669  .972 .981 .9751 .975  .957 .978 .946 .970""".split(),
    dtype=float,
).reshape(14, 4)  # fmt: skip


def test_ranks_and_critical_difference_are_those_of_demsars_example():
    test = friedman(-DEMSAR)
    assert test.mean_ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    # Without his correction for ties: chi-square 9.28; the ranks alone decide it.
    chi_square = 12 * 14 / (4 * 5) * (np.sum(test.mean_ranks**2) - 4 * 5**2 / 4)
    assert chi_square == pytest.approx(9.28, abs=0.01)
    assert test.statistic >= chi_square


def test_friedmans_test_is_scipys():
    losses = np.random.default_rng(0).normal(size=(12, 5)) + np.arange(5) / 2
    theirs = stats.friedmanchisquare(*losses.T)
    test = friedman(losses)
    assert (test.statistic, test.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_methods_that_are_always_tied_do_not_differ():
    test = friedman(np.ones((6, 3)))
    assert (test.mean_ranks.tolist(), test.statistic, test.p) == ([2.0, 2.0, 2.0], 0.0, 1.0)


@pytest.mark.parametrize(("n_methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_critical_differences_come_from_the_published_quantiles(n_methods, q):
    # Demšar (2006), Table 5(a): q at 0.05; his quantiles are cut after three decimals or rounded.
    for n_blocks in (6, 36):
        scale = math.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))
        assert critical_difference(n_methods, n_blocks) / scale == pytest.approx(q, abs=1.1e-3)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1, 2, 3.5, 6], [(1, 2), (2, 3.5)]),
        ([6, 1, 3.5, 2], [(1, 2), (2, 3.5)]),
        ([1, 1.5, 2, 3], [(1, 3)]),
        ([1, 4, 7], []),
        ([2, 2, 5], [(2, 2)]),
    ],
)
def test_stretches_join_what_lies_within_a_critical_difference(ranks, expected):
    assert alike(np.array(ranks, dtype=float), 2.0) == expected


def test_ranks_are_of_means_over_seeds_and_a_missing_value_is_the_worst():
    runs = small_runs({"a": [0.0, 0.1], "b": [0.2, 0.1], "c": [0.3, 0.0]})
    runs.loc[(runs["method"] == "a") & (runs["dataset"] == "d0") & (runs["seed"] == 1), "regret"] = math.nan
    table = rank_table(runs, "regret", ["dataset"]).set_index("method")
    # d0: b, c, a; d1: c, then a and b tied.
    assert table["mean_rank"].to_dict() == {"b": 1.75, "c": 1.5, "a": 2.75}
    assert table.index.tolist() == ["c", "b", "a"]
    assert table[["n_methods", "n_blocks", "n_seeds"]].iloc[0].tolist() == [3, 2, 2]


def test_methods_that_did_not_run_everywhere_are_not_ranked():
    runs = small_runs({"a": [0.0, 0.1], "b": [0.2, 0.1], "c": [0.3, 0.0], "d": [0.0]})
    assert set(rank_table(runs, "regret", ["dataset"])["method"]) == {"a", "b", "c"}
    of_one_seed = runs[(runs["method"] != "d") | (runs["seed"] == 0)]  # d is not ranked
    assert set(rank_table(of_one_seed, "regret", ["dataset"])["n_seeds"]) == {2}
    assert rank_table(runs[runs["method"] != "c"], "regret", ["dataset"]).empty
    assert rank_table(runs[runs["dataset"] == "d0"], "regret", ["dataset"]).empty
