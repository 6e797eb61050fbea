"""Entropy search: the expected information of an observation about the place of the minimum.

Source: Hennig and Schuler (2012), "Entropy search for information-efficient global optimization". The minimum is
sought among representers z_1..z_R, drawn from a density u, and u_i = u(z_i). Let p_i be the probability that
f(z_i) is the least of them:

    KL(p) = sum_i p_i (log p_i + log u_i),   alpha(x) = E_y[KL(p after y at x)] - KL(p)

With c = Cov(f(Z), f(x)), v = Var f(x) + noise variance and b = c / sqrt(v), an observation moves the belief on
f(Z) from N(m, S) to a normal one with mean `m + b w` and covariance `S - b b'`, w ~ N(0, 1). The average over w is
one over an even grid of its quantiles.

KL is the divergence from a uniform density, up to a constant. Differs from the source: by default probabilities
are Monte Carlo estimates (`p_min="epmgp"` for the source's). All beliefs share the same normal vectors g, so that
small gains do not drown in noise. Let L be the Cholesky factor of S, beta = L^-1 b and
k = 1 / (1 + sqrt(1 - |beta|^2)). A square root of the covariance after the observation is

    L (I - k beta beta'),   since its product with its transpose is S - b b'

So the sample m + L g of the belief before is, after the outcome w, shifted along b alone:

    m + L g + b (w - k beta' g)

The value of each representer is thus a line in w. Only samples whose lowest line may change are followed, which
alters no result.
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
_TINY, _LEAST_GAP = 1e-300, 1e-30
_SLACK = 1e-9
"""Share by which a bound is lowered, so that round-off excludes no line."""
_BELOW = 1e-12
"""How far below a crossing point a line must lie to count: round-off must not divide a piece for ever."""
_BLOCK = 2048
"""Samples of candidates per block."""


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
        quantiles: quantiles of w, increasing, (P,).
        factor: L, (R, R).

    Returns:
        Shape (M, R, P).
    """
    n, r = F.shape
    if not B.shape[1]:
        return np.empty((0, r, len(quantiles)))
    betas = np.linalg.solve(factor, B)
    squares = np.minimum((betas * betas).sum(axis=0), 1.0)
    shifts = (normals @ betas) / (1 + np.sqrt(1 - squares))
    # a representer that was drawn twice gives parallel lines: only the lower one can be the least
    slopes, kind = np.unique(B, axis=0, return_inverse=True)
    alike = [np.flatnonzero(kind.ravel() == k) for k in range(len(slopes))]
    names = np.column_stack([lines[F[:, lines].argmin(axis=1)] for lines in alike])
    lowest = np.take_along_axis(F, names, axis=1)
    return np.asarray(_envelopes(lowest, names, r, slopes.T.copy(), shifts.T.copy(), quantiles) / n)


def _envelopes(
    F: Array, names: NDArray[np.intp], r: int, slopes: Array, shifts: Array, w: Array
) -> NDArray[np.intp]:
    """In how many samples each of r representers is the least at each w, (M, r, P).

    Args:
        F: heights of the lines at w = shift, (N, K).
        names: their representers, (N, K).
        r: number of representers.
        slopes: slopes of the lines, (M, K).
        shifts: (M, N).
        w: increasing, (P,).
    """
    n, m, p = len(F), len(slopes), len(w)
    usual = F.argmin(axis=1)
    changing = np.flatnonzero(_may_change(F, usual, slopes, w[0] - shifts, w[-1] - shifts))
    none = np.empty(0, np.intp)
    places = [none], [none]  # where a line ceases to be the least, and becomes it
    for start in range(0, len(changing), _BLOCK):
        block = changing[start : start + _BLOCK]
        candidate, sample = np.divmod(block, n)
        b = slopes[candidate]
        row, before, after, at = _takeovers(F[sample] - shifts.ravel()[block][:, None] * b, b, usual[sample], w)
        for line, found in zip((before, after), places, strict=True):
            found.append((candidate[row] * r + names[sample[row], line]) * p + at)
    ceasing, becoming = (np.bincount(np.concatenate(found), minlength=m * r * p) for found in places)
    steps = (becoming - ceasing).reshape(m, r, p)
    steps[:, :, 0] += np.bincount(names[np.arange(n), usual], minlength=r)
    return np.asarray(steps.cumsum(axis=2))


