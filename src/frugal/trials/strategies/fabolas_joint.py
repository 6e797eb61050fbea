"""Fabolas with one model of cost and loss, as document 003 proposes for trials that are cut short.

Source: document 003, section 4, third point; the kernel is that of `frugal.trials.surrogates.cost_loss_gp`. All
else is Fabolas': the acquisition reads the loss at full size and the cost from the same process.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frugal.checks import check_flag
from frugal.trials.strategies.fabolas import Fabolas
from frugal.trials.surrogates import MarginalGP
from frugal.trials.surrogates.cost_loss_gp import COST, CostLossGP
from frugal.trials.surrogates.kernels import Array


class FabolasJoint(Fabolas):
    """Fabolas with one Gaussian process of cost and loss.

    Args:
        correlated: whether the correlation rho of loss and cost is fitted. If not, rho is 0 and all else is the
            same, shared length-scales and noise included, so that the two can be compared.
        **settings: arguments of `Fabolas`.

    Raises:
        ValueError: as `Fabolas`, or on a prior other than `repaired`, a size covariance other than `diagonal`, or
            a `correlated` that is not True or False.
    """

    needs = ("sizes", "n_valid")

    def __init__(self, *, correlated: bool = True, **settings: Any) -> None:
        check_flag("correlated", correlated)
        self._weights = [np.nan] * 4 + [np.nan if correlated else 0.0]
        super().__init__(**settings)

    def _surrogates(self) -> tuple[MarginalGP, MarginalGP]:
        if self._size_covariance != "diagonal":
            raise ValueError(f"size_covariance must be diagonal, got {self._size_covariance!r}")
        joint = self._marginal(CostLossGP(weights=self._weights, kernel=self._kernel, prior=self._prior))
        return joint, joint

    def _fit(self, X: Array) -> MarginalGP:
        errors, costs, self._cost_scale = self._targets()
        self._cost = self._loss_gp.fit(np.vstack([X, _as_costs(X)]), np.concatenate([errors, costs]))
        return self._cost

    def _costs(self, X: Array) -> Array:
        return super()._costs(_as_costs(X))


def _as_costs(X: Array) -> Array:
    return np.hstack([X[:, :-1], X[:, -1:] + COST])
