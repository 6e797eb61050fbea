"""DNGO's prior mean: a convex quadratic, so that the surrogate expects an optimum inside the cube.

Source: Snoek et al. (2015), "Scalable Bayesian optimization using deep neural networks", section 3.2:

    eta(x) = level + sum_d curvature_d (x_d - centre_d)^2,   curvature_d >= 0

The regression on the network's features predicts y - eta. Here y is standardised and minimised (for an objective
to be maximised, negate y), and x lies in the unit cube. Priors: each curvature has a horseshoe of scale 0.1, by
its usual bound `log(1 + 3 (0.1 / curvature)^2)`. Each centre is normal with mean 1/2 and standard deviation 1/4.
The level is standard normal. Differs from the paper: level, centres and curvatures are set to their most probable
values, together with the regression's precisions; the paper draws them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from scipy import optimize

from frugal.trials.surrogates.blr_hyperparameters import BOX, PRIOR_MEANS
from frugal.trials.surrogates.kernels import Array

SCALE: Final = 0.1
"""Scale of the horseshoe."""
CENTRE_SD: Final = 0.25
"""Standard deviation of the prior of each centre, whose mean is 1/2."""


@dataclass(frozen=True)
class Quadratic:
    """A convex quadratic with its axes along the cube's.

    Attributes:
        level: the least value.
        centre: point of the least value, (d,), in the cube.
        curvature: factors of the squared distances from the centre, (d,), at least 0.
    """

    level: float
    centre: Array
    curvature: Array

    @classmethod
    def zero(cls, n_dimensions: int) -> Self:
        """0 everywhere."""
        return cls(0.0, np.full(n_dimensions, 0.5), np.zeros(n_dimensions))

    @classmethod
    def fit(cls, X: Array, y: Array, features: Array) -> Self:
        """The most probable one beside a Bayesian linear regression of the rest.

        Args:
            X: points of the unit cube, (n, d).
            y: standardised targets, (n,).
            features: of the regression, (n, H).
        """
        U, singular, _ = np.linalg.svd(features, full_matrices=False)
        d = X.shape[1]
        start = np.concatenate([PRIOR_MEANS, [0.0], np.full(d, 0.5), np.zeros(d)])
        box = [(-BOX, BOX)] * 2 + [(None, None)] + [(0.0, 1.0)] * d + [(-BOX, BOX)] * d
        found = optimize.minimize(
            negative_log_joint, start, args=(X, y, U, singular**2), jac=True, method="L-BFGS-B", bounds=box
        )
        return cls(float(found.x[2]), found.x[3 : 3 + d], np.exp(found.x[3 + d :]))

    def __call__(self, X: Array) -> Array:
        """At X (m, d), shape (m,)."""
        return np.asarray(self.level + (X - self.centre) ** 2 @ self.curvature)

    def gradient(self, X: Array) -> Array:
        """Derivatives at X (m, d), same shape."""
        return 2 * (X - self.centre) * self.curvature


def negative_log_joint(theta: Array, X: Array, y: Array, U: Array, squares: Array) -> tuple[float, Array]:
    """Minus the log of evidence times priors, up to a constant, and its gradient.

    Args:
        theta: log alpha, log s2, level, d centres, d log curvatures.
        X: (n, d).
        y: (n,).
        U: left singular vectors of the features, (n, r).
        squares: squared singular values of the features, (r,).
    """
    d = X.shape[1]
    (log_alpha, log_s2, level), centre, log_curvature = theta[:3], theta[3 : 3 + d], theta[3 + d :]
    curvature, offsets = np.exp(log_curvature), X - centre
    residuals = y - level - offsets**2 @ curvature
    noise, signal = math.exp(log_s2), squares * math.exp(-log_alpha)
    variances, inside = noise + signal, U.T @ residuals
    rest, n_rest = residuals - U @ inside, len(y) - len(squares)
    weighted = U @ (inside / variances) + rest / noise  # the inverse covariance times the residuals
    half = (n_rest * log_s2 + np.log(variances).sum() + residuals @ weighted) / 2
    slack = (1 - inside**2 / variances) / variances / 2
    by_alpha = -(signal @ slack)
    by_s2 = noise * slack.sum() + (n_rest - rest @ rest / noise) / 2
    by_centre = weighted @ offsets * 2 * curvature
    by_curvature = -(weighted @ offsets**2) * curvature
    ratio = 3 * (SCALE / curvature) ** 2
    bound = np.log1p(ratio)
    deviations = theta[:2] - PRIOR_MEANS
    prior = (deviations @ deviations + level**2 + ((centre - 0.5) ** 2).sum() / CENTRE_SD**2) / 2
    prior -= (np.log(bound) + log_curvature).sum()  # the Jacobian of the logarithm
    gradient = np.concatenate(
        [
            np.array([by_alpha, by_s2]) + deviations,
            [level - weighted.sum()],
            by_centre + (centre - 0.5) / CENTRE_SD**2,
            by_curvature + 2 * ratio / (1 + ratio) / bound - 1,
        ]
    )
    return float(half + prior), gradient
