"""Equations 12 to 14 and the parts of a step, against written-out gradients, differences and torch."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch

from frugal.rows.descent import conjugate_gradients, halve
from frugal.rows.dynamic_run import SizeRule
from frugal.rows.multinomial import evaluate, hessian_product, objective

RIDGE = 0.3


def problem(m=12, d=3, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(d, n_classes)), rng.normal(size=(m, d)), rng.integers(n_classes, size=m)


def written_out(coef, X, codes):
    """Gradients of the rows' losses, shape (m, d * C), by automatic differentiation of one row at a time."""
    gradients = []
    for x, code in zip(X, codes, strict=True):
        w = torch.tensor(coef, requires_grad=True)
        torch.nn.functional.cross_entropy(torch.tensor(x) @ w, torch.tensor(code)).backward()
        gradients.append(w.grad.numpy().ravel())
    return np.array(gradients)


def test_objective_and_gradient_are_those_of_torch():
    coef, X, codes = problem()
    w = torch.tensor(coef, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(torch.tensor(X) @ w, torch.tensor(codes)) + RIDGE / 2 * (w**2).sum()
    loss.backward()
    ours = evaluate(coef, X, codes, RIDGE)
    assert ours.objective == pytest.approx(loss.item(), rel=1e-12)
    assert objective(coef, X, codes, RIDGE) == pytest.approx(loss.item(), rel=1e-12)
    np.testing.assert_allclose(ours.gradient, w.grad.numpy(), rtol=1e-10)
    np.testing.assert_allclose(ours.p, torch.softmax(torch.tensor(X) @ w, 1).detach().numpy(), rtol=1e-12)


def test_the_hessian_product_is_that_of_torch():
    coef, X, codes = problem()
    direction = problem(seed=1)[0]

    def loss(w):
        return (
            torch.nn.functional.cross_entropy(torch.tensor(X) @ w, torch.tensor(codes)) + RIDGE / 2 * (w**2).sum()
        )

    theirs = torch.autograd.functional.hvp(loss, torch.tensor(coef), torch.tensor(direction))[1].numpy()
    ours = hessian_product(direction, X, evaluate(coef, X, codes, RIDGE).p, RIDGE)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, RIDGE])
def test_the_variance_is_that_of_the_gradients_of_single_rows(ridge):
    coef, X, codes = problem()
    each = written_out(coef, X, codes)
    expected = np.square(each - each.mean(axis=0)).sum() / (12 * 11)  # equation 13
    assert evaluate(coef, X, codes, ridge).variance == pytest.approx(expected, rel=1e-10)


def test_the_mean_squared_error_over_all_subsets_is_the_mean_variance_times_1_minus_m_over_n():
    coef, X, codes = problem(m=9)
    full = evaluate(coef, X, codes, 0.0).gradient
    for m in (2, 4, 8):
        errors, variances = [], []
        for subset in map(list, combinations(range(9), m)):
            at = evaluate(coef, X[subset], codes[subset], 0.0)
            errors.append(np.square(at.gradient - full).sum())
            variances.append(at.variance)
        assert np.mean(errors) == pytest.approx(np.mean(variances) * (1 - m / 9), rel=1e-10)


def test_equal_rows_have_no_variance_in_spite_of_rounding():
    coef, X, codes = problem(m=1)
    many = evaluate(1e3 * coef, np.repeat(X, 7, axis=0) / 3, np.repeat(codes, 7), 0.0)
    assert many.variance == 0.0
    assert np.isnan(evaluate(coef, X, codes, 0.0).variance)


def test_separated_rows_are_known():
    X, codes = np.eye(3), np.arange(3)
    assert evaluate(np.eye(3), X, codes, 0.0).separated
    assert not evaluate(np.zeros((3, 3)), X, codes, 0.0).separated
    assert not evaluate(-np.eye(3), X, codes, 0.0).separated


# The test of a sample -------------------------------------------------------------------------------------------


def rule(**changed):
    return SizeRule(**{"theta": 0.5, "n": 1000, "window": 0, **changed})


def test_a_sample_passes_up_to_equality_and_else_grows_by_equation_14():
    g = np.array([3.0, 4.0])  # |g|^2 = 25, theta^2 |g|^2 = 6.25
    assert rule().test(20, g, 6.25).passed
    assert rule().test(20, g, 6.25).size == 20
    failed = rule().test(20, g, 7.0)
    assert not failed.passed
    assert failed.size == 23  # 20 * 7 / 6.25 = 22.4
    assert rule().test(20, g, 400.0).size == 1000  # 1280, of 1000 rows
    assert rule(theta=1.0).test(20, g, 25.0).passed


