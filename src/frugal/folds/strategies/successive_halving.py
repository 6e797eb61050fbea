"""Successive halving with rows as the resource: a few rows for everyone, more for the best.

Source: Jamieson and Talwalkar (2016), "Non-stochastic best arm identification and hyperparameter optimization", as
scheduled by scikit-learn's HalvingGridSearchCV with `resource="n_samples"`. Document 001 compares with halving
without its settings, and these fit. The same expressions are used, floating logarithms included, so that the rungs
are the same. Differs from scikit-learn: on equal means the candidate listed first survives, and candidates may
repeat. Failed fits rank last; versions before 1.2 rank them first (`failed="first"`). Without `n_rows` the folds
themselves are the resource, so that halving can run where only whole folds are kept.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from frugal.checks import check_choice, check_flag, check_whole, is_whole
from frugal.folds.ledger import BaseFoldStrategy, best_so_far
from frugal.interface import WAIT, FoldTask, Wait
from frugal.stats import mean_score


@dataclass(frozen=True)
class Rung:
    """`n_candidates` evaluated on `resource` rows (or folds) each."""

    n_candidates: int
    resource: int


def smallest_resource(cv: int, n_classes: int) -> int:
    """Rows that leave every class two rows in every fold, on average: cv * 2 * n_classes."""
    return cv * 2 * n_classes


def plan_rungs(
    n_candidates: int,
    *,
    smallest: int,
    largest: int,
    factor: int = 3,
    exhaust: bool = True,
    aggressive_elimination: bool = False,
) -> list[Rung]:
    """Rungs of one run, as scikit-learn's `n_candidates_` and `n_resources_` list them.

    Args:
        n_candidates: candidates of the first rung.
        smallest: resource of the first rung, unless `exhaust` raises it.
        largest: the most that a candidate can be given.
        factor: one in `factor` candidates goes on, with `factor` times the resource.
        exhaust: raise the first resource so that the last rung uses as much as possible.
        aggressive_elimination: repeat the first rung until one candidate is left at the end.

    Raises:
        ValueError: if `factor` is below 2 or `smallest` does not lie in [1, largest].
    """
    if factor < 2:
        raise ValueError(f"factor must be at least 2, got {factor}")
    if not 1 <= smallest <= largest:
        raise ValueError(f"the smallest resource must lie in [1, {largest}], got {smallest}")
    n_required = 1 + math.floor(math.log(n_candidates, factor))
    if exhaust:
        smallest = max(smallest, largest // factor ** (n_required - 1))
    n_possible = 1 + math.floor(math.log(largest // smallest, factor))
    n_rungs = n_required if aggressive_elimination else min(n_required, n_possible)
    rungs = []
    for i in range(n_rungs):
        power = max(0, i - n_required + n_possible) if aggressive_elimination else i
        rungs.append(Rung(n_candidates, min(largest, factor**power * smallest)))
        n_candidates = math.ceil(n_candidates / factor)
    return rungs


class SuccessiveHalving(BaseFoldStrategy):
    """Successive halving, rung by rung; the best of each go on, the best of the last is chosen.

    Attributes:
        rungs: the schedule.
        cv: folds of the cross-validation that its tasks with `n_rows` belong to.
        events: one per finished rung.

    Args:
        n_candidates: length of the candidate list.
        n_folds: stored folds per candidate; the resource if `n_rows` is None.
        rng: not used.
        n_rows: rows of the dataset; None: folds are the resource.
        n_classes: classes of the dataset, which set the smallest number of rows.
        factor: as in `plan_rungs`.
        cv: folds per rung if rows are the resource.
        min_resources: `exhaust`, `smallest`, or the rows (or folds) of the first rung.
        aggressive_elimination: as in `plan_rungs`.
        failed: rank of a candidate with a failed fit: `last`, or `first` as in scikit-learn 0.24 to 1.1, whose
            sort ends with NaN. There it goes on, and is chosen if it still fails on the last rung.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        rng: np.random.Generator,
        n_rows: int | None = None,
        n_classes: int = 2,
        factor: int = 3,
        cv: int = 5,
        min_resources: int | str = "exhaust",
        aggressive_elimination: bool = False,
        failed: str = "last",
    ) -> None:
        check_choice("failed", failed, ("last", "first"))
        if n_rows is not None:
            check_whole("n_rows", n_rows, 1)
        check_whole("n_classes", n_classes, 1)
        check_whole("factor", factor, 2)
        check_whole("cv", cv, 2)
        check_flag("aggressive_elimination", aggressive_elimination)
        if not is_whole(min_resources, 1) and min_resources not in ("exhaust", "smallest"):
            raise ValueError(
                f"min_resources must be exhaust, smallest or a whole number of at least 1, got {min_resources!r}"
            )
        automatic = 1 if n_rows is None else smallest_resource(cv, n_classes)
        smallest = automatic if isinstance(min_resources, str) else min_resources
        largest, unit = (n_folds, "folds") if n_rows is None else (n_rows, "rows")
        if smallest > largest:
            raise ValueError(
                f"the first rung of successive halving has {smallest} {unit} (min_resources), "
                f"but there are {largest}"
            )
        self.rungs = plan_rungs(
            n_candidates,
            smallest=smallest,
            largest=largest,
            factor=factor,
            exhaust=min_resources == "exhaust",
            aggressive_elimination=aggressive_elimination,
        )
        self._by_rows, self.cv, self._failed_first = n_rows is not None, cv, failed == "first"
        super().__init__(n_candidates=n_candidates, n_folds=n_folds)
        self._rung, self._alive = 0, list(range(n_candidates))
        self._scores: list[list[float]] = [[] for _ in range(n_candidates)]
        self._order: list[int] = []
        self._queue = self._tasks()
        self._finished = False

    def ask(self) -> FoldTask | Wait | None:
        """Next fold of the rung; WAIT while the rung's last answers are pending."""
        if self._queue:
            candidate, fold = self._queue.pop()
            resource = self.rungs[self._rung].resource
            return self._ledger.ask(candidate, fold, resource if self._by_rows else None)
        return None if self._finished else WAIT

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the score of a task, or nan for a failed fit; the last answer of a rung ends it."""
        self._ledger.settle(task, score)
        self._scores[task.candidate].append(score)
        if not self._queue and not self._ledger.n_pending:
            self._end_rung()

    def _tasks(self) -> list[tuple[int, int]]:
        """(candidate, fold) of the current rung, last first; folds told in an earlier rung are kept."""
        if self._by_rows:
            self._scores = [[] for _ in self._scores]
        n_folds = self.cv if self._by_rows else self.rungs[self._rung].resource
        tasks = [(c, f) for c in self._alive for f in range(len(self._scores[c]), n_folds)]
        return tasks[::-1]

    def _end_rung(self) -> None:
        means = {c: mean_score(self._scores[c]) for c in self._alive}
        ranked = sorted(self._alive, key=lambda c: -means[c])
        scored = [c for c in ranked if means[c] > -math.inf]
        if self._failed_first:
            ranked = scored = [*ranked[len(scored) :], *scored]
        self._order = scored or [c for c in self._order if c not in self._alive]
        rung = self.rungs[self._rung]
        self.events.append({"event": "rung", "step": self._ledger.n_told, **asdict(rung)})
        if self._rung + 1 == len(self.rungs):
            self._finished = True
            return
        self._rung += 1
        self._alive = sorted(ranked[: self.rungs[self._rung].n_candidates])
        self._queue = self._tasks()
        if not self._queue:  # the resource did not grow: the rung is answered already
            self._end_rung()

    @property
    def incumbent(self) -> int | None:
        """Best of the last finished rung; before that, best of the answers so far.

        If all candidates failed there, the best of those that the rungs before dropped.
        """
        if self._order:
            return self._order[0]
        return best_so_far(self._scores)

    @property
    def complete(self) -> bool:
        """True if every rung is finished. Where folds are the resource, the last rung may have only some."""
        return self._finished and bool(self._order) and self._order[0] in self._alive
