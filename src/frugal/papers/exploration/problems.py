"""What document 002's searches are made on: functions with known minima, and learners on rows of MNIST."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def problem(
    learner: str, dataset: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data"
) -> Problem:
    """What one repetition's trials are made on; the same for every method.

    Args:
        learner: `function`, or a learner that has rows.
        dataset: `branin` or `hartmann6`, or a dataset.
        seed: number of the repetition, which draws the training rows and seeds the learner.
        settings: n_train, training rows to draw (None: all); n_valid, validation rows (`N_VALID`); n_test, test
            rows where the dataset has set none apart; space, its name (`SPACES`).
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
    """Rows of a repetition; validation and test rows are those of every repetition."""
    counts = {"n_valid": settings.get("n_valid", N_VALID), "n_test": settings.get("n_test", 0)}
    return split(data, **counts, n_train=settings.get("n_train"), train_seed=seed)


def check_settings(settings: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse a setting that is not among `known`.

    Raises:
        ValueError: naming it and listing the known ones.
    """
    listed = list(known)
    unknown = sorted(set(settings) - set(listed))
    if unknown:
        raise ValueError(f"unknown setting {unknown[0]!r}; known: {', '.join(listed)}")
