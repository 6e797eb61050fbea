"""Searches as paths of cost and error: means over seeds, and which of two searches was sooner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from frugal.stats import t_margin
from studies.estimates import Array

SLACK: Final = 1e-12
"""Of a target: errors are multiples of one over the number of rows."""


def until_as_good(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[float, float]:
    """Cost of two searches until each was as good as the worse of their two final qualities, and stayed so.

    Both searches reach this target in the end. So no search is left out, and no cost has to be guessed. Test
    errors may rise again: a search that reaches the target and leaves it counts from when it stays there.

    Each search is a pair: its qualities, lower is better, nan where it has none, and what it had spent, both (n,).

    Returns:
        The costs of the first and of the second search; both nan if one of them ends without a quality.
    """
    target = max(first[0][-1], second[0][-1]) + SLACK
    if np.isnan([first[0][-1], second[0][-1]]).any():
        return np.nan, np.nan
    begin = [stays_within(quality, target) for quality, _ in (first, second)]
    return float(first[1][begin[0]]), float(second[1][begin[1]])


def stays_within(values: Array, limit: float) -> int:
    """First index from which on all values (n,) are at most a limit, n if the last value is above it or is nan."""
    above = np.flatnonzero(~(values <= limit))
    return int(above[-1]) + 1 if len(above) else 0


def arrival(qualities: Array, target: float) -> tuple[int, bool]:
    """Index at which a search first reached a target, its last index if it never did, and whether it did.

    `qualities` are (n,), low ones better, nan where it had none.
    """
    is_good = qualities <= target + SLACK
    return (int(is_good.argmax()), True) if is_good.any() else (len(qualities) - 1, False)


def steps(x: Array, values: Array, grid: Array) -> Array:
    """A right-continuous step function on a grid: nan before the first x, the last value carried forward.

    `x` and `values` are (n,), x increasing; `grid` is (m,).
    """
    at = np.searchsorted(x, grid, side="right") - 1
    return np.asarray(np.where(at >= 0, values[np.maximum(at, 0)], np.nan))


def until_last(grid: Array, paths: Sequence[pd.DataFrame], x: str) -> Array:
    """The part of a grid before the end of the longest search, and that end."""
    end = max(float(path[x].iloc[-1]) for path in paths)
    return np.append(grid[grid < end], end)


def mean_path(paths: Sequence[pd.DataFrame], x: str, value: str, grid: Array) -> pd.DataFrame:
    """Mean over seeds on a grid, from where every one has a value; a search that has ended keeps its last one.

    Args:
        paths: searches, a seed each.
        x: column that grows along them.
        value: column that is averaged.
        grid: where, increasing, up to the end of the longest search.

    Returns:
        As `mean_at`.
    """
    found = [steps(path[x].to_numpy(float), path[value].to_numpy(float), grid) for path in paths]
    return mean_at(grid, np.array(found)).dropna(subset="mean")


def mean_curve(searches: pd.DataFrame, x: str, value: str, grid: Array) -> pd.DataFrame:
    """`mean_path` of the seeds of one method that have a value, to the end of the longest; n_missing have none.

    Where no seed has one, there is one row, whose x is nan.
    """
    paths = [path for _, path in searches.groupby("seed")]
    begun = [path for path in paths if path[value].notna().any()]
    line = pd.DataFrame({"x": [np.nan], "n_seeds": 0})
    if begun:
        line = mean_path(begun, x, value, until_last(grid, begun, x))
    return line.assign(n_missing=len(paths) - len(begun))


def mean_at(x: Array, values: Array) -> pd.DataFrame:
    """Means with Student's 95 % intervals.

    `x` is (n_points,), `values` (n_seeds, n_points): nan where a seed has none, and there is no mean then.

    Returns:
        x, mean, low, high (nan of one seed), n_seeds.
    """
    n_seeds = len(values)
    mean, margin = values.mean(axis=0), np.full(len(x), np.nan)
    if n_seeds > 1:
        margin = t_margin(1.0, n_seeds) * values.std(axis=0, ddof=1) / np.sqrt(n_seeds)
    return pd.DataFrame({"x": x, "mean": mean, "low": mean - margin, "high": mean + margin, "n_seeds": n_seeds})
