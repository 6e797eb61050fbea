"""Figure 7 of document 000 and the sweep over tau and buffer: their numbers, from the runs that `runs` makes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies.beta_pruning.runs import SWEPT
from studies.tidy import TIDY, mean_by_seed, need, provenance, read_printed, unprinted

RECORDED = "recorded"
"""Figure 7's own run, which its author recorded."""
SHOWN = ("explored", "best_mean")
"""Panels of Figure 7."""
SWEEP_KEYS = ["measure", "tau", "method", "buffer"]


def recorded() -> pd.DataFrame:
    """The document's own run: step, explored, best_mean (of the whole buffer, complete or not)."""
    table = read_printed("bayes_fig7_run")
    return pd.DataFrame(
        {
            "step": table["models_fit"],
            "explored": table["hyperparameter_sets"],
            "best_mean": table["best_mean_accuracy"],
        }
    )


def by_step(runs: pd.DataFrame, value: str, method: str) -> pd.DataFrame:
    """A value of one method after every training, (step, seed); a run that has ended keeps its last one."""
    part = runs[runs["method"] == method]
    wide = part.pivot_table(value, index="step", columns="seed", dropna=False)
    wide = wide.reindex(range(1, int(runs["step"].max()) + 1))
    has_ended = wide.index.to_numpy()[:, None] > part.groupby("seed")["step"].max()[wide.columns].to_numpy()
    return wide.mask(has_ended, wide.ffill())


def summarise_figure7(runs: pd.DataFrame) -> pd.DataFrame:
    """Figure 7: `SHOWN` against trainings; mean, least and greatest over the seeds, and the document's own run.

    A step at which a seed has no value yet, since all its networks have diverged, is left out.

    Args:
        runs: rows of `runs.explore`.

    Returns:
        panel, method, step, mean, low, high, n_seeds, n_rows, data.
    """
    need(runs, "step", *SHOWN)
    parts, own = [], recorded()
    facts = {"n_seeds": runs["seed"].nunique(), "n_rows": runs["n_rows"].min(), "data": provenance(runs)}
    for panel in SHOWN:
        for method in sorted(runs["method"].unique()):
            wide = by_step(runs, panel, method)
            wide = wide[wide.notna().all(axis=1)]
            numbers = {"mean": wide.mean(axis=1), "low": wide.min(axis=1), "high": wide.max(axis=1)}
            parts.append(pd.DataFrame({"panel": panel, "method": method, **numbers, **facts}).reset_index())
        line = {"panel": panel, "method": RECORDED, "step": own["step"], "mean": own[panel]}
        parts.append(pd.DataFrame(line | {"low": np.nan, "high": np.nan, **facts}))
    return pd.concat(parts, ignore_index=True)


def summarise_sweep(runs: pd.DataFrame) -> pd.DataFrame:
    """What every tau and buffer cost, explored and lost: mean, least and greatest over the seeds.

    Args:
        runs: rows of `runs.sweep`.

    Returns:
        panel (of `SWEPT`), buffer, tau, mean, low, high, n_seeds, n_rows, data.
    """
    need(runs, "tau", "buffer", "failed_as", *SWEPT)
    swept = runs[(runs["method"] == "beta_pruning") & (runs["failed_as"] == "failed")]
    parts = []
    for panel in ("folds_share", "explored_at_20", "regret"):
        groups = swept.groupby(["buffer", "tau"], sort=True)[panel]
        numbers = groups.agg(["mean", "min", "max"]).set_axis(["mean", "low", "high"], axis=1).reset_index()
        facts = {"n_seeds": swept["seed"].nunique(), "n_rows": swept["n_rows"].min(), "data": provenance(swept)}
        parts.append(numbers.assign(panel=panel, **facts))
    columns = ["panel", "buffer", "tau", "mean", "low", "high", "n_seeds", "n_rows", "data"]
    return pd.concat(parts, ignore_index=True)[columns]


def sweep_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Every measure of `runs.sweep`, mean with its interval; keys `SWEEP_KEYS`, then `tidy.TIDY`.

    The method `beta_pruning_chance` is beta pruning where a diverged network scores 1 / n_classes.

    Args:
        runs: rows of `runs.sweep`.
        scale: label of the run.
    """
    need(runs, "tau", "buffer", "failed_as", *SWEPT)
    named = runs.assign(
        method=runs["method"].where(runs["failed_as"] == "failed", runs["method"] + "_chance"),
        tau=runs["tau"].map("{:g}".format).replace("nan", "-"),
        buffer=runs["buffer"].map("{:g}".format).replace("nan", "-"),
    )
    long = named.melt(["method", "tau", "buffer", "seed", "data"], list(SWEPT), var_name="measure")
    table = mean_by_seed(long, "value", SWEEP_KEYS)
    as_numbers = {name: pd.to_numeric(table[name], errors="coerce") for name in ("tau", "buffer")}
    ordered = table.assign(measure=table["measure"].map(SWEPT.index), **as_numbers)
    table = table.loc[ordered.sort_values(SWEEP_KEYS, na_position="first").index].reset_index(drop=True)
    table = unprinted(table, scale)
    table["n_rows"] = runs["n_rows"].min()
    return table[[*SWEEP_KEYS, *TIDY, *(c for c in table if c not in (*SWEEP_KEYS, *TIDY))]]
