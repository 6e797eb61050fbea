"""Document 002's search of task 2 as the public fragment has it, errors and all: an ablation, not a strategy.

- The first n candidates lie on a diagonal: C from 0.1 to 5 and intercept_scaling from 0.5 to 2, evenly.
- The surrogate is DNGO with pybnn's errors (`frugal.trials.surrogates.dngo.AS_PYBNN`), fitted to accuracies.
- The next candidate is where `polynomial.fragment_ei` is largest. Its baseline stays the highest accuracy of the
  first n candidates. Accuracy is to be maximised, but the improvement is that of a search that minimises, with
  variances where standard deviations belong.

The fragment leaves three things open. Here n is 5, the smallest with which the reported point is on the diagonal;
the box is discretised evenly, 25 x 25; and no candidate is tried again. The fragment has one worker and no idea of
a pending trial: here it waits until every answer is in.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from frugal.checks import check_whole
from frugal.interface import WAIT, Candidate, Wait
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.ledger import BaseTrialStrategy
from frugal.trials.surrogates.dngo import AS_PYBNN, DNGO
from studies.exploration.polynomial import fragment_ei

NAME: Final = "doc002_as_coded"
N_PER_SIDE: Final = 25
_DIAGONAL: Final = {"C": (0.1, 5.0), "intercept_scaling": (0.5, 2.0)}


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


class Doc002AsCoded(BaseTrialStrategy):
    """The code's search: one candidate at a time after the diagonal; the run ends when the grid is used up.

    Args:
        space: of C and intercept_scaling, a range each, which holds the diagonal; the grid is over all of it.
        n_trials: that are asked at most.
        rng: what the seed of the surrogate is drawn from.
        n_initial: candidates on the diagonal.
        **settings: of `DNGO`.

    Raises:
        ValueError: on a space of other hyperparameters, of lists or without the diagonal, or fewer trials than
            initial candidates.
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
        first = diagonal(n_initial)
        sides = _sides(space, first)
        super().__init__(space=space, n_trials=n_trials, initial=first)
        self._surrogate = DNGO(seed=int(rng.integers(2**32)), **{"as_coded": AS_PYBNN} | settings)
        self._grid = [dict(zip(_DIAGONAL, values, strict=True)) for values in itertools.product(*sides)]
        self._unit_grid = self._unit(self._grid)

    def _propose(self) -> Candidate | Wait | None:
        """The untried candidate of the grid with the largest acquisition; a failed trial counts as accuracy 0."""
        if self._pending:
            return WAIT
        trials = sorted(self.trials, key=lambda trial: trial.task.id)  # answers may have come in any order
        tried = [dict(trial.task.candidate) for trial in trials]
        untried = np.array([candidate not in tried for candidate in self._grid])
        if not untried.any():
            return None
        accuracies = np.array([1 - trial.error for trial in trials])
        accuracies[np.isnan(accuracies)] = 0.0
        self._surrogate.fit(self._unit(tried), accuracies)
        mean, std = self._surrogate.predict(self._unit_grid, with_noise=True)
        acquisition = fragment_ei(mean, std, best=float(accuracies[: len(self._initial)].max()))
        return self._grid[int(np.where(untried, acquisition, -np.inf).argmax())]

    def _unit(self, candidates: Sequence[Candidate]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Points of the unit cube, (n, 2)."""
        return np.array([self._space.to_unit(candidate) for candidate in candidates])


def _sides(space: SearchSpace, first: Sequence[Candidate]) -> list[list[float]]:
    """The grid's values of each hyperparameter, in the order of the diagonal.

    Raises:
        ValueError: as of `Doc002AsCoded`, on the space.
    """
    if set(space.dimensions) != set(_DIAGONAL):
        raise ValueError(f"{NAME} searches {' and '.join(_DIAGONAL)} only, got {', '.join(space.dimensions)}")
    sides = []
    for name in _DIAGONAL:
        dimension = space.dimensions[name]
        if not isinstance(dimension, Uniform):
            raise ValueError(f"{NAME} searches ranges (Uniform), got {name} = {dimension}")
        sides.append([float(value) for value in np.linspace(dimension.low, dimension.high, N_PER_SIDE)])
    for candidate in first:
        try:
            space.to_unit(candidate)
        except ValueError as error:
            raise ValueError(
                f"{NAME} starts from {first[0]} to {first[-1]}, which its space must hold: {error}"
            ) from error
    return sides
