"""Subsamples in memory of their own size, and resamples drawn from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_flag, check_rng, check_whole
from frugal.rows.bags import NoFitError, Part, Settle, Statistic, gather
from frugal.rows.parquet_rows import ParquetRows
from frugal.rows.resamples import Array, Estimator, Ints, Outcome, Rows, draw_counts, fit_counts
from frugal.rows.spread import Spread

HERE: Final = Spread()
_BLOCK: Final = 2**16
"""Number of keys drawn at once for a subsample of rows in memory."""


@dataclass(frozen=True, eq=False)
class Plan:
    """How to draw and fit resamples, and when to stop.

    Attributes:
        fit: the estimator.
        statistic: quality of the estimates of one subsample.
        size: rows of a resample.
        r: largest number of resamples per subsample.
        seed: seed from which the generator of every subsample and resample is derived.
        settle: rule that stops before all resamples.
        warm_start: whether later fits to a subsample start from the first one's coefficients.

    Raises:
        TypeError: if `fit` or `statistic` is no function, such as a scikit-learn estimator.
    """

    fit: Estimator
    statistic: Statistic
    size: int
    r: int
    seed: int
    settle: Settle | None = None
    warm_start: bool = False

    def __post_init__(self) -> None:
        check_functions(self.fit, self.statistic)
        check_flag("warm_start", self.warm_start)

    def generator(
        self, subsample: int, resample: int | None = None, group: int | None = None
    ) -> np.random.Generator:
        """Generator of a resample, of its part in a group of rows, or of the subsample itself."""
        # A seed sequence reads a missing number as 0. So 0 stands for the whole, and parts count from 1.
        parts = [0 if resample is None else resample + 1, *([] if group is None else [group + 1])]
        return np.random.default_rng([self.seed, subsample, *parts])


class Reservoir:
    """A simple random sample of `b` rows of a stream, each seen once, in O(b) memory.

    Every row gets a uniform key, and the rows with the `b` smallest keys stay. Which ones stay does not depend
    on how the rows are cut into chunks.

    Args:
        rng: generator of the keys.
        b: number of rows to keep.
    """

    def __init__(self, rng: np.random.Generator, b: int) -> None:
        self._rng, self._b = rng, b
        self._keys: Array = np.empty(0)
        self._held: list[NDArray[Any]] = []

    def see(self, *arrays: NDArray[Any]) -> None:
        """Process a chunk.

        Args:
            *arrays: each of shape (n_chunk, ...); the same row of each belongs together.
        """
        keys, n_held = self._rng.random(len(arrays[0])), len(self._keys)
        near = np.flatnonzero(keys < self._keys.max()) if n_held == self._b else np.arange(len(keys))
        merged = np.concatenate([self._keys, keys[near]])
        stay = np.arange(len(merged))
        if len(merged) > self._b:
            stay = np.sort(np.argpartition(merged, self._b - 1)[: self._b])
        old, new = stay[stay < n_held], near[stay[stay >= n_held] - n_held]
        held = self._held or [array[:0] for array in arrays]
        self._keys = merged[stay]
        self._held = [np.concatenate([h[old], array[new]]) for h, array in zip(held, arrays, strict=True)]

    def rows(self) -> list[NDArray[Any]]:
        """The sampled rows in the order of the stream: one array of shape (b, ...) per array seen."""
        return self._held


def seed_of(rng: np.random.Generator) -> int:
    """Draw the seed from which everything else is derived.

    Raises:
        ValueError: if `rng` is not a NumPy generator.
    """
    check_rng(rng)
    return int(rng.integers(2**63))


def check_functions(fit: object, statistic: object) -> None:
    """Raise on a `fit` or `statistic` that is no function, such as a scikit-learn estimator.

    Raises:
        TypeError: naming the argument.
    """
    for takes, value in (("fit(X, y, weights)", fit), ("statistic(estimates)", statistic)):
        if not callable(value):
            raise TypeError(f"{takes.partition('(')[0]} must be a function {takes}, got {value!r}")


def check_sizes(b: int, r: int, n: int, classes: NDArray[Any] | None) -> None:
    """Raise ValueError on subsamples that miss a class or exceed the data, and on fewer than 2 resamples.

    Args:
        b: rows of a subsample.
        r: resamples per subsample.
        n: rows of the data.
        classes: classes of the data; None: there are none.
    """
    n_classes = 1 if classes is None else len(classes)
    check_whole("b", b, 1, n, "the rows of X")
    if b < n_classes:
        raise ValueError(f"b must be at least {n_classes}, the number of classes in y, got {b!r}")
    check_whole("r", r, 2)


def draw_subsample(plan: Plan, n: int, b: int, number: int) -> Ints:
    """Numbers of `b` of n rows, drawn without replacement, in increasing order, shape (b,)."""
    if b == n:
        return np.arange(n)
    reservoir = Reservoir(plan.generator(number), b)
    for first in range(0, n, _BLOCK):
        reservoir.see(np.arange(first, min(first + _BLOCK, n)))
    return reservoir.rows()[0]


def fit_resamples(plan: Plan, rows: Rows, number: int, spread: Spread = HERE) -> Part:
    """Fit resamples whose counts are drawn over all of these rows.

    Args:
        plan: the estimator, and the number of resamples.
        rows: a subsample, or all rows.
        number: number of the subsample.
        spread: workers that fit.

    Raises:
        NoFitError: a ValueError, if a class has no row here.
        ValueError: if entries are not finite.
    """
    if missing := rows.missing():
        raise NoFitError(
            f"b must be large enough for every subsample to hold every class, got {len(rows)}: "
            f"subsample {number} has no row of class {missing[0]!r}"
        )
    rows.check_finite()
    outcomes = _outcomes(plan, partial(_resample, plan, rows, number), spread)
    return gather(outcomes, plan.statistic, plan.settle)


def fit_out_of(plan: Plan, rows: Rows | ParquetRows, factor: float, spread: Spread) -> Part:
    """Fit smaller resamples drawn from all rows, and multiply their quality by `factor`.

    Raises:
        ValueError: if entries are not finite.
    """

    def scaled(estimates: Array) -> Array:
        return factor * np.asarray(plan.statistic(estimates))

    return gather(_outcomes(plan, partial(_small_resample, plan, rows), spread), scaled, plan.settle)


def _resample(plan: Plan, rows: Rows, subsample: int, number: int, start: Array | None = None) -> Outcome:
    counts = draw_counts(plan.generator(subsample, number), plan.size, len(rows))
    return fit_counts(plan.fit, rows, counts, start)


def _small_resample(plan: Plan, rows: Rows | ParquetRows, number: int, start: Array | None = None) -> Outcome:
    drawn, counts = np.unique(plan.generator(0, number).integers(len(rows), size=plan.size), return_counts=True)
    taken = rows.take(drawn)
    taken.check_finite()
    return fit_counts(plan.fit, taken, counts, start)


def _outcomes(plan: Plan, attempt: Callable[..., Outcome], spread: Spread) -> Iterator[Outcome]:
    """The outcome of each resample in order; with a warm start, the first one's coefficients go to the others."""
    numbers = range(plan.r)
    if plan.warm_start:
        first = attempt(0)
        attempt, numbers = partial(attempt, start=first.coef), range(1, plan.r)
        yield first
    yield from spread.map(attempt, numbers, may_stop=plan.settle is not None)
