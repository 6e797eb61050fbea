"""The log posterior of many settings of the hyperparameters at once, for ensembles of walkers on joint points.

One factorisation gives an evidence. With A = L L' and residuals r, the Cholesky factor of

    [[A, r], [r', c]],   c > r' A^-1 r

has L in its first rows and L^-1 r in its last one, so that the quadratic form needs no solve of its own;
c = 1 + r'r / noise_variance suffices. Settings go in blocks that stay in the processor's cache: 0.10 to 0.15 ms
each at 80 points in 2 to 6 dimensions, half the time of one after the other. The exponentials and the
factorisation take most of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from frugal.trials.surrogates.covariances import Joint
from frugal.trials.surrogates.evidence import Evidence
from frugal.trials.surrogates.kernels import Array

BLOCK = 8


def log_posteriors(evidence: Evidence) -> Callable[[Array], Array] | None:
    """A vectorised `Evidence.log_posterior`: from free entries (w, n_free) to values (w,).

    None if it does not apply: for covariances other than `Joint`, whose chains stay as published, and without
    noise.
    """
    if not isinstance(evidence.covariance, Joint) or np.isneginf(evidence.template[-1]):
        return None
    return _Together(evidence, evidence.covariance)


class _Together:
    def __init__(self, evidence: Evidence, covariance: Joint) -> None:
        self._evidence, self._covariance = evidence, covariance
        data, n = evidence.data, len(evidence.data.X)
        self._n = n
        self._own = covariance.pairs(data.X, data.X)
        self._below = data.below % n * (n + 1) + data.below // n
        self._diagonal = np.arange(n) * (n + 2)
        self._square = float(data.residuals @ data.residuals)
        self._gram = np.zeros((BLOCK, (n + 1) ** 2))
        self._gram[:, n * (n + 1) : -1] = data.residuals

    def __call__(self, free: Array) -> Array:
        box = self._evidence.box
        inside = ((free >= box[:, 0]) & (free <= box[:, 1])).all(axis=1)
        theta = np.tile(self._evidence.template, (len(free), 1))
        theta[:, self._evidence.free] = free
        values = np.full(len(free), -np.inf)
        rows = np.flatnonzero(inside)
        for first in range(0, len(rows), BLOCK):
            block = rows[first : first + BLOCK]
            try:
                values[block] = self._log_evidences(theta[block])
            except np.linalg.LinAlgError:  # one of them needs jitter
                values[block] = [self._evidence.log_posterior(one) for one in free[block]]
            else:
                finite = np.where(np.isneginf(theta[block]), 0.0, theta[block])
                values[block] += self._evidence.prior.log_densities(finite)
        return values

    def _log_evidences(self, theta: Array) -> Array:
        n, parameters, amplitude, noise = self._n, theta[:, :-2], np.exp(theta[:, -2:-1]), np.exp(theta[:, -1:])
        gram = self._gram[: len(theta)]
        gram[:, self._below] = amplitude * self._covariance.on_many(self._evidence.data.pairs, parameters)
        gram[:, self._diagonal] = amplitude * self._covariance.on_many(self._own, parameters) + noise
        gram[:, -1] = 1 + self._square / noise[:, 0]
        factors = np.linalg.cholesky(gram.reshape(len(theta), n + 1, n + 1))
        solved, diagonals = factors[:, n, :n], np.diagonal(factors, axis1=1, axis2=2)[:, :n]
        half_log_dets = np.log(diagonals).sum(axis=1)
        return np.asarray(-0.5 * (solved * solved).sum(axis=1) - half_log_dets - n / 2 * math.log(2 * math.pi))
