"""A peer: Optuna's WilcoxonPruner, over candidates in their order.

One Optuna trial per candidate, one step per fold, through Optuna's public API alone. The pruner compares the
candidate with the best complete trial by a one-sided Wilcoxon signed-rank test on the folds that both have, and
drops it where p < p_threshold while its mean is behind. Returned is the complete candidate with the best mean.

The decision depends only on the scores of the two, and the exact test is slow. So decisions are cached by these
scores: lists drawn from a grid hold many candidates more than once.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from frugal.checks import check_between, check_whole
from frugal.extras import quiet_optuna
from frugal.folds.ledger import Sequential
from frugal.interface import FoldTask, Wait
from frugal.stats import mean_score

if TYPE_CHECKING:
    import optuna


class Wilcoxon(Sequential):
    """Optuna's WilcoxonPruner as a strategy; `events` says what was pruned when.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        p_threshold: p-value below which a candidate is dropped, in [0, 1]; the default is Optuna's.
        n_startup_steps: number of folds before which only failed candidates are dropped; default as in Optuna.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        p_threshold: float = 0.1,
        n_startup_steps: int = 2,
    ) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)
        check_between("p_threshold", p_threshold, 0, 1)
        check_whole("n_startup_steps", n_startup_steps, 0)
        self._study = _study(p_threshold, n_startup_steps)
        self._trials: dict[int, optuna.Trial] = {}
        self._best: tuple[float, ...] = ()
        self._decisions: dict[tuple[tuple[float, ...], tuple[float, ...]], bool] = {}

    def ask(self) -> FoldTask | Wait | None:
        """Next fold of the candidate at hand, or the first one of the next."""
        task = super().ask()
        if isinstance(task, FoldTask) and task.candidate not in self._trials:
            self._trials[task.candidate] = self._study.ask()
        return task

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit."""
        super().tell(task, score)
        candidate, scores = task.candidate, self._ledger.scores[task.candidate]
        if self._ledger.has_all_folds(candidate) and not np.isnan(scores).any():
            self._trials[candidate].report(score, task.fold)
            self._study.tell(self._trials[candidate], mean_score(scores))
            self._best = tuple(self._study.best_trial.intermediate_values.values())

    def _verdict(self, candidate: int) -> dict[str, Any] | None:
        from optuna.trial import TrialState

        trial, scores = self._trials[candidate], self._ledger.scores[candidate]
        trial.report(scores[-1], len(scores) - 1)
        both = tuple(scores), self._best
        if both not in self._decisions:
            self._decisions[both] = trial.should_prune()
        if not self._decisions[both]:
            return None
        self._study.tell(trial, state=TrialState.PRUNED)
        return {}


def _study(p_threshold: float, n_startup_steps: int) -> optuna.Study:
    """A study in memory that maximises, without Optuna's announcement of it and of its experimental interface.

    Raises:
        MissingExtraError: without Optuna.
    """
    with quiet_optuna(), warnings.catch_warnings():
        import optuna

        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        pruner = optuna.pruners.WilcoxonPruner(p_threshold=p_threshold, n_startup_steps=n_startup_steps)
        return optuna.create_study(direction="maximize", pruner=pruner)
