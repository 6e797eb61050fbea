"""Each combination that document 003 names, and each of its parts, on the same data.

BLB with OSMAC and BLB with dynamic sample sizes are measured on two generated logistic designs, BLB with WKM-SVM
on two-class readings of real data. Parts and combination draw equally many rows, s times b, wherever a part draws
some; what a method trains on all rows for is not capped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from frugal.rows import (
    Fit,
    blb,
    bootstrap,
    fit_dynamic_sample,
    fit_logistic,
    fit_subsample,
    interval_widths,
    subsample_size,
)
from frugal.rows.combined import blb_dynamic, blb_osmac, distinct_accessed
from frugal.rows.multinomial import evaluate
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.beyond.costs import TOL, batch_fit, timed
from studies.big_data.beyond.designs import (
    BETA,
    RIDGE,
    Floats,
    Ints,
    generate,
    maximum_likelihood,
    true_width,
)
from studies.big_data.beyond.settings import COMBINATIONS, check_settings
from studies.big_data.beyond.svms import SVMS, of_bag, svm_rows

LOGISTIC = ("full", "bootstrap", "blb", "osmac_mvc", "blb_osmac", "dynamic", "blb_dynamic")
_RIDGE_OF_SOFTMAX = 2.0 * RIDGE
"""Two classes share the coefficients evenly, so that their squares sum to half of that of the log-odds'."""
_FRESH = 10
"""Datasets' worth of fresh rows on which a gradient is taken to be that of the population."""

Row = dict[str, Any]


class Problem(NamedTuple):
    """One generated dataset."""

    design: str
    X: Floats
    y: Ints
    seed: int

    def rng(self, *names: str) -> np.random.Generator:
        """Generator of one method on it."""
        return rng_for("big_data", "combinations", self.design, *names, self.seed)


