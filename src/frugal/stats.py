"""Statistics: Welch's t-test, stars, rank percentiles, confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Welch:
    """Outcome of two-sided Welch's t-tests, each of shape (...); nan where a sample has fewer than two values.

    Attributes:
        t: statistic.
        dof: Welch-Satterthwaite degrees of freedom.
        p: probability of a statistic at least as far from 0 if the means are equal.

    Examples:
        >>> from frugal.stats import welch
        >>> found = welch([0.8, 0.9, 0.85], [0.6, 0.75, 0.7])
        >>> round(float(found.t), 2), round(float(found.dof), 1)
        (3.16, 3.4)
    """

    t: Floats
    dof: Floats
    p: Floats


def welch(first: ArrayLike, second: ArrayLike) -> Welch:
    """Two-sided Welch's t-test of equal means, for one pair of samples or many. Values of nan are left out.

    `t = (m1 - m2) / sqrt(s1^2/N1 + s2^2/N2)` with Welch-Satterthwaite degrees of freedom. Where both samples
    are constant the test degenerates: p is 1 if the means are equal, where t is nan, else 0.

    Args:
        first: values along the last axis, shape (..., n_first).
        second: values along the last axis, shape (..., n_second).

    Examples:
        >>> from frugal.stats import welch
        >>> round(float(welch([0.8, 0.9, 0.85], [0.6, 0.75, 0.7]).p), 3)
        0.042
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        (na, ma, va), (nb, mb, vb) = _moments(np.asarray(first, float)), _moments(np.asarray(second, float))
        t = (ma - mb) / np.sqrt(va + vb)
        dof = (va + vb) ** 2 / (va**2 / (na - 1) + vb**2 / (nb - 1))
        p = np.where(va + vb == 0.0, ma == mb, 2.0 * special.stdtr(dof, -np.abs(t)))[()]
    return Welch(t, dof, p)


def _moments(samples: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Number, mean and squared standard error along the last axis, without nan."""
    here = ~np.isnan(samples)
    n, constant = here.sum(axis=-1), _constant(samples, here)
    mean = np.where(here, samples, 0.0).sum(axis=-1) / n
    mean = np.where(np.isnan(constant), mean, constant)  # without rounding, so that equal values have no variance
    squares = np.where(here, (samples - mean[..., None]) ** 2, 0.0)
    return n, mean, squares.sum(axis=-1) / (n - 1) / n


def _constant(samples: Floats, here: NDArray[np.bool_] | Literal[True] = True) -> Floats:
    """The common value along the last axis if all values selected by `here` are equal, nan if they differ."""
    low = samples.min(axis=-1, where=here, initial=np.inf)
    return np.where(low == samples.max(axis=-1, where=here, initial=-np.inf), low, np.nan)


def stars(p: float) -> str:
    """`***` below 0.001, `**` below 0.01, `*` below 0.05, else nothing.

    Examples:
        >>> from frugal.stats import stars
        >>> [stars(p) for p in (0.0002, 0.03, 0.2)]
        ['***', '*', '']
    """
    return "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""


def mean_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Student-t confidence interval of a mean; (nan, nan) for fewer than two values.

    Args:
        values: independent values, shape (n,).
        level: coverage in (0, 1).

    Raises:
        ValueError: if `level` is not in (0, 1).

    Examples:
        >>> from frugal.stats import mean_interval
        >>> low, high = mean_interval([0.8, 0.9, 0.85])
        >>> round(low, 3), round(high, 3)
        (0.726, 0.974)
    """
    x = np.asarray(values, dtype=float)
    _check_level(level)
    if x.size < 2:
        return math.nan, math.nan
    half = t_margin(standard_error(x), x.size, level)
    return float(x.mean()) - half, float(x.mean()) + half


def t_margin(error: float, n: int, level: float = 0.95) -> float:
    """Half of a Student-t confidence interval: a standard error times the quantile with n - 1 degrees of freedom.

    Args:
        error: standard error of an estimate from `n` independent values.
        n: number of values, at least 2.
        level: coverage in (0, 1).

    Raises:
        ValueError: if `level` is not in (0, 1).

    Examples:
        >>> from frugal.stats import t_margin
        >>> [round(t_margin(0.01, n), 3) for n in (3, 30)]
        [0.043, 0.02]
    """
    _check_level(level)
    return float(special.stdtrit(n - 1, 0.5 + level / 2)) * error


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must be above 0 and below 1, got {level!r}")


def standard_error(values: ArrayLike) -> float:
    """Sample standard deviation over root n; nan for fewer than two values, 0 if all are equal.

    Args:
        values: independent values, shape (n,).

    Examples:
        >>> from frugal.stats import standard_error
        >>> round(standard_error([0.8, 0.9, 0.85]), 4)
        0.0289
    """
    x = np.asarray(values, dtype=float)
    if x.size < 2:
        return math.nan
    return float(x.std(ddof=1)) / math.sqrt(x.size) if np.isnan(_constant(x)) else 0.0


def mean_and_sd(values: ArrayLike) -> tuple[float, float]:
    """Mean and standard deviation (of the population) to standardise by; a standard deviation of 0 counts as 1.

    So does one below a 1e-12th of the largest value: the values then differ by rounding alone. Where all values
    are equal, their mean is that value, without rounding.

    Args:
        values: at least one value, shape (n,).

    Examples:
        >>> from frugal.stats import mean_and_sd
        >>> mean_and_sd([0.1, 0.1, 0.1])
        (0.1, 1.0)
    """
    x = np.asarray(values, dtype=float)
    constant = _constant(x)
    if not np.isnan(constant):
        return float(constant), 1.0
    mean, sd = float(x.mean()), float(x.std())
    return mean, 1.0 if sd <= 1e-12 * np.abs(x).max() else sd


def mean_score(scores: Sequence[float]) -> float:
    """Mean of a candidate's fold scores, safe to compare by `<` and `==`.

    The sum is exactly rounded (`math.fsum`), so the order of the folds does not matter. The mean is rounded to
    12 decimals, or, outside [1e-6, 1], to 12 digits of the largest score. A failed fold (nan) makes the mean -inf:
    a failed candidate ranks below every other.

    Args:
        scores: one per fold, at least one, finite or nan.

    Examples:
        >>> from frugal.stats import mean_score
        >>> mean_score([0.1, 0.2, 0.3]), mean_score([0.3, 0.2, 0.1]), mean_score([0.2, float("nan")])
        (0.2, 0.2, -inf)
    """
    try:
        mean = math.fsum(scores) / len(scores)
    except OverflowError:  # the sum is no number, though the mean is
        largest = max(map(abs, scores))
        mean = math.fsum(score / largest for score in scores) / len(scores) * largest
    if 1e-6 <= mean <= 1.0:  # accuracies: the common case first
        return round(mean, 12)
    return -math.inf if math.isnan(mean) else _rounded(mean, max(map(abs, scores)))


def _rounded(mean: float, scale: float) -> float:
    """Round a mean to 12 digits of `scale`, the largest of its terms."""
    return round(mean, 12 - math.ceil(math.log10(scale))) if scale else 0.0


def rank_percentile(means: Floats, chosen: int) -> float:
    """Document 001's quality: 1 minus the share of candidates that are strictly better.

    Args:
        means: comparable means (see `mean_score`), shape (n_candidates,).
        chosen: index of the chosen candidate.

    Examples:
        >>> import numpy as np
        >>> from frugal.stats import rank_percentile
        >>> rank_percentile(np.array([0.7, 0.9, 0.8, 0.8]), chosen=2)
        0.75
    """
    return 1.0 - float(np.count_nonzero(means > means[chosen])) / means.size
