"""Hypergradient descent (2.2.6 of document 001) on log10 hyperparameters.

The inner problem (alpha given the hyperparameters) is solved exactly; the outer one steps against the
gradient of log loss by Adam (Kingma and Ba, 2015), whose steps keep their size where the surface is flat.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies.greedy_cv.searches.problem import AXES, HIGH, LOW, Array, Problem, to_point

N_STARTS = 3
N_STEPS = 21
"""Per start: 3 x 21 = 63 evaluations."""
LEARNING_RATE = 0.3
DECAY_MEAN, DECAY_SQUARE = 0.8, 0.9
"""Adam's two decay rates, below its usual 0.9 and 0.999 since 21 steps are few."""


def hypergradient_search(
    problem: Problem, rng: np.random.Generator, *, n_starts: int = N_STARTS, n_steps: int = N_STEPS
) -> pd.DataFrame:
    """Descend from each of `n_starts` random points.

    Returns:
        One row per evaluation: step, start (from 1), iteration (from 0), log10_gamma, log10_lambda, loss,
        gradient_gamma and gradient_lambda (of log10 loss), best_so_far.
    """
    starts = to_point(rng.random((n_starts, 2)))
    paths = [descend(problem, point, n_steps).assign(start=i + 1) for i, point in enumerate(starts)]
    table = pd.concat(paths, ignore_index=True)
    table.insert(0, "step", np.arange(1, len(table) + 1))
    return table.assign(best_so_far=table["loss"].cummin())


def descend(problem: Problem, point: Array, n_steps: int) -> pd.DataFrame:
    """`n_steps` evaluations from `point`; columns as `hypergradient_search`, without step and start."""
    rows = []
    mean, square = np.zeros(2), np.zeros(2)
    for iteration in range(n_steps):
        loss, gradient = problem.loss_and_gradient(point)
        gradient = gradient / (loss * np.log(10.0))
        rows.append((iteration, *point, loss, *gradient))
        mean = DECAY_MEAN * mean + (1.0 - DECAY_MEAN) * gradient
        square = DECAY_SQUARE * square + (1.0 - DECAY_SQUARE) * gradient**2
        step = mean / (1.0 - DECAY_MEAN ** (iteration + 1))
        step /= np.sqrt(square / (1.0 - DECAY_SQUARE ** (iteration + 1))) + 1e-12
        point = np.clip(point - LEARNING_RATE * step, LOW, HIGH)
    return pd.DataFrame(rows, columns=["iteration", *AXES, "loss", "gradient_gamma", "gradient_lambda"])
