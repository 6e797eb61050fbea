"""Document 002's search of task 2 as the public fragment has it, errors and all: an ablation, not a strategy.

- The first n candidates lie on a diagonal of the box: C from 0.1 to 5 and intercept_scaling from 0.5 to 2, evenly.
- The surrogate is DNGO with pybnn's errors (`frugal.trials.surrogates.dngo.AS_PYBNN`), fitted to accuracies.
- The next candidate is where `task1_search.fragment_ei` is largest, with the highest of the first n accuracies as
  its baseline for good: of the two places where the fragment's signs matter, accuracy is to be maximised, but what
  is expected is an improvement of a search that minimises, in variances where standard deviations belong.

Left open by the fragment: n (here 5, the smallest with which the reported point is on the diagonal), the
discretised box (here 25 x 25, evenly), and whether a candidate may be tried again (here not).
"""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from frugal.checks import check_whole
from frugal.interface import Candidate
from frugal.papers.exploration.task1_search import fragment_ei
from frugal.spaces import SearchSpace
from frugal.trials.ledger import OnLedger
from frugal.trials.surrogates.dngo import AS_PYBNN, DNGO

NAME: Final = "doc002_as_coded"
BOX: Final = {"C": (0.1, 5.0), "intercept_scaling": (0.01, 2.0)}
N_PER_SIDE: Final = 25
_DIAGONAL = {"C": (0.1, 5.0), "intercept_scaling": (0.5, 2.0)}


def diagonal(n: int) -> list[Candidate]:
    """The fragment's first n candidates; the reported one, C = 3.775 and l = 1.625, is among 5, 9, 13, ...

    Raises:
        ValueError: if `n` is below 2.
    """
    check_whole("n", n, 2)
    columns = [np.linspace(*ends, n) for ends in _DIAGONAL.values()]
    return [
        dict(zip(_DIAGONAL, (float(value) for value in row), strict=True)) for row in zip(*columns, strict=True)
    ]


class Doc002AsCoded(OnLedger):
    """Ask-and-tell.

    Args:
        space: of C and intercept_scaling.
        n_trials: that are asked at most.
        rng: what the seed of the surrogate is drawn from.
        n_initial: candidates on the diagonal.
        **settings: of `DNGO`.

    Raises:
        ValueError: on a space of other hyperparameters, or fewer trials than initial candidates.
    """

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        n_initial: int = 5,
        **settings: Any,
    ) -> None:
        if set(space.dimensions) != set(BOX):
            raise ValueError(f"{NAME} searches {' and '.join(BOX)} only, got {', '.join(space.dimensions)}")
        super().__init__(space=space, n_trials=n_trials, initial=diagonal(n_initial))
        self._n_initial = n_initial
        self._surrogate = DNGO(seed=int(rng.integers(2**32)), **{"as_coded": AS_PYBNN} | settings)
        sides = [np.linspace(*ends, N_PER_SIDE) for ends in BOX.values()]
        self._grid = np.array(list(itertools.product(*sides)))

    def _propose(self) -> Candidate:
        """The untried candidate of the grid with the largest acquisition; a failed trial counts as accuracy 0."""
        tried = np.array([[trial.task.candidate[name] for name in BOX] for trial in self.trials], dtype=float)
        accuracies = np.array([1 - trial.error for trial in self.trials])
        accuracies[np.isnan(accuracies)] = 0.0
        self._surrogate.fit(_unit(tried), accuracies)
        mean, std = self._surrogate.predict(_unit(self._grid), with_noise=True)
        acquisition = fragment_ei(mean, std, best=float(accuracies[: self._n_initial].max()))
        again = (self._grid[:, None] == tried[None]).all(axis=2).any(axis=1)
        chosen = self._grid[int(np.where(again, -np.inf, acquisition).argmax())]
        return dict(zip(BOX, (float(value) for value in chosen), strict=True))


def _unit(points: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    low, high = np.array(list(BOX.values())).T
    return np.asarray(np.clip((points - low) / (high - low), 0.0, 1.0))
