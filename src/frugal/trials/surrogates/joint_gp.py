"""A Gaussian process on joint points: a candidate, then what its trial was run on, a size or a task.

Everything but the covariance and the prior of its hyperparameters is `GP`'s. Two priors of
`frugal.trials.surrogates.hyperparameters`: `repaired` for standardised targets, and `robo` for the plain
logarithms of errors or seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_positive
from frugal.trials.checks import check_points
from frugal.trials.surrogates.covariances import Fidelity, Joint
from frugal.trials.surrogates.gp import GP
from frugal.trials.surrogates.hyperparameters import Hyperparameters, Prior, RoboPrior
from frugal.trials.surrogates.kernels import Array


class JointGP(GP):
    """f ~ GP(c, a k_x g), g a factor of the last column; a hyperparameter that is given is fixed, None is fitted.

    Args:
        fidelity: the factor.
        mixing: parameters of the factor where they are given, else nan, (q,).
        noise_scale: scale of the horseshoe on the noise's standard deviation, or with `robo` on its variance.
        kernel: kernel of the candidates, as in `GP`.
        prior: `repaired` or `robo`.
        lengthscale: one number for all dimensions of a candidate or (d,) of them, in units of the cube's edge.
        amplitude: a, a variance.
        noise_variance: variance of an observation about f.
        mean: the constant prior mean c; None: the mean of the targets.
        n_restarts: starting points of `fit`.

    Raises:
        ValueError: as `GP`, or on a noise scale that is not above 0.
    """

    _priors: tuple[str, ...] = ("repaired", "robo")
    _robo: Mapping[str, Any] = {}
    """Arguments of `RoboPrior` in which it differs from the prior `repaired`."""

    def __init__(
        self,
        fidelity: Fidelity,
        *,
        mixing: Array,
        noise_scale: float,
        kernel: str = "matern52_product",
        prior: str = "repaired",
        lengthscale: ArrayLike | None = None,
        amplitude: float | None = None,
        noise_variance: float | None = None,
        mean: float | None = None,
        n_restarts: int = 8,
    ) -> None:
        super().__init__(
            kernel,
            lengthscale=lengthscale,
            amplitude=amplitude,
            noise_variance=noise_variance,
            mean=mean,
            prior=prior,
            n_restarts=n_restarts,
        )
        check_positive("noise_scale", noise_scale)
        self._fidelity, self._given_mixing, self._noise_scale = fidelity, mixing, noise_scale
        self._covariance = Joint(self._kernel, fidelity)

    def _points(self, X: ArrayLike, n_columns: int | None = None) -> Array:
        points = np.array(X, dtype=float)
        inside = points.copy()
        if points.ndim == 2 and points.shape[1]:
            inside[:, -1] = self._in_cube(points[:, -1])
        if check_points(inside, n_columns).shape[1] < 2:
            raise ValueError(f"X must have a column at least beside its last one, got shape {points.shape}")
        return points

    def _in_cube(self, last: Array) -> Array:
        """What has to lie in [0, 1] of the last column (n,)."""
        return last

    def _template(self, n_columns: int) -> Array:
        return np.insert(super()._template(n_columns - 1), -2, self._given_mixing)

    def _prior(self, n_columns: int, variance: float) -> Prior:
        shared: dict[str, Any] = {
            "d": n_columns - 1,
            "n_parameters": self._covariance.n_parameters(n_columns),
            "fidelity": self._fidelity.box,
            "noise_scale": self._noise_scale,
        }
        if self._prior_name == "robo":
            return RoboPrior(**(shared | dict(self._robo)))
        return Prior(self._prior_name, variance=variance, **shared)

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Those given and those fitted, in their own units, but for `weights`."""
        n_mixing, d = len(self._given_mixing), self._fitted.data.X.shape[1] - 1
        return Hyperparameters.from_theta(np.delete(self.theta, np.s_[-2 - n_mixing : -2]), d)

    @property
    def weights(self) -> Array:
        """Covariance W (r, r) of the features of the last column; the variance of f there is a phi' W phi."""
        return self._fidelity.weights(self.theta[-2 - len(self._given_mixing) : -2])
