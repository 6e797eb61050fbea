"""From a document's sentence to a verdict: one function for every claim of every paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.seeds import rng_for

REPRODUCED, PARTLY, NOT_REPRODUCED = "reproduced", "partly", "not reproduced"
NOT_RUN, NOT_TESTABLE = "not run at this scale", "not testable here"
N_RESAMPLES = 1000
COLUMNS = ["claim", "published", "ours", "low", "high", "verdict", "scale", "data"]


def verdict(
    published: float, ours: float, low: float, high: float, *, rounding: float = 0.0, enough: bool = True
) -> str:
    """Whether a published number is what we find.

    Reproduced: it lies in our interval, widened by half a unit of its last printed digit. Partly: it does not,
    but ours is within 10 % of it. The rule was fixed before any study was run.

    Args:
        published: the printed number.
        ours: the same quantity from our runs; nan if it was not run.
        low: lower end of our interval.
        high: upper end of our interval.
        rounding: unit of the last printed digit.
        enough: whether our runs reach the floor under published numbers.
    """
    if math.isnan(ours) or not enough:
        return NOT_RUN
    slack = rounding / 2 + 1e-12
    if min(low, ours) - slack <= published <= max(high, ours) + slack:
        return REPRODUCED
    return PARTLY if abs(ours - published) <= 0.1 * abs(published) else NOT_REPRODUCED


def over_seeds(
    statistic: Callable[[NDArray[np.intp]], float], n_seeds: int, *names: str
) -> tuple[float, float, float]:
    """A statistic with its 95 % percentile bootstrap interval, the repetitions resampled as wholes.

    Args:
        statistic: takes positions of repetitions, shape (n_seeds,), repeats allowed.
        n_seeds: number of repetitions; with fewer than two the interval is nan.
        *names: what the resampling is seeded by.

    Returns:
        The statistic of all repetitions, and the interval's lower and upper end.
    """
    ours = statistic(np.arange(n_seeds))
    if n_seeds < 2:
        return ours, math.nan, math.nan
    rng = rng_for("bootstrap", *names)
    draws = [statistic(rng.integers(0, n_seeds, size=n_seeds)) for _ in range(N_RESAMPLES)]
    low, high = np.nanpercentile(draws, [2.5, 97.5])
    return ours, float(low), float(high)


@dataclass(frozen=True)
class Claim:
    """One quoted sentence and the number in it.

    Attributes:
        text: the document's words, and what we compute where they leave it open.
        published: the number.
        statistic: the same quantity on a resample of repetitions; nan if it was not run.
        rounding: unit of the last printed digit.
    """

    text: str
    published: float
    statistic: Callable[[NDArray[np.intp]], float]
    rounding: float = 0.0


def judge(claims: list[Claim], *, n_seeds: int, floor: int, scale: str, data: str) -> pd.DataFrame:
    """One row per claim, columns `COLUMNS`.

    Args:
        claims: of one experiment.
        n_seeds: repetitions that the statistics resample.
        floor: repetitions below which no verdict is given.
        scale: label of the run.
        data: provenance of the data.
    """
    rows = []
    for claim in claims:
        ours, low, high = over_seeds(claim.statistic, n_seeds, claim.text)
        says = verdict(claim.published, ours, low, high, rounding=claim.rounding, enough=n_seeds >= floor)
        rows.append([claim.text, claim.published, ours, low, high, says, scale, data])
    return pd.DataFrame(rows, columns=COLUMNS)
