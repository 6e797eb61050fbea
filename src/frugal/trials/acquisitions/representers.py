"""Representers: points drawn with a density that is large where improvement is expected.

Source: Hennig and Schuler (2012), "Entropy search for information-efficient global optimization", section 2.1, and
RoBO for the numbers: an ensemble of as many walkers as points (emcee), started uniformly, 50 steps, last states
kept. The density is proportional to the expected improvement. With `exp_ei`, as in RoBO, log u is the expected
improvement itself, so that the density is nearly uniform.
"""

from __future__ import annotations

from collections.abc import Callable

import emcee
import numpy as np

from frugal.checks import check_choice
from frugal.trials.acquisitions.expected_improvement import log_ei
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.protocol import Component

DENSITIES = ("log_ei", "exp_ei")
N_STEPS = 50


def log_density(component: Component, eta: float, kind: str = "log_ei") -> Callable[[Array], Array]:
    """Log of the density at points (m, d), up to a constant: (m,).

    Args:
        component: component of a surrogate of targets that are minimised.
        eta: the baseline of the improvement.
        kind: `log_ei`, or `exp_ei` as RoBO has it.

    Raises:
        ValueError: on another kind.
    """
    check_choice("representers", kind, DENSITIES)

    def log_u(X: Array) -> Array:
        value = log_ei(*component.predict(X), eta)
        return value if kind == "log_ei" else np.exp(value)

    return log_u


def draw(log_u: Callable[[Array], Array], d: int, n: int, rng: np.random.Generator) -> Array:
    """Draw points (n, d) of the unit cube with log density `log_u`, up to a constant.

    Raises:
        ValueError: if n is below 2 d, which the sampler needs.
    """
    if n < 2 * d:
        raise ValueError(f"n_representers must be at least {2 * d}, twice the dimensions, got {n}")

    def inside(points: Array) -> Array:
        value = np.full(len(points), -np.inf)
        within = ((points >= 0) & (points <= 1)).all(axis=1)
        if within.any():
            value[within] = log_u(points[within])
        return value

    sampler = emcee.EnsembleSampler(n, d, inside, vectorize=True)
    random_state = np.random.MT19937(int(rng.integers(2**32))).state
    state = emcee.State(rng.random((n, d)), random_state=random_state)
    return np.array(sampler.run_mcmc(state, N_STEPS, skip_initial_state_check=True, store=False).coords)
