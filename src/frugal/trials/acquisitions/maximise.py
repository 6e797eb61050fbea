"""Maximise an acquisition: a scattered pool of points, then L-BFGS-B from the best of them.

Integers and listed values make the space a lattice in the cube, so every point is moved to the one that stands for
its candidate before it is compared; gradients see the cube.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.stats import qmc

from frugal.trials.acquisitions.expected_improvement import LogEI
from frugal.trials.ascent import climb
from frugal.trials.surrogates.kernels import Array

N_STEPS = 50
"""Iterations of L-BFGS-B from each start."""
N_LOCAL, LOCAL_SD, N_CENTRES = 10, 0.1, 5
"""Gaussian perturbations per centre, their standard deviation, and the number of centres (the best points)."""


def sobol(d: int, n_points: int, rng: np.random.Generator) -> Array:
    """The first `n_points` of a scrambled Sobol set, (n_points, d)."""
    return np.asarray(qmc.Sobol(d, rng=rng).random_base2(math.ceil(math.log2(n_points)))[:n_points])


def perturbed(best: Array, rng: np.random.Generator) -> Array:
    """Gaussian perturbations of the first rows of `best` (k, d), clipped to the cube."""
    centres = np.repeat(best[:N_CENTRES], N_LOCAL, axis=0)
    return np.clip(centres + LOCAL_SD * rng.standard_normal(centres.shape), 0.0, 1.0)


def refined(acquisition: LogEI, X: Array, values: Array, n_starts: int) -> Array:
    """Ends of L-BFGS-B, (n_starts, d), started from the best of X (m, d) by their values (m,)."""
    order = np.argsort(-values, kind="stable")[:n_starts]
    cube = np.tile([0.0, 1.0], (X.shape[1], 1))
    return np.array([climb(acquisition.with_gradient, X[i], cube, N_STEPS)[1] for i in order])


def maximise(
    acquisition: LogEI, pool: Array, *, snap: Callable[[Array], Array], n_starts: int
) -> tuple[Array, Array]:
    """The pool with the ends of `n_starts` refinements, and the acquisition there: (k, d) and (k,)."""
    values = acquisition(pool)
    if not n_starts:
        return pool, values
    ends = snap(refined(acquisition, pool, values, n_starts))
    return np.vstack([pool, ends]), np.concatenate([values, acquisition(ends)])
