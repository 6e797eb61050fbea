"""The Beta model of fold accuracies: posterior predictive distributions, and which of two is greater.

Source: document 000 (Kreutzman 2020), equations 3 to 5. For the accuracies a_1, ..., a_m of m folds,

    mu ~ Exp(rate),   eta ~ U(0, 1),   a_1, ..., a_m | mu, eta ~ Beta(mu * eta, mu * (1 - eta)), independent.

mu is a precision and eta a mean (a sentence of the document swaps their ranges). The document's Exp(10^-2) has
rate 0.01. Let X_1 and X_2 be a further accuracy of the best candidate and of another one. By equation 5 the other
one is dropped if

    P(X_1 > X_2 | the accuracies of both) > tau

Differs from the document: its posterior comes from a sampler, this one from a product trapezoid rule in
(log mu, logit eta). There the integrand is analytic and decays on all sides, so that the rule converges
geometrically.

Accuracies of exactly 0 or 1 have no posterior: the density there is 0 or infinite. They are counts out of
`n_valid` validation rows, so with `n_valid` given they are clipped to [1 / (2 n_valid), 1 - 1 / (2 n_valid)];
without it they are refused. Scores that are no counts, such as an AUC, may lie between such an edge and 1. They
are clipped, too, so that two of them rank as equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, expit, logsumexp, softmax

from frugal.checks import check_number, check_whole
from frugal.folds.predictive import DROP, N_POINTS, Predictive, narrowed, prob_greater

__all__ = ["Posterior", "prob_greater"]

Array = NDArray[np.float64]

_N_U, _N_V = 40, 40
"""Nodes in log mu, and in logit eta for each of them."""
_BLOCK = 8
"""Points of the predictive distribution that are computed at once."""
_N_SCAN = 32
"""Points per pass of the search for the windows."""


class Posterior:
    """Posterior predictive distribution of one further fold accuracy.

    Made by `fit`. Equal sets of accuracies, in any order, give the same object. `finer` multiplies the nodes, for
    checks of the error.

    Attributes:
        accuracies: fitted accuracies, sorted, after clipping.
        rate: rate of the exponential prior on the precision mu.
        mean: mean of the posterior predictive.
        sd: standard deviation of the posterior predictive.
        log_evidence: log density of the accuracies under the model.
        mean_precision: posterior mean of mu.

    Examples:
        >>> from frugal.folds.beta import Posterior
        >>> posterior = Posterior.fit([0.91, 0.93, 0.92])
        >>> f"the next fold: {posterior.mean:.3f} +- {posterior.sd:.3f}"
        'the next fold: 0.914 +- 0.036'
    """

    def __init__(self, accuracies: tuple[float, ...], rate: float, *, finer: int = 1) -> None:
        self.accuracies, self.rate, self._finer = accuracies, rate, finer
        mu, eta, co_eta, log_weights = _nodes(accuracies, rate, finer)
        self.log_evidence = float(logsumexp(log_weights))
        weights = softmax(log_weights)
        kept = weights > 1e-13
        self._alpha, self._beta, self._weights = (mu * eta)[kept], (mu * co_eta)[kept], weights[kept]
        self.mean = float(weights @ eta)
        second = float(weights @ (eta * co_eta / (mu + 1)))
        self.sd = math.sqrt(float(weights @ (eta - self.mean) ** 2) + second)
        self.mean_precision = float(weights @ mu)

    @classmethod
    def fit(cls, accuracies: Iterable[float], *, rate: float = 0.01, n_valid: int | None = None) -> Posterior:
        """The posterior given fold accuracies; none give the prior.

        Args:
            accuracies: each in [0, 1], in any order.
            rate: rate of the exponential prior on the precision, at least 1e-6; 0.01 in equation 4.
            n_valid: rows that each accuracy was measured on, at least 2; accuracies of exactly 0 or 1 need it.

        Raises:
            ValueError: on an accuracy outside [0, 1] or not finite, one of exactly 0 or 1 without `n_valid`,
                or `rate` or `n_valid` out of range.
        """
        check_number("rate", rate, 1e-6)
        if n_valid is not None:
            check_whole("n_valid", n_valid, 2)
        listed = sorted(float(accuracy) for accuracy in accuracies)
        for accuracy in listed:
            if not 0.0 <= accuracy <= 1.0:
                raise ValueError(f"an accuracy must be a number in [0, 1], got {accuracy!r}")
            if accuracy in (0.0, 1.0) and n_valid is None:
                raise ValueError(
                    f"an accuracy of exactly {accuracy:g} has no Beta posterior; give n_valid, the number of "
                    "validation rows, and it is clipped by half a row"
                )
        if n_valid is not None:
            edge = 1 / (2 * n_valid)
            listed = [min(max(accuracy, edge), 1 - edge) for accuracy in listed]
        return _fitted(tuple(listed), float(rate))

    def pdf(self, x: ArrayLike) -> Array:
        """Density at x, of any shape; 0 outside (0, 1).

        Args:
            x: accuracies.
        """
        x = np.asarray(x, dtype=float)
        inside = (x > 0) & (x < 1)
        safe = np.where(inside, x, 0.5).ravel()
        log_x, log_1x = np.log(safe), np.log1p(-safe)
        density = self._mixture(log_x, log_1x) * np.exp(-log_x - log_1x)
        return np.where(inside, density.reshape(x.shape), 0.0)

    def cdf(self, x: ArrayLike) -> Array:
        """Probability of an accuracy of at most x, of any shape.

        Args:
            x: accuracies.
        """
        inside = np.clip(np.asarray(x, dtype=float), 0.0, 1.0)
        with np.errstate(divide="ignore"):
            return self.predictive.cdf(np.log(inside) - np.log1p(-inside))

    def quantile(self, share: ArrayLike) -> Array:
        """The accuracy that a draw stays below with this probability, of any shape.

        Args:
            share: probabilities in [0, 1].
        """
        return np.asarray(expit(self.predictive.quantile(share)))

    @cached_property
    def predictive(self) -> Predictive:
        """Distribution of the logit of one further accuracy.

        With m accuracies its tails fall only as `1 / |logit x|^(m + 1)`, so it is kept out to 1e4 and more.
        """
        logit = np.log(self._alpha) - np.log(self._beta)
        alpha, beta = self._alpha, self._beta
        widths = np.sqrt(1 / alpha + 1 / beta + 1 / alpha**2 + 1 / beta**2)  # about the sd of logit x
        centre = _quantile(logit, self._weights, 0.5)
        spread = _quantile(logit, self._weights, 0.84) - _quantile(logit, self._weights, 0.16)
        return Predictive(
            lambda y: self._mixture(-np.logaddexp(0, -y), -np.logaddexp(0, y)),
            centre=centre,
            scale=math.hypot(_quantile(widths, self._weights, 0.5), spread / 2),
            reach=1e4 * max(1.0, 100 * self.rate) + abs(centre),
            n_points=N_POINTS * self._finer,
        )

    def _mixture(self, log_x: Array, log_1x: Array) -> Array:
        """Density of logit(x), by log x and log(1 - x), shape (n,)."""
        points = np.column_stack([log_x, log_1x, np.ones_like(log_x)])
        kernels = np.stack([self._alpha, self._beta, -betaln(self._alpha, self._beta)])
        # A few points at a time: the memory of all of them at once would cost more than the exponentials do.
        blocks = [np.exp(points[i : i + _BLOCK] @ kernels) @ self._weights for i in range(0, len(points), _BLOCK)]
        return np.concatenate(blocks)


@lru_cache(maxsize=4096)
def _fitted(accuracies: tuple[float, ...], rate: float) -> Posterior:
    return Posterior(accuracies, rate)


def _quantile(values: Array, weights: Array, share: float) -> float:
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), share)])


def _nodes(accuracies: tuple[float, ...], rate: float, finer: int) -> tuple[Array, Array, Array, Array]:
    """Quadrature nodes over the posterior, flat: mu, eta, 1 - eta, and log weights that hold the integrand."""
    a, n_u, n_v = np.array(accuracies), _N_U * finer, _N_V * finer
    m, s1, s0 = len(a), float(np.log(a).sum()), float(np.log1p(-a).sum())
    reach = float(np.abs(np.log(a) - np.log1p(-a)).max(initial=0.0)) + 1.5 * DROP

    def log_joint(u: Array, v: Array) -> Array:
        mu, log_eta, log_co = np.exp(u), -np.logaddexp(0, -v), -np.logaddexp(0, v)
        alpha, beta = np.exp(u + log_eta), np.exp(u + log_co)
        prior = math.log(rate) - rate * mu + u + log_eta + log_co  # with the Jacobian of (log mu, logit eta)
        return np.asarray(prior + (alpha - 1) * s1 + (beta - 1) * s0 - m * betaln(alpha, beta))

    def windows(u: Array) -> tuple[Array, Array, Array]:
        """Per node of u: where the integrand is within DROP of its maximum over v, and that maximum.

        For a given mu the integrand is log-concave in eta: one mode, and the grid's best point is beside it.
        """
        low, high = np.full(len(u), -reach), np.full(len(u), reach)
        for _ in range(4):
            grid = np.linspace(low, high, _N_SCAN, axis=1)
            values = log_joint(u[:, None], grid)
            best = values.max(axis=1)
            inside = values >= best[:, None] - DROP
            first, last = inside.argmax(axis=1), _N_SCAN - 1 - inside[:, ::-1].argmax(axis=1)
            rows = np.arange(len(u))
            low, high = grid[rows, np.maximum(first - 1, 0)], grid[rows, np.minimum(last + 1, _N_SCAN - 1)]
        return low, high, best

    bottom, top = min(0.0, -math.log(rate)) - 2 * DROP, math.log((m + 100) / rate)
    for _ in range(2):
        u = np.linspace(bottom, top, _N_SCAN)
        low, high, best = windows(u)
        marginal = best + np.log(high - low)
        bottom, top = narrowed(u, marginal)
    u, step = np.linspace(bottom, top, n_u, retstep=True)
    low, high, _ = windows(u)
    # Without data nothing narrows eta, and the steps must resolve the Beta density that the nodes are mixed by.
    fine = (high - low) * np.exp(u / 2) / 2 if m == 0 else np.zeros(n_u)
    counts = np.maximum(n_v, np.ceil(finer * fine)).astype(int)
    steps = (high - low) / (counts - 1)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    flat_u, v = np.repeat(u, counts), np.repeat(low, counts) + within * np.repeat(steps, counts)
    log_weights = log_joint(flat_u, v) + np.log(step * np.repeat(steps, counts))
    return np.exp(flat_u), expit(v), expit(-v), log_weights
