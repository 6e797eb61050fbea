"""Exact Gaussian process regression, hyperparameters given or fitted.

Source: `frugal.trials.surrogates.posterior` for the equations; hyperparameters by ML-II, L-BFGS-B on the log
evidence (plus the log density of the prior, if one is asked for) with its gradient, from several starting points.
The cost is cubic in the number of points: half a millisecond for each evidence with its gradient at 100 points.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_between, check_choice, check_finite, check_number, check_whole
from frugal.trials.checks import check_points, check_targets
from frugal.trials.surrogates.covariances import Covariance, stationary
from frugal.trials.surrogates.evidence import Evidence
from frugal.trials.surrogates.hyperparameters import PRIORS, Hyperparameters, Prior, RoboPrior
from frugal.trials.surrogates.kernels import Array, Kernel, kernel_named
from frugal.trials.surrogates.posterior import Data, Posterior


class GP:
    """f ~ GP(c, a k), y = f + noise; a hyperparameter that is given is fixed, one of None is fitted.

    Targets are used as they are: standardise them first where the prior `repaired` is asked for.

    Args:
        kernel: `se`, `matern52_ard`, `matern52_product` or `se_mahalanobis`.
        lengthscale: one number for all dimensions or (d,) of them, in units of the cube's edge.
        amplitude: variance of f.
        noise_variance: variance of an observation about f; 0 interpolates.
        mean: the constant prior mean c; None: the mean of the targets.
        prior: prior of the fitted hyperparameters: `flat` (plain ML-II), `repaired` (a posterior mode in the
            logarithms), or `robo`, RoBO's `DefaultPrior` with its slips (`hyperparameters.RoboPrior`).
        n_restarts: number of starting points of the fit; they are drawn from a fixed seed, so that equal data give
            equal fits.
        least_noise: smallest noise variance of a fit, in multiples of the variance of the targets, from 0 to 1.

    Raises:
        ValueError: on an unknown kernel or prior, a length-scale or amplitude that is not above 0, or a negative
            noise.

    Examples:
        >>> from frugal.trials.surrogates import GP
        >>> gp = GP(lengthscale=None, noise_variance=0.0).fit([[0.0], [0.5], [1.0]], [0.2, 0.1, 0.4])
        >>> mean, std = gp.predict([[0.5], [0.6]])
        >>> mean.round(2).tolist(), bool(std[0] < std[1])
        ([0.1, 0.13], True)
    """

    _priors: tuple[str, ...] = (*PRIORS, "robo")

    def __init__(
        self,
        kernel: str = "se",
        *,
        lengthscale: ArrayLike | None,
        amplitude: float | None = 1.0,
        noise_variance: float | None,
        mean: float | None = None,
        prior: str = "flat",
        n_restarts: int = 8,
        least_noise: float = 0.0,
    ) -> None:
        self._kernel: Kernel = kernel_named(kernel)
        self._covariance: Covariance = stationary(self._kernel)
        check_choice("prior", prior, self._priors)
        check_whole("n_restarts", n_restarts, 1)
        if lengthscale is not None:
            scales = np.asarray(lengthscale, dtype=float)
            if scales.ndim > 1 or not ((scales > 0) & np.isfinite(scales)).all():
                raise ValueError(
                    f"lengthscale must be one number or (d,) of them, all above 0, got {lengthscale!r}"
                )
        if amplitude is not None:
            check_number("amplitude", amplitude, 0, above=True)
        if noise_variance is not None:
            check_number("noise_variance", noise_variance, 0)
        if mean is not None:
            check_finite("mean", mean)
        check_between("least_noise", least_noise, 0, 1)
        self._given, self._least_noise = (lengthscale, amplitude, noise_variance), least_noise
        self._mean, self._prior_name, self._n_restarts = mean, prior, n_restarts
        self._posterior: Posterior | None = None
        self._offset = 0.0

    def fit(self, X: ArrayLike, y: ArrayLike, *, start: Array | None = None) -> Self:
        """Condition on data, after fitting what was not given; returns itself.

        Args:
            X: points of the unit cube, (n, d).
            y: finite targets, (n,), n at least 1.
            start: vectors `theta` of earlier fits, (p,) or (k, p), further starting points.

        Raises:
            ValueError: on other data, or length-scales that are not one per dimension.
            numpy.linalg.LinAlgError: if the covariance of the data has no Cholesky factor with any jitter allowed.
        """
        return self._fit_to(self.evidence(X, y), start)

    def _fit_to(self, evidence: Evidence, start: Array | None) -> Self:
        rng = np.random.default_rng(0)
        if not evidence.free.any():
            theta = evidence.template
        else:
            starts = evidence.prior.draw(rng, self._n_restarts)
            theta = evidence.maximum(starts if start is None else np.vstack([start, starts]))
        return self._at(evidence, theta)

    def n_hyperparameters(self, n_columns: int) -> int:
        """Length of `theta` for points of so many columns."""
        return self._covariance.n_parameters(n_columns) + 2

    def evidence(self, X: ArrayLike, y: ArrayLike) -> Evidence:
        """Data and free hyperparameters, for samplers of hyperparameters."""
        return self._evidence(X, y, self._least_noise)

    def _evidence(self, X: ArrayLike, y: ArrayLike, least_noise: float) -> Evidence:
        X = self._points(X).copy()  # the caller may change it
        y = check_targets(y, len(X))
        template = self._template(X.shape[1])
        offset = float(y.mean()) if self._mean is None else self._mean
        variance = float(y.var()) if np.ptp(y) else 0.0  # that of equal values may be round-off
        variance = variance or 1.0
        prior = self._prior(X.shape[1], variance)
        if least_noise:
            prior.box[-1, 0] = max(prior.box[-1, 0], math.log(least_noise * variance))
        data = Data.from_points(self._covariance, X, y - offset)
        return Evidence(self._covariance, data, template, prior, offset)

    def _points(self, X: ArrayLike, n_columns: int | None = None) -> Array:
        """Return X as an array (n, n_columns); raise ValueError unless this process accepts its rows."""
        return check_points(X, n_columns)

    def _prior(self, n_columns: int, variance: float) -> Prior:
        n_parameters = self._covariance.n_parameters(n_columns)
        if self._prior_name == "robo":
            return RoboPrior(d=n_columns, n_parameters=n_parameters)
        return Prior(self._prior_name, d=n_columns, n_parameters=n_parameters, variance=variance)

    def _template(self, n_columns: int) -> Array:
        """Theta for points of so many columns, nan where it is free."""
        d, (scale, amplitude, noise) = n_columns, self._given
        template = np.full(self._kernel.n_parameters(d) + 2, np.nan)
        if scale is not None:
            scales = np.asarray(scale, dtype=float)
            if scales.ndim == 1 and len(scales) != d:
                raise ValueError(
                    f"lengthscale must be one number or {d} of them, one per dimension, got {len(scales)}"
                )
            template[:d], template[d:-2] = np.log(scales), 0.0
        if amplitude is not None:
            template[-2] = math.log(amplitude)
        if noise is not None:
            template[-1] = math.log(noise) if noise else -np.inf
        return template

    def at(self, evidence: Evidence, theta: Array) -> Self:
        """A copy with these hyperparameters, conditioned on the data of `evidence`, which this GP made."""
        return copy.copy(self)._at(evidence, theta)

    def _at(self, evidence: Evidence, theta: Array) -> Self:
        self._posterior, self._offset = evidence.posterior(theta), evidence.offset
        return self

    @property
    def _fitted(self) -> Posterior:
        if self._posterior is None:
            raise ValueError("this GP has seen no data: call fit first")
        return self._posterior

    def predict(self, X: ArrayLike, *, with_noise: bool = False) -> tuple[Array, Array]:
        """Mean and standard deviation of f, or with noise of an observation, at X (m, d): each (m,).

        Raises:
            ValueError: on points outside the unit cube or before `fit`.
            FloatingPointError: if a variance is so far below 0 that it is no round-off.
        """
        posterior = self._fitted
        mean, variance = posterior.predict(self._points(X, posterior.data.X.shape[1]))
        return self._offset + mean, np.sqrt(variance + (posterior.noise if with_noise else 0.0))

    def predict_with_gradient(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean and standard deviation of f at X (m, d), then their derivatives: (m,), (m,), (m, d), (m, d)."""
        mean, variance, by_mean, by_variance = self._fitted.predict_with_gradient(X)
        std = np.sqrt(variance)
        return self._offset + mean, std, by_mean, by_variance / (2 * std[:, None])

    def covariance(self, A: Array, B: Array) -> Array:
        """Posterior covariance (m, n) of f at A (m, d) and f at B (n, d)."""
        return self._fitted.covariance(A, B)

    def believing(self, X: Array) -> Self:
        """The same process after its own means were observed at X (m, d): only its uncertainty changes."""
        posterior = self._fitted
        believed = posterior.predict(self._points(X, posterior.data.X.shape[1]))[0]
        X, residuals = np.vstack([posterior.data.X, X]), np.concatenate([posterior.data.residuals, believed])
        other = copy.copy(self)
        other._posterior = self._updated(posterior, Data.from_points(self._covariance, X, residuals))
        return other

    def _updated(self, posterior: Posterior, data: Data) -> Posterior:
        """The posterior given other values, with the same hyperparameters."""
        return Posterior(self._covariance, data, posterior.theta)

    @property
    def components(self) -> Sequence[Self]:
        """Itself: one setting of the hyperparameters."""
        return (self,)

    @property
    def log_evidence(self) -> float:
        """Log density of the targets."""
        return self._fitted.log_evidence

    @property
    def noise_variance(self) -> float:
        """Variance of an observation about f, given or fitted."""
        return self._fitted.noise

    @property
    def jitter(self) -> float:
        """Jitter added to the diagonal of the covariance, 0 if none."""
        return self._fitted.jitter

    @property
    def theta(self) -> Array:
        """All hyperparameters as one vector: log length-scales, shears, log amplitude, log noise variance."""
        return self._fitted.theta

    @property
    def hyperparameters(self) -> Hyperparameters:
        """All hyperparameters, given or fitted, in their own units."""
        return Hyperparameters.from_theta(self.theta, self._fitted.data.X.shape[1])
