"""The claims of document 001, quoted, as functions of our runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.papers.greedy_cv.tables import CELL, SEARCH_METHODS, STOPPING_METHODS, with_ratio
from frugal.papers.verdicts import COLUMNS, Claim, judge
from frugal.stats import welch

FLOOR = 30
"""Repetitions under which no number is published and no verdict given."""


def _blocks(
    runs: pd.DataFrame, value: str, inner: str, methods: tuple[str, str]
) -> dict[str, NDArray[np.float64]]:
    """Per method an array (n_cells, n_inner, n_seeds); cells are dataset x classifier x `inner`'s complement."""
    outer = [*CELL, "k"] if inner == "n" else [*CELL, "n"]
    arrays = {}
    for method in methods:
        part = runs[runs["method"] == method]
        wide = part.pivot_table(index=[*outer, inner], columns="seed", values=value).sort_index()
        n_inner = part[inner].nunique()
        arrays[method] = wide.to_numpy().reshape(-1, n_inner, wide.shape[1])
    return arrays


def _count_significant(first: NDArray[np.float64], second: NDArray[np.float64], level: float) -> float:
    """Cells in which `first` is lower and Welch's p is below `level`; arrays (n_cells, n_values)."""
    pairs = zip(first, second, strict=True)
    return float(sum(a.mean() < b.mean() and welch(a, b).p < level for a, b in pairs))


def _flat(block: NDArray[np.float64], seeds: NDArray[np.intp]) -> NDArray[np.float64]:
    """(n_cells, n_inner * n_resampled)."""
    picked: NDArray[np.float64] = block[:, :, seeds]
    return np.reshape(picked, (block.shape[0], -1))


