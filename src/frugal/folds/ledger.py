"""Bookkeeping of fold strategies (scores so far, pending tasks and incumbent), and the bases that keep it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from frugal.checks import check_whole, is_finite, is_nan
from frugal.interface import WAIT, FoldTask, Wait
from frugal.stats import mean_score


def limit_of(budget: int | None, n_total: int) -> int:
    """Fold evaluations that a budget allows, of `n_total` in all; None: all of them.

    Raises:
        ValueError: unless `budget` is None or an integer of at least 1.
    """
    if budget is None:
        return n_total
    check_whole("budget", budget, 1)
    return min(budget, n_total)


@dataclass(frozen=True)
class ScoreRange:
    """The scores that a strategy accepts: real numbers from `low` to `high`, both included.

    Attributes:
        low: smallest accepted score.
        high: largest accepted score.
        needs: why the strategy needs this range; the start of the error message.
    """

    low: float = -math.inf
    high: float = math.inf
    needs: str = ""

    def check(self, score: float) -> None:
        """Raise unless the strategy accepts the score; nan, a failed fit, is always accepted.

        Raises:
            ValueError: if it is no finite number, or out of range.
        """
        if not is_finite(score) and not is_nan(score):
            raise ValueError(f"a score must be a finite number, or nan for a failed fit, got {score!r}")
        if score < self.low or score > self.high:
            raise ValueError(f"{self.needs}, got {score!r}")


ANY_SCORE = ScoreRange()
SHARES = ScoreRange(0.0, 1.0, "the Beta model needs scores in [0, 1], such as accuracies")


class Ledger:
    """Scores told so far, and the incumbent.

    The incumbent is the complete candidate with the best mean; on a tie the one completed first. Where no
    candidate is complete it is the incomplete one with the best mean so far, on a tie the lowest index.
    Failed candidates (mean -inf) are never the incumbent.

    Attributes:
        best: the complete candidate with the best mean; None before one is complete without a failed fit.

    Args:
        n_candidates: length of the candidate list.
        n_folds: folds of a complete candidate.
        score_range: the scores that the strategy accepts.
    """

    def __init__(self, *, n_candidates: int, n_folds: int, score_range: ScoreRange = ANY_SCORE) -> None:
        self.n_candidates, self.n_folds, self.score_range = n_candidates, n_folds, score_range
        self.scores: list[list[float]] = [[] for _ in range(n_candidates)]
        self.events: list[dict[str, Any]] = []
        self.n_asked = self.n_told = 0
        self._pending: set[FoldTask] = set()
        self.best: int | None = None
        self._best_mean = -math.inf

    def ask(self, candidate: int, fold: int, n_rows: int | None = None) -> FoldTask:
        """Record a new pending evaluation."""
        task = FoldTask(candidate, fold, n_rows)
        self._pending.add(task)
        self.n_asked += 1
        return task

    def ask_next(self, candidate: int) -> FoldTask:
        """Record a candidate's next fold on all rows as pending."""
        return self.ask(candidate, len(self.scores[candidate]))

    def awaits(self, candidate: int) -> bool:
        """True if a candidate's next fold on all rows is pending."""
        return FoldTask(candidate, len(self.scores[candidate])) in self._pending

    def has_all_folds(self, candidate: int) -> bool:
        """True if every fold of a candidate was told, including failed ones."""
        return len(self.scores[candidate]) == self.n_folds

    @property
    def n_pending(self) -> int:
        """Number of pending evaluations."""
        return len(self._pending)

    def settle(self, task: FoldTask, score: float) -> None:
        """Check a result against the pending tasks, and remove its task.

        Raises:
            ValueError: if the task was not asked or already told, or the score is none that the strategy takes.
        """
        if task not in self._pending:
            raise ValueError(f"{task} was not asked, or was told before")
        self.score_range.check(score)
        self._pending.remove(task)
        self.n_told += 1

    def tell(self, task: FoldTask, score: float) -> float:
        """Record a result; returns the candidate's mean so far (`stats.mean_score`).

        Raises:
            ValueError: if the task was not asked or already told, or the score is none that the strategy takes.
        """
        self.settle(task, score)
        scores = self.scores[task.candidate]
        scores.append(score)
        mean = mean_score(scores)
        if self.has_all_folds(task.candidate):
            better = mean > self._best_mean
            if better:
                self.best, self._best_mean = task.candidate, mean
            self.events.append(
                {
                    "event": "complete",
                    "step": self.n_told,
                    "candidate": task.candidate,
                    "mean": mean,
                    "best": better,
                }
            )
        return mean

    def note(self, event: str, candidate: int, **why: object) -> None:
        """Add an event of a candidate, such as `prune` (it gets no further fold), with the reasons `why`."""
        n_folds = len(self.scores[candidate])
        self.events.append(
            {"event": event, "step": self.n_told, "candidate": candidate, "n_folds": n_folds, **why}
        )

    @property
    def incumbent(self) -> int | None:
        """The candidate to return if stopped now; None before any fit has succeeded."""
        if self.best is not None:
            return self.best
        return best_so_far(self.scores)

    @property
    def complete(self) -> bool:
        """True if the incumbent has all its folds."""
        return self.best is not None


