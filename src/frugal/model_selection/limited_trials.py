"""A trials strategy within limits, whose choice is finally evaluated on the full resource."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from typing import Final, TypeVar

from frugal.interface import WAIT, Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.model_selection.limited import Limits
from frugal.model_selection.needs import LOGARITHMIC, Plan
from frugal.trials.checks import LARGEST_TARGET

AnyTrial = TypeVar("AnyTrial", bound=Trial)
_REMEDY: Final = "add a constant to the errors, or choose ei, dngo, entropy_search or random"


class LimitedTrialStrategy:
    """A trials strategy that keeps the limits of a search, and asks for a last trial if needed.

    A search returns the lowest error among trials on the full resource. If a strategy chooses a candidate without
    such a trial, the candidate gets one at the end.

    Attributes:
        best: of the trials told on the most of the resource, the one with the lowest error; None: all failed.
        ended: the limit that forbids what is wanted next; empty: the strategy decided.
        closing: the trial that the strategy did not ask for; None: there was none.

    Args:
        strategy: a fresh one.
        plan: what it gives its trials.
        limits: of the search.
        remedy: what an error below 0 is answered with, where the strategy models its logarithm.
    """

    def __init__(self, strategy: TrialStrategy, plan: Plan, limits: Limits, *, remedy: str = _REMEDY) -> None:
        self._strategy, self._plan, self._limits, self._remedy = strategy, plan, limits, remedy
        self._n_asked, self._n_out, self._next_id = 0, 0, 0
        self._whole: list[Candidate] = []  # candidates of whole trials, failed ones too
        self.best: Trial | None = None
        self.ended = ""
        self.closing: TrialTask | None = None

    def ask(self) -> TrialTask | Wait | None:
        """The next trial; None once the search is over."""
        if self.closing is not None or self.ended:
            return None
        reached = self._limits.reached(self._n_asked)
        strategy = deepcopy(self._strategy) if reached else self._strategy  # it may have no more to ask
        task = strategy.ask()
        if task is None:
            task = WAIT if self._n_out else self._last()
        if isinstance(task, TrialTask) and reached:
            self.ended, self.closing = reached, None
            return None
        if isinstance(task, TrialTask):
            self._n_asked, self._n_out = self._n_asked + 1, self._n_out + 1
            self._next_id = max(self._next_id, task.id + 1)
        return task

    def tell(self, trial: Trial) -> None:
        """Take note of an answer.

        Raises:
            ValueError: on an error below 0, where the strategy models its logarithm.
        """
        self._n_out -= 1
        if self._plan.strategy in LOGARITHMIC and trial.error < 0:
            raise ValueError(
                f"{self._plan.strategy} models the logarithm of errors, so they must be at least 0, got "
                f"{trial.error:g}; {self._remedy}"
            )
        if trial.task is not self.closing:
            self._strategy.tell(trial)
        if self._plan.is_whole(trial.task):
            self._whole.append(trial.task.candidate)
        if not math.isnan(trial.error) and (self.best is None or _rank(trial) < _rank(self.best)):
            self.best = trial

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """Of the strategy."""
        return self._strategy.report(task, epoch, score)

    @property
    def incumbent(self) -> Candidate | None:
        """Of the strategy."""
        return self._strategy.incumbent

    @property
    def recommendation(self) -> Candidate | None:
        """Of the strategy, or its incumbent where it recommends nothing."""
        return getattr(self._strategy, "recommendation", self._strategy.incumbent)

    def _last(self) -> TrialTask | None:
        """The last trial, on the full resource, of a candidate chosen without one; None if it has one."""
        chosen = self._strategy.incumbent
        if chosen is None or chosen in self._whole:
            return None
        self.closing = TrialTask(self._next_id, chosen, self._plan.n_rows, epochs=self._plan.epochs)
        return self.closing


def usable(trial: AnyTrial) -> AnyTrial:
    """Mark a trial as failed if the square of its error overflows."""
    if math.isnan(trial.error) or abs(trial.error) <= LARGEST_TARGET:
        return trial
    return replace(trial, error=math.nan, reason=f"the error {trial.error:g} is beyond +-{LARGEST_TARGET:g}")


def _rank(trial: Trial) -> tuple[float, float, float]:
    """Sort key: most rows first, then most epochs, then lowest error."""
    return -(trial.task.n_rows or math.inf), -(trial.task.epochs or math.inf), trial.error
