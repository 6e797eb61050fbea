"""What document 003 says of k-means SVMs in section 3.4, quoted, as functions of our runs.

Fixed before any run was looked at, but for what a review changed later: "identical" and "similar" had their
tolerance added to our interval, where noise helps, and the spread of seconds was not there. Methods are paired by
split: the same rows, folds and, for KM-SVM and WKM-SVM, the same clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.kmeans_svm import ripley
from studies.tidy import is_stand_in
from studies.verdicts import Arrays, Claim

FLOOR: Final = 10
"""Repetitions under which no number is published and no verdict given."""
RATIOS: Final = (1.0, 3.0, 5.0, 10.0)
"""The document's compressions; claims are on these, whatever else was run."""
PIMA: Final = "pima2"
"""The document's data set; read only for a user who asks for it."""
OURS: Final = ("wdbc", "ripley")
METHODS: Final = ("svm_km", "km_svm", "wkm_svm")
MEASURES: Final = ("test_error", "train_seconds", "n_support", "n_reduced", "n_train")
RARE: Final = 0.05
"""What happens in fewer data sets than this is an exception."""
IDENTICAL: Final = math.log(1.1)
"""Training times whose ratio's logarithm is nearer to 0 are roughly identical."""
SIMILAR: Final = 0.01
"""Test errors that differ by less are similar."""


def _get(arrays: Arrays, dataset: str, method: str, measure: str) -> NDArray[np.float64]:
    """Shape (n_ratios, n_seeds), in the order of `RATIOS`; nan where that was not run."""
    if dataset not in arrays:
        return np.full((len(RATIOS), 1), np.nan)
    found: NDArray[np.float64] = arrays[dataset][MEASURES.index(measure), METHODS.index(method)]
    return found


def _compressed(arrays: Arrays, dataset: str, method: str, measure: str) -> NDArray[np.float64]:
    """Means over the seeds for every R above 1, shape (n_ratios - 1,)."""
    return np.asarray(_get(arrays, dataset, method, measure)[1:].mean(axis=-1))


def _worst_gain(dataset: str, arrays: Arrays) -> float:
    wkm, km = (_compressed(arrays, dataset, method, "test_error") for method in ("wkm_svm", "km_svm"))
    return float((wkm - km).max())


def _beyond_identical(dataset: str, arrays: Arrays) -> float:
    wkm, km = (_compressed(arrays, dataset, method, "train_seconds") for method in ("wkm_svm", "km_svm"))
    return abs(float(np.log(wkm / km).mean())) - IDENTICAL


def _beyond_similar(dataset: str, arrays: Arrays) -> float:
    error = _get(arrays, dataset, "svm_km", "test_error").mean(axis=-1)
    return abs(float(error[1:].mean() - error[0])) - SIMILAR


def _spread(dataset: str, measure: str, arrays: Arrays) -> float:
    km, svm_km = (_get(arrays, dataset, method, measure)[1:] for method in ("km_svm", "svm_km"))
    return float((km.std(axis=-1) / km.mean(axis=-1) - svm_km.std(axis=-1) / svm_km.mean(axis=-1)).mean())


def _spread_over_datasets(arrays: Arrays) -> float:
    ranges = []
    for method in ("km_svm", "svm_km"):
        left, of = (
            np.array([_compressed(arrays, dataset, method, measure) for dataset in OURS])
            for measure in ("n_reduced", "n_train")
        )
        shares = left / of
        ranges.append(float((shares.max(axis=0) - shares.min(axis=0)).mean()))
    return ranges[0] - ranges[1]


def _mean_at(method: str, ratio: float, measure: str, arrays: Arrays) -> float:
    return float(_get(arrays, PIMA, method, measure)[RATIOS.index(ratio)].mean())


def _speed_up(arrays: Arrays) -> float:
    return _mean_at("km_svm", 1.0, "train_seconds", arrays) / _mean_at("km_svm", 10.0, "train_seconds", arrays)


def _rarer_than_an_exception(arrays: Arrays) -> float:
    pictured = ripley.pictured_angle_deg("km_svm")
    return RARE - float(np.mean(arrays["km_svm"] >= pictured))


BOUNDARIES: Final = (
    Claim(
        "Figure 11a shows that this can cause KM-SVM to deviate significantly from the full dataset SVM (0.05 "
        "less the share of simulated data sets in which the lines' angle is at least the picture's 12 degrees, "
        "below 0 if so)",
        math.nan,
        _rarer_than_an_exception,
        bounds=(RARE - 1.0, RARE),
    ),
    Claim(
        "Figure 11b shows how this improves the quality of the decision boundary (angle to the full SVM's line in "
        "degrees, WKM-SVM's less KM-SVM's, below 0 if so)",
        math.nan,
        lambda arrays: float((arrays["wkm_svm"] - arrays["km_svm"]).mean()),
    ),
)


