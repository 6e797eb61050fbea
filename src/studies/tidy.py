"""The columns of every regenerated table, what documents print, and the one way in which runs become a mean."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

import numpy as np
import pandas as pd

from frugal.stats import mean_interval, standard_error

TIDY = (
    "published", "published_se", "published_stars", "ours", "ours_se", "low", "high", "stars", "n_seeds", "scale",
    "data",
)  # fmt: skip
"""Follow a table's key columns; further columns follow them."""
MEASURED = ("ours", "ours_se", "low", "high", "n_seeds", "n_missing", "data")


RUN = ("method", "dataset", "classifier", "n", "k", "seed", "data")
"""Columns of every run, as `job search` writes it, beside what was measured."""


def need(runs: pd.DataFrame, *columns: str) -> None:
    """Raise if runs lack one of `RUN` or of these columns.

    Raises:
        ValueError: as `need_columns`.
    """
    need_columns(runs, (*RUN, *columns))


def need_columns(table: pd.DataFrame, columns: Iterable[str], what: str = "runs") -> None:
    """Raise if a table lacks one of these columns.

    Args:
        table: which is read.
        columns: that it needs.
        what: it is of, for the message.

    Raises:
        ValueError: with the column and those that there are.
    """
    missing = [column for column in columns if column not in table]
    if missing:
        have = ", ".join(map(str, table.columns))
        raise ValueError(f"the {what} lack the column {missing[0]!r}; they have {have}")


def read_printed(name: str, *, as_text: bool = False) -> pd.DataFrame:
    """Numbers that a document prints, as they were copied into `values/{name}.csv`.

    Args:
        name: of the file.
        as_text: keep them as they are printed, with all their digits.
    """
    with files("studies").joinpath(f"values/{name}.csv").open() as file:
        return pd.read_csv(file, dtype=str if as_text else None)


def unprinted(table: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The table with those of `TIDY` that a document fills where it prints a number, and with its scale.

    Args:
        table: with what was measured; its stars are kept where it has some.
        scale: label of the run.
    """
    stars = table.get("stars", "")
    return table.assign(published=np.nan, published_se=np.nan, published_stars="", stars=stars, scale=scale)


def mean_by_seed(runs: pd.DataFrame, value: str, keys: list[str]) -> pd.DataFrame:
    """Mean of a value per cell, with its 95 % Student interval; values of one seed count as one, their mean.

    A run without a value (no candidate was chosen, or the best one was never completed) is left out and counted.

    Args:
        runs: one row per run, with columns seed and data.
        value: column to average.
        keys: columns that make a cell, two at least.

    Returns:
        The keys and `MEASURED`: n_seeds with a value, n_missing values, data as `provenance` gives it.
    """
    rows = []
    for cell, part in runs.groupby(keys, sort=True):
        by_seed = part.groupby("seed")[value].mean().dropna()
        n_missing = int(part[value].isna().sum())
        numbers = (by_seed.mean(), standard_error(by_seed), *mean_interval(by_seed), len(by_seed), n_missing)
        rows.append([*cell, *numbers, provenance(part)])
    return pd.DataFrame(rows, columns=[*keys, *MEASURED])


def shares_within(table: pd.DataFrame, shares: Iterable[str]) -> pd.DataFrame:
    """The table, whose intervals of these measures end at 0 and 1."""
    found = table.copy()
    rows = found["measure"].isin(list(shares))
    found.loc[rows, ["low", "high"]] = found.loc[rows, ["low", "high"]].clip(0.0, 1.0)
    return found


def provenance(runs: pd.DataFrame) -> str:
    """Provenance of the runs' data (original, jpeg, stand-in, generated); several are joined by a slash."""
    return "/".join(sorted({part for data in runs["data"].unique() for part in str(data).split("/")}))


def is_stand_in(data: object) -> bool:
    """Whether a stand-in is among the data that a cell's provenance names."""
    return "stand-in" in str(data).split("/")
