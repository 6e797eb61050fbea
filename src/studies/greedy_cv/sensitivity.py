"""What document 001 leaves open, decided otherwise one at a time; and its conjecture on larger data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies.greedy_cv.tables import CELL, N_SEARCH, beside, published, settings_note
from studies.tidy import TIDY, mean_by_seed, need, provenance, unprinted

KEYS = [*CELL, "method", "k"]


def sensitivity_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Table 1 per variant, over the n and k that were run; published values pool five n.

    Args:
        runs: rows of `frugal search` with a column `variant`.
        scale: label of the run.
    """
    need(runs, "search_time", "n_tied", "variant")
    keys = ["variant", *KEYS]
    ties = runs.groupby(keys, as_index=False)["n_tied"].mean()
    ours = mean_by_seed(runs, "search_time", keys).merge(ties, on=keys).assign(stars="")
    table = beside("table1", ours, keys, scale, ["n_tied"])
    table.attrs.update(settings_note(runs, "n", N_SEARCH))
    return table


def summarise_sensitivity(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean absolute difference to Table 1 over the printed cells that were run.

    Returns:
        Columns variant, method, distance, low, high, n_seeds, n_cells, data. The interval is 1.96 jackknife
        standard errors each side (each seed left out in turn), cut at 0.
    """
    need(runs, "search_time", "variant")
    rows = []
    runs = runs.merge(published("table1"), on=KEYS)
    for (variant, method), part in runs.groupby(["variant", "method"], sort=True):
        wide = part.pivot_table(index=[*KEYS, "published"], columns="seed", values="search_time")
        target = wide.index.get_level_values("published").to_numpy()

        def distance(kept: pd.DataFrame, target: np.ndarray = target) -> float:
            return float((kept.mean(axis=1) - target).abs().mean())

        ours, n = distance(wide), wide.shape[1]
        left_out = [distance(wide.drop(columns=seed)) for seed in wide.columns] if n > 1 else [np.nan]
        margin = 1.96 * float(np.sqrt(n - 1) * np.std(left_out))
        rows.append(
            (variant, method, ours, max(ours - margin, 0.0), ours + margin, n, len(wide), provenance(part))
        )
    columns = ["variant", "method", "distance", "low", "high", "n_seeds", "n_cells", "data"]
    return pd.DataFrame(rows, columns=columns)


def sizes_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean search time per number of rows, classifier, method and k; the document prints nothing to compare."""
    return unprinted(summarise_sizes(runs), scale)[[*KEYS, *TIDY, "n_missing", "n_rows"]]


def summarise_sizes(runs: pd.DataFrame) -> pd.DataFrame:
    """Columns dataset, classifier, method, k, n_rows and those of `mean_by_seed`; n is averaged over."""
    need(runs, "search_time")
    table = mean_by_seed(with_rows(runs), "search_time", [*KEYS, "n_rows"])
    return table.sort_values(["classifier", "method", "k", "n_rows"], ignore_index=True)


def with_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with `n_rows`, the number at the end of the dataset's name (letter_2000).

    Raises:
        ValueError: if a name has none.
    """
    n_rows = runs["dataset"].str.extract(r"_(\d+)$", expand=False)
    other = runs["dataset"][n_rows.isna()]
    if len(other):
        raise ValueError(f"the runs are of {other.iloc[0]}, not of a size such as letter_2000")
    return runs.assign(n_rows=n_rows.astype(int))
