"""From a document's sentence to a verdict: one function for every claim of every paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.seeds import rng_for
from frugal.stats import t_margin
from studies.tidy import provenance

REPRODUCED, PARTLY, NOT_REPRODUCED = "reproduced", "partly", "not reproduced"
NOT_RUN, NOT_TESTABLE = "not run at this scale", "not testable here"
OUT_OF_TRIALS = "no verdict: a method ran out of trials"
N_RESAMPLES = 1000
COLUMNS = ["claim", "published", "ours", "low", "high", "verdict", "scale", "data"]

Arrays = Mapping[str, NDArray[np.float64]]
"""Measured values by name; the last axis of each is the repetitions, the same ones in the same order."""


def verdict(
    published: float,
    ours: float,
    low: float,
    high: float,
    *,
    rounding: float = 0.0,
    every: bool = False,
    enough: bool = True,
) -> str:
    """Whether a published number is what we find.

    Reproduced: it lies in our interval, widened by half a unit of its last printed digit; a claim about every
    case is reproduced by every case only. Partly: not so, but ours is within 10 % of it. Where the document
    states a direction without a number (`published` is nan), the quantity must be below 0: reproduced if our whole
    interval is, partly if ours is and the interval touches 0. The rule was fixed before any study was run.

    Args:
        published: the printed number, or nan for a direction.
        ours: the same quantity from our runs; nan if it was not run.
        low: lower end of our interval.
        high: upper end of our interval.
        rounding: unit of the last printed digit.
        every: the sentence holds for every case or not at all.
        enough: whether our runs reach the floor under published numbers.
    """
    if math.isnan(ours) or not enough:
        return NOT_RUN
    if math.isnan(published):
        return REPRODUCED if high < 0 else PARTLY if ours < 0 else NOT_REPRODUCED
    slack = rounding / 2 + 1e-12
    if ours == published if every else low - slack <= published <= high + slack:
        return REPRODUCED
    return PARTLY if abs(ours - published) <= 0.1 * abs(published) else NOT_REPRODUCED


def over_seeds(
    statistic: Callable[[Arrays], float],
    arrays: Arrays,
    *names: str,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float, float]:
    """A statistic with its 95 % interval: Student's t times its bootstrap standard error, cut at `bounds`.

    The standard error is the standard deviation of the statistic over resamples of whole repetitions, times
    sqrt(n / (n - 1)) for n repetitions, so that the interval of a mean is that of `stats.mean_interval`.
    Percentiles of the resamples would not do: a standard deviation over cells, or a count of significant cells, is
    biased on resamples, whose repeated repetitions add variance, so that they may miss the statistic itself.

    Args:
        statistic: of the arrays, each with the same repetitions taken from its last axis, repeats allowed.
        arrays: the measured values; with fewer than two repetitions the interval is nan.
        *names: what the resampling is seeded by.
        bounds: the least and the largest value that the statistic can have.

    Returns:
        The statistic of all repetitions, and the interval's lower and upper end around it.
    """
    ours, n_seeds = statistic(arrays), next(iter(arrays.values())).shape[-1]
    if n_seeds < 2 or math.isnan(ours):
        return ours, math.nan, math.nan
    rng = rng_for("bootstrap", *names)
    picks = rng.integers(0, n_seeds, size=(N_RESAMPLES, n_seeds))
    draws = [statistic({name: array[..., seeds] for name, array in arrays.items()}) for seeds in picks]
    error = float(np.nanstd(draws, ddof=1)) * math.sqrt(n_seeds / (n_seeds - 1))
    margin = t_margin(error, n_seeds)
    return ours, max(ours - margin, bounds[0]), min(ours + margin, bounds[1])


@dataclass(frozen=True)
class Claim:
    """One quoted sentence and the number in it.

    Attributes:
        text: the document's words, and what we compute where they leave it open.
        published: the number; nan where the sentence only says that the statistic is below 0.
        statistic: the same quantity of an experiment's arrays.
        rounding: unit of the last printed digit.
        every: the sentence is about every case, so that one exception breaks it.
        bounds: the least and the largest value that the statistic can have.
    """

    text: str
    published: float
    statistic: Callable[[Arrays], float]
    rounding: float = 0.0
    every: bool = False
    bounds: tuple[float, float] = (-math.inf, math.inf)


def judge(claims: Sequence[Claim], arrays: Arrays | None, *, enough: bool, scale: str, data: str) -> pd.DataFrame:
    """One row per claim, columns `COLUMNS`.

    Args:
        claims: of one experiment.
        arrays: what was measured in it; None if it was not run.
        enough: whether the runs are all of the experiment's cells and reach the floor.
        scale: label of the run.
        data: provenance of the data.
    """
    rows = []
    for claim in claims:
        numbers = (math.nan, math.nan, math.nan)
        if arrays is not None:
            numbers = over_seeds(claim.statistic, arrays, claim.text, bounds=claim.bounds)
        says = verdict(claim.published, *numbers, rounding=claim.rounding, every=claim.every, enough=enough)
        rows.append([claim.text, claim.published, *numbers, says, scale, data])
    return pd.DataFrame(rows, columns=COLUMNS)


def judge_all(
    sources: Iterable[Any], runs: Mapping[str, pd.DataFrame], known: Collection[str], scale: str
) -> pd.DataFrame:
    """The claims of a document with verdicts, in its order; those of an experiment without runs as not run.

    Args:
        sources: modules with `CLAIMS` by experiment, `arrays` and `reaches_floor` of an experiment's runs, and
            where some claims are on data out of reach, `not_testable`, their texts; where some lack what others
            have, `unjudged`, what to say in place of a verdict, by their text (given the arrays, too).
        runs: by name of the experiment.
        known: names of the experiments.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    unknown = sorted(set(runs) - set(known))
    if unknown:
        check_claimed(unknown[0], known)
    parts = []
    for source in sources:
        for experiment, listed in source.CLAIMS.items():
            table = runs.get(experiment)
            if table is None:
                parts.append(judge(listed, None, enough=False, scale=scale, data=""))
                continue
            arrays, enough = source.arrays(experiment, table), source.reaches_floor(experiment, table)
            judged = judge(listed, arrays, enough=enough, scale=scale, data=provenance(table))
            if hasattr(source, "not_testable"):
                out = judged["claim"].isin(source.not_testable(experiment, table))
                judged.loc[out, "verdict"] = NOT_TESTABLE
            if hasattr(source, "unjudged"):
                said = source.unjudged(experiment, table, arrays)
                judged["verdict"] = [said.get(*of) for of in zip(judged["claim"], judged["verdict"], strict=True)]
            parts.append(judged)
    return pd.concat(parts, ignore_index=True)


def check_claimed(experiment: str, known: Collection[str]) -> None:
    """Refuse an experiment that there are no claims on.

    Raises:
        ValueError: listing those that there are claims on.
    """
    if experiment not in known:
        raise ValueError(f"no claims on the experiment {experiment!r}; known: {', '.join(known)}")


def no_claims(runs: Mapping[str, pd.DataFrame], *, scale: str) -> pd.DataFrame:
    """The `claims` of a comparison, which has none: each document's own module judges its claims.

    Raises:
        ValueError: always.
    """
    raise ValueError("comparisons judge no claims; name the paper whose claims are meant")
