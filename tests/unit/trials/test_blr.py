"""Bayesian linear regression against dense algebra, scikit-learn, and quadrature over its hyperparameters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct
from sklearn.linear_model import BayesianRidge

from frugal.trials.surrogates.blr import BLR, mixture
from frugal.trials.surrogates.blr_hyperparameters import (
    BOX,
    PRIOR_MEANS,
    LogPosterior,
    maximise,
    precisions,
    sample,
)

SHAPES = [(7, 3), (3, 7), (5, 5), (1, 4), (30, 1)]
HYPERS = [(0.0, 1.4), (2.3, -0.7), (-6.0, 8.0), (9.0, -9.0)]


def data(n, n_features, seed=0):
    rng = np.random.default_rng((seed, n, n_features))
    P = rng.normal(size=(n, n_features))
    return P, P @ rng.normal(size=n_features) + 0.3 * rng.normal(size=n)


def dense(P, y, log_alpha, log_beta):
    """Evidence and posterior by the formulas of the docstring, in the order of Bishop."""
    alpha, beta = np.exp(log_alpha), np.exp(log_beta)
    A = alpha * np.eye(P.shape[1]) + beta * P.T @ P
    m = beta * np.linalg.solve(A, P.T @ y)
    n, n_features = P.shape
    evidence = n_features / 2 * np.log(alpha) + n / 2 * np.log(beta / (2 * np.pi))
    evidence -= beta / 2 * ((y - P @ m) ** 2).sum() + alpha / 2 * m @ m + np.linalg.slogdet(A)[1] / 2
    return evidence, m, np.linalg.inv(A)


@pytest.mark.parametrize(("n", "n_features"), SHAPES)
def test_the_evidence_is_that_of_a_multivariate_normal(n, n_features):
    P, y = data(n, n_features)
    for log_alpha, log_beta in HYPERS[:3]:
        covariance = np.eye(n) / np.exp(log_beta) + P @ P.T / np.exp(log_alpha)
        expected = stats.multivariate_normal(np.zeros(n), covariance, allow_singular=True).logpdf(y)
        assert BLR(P, y).log_evidence(log_alpha, log_beta) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("n", "n_features"), SHAPES)
@pytest.mark.parametrize(("log_alpha", "log_beta"), HYPERS)
def test_everything_equals_dense_algebra(n, n_features, log_alpha, log_beta):
    P, y = data(n, n_features)
    fitted, new = BLR(P, y), np.random.default_rng(1).normal(size=(4, n_features))
    evidence, m, inverse = dense(P, y, log_alpha, log_beta)
    assert fitted.log_evidence(log_alpha, log_beta) == pytest.approx(evidence, rel=1e-8)
    assert fitted.squared_residuals(log_alpha, log_beta) == pytest.approx(((y - P @ m) ** 2).sum(), rel=1e-6)
    assert fitted.log_det(log_alpha, log_beta) == pytest.approx(-np.linalg.slogdet(inverse)[1], rel=1e-8)
    mean, std = fitted.predict(new, log_alpha, log_beta)
    np.testing.assert_allclose(fitted.weights(log_alpha, log_beta), m, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(mean, new @ m, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(std, np.sqrt(np.einsum("ij,jk,ik->i", new, inverse, new)), rtol=1e-7)
    np.testing.assert_allclose(
        fitted.at(log_alpha, log_beta).covariance(np.eye(n_features), np.eye(n_features)),
        inverse,
        rtol=1e-6,
        atol=1e-9 * inverse.max(),
    )


@pytest.mark.parametrize(("n", "n_features"), SHAPES)
def test_the_head_is_a_gaussian_process_with_kernel_phi_phi_over_alpha(n, n_features):
    P, y = data(n, n_features)
    log_alpha, log_beta = 0.7, 1.9
    kernel = ConstantKernel(np.exp(-log_alpha), "fixed") * DotProduct(sigma_0=0.0, sigma_0_bounds="fixed")
    gp = GaussianProcessRegressor(kernel, alpha=np.exp(-log_beta), optimizer=None).fit(P, y)
    new = np.random.default_rng(2).normal(size=(6, n_features))
    mean, std = gp.predict(new, return_std=True)
    ours = BLR(P, y)
    np.testing.assert_allclose(ours.predict(new, log_alpha, log_beta), [mean, std], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        ours.at(log_alpha, log_beta).covariance(new, new), gp.predict(new, return_cov=True)[1], atol=1e-10
    )
    assert ours.log_evidence(log_alpha, log_beta) == pytest.approx(gp.log_marginal_likelihood_value_, abs=1e-8)


def test_the_maximum_of_the_evidence_is_bayesian_ridges():
    P, y = data(40, 4)
    ridge = BayesianRidge(
        fit_intercept=False, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, tol=1e-12, max_iter=9999
    )
    ridge.fit(P, y)
    at = np.log(ridge.lambda_), np.log(ridge.alpha_)  # its lambda is our alpha, its alpha our beta
    fitted = BLR(P, y)
    np.testing.assert_allclose(fitted.evidence_gradient(*at), 0, atol=1e-6)
    mean, std = ridge.predict(P, return_std=True)
    ours, latent = fitted.predict(P, *at)
    np.testing.assert_allclose(ours, mean, rtol=1e-8)
    np.testing.assert_allclose(np.sqrt(latent**2 + 1 / ridge.alpha_), std, rtol=1e-8)
    scored = BayesianRidge(fit_intercept=False, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, compute_score=True)
    scored.set_params(alpha_init=ridge.alpha_, lambda_init=ridge.lambda_, max_iter=1).fit(P, y)
    assert fitted.log_evidence(*at) == pytest.approx(scored.scores_[0], abs=1e-8)


@pytest.mark.parametrize(("n", "n_features"), SHAPES)
def test_the_gradient_of_the_evidence_is_its_finite_difference(n, n_features):
    fitted = BLR(*data(n, n_features))
    for at in HYPERS:
        expected = optimize.approx_fprime(np.array(at), lambda t: float(fitted.log_evidence(*t)), 1e-6)
        np.testing.assert_allclose(fitted.evidence_gradient(*at), expected, rtol=1e-4, atol=1e-4)


def test_the_gradient_of_predictions_is_their_finite_difference():
    P, y = data(5, 7)
    fitted, rng = BLR(P, y), np.random.default_rng(3)
    M, x, log_alpha, log_beta = (
        rng.normal(size=(7, 2)),
        rng.normal(size=(3, 2)),
        np.array([0.5, 1]),
        np.array([1.0, 3]),
    )
    phi, jacobian = np.sin(x @ M.T), np.cos(x @ M.T)[:, :, None] * M
    by = fitted.at(log_alpha, log_beta).predict_gradient(phi, jacobian)
    for j in range(2):
        step = np.zeros(2)
        step[j] = 1e-6
        high = fitted.predict(np.sin((x + step) @ M.T), log_alpha, log_beta)
        low = fitted.predict(np.sin((x - step) @ M.T), log_alpha, log_beta)
        np.testing.assert_allclose(
            np.stack(by)[..., j], (np.stack(high) - np.stack(low)) / 2e-6, rtol=1e-6, atol=1e-8
        )


def test_hyperparameters_may_be_arrays():
    P, y = data(6, 4)
    fitted, (a, b) = BLR(P, y), np.array(HYPERS).T
    np.testing.assert_allclose(
        fitted.log_evidence(a, b), [fitted.log_evidence(*pair) for pair in HYPERS], rtol=1e-12
    )
    means, stds = fitted.predict(P, a, b)
    assert means.shape == stds.shape == (4, 6)
    np.testing.assert_allclose(stds[2], fitted.predict(P, *HYPERS[2])[1], rtol=1e-12)


def test_repeated_features_and_constant_targets_are_no_trouble():
    P = np.repeat(np.ones((6, 1)), 9, axis=1)
    fitted = BLR(P, np.full(6, 2.0))
    mean, std = fitted.predict(P[:1], 0.0, 12.0)
    assert mean == pytest.approx(2.0, abs=1e-4)
    assert 0 < std[0] < 1e-2
    assert np.isfinite(fitted.log_evidence(10.0, 10.0))


@pytest.mark.parametrize(
    ("features", "y", "message"),
    [
        (np.ones(3), np.ones(3), "features must be an array of numbers with 2 axes"),
        (np.ones((3, 2)), np.ones(4), r"features must be \(n, H\) and y \(n,\)"),
        (np.ones((0, 2)), np.ones(0), "n and H at least 1"),
        (np.ones((2, 2)), [1.0, np.nan], r"y must be finite, got nan at \(1,\)"),
    ],
)
def test_bad_data_are_refused(features, y, message):
    with pytest.raises(ValueError, match=message):
        BLR(features, y)


def test_features_of_another_width_are_refused():
    with pytest.raises(ValueError, match="features must have 2 columns, got 3"):
        BLR(np.ones((3, 2)), np.ones(3)).predict(np.ones((1, 3)), 0.0, 0.0)


# hyperparameters ---------------------------------------------------------------------------------


def as_pybnn(P, y, theta, errors):
    """The evidence as pybnn's class DNGO has it, literally, one error at a time."""
    alpha, beta = np.exp(theta[0]), 1 / np.exp(theta[1])
    A = beta * P.T @ P + alpha * np.eye(P.shape[1])
    m = beta * np.linalg.inv(A) @ P.T @ y
    norm = np.linalg.norm(y - P @ m)
    value = P.shape[1] / 2 * np.log(alpha) + len(P) / 2 * np.log(beta) - len(P) / 2 * np.log(2 * np.pi)
    value -= beta / 2 * (norm if "unsquared_norm" in errors else norm**2) + alpha / 2 * m @ m
    with np.errstate(all="ignore"):
        wrong = 0.5 * np.log(np.linalg.det(A) + 1e-10)
    return value - (wrong if "det_offset" in errors else 0.5 * np.linalg.slogdet(A)[1])


