import math

import numpy as np
import pytest
from scipy import stats

from frugal.seeds import rng_for
from studies import regions
from studies.estimates import (
    CONTRADICTED,
    REPRODUCED,
    UNDECIDED,
    Estimate,
    every,
    exact,
    mean,
    ratio,
    resampled,
    seeds_to_decide,
    share,
    some,
)
from studies.verdicts import COLUMNS, NOT_RUN, Claim, judge, split, summarise, verdict


def claim(agrees, measure, **more):
    return Claim("paper.topic.what", "1", "words", "a quantity", "times", agrees, measure, **more)


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
    ],
)
def test_margins_are_fixed_by_kind(region, low, high):
    assert (region.low, region.high) == (pytest.approx(low), pytest.approx(high))


def test_regions_read_as_words():
    assert [str(region) for region in (regions.above(1), regions.at_most(5), regions.near(19))] == [
        "above 1", "at most 5", "17.1 to 20.9",
    ]  # fmt: skip


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


def test_a_ratio_is_paired_by_seed_and_its_interval_is_of_the_logarithm():
    slow, fast = np.array([2.0, 8.0, 4.0]), np.array([1.0, 2.0, 1.0])
    found = ratio(slow, fast)  # 2, 4 and 4 times
    logs = np.log([2.0, 4.0, 4.0])
    expected = np.exp(stats.t.interval(0.95, 2, logs.mean(), stats.sem(logs)))
    assert found.ours == pytest.approx(32 ** (1 / 3))
    assert (found.low, found.high) == pytest.approx(expected)
    assert verdict(regions.above(1), ratio(slow, slow * 1.5)) == CONTRADICTED


@pytest.mark.parametrize(("n_yes", "n"), [(3, 3), (0, 3), (27, 40)])
def test_a_share_has_wilsons_interval_also_of_equal_answers(n_yes, n):
    found = share([1.0] * n_yes + [0.0] * (n - n_yes), unit=100)
    expected = stats.binomtest(n_yes, n).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((100 * expected.low, 100 * expected.high))
    assert found.low < found.high
    assert found.sd > 0


def test_a_resampled_mean_has_nearly_students_interval_and_the_same_one_for_the_same_id():
    arrays = {"x": rng_for("test").normal(3.0, 1.0, 12)}
    found = resampled(lambda a: float(a["x"].mean()), arrays, rng_for("bootstrap", "an.id"))
    again = resampled(lambda a: float(a["x"].mean()), arrays, rng_for("bootstrap", "an.id"))
    direct = mean(arrays["x"])
    assert found == again
    assert (found.low, found.high) == pytest.approx((direct.low, direct.high), abs=0.06)


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
    assert "2 cells agree, 0 are open, 0 disagree" in found.remark


def test_one_open_cell_leaves_every_cell_undecided_and_one_on_the_other_side_contradicts():
    good, open_cell = [1.0, 2.0, 1.5, 1.7], [-1.0, 1.2, 0.9, -0.3]
    undecided = every([good, open_cell], regions.above(0))
    assert undecided.verdict == UNDECIDED
    assert int(undecided.seeds_to_decide) > 4
    assert every([good, [-3.0, -3.1, -2.9, -3.2]], regions.above(0)).verdict == CONTRADICTED


def test_holm_spares_a_cell_that_only_chance_puts_on_the_other_side():
    rng = rng_for("test")
    cells = rng.normal(0.0, 1.0, (200, 10))  # no effect anywhere: some cells are below 0 at 2.5 % by themselves
    by_itself = [stats.ttest_1samp(row, 0.0, alternative="less").pvalue < 0.025 for row in cells]
    assert any(by_itself)
    assert every(cells, regions.above(0)).verdict == UNDECIDED


def test_cells_in_which_nothing_varies_are_left_out_and_counted():
    found = every([[1.0, 2.0, 1.5], [0.0, 0.0, 0.0]], regions.above(0))
    assert found.verdict == REPRODUCED
    assert "1 in which nothing varies are left out" in found.remark
    assert verdict(regions.above(0), every([[0.0, 0.0]], regions.above(0))) == UNDECIDED


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


def test_sometimes_takes_one_case_and_never_takes_all():
    yes, no = [1.0, 1.2, 1.1, 0.9], [-1.0, -1.2, -1.1, -0.9]
    assert some([yes, no], regions.above(0)).verdict == REPRODUCED
    assert some([no, no], regions.above(0)).verdict == CONTRADICTED
    assert some([no, [-1.0, 1.2, 0.5, -0.4]], regions.above(0)).verdict == UNDECIDED


def test_the_region_of_every_cell_has_one_edge():
    with pytest.raises(ValueError, match="one edge"):
        every([[1.0, 2.0]], regions.between(0, 1))


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
    below = judge(claims, arrays, enough=False, scale="smoke", data="original")
    assert below["verdict"].tolist() == judge(claims, None, enough=True, scale="", data="")["verdict"].tolist()
    assert below["verdict"].item() == NOT_RUN
    assert judge(claims, arrays, enough=True, scale="paper", data="original")["verdict"].item() == REPRODUCED


def test_claims_and_findings_have_their_columns_and_are_counted():
    claims = [
        claim(regions.above(1), lambda a, rng: exact(2.0), published=2.5),
        claim(regions.above(1), lambda a, rng: exact(0.5), is_ours=True),
    ]
    quoted, ours = split(judge(claims, {}, enough=True, scale="paper", data="exact"))
    assert list(quoted) == COLUMNS
    assert list(ours) == [name for name in COLUMNS if name != "published"]
    counts = summarise({"one": quoted, "two": ours})
    assert counts.set_index("paper").loc["all", ["claims", REPRODUCED, CONTRADICTED]].tolist() == [2, 1, 1]
