"""Each combination that document 003 names, and each of its parts, on the same data.

BLB with OSMAC and BLB with dynamic sample sizes are measured on two generated logistic designs, BLB with WKM-SVM
on two-class readings of real data. Parts and combination draw equally many rows, s times b, wherever a part draws
some; what a method trains on all rows for is not capped.
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

from frugal.papers.big_data.beyond.designs import (
    BETA,
    RIDGE,
    Floats,
    Ints,
    check_settings,
    generate,
    maximum_likelihood,
    split,
    true_width,
)
from frugal.rows import (
    WKMSVM,
    Bag,
    Fit,
    blb,
    bootstrap,
    fit_dynamic_sample,
    fit_logistic,
    fit_subsample,
    interval_widths,
    subsample_size,
)
from frugal.rows.combined import blb_dynamic, blb_osmac, blb_svm
from frugal.rows.multinomial import evaluate
from frugal.seeds import rng_for
from frugal.threads import one_thread

LOGISTIC = ("full", "bootstrap", "blb", "osmac_mvc", "blb_osmac", "dynamic", "blb_dynamic")
SVMS = ("full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm")
SETTINGS = (
    "sizes", "gammas", "s", "r", "pilot_size", "n_truth", "theta", "dynamic_gammas",
    "datasets", "n_components", "svm_rows", "svm_test", "svm_gammas", "svm_s", "svm_r", "compression", "C",
)  # fmt: skip
_RIDGE_OF_SOFTMAX = 2.0 * RIDGE
"""Two classes share the coefficients evenly, so that their squares sum to half of that of the log-odds'."""
_TOL = 1e-4
"""Largest entry of the gradient where the dynamic fit ends: a few hundredths of the gradient's noise on n rows."""
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

    Columns: problem, data, n_rows; gamma, b, s, r; error (squared distance of the coefficients to the true ones,
    or test error), to_full (squared distance to the fit to all rows), width_error (of the 95 % intervals, relative
    to the true width), width (mean; of decision values on test rows for an SVM), rows_touched (distinct rows per
    fit, summed, and what was scored), rows_accessed (each as often as it was read), passes (rows_accessed per
    distinct row and fit), seconds, n_fits, n_failed; of dynamic fits largest_share (of the resample, in the
    largest sample) and understated (log10 of the gradient's squared error at the end over equation 13's estimate).
    """
    check_settings(settings, SETTINGS)
    problems = _svm_rows if method in SVMS else _logistic_rows
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
                row |= {"width": float(widths.mean()), "width_error": float(np.abs(widths / truth - 1.0).mean())}
            yield row


Found = tuple[Floats, Floats | None, Row]
"""Coefficients, interval widths, and what else is known."""


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of fits that failed, which are counted
        start = time.perf_counter()
        found = call()
        return found, time.perf_counter() - start


def _of_bag(bag: Bag, seconds: float, rows_touched: int) -> Row:
    row: Row = {"b": bag.b, "s": bag.s, "r": int(bag.r.max()), "seconds": seconds, "rows_touched": rows_touched}
    return row | {"n_fits": bag.n_fits, "n_failed": bag.n_failed}


def _sizes(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> dict[str, Any]:
    sizes = {"b": subsample_size(len(problem.y), gamma), "s": settings["s"], "r": settings["r"]}
    return sizes | {"fit": partial(fit_logistic, ridge=RIDGE), "statistic": interval_widths}


def _full(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    coef, seconds = _timed(lambda: fit_logistic(problem.X, problem.y, ridge=RIDGE))
    passes = _batch_passes(problem, problem.X, problem.y)
    n = len(problem.y)
    row: Row = {"seconds": seconds, "rows_touched": n, "rows_accessed": passes * n, "passes": passes, "n_fits": 1}
    return coef, None, row | {"n_failed": 0}


def _bootstrap(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    sizes = {"r": settings["r"], "fit": partial(fit_logistic, ridge=RIDGE), "statistic": interval_widths}
    bag, seconds = _timed(lambda: bootstrap(problem.X, problem.y, rng=problem.rng("bootstrap"), **sizes))
    return bag.coef, bag.statistic, _of_bag(bag, seconds, bag.rows_touched)


def _blb(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    sizes, n = _sizes(problem, gamma, settings), len(problem.y)
    rng = problem.rng("blb", f"{gamma:g}")
    bag, seconds = _timed(lambda: blb(problem.X, problem.y, rng=rng, **sizes))
    rows = rng.choice(n, bag.b, replace=False)  # one such resample, to count what a batch fit reads
    every = rows[rng.integers(bag.b, size=n)]
    passes = _batch_passes(problem, problem.X[every], problem.y[every])
    row = _of_bag(bag, seconds, bag.rows_touched) | {"passes": passes, "rows_accessed": passes * bag.rows_touched}
    return bag.coef, bag.statistic, row


def _osmac(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    size = settings["s"] * subsample_size(len(problem.y), gamma)
    sizes = {"method": "osmac_mvc", "pilot_size": settings["pilot_size"], "size": size}
    rng = problem.rng("osmac_mvc", f"{gamma:g}")
    fit, seconds = _timed(lambda: fit_subsample(problem.X, problem.y, rng=rng, **sizes))
    row: Row = {"b": size, "seconds": seconds, "rows_touched": fit.rows_touched, "n_fits": 1, "n_failed": 0}
    return fit.coef, None, row


def _blb_osmac(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    sizes = _sizes(problem, gamma, settings) | {"pilot_size": settings["pilot_size"]}
    rng = problem.rng("blb_osmac", f"{gamma:g}")
    found, seconds = _timed(lambda: blb_osmac(problem.X, problem.y, rng=rng, **sizes))
    return found.bag.coef, found.bag.statistic, _of_bag(found.bag, seconds, found.rows_touched)


def _dynamic(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    n, rng = len(problem.y), problem.rng("dynamic")
    fit, seconds = _timed(lambda: fit_dynamic_sample(problem.X, problem.y, rng=rng, **_growing(n, settings)))
    row: Row = {"seconds": seconds, "rows_touched": n, "rows_accessed": fit.n_points, "passes": fit.n_points / n}
    return fit.coef[:, 1] - fit.coef[:, 0], None, row | {"n_fits": 1, "n_failed": 0} | _rule(problem, [fit])


def _blb_dynamic(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    n = len(problem.y)
    sizes = {"b": subsample_size(n, gamma), "s": settings["s"], "r": settings["r"]}
    rng = problem.rng("blb_dynamic", f"{gamma:g}")
    found, seconds = _timed(lambda: blb_dynamic(problem.X, problem.y, rng=rng, **sizes, **_growing(n, settings)))
    bag, accessed = found.bag, found.rows_accessed
    row = _of_bag(bag, seconds, bag.rows_touched) | _rule(problem, found.fits[:: sizes["r"]])
    return bag.coef, bag.statistic, row | {"rows_accessed": accessed, "passes": accessed / bag.rows_touched}


def _growing(n: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"theta": settings["theta"], "initial_size": n // 100, "ridge": _RIDGE_OF_SOFTMAX, "tol": _TOL}


def _batch_passes(problem: Problem, X: Floats, y: Ints) -> float:
    """How often Newton-CG reads each of n rows where every sample is all of them."""
    settings: Row = {
        "theta": 0.0,
        "dynamic": False,
        "initial_size": len(y),
        "ridge": _RIDGE_OF_SOFTMAX,
        "tol": _TOL,
    }
    return fit_dynamic_sample(X, y, rng=problem.rng("batch"), **settings).n_points / len(y)


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
_BY_GAMMA = ("blb", "osmac_mvc", "blb_osmac", "blb_dynamic", "blb_svm", "blb_wkm_svm")


def _svm_rows(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> Iterator[Row]:
    sizes = {"n_train": settings["svm_rows"], "n_test": settings["svm_test"]}
    for name in settings["datasets"]:
        X, y, X_test, y_test, data = split(name, seed, root=root, **sizes, n_components=settings["n_components"])
        middle = (int(max(y.max(), y_test.max())) + 1) // 2  # the later half of the classes against the earlier
        y, y_test = (y >= middle).astype(np.int64), (y_test >= middle).astype(np.int64)
        compression = settings["compression"] if "wkm" in method else 1
        svm = WKMSVM(compression, C=settings["C"], n_init=1, random_state=0)
        for gamma in settings["svm_gammas"] if method in _BY_GAMMA else [math.nan]:
            row: Row = {"problem": name, "data": data, "n_rows": len(y), "gamma": gamma}
            if method in _BY_GAMMA:
                drawn = {"b": subsample_size(len(y), gamma), "s": settings["svm_s"], "r": settings["svm_r"]}
                rng = rng_for("big_data", "combinations", name, "blb", f"{gamma:g}", seed)
                bag, seconds = _timed(partial(blb_svm, X, y, X_test, svm=svm, rng=rng, **drawn))
                decided, row["width"] = bag.coef, float(bag.statistic.mean())
                row |= _of_bag(bag, seconds, bag.rows_touched)
            else:
                decided, seconds = _timed(lambda: svm.fit(X, y).decision_function(X_test))  # noqa: B023
                row |= {"seconds": seconds, "rows_touched": len(y), "n_fits": 1, "n_failed": 0}
            yield row | {"error": float(((decided > 0.0) != y_test).mean())}
