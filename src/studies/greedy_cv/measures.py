"""What the claims of document 001 share: arrays from runs, measures on them, and when runs are enough.

An experiment's arrays are (n_cells, n_inner, n_seeds): a cell is a printed one, and pools the inner axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd

from frugal.stats import t_margin, welch
from studies.cells import every
from studies.estimates import Array, Arrays, Estimate, exact, mean, resampled
from studies.greedy_cv.tables import CELL, K_STOPPING, KEYS, N_SEARCH, STOPPING_METHODS, published
from studies.markdown import NAMES
from studies.measures import Measure
from studies.regions import above
from studies.tidy import need

FLOOR: Final = 30
"""Repetitions under which no number of the document is published and no verdict given."""
STUDY_FLOOR: Final = 5
"""The same for our studies beside it (sensitivity, sizes), which the document has no repetitions for."""
_KEYS: Final = [*CELL, "k", "n"]


# Runs ----------------------------------------------------------------------------------------------------------


def runs_of_cells(runs: pd.DataFrame, table: str) -> pd.DataFrame:
    """Runs of the cells of a printed table, at all n or k that it pools; all runs if such a cell is missing.

    Raises:
        ValueError: if the runs lack a column that every run has.
    """
    need(runs)
    inside = runs.merge(_cells(table), on=_KEYS)
    return inside if _are_whole(inside, table) else runs


def are_enough(runs: pd.DataFrame, table: str, floor: int = FLOOR) -> bool:
    """Whether every cell of a printed table is there, each with so many repetitions of every method."""
    inside = runs_of_cells(runs, table)
    return _are_whole(inside, table) and fewest_seeds(inside) >= floor


def fewest_seeds(runs: pd.DataFrame) -> int:
    """Repetitions of the method and cell that has the fewest."""
    return int(runs.groupby([*_KEYS, "method"])["seed"].nunique().min())


def _cells(table: str) -> pd.DataFrame:
    """Dataset, classifier, k and n of the cells of a printed table; the text has those that it pools."""
    cells = published(table).drop(columns=["method", "published", "published_stars"]).drop_duplicates()
    pooled = {"n": N_SEARCH} if table == "table1" else {"k": K_STOPPING}
    return cells.merge(pd.DataFrame(pooled), how="cross")


def _are_whole(runs: pd.DataFrame, table: str) -> bool:
    """Whether these runs have all cells of a printed table; they may have others."""
    cells = _cells(table)
    return len(runs[_KEYS].drop_duplicates().merge(cells, on=_KEYS)) == len(cells)


def by_method(
    runs: pd.DataFrame, value: str, cell: list[str], inner: str, methods: tuple[str, str]
) -> dict[str, Array]:
    """Per method an array (n_cells, n_inner, n_seeds), nan where a run is missing or has no value."""
    wide = runs.pivot_table(index=["method", *cell, inner], columns="seed", values=value, dropna=False)
    shape = (-1, runs[inner].nunique(), wide.shape[1])
    return {method: wide.loc[method].to_numpy(dtype=float).reshape(shape) for method in methods}


def of_stoppers(runs: pd.DataFrame, value: str) -> tuple[Array, Array]:
    """A value of greedy early stopping and of halving as of `by_method`, by dataset, classifier and n."""
    greedy, halving = by_method(runs, value, [*CELL, "n"], "k", STOPPING_METHODS).values()
    return greedy, halving


def beside_table1(runs: pd.DataFrame) -> tuple[Array, Array]:
    """Printed search times, (n_cells,), and ours, (n_cells, n_seeds); the runs have the column `published`."""
    wide = runs.pivot_table(index=[*KEYS, "published"], columns="seed", values="search_time")
    return wide.index.get_level_values("published").to_numpy(), wide.to_numpy(dtype=float)


def by_cell(values: pd.Series, runs: pd.DataFrame, cell: list[str]) -> Array:
    """Values by cell in the order of `by_method`, (n_cells,); nan where a cell of the runs has none."""
    cells = pd.MultiIndex.from_product([sorted(runs[name].unique()) for name in cell])
    return values.reindex(cells).to_numpy(dtype=float)


# Measures ------------------------------------------------------------------------------------------------------


def _sums(block: Array) -> Array:
    """Sum and number of the values that are there, (2, n_cells, n_seeds): all that a resample of seeds needs."""
    here = ~np.isnan(block)
    return np.stack([np.where(here, block, 0.0).sum(axis=1), here.sum(axis=1)])


def _means(sums: Array) -> Array:
    total, n_values = sums
    with np.errstate(invalid="ignore"):
        means: Array = total / n_values
    return means


def _cell_means(sums: Array) -> Array:
    """Mean of each cell over its inner axis and the seeds, (n_cells,); nan if no value is there."""
    return _means(sums.sum(axis=-1))


def seed_means(block: Array) -> Array:
    """One mean per cell and repetition, (n_cells, n_seeds), of the values that are there; nan if none is."""
    return _means(_sums(block))


def overall(name: str) -> Measure:
    """Mean over the cells."""
    return lambda arrays, rng: mean(seed_means(arrays[name]).mean(axis=0))


def spread(name: str) -> Measure:
    """Population standard deviation over the means of the cells, which is the one that the document prints."""

    def statistic(drawn: Arrays) -> float:
        return float(_cell_means(drawn[name]).std())

    return lambda arrays, rng: resampled(statistic, {name: _sums(arrays[name])}, rng)


def ratio_of_means(slow: str, fast: str) -> Measure:
    """Mean over the cells, over that of another method."""

    def statistic(drawn: Arrays) -> float:
        return float(_cell_means(drawn[slow]).mean() / _cell_means(drawn[fast]).mean())

    def measure(arrays: Arrays, rng: np.random.Generator) -> Estimate:
        return resampled(statistic, {name: _sums(arrays[name]) for name in (slow, fast)}, rng, is_log=True)

    return measure


def jackknifed(statistic: Callable[[Array], float], block: Array) -> tuple[float, float, float, float]:
    """A statistic of (n_cells, n_seeds), its jackknife standard error over the seeds, and Student's interval.

    Of one seed all but the first are nan.
    """
    n, value = block.shape[1], statistic(block)
    if n < 2:
        return value, math.nan, math.nan, math.nan
    left_out = [statistic(np.delete(block, seed, axis=1)) for seed in range(n)]
    error = float(np.sqrt(n - 1) * np.std(left_out))
    margin = t_margin(error, n)
    return value, error, value - margin, value + margin


def mean_absolute_error(printed: Array) -> Callable[[Array], float]:
    """How far means over the seeds, of (n_cells, n_seeds), are from printed values (n_cells,), on average."""
    return lambda block: float(np.abs(np.nanmean(block, axis=1) - printed).mean())


def above_0_in_every(values: Array, table: str, keys: list[str], noun: str) -> Estimate:
    """A value that must be above 0 in every cell of a printed table; the remark names the cell that is shown.

    Args:
        values: (n_cells, n_seeds), in the order of `by_method`.
        table: the printed one.
        keys: what makes a cell, numbers behind `CELL`.
        noun: what the cells are, in the plural.
    """
    cells = _cells(table)[keys].drop_duplicates().sort_values(keys)
    names = [
        ", ".join([NAMES[dataset], NAMES[classifier], *map("{} = {}".format, keys[len(CELL) :], numbers)])
        for dataset, classifier, *numbers in cells.itertuples(index=False)
    ]
    is_whole = len(names) == len(values)  # runs of other cells are below the floor, and have no remark
    return every(values, above(0), noun=noun, names=names if is_whole else ())


def count(statistic: Callable[[Arrays], float]) -> Measure:
    """A number without an interval, such as a count of cells; its seeds are those of the runs."""
    return lambda arrays, rng: exact(statistic(arrays), n_seeds=next(iter(arrays.values())).shape[-1])


def n_lower(lower: Array, higher: Array) -> float:
    """Cells and values of the inner axis in which `lower` has the lower mean over the seeds."""
    return float((np.nanmean(lower, axis=-1) < np.nanmean(higher, axis=-1)).sum())


def n_significant(lower: Array, higher: Array, level: float) -> float:
    """Cells in which `lower` has the lower mean and Welch's p is below `level`."""
    test = welch(lower.reshape(len(lower), -1), higher.reshape(len(higher), -1))
    return float(np.count_nonzero((test.t < 0) & (test.p < level)))
