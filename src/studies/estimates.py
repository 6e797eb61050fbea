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


def share(hits: ArrayLike, unit: float = 1.0) -> Estimate:
    """Share of yes among yes/no answers, with Wilson's interval.

    Args:
        hits: 1 or 0 (nan: no answer, left out), one per independent case.
        unit: 100 for per cent.
    """
    x = np.asarray(hits, dtype=float)
    x = x[~np.isnan(x)]
    n = x.size
    if not n:
        return Estimate(math.nan, math.nan, math.nan)
    z = float(special.ndtri(0.975))
    p, shrunk = float(x.mean()), (float(x.sum()) + z * z / 2) / (n + z * z)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low, high = max(shrunk - half, 0.0), min(shrunk + half, 1.0)
    sd = math.sqrt(shrunk * (1 - shrunk))  # of Wilson's centre: n equal answers do not mean no chance
    return Estimate(unit * p, unit * low, unit * high, unit * sd, n)


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
    cells: ArrayLike, region: Region, *, is_log: bool = False, noun: str = "cells", names: Sequence[str] = ()
) -> Estimate:
    """A quantity that must lie on one side of a threshold in every cell.

    Each cell has its own one-sided t-test at 2.5 %. Reproduced: every cell passes (all must, so there is nothing
    to correct for). Contradicted: a cell lies on the other side, significantly after Holm's correction. Else
    undecided. Cells in which nothing varies are left out and counted.

    Args:
        cells: values, shape (n_cells, n_seeds), logarithms where `is_log`; nan where a seed has none.
        region: `above` or `below` a threshold, in natural units.
        is_log: whether `cells` are logarithms of ratios.
        noun: what the cells are, in the plural.
        names: of the cells, in their order; the remark then names the one that is shown.

    Returns:
        The mean and 95 % interval of the worst of those cells that decide: the ones that disagree, or else are
        open, or else all. The remark has the counts.

    Raises:
        ValueError: if the region has two edges.
    """
    sign, edge, margins = _margins(cells, region, is_log=is_log)
    estimates = [mean(row) for row in margins]
    varied = [of for of in estimates if of.sd > 0]
    shown = [name for name, of in zip(names, estimates, strict=False) if of.sd > 0]
    left_out = len(estimates) - len(varied)
    if not varied:
        return Estimate(math.nan, math.nan, math.nan, remark=f"nothing varies in {left_out} {noun}")
    passes = [of.low > 0 for of in varied]
    p_against = np.sort([_p_below(of) for of in varied])
    steps = len(varied) - np.arange(len(varied))
    # Holm: the cells before the first that is not significant.
    n_against = int(np.argmin([*(p_against * steps < 0.025), False]))
    verdict = REPRODUCED if all(passes) else CONTRADICTED if n_against else UNDECIDED
    needed = max((_seeds_needed(of.sd, abs(of.ours)) for of in varied if not of.low > 0), default=0)
    deciding = sorted(varied, key=_p_below)[:n_against] or [of for of in varied if not of.low > 0] or varied
    worst = min(deciding, key=lambda of: of.ours)
    n_open = len(varied) - sum(passes) - n_against
    remark = f"{sum(passes)} {noun} agree, {n_open} are open, {n_against} disagree"
    remark += f"; {left_out} in which nothing varies are left out" if left_out else ""
    remark += f"; shown: {shown[varied.index(worst)]}" if shown else ""
    found = _placed(worst, sign, edge)
    found = _exp(found) if is_log else found
    return replace(
        found, verdict=verdict, seeds_to_decide=_in_words(needed) if verdict == UNDECIDED else "", remark=remark
    )


def some(cells: ArrayLike, region: Region, *, is_log: bool = False, noun: str = "cells") -> Estimate:
    """A quantity that must lie on one side of a threshold in some cell ("sometimes", "can").

    Reproduced: one cell does, significantly after Holm's correction. Contradicted: every cell lies on the other
    side by its own one-sided test at 2.5 %. Else undecided. Arguments, result and errors as of `every`; the best
    cell is shown.
    """
    sign, edge, margins = _margins(cells, region, is_log=is_log)
    varied = [of for of in map(mean, margins) if of.sd > 0]
    if not varied:
        return Estimate(math.nan, math.nan, math.nan, remark=f"nothing varies in {len(margins)} {noun}")
    p_for = sorted(1.0 - _p_below(of) for of in varied)
    verdict = UNDECIDED
    if p_for[0] * len(varied) < 0.025:
        verdict = REPRODUCED
    elif all(of.high < 0 for of in varied):
        verdict = CONTRADICTED
    best = max(varied, key=lambda of: of.ours / of.sd * math.sqrt(of.n_seeds))
    needed = _in_words(_seeds_needed(best.sd, abs(best.ours))) if verdict == UNDECIDED else ""
    found = _placed(best, sign, edge)
    found = _exp(found) if is_log else found
    return replace(found, verdict=verdict, seeds_to_decide=needed, remark=f"the clearest of {len(varied)} {noun}")


def _margins(cells: ArrayLike, region: Region, *, is_log: bool) -> tuple[float, float, Array]:
    """Sign, edge and by how much each value lies inside a region of one edge, (n_cells, n_seeds)."""
    if not math.isinf(region.low) and not math.isinf(region.high):
        raise ValueError(f"a claim on every cell needs a region with one edge, got {region}")
    sign, edge = (1.0, region.low) if math.isinf(region.high) else (-1.0, region.high)
    edge = math.log(edge) if is_log else edge
    return sign, edge, sign * (np.atleast_2d(np.asarray(cells, dtype=float)) - edge)


def _placed(margin: Estimate, sign: float, edge: float) -> Estimate:
    """A cell's estimate from that of its margin."""
    low, high = sorted((edge + sign * margin.low, edge + sign * margin.high))
    return replace(margin, ours=edge + sign * margin.ours, low=low, high=high)


def _p_below(of: Estimate) -> float:
    """One-sided p of Student's t-test that a mean is below 0."""
    t = of.ours / of.sd * math.sqrt(of.n_seeds)
    return float(special.stdtr(of.n_seeds - 1, t))


def seeds_to_decide(region: Region, estimate: Estimate) -> str:
    """Seeds after which an undecided claim is decided four times in five, if ours is right: a number, or `>1000`.

    The smallest n with (t(0.975, n - 1) + 0.84) s / sqrt(n) no more than the distance of ours to the nearest edge.
    """
    if estimate.seeds_to_decide:
        return estimate.seeds_to_decide
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
