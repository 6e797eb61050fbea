"""Every method of the rows family on real data, trained on a fraction of the rows.

On data of two classes: what draws a subsample for logistic regression, the bootstraps' averaged coefficients, the
dynamic fit, and the k-means SVMs. On data of more: the dynamic fit, a uniform subsample, and the k-means SVMs,
which scikit-learn takes one against one; the others are defined for two classes.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax

from frugal.papers.big_data.beyond.designs import RIDGE, Floats, Split, check_settings, split
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
from frugal.rows.checks import check_choice
from frugal.seeds import rng_for
from frugal.threads import one_thread

REFERENCES = {"full_logistic": "logistic", "full_svm": "svm"}
TWO_CLASSES = ("uniform", "cc", "lcc", "osmac_mvc", "osmac_mmse", "blb", "b_of_n")
"""Methods of logistic regression that are defined for two classes; `uniform` has a multinomial reading."""
SVMS = {"km_svm": KMSVM, "wkm_svm": WKMSVM, "svm_km": SVMKM, "uniform_svm": WKMSVM}
METHODS = (*TWO_CLASSES, "dynamic", "full_logistic", *SVMS, "full_svm")
SETTINGS = (
    "datasets", "fractions", "passes", "n_train", "svm_rows", "n_components", "pilot_share", "s", "r", "theta",
    "C",
)  # fmt: skip

Row = dict[str, Any]


class Model(NamedTuple):
    """What a fit gives: log-probabilities or decision values of test rows, rows fitted to, and rows read."""

    scores: Floats
    rows: int
    rows_touched: int
    has_probabilities: bool = True


def measure(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> list[Row]:
    """Rows of one seed of one method: one per dataset it applies to, and per fraction.

    Columns: dataset, data, n_rows (to train on); family (`logistic` or `svm`); fraction (asked for, of `dynamic`
    passes; 1 for training on all rows), rows_share (fitted to, of n_rows; for `dynamic` accessed, repeats
    included), touched_share (the same with what was scored, clustered or resampled), accuracy, log_loss (nan
    without probabilities), seconds, reason (why there is no fit; empty if there is).
    """
    check_settings(settings, SETTINGS)
    check_choice("method", method, METHODS)
    with one_thread():
        return list(_rows(method, seed, settings, root))


def _rows(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> Iterator[Row]:
    is_svm = method.endswith("svm") or method in SVMS
    for name in settings["datasets"]:
        limit = settings["svm_rows"] if is_svm else settings["n_train"]
        data = split(name, seed, root=root, n_train=limit, n_components=settings["n_components"])
        n_classes = int(data.y.max()) + 1
        if method in TWO_CLASSES and method != "uniform" and n_classes > 2:
            continue
        if not is_svm:
            data = data._replace(X=_with_ones(data.X), X_test=_with_ones(data.X_test))
        asked = [1.0] if method in REFERENCES else settings["passes" if method == "dynamic" else "fractions"]
        for fraction in asked:
            rng = rng_for("big_data", "fractions", name, method, f"{fraction:g}", seed)
            make = _maker(method, is_svm, n_classes)
            row = {"dataset": name, "data": data.data, "n_rows": len(data.y), "fraction": fraction}
            yield (
                row | {"family": "svm" if is_svm else "logistic"} | _measured(make, data, fraction, settings, rng)
            )


Maker = Callable[[Split, float, Mapping[str, Any], np.random.Generator], Model]


def _maker(method: str, is_svm: bool, n_classes: int) -> Maker:
    if is_svm:
        return partial(_svm, method)
    if method == "dynamic":
        return _dynamic
    if method == "full_logistic" or n_classes > 2:
        return partial(_batch, method)
    return partial(_bag if method in ("blb", "b_of_n") else _subsample, method)


def _measured(
    make: Maker, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Row:
    """Accuracy, log-loss and cost; a fit that fails is a row with its reason."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of resamples without a class, which are left out
            model = make(data, fraction, settings, rng)
    except ValueError as error:
        nothing = dict.fromkeys(("rows_share", "touched_share", "accuracy", "log_loss", "seconds"), math.nan)
        return nothing | {"reason": str(error)}
    seconds, n = time.perf_counter() - start, len(data.y)
    each = np.arange(len(data.y_test))
    loss = -float(model.scores[each, data.y_test].mean()) if model.has_probabilities else math.nan
    return {
        "rows_share": model.rows / n,
        "touched_share": model.rows_touched / n,
        "accuracy": float((model.scores.argmax(axis=1) == data.y_test).mean()),
        "log_loss": loss,
        "seconds": seconds,
        "reason": "",
    }