@pytest.mark.parametrize("errors", [(), ("unsquared_norm",), ("det_offset",), ("unsquared_norm", "det_offset")])
def test_each_error_of_the_evidence_is_pybnns(errors):
    P, y = data(12, 5)
    thetas = np.array([[0.3, -1.0], [-9.0, 9.0], [4.0, -2.0], [-7.0, 7.5]])
    ours = LogPosterior(BLR(P, y), frozenset({"no_prior", *errors}))(thetas)
    np.testing.assert_allclose(ours, [as_pybnn(P, y, theta, errors) for theta in thetas], rtol=1e-7)


def test_the_offset_hides_small_determinants_and_large_ones_overflow():
    P, y = data(4, 60)
    small, large = np.array([[-10.0, 10.0]]), np.array([[9.9, -9.9]])
    right = LogPosterior(BLR(P, y), frozenset({"no_prior"}))
    wrong = LogPosterior(BLR(P, y), frozenset({"no_prior", "det_offset"}))
    assert BLR(P, y).log_det(-10.0, -10.0) < np.log(1e-10) - 100
    assert wrong(small)[0] < right(small)[0] - 100
    big = BLR(*data(90, 80))
    assert big.log_det(9.9, 9.9) > 709
    assert np.isneginf(LogPosterior(big, frozenset({"det_offset"}))(large)[0])
    assert np.isfinite(LogPosterior(big)(large)[0])


