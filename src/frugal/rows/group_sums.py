"""The bootstrap of rows that do not fit in memory, for estimators that only need sums over rows.

A resample of n rows takes m_1 of the first row group, m_2 of the second, and so on. These numbers are multinomial
with chances in proportion to the sizes of the groups, and the counts within a group are multinomial with equal
chances. Together they are the counts of `bootstrap`, in distribution. Row groups are thus read once and
independently of each other, and their sums are added up in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.rows.bags import Part, gather
from frugal.rows.parquet_rows import ParquetRows
from frugal.rows.resamples import Array, Ints, Rows, as_outcome, draw_counts
from frugal.rows.spread import Spread
from frugal.rows.subsamples import Plan
from frugal.threads import one_thread


@dataclass(frozen=True)
class SumsFit:
    """An estimator that only needs sums over rows, such as a mean or least squares; a `fit` for every bootstrap.

    Attributes:
        add: `add(X, y, weights) -> sums` over these rows, an array of any shape. Weights are counts, and
            some are 0.
        solve: `solve(sums) -> coefficients (d,)`.

    Examples:
        >>> import numpy as np
        >>> from frugal.rows import SumsFit, bootstrap, interval_widths
        >>> def add(X, y, weights):
        ...     table = np.column_stack([X, y])
        ...     return (table * weights[:, None]).T @ table
        >>> least_squares = SumsFit(add, lambda sums: np.linalg.solve(sums[:-1, :-1], sums[:-1, -1]))
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(1000, 2))
        >>> y = X @ [1, -2] + rng.normal(size=1000)
        >>> found = bootstrap(X, y, r=20, fit=least_squares, statistic=interval_widths, rng=rng)
        >>> bool(np.abs(found.coef - [1, -2]).max() < 0.2)
        True
    """

    add: Callable[[NDArray[Any], NDArray[Any] | None, Array], ArrayLike]
    solve: Callable[[Array], ArrayLike]

    def __call__(
        self, X: NDArray[Any], y: NDArray[Any] | None, weights: Array, *, start: Array | None = None
    ) -> ArrayLike:
        """Coefficients of rows in memory; sums need no `start`."""
        return self.solve(np.asarray(self.add(X, y, weights), dtype=float))


def fit_by_sums(plan: Plan, rows: ParquetRows, spread: Spread) -> Part:
    """Fit resamples of all rows of parquet files, each row group read once.

    Whether a resample holds every class is not looked at.

    Args:
        plan: the estimator, a `SumsFit`, and the number of resamples.
        rows: all rows.
        spread: workers that read row groups and add up.

    Raises:
        ValueError: if the estimator is of another kind or starts at coefficients, or entries are not finite.
    """
    fit = plan.fit
    if not isinstance(fit, SumsFit) or plan.warm_start:
        raise ValueError(
            "fit must be a SumsFit, without warm_start, where X is a ParquetRows: a resample of all rows does not "
            "fit in memory; blb takes any other fit"
        )
    shares = rows.sizes / len(rows)
    sizes = np.array([plan.generator(0, k).multinomial(plan.size, shares) for k in range(plan.r)])
    drawn, total = np.zeros(plan.r, dtype=np.int64), np.zeros(())
    for n_distinct, sums in spread.map(partial(_add, plan, fit, rows), enumerate(sizes.T)):
        drawn, total = drawn + n_distinct, total + sums
    outcomes = (as_outcome(partial(fit.solve, sums), int(n)) for n, sums in zip(drawn, total, strict=True))
    return gather(outcomes, plan.statistic, plan.settle)


def _add(plan: Plan, fit: SumsFit, rows: ParquetRows, task: tuple[int, Ints]) -> tuple[Ints, Array]:
    """Distinct rows and sums of every resample in a row group, of which it takes `sizes[resample]` rows."""
    group, sizes = task
    chunk = Rows.from_arrays(*rows.read(group))
    chunk.check_finite()
    n_distinct, sums = np.zeros(plan.r, dtype=np.int64), []
    for k, size in enumerate(sizes):
        counts = draw_counts(plan.generator(0, k, group), int(size), len(chunk))
        n_distinct[k] = np.count_nonzero(counts)
        X, y = chunk.X.copy(), None if chunk.y is None else chunk.y.copy()  # which it may change
        with one_thread():
            sums.append(np.array(fit.add(X, y, counts.astype(float)), dtype=float))
    return n_distinct, np.array(sums)
