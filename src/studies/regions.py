"""Regions in which a document is right, with margins that were fixed by kind before any run was judged."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Region:
    """Values of a quantity for which the document is right: from `low` to `high`.

    Attributes:
        low: the least value, or -inf.
        high: the largest value, or inf.
        is_open: whether the ends themselves lie outside, as of a threshold.
    """

    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False

    def __post_init__(self) -> None:
        """Refuse a region without values.

        Raises:
            ValueError: if `low` is not below `high` (a closed region may be one value), or both are infinite.
        """
        if self.low > self.high or (self.is_open and self.low == self.high):
            raise ValueError(f"low must be below high, got {self.low} and {self.high}")
        if math.isinf(self.low) and math.isinf(self.high):
            raise ValueError("a region must have an edge")

    def __str__(self) -> str:
        """In words: `above 1`, `at most 5`, `0.221 to 0.271`, `27`."""
        low, high = (f"{round(edge, 8) + 0.0:.4g}" for edge in (self.low, self.high))  # 0, not -1e-09 or -0
        if math.isinf(self.low):
            return f"{'below' if self.is_open else 'at most'} {high}"
        if math.isinf(self.high):
            return f"{'above' if self.is_open else 'at least'} {low}"
        return low if low == high else f"{low} to {high}"

    def holds(self, low: float, high: float) -> bool:
        """Whether the interval from `low` to `high` lies wholly inside."""
        if self.is_open:
            is_above = self.low < low or self.low == low == -math.inf  # where there is no edge, nothing is outside
            return is_above and (high < self.high or self.high == high == math.inf)
        return self.low <= low and high <= self.high

    def misses(self, low: float, high: float) -> bool:
        """Whether the interval from `low` to `high` lies wholly outside."""
        if self.is_open:
            return high <= self.low or low >= self.high
        return high < self.low or low > self.high


def above(value: float) -> Region:
    """Values above a threshold."""
    return Region(low=value, is_open=True)


def below(value: float) -> Region:
    """Values below a threshold."""
    return Region(high=value, is_open=True)


def at_least(value: float) -> Region:
    """Values from a threshold on."""
    return Region(low=value)


def at_most(value: float) -> Region:
    """Values up to a threshold."""
    return Region(high=value)


def between(low: float, high: float) -> Region:
    """Values from `low` to `high`, both included."""
    return Region(low, high)


def near(printed: float, *, unit: float = 0.0, se: float = 0.0, margin: float | None = None) -> Region:
    """Values around a printed number.

    The margin is the largest of 10 % of the number, half of its last printed digit, and two standard errors.

    Args:
        printed: the number.
        unit: of its last printed digit, such as 0.001.
        se: its printed standard error.
        margin: another margin instead, whose reason stands beside the claim.
    """
    half = max(0.1 * abs(printed), unit / 2, 2 * se) if margin is None else margin
    slack = 1e-9 * max(abs(printed), 1.0)  # printed numbers are decimal, sums of floats are not
    return Region(printed - half - slack, printed + half + slack)


def near_sd(printed: float) -> Region:
    """Values around a printed standard deviation: a factor of 1.5 either way."""
    return Region(printed / 1.5, printed * 1.5)


def near_ratio(printed: float) -> Region:
    """Values around a printed ratio: a factor of 1.1 either way."""
    return Region(printed / 1.1, printed * 1.1)


def about(printed: float) -> Region:
    """Values around a ratio that the document calls approximate: 25 % either way."""
    return Region(printed * 0.75, printed * 1.25)


def order_of_magnitude() -> Region:
    """Ratios that an order of magnitude means: half an order either way, 3.2 to 32."""
    return Region(10**0.5, 10**1.5)


def factor_of_two() -> Region:
    """Ratios that a factor of two means."""
    return Region(1.8, 2.2)


def much() -> Region:
    """Ratios that the document calls much (much faster, much larger, greatly): more than a factor of two."""
    return above(2.0)
