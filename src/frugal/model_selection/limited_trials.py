"""A trials strategy within limits, whose choice is finally evaluated on the full resource."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from typing import Final, TypeVar

from frugal.interface import WAIT, Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.model_selection.limited import Limits
from frugal.model_selection.trial_plan import LOGARITHMIC, Plan
from frugal.trials.checks import LARGEST_TARGET

AnyTrial = TypeVar("AnyTrial", bound=Trial)
_REMEDY: Final = "add a constant to the errors, or choose ei, dngo, entropy_search or random"


class LimitedTrialStrategy:
    """A trials strategy that keeps the limits of a search, and asks for a last trial if needed.

    A search returns the candidate with the lowest error among trials on the full resource. If the strategy chooses
    a candidate without such a trial, the candidate gets one at the end.

    Attributes:
        best: trial with the lowest error among those on the most of the resource; None: all failed.
        ended: the limit that ended the search; empty if the strategy ended it.
        closing: the last trial, if the search asked for it and not the strategy; None: there was none.

    Args:
        strategy: a new strategy.
        plan: the strategy's settings, and the resource of a whole trial.
        limits: limits of the search.
        remedy: advice in the error message on negative errors, which a strategy that models logarithms refuses.
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
        strategy = deepcopy(self._strategy) if reached else self._strategy  # it may have ended by itself
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
        """Record a finished trial.

        Raises:
            ValueError: on an error below 0, if the strategy models the logarithm of errors.
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
        """Report a score to the strategy."""
        return self._strategy.report(task, epoch, score)

    @property
    def incumbent(self) -> Candidate | None:
        """The incumbent of the strategy."""
        return self._strategy.incumbent

    @property
    def recommendation(self) -> Candidate | None:
        """The recommendation of the strategy; its incumbent if it has none."""
        return getattr(self._strategy, "recommendation", self._strategy.incumbent)

    def _last(self) -> TrialTask | None:
        """A trial of the incumbent on the full resource; None if the incumbent had one."""
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
