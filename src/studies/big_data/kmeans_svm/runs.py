"""What k-means SVMs make of Ripley's problem (Figure 11) and lose and save on real data (Figure 12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.checks import check_settings, check_whole
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.kmeans_svm import ripley
from studies.big_data.kmeans_svm.tuned import Task, measure, rows_of
from studies.experiments import EXPERIMENTS as METHODS_OF

COMPRESSING: Final = METHODS_OF["compression"].methods
BOUNDARY_SETTINGS: Final = ("n_per_class", "compression", "C", "n_init", "n_fresh")
COMPRESSION_SETTINGS: Final = ("datasets", "compressions", "n_folds", "Cs", "gammas", "n_init")
"""The document says nothing of the tuning; the configuration has wide lists in steps of 8."""


def boundaries(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """A linear SVM on the rows of Ripley's problem, and how far it is from the full SVM on the same rows.

    Args:
        method: one of `ripley.METHODS`.
        seed: number of the data set.
        settings: all of `BOUNDARY_SETTINGS`: n_per_class; compression (R); C; n_init (restarts of k-means);
            n_fresh (rows on which the two SVMs' predictions are compared).
        root: folder of the datasets; not read.

    Returns:
        One row: dataset, data, n_rows, compression, slope and intercept of the line x2 = intercept + slope * x1,
        angle_deg (between its normal and the full SVM's), disagreement (share of fresh rows that the two put in
        different classes), n_support, n_centres (rows that the SVM was given).

    Raises:
        ValueError: on an unknown setting, one that is missing, or a value out of range.
    """
    check_settings(settings, BOUNDARY_SETTINGS, "setting of boundaries")
    check_whole("n_per_class", settings["n_per_class"], 2)
    check_whole("n_fresh", settings["n_fresh"], 1)
    X, y = ripley.sample(seed, settings["n_per_class"])
    fresh, _ = ripley.simulate(settings["n_fresh"], rng_for("boundaries", "fresh", seed))
    how = {name: settings[name] for name in ("compression", "C", "n_init")}
    with one_thread():
        full = ripley.fit("full", X, y, seed, **how)
        own = ripley.fit(method, X, y, seed, **how)
        disagreement = float(np.mean(own.predict(fresh) != full.predict(fresh)))
    line = ripley.line_of(own)
    row = {
        "dataset": "ripley",
        "data": "generated",
        "n_rows": len(y),
        "compression": 1.0 if method == "full" else float(settings["compression"]),
        "slope": line.slope,
        "intercept": line.intercept,
        "angle_deg": ripley.angle_deg(line, ripley.line_of(full)),
        "disagreement": disagreement,
        "n_support": int(own.svc_.n_support_.sum()),
        "n_centres": len(own.reduced_.y),
    }
    return pd.DataFrame([row])


def compression(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """A k-means SVM with the radial kernel on one split of every data set, at every compression.

    C and gamma are tuned by cross-validation on the training rows. Every part is clustered once, all of the grid
    is fitted to what is left of it, and is scored on rows that were not clustered.

    Args:
        method: one of `COMPRESSING`.
        seed: number of the split; all methods share it, and the folds inside it.
        settings: all of `COMPRESSION_SETTINGS`: datasets (`ripley` is simulated anew for every seed, 250 rows for
            training and 1,000 for testing; any other is split 80 to 20, stratified); compressions (R; 1 is the
            full SVM); n_folds, Cs, gammas of the tuning; n_init (restarts of k-means).
        root: folder of the datasets.

    Returns:
        One row per data set and compression: dataset, data, compression, n_train, n_test, test_error,
        train_seconds (tuning and final fit, clustering included), fit_seconds (final fit, clustering included),
        predict_seconds (all test rows), n_support, n_reduced (rows that the final SVM was given), C, gamma,
        rows_touched (rows that all SVM fits were given), n_distances (point to centre, for one pass of every
        k-means; passes and restarts multiply it), at_edge (whether C or gamma is the first or last of its list).

    Raises:
        ValueError: on an unknown setting or data set, a setting that is missing, or a value out of range.
    """
    check_settings(settings, COMPRESSION_SETTINGS, "setting of compression")
    check_whole("n_folds", settings["n_folds"], 2)
    for name in ("datasets", "compressions", "Cs", "gammas"):
        if isinstance(settings[name], str) or not list(settings[name]):
            raise ValueError(f"{name} must be a list of at least one, got {settings[name]!r}")
    with one_thread():
        ripley.fit(method, *ripley.sample(seed, 10), seed)  # imports and caches warm up untimed
    found = []
    for dataset in settings["datasets"]:
        parts, data = rows_of(dataset, seed, root)
        task = Task(
            parts, settings["n_folds"], tuple(settings["Cs"]), tuple(settings["gammas"]), settings["n_init"]
        )
        for ratio in settings["compressions"]:
            with one_thread():
                measured = measure(method, float(ratio), task, names=("compression", dataset, seed))
            found.append({"dataset": dataset, "data": data, "compression": float(ratio), **measured})
    return pd.DataFrame(found)


EXPERIMENTS: dict[str, tuple[Callable[..., pd.DataFrame], tuple[str, ...]]] = {
    "boundaries": (boundaries, ripley.METHODS),
    "compression": (compression, COMPRESSING),
}
"""Experiment -> what makes the rows of one method and seed, and the methods."""
