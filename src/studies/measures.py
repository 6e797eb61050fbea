"""Measures of claims: each takes the name of an array and returns the `measure` of a claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from studies.estimates import Arrays, Estimate, exact, mean, ratio, share

if TYPE_CHECKING:
    import pandas as pd

Measure = Callable[[Arrays, np.random.Generator], Estimate]


def nothing(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """No number: the measure of a claim whose data or machine are out of reach."""
    return Estimate(np.nan, np.nan, np.nan)


def no_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """None of the runs: the `rows` of such a claim."""
    return runs.iloc[:0]


def mean_of(name: str) -> Measure:
    """The mean over seeds."""
    return lambda arrays, rng: mean(arrays[name])


def percent_of(name: str) -> Measure:
    """The mean over seeds of a share, in per cent, or of a difference of shares, in points."""
    return lambda arrays, rng: mean(100 * arrays[name])


def exactly(name: str) -> Measure:
    """The single number of an array without random variation."""
    return lambda arrays, rng: exact(float(arrays[name][0]))


def ratio_of(numerator: str, denominator: str) -> Measure:
    """The ratio of two arrays, paired by seed."""
    return lambda arrays, rng: ratio(arrays[numerator], arrays[denominator])


def share_of(name: str) -> Measure:
    """Per cent of seeds, of an array of ones and zeros."""
    return lambda arrays, rng: share(arrays[name], unit=100)


def difference_of_shares(name: str) -> Measure:
    """The mean difference of two shares of the same seeds, in points; its interval is cut at -100 and 100.

    The array holds, for each seed, a 0 or 1 less another 0 or 1.
    """
    return lambda arrays, rng: mean(100 * arrays[name], bounds=(-100.0, 100.0))
