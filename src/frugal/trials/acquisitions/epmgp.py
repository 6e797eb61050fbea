"""Probability that each of several jointly Gaussian values is the smallest, by expectation propagation.

Source: Cunningham, Hennig and Lacoste-Julien (2011), "Gaussian probabilities and expectation propagation", and
Hennig and Schuler (2012), "Entropy search for information-efficient global optimization", section 2.3, which uses
it for entropy search. Here P(f_i < f_j for all j) is the mass of the positive orthant under the differences d_j =
f_j - f_i ~ N(h, K): one site per difference, sites (tau, nu) on d - h, sequential updates, no damping. With V =
(K^-1 + diag(tau))^-1 and t = V nu the mean of d - h:

    cavity   1 / s2 = 1 / V_jj - tau_j,   mc = s2 (t_j / V_jj - nu_j),   z = (mc + h_j) / s
    moments  b = rho / s,   A = rho (z + rho) / s2,   rho = phi(z) / Phi(z)
    site     tau_j = A / (1 - A s2),   nu_j = (b + A mc) / (1 - A s2)
    log Z  = sum_j log Phi(z_j) + log(1 + s2 tau) / 2 + (tau mc^2 - 2 mc nu - s2 nu^2) / (2 (1 + s2 tau))
             - log |I + K diag(tau)| / 2 + nu' V nu / 2
    d log Z / d h = nu - tau V nu

Observing along b (`frugal.trials.acquisitions.entropy_search`), Hennig and Schuler expand log p to second order
in the outcome w. With `g = d log p / d m` and `H = d^2 log p / d m^2`, `d log p / d S = (g g' + H) / 2`. With w^2
replaced by its mean, 1, the terms in H cancel:

    log p(w) = log p - (g' b)^2 / 2 + w g' b,   then p is normalised
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, log_ndtr, logsumexp

from frugal.trials.surrogates.kernels import Array

_TOLERANCE, _N_SWEEPS = 1e-9, 100
"""Sweeps end when no probability changes by more, or after this many."""
_FAR = -200.0
_ABOVE_0 = 1e-6
"""Log mass above which it is no round-off of 0."""
_SMALLEST_CAVITY = 1e-10
"""Precision, in multiples of the marginal's, below which a site is left as it is."""


def log_p_min(mean: Array, covariance: Array) -> tuple[Array, Array]:
    """Log probabilities and their derivatives in the mean.

    Args:
        mean: mean of the values, (R,).
        covariance: covariance of the values, (R, R), positive definite.

    Returns:
        log p (R,), normalised, and d log p_i / d mean_j before it was, (R, R).
    """
    n = len(mean)
    if n == 1:
        return np.zeros(1), np.zeros((1, 1))
    others = np.array([[j for j in range(n) if j != i] for i in range(n)])
    h = mean[others] - mean[:, None]
    index = np.arange(n)[:, None]
    cross = covariance[index, others]
    K = covariance[others[:, :, None], others[:, None, :]] - cross[:, :, None] - cross[:, None, :]
    K += np.diagonal(covariance)[:, None, None]
    with np.errstate(all="ignore"):  # what is lost is replaced
        log_z, by_h = _orthants(h, K)
    _replace_lost(log_z, by_h, h, np.diagonal(K, axis1=1, axis2=2))
    slopes = np.zeros((n, n))
    np.put_along_axis(slopes, others, by_h, axis=1)
    slopes[np.arange(n), np.arange(n)] = -by_h.sum(axis=1)
    return log_z - logsumexp(log_z), slopes


