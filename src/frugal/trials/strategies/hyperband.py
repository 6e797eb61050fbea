"""Hyperband: brackets of successive halving, each with another trade-off of candidates and resource.

Source: Li et al. (2018), "Hyperband: a novel bandit-based approach to hyperparameter optimization", JMLR 18(185),
Algorithm 1; the arithmetic of its brackets is in `frugal.trials.brackets`. `brackets=[s]` runs bracket s alone,
which is successive halving. Differs from the paper: by default the incumbent has the lowest error on the largest
resource so far. The paper takes the lowest error on any resource (`incumbent="last_seen"`). On a tie the candidate
drawn first goes on. A candidate whose trial failed never goes on, so a rung may hold fewer candidates than
planned. After the last bracket the first one begins again, with new candidates, until all trials of the budget are
asked. If the budget ends within a bracket, the trials of that bracket count all the same.

On epochs, a candidate that goes on continues its earlier trial (`TrialTask.resume_from`). The epochs of that trial
are neither trained nor paid for again. On rows the candidate is fitted anew, every trial on its own draw of rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from frugal.checks import check_choice, check_whole
from frugal.interface import WAIT, Candidate, Trial, TrialTask, Wait
from frugal.spaces import SearchSpace
from frugal.trials.brackets import Rung, last_bracket, plan_bracket
from frugal.trials.checks import check_list
from frugal.trials.ledger import BaseTrialStrategy

RESOURCES, INCUMBENTS = ("epochs", "rows"), ("full", "last_seen")


class Hyperband(BaseTrialStrategy):
    """Hyperband, rung by rung. After the last trial of a rung, `ask` returns WAIT until all have a result.

    Args:
        space: the search space.
        n_trials: largest number of trials; a candidate on three rungs is three trials.
        rng: generator of the candidates.
        initial: candidates in place of the first draws.
        resource: `epochs` or `rows`.
        max_resource: R, the epochs or rows of a whole trial; tasks have this number, never None.
        min_resource: smallest resource; the first rung of the longest bracket has max_resource / eta^s_max, which
            is between this and eta times this.
        reduction_factor: eta, at least 2.
        rounding: rounding of the brackets' first rungs: `ceil`, `floor` or `robo`, as in `frugal.trials.brackets`.
        brackets: numbers of the brackets to run, in order; None: s_max to 0.
        n_brackets: largest number of brackets; None: as many as the trials allow.
        epochs: epochs of every trial, if rows are the resource and the learner trains in epochs.
        incumbent: `full`, the candidate with the lowest error on the largest resource so far, in the end
            `max_resource`; or `last_seen`, the one with the lowest error on any resource, as in RoBO.

    Raises:
        ValueError: on a setting outside its range, fewer resources than a bracket of two rungs needs, or an
            unknown bracket.
    """

    needs = ("rungs",)

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        initial: Sequence[Candidate] = (),
        resource: str = "epochs",
        max_resource: int = 81,
        min_resource: int = 1,
        reduction_factor: int = 3,
        rounding: str = "ceil",
        brackets: Sequence[int] | None = None,
        n_brackets: int | None = None,
        epochs: int | None = None,
        incumbent: str = "full",
    ) -> None:
        super().__init__(space=space, n_trials=n_trials, initial=initial)
        check_choice("resource", resource, RESOURCES)
        check_choice("incumbent", incumbent, INCUMBENTS)
        if n_brackets is not None:
            check_whole("n_brackets", n_brackets, 1)
        if epochs is not None:
            check_whole("epochs", epochs, 1)
            if resource == "epochs":
                raise ValueError(f"epochs may be given where rows are the resource, not beside it, got {epochs}")
        sizes = {"max_resource": max_resource, "min_resource": min_resource, "reduction_factor": reduction_factor}
        numbers = range(last_bracket(**sizes), -1, -1) if brackets is None else brackets
        check_list("brackets", numbers)
        if not len(numbers):
            raise ValueError("brackets must name at least one bracket, got none")
        self._plans = [plan_bracket(s, rounding=rounding, **sizes) for s in numbers]
        self._rng, self._on_rows, self._epochs = rng, resource == "rows", epochs
        self._n_brackets, self._rule = math.inf if n_brackets is None else n_brackets, incumbent
        self._first, self._initial = self._initial, []  # they take the place of draws, rung by rung as others
        self._answers: dict[int, Trial] = {}
        self._fullest: Trial | None = None  # best told on the largest resource so far
        self._begun = 0  # brackets
        self._later: list[Rung] = []  # rungs of the bracket after the present one
        self._rung = Rung(0, 0)
        self._queue: list[tuple[Candidate, int | None]] = []  # of the present rung, with the trial it goes on from
        self._on_rung: list[int] = []  # trials asked on it
        self._resumed: int | None = None

    def tell(self, trial: Trial) -> None:
        """Take a result."""
        super().tell(trial)
        trial = self._answers[trial.task.id] = self.trials[-1]
        best = self._fullest
        if not math.isnan(trial.error) and (best is None or self._rank(trial) < self._rank(best)):
            self._fullest = trial

    @property
    def incumbent(self) -> Candidate | None:
        """The candidate that the rule `incumbent` chooses; None before a trial has succeeded."""
        if self._rule == "last_seen":
            return super().incumbent
        return None if self._fullest is None else dict(self._fullest.task.candidate)

    def _propose(self) -> Candidate | Wait | None:
        while not self._queue:
            if any(number not in self._answers for number in self._on_rung):
                return WAIT
            if not self._climb() and not self._begin():
                return None
        candidate, self._resumed = self._queue.pop(0)
        return candidate

    def _climb(self) -> bool:
        """Promote the best of a finished rung; False if there is no next rung or no candidate left."""
        if not self._later:
            return False
        self._rung, *self._later = self._later
        answers = [self._answers[number] for number in self._on_rung]
        ranked = sorted((t for t in answers if not math.isnan(t.error)), key=lambda t: t.error)  # stable
        best = sorted(trial.task.id for trial in ranked[: self._rung.n_candidates])
        self._queue = [(self._answers[number].task.candidate, number) for number in best]
        self._on_rung = []
        return bool(self._queue)

    def _begin(self) -> bool:
        """Draw the candidates of the next bracket; False after the last."""
        if self._begun >= self._n_brackets:
            return False
        self._rung, *self._later = self._plans[self._begun % len(self._plans)]
        self._begun += 1
        n = self._rung.n_candidates
        first, self._first = self._first[:n], self._first[n:]
        self._queue = [(c, None) for c in [*first, *self._space.sample(self._rng, n - len(first))]]
        self._on_rung = []
        return True

    def _task(self, number: int, candidate: Candidate) -> TrialTask:
        self._on_rung.append(number)
        if self._on_rows:
            return TrialTask(number, candidate, self._rung.resource, subset=number, epochs=self._epochs)
        return TrialTask(number, candidate, epochs=self._rung.resource, resume_from=self._resumed)

    def _rank(self, trial: Trial) -> tuple[int, float]:
        """Sort key: largest resource first, then lowest error."""
        resource = trial.task.n_rows if self._on_rows else trial.task.epochs
        assert resource is not None
        return -resource, trial.error
