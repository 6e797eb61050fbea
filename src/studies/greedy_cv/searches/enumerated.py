"""Searches whose candidates are known beforehand: grid (2.2.1 of document 001) and random (2.2.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies.greedy_cv.searches.problem import Problem, evaluations, to_point

PER_AXIS = (3, 8)
"""Values per hyperparameter: the document's three, hence nine candidates, then eight, hence 64."""


def grid_search(problem: Problem, *, per_axis: int = PER_AXIS[-1]) -> pd.DataFrame:
    """Every pair of `per_axis` values of each hyperparameter, at the centres of equal cells.

    Returns:
        Columns step, log10_gamma, log10_lambda, loss, best_so_far, n_candidates.
    """
    centres = (np.arange(per_axis) + 0.5) / per_axis
    points = to_point(np.stack(np.meshgrid(centres, centres, indexing="ij"), axis=-1).reshape(-1, 2))
    losses = [problem.loss(point) for point in points]
    return evaluations(points, losses).assign(n_candidates=per_axis**2)


def random_search(
    problem: Problem, rng: np.random.Generator, *, n_candidates: int = PER_AXIS[-1] ** 2
) -> pd.DataFrame:
    """Uniform draws, until the budget of `n_candidates`; a smaller budget is a prefix.

    Returns:
        Columns step, log10_gamma, log10_lambda, loss, best_so_far, n_candidates.
    """
    points = to_point(rng.random((n_candidates, 2)))
    losses = [problem.loss(point) for point in points]
    return evaluations(points, losses).assign(n_candidates=n_candidates)
