"""The six ways to search of section 2.2 of document 001, on the problem of two hyperparameters in `problem`.

A table of evaluations has at least the columns step, log10_gamma, log10_lambda and loss.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import scipy

from studies.estimates import Array
from studies.greedy_cv.problem import AXES, HIGH, LOW, N_TRAIN, Problem, evaluations, to_point, to_unit

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

# Grid search (2.2.1) and random search (2.2.2) -----------------------------------------------------------------

PER_AXIS: Final = (3, 8)
"""Values per hyperparameter: the document's three, hence nine candidates, then eight, hence 64."""


def grid_search(problem: Problem, *, per_axis: int) -> pd.DataFrame:
    """Every pair of `per_axis` values of each hyperparameter, at the centres of equal cells.

    Returns:
        Columns step, log10_gamma, log10_lambda, loss, best_so_far, n_candidates.
    """
    centres = (np.arange(per_axis) + 0.5) / per_axis
    points = to_point(np.stack(np.meshgrid(centres, centres, indexing="ij"), axis=-1).reshape(-1, 2))
    losses = [problem.loss(point) for point in points]
    return evaluations(points, losses).assign(n_candidates=per_axis**2)


def random_search(problem: Problem, rng: np.random.Generator, *, n_candidates: int) -> pd.DataFrame:
    """Uniform draws, until the budget of `n_candidates`; a smaller budget is a prefix.

    Returns:
        Columns step, log10_gamma, log10_lambda, loss, best_so_far, n_candidates.
    """
    points = to_point(rng.random((n_candidates, 2)))
    losses = [problem.loss(point) for point in points]
    return evaluations(points, losses).assign(n_candidates=n_candidates)


# Bayesian optimisation (2.2.3) ---------------------------------------------------------------------------------
#
# The surrogate is a Gaussian process (Matern 5/2, one length scale per axis, fitted by evidence) on the unit
# square, of log10 loss, since the loss spans a decade. The acquisition is expected improvement (EI) over the
# points of the surface's grid: EI = d Phi(d/s) + s phi(d/s) with d = best - mean and s the standard deviation.

N_INITIAL: Final = 10
"""Five per hyperparameter."""
BUDGET: Final = 30
TOLERANCE: Final = 0.001
"""Stop when no point promises an improvement of log10 loss above this (0.2 % of the loss)."""


def bayesian_search(problem: Problem, rng: np.random.Generator, *, budget: int = BUDGET) -> pd.DataFrame:
    """Draw `N_INITIAL` points, then refit the surrogate and evaluate where EI is highest.

    Returns:
        Columns step, log10_gamma, log10_lambda, loss, best_so_far, stage (initial or guided). Then what the
        surrogate predicted before the step, nan at initial ones: predicted (loss), predicted_low and
        predicted_high (one standard deviation each side), expected_improvement (log10 loss),
        lengthscale_gamma and lengthscale_lambda (of log10 units). Then improvement_left: the highest EI
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
        if note["expected_improvement"] < TOLERANCE:
            stop, left = "too little to gain", note["expected_improvement"]
            break
        points.append(grid[best])
        losses.append(problem.loss(grid[best]))
        notes.append({"stage": "guided", **note})
    table = pd.concat([evaluations(np.array(points), losses), pd.DataFrame(notes)], axis=1)
    table["improvement_left"] = table["expected_improvement"].shift(-1, fill_value=left)
    return table.assign(stop=[""] * (len(table) - 1) + [stop])


def surrogate_panels(problem: Problem, run: pd.DataFrame, n_steps: int) -> pd.DataFrame:
    """What the surrogate predicts after `n_steps` steps of `run`, at every point of the surface.

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
    density = sd * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    improvement: Array = np.maximum(gain * scipy.special.ndtr(z) + density, 0.0)
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
    """Grid index with the highest EI, and what the surrogate predicts there."""
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


# Evolutionary search (2.2.4): the worst give way to children of the best ---------------------------------------

POPULATION: Final = 16
N_GENERATIONS: Final = 7
"""Half of the population is new in each later generation: 16 + 6 x 8 = 64 evaluations."""
MUTATION_SD: Final = 0.1
"""Standard deviation of a mutation, as a share of each axis."""


