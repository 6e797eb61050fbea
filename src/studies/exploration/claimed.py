"""What the claims of document 002 are about, seed by seed, from the experiments' runs."""

from __future__ import annotations

import math

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
from studies.exploration.task2 import LEARNER, choices, initial_and_final, published, refitted
from studies.verdicts import check_claimed


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims on an experiment are about, each of shape (n_seeds,); what has no seeds is repeated.

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
    ends = runs[runs["is_best"].astype(bool)].sort_values("step")
    found = ends[(ends["objective"] == "evidence") & (ends["search"] == "dngo")].groupby("seed").first()
    exact: dict[str, float] = {
        "K_given": task1.best("evidence", lambda point: point[1:] == task1.GIVEN[1:]).K,
        "K_joint": task1.best("evidence").K,
        "initial_is_reported": task1.best("as_published", lambda point: point in task1.INITIAL) == task1.GIVEN,
    }
    exact |= {name: value[0] for name, value in _errors(task1_errors.optima_of_points(), "points").items()}
    arrays: dict[str, NDArray[np.float64]] = {
        "K_is_3": np.asarray(found["K"] == task1.GIVEN.K, dtype=float),
        "is_reported": _is_reported(found),
        **_errors(task1_errors.optima_of_head(runs), "head"),
    }
    reached = task1_errors.reached(runs).set_index("seed")
    of = {search: reached[reached["search"] == search].reindex(found.index) for search in task1_errors.SEARCHES}
    coded, corrected = of["dngo_as_coded"], of["dngo"]
    arrays["coded_is_reported"] = np.where(coded["score"].notna(), _is_reported(coded), np.nan)
    arrays["corrected_less_coded"] = (corrected["is_initial"] - coded["is_initial"]).to_numpy(float)
    arrays["orientation_stays"] = of["dngo_orientation"]["is_initial"].to_numpy(float)
    return arrays | {name: np.full(len(found), float(value)) for name, value in exact.items()}


def _is_reported(points: pd.DataFrame) -> NDArray[np.float64]:
    """Which are K = 3, beta = 4, lambda = 1: 1 or 0."""
    return np.asarray((points[["K", "beta", "lambda"]].to_numpy(float) == task1.GIVEN).all(axis=1), dtype=float)


def _errors(optima: pd.DataFrame, name: str) -> dict[str, NDArray[np.float64]]:
    """What the unsquared norm does to both estimates, and how far the prior moves them, per seed."""
    ratios = optima.set_index("error")[["alpha_ratio", "noise_sd_ratio"]]
    logs = pd.DataFrame(np.log(ratios.to_numpy(float)), index=ratios.index)
    norm, prior = (logs[logs.index == error].to_numpy() for error in ("unsquared_norm", "no_prior"))
    moved = np.hypot(prior[:, 0], 2 * prior[:, 1])  # log s2 is twice the log of the standard deviation
    return {f"{name}_sd": norm[:, 1], f"{name}_alpha": -norm[:, 0]} | (
        {"prior": 1 - moved} if name == "head" else {}
    )


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
        "near": np.where(dngo["C"].notna(), near.astype(float), np.nan),
        "place": np.full(len(dngo), round(place, 9)),
        "is_initial": initial_and_final(runs, "doc002_as_coded")["is_initial"].to_numpy(float),
        "distance": _differences(runs)["distance"],
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
    reported = np.full(len(of["dngo"]), float(of["reported"][0]))
    return {
        "reported": reported,
        "dngo": of["dngo"],
        "range_less_half_a_point": np.full(len(reported), spread - 0.005),
        "random_less_reported": of["random"] - reported,
    }


def _functions(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    return _differences(searches(runs, FUNCTION))


def _differences(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    wide = greediness(runs).dropna().groupby(["measure", "seed"])["difference"].mean().reset_index()
    wide = wide.pivot_table(index="measure", columns="seed", values="difference")
    return {str(measure): row.to_numpy(float) for measure, row in wide.iterrows()}


def _cost(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    found = slopes(runs).sort_values("seed")
    return {method: found[found["method"] == method]["last_slope"].to_numpy(float) for method in ("gp", "dngo")}
