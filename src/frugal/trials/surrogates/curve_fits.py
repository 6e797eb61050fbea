"""Least-squares fits of each family to a learning curve, and the start of the joint sampling.

Source: Domhan, Springenberg and Hutter (2015) and their published code: Levenberg-Marquardt from the family's
starting values, L-BFGS-B with a numerical gradient where that fails. A family is dropped if both fail, if its fit
violates the prior, or if its value at the horizon lies outside [0, 100].
Differs from the code: where Levenberg-Marquardt has not converged after 100 steps per parameter (along a valley,
as with the four-parameter families it often does not), its last point is kept; L-BFGS-B, at four times the cost,
had a larger sum of squares in each of 15 such fits out of 66. And chains start from weights that follow the fits.
From equal ones, the authors', a family that fits badly sets sigma, and 4,000 steps do not suffice to leave it: on
60 of 500 points of log_power with noise 5e-4, sigma then is 4.5e-3 and the log posterior 105 below that after 800
steps from the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from frugal.trials.surrogates.curve_families import Array, Family, Times
from frugal.trials.surrogates.curve_posterior import (
    MAX_FINAL,
    MIN_SIGMA,
    CurvePosterior,
    checked_values,
    family_allowed,
)

STARTS: Final = ("by_fit", "equal")
START_WEIGHT: Final = 10.0
"""Mean over the families, where weights are divided by their sum."""
_UNDEFINED: Final = 1e3
"""Residual where a family is not defined: far above that of any accuracy, and finite, as both optimisers need."""
_STEP: Final = float(np.finfo(float).eps ** (1 / 3))


@dataclass(frozen=True, eq=False)
class FamilyFit:
    """A family's least-squares fit.

    Attributes:
        family: what was fitted.
        theta: its parameters; nan if no fit was found.
        sigma: standard deviation of the residuals.
        dropped: why it takes no part in the combination; empty if it does.
    """

    family: Family
    theta: Array
    sigma: float
    dropped: str


def fit_family(family: Family, y: Array, horizon: float, prior: str) -> FamilyFit:
    """Fit a family to y (n,) at epochs 1 to n."""
    times = Times.of(np.arange(1, len(y) + 1))

    def residuals(theta: Array) -> Array:
        values = family(theta, times)
        return np.where(np.isfinite(values), np.clip(values - y, -_UNDEFINED, _UNDEFINED), _UNDEFINED)

    def jacobian(theta: Array) -> Array:
        """Central differences, (n, p), of all parameters in one call."""
        steps = _STEP * np.maximum(1.0, np.abs(theta)) * np.eye(len(theta))
        moved = residuals(np.vstack([theta + steps, theta - steps])).reshape(2, len(theta), -1)
        return np.asarray((moved[0] - moved[1]).T / (2 * steps.diagonal()))

    def squares(theta: Array) -> float:
        return float((residuals(theta) ** 2).sum())

    from scipy import optimize  # not above: `CurveModel` has it loaded, and pages do not need it

    found = optimize.least_squares(residuals, family.start, jacobian, method="lm", x_scale="jac")
    theta = np.asarray(found.x)
    if not np.isfinite(family(theta, times)).all():
        theta = np.asarray(optimize.minimize(squares, family.start, method="L-BFGS-B").x)
    values = family(theta, times)
    if not np.isfinite(values).all():
        return FamilyFit(family, np.full(len(family.start), math.nan), math.nan, "no fit was found")
    sigma = float((y - values).std())
    checked = checked_values(family, theta, prior, horizon)
    if not 0 <= checked[0, -1] <= MAX_FINAL:
        return FamilyFit(family, theta, sigma, f"its value at the horizon is {checked[0, -1]:g}")
    return FamilyFit(family, theta, sigma, "" if family_allowed(checked, prior)[0] else "it falls")


def joint_start(
    posterior: CurvePosterior, fits: Sequence[FamilyFit], *, normalise_weights: bool, weights: str = "by_fit"
) -> Array:
    """Vector (dim,) of the kept fits; sigma: the standard deviation of y from their weighted mean.

    Weights are `equal`, as the authors', or those `by_fit`: proportional to 1 / sigma_k^2.
    """
    times = Times.of(np.arange(1, len(posterior.y) + 1))
    curves = np.array([fit.family(fit.theta, times) for fit in fits])
    shares = np.array([1.0 if weights == "equal" else max(fit.sigma, MIN_SIGMA) ** -2 for fit in fits])
    shares /= shares.sum()
    theta = np.concatenate([fit.theta for fit in fits])
    is_sampled = posterior.dim > len(theta) + len(shares)
    sigma = [max(float((posterior.y - shares @ curves).std()), 2 * MIN_SIGMA)] if is_sampled else []
    return np.concatenate([theta, sigma, shares * (START_WEIGHT * len(fits) if normalise_weights else 1.0)])
