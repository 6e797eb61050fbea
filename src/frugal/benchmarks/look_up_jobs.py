"""Jobs of the workflow that make a look-up table, one per value of the last dimension."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal import datasets, learners
from frugal.benchmarks.measured import measure
from frugal.benchmarks.svm_table import measure_svm
from frugal.checks import check_known, check_settings, check_whole
from frugal.interface import Candidate
from frugal.spaces import Ordinal, SearchSpace
from frugal.trials.lines import JournalPath
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem

SETTINGS: Final = (
    "learner",
    "dataset",
    "space",
    "n_per_dimension",
    "sizes",
    "n_subsets",
    "n_valid",
    "n_test",
    "n_train",
    "seed",
    "scaler",
)


def problem_of(settings: Mapping[str, Any], root: str | Path = "data") -> LearnerProblem:
    """The problem that a table is made from; its space is the grid.

    Args:
        settings: these settings. learner, dataset: their names. space: name of a space of the learner.
            n_per_dimension: number of values of each dimension, evenly spaced over its scale, ends included.
            sizes, n_subsets: as in `measure`. n_valid, n_test: numbers of validation and test rows, which are
            the last training rows (n_test: 0 if the dataset has test rows). n_train: number of the other rows to
            keep (None: all). seed: seed of the learner and of the draws. scaler: one of `learners.SCALERS`, fitted
            on a trial's training rows (left out: none).
        root: folder of the datasets.

    Raises:
        ValueError: on a lacking or unknown setting, learner, space, dataset or scaler, or more rows than there
            are.
    """
    settings = {"scaler": "none", **settings}
    check_settings(settings, SETTINGS)
    learners.check_fitted(settings["learner"])
    check_known("scaler", settings["scaler"], learners.SCALERS)
    space = grid_of(learners.space(settings["space"], settings["learner"]), settings["n_per_dimension"])
    data = datasets.load(settings["dataset"], root=root)
    parts = split(data, **{name: settings[name] for name in ("n_valid", "n_test", "n_train")})
    facts = {name: settings[name] for name in ("seed", "scaler")}
    return LearnerProblem(settings["learner"], data, parts, space, **facts)


def grid_of(space: SearchSpace, n_per_dimension: int) -> SearchSpace:
    """The space with `n_per_dimension` values of each dimension, evenly spaced quantiles of it, ends included.

    Raises:
        ValueError: if there are fewer than two, or a dimension does not have as many distinct ones.
    """
    check_whole("n_per_dimension", n_per_dimension, 2)
    listed = {}
    for name, dimension in space.dimensions.items():
        values = tuple(dict.fromkeys(dimension.from_unit(float(u)) for u in np.linspace(0, 1, n_per_dimension)))
        if len(values) < n_per_dimension:
            raise ValueError(
                f"{name} has only {len(values)} values, so n_per_dimension cannot be {n_per_dimension}"
            )
        listed[name] = Ordinal(values)
    return SearchSpace(listed)


def part_of(space: SearchSpace, part: int) -> list[Candidate]:
    """Candidates of a grid with value number `part` of the last dimension.

    Raises:
        ValueError: if there is no such value.
    """
    name = list(space.dimensions)[-1]
    grid = space.grid()
    values = list(dict.fromkeys(candidate[name] for candidate in grid))
    check_whole("part", part, 0, len(values) - 1, f"the last value of {name}")
    return [candidate for candidate in grid if candidate[name] == values[part]]


def measure_part(
    settings: Mapping[str, Any], part: int, root: str | Path = "data", journal_path: JournalPath | None = None
) -> pd.DataFrame:
    """Part of a table: its candidates with one value of the last dimension.

    Args:
        settings: as `problem_of` takes them.
        part: number of the value, from 0.
        root: folder of the datasets.
        journal_path: file that stores each cell as it is made; None: no file.

    Raises:
        ValueError: on settings that `problem_of` or `measure` refuses, or a part that is not there.
    """
    problem = problem_of(settings, root)
    make = measure_svm if problem.learner == "svm" else measure
    candidates = part_of(problem.space, part)
    return make(problem, candidates, settings["sizes"], settings["n_subsets"], journal_path)
