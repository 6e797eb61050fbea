import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from frugal.seeds import rng_for
from studies import regions, registry
from studies.cells import every, some
from studies.estimates import (
    CONTRADICTED,
    REPRODUCED,
    UNDECIDED,
    Estimate,
    clustered_share,
    exact,
    mean,
    of_splits,
    ratio,
    resampled,
    seeds_to_decide,
    share,
    unbounded,
)
from studies.records import Claim, Floor, Method, Paper
from studies.verdicts import (
    COLUMNS,
    NO_EVIDENCE,
    NOT_RUN,
    NOT_TESTABLE,
    judge,
    scale_label,
    split,
    summarise,
    verdict,
)


def claim(agrees, measure, **more):
    return Claim("paper.topic.what", "1", "a quantity", "times", agrees, measure, **{"quote": "words"} | more)


@pytest.mark.parametrize(
    ("region", "low", "high", "expected"),
    [
        (regions.above(1), 1.1, 2.0, REPRODUCED),
        (regions.above(1), 0.5, 0.9, CONTRADICTED),
        (regions.above(1), 0.9, 1.1, UNDECIDED),
        (regions.above(1), 1.0, 2.0, UNDECIDED),  # a threshold itself is outside
        (regions.below(0), -2.0, -1.0, REPRODUCED),
        (regions.between(3.2, 32), 3.2, 32.0, REPRODUCED),
        (regions.near(19), 9.8, 21.5, UNDECIDED),  # noise is no agreement
        (regions.near(19), 15.0, 16.4, CONTRADICTED),
        (regions.near(19), 17.2, 20.8, REPRODUCED),
    ],
)
def test_the_whole_interval_decides(region, low, high, expected):
    assert verdict(region, Estimate((low + high) / 2, low, high)) == expected


@pytest.mark.parametrize(
    ("region", "low", "high"),
    [
        (regions.near(0.246, unit=0.001), 0.2214, 0.2706),  # 10 %
        (regions.near(4, unit=1), 3.5, 4.5),  # half of the last printed digit
        (regions.near(0.04, unit=0.01, se=0.01), 0.02, 0.06),  # two standard errors
        (regions.near(0.0203, margin=0.005), 0.0153, 0.0253),
        (regions.near_sd(0.06), 0.04, 0.09),
        (regions.near_ratio(2.2), 2.0, 2.42),
        (regions.about(0.7), 0.525, 0.875),
        (regions.order_of_magnitude(), math.sqrt(10), math.sqrt(1000)),
        (regions.factor_of_two(), 1.8, 2.2),
        (regions.much(), 2.0, math.inf),
    ],
)
def test_margins_are_fixed_by_kind(region, low, high):
    assert (region.low, region.high) == (pytest.approx(low), pytest.approx(high))


def test_regions_read_as_words():
    listed = (regions.above(1), regions.at_most(5), regions.near(19), regions.near(1, margin=1))
    assert [str(region) for region in listed] == ["above 1", "at most 5", "17.1 to 20.9", "0 to 2"]


@pytest.mark.parametrize(("low", "high"), [(2, 1), (-math.inf, math.inf)])
def test_a_region_without_edge_or_values_is_refused(low, high):
    with pytest.raises(ValueError, match=r"edge|below"):
        regions.Region(low, high)


def test_an_exact_quantity_is_inside_or_outside():
    assert verdict(regions.near(0.63, unit=0.01), exact(0.632)) == REPRODUCED
    assert verdict(regions.below(0), exact(0.0)) == CONTRADICTED


def test_a_mean_has_students_interval():
    values = np.array([1.0, 2.0, 4.0, np.nan, 7.0])
    found = mean(values)
    kept = values[~np.isnan(values)]
    expected = stats.t.interval(0.95, 3, kept.mean(), stats.sem(kept))
    assert (found.ours, found.n_seeds) == (3.5, 4)
    assert (found.low, found.high) == pytest.approx(expected)


def test_an_interval_ends_where_the_quantity_does():
    values = [50.0, 90.0, 99.0]
    free, cut = mean(values), mean(values, bounds=(0, 100))
    assert free.high > 100
    assert (cut.low, cut.high, cut.sd) == (free.low, 100.0, free.sd)
    assert verdict(regions.at_most(100), cut) == REPRODUCED
    low = mean([1.0, 10.0, 50.0], bounds=(0, 100))
    assert (low.low, low.high) == (0.0, mean([1.0, 10.0, 50.0]).high)


