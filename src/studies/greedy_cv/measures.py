"""What the claims of document 001 are about, from our runs.

An experiment's arrays are (n_cells, n_inner, n_seeds): a cell is a printed one, and pools the inner axis.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.stats import welch_many
from studies.cells import every
from studies.estimates import Arrays, Estimate, exact, mean, ratio, resampled
from studies.greedy_cv.sensitivity import with_rows
from studies.greedy_cv.tables import CELL, SEARCH_METHODS, STOPPING_METHODS, published, with_ratio
from studies.regions import above
from studies.tidy import need

Array = NDArray[np.float64]
Measure = Callable[[Arrays, np.random.Generator], Estimate]


def _blocks(
    runs: pd.DataFrame, value: str, cell: list[str], inner: str, methods: tuple[str, str]
) -> dict[str, Array]:
    """Per method an array (n_cells, n_inner, n_seeds), nan where a run is missing or has no value."""
    wide = runs.pivot_table(index=["method", *cell, inner], columns="seed", values=value, dropna=False)
    shape = (-1, runs[inner].nunique(), wide.shape[1])
    return {method: wide.loc[method].to_numpy(dtype=float).reshape(shape) for method in methods}


def _cell_means(block: Array) -> Array:
    """Mean of each cell over its inner axis and the seeds, of the values that are there."""
    means: Array = np.nanmean(block, axis=(1, 2))
    return means


def _seed_means(block: Array) -> Array:
    """One mean per cell and repetition, (n_cells, n_seeds), of the values that are there; nan if none is."""
    here = ~np.isnan(block)
    with np.errstate(invalid="ignore"):
        means: Array = np.where(here, block, 0.0).sum(axis=1) / here.sum(axis=1)
    return means


def overall(name: str) -> Measure:
    """Mean over the cells."""
    return lambda arrays, rng: mean(_seed_means(arrays[name]).mean(axis=0))


def spread(name: str) -> Measure:
    """Population standard deviation over the means of the cells, which is the one that the document prints."""
    return lambda arrays, rng: resampled(lambda drawn: float(_cell_means(drawn[name]).std()), arrays, rng)


def ratio_of_means(slow: str, fast: str) -> Measure:
    """Mean over the cells, over that of another method."""

    def statistic(arrays: Arrays) -> float:
        return float(_cell_means(arrays[slow]).mean() / _cell_means(arrays[fast]).mean())

    return lambda arrays, rng: resampled(statistic, arrays, rng, is_log=True)


def count(statistic: Callable[[Arrays], float]) -> Measure:
    """A count of the document's own tests, on its own number of repetitions."""
    return lambda arrays, rng: exact(statistic(arrays), n_seeds=next(iter(arrays.values())).shape[-1])


def n_significant(lower: Array, higher: Array, level: float) -> float:
    """Cells in which `lower` has the lower mean and Welch's p is below `level`."""
    t, p = welch_many(lower.reshape(len(lower), -1), higher.reshape(len(higher), -1))
    return float(np.count_nonzero((t < 0) & (p < level)))


def search_time_arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Search times by method, and under `inside` whether each lies within the theory's bounds."""
    need(runs, "search_time")
    lowest = np.where(
        runs["method"] == "greedy", (runs["n"] + runs["k"] - 1) / (runs["n"] * runs["k"]), 1 / runs["n"]
    )
    inside = runs["search_time"].between(lowest - 1e-12, 1.0).astype(float)
    runs = runs.assign(inside=inside.where(runs["search_time"].notna()))
    bounds = _blocks(runs, "inside", [*CELL, "k"], "n", SEARCH_METHODS)
    return _blocks(runs, "search_time", [*CELL, "k"], "n", SEARCH_METHODS) | {
        "inside": np.concatenate(list(bounds.values()))
    }


