"""Settings of document 001's studies; section 4 has its numbers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from studies.settings import (
    OURS,
    Candidates,
    Distinct,
    Folds,
    FoldsList,
    Name,
    Replacement,
    Seed,
    Seeds,
    Settings,
    Several,
    break_rule,
    left_out,
    setting,
)

Dataset = Literal["wdbc", "boston", "digits"]
Classifier = Literal["bernoulli_nb", "decision_tree", "knn"]
Space = Literal["grid", "ranges"]
Scaler = Literal["none", "min_max", "robust", "standard", "olson"]
"""Fitted inside each training part; `olson`: as Olson et al.'s code, min-max for naive Bayes, robust for KNN."""
Splits = Literal["stratified", "plain"]
TreeSeed = Literal["repetition", "candidate"]
"""Whose the tree's `random_state` is."""
Failed = Literal["last", "first"]
TieRule = Literal["random", "first", "last"]
Tabulated = Literal["search_time", "early_stopping", "wall_clock"]
"""Studies of Tables 1 to 3."""
Rows = Annotated[int, Field(ge=500, le=20_000)]

_N = "n, candidates per repetition"
_K = "k, folds"
_ONE_K = "k, folds; a single number"
_SEEDS = "repetitions"
_HALVING = ["early_stopping", "wall_clock"]


class SearchTime(Settings):
    """Table 1, Figures 11 and 12: standard and greedy on 9 cells x 3 k x 5 n.

    About 1.5 million fold evaluations after repeats are removed, of 37.5 million.
    """

    n_candidates: Candidates = setting([128, 256, 512, 1024, 2048], "section 4.3", _N)
    n_folds: FoldsList = setting([5, 10, 20], "section 4.3", _K)
    n_seeds: Seeds = setting(30, "section 4.4", _SEEDS)  # one gives no intervals

    laptop = {"n_candidates": [128], "n_folds": [5], "n_seeds": 1}
    smoke = {"n_candidates": [128], "n_folds": [3]}


class EarlyStopping(Settings):
    """Table 2: early stopping and halving on 9 cells x 3 n."""

    n_candidates: Candidates = setting([256, 512, 1024], "section 4.3", _N)
    n_folds: FoldsList = setting([10], "section 4.3", _ONE_K)
    n_seeds: Seeds = setting(30, "section 4.4", _SEEDS)

    laptop = {"n_candidates": [128], "n_folds": [5], "n_seeds": 1}
    smoke = {"n_folds": [3]}


class WallClock(Settings):
    """Table 3: the same searches on real fits, one thread and one core each; 2.5 CPU hours, on the lists 0.8."""

    datasets: Several[Dataset] = setting(
        ["wdbc", "boston", "digits"], "section 4.2", "datasets of the study that are timed"
    )
    n_candidates: Candidates = setting([256, 512, 1024], "section 4.3", _N)
    n_folds: FoldsList = setting([10], "section 4.3", _ONE_K)
    n_seeds: Seeds = setting(30, "section 4.4", _SEEDS)

    laptop = {"datasets": ["wdbc"], "n_candidates": [128], "n_seeds": 1}
    smoke = {"n_folds": [2]}


class Variant(Settings):
    """The ambiguities that are decided otherwise than in the study's own keys."""

    space: Space = left_out(None, "source of the candidates; by default, greedy_cv.space")
    scaler: Scaler = left_out(None, "scaler of the features; by default, greedy_cv.scaler")
    splits: Splits = left_out(None, "kind of folds; by default, greedy_cv.splits")
    tie_rule: TieRule = left_out(
        None, "which of several tied best candidates counts; by default, greedy_cv.tie_rule"
    )


class Reading(Variant):
    """What Tables 1 to 3 are made with beside the study's own keys."""

    failed: Failed = left_out(
        None,
        "where successive halving ranks failed fits; by default, strategies.successive_halving.failed, else last",
    )
    studies: Distinct[Tabulated] = Field(
        ["search_time", "early_stopping", "wall_clock"], description="studies that are run in it"
    )


class Sensitivity(Settings):
    """Table 1 on the lists with one ambiguity changed at a time, our own study; its floor is five repetitions."""

    n_candidates: Candidates = setting([128, 512], OURS, _N)
    n_folds: FoldsList = setting([5, 10], OURS, _K)
    n_seeds: Seeds = setting(5, OURS, _SEEDS)
    variants: dict[Name, Variant] = setting(
        {
            "as_configured": {"space": "grid"},
            "min_max": {"space": "grid", "scaler": "min_max"},
            "robust": {"space": "grid", "scaler": "robust"},
            "standard": {"space": "grid", "scaler": "standard"},
            "plain_folds": {"space": "grid", "splits": "plain"},
            "ranges": {"space": "ranges"},
            "first_of_ties": {"space": "grid", "tie_rule": "first"},
            "last_of_ties": {"space": "grid", "tie_rule": "last"},
        },
        OURS,
        "by name, what is decided otherwise: space, scaler, splits, tie_rule",
        min_length=1,
    )

    laptop = {"n_seeds": 2}
    smoke = {"n_candidates": [128], "n_folds": [5], "n_seeds": 1}


