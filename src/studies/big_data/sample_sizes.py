"""Document 003, section 3.2, Figure 8: samples that grow as the gradient needs it, beside fixed ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator

from frugal.checks import check_columns, check_whole
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.estimates import Array, Arrays, Estimate, mean, ratio, unbounded
from studies.kinds import RUN
from studies.measures import Measure, ratio_of
from studies.records import Claim, Floor, Method, Study, method_of
from studies.regions import above, at_least

METHODS: Final = (
    Method("fixed_5", "fixed", label="fixed, 5 % of the rows", color="#D07CA1", marker="s", linestyle=(0, (5, 1))),
    Method("batch", label="batch (all rows)", color="#000000", marker="o", linestyle=(0, (8, 1))),
    Method(
        "dynamic_10",
        "dynamic",
        {"theta": 0.1},
        label="growing, θ = 0.1",
        color="#F2B138",
        marker="D",
        linestyle=(0, (3, 1, 1, 1)),
    ),
    Method(
        "dynamic_25",
        "dynamic",
        {"theta": 0.25},
        label="growing, θ = 0.25",
        color="#926A00",
        marker="v",
        linestyle="--",
    ),
    Method(
        "dynamic_50",
        "dynamic",
        {"theta": 0.5},
        label="growing, θ = 0.5",
        color="#00318F",
        marker="<",
        linestyle="-",
    ),
    Method(
        "dynamic_75",
        "dynamic",
        {"theta": 0.75},
        label="growing, θ = 0.75",
        color="#4580EB",
        marker=">",
        linestyle="-.",
    ),
    Method(
        "sgd_50",
        "dynamic",
        {"theta": 0.5, "solver": "sgd"},
        label="growing, θ = 0.5, SGD",
        color="#2F6756",
        marker="^",
        linestyle=":",
    ),
    Method(
        "dynamic_75_unguarded",
        "dynamic",
        {"theta": 0.75, "window": 0},
        label="growing, θ = 0.75, without guard",
        color="#7AACEB",
        marker="P",
        linestyle=":",
    ),
)
FIXED, BATCH, *GROWING, SGD, UNGUARDED = METHODS
"""`GROWING` are the document's four, guarded against gradients that are noise."""


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """One fit of Figure 8, step by step, until so many rows were accessed or it has converged.

    Samples are of `fixed_share` of the rows, or of all (`batch`), or grow from `start_share` with a method's
    theta; by Newton-CG but for `sgd_50`. `UNGUARDED` is the test that the document prints. Every method draws
    from the same generator.

    Returns:
        One row per step, the first of them the start: iteration, points (rows accessed so far, trials of a step
        and products with the Hessian included), seconds (of the fit alone), size (of the sample), likelihood
        and accuracy (on all rows, after the step), passed (whether the sample was large enough), max_passes, and
        the columns of `Problem.facts`.
    """
    from studies.big_data.growing_samples import load, prepare

    problem = load(settings["dataset"], settings["n_rows"], root)
    rng = rng_for("sample_sizes", settings["dataset"], seed)
    fit = prepare(method_of(METHODS, method), problem, rng, settings)
    most = settings["max_passes"] * len(problem.X)
    rows: list[dict[str, Any]] = []
    seconds = 0.0

    def note(size: int, passed: bool) -> None:
        likelihood, accuracy = problem.quality(fit.coef)
        cost = {"iteration": len(fit.steps), "points": fit.points, "seconds": seconds, "size": size}
        rows.append({**cost, "likelihood": likelihood, "accuracy": accuracy, "passed": passed})

    with one_thread():
        note(fit.size, True)
        while not fit.status and fit.points < most:
            before = perf_counter()
            fit.advance()
            seconds += perf_counter() - before
            note(fit.steps[-1].size, fit.steps[-1].passed)
    return pd.DataFrame(rows).assign(max_passes=settings["max_passes"], **problem.facts)


