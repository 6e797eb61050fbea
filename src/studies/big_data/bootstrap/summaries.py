"""Figure 7 of document 003 as numbers: errors of interval widths, the document's own points, where they end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from frugal.stats import mean_interval
from studies.tidy import TIDY, mean_by_seed, provenance, read_printed

OURS, PUBLISHED = "ours", "published"
NAMES = {"BLB": "blb", "BOFN": "b_of_n", "BOOT": "bootstrap", "BLB-0.7": "blb"}
"""The document's names of the methods."""
KEYS = ["experiment", "n_workers", "method", "gamma", "measure"]
MEASURES = (
    "relative_error", "width_ratio", "coef_error", "n_finished", "n_failed", "seconds", "rows_touched",
    "rows_held", "fraction_distinct",
)  # fmt: skip
"""Of a path's end."""
_SHOWN = [
    "experiment", "source", "method", "gamma", "n_workers", "n_finished", "seconds", "rows_touched", "mean", "low",
    "high", "n_seeds", "n_rows", "data", "published_s",
]  # fmt: skip


def true_width(runs: pd.DataFrame) -> float:
    """Width of the central 95 % range of a coefficient over the data sets of `truth`, all coefficients pooled.

    They may change places, so that a range of each by itself would only be noisier.

    Raises:
        ValueError: without runs of `truth`.
    """
    coefs = runs[runs["method"] == "truth"].filter(regex=r"^coef_\d+$").to_numpy(float)
    if not coefs.size:
        raise ValueError("the runs of intervals need those of the method truth")
    low, high = np.quantile(coefs, [0.025, 0.975])
    return float(high - low)


def with_errors(runs: pd.DataFrame) -> pd.DataFrame:
    """The paths of both experiments, with relative_error and width_ratio (mean width over the true one).

    The error is the mean over the coefficients of |w - w_true| / w_true. Those of `intervals` have one worker.

    Args:
        runs: of `intervals`, `interval_workers` or both, told apart by the column experiment.
    """
    parts = []
    for experiment, part in runs.groupby("experiment"):
        if experiment == "interval_workers":
            parts.append(part.assign(width_ratio=part["mean_width"] / part["true_width"]))
            continue
        paths = part[part["method"] != "truth"]
        ratios = paths.filter(regex=r"^width_\d+$").to_numpy(float) / true_width(part)
        ratios = ratios[:, np.isfinite(ratios).any(axis=0)]
        errors = {"relative_error": np.abs(ratios - 1.0).mean(axis=1), "width_ratio": ratios.mean(axis=1)}
        parts.append(paths.assign(n_workers=1, **errors))
    return pd.concat(parts, ignore_index=True)


def published() -> pd.DataFrame:
    """The document's points, read off its figure: experiment, method, gamma, published_s, mean."""
    parts = []
    for name, experiment in (("left_middle", "intervals"), ("right", "interval_workers")):
        table = read_printed(f"survey_fig7_{name}")
        boots = table["method"] == "BOOT"
        gamma = table["gamma"].where(~boots, 1.0) if "gamma" in table else np.where(boots, 1.0, 0.7)
        parts.append(
            pd.DataFrame(
                {
                    "experiment": experiment,
                    "method": table["method"].map(NAMES),
                    "gamma": gamma,
                    "published_s": table["time_s"],
                    "mean": table["relative_error"],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def summarise_figure7(runs: pd.DataFrame) -> pd.DataFrame:
    """Relative error of the widths after every step, and the document's curves on our time axis.

    The document's seconds are of 2012. They are multiplied by one factor for the left and middle panel, so that
    on average BLB's first subsample, r fits to n^gamma rows there and here, ends when ours does (the geometric
    mean over gamma); and by one for the right panel, so that the first resample of BOOT does, with the most
    workers.

    Args:
        runs: of `intervals`, `interval_workers` or both.

    Returns:
        experiment, source (`OURS`, `PUBLISHED`), method, gamma, n_workers, n_finished, seconds and rows_touched
        (means), mean, low, high (of the error: 95 % t-interval over seeds), n_seeds and n_rows (nan where
        published), data, published_s.
    """
    rows = []
    keys = ["experiment", "n_workers", "method", "gamma", "n_finished"]
    for cell, part in with_errors(runs).groupby(keys, sort=True):
        low, high = mean_interval(part["relative_error"])
        numbers = {name: part[name].mean() for name in ("seconds", "rows_touched")}
        facts = {"n_seeds": len(part), "n_rows": part["n_rows"].min(), "data": provenance(part)}
        errors = {"mean": part["relative_error"].mean(), "low": low, "high": high}
        rows.append(dict(zip(keys, cell, strict=True)) | numbers | errors | facts)
    ours = pd.DataFrame(rows).assign(source=OURS, published_s=np.nan)
    theirs = published()
    theirs = theirs[theirs["experiment"].isin(ours["experiment"])]
    factors = theirs["experiment"].map({name: _factor(ours, theirs, name) for name in ours["experiment"].unique()})
    facts = {"n_seeds": np.nan, "n_rows": np.nan, "data": provenance(runs)}
    theirs = theirs.assign(source=PUBLISHED, seconds=theirs["published_s"] * factors, **facts)
    both = pd.concat([ours, theirs.astype({"n_rows": float})], ignore_index=True)
    return both[_SHOWN]


def interval_widths_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Where every curve of Figure 7 ends: `MEASURES`, keys `KEYS`, then `tidy.TIDY`.

    Args:
        runs: of `intervals`, `interval_workers` or both.
        scale: label of the run.
    """
    paths = with_errors(runs)
    who = ["experiment", "n_workers", "method", "gamma", "seed"]
    ends = paths.loc[paths.groupby(who)["n_finished"].idxmax()]
    long = ends.melt([*who, "data"], list(MEASURES), var_name="measure").astype({"value": float})
    table = mean_by_seed(long, "value", KEYS)
    theirs = published().groupby(["experiment", "method", "gamma"], as_index=False).last()
    # BOOT's last point on the cluster is that of its tenth resample, and none of the end of ours.
    theirs = theirs[(theirs["experiment"] == "intervals") | (theirs["method"] == "blb")]
    theirs = theirs.rename(columns={"mean": "published"}).assign(measure="relative_error")
    keys = [key for key in KEYS if key != "n_workers"]
    table = table.merge(theirs[[*keys, "published"]], how="left", on=keys)
    table = table.astype({"n_workers": int})
    order = table.assign(measure=table["measure"].map(MEASURES.index)).sort_values(KEYS).index
    table = table.loc[order].assign(published_se=np.nan, published_stars="", stars="", scale=scale)
    return table[[*KEYS, *TIDY, *(c for c in table if c not in (*KEYS, *TIDY))]].reset_index(drop=True)


def _factor(ours: pd.DataFrame, theirs: pd.DataFrame, experiment: str) -> float:
    """By how much the document's seconds are multiplied."""
    method = "blb" if experiment == "intervals" else "bootstrap"
    mine = ours[(ours["experiment"] == experiment) & (ours["method"] == method)]
    mine = mine[mine["n_workers"] == mine["n_workers"].max()]
    their = theirs[(theirs["experiment"] == experiment) & (theirs["method"] == method)]
    ratios = mine.groupby("gamma")["seconds"].min() / their.groupby("gamma")["published_s"].min()
    return float(np.exp(np.log(ratios.dropna()).mean()))


TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {"interval_widths": interval_widths_table}
"""Table name -> how it is made from runs and the label of the scale."""