def _with_ones(X: Floats) -> Floats:
    return np.column_stack([X, np.ones(len(X))])


def _binary(data: Split, coef: Floats) -> Floats:
    log_odds = data.X_test @ coef
    return np.asarray(-np.logaddexp(0.0, np.column_stack([log_odds, -log_odds])))


def _subsample(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """A draw of the fraction, its pilot included."""
    size = round(fraction * len(data.y))
    pilot_size = max(1, round(settings["pilot_share"] * size))
    drawn = {"pilot_size": pilot_size, "size": size - pilot_size}
    fit = fit_subsample(data.X, data.y, method=method, rng=rng, **drawn)
    return Model(_binary(data, fit.coef), fit.n_drawn, fit.rows_touched)


def _bag(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """The averaged coefficients of s subsamples, which together have the fraction of the rows."""
    b = max(2, round(fraction * len(data.y) / settings["s"]))
    shared = {"b": b, "fit": partial(fit_logistic, ridge=RIDGE), "statistic": interval_widths, "rng": rng}
    if method == "blb":
        bag = blb(data.X, data.y, s=settings["s"], r=settings["r"], **shared)
    else:
        bag = b_of_n(data.X, data.y, r=settings["s"], **shared)
    return Model(_binary(data, bag.coef), settings["s"] * b, bag.rows_touched)


def _dynamic(data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator) -> Model:
    """Samples of growing size until rows were accessed that often."""
    n, d = data.X.shape
    most = {"max_points": max(1, round(fraction * n)), "initial_size": min(n, max(n // 100, 10 * d))}
    fit = fit_dynamic_sample(
        data.X, data.y, theta=settings["theta"], ridge=RIDGE, tol=1e-4, rng=rng, **_classes(data), **most
    )
    return Model(np.asarray(log_softmax(data.X_test @ fit.coef, axis=1)), fit.n_points, fit.n_points)


def _batch(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """Newton-CG with every row of a uniform subsample, or of all, in every step."""
    size = round(fraction * len(data.y))
    rows = rng.choice(len(data.y), size, replace=False)
    every: dict[str, Any] = {"theta": 0.0, "dynamic": False, "initial_size": size, "ridge": RIDGE, "tol": 1e-4}
    fit = fit_dynamic_sample(data.X[rows], data.y[rows], rng=rng, **_classes(data), **every)
    return Model(np.asarray(log_softmax(data.X_test @ fit.coef, axis=1)), size, size)


def _classes(data: Split) -> dict[str, Any]:
    return {"classes": np.arange(int(data.y.max()) + 1)}


def _svm(
    method: str, data: Split, fraction: float, settings: Mapping[str, Any], rng: np.random.Generator
) -> Model:
    """Trained on about the fraction: as centres, or as rows that were drawn."""
    n = len(data.y)
    rows = rng.choice(n, round(fraction * n), replace=False) if method == "uniform_svm" else np.arange(n)
    compression = 1.0 / fraction if method in ("km_svm", "wkm_svm", "svm_km") else 1.0
    svm = SVMS.get(method, WKMSVM)(compression, C=settings["C"], n_init=1, random_state=int(rng.integers(2**31)))
    svm.fit(data.X[rows], data.y[rows])
    predicted = np.searchsorted(svm.classes_, svm.predict(data.X_test))
    scores = np.zeros((len(data.y_test), int(data.y.max()) + 1))
    scores[np.arange(len(scores)), svm.classes_[predicted]] = 1.0
    return Model(scores, len(svm.reduced_.X), len(rows), has_probabilities=False)
