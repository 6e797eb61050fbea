"""Top-two expected improvement: the rival that could most improve on the point that EI would take.

Source: Qin, Klabjan and Russo (2017), "Improving the expected improvement algorithm", section 3, for minimisation:

    i1 = argmax_i E[(m* - f_i)+],   i2 = argmax_i E[(f_i1 - f_i)+]
    E[(f_j - f_i)+] = d h(t / d),   t = m_j - m_i,   d^2 = S_ii + S_jj - 2 S_ij

Differs from it: with a Gaussian process the arms are not independent, so the covariance stays; and the arms are a
finite set of points of the cube.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from frugal.trials.acquisitions.expected_improvement import log_ei, log_mean_exp
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.protocol import Component

_SAME = 1e-12
"""Threshold of d^2 in multiples of the two variances, below which two points count as the same."""


def log_rival_ei(components: Sequence[Component], X: Array, x: Array) -> Array:
    """Log of E[(f(x) - f(X))+], averaged over components.

    Args:
        components: of a surrogate fitted to targets that are minimised.
        X: rivals, (m, d).
        x: the point they are compared with, (d,).

    Returns:
        Shape (m,); -inf where a rival is x itself.
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
