"""The claims of document 001, quoted, and our findings beside them."""

from __future__ import annotations

from functools import partial

import numpy as np

from studies.greedy_cv.measures import (
    better_in_every_cell,
    clustered,
    count,
    faster,
    largest_over_smallest,
    n_ahead,
    n_better,
    n_same_outcome,
    n_significant,
    overall,
    ratio_of_means,
    saved_in_every_cell,
    saved_in_every_comparison,
    slower,
    spread,
)
from studies.records import Claim
from studies.regions import about, above, at_least, below, near, near_ratio, near_sd

_time = partial(Claim, section="5.1", unit="share", artefact="tables/table1")
_quality = partial(Claim, section="5.2", unit="experiments", artefact="tables/table2")
_seconds = partial(Claim, section="5.2", unit="share", artefact="tables/table3")
_larger = partial(Claim, section="6", unit="times", artefact="tables/sizes")

SEARCH_TIME = (
    _time(
        "greedy_cv.search_time.greedy_mean",
        quote="the overall mean search time for the greedy method was 0.246",
        quantity="mean search time of the greedy method, as a share of all fold evaluations",
        published=0.246,
        agrees=near(0.246, unit=0.001),
        measure=overall("greedy"),
    ),
    _time(
        "greedy_cv.search_time.greedy_sd",
        quote="the greedy method was 0.246 (std dev = 0.059)",
        quantity="standard deviation of the greedy method's mean search time over the 27 cells of Table 1",
        published=0.059,
        agrees=near_sd(0.059),
        measure=spread("greedy"),
    ),
    _time(
        "greedy_cv.search_time.standard_mean",
        quote="the overall mean search time for the standard method was 0.500",
        quantity="mean search time of the standard method, as a share of all fold evaluations",
        published=0.500,
        agrees=near(0.500, unit=0.001),
        measure=overall("standard"),
    ),
    _time(
        "greedy_cv.search_time.standard_sd",
        quote="the standard method was 0.500 (std dev = 0.023)",
        quantity="standard deviation of the standard method's mean search time over the 27 cells of Table 1",
        published=0.023,
        agrees=near_sd(0.023),
        measure=spread("standard"),
    ),
    _time(
        "greedy_cv.search_time.more_than_twice",
        quote="identified the best-performing ML model among the set of candidate models more than twice as "
        "quickly on average",
        quantity="mean search time of the standard method, as a multiple of the greedy method's",
        unit="times",
        agrees=above(2),
        measure=ratio_of_means("standard", "greedy"),
    ),
    _time(
        "greedy_cv.search_time.about_twice",
        section="6",
        quote="identify the optimal ML model approximately twice as quickly as the standard method",
        quantity="mean search time of the standard method, as a multiple of the greedy method's",
        unit="times",
        published=2,
        agrees=about(2),
        measure=ratio_of_means("standard", "greedy"),
    ),
    _time(
        "greedy_cv.search_time.n_significant",
        quote="statistically outperformed the standard k-fold method at the p < 0.001 level in every combination "
        "of dataset, ML algorithm, and value of k",
        quantity="cells of Table 1, of 27, in which the greedy method is faster at p < .001 (Welch's test on the "
        "values of five n and 30 repetitions)",
        unit="cells",
        published=27,
        agrees=near(27, margin=1),  # the document's own tests on its own repetitions: a count, within one
        measure=count(lambda a: n_significant(a["greedy"], a["standard"], 0.001)),
    ),
    _time(
        "greedy_cv.search_time.every_cell",
        quote="statistically outperformed the standard k-fold method ... in every combination of dataset, ML "
        "algorithm, and value of k",
        quantity="how much sooner than the standard method the greedy method finds the best model, in points of "
        "all fold evaluations, in the cell of Table 1 where it gains least",
        unit="points",
        agrees=above(0),
        measure=saved_in_every_cell,
    ),
    _time(
        "greedy_cv.search_time.every_comparison",
        quote="the greedy k-fold method was observed to consistently outperform the standard k-fold method on "
        "average in all of the 135 comparisons",
        quantity="how much sooner than the standard method the greedy method finds the best model, in points of "
        "all fold evaluations, in the comparison where it gains least",
        unit="points",
        agrees=above(0),
        measure=saved_in_every_comparison,
        artefact="tables/table1_by_n",
    ),
    _time(
        "greedy_cv.search_time.bounds",
        section="4.1",
        quote="the minimum search time for the standard method is 1/n ... While the maximum theoretical search "
        "time for the greedy k-fold method is also 1.0, the minimum time for the greedy method to find the "
        "optimal model is (n + k - 1)/nk",
        quantity="searches of both methods whose search time lies within these bounds",
        unit="%",
        agrees=at_least(100),
        measure=count(lambda a: 100.0 * float(np.nanmean(a["inside"]))),
        artefact="tables/table1_by_n",
    ),
    _time(
        "greedy_cv.search_time.n_significant_clustered",
        quote="",
        quantity="cells of Table 1, of 27, in which the greedy method is faster at p < .001, where Welch's test "
        "has one mean per repetition, since the five values of one repetition are not independent",
        unit="cells",
        agrees=near(27, margin=1),
        measure=count(clustered),
        is_ours=True,
    ),
    _time(
        "greedy_cv.search_time.n_ahead",
        quote="",
        quantity="comparisons, of 135, in which the greedy method has the lower average, whatever its interval",
        unit="comparisons",
        agrees=near(135, margin=1),
        measure=count(n_ahead),
        artefact="tables/table1_by_n",
        is_ours=True,
    ),
)
"""Section 5.1 and the theory in 4.1."""

