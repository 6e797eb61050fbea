"""Information per unit of cost, from trials on some of the rows about the minimum on all of them.

Source: Klein et al. (2017), "Fast Bayesian optimization of machine learning hyperparameters on large datasets",
and Swersky, Snoek and Adams (2013), "Multi-task Bayesian optimization". One surrogate models the log error,
another one the log cost, of a candidate x on s, a number of rows or a task. Both are averaged over samples of
their hyperparameters. The k-th sample of the one goes with the k-th of the other:

    a(x, s) = average over k of [alpha_k(x, s) / (exp(c_k(x, s)) + overhead)]

Here alpha_k is the information gain, and c_k the predicted mean of the log cost, both under the k-th sample.

The minimum is sought, and the incumbent judged, on all rows. Every trial draws its rows anew (`TrialTask.subset`
is the trial's number), so that the noise of a draw is seen. Differs from both sources: the log errors and log
costs are standardised before they are fitted, unless the prior is `robo`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from frugal.checks import check_choice, check_number, check_whole
from frugal.interface import Candidate, Trial, TrialTask
from frugal.spaces import SearchSpace
from frugal.trials.information_based import InformationBased, standardised
from frugal.trials.surrogates import MarginalGP
from frugal.trials.surrogates.kernels import Array

CURRENCIES, INCUMBENTS = ("seconds", "cost"), ("mean", "last_seen")
LEAST_COST = 1e-6
"""Smallest modelled cost, in the currency's unit, since logarithms are modelled."""


class InformationPerCost(InformationBased):
    """Base of the strategies that also choose the number of rows; a subclass maps levels to rows (`_n_rows`).

    Args:
        space, n_trials, rng: see `frugal.trials.make`.
        currency: the modelled cost: `seconds`, as measured, or `cost`, machine-independent.
        overhead: extra cost of every trial, in the currency's unit.
        n_valid: number of validation rows; errors below 1 / (2 n_valid) are raised to it. None: errors are no
            shares of rows; those below half of the smallest positive one so far are raised to that.
        incumbent: `mean`, the evaluated candidate with the lowest mean predicted on all rows, or `last_seen`, the
            one with the lowest error on any number of rows.
        prior: prior of the hyperparameters: `repaired` or `robo`.
        **settings: settings of `InformationBased`.

    Raises:
        ValueError: on a setting outside its range; `tell`: on an error or a cost below 0, or no cost.
    """

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        currency: str = "seconds",
        overhead: float = 0.0,
        n_valid: int | None = 10_000,
        incumbent: str = "mean",
        prior: str = "repaired",
        **settings: Any,
    ) -> None:
        check_choice("currency", currency, CURRENCIES)
        check_number("overhead", overhead, 0)
        if n_valid is not None:
            check_whole("n_valid", n_valid, 1)
        check_choice("incumbent", incumbent, INCUMBENTS)
        self._currency, self._overhead, self._rule = currency, overhead, incumbent
        self._floor, self._prior = None if n_valid is None else 1 / (2 * n_valid), prior
        super().__init__(space=space, n_trials=n_trials, rng=rng, **settings)
        self._loss_gp, self._cost_gp = self._surrogates()
        self._cost: MarginalGP | None = None
        self._cost_scale = (0.0, 1.0)

    def _check_answer(self, trial: Trial) -> None:
        """Also check that the logarithms of error and cost exist."""
        super()._check_answer(trial)
        paid = getattr(trial, self._currency)
        if trial.error < 0:
            raise ValueError(f"an error must be at least 0, since its logarithm is modelled, got {trial.error}")
        is_unknown = math.isnan(paid) and (math.isnan(trial.error) or bool(trial.reason))  # it was given up
        if not (0 <= paid < math.inf or is_unknown):
            raise ValueError(f"{self._currency} of a trial must be a finite number, at least 0, got {paid}")

    @property
    def incumbent(self) -> Candidate | None:
        """The candidate that the rule `incumbent` chooses; None before a trial has succeeded."""
        return self.recommendation if self._rule == "mean" else super().incumbent

    @abstractmethod
    def _surrogates(self) -> tuple[MarginalGP, MarginalGP]:
        """Surrogates of the log error and the log cost."""

    @abstractmethod
    def _design_level(self, number: int) -> Array:
        """Level of an initial candidate, (k,)."""

    @abstractmethod
    def _n_rows(self, level: Array) -> int | None:
        """Number of rows at `level` (k,)."""

    def _task(self, number: int, candidate: Candidate) -> TrialTask:
        level = self._design_level(number) if number < len(self._initial) else self._next
        n_rows = self._n_rows(level)
        return TrialTask(number, candidate, n_rows, subset=0 if n_rows is None else number)

    def _fit(self, X: Array) -> MarginalGP:
        errors, costs, self._cost_scale = self._targets()
        self._cost = self._cost_gp.fit(X, costs)
        return self._loss_gp.fit(X, errors)

    def _targets(self) -> tuple[Array, Array, tuple[float, float]]:
        """Scaled log errors and log costs so far, each (n,), and the mean and standard deviation of the latter."""
        errors, floor = self._errors(), self._floor
        if floor is None:
            positive = errors[errors > 0]
            floor = positive.min() / 2 if len(positive) else 1.0
        log_errors = self._scaled(np.log(np.maximum(errors, floor)))[0]
        paid = np.array([getattr(trial, self._currency) for trial in self.trials], dtype=float)
        unknown = np.isnan(paid)
        paid[unknown] = 1.0 if unknown.all() else paid[~unknown].max()  # as failures count as the worst error
        costs, mean, sd = self._scaled(np.log(np.maximum(paid, LEAST_COST)))
        return log_errors, costs, (mean, sd)

    def _scaled(self, values: Array) -> tuple[Array, float, float]:
        return (values, 0.0, 1.0) if self._prior == "robo" else standardised(values)

    def _costs(self, X: Array) -> Array:
        assert self._cost is not None
        mean, sd = self._cost_scale
        logs = np.array([component.predict(X)[0] for component in self._cost.components])
        return np.exp(mean + sd * logs) + self._overhead
