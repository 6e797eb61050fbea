"""Every method of the rows family on real data, trained on a fraction of the rows, with what it read.

On data of two classes: what draws a subsample for logistic regression, the bootstraps' averaged coefficients, the
dynamic fit, and the k-means SVMs. On data of more: the dynamic fit, a uniform subsample, and the k-means SVMs,
which scikit-learn takes one against one; the others are defined for two classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import log_softmax

from frugal.rows import (
    KMSVM,
    SVMKM,
    WKMSVM,
    b_of_n,
    blb,
    fit_dynamic_sample,
    fit_logistic,
    fit_subsample,
    interval_widths,
)
from frugal.rows.bags import NoFitError
from frugal.rows.reduced_svm import ReducedSVM
from frugal.rows.sampling import WITHOUT_PILOT
from frugal.rows.weighted_logistic import FitError
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.fractions import MEASURES
from studies.big_data.splits import N_INIT, RIDGE, TOL, Ints, Split, batch_fit, split, timed
from studies.estimates import Array

REFERENCES: Final = {"full_logistic": "logistic", "full_svm": "svm"}
"""Method that trains on all rows -> kind of its model."""
TWO_CLASSES: Final = ("uniform", "cc", "lcc", "osmac_mvc", "osmac_mmse", "blb", "b_of_n")
"""Methods of logistic regression that are defined for two classes; `uniform` has a multinomial reading."""
SVMS: Final = {"km_svm": KMSVM, "wkm_svm": WKMSVM, "svm_km": SVMKM, "uniform_svm": WKMSVM}

Row = dict[str, Any]


def measure(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> list[Row]:
    """Rows of one method from one seed, on one thread: one per dataset that it applies to, and per fraction."""
    with one_thread():
        return list(_rows(method, seed, settings, root))


def _rows(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> Iterator[Row]:
    is_svm = method in SVMS or REFERENCES.get(method) == "svm"
    for name in settings["datasets"]:
        limit = settings["svm_rows"] if is_svm else settings["n_train"]
        data = split(name, seed, root=root, n_train=limit, n_components=settings["n_components"])
        n_classes = int(data.y.max()) + 1
        if method in TWO_CLASSES and method != "uniform" and n_classes > 2:
            continue
        if not is_svm:
            data = data._replace(X=_with_ones(data.X), X_test=_with_ones(data.X_test))
        fractions = [1.0] if method in REFERENCES else settings["passes" if method == "dynamic" else "fractions"]
        for fraction in fractions:
            rng = rng_for("big_data", "fractions", name, method, f"{fraction:g}", seed)
            make = maker(method, is_svm=is_svm, n_classes=n_classes)
            row = {"dataset": name, "data": data.data, "n_rows": len(data.y), "fraction": fraction}
            yield (
                row | {"family": "svm" if is_svm else "logistic"} | _measured(make, data, fraction, settings, rng)
            )


def _measured(
    make: Maker, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Row:
    """Accuracy, log-loss and cost; a fit that fails is a row with its reason."""
    try:
        model, seconds = timed(partial(make, data, fraction, settings, rng))
    except (FitError, NoFitError) as error:
        return dict.fromkeys(MEASURES, math.nan) | {"reason": str(error)}
    scores, predict_seconds = timed(model.predict)
    each = np.arange(len(data.y_test))
    values = (
        model.rows / len(data.y),
        model.rows_touched,
        model.rows_accessed(),
        float((scores.argmax(axis=1) == data.y_test).mean()),
        -float(scores[each, data.y_test].mean()) if model.has_probabilities else math.nan,
        seconds,
        predict_seconds,
        model.share_uniform,
        model.n_failed,
    )
    return dict(zip(MEASURES, values, strict=True)) | {"reason": ""}


def _with_ones(X: Array) -> Array:
    return np.column_stack([X, np.ones(len(X))])


class Model(NamedTuple):
    """What a fit gives.

    Attributes:
        predict: scores of the test rows, shape (n_test, n_classes): log-probabilities; for an SVM 1 for the
            predicted class and 0 for the others.
        rows: fitted to.
        rows_touched: distinct ones per fit, summed over fits, and what was drawn or scored for a pilot.
        rows_accessed: a function that counts the rows read, each as often as it was read; it is called after the
            clock has stopped. `dynamic` and batch fits count their own rows. The other logistic fits count the
            passes of a batch fit on such rows, times their rows: for a bag the distinct rows of each fit, for a
            subsample all drawn rows, those of the pilots included. Each scored row counts once. For SVMs see
            `_svm`.
        share_uniform: 1 where failed pilots left uniform draws, 0 where not, nan without pilots.
        n_failed: fits within a bag that failed; nan without a bag.
        has_probabilities: whether `predict` gives log-probabilities.
    """

    predict: Callable[[], Array]
    rows: int
    rows_touched: float
    rows_accessed: Callable[[], float]
    share_uniform: float = math.nan
    n_failed: float = math.nan
    has_probabilities: bool = True


Maker = Callable[[Split, float, Mapping[str, Any], np.random.Generator], Model]


def maker(method: str, *, is_svm: bool, n_classes: int) -> Maker:
    """What trains a model by a method of the study: `make(data, fraction, settings, rng)`."""
    if is_svm:
        return partial(_svm, method)
    if method == "dynamic":
        return _dynamic
    if method == "full_logistic" or n_classes > 2:
        return partial(_batch, method)
    return partial(_bag if method in ("blb", "b_of_n") else _subsample, method)


def _binary(data: Split, coef: Array) -> Array:
    log_odds = data.X_test @ coef
    return np.asarray(-np.logaddexp(0.0, np.column_stack([log_odds, -log_odds])))


def _passes(X: Array, y: Ints) -> float:
    """Times that a batch fit reads each of these rows: the unit of cost of all logistic fits."""
    rng = np.random.default_rng(0)  # of the Hessian's rows
    return batch_fit(X, y, rng=rng, ridge=2.0 * RIDGE, classes=[0, 1]).n_points / len(y)


def _subsample(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """A draw of the fraction, its pilot included."""
    size = round(fraction * len(data.y))
    pilot_size = max(1, round(settings["pilot_share"] * size))
    drawn = {"pilot_size": pilot_size, "size": size - pilot_size}
    fit = fit_subsample(data.X, data.y, method=method, rng=rng, **drawn)
    pilots = fit.n_drawn - (size if fit.drawn_by in WITHOUT_PILOT else size - pilot_size)

    def accessed() -> float:
        passes = _passes(data.X[fit.rows], data.y[fit.rows])
        return passes * (pilots + len(fit.rows)) + fit.n_scored

    share = math.nan if method in WITHOUT_PILOT else float(fit.drawn_by != method)
    return Model(partial(_binary, data, fit.coef), fit.n_drawn, fit.rows_touched, accessed, share)


def _bag(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """The averaged coefficients of s subsamples, which together have the fraction of the rows."""
    n, s = len(data.y), settings["s"]
    b = max(2, round(fraction * n / s))
    shared = {"b": b, "fit": partial(fit_logistic, ridge=RIDGE), "statistic": interval_widths, "rng": rng}
    if method == "blb":
        bag = blb(data.X, data.y, s=s, r=settings["r"], **shared)
    else:
        bag = b_of_n(data.X, data.y, r=s, **shared)

    def accessed() -> float:
        rows = rng.choice(n, b, replace=method != "blb")  # one such resample
        rows = rows[rng.integers(b, size=n)] if method == "blb" else rows
        return _passes(data.X[rows], data.y[rows]) * bag.rows_touched

    return Model(partial(_binary, data, bag.coef), s * b, bag.rows_touched, accessed, n_failed=bag.n_failed)


def _dynamic(data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator) -> Model:
    """A fit on samples that grow, until it has accessed the fraction of the rows."""
    n, d = data.X.shape
    most = {"max_points": max(1, round(fraction * n)), "initial_size": min(n, max(n // 100, 10 * d))}
    fit = fit_dynamic_sample(
        data.X, data.y, theta=settings["theta"], ridge=RIDGE, tol=TOL, rng=rng, **_classes(data), **most
    )
    touched = n * (1.0 - np.prod(1.0 - fit.trace.size / n))  # expected, of samples drawn anew at each step
    return Model(partial(_multinomial, data, fit.coef), fit.n_points, float(touched), lambda: fit.n_points)


def _batch(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """Newton-CG with every row of a uniform subsample, or of all, in every step."""
    size = round(fraction * len(data.y))
    rows = rng.choice(len(data.y), size, replace=False)
    fit = batch_fit(data.X[rows], data.y[rows], rng=rng, ridge=RIDGE, **_classes(data))
    return Model(partial(_multinomial, data, fit.coef), size, size, lambda: fit.n_points)


def _multinomial(data: Split, coef: Array) -> Array:
    return np.asarray(log_softmax(data.X_test @ coef, axis=1))


def _classes(data: Split) -> dict[str, Any]:
    return {"classes": np.arange(int(data.y.max()) + 1)}


def _svm(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """An SVM trained on about the fraction of the rows: on centres, or on rows drawn at random.

    Accessed are the rows clustered and what is then handed to the SVM, once each: neither k-means nor SVC tells
    how often it reads them.
    """
    n = len(data.y)
    rows = rng.choice(n, round(fraction * n), replace=False) if method == "uniform_svm" else np.arange(n)
    compression = 1.0 / fraction if method in ("km_svm", "wkm_svm", "svm_km") else 1.0
    svm = SVMS.get(method, WKMSVM)(
        compression, C=settings["C"], n_init=N_INIT, random_state=int(rng.integers(2**31))
    )
    svm.fit(data.X[rows], data.y[rows])
    left = len(svm.reduced_.X)
    accessed = left if compression == 1 else len(rows) + left
    return Model(partial(_chosen, data, svm), left, len(rows), lambda: accessed, has_probabilities=False)


def _chosen(data: Split, svm: ReducedSVM) -> Array:
    """1 for the predicted class."""
    scores = np.zeros((len(data.y_test), int(data.y.max()) + 1))
    scores[np.arange(len(scores)), svm.predict(data.X_test)] = 1.0
    return scores