def test_priors_are_added_left_out_or_added_as_densities():
    fitted, theta = BLR(*data(8, 3)), np.array([[0.4, -2.0]])
    evidence = fitted.log_evidence(theta[0, 0], -theta[0, 1])
    normal = stats.norm.logpdf(theta[0], PRIOR_MEANS).sum() - stats.norm.logpdf(PRIOR_MEANS, PRIOR_MEANS).sum()
    assert LogPosterior(fitted)(theta)[0] == pytest.approx(evidence + normal)
    assert LogPosterior(fitted, frozenset({"no_prior"}))(theta)[0] == pytest.approx(evidence)
    density = stats.norm.pdf(theta[0]).sum()
    assert LogPosterior(fitted, frozenset({"pdf_prior"}))(theta)[0] == pytest.approx(evidence + density)


def test_a_variance_taken_for_a_precision_changes_its_sign():
    theta = np.array([[0.4, -2.0]])
    assert [float(each[0]) for each in precisions(theta)] == [0.4, 2.0]
    assert [float(each[0]) for each in precisions(theta, {"variance_as_precision"})] == [0.4, -2.0]


def test_the_unsquared_norm_lowers_the_noise_and_raises_alpha():
    # docs/methods.md, section 6: noise sd lower by 15 to 32 %, alpha 1.2 to 2.6 times as large.
    rng = np.random.default_rng(0)
    P = np.tanh(rng.normal(size=(60, 20)))
    y = P @ rng.normal(size=20) + rng.normal(size=60)
    right = maximise(LogPosterior(BLR(P, y), frozenset({"no_prior"})))[0]
    wrong = maximise(LogPosterior(BLR(P, y), frozenset({"no_prior", "unsquared_norm"})))[0]
    assert wrong[1] < right[1] - 0.2
    assert wrong[0] > right[0]