def check(settings: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Refuse more training rows than the data set has."""
    from studies.builds import hollow

    name, n_rows = settings["dataset"], settings["n_rows"]
    if n_rows is not None:
        check_whole("n_rows", n_rows, 2, len(hollow(name).training().y), f"the rows of {name}")


# Outcomes ------------------------------------------------------------------------------------------------------

SHARE_OF_GAIN: Final = 0.95
"""Of what the batch method gains: how far the others must come for findings, and with theta = 0.1."""
SAME_QUALITY: Final = 0.99
"""The share that counts as the same quality."""
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
    check_columns("the table of runs", runs, (*RUN, *columns))


def outcomes(runs: pd.DataFrame, share: float = SHARE_OF_GAIN) -> pd.DataFrame:
    """Every run by what it reached within its `max_passes` passes over the rows, and when.

    The level is exp(-J) where the batch method of the same seed has made this share of its gain from start to end.

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
    names = [method.name for method in METHODS]
    rows = []
    for seed in sorted(runs["seed"].unique()):
        missing = [name for name in names if (name, seed) not in parts]
        if missing:
            raise ValueError(f"the runs of seed {seed} lack the method {missing[0]!r}")
        batch = parts["batch", seed]["likelihood"].to_numpy()
        level = batch[0] + share * (batch[-1] - batch[0])
        rows += [{"method": name, "seed": seed} | _outcome(parts[name, seed], level) for name in names]
    return pd.DataFrame(rows)


def _outcome(part: pd.DataFrame, level: float) -> dict[str, object]:
    """Measures of one run, its steps in order."""
    likelihood, size = part["likelihood"].to_numpy(), part["size"].to_numpy()
    passes, seconds = part["passes"].to_numpy(), part["seconds"].to_numpy()
    limit = float(part["max_passes"].iloc[0])
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


# Claims --------------------------------------------------------------------------------------------------------

FLOOR: Final = Floor(seeds=10, groups=("method",), least={"n_rows": 20_000, "max_passes": 36})
"""All rows of letter: the document's own data, 168 776 rows of speech, are not public. Its Figure 8 ends at 6
million rows, 36 passes.
"""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on, each (n_seeds,).

    Returns:
        `{method}_{measure}` of all `MEASURES`, and `{method}_start`; `{method}_passes_to_quality`,
        `{method}_seconds_to_quality` and `{method}_missed_quality`, as of the level, but to `SAME_QUALITY` of the
        gain.

    Raises:
        ValueError: as `outcomes`.
    """
    names = {f"{value}_level": f"{value}_quality" for value in ("passes_to", "seconds_to", "missed")}
    later = outcomes(runs, SAME_QUALITY)[["method", "seed", *names]].rename(columns=names)
    ends = outcomes(runs).merge(later, on=["method", "seed"])
    return {
        f"{method.name}_{measure}": ends[ends["method"] == method.name]
        .sort_values("seed")[measure]
        .to_numpy(float)
        for method in METHODS
        for measure in (*MEASURES, "start", *names.values())
    }


SAMPLE_SIZES: Final = Study(
    name="sample_sizes",
    methods=METHODS,
    run=run,
    is_timed=True,
    datasets="dataset",
    check=check,
    arrays=arrays,
    is_enough=FLOOR,
)
_claim = partial(Claim, section="3.2", study="sample_sizes", artefact="tables/sample_sizes")
_LEVEL: Final = "until 95 % of the batch method's gain in likelihood is reached"
_QUALITY: Final = "until 99 % of the batch method's gain in likelihood, the same quality, is reached"
_GUARDED: Final = "; with a guard against noise in the gradient that the document leaves out"
_FALLS: Final = (
    "sum of all falls of the mean likelihood per row, exp(-J), in percentage points over the whole run: theta = "
    "0.75 less theta = 0.5"
)


def _gain(arrays: Arrays, rng: Generator) -> Estimate:
    """Gain in likelihood of theta 0.5 from start to end, in % of the batch method's, seed by seed."""
    start, end, batch = (arrays[name] for name in ("batch_start", "dynamic_50_likelihood", "batch_likelihood"))
    return mean(100 * (end - start) / (batch - start))


def _sooner(later: str, sooner: str, currency: str, end: str) -> Measure:
    """How many times more `later` spends until it arrives; open on the side of a method that does not always."""

    def measure(arrays: Arrays, rng: Generator) -> Estimate:
        found = ratio(arrays[f"{later}_{currency}_to_{end}"], arrays[f"{sooner}_{currency}_to_{end}"])
        never = {method: bool(arrays[f"{method}_missed_{end}"].any()) for method in (later, sooner)}
        return unbounded(found, below=never[sooner], above=never[later])

    return measure


def _falls(method: str) -> Measure:
    """Sum of the likelihood's falls less that of theta 0.5, in points: a difference, since that may be 0."""
    return lambda arrays, rng: mean(100 * (arrays[f"{method}_fall"] - arrays["dynamic_50_fall"]))


CLAIMS: Final = (
    _claim(
        "big_data.sample_size.same_quality",
        quote="Dynamic subsample size selection reaches the same quality as the batch method",
        quantity="gain in mean likelihood per row, exp(-J), over the whole run: that of theta = 0.5 as a share of "
        f"the batch method's{_GUARDED}",
        unit="%",
        # 1 % and not 5 points: the same quality lies nearer than 95 %.
        agrees=at_least(99),
        measure=_gain,
        artefact="figures/figure8",
    ),
    _claim(
        "big_data.sample_size.fewer_rows",
        quantity=f"rows read {_LEVEL}: batch method over theta = 0.5{_GUARDED}",
        unit="times",
        agrees=above(1),
        measure=_sooner("batch", "dynamic_50", "passes", "level"),
    ),
    _claim(
        "big_data.sample_size.faster",
        quantity=f"seconds {_LEVEL}: batch method over theta = 0.5{_GUARDED}",
        unit="times",
        agrees=above(1),
        measure=_sooner("batch", "dynamic_50", "seconds", "level"),
    ),
    _claim(
        "big_data.sample_size.fewer_rows_to_quality",
        quote="reaches the same quality as the batch method ... while using significantly fewer datapoints",
        quantity=f"rows read {_QUALITY}: batch method over theta = 0.5{_GUARDED}",
        unit="times",
        agrees=above(1),
        measure=_sooner("batch", "dynamic_50", "passes", "quality"),
    ),
    _claim(
        "big_data.sample_size.faster_to_quality",
        quote="This in turn makes it significantly faster.",
        quantity=f"seconds {_QUALITY}: batch method over theta = 0.5{_GUARDED}",
        unit="times",
        agrees=above(1),
        measure=_sooner("batch", "dynamic_50", "seconds", "quality"),
    ),
    *(
        _claim(
            f"big_data.sample_size.{name}_to_quality_at_theta_25",
            quantity=f"{spent} {_QUALITY}: batch method over theta = 0.25{_GUARDED}; chosen after the runs",
            unit="times",
            agrees=above(1),
            measure=_sooner("batch", "dynamic_25", currency, "quality"),
        )
        for name, spent, currency in (("fewer_rows", "rows read", "passes"), ("faster", "seconds", "seconds"))
    ),
    _claim(
        "big_data.sample_size.small_theta_grows",
        quote="If θ is too small (see θ = 0.1), |S| is increased quickly",
        quantity=f"rows read until the sample is half of all rows: theta = 0.5 over theta = 0.1{_GUARDED}",
        unit="times",
        agrees=above(1),
        measure=ratio_of("dynamic_50_passes_to_half", "dynamic_10_passes_to_half"),
        is_by_construction=True,  # the rule asks for a larger sample the smaller theta is
    ),
    _claim(
        "big_data.sample_size.small_theta_slows",
        quote="which slows down the optimization",
        quantity=f"rows read {_LEVEL}: theta = 0.1 over theta = 0.5{_GUARDED}",
        unit="times",
        agrees=above(1),
        measure=_sooner("dynamic_10", "dynamic_50", "passes", "level"),
    ),
    _claim(
        "big_data.sample_size.large_theta_erratic",
        quote="If θ is too big (see θ = 0.75) ... which causes more erratic gradient steps",
        # With the guard in both: only theta differs. Theta 0.5 was not run without it.
        quantity=f"{_FALLS}{_GUARDED}",
        unit="points",
        agrees=above(0),
        measure=_falls("dynamic_75"),
    ),
    _claim(
        "big_data.sample_size.large_theta_erratic_unguarded",
        quantity=f"{_FALLS}; theta = 0.75 as the document prints it, theta = 0.5 with the guard",
        unit="points",
        agrees=above(0),
        measure=_falls(UNGUARDED.name),
    ),
)
