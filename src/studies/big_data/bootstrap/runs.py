"""Runs behind Figure 7 of document 003: widths of intervals against seconds and rows, and against workers.

Differs from the document, whose curves end after ten seconds: a path ends when its fits have touched as many rows
as the bootstrap's, or are `max_fits`, so that its numbers are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from frugal.checks import check_settings
from frugal.rows import b_of_n, blb, bootstrap, fit_logistic, subsample_size
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.bootstrap.design import asymptotic_width, draw, n_distinct, timed_fit, timed_widths
from studies.big_data.bootstrap.paths import by_resample, by_subsample
from studies.experiments import EXPERIMENTS as METHODS_OF

INTERVALS, WORKERS = (METHODS_OF[name].methods for name in ("intervals", "interval_workers"))
_FITTED: dict[str, Any] = {"fit": timed_fit, "statistic": timed_widths, "warm_start": True}


def intervals(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Figure 7, left and middle: widths of 95 % intervals of logistic coefficients, on data from `design.draw`.

    All methods of a seed have the same data set, and all fits but the first of a subsample (of the path, for the
    others) start at that one's coefficients. Seconds leave out drawing the data, and evaluating widths but for
    those of `blb`'s earlier subsamples, each of which is evaluated before the next one begins.

    Args:
        method: `truth` fits `n_truth_per_seed` data sets of their own; the others are a path for each gamma, but
            `bootstrap`, whose gamma is 1.
        seed: of the data and the resamples.
        settings: n_rows, n_features; gammas (subsamples have `floor(n_rows^gamma)` rows), r (resamples per
            subsample), n_resamples (of the bootstrap), max_fits (of a path), n_truth_per_seed.
        root: not used; the data are generated.

    Returns:
        For `truth` a row per data set with coef_0 to coef_{d-1}. For the others a row after every subsample or
        resample, see `paths`: gamma, b, its columns, width_0 to width_{d-1}. All have n_rows, n_features, r,
        n_resamples and data.

    Raises:
        ValueError: on an unknown setting, or one that is missing.
    """
    names = ("n_rows", "n_features", "gammas", "r", "n_resamples", "max_fits", "n_truth_per_seed")
    check_settings(settings, names, "setting of intervals")
    n, d = settings["n_rows"], settings["n_features"]
    if method == "truth":
        table = pd.DataFrame([_coefs(n, d, seed, number) for number in range(settings["n_truth_per_seed"])])
    else:
        X, y = draw(n, d, rng_for("intervals", "data", seed))
        with one_thread():
            table = pd.concat(_paths(method, X, y, seed, settings), ignore_index=True)
    facts = {name: settings[name] for name in ("n_rows", "n_features", "r", "n_resamples")}
    return table.assign(**facts, data="generated")


def interval_workers(
    method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data"
) -> pd.DataFrame:
    """Figure 7, right: the same with worker processes, which are started before the clock.

    Args:
        method: `blb`, its subsamples spread over the workers, or `bootstrap`, its resamples.
        seed: of the data and the resamples.
        settings: n_rows, n_features; gamma, s and r of `blb`; n_resamples of the bootstrap; workers, a list;
            n_truth_rows, over which `design.asymptotic_width` averages.
        root: not used; the data are generated.

    Returns:
        A row per number of workers for `blb`, after its last subsample; for `bootstrap` also one after every
        resample. Columns n_workers, gamma, b, those of `paths` without the widths, relative_error (of the widths),
        mean_width, true_width, n_rows, n_features, s, r, n_resamples, data.

    Raises:
        ValueError: on an unknown setting, or one that is missing.
    """
    names = ("n_rows", "n_features", "gamma", "s", "r", "n_resamples", "workers", "n_truth_rows")
    check_settings(settings, names, "setting of interval_workers")
    n, d = settings["n_rows"], settings["n_features"]
    X, y = draw(n, d, rng_for("interval_workers", "data", seed))
    truth, parts = asymptotic_width(n, d, settings["n_truth_rows"]), []
    for n_workers in settings["workers"]:
        _start(n_workers)
        rng, began = rng_for("interval_workers", method, seed), perf_counter()
        if method == "blb":
            gamma, b = settings["gamma"], subsample_size(n, settings["gamma"])
            bag = blb(X, y, b=b, s=settings["s"], r=settings["r"], rng=rng, n_workers=n_workers, **_FITTED)
            path = by_subsample(bag, began).tail(1)
        else:
            gamma, b = 1.0, n
            bag = bootstrap(X, y, r=settings["n_resamples"], rng=rng, n_workers=n_workers, **_FITTED)
            path = by_resample(bag, began)
        widths = path.filter(regex=r"^width_\d+$")
        found: dict[str, Any] = {
            "relative_error": (widths / truth - 1.0).abs().mean(axis=1),
            "mean_width": widths.mean(axis=1),
            "true_width": truth,
        }
        facts = {"n_workers": n_workers, "gamma": gamma, "b": b}
        parts.append(path.drop(columns=widths.columns).assign(**facts, **found))
    facts = {name: settings[name] for name in ("n_rows", "n_features", "s", "r", "n_resamples")}
    return pd.concat(parts, ignore_index=True).assign(**facts, data="generated")


def _paths(method: str, X: Any, y: Any, seed: int, settings: Mapping[str, Any]) -> Iterator[pd.DataFrame]:
    n, r, most = len(X), settings["r"], settings["max_fits"]
    budget = settings["n_resamples"] * n_distinct(n, n)
    for gamma in [1.0] if method == "bootstrap" else settings["gammas"]:
        b, rng = subsample_size(n, gamma), rng_for("intervals", method, f"{gamma:g}", seed)
        began = perf_counter()
        if method == "blb":
            s = max(1, min(math.ceil(budget / (r * n_distinct(n, b))), most // r))
            path = by_subsample(blb(X, y, b=b, s=s, r=r, rng=rng, **_FITTED), began)
        elif method == "b_of_n":
            n_fits = max(2, min(math.ceil(budget / n_distinct(b, n)), most))
            bag = b_of_n(X, y, b=b, r=n_fits, rng=rng, **_FITTED)
            path = by_resample(bag, began, math.sqrt(b / n))
        else:
            path = by_resample(bootstrap(X, y, r=settings["n_resamples"], rng=rng, **_FITTED), began)
        yield path.assign(gamma=gamma, b=b)


def _coefs(n_rows: int, n_features: int, seed: int, number: int) -> dict[str, float]:
    X, y = draw(n_rows, n_features, rng_for("intervals", "truth", seed, number))
    with one_thread():
        coef = fit_logistic(X, y, start=np.ones(n_features))
    return {f"coef_{j}": float(value) for j, value in enumerate(coef)}


def _start(n_workers: int) -> None:
    """Let the worker processes import what they need, as those of a cluster have."""
    X, y = draw(200, 2, rng_for("interval_workers", "start"))
    bootstrap(X, y, r=4 * n_workers, rng=rng_for("interval_workers", "start"), n_workers=n_workers, **_FITTED)


EXPERIMENTS: dict[str, tuple[Callable[..., pd.DataFrame], tuple[str, ...]]] = {
    "intervals": (intervals, INTERVALS),
    "interval_workers": (interval_workers, WORKERS),
}
"""Experiment -> what makes its rows, and its methods."""
