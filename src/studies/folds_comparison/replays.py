"""One strategy replayed on kept scores: its cost, its choice, and its incumbents on the way."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.folds.replay import Trace, replay
from frugal.folds.search import Kept, NotKeptError, prepare
from frugal.interface import FoldStrategy, FoldTask, Wait
from frugal.stats import rank_percentile
from studies.folds_comparison.comparison import SHARES, regret_at
from studies.folds_comparison.entries import Entry
from studies.shared.prunings import judge

Means = NDArray[np.float64]


class Watched:
    """A strategy like the one it wraps, which notes the incumbent at each of several costs.

    Attributes:
        spent: cost of all evaluations so far.
        incumbents: per cost passed, the candidate that would have been returned there, or None.

    Args:
        strategy: a fresh one.
        costs: where to note the incumbent, ascending.
        cost_of: what one evaluation costs.
    """

    def __init__(
        self, strategy: FoldStrategy, costs: Sequence[float], cost_of: Callable[[FoldTask], float]
    ) -> None:
        self._strategy, self._costs, self._cost_of = strategy, costs, cost_of
        self.spent = 0.0
        self.incumbents: list[int | None] = []

    def ask(self) -> FoldTask | Wait | None:
        """What the strategy asks."""
        return self._strategy.ask()

    def tell(self, task: FoldTask, score: float) -> None:
        """Tell the strategy; an evaluation counts at a cost only if that cost pays for all of it."""
        self.spent += self._cost_of(task)
        self.note_below(self.spent)
        self._strategy.tell(task, score)

    def note_below(self, spent: float) -> None:
        """Note the incumbent at every remaining cost below `spent`; infinity notes the rest."""
        for cost in self._costs[len(self.incumbents) :]:
            if cost >= spent - 1e-9:
                return
            self.incumbents.append(self.incumbent)

    @property
    def incumbent(self) -> int | None:
        """The strategy's."""
        return self._strategy.incumbent

    @property
    def complete(self) -> bool:
        """The strategy's."""
        return self._strategy.complete

    @property
    def events(self) -> list[dict[str, Any]]:
        """The strategy's, if it notes some."""
        return list(getattr(self._strategy, "events", []))


def measure(entry: Entry, kept: Kept, *, n_candidates: int, timed: bool = False) -> dict[str, Any]:
    """One repetition of one compared strategy, against the truly best candidates on the same folds.

    The list and the search are those of `folds.search.search`. Costs count in evaluations of one fold on all
    rows; one on fewer rows costs its share of the rows trained on. A failed candidate counts as score 0. Several
    candidates with the best mean are all best.

    Args:
        entry: what is compared.
        kept: scores of all distinct candidates on all folds, and its rungs.
        n_candidates: length of the drawn list.
        timed: add up the kept seconds, and read no anytime curve, so that the clock measures the strategy alone.

    Returns:
        method (the entry's name), strategy, budget_share, dataset, classifier, n, k, seed, space, data, n_tied
        (for best), chosen (-1: none), complete, n_evaluations, folds_share and rows_share (of the exhaustive
        search), quality (rank percentile), regret (of the mean score), lost_best (no best candidate was chosen),
        what `shared.prunings.judge` says of its prunings, and `regret_at(share)` of what
        would have been returned, nan before any. If timed, seconds, overhead_s and exhaustive_s take the place of
        the columns of `regret_at`.

    Raises:
        NotKeptError: if it asks for scores on fewer rows that are not kept.
        ValueError: what else `folds.search.prepare` refuses.
    """
    settings = entry.settings_for(n_candidates, kept.table.scores.shape[1])
    ready = prepare(entry.strategy, kept, n_candidates=n_candidates, settings=settings)
    means, total = np.maximum(ready.means, 0.0), ready.table.scores.size
    costs = {n_rows: ready.rows_trained(n_rows) / ready.rows_trained(None) for n_rows in (None, *ready.rungs)}
    budgets = [] if timed else [share * total for share in SHARES]
    watched = Watched(ready.strategy, budgets, lambda task: costs[task.n_rows])
    trace = replay(watched, ready.table, ready.rungs)
    watched.note_below(math.inf)
    labels = {
        "method": entry.name,
        "strategy": entry.strategy,
        "budget_share": math.nan if entry.budget_share is None else float(entry.budget_share),
    }
    spent = {
        "n_evaluations": len(trace.tasks),
        "folds_share": len(trace.tasks) / total,
        "rows_share": watched.spent / total,
    }
    judged = outcome(means, trace) | judge(trace, means)
    row = labels | ready.labels() | judged | spent
    if timed:
        return row | ready.timing(trace)
    curve = zip(SHARES, watched.incumbents, strict=True)
    return row | {regret_at(share): _regret(means, incumbent) for share, incumbent in curve}


def outcome(means: Means, trace: Trace) -> dict[str, Any]:
    """What a search chose, against the truly best candidates: those with the best mean.

    `means` are those over all folds of every candidate, (n_candidates,).

    Returns:
        n_tied, chosen, complete, quality, regret and lost_best, as `measure` explains them.
    """
    best, chosen = np.flatnonzero(means == means.max()), trace.chosen
    return {
        "n_tied": len(best),
        "chosen": -1 if chosen is None else chosen,
        "complete": trace.complete,
        "quality": math.nan if chosen is None else rank_percentile(means, chosen),
        "regret": _regret(means, chosen),
        "lost_best": chosen not in best,
    }


def _regret(means: Means, chosen: int | None) -> float:
    return math.nan if chosen is None else float(means.max() - means[chosen])


def compare(
    entry: Entry, kept: Iterable[Kept], n_candidates: Iterable[int], *, timed: bool = False
) -> pd.DataFrame:
    """One compared strategy on every repetition of every cell; a row of `measure` each.

    Where the scores on fewer rows that it asks for are not kept there is no row, and a warning says so.

    Args:
        entry: what is compared.
        kept: kept scores, one per dataset, classifier, number of folds and seed.
        n_candidates: lengths of the drawn list.
        timed: as in `measure`.

    Raises:
        ValueError: if there is no row at all, or what `measure` refuses.
    """
    lengths, rows, left_out = list(n_candidates), [], set()
    for repetition in kept:
        for n in lengths:
            try:
                rows.append(measure(entry, repetition, n_candidates=n, timed=timed))
            except NotKeptError as error:
                left_out.add(f"on {repetition.table.meta['dataset']} with n = {n}: {error}")
    if not rows:
        raise ValueError(f"{entry.name} has no run: {'; '.join(sorted(left_out)) or 'there are no scores'}")
    for text in sorted(left_out):
        warnings.warn(f"{entry.name} is left out {text}", stacklevel=2)
    return pd.DataFrame(rows)
