"""Differences between methods, seed by seed: all methods of a seed start from the same candidates and rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.stats import mean_interval, standard_error
from studies.tidy import MEASURED, mean_by_seed, provenance

BASELINES: Final = ("random", "ei")
NOTE: Final = "less random, less ei: the mean of differences seed by seed, with its 95 % interval"


def differences(values: pd.DataFrame, measure: str, keys: list[str]) -> pd.DataFrame:
    """Mean difference of every method to each of `BASELINES`, over the seeds that have both.

    Args:
        values: a row per search, columns method, seed, data, value and `keys`.
        measure: name of the value.
        keys: columns that make a problem; differences are within one.

    Returns:
        keys, measure (`{measure}_less_{baseline}`), method, then `tidy.MEASURED` and note. The interval is
        Student's at 95 %; n_missing counts the problem's other seeds. A baseline without searches has no rows.
    """
    rows = []
    for cell, part in values.groupby(keys, sort=False):
        by_method = {
            str(method): searches.groupby("seed")["value"].mean()
            for method, searches in part.groupby("method", sort=False)
        }
        n_all = part["seed"].nunique()
        for baseline in (name for name in BASELINES if name in by_method):
            for method in (name for name in by_method if name != baseline):
                pairs = (by_method[method] - by_method[baseline]).dropna().to_numpy(float)
                mean = float(pairs.mean()) if len(pairs) else np.nan
                used = provenance(part[part["method"].isin([method, baseline])])
                error, interval = standard_error(pairs), mean_interval(pairs)
                numbers = (mean, error, *interval, len(pairs), n_all - len(pairs), used)
                rows.append([*cell, f"{measure}_less_{baseline}", method, *numbers])
    table = pd.DataFrame(rows, columns=[*keys, "measure", "method", *MEASURED])
    baselines = table["measure"].str.removeprefix(f"{measure}_less_")
    notes = missing_notes(table.assign(method=table["method"] + " or " + baselines))
    return table.assign(note=["; ".join(filter(None, (note, NOTE))) for note in notes])


def with_differences(long: pd.DataFrame, paired: Iterable[str]) -> pd.DataFrame:
    """Means by measure and method, and `differences` of these measures: measure, method, `tidy.MEASURED`, note.

    `long` has the columns measure, method, seed, data and value.
    """
    means = mean_by_seed(long, "value", ["measure", "method"])
    parts = [means.assign(note=missing_notes(means))]
    for name in paired:
        part = long[long["measure"] == name].rename(columns={"measure": "of"})
        parts.append(differences(part, name, ["of"]).drop(columns="of"))
    return pd.concat(parts, ignore_index=True)


def less_or_more(table: pd.DataFrame) -> NDArray[np.str_]:
    """`less` or `more` where a row's interval lies below or above 0, `not told apart` where it holds 0.

    Empty where there is no interval, as of one seed.
    """
    low, high = table["low"], table["high"]
    return np.select([low.isna(), high < 0, low > 0], ["", "less", "more"], "not told apart")


def missing_notes(table: pd.DataFrame) -> list[str]:
    """For each row of a table with method, n_seeds and n_missing, that seeds have no value; empty if all have."""
    notes = []
    for row in table.to_dict("records"):
        n_seeds, n_missing = row["n_seeds"], row["n_missing"]
        if pd.isna(n_missing) or not n_missing:
            notes.append("")
        elif not n_seeds:
            notes.append(f"no seed has a value ({row['method']})")
        else:
            notes.append(f"{n_missing:.0f} of {n_seeds + n_missing:.0f} seeds have no value ({row['method']})")
    return notes
