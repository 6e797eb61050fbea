"""The tables of document 001, each cell beside the published one.

Runs are one row per method, dataset, classifier, n, k and seed, as `frugal search` writes them: `search_time` of
the first group of experiments (Table 1, Figures 11 and 12), `early_stopping` of the second (Tables 2 and 3).
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np
import pandas as pd

from frugal.papers.verdicts import NOT_RUN
from frugal.stats import mean_interval, standard_error, stars, welch

CELL = ["dataset", "classifier"]
SEARCH_METHODS = ("greedy", "standard")
STOPPING_METHODS = ("greedy_early_stopping", "successive_halving")
TIDY = ["published", "published_stars", "ours", "ours_se", "low", "high", "stars", "n_seeds", "scale", "data"]


@cache
def published(table: str) -> pd.DataFrame:
    """A printed table: columns dataset, classifier, method, k or n, published, published_stars."""
    path = resources.files("frugal.papers") / "values" / f"greedy_{table}.csv"
    with path.open() as file:
        frame = pd.read_csv(file)
    return frame.fillna({"stars": ""}).rename(columns={"value": "published", "stars": "published_stars"})


def with_ratio(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs of the second experiment with `time_ratio` and `overhead_share`.

    The ratio is measured seconds of the search, its own overhead included, over those of fitting every candidate
    on every fold.
    """
    spent = runs["seconds"] + runs["overhead_s"]
    return runs.assign(time_ratio=spent / runs["exhaustive_s"], overhead_share=runs["overhead_s"] / spent)


def compare(runs: pd.DataFrame, value: str, keys: list[str], *, higher_is_better: bool) -> pd.DataFrame:
    """Mean, interval and Welch's test of a value per cell and method.

    The stars test all values of the cell as the document does. Where a cell pools several n, values of one seed
    are not independent: the standard error, the interval and `p_clustered` use one mean per seed.

    Args:
        runs: rows of both methods.
        value: column to compare.
        keys: columns that make a cell, without `method`.
        higher_is_better: which method the stars go to.
    """
    rows = []
    for cell, both in runs.groupby(keys, sort=True):
        samples = {str(m): part for m, part in both.groupby("method")}
        if len(samples) != 2:
            raise ValueError(f"two methods are compared, cell {cell} has {sorted(samples)}")
        by_seed = {m: part.groupby("seed")[value].mean() for m, part in samples.items()}
        first, second = samples
        p = welch(samples[first][value], samples[second][value]).p
        p_clustered = welch(by_seed[first], by_seed[second]).p
        means = {m: float(part[value].mean()) for m, part in samples.items()}
        ahead = (max if higher_is_better else min)(means, key=lambda m: means[m])
        for method, part in samples.items():
            low, high = mean_interval(by_seed[method])
            rows.append(
                {
                    **dict(zip(keys, cell, strict=True)),
                    "method": method,
                    "ours": means[method],
                    "ours_se": standard_error(by_seed[method]),
                    "low": low,
                    "high": high,
                    "stars": stars(p) if method == ahead else "",
                    "n_seeds": part["seed"].nunique(),
                    "data": "/".join(sorted(part["data"].unique())),
                    "p": p,
                    "p_clustered": p_clustered,
                }
            )
    return pd.DataFrame(rows)


def _beside(table: str, ours: pd.DataFrame, keys: list[str], scale: str, extra: list[str]) -> pd.DataFrame:
    """Published and ours side by side; a printed cell that was not run says so."""
    columns = [*CELL, "method", *keys]
    both = published(table).merge(ours, on=columns, how="left")
    both["scale"] = np.where(both["ours"].isna(), NOT_RUN, scale)
    both["published_se"] = np.nan
    tidy = ["published", "published_se", *TIDY[1:]]
    both["n_seeds"] = both["n_seeds"].fillna(0).astype(int)
    return both.fillna({"stars": "", "data": ""})[[*columns, *tidy, "p", *extra]]


def table1(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Average search time to find the optimal model, pooled over n."""
    ours = compare(runs, "search_time", [*CELL, "k"], higher_is_better=False)
    return _beside("table1", ours, ["k"], scale, ["p_clustered"])


def table1_by_n(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The 135 cells behind Table 1, with the average number of candidates tied for best."""
    keys = [*CELL, "k", "n"]
    ours = compare(runs, "search_time", keys, higher_is_better=False)
    ties = runs.groupby([*keys, "method"], as_index=False)["n_tied"].mean()
    table = ours.merge(ties, on=[*keys, "method"])
    table = table.assign(published=np.nan, published_se=np.nan, published_stars="", scale=scale)
    tidy = ["published", "published_se", *TIDY[1:]]
    return table[[*CELL, "method", "k", "n", *tidy, "p", "n_tied"]]


def table2(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Rank percentile of the chosen model."""
    ours = compare(runs, "quality", [*CELL, "n"], higher_is_better=True)
    return _beside("table2", ours, ["n"], scale, [])


def table3(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Wall-clock of the search over that of the exhaustive one, with machine-independent shares beside.

    `evaluations_share` counts fold evaluations, `rows_share` the rows trained on, `overhead_share` is the part of
    the search's seconds that went into the strategy itself.
    """
    keys = [*CELL, "n"]
    timed = with_ratio(runs)
    ours = compare(timed, "time_ratio", keys, higher_is_better=False)
    timed = timed.assign(evaluations_share=timed["n_evaluations"] / (timed["n"] * timed["k"]))
    shares = ["evaluations_share", "rows_share", "overhead_share"]
    means = timed.groupby([*keys, "method"], as_index=False)[shares].mean()
    return _beside("table3", ours.merge(means, on=[*keys, "method"]), ["n"], scale, shares)
