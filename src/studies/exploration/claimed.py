"""What the claims of document 002 are about, seed by seed, from the experiments' runs."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal import learners
from frugal.interface import Candidate
from frugal.trials.searches import FUNCTION
from studies.exploration import task1, task1_errors
from studies.exploration.as_coded import diagonal
from studies.exploration.comparison import greediness
from studies.exploration.costs import slopes
from studies.exploration.searches import searches
from studies.exploration.task1_tables import best, scores_in
from studies.exploration.task2 import LEARNER, choices, initial_and_final, published, refitted
from studies.verdicts import check_claimed

ALL_ROWS: Final = 50_000
"""Training rows of the document's task 2: on fewer another point is the best, so that no search looks for its."""
EI_AND_KIN: Final = ("ei", "ei_explore")


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims on an experiment are about, (n_seeds,), or (1,) where there is no chance in it.

    Args:
        experiment: one of `quoted.CLAIMS`.
        runs: its rows, of `runs`.

    Raises:
        ValueError: on an unknown experiment, or runs that lack a method or column.
    """
    made = {"task1": _task1, "task2": _task2, "refits": _refits, "functions": _functions, "surrogate_cost": _cost}
    check_claimed(experiment, made)
    return made[experiment](runs)


def _task1(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    scores, searched = scores_in(runs), runs[runs["experiment"] == "task1"]
    ends = searched[searched["is_best"].astype(bool)].sort_values("step")
    found = ends[(ends["objective"] == "evidence") & (ends["search"] == "dngo")].groupby("seed").first()
    by_code = scores["as_published"]
    first = [by_code[point] for point in task1.INITIAL]
    exact = {
        "K_given": best(scores["evidence"], lambda point: point[1:] == task1.GIVEN[1:]).K,
        "K_joint": best(scores["evidence"]).K,
        "initial_rank": 1 + sum(score > by_code[task1.GIVEN] for score in first),
        "one": 1,
    }
    arrays: dict[str, NDArray[np.float64]] = {
        **{name: np.array([float(value)]) for name, value in exact.items()},
        **_errors(task1_errors.optima_in(runs, task1_errors.POINTS), "points"),
        "K_is_3": np.asarray(found["K"] == task1.GIVEN.K, dtype=float),
        "is_reported": _is_reported(found),
        **_errors(task1_errors.optima_in(runs, task1_errors.HEAD), "head"),
    }
    reached = task1_errors.reached(runs).set_index("seed")
    of = {search: reached[reached["search"] == search].reindex(found.index) for search in task1_errors.SEARCHES}
    coded, corrected = of["dngo_as_coded"], of["dngo"]
    arrays["coded_is_reported"] = np.where(coded["score"].notna(), _is_reported(coded), np.nan)
    arrays["coded_less_corrected"] = (coded["is_initial"] - corrected["is_initial"]).to_numpy(float)
    arrays["orientation_stays"] = of["dngo_orientation"]["is_initial"].to_numpy(float)
    return arrays


def _is_reported(points: pd.DataFrame) -> NDArray[np.float64]:
    """Which are K = 3, beta = 4, lambda = 1: 1 or 0."""
    return np.asarray((points[["K", "beta", "lambda"]].to_numpy(float) == task1.GIVEN).all(axis=1), dtype=float)


def _errors(optima: pd.DataFrame, name: str) -> dict[str, NDArray[np.float64]]:
    """What the unsquared norm does to both estimates, and how far the prior moves them, per seed."""
    ratios = optima.set_index("error")[["alpha_ratio", "noise_sd_ratio"]]
    norm, prior = (ratios[ratios.index == error].to_numpy(dtype=float) for error in ("unsquared_norm", "no_prior"))
    found = {f"{name}_sd": norm[:, 1], f"{name}_alpha": norm[:, 0]}
    if name == "head":
        logs = np.log(prior)
        found["prior"] = np.hypot(logs[:, 0], 2 * logs[:, 1])  # log s2 is twice the log of the standard deviation
    return found


def _task2(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    chosen = choices(runs)
    dngo = chosen[chosen["method"] == "dngo"].sort_values("seed")
    first, last = diagonal(2)
    grid = learners.space("grid", LEARNER).grid()
    near, places = np.ones(len(dngo), bool), []
    for name in ("C", "intercept_scaling"):
        values, printed = sorted({_number(candidate, name) for candidate in grid}), published(name)
        near &= np.abs(dngo[name].to_numpy(float) - printed) <= values[1] - values[0] + 1e-12
        places.append((printed - _number(first, name)) / (_number(last, name) - _number(first, name)))
    place = places[0] if math.isclose(*places) else math.nan
    return {
        "near": np.where(dngo["C"].notna() & (dngo["cost"] >= ALL_ROWS), near.astype(float), np.nan),
        "place": np.array([round(100 * place, 7)]),
        "is_initial": initial_and_final(runs, "doc002_as_coded")["is_initial"].to_numpy(float),
        **_greediness(runs),
    }


def _number(candidate: Candidate, name: str) -> float:
    return float(str(candidate[name]))


def _refits(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    fits = refitted(runs)
    of = {
        str(name): part.sort_values("seed")["test_error"].to_numpy(float) for name, part in fits.groupby("method")
    }
    whole = fits[
        (fits["method"] == "grid") & (fits["n_rows"] >= fits[fits["method"] == "reported"]["n_rows"].min())
    ]  # smaller fits are not as flat
    spread = float(whole["test_error"].max() - whole["test_error"].min())
    reported = of["reported"][:1]
    rank = 1 + int((whole["test_error"] < float(reported[0])).sum()) if len(whole) else math.nan
    return {
        "reported": 100 * (1 - reported),
        "rank": np.array([float(rank)]),
        "dngo": 100 * (1 - of["dngo"]),
        "spread": np.array([100 * spread]),
        "random_less_reported": 100 * (reported - of["random"]),
    }


def _functions(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    return _greediness(searches(runs, FUNCTION))


def _greediness(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """`distance_{method}` and `regret_{method}` of both EI: geometric means over the problems of a seed."""
    wide = greediness(runs).dropna()
    found: dict[str, NDArray[np.float64]] = {}
    for measure, part in wide.groupby("measure"):
        values = part[list(EI_AND_KIN)]
        logs = values.apply(np.log10) if measure == "distance" else values
        means = logs.groupby(part["seed"]).mean()
        name = str(measure).removeprefix("log10_")
        found |= {f"{name}_{method}": 10 ** means[method].to_numpy(float) for method in EI_AND_KIN}
    return found


def _cost(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    found = slopes(runs).sort_values("seed")
    return {method: found[found["method"] == method]["last_slope"].to_numpy(float) for method in ("gp", "dngo")}
