"""Entropy search on a Gaussian process averaged over its hyperparameters; every trial on all rows.

Source: Hennig and Schuler (2012), "Entropy search for information-efficient global optimization". As in RoBO,
there are two initial points and 50 representers. Differs from both: see
`frugal.trials.acquisitions.entropy_search` and `frugal.trials.information_based`; the prior of the hyperparameters
is that of `ei`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frugal.spaces import SearchSpace
from frugal.trials.information_based import InformationBased, standardised
from frugal.trials.surrogates import GP, MarginalGP
from frugal.trials.surrogates.kernels import Array


class EntropySearch(InformationBased):
    """Entropy search. The incumbent is the best observed candidate, as in `ei`.

    Args:
        space, n_trials, rng: see `frugal.trials.make`.
        n_initial: without `initial`, size of the Latin hypercube to start from; None: 2, or `n_trials` if that is
            less.
        kernel: as in `GP`.
        **settings: settings of `InformationBased`.
    """

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        n_initial: int | None = None,
        kernel: str = "matern52_ard",
        **settings: Any,
    ) -> None:
        n_initial = min(2, n_trials) if n_initial is None else n_initial
        super().__init__(space=space, n_trials=n_trials, rng=rng, n_initial=n_initial, **settings)
        gp = GP(kernel, lengthscale=None, amplitude=None, noise_variance=None, prior="repaired")
        self._surrogate = self._marginal(gp)

    def _fit(self, X: Array) -> MarginalGP:
        return self._surrogate.fit(X, standardised(self._errors())[0])
