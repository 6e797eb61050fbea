"""Weighted logistic regression against scikit-learn, SciPy and written-out rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from frugal.rows import fit_logistic


def problem(n=400, d=4, heavy=False):
    rng = np.random.default_rng(0)
    X = rng.standard_t(3, size=(n, d)) if heavy else rng.normal(size=(n, d))
    y = (rng.random(n) < 1 / (1 + np.exp(-X @ np.linspace(-1, 1, d)))).astype(int)
    return X, y, rng.integers(0, 5, size=n).astype(float)


@pytest.mark.parametrize("ridge", [1e-5, 1e-2, 1.0])
@pytest.mark.parametrize("heavy", [False, True])
def test_the_estimate_is_scikit_learn_s(ridge, heavy):
    X, y, weights = problem(heavy=heavy)
    model = LogisticRegression(
        C=1 / (ridge * weights.sum()), fit_intercept=False, tol=1e-12, solver="newton-cholesky"
    )
    theirs = model.fit(X, y, sample_weight=weights).coef_[0]
    np.testing.assert_allclose(fit_logistic(X, y, weights, ridge=ridge), theirs, rtol=1e-7, atol=1e-9)


def test_the_estimate_minimises_the_stated_objective():
    X, y, weights = problem(n=80)
    z = 2 * y - 1

    def objective(beta):
        return weights @ np.log1p(np.exp(-z * (X @ beta))) / weights.sum() + 0.05 * beta @ beta

    theirs = minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(fit_logistic(X, y, weights, ridge=0.1), theirs, atol=1e-6)


def test_the_scale_of_the_weights_and_rows_of_weight_0_do_not_matter():
    X, y, weights = problem()
    ours = fit_logistic(X, y, weights)
    np.testing.assert_allclose(fit_logistic(X, y, 1e-6 * weights), ours, rtol=1e-9)
    kept = weights > 0
    np.testing.assert_allclose(fit_logistic(X[kept], y[kept], weights[kept]), ours, rtol=1e-12)
    np.testing.assert_allclose(fit_logistic(X, y), fit_logistic(X, y, np.ones(400)), rtol=1e-12)


def test_labels_may_be_any_two_values_and_the_larger_is_the_positive_one():
    X, y, _ = problem()
    ours = fit_logistic(X, y)
    for labels in (2 * y - 1, y == 1, np.where(y == 1, "yes", "no"), y.astype(float)):
        assert np.array_equal(fit_logistic(X, labels), ours)
    np.testing.assert_allclose(fit_logistic(X, 1 - y), -ours, rtol=1e-9)


def test_a_start_far_away_reaches_the_same_estimate():
    X, y, weights = problem(heavy=True)
    ours = fit_logistic(X, y, weights)
    np.testing.assert_allclose(fit_logistic(X, y, weights, start=np.full(4, 30.0)), ours, rtol=1e-7)
    np.testing.assert_allclose(fit_logistic(X, y, weights, start=ours), ours, rtol=1e-9)


def test_separated_rows_have_an_estimate_with_a_penalty_and_are_refused_without():
    X = np.array([[-2.0], [-1.0], [1.0], [3.0]])
    y = np.array([0, 0, 1, 1])
    beta = fit_logistic(X, y)[0]
    # The derivative of the objective vanishes: ridge * beta = mean of |x| / (1 + exp(beta |x|)).
    assert 1e-5 * beta == pytest.approx(np.mean(np.abs(X[:, 0]) / (1 + np.exp(beta * np.abs(X[:, 0])))), rel=1e-6)
    with pytest.raises(ValueError, match=r"^a hyperplane separates the classes, so the likelihood has no maximum"):
        fit_logistic(X, y, ridge=0.0)
    on_the_boundary = np.array([[0.0], [-1.0], [1.0], [0.0]])
    with pytest.raises(ValueError, match="a hyperplane separates the classes"):
        fit_logistic(on_the_boundary, y, ridge=0.0)
    far = np.append(on_the_boundary, [[1e9]], axis=0)
    with pytest.raises(ValueError, match="a hyperplane separates the classes"):
        fit_logistic(far, np.append(y, 1), ridge=0.0)


@pytest.mark.parametrize("far", [1e6, 1e9, 1e15])
def test_one_far_row_does_not_pass_for_separation(far):
    # Its probability is 1, so that it changes nothing.
    X, y, _ = problem()
    with_it = np.append(X, [[0.0, 0.0, 0.0, far]], axis=0)
    ours = fit_logistic(with_it, np.append(y, 1), ridge=0.0)
    np.testing.assert_allclose(ours, fit_logistic(X, y, ridge=0.0), rtol=1e-6)


X, y, w = problem(n=20)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ridge": -1.0}, "ridge must be at least 0 and a finite number, got -1.0"),
        ({"y": np.arange(20) % 3}, "y must hold two classes where weights are positive, got 3 distinct values"),
        ({"y": np.zeros(20)}, "y must hold two classes where weights are positive, got 1 distinct values"),
        ({"weights": 1.0 * (y == 0)}, "y must hold two classes where weights are positive, got 1 distinct values"),
        ({"y": y[1:]}, "y must have shape (20,), one per row of X, got (19,)"),
        ({"weights": w[1:]}, "weights must have shape (20,), one per row of X, got (19,)"),
        ({"weights": w - 1}, "weights must be finite, at least 0 and not all 0"),
        ({"weights": 0 * w}, "weights must be finite, at least 0 and not all 0"),
        ({"weights": np.where(w == 1, np.inf, w)}, "weights must be finite, at least 0 and not all 0"),
        ({"start": np.zeros(3)}, "start must be finite and of shape (4,), got shape (3,)"),
        ({"X": X * np.inf}, "X must be finite, got nan or infinite entries"),
        ({"y": np.where(y == 1, 1.0, np.nan)}, "y must be finite, got nan or infinite entries"),
        ({"y": np.where(y == 1, "yes", None)}, "y must not hold missing labels"),
        (
            {"y": np.where(y == 1, np.datetime64("2020-01-01"), np.datetime64("NaT"))},
            "y must not hold missing labels",
        ),
        ({"y": np.array([*(["yes", "no"] * 9), "no", np.nan], dtype=object)}, "y must not hold missing labels"),
        (
            {"X": X[:, [0, 0]], "ridge": 0.0},
            "Newton's method found no maximum with ridge=0: columns of X may be dependent",
        ),
    ],
)
def test_a_fit_refuses(change, message):
    given = {"X": X, "y": y, "weights": w + 1, **change}
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        fit_logistic(given.pop("X"), given.pop("y"), given.pop("weights"), **given)
    assert str(refusal.value) == message