def early_stopping_arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Rank percentiles of what is selected, under `greedy` and `halving`."""
    need(runs, "quality")
    blocks = _blocks(runs, "quality", [*CELL, "n"], "k", STOPPING_METHODS)
    return dict(zip(("greedy", "halving"), (blocks[m] for m in STOPPING_METHODS), strict=True))


def wall_clock_arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Seconds, rows and fold evaluations, each over that of the exhaustive search, and Table 3's outcomes."""
    need(runs, "n_evaluations", "rows_share")
    timed = with_ratio(runs).assign(evaluations_share=runs["n_evaluations"] / (runs["n"] * runs["k"]))
    arrays: dict[str, Array] = {}
    for value, suffix in (("time_ratio", ""), ("rows_share", "_rows"), ("evaluations_share", "_evaluations")):
        blocks = _blocks(timed, value, [*CELL, "n"], "k", STOPPING_METHODS)
        arrays |= {f"greedy{suffix}": blocks[STOPPING_METHODS[0]], f"halving{suffix}": blocks[STOPPING_METHODS[1]]}
    cells = pd.MultiIndex.from_product([sorted(timed[name].unique()) for name in (*CELL, "n")])
    outcomes = _printed_outcomes().reindex(cells).to_numpy(float)
    arrays["printed"] = np.broadcast_to(outcomes[:, None, None], arrays["greedy"].shape)
    return arrays


def _printed_outcomes() -> pd.Series:
    """Per cell of Table 3 1 where greedy early stopping has the stars, -1 where halving has, 0 where none has."""
    wide = published("table3").pivot_table(
        "published_stars", index=[*CELL, "n"], columns="method", aggfunc=lambda stars: stars.iloc[0] != ""
    )
    greedy, halving = (wide[method].astype(int) for method in STOPPING_METHODS)
    return greedy - halving


def sizes_arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Search times by method, the inner axis numbers of rows."""
    need(runs, "search_time")
    return _blocks(with_rows(runs), "search_time", ["classifier", "k", "n"], "n_rows", SEARCH_METHODS)


def _saved(arrays: Arrays) -> Array:
    """What greedy saves of all fold evaluations, in points, (n_cells, n_inner, n_seeds)."""
    return 100.0 * (arrays["standard"] - arrays["greedy"])


def saved_in_every_cell(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """What greedy saves of all fold evaluations, in points, in every cell of Table 1."""
    return every(_seed_means(_saved(arrays)), above(0))


def saved_in_every_comparison(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """The same in every comparison."""
    saved = _saved(arrays)
    return every(saved.reshape(-1, saved.shape[-1]), above(0), noun="comparisons")


def n_ahead(arrays: Arrays) -> float:
    """Comparisons in which greedy has the lower mean."""
    return float((np.nanmean(arrays["greedy"], axis=2) < np.nanmean(arrays["standard"], axis=2)).sum())


def clustered(arrays: Arrays) -> float:
    """Cells in which greedy is faster at p < .001, of one mean per repetition."""
    return n_significant(_seed_means(arrays["greedy"]), _seed_means(arrays["standard"]), 0.001)


def better_in_every_cell(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Rank percentile of greedy early stopping's choice less that of halving's, in points, in every cell."""
    return every(100.0 * _seed_means(arrays["greedy"] - arrays["halving"]), above(0), noun="experiments")


def n_better(level: float) -> Measure:
    """Cells in which greedy early stopping selects the better model at a level."""
    return count(lambda arrays: n_significant(-arrays["greedy"], -arrays["halving"], level))


def faster(arrays: Arrays) -> float:
    """Cells in which greedy early stopping takes less time at p < .05."""
    return n_significant(arrays["greedy"], arrays["halving"], 0.05)


def slower(arrays: Arrays) -> float:
    """Cells in which successive halving does."""
    return n_significant(arrays["halving"], arrays["greedy"], 0.05)


def n_same_outcome(arrays: Arrays) -> float:
    """Cells that end as in Table 3."""
    greedy, halving = (arrays[name].reshape(len(arrays[name]), -1) for name in ("greedy", "halving"))
    t, p = welch_many(greedy, halving)
    outcomes = np.where(p < 0.05, -np.sign(t), 0.0)
    return float((outcomes == arrays["printed"][:, 0, 0]).sum())


def largest_over_smallest(name: str) -> Measure:
    """A method's mean search time at the most rows over that at the fewest, seed by seed."""
    return lambda arrays, rng: ratio(arrays[name][:, -1].mean(axis=0), arrays[name][:, 0].mean(axis=0))
