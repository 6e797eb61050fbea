"""Task 1 of document 002: the model, what is maximised of it, and the searches for its three hyperparameters.

The page reports K = 3, beta = 4, lambda = 1 and leaves out everything else. A public code fragment that matches it
in every detail supplies the points, their split, the first eight candidates and the objective. Several public
solutions of the same exercise have lambda = 1 and beta = 4 given and only K asked for. The model:

    y = w . (1, x, ..., x^K) + e,   w ~ N(0, I / lambda),   e ~ N(0, 1 / beta)

All objectives are to be maximised. The grid that was searched is not recoverable; ours is `K_GRID`, `BETA_GRID`,
`LAMBDA_GRID`. Also left open are the number of trials (a setting, the first eight among them) and whether a
candidate may be tried again (here not: the objective has no noise).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from frugal.checks import check_choice, check_known
from frugal.seeds import seed_for
from studies.estimates import Array
from studies.records import Method

if TYPE_CHECKING:
    from frugal.trials.surrogates.protocol import Component


X: Final = np.array([-2.23, -1.30, -0.42, 0.30, 0.33, 0.52, 0.87, 1.80, 2.74, 3.62])
Y: Final = np.array([1.01, 0.69, -0.66, -1.34, -1.75, -0.98, 0.25, 1.57, 1.65, 1.51])
TRAIN: Final = [0, 2, 3, 6, 7, 9]
VALID: Final = [1, 8]
"""Places of the fragment's training and validation points; the other two are its test points."""
K_GRID: Final = (1, 2, 3, 4, 5, 6, 7, 8)
BETA_GRID: Final = (0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0)
LAMBDA_GRID: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class Point(NamedTuple):
    """A candidate: degree of the polynomial, precision of the noise, precision of the weights."""

    K: int
    beta: float
    lambda_: float


HYPERPARAMETERS: Final = ("K", "beta", "lambda")
"""Columns of a candidate in tables."""
GIVEN: Final = Point(3, 4.0, 1.0)
"""What the page reports; the exercise gives the last two."""
INITIAL: Final = tuple(
    Point(K, float(beta), float(lambda_))
    for K, beta, lambda_ in (
        (2, 1, 1), (4, 1, 1), (2, 4, 1), (3, 4, 1), (4, 4, 1), (5, 4, 1), (4, 2, 3), (5, 10, 2),
    )
)  # fmt: skip
"""The fragment's first eight candidates."""
CANDIDATES: Final = tuple(
    dict.fromkeys(
        [*INITIAL, *(Point(K, beta, lambda_) for K in K_GRID for beta in BETA_GRID for lambda_ in LAMBDA_GRID)]
    )
)
"""The initial candidates, then the rest of the grid, which holds all of them but one."""


# The model -------------------------------------------------------------------------------------------------------


def basis(x: Array, K: int) -> Array:
    """Powers 0 to K of x (n,), shape (n, K + 1)."""
    return np.vander(x, K + 1, increasing=True)


def predict(point: Point, x: Array, rows: list[int] | None = None) -> tuple[Array, Array]:
    """Mean and standard deviation of an observation at x (m,), each (m,), given `rows` of the ten; None: all."""
    from frugal.trials.surrogates.blr import BLR

    used = list(range(len(X))) if rows is None else rows
    fitted = BLR(basis(X[used], point.K), Y[used])
    mean, std = fitted.predict(basis(x, point.K), np.log(point.lambda_), np.log(point.beta))
    return mean, np.sqrt(std**2 + 1 / point.beta)


def evidence(point: Point) -> float:
    """Log density of all ten answers."""
    from frugal.trials.surrogates.blr import BLR

    return float(BLR(basis(X, point.K), Y).log_evidence(np.log(point.lambda_), np.log(point.beta)))


def validation(point: Point) -> float:
    """Sum of the log predictive densities of the validation points, given the training points."""
    return _log_density(Y[VALID], *predict(point, X[VALID], TRAIN))


def leave_one_out(point: Point) -> float:
    """Sum of the log predictive densities of each of the ten points, given the others."""
    total = 0.0
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        total += _log_density(Y[[i]], *predict(point, X[[i]], others))
    return total


def as_published(point: Point) -> float:
    """Objective of the fragment: `|y_val - mean_val| + 1 / average(var_val)`, which rewards errors."""
    mean, std = predict(point, X[VALID], TRAIN)
    return float(np.linalg.norm(Y[VALID] - mean) + 1 / np.mean(std**2))


def _log_density(y: Array, mean: Array, std: Array) -> float:
    return float((-(((y - mean) / std) ** 2) / 2 - np.log(std) - np.log(2 * np.pi) / 2).sum())


OBJECTIVES: Final[Mapping[str, Callable[[Point], float]]] = {
    "evidence": evidence,
    "validation": validation,
    "leave_one_out": leave_one_out,
    "as_published": as_published,
}


@cache
def scores(objective: str) -> Array:
    """An objective of every candidate, (n_candidates,), read-only.

    Raises:
        ValueError: on an unknown objective; the message lists the known ones.
    """
    check_known("objective", objective, OBJECTIVES)
    values = np.array([OBJECTIVES[objective](point) for point in CANDIDATES])
    values.flags.writeable = False
    return values


