"""Log posterior of a weighted combination of curve families with noise, for many parameter vectors at once.

Source: Domhan, Springenberg and Hutter (2015), "Speeding up automatic hyperparameter optimization of deep neural
networks by extrapolation of learning curves"; document 003, equations (5) to (9). Scores y_t of epochs t, with
families f_k, their parameters theta_k, weights w_k of at least 0, and the horizon E, a later epoch:

    f_comb(t) = sum_k w_k f_k(t; theta_k),    y_t ~ N(f_comb(t), sigma^2),

with a flat prior on everything that `prior` allows. A vector holds the parameters of the families in their order,
then sigma unless it is given, then the weights: 36 + 1 + 11 = 48 entries for all families.

Differs from document 003, as the authors' code does: weights are divided by their sum (`normalise_weights=False`
for the document's). By default f_k(2) <= f_k(E) must hold for each family; `prior="combined"` is the document's
equation (9), f_comb(1) < f_comb(E). With every prior, f_k(E) must be finite and in [0, 100].
Differs from both: sigma is at least 1e-6, without which a constant curve has an unbounded likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from frugal.checks import check_choice
from frugal.trials.surrogates.curve_families import Array, Family, Times

PRIORS: Final = ("per_family_soft", "per_family_hard", "combined")
"""Names of priors. `per_family_soft`: f_k(2) <= f_k(E) for each k. `per_family_hard`: each f_k is non-decreasing
at `N_HARD` epochs from 2 to E. `combined`: f_comb(1) < f_comb(E)."""
N_HARD: Final = 100
MAX_FINAL: Final = 100.0
"""Largest value of f_k(E) that every prior allows."""
MIN_SIGMA: Final = 1e-6


class CurvePosterior:
    """Log posterior of parameters, sigma and weights, up to a constant.

    Args:
        families: families to combine.
        y: the curve, (n,), at epochs 1 to n.
        horizon: E, an epoch.
        prior: one of `PRIORS`.
        normalise_weights: whether weights are divided by their sum.
        recency_weighting: whether the log likelihood of y_t counts 10^((t - 1) / n) times. The factors sum to
            about 3.9 n, so the posterior gets narrower than the curve warrants.
        sigma: standard deviation of the noise; None: it is sampled.

    Raises:
        ValueError: on an unknown prior.
    """

    def __init__(
        self,
        families: Sequence[Family],
        y: Array,
        horizon: float,
        *,
        prior: str = "per_family_soft",
        normalise_weights: bool = True,
        recency_weighting: bool = False,
        sigma: float | None = None,
    ) -> None:
        check_choice("prior", prior, PRIORS)
        self.families, self.y, self.prior = tuple(families), y, prior
        self._normalise, self._sigma = normalise_weights, sigma
        n = len(y)
        self._times = Times.at(np.arange(1, n + 1))
        self._checked = Times.at(_checked_epochs(prior, horizon))
        self._factors = 10.0 ** (np.arange(n) / n) if recency_weighting else np.ones(n)
        ends = np.cumsum([len(family.start) for family in families])
        self._slices = [slice(end - len(f.start), end) for f, end in zip(families, ends, strict=True)]
        self._n_parameters = int(ends[-1])

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return length(self.families, self._sigma)

    def parts(self, vectors: Array) -> tuple[list[Array], Array, Array]:
        """Split vectors (S, dim): parameters per family, each (S, p_k), sigma (S,), weights of f_comb (S, K)."""
        theta = [vectors[:, part] for part in self._slices]
        weights = vectors[:, -len(self.families) :]
        if self._normalise:
            with np.errstate(all="ignore"):
                weights = weights / weights.sum(axis=1, keepdims=True)
        if self._sigma is not None:
            return theta, np.full(len(vectors), self._sigma), weights
        return theta, vectors[:, self._n_parameters], weights

    def combined(self, vectors: Array, t: Times) -> Array:
        """f_comb at vectors (S, dim) and epochs (n,): (S, n)."""
        theta, _, weights = self.parts(vectors)
        total = np.zeros((len(vectors), len(t.t)))
        with np.errstate(all="ignore"):
            for k, family in enumerate(self.families):
                total += weights[:, k, None] * family(theta[k], t)
        return total

    def __call__(self, vectors: Array) -> Array:
        """Return log posteriors (S,) of vectors (S, dim); -inf where the prior is 0 or f_comb is not defined."""
        values = np.full(len(vectors), -np.inf)
        allowed = self.allowed(vectors)
        if allowed.any():
            values[allowed] = self._log_likelihood(vectors[allowed])
        return np.where(np.isnan(values), -np.inf, values)

    def allowed(self, vectors: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """True if the prior is positive, (S,)."""
        theta, sigma, weights = self.parts(vectors)
        sound = np.isfinite(vectors).all(axis=1) & (sigma >= MIN_SIGMA)
        raw = vectors[:, -len(self.families) :]
        sound &= (raw >= 0).all(axis=1) & (raw.sum(axis=1) > 0)
        total = np.zeros((len(vectors), len(self._checked.t)))
        with np.errstate(all="ignore"):
            for k, family in enumerate(self.families):
                values = family(theta[k], self._checked)
                sound &= family_allowed(values, self.prior)
                total += weights[:, k, None] * values
        if self.prior == "combined":
            sound &= total[:, 0] < total[:, -1]
        return np.asarray(sound)

    def _log_likelihood(self, vectors: Array) -> Array:
        _, sigma, _ = self.parts(vectors)
        residuals = self.y - self.combined(vectors, self._times)
        with np.errstate(all="ignore"):
            squares = (residuals**2 * self._factors).sum(axis=1)
            normaliser = self._factors.sum() * (math.log(2 * math.pi) / 2 + np.log(sigma))
            return np.asarray(-squares / (2 * sigma**2) - normaliser)


def length(families: Iterable[Family], sigma: float | None) -> int:
    """Return the length of a vector: the parameters and one weight per family, and sigma if it is sampled."""
    return sum(len(family.start) + 1 for family in families) + (sigma is None)


def _checked_epochs(prior: str, horizon: float) -> Array:
    if prior == "per_family_hard":
        return np.linspace(2, horizon, N_HARD)
    return np.array([2.0 if prior == "per_family_soft" else 1.0, horizon])


def family_allowed(values: Array, prior: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """True if a family passes what `prior` asks of it alone, (S,), by its values (S, m) at the checked epochs."""
    last = values[:, -1]
    inside = np.isfinite(last) & (last >= 0) & (last <= MAX_FINAL)
    if prior == "combined":
        return np.asarray(inside)
    return np.asarray(inside & (values[:, 1:] >= values[:, :-1]).all(axis=1))


def checked_values(family: Family, theta: Array, prior: str, horizon: float) -> Array:
    """Values (1, m) of a family at the epochs that `prior` looks at, for `family_allowed`."""
    return family(theta[None, :], _checked_epochs(prior, horizon))
