"""The objective of hyperparameters, log evidence plus log prior, and its maximum by restarts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frugal.trials.ascent import climb
from frugal.trials.surrogates.covariances import Covariance
from frugal.trials.surrogates.hyperparameters import Prior
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.posterior import Data, Posterior

N_STEPS = 10
"""Iterations from every starting point; only the best two go on, since a fit from each would cost the most of a
suggestion."""


@dataclass(frozen=True)
class Evidence:
    """Data, and the hyperparameters that are to be fitted to them.

    Attributes:
        template: the vector theta (p,), nan where it is free.
    """

    covariance: Covariance
    data: Data
    template: Array
    prior: Prior

    @property
    def free(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Mask (p,) of the entries of theta that are fitted."""
        return np.isnan(self.template)

    def full(self, free: Array) -> Array:
        """Theta with these values in its free entries."""
        theta = self.template.copy()
        theta[self.free] = free
        return theta

    def posterior(self, theta: Array) -> Posterior:
        """The process given all of theta.

        Raises:
            numpy.linalg.LinAlgError: if the covariance has no Cholesky factor.
        """
        return Posterior(self.covariance, self.data, theta)

    def log_posterior(self, free: Array) -> float:
        """Log evidence plus log prior; -inf outside the box or where the covariance has no Cholesky factor."""
        theta = self.full(free)
        if not ((free >= self.box[:, 0]) & (free <= self.box[:, 1])).all():
            return -np.inf
        try:
            return self.posterior(theta).log_evidence + self._log_prior(theta)[0]
        except np.linalg.LinAlgError:
            return -np.inf

    def with_gradient(self, free: Array) -> tuple[float, Array]:
        """The same inside the box, with its gradient in the free entries.

        Where there is no Cholesky factor, a value below all others and no slope: a line search steps back.
        """
        theta = self.full(free)
        try:
            posterior = self.posterior(theta)
        except np.linalg.LinAlgError:
            return -1e25, np.zeros(len(free))
        log_prior, slope = self._log_prior(theta)
        return posterior.log_evidence + log_prior, (posterior.evidence_gradient() + slope)[self.free]

    def _log_prior(self, theta: Array) -> tuple[float, Array]:
        """That of theta, with 0 for given values of -inf (log of no noise): they would only add a constant."""
        return self.prior.log_density(np.where(np.isneginf(theta), 0.0, theta))

    @property
    def box(self) -> Array:
        """Lowest and highest value of each free entry."""
        return self.prior.box[self.free]

    def maximum(self, starts: Array) -> Array:
        """Theta of the best fit from `starts`, (k, p): a few steps from each, then more from the best two."""
        first = sorted((self._climb(start[self.free], N_STEPS) for start in starts), key=lambda run: -run[0])
        return self.full(max((self._climb(free, 200) for _, free in first[:2]), key=lambda run: run[0])[1])

    def _climb(self, free: Array, max_iterations: int) -> tuple[float, Array]:
        return climb(self.with_gradient, free, self.box, max_iterations)
