"""The claims of document 001, quoted, as functions of our runs.

An experiment's arrays are (n_cells, n_inner, n_seeds): a cell is a printed one, and pools the inner axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.stats import welch_many
from studies.greedy_cv.sensitivity import with_rows
from studies.greedy_cv.tables import (
    CELL,
    K_STOPPING,
    N_SEARCH,
    SEARCH_METHODS,
    STOPPING_METHODS,
    published,
    with_ratio,
)
from studies.tidy import need, provenance
from studies.verdicts import COLUMNS, Arrays, Claim, judge

FLOOR = 30
"""Repetitions under which no number of the document is published and no verdict given."""
STUDY_FLOOR = 5
"""The same for our own studies beside it (sensitivity, sizes), which the document has no repetitions for."""

Array = NDArray[np.float64]


def _blocks(
    runs: pd.DataFrame, value: str, cell: list[str], inner: str, methods: tuple[str, str]
) -> dict[str, Array]:
    """Per method an array (n_cells, n_inner, n_seeds), nan where a run is missing or has no value."""
    wide = runs.pivot_table(index=["method", *cell, inner], columns="seed", values=value, dropna=False)
    shape = (-1, runs[inner].nunique(), wide.shape[1])
    return {method: wide.loc[method].to_numpy(dtype=float).reshape(shape) for method in methods}


def _means(block: Array) -> Array:
    """Mean of each cell, of the values that are there."""
    means: Array = np.nanmean(block, axis=(1, 2))
    return means


def _overall(name: str, reduce: Callable[[Array], float]) -> Callable[[Arrays], float]:
    """A statistic of the means of the cells."""
    return lambda arrays: float(reduce(_means(arrays[name])))


def n_significant(lower: Array, higher: Array, level: float) -> float:
    """Cells in which `lower` has the lower mean and Welch's p is below `level`."""
    t, p = welch_many(lower.reshape(len(lower), -1), higher.reshape(len(higher), -1))
    return float(np.count_nonzero((t < 0) & (p < level)))


def _seed_means(block: Array) -> Array:
    """One mean per cell and repetition, (n_cells, 1, n_seeds)."""
    means: Array = np.nanmean(block, axis=1, keepdims=True)
    return means


def _search_time(runs: pd.DataFrame) -> dict[str, Array]:
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


def _early_stopping(runs: pd.DataFrame) -> dict[str, Array]:
    need(runs, "quality")
    blocks = _blocks(runs, "quality", [*CELL, "n"], "k", STOPPING_METHODS)
    return dict(zip(("greedy", "halving"), (blocks[m] for m in STOPPING_METHODS), strict=True))


def _wall_clock(runs: pd.DataFrame) -> dict[str, Array]:
    blocks = _blocks(with_ratio(runs), "time_ratio", [*CELL, "n"], "k", STOPPING_METHODS)
    return dict(zip(("greedy", "halving"), (blocks[m] for m in STOPPING_METHODS), strict=True))


def _sizes(runs: pd.DataFrame) -> dict[str, Array]:
    need(runs, "search_time")
    return _blocks(with_rows(runs), "search_time", ["classifier", "k", "n"], "n_rows", SEARCH_METHODS)


def _count(text: str, number: int, statistic: Callable[[Arrays], float], *, of: int, every: bool = False) -> Claim:
    return Claim(text, number, statistic, every=every, bounds=(0, of))


def _faster(arrays: Arrays) -> float:
    return n_significant(arrays["greedy"], arrays["halving"], 0.05)


def _slower(arrays: Arrays) -> float:
    return n_significant(arrays["halving"], arrays["greedy"], 0.05)


SPREAD = (0.0, math.inf)

SEARCH_TIME = (
    Claim("overall mean search time for the greedy method was 0.246", 0.246, _overall("greedy", np.mean), 0.001),
    Claim("... greedy (std dev = 0.059)", 0.059, _overall("greedy", np.std), 0.001, bounds=SPREAD),
    Claim(
        "overall mean search time for the standard method was 0.500", 0.500, _overall("standard", np.mean), 0.001
    ),
    Claim("... standard (std dev = 0.023)", 0.023, _overall("standard", np.std), 0.001, bounds=SPREAD),
    _count(
        "outperformed ... at the p < 0.001 level in every combination of dataset, ML algorithm, and value of "
        "k (cells of 27, values pooled over n)",
        27,
        lambda a: n_significant(a["greedy"], a["standard"], 0.001),
        of=27,
        every=True,
    ),
    _count(
        "... the same with one mean per repetition, since values of one repetition are not independent "
        "(cells of 27)",
        27,
        lambda a: n_significant(_seed_means(a["greedy"]), _seed_means(a["standard"]), 0.001),
        of=27,
        every=True,
    ),
    _count(
        "consistently outperform the standard k-fold method on average in all of the 135 comparisons",
        135,
        lambda a: float((np.nanmean(a["greedy"], axis=2) < np.nanmean(a["standard"], axis=2)).sum()),
        of=135,
        every=True,
    ),
    Claim(
        "identified the best-performing ML model ... more than twice as quickly on average (ratio of the two "
        "means, .500/.246)",
        0.500 / 0.246,
        lambda a: float(_means(a["standard"]).mean() / _means(a["greedy"]).mean()),
        0.01,
    ),
    Claim(
        "minimum time for the greedy method ... is (n + k - 1)/nk, for the standard method 1/n; maximum 1.0 "
        "(share of runs inside the bounds)",
        1.0,
        lambda a: float(np.nanmean(a["inside"])),
        every=True,
        bounds=(0.0, 1.0),
    ),
)
"""Section 5.1 and the theory in 4.1."""