EARLY_STOPPING = (
    _quality(
        "greedy_cv.early_stopping.every_cell",
        quote="select final ML models that performed better than the final ML models selected by the successive "
        "halving method in every one of the 27 head-to-head experiments",
        quantity="rank percentile of the model that greedy early stopping selects less that of successive "
        "halving's choice, in the experiment where this is least",
        unit="points",
        agrees=above(0),
        measure=better_in_every_cell,
    ),
    _quality(
        "greedy_cv.early_stopping.n_significant",
        quote="statistically outperformed the state-of-the-art successive halving method in every combination of "
        "dataset, ML algorithm, and value of n used in the early stopping experiments",
        quantity="experiments, of 27, in which greedy early stopping selects the better model at p < .01, the "
        "weakest level in Table 2",
        published=27,
        agrees=near(27, margin=1),  # as of Table 1
        measure=n_better(0.01),
    ),
    _quality(
        "greedy_cv.early_stopping.n_most_significant",
        quote="",
        quantity="experiments, of 27, in which greedy early stopping selects the better model at p < .001 (three "
        "stars in Table 2)",
        published=26,
        agrees=near(26, margin=1),  # as of Table 1
        measure=n_better(0.001),
    ),
)
"""Section 5.2, Table 2."""

WALL_CLOCK = (
    _seconds(
        "greedy_cv.wall_clock.n_faster",
        quote="the greedy early stopping method performed statistically faster than the state-of-the-art "
        "successive halving method in 20 out of 27",
        quantity="experiments, of 27, in which greedy early stopping takes less time at p < .05",
        unit="experiments",
        published=20,
        agrees=near(20, margin=1),  # as of Table 1
        measure=count(faster),
    ),
    _seconds(
        "greedy_cv.wall_clock.n_slower",
        quote="The successive halving method, by contrast, was able to complete the ML model search process more "
        "quickly than the greedy early stopping method in 6 out of 27",
        quantity="experiments, of 27, in which successive halving takes less time at p < .05",
        unit="experiments",
        published=6,
        agrees=near(6, margin=1),  # as of Table 1
        measure=count(slower),
    ),
    _seconds(
        "greedy_cv.wall_clock.n_identical",
        quote="There was one additional experiment for which the average model search times for the two early "
        "stopping methods were statistically identical",
        quantity="experiments, of 27, in which the two times do not differ at p < .05",
        unit="experiments",
        published=1,
        agrees=near(1, margin=1),  # as of Table 1
        measure=count(lambda a: len(a["greedy"]) - faster(a) - slower(a)),
    ),
    _seconds(
        "greedy_cv.wall_clock.n_same_outcome",
        quote="",
        quantity="experiments, of 27, that end as in Table 3: the same method faster at p < .05, or neither",
        unit="experiments",
        published=27,
        agrees=near(27, margin=1),  # as of Table 1
        measure=count(n_same_outcome),
    ),
    _seconds(
        "greedy_cv.wall_clock.greedy_mean",
        quote="the average time required to complete the ML model search process across all of the experiments "
        "was 0.210 ... for the greedy early stopping method",
        quantity="mean time of greedy early stopping, as a share of the exhaustive search's",
        published=0.210,  # a slip: the cells of its Table 3 average 0.211
        agrees=near(0.210, unit=0.001),
        measure=overall("greedy"),
    ),
    _seconds(
        "greedy_cv.wall_clock.greedy_sd",
        quote="0.210 (std dev = 0.018) for the greedy early stopping method",
        quantity="standard deviation over the 27 experiments of the mean time of greedy early stopping, as a "
        "share of the exhaustive search's",
        published=0.018,
        agrees=near_sd(0.018),
        measure=spread("greedy"),
    ),
    _seconds(
        "greedy_cv.wall_clock.halving_mean",
        quote="and 0.360 ... for the successive halving method",
        quantity="mean time of successive halving, as a share of the exhaustive search's",
        published=0.360,
        agrees=near(0.360, unit=0.001),
        measure=overall("halving"),
    ),
    _seconds(
        "greedy_cv.wall_clock.halving_sd",
        quote="0.360 (std dev = 0.205) for the successive halving method",
        quantity="standard deviation over the 27 experiments of the mean time of successive halving, as a share "
        "of the exhaustive search's",
        published=0.205,
        agrees=near_sd(0.205),
        measure=spread("halving"),
    ),
    _seconds(
        "greedy_cv.wall_clock.about_70_percent_faster",
        quote="the greedy early stopping method is, on average, approximately 70% faster than the successive "
        "halving method",
        quantity="mean time of successive halving, as a multiple of greedy early stopping's (70 % faster: 1.7)",
        unit="times",
        published=1.7,
        agrees=about(1.7),
        measure=ratio_of_means("halving", "greedy"),
    ),
    _seconds(
        "greedy_cv.wall_clock.evaluations",
        quote="",
        quantity="fold evaluations of successive halving, as a multiple of greedy early stopping's; above 1 where "
        "greedy early stopping saves them, too",
        unit="times",
        agrees=above(1),
        measure=ratio_of_means("halving_evaluations", "greedy_evaluations"),
        is_ours=True,
    ),
    _seconds(
        "greedy_cv.wall_clock.rows",
        quote="",
        quantity="rows that successive halving trains on, as a multiple of greedy early stopping's; above 1 where "
        "greedy early stopping saves them, too",
        unit="times",
        agrees=above(1),
        measure=ratio_of_means("halving_rows", "greedy_rows"),
        is_ours=True,
    ),
)
"""Section 5.2, Table 3."""

SIZES = (
    _larger(
        "greedy_cv.sizes.greedy_improves",
        quote="the performance of the greedy k-fold method may improve on larger datasets",
        quantity="mean search time of the greedy method on the most rows of letter, as a multiple of that on the "
        "fewest",
        agrees=below(1),
        measure=largest_over_smallest("greedy"),
    ),
    _larger(
        "greedy_cv.sizes.standard_does_not",
        quote="",
        quantity="mean search time of the standard method on the most rows of letter, as a multiple of that on "
        "the fewest; a control, since it has nothing to gain",
        agrees=near_ratio(1),
        measure=largest_over_smallest("standard"),
        is_ours=True,
    ),
)
"""The conjecture of section 6, a direction without a number."""
