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

from frugal.papers.big_data.searched_beyond.summaries import paired
from frugal.papers.verdicts import Arrays, Claim, check_claimed

FLOOR: Final = 10
"""Seeds under which no verdict is given."""
ROWS: Final = {"growing_termination": 10_000, "reduced_search": 4_096}
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
_PAIRS: Final = {
    "growing_termination": (
        ("dynamic_terminated", "dynamic", "log10_rows_to_same"),
        ("dynamic_terminated", "batch_terminated", "log10_rows_to_same"),
        ("dynamic_terminated", "dynamic", "log10_seconds_to_same"),
        ("dynamic_terminated", "batch_terminated", "log10_seconds_to_same"),
        ("dynamic_terminated", "dynamic", "test_error_less"),
    ),
    "reduced_search": (
        ("fabolas_wkm", "fabolas_svm", "log10_seconds_to_same"),
        ("fabolas_wkm", "ei_wkm", "log10_seconds_to_same"),
        ("fabolas_wkm", "fabolas_svm", "log10_rows_to_same"),
        ("fabolas_wkm", "fabolas_svm", "test_error_less"),
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
        f"{_EXTRAPOLATION} (test error at the end less that of growing samples alone, below 0 if better)",
    ),
    "reduced_search": (
        f"{_FABOLAS} (Fabolas over WKM-SVM: log10 of the seconds, optimiser included, until the same test error,"
        " over those of Fabolas over the plain SVM, below 0 if so)",
        f"{_SPEEDUPS} (Fabolas over WKM-SVM: the same over those of expected improvement over WKM-SVM, below 0 if"
        " so)",
        f"{_FABOLAS} (Fabolas over WKM-SVM: log10 of the rows touched until the same test error, over those of"
        " Fabolas over the plain SVM, below 0 if so)",
        f"{_FABOLAS} (Fabolas over WKM-SVM: test error at the end less that of Fabolas over the plain SVM, below 0"
        " if better)",
    ),
}
CLAIMS: dict[str, tuple[Claim, ...]] = {
    experiment: tuple(
        Claim(text, math.nan, _mean("/".join(pair))) for text, pair in zip(_WORDS[experiment], pairs, strict=True)
    )
    for experiment, pairs in _PAIRS.items()
}


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What each claim is about, by `method/part/measure`, (n_seeds,); empty where one of the two was not run.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    seeds = sorted(runs["seed"].unique())
    found = {}
    for method, part, measure in _PAIRS[experiment]:
        values = paired(runs, method, part, experiment)[measure]
        empty = np.empty((0, len(seeds)))
        found[f"{method}/{part}/{measure}"] = values.reindex(seeds).to_numpy(float) if len(values) else empty
    return found


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether there are `FLOOR` seeds, `ROWS` to train on, and `TRIALS` of every search.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    shortest = runs.groupby(["method", "seed"]).size().min()
    enough = runs["seed"].nunique() >= FLOOR and runs["n_train"].min() >= ROWS[experiment]
    return bool(enough and shortest >= TRIALS)
