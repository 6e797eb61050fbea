"""The claims of document 002, quoted, and what else there is to say of them, on the experiments' runs.

What the document does not say, on where its numbers come from and on the public code that matches it, is a
finding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from studies.estimates import Arrays, Estimate, exact, mean, ratio, share
from studies.exploration import claimed
from studies.exploration.claimed import ALL_ROWS
from studies.exploration.searches import COMPARED, TASK2, ends, searches
from studies.exploration.task2 import refitted
from studies.records import Claim
from studies.regions import above, at_least, at_most, below, between, near
from studies.verdicts import check_claimed

FLOOR: Final = 5
"""Repetitions under which no number is published and no verdict given."""
FLOOR_ROWS: Final = ALL_ROWS
"""The same for the rows on which the reported point and what the searches chose are fitted."""
FLOOR_TRAIN: Final = 5_000
"""The same for the training rows of task 2's searches."""
FLOOR_TRIALS: Final = {"task2": 15, "functions": 30, "logistic": 30}
"""The same for the trials of a search: what a comparison of its strategies with random search takes."""
ALL: Final = at_least(95)
"""Per cent of searches that "all" are: a share's margin, where the document prints none, is 5 points."""
POWER: Final = 0.5
"""Margin of a power that cost grows by: beyond it the next whole power is nearer."""
ERROR_MARGIN: Final = 0.1 * (100 - 91.51)
"""Points of an accuracy near 100 %: 10 % of the error, since 10 % of the accuracy would let an error of twice the
printed one pass."""

arrays: Final = claimed.arrays
"""What the claims on an experiment are about, from its runs."""
Measure = Callable[[Arrays, np.random.Generator], Estimate]


def _mean(name: str) -> Measure:
    return lambda arrays, rng: mean(arrays[name])


def _exact(name: str) -> Measure:
    return lambda arrays, rng: exact(float(arrays[name][0]))


def _ratio(numerator: str, denominator: str) -> Measure:
    return lambda arrays, rng: ratio(arrays[numerator], arrays[denominator])


def _share(name: str) -> Measure:
    """Per cent of searches."""
    return lambda arrays, rng: share(arrays[name], unit=100)


def _difference_of_shares(name: str) -> Measure:
    """Points between two shares of the same searches, which are 100 at most."""

    def measure(arrays: Arrays, rng: np.random.Generator) -> Estimate:
        found = mean(100 * arrays[name])
        return replace(found, low=max(found.low, -100.0), high=min(found.high, 100.0))

    return measure


