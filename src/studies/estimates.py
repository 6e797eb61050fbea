"""Estimates of a quantity with their 95 % intervals: what a claim's measure makes of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from frugal.seeds import rng_for
from frugal.stats import mean_interval, t_margin
from studies.regions import Region

REPRODUCED, CONTRADICTED, UNDECIDED = "reproduced", "contradicted", "undecided"
N_RESAMPLES: Final = 1000
MOST_SEEDS: Final = 1000
"""More seeds than these are said to be `>1000`."""
POWER_QUANTILE: Final = 0.84
"""Of the normal distribution at 80 %: so many standard errors more, and an interval decides four times in five."""

Array = NDArray[np.float64]
Arrays = Mapping[str, Array]
"""Measured values by name; the last axis of each is the seeds, the same ones in the same order."""


@dataclass(frozen=True)
class Estimate:
    """What we find of a quantity.

    Attributes:
        ours: the quantity.
        low: lower end of its 95 % interval; equal to `ours` where there is no chance in it.
        high: upper end.
        sd: standard deviation per seed, of the logarithm where `is_log`; nan where there is no chance in it.
        n_seeds: seeds that it is from; 0 where there is no chance in it.
        is_log: whether the interval is symmetric in the logarithm.
        verdict: where it does not follow from the interval.
        seeds_to_decide: the same.
        remark: stands behind the quantity, such as counts of cells.
    """

    ours: float
    low: float
    high: float
    sd: float = math.nan
    n_seeds: int = 0
    is_log: bool = False
    verdict: str = ""
    seeds_to_decide: str = ""
    remark: str = ""


def exact(value: float, n_seeds: int = 0) -> Estimate:
    """A quantity without chance, or the document's own test on as many seeds as it had: inside or outside."""
    return Estimate(float(value), float(value), float(value), n_seeds=n_seeds)


def mean(values: ArrayLike) -> Estimate:
    """Mean over seeds, with Student's interval; seeds without a value (nan) are left out.

    Args:
        values: one per seed, shape (n_seeds,); a difference of methods that share seeds is taken seed by seed.
    """
    x = np.asarray(values, dtype=float)
    x = x[~np.isnan(x)]
    if x.size < 2:
        return Estimate(float(x.mean()) if x.size else math.nan, math.nan, math.nan, n_seeds=x.size)
    return Estimate(float(x.mean()), *mean_interval(x), float(x.std(ddof=1)), x.size)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Estimate:
    """Ratio seed by seed: the geometric mean, with Student's interval of the logarithms.

    Args:
        numerator: positive values, one per seed, shape (n_seeds,).
        denominator: the same of what is compared with.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.asarray(numerator, dtype=float)) - np.log(np.asarray(denominator, dtype=float))
    return _exp(mean(np.where(np.isfinite(logs), logs, np.nan)))


def _exp(of_log: Estimate) -> Estimate:
    ours, low, high = (math.exp(value) for value in (of_log.ours, of_log.low, of_log.high))
    return replace(of_log, ours=ours, low=low, high=high, is_log=True)


def share(hits: ArrayLike, unit: float = 1.0, n_seeds: int | None = None) -> Estimate:
    """Share of yes among yes/no answers, with Wilson's interval.

    Args:
        hits: 1 or 0 (nan: no answer, left out), one per independent case.
        unit: 100 for per cent.
        n_seeds: seeds that the cases are from, where a seed has several.
    """
    x = np.asarray(hits, dtype=float)
    x = x[~np.isnan(x)]
    n = x.size
    if not n:
        return Estimate(math.nan, math.nan, math.nan)
    n_seeds = n if n_seeds is None else n_seeds
    sd = math.sqrt(_wilson_variance(x) * n_seeds / n)
    low, high = _wilson(x)
    return Estimate(unit * float(x.mean()), unit * low, unit * high, unit * sd, n_seeds)


def share_difference(
    hits: ArrayLike, others: ArrayLike, unit: float = 1.0, n_seeds: int | None = None
) -> Estimate:
    """Difference between two shares of yes, with Newcombe's interval, which is made of Wilson's two.

    Source: Newcombe (1998), "Interval estimation for the difference between independent proportions", Statistics
    in Medicine 17, 873-890, method 10.

    Args:
        hits: 1 or 0 (nan: no answer, left out), one per independent case.
        others: the same, of which the share is subtracted.
        unit: 100 for points.
        n_seeds: seeds that the cases are from, where a seed has several.
    """
    x, y = (np.asarray(answers, dtype=float) for answers in (hits, others))
    x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    if not x.size or not y.size:
        return Estimate(math.nan, math.nan, math.nan)
    n_seeds = min(x.size, y.size) if n_seeds is None else n_seeds
    (p, low_p, high_p), (q, low_q, high_q) = ((float(z.mean()), *_wilson(z)) for z in (x, y))
    low, high = p - q - math.hypot(p - low_p, high_q - q), p - q + math.hypot(high_p - p, q - low_q)
    sd = math.sqrt((_wilson_variance(x) / x.size + _wilson_variance(y) / y.size) * n_seeds)
    return Estimate(unit * (p - q), unit * low, unit * high, unit * sd, n_seeds)


def _wilson(x: Array) -> tuple[float, float]:
    """Wilson's 95 % interval of the share of 1 among 0 and 1."""
    n, p, z = x.size, float(x.mean()), float(special.ndtri(0.975))
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    centre = _wilson_centre(x)
    low = centre - half if p > 0 else 0.0  # exactly, so that no case at all is not above 0 by rounding
    return low, centre + half if p < 1 else 1.0


