"""What growing and fixed samples reach on the way: multinomial logistic regression, as in document 003's Figure 8.

All rows of a dataset are trained on, standardised, with a column of ones. There is no test set: the measure of
the document is how well the training data are fitted, exp(-J) with J the mean log loss over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal import datasets
from frugal.checks import check_between, check_positive, check_settings
from frugal.rows import fit_dynamic_sample
from frugal.rows.descent import SGD, NewtonCG, Solver
from frugal.rows.dynamic_run import Run
from frugal.rows.size_rule import SizeRule
from frugal.seeds import rng_for
from frugal.threads import one_thread

THETAS: Final = {"dynamic_10": 0.1, "dynamic_25": 0.25, "dynamic_50": 0.5, "dynamic_75": 0.75}
"""The document's, guarded against gradients that are noise."""
UNGUARDED: Final = "dynamic_75_unguarded"
METHODS: Final = ("fixed_5", "batch", *THETAS, "sgd_50", UNGUARDED)
CHECK_SETTINGS: Final = (
    "dataset", "n_rows", "max_passes", "start_share", "window", "ratio", "hessian_share", "max_products",
)  # fmt: skip
"""Of `variance_check`; n_rows None: all of the dataset's; the last four as in `frugal.rows`."""
SETTINGS: Final = (*CHECK_SETTINGS, "fixed_share")
"""Of `sample_sizes`."""

Array = NDArray[np.float64]

_CHUNK = 1000
"""Rows at a time, so that what is made of them stays in the cache: four times as fast as all at once."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows to fit.

    Attributes:
        X: standardised features and a column of ones, shape (N, d).
        y: classes from 0 to C - 1, shape (N,).
        facts: columns that every row of the runs has: dataset, data, n_rows (N), n_classes.
    """

    X: Array
    y: NDArray[np.int64]
    facts: Mapping[str, Any]

    def quality(self, coef: Array) -> tuple[float, float]:
        """Likelihood of the data, exp(-J), and share that is classified without error, at coefficients (d, C)."""
        loss, n_hits = 0.0, 0
        for first in range(0, len(self.y), _CHUNK):
            y = self.y[first : first + _CHUNK]
            scores = self.X[first : first + _CHUNK] @ coef
            n_hits += int(np.count_nonzero(scores.argmax(axis=1) == y))
            scores -= scores.max(axis=1, keepdims=True)
            loss += float((np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(y)), y]).sum())
        return math.exp(-loss / len(self.y)), n_hits / len(self.y)


def load(dataset: str, n_rows: int | None = None, root: str | Path = "data") -> Problem:
    """A dataset's training rows, all or `n_rows` of them, standardised; a feature that does not vary is 0."""
    found = datasets.load(dataset if n_rows is None else f"{dataset}_{n_rows}", root=root).training()
    X = found.X.reshape(len(found.y), -1).astype(float)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    facts = {"dataset": dataset, "data": found.provenance, "n_rows": len(X), "n_classes": found.n_classes}
    return Problem(np.column_stack([X, np.ones(len(X))]), found.y, facts)


