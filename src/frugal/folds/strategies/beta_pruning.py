"""A buffer of candidates: the best-ranked is trained next, and the Beta model drops those that are worse.

Source: document 000 (Kreutzman 2020), Algorithm 1; b is buffer, k is n_folds. Where the listing and its author's
program differ, the program is followed:

- The listing loops over an index set from 1 to k. In the program this set is the buffer, and the loop is a filter
  that leaves the best candidate out.
- A new candidate goes to the front of the buffer and is trained at once. The listing sorts it by its mean, which
  it does not have yet.
- The best candidate is the best of the whole buffer, complete candidates included, by the mean of the posterior
  predictive. The listing takes the best incomplete candidate by the mean of its accuracies;
  `rank_by="sample_mean"` ranks by that mean.
- When the buffer is full, its complete candidates leave it, except the best one. Otherwise the buffer would fill
  up with candidates that can neither be trained nor dropped.

Differs from both: when the list is exhausted, the remaining candidates are trained until they are complete or
dropped (`at_end="drain"`). The program stops as soon as it would take a candidate and none is left
(`at_end="stop"`). The candidate returned is the complete one with the best mean of accuracies. Candidates of equal
rank keep their order in the list. A candidate whose fit failed is dropped at once, and candidates that were
dropped in comparison with it come back. With several workers, a candidate is judged once its result has come.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frugal.checks import check_choice, check_whole
from frugal.folds.beliefs import BaseBetaStrategy
from frugal.folds.ledger import limit_of
from frugal.interface import WAIT, FoldTask, Wait
from frugal.stats import mean_score

RANKS = ("posterior_mean", "sample_mean")
ENDS = ("drain", "stop")


class BetaPruning(BaseBetaStrategy):
    """A buffer pruned by the model; `events` says what was pruned or evicted when, and how probably worse.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        buffer: candidates held at once, at least 2.
        rank_by: `posterior_mean`, or `sample_mean` as the listing has it.
        at_end: `drain` or `stop`, when the list is exhausted.
        budget: fold evaluations at most; None: no limit.
        **settings: settings of `frugal.folds.beliefs.BaseBetaStrategy`.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        buffer: int = 10,
        rank_by: str = "posterior_mean",
        at_end: str = "drain",
        budget: int | None = None,
        **settings: Any,
    ) -> None:
        check_whole("buffer", buffer, 2)
        check_choice("rank_by", rank_by, RANKS)
        check_choice("at_end", at_end, ENDS)
        self._limit = limit_of(budget, n_candidates * n_folds)
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, **settings)
        self._size, self._by_sample, self._stops = buffer, rank_by == "sample_mean", at_end == "stop"
        self._buffer: list[int] = []
        self._pruned: dict[int, list[int]] = {}
        self._next = 0

    def ask(self) -> FoldTask | Wait | None:
        """First fold of a new candidate while the buffer has room, else the next one of the best-ranked."""
        ledger = self._ledger
        if ledger.n_asked >= self._limit:
            return None
        has_room, exhausted = len(self._buffer) < self._size, self._next == ledger.n_candidates
        if has_room and exhausted and self._stops:
            return None
        if has_room and not exhausted:
            candidate = self._next
            self._buffer.insert(0, candidate)
            self._next += 1
        else:
            waiting = (c for c in self._buffer if not (ledger.awaits(c) or ledger.has_all_folds(c)))
            candidate = next(waiting, -1)
            if candidate < 0:
                return WAIT if ledger.n_pending else None
        return ledger.ask_next(candidate)

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; ranks, prunes and evicts."""
        self._beliefs.check(score)
        self._ledger.tell(task, self._beliefs.counted(score))
        if self._beliefs.failed(task.candidate):
            self._drop(task.candidate, "prune", failed=True)
            for candidate in self._pruned.pop(task.candidate, []):
                self._buffer.append(candidate)
                self._ledger.note("restore", candidate, against=task.candidate)
        self._buffer.sort(key=lambda candidate: (-self._rank(candidate), candidate))
        scored = [candidate for candidate in self._buffer if self._ledger.scores[candidate]]
        for candidate in scored[1:]:
            prob = None if self._ledger.awaits(candidate) else self._beliefs.prunes(scored[0], candidate)
            if prob is not None:
                self._drop(candidate, "prune", against=scored[0], probability=prob)
                self._pruned.setdefault(scored[0], []).append(candidate)
        if len(self._buffer) >= self._size:
            for candidate in scored[1:]:
                if candidate in self._buffer and self._ledger.has_all_folds(candidate):
                    self._drop(candidate, "evict")

    def _rank(self, candidate: int) -> float:
        scores = self._ledger.scores[candidate]
        if not scores:
            return math.inf
        return mean_score(scores) if self._by_sample else self._beliefs.worth(candidate)

    def _drop(self, candidate: int, event: str, **why: object) -> None:
        self._buffer.remove(candidate)
        self._ledger.note(event, candidate, **why)
