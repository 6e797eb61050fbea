"""The runs behind section 3.3: Figure 10's two designs, and the bias of case-control sampling as in Figure 9.

Every method meets the same rows. Within a repeat the methods that take a pilot take the same one, since the
generator of the drawing does not depend on the method and draws the pilot first.

Rows are counted three ways: `rows_drawn`, those of the fits; `rows_scored`, the pass over all rows that turns a
pilot into probabilities, 0 without one; and `rows_touched`, how often a row's gradient or probability was
computed: a drawn row once per Newton step of its fit, a scored row once. Failed pilots are drawn but not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.checks import check_settings
from frugal.rows import FitError, SubsampleFit, fit_subsample
from frugal.rows.weighted_logistic import LogisticFit, fit_weighted
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.case_control.problems import COEF, DESIGNS, Floats, design_rows, rare_rows

SUBSAMPLED: Final[Mapping[str, tuple[str, str | None]]] = {
    "uniform": ("uniform", None),
    "cc": ("cc", "weights"),
    "cc_unweighted": ("cc", "none"),
    "lcc": ("lcc", None),
    "lcc_total": ("lcc", None),
    "osmac_mvc": ("osmac_mvc", None),
    "osmac_mmse": ("osmac_mmse", None),
}
"""Method of `subsampling` -> that of `fit_subsample` and its correction.

The second step of `lcc_total` has r_0 + r rows, as many as OSMAC and `uniform` fit; its pilot comes on top.
"""
BIASED: Final[Mapping[str, tuple[str, str | None]]] = {
    "cc": ("cc", "offset"),
    "cc_weighted": ("cc", "weights"),
    "lcc": ("lcc", None),
    "lcc_fixed": ("lcc", None),
}
"""The same of `bias`. The pilot of `lcc_fixed` keeps its size; that of `lcc` grows with the subsample."""
_N_TIMED: Final = 3

Settings = Mapping[str, Any]


def subsampling(method: str, seed: int, settings: Settings, root: str | Path = "data") -> pd.DataFrame:
    """Squared errors of repeated subsamples of one data set per design.

    Args:
        method: key of `SUBSAMPLED`, or `full`: the document's dashed line, bootstraps of the fit to all rows.
        seed: of the data sets and of everything drawn from them.
        settings: `n_rows` of a data set, `pilot_size` r_0, `sizes` of the second step r, `n_repeats`.
        root: not used, the rows are generated.

    Returns:
        One row per design and `r` (`full`: per design, r = n_rows): `error` and `error_mle`, the mean squared
        distance from the true coefficients and from the fit to all rows, over the fits that did not fail; `plain`,
        that of the fit to all rows from the true ones; `share_failed` of the fits and `share_pilot_failed`;
        `seconds`, the median of one fit with its drawing; rows as told above, on average; `n_rows`, `pilot_size`,
        `n_repeats`, `data`.

    Raises:
        ValueError: on an unknown setting, or one that is missing.
    """
    check_settings(settings, ("n_rows", "pilot_size", "sizes", "n_repeats"))
    rows = []
    facts = {name: settings[name] for name in ("n_rows", "pilot_size", "n_repeats")}
    for design in DESIGNS:
        X, y = design_rows(design, settings["n_rows"], rng_for("big_data", "subsampling", design, seed))
        mle = _fit_all(X, y).coef
        names = ("big_data", "subsampling", design, seed)
        shared = {"design": design, "plain": _squared(mle - COEF), **facts, "data": "generated"}
        if method == "full":
            coefs, numbers = _bootstraps(X, y, settings["n_repeats"], *names)
            rows.append({"r": len(y), **_errors(coefs, mle), **numbers, **shared})
            continue
        name, correction = SUBSAMPLED[method]
        for r in settings["sizes"]:
            size = r + settings["pilot_size"] * (method == "lcc_total")
            drawing = {
                "method": name,
                "correction": correction,
                "pilot_size": settings["pilot_size"],
                "size": size,
            }
            coefs, numbers = _repeat(X, y, drawing, settings["n_repeats"], *names, r)
            rows.append({"r": r, **_errors(coefs, mle), **numbers, **shared})
    return pd.DataFrame(rows)


def bias(method: str, seed: int, settings: Settings, root: str | Path = "data") -> pd.DataFrame:
    """Slopes from repeated subsamples where one class is rare and the model is wrong.

    Args:
        method: key of `BIASED`, or `full`: the fit to all rows.
        seed: of the rows and of everything drawn from them.
        settings: `n_rows`, `share` of the rare class, `sizes` of the second step r, `pilot_share` (the pilot's
            size over r, except for `lcc_fixed`), `pilot_size` (of `lcc_fixed`), `n_repeats`.
        root: not used, the rows are generated.

    Returns:
        One row per `r` (`full`: r = n_rows): `slope_1`, `slope_2`, `intercept`, means over the fits that did not
        fail; `distance`, the root of the mean squared distance of the slopes from those of the fit to all rows;
        `distance_of_mean`, that of the mean slopes; `share_failed`, `share_pilot_failed`, `seconds` and rows as
        `subsampling`; `n_rows`, `share`, `pilot_size`, `n_repeats`, `data`.

    Raises:
        ValueError: on an unknown setting, or one that is missing.
    """
    check_settings(settings, ("n_rows", "share", "sizes", "pilot_share", "pilot_size", "n_repeats"))
    names = ("big_data", "bias", seed)
    X, y = rare_rows(settings["n_rows"], settings["share"], rng_for(*names))
    full = _fit_all(X, y).coef
    shared = {name: settings[name] for name in ("n_rows", "share", "n_repeats")} | {"data": "generated"}
    if method == "full":
        numbers = _cost_of_all(X, y)
        return pd.DataFrame([{"r": len(y), **_slopes(full[None], full), **numbers, "pilot_size": 0, **shared}])
    rows = []
    name, correction = BIASED[method]
    for r in settings["sizes"]:
        pilot = settings["pilot_size"] if method == "lcc_fixed" else round(settings["pilot_share"] * r)
        drawing = {"method": name, "correction": correction, "pilot_size": pilot, "size": r}
        coefs, numbers = _repeat(X, y, drawing, settings["n_repeats"], *names, r)
        rows.append({"r": r, **_slopes(coefs, full), **numbers, "pilot_size": pilot, **shared})
    return pd.DataFrame(rows)


def _repeat(X: Floats, y: Floats, drawing: Settings, n: int, *names: str | int) -> tuple[Floats, dict[str, float]]:
    """Coefficients of `n` subsamples, (n, d), nan where the fit failed; and what they took."""
    coefs, seconds, fits = np.full((n, X.shape[1]), np.nan), [], []
    with one_thread():
        for i in range(n):
            rng, started = rng_for(*names, i), perf_counter()
            try:
                fit = fit_subsample(X, y, rng=rng, **drawing)
            except FitError:
                continue
            seconds.append(perf_counter() - started)
            coefs[i] = fit.coef
            fits.append(fit)
        touched = [_touched(X, y, fit, drawing["pilot_size"]) for fit in fits]
    return coefs, {
        "share_failed": 1 - len(fits) / n,
        "share_pilot_failed": _mean([float(bool(fit.pilot_failures)) for fit in fits]),
        "seconds": float(np.median(seconds)) if seconds else np.nan,
        "rows_drawn": _mean([fit.n_drawn for fit in fits]),
        "rows_scored": _mean([fit.n_scored for fit in fits]),
        "rows_touched": _mean(touched),
    }


def _touched(X: Floats, y: Floats, fit: SubsampleFit, pilot_size: int) -> float:
    """How often a row's gradient or probability was computed; the last fit is redone to count its steps."""
    pilot, rows = fit.pilot, fit.rows
    start = np.zeros(X.shape[1]) if pilot is None else pilot.coef
    given = {"weights": fit.weights, "offsets": fit.offsets, "start": start}
    evaluations = len(rows) * fit_weighted(X[rows], y[rows], **given, sample="the subsample").n_steps
    if pilot is not None:
        evaluations += pilot_size * (2 if fit.pilot_failures else 1) * pilot.n_steps
    return float(evaluations + fit.n_scored)


