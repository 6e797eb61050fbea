"""A Gamma model of fold log-losses, with the interface of the Beta model of accuracies.

Differs from document 000, which leaves objectives other than accuracy as future work: this model is ours. It keeps
the document's parts, a mean and a precision with an exponentially falling prior:

    kappa ~ Gamma(2, 2 * rate),   theta ~ InverseGamma(3, 2 * scale),
    l_1, ..., l_m | kappa, theta ~ Gamma(kappa, kappa / theta), independent,

where theta is the mean loss (prior mean and standard deviation `scale`) and kappa a precision (prior mean
1 / rate; with an exponential prior the predictive would have no variance). Given kappa everything about theta
is in closed form, a compound Gamma distribution, so that one integral over log kappa remains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaln, digamma, gammaln, logsumexp, softmax

from frugal.checks import check_number
from frugal.folds.predictive import DROP, Predictive, narrowed, prob_greater

__all__ = ["Posterior", "prob_greater"]

Array = NDArray[np.float64]
_SHAPE = 3.0
"""Shape of the inverse Gamma prior on the mean: the smallest whole number with a finite variance."""
_N_SCAN, _N_NODES = 64, 64


class Posterior:
    """Posterior predictive distribution of one further fold log-loss. Made by `fit`.

    Attributes:
        losses: fitted losses, sorted, in nats.
        rate: 1 / prior mean of the precision.
        scale: prior mean of the mean loss, in nats.
        mean: mean of the posterior predictive, in nats.
        sd: standard deviation of the posterior predictive, in nats.
        log_evidence: log density of the losses under the model.
    """

    def __init__(self, losses: tuple[float, ...], rate: float, scale: float) -> None:
        self.losses, self.rate, self.scale = losses, rate, scale
        kappa, log_weights = self._nodes()
        self.log_evidence = float(logsumexp(log_weights))
        self._kappa, self._weights = kappa, softmax(log_weights)
        self._a: Array = _SHAPE + len(losses) * kappa
        self._b: Array = 2 * scale + kappa * sum(losses)
        self.mean = float(self._weights @ (self._b / (self._a - 1)))
        second: Array = self._b**2 / ((self._a - 1) * (self._a - 2)) * (1 + 1 / kappa)
        self.sd = math.sqrt(float(self._weights @ second) - self.mean**2)

    @classmethod
    def fit(cls, losses: Iterable[float], *, rate: float = 0.01, scale: float = 1.0) -> Posterior:
        """The posterior given fold log-losses; none give the prior.

        Args:
            losses: each above 0 and finite, in nats, in any order.
            rate: 1 / prior mean of the precision, at least 1e-6.
            scale: prior mean of the mean loss, at least 1e-6. Give one below the losses that you expect, such as a
                hundredth of log(n_classes), what guessing costs: losses far below it are hardly believed.

        Raises:
            ValueError: on a loss that is not above 0 and finite, or `rate` or `scale` out of range.
        """
        check_number("rate", rate, 1e-6)
        check_number("scale", scale, 1e-6)
        listed = sorted(float(loss) for loss in losses)
        for loss in listed:
            if not 0.0 < loss < math.inf:
                raise ValueError(
                    f"a log-loss must be above 0 and finite, got {loss!r}; clip the predicted probabilities"
                )
        return _fitted(tuple(listed), float(rate), float(scale))

    def pdf(self, x: ArrayLike) -> Array:
        """Density at x, of any shape; 0 at and below 0.

        Args:
            x: losses in nats.
        """
        x = np.asarray(x, dtype=float)
        log_x = np.log(np.where(x > 0, x, 1.0)).ravel()
        return np.where(x > 0, (self._mixture(log_x) * np.exp(-log_x)).reshape(x.shape), 0.0)

    def cdf(self, x: ArrayLike) -> Array:
        """Probability of a loss of at most x, of any shape.

        Args:
            x: losses in nats.
        """
        scaled: Array = self._kappa * np.maximum(np.asarray(x, dtype=float), 0.0)[..., None]
        with np.errstate(invalid="ignore"):
            share = np.where(np.isinf(scaled), 1.0, scaled / (scaled + self._b))
        return np.asarray(betainc(self._kappa, self._a, share) @ self._weights)

    def quantile(self, share: ArrayLike) -> Array:
        """The loss that a draw stays below with this probability, of any shape.

        Args:
            share: probabilities in [0, 1].
        """
        return np.exp(self.predictive.quantile(share))

    @cached_property
    def predictive(self) -> Predictive:
        """Distribution of the logarithm of one further loss."""
        centre = float(self._weights @ (np.log(self._b) - digamma(self._a)))
        width = float(self._weights @ np.sqrt(1 / self._kappa + 1 / self._kappa**2 + 1 / self._a))
        return Predictive(self._mixture, centre=centre, scale=min(width, 2.0), reach=1e4 + abs(centre))

    def _mixture(self, y: Array) -> Array:
        """Density of log x at y, shape (n,)."""
        kappa, a, b = self._kappa, self._a, self._b
        constant = kappa * np.log(kappa / b) - betaln(kappa, a)
        # (1 + kappa x / b) to the power -(a + kappa), by its logarithm: x overflows where y is large
        growth = np.logaddexp(0.0, y[:, None] + np.log(kappa / b))
        return np.asarray(np.exp(np.outer(y, kappa) + constant - growth * (a + kappa)) @ self._weights)

    def _nodes(self) -> tuple[Array, Array]:
        """Nodes of kappa on equal steps of its logarithm, and log weights that hold the integrand."""
        m, total, logs = len(self.losses), sum(self.losses), float(np.log(self.losses).sum())

        def log_integrand(u: Array) -> Array:
            kappa = np.exp(u)
            prior = 2 * math.log(2 * self.rate) - 2 * self.rate * kappa + 2 * u  # with the Jacobian of log kappa
            shape = _SHAPE + m * kappa
            likelihood = m * (kappa * u - gammaln(kappa)) + (kappa - 1) * logs
            mean = _SHAPE * math.log(2 * self.scale) - gammaln(_SHAPE) + gammaln(shape)
            return np.asarray(prior + likelihood + mean - shape * np.log(2 * self.scale + kappa * total))

        low, high = min(0.0, -math.log(self.rate)) - 2 * DROP, math.log((m + 100) / self.rate)
        for _ in range(2):
            grid = np.linspace(low, high, _N_SCAN)
            low, high = narrowed(grid, log_integrand(grid))
        u, step = np.linspace(low, high, _N_NODES, retstep=True)
        return np.exp(u), log_integrand(u) + math.log(step)


@lru_cache(maxsize=4096)
def _fitted(losses: tuple[float, ...], rate: float, scale: float) -> Posterior:
    return Posterior(losses, rate, scale)
