"""What document 003 says of k-means SVMs in section 3.4, quoted, as functions of our runs.

Fixed before any run was looked at, but for what reviews changed later: the spread of seconds was not there, and
what varies "greatly" was compared with KM-SVM. Methods are paired by split: the same rows, folds and, for KM-SVM
and WKM-SVM, the same clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from studies.big_data.kmeans_svm import ripley
from studies.cells import every, some
from studies.estimates import Arrays, Estimate, mean, ratio, resampled, share
from studies.records import Claim
from studies.regions import Region, above, between, much, near, near_ratio
from studies.tidy import is_stand_in

FLOOR: Final = 10
"""Repetitions under which no number is published and no verdict given."""
RATIOS: Final = (1.0, 3.0, 5.0, 10.0)
"""The document's compressions; claims are on these, whatever else was run."""
PIMA: Final = "pima2"
"""The document's data set; read only for a user who asks for it."""
OURS: Final = ("wdbc", "ripley")
METHODS: Final = ("svm_km", "km_svm", "wkm_svm")
MEASURES: Final = ("test_error", "train_seconds", "n_support", "n_reduced", "n_train")
SIMILAR: Final = 1.0
"""Points by which similar test errors differ at most, about twice the standard errors of Figure 12's points."""

Measure = Callable[[Arrays, Generator], Estimate]


def _get(arrays: Arrays, dataset: str, method: str, measure: str) -> NDArray[np.float64]:
    """Shape (n_ratios, n_seeds), in the order of `RATIOS`; nan where that was not run."""
    if dataset not in arrays:
        return np.full((len(RATIOS), 1), np.nan)
    found: NDArray[np.float64] = arrays[dataset][MEASURES.index(measure), METHODS.index(method)]
    return found


def _better(arrays: Arrays, rng: Generator, *, dataset: str) -> Estimate:
    km, wkm = (_get(arrays, dataset, method, "test_error")[1:] for method in ("km_svm", "wkm_svm"))
    return every(100 * (km - wkm), above(0), noun="compressions")


def _time(arrays: Arrays, rng: Generator, *, dataset: str) -> Estimate:
    """WKM-SVM's seconds over KM-SVM's, geometric mean over R."""
    wkm, km = (_get(arrays, dataset, method, "train_seconds")[1:] for method in ("wkm_svm", "km_svm"))
    return ratio(np.exp(np.log(wkm / km).mean(axis=0)), 1.0)


def _similar(arrays: Arrays, rng: Generator, *, dataset: str) -> Estimate:
    error = 100 * _get(arrays, dataset, "svm_km", "test_error")
    return mean(error[1:].mean(axis=0) - error[0])


def _spread(arrays: Arrays, rng: Generator, *, dataset: str, measure: str) -> Estimate:
    """Standard deviation over splits in % of the mean, mean over R: SVM-KM's less KM-SVM's."""
    svm_km, km = (_get(arrays, dataset, method, measure)[1:] for method in ("svm_km", "km_svm"))

    def statistic(drawn: Arrays) -> float:
        svm_km, km = (drawn[name].std(axis=-1) / drawn[name].mean(axis=-1) for name in ("svm_km", "km"))
        return float(100 * (svm_km - km).mean())

    return resampled(statistic, {"svm_km": svm_km, "km": km}, rng)


def _varies(arrays: Arrays, rng: Generator, *, measure: str, to: str) -> Estimate:
    """SVM-KM's saving on one data set over that on the other, either way, at every R."""
    logs = []
    for dataset in OURS:
        left = _get(arrays, dataset, "svm_km", measure)[1:]
        whole = _get(arrays, dataset, "svm_km", to)
        logs.append(np.log((whole[:1] if measure == to else whole[1:]) / left))
    difference = logs[0] - logs[1]
    return some(np.concatenate([difference, -difference]), much(), is_log=True, noun="pairs of R and a data set")


def _at(
    arrays: Arrays, rng: Generator, *, method: str, compression: float, measure: str, unit: float = 1.0
) -> Estimate:
    return mean(unit * _get(arrays, PIMA, method, measure)[RATIOS.index(compression)])


def _speed_up(arrays: Arrays, rng: Generator) -> Estimate:
    seconds = _get(arrays, PIMA, "km_svm", "train_seconds")
    return ratio(seconds[0], seconds[RATIOS.index(10.0)])


def _share_pictured(arrays: Arrays, rng: Generator) -> Estimate:
    return share(arrays["km_svm"] >= ripley.pictured_angle_deg("km_svm"), unit=100)


def _angles(arrays: Arrays, rng: Generator) -> Estimate:
    """Ratio of mean angles: that of one data set may be 0."""
    return resampled(
        lambda drawn: float(drawn["km_svm"].mean() / drawn["wkm_svm"].mean()), arrays, rng, is_log=True
    )


def _claim(
    name: str, quote: str, quantity: str, unit: str, agrees: Region, measure: Measure, published: float | str = "",
    *, artefact: str = "tables/compression", is_ours: bool = False,
) -> Claim:  # fmt: skip
    return Claim(
        f"big_data.{name}", "3.4", quote, quantity, unit, agrees, measure, published, artefact, is_ours=is_ours
    )


