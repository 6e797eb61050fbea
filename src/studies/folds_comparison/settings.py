"""Settings of the comparison of all ways to save folds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from studies.settings import (
    OURS,
    Block,
    Candidates,
    FoldsList,
    Name,
    Seeds,
    Settings,
    Several,
    Share,
    left_out,
    setting,
)


class Compared(Settings):
    """A strategy with its settings, under a name of its own."""

    name: Name = Field(description="name in tables, figures and paths")
    strategy: str = Field(description="strategy of the folds family")
    settings: Block = Field({}, description="settings over those of the strategy's own block")
    budget_share: Share = left_out(
        None, "budget as a share of all n * k fold evaluations; by default, what the settings say"
    )


def _alone(name: str) -> dict[str, Any]:
    return {"name": name, "strategy": name}


class FoldsComparison(Settings):
    """Every way to save folds on the same folds, replayed from kept scores.

    Where greedy_cv runs its reading `grid`, too (not at laptop and smoke scale), these are the scores that its
    search_time keeps: while n_folds and n_seeds stay within its own, only rungs are fitted anew. On the scores of
    beta_pruning.network, too, with its folds and seeds. About an hour of one core; lists of 512 take three times
    as long.
    """

    space: Literal["grid", "ranges"] = setting(
        "grid", OURS, "source of greedy_cv's candidates: Olson et al.'s lists, or their ranges"
    )
    n_candidates: Candidates = setting([128], OURS, "n; rungs are shared with search_time if it has the same")
    n_folds: FoldsList = setting([5, 10], OURS, "k; scores are shared with search_time if it has the same")
    n_seeds: Seeds = setting(10, OURS, "repetitions; scores are shared with search_time up to its own number")
    n_timed_seeds: int = setting(
        10,
        OURS,
        "repetitions on wall_clock's timed fits, for a column of seconds; 0: no such column",
        ge=0,
        le=10_000,
    )
    datasets: Several[Name] = left_out(
        None,
        "datasets, perhaps with a number of rows (letter_2000); by default, those of greedy_cv",
    )
    classifiers: Several[Name] = left_out(
        None, "learners that are fitted in one go, and have the space; by default, those of greedy_cv"
    )
    compared: list[Compared] = setting(
        [
            _alone("standard"),
            {"name": "standard_half", "strategy": "standard", "budget_share": 0.5},
            {"name": "standard_quarter", "strategy": "standard", "budget_share": 0.25},
            _alone("greedy"),
            {"name": "greedy_half", "strategy": "greedy", "budget_share": 0.5},
            {"name": "greedy_quarter", "strategy": "greedy", "budget_share": 0.25},
            _alone("greedy_early_stopping"),
            _alone("successive_halving"),  # where greedy_cv.early_stopping keeps its rungs
            {"name": "beta_pruning_tau_0_7", "strategy": "beta_pruning", "settings": {"tau": 0.7}},
            {"name": "beta_pruning_tau_0_9", "strategy": "beta_pruning", "settings": {"tau": 0.9}},
            _alone("beta_pruning"),  # at the document's tau of 0.99
            _alone("beta_sequential"),
            _alone("beta_greedy"),
            _alone("threshold_pruning"),
            _alone("exact_pruning"),
            _alone("wilcoxon"),
            _alone("aggressive_early_stopping"),
            _alone("forgiving_early_stopping"),
            _alone("fold_halving"),
            _alone("paired_racing"),
            _alone("predicted_folds"),
        ],
        OURS,
        "strategies: name, strategy, settings over its own block's, budget_share of all n * k folds",
        min_length=1,
    )

    laptop = {"n_folds": [5], "n_seeds": 1, "n_timed_seeds": 0}
    smoke = {"n_folds": [3]}
