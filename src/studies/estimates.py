"""Estimates of a quantity with their 95 % intervals: what a claim's measure makes of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from frugal.stats import mean_interval, t_margin
from studies.regions import Region

REPRODUCED, CONTRADICTED, UNDECIDED = "reproduced", "contradicted", "undecided"
NOT_RUN, NOT_TESTABLE = "not run at this scale", "not testable here"
N_RESAMPLES: Final = 10_000
MOST_SEEDS: Final = 1000
"""More seeds than these are said to be `>1000`."""
POWER_QUANTILE: Final = 0.84
"""The 80 % point of the normal distribution: with so many standard errors more, an interval decides four times in
five."""

EQUAL_VALUES: Final = 6
"""So many equal values are an interval of the median at 95 % (2 / 2^6 = 0.03); fewer say nothing of spread."""
ROUNDING: Final = 1e-12
"""A smaller standard deviation is none."""

Array = NDArray[np.float64]
Arrays = Mapping[str, Array]
"""Measured values by name; the last axis of each is the seeds, the same ones in the same order."""


@dataclass(frozen=True)
class Estimate:
    """What we find of a quantity.

    Attributes:
        ours: the quantity.
        low: lower end of its 95 % interval; equal to `ours` if nothing is random, nan if it is unknown.
        high: upper end, likewise.
        sd: standard deviation per seed, of the logarithm if `is_log`; nan if nothing is random or it is unknown.
        n_seeds: seeds that it is from (of `share`, cases); of `exact` 0 unless it is given.
        is_log: whether the interval is symmetric in the logarithm.
        verdict: the verdict, if it does not follow from the interval; else empty.
        seeds_to_decide: the number of seeds, if it does not follow from the interval; None: it does follow; empty:
            no number of seeds can decide, or none is needed.
        remark: text that is shown behind the quantity, such as counts of cells.
        interval_at: of a share, its ends by the number of seeds, if ours is right.
    """

    ours: float
    low: float
    high: float
    sd: float = math.nan
    n_seeds: int = 0
    is_log: bool = False
    verdict: str = ""
    seeds_to_decide: str | None = None
    remark: str = ""
    interval_at: Callable[[int], tuple[float, float]] | None = field(default=None, compare=False)


def exact(value: float, n_seeds: int = 0) -> Estimate:
    """An estimate whose interval is the number itself, which lies inside a region or outside.

    It is for a quantity in which nothing is random, or for the document's own test on as many seeds as it had.
    """
    return Estimate(float(value), float(value), float(value), n_seeds=n_seeds)


def mean(values: ArrayLike, bounds: tuple[float, float] = (-math.inf, math.inf)) -> Estimate:
    """Mean over seeds, with Student's interval; seeds without a value (nan) are left out.

    Args:
        values: one per seed, shape (n_seeds,); a difference of methods that share seeds is taken seed by seed.
        bounds: the least and the largest value that the quantity can have, at which the interval is cut.
    """
    x = np.asarray(values, dtype=float)
    x = x[~np.isnan(x)]
    if x.size < 2:
        return Estimate(float(x.mean()) if x.size else math.nan, math.nan, math.nan, n_seeds=x.size)
    if x.min() == x.max():  # without rounding, which could put the mean of equal values beyond a closed edge
        ours, sd = float(x[0]) + 0.0, 0.0  # -0 is 0
        low = high = ours
    else:
        ours, sd = float(x.mean()), float(x.std(ddof=1))
        low, high = mean_interval(x)
    return Estimate(ours, max(low, bounds[0]), min(high, bounds[1]), sd, x.size)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Estimate:
    """Ratio seed by seed: the geometric mean, with Student's interval of the logarithms.

    A ratio of 0 has no logarithm: it is left out, and the interval is open below; likewise above, if one is
    infinite. A seed in which both are 0 has no ratio.

    Args:
        numerator: values of 0 and more, one per seed, shape (n_seeds,).
        denominator: the same of what is compared with.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.asarray(numerator, dtype=float)) - np.log(np.asarray(denominator, dtype=float))
    found = of_logarithms(mean(np.where(np.isfinite(logs), logs, np.nan)))
    if np.isinf(logs).any() and not np.isfinite(logs).any():
        return replace(
            found, remark=f"0 in {np.isneginf(logs).sum()} seeds, infinite in {np.isposinf(logs).sum()}"
        )
    return unbounded(found, below=bool(np.isneginf(logs).any()), above=bool(np.isposinf(logs).any()))


