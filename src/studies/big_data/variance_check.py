"""Document 003, section 3.2, equation 13: how well it estimates the error of a sample's gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.sample_sizes import check, need
from studies.estimates import Array
from studies.measures import percent_of
from studies.records import Artefact, Claim, Floor, Method, Study, method_of
from studies.regions import about, between
from studies.tidy import by_measure, tidied

METHODS: Final = (Method("dynamic_50", "dynamic", {"theta": 0.5}),)


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Equation 13 at every step of a fit with growing samples.

    Returns:
        One row per step: iteration, size (m), squared_error (|g_S - g|^2 of the gradients on the sample and on
        all rows), variance (V of equation 13), corrected (V (1 - m / N)), and the columns of `Problem.facts`.
    """
    from frugal.rows import fit_dynamic_sample
    from studies.big_data.growing_samples import load, n_sampled

    problem = load(settings["dataset"], settings["n_rows"], root)
    n = len(problem.X)
    with one_thread():
        fit = fit_dynamic_sample(
            problem.X,
            problem.y,
            theta=method_of(METHODS, method).settings["theta"],
            initial_size=n_sampled(settings["start_share"], n),
            rng=rng_for("variance_check", settings["dataset"], seed),
            window=settings["window"],
            ratio=settings["ratio"],
            hessian_share=settings["hessian_share"],
            max_products=settings["max_products"],
            classes=np.arange(problem.facts["n_classes"]),
            max_iter=100_000,  # the limit is on points
            max_points=math.ceil(settings["max_passes"] * n),
            watch=True,
        )
    trace = fit.trace
    steps = pd.DataFrame(
        {
            "iteration": np.arange(1, len(trace.size) + 1),
            "size": trace.size,
            "squared_error": trace.squared_error,
            "variance": trace.variance,
            "corrected": trace.variance * (1.0 - trace.size / n),
        }
    )
    return steps.assign(**problem.facts)


# Claims --------------------------------------------------------------------------------------------------------

FLOOR: Final = Floor(seeds=10, least={"n_rows": 20_000})
"""The rows are all of letter."""
MUCH_SMALLER: Final = 0.1
"""Share of the rows that a sample has at most where the document says `|S| << N`."""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on, each (n_seeds,): means over the steps with much smaller samples.

    Returns:
        deviation, of |squared error / V - 1|, and ratio, of squared error / V.

    Raises:
        ValueError: if a column is missing.
    """
    need(runs, "size", "squared_error", "variance", "n_rows")
    steps = runs[runs["size"] <= MUCH_SMALLER * runs["n_rows"]]
    ratios = steps["squared_error"] / steps["variance"]
    by_seed = pd.DataFrame({"ratio": ratios, "deviation": (ratios - 1).abs()}).groupby(steps["seed"]).mean()
    return {name: by_seed[name].to_numpy(float) for name in ("deviation", "ratio")}


VARIANCE_CHECK: Final = Study(
    name="variance_check",
    methods=METHODS,
    run=run,
    datasets="dataset",
    check=check,
    arrays=arrays,
    is_enough=FLOOR,
)
_claim = partial(Claim, section="3.2", study="variance_check", artefact="tables/variance_check")
_STEPS: Final = "mean over the steps whose sample is at most a tenth of the rows"
CLAIMS: Final = (
    _claim(
        "big_data.sample_size.variance_deviates",
        quote="On average ... deviates about 4% from ... on the evaluation dataset if |S| ≪ N.",
        quantity="absolute difference between the squared error of the sample's gradient and equation 13's "
        f"variance, in % of the latter; {_STEPS}",
        unit="%",
        agrees=about(4),
        measure=percent_of("deviation"),
        published=4,
    ),
    _claim(
        "big_data.sample_size.variance_unbiased",
        quantity="squared error of the sample's gradient in % of equation 13's variance (the 4 % read as the "
        f"deviation of averages); {_STEPS}",
        unit="%",
        agrees=between(95, 105),  # about 4 %: up to 5
        measure=percent_of("ratio"),
    ),
)


# Table ---------------------------------------------------------------------------------------------------------

MEASURES: Final = ("size", "squared_error", "variance", "corrected", "deviation", "corrected_deviation")
STEPS: Final = (*range(1, 21), *range(25, 51, 5))
"""Steps that the table shows: the original's, and later ones, whose samples near all rows."""
ORIGINAL_DEVIATIONS: Final = {
    1: 0.055,
    2: 0.084,
    3: 0.021,
    4: 0.000,
    5: 0.028,
    13: 0.16,
    14: 0.25,
    15: 0.34,
    16: 0.63,
    17: 0.87,
}
"""By step, in the table of Byrd et al. (2012) that the 4 % of the document summarise; one run."""


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The check of equation 13 by step; keys measure and iteration, then `tidy.TIDY`.

    Deviations are |squared error / V - 1|, and the same with V (1 - m / N), which is 0 at m = N and gives none.
    A cell that not every seed has is left out, so that all means are over the same seeds: a step after the end of
    some fits, or the second deviation where some samples are all rows. Published are `ORIGINAL_DEVIATIONS`.
    """
    need(runs, "iteration", "size", "squared_error", "variance", "corrected")
    shown = runs[runs["iteration"].isin(STEPS)]
    expected = {
        "deviation": shown["variance"],
        "corrected_deviation": shown["corrected"].where(shown["corrected"] > 0),
    }
    deviations = {name: (shown["squared_error"] / value - 1).abs() for name, value in expected.items()}
    table = by_measure(shown.assign(**deviations), MEASURES, ["iteration"])
    table = table[table["n_seeds"] == runs["seed"].nunique()]
    is_deviation = table["measure"] == "deviation"
    table = table.assign(published=table["iteration"].map(ORIGINAL_DEVIATIONS).where(is_deviation))
    return tidied(table, ["measure", "iteration"], scale, "n_missing", orders={"measure": MEASURES})


TABLE: Final = Artefact(
    "variance_check",
    ("variance_check",),
    tabulate,
    """How well equation 13 of document 003 estimates the squared error of the gradient on a sample, step by step
    with theta 0.5: size m of the sample, squared error, V, V (1 - m / N), and the deviations of the first from the
    other two. Published are the deviations in the table of Byrd et al. (2012), one run on other data, whose first
    five the document's "about 4 %" summarise. {{ n_rows or "All" }} rows of {{ dataset }}; the mean over
    {{ n_seeds | seeds }}. What not every seed has is left out: steps after the end of some fits, and the last
    deviation where some samples are all rows, so that V (1 - m / N) is 0.""",
)