EARLY_STOPPING = (
    _count(
        "select final ML models that performed better ... in every one of the 27 experiments",
        27,
        lambda a: float((_means(a["greedy"]) > _means(a["halving"])).sum()),
        of=27,
        every=True,
    ),
    _count(
        "... statistically outperformed in every combination (cells of 27 with p < 0.01)",
        27,
        lambda a: n_significant(-a["greedy"], -a["halving"], 0.01),
        of=27,
        every=True,
    ),
)
"""Section 5.2, Table 2."""

WALL_CLOCK = (
    _count("performed statistically faster ... in 20 out of 27", 20, _faster, of=27),
    _count("successive halving ... more quickly ... in 6 out of 27", 6, _slower, of=27),
    _count(
        "one additional experiment ... statistically identical",
        1,
        lambda a: len(a["greedy"]) - _faster(a) - _slower(a),
        of=27,
    ),
    Claim(
        "average time ... 0.210 for the greedy early stopping method (a slip: its Table 3 gives 0.211)",
        0.211,
        _overall("greedy", np.mean),
        0.001,
    ),
    Claim(
        "... greedy early stopping (std dev = 0.018)",
        0.018,
        _overall("greedy", np.std),
        0.001,
        bounds=SPREAD,
    ),
    Claim("... 0.360 for the successive halving method", 0.360, _overall("halving", np.mean), 0.001),
    Claim("... successive halving (std dev = 0.205)", 0.205, _overall("halving", np.std), 0.001, bounds=SPREAD),
    Claim(
        "on average, approximately 70% faster than the successive halving method",
        0.70,
        lambda a: _overall("halving", np.mean)(a) / _overall("greedy", np.mean)(a) - 1.0,
        0.05,
    ),
)
"""Section 5.2, Table 3."""

SIZES = (
    Claim(
        "the performance of the greedy k-fold method may improve on larger datasets (its mean search time at the "
        "largest number of rows minus that at the smallest, below 0 if so)",
        math.nan,
        lambda a: float(np.nanmean(a["greedy"][:, -1] - a["greedy"][:, 0])),
        bounds=(-1.0, 1.0),
    ),
)
"""The conjecture of section 6, a direction without a number."""


@dataclass(frozen=True)
class Experiment:
    """What is claimed of an experiment, and what it takes to judge that.

    Attributes:
        claims: statistics of the arrays.
        arrays: from runs.
        cells: dataset, classifier, k and n of the document's cells; None for a study of ours, where any will do.
        floor: repetitions that every cell must have.
    """

    claims: tuple[Claim, ...]
    arrays: Callable[[pd.DataFrame], Arrays]
    cells: Callable[[], pd.DataFrame] | None
    floor: int


def _printed_cells(table: str, inner: str, values: tuple[int, ...]) -> pd.DataFrame:
    cells = published(table).drop(columns=["method", "published", "published_stars"]).drop_duplicates()
    return cells.merge(pd.DataFrame({inner: values}), how="cross")


EXPERIMENTS: Mapping[str, Experiment] = {
    "search_time": Experiment(SEARCH_TIME, _search_time, lambda: _printed_cells("table1", "n", N_SEARCH), FLOOR),
    "early_stopping": Experiment(
        EARLY_STOPPING, _early_stopping, lambda: _printed_cells("table2", "k", K_STOPPING), FLOOR
    ),
    "wall_clock": Experiment(WALL_CLOCK, _wall_clock, lambda: _printed_cells("table3", "k", K_STOPPING), FLOOR),
}
"""What the document did."""

STUDIES: Mapping[str, Experiment] = {"sizes": Experiment(SIZES, _sizes, None, STUDY_FLOOR)}
"""What it conjectures and we did beside it."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, those of an experiment without runs as not run; or those of `STUDIES`.

    Args:
        runs: by name of the experiment, keys of `EXPERIMENTS`, or of `STUDIES` alone.
        scale: label of the run.

    Raises:
        ValueError: on other names; the message lists the known ones.
    """
    experiments = STUDIES if set(runs) & set(STUDIES) else EXPERIMENTS
    if set(runs) - set(experiments):
        known = f"{', '.join(EXPERIMENTS)}, or {', '.join(STUDIES)} alone"
        raise ValueError(f"claims are made of runs of {known}, not of {', '.join(runs)}")
    parts = []
    for name, experiment in experiments.items():
        arrays, enough, data = None, False, ""
        if name in runs:
            of, enough = _of_document(runs[name], experiment)
            arrays, data = experiment.arrays(of), provenance(of)
        parts.append(judge(experiment.claims, arrays, enough=enough, scale=scale, data=data))
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def _of_document(runs: pd.DataFrame, experiment: Experiment) -> tuple[pd.DataFrame, bool]:
    """Runs of the document's cells (all runs if one is missing), and whether all are there and reach the floor."""
    need(runs)
    keys = [*CELL, "k", "n"]
    if experiment.cells is None:
        is_whole = len(runs["dataset"].unique()) > 1
    else:
        cells = experiment.cells()
        inside = runs.merge(cells, on=keys)
        is_whole = len(inside[keys].drop_duplicates()) == len(cells)
        runs = inside if is_whole else runs
    n_seeds = runs.groupby([*keys, "method"])["seed"].nunique().min()
    return runs, bool(is_whole and n_seeds >= experiment.floor)