def of_logarithms(of_log: Estimate) -> Estimate:
    """The estimate of a ratio, from that of its logarithm."""
    ours, low, high = (math.exp(value) for value in (of_log.ours, of_log.low, of_log.high))
    return replace(of_log, ours=ours, low=low, high=high, is_log=True)


def share(hits: ArrayLike, unit: float = 1.0) -> Estimate:
    """Share of yes among yes/no answers, with Wilson's interval.

    A hit is 1 or 0, one per independent case; nan is no answer, and left out. The unit is 100 for per
    cent.
    """
    x = np.asarray(hits, dtype=float)
    x = x[~np.isnan(x)]
    n = x.size
    if not n:
        return Estimate(math.nan, math.nan, math.nan)
    p = float(x.mean())
    q = float(scipy.special.ndtri(0.975))
    low, centre, high = _wilson(float(x.sum()), n, p, q)
    found = Estimate(unit * p, unit * low, unit * high, unit * _sd_of_answers(p, centre), n)
    return _of_more_seeds(found, p, unit, worth=n, quantile=lambda _: q)


def _sd_of_answers(p: float, centre: float) -> float:
    """Standard deviation of a yes/no answer; of equal ones, which show none, at the centre of their interval."""
    at = p if 0 < p < 1 else centre
    return math.sqrt(at * (1 - at))


def _of_more_seeds(
    found: Estimate, p: float, unit: float, *, worth: float, quantile: Callable[[int], float]
) -> Estimate:
    """A share with the intervals of more seeds, each seed worth as many independent cases as it is now.

    The ends lie 0.84 standard errors further out than Wilson's, as `seeds_to_decide` asks of a mean. A share of
    none or all shows no error: its ends are Wilson's.
    """

    def interval_at(n: int) -> tuple[float, float]:
        cases = worth * n / found.n_seeds
        low, _, high = _wilson(cases * p, cases, p, quantile(n))
        chance = POWER_QUANTILE * math.sqrt(p * (1 - p) / cases)
        return unit * (low - chance), unit * (high + chance)

    return replace(found, interval_at=interval_at)


def _wilson(yes: float, n: float, p: float, q: float) -> tuple[float, float, float]:
    """Wilson's interval of a share p = yes / n, q its quantile: lower end, centre, upper end.

    centre (1 - centre) is the variance of one answer, so it is not 0 where all answers are equal.
    """
    centre = (yes + q * q / 2) / (n + q * q)
    half = q * math.sqrt(p * (1 - p) / n + q * q / (4 * n * n)) / (1 + q * q / n)
    low = centre - half if p > 0 else 0.0  # exactly, so that no case at all is not above 0 by rounding
    return low, centre, centre + half if p < 1 else 1.0


def resampled(
    statistic: Callable[[Arrays], float], arrays: Arrays, rng: np.random.Generator, *, is_log: bool = False
) -> Estimate:
    """A smooth statistic of several arrays, with Student's t times its bootstrap standard error.

    For statistics that are no mean of one value per seed, such as a ratio of means or a standard deviation over
    cells. Not for a maximum over cells or a count of them, which resampling biases.

    Args:
        statistic: of the arrays, each with the same seeds taken from its last axis, repeats allowed.
        arrays: the measured values.
        rng: draws the resamples.
        is_log: whether the interval is that of the logarithm, as of a ratio.
    """
    scale = _log if is_log else float
    ours, n_seeds = scale(statistic(arrays)), next(iter(arrays.values())).shape[-1]
    if math.isnan(ours):
        return Estimate(math.nan, math.nan, math.nan, n_seeds=n_seeds)
    error = _bootstrap_error(lambda drawn: scale(statistic(drawn)), arrays, rng) if n_seeds > 1 else math.nan
    margin = t_margin(error, n_seeds) if n_seeds > 1 else math.nan
    found = Estimate(ours, ours - margin, ours + margin, error * math.sqrt(n_seeds), n_seeds)
    return of_logarithms(found) if is_log else found


