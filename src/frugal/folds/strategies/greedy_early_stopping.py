"""Greedy k-fold selection that stops once enough completed candidates in a row were no better.

Source: document 001 (Soper 2021, Electronics 10(16):1973), Algorithm 3; epsilon is the early stopping
percentage as a share, iota the count of inferior completions. The text takes the ceiling of epsilon * n, the
listing does not: the text is the default. A completion that only ties with the best counts as inferior. The
document has no failed fits. Here a candidate with a failed fit counts as inferior, but only once some candidate is
complete without one. If every candidate fails, all of them are evaluated.
"""

from __future__ import annotations

import math

import numpy as np

from frugal.checks import check_choice, check_number
from frugal.folds.strategies.greedy import Greedy
from frugal.interface import FoldTask, Wait

ROUNDINGS = ("ceiling", "none")


class GreedyEarlyStopping(Greedy):
    """`Greedy` without a budget, which stops once enough completed candidates in a row were no better.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        epsilon: at least 0; more than epsilon * n_candidates inferior completions in a row end the search. None
            counts before a candidate is complete without a failed fit.
        rounding: `ceiling` (the text) or `none` (the listing) of epsilon * n_candidates.
        ties: as in `Greedy`.
        drop_failed: as in `Greedy`.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        epsilon: float = 0.02,
        rounding: str = "ceiling",
        ties: str = "lowest_index",
        drop_failed: bool = False,
    ) -> None:
        check_number("epsilon", epsilon, 0)
        check_choice("rounding", rounding, ROUNDINGS)
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, rng=rng, ties=ties, drop_failed=drop_failed)
        # 0.07 * 100 is 7.000000000000001 in floats, and 0.29 * 100 is 28.999999999999996: neither is meant.
        threshold = round(epsilon * n_candidates, 12)
        self._threshold = math.ceil(threshold) if rounding == "ceiling" else threshold
        self._n_inferior = 0
        self._stopped = False

    def ask(self) -> FoldTask | Wait | None:
        """The greedy choice; None once stopped."""
        return None if self._stopped else super().ask()

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit."""
        n_events = len(self.events)
        super().tell(task, score)
        if self._stopped or not self._ledger.has_all_folds(task.candidate) or self._ledger.best is None:
            return
        completion = self.events[n_events]
        self._n_inferior = 0 if completion["best"] else self._n_inferior + 1
        if self._n_inferior > self._threshold:
            self._stopped = True
            self.events.append({"event": "stop", "step": completion["step"], "n_inferior": self._n_inferior})
