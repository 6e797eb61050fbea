"""DNGO: a network's last hidden layer as the basis of a Bayesian linear regression.

Source: Snoek et al. (2015), "Scalable Bayesian optimization using deep neural networks"; pybnn, whose class
document 002 borrows. The network is in `dngo_network`, the regression in `blr`, what its hyperparameters are
drawn from in `blr_hyperparameters`. Inputs and targets are standardised. Predictions are a mixture over the S
draws of (log alpha, log s2):

    mean = avg_s mean_s,   var = avg_s var_s + Var_s(mean_s)

Differs from pybnn: its errors are corrected (`as_coded` puts them back by name, for comparisons). The standard
deviation is that of the function, without the noise, unless asked for. The network is trained from the seed.
Differs from Snoek et al.: the prior mean is 0 by default (`prior_mean="quadratic"` for theirs). As in pybnn, there
is no input warping, no weight decay by default and a fixed learning rate, and the network is trained anew for
every fit.

A fit is linear in the trials: n_epochs * n / 10 steps of training, then n H^2 for the decomposition (H = 50); the
draws take as long for any n.

Without weight decay the network follows the noise, which the regression then takes for signal. An example is
sin(pi t) / (pi t) with t = 10 x - 5 (Latin hypercubes, ten seeds, `mcmc`). Bands of 95 % hold 87 % of new
observations at a noise of 0.02 and 20 trials, and 89 % at 0.1 and 60 trials. The latter become 93 % with
`weight_decay=1e-3`.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_choice, check_number, check_whole
from frugal.seeds import seed_for
from frugal.trials.checks import check_list, check_points, check_targets
from frugal.trials.surrogates import blr_hyperparameters as hyperparameters
from frugal.trials.surrogates.blr import BLR, Head, mixture
from frugal.trials.surrogates.dngo_network import Network, train
from frugal.trials.surrogates.dngo_prior_mean import Quadratic
from frugal.trials.surrogates.kernels import Array


@dataclass
class Basis:
    """From points of the unit cube to features, and from standardised targets back to their own units.

    The draws are asked about the same points one after the other, so the last points' features are kept.

    Attributes:
        network: takes standardised inputs.
        centre: mean of the inputs it was trained on, (d,).
        spread: their standard deviation, (d,).
        y_mean: mean of the targets.
        y_std: their standard deviation.
        mean: the prior mean, of standardised targets.
    """

    network: Network
    centre: Array
    spread: Array
    y_mean: float
    y_std: float
    mean: Quadratic
    _last: tuple[Array, Array] | None = field(default=None, repr=False)
    _last_jacobian: tuple[Array, Array] | None = field(default=None, repr=False)

    def features(self, X: Array) -> Array:
        """At X (m, d), shape (m, H)."""
        if self._last is None or not np.array_equal(self._last[0], X):
            self._last = X.copy(), self.network.features((X - self.centre) / self.spread)
        return self._last[1]

    def jacobian(self, X: Array) -> Array:
        """Derivatives of the features at X (m, d), shape (m, H, d)."""
        if self._last_jacobian is None or not np.array_equal(self._last_jacobian[0], X):
            by_standardised = self.network.jacobian((X - self.centre) / self.spread)[1]
            self._last_jacobian = X.copy(), by_standardised / self.spread
        return self._last_jacobian[1]


@dataclass(frozen=True)
class Component:
    """Prediction at given hyperparameters.

    Attributes:
        basis: the features.
        regression: regression of the standardised targets, less the prior mean, on the features.
        log_alpha: log precision of the weights.
        log_beta: log precision of the noise.
        noisy: whether standard deviations always include the noise of an observation, also those of f.
    """

    basis: Basis
    regression: BLR
    log_alpha: float
    log_beta: float
    noisy: bool = False

    @cached_property
    def _head(self) -> Head:
        return self.regression.at(self.log_alpha, self.log_beta)

    def predict(self, X: Array, *, with_noise: bool = False) -> tuple[Array, Array]:
        """Mean and standard deviation of f, or with noise of an observation, at X (m, d): each (m,).

        Raises:
            ValueError: on points outside the unit cube or of another dimension.
        """
        basis, X = self.basis, check_points(X, len(self.basis.centre))
        mean, std = self._head.predict(basis.features(X))
        if with_noise or self.noisy:
            std = np.hypot(std, np.exp(-self.log_beta / 2))
        return basis.y_mean + basis.y_std * (mean + basis.mean(X)), basis.y_std * std

    def predict_with_gradient(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean and standard deviation of f at X (m, d), then their derivatives: (m,), (m,), (m, d), (m, d)."""
        mean, std = self.predict(X)
        basis = self.basis
        by_mean, by_std = self._head.predict_gradient(basis.features(X), basis.jacobian(X))
        if self.noisy:  # by_std is of the std without the noise
            latent = basis.y_std * self._head.predict(basis.features(X))[1]
            by_std = by_std * (latent / std)[:, None]
        return mean, std, basis.y_std * (by_mean + basis.mean.gradient(X)), basis.y_std * by_std

    def covariance(self, A: Array, B: Array) -> Array:
        """Posterior covariance (m, n) of f at A (m, d) and f at B (n, d)."""
        first, second = self.basis.features(A), self.basis.features(B)
        return self.basis.y_std**2 * self._head.covariance(first, second)

    @property
    def noise_variance(self) -> float:
        """Variance of an observation about f."""
        return float(self.basis.y_std**2 * np.exp(-self.log_beta))

    def believing(self, X: Array) -> Component:
        """A copy in which its own means were observed at X (m, d): only the uncertainty changes."""
        features = self.basis.features(check_points(X, len(self.basis.centre)))
        believed = self._head.predict(features)[0]
        return replace(self, regression=self.regression.extended(features, believed))