def test_a_ratio_is_paired_by_seed_and_its_interval_is_of_the_logarithm():
    slow, fast = np.array([2.0, 8.0, 4.0]), np.array([1.0, 2.0, 1.0])
    found = ratio(slow, fast)  # 2, 4 and 4 times
    logs = np.log([2.0, 4.0, 4.0])
    expected = np.exp(stats.t.interval(0.95, 2, logs.mean(), stats.sem(logs)))
    assert found.ours == pytest.approx(32 ** (1 / 3))
    assert (found.low, found.high) == pytest.approx(expected)
    assert verdict(regions.above(1), ratio(slow, slow * [1.4, 1.5, 1.6])) == CONTRADICTED


@pytest.mark.parametrize(("n_yes", "n"), [(3, 3), (0, 3), (27, 40)])
def test_a_share_has_wilsons_interval_also_of_equal_answers(n_yes, n):
    found = share([1.0] * n_yes + [0.0] * (n - n_yes), unit=100)
    expected = stats.binomtest(n_yes, n).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((100 * expected.low, 100 * expected.high))
    assert found.low < found.high
    assert found.sd > 0


@pytest.mark.parametrize("n", [1, 7, 200, 4321])
def test_one_case_shows_that_there_are_cases_and_none_shows_nothing(n):
    assert verdict(regions.above(0), share([1.0] + [0.0] * n)) == REPRODUCED
    assert verdict(regions.above(0), share([0.0] * n)) == UNDECIDED
    assert verdict(regions.below(1), share([1.0] * n)) == UNDECIDED


def test_a_resampled_mean_has_nearly_students_interval_and_the_same_one_for_the_same_id():
    arrays = {"x": rng_for("test").normal(3.0, 1.0, 12)}
    found = resampled(lambda a: float(a["x"].mean()), arrays, rng_for("bootstrap", "an.id"))
    again = resampled(lambda a: float(a["x"].mean()), arrays, rng_for("bootstrap", "an.id"))
    direct = mean(arrays["x"])
    assert found == again
    assert (found.low, found.high) == pytest.approx((direct.low, direct.high), abs=0.02)


def test_a_statistic_without_a_value_is_not_resampled():
    def statistic(arrays):
        calls.append(arrays)
        return math.nan

    calls = []
    found = resampled(statistic, {"x": np.ones(5)}, rng_for("test"), is_log=True)
    assert (math.isnan(found.ours), math.isnan(found.low), found.n_seeds, len(calls)) == (True, True, 5, 1)


def test_a_resampled_ratio_of_means_is_symmetric_in_the_logarithm():
    rng = rng_for("test")
    arrays = {"a": rng.lognormal(1.0, 0.3, 15), "b": rng.lognormal(0.0, 0.3, 15)}
    found = resampled(lambda a: float(a["a"].mean() / a["b"].mean()), arrays, rng, is_log=True)
    assert found.ours == pytest.approx(arrays["a"].mean() / arrays["b"].mean())
    assert found.ours / found.low == pytest.approx(found.high / found.ours)


def test_every_cell_must_pass_its_own_test():
    cells = np.array([[1.0, 2.0, 1.5, 1.7], [0.5, 0.9, 0.7, 0.6]])
    found = every(cells, regions.above(0))
    assert found.verdict == REPRODUCED
    assert (found.ours, found.low) == pytest.approx((0.675, mean(cells[1]).low))  # of the worst cell
    assert "cells: agree 2, open 0, disagree 0" in found.remark


def test_one_open_cell_leaves_every_cell_undecided_and_one_on_the_other_side_contradicts():
    good, open_cell = [1.0, 2.0, 1.5, 1.7], [-1.0, 1.2, 0.9, -0.3]
    undecided = every([good, open_cell], regions.above(0))
    assert undecided.verdict == UNDECIDED
    assert int(undecided.seeds_to_decide) > 4
    assert every([good, [-3.0, -3.1, -2.9, -3.2]], regions.above(0)).verdict == CONTRADICTED


