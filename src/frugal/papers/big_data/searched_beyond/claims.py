"""What document 003 says, in section 4, about searches with its methods together, as quantities of the runs.

It has no numbers: every statement is a direction, below 0 if so. A speed-up is read as what was spent until the
combination and the part were both as good as the worse of their two ends (`paths.to_same`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.papers.big_data.searched_beyond.paths import with_spent
from frugal.papers.big_data.searched_beyond.summaries import paired
from frugal.papers.verdicts import Arrays, Claim, check_claimed

FLOOR: Final = 10
"""Seeds under which no verdict is given."""
ROWS: Final = {"growing_termination": 10_000, "reduced_search": 4_096, "terminating_fabolas": 4_096}
"""Training rows under which none is given either."""
TRIALS: Final = 15
"""Trials of a search, likewise."""


def _mean(name: str) -> Callable[[Arrays], float]:
    return lambda arrays: float(arrays[name].mean()) if arrays[name].size else math.nan


_EXTRAPOLATION = (
    "The learning curve extrapolation method described in Section 2.2 requires a learner using gradient descent."
    " It can thus be combined with the subsample size selection method described in Section 3.2"
)
_SPEEDUPS = "various combinations of them are possible to get further speedups"
_FABOLAS = (
    "Since Fabolas is a hyperparameter optimizer that does not make assumptions about the learner, it can be"
    " combined trivially with any of the training optimization approaches presented in Section 3"
)
_GUIDE = (
    "Learning curve extrapolation could additionally be combined with Fabolas to guide the hyperparameter search"
)
_KERNEL = "This would however require changing the covariance kernel of the cost model c"
_PAIRS: Final = {
    "growing_termination": (
        ("dynamic_terminated", "dynamic", "log10_rows_to_same"),
        ("dynamic_terminated", "batch_terminated", "log10_rows_to_same"),
        ("dynamic_terminated", "dynamic", "log10_seconds_to_same"),
        ("dynamic_terminated", "batch_terminated", "log10_seconds_to_same"),
    ),
    "reduced_search": (
        ("fabolas_wkm", "fabolas_svm", "log10_seconds_to_same"),
        ("fabolas_wkm", "ei_wkm", "log10_seconds_to_same"),
    ),
    "terminating_fabolas": (
        ("fabolas_horizon", "fabolas", "log10_rows_to_same"),
        ("fabolas_horizon", "fabolas", "log10_seconds_to_same"),
        ("fabolas_horizon", "random_terminated", "log10_rows_to_same"),
        ("fabolas_joint", "fabolas", "log10_rows_to_same"),
        ("fabolas_joint", "fabolas_spent", "log10_rows_to_same"),
    ),
}
"""Method, part and measure of each claim."""
_WORDS: Final = {
    "growing_termination": (
        f"{_EXTRAPOLATION} (log10 of the rows accessed until the same validation error, over those of growing"
        " samples alone, below 0 if so)",
        f"{_EXTRAPOLATION} (the same over those of termination alone, on all rows in every step, below 0 if so)",
        f"{_SPEEDUPS} (termination with growing samples: log10 of the seconds, checks included, until the same"
        " validation error, over those of growing samples alone, below 0 if so)",
        f"{_SPEEDUPS} (the same over those of termination alone, below 0 if so)",
    ),
    "reduced_search": (
        f"{_FABOLAS} (Fabolas over WKM-SVM: log10 of the seconds, optimiser included, until the same test error,"
        " over those of Fabolas over the plain SVM, below 0 if so)",
        f"{_SPEEDUPS} (Fabolas over WKM-SVM: the same over those of expected improvement over WKM-SVM, below 0 if"
        " so)",
    ),
    "terminating_fabolas": (
        f"{_GUIDE} (the cost model told of costs to the end: log10 of the rows times epochs until the same test"
        " error, over those of Fabolas alone, below 0 if so)",
        f"{_GUIDE} (the same in seconds, checks and optimiser included, below 0 if so)",
        f"{_GUIDE} (the same in rows times epochs, over those of random search with termination, below 0 if so)",
        f"{_KERNEL} ... merge the two Gaussian processes c and f into a single cost-loss model (log10 of the rows"
        " times epochs until the same test error, over those of Fabolas alone, below 0 if so)",
        f"{_KERNEL} (the same over those of two models and the costs spent, below 0 if so)",
    ),
}
CLAIMS: dict[str, tuple[Claim, ...]] = {
    experiment: tuple(
        Claim(text, math.nan, _mean("/".join(pair))) for text, pair in zip(_WORDS[experiment], pairs, strict=True)
    )
    for experiment, pairs in _PAIRS.items()
}
CLAIMS["terminating_fabolas"] += (
    Claim(
        "probes at suboptimal positions are likely to be terminated early, making them less costly (share of"
        " trials that were stopped, of Fabolas told the costs spent: in the better half of candidates less that in"
        " the worse half, below 0 if so)",
        math.nan,
        _mean("stopped"),
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
    """What each claim is about, by `method/part/measure`, (n_seeds,); empty where one of the two was not run.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    seeds, spent = sorted(runs["seed"].unique()), with_spent(runs)
    found: dict[str, NDArray[np.float64]] = {}
    for method, part, measure in _PAIRS[experiment]:
        values = paired(spent, method, part, experiment)[measure]
        by_seed = values.reindex(seeds).to_numpy(float) if len(values) else np.empty((0, len(seeds)))
        found[f"{method}/{part}/{measure}"] = np.asarray(by_seed)
    if experiment == "terminating_fabolas":
        found |= _proposals(runs, seeds)
    return found


def _proposals(runs: pd.DataFrame, seeds: list[int]) -> dict[str, NDArray[np.float64]]:
    """What was stopped and proposed among better and worse candidates, by seed; no proposal there counts as 0."""
    made = runs[runs["poor"].notna()]
    share = made.pivot_table("poor", "seed", "method").reindex(seeds)
    share = share.reindex(columns=list(dict.fromkeys(runs["method"])))
    naive = made[made["method"] == "fabolas_spent"].assign(stopped=lambda rows: rows["stopped"].astype(float))
    stopped = naive.pivot_table("stopped", "seed", "poor").reindex(index=seeds, columns=[0.0, 1.0]).fillna(0.0)
    empty: NDArray[np.float64] = np.empty((0, len(seeds)))

    def less(method: str) -> NDArray[np.float64]:
        if method not in share or "fabolas_spent" not in share:
            return empty
        return (share[method] - share["fabolas_spent"]).to_numpy(float)

    apart: NDArray[np.float64] = (stopped[0.0] - stopped[1.0]).to_numpy(float)
    return {
        "stopped": apart if len(naive) else empty,
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
