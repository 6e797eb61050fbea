"""Each combination that document 003 names, and each of its parts, fitted to the same data.

BLB with OSMAC and BLB with dynamic sample sizes are fitted on two generated logistic designs, BLB with WKM-SVM on
two-class readings of real data. Parts that draw rows draw as many as the combination: s times b. Parts that train
on all rows have no such limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import expit

from frugal.checks import check_known
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
from frugal.rows.combined import blb_dynamic, blb_osmac, blb_svm, distinct_accessed
from frugal.rows.multinomial import evaluate
from frugal.rows.weighted_logistic import fit_weighted
from frugal.seeds import rng_for, seed_for
from frugal.threads import one_thread
from studies.big_data.splits import N_INIT, RIDGE, TOL, Ints, batch_fit, split, timed, two_classes
from studies.estimates import Array

SVMS: Final = ("full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm")
"""Methods on real data; the others are logistic regression on generated rows."""
BETA: Final[Mapping[str, Array]] = {"nzNormal": np.full(7, 0.5), "student_t": np.ones(10)}
"""True coefficients; neither design has an intercept."""
_RIDGE_OF_SOFTMAX: Final = 2.0 * RIDGE
"""Two classes share the coefficients evenly, so that their squares sum to half of that of the log-odds'."""
_FRESH: Final = 10
"""Datasets' worth of fresh rows on which a gradient is taken to be that of the population."""
_COMPRESSED: Final = ("wkm_svm", "blb_wkm_svm")
"""Methods that train on means of clusters of rows."""
_BY_GAMMA: Final = ("blb", "osmac_mvc", "blb_osmac", "blb_dynamic", "blb_svm", "blb_wkm_svm")

Row = dict[str, Any]