def sample_sizes(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """One fit of Figure 8, step by step, until so many rows were accessed or it has converged.

    Args:
        method: of `METHODS`: samples of `fixed_share` of the rows, or of all (`batch`); or growing from
            `start_share` with theta in the name, in percent; by Newton-CG but for `sgd_50`. `UNGUARDED` is the
            test that the document prints.
        seed: of the samples; every method draws from the same generator.
        settings: all of `SETTINGS`.
        root: the data folder.

    Returns:
        One row per step, the first of them the start: iteration, points (rows accessed so far, trials of a step
        and products with the Hessian included), seconds (of the fit alone), size (of the sample), likelihood
        and accuracy (on all rows, after the step), passed (whether the sample was large enough), max_passes, and
        the columns of `Problem.facts`.

    Raises:
        ValueError: on an unknown setting, or one that is missing.
    """
    known = _settings(settings, SETTINGS)
    problem = load(known["dataset"], known["n_rows"], root)
    n, rng = len(problem.X), rng_for("sample_sizes", known["dataset"], seed)
    run = _prepare(method, problem, rng, known)
    rows: list[dict[str, Any]] = []
    seconds, started = 0.0, run.size

    def note(size: int, passed: bool) -> None:
        likelihood, accuracy = problem.quality(run.coef)
        where = {"iteration": len(run.steps), "points": run.points, "seconds": seconds, "size": size}
        rows.append({**where, "likelihood": likelihood, "accuracy": accuracy, "passed": passed})

    with one_thread():
        note(started, True)
        while not run.status and run.points < known["max_passes"] * n:
            before = perf_counter()
            run.advance()
            seconds += perf_counter() - before
            note(run.steps[-1].size, run.steps[-1].passed)
    return pd.DataFrame(rows).assign(max_passes=known["max_passes"], **problem.facts)


def variance_check(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """How well equation 13 estimates the error of the gradient, at every step of a fit with growing samples.

    Args:
        method: `dynamic_50`.
        seed: of the samples.
        settings: all of `CHECK_SETTINGS`.
        root: the data folder.

    Returns:
        One row per step: iteration, size (m), squared_error (|g_S - g|^2 of the gradients on the sample and on
        all rows), variance (V of equation 13), corrected (V (1 - m / N)), and the columns of `Problem.facts`.

    Raises:
        ValueError: on an unknown setting, or one that is missing.
    """
    known = _settings(settings, CHECK_SETTINGS)
    problem = load(known["dataset"], known["n_rows"], root)
    n = len(problem.X)
    with one_thread():
        fit = fit_dynamic_sample(
            problem.X,
            problem.y,
            theta=THETAS[method],
            initial_size=_size(known["start_share"], n),
            rng=rng_for("variance_check", known["dataset"], seed),
            window=known["window"],
            ratio=known["ratio"],
            hessian_share=known["hessian_share"],
            max_products=known["max_products"],
            classes=np.arange(problem.facts["n_classes"]),
            max_iter=100_000,  # the limit is on points
            max_points=math.ceil(known["max_passes"] * n),
            watch=True,
        )
    trace = fit.trace
    steps = pd.DataFrame(
        {
            "iteration": np.arange(1, len(trace.size) + 1),
            "size": trace.size,
            "squared_error": trace.squared_error,
            "variance": trace.variance,
            "corrected": trace.variance * (1.0 - trace.size / n),
        }
    )
    return steps.assign(**problem.facts)


def _prepare(method: str, problem: Problem, rng: np.random.Generator, known: Mapping[str, Any]) -> Run:
    """The fit before its first step, as `fit_dynamic_sample` does it; that one is not open to a clock per step."""
    n, n_classes = len(problem.X), int(problem.facts["n_classes"])
    share = {"fixed_5": known["fixed_share"], "batch": 1.0}.get(method, known["start_share"])
    dynamic = method not in ("fixed_5", "batch")
    theta = {UNGUARDED: 0.75, "sgd_50": 0.5, **THETAS}.get(method, 0.5)  # no matter where no sample grows
    descent: Solver = SGD(1.0, adapts=True)
    if method != "sgd_50":
        cg = {"hessian_share": known["hessian_share"], "max_products": known["max_products"]}
        descent = NewtonCG(1.0, **cg, tolerance=0.1)
    rule = SizeRule(theta=theta, n=n, window=0 if method == UNGUARDED else known["window"], ratio=known["ratio"])
    coef = np.zeros((problem.X.shape[1], n_classes))
    codes = problem.y.astype(np.intp)
    return Run(problem.X, codes, 0.0, rng, descent, rule, coef, _size(share, n), dynamic, True, 1e-6)


def _size(share: float, n: int) -> int:
    return min(n, max(2, round(share * n)))


def _settings(settings: Mapping[str, Any], known: tuple[str, ...]) -> Mapping[str, Any]:
    check_settings(settings, known)
    check_positive("max_passes", settings["max_passes"])
    for name in ("fixed_share", "start_share"):
        if name in known:
            check_between(name, settings[name], 0, 1, above=True)
    return settings


EXPERIMENTS = {"sample_sizes": (sample_sizes, METHODS), "variance_check": (variance_check, ("dynamic_50",))}
"""Experiment -> what runs one seed of one method, and its methods."""
