"""Refits of what document 002's searches of task 2 chose, of the point that it reports, and of a grid."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.interface import Candidate
from studies.estimates import Arrays, Estimate, exact, mean, tied
from studies.exploration.document import FLOOR
from studies.measures import exactly, mean_of
from studies.records import Claim, Study
from studies.regions import above, at_least, at_most, between, near

if TYPE_CHECKING:
    from pathlib import Path

    from frugal.trials.lines import JournalPath
    from frugal.trials.problems import LearnerProblem

REPORTED: Final[Candidate] = {"C": 3.775, "intercept_scaling": 1.625}
"""The page's optimum."""
TEST_IMAGES: Final = 10_000
"""Of MNIST; every accuracy is measured on the same ones."""
ALL_ROWS: Final = 50_000
"""Training rows of the document's task 2; on fewer another point is the best, and searches look for that one."""


def refit(
    runs: pd.DataFrame,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal: JournalPath | None = None,
) -> pd.DataFrame:
    """Fit what the searches chose on all training rows and test it; beside it the reported point and a grid.

    A candidate that several searches chose is fitted once.

    Args:
        runs: rows of `benchmarks.searches.search`, of one learner and dataset; a search's choice is its last
            recommendation.
        settings: those of `benchmarks.problem`, with refit_rows, training rows of the choices and of the
            reported point (None: all), and grid_rows, those of the grid (None: all; 0: no grid).
        root: folder of the datasets.
        journal: where fits are kept as they are made, so that a killed job goes on; None: nowhere.

    Returns:
        A row per search, one for the reported point and one per candidate of the learner's space `grid`:
        experiment (refits), method (the search's, `reported` or `grid`), learner, dataset, seed, data, candidate,
        n_rows, test_error, seconds (of the processor).

    Raises:
        ValueError: if the runs are of several problems or of one without rows, a fit fails, or the journal is
            another job's.
    """
    from frugal import learners
    from frugal.spaces import as_json
    from studies.shared.refits import KeptFits

    names = runs[["learner", "dataset"]].drop_duplicates()
    if len(names) != 1:
        raise ValueError(f"refits are of one learner and dataset, got {names.to_numpy().tolist()}")
    learner, dataset = (str(part) for part in names.iloc[0])
    facts = {"experiment": "refits", "learner": learner, "dataset": dataset, "data": runs["data"].iloc[0]}
    refit_rows, grid_rows = (settings.get(name) for name in ("refit_rows", "grid_rows"))
    problems = {n: _problem(learner, dataset, settings, n, root) for n in {refit_rows, grid_rows} - {0}}
    header = {"learner": learner, "dataset": dataset, "data": facts["data"], "settings": dict(settings)}
    kept = KeptFits(journal, header)

    def row(method: str, seed: int, candidate: str, n_rows: int | None) -> dict[str, Any]:
        fit = kept.get(f"{n_rows} {candidate}", lambda: _fit(problems[n_rows], candidate))
        return {"method": method, "seed": seed, **facts, "candidate": candidate, **fit}

    last = runs.sort_values("id").groupby(["method", "seed"], sort=False)["recommendation"].last().reset_index()
    rows = [
        row(str(one["method"]), int(one["seed"]), one["recommendation"], refit_rows)
        for one in last.to_dict("records")
    ]
    rows.append(row("reported", 0, as_json(REPORTED), refit_rows))
    if grid_rows != 0:
        grid = learners.space("grid", learner).grid()
        rows += [row("grid", 0, as_json(candidate), grid_rows) for candidate in grid]
    first = ["experiment", "method", "learner", "dataset", "seed", "data"]
    return pd.DataFrame(rows)[[*first, "candidate", "n_rows", "test_error", "seconds"]]


def _problem(
    learner: str, dataset: str, settings: Mapping[str, Any], n_train: int | None, root: str | Path
) -> LearnerProblem:
    from frugal.benchmarks.problem_by_name import of_problem, problem
    from frugal.trials.problems import LearnerProblem

    found = problem(learner, dataset, 0, {**of_problem(settings), "n_train": n_train}, root)
    if not isinstance(found, LearnerProblem):
        raise ValueError(f"{found.name} has no test rows, so nothing to refit on")
    return found


def _fit(problem: LearnerProblem, candidate: str) -> dict[str, Any]:
    """Rows, error on the test rows and seconds of a fit and its test."""
    started = process_time()
    test_error = problem.test_error(json.loads(candidate))
    seconds = process_time() - started
    return {"n_rows": len(problem.parts.train[1]), "test_error": test_error, "seconds": seconds}