def test_the_cell_is_shown_that_the_verdict_hangs_on():
    near, noisy, other = [0.5, 0.6, 0.4, 0.5], [3.0, -1.0, 2.0, 0.0], [-0.3, -0.31, -0.29, -0.3]
    undecided = every([near, noisy], regions.above(0))
    assert (undecided.verdict, undecided.ours, undecided.low < 0) == (UNDECIDED, pytest.approx(1.0), True)
    contradicted = every([near, noisy, other], regions.above(0))
    assert (contradicted.verdict, contradicted.ours, contradicted.high < 0) == (
        CONTRADICTED, pytest.approx(-0.3), True,
    )  # fmt: skip


def test_holm_spares_a_cell_that_only_chance_puts_on_the_other_side():
    rng = rng_for("test")
    cells = rng.normal(0.0, 1.0, (200, 10))  # no effect anywhere: some cells are below 0 at 2.5 % by themselves
    by_itself = [stats.ttest_1samp(row, 0.0, alternative="less").pvalue < 0.025 for row in cells]
    assert any(by_itself)
    assert every(cells, regions.above(0)).verdict == UNDECIDED


def test_cells_in_which_nothing_varies_are_left_out_and_counted():
    found = every([[1.0, 2.0, 1.5], [0.5, 0.5, 0.5]], regions.above(0))
    assert found.verdict == REPRODUCED
    assert found.remark.endswith("; left out, since nothing varies: 1")
    assert verdict(regions.above(0), every([[0.0, 0.0]], regions.above(0))) == UNDECIDED


@pytest.mark.parametrize("n_seeds", [3, 5, 6, 10, 30])
@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, -2.0, 0.0])
def test_equal_values_are_told_from_rounding_and_keep_a_claim_from_being_reproduced_beyond_the_edge(
    value, n_seeds
):
    varied = [1.0, 1.1, *np.linspace(1.0, 1.2, n_seeds - 2)]
    found = every([[value] * n_seeds, varied], regions.above(0))
    assert found.verdict == (UNDECIDED if value <= 0 else REPRODUCED)  # 0 itself is not above 0
    assert ("; left out, since nothing varies: 1" in found.remark) is True
    assert ("of these not inside: 1" in found.remark) == (value <= 0)
    assert every([[value] * n_seeds, varied], regions.at_least(0)).verdict == (
        UNDECIDED if value < 0 else REPRODUCED
    )
    assert some([[value] * n_seeds, varied], regions.above(0)).remark == "cells: 1; shown: the clearest"


@pytest.mark.parametrize("values", [[math.nan] * 3, [1.0, math.nan, math.nan]])
def test_a_cell_with_less_than_two_values_leaves_every_cell_undecided(values):
    found = every([values, [1.0, 1.1, 1.2]], regions.above(0))
    assert (found.verdict, found.seeds_to_decide) == (UNDECIDED, "")
    assert found.remark == "cells: agree 1, open 0, disagree 0; with less than two values: 1"


def test_a_ratio_of_nought_opens_the_interval_below_and_an_infinite_one_above():
    found = ratio([0.0, 1.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0])
    assert (found.low, found.n_seeds) == (0.0, 3)
    assert verdict(regions.above(0.001), found) == UNDECIDED
    assert ratio([1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 1.0, 1.0]).high == math.inf
    logs = np.log([1.0, 2.0, 2.0])
    assert ratio([0.0, 1.0, 2.0, 2.0], [0.0, 1.0, 1.0, 1.0]).low == pytest.approx(np.exp(mean(logs).low))
    cells = every([[-math.inf, 1.0, 1.1, 1.2]], regions.above(0))
    assert (cells.verdict, cells.low) == (UNDECIDED, -math.inf)
    none = ratio([0.0] * 10, [1.0] * 10)
    assert none.remark == "0 in 10 seeds, infinite in 0"
    assert verdict(regions.below(1), none) == UNDECIDED


def test_equal_values_have_their_own_mean_at_a_closed_edge():
    found = mean([0.1] * 6)  # whose sum divided by 6 is less
    assert (found.ours, found.low, found.high) == (0.1, 0.1, 0.1)
    assert verdict(regions.at_least(0.1), found) == REPRODUCED


