"""The logistic regressions of document 002: against scikit-learn's binary fits, and the multinomial optimum."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from frugal.datasets import Dataset
from frugal.interface import TrialTask
from frugal.learners import build, known, space
from frugal.learners.logistic import SGDLogisticRegression
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem

SGD = {"learning_rate": 0.5, "l2": 0.01, "batch_size": 20, "n_epochs": 5}


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    centres = np.array([[0.0, 0.0, 0.0, 0.0], [1.5, 0.0, 0.5, 0.0], [0.0, 1.5, 0.0, 0.5]])
    return centres[y] + rng.standard_normal((300, 4)), y * 10 - 10


@pytest.fixture(scope="module")
def pixels(blobs):
    X = np.clip(80 + 40 * blobs[0], 0, 255).astype(np.uint8)
    return Dataset("toy", X, blobs[1] // 10 + 1, 3, "generated", {"all": np.arange(300)})


@pytest.mark.parametrize(
    "candidate", [{"C": 0.1, "intercept_scaling": 0.01}, {"C": 3.775, "intercept_scaling": 1.625}]
)
def test_one_vs_rest_is_a_binary_fit_per_class(blobs, candidate):
    X, y = blobs
    model = build("logistic_regression", candidate, seed=3).fit(X, y)
    scores = np.column_stack(
        [
            LogisticRegression(solver="liblinear", random_state=3, **candidate)
            .fit(X, y == label)
            .decision_function(X)
            for label in (-10, 0, 10)
        ]
    )
    assert model.decision_function(X) == pytest.approx(scores, rel=1e-12)
    assert np.array_equal(model.predict(X), np.array([-10, 0, 10])[scores.argmax(axis=1)])


def test_one_binary_fit_is_the_minimum_of_liblinears_objective(blobs):
    X, y = blobs
    C, scaling = 2.0, 0.5
    model = build("logistic_regression", {"C": C, "intercept_scaling": scaling}).fit(X, y)
    rows, signs = np.column_stack([X, np.full(len(X), scaling)]), np.where(y == 0, 1.0, -1.0)

    def objective(w):  # the weight of the appended feature is penalised as the others are
        return 0.5 * w @ w + C * np.logaddexp(0, -signs * (rows @ w)).sum()

    best = minimize(objective, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    fitted = model.estimators_[1]
    assert fitted.coef_[0] == pytest.approx(best[:4], abs=2e-3)  # liblinear stops at its tolerance, 1e-4
    assert fitted.intercept_[0] == pytest.approx(scaling * best[4], abs=2e-3)


def test_nothing_is_deprecated(blobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build("logistic_regression", {"C": 1.0, "intercept_scaling": 1.0}).fit(*blobs).predict(blobs[0])


def objective_of(theta, X, codes, l2):
    W, b = theta[:-3].reshape(-1, 3), theta[-3:]
    return -log_softmax(X @ W + b, axis=1)[np.arange(len(X)), codes].mean() + l2 * (W**2).sum()


@pytest.mark.parametrize("batch_size", [300, 30])
def test_many_epochs_reach_the_multinomial_optimum(blobs, batch_size):
    X, y = blobs
    codes, l2 = y // 10 + 1, 0.02
    best = minimize(objective_of, np.zeros(15), args=(X, codes, l2), method="BFGS", options={"gtol": 1e-9})
    rate = 0.3 if batch_size == 300 else 0.003  # a constant rate leaves noise in proportion to it
    model = SGDLogisticRegression(rate, l2, batch_size, 1500).fit(X, y)
    theta = np.concatenate([model.coef_.ravel(), model.intercept_]).astype(float)
    tolerance = 1e-10 if batch_size == 300 else 1e-5
    assert 0 <= objective_of(theta, X, codes, l2) - best.fun + 1e-12 < tolerance
    assert model.coef_.ravel() == pytest.approx(best.x[:-3], abs=1e-4 if batch_size == 300 else 1e-2)
    plain = LogisticRegression(C=1 / (2 * l2 * len(X)), tol=1e-8).fit(
        X, y
    )  # its penalty is |W|^2 / 2C over the sum
    assert model.predict_proba(X) == pytest.approx(plain.predict_proba(X), abs=1e-4 if batch_size == 300 else 1e-2)
    assert np.mean(model.predict(X) == plain.predict(X)) > 0.99


def test_one_step_is_the_gradient_by_finite_differences(blobs):
    X, y = blobs
    codes = y // 10 + 1
    one, two = (SGDLogisticRegression(0.4, 0.1, 300, n).fit(X, y) for n in (1, 2))
    theta = np.concatenate([one.coef_.ravel(), one.intercept_]).astype(float)
    steps = 1e-5 * np.eye(15)
    slope = [
        (objective_of(theta + s, X, codes, 0.1) - objective_of(theta - s, X, codes, 0.1)) / 2e-5 for s in steps
    ]
    after = np.concatenate([two.coef_.ravel(), two.intercept_])
    assert after == pytest.approx(theta - 0.4 * np.array(slope), abs=1e-6)


def test_the_last_batch_may_be_smaller_and_a_batch_no_larger_than_the_rows(blobs):
    X, y = blobs[0][:50], blobs[1][:50]
    whole = SGDLogisticRegression(0.5, 0.0, 50, 3, seed=1).fit(X, y)
    assert SGDLogisticRegression(0.5, 0.0, 2000, 3, seed=1).fit(X, y).coef_ == pytest.approx(whole.coef_, abs=1e-7)
    uneven = SGDLogisticRegression(0.5, 0.0, 49, 1, seed=1).fit(X, y)
    order = np.random.default_rng(1).permutation(50)
    by_hand = SGDLogisticRegression(0.5, 0.0, 49, 1, seed=1)
    by_hand.coef_, by_hand.intercept_ = np.zeros((4, 3), np.float32), np.zeros(3, np.float32)
    targets = np.eye(3, dtype=np.float32)[y // 10 + 1]
    for rows in (order[:49], order[49:]):
        by_hand._step(X[rows].astype(np.float32), targets[rows])
    assert uneven.coef_ == pytest.approx(by_hand.coef_, abs=1e-7)


def test_the_seed_decides_the_order_of_rows_and_nothing_else_does(blobs):
    first, again, other = (build("sgd_logistic_regression", SGD, seed=seed).fit(*blobs) for seed in (1, 1, 2))
    assert np.array_equal(first.coef_, again.coef_)
    assert not np.array_equal(first.coef_, other.coef_)


def test_a_fit_that_diverges_says_so(blobs):
    diverging = SGD | {"learning_rate": 10.0, "l2": 1.0, "n_epochs": 50}
    with pytest.raises(FloatingPointError, match=r"overflowed in epoch \d: a learning_rate of 10 is too high"):
        build("sgd_logistic_regression", diverging).fit(*blobs)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"learning_rate": -0.1}, "learning_rate must be at least 0 and a finite number, got -0.1"),
        ({"l2": math.nan}, "l2 must be at least 0 and a finite number, got nan"),
        ({"batch_size": 0}, "batch_size must be at least 1 and a whole number, got 0"),
        ({"n_epochs": 2.5}, "n_epochs must be at least 1 and a whole number, got 2.5"),
        ({"momentum": 0.9}, "sgd_logistic_regression does not take these hyperparameters: .*'momentum'"),
    ],
)
def test_hyperparameters_that_make_no_sense_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        build("sgd_logistic_regression", SGD | changed)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros((3, 2)), [0, 1], r"X must be \(n, n_features\) and y \(n,\), got \(3, 2\) and \(2,\)"),
        (np.zeros((0, 2)), [], r"got \(0, 2\) and \(0,\)"),
        (np.full((2, 2), np.nan), [0, 1], "features must be finite numbers"),
        (np.zeros((2, 2)), [1, 1], "labels must be of at least two classes, got only .*1"),
    ],
)
def test_rows_that_cannot_be_fitted_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        SGDLogisticRegression(**SGD).fit(X, y)


def test_the_spaces_are_those_of_the_sources():
    assert {"logistic_regression", "sgd_logistic_regression"} <= set(known())
    box, grid = space("box", "logistic_regression"), space("grid", "logistic_regression").grid()
    assert box.from_unit(np.zeros(2)) == {"C": 0.1, "intercept_scaling": 0.01}
    assert box.from_unit(np.ones(2)) == {"C": 5.0, "intercept_scaling": 2.0}
    ticks = np.linspace(0, 1, 5)
    points = np.array([box.to_unit(candidate) for candidate in grid])
    assert points == pytest.approx(np.array([[a, b] for a in ticks for b in ticks]))
    hpolib = space("hpolib", "sgd_logistic_regression")
    names = ("learning_rate", "l2", "batch_size", "n_epochs")
    assert hpolib.from_unit(np.zeros(4)) == dict(zip(names, (0.0, 0.0, 20, 5), strict=True))
    assert hpolib.from_unit(np.ones(4)) == dict(zip(names, (10.0, 1.0, 2000, 100), strict=True))


@pytest.mark.parametrize(
    ("learner", "candidate"),
    [("logistic_regression", {"C": 1.0, "intercept_scaling": 1.0}), ("sgd_logistic_regression", SGD)],
)
def test_they_can_be_tuned(pixels, learner, candidate):
    parts = split(pixels, n_valid=60, n_test=60, seed=0)
    problem = LearnerProblem(learner, pixels, parts, space("box" if "C" in candidate else "hpolib", learner))
    trial = problem.evaluate(TrialTask(0, candidate), lambda task, epoch, score: True)
    assert trial.reason == ""
    assert trial.error < 0.5
    assert problem.test_error(candidate) < 0.5  # of three classes
    diverging = {"learning_rate": 10.0, "l2": 1.0, "batch_size": 20, "n_epochs": 50}
    if learner == "sgd_logistic_regression":
        failed = problem.evaluate(TrialTask(1, diverging), lambda task, epoch, score: True)
        assert math.isnan(failed.error)
        assert "FloatingPointError: the weights overflowed" in failed.reason


def test_rows_that_are_not_finite_are_not_predicted():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0]] * 10), np.array([0, 1] * 10)
    fitted = SGDLogisticRegression(0.1, 0.0, 20, 5).fit(X, y)
    for predict in (fitted.predict, fitted.predict_proba):
        with pytest.raises(ValueError, match="features must be finite numbers"):
            predict([[np.nan, 1.0]])
