"""Numbers of Figure 8, of the growth of the samples and of the check of equation 13, from the rows of `runs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.sample_size.outcomes import MEASURES, need, outcomes
from studies.big_data.sample_size.runs import METHODS, THETAS, UNGUARDED
from studies.paths import mean_at
from studies.tidy import TIDY, mean_by_seed, provenance, read_printed, unprinted

OURS, PUBLISHED = "ours", "published"
"""Sources of a curve of Figure 8."""
PANELS: Final = {
    "fixed and growing": ("fixed_5", "batch", "dynamic_50", "sgd_50"),
    "theta": (*THETAS, UNGUARDED),
}
"""Panels of Figure 8, left and right, and what stands in them."""
PUBLISHED_ROWS: Final = 168_776
"""Rows of the data behind the published curves, which are not public."""
CHECKED: Final = ("size", "squared_error", "variance", "corrected", "deviation", "corrected_deviation")
"""Measures of the check of equation 13."""
CHECKED_STEPS: Final = (*range(1, 21), *range(25, 51, 5))
"""Steps that its table shows: the original's, and later ones, whose samples near all rows."""
ORIGINAL_DEVIATIONS: Final = {1: 0.055, 2: 0.084, 3: 0.021, 4: 0.000, 5: 0.028,
                              13: 0.16, 14: 0.25, 15: 0.34, 16: 0.63, 17: 0.87}  # fmt: skip
"""By step, in the table of Byrd et al. (2012) that the 4 % of the document summarise; one run."""

_PUBLISHED = {
    "fixed and growing": ("survey_fig8_left", {"FG5": "fixed_5", "FG100": "batch", "Dynamic": "dynamic_50"}),
    "theta": ("survey_fig8_right", {str(round(100 * theta)): name for name, theta in THETAS.items()}),
}
_N_POINTS = 401
_COLUMNS = ["panel", "source", "method", "x", "mean", "low", "high", "n_seeds", "n_rows", "data"]

Array = NDArray[np.float64]


def summarise_figure8(runs: pd.DataFrame) -> pd.DataFrame:
    """Likelihood of the training data against rows accessed, and the published curves.

    A step counts once it has ended. A fit that has converged stays where it is.

    Args:
        runs: rows of `runs.sample_sizes`.

    Returns:
        panel (of `PANELS`), source (ours, published), method, x (passes: rows accessed, of all rows), mean, low,
        high (95 % interval of the mean over the seeds), n_seeds (nan where published), n_rows, data.
    """
    need(runs, "points", "likelihood", "n_rows", "max_passes")
    limit = float(runs["max_passes"].min())
    passes = runs.assign(x=runs["points"] / runs["n_rows"])
    grid = np.linspace(0.0, limit, _N_POINTS)
    curves = [
        _curve(passes, method, "likelihood", grid, panel) for panel, names in PANELS.items() for method in names
    ]
    return pd.concat([*curves, *(_published(panel, limit) for panel in PANELS)], ignore_index=True)


def summarise_seconds(runs: pd.DataFrame) -> pd.DataFrame:
    """The same against seconds of the fit, every method until its first seed ends; the same columns."""
    need(runs, "seconds", "likelihood", "n_rows")
    timed = runs.rename(columns={"seconds": "x"})
    curves = []
    for panel, names in PANELS.items():
        for method in names:
            ends = timed[timed["method"] == method].groupby("seed")["x"].max()
            grid = np.linspace(0.0, float(ends.min()), _N_POINTS)
            curves.append(_curve(timed, method, "likelihood", grid, panel))
    return pd.concat(curves, ignore_index=True)


def summarise_growth(runs: pd.DataFrame) -> pd.DataFrame:
    """Size of the last sample, as a share of all rows, against rows accessed; geometric mean and its interval.

    Args:
        runs: rows of `runs.sample_sizes`.

    Returns:
        The columns of `summarise_figure8`, one panel.
    """
    need(runs, "points", "size", "n_rows", "max_passes")
    shares = runs.assign(x=runs["points"] / runs["n_rows"], share=np.log(runs["size"] / runs["n_rows"]))
    grid = np.geomspace(0.02, float(runs["max_passes"].min()), _N_POINTS)
    curves = [_curve(shares, method, "share", grid, "growth") for method in (*THETAS, UNGUARDED)]
    table = pd.concat(curves, ignore_index=True)
    return table.assign(**{name: np.exp(table[name]).clip(upper=1.0) for name in ("mean", "low", "high")})