def test_a_constant_cell_that_is_censored_leaves_every_cell_undecided():
    cells = np.log([[2.0, 2.2, 1.8, 2.1], [3.0, 3.0, 3.0, 3.0]])
    assert every(cells, regions.above(1), is_log=True).verdict == REPRODUCED
    found = every(cells, regions.above(1), is_log=True, open_below=[False, True])
    assert (found.verdict, found.remark.endswith("of these not inside: 1")) == (UNDECIDED, True)


@pytest.mark.parametrize("region", [regions.above(10), regions.much(), regions.at_least(10)])
def test_a_region_without_an_upper_edge_holds_an_interval_without_an_upper_end(region):
    at_least = unbounded(ratio([20.0, 30.0, 25.0], [1.0, 1.1, 0.9]), below=False, above=True)
    assert verdict(region, at_least) == REPRODUCED
    assert not region.holds(20.0, math.nan)
    assert regions.below(1).holds(-math.inf, 0.5)
    assert not regions.below(1).holds(-math.inf, 1.0)


def test_large_equal_values_are_equal_although_their_mean_is_rounded():
    assert verdict(regions.above(1), mean(np.full(3, 6369979.911527222))) == UNDECIDED


def test_what_one_seed_leaves_open_has_no_number_of_seeds():
    assert seeds_to_decide(regions.at_least(0.5), mean([1.0])) == ""


def test_no_seeds_move_a_cell_without_spread_beyond_the_edge():
    found = every([[1.0, 1.1, 1.2], [-1.0, -1.0, -1.0]], regions.above(0))
    assert (found.verdict, found.seeds_to_decide) == (UNDECIDED, "")


def test_what_has_no_estimate_at_the_floor_is_undecided_and_says_why():
    claim = Claim(
        "a.b",
        "1",
        "gain",
        "points",
        regions.above(0),
        lambda arrays, rng: every([[0.0] * 9], regions.above(0)),
    )
    (row,) = judge([claim], {}, enough=True, scale="paper").to_dict("records")
    assert (row["verdict"], row["seeds_to_decide"]) == (UNDECIDED, "")
    assert row["quantity"] == "gain (cells: 1; nothing varies in any)"


def test_the_worst_cell_is_named_where_cells_have_names():
    cells = [[0.0, 0.0, 0.0], [1.0, 2.0, 1.5], [0.5, 0.6, 0.7]]
    found = every(cells, regions.above(0), names=("constant", "first", "second"))
    assert found.remark.endswith("; shown: second")
    assert found.ours == pytest.approx(0.6)


def test_the_cell_that_is_shown_is_the_worst_of_those_that_decide():
    agrees, is_open, disagrees = [0.1, 0.11, 0.09], [-5.0, 9.0, 5.0], [-0.2, -0.21, -0.19]
    assert every([agrees, is_open], regions.above(0)).ours == pytest.approx(3.0)  # not the lower 0.1, which agrees
    assert every([agrees, is_open, [-9.0, 5.0, 1.0], disagrees], regions.above(0)).ours == pytest.approx(-0.2)


def test_every_cell_of_ratios_is_shown_as_a_ratio():
    found = every(np.log([[0.5, 0.6, 0.55], [0.8, 0.9, 0.85]]), regions.below(1), is_log=True)
    assert found.verdict == REPRODUCED
    assert found.ours == pytest.approx((0.8 * 0.9 * 0.85) ** (1 / 3))
    assert found.low < found.ours < found.high < 1


def test_a_row_has_the_scale_of_its_own_runs_or_of_all_where_none_was_run():
    scales = {"a": "desk", "b": "paper", "c": "desk"}
    assert scale_label("smoke", ["a", "b"]) == "smoke"
    assert [scale_label(scales, runs) for runs in (["b"], ["a", "c"], ["b", "a"])] == [
        "paper",
        "desk",
        "paper and desk",
    ]
    assert scale_label(scales, ["d"]) == "desk and paper"


def test_sometimes_takes_one_case():
    yes, no = [1.0, 1.2, 1.1, 0.9], [-1.0, -1.2, -1.1, -0.9]
    assert some([yes, no], regions.above(0)).verdict == REPRODUCED
    assert some([no, [-1.0, 1.2, 0.5, -0.4]], regions.above(0)).verdict == UNDECIDED
    assert [some([cell, cell], regions.below(0)).verdict for cell in (no, yes)] == [REPRODUCED, UNDECIDED]
    for other in ([0.5] * 4, [math.nan] * 4):  # which bears it out, or says nothing
        found = some([no, other], regions.above(0))
        assert (found.verdict, found.seeds_to_decide) == (UNDECIDED, "")  # nor would more seeds decide


