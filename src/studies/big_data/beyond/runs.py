"""The experiments beyond document 003: its combinations of methods, and every method on real data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from studies.big_data.beyond import combinations as combined
from studies.big_data.beyond import fractions as trained
from studies.big_data.beyond.models import METHODS
from studies.big_data.beyond.svms import SVMS

Run = Callable[..., pd.DataFrame]


def combinations(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Section 4's combinations and their parts; columns are those of `combinations.measure`.

    Args:
        method: one of `combinations.LOGISTIC` and `svms.SVMS`.
        seed: of data, splits and draws; methods share the data and splits of a seed.
        settings: `settings.COMBINATIONS`, all of them.
        root: the data folder.

    Raises:
        ValueError: on an unknown setting.
    """
    table = pd.DataFrame(combined.measure(method, seed, settings, root), columns=list(_COLUMNS))
    return table.assign(method=method, seed=seed)


_COLUMNS = (
    "problem", "data", "n_rows", "n_truth", "gamma", "b", "s", "r", "error", "to_full", "width_error", "width",
    "rows_touched", "rows_accessed", "distinct_accessed", "passes", "seconds", "predict_seconds", "n_fits",
    "n_failed", "share_uniform", "largest_share", "understated",
)  # fmt: skip


def fractions(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Every method of the rows family on real data; columns are those of `fractions.measure`.

    Args:
        method: one of `models.METHODS`.
        seed: of splits and draws; methods share the splits of a seed.
        settings: `settings.FRACTIONS`, all of them.
        root: the data folder.

    Raises:
        ValueError: on an unknown setting.
    """
    return pd.DataFrame(trained.measure(method, seed, settings, root)).assign(method=method, seed=seed)


EXPERIMENTS: dict[str, tuple[Run, tuple[str, ...]]] = {
    "combinations": (combinations, (*combined.LOGISTIC, *SVMS)),
    "fractions": (fractions, METHODS),
}
"""Experiment name -> its function and its methods."""
