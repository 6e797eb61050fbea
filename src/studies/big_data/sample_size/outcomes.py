"""What a whole run of `runs.sample_sizes` comes to: the numbers that tables show and claims judge."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from studies.big_data.sample_size.runs import METHODS
from studies.tidy import need_columns

SHARE_OF_GAIN: Final = 0.95
"""Of what the batch method gains: how far the others must come."""
MEASURES: Final = (
    "likelihood",
    "accuracy",
    "passes_to_level",
    "seconds_to_level",
    "missed_level",
    "passes_to_half",
    "fall",
    "n_steps",
)
"""What `outcomes` measures."""


def need(runs: pd.DataFrame, *columns: str) -> None:
    """Refuse runs that lack a column.

    Raises:
        ValueError: with the column and those that there are.
    """
    need_columns(runs, ("method", "seed", "data", *columns))


def outcomes(runs: pd.DataFrame) -> pd.DataFrame:
    """Every run by what it reached within its `max_passes` passes over the rows, and when.

    The level is exp(-J) where the batch method of the same seed has made 95 % of its gain from start to end.

    Args:
        runs: rows of `runs.sample_sizes`; all methods of a seed.

    Returns:
        One row per method and seed: likelihood and accuracy at the end; passes_to_level and seconds_to_level (the
        first step that ends there; all passes and seconds of the run where none does: missed_level is 1);
        passes_to_half (when half of the rows or more was first drawn; all passes if never); fall (sum of the
        falls of exp(-J) from one step to the next); n_steps; start (exp(-J) before the first step); data.

    Raises:
        ValueError: if a column, or a method of a seed, is missing.
    """
    need(runs, "iteration", "points", "seconds", "size", "likelihood", "accuracy", "n_rows", "max_passes")
    passes = runs["points"] / runs["n_rows"]
    within = runs.assign(passes=passes)[passes <= runs["max_passes"]].sort_values("iteration")
    parts = dict(list(within.groupby(["method", "seed"], sort=True)))
    rows = []
    for seed in sorted(runs["seed"].unique()):
        missing = [method for method in METHODS if (method, seed) not in parts]
        if missing:
            raise ValueError(f"the runs of seed {seed} lack the method {missing[0]!r}")
        batch = parts["batch", seed]["likelihood"].to_numpy()
        level = batch[0] + SHARE_OF_GAIN * (batch[-1] - batch[0])
        rows += [{"method": m, "seed": seed} | _outcome(parts[m, seed], level) for m in METHODS]
    return pd.DataFrame(rows)


def _outcome(part: pd.DataFrame, level: float) -> dict[str, object]:
    """Measures of one run, its steps in order."""
    likelihood, size = part["likelihood"].to_numpy(), part["size"].to_numpy()
    passes, seconds, limit = (
        part["passes"].to_numpy(),
        part["seconds"].to_numpy(),
        float(part["max_passes"].iloc[0]),
    )
    reached = np.flatnonzero(likelihood >= level)
    large = np.flatnonzero(size >= part["n_rows"].to_numpy() / 2)
    return {
        "likelihood": likelihood[-1],
        "accuracy": part["accuracy"].iloc[-1],
        "passes_to_level": passes[reached[0]] if reached.size else limit,
        "seconds_to_level": seconds[reached[0]] if reached.size else seconds[-1],
        "missed_level": float(not reached.size),
        "passes_to_half": passes[max(large[0] - 1, 0)] if large.size else limit,  # drawn as the step before ended
        "fall": np.maximum(likelihood[:-1] - likelihood[1:], 0.0).sum(),
        "n_steps": float(len(part) - 1),
        "start": likelihood[0],
        "data": part["data"].iloc[0],
    }