def test_cases_that_are_not_all_refute_no_sometimes():
    no, open_cell, other = [-1.0, -1.2, -1.1, -0.9], [-1.0, 1.2, 0.9, -0.3], [1.0, -1.2, -0.5, 0.4]
    found = some([no, no], regions.above(0), names=("a", "b"))
    assert (found.verdict, found.remark) == (UNDECIDED, "cells: 2; shown: the clearest, a; others may bear it out")
    assert seeds_to_decide(regions.above(0), found) == ""  # nor would more seeds of them
    assert seeds_to_decide(regions.above(0), some([no, other], regions.above(0))) == ""
    assert int(seeds_to_decide(regions.above(0), some([no, open_cell], regions.above(0)))) > 4


def test_to_agree_one_of_several_cells_needs_the_seeds_of_its_correction():
    cells = np.random.default_rng(2).normal(0.0, 1.0, (5, 10))
    cells[0] += 0.75
    alone = int(some(cells[:1], regions.above(0)).seeds_to_decide or 0)
    assert int(some(cells, regions.above(0)).seeds_to_decide) > max(alone, 10)


def test_every_cell_may_have_to_lie_between_two_edges():
    inside, above, below = [0.4, 0.5, 0.6, 0.5], [1.4, 1.5, 1.6, 1.5], [-0.4, -0.5, -0.6, -0.5]
    region = regions.between(0, 1)
    assert every([inside, inside], region).verdict == REPRODUCED
    found = every([inside, below, above], region, names=("a", "b", "c"))
    assert found.verdict == CONTRADICTED
    assert found.ours == pytest.approx(-0.5)
    assert found.remark == "cells: agree 1, open 0, disagree 2; shown: b"
    assert every([inside, [0.5, 1.2, 0.8, 1.4]], region).verdict == UNDECIDED


def test_one_cell_outside_or_all_inside_decide_a_claim_on_every_cell():
    def seeds(*cells):
        return int(every(cells, regions.above(0)).seeds_to_decide)

    near, nearer = [-1.0, 1.2, 0.9, -0.3], [-1.0, 1.0, 0.9, -0.5]
    far, farther = [1.0, -1.3, -0.9, 0.2], [1.0, -1.4, -1.1, 0.1]
    assert seeds(near, nearer) == max(seeds(near), seeds(nearer))
    # The one outside that is decided first, where three share the 2.5 %.
    n = np.arange(2, 1001)
    reach = (stats.t.ppf(1 - 0.025 / 3, n - 1) + 0.84) * np.std(farther, ddof=1) / np.sqrt(n)
    assert seeds(near, far, farther) == n[reach <= -np.mean(farther)][0] > seeds(farther)


def test_cells_of_splits_of_one_sample_are_widened_as_a_mean_of_them_is():
    x = np.tile([0.9, 1.0, 1.1, 1.2], 5) - 0.95
    assert every([x], regions.above(0)).verdict == REPRODUCED
    found = every([x], regions.above(0), splits=(20, 0.5))
    wider = of_splits(mean(x), 20, 0.5)
    assert (found.low, found.high) == (wider.low, wider.high)
    assert (found.verdict, found.seeds_to_decide) == (UNDECIDED, ">1000")


def test_the_region_of_some_cell_has_one_edge():
    with pytest.raises(ValueError, match="one edge"):
        some([[1.0, 2.0]], regions.between(0, 1))


def test_values_that_may_be_lower_bear_out_no_lower_edge_but_may_miss_it():
    fast, slow = np.log([[20.0, 22.0, 18.0, 21.0]]), np.log([[2.0, 2.2, 1.8, 2.1]])
    region = regions.at_least(10)
    for measure in (every, some):
        assert measure(fast, region, is_log=True).verdict == REPRODUCED
        censored = measure(fast, region, is_log=True, open_below=True)
        assert (censored.verdict, censored.low, censored.seeds_to_decide) == (UNDECIDED, 0.0, ">1000")
        assert measure(slow, region, is_log=True, open_above=True).verdict == UNDECIDED
        assert measure(fast, region, is_log=True, open_above=True).verdict == REPRODUCED
    assert every(slow, region, is_log=True, open_below=True).verdict == CONTRADICTED
    assert some(slow, region, is_log=True, open_below=True).verdict == UNDECIDED


