"""Climb to a local maximum of a smooth function in a box."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import Bounds, minimize

from frugal.trials.surrogates.kernels import Array


def climb(
    function: Callable[[Array], tuple[float, Array]], start: Array, box: Array, max_iterations: int
) -> tuple[float, Array]:
    """Return the value and the point (p,) where L-BFGS-B ends.

    Args:
        function: point -> value and gradient.
        start: first point; it is moved into the box.
        box: lowest and highest value of each coordinate, (p, 2).
        max_iterations: largest number of iterations.
    """

    def negated(place: Array) -> tuple[float, Array]:
        value, gradient = function(place)
        return -value, -gradient

    run = minimize(
        negated,
        np.clip(start, box[:, 0], box[:, 1]),
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(box[:, 0], box[:, 1]),
        options={"maxiter": max_iterations},
    )
    return -float(run.fun), np.clip(run.x, box[:, 0], box[:, 1])
