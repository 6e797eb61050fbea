"""What a fit costs: seconds of its own work, and the rows that a batch fit of the same rows reads."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from frugal.rows import WKMSVM, Fit, fit_dynamic_sample
from studies.big_data.beyond.designs import Floats, Ints

Result = TypeVar("Result")

TOL = 1e-4
"""Largest entry of the gradient where a Newton-CG fit ends: a few hundredths of the gradient's noise on n rows."""
N_INIT = 1
"""Restarts of k-means (the library's default is 3): inside BLB each of s r fits clusters anew."""


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    """What a call gives, and its seconds; warnings of fits that failed are not shown, since these are counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        start = time.perf_counter()
        found = call()
        return found, time.perf_counter() - start


def batch_fit(X: Floats, y: Ints, *, rng: np.random.Generator, **settings: Any) -> Fit:
    """Newton-CG with every row in every sample; the Hessian on a tenth of them.

    Args:
        X: rows, shape (n, d).
        y: labels, shape (n,).
        rng: of the Hessian's rows.
        **settings: of `fit_dynamic_sample`: ridge, classes.
    """
    every: dict[str, Any] = {"theta": 0.0, "dynamic": False, "initial_size": len(y), "tol": TOL}
    return fit_dynamic_sample(X, y, rng=rng, **every, **settings)


class ClockedSVM(WKMSVM):
    """A WKM-SVM that keeps the seconds spent on decision values, also those of its clones.

    With it the seconds of fitting are told from those of the decision values, which BLB's estimator consists of.
    """

    spent: ClassVar[list[float]] = []

    def decision_function(self, X: ArrayLike) -> Floats:
        """That of `WKMSVM`."""
        values, seconds = timed(lambda: WKMSVM.decision_function(self, X))
        self.spent.append(seconds)
        return values
