"""Friedman's test over cells, and which average ranks differ by more than Nemenyi's critical difference.

Source: Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7, section 3.2.2. His
data sets are our blocks; k is n_methods, N is n_blocks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

LEVEL = 0.05
"""Of the test and of the critical difference."""


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of equal ranks.

    Attributes:
        mean_ranks: per method, 1 is best, tied ones share their average rank; shape (n_methods,).
        statistic: chi-square with n_methods - 1 degrees of freedom, corrected for ties.
        p: of the statistic.
    """

    mean_ranks: NDArray[np.float64]
    statistic: float
    p: float


def friedman(losses: NDArray[np.float64]) -> Friedman:
    """Average ranks over blocks, and the test that they are all the same.

    Args:
        losses: lower is better, shape (n_blocks, n_methods), none of them nan.

    Raises:
        ValueError: if there are fewer than three methods or two blocks.
    """
    from scipy import stats

    n_blocks, n_methods = losses.shape
    if n_methods < 3 or n_blocks < 2:
        raise ValueError(
            f"Friedman's test needs at least 3 methods and 2 blocks, got {n_methods} methods and {n_blocks} blocks"
        )
    ranks = stats.rankdata(losses, axis=1)
    if (losses == losses[:, :1]).all():
        return Friedman(ranks.mean(axis=0), 0.0, 1.0)  # scipy divides by zero where everything is tied
    outcome = stats.friedmanchisquare(*losses.T)
    return Friedman(ranks.mean(axis=0), float(outcome.statistic), float(outcome.pvalue))


def critical_difference(n_methods: int, n_blocks: int) -> float:
    """Nemenyi's: q sqrt(k (k + 1) / 6 N), with q the 95 % point of the studentized range over root 2.

    Args:
        n_methods: k, at least 2.
        n_blocks: N, at least 1.
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - LEVEL, n_methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))


def alike(mean_ranks: NDArray[np.float64], difference: float) -> list[tuple[float, float]]:
    """The longest stretches of ranks, two methods in each at least, within a critical difference.

    Args:
        mean_ranks: in any order, shape (n_methods,).
        difference: the critical difference.

    Returns:
        First and last rank of each stretch, in order; none lies inside another.
    """
    ranks = np.sort(mean_ranks)
    last = np.searchsorted(ranks, ranks + difference, side="right") - 1
    stretches = []
    for i, j in enumerate(last):
        if j > i and (i == 0 or j > last[i - 1]):
            stretches.append((float(ranks[i]), float(ranks[j])))
    return stretches


COLUMNS = ["method", "mean_rank", "n_methods", "n_blocks", "n_seeds", "statistic", "p", "critical_difference"]


def rank_table(runs: pd.DataFrame, measure: str, blocks: list[str]) -> pd.DataFrame:
    """Methods by their average rank over blocks, with the test's outcome in every row.

    A block's value is the mean over its seeds; a run without one counts as the worst. Methods that did not run in
    every block are left out, since ranks among different methods cannot be averaged.

    Args:
        runs: one row per run, with columns method and seed.
        measure: column to rank by, lower is better.
        blocks: columns that make a block.

    Returns:
        `COLUMNS`, best first, n_seeds being the least of any block; no row where fewer than three methods ran in
        every block, or there are fewer than two blocks.
    """
    filled = runs.assign(value=runs[measure].fillna(math.inf))
    cells = filled.pivot_table(index=blocks, columns="method", values="value").dropna(axis="columns")
    n_blocks, n_methods = cells.shape
    if n_methods < 3 or n_blocks < 2:
        return pd.DataFrame(columns=COLUMNS)
    test = friedman(cells.to_numpy())
    table = pd.DataFrame({"method": cells.columns, "mean_rank": test.mean_ranks}).assign(
        n_methods=n_methods,
        n_blocks=n_blocks,
        n_seeds=runs.groupby([*blocks, "method"])["seed"].nunique().min(),
        statistic=test.statistic,
        p=test.p,
        critical_difference=critical_difference(n_methods, n_blocks),
    )
    return table.sort_values(["mean_rank", "method"], ignore_index=True)[COLUMNS]