def test_of_some_cell_the_one_that_decides_is_shown():
    cells = np.log([[20.0, 22.0, 18.0, 21.0], [2.0, 2.2, 1.8, 2.1]])
    found = some(cells, regions.above(1), is_log=True, names=("open", "known"), open_below=[True, False])
    assert found.verdict == REPRODUCED
    assert found.low > 1
    assert found.ours == pytest.approx(2.02, abs=0.01)
    assert found.remark.endswith("known")
    cells = np.log([[20.0, 22.0, 18.0, 21.0], [0.5, 0.55, 0.45, 0.52]])
    undecided = some(cells, regions.above(1), is_log=True, names=("open", "known"), open_below=[True, False])
    assert (undecided.verdict, undecided.seeds_to_decide) == (UNDECIDED, ">1000")
    assert undecided.remark.endswith("open")
    cells = np.vstack([cells, np.log([[1.4, 0.9, 1.5, 1.0]])])
    with_a_third = some(cells, regions.above(1), is_log=True, open_below=[True, False, False])
    assert (with_a_third.verdict, int(with_a_third.seeds_to_decide) < 100) == (UNDECIDED, True)


def test_a_ratio_of_censored_values_has_an_open_side_that_seeds_do_not_close():
    found = ratio([20.0, 30.0, 25.0], [1.0, 1.1, 0.9])
    at_least = unbounded(found, below=False, above=True)
    assert (at_least.low, at_least.high) == (found.low, math.inf)
    assert verdict(regions.at_least(10), at_least) == REPRODUCED
    at_most = unbounded(found, below=True, above=False)
    assert at_most.low == 0.0
    assert verdict(regions.at_least(10), at_most) == UNDECIDED
    assert seeds_to_decide(regions.at_least(10), at_most) == ">1000"
    assert int(seeds_to_decide(regions.at_least(26), unbounded(found, below=True, above=False))) > 3


def test_a_share_of_trials_is_worth_as_many_cases_as_its_seeds_vary():
    alike = clustered_share([5, 5, 5, 5], [10, 10, 10, 10], unit=100)  # nothing but binomial noise is known
    apart = clustered_share([10, 10, 0, 0], [10, 10, 10, 10], unit=100)  # a seed has all of them or none
    assert alike.ours == apart.ours == 50
    # Variance between seeds: 1/4 of 4/3 / 4 = 1/12, as of 3 coins; Wilson's interval with Student's quantile.
    z = stats.t.ppf(0.975, 3)
    half = 100 * z * math.sqrt(0.25 / 3 + z**2 / 36) / (1 + z**2 / 3)
    assert (apart.low, apart.high) == pytest.approx((50 - half, 50 + half))
    assert apart.high - apart.low > 1.5 * (alike.high - alike.low)
    # Seeds that differ less than coins would are still 40 cases, not the 150 of their variance.
    close = clustered_share([4, 5, 6, 5], [10, 10, 10, 10], unit=100)
    assert (close.low, close.high) == pytest.approx((alike.low, alike.high))
    seeds = clustered_share([2, 0, 0, 0], [10, 10, 10, 10])
    assert seeds.sd == pytest.approx(np.std([0.2, 0, 0, 0], ddof=1))
    assert share([1, 0, 0, 0]).sd == pytest.approx(math.sqrt(0.25 * 0.75))
    none = clustered_share([0, 0, 0], [9, 9, 0])  # two seeds without a yes
    assert (none.ours, none.low, none.n_seeds) == (0.0, 0.0, 2)
    assert none.high > 0.5


def test_seeds_to_decide_is_the_smallest_number_that_reaches_the_edge():
    found = Estimate(1.0, -0.5, 2.5, sd=1.3, n_seeds=5)
    n = int(seeds_to_decide(regions.above(0), found))

    def reach(n):
        return (stats.t.ppf(0.975, n - 1) + 0.84) * 1.3 / math.sqrt(n)

    assert reach(n) <= 1.0 < reach(n - 1)
    assert seeds_to_decide(regions.above(0), Estimate(0.001, -1, 1, sd=1.3, n_seeds=5)) == ">1000"


