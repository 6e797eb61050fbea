"""Weighted fits on resamples, shared by the bootstrap, b out of n and the bag of little bootstraps.

A resample is a list of counts, one per row that it was drawn from, and its fit is a fit with these as weights:
n rows are never written out (document 003, section 3.1). The document divides the counts by n; an estimator
that minimises a weighted mean, such as `fit_logistic`, does so itself.

Every resample has a generator of its own, derived from one seed and its number, so that nothing depends on the
order in which resamples are fitted or on how many workers fit them. Fits run on one thread each, since sums
that are split over threads differ in their last bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.rows.checks import are_labels, check_features, check_finite, check_targets
from frugal.threads import one_thread

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Estimator = Callable[..., ArrayLike]
"""`fit(X, y, weights) -> coefficients`, and with a warm start `fit(X, y, weights, start=coefficients)`."""

_DENSE = 8
"""Up to this many draws per row, drawing row numbers is faster than drawing counts."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with their labels.

    Attributes:
        X: features, shape (n, d).
        y: class labels or numbers, shape (n,); None: the estimator needs none.
        classes: distinct labels, sorted, shape (n_classes,); None where `y` holds floating-point numbers or is
            None.
        codes: index into `classes` per row, shape (n,); None where `classes` is.
    """

    X: NDArray[Any]
    y: NDArray[Any] | None
    classes: NDArray[Any] | None = None
    codes: NDArray[np.intp] | None = None

    @classmethod
    def from_arrays(cls, X: ArrayLike, y: ArrayLike | None, classes: NDArray[Any] | None = None) -> Rows:
        """Check shapes and types, and make the rows.

        Args:
            X: features, shape (n, d).
            y: class labels or numbers, shape (n,), or None.
            classes: sorted classes of the data that the rows are part of; None: those of `y`.

        Raises:
            ValueError: on a wrong shape or type.
        """
        features = check_features(X)
        if y is None:
            return cls(features, None)
        targets = check_targets(y, len(features))
        if not are_labels(targets):
            return cls(features, targets)
        classes = np.unique(targets) if classes is None else classes
        return cls(features, targets, classes, np.searchsorted(classes, targets))

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: NDArray[Any]) -> Rows:
        """Select rows by numbers or by a mask."""
        y = None if self.y is None else self.y[rows]
        return Rows(self.X[rows], y, self.classes, None if self.codes is None else self.codes[rows])

    def missing(self) -> list[object]:
        """Classes without a row; none where there are no classes."""
        if self.classes is None or self.codes is None:
            return []
        present = np.bincount(self.codes, minlength=len(self.classes)) > 0
        return cast(list[object], self.classes[~present].tolist())

    def check_finite(self) -> None:
        """Raise ValueError on nan and infinity."""
        for name, array in (("X", self.X), ("y", self.y)):
            if array is not None:
                check_finite(name, array)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One fit.

    Attributes:
        coef: coefficients, shape (d,); None if the fit failed.
        rows: number of distinct rows that it was given.
        reason: why it failed; empty if it did not.
    """

    coef: Array | None
    rows: int
    reason: str = ""


def draw_counts(rng: np.random.Generator, n: int, b: int) -> Ints:
    """Draw `n` of `b` rows with replacement and count each row: multinomial, in O(b) memory.

    Args:
        rng: generator.
        n: size of the resample.
        b: rows to draw from.

    Returns:
        Counts, shape (b,), that sum to `n`.
    """
    if n <= _DENSE * b:
        return np.bincount(rng.integers(b, size=n), minlength=b)
    return rng.multinomial(n, np.full(b, 1.0 / b))


def fit_counts(fit: Estimator, rows: Rows, counts: Ints, start: Array | None) -> Outcome:
    """Fit to copies of the rows with counts as weights; rows that are not drawn are left out.

    A fit has failed if it raises ValueError (such as NumPy's LinAlgError) or ArithmeticError, gives
    coefficients that are not finite, or would lack a class. Any other exception is a bug, and is not caught.

    Args:
        fit: the estimator.
        rows: the rows.
        counts: count of each row, shape (n_rows,).
        start: the estimator's argument `start`; None: it is not passed.
    """
    drawn = counts > 0
    rows, counts = rows.take(drawn), counts[drawn]
    if missing := rows.missing():
        return Outcome(None, len(rows), f"the resample misses class {missing[0]!r}")
    more = {} if start is None else {"start": start.copy()}  # scikit-learn's SGD, for one, fits in place
    return as_outcome(lambda: fit(rows.X, rows.y, counts.astype(float), **more), len(rows))


def as_outcome(fit: Callable[[], ArrayLike], n_rows: int) -> Outcome:
    """Run a fit on one thread and wrap its result; see `fit_counts` for failures."""
    try:
        with one_thread():
            coef = np.array(fit(), dtype=float, ndmin=1)  # a copy, since a fit may fill one array again and again
    except (ValueError, ArithmeticError) as error:
        return Outcome(None, n_rows, str(error) or type(error).__name__)
    if not np.isfinite(coef).all():
        return Outcome(None, n_rows, "coefficients are not finite")
    return Outcome(coef, n_rows)
