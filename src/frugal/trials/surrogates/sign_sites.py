"""Expectation propagation for the signs of a Gaussian vector: probit terms, one after the other.

Source: Rasmussen and Williams (2006), "Gaussian Processes for Machine Learning", section 3.6, on the likelihood of
Riihimaki and Vehtari (2010), "Gaussian processes with monotonicity information". For a prior g ~ N(m0, S0) and
terms Phi(sign_j g_j / v), the posterior is approximated by the prior times unnormalised Gaussian sites
exp(-tau_j h_j^2 / 2 + nu_j h_j), h = g - m0. One update of a site, with the cavity N(mc, s2) of h_j:

    w = v^2 + s2,   z = sign_j (mc + m0_j) / sqrt(w),   log Z_j = log Phi(z),   rho = phi(z) / Phi(z)
    b = sign_j rho / sqrt(w) = d log Z_j / d mc,   A = rho (z + rho) / w = -d b / d mc
    q = 1 - A s2 = (v^2 + s2 (1 - rho (z + rho))) / w
    tau_j = A / q,   nu_j = (b + A mc) / q

The prior here is that of the derivatives given the observed values, so that the values' own terms, which are
Gaussian, are accounted for exactly and not as sites; the fixed point is the same.

Differs from the sources: z + rho and 1 - rho (z + rho), which cancel in the lower tail, come from a continued
fraction below -5; sites are updated in turn without damping, in at most 100 sweeps, and used even if these have
not converged; no jitter is added, since no step inverts S0 (GPstuff adds 1e-6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dtrtrs
from scipy.special import erfcx, log_ndtr

from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.posterior import SMALLEST_VARIANCE, cholesky

MAX_SWEEPS = 100
TOLERANCE = 1e-6
"""Largest change of a mean, in prior standard deviations, and of a variance, in prior ones, at the end."""
LEAST_CAVITY = 1e-10
"""A site is passed over whose cavity has less than this share of its marginal precision."""
_TAIL, _N_TERMS = -5.0, 60


def tail_ratios(z: float) -> tuple[float, float, float]:
    """The ratio rho = phi(z) / Phi(z), z + rho, and 1 - rho (z + rho), none of them a difference in the tail.

    With I_n the n-th iterated integral of the upper tail, x = -z and r_n = I_n / I_(n-1), r_n = 1 / (x + (n + 1)
    r_(n+1)); then rho = 1 / r_0, z + rho = r_1 and 1 - rho (z + rho) = r_1 (2 r_2 - r_1).
    """
    if z >= _TAIL:
        rho = math.sqrt(2 / math.pi) / float(erfcx(-z / math.sqrt(2)))
        return rho, z + rho, 1 - rho * (z + rho)
    second = first = ratio = 1 / -z
    for n in range(_N_TERMS, 0, -1):
        second, first, ratio = first, ratio, 1 / (n * ratio - z)
    return 1 / ratio, first, first * (2 * second - first)


def site_update(mc: float, s2: float, sign: float, v: float) -> tuple[float, float, float, float]:
    """Log Z, b, A and q of one term under the cavity N(mc, s2)."""
    w = v * v + s2
    z = sign * mc / math.sqrt(w)
    rho, shifted, remaining = tail_ratios(z)
    b = sign * rho / math.sqrt(w)
    return float(log_ndtr(z)), b, rho * shifted / w, (v * v + s2 * remaining) / w


@dataclass(frozen=True, eq=False)
class Approximation:
    """The prior times Gaussian sites.

    Attributes:
        tau: precisions of the sites, (m,).
        nu: tau times the sites' means of g - m0, (m,).
        mean: mean of g under the approximation, (m,).
        covariance: covariance of g, (m, m).
        root: L^-1 diag(sqrt(tau)) with L L' = I + diag(sqrt(tau)) S0 diag(sqrt(tau)), (m, m).
        weights: S0^-1 (mean - m0), (m,), without an inverse.
        log_evidence: log of the probability of the signs; nan if the sites were given.
        n_skipped: number of updates that were passed over.
        converged: whether the last sweep changed nothing by more than `TOLERANCE`.
    """

    tau: Array
    nu: Array
    mean: Array
    covariance: Array
    root: Array
    weights: Array
    log_evidence: float = math.nan
    n_skipped: int = 0
    converged: bool = True


def propagate(mean: Array, covariance: Array, sign: Array, v: float) -> Approximation:
    """Approximate N(mean, covariance), of size m, times the probit terms of `sign` (m,)."""
    prior, m = _positive(covariance), len(sign)
    scale, shift, signs = np.diagonal(prior).copy(), mean.tolist(), sign.tolist()
    tau, nu, cavities, n_skipped = np.zeros(m), np.zeros(m), np.full((m, 2), np.nan), 0
    moments, sigma, root, half_log_det = np.zeros(m), prior, np.zeros((m, m)), 0.0
    converged, n_sweeps = m == 0, 0
    while not converged and n_sweeps < MAX_SWEEPS:
        before, spread = moments, np.diagonal(sigma).copy()
        sigma, moments = sigma.copy(), moments.copy()
        for j in range(m):
            cavity = _cavity(float(sigma[j, j]), float(moments[j]), float(tau[j]), float(nu[j]))
            site = None if cavity is None else _site(cavity, shift[j], signs[j], v)
            if cavity is None or site is None:
                n_skipped += 1
                continue
            cavities[j] = cavity
            d_tau, d_nu = site[0] - tau[j], site[1] - nu[j]
            column = sigma[:, j].copy()
            grown = 1 + d_tau * column[j]
            moments += column * ((d_nu - d_tau * moments[j]) / grown)
            sigma -= column[:, None] * (column * (d_tau / grown))
            tau[j], nu[j] = site
        n_sweeps += 1
        root, sigma, half_log_det = _condition(prior, tau)
        moments = sigma @ nu
        moved = (np.abs(moments - before) / np.sqrt(scale)).max()
        narrowed = (np.abs(np.diagonal(sigma) - spread) / scale).max()
        converged = bool(max(moved, narrowed) < TOLERANCE)
    found = _approximation(mean, root, sigma, tau, nu)
    log_evidence = 0.5 * float(nu @ sigma @ nu) - half_log_det
    log_evidence += _log_normalisers(found, mean, sign, v, cavities)
    return replace(found, log_evidence=log_evidence, n_skipped=n_skipped, converged=converged)


def hold(mean: Array, covariance: Array, tau: Array, nu: Array) -> Approximation:
    """N(mean, covariance) times given sites, whose `nu` is of g - mean."""
    root, sigma, _ = _condition(_positive(covariance), tau)
    return _approximation(mean, root, sigma, tau, nu)


def _positive(covariance: Array) -> Array:
    """A covariance whose variances round-off has not brought to 0."""
    diagonal = np.diagonal(covariance)
    least = SMALLEST_VARIANCE * diagonal.max(initial=0.0)
    return np.asarray(covariance + np.diag(np.maximum(least - diagonal, 0.0)))


def _cavity(variance: float, moment: float, tau: float, nu: float) -> tuple[float, float] | None:
    """Mean and variance without the site; None if too little would be left."""
    if not variance > 0:
        return None
    precision = 1 / variance - tau
    if not precision > LEAST_CAVITY / variance:
        return None
    return (moment / variance - nu) / precision, 1 / precision


def _site(cavity: tuple[float, float], shift: float, sign: float, v: float) -> tuple[float, float] | None:
    """The new tau and nu; None if they are not finite."""
    centre, s2 = cavity
    _, b, curvature, q = site_update(centre + shift, s2, sign, v)
    if not q > 0:
        return None
    tau, nu = curvature / q, (b + curvature * centre) / q
    return (tau, nu) if math.isfinite(tau) and math.isfinite(nu) else None


def _condition(prior: Array, tau: Array) -> tuple[Array, Array, float]:
    """`root`, the covariance of the approximation, and the sum of the logarithms of L's diagonal."""
    if not len(tau):
        return np.zeros((0, 0)), prior, 0.0
    s = np.sqrt(tau)
    factor = cholesky(np.eye(len(tau)) + s[:, None] * prior * s)[0]
    root = np.asarray(dtrtrs(factor, np.diag(s), lower=1)[0])
    half = root @ prior
    return root, prior - half.T @ half, float(np.log(np.diagonal(factor)).sum())


def _approximation(mean: Array, root: Array, sigma: Array, tau: Array, nu: Array) -> Approximation:
    means = np.divide(nu, tau, out=np.zeros_like(nu), where=tau > 0)  # of the sites
    return Approximation(tau, nu, mean + sigma @ nu, sigma, root, root.T @ (root @ means))


def _log_normalisers(found: Approximation, mean: Array, sign: Array, v: float, last: Array) -> float:
    """Logarithms of the constants with which the sites integrate to the terms that they approximate.

    A site without a cavity counts as it was last updated (`last`, in h), or as if it were not there.
    """
    total = 0.0
    for j, (tau, nu) in enumerate(zip(found.tau.tolist(), found.nu.tolist(), strict=True)):
        moment = float(found.mean[j] - mean[j])
        centre, s2 = _cavity(float(found.covariance[j, j]), moment, tau, nu) or last[j].tolist()
        if math.isnan(centre):
            continue
        grown = 1 + s2 * tau
        total += site_update(centre + float(mean[j]), s2, float(sign[j]), v)[0] + 0.5 * math.log(grown)
        total += (tau * centre**2 - 2 * centre * nu - s2 * nu**2) / (2 * grown)
    return total
