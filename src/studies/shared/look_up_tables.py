"""Searches on a look-up table or on stored curves, in one file with the cells that they look up."""

from __future__ import annotations

import pandas as pd


def is_trial(runs: pd.DataFrame) -> pd.Series[bool]:
    """Whether each row is a trial of a search; curves have an id, too, but no method."""
    return runs["id"].notna() & (runs["method"].notna() if "method" in runs else False)


def cells(runs: pd.DataFrame) -> pd.DataFrame:
    """The table's cells, those of curves as `frugal.benchmarks.curves.as_cells` makes them.

    Raises:
        ValueError: if there are none.
    """
    from frugal.benchmarks.curves import as_cells

    table = runs[~is_trial(runs)]
    if table.empty:
        raise ValueError("the runs hold no cells of the table that was searched")
    if "epoch" in table:
        return as_cells(table)
    return table.assign(n_rows=pd.to_numeric(table["n_rows"]))


def largest_cells(runs: pd.DataFrame) -> pd.DataFrame:
    """The cells that `LookUpProblem.test_error` looks up: of the largest size, its first draw."""
    table = cells(runs)
    largest: pd.DataFrame = table[(table["n_rows"] == table["n_rows"].max()) & (table["subset"] == 0)]
    return largest


def least_test_error(runs: pd.DataFrame) -> float:
    """The least test error on the largest size."""
    return float(largest_cells(runs)["test_error"].min())