def _on(dataset: str) -> tuple[Claim, ...]:
    """What is said of every data set."""
    return (
        Claim(
            f"WKM-SVM consistently performs better than KM-SVM (on {dataset}: mean test error, WKM-SVM's less "
            "KM-SVM's, the largest over R = 3, 5, 10, below 0 if so)",
            math.nan,
            partial(_worst_gain, dataset),
        ),
        Claim(
            f"... with a roughly identical training time (on {dataset}: absolute logarithm of WKM-SVM's over "
            "KM-SVM's with tuning, geometric mean over R = 3, 5, 10, less log 1.1, below 0 if so)",
            math.nan,
            partial(_beyond_identical, dataset),
            bounds=(-IDENTICAL, math.inf),
        ),
    )


def _pima(text: str, published: float, statistic: Callable[[Arrays], float], rounding: float) -> Claim:
    return Claim(f"Figure 12, {PIMA}: {text}", published, statistic, rounding)


ON_PIMA: Final = (
    *_on(PIMA),
    _pima("test error of the full SVM", 0.233, partial(_mean_at, "km_svm", 1.0, "test_error"), 0.001),
    _pima("test error of KM-SVM at R = 10", 0.282, partial(_mean_at, "km_svm", 10.0, "test_error"), 0.001),
    _pima("test error of WKM-SVM at R = 10", 0.251, partial(_mean_at, "wkm_svm", 10.0, "test_error"), 0.001),
    _pima("support vectors of the full SVM", 183.5, partial(_mean_at, "km_svm", 1.0, "n_support"), 0.1),
    _pima("training time of the full SVM, 1214.6 s, over that of KM-SVM at R = 10, 21.3 s", 57.0, _speed_up, 1.0),
)
"""What only the document's own data can show."""

COMPRESSION: Final = (
    *(claim for dataset in OURS for claim in _on(dataset)),
    *(
        Claim(
            f"This approach [SVM-KM] performs similarly to SVM training on the full dataset (on {dataset}: "
            "absolute difference between its mean test error over R = 3, 5, 10 and the full SVM's, less 0.01, "
            "below 0 if so)",
            math.nan,
            partial(_beyond_similar, dataset),
            bounds=(-SIMILAR, math.inf),
        )
        for dataset in OURS
    ),
    *(
        Claim(
            f"This method [KM-SVM] has more predictable time and memory requirements (on {dataset}: spread of "
            f"{what} over splits by their mean, mean over R = 3, 5, 10, KM-SVM's less SVM-KM's, below 0 if so)",
            math.nan,
            partial(_spread, dataset, measure),
        )
        for measure, what in (
            ("n_reduced", "the rows left, which KM-SVM fixes (by construction),"),
            ("train_seconds", "the seconds of training with tuning"),
        )
        for dataset in OURS
    ),
    Claim(
        "the effective speedup and memory requirements [of SVM-KM] may vary greatly depending on the dataset "
        "(difference between wdbc and ripley in the share of rows left, mean over R = 3, 5, 10, KM-SVM's, "
        "which is about 1 / R on both (by construction), less SVM-KM's, below 0 if so)",
        math.nan,
        _spread_over_datasets,
    ),
    *ON_PIMA,
)

CLAIMS: Final[Mapping[str, tuple[Claim, ...]]] = {"boundaries": BOUNDARIES, "compression": COMPRESSION}
"""Experiment -> what is said of it."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Measured values of an experiment, the seeds on the last axis.

    Args:
        experiment: one of `CLAIMS`.
        runs: its rows, all methods.

    Returns:
        Of `boundaries`: angle_deg by method, (n_seeds,). Of `compression`: by data set, those of `MEASURES` of
        `METHODS` at `RATIOS`, (n_measures, n_methods, n_ratios, n_seeds), nan where that was not run; a stand-in
        is not the data set.
    """
    if experiment == "boundaries":
        wide = runs.pivot_table("angle_deg", index="method", columns="seed", dropna=False)
        return {str(method): row.to_numpy(float) for method, row in wide.iterrows()}
    real = runs[~runs["data"].map(is_stand_in)]
    axes = [METHODS, RATIOS, sorted(runs["seed"].unique())]
    every = pd.MultiIndex.from_product(axes, names=["method", "compression", "seed"])
    shape = (len(MEASURES), *map(len, axes))
    return {
        str(dataset): part.set_index(every.names).reindex(every)[list(MEASURES)].to_numpy(float).T.reshape(shape)
        for dataset, part in real.groupby("dataset")
    }


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether there are enough seeds, of the document's sizes."""
    if runs["seed"].nunique() < FLOOR:
        return False
    if experiment == "boundaries":
        return bool(
            (runs["n_rows"] >= 2 * ripley.N_PER_CLASS).all() and ripley.COMPRESSION in set(runs["compression"])
        )
    return set(RATIOS) <= set(runs["compression"])


def not_testable(experiment: str, runs: pd.DataFrame) -> tuple[str, ...]:
    """Texts of the claims whose data were out of reach: those on `PIMA`, unless its own rows were run."""
    if experiment != "compression":
        return ()
    own = runs[(runs["dataset"] == PIMA) & ~runs["data"].map(is_stand_in)]
    return () if len(own) else tuple(claim.text for claim in ON_PIMA)
