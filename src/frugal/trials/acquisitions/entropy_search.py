"""Entropy search: the expected information of an observation about the place of the minimum.

Source: Hennig and Schuler (2012), "Entropy search for information-efficient global optimization". The minimum is
sought among representers z_1..z_R, drawn from a density u; p_i is the probability that f(z_i) is the least of
them:

    KL(p) = sum_i p_i (log p_i + log u_i),   alpha(x) = E_y[KL(p after y at x)] - KL(p)

With c = Cov(f(Z), f(x)), v = Var f(x) + noise variance and b = c / sqrt(v), an observation moves the belief
N(m, S) on f(Z) to N(m + b w, S - b b'), w ~ N(0, 1). The average over w is one over an even grid of its quantiles.

Differs from the source: probabilities are by Monte Carlo unless `epmgp` is asked for, from the same normals g in
every belief, so that small gains do not drown in noise. With S = L L' and beta = L^-1 b, the matrix L (I - beta
beta' / (1 + sqrt(1 - beta' beta))) is a square root of S - b b', so the sample of the belief after w is that of
the belief before, shifted along b alone:

    m + L g + b (w - beta' g / (1 + sqrt(1 - beta' beta)))

Each representer is a line in the bracket, and the least of them as w moves is their lower envelope. Walking it
costs a few passes over the representers for all quantiles together, where comparing them costs one per quantile.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, xlogy

from frugal.checks import check_choice, check_whole
from frugal.trials.acquisitions.epmgp import log_p_min
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.posterior import cholesky
from frugal.trials.surrogates.protocol import Component

P_MIN = ("monte_carlo", "epmgp")
_TINY = 1e-300
_PAIRS = 1024
"""Candidates times samples per block, so that their lines fit into the cache."""


def innovation(component: Component, Z: Array, X: Array) -> Array:
    """The b above, (R, m): change of f at Z (R, d) per unit of w after one observation at each of X (m, d)."""
    std = component.predict(X)[1]
    return component.covariance(Z, X) / np.sqrt(std**2 + component.noise_variance)


def p_min_of(F: Array) -> Array:
    """Share (R,) of the samples F (N, R) in which each representer is the minimum."""
    return np.bincount(F.argmin(axis=1), minlength=F.shape[1]) / len(F)


def p_min_after(F: Array, B: Array, normals: Array, quantiles: Array, factor: Array) -> Array:
    """As `p_min_of`, after an observation, for each candidate and each quantile of its outcome.

    Args:
        F: samples m + L g of the belief before, (N, R).
        B: innovations b, (R, M).
        normals: g, (N, R).
        quantiles: of w, increasing, (P,).
        factor: L, (R, R).

    Returns:
        Shape (M, R, P).
    """
    n, r = F.shape
    betas = np.linalg.solve(factor, B)
    squares = np.minimum((betas * betas).sum(axis=0), 1.0)
    shifts = (normals @ betas) / (1 + np.sqrt(1 - squares))
    step = max(1, _PAIRS // n)
    parts = [
        _envelopes(F, B[:, i : i + step], shifts[:, i : i + step], quantiles) for i in range(0, B.shape[1], step)
    ]
    return np.concatenate(parts) / n if parts else np.empty((0, r, len(quantiles)))


def _envelopes(F: Array, B: Array, shifts: Array, w: Array) -> Array:
    """In how many samples each line F_nr + b_r (w - shift_n) is the least at each w, for B (R, M): (M, R, P)."""
    (n, r), m, p = F.shape, B.shape[1], len(w)
    steps = np.zeros(m * r * (p + 1))  # +1 where a line becomes the least, -1 where it ceases to be
    ahead = (w[0] - shifts.T)[:, :, None]
    values = F + ahead * B.T[:, None, :]
    line: NDArray[np.intp] = values.argmin(axis=2).ravel()
    # the slope of the least line falls as w grows, so that equal ends mean that nothing changes in between
    ends = values + (w[-1] - w[0]) * B.T[:, None, :]
    walking = np.flatnonzero(ends.argmin(axis=2).ravel() != line)
    candidate = np.repeat(np.arange(m), n)
    start = (candidate * r + line) * (p + 1)
    steps += np.bincount(start, minlength=len(steps))
    steps -= np.bincount(np.delete(start, walking) + p, minlength=len(steps))
    candidate, line, start = candidate[walking], line[walking], start[walking]
    values, slopes = values.reshape(m * n, r)[walking], B.T[candidate]
    at, first = np.full(len(line), w[0]), np.zeros(len(line), dtype=np.intp)
    while len(line):
        positions = np.arange(len(line)) * r + line
        rates = slopes.ravel()[positions][:, None] - slopes
        values -= values.ravel()[positions][:, None]
        rates /= np.maximum(values, _TINY)  # one over how far ahead a line crosses the least one
        line = rates.argmax(axis=1)
        rate = np.maximum(rates.ravel()[np.arange(len(line)) * r + line], _TINY)
        last = np.maximum(np.searchsorted(w, at + 1 / rate), first)
        steps -= np.bincount(start + last, minlength=len(steps))
        unfinished = np.flatnonzero(last < p)
        candidate, line, first = candidate[unfinished], line[unfinished], last[unfinished]
        start = (candidate * r + line) * (p + 1)
        steps += np.bincount(start + first, minlength=len(steps))
        at, values, slopes = (at + 1 / rate)[unfinished], values[unfinished], slopes[unfinished]
        values += slopes * (1 / rate[unfinished])[:, None]
    return steps.reshape(m, r, p + 1).cumsum(axis=2)[:, :, :p]


def information(p: Array, log_u: Array) -> Array:
    """KL(p) of the module's docstring, in nats up to a constant, for p of shape (..., R, P): (..., P)."""
    return np.asarray((xlogy(p, p) + p * log_u[:, None]).sum(axis=-2))


