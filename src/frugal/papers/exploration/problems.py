"""What document 002's searches are made on: functions with known minima, and learners on rows of MNIST."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from frugal import datasets, learners
from frugal.trials.problems import FUNCTIONS, LearnerProblem, Parts, Problem, split

FUNCTION: Final = "function"
"""Learner of a problem that is a function, whose name is the dataset."""
SPACES: Final = {"logistic_regression": "box", "sgd_logistic_regression": "hpolib"}
"""Space that a learner is searched in, unless the settings say otherwise."""
N_VALID: Final = 10_000
"""Rows for validation, the last ones of MNIST's training part, as in the document's 50k/10k/10k."""
SHARE: Final = 0.33
"""Of the rows of other datasets that are for testing, and of the rest that are for validation, as on OpenML."""


def problem(
    learner: str, dataset: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data"
) -> Problem:
    """What one repetition's trials are made on; the same for every method.

    Args:
        learner: `function`, or a learner that has rows.
        dataset: `branin` or `hartmann6`, or a dataset.
        seed: number of the repetition, which draws the training rows and seeds the learner.
        settings: n_train, training rows to draw (None: all); n_valid, validation rows (`N_VALID`; a third of the
            rows without the test rows, where the dataset has set no test rows apart); n_test, test rows of such a
            dataset (a third); space, its name (`SPACES`).
        root: folder of the datasets.

    Raises:
        ValueError: on an unknown function, learner, space or dataset, or more rows than there are.
    """
    if learner == FUNCTION:
        if dataset not in FUNCTIONS:
            raise ValueError(f"unknown function {dataset!r}; known: {', '.join(FUNCTIONS)}")
        return FUNCTIONS[dataset]
    learners.check_known(learner)
    space = learners.space(settings.get("space") or SPACES.get(learner, "ranges"), learner)
    data = datasets.load(dataset, root=root)
    return LearnerProblem(learner, data, parts(data, seed, settings), space, seed=seed)


def parts(data: datasets.Dataset, seed: int, settings: Mapping[str, Any]) -> Parts:
    """Rows of a repetition; validation and test rows are those of every repetition.

    A dataset without test rows of its own is shuffled first, since its rows may be in the order of their classes.
    """
    n_test, n_valid = 0, N_VALID
    if "test" not in data.splits:
        n_test = settings.get("n_test", round(len(data.y) * SHARE))
        n_valid = round((len(data.y) - n_test) * SHARE)
    return split(
        data,
        n_valid=settings.get("n_valid", n_valid),
        n_test=n_test,
        seed=0 if n_test else None,
        n_train=settings.get("n_train"),
        train_seed=seed,
    )
