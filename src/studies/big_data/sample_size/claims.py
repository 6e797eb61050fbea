"""The claims of document 003, section 3.2, quoted, on the runs of Figure 8 and of the check of its variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.sample_size.outcomes import MEASURES, need, outcomes
from studies.big_data.sample_size.runs import METHODS, UNGUARDED
from studies.verdicts import Arrays, Claim, check_claimed

FLOOR: Final = 10
"""Repetitions under which no number is published and no verdict given."""
FLOOR_ROWS: Final = 20_000
"""The same for rows: all of letter. The document's own data, 168 776 rows of speech, are not public."""
FLOOR_PASSES: Final = 36
"""The same for passes over the rows: Figure 8 ends at 6 million of 168 776."""
MUCH_SMALLER: Final = 0.1
"""Share of the rows that a sample has at most where the document says `|S| << N`."""


def _relative(measure: str, method: str, to: str) -> Callable[[Arrays], float]:
    """Mean of a measure of one method, relative to another's, less 1."""
    return lambda arrays: float(arrays[f"{method}_{measure}"].mean() / arrays[f"{to}_{measure}"].mean() - 1.0)


def _shortfall(arrays: Arrays) -> float:
    batch = arrays["batch_likelihood"].mean()
    gain = batch - arrays["batch_start"].mean()
    return float((batch - arrays["dynamic_50_likelihood"].mean()) / gain - 0.01)


def _calmer(method: str) -> Callable[[Arrays], float]:
    return lambda arrays: float((arrays["dynamic_50_fall"] - arrays[f"{method}_fall"]).mean())


_ERRATIC = (
    "If theta is too big (see theta = 0.75), [the sample's gradient] is allowed to deviate significantly ... "
    "which causes more erratic gradient steps (sum of the falls of exp(-J) from step to step, theta 0.5's less "
    "theta 0.75's"
)

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "sample_sizes": (
        Claim(
            "Dynamic subsample size selection reaches the same quality as the batch method (theta 0.5; what its "
            "exp(-J) lacks at the end, as a share of the batch method's gain, less 1 %, below 0 if so)",
            math.nan,
            _shortfall,
        ),
        Claim(
            "... while using significantly fewer datapoints (rows accessed until 95 % of the batch method's gain, "
            "relative to the batch method's, less 1, below 0 if so)",
            math.nan,
            _relative("passes_to_level", "dynamic_50", "batch"),
        ),
        Claim(
            "This in turn makes it significantly faster (seconds until then, relative to the batch method's, less "
            "1, below 0 if so)",
            math.nan,
            _relative("seconds_to_level", "dynamic_50", "batch"),
        ),
        Claim(
            "If theta is too small (see theta = 0.1), |S| is increased quickly (rows accessed until half of all "
            "are sampled, relative to theta 0.5, less 1, below 0 if so)",
            math.nan,
            _relative("passes_to_half", "dynamic_10", "dynamic_50"),
        ),
        Claim(
            "... which slows down the optimization (rows accessed by theta 0.5 until 95 % of the batch method's "
            "gain, relative to theta 0.1, less 1, below 0 if so)",
            math.nan,
            _relative("passes_to_level", "dynamic_50", "dynamic_10"),
        ),
        Claim(f"{_ERRATIC}, with the document's test, below 0 if so)", math.nan, _calmer(UNGUARDED)),
        Claim(f"{_ERRATIC}, with the guard against noise, below 0 if so)", math.nan, _calmer("dynamic_75")),
    ),
    "variance_check": (
        Claim(
            "On average [the estimated variance] deviates about 4% from [the squared error of the gradient] ... "
            "if |S| << N (mean of |squared error / V - 1| over the steps with at most a tenth of the rows)",
            0.04,
            lambda arrays: float(arrays["deviation"].mean()),
            0.01,
            bounds=(0.0, math.inf),
        ),
        Claim(
            "... (the same of averages over steps and seeds: |mean of squared error / V - 1| less 4 %, below 0 if "
            "so)",
            math.nan,
            lambda arrays: abs(float(arrays["ratio"].mean()) - 1.0) - 0.04,
            bounds=(-0.04, math.inf),
        ),
    ),
}
"""By experiment; fixed before any was run."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims on an experiment are about, each of shape (n_seeds,).

    Args:
        experiment: one of `CLAIMS`.
        runs: rows of `runs.sample_sizes`: `{method}_{measure}` for all methods and measures of `outcomes`; or of
            `runs.variance_check`: deviation and ratio, means over steps of |squared error / V - 1| and of
            squared error / V.

    Raises:
        ValueError: on an unknown experiment, or runs that lack a column or method.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "variance_check":
        need(runs, "size", "squared_error", "variance", "n_rows")
        steps = runs[runs["size"] <= MUCH_SMALLER * runs["n_rows"]]
        ratio = steps["squared_error"] / steps["variance"]
        by_seed = pd.DataFrame({"ratio": ratio, "deviation": (ratio - 1).abs()}).groupby(steps["seed"]).mean()
        return {name: by_seed[name].to_numpy(float) for name in ("deviation", "ratio")}
    ends = outcomes(runs)
    measures = (*MEASURES, "start")
    return {
        f"{method}_{measure}": ends[ends["method"] == method].sort_values("seed")[measure].to_numpy(float)
        for method in METHODS
        for measure in measures
    }


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are enough for a verdict: seeds, rows and, in Figure 8, passes.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    enough = runs["seed"].nunique() >= FLOOR and runs["n_rows"].min() >= FLOOR_ROWS
    return bool(enough and (experiment == "variance_check" or runs["max_passes"].min() >= FLOOR_PASSES))
