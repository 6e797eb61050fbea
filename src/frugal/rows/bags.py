"""Average coefficients and quality over many fits, and decide when they have settled."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_between, check_number, check_whole
from frugal.rows.resamples import Array, Ints, Outcome

Statistic = Callable[[Array], ArrayLike]
"""`statistic(estimates)`: coefficients of k fits, shape (k, d), to a quality of any shape."""


class NoFitError(ValueError):
    """A bootstrap without an estimate: no subsample has two fits that succeeded, or one misses a class."""


def interval_widths(estimates: Array, level: float = 0.95) -> Array:
    """Widths of the central percentile intervals of each coefficient: the quality in Figure 7 of document 003.

    Quantiles interpolate linearly between order statistics. So the widths of few estimates are too small: of
    normal ones, at 95 %, on average by 16 % with k = 20, by 4 % with 100 and by 1 % with 400.

    Args:
        estimates: coefficients of k fits, at least one, shape (k, d).
        level: share of the estimates inside, above 0 and at most 1.

    Returns:
        Widths, shape (d,).

    Raises:
        ValueError: on a level outside (0, 1], or no fit.

    Examples:
        >>> import numpy as np
        >>> from frugal.rows import interval_widths
        >>> estimates = np.arange(101.0)[:, None]
        >>> interval_widths(estimates, level=0.9).round(6).tolist()
        [90.0]
    """
    check_between("level", level, 0.0, 1.0, above=True)
    if not len(estimates):
        raise ValueError("estimates must have at least one row, got none")
    low, high = np.quantile(estimates, [0.5 - level / 2, 0.5 + level / 2], axis=0)
    return np.asarray(high - low)


@dataclass(frozen=True)
class Settle:
    """Rule for when estimates z(1), z(2), ... have settled.

    They have settled at t if the mean over the entries of `|z(t - j) - z(t)| / |z(t)|` is at most `tolerance`
    for each j from 1 to `window`. The rule is that of Kleiner et al. (2014), who look back
    20 resamples within a subsample and 3 subsamples.

    Attributes:
        tolerance: relative change, at least 0.
        window: number of estimates before the last that must be close to it, at least 1.

    Examples:
        >>> import numpy as np
        >>> from frugal.rows import Settle
        >>> series = [np.array([2.0]), np.array([1.01]), np.array([1.0])]
        >>> Settle(tolerance=0.05, window=1).reached(series), Settle(tolerance=0.05, window=2).reached(series)
        (True, False)
    """

    tolerance: float = 0.05
    window: int = 20

    def __post_init__(self) -> None:
        check_number("tolerance", self.tolerance, 0.0)
        check_whole("window", self.window, 1)

    def reached(self, series: Sequence[Array]) -> bool:
        """True if the last of these estimates, in order and of equal shape, has settled."""
        if len(series) <= self.window:
            return False
        last, before = series[-1], np.array([series[-1 - j] for j in range(1, self.window + 1)])
        with np.errstate(divide="ignore", invalid="ignore"):
            changes = np.where(before == last, 0.0, np.abs(before - last) / np.abs(last))
        return bool((changes.reshape(self.window, -1).mean(axis=1) <= self.tolerance).all())


@dataclass(frozen=True, eq=False)
class Part:
    """The fits to one subsample.

    Attributes:
        outcomes: results of the fits, in order.
        statistic: quality of the successful fits; None if there are fewer than two.
        settled: whether a rule was given and met.
    """

    outcomes: list[Outcome]
    statistic: Array | None
    settled: bool

    @property
    def estimates(self) -> list[Array]:
        """Coefficients of the fits that succeeded."""
        return [outcome.coef for outcome in self.outcomes if outcome.coef is not None]


@dataclass(frozen=True, eq=False)
class Bag:
    """Result and cost of a bootstrap. `s` is 1 except for the bag of little bootstraps.

    Attributes:
        coef: averaged coefficients, shape (d,): the mean over the subsamples of the means over their resamples.
        statistic: averaged quality: the mean over the subsamples of the statistic of each.
        coefs: mean coefficients per subsample, shape (s, d); nan where every fit failed.
        statistics: quality per subsample, shape (s, ...); nan where fewer than two fits succeeded.
        estimates: coefficients of each fit, shape (s, largest r, d); nan if it failed or was not made.
        rows: number of distinct rows of each fit, shape (s, largest r); 0 if it was not made.
        n: rows of the data.
        b: rows that a resample is drawn from; for `b_of_n` the size of a resample.
        r: resamples per subsample, shape (s,).
        settled_s: whether the rule on subsamples was met; False without a rule.
        settled_r: whether the rule on resamples was met, shape (s,).
        reasons: reason of failure -> number of failed fits.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 1))
        >>> def mean(X, y, weights):
        ...     return weights @ X / weights.sum()
        >>> bag = rows.blb(X, None, b=100, s=5, r=10, fit=mean, statistic=rows.interval_widths, rng=rng)
        >>> bag.n_fits, bag.n_failed, bag.coefs.shape
        (50, 0, (5, 1))
        >>> bag.rows_touched <= 50 * 100
        True
    """

    coef: Array
    statistic: Array
    coefs: Array
    statistics: Array
    estimates: Array
    rows: Ints
    n: int
    b: int
    r: Ints
    settled_s: bool
    settled_r: NDArray[np.bool_]
    reasons: Mapping[str, int]

    @property
    def s(self) -> int:
        """Number of subsamples used."""
        return len(self.r)

    @property
    def n_fits(self) -> int:
        """Number of fits, failed ones included."""
        return int(self.r.sum())

    @property
    def n_failed(self) -> int:
        """Number of failed fits, which both averages leave out."""
        return sum(self.reasons.values())

    @property
    def rows_touched(self) -> int:
        """Distinct rows per fit, summed over the fits: the cost that does not depend on the machine."""
        return int(self.rows.sum())


def check_settle(name: str, rule: object) -> None:
    """Raise ValueError unless a rule is a `Settle` or None."""
    if rule is not None and not isinstance(rule, Settle):
        raise ValueError(f"{name} must be a Settle or None, got {rule!r}")


def gather(outcomes: Iterable[Outcome], statistic: Statistic, settle: Settle | None) -> Part:
    """Take fits until the statistic of the successful ones has settled, or until all are taken.

    A failed fit adds nothing to the series; a repeated value would look as if it had settled.

    Raises:
        ValueError: if the statistic is not finite, or coefficients change their shape.
    """
    taken: list[Outcome] = []
    estimates: list[Array] = []
    series: deque[Array] = deque(maxlen=None if settle is None else settle.window + 1)
    for outcome in outcomes:
        taken.append(outcome)
        if outcome.coef is None:
            continue
        estimates.append(outcome.coef)
        if outcome.coef.shape != estimates[0].shape:
            raise ValueError(
                f"fit must return coefficients of one shape, got {estimates[0].shape} and {outcome.coef.shape}"
            )
        if settle is not None and len(estimates) > 1:
            series.append(_quality(statistic, estimates))
            if settle.reached(series):
                return Part(taken, series[-1], True)
    return Part(taken, _quality(statistic, estimates) if len(estimates) > 1 else None, False)


def gather_parts(parts: Iterable[Part], settle: Settle | None) -> tuple[list[Part], bool]:
    """Take subsamples until their averaged quality settles, or all; returns them, and whether it settled."""
    taken: list[Part] = []
    statistics: list[Array] = []
    series: list[Array] = []
    for part in parts:
        taken.append(part)
        if part.statistic is None or settle is None:
            continue
        statistics.append(part.statistic)
        series.append(np.mean(statistics, axis=0))
        if settle.reached(series):
            return taken, True
    return taken, False


def bag(parts: Sequence[Part], *, n: int, b: int, settled_s: bool = False) -> Bag:
    """Average over subsamples; warns of failed fits.

    Raises:
        NoFitError: a ValueError, if no subsample has two fits that succeeded.
        ValueError: if coefficients differ in shape.
    """
    reasons = Counter(o.reason for part in parts for o in part.outcomes if o.coef is None)
    r = np.array([len(part.outcomes) for part in parts])
    qualities = [part.statistic for part in parts if part.statistic is not None]
    if reasons:
        reason, often = reasons.most_common(1)[0]
        failures = f"{reasons.total()} of {r.sum()} fits failed, {often} of them because: {reason}"
        if not qualities:
            raise NoFitError(failures)
        warnings.warn(f"{failures}; they are left out", RuntimeWarning, stacklevel=3)
    shapes = {estimate.shape for part in parts for estimate in part.estimates}
    if len(shapes) > 1:
        raise ValueError(
            f"fit must return coefficients of one shape, got {' and '.join(map(str, sorted(shapes)))}"
        )
    widths = {quality.shape for quality in qualities}
    if len(widths) > 1:
        raise ValueError(
            f"statistic must return arrays of one shape, got {' and '.join(map(str, sorted(widths)))}"
        )
    estimates = np.full((len(parts), r.max(), *shapes.pop()), np.nan)
    rows = np.zeros((len(parts), r.max()), dtype=np.int64)
    coefs = np.full((len(parts), *estimates.shape[2:]), np.nan)
    statistics = np.full((len(parts), *qualities[0].shape), np.nan)
    for i, part in enumerate(parts):
        for k, outcome in enumerate(part.outcomes):
            rows[i, k] = outcome.rows
            if outcome.coef is not None:
                estimates[i, k] = outcome.coef
        if part.estimates:
            coefs[i] = np.mean(part.estimates, axis=0)
        if part.statistic is not None:
            statistics[i] = part.statistic
    return Bag(
        coef=np.mean([c for c, part in zip(coefs, parts, strict=True) if part.estimates], axis=0),
        statistic=np.mean(qualities, axis=0),
        coefs=coefs,
        statistics=statistics,
        estimates=estimates,
        rows=rows,
        n=n,
        b=b,
        r=r,
        settled_s=settled_s,
        settled_r=np.array([part.settled for part in parts]),
        reasons=dict(reasons),
    )


def _quality(statistic: Statistic, estimates: Sequence[Array]) -> Array:
    quality = np.array(statistic(np.array(estimates)), dtype=float)
    if not np.isfinite(quality).all():
        raise ValueError(f"statistic must return finite numbers, got {quality}")
    return quality
