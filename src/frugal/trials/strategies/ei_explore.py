"""Top-two expected improvement: EI, or with probability 1 - beta the rival that could most improve on EI's choice.

Source: Qin, Klabjan and Russo (2017), "Improving the expected improvement algorithm", Algorithm 3. We assume that
document 002 means this algorithm by its more exploratory EI. Differs from the source: see `expected_improvement`.
Also, EI's choice is refined over the whole cube, while the rival is one of the points on which the acquisition was
compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frugal.checks import check_between
from frugal.spaces import SearchSpace
from frugal.trials.acquisitions import log_rival_ei
from frugal.trials.strategies.ei import Ei
from frugal.trials.surrogates import Surrogate
from frugal.trials.surrogates.kernels import Array


class EiExplore(Ei):
    """Expected improvement's choice with probability `beta`, else the rival that could most improve on it.

    Args:
        space, n_trials, rng: see `frugal.trials.make`.
        beta: probability of EI's own choice.
        **settings: settings of `Ei`.
    """

    def __init__(
        self, *, space: SearchSpace, n_trials: int, rng: np.random.Generator, beta: float = 0.5, **settings: Any
    ) -> None:
        check_between("beta", beta, 0, 1)
        self._beta = beta
        super().__init__(space=space, n_trials=n_trials, rng=rng, **settings)

    def _choose(self, surrogate: Surrogate, X: Array, log_ei: Array, fresh: Array) -> int:
        first = super()._choose(surrogate, X, log_ei, fresh)
        if self._choices.random() < self._beta:
            return first
        rivals = np.where(fresh, log_rival_ei(surrogate.components, X, X[first]), -np.inf)
        return int(rivals.argmax()) if rivals.max() > -np.inf else first
