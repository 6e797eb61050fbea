"""Termination of trials on different numbers of rows: each is held against the best of its own number.

The rule of `frugal.trials.termination` stops a trial that is unlikely to end above the best one before. On fewer
rows all trials end below the best on all of them, so that rule would stop every one; and what is asked of a trial
there is what it tells about the minimum on all rows. So there is one rule, with a best score of its own, for each
number.

What the cost model is told of a trial that was stopped is a choice: what it took (`spent`), so that candidates
whose trials are stopped look cheap; or what it would have taken to the end (`horizon`), so that they do not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from frugal.checks import check_choice
from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.seeds import rng_for
from frugal.trials.termination import Terminating, terminating

TOLD: Final = ("spent", "horizon")


class PerSize:
    """A strategy whose hopeless trials are cut short, by a rule for each number of rows.

    Args:
        strategy: what proposes the trials; a stopped one it is told with the error expected at the horizon.
        told: one of `TOLD`. Epochs of a trial cost the same, so that the cost to the horizon is what was spent
            times the horizon over the epochs made.
        settings: of `Terminating`, at least horizon.
        names: what the checks are seeded by.

    Raises:
        ValueError: on an unknown `told`, or a setting that `terminating` refuses.
    """

    def __init__(
        self, strategy: TrialStrategy, *, told: str, settings: Mapping[str, Any], names: tuple[str | int, ...]
    ) -> None:
        check_choice("told", told, TOLD)
        self._strategy, self._told, self._settings, self._names = strategy, told, dict(settings), names
        self._rules: dict[int, Terminating] = {}
        self._rule(None)  # refuses settings before a trial is made

    def ask(self) -> TrialTask | Wait | None:
        """The strategy's next trial, with `epochs` set."""
        task = self._strategy.ask()
        if task is None or isinstance(task, Wait):
            return task
        rule = self._rule(task.n_rows)
        assert isinstance(rule.strategy, _Passed)
        rule.strategy.task = task
        return rule.ask()

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """As of `Terminating`, by the rule of the task's rows."""
        return self._rule(task.n_rows).report(task, epoch, score)

    def tell(self, trial: Trial) -> None:
        """As of `Terminating`, by the rule of the task's rows."""
        self._rule(trial.task.n_rows).tell(trial)

    @property
    def incumbent(self) -> Candidate | None:
        """The strategy's, or `Terminating.hopeful` in its place."""
        first, *others = self._rules.values()
        return first.hopeful(self._strategy.incumbent, *others)

    def _rule(self, n_rows: int | None) -> Terminating:
        number = n_rows or 0
        if number not in self._rules:
            rng = rng_for(*self._names, "checks", number)
            self._rules[number] = terminating(_Passed(self), rng=rng, **self._settings)
        return self._rules[number]

    def take(self, trial: Trial) -> None:
        """Hand an answer of one of the rules on to the strategy."""
        made, horizon = len(trial.curve), self._settings["horizon"]
        if self._told == "horizon" and made < horizon and not math.isnan(trial.error):
            whole = horizon / made
            trial = replace(trial, seconds=trial.seconds * whole, cost=trial.cost * whole)
        self._strategy.tell(trial)


class _Passed:
    """What one rule takes for its strategy: the task that was asked, and the way back for its answer."""

    def __init__(self, to: PerSize) -> None:
        self.task: TrialTask | None = None
        self._to = to

    def ask(self) -> TrialTask | Wait | None:
        return self.task

    def tell(self, trial: Trial) -> None:
        self._to.take(trial)

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        return True

    @property
    def incumbent(self) -> Candidate | None:
        return self._to.incumbent