ERRORS: Final[Mapping[str, str]] = {
    **hyperparameters.ERRORS,
    "dropped_batch": "an epoch's incomplete last mini-batch is not trained on",
}
"""Errors of pybnn that can be reproduced, by name."""
AS_PYBNN: Final = ("unsquared_norm", "det_offset", "no_prior", "dropped_batch")
"""Those of its class DNGO; the other two are of its class BayesianLinearRegression."""


class DNGO:
    """Surrogate whose cost is linear in the number of trials.

    Attributes:
        basis: the trained network, the scales of inputs and targets, and the prior mean; after `fit`.
    """

    basis: Basis
    _components: tuple[Component, ...] = ()

    def __init__(
        self,
        *,
        n_units: tuple[int, ...] = (50, 50, 50),
        n_epochs: int = 500,
        learning_rate: float = 0.01,
        weight_decay: float = 0.0,
        marginalise: str = "mcmc",
        n_walkers: int = 20,
        n_steps: int = 200,
        prior_mean: str = "zero",
        ei_variance: str = "latent",
        as_coded: Collection[str] = (),
        seed: int = 0,
    ) -> None:
        """Settings.

        Args:
            n_units: number of units of each hidden layer; the last is H.
            n_epochs: passes over the trials in training.
            learning_rate: step size of Adam.
            weight_decay: multiple of each weight that is added to its gradient; 0 in pybnn.
            marginalise: `mcmc`, or `ml2`: the one most probable (log alpha, log s2), S = 1.
            n_walkers: S for `mcmc`, an even number of at least 4.
            n_steps: number of steps of the walkers, which start near and mix within 100; pybnn takes 4000 for a
                first fit.
            prior_mean: `zero`, or `quadratic`, a convex quadratic that is fitted beside the weights.
            ei_variance: standard deviation that components give: that of the function, `latent`, or that of an
                observation, `predictive`, as in pybnn. With `predictive`, a repeated trial has an expected
                improvement.
            as_coded: names of `ERRORS` to put back, for comparisons (`AS_PYBNN`).
            seed: seed of the weights, the order of rows and the draws.

        Raises:
            ValueError: on a setting out of range, or an unknown name.
        """
        check_list("n_units", n_units)
        if not len(n_units):
            raise ValueError("n_units must name at least one hidden layer, got none")
        for units in n_units:
            check_whole("n_units", units, 1)
        check_whole("n_epochs", n_epochs, 1)
        check_number("learning_rate", learning_rate, 0, above=True)
        check_number("weight_decay", weight_decay, 0)
        check_choice("marginalise", marginalise, ("mcmc", "ml2"))
        check_whole("n_walkers", n_walkers, 4)
        if n_walkers % 2:
            raise ValueError(f"n_walkers must be even, got {n_walkers!r}")
        check_whole("n_steps", n_steps, 1)
        check_choice("prior_mean", prior_mean, ("zero", "quadratic"))
        check_choice("ei_variance", ei_variance, ("latent", "predictive"))
        check_whole("seed", seed, 0)
        if isinstance(as_coded, str):
            raise ValueError(f"as_coded must be a list of names, got {as_coded!r}")
        for name in as_coded:
            check_choice("as_coded", name, ERRORS)
        if {"no_prior", "pdf_prior"} <= set(as_coded):
            raise ValueError(
                "as_coded cannot hold both no_prior and pdf_prior, since they are of different classes"
            )
        self.n_units, self.n_epochs = tuple(n_units), n_epochs
        self.learning_rate, self.weight_decay = learning_rate, weight_decay
        self.marginalise, self.n_walkers, self.n_steps = marginalise, n_walkers, n_steps
        self.prior_mean, self.ei_variance = prior_mean, ei_variance
        self.as_coded, self.seed = frozenset(as_coded), seed

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on trials; a fit depends on its data, settings and seed only, not on earlier fits.

        Args:
            X: points of the unit cube, shape (n, d).
            y: what to predict, shape (n,).

        Raises:
            ValueError: on other shapes, points outside the unit cube, or entries that are not finite.
            FloatingPointError: if training diverges.
        """
        points = check_points(X)
        targets = check_targets(y, len(points))
        basis = self._trained(points, targets)
        self.basis, standardised = basis, (targets - basis.y_mean) / basis.y_std
        if self.prior_mean == "quadratic":
            basis.mean = Quadratic.fit(points, standardised, basis.features(points))
        regression = BLR(basis.features(points), standardised - basis.mean(points))
        posterior = hyperparameters.LogPosterior(regression, self.as_coded - {"dropped_batch"})
        if self.marginalise == "ml2":
            theta = hyperparameters.maximise(posterior)
        else:
            seed = seed_for("dngo", "walkers", self.seed)
            theta = hyperparameters.sample(posterior, n_walkers=self.n_walkers, n_steps=self.n_steps, seed=seed)
        precisions = zip(*hyperparameters.precisions(theta, self.as_coded), strict=True)
        noisy = self.ei_variance == "predictive"
        self._components = tuple(Component(basis, regression, float(a), float(b), noisy) for a, b in precisions)
        return self

    @property
    def components(self) -> Sequence[Component]:
        """One prediction per draw of the hyperparameters.

        Raises:
            ValueError: before `fit`.
        """
        if not self._components:
            raise ValueError("this DNGO has seen no data: call fit first")
        return self._components

    def predict(self, X: ArrayLike, *, with_noise: bool = False) -> tuple[Array, Array]:
        """Mean and standard deviation of f, or with noise of an observation, at X (m, d): each (m,).

        Args:
            X: points of the unit cube.
            with_noise: what pybnn predicts.

        Raises:
            ValueError: before `fit`, or on points of another dimension or outside the unit cube.
        """
        points = np.asarray(X, dtype=float)
        predictions = [component.predict(points, with_noise=with_noise) for component in self.components]
        means, stds = (np.array(part) for part in zip(*predictions, strict=True))
        return mixture(means, stds)

    def believing(self, X: ArrayLike) -> DNGO:
        """A copy in which each draw's own means were observed at X (m, d); the network stays."""
        other, points = copy.copy(self), np.asarray(X, dtype=float)
        other._components = tuple(component.believing(points) for component in self.components)
        return other

    def _trained(self, points: Array, targets: Array) -> Basis:
        """The network on standardised trials; no prior mean."""
        centre, spread = points.mean(axis=0), _spread(points)
        y_mean, y_std = float(targets.mean()), float(_spread(targets))
        network = train(
            (points - centre) / spread,
            (targets - y_mean) / y_std,
            n_units=self.n_units,
            n_epochs=self.n_epochs,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            seed=self.seed,
            drop_last="dropped_batch" in self.as_coded,
        )
        return Basis(network, centre, spread, y_mean, y_std, Quadratic.zero(points.shape[1]))


def _spread(values: Array) -> Array:
    """Standard deviations over the first axis; 1 for what is constant."""
    spread = values.std(axis=0)
    return np.where(spread > 1e-12 * np.maximum(np.abs(values).max(axis=0), 1e-300), spread, 1.0)
