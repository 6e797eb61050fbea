"""Document 001, section 5.2, Table 3: how long two early-stopping methods take, on the clock."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from frugal.stats import welch
from studies.estimates import Array, Arrays, Estimate, resampled_count
from studies.greedy_cv.measures import (
    are_enough,
    by_cell,
    count,
    n_significant,
    of_stoppers,
    overall,
    ratio_of_means,
    runs_of_cells,
    spread,
)
from studies.greedy_cv.tables import (
    CELL,
    READING,
    STOPPING_METHODS,
    at_one_k,
    by_reading,
    compare,
    folds_of,
    kind_of_searches,
    kinds_by_reading,
    published,
    runs_by_reading,
    with_published,
)
from studies.methods import methods
from studies.records import Artefact, Claim, Study, as_configured
from studies.regions import about, above, between, near, near_sd
from studies.tidy import FROM_0, need


def with_shares(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with what they took of the exhaustive search: `time_ratio`, `evaluations_share`; and `overhead_share`.

    The ratio is measured seconds of the search, the strategy's overhead included, over those of fitting every
    candidate on every fold. The overhead is the part of the search's seconds that went into the strategy.
    """
    need(runs, "n_evaluations", "rows_share", "seconds", "overhead_s", "exhaustive_s")
    spent = runs["seconds"] + runs["overhead_s"]
    return runs.assign(
        time_ratio=spent / runs["exhaustive_s"],
        overhead_share=runs["overhead_s"] / spent,
        evaluations_share=runs["n_evaluations"] / (runs["n"] * runs["k"]),
    )


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Seconds, rows and fold evaluations, each over that of the exhaustive search, and Table 3's outcomes."""
    timed = with_shares(runs)
    found: dict[str, Array] = {}
    for value, suffix in (("time_ratio", ""), ("rows_share", "_rows"), ("evaluations_share", "_evaluations")):
        found[f"greedy{suffix}"], found[f"halving{suffix}"] = of_stoppers(timed, value)
    outcomes = by_cell(_printed_outcomes(), timed, [*CELL, "n"])
    found["printed"] = np.broadcast_to(outcomes[:, None, None], found["greedy"].shape)
    return found


def _printed_outcomes() -> pd.Series:
    """Per cell of Table 3 1 where greedy early stopping has the stars, -1 where halving has, 0 where none has."""
    stars = published("table3").set_index([*CELL, "n", "method"])["published_stars"]
    greedy, halving = (stars.ne("").astype(int).xs(method, level="method") for method in STOPPING_METHODS)
    return greedy - halving


JUDGED: Final = partial(runs_of_cells, table="table3")
IS_ENOUGH: Final = partial(are_enough, table="table3")
WALL_CLOCK: Final = Study(
    name="wall_clock",
    methods=methods(*STOPPING_METHODS),
    folds=folds_of,
    replayed=as_configured,
    kinds=kinds_by_reading("wall_clock", kind_of_searches(STOPPING_METHODS, "seconds", "overhead_s")),
    is_timed=True,
    judged=JUDGED,
    arrays=arrays,
    is_enough=IS_ENOUGH,
)
_claim = partial(Claim, section="5.2", unit="share", study="wall_clock", artefact="tables/table3")
GREEDY_MEAN: Final = (
    "the average time required to complete the ML model search process across all of the experiments was 0.210 "
    "... for the greedy early stopping method"
)
HALVING_MEAN: Final = "and 0.360 ... for the successive halving method"
"""What the document says of the means of Table 3."""


def _n_faster(arrays: Arrays) -> float:
    """Cells in which greedy early stopping takes less time at p < .05."""
    return n_significant(arrays["greedy"], arrays["halving"], 0.05)


def _n_slower(arrays: Arrays) -> float:
    """Cells in which successive halving takes less time at p < .05."""
    return n_significant(arrays["halving"], arrays["greedy"], 0.05)


def _n_identical(arrays: Arrays) -> float:
    """Cells in which the times do not differ at p < .05."""
    return len(arrays["greedy"]) - _n_faster(arrays) - _n_slower(arrays)


def _n_same_outcome(arrays: Arrays) -> float:
    """Cells that end as in Table 3."""
    greedy, halving = (arrays[name].reshape(len(arrays[name]), -1) for name in ("greedy", "halving"))
    test = welch(greedy, halving)
    outcomes = np.where(test.p < 0.05, -np.sign(test.t), 0.0)
    return float((outcomes == arrays["printed"][:, 0, 0]).sum())


