"""Pilots: small weighted fits that say with which probability every row is drawn.

Source: document 003 (Damke 2018), section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from frugal.rows.sampling import Draw, draw
from frugal.rows.weighted_logistic import FitError, Floats, LogisticFit, fit_weighted


@dataclass(frozen=True)
class Pilot:
    """Outcome of a pilot.

    Attributes:
        draw: the last draw.
        fit: fit to that draw; None: it failed.
        errors: errors of the fits that failed.
        n_drawn: number of rows in all its draws.
    """

    draw: Draw
    fit: LogisticFit | None
    errors: tuple[FitError, ...]
    n_drawn: int


def fit_pilot(X: Floats, y: Floats, method: str, size: int, rng: Generator) -> Pilot:
    """The fit to `size` rows, each weighted by 1 / its probability; to twice as many if that fails.

    Args:
        X: rows, (n, d).
        y: labels, 0 or 1, (n,).
        method: by which the pilot's own rows are drawn, of `sampling.WITHOUT_PILOT`.
        size: rows of the first draw.
        rng: generator of the draws.
    """
    errors: list[FitError] = []
    for n_rows in (size, 2 * size):
        drawn, fit = draw(X, y, method, n_rows, rng), None
        try:
            fit = fit_weighted(
                X[drawn.rows],
                y[drawn.rows],
                weights=1.0 / drawn.probabilities,
                offsets=np.zeros(n_rows),
                start=np.zeros(X.shape[1]),
                sample=f"the pilot of {n_rows} rows",
            )
            break
        except FitError as error:
            errors.append(error)
    return Pilot(drawn, fit, tuple(errors), size * (1 + 2 * bool(errors)))
