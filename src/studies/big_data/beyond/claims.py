"""What document 003 says about combinations, in section 4, as quantities of the runs.

Every statement is a direction, below 0 if so. "Problematic" and "more promising" are read as costs and errors
against those of the parts, and of the combinations against each other, on the same data.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.beyond.summaries import paired
from studies.verdicts import Arrays, Claim, check_claimed

FLOOR = 10
"""Seeds under which no verdict is given."""
SIZES = {"nzNormal": 10_000, "student_t": 20_000}
"""Rows of the document's own designs, in its Figures 10 and 7."""
AT_LEAST = {"r": 30, "s": 5, "n_truth": 300}
"""Resamples and subsamples of BLB, and datasets for the true width, under which none is given either."""
SVM_ROWS = 5000
"""Training rows of the SVMs, likewise."""

Found = dict[str, NDArray[np.float64]]


def _mean(name: str) -> Callable[[Arrays], float]:
    return lambda arrays: float(arrays[name].mean()) if arrays[name].size else math.nan


def _less(name: str, other: str) -> Callable[[Arrays], float]:
    return lambda arrays: _mean(name)(arrays) - _mean(other)(arrays)


_PROBLEM = "the combination of BLB with subsample size selection for gradient descent is problematic"
_PROMISING = "The combinations of BLB with OSMAC and of BLB with WKM-SVM are more promising"

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "combinations": (
        Claim(
            f"{_PROBLEM} (log10 of the rows that batch fits of BLB's resamples read over those that dynamic fits "
            "read, a row that a resample repeats counted each time, below 0 if so)",
            math.nan,
            lambda arrays: -_mean("dynamic_accessed")(arrays),
        ),
        Claim(
            f"{_PROBLEM} (the same with the distinct rows of each sample that was read, since BLB's fits take "
            "repeats as counts, below 0 if so)",
            math.nan,
            lambda arrays: -_mean("dynamic_distinct")(arrays),
        ),
        Claim(
            "... a resampled BLB bootstrap that does not allow for significant variance reduction since it only "
            "contains a small fraction of datapoints (log10 of the gradient's variance by equation 13 at the end "
            "over its squared error, less the same of the dynamic fit to all rows, below 0 if so)",
            math.nan,
            lambda arrays: _mean("understated_all")(arrays) - _mean("understated")(arrays),
        ),
        Claim(
            "This approach does not work well if the training data is a resampled BLB bootstrap (log10 of the "
            "squared error of plain BLB over that of the combination at the same b, below 0 if so)",
            math.nan,
            lambda arrays: -_mean("dynamic_error")(arrays),
        ),
        Claim(
            f"{_PROMISING} (log10 of the squared error over BLB's at equally many rows drawn: that of BLB with "
            "OSMAC less that of BLB with dynamic sizes, below 0 if so)",
            math.nan,
            _less("osmac_error_matched", "dynamic_error"),
        ),
        Claim(
            "In the case of OSMAC the sampling weights could be used to sample the small bootstraps (log10 of the "
            "squared error over that of plain BLB at equally many rows drawn, imbalanced design, below 0 if so)",
            math.nan,
            _mean("osmac_error_nz"),
        ),
        Claim(
            "... (log10 of the relative error of the interval widths over plain BLB's, imbalanced design, below 0 "
            "if so)",
            math.nan,
            _mean("osmac_width_nz"),
        ),
        Claim(
            "combinations of them are possible to get further speedups (BLB with OSMAC: log10 of the squared "
            "error over that of OSMAC alone at equally many rows drawn, imbalanced design, below 0 if so)",
            math.nan,
            _mean("osmac_alone_nz"),
        ),
        Claim(
            "combinations of them are possible to get further speedups (BLB with WKM-SVM: log10 of the seconds of "
            "all fits, decision values aside, over those of WKM-SVM alone, below 0 if so)",
            math.nan,
            _mean("wkm_seconds_alone"),
        ),
    ),
    "fractions": (),
}


def arrays(experiment: str, runs: pd.DataFrame) -> Found:
    """Log-ratios of combinations and parts, each (n_gammas and problems, n_seeds); empty where nothing was run.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "fractions":
        return {}
    generated, real = list(SIZES), [p for p in runs["problem"].unique() if p not in SIZES]
    used = runs.loc[runs["method"] == "blb_dynamic", "gamma"].unique()
    matched = runs[(runs["method"] != "blb_osmac") | runs["gamma"].isin(used)]
    return {
        "dynamic_accessed": _cells(runs, "blb_dynamic", "blb", generated, "rows_accessed"),
        "dynamic_distinct": _cells(runs, "blb_dynamic", "blb", generated, "distinct_accessed"),
        "dynamic_error": _cells(runs, "blb_dynamic", "blb", generated, "error"),
        "osmac_error_matched": _cells(matched, "blb_osmac", "blb", generated, "error"),
        "osmac_error_nz": _cells(runs, "blb_osmac", "blb", ["nzNormal"], "error"),
        "osmac_width_nz": _cells(runs, "blb_osmac", "blb", ["nzNormal"], "width_error"),
        "osmac_alone_nz": _cells(runs, "blb_osmac", "osmac_mvc", ["nzNormal"], "error"),
        "wkm_seconds_alone": _cells(runs, "blb_wkm_svm", "wkm_svm", real, "seconds"),
        "understated": _values(runs, "blb_dynamic", "understated"),
        "understated_all": _values(runs, "dynamic", "understated"),
    }


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether there are `FLOOR` seeds, designs of the document's sizes, `AT_LEAST` of the rest and `SVM_ROWS`.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if runs["seed"].nunique() < FLOOR:
        return False
    if experiment == "fractions":
        return True
    smallest = runs.groupby("problem")["n_rows"].min()
    if any(smallest.get(design, 0) < size for design, size in SIZES.items()):
        return False
    if not smallest.drop(list(SIZES)).min() >= SVM_ROWS:  # nan without any
        return False
    bags = runs[runs["method"].isin(("blb", "blb_osmac", "blb_dynamic"))]
    return all(bags[name].min() >= least for name, least in AT_LEAST.items())


def _cells(
    runs: pd.DataFrame, combination: str, part: str, problems: list[str], measure: str
) -> NDArray[np.float64]:
    tables = [paired(runs, combination, part, problem, measure) for problem in problems]
    return _stacked([table for table in tables if len(table)], runs)


def _values(runs: pd.DataFrame, method: str, measure: str) -> NDArray[np.float64]:
    part = runs[runs["method"] == method].assign(gamma=lambda rows: rows["gamma"].fillna(1.0))
    return _stacked([part.pivot_table(measure, ["problem", "gamma"], "seed")], runs)


def _stacked(tables: list[pd.DataFrame], runs: pd.DataFrame) -> NDArray[np.float64]:
    """Cells by seeds, the same seeds for all."""
    seeds = sorted(runs["seed"].unique())
    if not tables or all(table.empty for table in tables):
        return np.empty((0, len(seeds)))
    return np.concatenate([table.reindex(columns=seeds).to_numpy(float) for table in tables])
