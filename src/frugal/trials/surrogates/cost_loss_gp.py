"""One Gaussian process of loss and cost, so that the loss of a candidate informs its cost.

Source: document 003, section 4: "merge the two Gaussian processes c and f into a single cost-loss model over the
parameter space Theta = Lambda x [0, 1] x {cost, loss} where information about the loss of a configuration is
indicative about its cost. Finding a suitable kernel function for this joint GP model could be a subject of further
research." Ours is the simplest that has Fabolas' two kernels (`size_gp`) as a special case. Here x is a candidate,
s in [0, 1] a size, t is loss or cost, a the amplitude, psi_loss(s) = (1 - s)^2 and psi_cost(s) = s:

    k((x, s, t), (x', s', t')) = a k_x(x, x') phi_t(s)' W_tt' phi_t'(s'),   phi_t(s) = (1, psi_t(s))
    W_tt = diag(env_a, env_b) of each t;   W_loss,cost = rho (env_a of both)^(1/2) between the constants, else 0

rho = tanh(r) is the correlation of the log error at full size with the log cost at the smallest. Loss and cost
share k_x with its length-scales, and the noise, so standardise each of them first. With rho = 0 they are not yet
the two models of Fabolas, whose length-scales and noises are fitted apart.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from frugal.trials.surrogates.joint_gp import JointGP
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.size_gp import CORRELATION_BOX, ENV_BOX

COST: Final = 2.0
"""Added to the size s in the last column if the target is a cost."""


class _CostLossFactor:
    """phi_t(s)' W phi_t'(s'), with the logarithms of the loss's env_a, env_b and the cost's, and r."""

    @property
    def box(self) -> Array:
        return np.array([ENV_BOX] * 4 + [CORRELATION_BOX])

    def features(self, u: Array) -> Array:
        loss, cost, s = _parts(u)
        return np.array([loss, loss * (1 - s) ** 2, cost, cost * s])

    def slopes(self, u: Array) -> Array:
        loss, cost, s = _parts(u)
        return np.array([np.zeros_like(u), -2 * loss * (1 - s), np.zeros_like(u), cost])

    def weights(self, parameters: Array) -> Array:
        W = np.diag(np.exp(parameters[:4]))
        W[0, 2] = W[2, 0] = math.tanh(parameters[4]) * math.sqrt(W[0, 0] * W[2, 2])
        return W

    def weights_gradient(self, parameters: Array) -> Array:
        W = self.weights(parameters)
        gradient = np.zeros((5, 4, 4))
        gradient[np.arange(4), np.arange(4), np.arange(4)] = np.diag(W)
        for i in (0, 2):
            gradient[i, 0, 2] = gradient[i, 2, 0] = W[0, 2] / 2
        gradient[4, 0, 2] = gradient[4, 2, 0] = math.sqrt(W[0, 0] * W[2, 2]) / math.cosh(parameters[4]) ** 2
        return gradient


def _parts(u: Array) -> tuple[Array, Array, Array]:
    """Indicators of loss and of cost, and sizes s."""
    cost = np.asarray(u >= COST, dtype=float)
    return 1 - cost, cost, u - COST * cost


class CostLossGP(JointGP):
    """Standardised log errors and log costs at joint points (n, d + 1): the last column is s, or `COST` + s.

    Args:
        weights: five numbers: env_a and env_b of the loss, env_a and env_b of the cost, all above 0, and rho,
            within -0.9999 and 0.9999. Numbers that are nan are fitted.
        **settings: settings of `JointGP`, but for `prior`, which is `repaired`.

    Raises:
        ValueError: on other weights, or as `JointGP`.
    """

    _priors = ("repaired",)

    def __init__(self, *, weights: ArrayLike, **settings: Any) -> None:
        super().__init__(_CostLossFactor(), mixing=_given(weights), noise_scale=0.001, **settings)

    def _in_cube(self, last: Array) -> Array:
        return _parts(last)[2]


def _given(weights: ArrayLike) -> Array:
    """Parameters of the factor, nan where they are free."""
    values = np.asarray(weights, dtype=float)
    if (
        values.shape != (5,)
        or not (np.isnan(values[:4]) | ((values[:4] > 0) & np.isfinite(values[:4]))).all()
        or abs(values[4]) >= math.tanh(CORRELATION_BOX[1])
    ):
        raise ValueError(
            "weights must be env_a and env_b of loss and of cost, above 0, and a correlation within -0.9999 and"
            f" 0.9999, got {weights!r}"
        )
    return np.append(np.log(values[:4]), np.arctanh(values[4]))
