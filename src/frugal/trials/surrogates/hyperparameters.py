"""Hyperparameters of a Gaussian process: free entries, bounds and priors.

All are kept in one vector theta: the kernel's parameters (log length-scales, then the shears of se_mahalanobis),
those of a last column that is a size or a task (`frugal.trials.surrogates.covariances`), the log amplitude and the
log noise variance; amplitude and noise are variances.

Two priors of ours. `flat` is none, within a box that scales with the variance v of the targets: l in [1e-3, 1e2],
amplitude in [1e-4, 1e4] v, noise in [1e-8, 10] v, shears in [-10, 10]. `repaired`, for standardised targets, is
that of Spearmint and RoBO without their slips: log a ~ N(0, 1) for the amplitude a, and log l ~ U[-5, 1]. The
noise's standard deviation s has a horseshoe, whose density is, with its Jacobian and up to a constant,

    log p(log noise_variance) = log log(1 + 3 (scale / s)^2) + log s,   scale 0.001 (Fabolas) or 0.1 (others)

Shears, of which no source speaks, and the parameters of a last column are N(0, 1). Parameters of a last column
that may not be negative are cut at 0. Amplitude and noise lie in [e^-20, e^20].

`RoboPrior` is the prior as RoBO codes it for EI, Fabolas and MTBO, slips included, for faithful runs. Source:
RoBO's `DefaultPrior` (plain processes), `EnvPrior` and `MTBOPrior`; see section 4 of `docs/methods.md`. On the
logarithms, up to a constant:

    log a                log-normal (sigma 1), shifted by -2 (Fabolas) or 0 (others): none below the shift
    log l                uniform on [-5, 1] (RoBO's parameter is log l^2, on [-10, 2])
    Fabolas: log env_a, log env_b   the density, not the log density, of N(0, 1) is added: almost flat
    MTBO: entries of the task factor   uniform
    log noise_variance   log log(1 + 3 (scale / noise_variance)^2), no Jacobian; scale 0.001 (Fabolas) or 0.1

Starting points follow RoBO too: log a is drawn log-normal about e^-2 for Fabolas, which is not the density above.
All lie in [-20, 20]. Targets of Fabolas and MTBO are the logarithms as they are, not standardised; `ei`
standardises its errors with every prior.

Differs from RoBO: its entries of the task factor are uniform on [-1, 0], on a scale that depends on the version of
a library. Here log L_ii is uniform on [-1, 0] and L_ij on [0, 1]. RoBO has no shears; here they are N(0, 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frugal.trials.surrogates.kernels import Array

PRIORS = ("flat", "repaired")
NOISE_SCALE = 0.1
"""Scale of the horseshoe, a standard deviation."""
NO_FIDELITY: Array = np.zeros((0, 2))


@dataclass(frozen=True)
class Hyperparameters:
    """One setting of all hyperparameters, in their own units.

    Attributes:
        lengthscale: one per dimension, (d,).
        amplitude: variance of f.
        noise_variance: variance of an observation about f.
        shear: entries of U below its diagonal, row by row; empty but for `se_mahalanobis`.

    Examples:
        >>> from frugal.trials.surrogates import GP
        >>> gp = GP(lengthscale=None, noise_variance=0.0)
        >>> found = gp.fit([[0.0], [0.25], [0.5], [0.75], [1.0]], [0.4, 0.1, 0.0, 0.1, 0.4]).hyperparameters
        >>> found.lengthscale.round(2).tolist(), found.amplitude
        ([0.67], 1.0)
    """

    lengthscale: Array
    amplitude: float
    noise_variance: float
    shear: Array

    @classmethod
    def from_theta(cls, theta: Array, d: int) -> Hyperparameters:
        """Read a vector in d dimensions, less what belongs to a last column."""
        noise, amplitude = np.exp(theta[-1]), np.exp(theta[-2])
        return cls(np.exp(theta[:d]), float(amplitude), float(noise), theta[d:-2].copy())


class Prior:
    """Box, density and draws of theta for d dimensions and a covariance with `n_parameters`.

    Args:
        name: `flat` or `repaired`.
        d: dimensions of the candidates.
        n_parameters: number of parameters of the covariance, with those of the last column.
        variance: variance of the targets.
        fidelity: lowest and highest value of each parameter of the last column, (q, 2).
        noise_scale: scale of the horseshoe, a standard deviation.

    Attributes:
        box: lowest and highest value of each entry of theta, (p, 2).
    """

    def __init__(
        self,
        name: str,
        *,
        d: int,
        n_parameters: int,
        variance: float,
        fidelity: Array = NO_FIDELITY,
        noise_scale: float = NOISE_SCALE,
    ) -> None:
        self._repaired, self._d, self._noise_scale = name == "repaired", d, noise_scale
        shears = [(-10.0, 10.0)] * (n_parameters - d - len(fidelity)) + [tuple(limits) for limits in fidelity]
        if self._repaired:
            box = [(-5.0, 1.0)] * d + shears + [(-20.0, 20.0)] * 2
        else:
            scale = np.log(variance)
            ranges = np.log([[1e-4, 1e4], [1e-8, 10.0]]) + scale
            box = [(np.log(1e-3), np.log(1e2))] * d + shears + [tuple(limits) for limits in ranges]
        self._positive = np.arange(n_parameters - len(fidelity), n_parameters)[fidelity[:, 0] == 0]
        self._log_variance = 0.0 if self._repaired else float(np.log(variance))
        self.box: Array = np.array(box)

    def log_density(self, theta: Array) -> tuple[float, Array]:
        """Log density inside the box, up to a constant, and its gradient (p,)."""
        gradient = np.zeros_like(theta)
        if not self._repaired:
            return 0.0, gradient
        normal = slice(self._d, -1)  # shears, last column and log amplitude
        gradient[normal] = -theta[normal]
        ratio = 3 * self._noise_scale**2 * np.exp(-theta[-1])
        log_term = np.log1p(ratio)
        gradient[-1] = 0.5 - ratio / (1 + ratio) / log_term
        return float(-0.5 * theta[normal] @ theta[normal] + np.log(log_term) + 0.5 * theta[-1]), gradient

    def log_densities(self, theta: Array) -> Array:
        """Log densities (w,) of the rows of theta (w, p) inside the box, up to the same constant."""
        if not self._repaired:
            return np.zeros(len(theta))
        normal, log_noise = theta[:, self._d : -1], theta[:, -1]
        log_term = np.log1p(3 * self._noise_scale**2 * np.exp(-log_noise))
        return np.asarray(-0.5 * (normal * normal).sum(axis=1) + np.log(log_term) + 0.5 * log_noise)

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        """Draw starting points (n, p).

        They come from the prior `repaired`, the noise's s as |N(0, 1) C(0, 1)| times the scale. For the flat prior
        they come from the part of the box where fits are found: l in [0.05, 2], amplitude in [0.3, 3] v, noise in
        [1e-6, 0.1] v.
        """
        p = len(self.box)
        theta = rng.standard_normal((n, p))
        theta[:, self._positive] = np.abs(theta[:, self._positive])
        if self._repaired:
            theta[:, : self._d] = rng.uniform(-5, 1, (n, self._d))
            tail = rng.standard_cauchy(n)
            theta[:, -1] = 2 * np.log(np.abs(theta[:, -1] * tail * self._noise_scale) + 1e-300)
        else:
            theta[:, : self._d] = rng.uniform(np.log(0.05), np.log(2), (n, self._d))
            theta[:, -2] = rng.uniform(np.log(0.3), np.log(3), n) + self._log_variance
            theta[:, -1] = rng.uniform(np.log(1e-6), np.log(0.1), n) + self._log_variance
        return np.clip(theta, self.box[:, 0], self.box[:, 1])


EDGE = 1e-6
"""How near log a may come to the shift, where its density vanishes."""


class RoboPrior(Prior):
    """Box, density and draws of theta.

    Args:
        d: dimensions of the candidates.
        n_parameters: number of parameters of the covariance, with those of the last column.
        fidelity: lowest and highest value of each parameter of the last column, (q, 2).
        environment: whether those are log env_a and log env_b, with their slip; else their density is uniform.
        amplitude_shift: shift of the log-normal density of the log amplitude.
        noise_scale: scale of the horseshoe.
    """

    def __init__(
        self,
        *,
        d: int,
        n_parameters: int,
        fidelity: Array = NO_FIDELITY,
        environment: bool = False,
        amplitude_shift: float = 0.0,
        noise_scale: float = NOISE_SCALE,
    ) -> None:
        super().__init__(
            "repaired", d=d, n_parameters=n_parameters, variance=1.0, fidelity=fidelity, noise_scale=noise_scale
        )
        self._environment, self._shift = environment, amplitude_shift
        self.box[-2, 0] = amplitude_shift + EDGE
        self._mixing = slice(n_parameters - len(fidelity), n_parameters)
        self._shears = slice(d, n_parameters - len(fidelity))

    def log_densities(self, theta: Array) -> Array:
        """Log densities (w,) of the rows of theta (w, p) inside the box, up to a constant."""
        shears, log_above = theta[:, self._shears], np.log(np.maximum(theta[:, -2] - self._shift, EDGE))
        log_term = np.log1p(3 * self._noise_scale**2 * np.exp(-2 * theta[:, -1]))
        value = -0.5 * (shears * shears).sum(axis=1) - log_above - 0.5 * log_above**2 + np.log(log_term)
        return np.asarray(value + self._slip(theta[:, self._mixing]).sum(axis=1))

    def log_density(self, theta: Array) -> tuple[float, Array]:
        """Log density inside the box, up to the same constant, and its gradient (p,)."""
        gradient = np.zeros_like(theta)
        gradient[self._shears] = -theta[self._shears]
        gradient[self._mixing] = -theta[self._mixing] * self._slip(theta[self._mixing])
        above = max(float(theta[-2]) - self._shift, EDGE)  # a given amplitude may lie outside the box
        gradient[-2] = -(1 + math.log(above)) / above
        ratio = 3 * self._noise_scale**2 * math.exp(-2 * theta[-1])
        gradient[-1] = -2 * ratio / (1 + ratio) / math.log1p(ratio)
        return float(self.log_densities(theta[None])[0]), gradient

    def _slip(self, mixing: Array) -> Array:
        """Densities of N(0, 1) where RoBO adds them, else 0."""
        return np.exp(-0.5 * mixing**2) / math.sqrt(2 * math.pi) if self._environment else np.zeros_like(mixing)

    def draw(self, rng: np.random.Generator, n: int) -> Array:
        """Starting points (n, p)."""
        theta = super().draw(rng, n)
        if not self._environment:
            low, high = self.box[self._mixing].T
            theta[:, self._mixing] = rng.uniform(low, high, (n, len(low)))
        theta[:, -2] = rng.lognormal(self._shift, 1.0, n)
        theta[:, -1] = np.log(np.abs(rng.standard_normal(n) * rng.standard_cauchy(n) * self._noise_scale) + 1e-300)
        return np.clip(theta, self.box[:, 0], self.box[:, 1])
