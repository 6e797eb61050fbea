"""The generated problems of section 3.3: the two designs of Figure 10, and a rare class as in Figure 9."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]

N_FEATURES: Final = 7
COEF: Final = np.full(N_FEATURES, 0.5)
"""The true coefficients of both designs (Wang, Zhu and Ma 2018)."""
DESIGNS: Final = {"mzNormal": 0.0, "nzNormal": 1.5}
"""Design -> mean of every feature."""
RARE_MEAN: Final = np.array([1.5, 1.5])
RARE_SD: Final = np.array([2.0, 0.3])
"""Of the rare class; the other is standard normal.

The document prints no parameters. The covariances differ, so that the true log-odds are quadratic, by 3/8 x_1^2
and
-5.06 x_2^2, and no linear model is right. They were fixed before any method was run.
"""


def design_rows(name: str, n_rows: int, rng: Generator) -> tuple[Floats, Floats]:
    """Rows of a design of Figure 10: no intercept, correlations of one half.

    Args:
        name: key of `DESIGNS`.
        n_rows: how many.
        rng: draws them.

    Returns:
        Features, shape (n_rows, N_FEATURES), and labels, 0 or 1, from the logistic model with `COEF`, shape
        (n_rows,).
    """
    factor = np.linalg.cholesky(0.5 + 0.5 * np.eye(N_FEATURES))
    X = DESIGNS[name] + rng.standard_normal((n_rows, N_FEATURES)) @ factor.T
    return X, (rng.random(n_rows) < expit(X @ COEF)).astype(float)


def rare_rows(n_rows: int, share: float, rng: Generator) -> tuple[Floats, Floats]:
    """Rows of a rare class within a common one, two features after a column of ones.

    Args:
        n_rows: how many.
        share: probability of label 1.
        rng: draws them.

    Returns:
        Features, shape (n_rows, 3), and labels, shape (n_rows,).
    """
    y = (rng.random(n_rows) < share).astype(float)
    normal = rng.standard_normal((n_rows, 2))
    X = np.where(y[:, None] == 1.0, RARE_MEAN + RARE_SD * normal, normal)
    return np.column_stack([np.ones(n_rows), X]), y
