"""The columns of every regenerated table, what documents print, and the one way in which runs become a mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.checks import check_choice, check_columns
from frugal.stats import mean_interval, standard_error
from studies.estimates import share
from studies.kinds import CELL

TIDY = (
    "published", "published_se", "published_stars", "ours", "ours_se", "low", "high", "stars", "n_seeds", "scale",
    "data",
)  # fmt: skip
"""Follow a table's key columns; further columns follow them."""
MEASURED = ("ours", "ours_se", "low", "high", "n_seeds", "n_missing", "data")
"""Of a mean over seeds, behind the keys of its cell."""


def need(runs: pd.DataFrame, *columns: str) -> None:
    """Raise ValueError if runs lack one of `kinds.CELL` or of these columns."""
    check_columns("the table of runs", runs, (*CELL, *columns))


def read_printed(name: str, *, as_text: bool = False) -> pd.DataFrame:
    """Numbers that a document prints, as they were copied into `values/{name}.csv`.

    With `as_text` they keep all their printed digits.
    """
    with files("studies").joinpath(f"values/{name}.csv").open() as file:
        return pd.read_csv(file, dtype=str if as_text else None)


def tidied(
    table: pd.DataFrame,
    keys: list[str],
    scale: str,
    *further: str,
    orders: Mapping[str, Iterable[Any]] = MappingProxyType({}),
) -> pd.DataFrame:
    """A table as its CSV holds it: the keys, `TIDY`, then further columns; without what a document does not print.

    Args:
        table: with what was measured, and what is printed where something is.
        keys: columns that make a row.
        scale: label of the run.
        *further: columns to keep.
        orders: by key, its values in their order. Rows are then sorted by all keys, the first key first; without
            `orders` they stay as they are.
    """
    blank: dict[str, Any] = {"published": np.nan, "published_se": np.nan, "published_stars": "", "stars": ""}
    table = table.assign(**{name: value for name, value in blank.items() if name not in table})
    table = table if "scale" in table else table.assign(scale=scale)
    if orders:
        table = in_order(table, {key: orders.get(key) for key in keys})
    return table[[*keys, *TIDY, *further]].reset_index(drop=True)


def in_order(table: pd.DataFrame, orders: Mapping[str, Iterable[Any] | None]) -> pd.DataFrame:
    """The rows sorted by columns, the first column first: by its listed values, or (None) increasing.

    Raises:
        ValueError: if a column holds a value that is not listed.
    """
    places = []
    for key, values in orders.items():
        if values is None:
            places.append(table[key].rank(method="dense"))
            continue
        listed = list(values)
        for value in table[key].unique():
            check_choice(key, value, listed)
        places.append(table[key].map(listed.index))
    return table.iloc[np.lexsort(places[::-1])].reset_index(drop=True)


SHARE: Final = (0.0, 1.0)
"""The least and the largest value of a share or an error."""
FROM_0: Final = (0.0, math.inf)
"""Those of a cost, a regret or a ratio."""


def mean_by_seed(
    runs: pd.DataFrame, value: str, keys: list[str], bounds: tuple[float, float] = (-math.inf, math.inf)
) -> pd.DataFrame:
    """Mean of a value per cell, with its 95 % Student interval; values of one seed count as one, their mean.

    A run without a value (no candidate was chosen, or the best one was never completed) is left out and counted.
    `bounds` are the least and the largest value that there can be, at which intervals are cut.

    Returns:
        The keys and `MEASURED`: n_seeds with a value, n_missing values, data as `provenance` gives it.
    """
    rows = []
    for cell, part in runs.groupby(keys, sort=True):
        by_seed = part.groupby("seed")[value].mean().dropna()
        n_missing = int(part[value].isna().sum())
        numbers = (by_seed.mean(), standard_error(by_seed), *mean_interval(by_seed), len(by_seed), n_missing)
        rows.append([*cell, *numbers, provenance(part)])
    table = pd.DataFrame(rows, columns=[*keys, *MEASURED])
    return table.assign(low=table["low"].clip(*bounds), high=table["high"].clip(*bounds))


def by_measure(
    runs: pd.DataFrame,
    measures: Iterable[str],
    keys: list[str],
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> pd.DataFrame:
    """`mean_by_seed` of several columns, the name of each under `measure`, which is the first key."""
    long = runs.melt([*keys, "seed", "data"], list(measures), var_name="measure").astype({"value": float})
    return mean_by_seed(long, "value", ["measure", *keys], bounds)


def mean_of_each(measures: Mapping[str, pd.DataFrame], keys: list[str]) -> pd.DataFrame:
    """`mean_by_seed` of the column `value` of several tables, one per measure; `keys` must include `measure`."""
    return stacked([mean_by_seed(table.assign(measure=name), "value", keys) for name, table in measures.items()])


def stacked(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """The parts below one another without the empty ones; the first if all are empty."""
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def means(runs: pd.DataFrame, value: str, keys: list[str]) -> pd.DataFrame:
    """`mean_by_seed` as figures hold it: the keys, mean, low, high, n_seeds, data."""
    return mean_by_seed(runs, value, keys).rename(columns={"ours": "mean"}).drop(columns=["ours_se", "n_missing"])


def shares_within(table: pd.DataFrame, shares: Iterable[str]) -> pd.DataFrame:
    """The table, with the intervals of these measures cut at 0 and 1."""
    cut = table.copy()
    rows = cut["measure"].isin(list(shares))
    cut.loc[rows, ["low", "high"]] = cut.loc[rows, ["low", "high"]].clip(*SHARE)
    return cut


def shares_of_answers(table: pd.DataFrame, answers: Iterable[str], *, key: str = "measure") -> pd.DataFrame:
    """The table, with Wilson's intervals for these measures, of which each seed gives one yes (1) or no (0).

    Student's would have no width where all seeds answer alike. `key` is the column of the measures' names.
    """
    found = table.reset_index(drop=True)
    of_answers = found[key].isin(list(answers)) & (found["n_seeds"] > 0)
    for row, p, n_seeds in found.loc[of_answers, ["ours", "n_seeds"]].itertuples(name=None):
        n_yes = round(p * n_seeds)
        assert math.isclose(p * n_seeds, n_yes, abs_tol=1e-9), "a seed has another answer than yes and no"
        of_seeds = share(np.arange(n_seeds) < n_yes)
        found.loc[row, ["low", "high"]] = of_seeds.low, of_seeds.high
    return found


def provenance(runs: pd.DataFrame) -> str:
    """Provenance of the runs' data (original, jpeg, stand-in, generated); several are joined by a slash."""
    return "/".join(sorted({part for data in runs["data"].unique() for part in str(data).split("/")}))


def is_stand_in(data: object) -> bool:
    """Whether a stand-in is among the data that a cell's provenance names."""
    return "stand-in" in str(data).split("/")
