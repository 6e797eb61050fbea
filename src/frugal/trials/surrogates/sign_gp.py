"""A Gaussian process conditioned on values and on signs of partial derivatives.

Source: Riihimaki and Vehtari (2010), "Gaussian processes with monotonicity information", as document 004 uses
it. The likelihood of a sign is probit, Phi(sign df / dx_dim / v), and is handled by expectation propagation
(`frugal.trials.surrogates.sign_sites`); hyperparameters that are not given are fitted to the log evidence of
values and signs, with its gradient.

Differs from document 004, whose kernel is isotropic with unit amplitude: length-scales are one per dimension and
the amplitude may be fitted (both can be given). Many sites close together are counted as more than they say (their
posterior is too narrow and their evidence too low), so keep them few and apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_choice, check_number, check_whole
from frugal.trials.checks import check_points
from frugal.trials.surrogates.evidence import Evidence
from frugal.trials.surrogates.gp import GP
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.posterior import Data, Posterior
from frugal.trials.surrogates.sign_posterior import PROFILES, SignData, SignPosterior, Sites

LEAST_NOISE = 1e-4
"""Least noise variance that is fitted where there are sites, in multiples of the variance of the targets, whatever
`least_noise` says: with less, values that contradict the signs leave sites without a cavity."""
ALARM = -10.0
"""Signs are in doubt if the log evidence with them less that without, each fitted by itself, is below this."""


@dataclass(frozen=True)
class SignEvidence(Evidence):
    """Values and signs, and the hyperparameters that are to be fitted to both."""

    def posterior(self, theta: Array) -> Posterior:
        """The process given all of theta, by expectation propagation."""
        assert isinstance(self.data, SignData)
        return SignPosterior(self.covariance, self.data, theta)


class SignGP(GP):
    """`GP` with signs. Without signs it equals `GP` to the last digit.

    Args:
        kernel: `se` or `matern52_ard`.
        v: scale of the probit likelihood, in units of the derivative; below a thousandth of the derivatives'
            standard deviations it makes no difference.
        **settings: further arguments of `GP`; with signs `least_noise` is at least 1e-4 (`LEAST_NOISE`).

    Raises:
        ValueError: as `GP`, or on another kernel or a negative v.

    Examples:
        >>> from frugal.trials.surrogates import SignGP
        >>> gp = SignGP(lengthscale=0.5, noise_variance=1e-6)
        >>> X, y = [[0.0], [0.2]], [0.5, 0.4]
        >>> plain, _ = gp.fit(X, y).predict([[1.0]])
        >>> signed, _ = gp.fit(X, y, site_X=[[0.6]], site_dim=[0], site_sign=[-1]).predict([[1.0]])
        >>> plain.round(2).tolist(), signed.round(2).tolist()  # with the error falling at 0.6
        ([0.36], [-0.34])
    """

    def __init__(self, kernel: str = "se", *, v: float = 1e-6, **settings: Any) -> None:
        check_choice("kernel", kernel, PROFILES)
        super().__init__(kernel, **settings)
        check_number("v", v, 0)
        self._kernel_name, self._v = kernel, v

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        site_X: ArrayLike = (),
        site_dim: ArrayLike = (),
        site_sign: ArrayLike = (),
        *,
        start: Array | None = None,
    ) -> Self:
        """Condition on values and signs, after fitting what was not given; returns itself.

        Args:
            X: points of the unit cube, (n, d).
            y: finite targets, (n,), n at least 1.
            site_X: points of the unit cube, (m, d); m may be 0.
            site_dim: coordinate of each derivative, (m,), whole numbers in [0, d).
            site_sign: of df / dx_dim, (m,), each -1 or 1.
            start: vectors `theta` of earlier fits, (p,) or (k, p), further starting points.

        Raises:
            ValueError: on other data or sites, or both signs of one derivative.
            numpy.linalg.LinAlgError: as in `GP`.
        """
        return self._fit_to(self.evidence(X, y, site_X, site_dim, site_sign), start)

    def evidence(
        self,
        X: ArrayLike,
        y: ArrayLike,
        site_X: ArrayLike = (),
        site_dim: ArrayLike = (),
        site_sign: ArrayLike = (),
    ) -> Evidence:
        """The values and signs, as in `fit`, and what is to be fitted to them."""
        X = self._points(X)
        sites = self._sites(X.shape[1], site_X, site_dim, site_sign)
        if sites is None:
            return super().evidence(X, y)
        plain = self._evidence(X, y, max(self._least_noise, LEAST_NOISE))
        data = SignData.with_sites(plain.data, sites)
        return SignEvidence(self._covariance, data, plain.template, plain.prior, plain.offset)

    def _sites(self, d: int, X: ArrayLike, dim: ArrayLike, sign: ArrayLike) -> Sites | None:
        dims, signs = np.asarray(dim), np.asarray(sign, dtype=float)
        n = len(np.asarray(X))
        if dims.shape != (n,) or signs.shape != (n,):
            raise ValueError(
                f"site_dim and site_sign must have shape ({n},), one per row of site_X, "
                f"got {dims.shape} and {signs.shape}"
            )
        if n == 0:
            return None
        points = check_points(X, d, "site_X")
        for number in dims.tolist():
            check_whole("site_dim", number, 0, d - 1, "the last coordinate")
        if not np.isin(signs, (-1.0, 1.0)).all():
            raise ValueError(f"site_sign must be -1 or 1, got {signs[~np.isin(signs, (-1.0, 1.0))][0]:g}")
        claimed: dict[tuple[bytes, int], float] = {}
        for point, number, one in zip(points, dims.tolist(), signs.tolist(), strict=True):
            if claimed.setdefault((point.tobytes(), number), one) != one:
                raise ValueError(
                    "site_sign must not contradict itself, "
                    f"got -1 and 1 in coordinate {number} at {point.tolist()}"
                )
        return Sites.from_points(points.copy(), dims.astype(np.int64), signs, self._kernel_name, self._v)

    def _updated(self, posterior: Posterior, data: Data) -> Posterior:
        """The posterior given other values, with the same hyperparameters and sites."""
        if not isinstance(posterior, SignPosterior):
            return super()._updated(posterior, data)
        assert isinstance(posterior.data, SignData)
        with_sites = SignData.with_sites(data, posterior.data.sites)
        return SignPosterior(self._covariance, with_sites, posterior.theta, posterior.held)
