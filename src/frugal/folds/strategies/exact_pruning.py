"""Greedy selection that drops a candidate once even perfect scores on its remaining folds could not make it best.

It returns what the exhaustive search returns: the candidate with the best mean, the first listed one on a tie.
The order is that of document 001's Algorithm 2; the bound is asked for in issue 30563 of scikit-learn.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from frugal.checks import check_finite, is_finite
from frugal.folds.ledger import BaseFoldStrategy, ScoreRange
from frugal.interface import WAIT, FoldTask, Wait
from frugal.stats import mean_score


class ExactPruning(BaseFoldStrategy):
    """Greedy selection with a bound on means; `events` says what was pruned when, and against what.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        best_possible_score: largest score that a fold can have: 1 for accuracies and R squared, 0 for negated
            errors.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        best_possible_score: float = 1.0,
    ) -> None:
        check_finite("best_possible_score", best_possible_score)
        needs = f"exact_pruning needs scores of at most best_possible_score={best_possible_score:g}"
        rounding = 1e-12 * max(1.0, abs(best_possible_score))
        score_range = ScoreRange(-math.inf, best_possible_score + rounding, needs)
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, score_range=score_range)
        self._perfect = best_possible_score
        self._heap: list[tuple[float, int]] = []
        self._best = (-math.inf, 0)

    def ask(self) -> FoldTask | Wait | None:
        """First fold of every candidate, then the greedy choice among those that can still be best."""
        ledger = self._ledger
        if ledger.n_asked < ledger.n_candidates:
            return ledger.ask(ledger.n_asked, 0)
        while self._heap:
            candidate = heapq.heappop(self._heap)[1]
            scores = ledger.scores[candidate]
            bound = mean_score([*scores, *[self._perfect] * (ledger.n_folds - len(scores))])
            if (bound, -candidate) > self._best:
                return ledger.ask_next(candidate)
            ledger.note("prune", candidate, against=-self._best[1], bound=bound)
        return WAIT if ledger.n_pending else None

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; one above the largest by rounding becomes that."""
        if is_finite(score) and self._perfect < score <= self.score_range.high:
            score = self._perfect
        mean = self._ledger.tell(task, score)
        if mean == -math.inf:
            self._ledger.note("prune", task.candidate, failed=True)
        elif not self._ledger.has_all_folds(task.candidate):
            heapq.heappush(self._heap, (-mean, task.candidate))
        else:
            self._best = max(self._best, (mean, -task.candidate))

    @property
    def incumbent(self) -> int | None:
        """Best complete candidate, the first listed on a tie; else the best incomplete one."""
        return -self._best[1] if self.complete else self._ledger.incumbent