BOUNDARIES: Final = (
    # "Can" is right if there are such data sets at all: one that we draw shows it, and however many without one
    # do not refute it. So the share is compared with 0; `some` asks for a mean over the seeds of a cell.
    _claim(
        "km_svm.deviates",
        "Figure 11a shows that this can cause KM-SVM to deviate significantly from the full dataset SVM.",
        "share of simulated data sets on which KM-SVM's line deviates from the full SVM's by 12 degrees or more, "
        "as in Figure 11a",
        "%",
        above(0),
        _share_pictured,
        artefact="figures/boundary_angles",
    ),
    _claim(
        "wkm_svm.boundary",
        "Figure 11b shows how this improves the quality of the decision boundary.",
        "mean angle to the full SVM's line, KM-SVM over WKM-SVM",
        "times",
        above(1),
        _angles,
        artefact="tables/boundaries",
    ),
)


def _of_figure12(dataset: str) -> tuple[Claim, ...]:
    """What the document says of its Figure 12, whose data are `PIMA`; on other data it is a finding."""
    is_ours = dataset != PIMA
    return (
        _claim(
            f"wkm_svm.better.{dataset}",
            "" if is_ours else "Figure 12 shows that WKM-SVM consistently performs better than KM-SVM",
            f"test error on {dataset}, KM-SVM less WKM-SVM, at every R of 3, 5 and 10",
            "points",
            above(0),
            partial(_better, dataset=dataset),
            artefact="figures/figure12",
            is_ours=is_ours,
        ),
        _claim(
            f"wkm_svm.time.{dataset}",
            "" if is_ours else "with a roughly identical training time",
            f"seconds of training on {dataset}, tuning included, WKM-SVM over KM-SVM, mean over R = 3, 5, 10",
            "times",
            near_ratio(1.0),
            partial(_time, dataset=dataset),
            artefact="figures/figure12",
            is_ours=is_ours,
        ),
    )


def _printed(name: str, text: str, unit: str, agrees: Region, published: float, measure: Measure) -> Claim:
    return _claim(f"figure12.{name}", "", f"{text} on {PIMA}", unit, agrees, measure, published)


ON_PIMA: Final = (
    *_of_figure12(PIMA),
    _printed(
        "full_error", "test error of the full SVM", "%", near(23.3, unit=0.1), 23.3,
        partial(_at, method="km_svm", compression=1.0, measure="test_error", unit=100),
    ),
    _printed(
        "km_svm_error", "test error of KM-SVM at R = 10", "%", near(28.2, unit=0.1), 28.2,
        partial(_at, method="km_svm", compression=10.0, measure="test_error", unit=100),
    ),
    _printed(
        "wkm_svm_error", "test error of WKM-SVM at R = 10", "%", near(25.1, unit=0.1), 25.1,
        partial(_at, method="wkm_svm", compression=10.0, measure="test_error", unit=100),
    ),
    _printed(
        "full_support", "support vectors of the full SVM", "support vectors", near(183.5, unit=0.1), 183.5,
        partial(_at, method="km_svm", compression=1.0, measure="n_support"),
    ),
    _printed(
        "speed_up", "seconds of training, full SVM (printed: 1214.6) over KM-SVM at R = 10 (printed: 21.3)",
        "times", near_ratio(57.0), 57.0, _speed_up,
    ),
)  # fmt: skip
"""What only the document's own data can show."""

COMPRESSION: Final = (
    *(
        _claim(
            f"svm_km.similar.{dataset}",
            "This approach performs similarly to SVM training on the full dataset.",
            f"test error on {dataset}, SVM-KM (mean over R = 3, 5, 10) less the full SVM",
            "points",
            between(-SIMILAR, SIMILAR),
            partial(_similar, dataset=dataset),
        )
        for dataset in OURS
    ),
    _claim(
        "svm_km.memory_varies",
        "the effective speedup and memory requirements may vary greatly depending on the dataset",
        "factor by which SVM-KM reduces the training rows at the same R, on one of wdbc and ripley over the other",
        "times",
        much(),
        partial(_varies, measure="n_reduced", to="n_train"),
    ),
    _claim(
        "svm_km.speed_up_varies",
        "the effective speedup and memory requirements may vary greatly depending on the dataset",
        "factor by which SVM-KM reduces the seconds of training, tuning included, at the same R, on one of wdbc "
        "and ripley over the other",
        "times",
        much(),
        partial(_varies, measure="train_seconds", to="train_seconds"),
    ),
    *(
        _claim(
            f"km_svm.predictable_{name}.{dataset}",
            "This method has more predictable time and memory requirements",
            f"spread of the {what} over splits of {dataset} (standard deviation in % of the mean, average of R = "
            f"3, 5, 10), SVM-KM less KM-SVM{note}",
            "points",
            above(0),
            partial(_spread, dataset=dataset, measure=measure),
        )
        for name, measure, what, note in (
            ("rows", "n_reduced", "rows left", ", which fixes them by construction"),
            ("seconds", "train_seconds", "seconds of training with tuning", ""),
        )
        for dataset in OURS
    ),
    *ON_PIMA,
    *(claim for dataset in OURS for claim in _of_figure12(dataset)),
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
    """Ids of the claims whose data were out of reach: those on `PIMA`, unless its own rows were run."""
    if experiment != "compression":
        return ()
    own = runs[(runs["dataset"] == PIMA) & ~runs["data"].map(is_stand_in)]
    return () if len(own) else tuple(claim.id for claim in ON_PIMA)