def test_the_box_is_closed():
    posterior = LogPosterior(BLR(*data(8, 3)))
    values = posterior(np.array([[BOX, -BOX], [BOX + 1e-9, 0.0], [0.0, -BOX - 1e-9]]))
    assert np.isfinite(values[0])
    assert np.isneginf(values[1:]).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_maximum_is_the_best_point_of_a_fine_grid(seed):
    posterior = LogPosterior(BLR(*data(15, 6, seed)))
    found = maximise(posterior)
    axis = np.linspace(-BOX, BOX, 401)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    assert posterior(found)[0] >= posterior(grid).max() - 1e-9
    np.testing.assert_allclose(found[0], grid[np.argmax(posterior(grid))], atol=0.05)
    np.testing.assert_allclose(posterior.gradient(found[0]), 0, atol=1e-3)


def test_marginalised_predictions_are_those_integrated_on_a_grid():
    P, y = data(12, 4)
    fitted, new = BLR(P, y), np.random.default_rng(4).normal(size=(5, 4))
    posterior = LogPosterior(fitted)
    axis = np.linspace(-BOX, BOX, 201)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    logs = posterior(grid)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    means, stds = fitted.predict(new, *precisions(grid))
    mean = weights @ means
    variance = weights @ (stds**2 + means**2) - mean**2
    n = 2000
    theta = sample(posterior, n_walkers=n, n_steps=100, seed=0)
    drawn = fitted.predict(new, *precisions(theta))
    ours, std = mixture(*drawn)
    np.testing.assert_array_less(np.abs(ours - mean), 4 * drawn[0].std(axis=0) / np.sqrt(n))
    np.testing.assert_allclose(std, np.sqrt(variance), rtol=0.03)
    spread = np.sqrt(weights @ (grid - weights @ grid) ** 2)
    np.testing.assert_array_less(np.abs(theta.mean(axis=0) - weights @ grid), 4 * spread / np.sqrt(n))
    np.testing.assert_allclose(theta.std(axis=0), spread, rtol=0.08)


def test_draws_depend_on_the_seed_alone():
    posterior = LogPosterior(BLR(*data(12, 4)))
    draws = [sample(posterior, n_walkers=6, n_steps=20, seed=seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert (draws[0] != draws[2]).any()