def test_theta_0_asks_for_all_rows_unless_there_is_no_variance():
    g = np.ones(2)
    assert rule(theta=0.0).test(20, g, 1e-30).size == 1000
    assert rule(theta=0.0).test(20, g, 0.0).passed
    assert rule().test(20, np.zeros(2), 1.0).size == 1000


def test_with_the_finite_correction_the_size_that_is_asked_for_passes_and_all_rows_always_do():
    g, n, of_one = np.array([1.0, 0.0]), 1000, 400.0
    corrected = rule(finite_correction=True)
    asked = corrected.test(20, g, of_one / 20).size
    # 400 / m (1 - m / 1000) <= 0.25 holds from m = 400 / (0.25 + 0.4) = 615.4 on.
    assert asked == 616
    assert corrected.test(616, g, of_one / 616).passed
    assert not corrected.test(615, g, of_one / 615).passed
    assert corrected.test(n, 0 * g, of_one / n).passed
    assert rule().test(20, g, of_one / 20).size == 1000


def test_an_average_of_gradients_counts_once_there_are_enough_of_one_size_and_it_is_much_shorter():
    noise, drift = np.array([0.0, 1.0]), np.array([0.1, 0.0])
    guarded = rule(window=4, ratio=0.4)
    gradients = [drift + sign * noise for sign in (1, -1, 1, -1)]
    norms = [guarded.test(50, g, 0.01).norm for g in gradients]
    assert norms[:3] == [pytest.approx(np.sqrt(1.01))] * 3
    assert norms[3] == pytest.approx(0.1)  # the noise cancels
    found = guarded.test(50, gradients[0], 0.01)  # and 0.01 exceeds 0.25 * 0.1^2
    assert not found.passed
    assert found.size == 200  # 50 * 0.01 / 0.0025
    assert guarded.test(200, gradients[1], 0.01).norm == pytest.approx(np.sqrt(1.01))  # another size: starts anew
    unguarded = rule(window=0)
    assert all(unguarded.test(50, g, 0.01).passed for g in gradients)
    steady = rule(window=2, ratio=0.4)  # the average of equal gradients is not shorter
    assert [steady.test(50, drift, 0.001).norm for _ in range(3)] == [pytest.approx(0.1)] * 3


# Parts of a step ------------------------------------------------------------------------------------------------


def test_conjugate_gradients_solve_the_equation_in_as_many_steps_as_there_are_unknowns():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    A = A @ A.T + np.eye(6)
    g = rng.normal(size=(6, 1))
    solution, n_steps = conjugate_gradients(g, lambda d: A @ d, max_steps=6, tolerance=0.0)
    assert n_steps == 6
    np.testing.assert_allclose(solution, -np.linalg.solve(A, g), rtol=1e-8)
    near, fewer = conjugate_gradients(g, lambda d: A @ d, max_steps=6, tolerance=0.3)
    assert fewer < 6
    assert np.linalg.norm(A @ near + g) <= 0.3 * np.linalg.norm(g)


def test_conjugate_gradients_stop_before_a_direction_that_curves_down():
    g = np.array([[1.0], [2.0]])
    assert conjugate_gradients(g, lambda d: -d, max_steps=5, tolerance=0.1)[0].tolist() == [[-1.0], [-2.0]]
    saddle = np.array([[1.0], [-0.1]])
    found, n_steps = conjugate_gradients(g, lambda d: saddle * d, max_steps=5, tolerance=0.0)
    first = -g * np.vdot(g, g) / np.vdot(g, saddle * g)  # one step down, 5 / 0.6 of the gradient
    assert n_steps == 2
    np.testing.assert_allclose(found, first, rtol=1e-12)


def test_a_step_is_halved_until_it_lowers_the_function_enough():
    # (t - 1)^2 falls by 0.75 at 0.5; from 8 on it is tried at 8, 4 and 2, where it is 1 again, and at 1.
    found = halve(lambda t: (t - 1) ** 2, 1.0, -2.0, 8.0)
    assert (found.step, found.value, found.n_trials) == (1.0, 0.0, 4)
    assert halve(lambda t: 1 + t, 1.0, -1.0, 1.0) == (0.0, 1.0, 30)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"theta": -0.1}, "theta must be at least 0 and at most 1, got -0.1"),
        ({"theta": 1.5}, "theta must be at least 0 and at most 1, got 1.5"),
        ({"ratio": 2.0}, "ratio must be at least 0 and at most 1, got 2.0"),
        ({"window": -1}, "window must be at least 0 and a whole number, got -1"),
        ({"finite_correction": 1}, "finite_correction must be one of True, False, got 1"),
    ],
)
def test_a_rule_refuses(change, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        rule(**change)
    assert str(refusal.value) == message
