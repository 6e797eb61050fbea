"""Priors of hyperparameters as RoBO codes them for EI, Fabolas and MTBO, slips included, for faithful runs.

Source: RoBO's `DefaultPrior` (plain processes), `EnvPrior` and `MTBOPrior` (docs/methods.md, section 4). On the
logarithms, up to a constant:

    log a                log-normal (sigma 1), shifted by -2 (Fabolas) or 0 (others): none below the shift
    log l                uniform on [-5, 1] (RoBO's parameter is log l^2, on [-10, 2])
    Fabolas: log env_a, log env_b   the density, not the log density, of N(0, 1) is added: almost flat
    MTBO: entries of the task factor   uniform
    log noise_variance   log log(1 + 3 (scale / noise_variance)^2), no Jacobian; scale 0.001 (Fabolas) or 0.1

Starting points follow RoBO too: log a is drawn log-normal about e^-2 for Fabolas, which is not the density above.
All lie in [-20, 20]. Targets are the logarithms as they are, not standardised.

Differs from it: RoBO's entries of the task factor are uniform on [-1, 0] on a scale that depends on the version of
its library; here log L_ii is uniform on [-1, 0] and L_ij on [0, 1]. Shears, which it lacks, are N(0, 1).
"""

from __future__ import annotations

import math

import numpy as np

from frugal.trials.surrogates.hyperparameters import Prior
from frugal.trials.surrogates.kernels import Array

EDGE = 1e-6
"""How near log a may come to the shift, where its density vanishes."""


class RoboPrior(Prior):
    """Box, density and draws of theta.

    Args:
        d: dimensions of the candidates.
        n_parameters: of the covariance, those of the last column among them.
        fidelity: lowest and highest value of each parameter of the last column, (q, 2).
        environment: whether those are log env_a and log env_b, with their slip; else their density is uniform.
        amplitude_shift: of the log-normal.
        noise_scale: of the horseshoe.
    """

    def __init__(
        self,
        *,
        d: int,
        n_parameters: int,
        fidelity: Array,
        environment: bool,
        amplitude_shift: float,
        noise_scale: float,
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
        shears, log_above = theta[:, self._shears], np.log(theta[:, -2] - self._shift)
        log_term = np.log1p(3 * self._noise_scale**2 * np.exp(-2 * theta[:, -1]))
        value = -0.5 * (shears * shears).sum(axis=1) - log_above - 0.5 * log_above**2 + np.log(log_term)
        return np.asarray(value + self._slip(theta[:, self._mixing]).sum(axis=1))

    def log_density(self, theta: Array) -> tuple[float, Array]:
        """Log density inside the box, up to the same constant, and its gradient (p,)."""
        gradient = np.zeros_like(theta)
        gradient[self._shears] = -theta[self._shears]
        gradient[self._mixing] = -theta[self._mixing] * self._slip(theta[self._mixing])
        above = theta[-2] - self._shift
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