def measure(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> list[Row]:
    """Rows of one method from one seed, on one thread: one per problem, and per gamma with subsamples."""
    rows = _svm_rows if method in SVMS else _logistic_rows
    with one_thread():
        return list(rows(method, seed, settings, root))


# Generated designs ---------------------------------------------------------------------------------------------


def generate(design: str, n: int, rng: Generator) -> tuple[Array, Ints]:
    """Rows (n, d) and labels 0 or 1 (n,) of a logistic model.

    `nzNormal` is that of document 003's Figure 10: N(1.5, Sigma), Sigma 1 on and 0.5 off the diagonal, about 95 %
    ones. `student_t` is that of its Figure 7 as Kleiner et al. (2014) describe it: independent Student's t of 3
    degrees of freedom.

    Raises:
        ValueError: on an unknown design.
    """
    check_known("design", design, BETA)
    beta = BETA[design]
    if design == "nzNormal":
        shared, separate = rng.standard_normal((n, 1)), rng.standard_normal((n, len(beta)))
        X = 1.5 + np.sqrt(0.5) * (shared + separate)
    else:
        X = rng.standard_t(3, size=(n, len(beta)))
    return X, (rng.random(n) < expit(X @ beta)).astype(np.int64)


@cache
def true_width(design: str, n: int, n_truth: int) -> float:
    """Width of the central 95 % of a coefficient fitted to n rows, over `n_truth` datasets of them.

    All coefficients of a design are exchangeable, so that one width, of all of their deviations, holds for each.
    """
    rng = rng_for("big_data", "combinations", "truth", design, n)
    fits = [maximum_likelihood(*generate(design, n, rng), start=BETA[design]) for _ in range(n_truth)]
    return float(interval_widths(np.concatenate(fits)[:, None])[0])


def maximum_likelihood(X: Array, y: Ints, start: Array) -> Array:
    """Coefficients (d,) of the fit to all rows."""
    return fit_weighted(X, y.astype(float), weights=np.ones(len(X)), start=start, sample="the data").coef


class Problem(NamedTuple):
    """A generated dataset."""

    design: str
    X: Array
    y: Ints
    seed: int

    def rng(self, *names: str) -> np.random.Generator:
        """Generator of what the names say on this dataset."""
        return rng_for("big_data", "combinations", self.design, *names, self.seed)


# Logistic regression on generated rows -------------------------------------------------------------------------


def _bag_costs(bag: Bag, seconds: float, rows_touched: int) -> Row:
    """Sizes and costs of a bag, as columns."""
    row: Row = {"b": bag.b, "s": bag.s, "r": int(bag.r.max()), "seconds": seconds, "rows_touched": rows_touched}
    return row | {"n_fits": bag.n_fits, "n_failed": bag.n_failed}


def _logistic_rows(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> Iterator[Row]:
    for design, n in settings["sizes"].items():
        X, y = generate(design, n, rng_for("big_data", "combinations", design, "data", seed))
        problem = Problem(design, X, y, seed)
        full = maximum_likelihood(X, y, BETA[design])
        gammas = settings["dynamic_gammas"] if method == "blb_dynamic" else settings["gammas"]
        for gamma in gammas if method in _BY_GAMMA else [math.nan]:
            coef, widths, row = METHODS[method](problem, gamma, settings)
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


Found = tuple[Array, Array | None, Row]
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
    return bag.coef, bag.statistic, _bag_costs(bag, seconds, bag.rows_touched)


def _blb(problem: Problem, gamma: float, settings: Mapping[str, Any]) -> Found:
    sizes, n = _sizes(problem, gamma, settings), len(problem.y)
    rng = problem.rng("blb", f"{gamma:g}")
    rng.integers(2**63)  # as `blb_dynamic` does, so that both have the same resamples
    bag, seconds = timed(lambda: blb(problem.X, problem.y, rng=rng, **sizes))
    row = _bag_costs(bag, seconds, bag.rows_touched)
    rows = rng.choice(n, bag.b, replace=False)  # one such resample, to count what a batch fit reads
    counts = np.bincount(rng.integers(bag.b, size=n), minlength=bag.b)
    repeated = np.repeat(rows, counts)
    batch = batch_fit(
        problem.X[repeated], problem.y[repeated], rng=problem.rng("batch"), classes=[0, 1], ridge=_RIDGE_OF_SOFTMAX
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
    row = _bag_costs(found.bag, seconds, found.rows_touched)
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
    row = _bag_costs(bag, seconds, bag.rows_touched) | _rule(problem, found.fits[:: sizes["r"]])
    row |= _accessed(found.rows_accessed, found.distinct_accessed, n * bag.n_fits)
    return bag.coef, bag.statistic, row


def _growing(n: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"theta": settings["theta"], "initial_size": n // 100, "ridge": _RIDGE_OF_SOFTMAX, "tol": TOL}


def _rule(problem: Problem, fits: list[Fit] | tuple[Fit, ...]) -> Row:
    """Means over fits: the largest sample's share of the rows, and log10 of the true squared error over (13)'s."""
    n = len(problem.y)
    X, y = generate(problem.design, _FRESH * n, problem.rng("fresh"))
    gradients = [evaluate(fit.coef, X, y, 0.0).gradient for fit in fits]  # on the fit's own rows it is nearly 0
    ratios = [np.square(g).sum() / fit.trace.variance[-1] for g, fit in zip(gradients, fits, strict=True)]
    largest = float(np.mean([fit.trace.size.max() for fit in fits]))
    return {"largest_share": largest / n, "understated": float(np.mean(np.log10(ratios)))}


METHODS: Mapping[str, Callable[[Problem, float, Mapping[str, Any]], Found]] = {
    "full": _full,
    "bootstrap": _bootstrap,
    "blb": _blb,
    "osmac_mvc": _osmac,
    "blb_osmac": _blb_osmac,
    "dynamic": _dynamic,
    "blb_dynamic": _blb_dynamic,
}


# SVMs on real data ---------------------------------------------------------------------------------------------


class ClockedSVM(WKMSVM):
    """A WKM-SVM that keeps the seconds spent on decision values, also those of its clones.

    BLB's estimator consists of decision values; their seconds are kept apart from those of fitting.
    """

    spent: ClassVar[list[float]] = []

    def decision_function(self, X: ArrayLike) -> Array:
        """That of `WKMSVM`."""
        values, seconds = timed(lambda: WKMSVM.decision_function(self, X))
        self.spent.append(seconds)
        return values


def _svm_rows(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> Iterator[Row]:
    """Rows of one seed of one of `SVMS`.

    Decision values of the test rows are part of BLB's estimator, one set per fit; their seconds are kept
    apart from those of fitting, for every method alike.
    """
    sizes = {"n_train": settings["svm_rows"], "n_test": settings["svm_test"]}
    for name in settings["datasets"]:
        X, y, X_test, y_test, data = split(name, seed, root=root, **sizes, n_components=settings["n_components"])
        y, y_test = two_classes(y, y_test)
        compression = settings["compression"] if method in _COMPRESSED else 1
        start = seed_for("big_data", "combinations", name, "kmeans", seed)
        svm = ClockedSVM(compression, C=settings["C"], n_init=N_INIT, random_state=start)
        for gamma in settings["svm_gammas"] if method in _BY_GAMMA else [math.nan]:
            row: Row = {"problem": name, "data": data, "n_rows": len(y), "gamma": gamma}
            ClockedSVM.spent.clear()
            if method in _BY_GAMMA:
                drawn = {"b": subsample_size(len(y), gamma), "s": settings["svm_s"], "r": settings["svm_r"]}
                rng = rng_for("big_data", "combinations", name, "blb", f"{gamma:g}", seed)
                bag, seconds = timed(partial(blb_svm, X, y, X_test, svm=svm, rng=rng, **drawn))
                decided, row["width"] = bag.coef, float(bag.statistic.mean())
                row |= _bag_costs(bag, seconds - sum(ClockedSVM.spent), bag.rows_touched)
            else:
                _, seconds = timed(partial(svm.fit, X, y))
                decided = svm.decision_function(X_test)
                row |= {"seconds": seconds, "rows_touched": len(y), "n_fits": 1, "n_failed": 0}
            row["predict_seconds"] = sum(ClockedSVM.spent)
            yield row | {"error": float(((decided > 0.0) != y_test).mean())}