def search_time_claims(runs: pd.DataFrame) -> list[Claim]:
    """Claims of section 5.1 and of the theory in 4.1."""
    blocks = _blocks(runs, "search_time", "n", SEARCH_METHODS)
    greedy, standard = blocks["greedy"], blocks["standard"]
    lowest = (runs["n"] + runs["k"] - 1) / (runs["n"] * runs["k"])
    is_greedy = runs["method"] == "greedy"
    inside = np.where(
        is_greedy, runs["search_time"] >= lowest - 1e-12, runs["search_time"] >= 1 / runs["n"] - 1e-12
    )
    inside &= (runs["search_time"] <= 1).to_numpy()
    share_inside = float(inside.mean())

    def cell_means(block: NDArray[np.float64], seeds: NDArray[np.intp]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = _flat(block, seeds).mean(axis=1)
        return means

    def of(block: NDArray[np.float64], reduce: Callable[[NDArray[np.float64]], float]) -> Callable[..., float]:
        return lambda seeds: float(reduce(cell_means(block, seeds)))

    return [
        Claim("overall mean search time for the greedy method was 0.246", 0.246, of(greedy, np.mean), 0.001),
        Claim("... greedy (std dev = 0.059)", 0.059, of(greedy, np.std), 0.001),
        Claim("overall mean search time for the standard method was 0.500", 0.500, of(standard, np.mean), 0.001),
        Claim("... standard (std dev = 0.023)", 0.023, of(standard, np.std), 0.001),
        Claim(
            "outperformed ... at the p < 0.001 level in every combination of dataset, ML algorithm, and value of "
            "k (cells of 27, values pooled over n)",
            27,
            lambda seeds: _count_significant(_flat(greedy, seeds), _flat(standard, seeds), 0.001),
        ),
        Claim(
            "... the same with one mean per repetition, since values of one repetition are not independent "
            "(cells of 27)",
            27,
            lambda seeds: _count_significant(
                greedy[:, :, seeds].mean(axis=1), standard[:, :, seeds].mean(axis=1), 0.001
            ),
        ),
        Claim(
            "consistently outperform the standard k-fold method on average in all of the 135 comparisons",
            135,
            lambda seeds: float((greedy[:, :, seeds].mean(axis=2) < standard[:, :, seeds].mean(axis=2)).sum()),
        ),
        Claim(
            "identified the best-performing ML model ... more than twice as quickly on average (ratio of the two "
            "means, .500/.246)",
            0.500 / 0.246,
            lambda seeds: float(cell_means(standard, seeds).mean() / cell_means(greedy, seeds).mean()),
            0.01,
        ),
        Claim(
            "minimum time for the greedy method ... is (n + k - 1)/nk, for the standard method 1/n; maximum 1.0 "
            "(share of runs inside the bounds)",
            1.0,
            lambda seeds: share_inside,
        ),
    ]


def early_stopping_claims(runs: pd.DataFrame) -> list[Claim]:
    """Claims of section 5.2."""
    quality = _blocks(runs, "quality", "k", STOPPING_METHODS)
    ratio = _blocks(with_ratio(runs), "time_ratio", "k", STOPPING_METHODS)
    greedy, halving = STOPPING_METHODS

    def overall(method: str, reduce: Callable[[NDArray[np.float64]], float]) -> Callable[..., float]:
        return lambda seeds: float(reduce(_flat(ratio[method], seeds).mean(axis=1)))

    def faster(seeds: NDArray[np.intp]) -> float:
        return _count_significant(_flat(ratio[greedy], seeds), _flat(ratio[halving], seeds), 0.05)

    def slower(seeds: NDArray[np.intp]) -> float:
        return _count_significant(_flat(ratio[halving], seeds), _flat(ratio[greedy], seeds), 0.05)

    def better(seeds: NDArray[np.intp]) -> float:
        return float((_flat(quality[greedy], seeds).mean(1) > _flat(quality[halving], seeds).mean(1)).sum())

    def gain(seeds: NDArray[np.intp]) -> float:
        return overall(halving, np.mean)(seeds) / overall(greedy, np.mean)(seeds) - 1.0

    n_cells = len(ratio[greedy])
    return [
        Claim("select final ML models that performed better ... in every one of the 27 experiments", 27, better),
        Claim(
            "... statistically outperformed in every combination (cells of 27 with p < 0.01)",
            27,
            lambda seeds: _count_significant(
                -_flat(quality[greedy], seeds), -_flat(quality[halving], seeds), 0.01
            ),
        ),
        Claim("performed statistically faster ... in 20 out of 27", 20, faster),
        Claim("successive halving ... more quickly ... in 6 out of 27", 6, slower),
        Claim(
            "one additional experiment ... statistically identical",
            1,
            lambda seeds: n_cells - faster(seeds) - slower(seeds),
        ),
        Claim(
            "average time ... 0.210 for the greedy early stopping method (a slip: its Table 3 gives 0.211)",
            0.211,
            overall(greedy, np.mean),
            0.001,
        ),
        Claim("... greedy early stopping (std dev = 0.018)", 0.018, overall(greedy, np.std), 0.001),
        Claim("... 0.360 for the successive halving method", 0.360, overall(halving, np.mean), 0.001),
        Claim("... successive halving (std dev = 0.205)", 0.205, overall(halving, np.std), 0.001),
        Claim("on average, approximately 70% faster than the successive halving method", 0.70, gain, 0.05),
    ]


def claims(search_time: pd.DataFrame, early_stopping: pd.DataFrame, scale: str) -> pd.DataFrame:
    """All claims with verdicts."""
    parts = []
    for runs, of in ((search_time, search_time_claims), (early_stopping, early_stopping_claims)):
        full = len(runs.groupby([*CELL, "k", "n"])) == (135 if of is search_time_claims else 27)
        n_seeds = int(runs["seed"].nunique())
        data = "/".join(sorted(runs["data"].unique()))
        parts.append(
            judge(of(runs), n_seeds=n_seeds, floor=FLOOR if full else n_seeds + 1, scale=scale, data=data)
        )
    return pd.concat(parts, ignore_index=True)[COLUMNS]