def measure(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> list[Row]:
    """Rows of one seed of one method: one per problem, and per gamma where subsamples are drawn.

    Columns: problem, data, n_rows, n_truth; gamma, b, s, r; error (squared distance of the coefficients to the
    true ones, or test error), to_full (squared distance to the fit to all rows), width_error (of the 95 %
    intervals, relative to the true width), width (mean; of decision values on test rows for an SVM), rows_touched
    (distinct rows per fit, summed, and what was drawn or scored for a pilot), rows_accessed (each as often as it
    was read, k times for a row that the resample holds k times), distinct_accessed (the same with the distinct
    rows of each sample read), passes (rows_accessed per row of a fit's data), seconds (of fitting),
    predict_seconds (of decision values), n_fits, n_failed, share_uniform (1 where failed pilots left uniform
    draws, 0 where not); of dynamic fits largest_share (of the resample, in the largest sample) and understated
    (log10 of the gradient's squared error at the end over equation 13's estimate). What a method lacks is nan.
    """
    check_settings(settings, COMBINATIONS)
    problems = svm_rows if method in SVMS else _logistic_rows
    with one_thread():
        return list(problems(method, seed, settings, root))


def _logistic_rows(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> Iterator[Row]:
    for design, n in settings["sizes"].items():
        X, y = generate(design, n, rng_for("big_data", "combinations", design, "data", seed))
        problem = Problem(design, X, y, seed)
        full = maximum_likelihood(X, y, BETA[design])
        gammas = settings["dynamic_gammas"] if method == "blb_dynamic" else settings["gammas"]
        for gamma in gammas if method in _BY_GAMMA else [math.nan]:
            coef, widths, row = _METHODS[method](problem, gamma, settings)
            row |= {"problem": design, "data": "generated", "n_rows": n, "gamma": gamma}
            row |= {
                "error": float(np.square(coef - BETA[design]).sum()),
                "to_full": float(np.square(coef - full).sum()),
            }
            if widths is not None:
                truth = true_width(design, n, settings["n_truth"])
                row["n_truth"] = settings["n_truth"]
                row |= {"width": float(widths.mean()), "width_error": float(np.abs(widths / truth - 1.0).mean())}
            yield row


Found = tuple[Floats, Floats | None, Row]
"""Coefficients, interval widths, and what else is known."""


def _sizes(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> dict[str, Any]:
    sizes = {"b": subsample_size(len(problem.y), gamma), "s": settings["s"], "r": settings["r"]}
    return sizes | {"fit": partial(fit_logistic, ridge=RIDGE), "statistic": interval_widths}


def _full(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    coef, seconds = timed(lambda: fit_logistic(problem.X, problem.y, ridge=RIDGE))
    batch = batch_fit(problem.X, problem.y, rng=problem.rng("batch"), ridge=_RIDGE_OF_SOFTMAX)
    row: Row = {"seconds": seconds, "rows_touched": len(problem.y), "n_fits": 1, "n_failed": 0}
    return coef, None, row | _accessed(batch.n_points, batch.n_points, len(problem.y))


def _accessed(rows: float, distinct: float, n_given: int) -> Row:
    """Both readings of rows read, and passes over the `n_given` rows (repeats included) of the fits' data."""
    return {"rows_accessed": rows, "distinct_accessed": distinct, "passes": rows / n_given}


def _bootstrap(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    sizes = {"r": settings["r"], "fit": partial(fit_logistic, ridge=RIDGE), "statistic": interval_widths}
    bag, seconds = timed(lambda: bootstrap(problem.X, problem.y, rng=problem.rng("bootstrap"), **sizes))
    return bag.coef, bag.statistic, of_bag(bag, seconds, bag.rows_touched)


def _blb(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    sizes, n = _sizes(problem, gamma, settings), len(problem.y)
    rng = problem.rng("blb", f"{gamma:g}")
    rng.integers(2**63)  # as `blb_dynamic` does, so that both have the same resamples
    bag, seconds = timed(lambda: blb(problem.X, problem.y, rng=rng, **sizes))
    row = of_bag(bag, seconds, bag.rows_touched)
    rows = rng.choice(n, bag.b, replace=False)  # one such resample, to count what a batch fit reads
    counts = np.bincount(rng.integers(bag.b, size=n), minlength=bag.b)
    every = np.repeat(rows, counts)
    batch = batch_fit(
        problem.X[every], problem.y[every], rng=problem.rng("batch"), classes=[0, 1], ridge=_RIDGE_OF_SOFTMAX
    )
    distinct = distinct_accessed(batch, counts)
    row |= _accessed(batch.n_points * bag.n_fits, distinct * bag.n_fits, n * bag.n_fits)
    return bag.coef, bag.statistic, row


def _osmac(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    size = settings["s"] * subsample_size(len(problem.y), gamma)
    sizes = {"method": "osmac_mvc", "pilot_size": settings["pilot_size"], "size": size}
    rng = problem.rng("osmac_mvc", f"{gamma:g}")
    fit, seconds = timed(lambda: fit_subsample(problem.X, problem.y, rng=rng, **sizes))
    row: Row = {"b": size, "seconds": seconds, "rows_touched": fit.rows_touched, "n_fits": 1, "n_failed": 0}
    return fit.coef, None, row | {"share_uniform": float(fit.drawn_by != "osmac_mvc")}


def _blb_osmac(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    sizes = _sizes(problem, gamma, settings) | {"pilot_size": settings["pilot_size"]}
    rng = problem.rng("blb_osmac", f"{gamma:g}")
    found, seconds = timed(lambda: blb_osmac(problem.X, problem.y, rng=rng, **sizes))
    row = of_bag(found.bag, seconds, found.rows_touched)
    return found.bag.coef, found.bag.statistic, row | {"share_uniform": float(found.drawn_by != "osmac_mvc")}


def _dynamic(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    n, rng = len(problem.y), problem.rng("dynamic")
    fit, seconds = timed(lambda: fit_dynamic_sample(problem.X, problem.y, rng=rng, **_growing(n, settings)))
    row: Row = {"seconds": seconds, "rows_touched": n, "n_fits": 1, "n_failed": 0}
    row |= _accessed(fit.n_points, fit.n_points, n)
    return fit.coef[:, 1] - fit.coef[:, 0], None, row | _rule(problem, [fit])


def _blb_dynamic(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    n = len(problem.y)
    sizes = {"b": subsample_size(n, gamma), "s": settings["s"], "r": settings["r"]}
    rng = problem.rng("blb", f"{gamma:g}")
    found, seconds = timed(lambda: blb_dynamic(problem.X, problem.y, rng=rng, **sizes, **_growing(n, settings)))
    bag = found.bag
    row = of_bag(bag, seconds, bag.rows_touched) | _rule(problem, found.fits[:: sizes["r"]])
    row |= _accessed(found.rows_accessed, found.distinct_accessed, n * bag.n_fits)
    return bag.coef, bag.statistic, row


def _growing(n: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"theta": settings["theta"], "initial_size": n // 100, "ridge": _RIDGE_OF_SOFTMAX, "tol": TOL}


def _rule(problem: Problem, fits: list[Fit] | tuple[Fit, ...]) -> Row:
    """What the size rule came to: mean over fits of the largest sample's share, and of what (13) understates."""
    n = len(problem.y)
    X, y = generate(problem.design, _FRESH * n, problem.rng("fresh"))
    gradients = [evaluate(fit.coef, X, y, 0.0).gradient for fit in fits]  # on the fit's own rows it is nearly 0
    ratios = [np.square(g).sum() / fit.trace.variance[-1] for g, fit in zip(gradients, fits, strict=True)]
    largest = float(np.mean([fit.trace.size.max() for fit in fits]))
    return {"largest_share": largest / n, "understated": float(np.mean(np.log10(ratios)))}


_METHODS: Mapping[str, Callable[[Problem, float, Mapping[str, Any]], Found]] = {
    "full": _full,
    "bootstrap": _bootstrap,
    "blb": _blb,
    "osmac_mvc": _osmac,
    "blb_osmac": _blb_osmac,
    "dynamic": _dynamic,
    "blb_dynamic": _blb_dynamic,
}
_BY_GAMMA = ("blb", "osmac_mvc", "blb_osmac", "blb_dynamic")
