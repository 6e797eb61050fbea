"""What the comparison of searches consists of: every way to save trials on the same problems."""

from __future__ import annotations

from typing import Final

from studies.records import Paper, Study
from studies.trials_comparison import figures, regrets
from studies.trials_comparison.problems_and_methods import PROBLEMS
from studies.trials_comparison.regrets import FLOOR, reaches_floor

STUDIES: Final = tuple(Study(name=f"{learner}-{dataset}", refit=regrets.refit) for learner, dataset in PROBLEMS)
"""One per problem; the configuration says which methods are compared on it."""
PAPER: Final = Paper(
    name="trials_comparison",
    title="Every way to save trials, on the same problems",
    studies=STUDIES,
    artefacts=(regrets.STRATEGIES, *figures.FIGURES),
    floor=FLOOR,
    reaches_floor=reaches_floor,
    shared=("lookup/*.parquet", "curves/*.parquet"),
)
