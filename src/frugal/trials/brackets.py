"""Brackets of Hyperband: how many candidates each rung tries, and on how much.

Source: Li et al. (2018), "Hyperband: a novel bandit-based approach to hyperparameter optimization", JMLR 18(185),
Algorithm 1. Their symbols: eta is reduction_factor, s the number of a bracket, which has s + 1 rungs. Here R is
max_resource / min_resource. Bracket s starts with n candidates, and its rung i = 0..s gives n_i of them r_i:

    s_max = floor(log_eta R),   n = ceil((s_max + 1) / (s + 1) eta^s)
    n_i = floor(n eta^-i),      r_i = max_resource eta^(i - s)

The best floor(n_i / eta) go on. With `rounding="floor"`, as in the authors' benchmark code, n is rounded down;
with `robo`, n = floor((s_max + 1) / (s + 1)) eta^s. All is in whole numbers, so that no logarithm has to be
rounded (the authors' code rounds it to ten decimals). A fractional r_i is rounded to the nearest whole number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from frugal.checks import check_choice, check_whole

ROUNDINGS: Final = ("ceil", "floor", "robo")
"""Ways to round n = (s_max + 1) / (s + 1) eta^s, the number of candidates that a bracket starts with.

`ceil` is the paper's pseudo-code, `floor` the authors' benchmark code, `robo` floor((s_max + 1) / (s + 1)) eta^s,
that of RoBO and HpBandSter. From R = 81 and eta = 3: 81, 34, 15, 8, 5; 81, 33, 15, 7, 5; 81, 27, 9, 6, 5."""
ROBO_FACTOR: Final = 3
"""RoBO's eta."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a bracket.

    Attributes:
        n_candidates: number of candidates.
        resource: resource of each candidate, including that of earlier rungs.
    """

    n_candidates: int
    resource: int


def last_bracket(*, max_resource: int, min_resource: int = 1, reduction_factor: int = 3) -> int:
    """s_max, the bracket with the most rungs.

    Raises:
        ValueError: on a number that is not whole or too small: a reduction factor below 2, a resource below 1, or
            fewer resources than a bracket of two rungs needs.
    """
    check_whole("reduction_factor", reduction_factor, 2)
    check_whole("min_resource", min_resource, 1)
    check_whole("max_resource", max_resource, 1)
    needed = reduction_factor * min_resource
    if max_resource < needed:
        raise ValueError(
            f"max_resource must be at least reduction_factor * min_resource = {needed}, or no bracket has two "
            f"rungs, got {max_resource}"
        )
    s = 1
    while min_resource * reduction_factor ** (s + 1) <= max_resource:
        s += 1
    return s


def plan_bracket(
    s: int, *, max_resource: int, min_resource: int = 1, reduction_factor: int = 3, rounding: str = "ceil"
) -> list[Rung]:
    """Rungs of bracket `s`, the first with the most candidates, the last on `max_resource`.

    Args:
        s: number of the bracket, from 0 to `last_bracket`.
        max_resource: largest resource of a candidate.
        min_resource: smallest resource of a candidate.
        reduction_factor: factor by which the number of candidates falls from rung to rung, at least 2.
        rounding: one of `ROUNDINGS`.

    Raises:
        ValueError: on a number outside its range or an unknown rounding.
    """
    s_max = last_bracket(max_resource=max_resource, min_resource=min_resource, reduction_factor=reduction_factor)
    check_whole("bracket", s, 0, s_max, f"the bracket that starts on {min_resource} of {max_resource}")
    check_choice("rounding", rounding, ROUNDINGS)
    n = _first_rung(s, s_max, reduction_factor, rounding)
    rungs = []
    for i in range(s + 1):
        share = reduction_factor ** (s - i)
        rungs.append(Rung(n // reduction_factor**i, (2 * max_resource + share) // (2 * share)))
    return rungs


def robo_settings(n_train: int, min_rows: int) -> dict[str, Any]:
    """Return settings that make the strategy `hyperband` equal to RoBO's, which document 004 ran on subsets.

    With b = floor(log_eta(n_train / min_rows)), the smallest subset is a share eta^-(b - 1) of the rows, which is
    more than `min_rows`, and int(20 / b * 1.5) brackets are run. RoBO's `min_rows` is 10 rows per class for SVMs
    and 512 for networks.

    Args:
        n_train: number of training rows.
        min_rows: smallest number of rows of a trial.

    Raises:
        ValueError: on a number below 1, or too few rows for two rungs.
    """
    check_whole("min_rows", min_rows, 1)
    check_whole("n_train", n_train, 1)
    needed = ROBO_FACTOR**2 * min_rows
    if n_train < needed:
        raise ValueError(f"n_train must be at least reduction_factor^2 * min_rows = {needed}, got {n_train}")
    b = 2
    while min_rows * ROBO_FACTOR ** (b + 1) <= n_train:
        b += 1
    return {
        "resource": "rows",
        "min_resource": n_train // ROBO_FACTOR ** (b - 1),
        "max_resource": n_train,
        "reduction_factor": ROBO_FACTOR,
        "rounding": "robo",
        "n_brackets": 30 // b,
    }


def _first_rung(s: int, s_max: int, eta: int, rounding: str) -> int:
    power: int = eta**s
    if rounding == "robo":
        return (s_max + 1) // (s + 1) * power
    above = (s_max + 1) * power
    return -(-above // (s + 1)) if rounding == "ceil" else above // (s + 1)
