"""A problem by name: a learner on a dataset's rows, a function, a look-up table or a set of stored curves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from frugal import datasets, learners
from frugal.benchmarks.curves import CurvesProblem
from frugal.benchmarks.functions import FUNCTIONS
from frugal.benchmarks.lookup import LookUpProblem
from frugal.benchmarks.measured import COLUMNS
from frugal.checks import check_known, check_settings, check_whole
from frugal.files import read
from frugal.trials.parts import Parts, split
from frugal.trials.problems import LearnerProblem, Problem

FUNCTION, LOOKUP, CURVES = "function", "lookup", "curves"
"""Learner names of problems that are functions, look-up tables or stored curves; `dataset` names which."""
N_VALID: Final = 10_000
"""Validation rows: the last ones of MNIST's training part, as in documents 002 and 003."""
SHARE: Final = 0.33
"""For other datasets: share of rows for testing, and of the rest for validation, as on OpenML."""
_OF_ROWS: Final = ("n_train", "n_valid", "n_test", "space", "scaler", "epochs")
_OF_STORED: Final = {FUNCTION: (), LOOKUP: ("table",), CURVES: ("table", "extrapolations")}
"""Settings of problems without rows; the others take `_OF_ROWS`."""
OF_PROBLEMS: Final = (*_OF_ROWS, *_OF_STORED[CURVES])
"""Settings that a problem of some kind takes."""


def problem(
    learner: str, dataset: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data"
) -> Problem:
    """Build the problem of one repetition, the same for every method.

    Args:
        learner: `function`, `lookup`, `curves`, or a learner that has rows.
        dataset: the name of a function, or a dataset; of a table or a set of curves it is for messages alone.
        seed: number of the repetition, which draws the training rows and seeds the learner; functions, tables and
            curves are the same for all.
        settings: these settings, defaults in parentheses. n_train: number of training rows to draw (None: all).
            n_test: number of test rows (0.33 of all rows); unused if the dataset has test rows of its own.
            n_valid: number of validation rows (10,000; without own test rows, 0.33 of the rows that are not for
            testing). space: name of a space (the learner's default). scaler: `none`, `min_max`, `robust` or
            `standard` (`none`); networks take none. epochs: epochs of a trial whose task states none, only for
            learners trained in epochs (`learners.n_epochs`). table: file of a look-up table or of a set of curves.
            These two take no other setting, but for extrapolations of curves, which only `searches.search` uses. A
            function takes none.
        root: folder of the datasets.

    Returns:
        The problem, which `frugal.trials.run` takes. One of stored curves serves a single run.

    Raises:
        ValueError: on a seed that is no whole number from 0 to 2**32 - 1, an unknown function, learner, space or
            dataset, more rows than there are, a table or curves without their file, an unknown setting, or one
            that the learner does not take, as epochs of what is not trained in epochs.

    Examples:
        >>> from frugal import benchmarks
        >>> branin = benchmarks.problem("function", "branin", 0, {})
        >>> branin.name, list(branin.space.dimensions)
        ('branin', ['x', 'y'])
    """
    check_settings(settings, OF_PROBLEMS, complete=False)
    check_whole("seed", seed, 0, 2**32 - 1)
    if learner not in _OF_STORED:
        learners.record(learner)
    epochs = settings.get("epochs")
    if epochs is not None:
        check_whole("epochs", epochs, 1)
        if learner in _OF_STORED or not learners.in_epochs(learner):
            raise ValueError(f"epochs must be left out, since {learner} does not train in epochs, got {epochs}")
    for name in OF_PROBLEMS:
        if settings.get(name) is not None and name not in _OF_STORED.get(learner, _OF_ROWS):
            raise ValueError(f"{name} must be left out, since {learner} does not take it, got {settings[name]!r}")
    if learner == FUNCTION:
        check_known("function", dataset, FUNCTIONS)
        return FUNCTIONS[dataset]
    if learner in (LOOKUP, CURVES) and settings.get("table") is None:
        what, contents = ("table", "fits") if learner == LOOKUP else ("set", "curves")
        raise ValueError(f"the {what} {dataset} needs the setting 'table', the file of its {contents}")
    if learner == CURVES:
        return CurvesProblem.read(settings["table"])
    if learner == LOOKUP:
        return LookUpProblem(read(settings["table"], *COLUMNS))
    space = learners.space(settings.get("space", learners.record(learner).default_space), learner)
    scaler = settings.get("scaler", "none")
    check_known("scaler", scaler, learners.SCALERS)
    if scaler != "none" and learner in learners.NETWORKS:
        raise ValueError(f"scaler must be left out, since {learner} is a network, got {scaler!r}")
    data = datasets.load(dataset, root=root)
    parts = _parts(data, seed, settings)
    return LearnerProblem(learner, data, parts, space, seed=seed, scaler=scaler, epochs=epochs)


def of_problem(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that `problem` takes, among those of a search."""
    return {name: value for name, value in settings.items() if name in OF_PROBLEMS}


def _parts(data: datasets.Dataset, seed: int, settings: Mapping[str, Any]) -> Parts:
    """Rows of a repetition; validation and test rows are those of every repetition.

    A dataset without test rows of its own is shuffled first, since its rows may be in the order of their classes.
    """
    for name, low in {"n_valid": 1, "n_test": 0}.items():
        if name in settings:
            check_whole(name, settings[name], low)
    if settings.get("n_train") is not None:
        check_whole("n_train", settings["n_train"], 1)
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