def _may_change(F: Array, usual: NDArray[np.intp], slopes: Array, low: Array, high: Array) -> NDArray[np.bool_]:
    """Mask (M, N), False only where the line that is least at w = shift stays so from low to high, both (M, N).

    With c that line, line k overtakes it above the shift if high (b_c - b_k) / (F_nk - F_nc) reaches 1 for one k.
    The largest of K ratios is at most their 8-norm, and the sums of eighth powers over k are products of two
    matrices for each c. Below the shift likewise.

    Args:
        F: heights at w = shift, (N, K).
        usual: c of each sample, (N,).
        slopes: b, (M, K).
        low: first w, less the shift.
        high: last w, less the shift.
    """
    each = np.arange(len(F))
    gaps = F - F[each, usual][:, None]
    gaps[each, usual] = np.inf
    nearness = _eighth(1 / np.maximum(gaps, _LEAST_GAP))
    up, down = _eighth(np.maximum(high, 0)), _eighth(np.minimum(low, 0))
    mask = np.empty(low.shape, dtype=bool)
    for c in np.unique(usual):
        samples = np.flatnonzero(usual == c)
        falls, near = slopes[:, c, None] - slopes, nearness[samples].T
        above = (_eighth(np.maximum(falls, 0)) @ near) * up[:, samples]
        below = (_eighth(np.minimum(falls, 0)) @ near) * down[:, samples]
        mask[:, samples] = np.maximum(above, below) > 1 - _SLACK
    return mask


def _eighth(x: Array) -> Array:
    square = x * x
    square *= square
    square *= square
    return square


def _takeovers(values: Array, slopes: Array, usual: NDArray[np.intp], w: Array) -> tuple[NDArray[np.intp], ...]:
    """Where the least of the lines values + slopes w, (T, K), changes.

    Args:
        values: at w = 0, (T, K).
        slopes: (T, K).
        usual: the line that each of the T rows is counted for so far, (T,).
        w: increasing, (P,).

    Returns:
        Rows, the line that ceases to be the least, the one that replaces it, and the index in w from which it
        does; at index 0 it is the usual line that is replaced.
    """
    k, p = values.shape[1], len(w)
    heights = np.empty_like(values)
    left, right = (
        np.add(values, np.multiply(slopes, end, out=heights), out=heights).argmin(axis=1) for end in (w[0], w[-1])
    )
    found = [(np.arange(len(values)), usual, left, np.zeros(len(values), dtype=np.intp))]
    row = np.flatnonzero(left != right)
    left, right = left[row], right[row]
    first, last = np.ones(len(row), dtype=np.intp), np.full(len(row), p - 1)  # left, then right from one of these
    while len(row):
        v, b, at = values[row], slopes[row], np.arange(len(row)) * k
        v_left, b_left = v.ravel()[at + left], b.ravel()[at + left]
        crossing = (v.ravel()[at + right] - v_left) / np.maximum(b_left - b.ravel()[at + right], _TINY)
        b *= crossing[:, None]
        b += v
        line = b.argmin(axis=1)
        split = b.ravel()[at + line] < v_left + b_left * crossing - _BELOW
        takeover = np.clip(np.searchsorted(w, crossing), first, last)
        found.append((row[~split], left[~split], right[~split], takeover[~split]))
        row, line, takeover = np.tile(row[split], 2), line[split], takeover[split]
        left, right = np.append(left[split], line), np.append(line, right[split])
        first, last = np.append(first[split], takeover), np.append(takeover, last[split])
        settled = first == last
        found.append((row[settled], left[settled], right[settled], first[settled]))
        row, left, right, first, last = (part[~settled] for part in (row, left, right, first, last))
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


def information(p: Array, log_u: Array) -> Array:
    """KL(p) of the module's docstring, in nats up to a constant, for p of shape (..., R, P): (..., P)."""
    terms = p * log_u[:, None]
    taken = p > 0  # few are, and logarithms take long
    terms[taken] += xlogy(p[taken], p[taken])
    return np.asarray(terms.sum(axis=-2))


class InformationGain:
    """Expected information of one observation, in nats, under each component of a surrogate.

    Args:
        components: components of a surrogate fitted to targets that are minimised.
        representers: for each component a set of points and the log density they were drawn from: (R, d), (R,).
        rng: generator of the normals, which are drawn once.
        n_samples: number of samples of the belief, for `monte_carlo`.
        n_quantiles: number of quantiles of the outcome of an observation.
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


def _root(covariance: Array) -> Array:
    """Lower triangular root (R, R) of a covariance; round-off that outweighs the jitter is cut off.

    Where a process without noise has seen enough, what is left of the variance may be smaller than the round-off
    of the prior variance.
    """
    try:
        return cholesky(covariance)[0]
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        floor = max(-float(values[0]), float(np.finfo(float).eps * values[-1]), _TINY)
        upper = np.asarray(np.linalg.qr((vectors * np.sqrt(np.maximum(values, floor))).T, mode="r"))
        return np.asarray((upper * np.where(np.diagonal(upper) < 0, -1.0, 1.0)[:, None]).T)


class _Belief(ABC):
    """The belief on f(Z) under one component."""

    def __init__(self, component: Component, Z: Array, log_u: Array, normals: Array) -> None:
        self._component, self._Z, self._log_u, self._normals = component, Z, log_u, normals
        self._mean = component.predict(Z)[0]
        self._factor = _root(component.covariance(Z, Z))

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
