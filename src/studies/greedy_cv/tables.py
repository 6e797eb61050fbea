"""The tables of document 001, each cell beside the published one.

Runs are one row per method, dataset, classifier, n, k and seed, as `frugal search` writes them: `search_time` of
the first group of experiments (Table 1, Figures 11 and 12), `early_stopping` of the second (Tables 2 and 3).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from frugal.stats import stars, welch
from studies.tidy import TIDY, mean_by_seed, need, read_printed, unprinted
from studies.verdicts import NOT_RUN

CELL = ["dataset", "classifier"]
SEARCH_METHODS = ("greedy", "standard")
STOPPING_METHODS = ("greedy_early_stopping", "successive_halving")
N_SEARCH = (128, 256, 512, 1024, 2048)
"""Numbers of candidates that Table 1 pools (section 4.3)."""
K_STOPPING = (10,)
"""Number of folds in the second group of experiments (section 4.3)."""


@cache
def published(table: str) -> pd.DataFrame:
    """A printed table: columns dataset, classifier, method, k or n, published, published_stars."""
    names = {"value": "published", "stars": "published_stars"}
    return read_printed(f"greedy_{table}").fillna({"stars": ""}).rename(columns=names)


def with_ratio(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs of the second experiment with `time_ratio` and `overhead_share`.

    The ratio is measured seconds of the search, its own overhead included, over those of fitting every candidate
    on every fold.
    """
    need(runs, "seconds", "overhead_s", "exhaustive_s")
    spent = runs["seconds"] + runs["overhead_s"]
    return runs.assign(time_ratio=spent / runs["exhaustive_s"], overhead_share=runs["overhead_s"] / spent)


def compare(runs: pd.DataFrame, value: str, keys: list[str], *, higher_is_better: bool) -> pd.DataFrame:
    """Mean, interval and Welch's test of a value per cell and method, over the runs that have one.

    The stars test all values of the cell as the document does. Where a cell pools several n, values of one seed
    are not independent: the standard error, the interval and `p_clustered` use one mean per seed.

    Args:
        runs: rows of both methods.
        value: column to compare.
        keys: columns that make a cell, without `method`.
        higher_is_better: which method the stars go to.

    Returns:
        The keys, method, the columns of `mean_by_seed`, stars, p and p_clustered.

    Raises:
        ValueError: if a cell has not exactly two methods.
    """
    tests = []
    for cell, both in runs.groupby(keys, sort=True):
        samples = {str(method): part.dropna(subset=[value]) for method, part in both.groupby("method")}
        if len(samples) != 2:
            raise ValueError(f"two methods are compared, cell {cell} has {sorted(samples)}")
        first, second = samples.values()
        by_seed = (part.groupby("seed")[value].mean() for part in samples.values())
        tests.append([*cell, welch(first[value], second[value]).p, welch(*by_seed).p])
    table = mean_by_seed(runs, value, [*keys, "method"])
    table = table.merge(pd.DataFrame(tests, columns=[*keys, "p", "p_clustered"]), on=keys)
    ahead = table["ours"] == table.groupby(keys)["ours"].transform("max" if higher_is_better else "min")
    return table.assign(stars=[stars(p) if best else "" for p, best in zip(table["p"], ahead, strict=True)])


def beside(table: str, ours: pd.DataFrame, keys: list[str], scale: str, extra: list[str]) -> pd.DataFrame:
    """Published and ours side by side, printed cells first; one that was not run says so, one not printed stays.

    Args:
        table: name of the printed table.
        ours: the keys, the columns of `mean_by_seed`, stars and `extra`.
        keys: columns that make a row, those of the printed table among them.
        scale: label of the run.
        extra: columns to keep after the tidy ones and `n_missing`.
    """
    printed = published(table)
    cell = [column for column in keys if column in printed]
    if cell == keys:
        index, both = printed.set_index(keys), ours.set_index(keys)
        both = index.reindex(index.index.union(both.index, sort=False)).join(both).reset_index()
    else:
        both = ours.merge(printed, on=cell, how="left")
    both["scale"] = np.where(both["n_seeds"].isna(), NOT_RUN, scale)
    both["published_se"] = np.nan
    both = both.fillna({"stars": "", "data": "", "published_stars": "", "n_seeds": 0, "n_missing": 0})
    return both.astype({"n_seeds": int, "n_missing": int})[[*keys, *TIDY, "n_missing", *extra]]


def settings_note(runs: pd.DataFrame, column: str, printed: tuple[int, ...]) -> dict[str, str]:
    """For `attrs` of a table: values of a setting that is no key of it, where they are not the document's."""
    here = sorted(runs[column].unique())
    if here == sorted(printed):
        return {}
    ours, theirs = (", ".join(str(value) for value in values) for values in (here, printed))
    return {"note": f"{column} = {ours} here and {theirs} in the document."}


def table1(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Average search time to find the optimal model, pooled over n."""
    need(runs, "search_time")
    ours = compare(runs, "search_time", [*CELL, "k"], higher_is_better=False)
    table = beside("table1", ours, [*CELL, "method", "k"], scale, ["p", "p_clustered"])
    table.attrs.update(settings_note(runs, "n", N_SEARCH))
    return table


def table1_by_n(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The 135 cells behind Table 1, with the average number of candidates tied for best."""
    need(runs, "search_time", "n_tied")
    keys = [*CELL, "k", "n"]
    ours = compare(runs, "search_time", keys, higher_is_better=False)
    ties = runs.groupby([*keys, "method"], as_index=False)["n_tied"].mean()
    table = ours.merge(ties, on=[*keys, "method"])
    return unprinted(table, scale)[[*CELL, "method", "k", "n", *TIDY, "n_missing", "p", "n_tied"]]


def table2(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Rank percentile of the chosen model; `k` is ours."""
    need(runs, "quality")
    ours = compare(runs, "quality", [*CELL, "n"], higher_is_better=True)
    return _at_one_k(beside("table2", ours, [*CELL, "method", "n"], scale, ["p"]), runs)


def table3(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Wall-clock of the search over that of the exhaustive one, with machine-independent shares beside.

    `evaluations_share` counts fold evaluations, `rows_share` the rows trained on, `overhead_share` is the part of
    the search's seconds that went into the strategy itself; `k` is ours.
    """
    need(runs, "n_evaluations", "rows_share")
    keys = [*CELL, "n"]
    timed = with_ratio(runs)
    ours = compare(timed, "time_ratio", keys, higher_is_better=False)
    timed = timed.assign(evaluations_share=timed["n_evaluations"] / (timed["n"] * timed["k"]))
    shares = ["evaluations_share", "rows_share", "overhead_share"]
    means = timed.groupby([*keys, "method"], as_index=False)[shares].mean()
    ours = ours.merge(means, on=[*keys, "method"])
    return _at_one_k(beside("table3", ours, [*CELL, "method", "n"], scale, ["p", *shares]), runs)


def _at_one_k(table: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """The table with the number of folds behind it.

    Raises:
        ValueError: if the runs have several.
    """
    listed = sorted(runs["k"].unique())
    if len(listed) != 1:
        raise ValueError(
            f"Tables 2 and 3 have one number of folds, the runs have k = {', '.join(map(str, listed))}"
        )
    table.insert(list(table.columns).index("n_missing") + 1, "k", listed[0])
    table.attrs.update(settings_note(runs, "k", K_STOPPING))
    return table