def _log(value: float) -> float:
    return math.log(value) if value > 0 else math.nan


def resampled_count(statistic: Callable[[Arrays], float], arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """A count, such as of cells, and the middle 95 % of those that resamples of whole seeds give.

    Arguments are those of `resampled`. A count at its largest can only fall, so that this is no interval of 95 %.
    """
    low, high = np.quantile(_draws(statistic, arrays, rng), [0.025, 0.975], method="inverted_cdf")
    n_seeds = next(iter(arrays.values())).shape[-1]
    return Estimate(statistic(arrays), float(low), float(high), n_seeds=n_seeds)


def _bootstrap_error(statistic: Callable[[Arrays], float], arrays: Arrays, rng: np.random.Generator) -> float:
    """Standard deviation over resamples of whole seeds, times sqrt(n / (n - 1)), as is usual of a mean."""
    n_seeds = next(iter(arrays.values())).shape[-1]
    return float(np.nanstd(_draws(statistic, arrays, rng), ddof=1)) * math.sqrt(n_seeds / (n_seeds - 1))


def _draws(statistic: Callable[[Arrays], float], arrays: Arrays, rng: np.random.Generator) -> list[float]:
    """The statistic of each resample of whole seeds."""
    n_seeds = next(iter(arrays.values())).shape[-1]
    picks = rng.integers(0, n_seeds, size=(N_RESAMPLES, n_seeds))
    return [statistic({name: array[..., seeds] for name, array in arrays.items()}) for seeds in picks]


def clustered_share(hits: ArrayLike, cases: ArrayLike, unit: float = 1.0) -> Estimate:
    """Share of yes among cases that are clustered by seed, such as a seed's trials, which resemble each other.

    Wilson's interval with Student's quantile. The number of independent cases is the one that would give the
    variance between seeds. If all answers are the same, each seed counts as one case.

    Args:
        hits: number of yes, one per seed, shape (n_seeds,).
        cases: number of cases, the same shape; seeds without any are left out.
        unit: 100 for per cent.
    """
    n_cases = np.asarray(cases, dtype=float)
    kept = n_cases > 0
    yes, n_cases, n_seeds = np.asarray(hits, dtype=float)[kept], n_cases[kept], int(kept.sum())
    p = float(yes.sum() / n_cases.sum()) if n_seeds else math.nan
    if n_seeds < 2:
        return Estimate(unit * p, math.nan, math.nan, n_seeds=n_seeds)
    variance = float(((yes - p * n_cases) ** 2).sum()) * n_seeds / (n_seeds - 1) / float(n_cases.sum()) ** 2
    worth = float(n_seeds)
    if 0 < p < 1:
        worth = min(p * (1 - p) / variance, float(n_cases.sum())) if variance > 0 else float(n_cases.sum())
    low, centre, high = _wilson(worth * p, worth, p, float(scipy.special.stdtrit(n_seeds - 1, 0.975)))
    sd = _sd_of_answers(p, centre) * math.sqrt(n_seeds / worth)
    found = Estimate(unit * p, unit * low, unit * high, unit * sd, n_seeds)
    return _of_more_seeds(
        found, p, unit, worth=worth, quantile=lambda n: float(scipy.special.stdtrit(n - 1, 0.975))
    )


def of_splits(found: Estimate, n_splits: int, test_share: float) -> Estimate:
    """A mean over splits of one sample, which share rows: its interval is wider than that of independent values.

    Source: Nadeau and Bengio (2003), "Inference for the generalization error": the variance of the mean of n
    splits is (1 / n + test rows / training rows) times that of a value. Further splits hardly narrow the interval.

    Args:
        found: the estimate, of what the values would say if they were independent.
        n_splits: number of splits.
        test_share: test rows of a split, as a share of the sample.
    """
    wider = math.sqrt(1 + n_splits * test_share / (1 - test_share))
    low, high = (found.ours + wider * (end - found.ours) for end in (found.low, found.high))
    return replace(found, low=low, high=high, sd=wider * found.sd, seeds_to_decide=in_words(MOST_SEEDS + 1))


def unbounded(found: Estimate, *, below: bool, above: bool) -> Estimate:
    """An estimate from censored values: some are only known to be at most, or at least, what they count as.

    However many seeds there are, they say nothing of how far the quantity goes on that side.

    Args:
        found: the estimate, of what the values count as.
        below: whether some values may be lower; the interval then has no lower end (0, of a ratio).
        above: whether some may be higher; it then has no upper end.
    """
    if math.isnan(found.ours):
        return found
    least = 0.0 if found.is_log else -math.inf
    return replace(found, low=least if below else found.low, high=math.inf if above else found.high)


def tied(found: Estimate, why: str) -> Estimate:
    """An estimate that says nothing, since the values are equal for another reason than the claim's: undecided."""
    return replace(found, verdict=UNDECIDED, seeds_to_decide="", remark=why)


def varies(estimate: Estimate) -> bool:
    """Whether the values differ by more than rounding; False where there are fewer than two."""
    return estimate.sd > ROUNDING


def is_of_few_equal_values(estimate: Estimate) -> bool:
    """Whether Student's interval has no width only because few seeds gave the same value."""
    return estimate.sd < ROUNDING and estimate.n_seeds < EQUAL_VALUES


def seeds_to_decide(region: Region, estimate: Estimate) -> str:
    """Number of seeds after which an undecided claim is decided in four of five cases, if our number is right.

    The smallest n with (t(0.975, n - 1) + 0.84) s / sqrt(n) at most the distance of ours to the nearest edge. Of a
    share: the smallest n with which Wilson's interval, wider by 0.84 standard errors, keeps clear of the edges.

    Returns:
        The number, or `>1000`; the estimate's own `seeds_to_decide`, if it has one; `EQUAL_VALUES`, if fewer seeds
        than that all gave the same value; nothing, if the spread is unknown.
    """
    if estimate.seeds_to_decide is not None:
        return estimate.seeds_to_decide
    if estimate.interval_at is not None:
        intervals = ((n, estimate.interval_at(n)) for n in range(estimate.n_seeds + 1, MOST_SEEDS + 1))
        decided = (n for n, ends in intervals if region.holds(*ends) or region.misses(*ends))
        return in_words(next(decided, MOST_SEEDS + 1))
    if is_of_few_equal_values(estimate):
        return in_words(EQUAL_VALUES)
    if math.isnan(estimate.sd):
        return ""  # one seed says nothing of the spread
    # An end without bound stays where it is, however many seeds there are.
    least = 0.0 if estimate.is_log else -math.inf
    low = least if estimate.low == least else estimate.ours
    high = math.inf if math.isinf(estimate.high) else estimate.ours
    if low < high and not (region.holds(low, high) or region.misses(low, high)):
        return in_words(MOST_SEEDS + 1)
    edges = [edge for edge in (region.low, region.high) if math.isfinite(edge)]
    if estimate.is_log:
        distance = min(abs(math.log(estimate.ours) - math.log(edge)) for edge in edges if edge > 0)
    else:
        distance = min(abs(estimate.ours - edge) for edge in edges)
    return in_words(seeds_needed(estimate.sd, distance))


def seeds_needed(sd: float, distance: float, n_tests: int = 1) -> int:
    """The smallest number of seeds that decides at a distance from the edge; beyond `MOST_SEEDS`, one more.

    Args:
        sd: standard deviation per seed.
        distance: from the edge.
        n_tests: that share the 2.5 % on either side.
    """
    n = np.arange(2, MOST_SEEDS + 1)
    reach = (scipy.special.stdtrit(n - 1, 1 - 0.025 / n_tests) + POWER_QUANTILE) * sd / np.sqrt(n)
    decided = np.flatnonzero(reach <= distance)
    return int(n[decided[0]]) if decided.size else MOST_SEEDS + 1


def in_words(n_seeds: int) -> str:
    """A number of seeds as a claim states it."""
    return f">{MOST_SEEDS}" if n_seeds > MOST_SEEDS else str(n_seeds)