_OPTIMUM1: Final = "We obtained K = 3, β = 4.0, λ = 1.0 as the optimal hyperparameter configuration"
_OPTIMUM2: Final = "We obtained {C, l} = {3.775, 1.625} as the optimal setting"
_ACCURACY: Final = f"{_OPTIMUM2} on which we obtained 91.51% accuracy on the test set"
_GREEDY: Final = "the EI criterion tends to be too greedy (exploitative) in nature"
_NEARER: Final = (
    "distance from the incumbent to the next suggestion, of top-two EI (EI made more exploratory) over EI, {}"
)
_NORM: Final = "estimated with the unsquared norm of pybnn's evidence over estimated with the squared one"

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "task1": (
        Claim(
            "exploration.task1.search_finds_K", "Task 1", _OPTIMUM1,
            "share of searches by DNGO, on the evidence of all ten points, that end at K = 3", "%", ALL,
            _share("K_is_3"), artefact="tables/task1",
        ),
        Claim(
            "exploration.task1.search_finds_all", "Task 1", _OPTIMUM1,
            "share of searches by DNGO, on the evidence of all ten points, that end at K = 3, β = 4 and λ = 1",
            "%", ALL, _share("is_reported"), artefact="tables/task1",
        ),
        Claim(
            "exploration.task1.optimum_K", "Task 1", _OPTIMUM1,
            "K with the largest evidence on a grid of K, β and λ", "K", between(3, 3), _exact("K_joint"),
            published=3, artefact="tables/task1",
        ),
        Claim(
            "exploration.task1.given_K", "Task 1", "This was in accordance with our Assignment 1 results",
            "K with the largest evidence where β = 4 and λ = 1 are given, as in the exercise", "K", between(3, 3),
            _exact("K_given"), published=3, artefact="tables/task1",
        ),
        Claim(
            "exploration.task1.reported_is_best_first", "Task 1", "",
            "rank of (3, 4, 1) among the eight candidates that the public code starts from, by that code's own "
            "objective", "rank", between(1, 1), _exact("initial_rank"), artefact="tables/task1", is_ours=True,
        ),
        Claim(
            "exploration.task1.coded_ends_at_reported", "Task 1", "",
            "share of searches by the public code that end at (3, 4, 1), one of its first candidates", "%", ALL,
            _share("coded_is_reported"), artefact="tables/errors_as_coded", is_ours=True,
        ),
        Claim(
            "exploration.task1.code_stays_at_first", "Task 1", "",
            "share of searches that end at one of the first candidates, as coded less with the code corrected, by "
            "the same objective", "points", above(0), _difference_of_shares("coded_less_corrected"),
            artefact="tables/errors_as_coded", is_ours=True,
        ),
        Claim(
            "exploration.task1.orientation_stays_at_first", "Task 1", "",
            "share of searches that end at one of the first candidates where the wrong orientation of the "
            "acquisition is the only error", "%", ALL, _share("orientation_stays"),
            artefact="tables/errors_as_coded", is_ours=True,
        ),
        Claim(
            "exploration.norm.noise_of_points", "Task 1", "",
            f"standard deviation of the noise on task 1's ten points, K = 3, {_NORM}", "times", below(1),
            _exact("points_sd"), artefact="tables/errors_as_coded", is_ours=True,
        ),
        Claim(
            "exploration.norm.alpha_of_points", "Task 1", "",
            f"precision alpha of the weights on task 1's ten points, K = 3, {_NORM}", "times", above(1),
            _exact("points_alpha"), artefact="tables/errors_as_coded", is_ours=True,
        ),
        Claim(
            "exploration.norm.noise_of_dngo", "Task 1", "",
            f"standard deviation of the noise of DNGO's last layer on its own search's trials, {_NORM}", "times",
            below(1), _ratio("head_sd", "one"), artefact="tables/errors_as_coded", is_ours=True,
        ),
        Claim(
            "exploration.norm.alpha_of_dngo", "Task 1", "",
            f"precision alpha of DNGO's last layer on its own search's trials, {_NORM}", "times", above(1),
            _ratio("head_alpha", "one"), artefact="tables/errors_as_coded", is_ours=True,
        ),
        Claim(
            "exploration.prior.moves_dngo", "Task 1", "",
            "how far the most probable log alpha and log variance of the noise of DNGO's last layer move where "
            "the prior, which has no effect in pybnn, is left out, in the prior's standard deviations",
            "standard deviations", above(1), _mean("prior"), artefact="tables/errors_as_coded", is_ours=True,
        ),
    ),
    "task2": (
        Claim(
            # Near: at most one cell of the 5 x 5 grid away in both, since the surface is flat between its points.
            "exploration.task2.search_finds_optimum", "Task 2", _OPTIMUM2,
            "share of searches by DNGO on all 50,000 training rows that choose a point near {3.775, 1.625}, at "
            "most one cell of a 5 x 5 grid away in both", "%", ALL, _share("near"), artefact="tables/task2",
        ),
        Claim(
            "exploration.task2.ei_greedy", "Choice of acquisition function",
            "Even in our preliminary experiments, we observed that the vanilla EI criterion tends to exaggerate "
            "the exploitative behavior",
            _NEARER.format("in task 2"), "times", above(1), _ratio("distance_ei_explore", "distance_ei"),
            artefact="tables/greediness",
        ),
        Claim(
            "exploration.task2.reported_on_diagonal", "Task 2", "",
            "place of {3.775, 1.625} on the diagonal of candidates that the public code starts from", "%",
            between(75, 75), _exact("place"), artefact="tables/task2", is_ours=True,
        ),
        Claim(
            "exploration.task2.coded_stays_at_first", "Task 2", "",
            "share of searches by the public code that end at one of its first candidates", "%", ALL,
            _share("is_initial"), artefact="tables/task2", is_ours=True,
        ),
    ),
    "refits": (
        Claim(
            "exploration.task2.reported_rank", "Task 2", _OPTIMUM2,
            "rank of {3.775, 1.625} by test accuracy among itself and the points of a 5 x 5 grid, all trained on "
            "50,000 rows", "rank", between(1, 1), _exact("rank"), artefact="tables/task2",
        ),
        Claim(
            "exploration.task2.reported_accuracy", "Task 2", _ACCURACY,
            "test accuracy of {3.775, 1.625}, trained on 50,000 rows", "%", near(91.51, margin=ERROR_MARGIN),
            _exact("reported"), published=91.51, artefact="tables/task2",
        ),
        Claim(
            "exploration.task2.dngo_accuracy", "Task 2", _ACCURACY,
            "test accuracy of what DNGO's searches choose, trained on 50,000 rows", "%",
            near(91.51, margin=ERROR_MARGIN), _mean("dngo"), published=91.51, artefact="tables/task2",
        ),
        Claim(
            "exploration.task2.flat", "Task 2", "",
            "range of test accuracy over a 5 x 5 grid of the box, trained on 50,000 rows", "points", at_most(0.5),
            _exact("spread"), artefact="tables/task2", is_ours=True,
        ),
        Claim(
            "exploration.task2.random_beats_reported", "Task 2", "",
            "test accuracy of random search's choice less that of {3.775, 1.625}, trained on 50,000 rows",
            "points", above(0), _mean("random_less_reported"), artefact="tables/task2", is_ours=True,
        ),
    ),
    "functions": (
        Claim(
            "exploration.functions.ei_greedy", "Choice of acquisition function", _GREEDY,
            _NEARER.format("on Branin and Hartmann-6"), "times", above(1),
            _ratio("distance_ei_explore", "distance_ei"), artefact="tables/greediness",
        ),
        Claim(
            "exploration.functions.ei_too_greedy", "Choice of acquisition function", _GREEDY,
            "what is left to the minimum of Branin and Hartmann-6 at the end, of top-two EI (EI made more "
            "exploratory) over EI", "times", below(1),
            _ratio("regret_ei_explore", "regret_ei"), artefact="tables/greediness",
        ),
    ),
    "surrogate_cost": (
        Claim(
            "exploration.cost.gp_cubic", "Choice of surrogate model",
            "its computational complexity scales cubicly in the number of examples",
            "log-log slope of a Gaussian process's seconds on its trials, between the two largest numbers (3: "
            "cubic)", "slope", near(3, margin=POWER), _mean("gp"), published="cubic",
            artefact="tables/surrogate_cost",
        ),
        Claim(
            "exploration.cost.dngo_scalable", "Experiments and Results", "scalable Bayesian optimisation",
            "log-log slope of DNGO's seconds on its trials, between the two largest numbers (1: linear, 3: cubic)",
            "slope", at_most(1 + POWER), _mean("dngo"), artefact="tables/surrogate_cost",
        ),
    ),
}  # fmt: skip
"""By experiment."""


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are enough for a verdict: repetitions of every method, rows and trials.

    Args:
        experiment: one of `CLAIMS`, or `logistic`, which no claim is on.
        runs: its rows; of task 1 with its scores and optima, which have no method.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, (*CLAIMS, "logistic"))
    if experiment == "refits":
        fits = refitted(runs)
        chosen = fits[~fits["method"].isin(["reported", "grid"])]
        enough = chosen.groupby("method")["seed"].nunique().min() >= FLOOR
        return bool(enough and fits[fits["method"] != "grid"]["n_rows"].min() >= FLOOR_ROWS)
    if experiment in FLOOR_TRIALS:
        last = ends(searches(runs))
        wanted = TASK2 if experiment == "task2" else COMPARED
        counts = last.groupby(["dataset", "method"])["seed"].nunique()
        enough = set(wanted) <= set(last["method"]) and counts.min() >= FLOOR
        # Task 2's learner has no epochs, so that the cost of a trial is its rows.
        rows = last["cost"].min() >= FLOOR_TRAIN if experiment == "task2" else True
        return bool(enough and rows and last["trial"].min() >= FLOOR_TRIALS[experiment])
    return bool(runs.groupby("method")["seed"].nunique().min() >= FLOOR)
