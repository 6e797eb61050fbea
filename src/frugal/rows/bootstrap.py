"""How far an estimate would vary: the bootstrap, b out of n, and the bag of little bootstraps.

Source: document 003, section 3.1, after Kleiner et al. (2014), "A scalable bootstrap for massive data",
JRSS B 76. Their symbols: n rows of data, s subsamples of b rows each, r resamples per subsample, b = n^gamma.

- `bootstrap`: r resamples of n rows, drawn with replacement from all.
- `b_of_n`: r resamples of b rows, drawn with replacement from all. A width found so is that of b rows, and is
  multiplied by sqrt(b / n), which the document leaves out.
- `blb`: s subsamples of b rows, drawn without replacement; from each, r resamples of n rows, which hold at most b
  distinct ones and are kept as counts. No rescaling.

The document averages the coefficients of all fits into one hypothesis, as bagging does; its Figure 7, like
Kleiner et al., averages a quality of the estimate over the subsamples. Each result has both. A resample of n
rows is a fit to at most b rows with its counts as weights, by any `fit(X, y, weights) -> coefficients`.

All results are the same for any number of workers.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_between, check_whole
from frugal.rows.bags import Bag, Part, Settle, Statistic, bag, gather_parts
from frugal.rows.resamples import Estimator, Rows, in_order
from frugal.rows.subsamples import Plan, check_sizes, draw_subsample, fit_out_of, fit_resamples, seed_of


def subsample_size(n: int, gamma: float) -> int:
    """`b = floor(n^gamma)`, at least 1.

    Args:
        n: rows of the data, at least 1.
        gamma: exponent, above 0 and at most 1; the document's run from 0.5 to 1.

    Raises:
        ValueError: if either is out of range.

    Examples:
        >>> from frugal.rows import subsample_size
        >>> subsample_size(10_000, 0.5)
        100
    """
    check_whole("n", n, 1)
    check_between("gamma", gamma, 0.0, 1.0, above=True)
    return math.floor(math.pow(n, gamma) * (1.0 + 1e-12))  # a root that is whole may come out just below it


def blb(
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    b: int,
    s: int,
    r: int,
    fit: Estimator,
    statistic: Statistic,
    rng: np.random.Generator,
    settle_s: Settle | None = None,
    settle_r: Settle | None = None,
    warm_start: bool = False,
    n_workers: int = 1,
) -> Bag:
    """Bag of little bootstraps: per subsample of `b` rows, `r` fits to n rows that are counts of its own.

    With `b` = n and `s` = 1 it is the bootstrap, draw for draw.

    Args:
        X: features, shape (n, d).
        y: shape (n,): class labels (integers, booleans or strings), or floating-point numbers, or None.
        b: rows of a subsample, from the number of classes to n; see `subsample_size`.
        s: subsamples, at most.
        r: resamples per subsample, at least 2.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to n.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape, such as `interval_widths`.
        rng: from which everything is drawn.
        settle_s: rule for fewer subsamples, such as `Settle(window=3)`.
        settle_r: rule for fewer resamples, such as `Settle(window=20)`.
        warm_start: call `fit(..., start=coefficients)` with those of the subsample's first fit.
        n_workers: processes over which subsamples are spread; where `settle_s` ends the run, what the others had
            in hand is thrown away and not counted.

    Raises:
        ValueError: on an argument out of range, a subsample that misses a class, entries that are not finite,
            or if every fit fails. Fits that fail are otherwise left out, counted, and warned of.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 1))
        >>> def mean(X, y, weights):
        ...     return weights @ X / weights.sum()
        >>> bag = rows.blb(X, None, b=100, s=5, r=50, fit=mean, statistic=rows.interval_widths, rng=rng)
        >>> abs(bag.statistic.item() - 2 * 1.96 / 1000**0.5) < 0.02
        True
    """
    rows = Rows.of(X, y)
    check_sizes(b, r, len(rows), rows.classes)
    check_whole("s", s, 1)
    check_whole("n_workers", n_workers, 1)
    plan = Plan(fit, statistic, len(rows), r, seed_of(rng), settle_r, warm_start)
    calls = (partial(_little_bootstrap, plan, rows, b, number) for number in range(s))
    parts = in_order(calls, n_workers, at_once=s if settle_s is None else n_workers)
    taken, settled = gather_parts(parts, settle_s)
    return bag(taken, n=len(rows), b=b, settled_s=settled)


def bootstrap(
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    r: int,
    fit: Estimator,
    statistic: Statistic,
    rng: np.random.Generator,
    settle: Settle | None = None,
    warm_start: bool = False,
    n_workers: int = 1,
) -> Bag:
    """The n-out-of-n bootstrap: `r` fits to n rows drawn with replacement, each of them to about 63 % of the rows.

    Args:
        X: features, shape (n, d).
        y: shape (n,): class labels, or floating-point numbers, or None.
        r: resamples, at least 2; with `settle` at most.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to n.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape.
        rng: from which everything is drawn.
        settle: rule for fewer resamples.
        warm_start: call `fit(..., start=coefficients)` with those of the first fit.
        n_workers: processes over which resamples are spread.

    Raises:
        ValueError: on an argument out of range, entries that are not finite, or if every fit fails. Fits that fail
            are otherwise left out, counted, and warned of.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 1))
        >>> def mean(X, y, weights):
        ...     return weights @ X / weights.sum()
        >>> bag = rows.bootstrap(X, None, r=200, fit=mean, statistic=rows.interval_widths, rng=rng)
        >>> abs(bag.statistic.item() - 2 * 1.96 / 1000**0.5) < 0.02
        True
    """
    rows = Rows.of(X, y)
    check_sizes(len(rows), r, len(rows), rows.classes)
    check_whole("n_workers", n_workers, 1)
    plan = Plan(fit, statistic, len(rows), r, seed_of(rng), settle, warm_start, n_workers)
    return bag([fit_resamples(plan, rows, 0)], n=len(rows), b=len(rows))


def b_of_n(
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    b: int,
    r: int,
    fit: Estimator,
    statistic: Statistic,
    rng: np.random.Generator,
    rescale: bool = True,
    settle: Settle | None = None,
    warm_start: bool = False,
    n_workers: int = 1,
) -> Bag:
    """The b-out-of-n bootstrap: `r` fits to `b` rows drawn with replacement.

    Args:
        X: features, shape (n, d).
        y: shape (n,): class labels, or floating-point numbers, or None.
        b: rows of a resample, from the number of classes to n.
        r: resamples, at least 2; with `settle` at most. They are the document's s.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to `b`.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape.
        rng: from which everything is drawn.
        rescale: multiply the statistic by sqrt(b / n), as is right for widths and standard errors of estimates
            that converge at the rate of root n, and for nothing else.
        settle: rule for fewer resamples.
        warm_start: call `fit(..., start=coefficients)` with those of the first fit.
        n_workers: processes over which resamples are spread.

    Raises:
        ValueError: on an argument out of range, entries that are not finite, or if every fit fails. Fits that
            fail, such as those of resamples without a class, are otherwise left out, counted, and warned of.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 1))
        >>> def mean(X, y, weights):
        ...     return weights @ X / weights.sum()
        >>> bag = rows.b_of_n(X, None, b=100, r=200, fit=mean, statistic=rows.interval_widths, rng=rng)
        >>> abs(bag.statistic.item() - 2 * 1.96 / 1000**0.5) < 0.02
        True
    """
    rows = Rows.of(X, y)
    check_sizes(b, r, len(rows), rows.classes)
    check_whole("n_workers", n_workers, 1)
    plan = Plan(fit, statistic, b, r, seed_of(rng), settle, warm_start, n_workers)
    part = fit_out_of(plan, rows, math.sqrt(b / len(rows)) if rescale else 1.0)
    return bag([part], n=len(rows), b=b)


def _little_bootstrap(plan: Plan, rows: Rows, b: int, number: int) -> Part:
    return fit_resamples(plan, rows.take(draw_subsample(plan, len(rows), b, number)), number)
