"""Early stopping (2.2.5 of document 001), as successive halving on training rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies.greedy_cv.searches.problem import AXES, N_TRAIN, Problem, to_point

N_CANDIDATES = 64
REDUCTION_FACTOR = 2
MIN_ROWS = 20


def early_stopping_search(
    problem: Problem,
    rng: np.random.Generator,
    *,
    n_candidates: int = N_CANDIDATES,
    min_rows: int = MIN_ROWS,
    reduction_factor: int = REDUCTION_FACTOR,
) -> pd.DataFrame:
    """Train every candidate on few rows, keep the best, train those on more, until one has all rows.

    Returns:
        One row per evaluation: step, rung (from 1), n_rows, candidate, log10_gamma, log10_lambda, loss,
        survives (goes on to the next rung; at the last rung, is returned).
    """
    points = to_point(rng.random((n_candidates, 2)))
    alive = np.arange(n_candidates)
    rungs: list[pd.DataFrame] = []
    n_rows = min_rows
    while True:
        rung = pd.DataFrame({"rung": len(rungs) + 1, "n_rows": n_rows, "candidate": alive})
        rung[list(AXES)] = points[alive]
        rung["loss"] = [problem.loss(points[i], n_rows) for i in alive]
        is_last = n_rows >= N_TRAIN
        n_kept = 1 if is_last else max(1, len(alive) // reduction_factor)
        rung["survives"] = rung["loss"].rank(method="first") <= n_kept
        rungs.append(rung)
        if is_last:
            break
        alive = rung.loc[rung["survives"], "candidate"].to_numpy()
        n_rows = min(n_rows * reduction_factor, N_TRAIN)
    table = pd.concat(rungs, ignore_index=True)
    table.insert(0, "step", np.arange(1, len(table) + 1))
    return table