def outcome_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Every measure of `outcomes`, mean with its interval; keys measure and method, then `tidy.TIDY`."""
    long = outcomes(runs).melt(["method", "seed", "data"], list(MEASURES), var_name="measure")
    return _tidy(long, ["measure", "method"], {"measure": MEASURES, "method": METHODS}, scale)


def variance_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The check of equation 13 by step; keys measure and iteration, then `tidy.TIDY`.

    Deviations are |squared error / V - 1|, and the same with V (1 - m / N), which is 0 at m = N and gives none.
    A cell that not every seed has is left out, so that all means are over the same seeds: a step after the end of
    some fits, or the second deviation where some samples are all rows. Published are `ORIGINAL_DEVIATIONS`.

    Args:
        runs: rows of `runs.variance_check`.
        scale: label of the run.
    """
    need(runs, "iteration", "size", "squared_error", "variance", "corrected")
    shown = runs[runs["iteration"].isin(CHECKED_STEPS)]
    deviations = {
        "deviation": (shown["squared_error"] / shown["variance"] - 1).abs(),
        "corrected_deviation": (
            shown["squared_error"] / shown["corrected"].where(shown["corrected"] > 0) - 1
        ).abs(),
    }
    long = shown.assign(**deviations).melt(["iteration", "seed", "data"], list(CHECKED), var_name="measure")
    table = _tidy(long, ["measure", "iteration"], {"measure": CHECKED}, scale)
    table = table[table["n_seeds"] == runs["seed"].nunique()].reset_index(drop=True)
    is_deviation = table["measure"] == "deviation"
    return table.assign(published=table["iteration"].map(ORIGINAL_DEVIATIONS).where(is_deviation))


def _tidy(long: pd.DataFrame, keys: list[str], order: dict[str, tuple[str, ...]], scale: str) -> pd.DataFrame:
    """Means per cell, its keys in the order given, or their own."""
    table = mean_by_seed(long, "value", keys)
    by_order = table.assign(**{name: table[name].map(listed.index) for name, listed in order.items()})
    table = table.loc[by_order.sort_values(keys).index].reset_index(drop=True)
    table = unprinted(table, scale)
    return table[[*keys, *TIDY, *(name for name in table if name not in (*keys, *TIDY))]]


def _curve(runs: pd.DataFrame, method: str, value: str, grid: Array, panel: str) -> pd.DataFrame:
    """A method's value at every x of the grid: that of the last step that ended before, mean over the seeds.

    Raises:
        ValueError: if the method was not run.
    """
    part = runs[runs["method"] == method].sort_values("iteration")
    if part.empty:
        raise ValueError(f"the runs lack the method {method!r}")
    seeds = []
    for _, steps in part.groupby("seed"):
        last = np.searchsorted(steps["x"].to_numpy(), grid, side="right") - 1
        seeds.append(steps[value].to_numpy()[last])
    facts = {"panel": panel, "source": OURS, "method": method, "n_rows": part["n_rows"].min()}
    return mean_at(grid, np.array(seeds)).assign(**facts, data=provenance(part))[_COLUMNS]


def _published(panel: str, limit: float) -> pd.DataFrame:
    """The document's curves of a panel, up to a number of passes over its own rows."""
    name, methods = _PUBLISHED[panel]
    table = read_printed(name).rename(columns=methods).drop_duplicates()
    long = (
        table.assign(x=table["x"] * 1e6 / PUBLISHED_ROWS).melt("x", var_name="method", value_name="mean").dropna()
    )
    shown = long[long["x"] <= limit].assign(panel=panel, source=PUBLISHED, low=np.nan, high=np.nan)
    return shown.assign(n_seeds=np.nan, n_rows=PUBLISHED_ROWS, data=PUBLISHED)[_COLUMNS]


TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    "sample_sizes": outcome_table,
    "variance_check": variance_table,
}
"""Table name -> how it is made from the runs of the experiment of that name and the label of the scale."""
