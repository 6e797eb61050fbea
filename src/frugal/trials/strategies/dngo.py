"""Expected improvement on a network's features: the surrogate's cost is linear in the number of trials.

Source: Snoek et al. (2015), "Scalable Bayesian optimization using deep neural networks", and document 002, which
builds its search on pybnn's version. Differs from both: see `frugal.trials.surrogates.dngo`. Pending trials are
filled in with the predicted mean (`frugal.trials.model_based`), not averaged over. The expected improvement is
averaged over the draws of the hyperparameters; document 002 computes it once, from pybnn's averaged mean and
variance.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from frugal.extras import explained
from frugal.spaces import SearchSpace
from frugal.trials.model_based import ModelBased
from frugal.trials.surrogates.dngo import DNGO
from frugal.trials.surrogates.dngo_network import warm_up
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.protocol import Surrogate


class Dngo(ModelBased):
    """Expected improvement by DNGO. After each result, the network is trained again from the same initial weights.

    Args:
        space, n_trials, rng: see `frugal.trials.make`.
        n_units: units of the network's hidden layers.
        n_epochs: passes over the trials in training.
        learning_rate: step size of Adam.
        weight_decay: weight decay of the network.
        marginalise: `mcmc`, over draws of the regression's hyperparameters, or `ml2`, their mode.
        n_walkers: number of walkers of `mcmc`, and of draws.
        n_steps: steps of the walkers before the draws.
        prior_mean: `zero` or `quadratic`.
        ei_variance: `latent` or `predictive`, the variance in the expected improvement.
        as_coded: pybnn's errors to put back.
        **settings: settings of `ModelBased`.
    """

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
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
        **settings: Any,
    ) -> None:
        self._dngo = DNGO(
            n_units=n_units,
            n_epochs=n_epochs,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            marginalise=marginalise,
            n_walkers=n_walkers,
            n_steps=n_steps,
            prior_mean=prior_mean,
            ei_variance=ei_variance,
            as_coded=as_coded,
            seed=int(rng.integers(2**32)),
        )
        super().__init__(space=space, n_trials=n_trials, rng=rng, **settings)
        if marginalise == "mcmc":
            with explained():
                import emcee  # noqa: F401  so that a missing package is reported before a trial
        warm_up()

    def _fit(self, X: Array, y: Array) -> Surrogate:
        return self._dngo.fit(X, y)
