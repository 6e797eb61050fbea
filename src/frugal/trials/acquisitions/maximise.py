"""Maximise an acquisition: a scattered pool of points, then L-BFGS-B from the best of them.

Integers and listed values make the space a lattice in the cube, so every point is moved to the one that stands for
its candidate before it is compared; gradients see the cube.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.stats import qmc

from frugal.checks import check_whole
from frugal.trials.acquisitions.expected_improvement import LogEI
from frugal.trials.ascent import climb
from frugal.trials.surrogates.kernels import Array

N_STEPS = 50
"""Iterations of L-BFGS-B from each start."""
N_LOCAL, LOCAL_SD, N_CENTRES = 10, 0.1, 5
"""Gaussian perturbations per centre, their standard deviation, and the number of centres (the best points)."""


def sobol(d: int, n_points: int, rng: np.random.Generator) -> Array:
    """The first `n_points` of a scrambled Sobol set, (n_points, d).

    Raises:
        ValueError: if there are no points, or no dimensions.

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.acquisitions import sobol
        >>> points = sobol(2, 8, np.random.default_rng(0))
        >>> points.shape, int((points[:, 0] < 0.5).sum())
        ((8, 2), 4)
    """
    check_whole("d", d, 1)
    check_whole("n_points", n_points, 1)
    return np.asarray(qmc.Sobol(d, rng=rng).random_base2(math.ceil(math.log2(n_points)))[:n_points])


def perturbed(best: Array, rng: np.random.Generator) -> Array:
    """Gaussian perturbations of the first rows of `best` (k, d), clipped to the cube.

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.acquisitions import perturbed
        >>> perturbed(np.array([[0.2, 0.7], [0.4, 0.5]]), np.random.default_rng(0)).shape  # ten of each
        (20, 2)
    """
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
    """The pool with the ends of `n_starts` refinements, and the acquisition there: (k, d) and (k,).

    Args:
        acquisition: what is maximised.
        pool: points of the cube, (m, d).
        snap: moves points to those of the nearest candidates, (n, d) to (n, d).
        n_starts: refinements, started from the best points of the pool; at least 0.

    Raises:
        ValueError: on another `n_starts`.

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.acquisitions import LogEI, maximise, sobol
        >>> from frugal.trials.surrogates import GP
        >>> gp = GP(lengthscale=0.3, noise_variance=0.0).fit([[0.0], [1.0]], [0.2, 0.4])
        >>> pool = sobol(1, 16, np.random.default_rng(0))
        >>> points, values = maximise(LogEI(gp.components, [0.2]), pool, snap=lambda X: X, n_starts=1)
        >>> points.shape, points[values.argmax()].round(2).tolist()
        ((17, 1), [0.45])
    """
    check_whole("n_starts", n_starts, 0)
    values = acquisition(pool)
    if not n_starts:
        return pool, values
    ends = snap(refined(acquisition, pool, values, n_starts))
    return np.vstack([pool, ends]), np.concatenate([values, acquisition(ends)])