def refitted(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `refit` among others'.

    Raises:
        ValueError: if there are none.
    """
    found = runs[runs["test_error"].notna()] if "test_error" in runs else runs.iloc[:0]
    if found.empty:
        raise ValueError("the runs hold no refits")
    return found


# Claims ----------------------------------------------------------------------------------------------------------

ERROR_MARGIN: Final = 0.1 * (100 - 91.51)
"""Points of an accuracy near 100 %: 10 % of the error, since 10 % of the accuracy would let an error of twice the
printed one pass."""
_NEAR_PRINTED: Final = near(91.51, margin=ERROR_MARGIN)
_EVERY_POINT: Final = "exploration.task2.every_point_agrees"


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Arrays that the claims are measured on, (n_seeds,), or (1,) where nothing is drawn."""
    fits = refitted(runs)
    errors = {
        str(method): part.sort_values("seed")["test_error"].to_numpy(float)
        for method, part in fits.groupby("method")
    }
    n_rows = fits[fits["method"] == "reported"]["n_rows"].min()
    is_whole = fits["n_rows"] >= n_rows  # smaller fits are not as flat
    grid = fits[(fits["method"] == "grid") & is_whole]["test_error"]
    is_near = (100 * (1 - grid)).map(lambda accuracy: _NEAR_PRINTED.holds(accuracy, accuracy))
    reported = errors["reported"][:1]
    rank = 1 + int((grid < float(reported[0])).sum()) if len(grid) else math.nan
    return {
        "reported": 100 * (1 - reported),
        "rank": np.array([float(rank)]),
        "reported_error": reported,
        "least_error": np.array([float(grid.min())]),
        "dngo": 100 * (1 - errors["dngo"]),
        "spread": np.array([100 * float(grid.max() - grid.min())]),
        "agreeing": np.array([100 * float(is_near.mean())]),
        "random_less_reported": 100 * (reported - errors["random"]),
    }


def is_enough(runs: pd.DataFrame) -> bool:
    """Whether there are `FLOOR` refits of every method, and all but the grid are on all rows."""
    fits = refitted(runs)
    choice = fits[~fits["method"].isin(["reported", "grid"])]
    enough = choice.groupby("method")["seed"].nunique().min() >= FLOOR
    return bool(enough and fits[fits["method"] != "grid"]["n_rows"].min() >= ALL_ROWS)


def _rank(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """The rank, which says nothing while the point and the best of the others differ by less than images can tell.

    That is two standard errors of the difference of two accuracies. These are taken to be independent. As they are
    on the same images, the difference has a smaller error than that, so that a decided rank is a safe one.
    """
    error, least = float(arrays["reported_error"][0]), float(arrays["least_error"][0])
    return _told_by_images(exact(float(arrays["rank"][0])), error, least, "the best other point is")


def _random_beats_reported(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """The difference, which says nothing while it is less than images can tell, as of `_rank`."""
    less = arrays["random_less_reported"]
    error = float(arrays["reported_error"][0])
    return _told_by_images(mean(less), error, error - float(np.nanmean(less)) / 100, "on average they are")


def _told_by_images(found: Estimate, error: float, other: float, who: str) -> Estimate:
    """An estimate, or that it says nothing: two error rates are too near for the test images."""
    difference = abs(error - other)
    standard_error = math.sqrt((error * (1 - error) + other * (1 - other)) / TEST_IMAGES)
    if not difference < 2 * standard_error:  # nan: there is no such point
        return found
    images, telling = round(TEST_IMAGES * difference), math.ceil(2 * TEST_IMAGES * standard_error)
    return tied(found, f"{who} {images} of {TEST_IMAGES:,} test images off; {telling} would tell")


REFITS: Final = Study(name="refits", refit=refit, refit_from=("task2",), arrays=arrays, is_enough=is_enough)
_claim = partial(Claim, section="Task 2", study="refits", artefact="tables/task2")
OPTIMUM: Final = "We obtained {C, l} = {3.775, 1.625} as the optimal setting"
_ACCURACY: Final = f"{OPTIMUM} on which we obtained 91.51% accuracy on the test set"

CLAIMS: Final = (
    _claim(
        "exploration.task2.reported_rank",
        quote=OPTIMUM,
        quantity="rank by test accuracy of {3.775, 1.625} among the points of a 5 x 5 grid and itself, all "
        "trained on 50,000 rows (1: the best)",
        unit="rank",
        agrees=between(1, 1),
        measure=_rank,
    ),
    _claim(
        "exploration.task2.reported_accuracy",
        quote=_ACCURACY,
        quantity="test accuracy of {3.775, 1.625}, trained on 50,000 rows",
        unit="%",
        agrees=_NEAR_PRINTED,
        measure=exactly("reported"),
        published=91.51,
        every_choice_agrees=_EVERY_POINT,
    ),
    _claim(
        "exploration.task2.dngo_accuracy",
        quote=_ACCURACY,
        quantity="test accuracy of what DNGO's searches choose on fewer rows, trained on 50,000",
        unit="%",
        agrees=_NEAR_PRINTED,
        measure=mean_of("dngo"),
        published=91.51,
        every_choice_agrees=_EVERY_POINT,
    ),
    _claim(
        _EVERY_POINT,
        quantity="share of the points of a 5 x 5 grid of the box whose test accuracy, trained on 50,000 rows, is "
        "as near 91.51 % as the claims on it ask",
        unit="%",
        agrees=at_least(100),
        measure=exactly("agreeing"),
    ),
    _claim(
        "exploration.task2.flat",
        quantity="test accuracy on a 5 x 5 grid of the box, the largest less the smallest, trained on 50,000 rows",
        unit="points",
        agrees=at_most(0.5),
        measure=exactly("spread"),
    ),
    _claim(
        "exploration.task2.random_beats_reported",
        quantity="test accuracy of random search's choice less that of {3.775, 1.625}, both trained on "
        "50,000 rows, on the same 10,000 test images; the interval is over searches",
        unit="points",
        agrees=above(0),
        measure=_random_beats_reported,
    ),
)
