"""Result of a fit on growing samples: the model and the trace of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from frugal.rows.checks import check_features, check_finite, check_names, names_of
from frugal.rows.multinomial import Array, Ints


class Step(NamedTuple):
    """A row of `Trace`."""

    size: int
    points: int
    objective: float
    gradient_norm: float
    variance: float
    tested_norm: float
    passed: bool
    n_products: int
    step: float
    full_objective: float
    squared_error: float


@dataclass(frozen=True, eq=False)
class Trace:
    """One entry per sample, each of shape (n_steps,); `pandas.DataFrame(vars(trace))` is a table.

    Attributes:
        size: rows m of the sample.
        points: rows accessed so far, this step included.
        objective: objective on the sample, before the step.
        gradient_norm: length of the gradient on the sample, before the step.
        variance: V of equation 13, before the step.
        tested_norm: length in the test of V: that of the gradient, or of an average of the last ones.
        passed: whether the test passed.
        n_products: products with the Hessian.
        step: length of the step along the direction; 0 where none was taken.
        full_objective: objective on all rows, after the step; nan unless watched.
        squared_error: squared distance of the gradient on the sample from that on all rows; nan unless watched.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> fit = rows.fit_dynamic_sample(X, y, theta=0.5, initial_size=50, rng=rng)
        >>> bool((np.diff(fit.trace.size) >= 0).all())
        True
    """

    size: Ints
    points: Ints
    objective: Array
    gradient_norm: Array
    variance: Array
    tested_norm: Array
    passed: NDArray[np.bool_]
    n_products: Ints
    step: Array
    full_objective: Array
    squared_error: Array


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted multinomial logistic regression, without intercept.

    Attributes:
        coef: coefficients, shape (d, C), one column per class.
        classes: labels, sorted, shape (C,).
        status: `converged`: the gradient on all rows is small. Without a penalty it becomes so without a maximum,
            too, where rows lie on a hyperplane that separates the others: some of `coef` are then as large as the
            steps made them. `separated`: every row has been classified without error and there is no penalty, so
            that no maximum exists; `stalled`: no step along the direction lowers the objective on all rows;
            `max_iter` or `max_points`: that limit ended the fit; `stopped`: `report` returned False.
        trace: the steps.
        columns: names of the columns of a table that was fitted; None: it was an array.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> fit = rows.fit_dynamic_sample(X, y, theta=0.5, initial_size=50, rng=rng)
        >>> fit.coef.shape, fit.predict([[1.0, -3.0], [1.0, 5.0]]).tolist()
        ((2, 2), [0, 1])
    """

    coef: Array
    classes: NDArray[Any]
    status: str
    trace: Trace
    columns: tuple[Any, ...] | None = None

    @property
    def n_points(self) -> int:
        """Number of rows accessed."""
        return int(self.trace.points[-1])

    def predict_proba(self, X: ArrayLike) -> Array:
        """Probabilities of the classes, shape (n, C), for features of shape (n, d)."""
        return np.asarray(softmax(self._log_odds(X), axis=1))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Most probable classes, shape (n,), for features of shape (n, d)."""
        return np.asarray(self.classes[self._log_odds(X).argmax(axis=1)])

    def _log_odds(self, X: ArrayLike) -> Array:
        """Log-odds up to a constant per row, shape (n, C).

        Raises:
            ValueError: on rows with other columns than those fitted, or entries that are not finite.
        """
        check_names("X", names_of(X), self.columns)
        features = np.asarray(check_features(X), dtype=float)
        if features.shape[1] != len(self.coef):
            raise ValueError(f"X must have {len(self.coef)} columns, as the fitted rows, got {features.shape[1]}")
        check_finite("X", features)
        return features @ self.coef
