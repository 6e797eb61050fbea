"""The bag of little bootstraps over rows that are read in chunks: memory for subsamples, not for the data.

Document 003, section 3.1, states the memory of a resample as O(b log n). That the subsamples themselves are
drawn from a stream is not in it; each is a simple random sample of the rows, as there.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_whole
from frugal.rows.bags import Bag, Part, Settle, Statistic, bag, check_settle, gather_parts
from frugal.rows.checks import Read, check_read, chunks_of
from frugal.rows.resamples import Estimator, Rows
from frugal.rows.spread import Spread
from frugal.rows.subsamples import Plan, Reservoir, check_sizes, fit_resamples, seed_of


def blb_stream(
    read: Read,
    *,
    b: int,
    s: int,
    r: int,
    fit: Estimator,
    statistic: Statistic,
    rng: np.random.Generator,
    at_once: int | None = None,
    settle_s: Settle | None = None,
    settle_r: Settle | None = None,
    warm_start: bool = False,
    n_workers: int | None = None,
    executor: Executor | None = None,
) -> Bag:
    """The bag of little bootstraps of `blb`, equal for the same rows and generator whatever the chunks.

    Reads the rows `ceil(s / at_once)` times and holds `at_once` subsamples of `b` rows, and a chunk.

    Args:
        read: starts a new pass and yields chunks (X, y): X of shape (n_chunk, d), y of shape (n_chunk,) or None;
            chunks may be empty. Every pass must yield the same rows in the same order.
        b: rows of a subsample, from the number of classes to n.
        s: largest number of subsamples.
        r: number of resamples per subsample, at least 2.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to n.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape.
        rng: generator of all random draws.
        at_once: subsamples drawn in one pass, and fitted at the same time at most; `s` reads the rows only once.
            None: one per worker.
        settle_s: rule that stops before all subsamples.
        settle_r: rule that stops before all resamples.
        warm_start: whether to call `fit(..., start=coefficients)` with the coefficients of the subsample's first
            fit.
        n_workers: number of processes that fit the subsamples of a pass, 1 by default.
        executor: any executor of `concurrent.futures` that fits the subsamples in place of processes. `n_workers`
            is then the number of subsamples pending at once, by default the executor's number of workers.

    Raises:
        ValueError: as `blb` does, if chunks differ in their columns, and if there are no rows or a pass gives
            another number of them.
        TypeError: if `read`, `fit` or `statistic` is no function.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 1))
        >>> def mean(X, y, weights):
        ...     return weights @ X / weights.sum()
        >>> def read():
        ...     return ((chunk, None) for chunk in np.array_split(X, 4))
        >>> sizes = {"b": 100, "s": 2, "r": 10, "fit": mean, "statistic": rows.interval_widths}
        >>> bag = rows.blb_stream(read, rng=np.random.default_rng(1), **sizes)
        >>> whole = rows.blb(X, None, rng=np.random.default_rng(1), **sizes)
        >>> np.allclose(bag.coef, whole.coef)
        True
    """
    spread = Spread.over(n_workers, executor)
    at_once = spread.n_workers if at_once is None else at_once
    for name, value, low in (("b", b, 1), ("r", r, 2), ("s", s, 1), ("at_once", at_once, 1)):
        check_whole(name, value, low)
    check_read(read)
    check_settle("settle_s", settle_s)
    check_settle("settle_r", settle_r)
    plan = Plan(fit, statistic, 0, r, seed_of(rng), settle_r, warm_start)

    def parts() -> Iterator[Part]:
        nonlocal plan
        for first in range(0, s, at_once):
            numbers = range(first, min(first + at_once, s))
            n, subsamples = _pass(plan, read, b, numbers)
            plan = replace(plan, size=n)
            yield from spread.map(
                partial(_fit, plan), zip(subsamples, numbers, strict=True), may_stop=settle_s is not None
            )

    taken, settled = gather_parts(parts(), settle_s)
    return bag(taken, n=plan.size, b=b, settled_s=settled)


def _fit(plan: Plan, task: tuple[Rows, int]) -> Part:
    return fit_resamples(plan, *task)


def _pass(plan: Plan, read: Read, b: int, numbers: range) -> tuple[int, Iterator[Rows]]:
    """Draw the subsamples of these numbers; returns the number of rows, which a plan of size 0 lacks, and them."""
    reservoirs = [Reservoir(plan.generator(number), b) for number in numbers]
    n, classes, first = 0, None, None
    for X, y in chunks_of(read):
        chunk = Rows.from_arrays(X, y)
        kind = f"{chunk.X.shape[1]} columns and {'no y' if chunk.y is None else 'y'}"
        first = first or kind
        if kind != first:
            raise ValueError(f"every chunk must have {first}, as the first one has, got {kind}")
        n += len(chunk)
        if chunk.classes is not None:
            classes = chunk.classes if classes is None else np.union1d(classes, chunk.classes)
        arrays: list[NDArray[Any]] = [chunk.X] if chunk.y is None else [chunk.X, chunk.y]
        for reservoir in reservoirs:
            reservoir.see(*arrays)
    if n == 0:
        raise ValueError("read must give at least one row, got none")
    if plan.size not in (0, n):
        low, high = sorted((plan.size, n))
        raise ValueError(f"read must give the same rows each time, got {low} and {high}")
    check_sizes(b, plan.r, n, classes)
    drawn = (reservoir.rows() for reservoir in reservoirs)
    return n, (Rows.from_arrays(X, y[0] if y else None, classes) for X, *y in drawn)