def test_below_the_floor_there_is_no_verdict():
    claims = [claim(regions.above(1), lambda a, rng: ratio(a["x"], a["y"]))]
    arrays = {"x": np.array([2.0, 2.1, 2.2]), "y": np.ones(3)}
    below = judge(claims, arrays, enough=False, scale="smoke")
    assert below["verdict"].tolist() == judge(claims, None, enough=True, scale="")["verdict"].tolist()
    assert below["verdict"].item() == NOT_RUN
    assert judge(claims, arrays, enough=True, scale="paper")["verdict"].item() == REPRODUCED
    assert below["quantity"].item() == "a quantity (below the floor)"  # there is a number beside it


def test_what_has_no_number_is_not_testable_where_its_data_are_nowhere_to_be_had():
    claims = [
        claim(regions.above(1), lambda a, rng: mean(a["x"]), is_out_of_reach=is_out) for is_out in (True, False)
    ]
    for arrays, enough in ((None, False), ({"x": np.array([])}, True), ({"x": np.array([])}, False)):
        found = judge(claims, arrays, enough=enough, scale="paper")
        assert found["verdict"].tolist() == [NOT_TESTABLE, NOT_RUN]
    brought = judge(claims, {"x": np.array([2.0, 2.1, 2.2])}, enough=True, scale="paper")
    assert brought["verdict"].tolist() == [REPRODUCED] * 2


def test_a_quantity_says_what_stands_in_place_of_a_verdict_and_why():
    claims = [claim(regions.above(1), lambda a, rng: mean(a["x"]), inferred_from="Table 3")]
    unjudged = {"paper.topic.what": (NOT_RUN, "on 9 rows")}
    found = judge(claims, {"x": np.array([0.9, 1.2])}, enough=True, scale="paper", unjudged=unjudged)
    assert found[["verdict", "seeds_to_decide", "quantity"]].iloc[0].tolist() == [
        NOT_RUN, "", "a quantity (on 9 rows; settings or data inferred from Table 3)",
    ]  # fmt: skip


def test_agreement_that_is_no_evidence_is_said_and_counted_apart(monkeypatch):
    kinds = (
        {},
        {"inferred_from": "Figure 7"},
        {"is_by_construction": True},
        {"every_choice_agrees": "one.flat"},
    )
    listed = [
        Claim(f"one.{n}", "1", "a quantity", "times", regions.above(1), lambda a, rng: exact(2.0), **kind)
        for n, kind in enumerate(kinds)
    ]
    listed += [replace(listed[1], id="one.4", agrees=regions.below(1))]
    monkeypatch.setattr(registry, "PAPERS", ("one",))
    monkeypatch.setattr(registry, "paper", lambda name: Paper(name=name, title="One", claims=listed))
    judged = judge(listed, {}, enough=True, scale="paper")
    assert judged["quantity"].tolist() == [
        "a quantity",
        "a quantity (settings or data inferred from Figure 7)",
        "a quantity (holds by construction)",
        "a quantity (of every other choice see one.flat)",
        "a quantity (settings or data inferred from Figure 7)",
    ]
    row = summarise({"one": judged}).set_index("paper").loc["one"]
    assert row[["claims", REPRODUCED, NO_EVIDENCE, CONTRADICTED]].tolist() == [5, 4, 3, 1]


def test_claims_and_findings_have_their_columns_and_are_counted():
    claims = [
        claim(regions.above(1), lambda a, rng: exact(2.0), published=2.5),
        claim(regions.above(1), lambda a, rng: exact(0.5), quote=""),
    ]
    quoted, ours = split(judge(claims, {}, enough=True, scale="paper"))
    assert list(quoted) == COLUMNS
    assert list(ours) == [name for name in COLUMNS if name != "published"]
    assert {str(quoted[name].dtype) for name in ("ours", "low", "high")} == {"float64"}  # so that they are rounded
    counts = summarise({"one": quoted, "two": ours})
    assert counts.set_index("paper").loc["all", ["claims", REPRODUCED, CONTRADICTED]].tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("n_seeds", "says"), [(2, UNDECIDED), (5, UNDECIDED), (6, CONTRADICTED), (30, CONTRADICTED)]
)
def test_few_equal_values_are_no_certainty(n_seeds, says):
    found = mean([0.1 + 0.2] * n_seeds)
    assert verdict(regions.above(1), found) == says
    assert verdict(regions.below(1), found) == (says if says == UNDECIDED else REPRODUCED)
    assert says != UNDECIDED or seeds_to_decide(regions.above(1), found) == "6"
    assert verdict(regions.above(1), exact(0.3)) == CONTRADICTED