def _wilson_variance(x: Array) -> float:
    """Variance of one answer at Wilson's centre: equal answers do not mean no chance."""
    centre = _wilson_centre(x)
    return centre * (1 - centre)


def _wilson_centre(x: Array) -> float:
    z = float(special.ndtri(0.975))
    return (float(x.sum()) + z * z / 2) / (x.size + z * z)


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
    return _exp(found) if is_log else found


def _log(value: float) -> float:
    return math.log(value) if value > 0 else math.nan


def _bootstrap_error(statistic: Callable[[Arrays], float], arrays: Arrays, rng: np.random.Generator) -> float:
    """Standard deviation over resamples of whole seeds, times sqrt(n / (n - 1)), as is usual of a mean."""
    n_seeds = next(iter(arrays.values())).shape[-1]
    picks = rng.integers(0, n_seeds, size=(N_RESAMPLES, n_seeds))
    draws = [statistic({name: array[..., seeds] for name, array in arrays.items()}) for seeds in picks]
    return float(np.nanstd(draws, ddof=1)) * math.sqrt(n_seeds / (n_seeds - 1))


def over_seeds(
    statistic: Callable[[Arrays], float],
    arrays: Arrays,
    *names: str,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float, float]:
    """A statistic with its 95 % interval: Student's t times its bootstrap standard error, cut at `bounds`.

    The standard error is the standard deviation of the statistic over resamples of whole repetitions, times
    sqrt(n / (n - 1)) for n repetitions, so that the interval of a mean is that of `stats.mean_interval`.
    Percentiles of the resamples would not do: a standard deviation over cells, or a count of significant cells, is
    biased on resamples, whose repeated repetitions add variance, so that they may miss the statistic itself.

    Args:
        statistic: of the arrays, each with the same repetitions taken from its last axis, repeats allowed.
        arrays: the measured values; with fewer than two repetitions the interval is nan.
        *names: what the resampling is seeded by.
        bounds: the least and the largest value that the statistic can have.

    Returns:
        The statistic of all repetitions, and the interval's lower and upper end around it.
    """
    ours, n_seeds = statistic(arrays), next(iter(arrays.values())).shape[-1]
    if n_seeds < 2 or math.isnan(ours):
        return ours, math.nan, math.nan
    error = _bootstrap_error(statistic, arrays, rng_for("bootstrap", *names))
    margin = t_margin(error, n_seeds)
    return ours, max(ours - margin, bounds[0]), min(ours + margin, bounds[1])


