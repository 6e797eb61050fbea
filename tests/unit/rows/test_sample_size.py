"""Fits on growing samples against SciPy, scikit-learn, hand counts and the method with all rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from frugal.rows import descent, dynamic_run, fit_dynamic_sample

N, D, C = 400, 3, 4


def problem(n=N, d=D, n_classes=C, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, scores.argmax(axis=1)


X, y = problem()


def fit(X=X, y=y, seed=0, **given):
    return fit_dynamic_sample(X, y, rng=np.random.default_rng(seed), **{"theta": 0.5, "initial_size": 20, **given})


def mean_loss(coef, X=X, y=y):
    return -log_softmax(X @ coef, axis=1)[np.arange(len(X)), y].mean()


# The optimum ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["newton_cg", "sgd"])
@pytest.mark.parametrize("correction", [False, True])
def test_a_fit_ends_at_the_optimum_on_all_rows(solver, correction):
    found = fit(solver=solver, finite_correction=correction, ridge=0.01, max_iter=2000, tol=1e-7)
    theirs = minimize(
        lambda w: mean_loss(w.reshape(D, C)) + 0.005 * w @ w,
        np.zeros(D * C),
        method="BFGS",
        options={"gtol": 1e-8},
    )
    assert found.status == "converged"
    np.testing.assert_allclose(found.coef.ravel(), theirs.x, atol=1e-5)
    model = LogisticRegression(C=1 / (0.01 * N), fit_intercept=False, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), atol=1e-5)
    assert np.array_equal(found.predict(X), model.predict(X))


def test_without_a_penalty_the_likelihood_is_scipy_s():
    theirs = minimize(lambda w: mean_loss(w.reshape(D, C)), np.zeros(D * C), method="BFGS")
    assert mean_loss(fit().coef) == pytest.approx(theirs.fun, abs=1e-8)


@pytest.mark.parametrize("solver", ["newton_cg", "sgd"])
def test_theta_0_takes_all_rows_after_one_step_and_is_then_the_batch_method(solver):
    given = {"solver": solver, "hessian_share": 1.0, "tol": 0.0, "line_search": solver == "newton_cg", "step": 0.5}
    dynamic = fit(theta=0.0, max_iter=6, **given)
    first = fit(theta=0.0, max_iter=1, **given)
    batch = fit(dynamic=False, initial_size=N, start=first.coef, max_iter=5, seed=1, **given)
    assert dynamic.trace.size.tolist() == [20] + [N] * 5
    assert dynamic.trace.passed[0] == np.False_
    np.testing.assert_allclose(dynamic.coef, batch.coef, rtol=1e-12)
    np.testing.assert_allclose(dynamic.trace.objective[1:], batch.trace.objective, rtol=1e-12)


def test_a_step_of_sgd_is_against_the_gradient():
    # At 0 every class has p = 1 / C: the gradient is the mean of x_i (1 / C - [c = y_i]).
    gradient = X.T @ (np.full((N, C), 1 / C) - np.eye(C)[y]) / N
    found = fit(solver="sgd", initial_size=N, step=0.3, line_search=False, max_iter=1)
    np.testing.assert_allclose(found.coef, -0.3 * gradient, rtol=1e-10)
    assert found.trace.gradient_norm[0] == pytest.approx(np.linalg.norm(gradient))
    assert found.trace.objective[0] == pytest.approx(np.log(C))


def test_sgd_tries_twice_its_last_step_first():
    steps = fit(solver="sgd", initial_size=N, step=2.0**-10, max_iter=6).trace.step
    assert steps.tolist() == [2.0**-10, 2.0**-9, 2.0**-8, 2.0**-7, 2.0**-6, 2.0**-5]
    assert fit(solver="sgd", initial_size=N, step=64.0, max_iter=1).trace.step[0] < 64.0


def test_a_step_of_newton_cg_with_enough_products_solves_newton_s_equation():
    P = np.full((N, C), 1 / C)
    weights = np.array([np.diag(p) - np.outer(p, p) for p in P])
    H = np.einsum("ni,njk,nl->ijlk", X, weights, X).reshape(D * C, D * C) / N + 0.1 * np.eye(D * C)
    gradient = X.T @ (P - np.eye(C)[y]) / N
    newton = -np.linalg.solve(H, gradient.ravel()).reshape(D, C)
    found = fit(initial_size=N, hessian_share=1.0, max_products=D * C, cg_tolerance=0.0, ridge=0.1, max_iter=1)
    np.testing.assert_allclose(found.coef, newton, rtol=1e-6)


# The samples ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("solver", ["newton_cg", "sgd"])
@pytest.mark.parametrize("seed", range(3))
def test_sizes_never_shrink_and_end_at_all_rows(theta, solver, seed):
    size = fit(theta=theta, solver=solver, seed=seed, max_iter=300).trace.size
    assert size[0] == 20
    assert (np.diff(size) >= 0).all()
    assert size[-1] == N


def test_each_next_size_is_equation_14_of_the_sample_before():
    trace = fit(theta=0.3, window=0, max_iter=30).trace
    m, norm2 = trace.size, trace.gradient_norm**2
    asked = np.where(trace.variance <= 0.09 * norm2, m, np.ceil(m * trace.variance / (0.09 * norm2)))
    assert m[1:].tolist() == np.minimum(asked[:-1], N).astype(int).tolist()
    assert len(set(m.tolist())) > 2
    assert np.array_equal(trace.passed, trace.variance <= 0.09 * norm2)
    assert np.array_equal(trace.tested_norm, trace.gradient_norm)


def test_equal_examples_have_no_variance_and_the_sample_never_grows():
    same, label = np.tile([1.0, -2.0], (50, 1)), np.ones(50, dtype=int)
    for theta in (0.0, 0.5):
        trace = fit(same, label, theta=theta, classes=[0, 1], initial_size=5, max_iter=15).trace
        assert trace.size.tolist() == [5] * 15
        assert not trace.variance.any()
        assert trace.passed.all()


def test_a_fixed_size_stays_and_is_tested_all_the_same():
    trace = fit(dynamic=False, theta=0.1, initial_size=30, max_iter=20).trace
    assert trace.size.tolist() == [30] * 20
    assert not trace.passed.all()


@pytest.mark.parametrize("seed", [0, 1])
def test_with_a_large_theta_noise_holds_the_sample_small_but_for_the_guard(seed):
    rows, labels = problem(n=2000, d=6, n_classes=6, seed=seed)
    optimum = fit(rows, labels, theta=0.0, ridge=0.01).trace.objective[-1]
    given = {"theta": 0.9, "ridge": 0.01, "max_points": 10 * 2000, "max_iter": 400, "watch": True}
    unguarded, guarded = (fit(rows, labels, window=window, **given).trace for window in (0, 10))
    assert unguarded.size[-1] < 100
    assert unguarded.full_objective[-1] > optimum + 0.5
    assert guarded.size[-1] > 300
    assert guarded.full_objective[-1] < optimum + 0.05


# What it costs --------------------------------------------------------------------------------------------------


def test_accessed_rows_of_two_steps_are_those_counted_by_hand():
    # A sample of 100, 10 of them for the one product: 110 a step, the line search left out.
    given = {"dynamic": False, "initial_size": 100, "max_products": 1, "line_search": False, "max_iter": 2}
    newton = fit(**given)
    assert newton.trace.points.tolist() == [110, 220]
    assert newton.n_points == 220
    # Three products on ceil(0.105 * 100) = 11 rows: 133 a step.
    more = fit(**{**given, "max_products": 3, "cg_tolerance": 0.0, "hessian_share": 0.105})
    assert more.trace.points.tolist() == [133, 266]
    # The gradient alone.
    assert fit(**{**given, "solver": "sgd"}).trace.points.tolist() == [100, 200]
    # All 400 rows are evaluated twice; from 0 a tiny step is taken at the first trial.
    tried = fit(solver="sgd", dynamic=False, initial_size=N, step=1e-3, max_iter=2)
    assert tried.trace.points.tolist() == [800, 1600]


@pytest.mark.parametrize("solver", ["newton_cg", "sgd"])
def test_accessed_rows_are_all_that_the_functions_were_given(solver, monkeypatch):
    given = []
    for module, name, position in (
        (dynamic_run, "evaluate", 1),
        (dynamic_run, "objective", 1),
        (descent, "hessian_product", 1),
    ):
        real = getattr(module, name)

        def counting(*args, real=real, position=position):
            given.append(len(args[position]))
            return real(*args)

        monkeypatch.setattr(module, name, counting)
    found = fit(solver=solver, theta=0.4, step=4.0, max_iter=25)
    assert found.n_points == sum(given)
    assert (np.diff(found.trace.points) > 0).all()


def test_watching_costs_nothing_and_changes_nothing():
    watched, plain = fit(watch=True, max_iter=12), fit(max_iter=12)
    assert np.array_equal(watched.coef, plain.coef)
    assert np.array_equal(watched.trace.points, plain.trace.points)
    assert watched.trace.full_objective[-1] == pytest.approx(mean_loss(watched.coef), rel=1e-12)
    assert np.isnan(plain.trace.full_objective).all()
    at_all = watched.trace.size == N
    assert np.allclose(watched.trace.squared_error[at_all], 0.0, atol=1e-25)
    assert (watched.trace.squared_error[~at_all] > 0).all()


def test_a_trace_is_a_table():
    found = fit(max_iter=4, tol=0.0)
    table = pd.DataFrame(vars(found.trace))
    assert len(table) == 4
    assert table["points"].is_monotonic_increasing
    assert table["passed"].dtype.kind == "b"


# How it ends ----------------------------------------------------------------------------------------------------


def test_a_budget_of_rows_ends_the_fit_at_the_sample_that_reaches_it():
    free, limited = fit(max_iter=50), fit(max_iter=50, max_points=2000)
    assert limited.status == "max_points"
    n = int(np.searchsorted(free.trace.points, 2000)) + 1
    assert np.array_equal(limited.trace.points, free.trace.points[:n])
    assert fit(max_iter=3).status == "max_iter"


def test_a_fit_that_cannot_go_on_has_stalled():
    found = fit(solver="sgd", initial_size=N, step=1e15)  # halved 29 times it is still too long
    assert found.status == "stalled"
    assert found.trace.step.tolist() == [0.0]
    assert found.n_points == 31 * N


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_steps_that_diverge_are_reported():
    doubling = {"initial_size": N, "solver": "sgd", "line_search": False, "step": 1.0, "ridge": 3.0}
    with pytest.raises(
        ValueError,
        match=r"^the steps diverge: after 5\d\d steps the objective, its gradient or the variance of it is not "
        r"finite; shorten step, or set line_search$",
    ):
        fit(**doubling, max_iter=1200)


def test_separated_classes_are_reported():
    codes = (X[:, 0] > 0).astype(int)
    with pytest.warns(
        RuntimeWarning,
        match="a hyperplane separates the classes, so the likelihood has no maximum: set ridge above 0",
    ):
        assert fit(X, codes, theta=0.1, max_iter=60).status == "separated"
    assert fit(X, codes, theta=0.1, max_iter=60, ridge=0.1).status == "converged"


def test_labels_may_be_strings_booleans_or_whole_numbers_and_some_may_be_absent():
    names = np.array(["a", "b", "c", "d"])[y]
    ours = fit(max_iter=5)
    for labels in (names, y.astype(float), names.astype(object)):
        other = fit(X, labels, max_iter=5)
        assert np.array_equal(other.coef, ours.coef)
        assert np.array_equal(other.predict(X), np.unique(labels)[ours.predict(X)])
    assert fit(X, y > 1, max_iter=2).classes.tolist() == [False, True]
    wider = fit(X, y, classes=range(6), ridge=0.1)
    assert wider.coef.shape == (D, 6)
    assert set(wider.predict(X)) <= {0, 1, 2, 3}


def test_a_fit_depends_on_its_generator_alone():
    first, again, other = fit(seed=1), fit(seed=1), fit(seed=2)
    assert np.array_equal(first.coef, again.coef)
    assert np.array_equal(first.trace.points, again.trace.points)
    assert first.trace.points.tolist() != other.trace.points.tolist()


HOLED = X.copy()
HOLED[7, 1] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"theta": 1.2}, "theta must be at least 0 and at most 1, got 1.2"),
        ({"solver": "adam"}, "solver must be one of newton_cg, sgd, got 'adam'"),
        (
            {"initial_size": 1},
            "initial_size must be at least 2, at most 400, the rows of X, and a whole number, got 1",
        ),
        (
            {"initial_size": 401},
            "initial_size must be at least 2, at most 400, the rows of X, and a whole number, got 401",
        ),
        ({"ridge": -0.1}, "ridge must be at least 0 and a finite number, got -0.1"),
        ({"hessian_share": 0.0}, "hessian_share must be above 0 and at most 1, got 0.0"),
        ({"max_products": 0}, "max_products must be at least 1 and a whole number, got 0"),
        ({"cg_tolerance": 1.5}, "cg_tolerance must be at least 0 and at most 1, got 1.5"),
        ({"step": 0.0}, "step must be above 0 and a finite number, got 0.0"),
        ({"step": np.inf, "solver": "sgd"}, "step must be above 0 and a finite number, got inf"),
        ({"max_iter": 0}, "max_iter must be at least 1 and a whole number, got 0"),
        ({"max_points": 0}, "max_points must be at least 1 and a whole number, got 0"),
        ({"tol": -1e-6}, "tol must be at least 0 and a finite number, got -1e-06"),
        ({"window": 1.5}, "window must be at least 0 and a whole number, got 1.5"),
        ({"start": np.zeros((C, D))}, "start must be finite and of shape (3, 4), got shape (4, 3)"),
        ({"start": "a"}, "start must be numbers of shape (3, 4), got 'a'"),
        ({"dynamic": "no"}, "dynamic must be one of True, False, got 'no'"),
        ({"line_search": 0}, "line_search must be one of True, False, got 0"),
        ({"watch": None}, "watch must be one of True, False, got None"),
        ({"report": 3}, "report must be a function of (coef, n_points), or None, got 3"),
        ({"X": HOLED}, "X must be finite, got nan or infinite entries"),
        ({"X": X[0]}, "X must have shape (n, d) with at least one row and one column, got (3,)"),
        (
            {"y": y + 0.5},
            f"y must hold class labels (integers, booleans, strings or whole numbers), got {y[0] + 0.5}",
        ),
        (
            {"y": np.where(y == y[0], np.nan, y)},
            "y must hold class labels (integers, booleans, strings or whole numbers), got nan",
        ),
        (
            {"y": np.where(y == y[0], np.inf, y)},
            "y must hold class labels (integers, booleans, strings or whole numbers), got inf",
        ),
        ({"y": y[1:]}, "y must have shape (400,), one entry per row of X, got (399,)"),
        ({"y": 0 * y}, "y must hold at least two classes, got only 0; classes may name others"),
        ({"classes": []}, "y must hold at least two classes, got none; classes may name others"),
        ({"classes": [0, 1, 2]}, "classes must hold every label of y, got none for 3"),
        ({"classes": ["a", "b"]}, "classes must hold every label of y, got none for 0"),
    ],
)
def test_a_fit_refuses(change, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        fit(**change)
    assert str(refusal.value) == message


def test_a_fit_refuses_a_seed_for_a_generator():
    with pytest.raises(ValueError, match=r"^rng must be a numpy.random.Generator, got 3$"):
        fit_dynamic_sample(X, y, theta=0.5, initial_size=20, rng=3)


def test_every_step_is_reported_and_a_report_ends_the_fit():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    seen = []

    def report(coef, points):
        seen.append((coef, points))
        return len(seen) < 4

    fit = fit_dynamic_sample(
        X, y, theta=0.5, initial_size=10, ridge=1e-3, rng=np.random.default_rng(0), report=report
    )
    assert fit.status == "stopped"
    assert [points for _, points in seen] == fit.trace.points.tolist()
    assert seen[-1][0] is fit.coef
