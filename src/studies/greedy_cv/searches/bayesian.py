"""Bayesian optimisation (2.2.3 of document 001): a surrogate, and an acquisition function to be maximised.

The surrogate is a Gaussian process (Matern 5/2, one length scale per axis, fitted by evidence) on the unit
square, of log10 loss, since the loss spans a decade. The acquisition is expected improvement (EI) over the
points of the surface's grid: EI = d Phi(d/s) + s phi(d/s) with d = best - mean and s the standard deviation.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from studies.greedy_cv.searches.problem import AXES, Array, Problem, evaluations, to_point, to_unit

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

N_INITIAL = 10
"""Five per hyperparameter."""
BUDGET = 30
TOLERANCE = 0.001
"""Stop when no point promises an improvement of log10 loss above this (0.2 % of the loss)."""


def bayesian_search(
    problem: Problem, rng: np.random.Generator, *, budget: int = BUDGET, tolerance: float = TOLERANCE
) -> pd.DataFrame:
    """Draw `N_INITIAL` points, then refit the surrogate and evaluate where EI is highest.

    Returns:
        Columns step, log10_gamma, log10_lambda, loss, best_so_far, stage (initial or guided), then what the
        surrogate said before the step, nan at initial ones: predicted (loss), predicted_low and
        predicted_high (one standard deviation each side), expected_improvement (log10 loss),
        lengthscale_gamma and lengthscale_lambda (of log10 units); then improvement_left: the highest EI
        after the step, nan where no surrogate was fitted; and stop: why the search stopped, at the last step.
    """
    grid = _grid(problem)
    points = list(to_point(rng.random((N_INITIAL, 2))))
    losses = [problem.loss(point) for point in points]
    notes: list[dict[str, object]] = [{"stage": "initial"}] * N_INITIAL
    stop, left = "budget spent", np.nan
    while len(losses) < budget:
        surrogate = fit_surrogate(np.array(points), losses)
        best, note = _propose(surrogate, grid, min(losses))
        if note["expected_improvement"] < tolerance:
            stop, left = "too little to gain", note["expected_improvement"]
            break
        points.append(grid[best])
        losses.append(problem.loss(grid[best]))
        notes.append({"stage": "guided", **note})
    table = pd.concat([evaluations(np.array(points), losses), pd.DataFrame(notes)], axis=1)
    table["improvement_left"] = table["expected_improvement"].shift(-1, fill_value=left)
    return table.assign(stop=[""] * (len(table) - 1) + [stop])


def surrogate_panels(problem: Problem, run: pd.DataFrame, n_steps: int) -> pd.DataFrame:
    """What the search believed after `n_steps` steps of `run`, at every point of the surface.

    Returns:
        Columns log10_gamma, log10_lambda, loss (the true one), surrogate_loss, surrogate_sd (of log10
        loss), expected_improvement.
    """
    seen = run[run["step"] <= n_steps]
    surrogate = fit_surrogate(seen[list(AXES)].to_numpy(), list(seen["loss"]))
    mean, sd = surrogate.predict(to_unit(_grid(problem)), return_std=True)
    panels = problem.surface.assign(surrogate_loss=10.0**mean, surrogate_sd=sd)
    return panels.assign(expected_improvement=expected_improvement(mean, sd, np.log10(seen["loss"].min())))


def expected_improvement(mean: Array, sd: Array, best: float) -> Array:
    """How much lower than `best` each point is expected to be; zero where `sd` is."""
    gain = best - mean
    z = gain / np.maximum(sd, 1e-12)
    improvement: Array = np.maximum(gain * ndtr(z) + sd * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi), 0.0)
    return improvement


def fit_surrogate(points: Array, losses: list[float]) -> GaussianProcessRegressor:
    """Gaussian process of log10 loss over the unit square."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern

    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * Matern([0.3, 0.3], (0.05, 5.0), nu=2.5)
    surrogate = GaussianProcessRegressor(kernel, alpha=1e-6, normalize_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a length scale may end at its bound
        return surrogate.fit(to_unit(points), np.log10(losses))


def _propose(surrogate: GaussianProcessRegressor, grid: Array, best: float) -> tuple[int, dict[str, Any]]:
    """Grid index with the highest EI, and what the surrogate says of it."""
    mean, sd = surrogate.predict(to_unit(grid), return_std=True)
    improvement = expected_improvement(mean, sd, float(np.log10(best)))
    i = int(improvement.argmax())
    lengthscales = to_point(surrogate.kernel_.k2.length_scale) - to_point(np.zeros(2))
    return i, {
        "predicted": 10.0 ** mean[i],
        "predicted_low": 10.0 ** (mean[i] - sd[i]),
        "predicted_high": 10.0 ** (mean[i] + sd[i]),
        "expected_improvement": improvement[i],
        "lengthscale_gamma": lengthscales[0],
        "lengthscale_lambda": lengthscales[1],
    }


def _grid(problem: Problem) -> Array:
    return problem.surface[list(AXES)].to_numpy()
