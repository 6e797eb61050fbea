"""Settings of document 001's studies; section 4 has its numbers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from studies.settings import (
    OURS,
    Candidates,
    FoldsList,
    Name,
    Scaler,
    Seed,
    Seeds,
    Settings,
    Several,
    break_rule,
    setting,
)

Dataset = Literal["wdbc", "boston", "digits"]
Classifier = Literal["bernoulli_nb", "decision_tree", "knn"]
Space = Literal["grid", "ranges"]
Splits = Literal["stratified", "plain"]
TieRule = Literal["random", "first", "last"]
Rows = Annotated[int, Field(ge=500, le=20_000)]

_N = "n, candidates per repetition"
_K = "k, folds"
_SEEDS = "repetitions"


class SearchTime(Settings):
    """Table 1, Figures 11 and 12: standard and greedy on 9 cells x 3 k x 5 n.

    About 1.5 million fold evaluations after repeats are removed, of 37.5 million.
    """

    n_candidates: Candidates = setting([128, 256, 512, 1024, 2048], "section 4.3", _N)
    n_folds: FoldsList = setting([5, 10, 20], "section 4.3", _K)
    n_seeds: Seeds = setting(30, "section 4.4", _SEEDS)  # one gives no intervals

    laptop = {"n_seeds": 1}
    smoke = {"n_candidates": [128], "n_folds": [3]}


class EarlyStopping(Settings):
    """Table 2: early stopping and halving on 9 cells x 3 n."""

    n_candidates: Candidates = setting([256, 512, 1024], "section 4.3", _N)
    n_folds: FoldsList = setting([10], "section 4.3", _K)
    n_seeds: Seeds = setting(30, "section 4.4", _SEEDS)

    laptop = {"n_seeds": 1}
    smoke = {"n_candidates": [256], "n_folds": [3]}


class WallClock(Settings):
    """Table 3: the same searches on real fits, timed one by one while nothing else runs; about an hour."""

    datasets: Several[Dataset] = setting(["wdbc", "boston", "digits"], "section 4.2", "of the study's")
    n_candidates: Candidates = setting([256, 512, 1024], "section 4.3", _N)
    n_folds: FoldsList = setting([10], "section 4.3", _K)
    n_seeds: Seeds = setting(30, "section 4.4", _SEEDS)

    laptop = {"datasets": ["wdbc"], "n_seeds": 1}
    smoke = {"n_candidates": [256], "n_folds": [2]}


class Variant(Settings):
    """The ambiguities that are decided otherwise than in the study's own keys."""

    space: Space = Field("grid")
    scaler: Scaler = Field("none")
    splits: Splits = Field("stratified")
    tie_rule: TieRule = Field("random")


class Sensitivity(Settings):
    """Table 1 with one ambiguity changed at a time, our own study; its floor is five repetitions."""

    n_candidates: Candidates = setting([128, 512], OURS, _N)
    n_folds: FoldsList = setting([5, 10], OURS, _K)
    n_seeds: Seeds = setting(5, OURS, _SEEDS)
    variants: dict[Name, Variant] = setting(
        {
            "as_configured": {},
            "min_max": {"scaler": "min_max"},
            "robust": {"scaler": "robust"},
            "standard": {"scaler": "standard"},
            "plain_folds": {"splits": "plain"},
            "ranges": {"space": "ranges"},
            "first_of_ties": {"tie_rule": "first"},
            "last_of_ties": {"tie_rule": "last"},
        },
        OURS,
        "by name, what is decided otherwise: space, scaler, splits, tie_rule",
        min_length=1,
    )

    laptop = {"n_seeds": 2}
    smoke = {"n_candidates": [128], "n_folds": [5], "n_seeds": 1}


class Sizes(Settings):
    """The conjecture of section 6 that greedy gains on larger data."""

    dataset: Literal["letter"] = setting("letter", OURS, "section 6 conjectures a gain on larger data")
    n_rows: Several[Rows] = setting([2000, 8000, 20000], OURS, "rows of each subset")
    n_candidates: Candidates = setting([128, 512], OURS, _N)
    n_folds: FoldsList = setting([5], OURS, _K)
    n_seeds: Seeds = setting(5, OURS, _SEEDS)

    laptop = {"n_rows": [2000, 8000], "n_seeds": 2}
    smoke = {"n_rows": [500, 1000], "n_candidates": [128], "n_seeds": 1}


class GreedyCv(Settings):
    """Document 001: greedy k-fold cross-validation."""

    datasets: Several[Dataset] = setting(["wdbc", "boston", "digits"], "section 4.2")
    classifiers: Several[Classifier] = setting(["bernoulli_nb", "decision_tree", "knn"], "section 4.2")
    space: Space = setting(
        "grid", "ours; section 4.3 does not say which", "Olson et al.'s lists or their random ranges"
    )
    scaler: Scaler = setting("none", "ours; not stated")
    splits: Splits = setting("stratified", "ours; section 2.3.1 leaves it open")
    tie_rule: TieRule = setting("random", "ours; not stated", "which of several tied best candidates counts")
    search_time: SearchTime
    early_stopping: EarlyStopping
    wall_clock: WallClock
    sensitivity: Sensitivity
    sizes: Sizes
    figure_seed: Seed = setting(0, OURS, "of the explaining Figures 1 to 10")

    smoke = {"datasets": ["wdbc", "boston"], "classifiers": ["decision_tree", "knn"]}

    @model_validator(mode="after")
    def _times_a_dataset_of_the_study(self) -> GreedyCv:
        if not set(self.datasets) & set(self.wall_clock.datasets):
            raise break_rule("has none of greedy_cv.datasets", "wall_clock", "datasets")
        return self
