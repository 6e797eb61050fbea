"""The two hyperparameters of Bayesian linear regression: found by maximising, or drawn by MCMC.

Both work on `log p(y | alpha, s2) + log prior` over theta = (log alpha, log s2), with s2 = 1 / beta, in the box
[-10, 10]^2. The prior is the one that pybnn (the code that document 002 builds on) draws its walkers from:
`log alpha ~ N(0, 1)`, `log s2 ~ N(-3, 1)`.

pybnn's errors are left out. For comparisons, the setting `as_coded` of `dngo` puts each back by its name.
Differs from pybnn: the walkers start afresh for every fit, so that a fit depends on its data and seed alone; and
without MCMC the maximum is found by L-BFGS-B with the exact gradient, from the best point of a grid.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import optimize

from frugal.extras import explained
from frugal.trials.surrogates.blr import BLR
from frugal.trials.surrogates.kernels import Array

BOX: Final = 10.0
"""Both logarithms lie in [-BOX, BOX]."""
PRIOR_MEANS: Final = np.array([0.0, -3.0])
"""Of log alpha and log s2, each with standard deviation 1."""
ERRORS: Final[Mapping[str, str]] = {
    "unsquared_norm": "the evidence has |y - P m| in the place of its square",
    "det_offset": "the evidence has log(det A + 1e-10), det A in floating point, in the place of log det A",
    "no_prior": "the prior is only used to start the walkers, not added to the evidence (class DNGO)",
    "pdf_prior": "the density of N(0, 1) is added for both, in the place of the prior's logarithm (class "
    "BayesianLinearRegression)",
    "variance_as_precision": "the learnt noise variance is used as beta (class BayesianLinearRegression)",
}
"""Errors of pybnn that can be reproduced, by name."""


@dataclass(frozen=True)
class LogPosterior:
    """Log posterior of theta, up to a constant. `errors` reproduces some of `ERRORS`."""

    regression: BLR
    errors: frozenset[str] = frozenset()

    def __call__(self, theta: Array) -> Array:
        """At theta (S, 2), shape (S,); -inf outside the box."""
        inside = (np.abs(theta) <= BOX).all(axis=-1)
        values = np.full(theta.shape[:-1], -np.inf)
        values[inside] = self._evidence(theta[inside]) + self._log_prior(theta[inside])
        return np.asarray(np.where(np.isnan(values), -np.inf, values), dtype=float)

    def gradient(self, theta: Array) -> Array:
        """At theta (2,), shape (2,); of the posterior without errors only."""
        by_alpha, by_beta = self.regression.evidence_gradient(theta[0], -theta[1])
        return np.asarray(np.array([by_alpha, -by_beta]) - (theta - PRIOR_MEANS))

    def _evidence(self, theta: Array) -> Array:
        log_alpha, log_beta = theta[:, 0], -theta[:, 1]
        values = self.regression.log_evidence(log_alpha, log_beta)
        if "unsquared_norm" in self.errors:
            squares = self.regression.squared_residuals(log_alpha, log_beta)
            values = values + np.exp(log_beta) / 2 * (squares - np.sqrt(squares))
        if "det_offset" in self.errors:
            right = self.regression.log_det(log_alpha, log_beta)
            wrong = np.where(right > math.log(np.finfo(float).max), np.inf, np.logaddexp(right, math.log(1e-10)))
            values = values + (right - wrong) / 2
        return values

    def _log_prior(self, theta: Array) -> Array:
        if "no_prior" in self.errors:
            return np.zeros(len(theta))
        if "pdf_prior" in self.errors:
            return np.asarray((np.exp(-(theta**2) / 2) / math.sqrt(2 * math.pi)).sum(axis=1))
        return np.asarray(-((theta - PRIOR_MEANS) ** 2).sum(axis=1) / 2)


def maximise(posterior: LogPosterior) -> Array:
    """The most probable theta (ML-II with the prior), shape (1, 2)."""
    axis = np.linspace(-BOX, BOX, 41)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    start = grid[np.argmax(posterior(grid))]
    bounds = [(-BOX, BOX), (-BOX, BOX)]

    def negative(theta: Array) -> float:
        return -float(posterior(theta[None, :])[0])

    def with_gradient(theta: Array) -> tuple[float, Array]:
        return negative(theta), -posterior.gradient(theta)

    if posterior.errors & (ERRORS.keys() - {"variance_as_precision"}):
        found = optimize.minimize(negative, start, method="Nelder-Mead", bounds=bounds)
    else:
        found = optimize.minimize(with_gradient, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=float)[None, :]


def sample(posterior: LogPosterior, *, n_walkers: int, n_steps: int, seed: int) -> Array:
    """Draws of theta, shape (n_walkers, 2): emcee's walkers after `n_steps`, started from the prior.

    Args:
        posterior: log posterior of theta.
        n_walkers: number of walkers, even and at least 4.
        n_steps: number of steps of the whole ensemble.
        seed: seed of the starts and the moves.
    """
    with explained():
        import emcee

    rng = np.random.default_rng(seed)
    starts = np.clip(rng.normal(PRIOR_MEANS, 1.0, size=(n_walkers, 2)), -BOX, BOX)
    sampler = emcee.EnsembleSampler(n_walkers, 2, posterior, vectorize=True)
    state = np.random.RandomState(seed).get_state()
    last = sampler.run_mcmc(emcee.State(starts, random_state=state), n_steps, store=False)
    return np.asarray(last.coords, dtype=float)


def precisions(theta: Array, errors: Collection[str] = ()) -> tuple[Array, Array]:
    """Log alpha and log beta, each (S,), of theta (S, 2)."""
    return theta[:, 0], theta[:, 1] if "variance_as_precision" in errors else -theta[:, 1]