def every(
    cells: ArrayLike,
    region: Region,
    *,
    is_log: bool = False,
    noun: str = "cells",
    names: Sequence[str] = (),
    open_below: ArrayLike = False,
    open_above: ArrayLike = False,
) -> Estimate:
    """A quantity that must lie in the region in every cell.

    Each cell has its own one-sided t-test at 2.5 % (of either edge, where there are two). Reproduced: every cell
    passes (all must, so there is nothing to correct for). Contradicted: a cell lies outside, significantly after
    Holm's correction. Else undecided. Cells in which nothing varies are left out and counted.

    Args:
        cells: values, shape (n_cells, n_seeds), logarithms where `is_log`; nan where a seed has none.
        region: in natural units.
        is_log: whether `cells` are logarithms of ratios.
        noun: what the cells are, in the plural.
        names: of the cells, in their order; the remark then names the one that is shown.
        open_below: whether some values of a cell may be lower than they count as, one or (n_cells,); see
            `unbounded`. Such a cell does not pass a lower edge, nor is it against an upper one.
        open_above: the same of higher.

    Returns:
        The mean and 95 % interval of the worst of those cells that decide: the ones that disagree, or else are
        open, or else all. The remark has the counts.
    """
    edges = _edges(region, is_log=is_log)
    estimates = _cell_estimates(cells, open_below, open_above)
    varied = [i for i, of in enumerate(estimates) if of.sd > 0]
    left_out = len(estimates) - len(varied)
    if not varied:
        return Estimate(math.nan, math.nan, math.nan, remark=f"nothing varies in {left_out} {noun}")
    passing = [i for i in varied if _is_inside(estimates[i], *edges)]
    by_p = sorted(varied, key=lambda i: _p_outside(estimates[i], *edges))
    p_against = np.array([_p_outside(estimates[i], *edges) for i in by_p])
    steps = len(varied) - np.arange(len(varied))
    # Holm: the cells before the first that is not significant.
    n_against = int(np.argmin([*(p_against * steps < 0.025), False]))
    not_passing = [i for i in varied if i not in passing]
    verdict = CONTRADICTED if n_against else UNDECIDED if not_passing else REPRODUCED
    # One cell outside decides the claim; else all have to pass.
    outside = [_seeds_of_cell(estimates[i], *edges) for i in not_passing if _depth(estimates[i], *edges) < 0]
    needed = (
        min(outside) if outside else max((_seeds_of_cell(estimates[i], *edges) for i in not_passing), default=0)
    )
    shown = min(by_p[:n_against] or not_passing or varied, key=lambda i: _depth(estimates[i], *edges))
    n_open = len(not_passing) - n_against
    remark = f"{len(passing)} {noun} agree, {n_open} are open, {n_against} disagree"
    remark += f"; {left_out} in which nothing varies are left out" if left_out else ""
    remark += f"; shown: {names[shown]}" if names else ""
    found = _exp(estimates[shown]) if is_log else estimates[shown]
    return replace(
        found, verdict=verdict, seeds_to_decide=_in_words(needed) if verdict == UNDECIDED else "", remark=remark
    )


def some(
    cells: ArrayLike,
    region: Region,
    *,
    is_log: bool = False,
    noun: str = "cells",
    names: Sequence[str] = (),
    open_below: ArrayLike = False,
    open_above: ArrayLike = False,
) -> Estimate:
    """A quantity that must lie in the region in some cell ("sometimes", "can").

    Reproduced: one cell does, significantly after Holm's correction. Contradicted: every cell lies outside by its
    own one-sided test at 2.5 %. Else undecided. Arguments and result as of `every`; the best cell is shown.

    Raises:
        ValueError: if the region has two edges.
    """
    if not math.isinf(region.low) and not math.isinf(region.high):
        raise ValueError(f"a claim on some cell needs a region with one edge, got {region}")
    low, high = _edges(region, is_log=is_log)
    estimates = _cell_estimates(cells, open_below, open_above)
    varied = [i for i, of in enumerate(estimates) if of.sd > 0]
    if not varied:
        return Estimate(math.nan, math.nan, math.nan, remark=f"nothing varies in {len(estimates)} {noun}")
    # To lie inside is to lie outside of the region on the other side of the edge.
    p_for = [
        _p_outside(estimates[i], *((high, math.inf) if math.isinf(low) else (-math.inf, low))) for i in varied
    ]
    verdict = UNDECIDED
    if min(p_for) * len(varied) < 0.025:
        verdict = REPRODUCED
    elif all(_is_outside(estimates[i], low, high) for i in varied):
        verdict = CONTRADICTED
    best = max(varied, key=lambda i: _depth(estimates[i], low, high) / _error(estimates[i]))
    needed = _in_words(_seeds_of_cell(estimates[best], low, high)) if verdict == UNDECIDED else ""
    found = _exp(estimates[best]) if is_log else estimates[best]
    remark = f"the clearest of {len(varied)} {noun}" + (f": {names[best]}" if names else "")
    return replace(found, verdict=verdict, seeds_to_decide=needed, remark=remark)


def _edges(region: Region, *, is_log: bool) -> tuple[float, float]:
    """The region's ends, of logarithms where cells are."""
    if not is_log:
        return region.low, region.high
    low = math.log(region.low) if math.isfinite(region.low) else region.low
    return low, math.log(region.high) if math.isfinite(region.high) else region.high


