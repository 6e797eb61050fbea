"""What the comparison of searches consists of: every way to save trials on the same problems."""

from __future__ import annotations

from typing import Final

from studies.kinds import Kind
from studies.records import Paper, Study
from studies.trials_comparison import figures, regrets
from studies.trials_comparison.problems_and_methods import COLUMNS, PROBLEMS, STUDIES
from studies.trials_comparison.regrets import FLOOR, reaches_floor

BY_PROBLEM: Final = tuple(
    Study(
        name=f"{learner}-{dataset}",
        refit=regrets.refit,
        kinds=(Kind(COLUMNS, {"learner": learner, "dataset": dataset}, name="paths"),),
    )
    for learner, dataset in PROBLEMS
)
"""The paths of all searches on a problem, those of the studies beside this comparison among them."""
PAPER: Final = Paper(
    name="trials_comparison",
    title="Every way to save trials, on the same problems",
    studies=(*STUDIES, *BY_PROBLEM),
    artefacts=(regrets.STRATEGIES, *figures.FIGURES),
    floor=FLOOR,
    reaches_floor=reaches_floor,
    shared=("lookup/*.parquet", "curves/*.parquet"),
)
