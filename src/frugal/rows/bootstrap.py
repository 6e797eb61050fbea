"""Variability of an estimate: the bootstrap, b out of n, and the bag of little bootstraps.

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

All results are the same for any number of workers and any executor. Of a `ParquetRows`, `blb` and `b_of_n` give
what they give of the same rows in memory; `bootstrap` draws other counts, see `group_sums`.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_between, check_flag, check_whole
from frugal.rows.bags import Bag, Part, Settle, Statistic, bag, check_settle, gather_parts
from frugal.rows.group_sums import fit_by_sums
from frugal.rows.parquet_rows import ParquetRows, rows_of
from frugal.rows.resamples import Estimator, Rows
from frugal.rows.spread import Spread
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
    b = math.floor(math.pow(n, gamma) * (1.0 + 1e-12))  # a root that is whole may come out just below it
    return min(n, b)


def blb(
    X: ArrayLike | ParquetRows,
    y: ArrayLike | None = None,
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
    n_workers: int | None = None,
    executor: Executor | None = None,
) -> Bag:
    """Bag of little bootstraps: for each subsample of `b` rows, `r` fits to n rows drawn from it as counts.

    With `b` = n and `s` = 1 it is the bootstrap, draw for draw.

    Args:
        X: features, shape (n, d), or a `ParquetRows`, of which a worker holds a row group and a subsample.
        y: shape (n,): class labels (integers, booleans or strings), or floating-point numbers, or None.
        b: rows of a subsample, from the number of classes to n; see `subsample_size`.
        s: largest number of subsamples.
        r: number of resamples per subsample, at least 2.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to n.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape, such as `interval_widths`.
        rng: generator of all random draws.
        settle_s: rule that stops before all subsamples, such as `Settle(window=3)`.
        settle_r: rule that stops before all resamples, such as `Settle(window=20)`.
        warm_start: whether to call `fit(..., start=coefficients)` with the coefficients of the subsample's first
            fit.
        n_workers: number of processes that fit subsamples, 1 by default; if `settle_s` ends the run, pending
            subsamples are discarded and not counted.
        executor: any executor of `concurrent.futures` that fits the subsamples in place of processes; each worker
            receives the rows once. `n_workers` is then the number of subsamples pending at once, by default the
            executor's number of workers.

    Raises:
        TypeError: if `fit` or `statistic` is no function, such as a scikit-learn estimator.
        ValueError: on an argument out of range, a subsample that misses a class, entries that are not finite in a
            row that is drawn (no other row is read), or if no subsample has two fits that succeed. Fits that fail
            are otherwise left out, counted, and warned of.

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
    rows = rows_of(X, y)
    check_sizes(b, r, len(rows), rows.classes)
    check_whole("s", s, 1)
    check_settle("settle_s", settle_s)
    check_settle("settle_r", settle_r)
    spread = Spread.over(n_workers, executor)
    plan = Plan(fit, statistic, len(rows), r, seed_of(rng), settle_r, warm_start)
    parts = spread.map(partial(_little_bootstrap, plan, rows, b), range(s), may_stop=settle_s is not None)
    taken, settled = gather_parts(parts, settle_s)
    return bag(taken, n=len(rows), b=b, settled_s=settled)


def bootstrap(
    X: ArrayLike | ParquetRows,
    y: ArrayLike | None = None,
    *,
    r: int,
    fit: Estimator,
    statistic: Statistic,
    rng: np.random.Generator,
    settle: Settle | None = None,
    warm_start: bool = False,
    n_workers: int | None = None,
    executor: Executor | None = None,
) -> Bag:
    """The n-out-of-n bootstrap: `r` fits to n rows drawn with replacement, each of them to about 63 % of the rows.

    Args:
        X: features, shape (n, d), or a `ParquetRows`, of which a worker holds a row group and sums.
        y: shape (n,): class labels, or floating-point numbers, or None.
        r: number of resamples, at least 2; with `settle` the largest number.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to n. A `SumsFit` where X is a
            `ParquetRows`.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape.
        rng: generator of all random draws.
        settle: rule that stops before all resamples.
        warm_start: whether to call `fit(..., start=coefficients)` with the coefficients of the first fit.
        n_workers: number of processes that fit resamples, 1 by default.
        executor: any executor of `concurrent.futures` that fits the resamples in place of processes; each worker
            receives the rows once. `n_workers` is then the number of resamples pending at once, by default the
            executor's number of workers.

    Raises:
        TypeError: if `fit` or `statistic` is no function, such as a scikit-learn estimator.
        ValueError: on an argument out of range, entries that are not finite, or if fewer than two fits succeed.
            Fits that fail are otherwise left out, counted, and warned of.

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
    rows = rows_of(X, y)
    check_whole("r", r, 2)
    check_settle("settle", settle)
    spread = Spread.over(n_workers, executor)
    plan = Plan(fit, statistic, len(rows), r, seed_of(rng), settle, warm_start)
    if isinstance(rows, ParquetRows):
        part = fit_by_sums(plan, rows, spread)
    else:
        part = fit_resamples(plan, rows, 0, spread)
    return bag([part], n=len(rows), b=len(rows))


def b_of_n(
    X: ArrayLike | ParquetRows,
    y: ArrayLike | None = None,
    *,
    b: int,
    r: int,
    fit: Estimator,
    statistic: Statistic,
    rng: np.random.Generator,
    rescale: bool = True,
    settle: Settle | None = None,
    warm_start: bool = False,
    n_workers: int | None = None,
    executor: Executor | None = None,
) -> Bag:
    """The b-out-of-n bootstrap: `r` fits to `b` rows drawn with replacement.

    Args:
        X: features, shape (n, d), or a `ParquetRows`, of which a worker holds a row group and a resample.
        y: shape (n,): class labels, or floating-point numbers, or None.
        b: rows of a resample, from the number of classes to n.
        r: resamples, at least 2; with `settle` at most. They are the document's s.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to `b`.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape.
        rng: generator of all random draws.
        rescale: multiply the statistic by sqrt(b / n), as is right for widths and standard errors of estimates
            that converge at the rate of root n, and for nothing else.
        settle: rule that stops before all resamples.
        warm_start: whether to call `fit(..., start=coefficients)` with the coefficients of the first fit.
        n_workers: number of processes that fit resamples, 1 by default.
        executor: any executor of `concurrent.futures` that fits the resamples in place of processes; each worker
            receives the rows once. `n_workers` is then the number of resamples pending at once, by default the
            executor's number of workers.

    Raises:
        TypeError: if `fit` or `statistic` is no function, such as a scikit-learn estimator.
        ValueError: on an argument out of range, entries that are not finite in a row that is drawn (no other row
            is read), or if fewer than two fits succeed. Fits that fail, such as those of resamples without a
            class, are otherwise left out, counted, and warned of.

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
    rows = rows_of(X, y)
    check_sizes(b, r, len(rows), rows.classes)
    check_flag("rescale", rescale)
    check_settle("settle", settle)
    spread = Spread.over(n_workers, executor)
    plan = Plan(fit, statistic, b, r, seed_of(rng), settle, warm_start)
    part = fit_out_of(plan, rows, math.sqrt(b / len(rows)) if rescale else 1.0, spread)
    return bag([part], n=len(rows), b=b)


def _little_bootstrap(plan: Plan, rows: Rows | ParquetRows, b: int, number: int) -> Part:
    return fit_resamples(plan, rows.take(draw_subsample(plan, len(rows), b, number)), number)
