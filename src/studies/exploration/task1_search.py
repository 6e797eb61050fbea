"""Document 002's search of task 1: DNGO and expected improvement over listed candidates, as coded and corrected.

All start from the fragment's eight candidates, then try the untried candidate where the acquisition is largest.

- `dngo`: our surrogate and the mean of its draws' expected improvements over the best score so far.
- `dngo_as_coded`: pybnn's errors in the surrogate, and the fragment's acquisition

      gamma = (best - mean) / var,   var (gamma Phi(gamma) + phi(gamma)),   var with the noise,

  with `best` the highest of the eight first scores, never updated: the variance stands where the standard
  deviation belongs, and what is maximised is the improvement of a search that minimises.
- `dngo_orientation`, `dngo_variance`, `dngo_frozen`: `dngo` with one of these three errors each and nothing else
  of the fragment (`ALONE`).

Left open: the grid (`task1`), the number of trials (here 28, the first eight among them), and whether a candidate
may be tried again (here not: the objective has no noise).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from frugal.checks import check_choice, check_known
from frugal.seeds import seed_for
from frugal.trials.acquisitions import log_h
from frugal.trials.acquisitions.expected_improvement import log_mean_exp
from frugal.trials.surrogates.dngo import AS_PYBNN, DNGO
from frugal.trials.surrogates.protocol import Component
from studies.exploration.task1 import (
    BETA_GRID,
    CANDIDATES,
    INITIAL,
    K_GRID,
    LAMBDA_GRID,
    OBJECTIVES,
    scores,
)

Array = NDArray[np.float64]

ALONE: Final = {
    "dngo_orientation": "orientation",
    "dngo_variance": "variance",
    "dngo_frozen": "frozen_baseline",
}
"""Search with one error of the fragment's acquisition -> that error."""
SEARCHES: Final = ("dngo", "dngo_as_coded", *ALONE)
N_TRIALS: Final = 28
"""The initial ones included."""


def unit_cube() -> Array:
    """The candidates in the unit cube, (n_candidates, 3): K evenly, the precisions by their logarithms."""
    values = np.array(CANDIDATES)
    values[:, 1:] = np.log(values[:, 1:])
    low = np.array([K_GRID[0], np.log(BETA_GRID[0]), np.log(LAMBDA_GRID[0])])
    high = np.array([K_GRID[-1], np.log(BETA_GRID[-1]), np.log(LAMBDA_GRID[-1])])
    return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0))


def search(objective: str, how: str, *, seed: int, n_trials: int = N_TRIALS, **settings: Any) -> pd.DataFrame:
    """One search, a row per trial.

    Args:
        objective: one of `task1.OBJECTIVES`.
        how: one of `SEARCHES`.
        seed: of the surrogate.
        n_trials: those in all, at least the initial eight.
        **settings: of `DNGO`.

    Returns:
        objective, search, seed, step (from 1), K, beta, lambda, score, best (so far), is_best (the first of it).

    Raises:
        ValueError: on an unknown objective or search, or a number of steps out of range.
    """
    check_known("search", how, SEARCHES)
    if not len(INITIAL) <= n_trials <= len(CANDIDATES):
        bounds = f"at least {len(INITIAL)} and at most {len(CANDIDATES)}, all candidates"
        raise ValueError(f"n_trials must be {bounds}, got {n_trials}")
    y, points, tried = scores(objective), unit_cube(), list(range(len(INITIAL)))
    as_coded = AS_PYBNN if how == "dngo_as_coded" else ()
    surrogate = DNGO(
        seed=seed_for("exploration", "task1", objective, how, seed), **{"as_coded": as_coded} | settings
    )
    for _ in range(n_trials - len(INITIAL)):
        first_best = float(y[: len(INITIAL)].max())
        if how == "dngo_as_coded":
            surrogate.fit(points[tried], y[tried])
            mean, std = surrogate.predict(points, with_noise=True)
            acquisition = fragment_ei(mean, std, best=first_best)
        else:
            surrogate.fit(points[tried], -y[tried])
            error = ALONE.get(how, "")
            best = first_best if error == "frozen_baseline" else float(y[tried].max())
            acquisition = marred_log_ei(surrogate.components, points, eta=-best, error=error)
        acquisition[tried] = -np.inf
        tried.append(int(acquisition.argmax()))
    table = pd.DataFrame([CANDIDATES[i] for i in tried]).rename(columns={"lambda_": "lambda"})
    table = table.assign(score=y[tried], best=np.maximum.accumulate(y[tried]))
    table.insert(0, "step", np.arange(1, len(tried) + 1))
    for name, value in (("seed", seed), ("search", how), ("objective", objective)):
        table.insert(0, name, value)
    return table.assign(is_best=table["score"] == table["best"].iloc[-1])


def marred_log_ei(components: Sequence[Component], X: Array, *, eta: float, error: str = "") -> Array:
    """Log of the mean of the draws' expected improvements below `eta`, with an error of the fragment's or none.

    With z = (eta - mean) / s and h(z) = phi(z) + z Phi(z), it is s h(z). `orientation` has -z for z, an
    improvement of a search in the other direction; `variance` has s^2 for s in both places.

    Args:
        components: of a surrogate of what is minimised.
        X: points of the unit cube, (m, d).
        eta: the baseline.
        error: one of `ALONE`'s, or none; `frozen_baseline` is the caller's matter.

    Returns:
        Shape (m,).

    Raises:
        ValueError: on an unknown error.
    """
    check_choice("error", error, ("", *ALONE.values()))
    logs = []
    for component in components:
        mean, std = component.predict(X)
        spread = std**2 if error == "variance" else std
        z = (eta - mean) / spread
        logs.append(np.log(spread) + log_h(-z if error == "orientation" else z))
    return log_mean_exp(np.array(logs))


def fragment_ei(mean: Array, std: Array, *, best: float) -> Array:
    """The fragment's acquisition, errors and all.

    Args:
        mean: predicted scores, (m,).
        std: their standard deviations, with the noise, (m,).
        best: the highest of the first scores.
    """
    variance = std**2
    gamma = (best - mean) / variance
    return np.asarray(variance * (gamma * ndtr(gamma) + np.exp(-(gamma**2) / 2) / np.sqrt(2 * np.pi)))


def run_task1(
    seeds: Iterable[int], *, n_trials: int = N_TRIALS, searches: Iterable[str] = SEARCHES, **settings: Any
) -> pd.DataFrame:
    """The searches that the table shows, rows of `search` with data `original`.

    Args:
        seeds: of the surrogates; each search is run once per seed.
        n_trials: those of each search.
        searches: of `SEARCHES`; `dngo` is run on every objective, the others on the fragment's own.
        **settings: of `DNGO`.
    """
    listed = [(o, how) for how in searches for o in (OBJECTIVES if how == "dngo" else ("as_published",))]
    parts = [
        search(objective, how, seed=seed, n_trials=n_trials, **settings)
        for seed in seeds
        for objective, how in listed
    ]
    return pd.concat(parts, ignore_index=True).assign(data="original")
