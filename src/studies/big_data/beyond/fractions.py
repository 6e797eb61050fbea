"""Every method of the rows family on real data, trained on a fraction of the rows.

On data of two classes: what draws a subsample for logistic regression, the bootstraps' averaged coefficients, the
dynamic fit, and the k-means SVMs. On data of more: the dynamic fit, a uniform subsample, and the k-means SVMs,
which scikit-learn takes one against one; the others are defined for two classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from frugal.rows.weighted_logistic import FitError
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.beyond.costs import timed
from studies.big_data.beyond.designs import Floats, Split, split
from studies.big_data.beyond.models import (
    REFERENCES,
    SVMS,
    TWO_CLASSES,
    EmptyBagError,
    Maker,
    maker,
)
from studies.big_data.beyond.settings import FRACTIONS, check_settings

Row = dict[str, Any]


def measure(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> list[Row]:
    """Rows of one seed of one method: one per dataset it applies to, and per fraction.

    Columns: dataset, data, n_rows (to train on); family (`logistic` or `svm`); fraction (asked for, of `dynamic`
    passes; 1 for training on all rows), rows_share (fitted to, of n_rows; for `dynamic` accessed, repeats
    included), accuracy, log_loss (nan without probabilities), seconds (of fitting), predict_seconds; rows_touched,
    rows_accessed, share_uniform and n_failed, as in `models.Model`; reason (why there is no fit; empty if there
    is).
    """
    check_settings(settings, FRACTIONS)
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
        asked = [1.0] if method in REFERENCES else settings["passes" if method == "dynamic" else "fractions"]
        for fraction in asked:
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
    except (FitError, EmptyBagError) as error:
        return dict.fromkeys(_MEASURED, math.nan) | {"reason": str(error)}
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
    return dict(zip(_MEASURED, values, strict=True)) | {"reason": ""}


_MEASURED = (
    "rows_share", "rows_touched", "rows_accessed", "accuracy", "log_loss", "seconds", "predict_seconds",
    "share_uniform", "n_failed",
)  # fmt: skip


def _with_ones(X: Floats) -> Floats:
    return np.column_stack([X, np.ones(len(X))])
