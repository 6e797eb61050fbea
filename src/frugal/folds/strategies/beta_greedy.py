"""Greedy selection ordered by the Beta posterior, and pruned by it: exploring and abandoning from one model.

Documents 000 and 001 both leave this as future work; the combination is ours. As in Algorithm 2 of document 001,
every candidate gets its first fold; then the most promising incomplete one gets its next. Candidates are ranked by
what a further fold may score, not by their mean so far. This is an upper quantile of the posterior predictive, or
a draw from it (Thompson sampling), renewed after each of the candidate's scores. When its turn comes, a candidate
is compared with the one of the best posterior predictive mean. It is dropped if equation 5 of `frugal.folds.beta`
exceeds tau, and restored if the other one fails later.
"""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from frugal.checks import check_between, check_choice
from frugal.folds.beliefs import BaseBetaStrategy
from frugal.interface import WAIT, FoldTask, Wait

ORDERS = ("quantile", "thompson")


class BetaGreedy(BaseBetaStrategy):
    """Greedy selection by the model; `events` says what was pruned when, and how probably worse.

    Args:
        n_candidates, n_folds: see `frugal.folds.make`.
        rng: generator of the draws of `order="thompson"`.
        order: `quantile` or `thompson`.
        quantile: the quantile of the posterior predictive by which `order="quantile"` ranks, in (0, 1).
        **settings: settings of `frugal.folds.beliefs.BaseBetaStrategy`.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        order: str = "quantile",
        quantile: float = 0.9,
        **settings: Any,
    ) -> None:
        check_choice("order", order, ORDERS)
        check_between("quantile", quantile, 0, 1 - 1e-6, above=True)
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, **settings)
        self._rng = rng if order == "thompson" else None
        self._quantile = quantile
        self._heap: list[tuple[float, int]] = []
        self._worth = np.full(n_candidates, -math.inf)
        self._pruned: dict[int, list[int]] = {}

    def ask(self) -> FoldTask | Wait | None:
        """First fold of every candidate, then the most promising that is not to be dropped."""
        ledger = self._ledger
        if ledger.n_asked < ledger.n_candidates:
            return ledger.ask(ledger.n_asked, 0)
        while self._heap:
            candidate = heapq.heappop(self._heap)[1]
            best = int(self._worth.argmax())
            prob = None if candidate == best else self._beliefs.prunes(best, candidate)
            if prob is None:
                return ledger.ask_next(candidate)
            ledger.note("prune", candidate, against=best, probability=prob)
            self._pruned.setdefault(best, []).append(candidate)
        return WAIT if ledger.n_pending else None

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit."""
        self._beliefs.check(score)
        self._ledger.tell(task, self._beliefs.counted(score))
        candidate = task.candidate
        self._worth[candidate] = self._beliefs.worth(candidate)
        if self._beliefs.failed(candidate):
            self._ledger.note("prune", candidate, failed=True)
            for other in self._pruned.pop(candidate, []):
                self._ledger.note("restore", other, against=candidate)
                self._push(other)
        elif not self._ledger.has_all_folds(candidate):
            self._push(candidate)

    def _push(self, candidate: int) -> None:
        share = self._quantile if self._rng is None else self._rng.uniform()
        heapq.heappush(self._heap, (-self._beliefs.quantile(candidate, share), candidate))
