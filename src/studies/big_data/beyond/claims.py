"""What document 003 says about combinations, in section 4, as quantities of the runs.

"Problematic" and "more promising" are read as costs and errors over those of the parts, and of the combinations
over each other, on the same data.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from studies.big_data.beyond.summaries import paired
from studies.estimates import Arrays, Estimate, ratio
from studies.records import Claim
from studies.regions import above
from studies.verdicts import check_claimed

FLOOR = 10
"""Seeds under which no verdict is given."""
SIZES = {"nzNormal": 10_000, "student_t": 20_000}
"""Rows of the document's own designs, in its Figures 10 and 7."""
AT_LEAST = {"r": 30, "s": 5, "n_truth": 300}
"""Resamples and subsamples of BLB, and datasets for the true width, under which none is given either."""
SVM_ROWS = 5000
"""Training rows of the SVMs, likewise."""

Found = dict[str, NDArray[np.float64]]
Measure = Callable[[Arrays, Generator], Estimate]


def _times(name: str) -> Measure:
    """The combination's over the part's, geometric mean over the cells."""
    return lambda arrays, rng: ratio(_over_cells(arrays, name), 1.0)


def _fewer(name: str) -> Measure:
    """The part's over the combination's."""
    return lambda arrays, rng: ratio(1.0, _over_cells(arrays, name))


def _over(name: str, other: str) -> Measure:
    return lambda arrays, rng: ratio(_over_cells(arrays, name), _over_cells(arrays, other))


def _over_cells(arrays: Arrays, name: str) -> NDArray[np.float64]:
    """Geometric mean over cells whose values are log10, by seed; nan without cells."""
    cells = arrays[name]
    return np.asarray(10.0 ** cells.mean(axis=0)) if len(cells) else np.full(cells.shape[1], np.nan)


def _claim(name: str, quote: str, quantity: str, measure: Measure, *, is_ours: bool = False) -> Claim:
    """A claim that a ratio is above 1."""
    return Claim(
        f"big_data.combinations.{name}", "4", quote, quantity, "times", above(1), measure,
        artefact="tables/combinations_against_parts", is_ours=is_ours,
    )  # fmt: skip


_FURTHER = "various combinations of them are possible to get further speedups"
_MATCHED = "at equally many rows drawn"
_NZ = f"on the imbalanced nzNormal {_MATCHED}"

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "combinations": (
        _claim(
            "further_speedup.blb_osmac",
            _FURTHER,
            f"squared error of the coefficients {_NZ}, OSMAC alone over BLB with OSMAC",
            _fewer("osmac_alone_nz"),
        ),
        _claim(
            "further_speedup.blb_wkm_svm",
            _FURTHER,
            "seconds of all fits, WKM-SVM alone over BLB with WKM-SVM",
            _fewer("wkm_seconds_alone"),
        ),
        # Rows that a resample repeats count once: in the document's section 3.1 they are weights, and the cost of
        # a resample depends on its distinct rows.
        _claim(
            "blb_dynamic.more_rows",
            "the combination of BLB with subsample size selection for gradient descent is problematic",
            "distinct rows of the samples read, BLB with subsample size selection over plain BLB",
            _times("dynamic_distinct"),
        ),
        _claim(
            "blb_dynamic.more_rows_repeated",
            "",
            "rows read, a row as often as the resample repeats it, BLB with subsample size selection "
            "over plain BLB",
            _times("dynamic_accessed"),
            is_ours=True,
        ),
        _claim(
            "blb_dynamic.worse",
            "This approach does not work well if the training data is a resampled BLB bootstrap",
            "squared error of the coefficients, BLB with subsample size selection over plain BLB, same b",
            _times("dynamic_error"),
        ),
        _claim(
            "blb_dynamic.variance_not_reduced",
            "a resampled BLB bootstrap that does not allow for significant variance reduction since it only "
            "contains a small fraction of datapoints",
            "factor by which the squared error of the last gradient exceeds the variance that equation 13 "
            "estimates, on BLB's resamples over that on all rows",
            _over("understated", "understated_all"),
        ),
        _claim(
            "osmac_more_promising",
            "The combinations of BLB with OSMAC and of BLB with WKM-SVM are more promising.",
            f"squared error of the coefficients {_MATCHED}, each over that of plain BLB: BLB with subsample size "
            "selection over BLB with OSMAC",
            _over("dynamic_error", "osmac_error_matched"),
        ),
        _claim(
            "osmac_weights",
            "In the case of OSMAC the sampling weights ... could be used to sample the small bootstraps",
            f"squared error of the coefficients {_NZ}, plain BLB over BLB with OSMAC",
            _fewer("osmac_error_nz"),
        ),
        _claim(
            "osmac_weights_widths",
            "",
            f"relative error of the interval widths {_NZ}, plain BLB over BLB with OSMAC",
            _fewer("osmac_width_nz"),
            is_ours=True,
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
