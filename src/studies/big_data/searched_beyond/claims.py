"""What document 003 says, in section 4, about searches with its methods together, as quantities of the runs.

It has no numbers: every statement is a direction, below 0 if so. A speed-up is read as what was spent until the
combination and the part were both as good as the worse of their two ends (`paths.to_same`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.searched_beyond.paths import with_spent
from studies.big_data.searched_beyond.summaries import QUALITY, paired
from studies.verdicts import Arrays, Claim, check_claimed

FLOOR: Final = 10
"""Seeds under which no verdict is given."""
ROWS: Final = {"growing_termination": 10_000, "reduced_search": 4_096, "terminating_fabolas": 4_096}
"""Training rows under which none is given either."""
TRIALS: Final = 15
"""Trials of a search, likewise."""


def _mean(name: str) -> Callable[[Arrays], float]:
    return lambda arrays: float(arrays[name].mean()) if arrays[name].size else math.nan


_SPEEDS: Final[Mapping[str, tuple[tuple[str, str, str], ...]]] = {
    "growing_termination": (
        ("dynamic_terminated", "dynamic", "rows"),
        ("dynamic_terminated", "batch_terminated", "rows"),
        ("dynamic_terminated", "dynamic", "seconds"),
        ("dynamic_terminated", "batch_terminated", "seconds"),
    ),
    "reduced_search": (("fabolas_wkm", "fabolas_svm", "seconds"), ("fabolas_wkm", "ei_wkm", "seconds")),
    "terminating_fabolas": (
        ("fabolas_horizon", "fabolas", "rows"),
        ("fabolas_horizon", "fabolas", "seconds"),
        ("fabolas_horizon", "random_terminated", "rows"),
        ("fabolas_joint", "fabolas", "rows"),
    ),
}
"""Combination, part and currency of each speed. That a combination "can" be made, or would need another kernel,
promises none: what came of these is in the tables."""
_WORDS: Final = {
    "dynamic_terminated": "termination with growing samples",
    "dynamic": "growing samples alone",
    "batch_terminated": "termination alone, on all rows in every step",
    "fabolas_wkm": "Fabolas over WKM-SVM",
    "fabolas_svm": "Fabolas over the plain SVM",
    "ei_wkm": "expected improvement over WKM-SVM",
    "fabolas_horizon": "termination inside Fabolas, told of costs to the end",
    "fabolas_joint": "termination inside Fabolas, one model of cost and loss, with one noise",
    "fabolas": "Fabolas alone",
    "random_terminated": "random search with termination",
}
_SPENT: Final = {
    "growing_termination": {"rows": "rows accessed", "seconds": "seconds, checks included,"},
    "reduced_search": {"seconds": "seconds, optimiser included,"},
    "terminating_fabolas": {"rows": "rows times epochs", "seconds": "seconds, checks and optimiser included,"},
}


def _speed(experiment: str, method: str, part: str, currency: str) -> Claim:
    error = "validation" if QUALITY[experiment] == "best_error" else "test"
    text = (
        "various combinations of them are possible to get further speedups"
        f" ({_WORDS[method]}: log10 of the {_SPENT[experiment][currency]} until the same {error} error,"
        f" over those of {_WORDS[part]}, below 0 if so)"
    )
    return Claim(text, math.nan, _mean(f"{method}/{part}/{currency}"))


def _share_apart(arrays: Arrays) -> float:
    """Share of trials stopped in the better half less that in the worse, each of the trials of all seeds together.

    Seeds make few proposals, and some none at all in one half, where they have no share of their own.
    """
    n_better, better, n_worse, worse = arrays["stopped"].sum(axis=1)
    return float(better / n_better - worse / n_worse) if n_better and n_worse else math.nan


CLAIMS: dict[str, tuple[Claim, ...]] = {
    experiment: tuple(_speed(experiment, *speed) for speed in speeds) for experiment, speeds in _SPEEDS.items()
}
CLAIMS["terminating_fabolas"] += (
    Claim(
        "probes at suboptimal positions are likely to be terminated early, making them less costly (share of"
        " trials that were stopped, of Fabolas told the costs spent, all seeds together: in the better half of"
        " candidates less that in the worse half, below 0 if so)",
        math.nan,
        _share_apart,
        bounds=(-1.0, 1.0),
    ),
    Claim(
        "... and thus more attractive for the acquisition function (share of proposals in the worse half of"
        " candidates: of Fabolas without termination less that of Fabolas told the costs spent, below 0 if so)",
        math.nan,
        _mean("poor_alone"),
    ),
    Claim(
        "... and thus more attractive for the acquisition function (the same of Fabolas told the costs to the end"
        " less that of Fabolas told the costs spent, below 0 if so)",
        math.nan,
        _mean("poor_horizon"),
    ),
)


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What each claim is about, by `method/part/currency`, (n_seeds,); empty where one of the two was not run.

    And stopped, (4, n_seeds): proposals in the better half, how many of these were stopped, the same of the worse
    half; poor_alone and poor_horizon, (n_seeds,).

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    seeds, spent = sorted(runs["seed"].unique()), with_spent(runs)
    found: dict[str, NDArray[np.float64]] = {}
    for method, part, currency in _SPEEDS[experiment]:
        values = paired(spent, method, part, experiment)[f"log10_{currency}_to_same"]
        by_seed = values.reindex(seeds).to_numpy(float) if len(values) else np.empty((0, len(seeds)))
        found[f"{method}/{part}/{currency}"] = np.asarray(by_seed)
    if experiment == "terminating_fabolas":
        found |= _proposals(runs, seeds)
    return found


def _proposals(runs: pd.DataFrame, seeds: list[int]) -> dict[str, NDArray[np.float64]]:
    """What was stopped and proposed among better and worse candidates, by seed."""
    made = runs[runs["poor"].notna()]
    share = made.pivot_table("poor", "seed", "method").reindex(seeds)
    share = share.reindex(columns=list(dict.fromkeys(runs["method"])))
    naive = made[made["method"] == "fabolas_spent"]
    counts = [
        half.groupby("seed")["stopped"].agg(["size", "sum"]).reindex(seeds, fill_value=0).to_numpy(float).T
        for half in (naive[naive["poor"] == 0], naive[naive["poor"] == 1])
    ]
    empty: NDArray[np.float64] = np.empty((0, len(seeds)))

    def less(method: str) -> NDArray[np.float64]:
        if method not in share or "fabolas_spent" not in share:
            return empty
        return (share[method] - share["fabolas_spent"]).to_numpy(float)

    return {
        "stopped": np.vstack(counts),
        "poor_alone": less("fabolas"),
        "poor_horizon": less("fabolas_horizon"),
    }


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether there are `FLOOR` seeds, `ROWS` to train on, and `TRIALS` of every search.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    shortest = runs.groupby(["method", "seed"]).size().min()
    enough = runs["seed"].nunique() >= FLOOR and runs["n_train"].min() >= ROWS[experiment]
    return bool(enough and shortest >= TRIALS)
