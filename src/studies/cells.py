"""Estimates of claims on every cell of a table, or on some: each cell has a test of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from studies.estimates import (
    CONTRADICTED,
    MOST_SEEDS,
    REPRODUCED,
    ROUNDING,
    UNDECIDED,
    Estimate,
    in_words,
    mean,
    of_logarithms,
    of_splits,
    seeds_needed,
    unbounded,
    varies,
)
from studies.regions import Region


def every(
    cells: ArrayLike,
    region: Region,
    *,
    is_log: bool = False,
    noun: str = "cells",
    names: Sequence[str] = (),
    open_below: ArrayLike = False,
    open_above: ArrayLike = False,
    splits: tuple[int, float] | None = None,
) -> Estimate:
    """A quantity that must lie in the region in every cell.

    Each cell has its own one-sided t-test at 2.5 % (of either edge, where there are two). Reproduced: every cell
    passes (all must, so there is nothing to correct for). Contradicted: a cell lies outside, significantly after
    Holm's correction. Else undecided. Cells in which nothing varies are left out and counted. While one of them
    lies beyond the edge, or on one that lies outside itself, the claim is not reproduced; nor while one may lie
    beyond it, since it is open on that side, or a cell has less than two values.

    Args:
        cells: values, shape (n_cells, n_seeds), logarithms where `is_log`; nan where a seed has none.
        region: in natural units.
        is_log: whether `cells` are logarithms of ratios.
        noun: what the cells are, in the plural.
        names: of the cells, in their order; the remark then names the one that is shown.
        open_below: whether some values of a cell may be lower than they count as, one or (n_cells,); see
            `unbounded`. Such a cell does not pass a lower edge, nor is it against an upper one.
        open_above: the same of higher.
        splits: if the values are of splits of one sample, their number and the share of the sample that is tested,
            as in `of_splits`.

    Returns:
        The mean and 95 % interval of the worst cell: among the cells that disagree, if any do; else among the open
        ones, if there are any; else among all. nan if nothing varies in any cell. The remark has the counts.
    """
    edges = _edges(region, is_log=is_log)
    estimates = _cell_estimates(cells, open_below, open_above)
    if splits is not None:
        estimates = [of_splits(cell, *splits) for cell in estimates]
    varied = [i for i, cell in enumerate(estimates) if varies(cell)]
    if not varied:
        return _flat(estimates, noun)
    constant = [cell for cell in estimates if cell.n_seeds >= 2 and not varies(cell)]
    n_lacking = len(estimates) - len(varied) - len(constant)
    least = ROUNDING if region.is_open else -ROUNDING
    n_beyond = sum(_depth(cell, *edges) < least or _is_open(cell, *edges) for cell in constant)
    passing = [i for i in varied if _is_inside(estimates[i], *edges)]
    by_p = sorted(varied, key=lambda i: _p_outside(estimates[i], *edges))
    p_against = np.array([_p_outside(estimates[i], *edges) for i in by_p])
    steps = len(varied) - np.arange(len(varied))
    # Holm: the cells before the first that is not significant.
    n_against = int(np.argmin([*(p_against * steps < 0.025), False]))
    not_passing = [i for i in varied if i not in passing]
    is_left_open = bool(not_passing or n_beyond or n_lacking)
    verdict = CONTRADICTED if n_against else UNDECIDED if is_left_open else REPRODUCED
    # One cell outside decides the claim; else all have to pass.
    outside = [
        _seeds_of_cell(estimates[i], *edges, n_tests=len(varied))
        for i in not_passing
        if _depth(estimates[i], *edges) < 0
    ]
    needed = 0  # no number of seeds moves a cell without spread that lies beyond the edge
    if outside:
        needed = min(outside)
    elif not n_beyond and not n_lacking:
        needed = max((_seeds_of_cell(estimates[i], *edges) for i in not_passing), default=0)
    shown = min(by_p[:n_against] or not_passing or varied, key=lambda i: _depth(estimates[i], *edges))
    n_open = len(not_passing) - n_against
    remark = f"{noun}: agree {len(passing)}, open {n_open}, disagree {n_against}"
    remark += f"; left out, since nothing varies: {len(constant)}" if constant else ""
    remark += f", of these not inside: {n_beyond}" if n_beyond else ""
    remark += f"; with less than two values: {n_lacking}" if n_lacking else ""
    remark += f"; shown: {names[shown]}" if names else ""
    found = of_logarithms(estimates[shown]) if is_log else estimates[shown]
    in_seeds = in_words(needed if splits is None else MOST_SEEDS + 1) if verdict == UNDECIDED and needed else ""
    return replace(found, verdict=verdict, seeds_to_decide=in_seeds, remark=remark)


def some(
    cells: ArrayLike,
    region: Region,
    *,
    is_log: bool = False,
    noun: str = "cells",
    names: Sequence[str] = (),
    open_below: ArrayLike = False,
    open_above: ArrayLike = False,
) -> Estimate:
    """A quantity that must lie in the region in some cell ("sometimes", "can").

    Reproduced: one cell does, significantly after Holm's correction. Else undecided, and never contradicted: other
    cells may bear it out. Arguments and result as of `every`; the best cell is shown.

    Raises:
        ValueError: if the region has two edges.
    """
    if not math.isinf(region.low) and not math.isinf(region.high):
        raise ValueError(f"a claim on some cell needs a region with one edge, got {region}")
    low, high = _edges(region, is_log=is_log)
    estimates = _cell_estimates(cells, open_below, open_above)
    varied = [i for i, cell in enumerate(estimates) if varies(cell)]
    if not varied:
        return _flat(estimates, noun)
    # To lie inside is to lie outside of the region on the other side of the edge.
    other = (high, math.inf) if math.isinf(low) else (-math.inf, low)
    p_for = {i: _p_outside(estimates[i], *other) for i in varied}
    is_sure = {i: p * len(varied) < 0.025 for i, p in p_for.items()}
    best = max(varied, key=lambda i: (is_sure[i], _depth(estimates[i], low, high) / _error(estimates[i])))
    verdict, needed = UNDECIDED, ""
    if is_sure[best]:
        verdict = REPRODUCED
    elif ahead := [estimates[i] for i in varied if _depth(estimates[i], low, high) > 0]:
        needed = in_words(min(_seeds_of_cell(cell, low, high, n_tests=len(varied)) for cell in ahead))
    found = of_logarithms(estimates[best]) if is_log else estimates[best]
    remark = f"{noun}: {len(varied)}; shown: the clearest" + (f", {names[best]}" if names else "")
    if verdict == UNDECIDED and not needed:
        remark += "; others may bear it out"
    return replace(found, verdict=verdict, seeds_to_decide=needed, remark=remark)


def _flat(estimates: Sequence[Estimate], noun: str) -> Estimate:
    """No estimate, since nothing varies in any cell; without a remark where there are no values at all."""
    has_values = any(not math.isnan(cell.ours) for cell in estimates)
    remark = f"{noun}: {len(estimates)}; nothing varies in any" if has_values else ""
    return Estimate(math.nan, math.nan, math.nan, remark=remark)


def _edges(region: Region, *, is_log: bool) -> tuple[float, float]:
    """The region's ends, of logarithms where cells are."""
    if not is_log:
        return region.low, region.high
    low = math.log(region.low) if math.isfinite(region.low) else region.low
    return low, math.log(region.high) if math.isfinite(region.high) else region.high