class InformationGain:
    """Expected information of one observation, in nats, under each component of a surrogate.

    Args:
        components: of a surrogate fitted to targets that are minimised.
        representers: for each component a set of points and the log density they were drawn from: (R, d), (R,).
        rng: what the normals are drawn from, once.
        n_samples: of the belief, for `monte_carlo`.
        n_quantiles: of the outcome of an observation.
        p_min: `monte_carlo`, or `epmgp`, expectation propagation with an expansion in the outcome
            (`frugal.trials.acquisitions.epmgp`).

    Raises:
        ValueError: on another `p_min`, counts below 1 or not one set of representers per component.
    """

    def __init__(
        self,
        components: Sequence[Component],
        representers: Sequence[tuple[Array, Array]],
        *,
        rng: np.random.Generator,
        n_samples: int = 1000,
        n_quantiles: int = 20,
        p_min: str = "monte_carlo",
    ) -> None:
        check_whole("n_samples", n_samples, 1)
        check_whole("n_quantiles", n_quantiles, 1)
        check_choice("p_min", p_min, P_MIN)
        if len(representers) != len(components):
            raise ValueError(
                f"representers must be {len(components)} sets, one per component, got {len(representers)}"
            )
        self._quantiles = ndtri((np.arange(n_quantiles) + 0.5) / n_quantiles)
        belief = _EpBelief if p_min == "epmgp" else _SampledBelief
        normals = np.empty((0, 0))
        self._beliefs: list[_Belief] = []
        for component, (Z, log_u) in zip(components, representers, strict=True):
            if normals.shape[1] != len(Z) and p_min == "monte_carlo":
                normals = rng.standard_normal((n_samples, len(Z)))
            self._beliefs.append(belief(component, Z, log_u, normals))

    def __call__(self, X: Array) -> Array:
        """Gain at X (m, d) under each of the S components, (S, m)."""
        return np.array([belief.gains(X, self._quantiles) for belief in self._beliefs])


class _Belief(ABC):
    """The belief on f(Z) under one component."""

    def __init__(self, component: Component, Z: Array, log_u: Array, normals: Array) -> None:
        self._component, self._Z, self._log_u, self._normals = component, Z, log_u, normals
        self._mean = component.predict(Z)[0]
        self._factor = cholesky(component.covariance(Z, Z))[0]

    def gains(self, X: Array, quantiles: Array) -> Array:
        before, after = self._p_min(innovation(self._component, self._Z, X), quantiles)
        kl = information(before[:, None], self._log_u)[0]
        return np.asarray(information(after, self._log_u).mean(axis=1) - kl)

    @abstractmethod
    def _p_min(self, B: Array, quantiles: Array) -> tuple[Array, Array]:
        """Probabilities before, (R,), and after each outcome of each candidate, (m, R, P)."""


class _SampledBelief(_Belief):
    def _p_min(self, B: Array, quantiles: Array) -> tuple[Array, Array]:
        F = self._mean + self._normals @ self._factor.T
        return p_min_of(F), p_min_after(F, B, self._normals, quantiles, self._factor)


class _EpBelief(_Belief):
    def __init__(self, component: Component, Z: Array, log_u: Array, normals: Array) -> None:
        super().__init__(component, Z, log_u, normals)
        self._log_p, self._slopes = log_p_min(self._mean, self._factor @ self._factor.T)

    def _p_min(self, B: Array, quantiles: Array) -> tuple[Array, Array]:
        along = (self._slopes @ B).T[:, :, None]
        after = np.exp(self._log_p[:, None] - along**2 / 2 + along * quantiles)
        return np.exp(self._log_p), after / after.sum(axis=1, keepdims=True)
