"""MTBO: a small task, trials on some of the rows, beside the target, trials on all of them.

Source: Swersky, Snoek and Adams (2013), "Multi-task Bayesian optimization", with the numbers of Klein et al.
(2017), "Fast Bayesian optimization of machine learning hyperparameters on large datasets", who compare Fabolas
with MTBO: five initial candidates, all on the small task. By default, the incumbent is judged on the target task
(RoBO: by the lowest error on either task). Differs from both: see `frugal.trials.information_per_cost`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frugal.checks import check_whole
from frugal.interface import TrialTask
from frugal.spaces import SearchSpace
from frugal.trials.information_per_cost import InformationPerCost
from frugal.trials.surrogates import MarginalGP, TaskGP
from frugal.trials.surrogates.kernels import Array

SMALL, TARGET = 0.0, 1.0


class Mtbo(InformationPerCost):
    """Multi-task Bayesian optimisation: the candidate and the task with the most information per unit of cost.

    Args:
        space, n_trials, rng: see `frugal.trials.make`.
        auxiliary: rows of the small task; 12,500 is a quarter of MNIST's, as in the published experiments.
        n_max: rows of the target task; None: all there are, asked as None.
        n_initial: without `initial`, size of the Latin hypercube to start from; None: 5, but at most half of
            `n_trials`.
        kernel: kernel of the candidates, as in `GP`.
        **settings: settings of `InformationPerCost`.

    Raises:
        ValueError: on a setting outside its range, or as many auxiliary rows as `n_max` or more.
    """

    needs = ("auxiliary", "n_valid")
    _levels = np.array([[SMALL], [TARGET]])
    _target = np.array([TARGET])

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        auxiliary: int = 12_500,
        n_max: int | None = None,
        n_initial: int | None = None,
        kernel: str = "matern52_product",
        **settings: Any,
    ) -> None:
        if n_max is not None:
            check_whole("n_max", n_max, 2)
        check_whole("auxiliary", auxiliary, 1, None if n_max is None else n_max - 1, "less than n_max")
        self._rows, self._kernel = {SMALL: auxiliary, TARGET: n_max}, kernel
        n_initial = max(1, min(5, n_trials // 2)) if n_initial is None else n_initial
        super().__init__(space=space, n_trials=n_trials, rng=rng, n_initial=n_initial, **settings)

    def _surrogates(self) -> tuple[MarginalGP, MarginalGP]:
        loss, cost = (TaskGP(2, kernel=self._kernel, prior=self._prior) for _ in range(2))
        return self._marginal(loss), self._marginal(cost)

    def _n_rows(self, level: Array) -> int | None:
        return self._rows[float(level[0])]

    def _level_of(self, task: TrialTask) -> Array:
        return np.array([SMALL if task.n_rows == self._rows[SMALL] else TARGET])

    def _design_level(self, number: int) -> Array:
        return np.array([SMALL])
