"""Multinomial logistic regression on samples that grow: the computing behind document 003's section 3.2.

All rows of a dataset are trained on, standardised, with a column of ones. There is no test set: the measure of
the document is how well the training data are fitted, exp(-J) with J the mean log loss over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal import datasets
from frugal.rows.descent import SGD, NewtonCG, Solver
from frugal.rows.dynamic_run import Run, SizeRule
from studies.estimates import Array
from studies.records import Method

_CHUNK: Final = 1000
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


def prepare(method: Method, problem: Problem, rng: np.random.Generator, settings: Mapping[str, Any]) -> Run:
    """A fit before its first step, as `fit_dynamic_sample` begins it, whose steps can be clocked one by one.

    Args:
        method: its strategy is `batch`, `fixed` or `dynamic`; its settings are theta, solver (`sgd`; Newton-CG by
            default) and window (the study's by default).
        problem: the rows.
        rng: draws the samples.
        settings: of the study.
    """
    n, n_classes = len(problem.X), int(problem.facts["n_classes"])
    share = {"fixed": settings["fixed_share"], "batch": 1.0}.get(method.strategy, settings["start_share"])
    descent: Solver = SGD(1.0, adapts=True)
    if method.settings.get("solver") != "sgd":
        limits = {"hessian_share": settings["hessian_share"], "max_products": settings["max_products"]}
        descent = NewtonCG(1.0, **limits, tolerance=0.1)
    rule = SizeRule(
        theta=method.settings.get("theta", 0.5),  # not used where no sample grows
        n=n,
        window=method.settings.get("window", settings["window"]),
        ratio=settings["ratio"],
    )
    return Run(
        problem.X,
        problem.y.astype(np.intp),
        ridge=0.0,
        rng=rng,
        descent=descent,
        rule=rule,
        coef=np.zeros((problem.X.shape[1], n_classes)),
        size=n_sampled(share, n),
        dynamic=method.strategy == "dynamic",
        line_search=True,
        tol=1e-6,
    )


def n_sampled(share: float, n: int) -> int:
    """Rows of a sample of a share of `n` rows, two at least."""
    return min(n, max(2, round(share * n)))