def best_so_far(scores: Sequence[Sequence[float]]) -> int | None:
    """Candidate with the best mean so far, on a tie the lowest index; None if no fit has succeeded.

    Args:
        scores: fold scores by candidate; a list may be empty.
    """
    means = [(mean_score(listed), -candidate) for candidate, listed in enumerate(scores) if listed]
    best, index = max(means, default=(-math.inf, 0))
    return None if best == -math.inf else -index


class BaseFoldStrategy:
    """Base of the strategies whose incumbent is that of their ledger.

    Attributes:
        events: completions, prunings and the like, each with its step from 1.

    Args:
        n_candidates: length of the candidate list.
        n_folds: folds of a complete candidate.
        score_range: the scores that the strategy accepts.
    """

    def __init__(self, *, n_candidates: int, n_folds: int, score_range: ScoreRange = ANY_SCORE) -> None:
        self._ledger = Ledger(n_candidates=n_candidates, n_folds=n_folds, score_range=score_range)
        self.events = self._ledger.events

    @property
    def score_range(self) -> ScoreRange:
        """The scores that the strategy accepts."""
        return self._ledger.score_range

    @property
    def incumbent(self) -> int | None:
        """Best complete candidate, else best incomplete one."""
        return self._ledger.incumbent

    @property
    def complete(self) -> bool:
        """True if the incumbent has all its folds."""
        return self._ledger.complete


class Rounds(BaseFoldStrategy, ABC):
    """Base of the strategies that go round by round; the first round is one fold of every candidate."""

    def __init__(self, *, n_candidates: int, n_folds: int) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)
        self._alive, self._n_done = list(range(n_candidates)), 1
        self._queue = [(candidate, 0) for candidate in reversed(self._alive)]

    @abstractmethod
    def _end_round(self) -> tuple[list[int], int]:
        """Choose the candidates of `_alive` that go on, and their number of folds after the next round."""

    def ask(self) -> FoldTask | Wait | None:
        """Next fold of the round; WAIT while the round's last answers are pending."""
        if self._queue:
            return self._ledger.ask(*self._queue.pop())
        return WAIT if self._ledger.n_pending else None

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; the last answer of a round ends it."""
        self._ledger.tell(task, score)
        if self._queue or self._ledger.n_pending or self._n_done == self._ledger.n_folds:
            return
        self._alive, n_folds = self._end_round()
        tasks = [(candidate, fold) for candidate in self._alive for fold in range(self._n_done, n_folds)]
        self._queue, self._n_done = tasks[::-1], n_folds


class Sequential(BaseFoldStrategy, ABC):
    """Base of the strategies that take candidates in their order; with several workers the next start early."""

    def __init__(self, *, n_candidates: int, n_folds: int, score_range: ScoreRange = ANY_SCORE) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, score_range=score_range)
        self._open: list[int] = []
        self._next = 0

    @abstractmethod
    def _verdict(self, candidate: int) -> dict[str, Any] | None:
        """Decide whether to drop a candidate that has a new score and folds left.

        Returns:
            Further keys of its `prune` event; None: the candidate goes on.
        """

    def ask(self) -> FoldTask | Wait | None:
        """Next fold of the first open candidate that waits for no answer, else the next candidate's first."""
        ledger = self._ledger
        candidate = next((c for c in self._open if not ledger.awaits(c)), None)
        if candidate is None:
            if self._next == ledger.n_candidates:
                return WAIT if ledger.n_pending else None
            candidate, self._next = self._next, self._next + 1
            self._open.append(candidate)
        return ledger.ask_next(candidate)

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; drops the candidate where the rule says so."""
        ledger, candidate = self._ledger, task.candidate
        mean = ledger.tell(task, score)
        if ledger.has_all_folds(candidate):
            self._open.remove(candidate)
            return
        reason = {"failed": True} if mean == -math.inf else self._verdict(candidate)
        if reason is not None:
            self._open.remove(candidate)
            ledger.note("prune", candidate, **reason)