class Factorial(Settings):
    """Table 1 at every combination of what the document leaves open, our own study."""

    n_candidates: Candidates = setting([128, 256, 512], OURS, _N)
    n_folds: FoldsList = setting([5, 10], OURS, _K)
    n_seeds: Seeds = setting(10, OURS, _SEEDS)
    spaces: Several[Space] = setting(["ranges", "grid"], OURS, "sources of the candidates")
    scalers: Several[Scaler] = setting(["none", "olson"], OURS, "no scaler changes a tree, whose runs have none")
    splits: Several[Splits] = setting(["stratified", "plain"], OURS, "kinds of folds")
    tree_seeds: Several[TreeSeed] = setting(["repetition", "candidate"], OURS, "whose a tree's random_state is")

    laptop = {"n_candidates": [128], "n_folds": [5], "n_seeds": 2, "scalers": ["none"], "splits": ["stratified"]}
    smoke = {"n_seeds": 1, "spaces": ["grid"]}


class Sizes(Settings):
    """The conjecture of section 6 that greedy gains on larger data."""

    dataset: Literal["letter"] = setting("letter", OURS, "dataset from which subsets are drawn")
    space: Space = setting("grid", OURS, "source of the candidates; measured on the lists")
    n_rows: Several[Rows] = setting([2000, 8000, 20000], OURS, "rows of each subset")
    n_candidates: Candidates = setting([128, 512], OURS, _N)
    n_folds: FoldsList = setting([5], OURS, _K)
    n_seeds: Seeds = setting(5, OURS, _SEEDS)

    laptop = {"n_rows": [2000, 8000], "n_seeds": 2}
    smoke = {"n_rows": [500, 1000], "n_candidates": [128], "n_seeds": 1}


class Library(Settings):
    """Table 3 by scikit-learn's own halving, of today and of the document's time; 3.5 CPU hours."""

    datasets: Several[Dataset] = setting(["wdbc", "boston", "digits"], "section 4.2", "datasets")
    classifiers: Several[Classifier] = setting(
        ["bernoulli_nb", "decision_tree", "knn"], "section 4.2", "classifiers that are tuned"
    )
    space: Space = setting(
        "ranges", "section 4.3", "source of the candidates, without a scaler, on stratified folds"
    )
    n_candidates: Candidates = setting([256, 512, 1024], "section 4.3", _N)
    n_folds: Folds = setting(10, "section 4.3", _K)
    n_seeds: Seeds = setting(10, OURS, _SEEDS)
    python: str | None = setting(
        None,
        OURS,
        "interpreter with the other scikit-learn; null: conda's, or that of a virtual environment that a Python "
        "3.9 makes of `envs/scikit-learn-0.24.yaml`",
    )

    laptop = {"datasets": ["wdbc"], "n_candidates": [256], "n_seeds": 1}
    smoke = {"classifiers": ["knn"], "n_candidates": [27], "n_folds": 2, "python": "python"}


class GreedyCv(Settings):
    """Document 001: greedy k-fold cross-validation."""

    datasets: Several[Dataset] = setting(["wdbc", "boston", "digits"], "section 4.2", "datasets")
    classifiers: Several[Classifier] = setting(
        ["bernoulli_nb", "decision_tree", "knn"], "section 4.2", "classifiers that are tuned"
    )
    space: Space = setting(
        "ranges",
        "section 4.3: at random in accordance with Bergstra and Bengio, from the same ranges",
        "Olson et al.'s random ranges, or their lists",
    )
    scaler: Scaler = setting("none", "ours; not stated", "olson: Olson et al.'s own")
    splits: Splits = setting(
        "stratified", "ours; section 2.3.1 leaves it open", "kind of folds: stratified by class, or plain"
    )
    tie_rule: TieRule = setting("random", "ours; not stated", "which of several tied best candidates counts")
    readings: dict[Name, Reading] = setting(
        {
            "grid": {"space": "grid"},
            "grid_olson": {"space": "grid", "scaler": "olson"},
            "failed_first": {"failed": "first", "studies": _HALVING},
            "grid_failed_first": {"space": "grid", "failed": "first", "studies": _HALVING},
            "grid_olson_failed_first": {
                "space": "grid",
                "scaler": "olson",
                "failed": "first",
                "studies": _HALVING,
            },
        },
        OURS,
        "by name, what Tables 1 to 3 are made with beside these keys: space, scaler, splits, tie_rule, failed; "
        "`studies` are those that are run in it, by default all three, and with [] none",
    )
    search_time: SearchTime
    early_stopping: EarlyStopping
    wall_clock: WallClock
    sensitivity: Sensitivity
    factorial: Factorial
    sizes: Sizes
    library: Library
    figure_seed: Seed = setting(0, OURS, "seed of the explaining Figures 1 to 10")

    laptop = {"readings": Replacement()}
    smoke = {"datasets": ["wdbc", "boston"], "classifiers": ["decision_tree"]}

    @model_validator(mode="after")
    def _has_one_number_of_folds_in_tables_2_and_3(self) -> GreedyCv:
        for name, block in (("early_stopping", self.early_stopping), ("wall_clock", self.wall_clock)):
            if len(block.n_folds) > 1:
                raise break_rule("must have one number, as Tables 2 and 3 have", name, "n_folds")
        return self

    @model_validator(mode="after")
    def _times_a_dataset_of_the_study(self) -> GreedyCv:
        if not set(self.datasets) & set(self.wall_clock.datasets):
            raise break_rule("has none of greedy_cv.datasets", "wall_clock", "datasets")
        return self