@pytest.mark.parametrize("name", registry.PAPERS)
def test_claims_have_the_documents_words_and_findings_neither_words_nor_number(name):
    paper = registry.paper(name)
    shown, studies = {f"{one.kind}s/{one.name}" for one in paper.artefacts}, {one.name for one in paper.studies}
    assert len({one.id for one in paper.claims}) == len(paper.claims)
    for one in paper.claims:
        assert re.fullmatch(rf"{name}(\.[A-Za-z0-9_]+){{2,}}", one.id)
        assert one.artefact in shown, one.id
        assert one.study in studies, one.id
        assert one.unit, one.id
        assert bool(one.quote) != one.is_ours, one.id
        assert not (one.is_ours and one.published), one.id
        assert not (isinstance(one.published, str) and one.published), one.id
        assert not re.search("below 0|method notes" + "|log" * (name == "hypertune"), one.quantity), one.id
        if total := re.search(r", of (\d+)", one.quantity):
            assert one.agrees.high < int(total[1]) + 0.5, one.id


def test_a_floor_asks_for_its_seeds_of_every_method():
    runs = pd.DataFrame({"method": ["a", "a", "b"], "seed": [0, 1, 0]})
    floor = Floor(seeds=2, methods=(Method("a"), Method("b")))
    assert not floor(runs)
    assert floor(pd.concat([runs, runs.assign(seed=2)]))


def test_seeds_that_decide_a_share_of_none_or_all_are_those_of_its_own_interval():
    # Wilson's interval of n equal answers ends at n / (n + 1.96^2).
    assert seeds_to_decide(regions.at_least(95), share([1.0] * 10, unit=100)) == "73"
    assert seeds_to_decide(regions.at_most(1), share([0.0] * 10, unit=100)) == "381"
    assert seeds_to_decide(regions.at_most(0.1), share([0.0] * 10, unit=100)) == ">1000"
    clustered = int(seeds_to_decide(regions.at_most(1), clustered_share([0] * 10, [9] * 10, unit=100)))
    assert clustered_share([0] * clustered, [9] * clustered, unit=100).high <= 1
    assert clustered_share([0] * (clustered - 1), [9] * (clustered - 1), unit=100).high > 1


@pytest.mark.parametrize(("yes", "n_seeds", "edge"), [(7, 10, 50), (6, 10, 50), (9, 10, 80), (3, 4, 30)])
def test_seeds_that_decide_a_share_do_so_four_times_in_five(yes, n_seeds, edge):
    def of(hits, n):
        return share([1.0] * hits + [0.0] * (n - hits), unit=100)

    region = regions.above(edge)
    needed = int(seeds_to_decide(region, of(yes, n_seeds)))
    counts = np.arange(needed + 1)
    decides = np.array([verdict(region, of(hits, needed)) == REPRODUCED for hits in counts])
    assert stats.binom.pmf(counts, needed, yes / n_seeds)[decides].sum() == pytest.approx(0.8, abs=0.04)


def test_an_undecided_share_needs_more_seeds_than_it_has():
    for yes, edge in itertools.product(range(5), (0.1, 0.3, 0.5, 0.7, 0.9)):
        found = share([1.0] * yes + [0.0] * (4 - yes))
        if verdict(regions.above(edge), found) == UNDECIDED and found.ours != edge:
            assert int(seeds_to_decide(regions.above(edge), found).strip(">")) > 4


def test_splits_of_one_sample_say_less_than_independent_values():
    found = mean([0.0, 1.0, 2.0, 3.0])
    wider = of_splits(found, 4, 0.2)  # a quarter as many rows for testing as for training
    assert (wider.high - wider.ours) / (found.high - found.ours) == pytest.approx(math.sqrt(1 + 4 * 0.25))
    assert wider.ours - wider.low == pytest.approx(wider.high - wider.ours)
    assert seeds_to_decide(regions.above(1), wider) == ">1000"
