"""Fabolas: the size of the training set is chosen with the candidate.

Source: Klein et al. (2017), "Fast Bayesian optimization of machine learning hyperparameters on large datasets",
with the initial design of its published experiments: eight candidates on 1/128 of the rows, four on 1/64, two on
1/32 and one on 1/4, each on one size (the last release tries every candidate on every size). A design of another
length keeps these proportions. If only listed sizes may be asked, each size is replaced by the nearest listed one,
in logarithms, below the full size; in a short list several may become one. If no sizes are listed and 1/128 of
the rows is below `n_min`, the four sizes are moved towards the full size, in logarithms, until the smallest is
`n_min`. They stay different, since a size kernel learns nothing from one size.
Differs from the source: see `frugal.trials.information_per_cost`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from frugal.checks import check_choice, check_whole
from frugal.interface import TrialTask
from frugal.spaces import SearchSpace
from frugal.trials.checks import N_MAX, N_MIN, check_sizes
from frugal.trials.information_per_cost import InformationPerCost
from frugal.trials.surrogates import MarginalGP, SizeGP, from_unit_size, to_unit_size
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.size_gp import SCALES, SIZE_COVARIANCES

DESIGN = (*[128] * 8, *[64] * 4, *[32] * 2, 4)
"""The initial candidates run on 1/128 of the rows, 1/64, and so on."""


class Fabolas(InformationPerCost):
    """Fabolas: the candidate and the number of rows with the most information per unit of cost.

    Tasks on all rows state their number, never None: it is the last of `sizes`, or `n_max`.

    Args:
        space, n_trials, rng: see `frugal.trials.make`.
        sizes: numbers of rows that may be asked, increasing, the last the full one; None: every whole number from
            `n_min` to `n_max`.
        n_min: least number of rows; None: 100.
        n_max: the full number of rows; None: 50,000.
        n_initial: without `initial`, size of the Latin hypercube to start from; None: 15, but at most half of
            `n_trials`.
        kernel: kernel of the candidates, as in `GP`.
        size_covariance: as in `SizeGP`.
        size_scale: `log2` or `linear`, what sizes are to the surrogates.
        n_steps: steps of the chains at every fit.
        **settings: settings of `InformationPerCost`.

    Raises:
        ValueError: on a setting outside its range, sizes beside n_min or n_max, or sizes that do not increase.
    """

    needs = ("sizes", "n_valid")
    _levels = None
    _target = np.ones(1)

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        sizes: Sequence[int] | None = None,
        n_min: int | None = None,
        n_max: int | None = None,
        n_initial: int | None = None,
        kernel: str = "matern52_product",
        size_covariance: str = "diagonal",
        size_scale: str = "log2",
        n_steps: int = 100,
        **settings: Any,
    ) -> None:
        if sizes is None:
            self._ends = (N_MIN if n_min is None else n_min, N_MAX if n_max is None else n_max)
            check_whole("n_max", self._ends[1], 2)
            check_whole("n_min", self._ends[0], 1, self._ends[1] - 1, "less than n_max")
        else:
            if n_min is not None or n_max is not None:
                raise ValueError(f"give sizes, or n_min and n_max, not both; got sizes = {list(sizes)}")
            check_sizes(sizes, 1)
            self._ends = (sizes[0], sizes[-1])
        check_choice("size_scale", size_scale, SCALES)
        check_choice("size_covariance", size_covariance, SIZE_COVARIANCES)
        self._sizes, self._scale, self._kernel, self._size_covariance = sizes, size_scale, kernel, size_covariance
        if sizes is not None:
            self._levels = np.array([[self._to_unit(n)] for n in sizes])
        n_initial = max(1, min(len(DESIGN), n_trials // 2)) if n_initial is None else n_initial
        super().__init__(space=space, n_trials=n_trials, rng=rng, n_initial=n_initial, n_steps=n_steps, **settings)

    def _surrogates(self) -> tuple[MarginalGP, MarginalGP]:
        loss, cost = (
            SizeGP(variant, kernel=self._kernel, size_covariance=self._size_covariance, prior=self._prior)
            for variant in ("loss", "cost")
        )
        return self._marginal(loss), self._marginal(cost)

    def _to_unit(self, n: int) -> float:
        return float(to_unit_size(n, *self._ends, scale=self._scale))

    def _n_rows(self, level: Array) -> int:
        return int(from_unit_size(float(level[0]), *self._ends, scale=self._scale))

    def _level_of(self, task: TrialTask) -> Array:
        assert task.n_rows is not None
        return np.array([self._to_unit(task.n_rows)])

    def _design_level(self, number: int) -> Array:
        low, high = self._ends
        part = DESIGN[(2 * number + 1) * len(DESIGN) // (2 * len(self._initial))]
        wanted = high / part
        if self._sizes is None:
            least = max(DESIGN)
            if high < least * low:
                wanted = high * (low / high) ** (math.log(part) / math.log(least))
            return np.array([self._to_unit(round(min(max(wanted, low), high)))])
        return np.array([self._to_unit(min(self._sizes[:-1], key=lambda n: abs(math.log(n / wanted))))])

    def _levels_at(self, u: Array) -> Array:
        if self._levels is not None:
            return super()._levels_at(u)
        low, high = self._ends
        sizes = np.rint(low * (high / low) ** u).astype(int)
        return np.array([[self._to_unit(int(n))] for n in sizes])