def _replace_lost(log_z: Array, by_h: Array, h: Array, variances: Array) -> None:
    """Put a bound where round-off has left no probability: that of the least likely of the k differences alone.

    This is so from about 5,000 standard deviations on, where the precision of a cavity is the difference of two
    nearly equal numbers.

    Args:
        log_z: log masses (n,); those above 0 or nan are replaced.
        by_h: their derivatives in h, (n, k).
        h: means of the differences, (n, k).
        variances: variances of the differences, (n, k).
    """
    lost = np.flatnonzero(~((log_z <= _ABOVE_0) & np.isfinite(by_h).all(axis=1)))
    if not len(lost):
        return
    std = np.sqrt(np.maximum(variances[lost], np.finfo(float).eps * variances.max()))
    z = h[lost] / std
    worst, row = z.argmin(axis=1), np.arange(len(lost))
    least = z[row, worst]
    log_z[lost], by_h[lost] = log_ndtr(least), 0.0
    by_h[lost, worst] = math.sqrt(2 / math.pi) / erfcx(-least / math.sqrt(2)) / std[row, worst]


def _orthants(h: Array, K: Array) -> tuple[Array, Array]:
    """Log mass of the positive orthant under each of N(h (n, k), K (n, k, k)), and its derivatives in h."""
    n, k = h.shape
    tau, nu = np.zeros((n, k)), np.zeros((n, k))
    log_z, slopes, V = _evidence(h, K, tau, nu)
    for _ in range(_N_SWEEPS):
        mean = (V @ nu[:, :, None])[:, :, 0]
        for j in range(k):
            v, column = V[:, j, j].copy(), V[:, :, j].copy()
            new_tau, new_nu = _site(h[:, j], v, mean[:, j], tau[:, j], nu[:, j])
            d_tau, d_nu = new_tau - tau[:, j], new_nu - nu[:, j]
            share = d_tau / (1 + d_tau * v)
            V -= share[:, None, None] * column[:, :, None] * column[:, None, :]
            # V (nu + d_nu e_j) after the update of V, from the mean before it
            mean += (d_nu * (1 - share * v) - share * mean[:, j])[:, None] * column
            tau[:, j], nu[:, j] = new_tau, new_nu
        before = log_z
        log_z, slopes, V = _evidence(h, K, tau, nu)
        if np.abs(np.exp(log_z) - np.exp(before)).max() < _TOLERANCE:
            break
    return log_z, slopes


def _site(h: Array, v: Array, mean: Array, tau: Array, nu: Array) -> tuple[Array, Array]:
    """New site parameters, given the marginal's variance and mean."""
    precision = 1 / v - tau
    usable = precision > _SMALLEST_CAVITY / v
    s2 = 1 / np.where(usable, precision, 1.0)
    mc = s2 * (mean / v - nu)
    z = (mc + h) / np.sqrt(s2)
    rho = math.sqrt(2 / math.pi) / erfcx(-z / math.sqrt(2))
    far = np.minimum(z, _FAR)
    series = 1 / far**2 - 6 / far**4 + 50 / far**6
    left = np.where(z < _FAR, series, 1 - rho * (z + rho))  # 1 - A s2, which cancels far out
    A = (1 - left) / s2
    usable &= left > 0
    left = np.where(usable, left, 1.0)
    return np.where(usable, A / left, tau), np.where(usable, (rho / np.sqrt(s2) + A * mc) / left, nu)


def _evidence(h: Array, K: Array, tau: Array, nu: Array) -> tuple[Array, Array, Array]:
    """Log Z (n,), its derivative in h (n, k), and V (n, k, k)."""
    roots = np.sqrt(tau)
    B = np.eye(h.shape[1]) + roots[:, :, None] * K * roots[:, None, :]
    half = np.linalg.solve(B, roots[:, :, None] * K)
    V = K - (K * roots[:, None, :]) @ half
    mean = (V @ nu[:, :, None])[:, :, 0]
    v = np.diagonal(V, axis1=1, axis2=2)
    s2 = 1 / (1 / v - tau)
    mc = s2 * (mean / v - nu)
    grown = 1 + s2 * tau
    sites = log_ndtr((mc + h) / np.sqrt(s2)) + 0.5 * np.log(grown)
    sites += (tau * mc**2 - 2 * mc * nu - s2 * nu**2) / (2 * grown)
    log_det = np.linalg.slogdet(B)[1]
    return sites.sum(axis=1) - 0.5 * log_det + 0.5 * (nu * mean).sum(axis=1), nu - tau * mean, V
