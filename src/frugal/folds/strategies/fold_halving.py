"""Successive halving with folds as the resource: one fold for everyone, all folds for the few that remain.

Source: Jamieson and Talwalkar (2016), "Non-stochastic best arm identification and hyperparameter optimization",
with the rungs of Li et al. (2018), "Hyperband", Algorithm 1, for one bracket: of n candidates, rung i gives
factor^i folds to the best floor(n / factor^i). One with a failed fold goes to no further rung. Differs from the
sources: every rung keeps at least one candidate. The last rung gives all folds, also where their number is no
power of the factor, so that what is returned is a complete candidate. If every candidate of a rung has a failed
fold, dropped candidates are completed one by one. Those with the most folds come first, of these the best. Each is
given up at its first failed fold, and the first without one ends the search.
"""

from __future__ import annotations

import math

import numpy as np

from frugal.checks import check_whole
from frugal.folds.ledger import Rounds
from frugal.interface import FoldTask
from frugal.stats import mean_score


class FoldHalving(Rounds):
    """Successive halving by folds; `events` says which rung ended when.

    Attributes:
        rungs: most candidates, and the folds, of each rung.

    Args:
        n_candidates, n_folds, rng: see `frugal.folds.make`.
        factor: one in `factor` candidates goes on, with `factor` times the folds; at least 2.
    """

    def __init__(self, *, n_candidates: int, n_folds: int, rng: np.random.Generator, factor: int = 3) -> None:
        check_whole("factor", factor, 2)
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)
        self.rungs = [(n_candidates, 1)]
        while self.rungs[-1][1] < n_folds:
            power = factor ** len(self.rungs)
            self.rungs.append((max(1, n_candidates // power), min(power, n_folds)))
        self._rung = 0
        self._substitute: int | None = None  # whose folds are asked; None: none is needed

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; the last answer of a rung ends it."""
        super().tell(task, score)
        ledger = self._ledger
        if self._substitute is not None and self._mean(self._substitute) == -math.inf:
            self._queue = []
        if self._queue or ledger.n_pending or any(self._mean(candidate) > -math.inf for candidate in self._alive):
            return
        left = [c for c in range(ledger.n_candidates) if self._mean(c) > -math.inf]
        if left:
            best = max(left, key=lambda c: (len(ledger.scores[c]), self._mean(c), -c))
            self._substitute, self._alive = best, [best]
            self._queue = [(best, fold) for fold in reversed(range(len(ledger.scores[best]), ledger.n_folds))]

    def _mean(self, candidate: int) -> float:
        return mean_score(self._ledger.scores[candidate])

    def _end_round(self) -> tuple[list[int], int]:
        ledger, n_alive, n_folds = self._ledger, len(self._alive), self.rungs[self._rung][1]
        self.events.append({"event": "rung", "step": ledger.n_told, "n_candidates": n_alive, "resource": n_folds})
        self._rung += 1
        n_next, n_folds = self.rungs[self._rung]
        ranked = sorted(self._alive, key=lambda candidate: -self._mean(candidate))
        alive = sorted(candidate for candidate in ranked[:n_next] if self._mean(candidate) > -math.inf)
        return alive, n_folds if alive else ledger.n_folds  # without any, a substitute gets its folds and ends it
