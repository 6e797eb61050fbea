"""What every strategy of this family is told: how many candidates and folds there are, and its budget."""

from __future__ import annotations

from frugal.checks import check_whole


def check_counts(n_candidates: int, n_folds: int) -> None:
    """Refuse an empty candidate list, and a single fold.

    Raises:
        ValueError: if `n_candidates` is below 1 or `n_folds` below 2.
    """
    check_whole("n_candidates", n_candidates, 1)
    check_whole("n_folds", n_folds, 2)


def check_budget(budget: int | None) -> None:
    """Refuse a budget below one fold evaluation; None means no limit.

    Raises:
        ValueError: if `budget` is below 1 or not whole.
    """
    if budget is not None:
        check_whole("budget", budget, 1)