def _bootstraps(X: Floats, y: Floats, n: int, *names: str | int) -> tuple[Floats, dict[str, float]]:
    """Coefficients of `n` bootstraps, (n, d), and what a fit to the rows themselves takes."""
    coefs = np.empty((n, X.shape[1]))
    for i in range(n):
        drawn, counts = np.unique(
            rng_for(*names, "bootstrap", i).integers(len(y), size=len(y)), return_counts=True
        )
        coefs[i] = _fit_all(X[drawn], y[drawn], counts.astype(float)).coef
    return coefs, _cost_of_all(X, y)


def _cost_of_all(X: Floats, y: Floats) -> dict[str, float]:
    seconds = []
    with one_thread():
        for _ in range(_N_TIMED):
            started = perf_counter()
            fit = _fit_all(X, y)
            seconds.append(perf_counter() - started)
    return {
        "share_failed": 0.0,
        "share_pilot_failed": 0.0,
        "seconds": float(np.median(seconds)),
        "rows_drawn": float(len(y)),
        "rows_scored": 0.0,
        "rows_touched": float(len(y) * fit.n_steps),
    }


def _fit_all(X: Floats, y: Floats, weights: Floats | None = None) -> LogisticFit:
    weights = np.ones(len(y)) if weights is None else weights
    given = {"offsets": np.zeros(len(y)), "start": np.zeros(X.shape[1])}
    return fit_weighted(X, y, weights=weights, **given, sample="all rows")


def _errors(coefs: Floats, mle: Floats) -> dict[str, float]:
    """Mean squared distances of the fits that did not fail; nan if all did."""
    kept = coefs[~np.isnan(coefs[:, 0])]
    return {"error": _mean_squared(kept - COEF), "error_mle": _mean_squared(kept - mle)}


def _slopes(coefs: Floats, full: Floats) -> dict[str, float]:
    kept = coefs[~np.isnan(coefs[:, 0])]
    mean = kept.mean(axis=0) if len(kept) else np.full(len(full), np.nan)
    return {
        "slope_1": float(mean[1]),
        "slope_2": float(mean[2]),
        "intercept": float(mean[0]),
        "distance": float(np.sqrt(_mean_squared((kept - full)[:, 1:]))),
        "distance_of_mean": float(np.sqrt(_squared((mean - full)[1:]))),
    }


def _squared(vector: Floats) -> float:
    return float(vector @ vector)


def _mean_squared(vectors: Floats) -> float:
    return _mean([_squared(vector) for vector in vectors])


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else np.nan


EXPERIMENTS: Final[dict[str, tuple[Callable[..., pd.DataFrame], tuple[str, ...]]]] = {
    "subsampling": (subsampling, ("full", *SUBSAMPLED)),
    "bias": (bias, ("full", *BIASED)),
}
"""Experiment -> its function and its methods."""