def score_table() -> pd.DataFrame:
    """Every objective of every candidate: experiment (task1_scores), objective, K, beta, lambda, score, data."""
    points = pd.DataFrame([*CANDIDATES], columns=list(HYPERPARAMETERS))
    parts = [points.assign(objective=name, score=scores(name)) for name in OBJECTIVES]
    table = pd.concat(parts, ignore_index=True).assign(experiment="task1_scores", data="original")
    return table[["experiment", "objective", *HYPERPARAMETERS, "score", "data"]]


# The searches ----------------------------------------------------------------------------------------------------

ALONE: Final = ("orientation", "variance", "frozen_baseline")
"""Errors of the fragment's acquisition, each of which a search may have alone."""
ALL_ERRORS: Final = "all_and_pybnn's"
METHODS: Final = (
    Method("dngo"),
    Method("dngo_as_coded", "dngo", {"error": ALL_ERRORS}),
    Method("dngo_orientation", "dngo", {"error": "orientation"}),
    Method("dngo_variance", "dngo", {"error": "variance"}),
    Method("dngo_frozen", "dngo", {"error": "frozen_baseline"}),
)
"""Corrected, as coded, and with one error of the fragment's acquisition each and nothing else of the fragment."""


def unit_cube() -> Array:
    """The candidates in the unit cube, (n_candidates, 3): K evenly, the precisions by their logarithms."""
    values = np.array(CANDIDATES)
    values[:, 1:] = np.log(values[:, 1:])
    low = np.array([K_GRID[0], np.log(BETA_GRID[0]), np.log(LAMBDA_GRID[0])])
    high = np.array([K_GRID[-1], np.log(BETA_GRID[-1]), np.log(LAMBDA_GRID[-1])])
    return np.asarray(np.clip((values - low) / (high - low), 0.0, 1.0))


def search(objective: str, method: Method, *, seed: int, n_trials: int, **settings: Any) -> pd.DataFrame:
    """Search the candidates by DNGO and expected improvement, from the fragment's eight candidates.

    The next trial is the untried candidate where the acquisition is largest.

    Args:
        objective: one of `OBJECTIVES`.
        method: one of `METHODS`.
        seed: of the surrogate.
        n_trials: those in all, at least the initial eight.
        **settings: of `DNGO`.

    Returns:
        A row per trial: objective, search (name of the method), seed, step (from 1), K, beta, lambda, score, best
        (so far), is_best (whether the score is the best of the whole search; ties give several rows).

    Raises:
        ValueError: on an unknown objective, or a number of trials out of range.
    """
    from frugal.trials.surrogates.dngo import AS_PYBNN, DNGO

    if not len(INITIAL) <= n_trials <= len(CANDIDATES):
        bounds = f"at least {len(INITIAL)} and at most {len(CANDIDATES)}, all candidates"
        raise ValueError(f"n_trials must be {bounds}, got {n_trials}")
    y, points, tried = scores(objective), unit_cube(), list(range(len(INITIAL)))
    first_best, error = float(y[: len(INITIAL)].max()), method.settings.get("error", "")
    surrogate = DNGO(
        seed=seed_for("exploration", "task1", objective, method.name, seed),
        **{"as_coded": AS_PYBNN if error == ALL_ERRORS else ()} | settings,
    )
    for _ in range(n_trials - len(INITIAL)):
        if error == ALL_ERRORS:
            surrogate.fit(points[tried], y[tried])
            mean, std = surrogate.predict(points, with_noise=True)
            acquisition = fragment_ei(mean, std, best=first_best)
        else:
            surrogate.fit(points[tried], -y[tried])
            best = first_best if error == "frozen_baseline" else float(y[tried].max())
            acquisition = marred_log_ei(surrogate.components, points, eta=-best, error=error)
        acquisition[tried] = -np.inf
        tried.append(int(acquisition.argmax()))
    table = pd.DataFrame([CANDIDATES[i] for i in tried], columns=list(HYPERPARAMETERS))
    table = table.assign(score=y[tried], best=np.maximum.accumulate(y[tried]))
    table.insert(0, "step", np.arange(1, len(tried) + 1))
    for name, value in (("seed", seed), ("search", method.name), ("objective", objective)):
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
        error: one of `ALONE`, or none; `frozen_baseline` is the caller's matter.

    Returns:
        Shape (m,).

    Raises:
        ValueError: on an unknown error.
    """
    from frugal.trials.acquisitions import log_h
    from frugal.trials.acquisitions.expected_improvement import log_mean_exp

    check_choice("error", error, ("", *ALONE))
    logs = []
    for component in components:
        mean, std = component.predict(X)
        spread = std**2 if error == "variance" else std
        z = (eta - mean) / spread
        logs.append(np.log(spread) + log_h(-z if error == "orientation" else z))
    return log_mean_exp(np.array(logs))


def fragment_ei(mean: Array, std: Array, *, best: float) -> Array:
    """The fragment's acquisition, errors and all.

        gamma = (best - mean) / var,   var (gamma Phi(gamma) + phi(gamma))

    The variance stands where the standard deviation belongs, the baseline is never updated, and what is maximised
    is the improvement of a search that minimises.

    Args:
        mean: predicted scores, (m,).
        std: their standard deviations, with the noise, (m,).
        best: the highest of the first scores.
    """
    variance = std**2
    gamma = (best - mean) / variance
    density = np.exp(-(gamma**2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray(variance * (gamma * scipy.special.ndtr(gamma) + density))
