"""The claims of document 002, quoted, and what else there is to say of them, on the experiments' runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.papers.exploration import task1
from frugal.papers.exploration.comparison import greediness
from frugal.papers.exploration.costs import slopes
from frugal.papers.exploration.problems import FUNCTION
from frugal.papers.exploration.searches import COMPARED, TASK2, ends, searches
from frugal.papers.exploration.task2 import choices, initial_and_final, refitted
from frugal.papers.verdicts import Arrays, Claim, check_claimed

FLOOR: Final = 5
"""Repetitions under which no number is published and no verdict given."""
FLOOR_ROWS: Final = 50_000
"""The same for the rows on which the reported point and what the searches chose are fitted."""


def _mean(name: str) -> Callable[[Arrays], float]:
    return lambda arrays: float(arrays[name].mean())


_OPTIMUM1 = "We obtained K = 3, β = 4.0, λ = 1.0 as the optimal hyperparameter configuration"
_OPTIMUM2 = "We obtained {C, l} = {3.775, 1.625} as the optimal setting"
_GREEDY = "the EI criterion tends to be too greedy (exploitative) in nature"

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "task1": (
        Claim(f"{_OPTIMUM1} (K where DNGO on the evidence of all ten points ends)", 3.0, _mean("K")),
        Claim(f"{_OPTIMUM1} (β, the same)", 4.0, _mean("beta"), 0.1),
        Claim(f"{_OPTIMUM1} (λ, the same)", 1.0, _mean("lambda"), 0.1),
        Claim(
            "This was in accordance with our Assignment 1 results (K with the largest evidence where β = 4 and "
            "λ = 1 are given, as the exercise gives them)",
            3.0,
            _mean("K_given"),
            every=True,
        ),
        Claim(
            f"{_OPTIMUM1} (K with the largest evidence on the grid of all three)",
            3.0,
            _mean("K_joint"),
            every=True,
        ),
        Claim(
            f"{_OPTIMUM1} (K of the best of the fragment's eight first candidates, by its own objective, which "
            "adds the error to be maximised: an artefact of the first candidates)",
            3.0,
            _mean("K_initial"),
            every=True,
        ),
        Claim(
            f"{_OPTIMUM1} (searches as coded that end at one of their first candidates, which the configuration "
            "is, as a share of all: an artefact of the first candidates)",
            1.0,
            _mean("is_initial"),
            bounds=(0.0, 1.0),
        ),
    ),
    "task2": (
        Claim(
            f"{_OPTIMUM2} (C that DNGO chooses, on fewer training rows)",
            3.775,
            _mean("C"),
            0.001,
            bounds=(0.1, 5.0),
        ),
        Claim(f"{_OPTIMUM2} (l, the same)", 1.625, _mean("intercept_scaling"), 0.001, bounds=(0.01, 2.0)),
        Claim(
            f"{_OPTIMUM2} (searches as coded that end at one of their first candidates, which the setting is, as "
            "a share of all)",
            1.0,
            _mean("is_initial"),
            bounds=(0.0, 1.0),
        ),
        Claim(
            "Even in our preliminary experiments, we observed that the vanilla EI criterion tends to exaggerate "
            "the exploitative behavior (distance of suggestions to the incumbent, as a share of the cube's "
            "diagonal, EI less top-two EI, in task 2, below 0 if so)",
            math.nan,
            _mean("distance"),
        ),
    ),
    "refits": (
        Claim(
            f"{_OPTIMUM2} on which we obtained 91.51% accuracy on the test set (of the reported setting)",
            0.9151,
            _mean("reported"),
            0.0001,
        ),
        Claim(
            f"{_OPTIMUM2} on which we obtained 91.51% accuracy on the test set (of what DNGO chooses)",
            0.9151,
            _mean("dngo"),
            0.0001,
        ),
        Claim(
            f"{_OPTIMUM2} (range of test accuracy over the 5 x 5 grid of the box, less 0.5 points, below 0 if the "
            "surface is too flat for any setting to be the optimal one)",
            math.nan,
            lambda arrays: float(arrays["range"].mean()) - 0.005,
        ),
        Claim(
            f"{_OPTIMUM2} (test accuracy of the reported setting less that of random search's choice, below 0 if "
            "random search does better)",
            math.nan,
            lambda arrays: float((arrays["reported"] - arrays["random"]).mean()),
        ),
    ),
    "functions": (
        Claim(
            f"{_GREEDY} (distance of suggestions to the incumbent, as a share of the cube's diagonal, EI less "
            "top-two EI, mean over Branin and Hartmann-6, below 0 if EI is the greedier)",
            math.nan,
            _mean("distance"),
        ),
        Claim(
            f"{_GREEDY} (log10 of what is left to the minimum, top-two EI less EI, mean over both, below 0 if EI "
            "is too greedy)",
            math.nan,
            lambda arrays: -float(arrays["log10_regret"].mean()),
        ),
    ),
    "surrogate_cost": (
        Claim(
            "its computational complexity scales cubicly in the number of examples (slope of log seconds of a "
            "GP's log evidence on log trials, between the two largest sizes)",
            3.0,
            _mean("gp"),
        ),
        Claim(
            "Snoek et al [9] introduce usage of Bayesian neural networks as a replacement to GPs (the slope of a "
            "fit of DNGO, which is to be linear)",
            1.0,
            _mean("dngo"),
        ),
    ),
}
"""By experiment; fixed before any was run."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims on an experiment are about, each of shape (n_seeds,); what has no seeds is repeated.

    Args:
        experiment: one of `CLAIMS`.
        runs: its rows, of `runs`.

    Raises:
        ValueError: on an unknown experiment, or runs that lack a method or column.
    """
    check_claimed(experiment, CLAIMS)
    made = {"task1": _task1, "task2": _task2, "refits": _refits, "functions": _functions, "surrogate_cost": _cost}
    return made[experiment](runs)


def _task1(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    chosen = runs[runs["is_best"].astype(bool) & (runs["objective"] == "evidence") & (runs["search"] == "dngo")]
    last = chosen.groupby("seed").first()
    exact = {
        "K_given": task1.best("evidence", lambda point: point[1:] == task1.GIVEN[1:]).K,
        "K_joint": task1.best("evidence").K,
        "K_initial": task1.best("as_published", lambda point: point in task1.INITIAL).K,
    }
    found = {name: last[name].to_numpy(float) for name in ("K", "beta", "lambda")}
    coded = runs[runs["is_best"].astype(bool) & (runs["search"] == "dngo_as_coded")].groupby("seed")["step"].min()
    found["is_initial"] = (coded <= len(task1.INITIAL)).to_numpy(float)
    return found | {name: np.full(len(last), float(value)) for name, value in exact.items()}


def _task2(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    chosen = choices(runs)
    dngo = chosen[chosen["method"] == "dngo"].sort_values("seed")
    found = {name: dngo[name].to_numpy(float) for name in ("C", "intercept_scaling")}
    found["is_initial"] = initial_and_final(runs, "doc002_as_coded")["is_initial"].to_numpy(float)
    return found | {"distance": _differences(runs)["distance"]}


def _refits(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    fits = refitted(runs)
    accuracy = fits.assign(accuracy=1 - fits["test_error"])
    of = {
        str(name): part.sort_values("seed")["accuracy"].to_numpy(float)
        for name, part in accuracy.groupby("method")
    }
    n_seeds = len(of["dngo"])
    whole = fits[
        (fits["method"] == "grid") & (fits["n_rows"] >= fits[fits["method"] == "reported"]["n_rows"].min())
    ]
    grid = (
        1 - whole["test_error"].to_numpy(float) if len(whole) else np.array([np.nan])
    )  # smaller fits are not as flat
    same = {"reported": float(of["reported"][0]), "range": float(grid.max() - grid.min())}
    return {"dngo": of["dngo"], "random": of["random"]} | {
        name: np.full(n_seeds, value) for name, value in same.items()
    }


def _functions(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    return _differences(searches(runs, FUNCTION))


def _differences(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    wide = greediness(runs).groupby(["measure", "seed"])["difference"].mean().reset_index()
    wide = wide.pivot_table(index="measure", columns="seed", values="difference")
    return {str(measure): row.to_numpy(float) for measure, row in wide.iterrows()}


def _cost(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    found = slopes(runs).sort_values("seed")
    return {method: found[found["method"] == method]["last_slope"].to_numpy(float) for method in ("gp", "dngo")}


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are enough for a verdict: repetitions of every method, and rows of the refits.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "refits":
        fits = refitted(runs)
        chosen = fits[~fits["method"].isin(["reported", "grid"])]
        enough = chosen.groupby("method")["seed"].nunique().min() >= FLOOR
        return bool(enough and fits[fits["method"] != "grid"]["n_rows"].min() >= FLOOR_ROWS)
    if experiment in ("task2", "functions"):
        last = ends(searches(runs))
        wanted = TASK2 if experiment == "task2" else COMPARED
        counts = last.groupby(["dataset", "method"])["seed"].nunique()
        return bool(set(wanted) <= set(last["method"]) and counts.min() >= FLOOR)
    return bool(runs.groupby("method")["seed"].nunique().min() >= FLOOR)
