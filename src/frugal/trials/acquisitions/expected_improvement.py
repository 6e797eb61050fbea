"""Expected improvement, for minimisation, in logarithms that hold in the far tail.

With baseline eta, mean mu, standard deviation s, z = (eta - mu) / s and h(z) = phi(z) + z Phi(z):

    EI = s h(z),   log EI = log s + log h(z),   d log EI = (phi(z) ds - Phi(z) dmu) / (s h(z))

Source: Snoek, Larochelle and Adams (2012), section 2.2, for EI and its average over hyperparameters; Ament et al.
(2023), "Unexpected improvements to expected improvement for Bayesian optimization", equation 9, for log h.
Document 002 prints z Phi(z) where h(z) is meant (it writes gamma for z).

Top-two expected improvement takes the rival that could most improve on the point that EI would take. Source: Qin,
Klabjan and Russo (2017), "Improving the expected improvement algorithm", section 3, for minimisation. Let f_i
be the value at point i, m_i and S_ij the posterior means and covariances, and m* the baseline:

    i1 = argmax_i E[(m* - f_i)+],   i2 = argmax_i E[(f_i1 - f_i)+]
    E[(f_j - f_i)+] = d h(t / d),   t = m_j - m_i,   d^2 = S_ii + S_jj - 2 S_ij

Differs from it: its arms are independent. Here they are a finite set of points of the cube, whose covariance under
the Gaussian process is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import erfcx, log_ndtr, logsumexp

from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.protocol import Component

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


def log_h(z: Array) -> Array:
    """log(phi(z) + z Phi(z)), of any shape; relative error below 1e-15 from z = -1e8 to 3.

    Args:
        z: distance below the baseline, in standard deviations.

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.acquisitions import log_h
        >>> log_h(np.array([0.0, -40.0])).round(2).tolist()  # exp(-808) is 0 in floating point
        [-0.92, -808.3]
    """
    z = np.asarray(z, dtype=float)
    value = np.empty_like(z)
    near, far = z > -1, z <= -1e6
    between = ~near & ~far
    x = z[near]
    value[near] = np.log(np.exp(-0.5 * x * x - _HALF_LOG_2PI) + x * np.exp(log_ndtr(x)))
    x = z[between]
    # log(|z| Phi(z) / phi(z)), which is below 0
    ratio = np.log(erfcx(-x / math.sqrt(2)) * -x) + 0.5 * math.log(math.pi / 2)
    value[between] = -0.5 * x * x - _HALF_LOG_2PI + _log1mexp(ratio)
    x = z[far]
    value[far] = -0.5 * x * x - _HALF_LOG_2PI - 2 * np.log(-x)
    return value


def _log1mexp(x: Array) -> Array:
    """log(1 - exp(x)) for x < 0."""
    close = x > -math.log(2)
    value = np.empty_like(x)
    value[close], value[~close] = np.log(-np.expm1(x[close])), np.log1p(-np.exp(x[~close]))
    return value


def log_ei(mean: Array, std: Array, eta: float) -> Array:
    """Log expected improvement below `eta`, any shape.

    Args:
        mean: means of the candidates' errors.
        std: their standard deviations, above 0.
        eta: the baseline.

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.acquisitions import log_ei
        >>> log_ei(np.array([0.3, 0.1]), np.array([0.1, 0.1]), 0.2).round(2).tolist()
        [-4.79, -2.22]
    """
    return np.asarray(np.log(std) + log_h((eta - mean) / std))


class LogEI:
    """Log of the expected improvement averaged over the components of a surrogate.

    Args:
        components: components of a surrogate of targets that are minimised.
        etas: the baseline of each component.
        logs: average the logarithms instead, as RoBO does: a geometric mean.

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.acquisitions import LogEI
        >>> from frugal.trials.surrogates import GP
        >>> gp = GP(lengthscale=0.3, noise_variance=0.0).fit([[0.0], [1.0]], [0.2, 0.4])
        >>> acquisition = LogEI(gp.components, etas=[0.2])
        >>> X = np.linspace(0, 1, 5)[:, None]
        >>> float(X[acquisition(X).argmax(), 0])
        0.5
    """

    def __init__(self, components: Sequence[Component], etas: Sequence[float], *, logs: bool = False) -> None:
        self._components, self._etas, self._logs = components, etas, logs

    def __call__(self, X: Array) -> Array:
        """Values at X (m, d): (m,)."""
        pairs = zip(self._components, self._etas, strict=True)
        values = np.array([log_ei(*component.predict(X), eta) for component, eta in pairs])
        return np.asarray(values.mean(axis=0)) if self._logs else log_mean_exp(values)

    def with_gradient(self, x: Array) -> tuple[float, Array]:
        """Value and gradient (d,) at one point x (d,)."""
        values, gradients = [], []
        for component, eta in zip(self._components, self._etas, strict=True):
            mean, std, by_mean, by_std = component.predict_with_gradient(x[None])
            z, s = (eta - mean) / std, std[0]
            log_value = log_h(z)
            log_density = -0.5 * z * z - _HALF_LOG_2PI
            if z[0] <= -1e6:  # there the differences of logarithms below lose their digits
                to_std, to_mean = z[0] ** 2, -z[0]
            else:
                to_std, to_mean = np.exp(log_density - log_value)[0], np.exp(log_ndtr(z) - log_value)[0]
            values.append(math.log(s) + float(log_value[0]))
            gradients.append((to_std * by_std[0] - to_mean * by_mean[0]) / s)
        if len(values) == 1:
            return values[0], np.asarray(gradients[0])
        if self._logs:
            return float(np.mean(values)), np.asarray(np.mean(gradients, axis=0))
        total = float(logsumexp(values))
        shares = np.exp(np.array(values) - total)
        return total - math.log(len(values)), np.asarray(shares @ np.array(gradients))


def log_mean_exp(logs: Array) -> Array:
    """Log of the mean over the first axis."""
    return logs[0] if len(logs) == 1 else np.asarray(logsumexp(logs, axis=0) - math.log(len(logs)))


def best_means(components: Sequence[Component], X: Array) -> list[float]:
    """Lowest posterior mean of each component among the points X (n, d): a baseline that noise does not lower.

    Examples:
        >>> from frugal.trials.acquisitions import best_means
        >>> from frugal.trials.surrogates import GP
        >>> gp = GP(lengthscale=0.3, noise_variance=0.01).fit([[0.0], [1.0]], [0.2, 0.4])
        >>> [round(mean, 3) for mean in best_means(gp.components, [[0.0], [1.0]])]
        [0.201]
    """
    return [float(component.predict(X)[0].min()) for component in components]


_SAME = 1e-12
"""Threshold of d^2 in multiples of the two variances, below which two points count as the same."""


def log_rival_ei(components: Sequence[Component], X: Array, x: Array) -> Array:
    """Log of E[(f(x) - f(X))+], averaged over components.

    Args:
        components: components of a surrogate of targets that are minimised.
        X: rivals, (m, d).
        x: the point they are compared with, (d,).

    Returns:
        Shape (m,); -inf where a rival is x itself.

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.acquisitions import log_rival_ei
        >>> from frugal.trials.surrogates import GP
        >>> gp = GP(lengthscale=0.3, noise_variance=0.0).fit([[0.0], [1.0]], [0.2, 0.4])
        >>> log_rival_ei(gp.components, np.array([[0.5], [0.6]]), np.array([0.5])).round(2).tolist()
        [-inf, -2.39]
    """
    values = []
    for component in components:
        mean, std = component.predict(X)
        mean_x, std_x = component.predict(x[None])
        together = std**2 + std_x**2
        spread = together - 2 * component.covariance(X, x[None])[:, 0]
        same = spread <= _SAME * together
        values.append(
            np.where(same, -np.inf, log_ei(mean, np.sqrt(np.where(same, 1.0, spread)), float(mean_x[0])))
        )
    with np.errstate(divide="ignore"):
        return log_mean_exp(np.array(values))
