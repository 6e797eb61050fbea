"""Figure 10's two designs, and what its tests share."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from frugal.rows import fit_subsample

N_FEATURES = 7
BETA = np.full(N_FEATURES, 0.5)
MEANS = {"mzNormal": 0.0, "nzNormal": 1.5}


def design(name, rng, n_rows=10_000):
    """Correlated normal features without an intercept, and labels drawn from the logistic model with BETA."""
    covariance = 0.5 + 0.5 * np.eye(N_FEATURES)
    X = MEANS[name] + rng.standard_normal((n_rows, N_FEATURES)) @ np.linalg.cholesky(covariance).T
    return X, (rng.random(n_rows) < expit(X @ BETA)).astype(int)


def reference(X, y, weights=None):
    """Maximum of the likelihood, by scikit-learn."""
    model = LogisticRegression(C=np.inf, fit_intercept=False, solver="newton-cg", tol=1e-10, max_iter=1000)
    return model.fit(X, y, sample_weight=weights).coef_[0]


def repeat(data, n_repeats, method, **settings):
    """Fits of many subsamples of the same rows; none may fail."""
    sizes = {"pilot_size": 200, "size": 500} | settings
    return [
        fit_subsample(*data, method=method, rng=np.random.default_rng([7, i]), **sizes) for i in range(n_repeats)
    ]


def squared_errors(fits, truth):
    return np.array([((fit.coef - truth) ** 2).sum() for fit in fits])
