"""Optuna's tree-structured Parzen estimator, for comparison with our strategies, through Optuna's ask and tell.

Source: Bergstra et al. (2011), "Algorithms for hyper-parameter optimization". Optuna gets continuous dimensions as
quantiles in [0, 1], which keeps their scale. It gets integer dimensions as integers, ordinal ones as places in
their list, and categorical ones as categories. Pending trials count as bad (Optuna's constant liar). Failed trials
are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from frugal.checks import check_whole
from frugal.extras import quiet_optuna
from frugal.interface import Candidate, Trial, TrialTask, Wait
from frugal.spaces import Choice, Dimension, Integer, SearchSpace
from frugal.trials.encoding import from_peer, to_peer
from frugal.trials.ledger import BaseTrialStrategy


class Tpe(BaseTrialStrategy):
    """Optuna's TPE with its defaults, apart from the number of random trials and the constant liar.

    Args:
        space, n_trials: see `frugal.trials.make`.
        rng: generator from which Optuna's seed is drawn.
        initial: candidates to try first; they count among those of `n_random`.
        n_random: trials before the estimator is used; 10 is Optuna's default.
    """

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        initial: Sequence[Candidate] = (),
        n_random: int = 10,
    ) -> None:
        check_whole("n_random", n_random, 0)
        super().__init__(space=space, n_trials=n_trials, initial=initial)
        sampler = optuna.samplers.TPESampler(
            seed=int(rng.integers(2**31)), n_startup_trials=n_random, constant_liar=True
        )
        with quiet_optuna():
            self._study = optuna.create_study(sampler=sampler)
        self._distributions = {name: _distribution(d) for name, d in space.dimensions.items()}
        self._optuna_ids: list[int] = []
        for candidate in self._initial:
            self._study.enqueue_trial({name: to_peer(d, candidate[name]) for name, d in space.dimensions.items()})

    def ask(self) -> TrialTask | Wait | None:
        """Next trial; None: the budget is spent."""
        task = super().ask()
        if isinstance(task, TrialTask) and task.id < len(self._initial):
            self._optuna_ids.append(self._study.ask(self._distributions).number)  # the one that was enqueued
        return task

    def tell(self, trial: Trial) -> None:
        """Take a result and pass it on to Optuna."""
        super().tell(trial)
        failed = np.isnan(trial.error)
        state = optuna.trial.TrialState.FAIL if failed else optuna.trial.TrialState.COMPLETE
        self._study.tell(self._optuna_ids[trial.task.id], None if failed else trial.error, state=state)

    def _propose(self) -> Candidate:
        asked = self._study.ask(self._distributions)
        self._optuna_ids.append(asked.number)
        dimensions = self._space.dimensions.items()
        return {name: from_peer(dimension, asked.params[name]) for name, dimension in dimensions}


def _distribution(dimension: Dimension) -> BaseDistribution:
    if isinstance(dimension, Choice):
        places = range(len(dimension.values))
        return (
            CategoricalDistribution(places) if dimension.kind == "categorical" else IntDistribution(0, places[-1])
        )
    if isinstance(dimension, Integer):
        return IntDistribution(dimension.low, dimension.high, log=dimension.scale == "log")
    return FloatDistribution(0.0, 1.0)
