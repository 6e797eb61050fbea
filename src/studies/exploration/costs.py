"""Table and numbers of the figure on what fits of the two surrogates cost."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from frugal.stats import t_margin
from studies.tidy import TIDY, mean_by_seed, provenance

MEASURES: Final = ("slope", "last_slope")
PUBLISHED: Final = {"gp": 3.0, "dngo": 1.0}
"""Power of the number of trials that the document states."""


def slopes(runs: pd.DataFrame) -> pd.DataFrame:
    """Slope of log seconds on log trials, of each surrogate and seed.

    Args:
        runs: rows of `surrogate_cost.surrogate_cost`.

    Returns:
        method, seed, data, slope (least squares over all sizes), last_slope (over the last two).
    """
    rows = []
    timed = runs[runs["seconds"].notna() & runs["method"].isin(list(PUBLISHED))]
    for (method, seed), part in timed.groupby(["method", "seed"]):
        part = part.sort_values("n_trials")
        n, seconds = np.log(part["n_trials"].to_numpy(float)), np.log(part["seconds"].to_numpy(float))
        last = (seconds[-1] - seconds[-2]) / (n[-1] - n[-2])
        slope = ((n - n.mean()) * seconds).sum() / ((n - n.mean()) ** 2).sum()
        rows.append([method, seed, provenance(part), slope, last])
    return pd.DataFrame(rows, columns=["method", "seed", "data", *MEASURES])


def table_surrogate_cost(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean slopes; keys measure and method, then `tidy.TIDY`."""
    long = slopes(runs).melt(["method", "seed", "data"], list(MEASURES), var_name="measure")
    table = mean_by_seed(long, "value", ["measure", "method"]).drop(columns="n_missing")
    table = table.assign(published=table["method"].map(PUBLISHED), published_se=np.nan, published_stars="")
    return table.assign(stars="", scale=scale)[["measure", "method", *TIDY]]


def summarise_surrogate_cost(runs: pd.DataFrame) -> pd.DataFrame:
    """Seconds of a fit: method, n_trials, mean (geometric), low, high (95 %), n_seeds, data."""
    rows = []
    for (method, n_trials), part in runs.groupby(["method", "n_trials"]):
        logs = np.log(part["seconds"].to_numpy(float))
        mean, n = logs.mean(), len(logs)
        margin = t_margin(float(logs.std(ddof=1)) / np.sqrt(n), n) if n > 1 else np.nan
        rows.append([method, n_trials, *np.exp([mean, mean - margin, mean + margin]), n, provenance(part)])
    return pd.DataFrame(rows, columns=["method", "n_trials", "mean", "low", "high", "n_seeds", "data"])
