"""What a bootstrap has found after every subsample or resample, and what it has spent by then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from frugal.rows import Bag
from studies.big_data.bootstrap.design import Floats, timed_widths

_MOST = 60
"""Rows of a path: all steps up to so many, else as many, evenly spread on a log scale."""


def steps(total: int) -> list[int]:
    """Which of `total` steps are kept, counted from 1, the last one always."""
    if total <= _MOST:
        return list(range(1, total + 1))
    return sorted({*np.geomspace(1, total, _MOST).round().astype(int).tolist(), total})


def by_subsample(bag: Bag, began: float) -> pd.DataFrame:
    """A bag of little bootstraps after each subsample: the mean of the widths of those that are finished.

    Args:
        bag: of `design.timed_fit` and `design.timed_widths`.
        began: moment at which it was begun, seconds.

    Returns:
        n_finished (subsamples), seconds, rows_touched (distinct rows per fit, summed over all fits so far),
        rows_held (rows of a subsample: all that its resamples need), fraction_distinct (distinct rows per fit
        over n, mean so far), largest_share (of a resample's distinct rows in `bag.b`, largest so far), n_failed
        fits, coef_error (of the averaged coefficients, mean distance to their true value, 1), and widths.
    """
    kept = np.array(steps(bag.s))
    counts = kept[:, None]
    widths = np.cumsum(np.nan_to_num(bag.statistics), axis=0)[kept - 1]
    widths /= np.cumsum(np.isfinite(bag.statistics), axis=0)[kept - 1]
    coefs = np.cumsum(bag.coefs[:, :-1], axis=0)[kept - 1] / counts
    return _table(bag, began, kept, kept * bag.estimates.shape[1], np.full(len(kept), bag.b), coefs, widths)


def by_resample(bag: Bag, began: float, factor: float = 1.0) -> pd.DataFrame:
    """A bootstrap after each resample: the widths of the intervals of all fits so far, 0 after the first.

    Args:
        bag: as for `by_subsample`, of one subsample.
        began: moment at which it was begun, seconds.
        factor: by which widths are multiplied, `sqrt(b / n)` for b out of n.

    Returns:
        The columns of `by_subsample`, n_finished counting resamples; rows_held is the most that a resample had.
    """
    kept = np.array(steps(bag.n_fits))
    done = [bag.estimates[0, :k][np.isfinite(bag.estimates[0, :k, 0])] for k in kept]
    d = bag.estimates.shape[2] - 1
    widths = np.array([factor * timed_widths(part) if len(part) else np.full(d, np.nan) for part in done])
    coefs = np.array([part[:, :-1].mean(axis=0) if len(part) else np.full(d, np.nan) for part in done])
    return _table(bag, began, kept, kept, np.maximum.accumulate(bag.rows[0])[kept - 1], coefs, widths)


def _table(
    bag: Bag, began: float, kept: Any, fits: Any, rows_held: Any, coefs: Floats, widths: Floats
) -> pd.DataFrame:
    """Rows of a path: after `kept` steps, which are `fits` fits."""
    ends, rows = bag.estimates[..., -1].ravel(), bag.rows.ravel()
    facts = {
        "n_finished": kept,
        "seconds": np.fmax.accumulate(ends)[fits - 1] - began,
        "rows_touched": np.cumsum(rows)[fits - 1],
        "rows_held": rows_held,
        "fraction_distinct": np.cumsum(rows)[fits - 1] / fits / bag.n,
        "largest_share": np.maximum.accumulate(rows)[fits - 1] / bag.b,
        "n_failed": np.cumsum(~np.isfinite(ends))[fits - 1],
        "coef_error": np.abs(coefs - 1.0).mean(axis=1),
    }
    return pd.DataFrame(facts | {f"width_{j}": width for j, width in enumerate(widths.T)})