def _cell_estimates(cells: ArrayLike, open_below: ArrayLike, open_above: ArrayLike) -> list[Estimate]:
    rows = np.atleast_2d(np.asarray(cells, dtype=float))
    below, above = (np.broadcast_to(np.asarray(ends, dtype=bool), len(rows)) for ends in (open_below, open_above))
    return [
        unbounded(
            mean(np.where(np.isinf(row), np.nan, row)),  # of a ratio that is 0 or infinite
            below=bool(is_below or np.isneginf(row).any()),
            above=bool(is_above or np.isposinf(row).any()),
        )
        for row, is_below, is_above in zip(rows, below, above, strict=True)
    ]


def _is_inside(cell: Estimate, low: float, high: float) -> bool:
    return (math.isinf(low) or cell.low > low) and (math.isinf(high) or cell.high < high)


def _is_open(cell: Estimate, low: float, high: float) -> bool:
    """Whether the cell may lie beyond an edge for all that is known of it."""
    return (math.isfinite(low) and cell.low == -math.inf) or (math.isfinite(high) and cell.high == math.inf)


def _is_outside(cell: Estimate, low: float, high: float) -> bool:
    return cell.high < low or cell.low > high


def _p_outside(cell: Estimate, low: float, high: float) -> float:
    """One-sided p of Student's t-tests that a mean lies below `low` or above `high`, the smaller one."""
    p_values = [1.0]
    if math.isfinite(low) and math.isfinite(cell.high):
        p_values.append(float(scipy.special.stdtr(cell.n_seeds - 1, (cell.ours - low) / _error(cell))))
    if math.isfinite(high) and math.isfinite(cell.low):
        p_values.append(float(scipy.special.stdtr(cell.n_seeds - 1, (high - cell.ours) / _error(cell))))
    return min(p_values)


def _error(cell: Estimate) -> float:
    """Standard error."""
    return cell.sd / math.sqrt(cell.n_seeds)


def _depth(cell: Estimate, low: float, high: float) -> float:
    """By how much a mean lies inside, below 0 if it does not."""
    return min(cell.ours - low, high - cell.ours)


def _seeds_of_cell(cell: Estimate, low: float, high: float, n_tests: int = 1) -> int:
    """Seeds after which a cell is decided, more than `MOST_SEEDS` if no number of them decides it."""
    shrunk = replace(
        cell,
        low=cell.low if math.isinf(cell.low) else cell.ours,
        high=cell.high if math.isinf(cell.high) else cell.ours,
    )
    if not (_is_inside(shrunk, low, high) or _is_outside(shrunk, low, high)):
        return MOST_SEEDS + 1
    return seeds_needed(cell.sd, abs(_depth(cell, low, high)), n_tests)