def evolutionary_search(problem: Problem, rng: np.random.Generator) -> pd.DataFrame:
    """Rank, discard the worse half, replace it by children of the better half; repeat.

    Returns:
        One row per generation and member, best first: generation (from 1), step (at which the member was
        evaluated), log10_gamma, log10_lambda, loss, origin (random, recombination or mutation), is_new (first
        seen in this generation), discarded (at the end of this generation), best_so_far.
    """
    members = _evaluate(problem, to_point(rng.random((POPULATION, 2))), ["random"] * POPULATION, 1)
    history = []
    for generation in range(1, N_GENERATIONS + 1):
        members = members.sort_values("loss", kind="stable", ignore_index=True)
        is_last = generation == N_GENERATIONS
        rank = np.arange(POPULATION)
        discarded = (rank >= POPULATION // 2) & (not is_last)
        history.append(members.assign(generation=generation, discarded=discarded))
        if not is_last:
            parents = members[: POPULATION // 2].assign(is_new=False)
            points, origins = breed(parents[list(AXES)].to_numpy(), POPULATION - len(parents), rng)
            n_steps = int(members["step"].max())
            members = pd.concat([parents, _evaluate(problem, points, origins, n_steps + 1)])
    table = pd.concat(history, ignore_index=True)
    return table.assign(best_so_far=table["loss"].cummin())


def breed(parents: Array, n_children: int, rng: np.random.Generator) -> tuple[Array, list[str]]:
    """Children, shape (n_children, 2), and how each came about, by the toss of a coin.

    A recombined child takes the one hyperparameter from one parent and the other from another; a mutated
    child is one parent plus normal noise, kept inside the bounds.
    """
    children, origins = [], []
    for _ in range(n_children):
        first, second = parents[rng.choice(len(parents), size=2, replace=False)]
        if rng.random() < 0.5:
            children.append(np.array([first[0], second[1]]))
            origins.append("recombination")
        else:
            noise = rng.normal(0.0, MUTATION_SD, size=2)
            children.append(to_point(np.clip(to_unit(first) + noise, 0.0, 1.0)))
            origins.append("mutation")
    return np.array(children), origins


def _evaluate(problem: Problem, points: Array, origins: list[str], first_step: int) -> pd.DataFrame:
    table = pd.DataFrame(points, columns=list(AXES))
    table["loss"] = [problem.loss(point) for point in points]
    steps = np.arange(first_step, first_step + len(points))
    return table.assign(step=steps, origin=origins, is_new=True)


# Early stopping (2.2.5), as successive halving on training rows ------------------------------------------------

N_CANDIDATES: Final = 64
REDUCTION_FACTOR: Final = 2
MIN_ROWS: Final = 20


def early_stopping_search(problem: Problem, rng: np.random.Generator) -> pd.DataFrame:
    """Train every candidate on few rows, keep the best, train those on more, until one has all rows.

    Returns:
        One row per evaluation: step, rung (from 1), n_rows, candidate, log10_gamma, log10_lambda, loss,
        survives (goes on to the next rung; at the last rung, is returned).
    """
    points = to_point(rng.random((N_CANDIDATES, 2)))
    alive = np.arange(N_CANDIDATES)
    rungs: list[pd.DataFrame] = []
    n_rows = MIN_ROWS
    while True:
        rung = pd.DataFrame({"rung": len(rungs) + 1, "n_rows": n_rows, "candidate": alive})
        rung[list(AXES)] = points[alive]
        rung["loss"] = [problem.loss(points[i], n_rows) for i in alive]
        is_last = n_rows >= N_TRAIN
        n_kept = 1 if is_last else max(1, len(alive) // REDUCTION_FACTOR)
        rung["survives"] = rung["loss"].rank(method="first") <= n_kept
        rungs.append(rung)
        if is_last:
            break
        alive = rung.loc[rung["survives"], "candidate"].to_numpy()
        n_rows = min(n_rows * REDUCTION_FACTOR, N_TRAIN)
    table = pd.concat(rungs, ignore_index=True)
    table.insert(0, "step", np.arange(1, len(table) + 1))
    return table


# Hypergradient descent (2.2.6) on log10 hyperparameters --------------------------------------------------------
#
# The inner problem (alpha given the hyperparameters) is solved exactly; the outer one steps against the gradient
# of log loss by Adam (Kingma and Ba, 2015), whose steps keep their size where the surface is flat.

N_STARTS: Final = 3
N_STEPS: Final = 21
"""Per start: 3 x 21 = 63 evaluations."""
LEARNING_RATE: Final = 0.3
DECAY_MEAN, DECAY_SQUARE = 0.8, 0.9
"""Adam's two decay rates, below its usual 0.9 and 0.999 since 21 steps are few."""


def hypergradient_search(problem: Problem, rng: np.random.Generator) -> pd.DataFrame:
    """Descend from each of `N_STARTS` random points.

    Returns:
        One row per evaluation: step, start (from 1), iteration (from 0), log10_gamma, log10_lambda, loss,
        gradient_gamma and gradient_lambda (of log10 loss), best_so_far.
    """
    starts = to_point(rng.random((N_STARTS, 2)))
    paths = [descend(problem, point).assign(start=i + 1) for i, point in enumerate(starts)]
    table = pd.concat(paths, ignore_index=True)
    table.insert(0, "step", np.arange(1, len(table) + 1))
    return table.assign(best_so_far=table["loss"].cummin())


def descend(problem: Problem, point: Array) -> pd.DataFrame:
    """`N_STEPS` evaluations from `point`; columns as `hypergradient_search`, without step and start."""
    rows = []
    mean, square = np.zeros(2), np.zeros(2)
    for iteration in range(N_STEPS):
        loss, gradient = problem.loss_and_gradient(point)
        gradient = gradient / (loss * np.log(10.0))
        rows.append((iteration, *point, loss, *gradient))
        mean = DECAY_MEAN * mean + (1.0 - DECAY_MEAN) * gradient
        square = DECAY_SQUARE * square + (1.0 - DECAY_SQUARE) * gradient**2
        step = mean / (1.0 - DECAY_MEAN ** (iteration + 1))
        step /= np.sqrt(square / (1.0 - DECAY_SQUARE ** (iteration + 1))) + 1e-12
        point = np.clip(point - LEARNING_RATE * step, LOW, HIGH)
    return pd.DataFrame(rows, columns=["iteration", *AXES, "loss", "gradient_gamma", "gradient_lambda"])
