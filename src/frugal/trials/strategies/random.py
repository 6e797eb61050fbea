"""Random search: independent draws from the space.

Source: Bergstra and Bengio (2012), "Random search for hyper-parameter optimization", JMLR 13.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from frugal.interface import Candidate
from frugal.spaces import SearchSpace
from frugal.trials.ledger import BaseTrialStrategy


class Random(BaseTrialStrategy):
    """Random search. Suggestions do not depend on the results.

    Args:
        space, n_trials: see `frugal.trials.make`.
        rng: generator of the candidates.
        initial: candidates to try first, in place of draws.
    """

    def __init__(
        self, *, space: SearchSpace, n_trials: int, rng: np.random.Generator, initial: Sequence[Candidate] = ()
    ) -> None:
        super().__init__(space=space, n_trials=n_trials, initial=initial)
        self._rng = rng

    def _propose(self) -> Candidate:
        return self._space.sample(self._rng, 1)[0]