def _cell_estimates(cells: ArrayLike, open_below: ArrayLike, open_above: ArrayLike) -> list[Estimate]:
    rows = np.atleast_2d(np.asarray(cells, dtype=float))
    below, above = (np.broadcast_to(np.asarray(ends, dtype=bool), len(rows)) for ends in (open_below, open_above))
    return [
        unbounded(mean(row), below=bool(is_below), above=bool(is_above))
        for row, is_below, is_above in zip(rows, below, above, strict=True)
    ]


def _is_inside(of: Estimate, low: float, high: float) -> bool:
    return (math.isinf(low) or of.low > low) and (math.isinf(high) or of.high < high)


def _is_outside(of: Estimate, low: float, high: float) -> bool:
    return of.high < low or of.low > high


def _p_outside(of: Estimate, low: float, high: float) -> float:
    """One-sided p of Student's t-tests that a mean lies below `low` or above `high`, the smaller one."""
    p_values = [1.0]
    if math.isfinite(low) and math.isfinite(of.high):
        p_values.append(float(special.stdtr(of.n_seeds - 1, (of.ours - low) / _error(of))))
    if math.isfinite(high) and math.isfinite(of.low):
        p_values.append(float(special.stdtr(of.n_seeds - 1, (high - of.ours) / _error(of))))
    return min(p_values)


def _error(of: Estimate) -> float:
    """Standard error."""
    return of.sd / math.sqrt(of.n_seeds)


def _depth(of: Estimate, low: float, high: float) -> float:
    """By how much a mean lies inside, below 0 if it does not."""
    return min(of.ours - low, high - of.ours)


def _seeds_of_cell(of: Estimate, low: float, high: float) -> int:
    """Seeds after which a cell is decided, more than `MOST_SEEDS` if no number of them decides it."""
    shrunk = replace(
        of, low=of.low if math.isinf(of.low) else of.ours, high=of.high if math.isinf(of.high) else of.ours
    )
    if not (_is_inside(shrunk, low, high) or _is_outside(shrunk, low, high)):
        return MOST_SEEDS + 1
    return _seeds_needed(of.sd, abs(_depth(of, low, high)))


def clustered_share(hits: ArrayLike, cases: ArrayLike, unit: float = 1.0) -> Estimate:
    """Share of yes among cases of which each seed has several, such as its trials; those of a seed are alike.

    Wilson's interval with Student's quantile, of as many independent cases as have the variance between seeds. If
    all answers are the same, a seed is one case.

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
    t = float(special.stdtrit(n_seeds - 1, 0.975))
    shrunk = (worth * p + t * t / 2) / (worth + t * t)
    half = t * math.sqrt(p * (1 - p) / worth + t * t / (4 * worth * worth)) / (1 + t * t / worth)
    low, high = shrunk - half if p > 0 else 0.0, shrunk + half if p < 1 else 1.0
    sd = math.sqrt(shrunk * (1 - shrunk) * n_seeds / worth)
    return Estimate(unit * p, unit * low, unit * high, unit * sd, n_seeds)


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


def seeds_to_decide(region: Region, estimate: Estimate) -> str:
    """Seeds after which an undecided claim is decided four times in five, if ours is right: a number, or `>1000`.

    The smallest n with (t(0.975, n - 1) + 0.84) s / sqrt(n) no more than the distance of ours to the nearest edge.
    """
    if estimate.seeds_to_decide:
        return estimate.seeds_to_decide
    # An end without bound stays where it is, however many seeds there are.
    least = 0.0 if estimate.is_log else -math.inf
    low = least if estimate.low == least else estimate.ours
    high = math.inf if math.isinf(estimate.high) else estimate.ours
    if low < high and not (region.holds(low, high) or region.misses(low, high)):
        return _in_words(MOST_SEEDS + 1)
    edges = [edge for edge in (region.low, region.high) if math.isfinite(edge)]
    if estimate.is_log:
        distance = min(abs(math.log(estimate.ours) - math.log(edge)) for edge in edges if edge > 0)
    else:
        distance = min(abs(estimate.ours - edge) for edge in edges)
    return _in_words(_seeds_needed(estimate.sd, distance))


def _seeds_needed(sd: float, distance: float) -> int:
    n = np.arange(2, MOST_SEEDS + 1)
    reach = (special.stdtrit(n - 1, 0.975) + POWER_QUANTILE) * sd / np.sqrt(n)
    decided = np.flatnonzero(reach <= distance)
    return int(n[decided[0]]) if decided.size else MOST_SEEDS + 1


def _in_words(n_seeds: int) -> str:
    return f">{MOST_SEEDS}" if n_seeds > MOST_SEEDS else str(n_seeds)