def _faster(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """By how many per cent greedy early stopping is faster, from the ratio of times and its interval."""
    times = ratio_of_means("halving", "greedy")(arrays, rng)
    ours, low, high = (100 * (value - 1) for value in (times.ours, times.low, times.high))
    return Estimate(ours, low, high, 100 * times.ours * times.sd, times.n_seeds)


CLAIMS: Final = (
    _claim(
        "greedy_cv.wall_clock.n_faster",
        quote="the greedy early stopping method performed statistically faster than the state-of-the-art "
        "successive halving method in 20 out of 27",
        quantity="experiments, of 27, in which greedy early stopping takes less time at p < .05",
        unit="experiments",
        published=20,
        agrees=near(20, margin=1),  # as of Table 1
        measure=count(_n_faster),
        inferred_from="Table 3",
    ),
    _claim(
        "greedy_cv.wall_clock.n_slower",
        quote="The successive halving method, by contrast, was able to complete the ML model search process more "
        "quickly than the greedy early stopping method in 6 out of 27",
        quantity="experiments, of 27, in which successive halving takes less time at p < .05",
        unit="experiments",
        published=6,
        agrees=near(6, margin=1),  # as of Table 1
        measure=count(_n_slower),
        inferred_from="Table 3",
    ),
    _claim(
        "greedy_cv.wall_clock.n_identical",
        quote="There was one additional experiment for which the average model search times for the two early "
        "stopping methods were statistically identical",
        quantity="experiments, of 27, in which the two times do not differ at p < .05",
        unit="experiments",
        published=1,
        agrees=near(1, margin=1),  # as of Table 1
        measure=count(_n_identical),
        inferred_from="Table 3",
    ),
    *(
        _claim(
            f"greedy_cv.wall_clock.{name}_resampled",
            quantity=f"experiments, of 27, {which}, and the middle 95 % of these counts over resampled "
            "repetitions",
            unit="experiments",
            agrees=near(published, margin=1),  # as of Table 1
            measure=partial(resampled_count, statistic),
            inferred_from="Table 3",
        )
        for name, which, published, statistic in (
            ("n_faster", "in which greedy early stopping takes less time at p < .05", 20, _n_faster),
            ("n_slower", "in which successive halving takes less time at p < .05", 6, _n_slower),
            ("n_identical", "in which the two times do not differ at p < .05", 1, _n_identical),
        )
    ),
    _claim(
        "greedy_cv.wall_clock.n_same_outcome",
        quantity="experiments, of 27, that end as in Table 3: the same method faster at p < .05, or neither",
        unit="experiments",
        agrees=between(26, 27),  # as of Table 1
        measure=count(_n_same_outcome),
        inferred_from="Table 3",
    ),
    _claim(
        "greedy_cv.wall_clock.greedy_mean",
        quote=GREEDY_MEAN,
        quantity="mean time of greedy early stopping, as a share of the exhaustive search's",
        published=0.210,  # a slip: the cells of its Table 3 average 0.211
        agrees=near(0.210, unit=0.001),
        measure=overall("greedy"),
    ),
    _claim(
        "greedy_cv.wall_clock.greedy_sd",
        quote="0.210 (std dev = 0.018) for the greedy early stopping method",
        quantity="standard deviation over the 27 experiments of the mean time of greedy early stopping, as a "
        "share of the exhaustive search's",
        published=0.018,
        agrees=near_sd(0.018),
        measure=spread("greedy"),
    ),
    _claim(
        "greedy_cv.wall_clock.halving_mean",
        quote=HALVING_MEAN,
        quantity="mean time of successive halving, as a share of the exhaustive search's",
        published=0.360,
        agrees=near(0.360, unit=0.001),
        measure=overall("halving"),
        inferred_from="Table 3",
    ),
    _claim(
        "greedy_cv.wall_clock.halving_sd",
        quote="0.360 (std dev = 0.205) for the successive halving method",
        quantity="standard deviation over the 27 experiments of the mean time of successive halving, as a share "
        "of the exhaustive search's",
        published=0.205,
        agrees=near_sd(0.205),
        measure=spread("halving"),
        inferred_from="Table 3",
    ),
    _claim(
        "greedy_cv.wall_clock.about_70_percent_faster",
        quote="the greedy early stopping method is, on average, approximately 70% faster than the successive "
        "halving method",
        quantity="by how much faster greedy early stopping is than successive halving: successive halving's mean "
        "time over greedy early stopping's, less 1",
        unit="%",
        published=70,
        agrees=about(70),
        measure=_faster,
        inferred_from="Table 3",
    ),
    _claim(
        "greedy_cv.wall_clock.evaluations",
        quantity="fold evaluations, successive halving's over greedy early stopping's (above 1: greedy early "
        "stopping saves them, too)",
        unit="times",
        agrees=above(1),
        measure=ratio_of_means("halving_evaluations", "greedy_evaluations"),
    ),
    _claim(
        "greedy_cv.wall_clock.rows",
        quantity="rows trained on, successive halving's over greedy early stopping's (above 1: greedy early "
        "stopping saves them, too)",
        unit="times",
        agrees=above(1),
        measure=ratio_of_means("halving_rows", "greedy_rows"),
    ),
)


def table3(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Wall-clock of the search over that of the exhaustive one, with the machine-independent shares beside.

    `evaluations_share` counts fold evaluations, `rows_share` the rows trained on; `k` is ours.
    """
    timed, keys, shares = with_shares(runs), [*CELL, "n"], ["evaluations_share", "rows_share", "overhead_share"]
    ours = compare(timed, "time_ratio", keys, higher_is_better=False, bounds=FROM_0)
    means = timed.groupby([*keys, "method"], as_index=False)[shares].mean()
    ours = ours.merge(means, on=[*keys, "method"])
    return at_one_k(with_published("table3", ours, [*CELL, "method", "n"], scale, ["p", *shares]), runs)


TABLE3: Final = Artefact(
    "table3",
    runs_by_reading("wall_clock"),
    by_reading(table3, *READING),
    """Table 3 of document 001: wall-clock of each early-stopping method over that of the exhaustive search, from
    real scikit-learn fits, each in one thread with a core to itself; a repeated candidate adds its seconds again.
    The CSV holds the machine-independent shares of fold evaluations and rows too. One block of rows per reading of
    the document, and per place where halving ranks failed fits. {{ n_seeds | seeds }}.""",
)
