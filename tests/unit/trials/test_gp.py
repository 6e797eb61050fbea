import math

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from frugal.trials.surrogates import GP
from frugal.trials.surrogates.hyperparameters import Prior
from frugal.trials.surrogates.kernels import KERNELS
from frugal.trials.surrogates.posterior import SMALLEST_VARIANCE, cholesky

RNG = np.random.default_rng(2)
X = RNG.random((20, 3))
Y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * RNG.standard_normal(20)
NEW = RNG.random((7, 3))
SCALES, AMPLITUDE, NOISE = np.array([0.4, 0.8, 1.5]), 1.7, 0.02
FITTED = {"lengthscale": None, "amplitude": None, "noise_variance": None}


def fixed(kernel="se", **changes):
    settings = {"lengthscale": SCALES, "amplitude": AMPLITUDE, "noise_variance": NOISE, **changes}
    return GP(kernel, **settings)


def theirs(kernel, **settings):
    shape = sk.RBF(SCALES, (1e-2, 1e2)) if kernel == "se" else sk.Matern(SCALES, (1e-2, 1e2), nu=2.5)
    whole = sk.ConstantKernel(AMPLITUDE, (1e-3, 1e3)) * shape + sk.WhiteKernel(NOISE, (1e-7, 1e1))
    return GaussianProcessRegressor(whole, alpha=0.0, **settings)


@pytest.mark.parametrize("kernel", ["se", "matern52_ard"])
def test_predictions_evidence_and_gradient_are_scikit_learns(kernel):
    gp, other = fixed(kernel).fit(X, Y), theirs(kernel, optimizer=None).fit(X, Y - Y.mean())
    mean, std = gp.predict(NEW)
    their_mean, their_std = other.predict(NEW, return_std=True)
    np.testing.assert_allclose(mean, their_mean + Y.mean(), rtol=1e-10)
    np.testing.assert_allclose(gp.predict(NEW, with_noise=True)[1], their_std, rtol=1e-9)
    np.testing.assert_allclose(std**2, their_std**2 - NOISE, rtol=1e-8)
    value, gradient = other.log_marginal_likelihood(other.kernel_.theta, eval_gradient=True)
    assert gp.log_evidence == pytest.approx(value, rel=1e-12)
    amplitude, *scales, noise = gradient  # in their order
    np.testing.assert_allclose(gp._posterior.evidence_gradient(), [*scales, amplitude, noise], rtol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # its bounds, not ours
@pytest.mark.parametrize("kernel", ["se", "matern52_ard"])
def test_fitting_finds_at_least_the_evidence_that_scikit_learn_finds(kernel):
    other = theirs(kernel, n_restarts_optimizer=5, random_state=0).fit(X, Y - Y.mean())
    fit = GP(kernel, **FITTED).fit(X, Y)
    assert fit.log_evidence >= other.log_marginal_likelihood_value_ - 1e-4
    assert fit.log_evidence > fixed(kernel).fit(X, Y).log_evidence


def test_posterior_is_the_conditional_of_the_joint_gaussian():
    n = 6
    both = np.vstack([X[:n], NEW])
    r2 = (((both[:, None] - both[None]) / SCALES) ** 2).sum(axis=2)
    K = AMPLITUDE * np.exp(-r2 / 2)
    A = K[:n, :n] + NOISE * np.eye(n)
    mean = Y[:n].mean() + K[n:, :n] @ np.linalg.inv(A) @ (Y[:n] - Y[:n].mean())
    covariance = K[n:, n:] - K[n:, :n] @ np.linalg.inv(A) @ K[:n, n:]
    gp = fixed().fit(X[:n], Y[:n])
    np.testing.assert_allclose(gp.predict(NEW)[0], mean, rtol=1e-10)
    np.testing.assert_allclose(gp.predict(NEW)[1], np.sqrt(np.diag(covariance)), rtol=1e-9)
    np.testing.assert_allclose(gp.covariance(NEW, NEW), covariance, atol=1e-11)
    evidence = multivariate_normal(np.full(n, Y[:n].mean()), A).logpdf(Y[:n])
    assert gp.log_evidence == pytest.approx(evidence, rel=1e-11)


@pytest.mark.parametrize("prior", ["flat", "repaired", "robo"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_gradient_of_the_objective_matches_finite_differences(kernel, prior):
    evidence = GP(kernel, **FITTED, prior=prior).evidence(X, Y)
    theta = evidence.prior.draw(np.random.default_rng(5), 1)[0].clip(-3, 1)
    theta[-2] = abs(theta[-2]) + 0.1  # where RoBO's prior has a density
    value, gradient = evidence.with_gradient(theta)
    assert value == pytest.approx(evidence.log_posterior(theta), rel=1e-12)
    numeric = [
        (evidence.log_posterior(theta + e) - evidence.log_posterior(theta - e)) / 2e-5
        for e in 1e-5 * np.eye(len(theta))
    ]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_gradients_of_predictions_match_finite_differences(kernel):
    gp = GP(kernel, **FITTED).fit(X, Y)
    mean, std, by_mean, by_std = gp.predict_with_gradient(NEW)
    np.testing.assert_allclose([mean, std], gp.predict(NEW), rtol=1e-12)
    for x, to_mean, to_std in zip(NEW, by_mean, by_std, strict=True):
        for e, a, b in zip(np.eye(3), to_mean, to_std, strict=True):
            ahead, behind = gp.predict([x + 1e-5 * e]), gp.predict([x - 1e-5 * e])
            assert a == pytest.approx((ahead[0][0] - behind[0][0]) / 2e-5, abs=1e-6)
            assert b == pytest.approx((ahead[1][0] - behind[1][0]) / 2e-5, abs=1e-6)


def test_what_is_given_stays_and_what_is_none_is_fitted():
    gp = GP("se", lengthscale=0.5, amplitude=None, noise_variance=0.01).fit(X, Y)
    found = gp.hyperparameters
    assert found.noise_variance == pytest.approx(0.01)
    np.testing.assert_allclose(found.lengthscale, 0.5)
    slope = gp._posterior.evidence_gradient()[-2]
    assert slope == pytest.approx(0, abs=1e-3)  # a maximum inside the box


@pytest.mark.parametrize("prior", ["flat", "repaired", "robo"])
def test_a_fitted_noise_has_a_floor_in_units_of_the_targets_variance_and_by_default_none(prior):
    smooth = 10 * np.exp(-X[:, 0])
    free = GP(**FITTED, prior=prior).fit(X, smooth)
    assert free.noise_variance < 1e-3 * smooth.var()
    floored = GP(**FITTED, prior=prior, least_noise=1e-3).fit(X, smooth)
    assert floored.noise_variance == pytest.approx(1e-3 * smooth.var())
    assert floored.log_evidence < free.log_evidence
    loose = GP(**FITTED, prior=prior, least_noise=1e-30).fit(X, smooth)
    np.testing.assert_array_equal(loose.theta, free.theta)
    given = GP(**FITTED | {"noise_variance": 1e-9}, prior=prior, least_noise=1e-3).fit(X, smooth)
    assert given.noise_variance == pytest.approx(1e-9)


def test_the_mean_interpolates_as_the_noise_vanishes():
    gp = fixed("matern52_ard", noise_variance=0).fit(X, Y)
    mean, std = gp.predict(X)
    np.testing.assert_allclose(mean, Y, atol=1e-9)
    assert std.max() < 1e-5
    assert gp.jitter == 0


def test_a_given_mean_takes_the_place_of_that_of_the_targets():
    far = GP("se", lengthscale=0.01, noise_variance=0.1, mean=5.0).fit([[0.0]], [1.0])
    assert far.predict([[1.0]])[0] == pytest.approx(5.0)
    assert GP("se", lengthscale=0.01, noise_variance=0.1).fit([[0.0]], [1.0]).predict([[1.0]])[0] == pytest.approx(
        1.0
    )


def test_jitter_is_recorded_and_a_hopeless_matrix_refused():
    twice = GP("se", lengthscale=0.5, noise_variance=0).fit([[0.5], [0.5]], [1.0, 1.0])
    assert twice.jitter == pytest.approx(1e-10)
    assert twice.predict([[0.5]])[1] < 1e-4
    factor, jitter = cholesky(np.eye(2))
    assert jitter == 0
    np.testing.assert_allclose(factor, np.eye(2))
    with pytest.raises(np.linalg.LinAlgError, match="no Cholesky factor"):
        cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_round_off_is_clipped_and_more_is_an_error():
    gp = fixed(noise_variance=0).fit(X[:5], Y[:5])
    assert gp.predict(X[:5])[1].min() == pytest.approx(math.sqrt(SMALLEST_VARIANCE * AMPLITUDE))
    gp._posterior._factor *= 0.9  # as a wrong factor would
    with pytest.raises(FloatingPointError, match="no round-off"):
        gp.predict(X[:5])


def test_believing_leaves_means_and_takes_the_uncertainty_at_the_points():
    gp = fixed(noise_variance=1e-8).fit(X, Y)
    believer = gp.believing(NEW[:2])
    np.testing.assert_allclose(believer.predict(NEW)[0], gp.predict(NEW)[0], rtol=1e-6)
    assert believer.predict(NEW[:2])[1].max() < 1e-3
    assert (believer.predict(NEW)[1] <= gp.predict(NEW)[1] + 1e-12).all()
    joint = np.vstack([X, NEW[:2]]), np.concatenate([Y, gp.predict(NEW[:2])[0]])
    again = fixed(noise_variance=1e-8, mean=Y.mean()).fit(*joint)
    np.testing.assert_allclose(believer.predict(NEW), again.predict(NEW), rtol=1e-9)


def test_equal_data_give_equal_fits_and_constant_targets_are_no_trouble():
    first, second = (GP("matern52_ard", **FITTED).fit(X, Y) for _ in range(2))
    assert (first.theta == second.theta).all()
    flat = GP("se", **FITTED).fit(X, np.ones(20))
    np.testing.assert_allclose(flat.predict(NEW)[0], 1.0)
    assert np.isfinite(flat.log_evidence)


def test_the_repaired_prior_is_the_densities_it_names():
    prior = Prior("repaired", d=1, n_parameters=1, variance=1.0)
    theta, other = [-1.0, 0.3, -4.0], [0.2, -1.1, -1.0]
    expected = 0.0
    for (_, log_a, log_noise), sign in ((theta, 1), (other, -1)):
        s = np.exp(log_noise / 2)
        expected += sign * (-(log_a**2) / 2 + np.log(np.log1p(3 * (0.1 / s) ** 2)) + np.log(s))
    ours = prior.log_density(np.array(theta))[0] - prior.log_density(np.array(other))[0]
    assert ours == pytest.approx(expected, rel=1e-12)
    gradient = approx_fprime(np.array(theta), lambda t: prior.log_density(t)[0], 1e-7)
    np.testing.assert_allclose(prior.log_density(np.array(theta))[1], gradient, atol=1e-6)
    draws = prior.draw(np.random.default_rng(0), 4000)
    assert draws[:, 0].min() >= -5
    assert draws[:, 0].max() <= 1
    assert draws[:, 1].std() == pytest.approx(1, abs=0.05)
    # Median of |N| |C| by simulation of its definition.
    rng = np.random.default_rng(9)
    median = np.median(np.abs(rng.standard_normal(40_000) * rng.standard_cauchy(40_000))) * 0.1
    assert np.exp(np.median(draws[:, 2]) / 2) == pytest.approx(median, rel=0.1)


def test_points_that_the_caller_changes_after_a_fit_are_not_the_processs():
    points = X.copy()
    gp = GP("se", **FITTED).fit(points, Y)
    before = gp.predict(X[:3])
    points[:] = 0.5
    np.testing.assert_array_equal(gp.predict(X[:3]), before)


def test_asking_for_the_evidence_of_other_data_leaves_a_fitted_process_as_it_is():
    gp = GP("se", **FITTED).fit(X, Y)
    before = gp.predict(X[:3])
    gp.evidence(X, Y + 100)
    np.testing.assert_array_equal(gp.predict(X[:3]), before)


def test_outside_the_box_the_objective_is_minus_infinity():
    evidence = GP("se", **FITTED, prior="repaired").evidence(X, Y)
    assert evidence.log_posterior(np.array([1.1, 0, 0, 0, -3])) == -np.inf
    assert np.isfinite(evidence.log_posterior(np.array([0.9, 0, 0, 0, -3])))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lengthscale": 0}, "lengthscale must be one number"),
        ({"lengthscale": [0.1, -1]}, "lengthscale must be one number"),
        ({"amplitude": 0}, "amplitude must be above 0 and a finite number, got 0"),
        ({"noise_variance": -1}, "noise_variance must be at least 0 and a finite number, got -1"),
        ({"mean": math.nan}, "mean must be a finite number, got nan"),
        ({"prior": "wide"}, "prior must be one of flat, repaired, robo, got 'wide'"),
        ({"n_restarts": 0}, "n_restarts must be at least 1"),
        ({"least_noise": -1e-4}, "least_noise must be at least 0 and at most 1, got -0.0001"),
    ],
)
def test_settings_outside_their_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        fixed(**settings)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (([[1.2, 0, 0]], [0.0]), "X must lie in the unit cube, got a coordinate of 1.2"),
        (([[np.nan, 0, 0]], [0.0]), "X must lie in the unit cube, got a coordinate of nan"),
        (([0.1, 0.2], [0.0, 1.0]), "X must have shape"),
        (([[0.1, 0.2, 0.3]], [0.0, 1.0]), r"y must have shape \(1,\)"),
        (([[0.1, 0.2, 0.3]], [np.nan]), "y must be finite, got nan"),
        (
            ([[0.1, 0.2, 0.3]], [-1e300]),
            r"y must lie within \+-1e\+100, .*got 1e\+300",
        ),
        ((np.zeros((0, 3)), []), "at least one"),
        (([[0.1, 0.2]], [0.0]), "lengthscale must be one number or 2 of them"),
    ],
)
def test_data_that_are_no_data_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        fixed().fit(*data)


def test_predictions_need_data_and_points_of_the_cube():
    with pytest.raises(ValueError, match="call fit first"):
        fixed().predict(NEW)
    with pytest.raises(ValueError, match="unit cube"):
        fixed().fit(X, Y).predict([[0.5, 0.5, -0.1]])
    with pytest.raises(ValueError, match=r"shape \(n, 3\)"):
        fixed().fit(X, Y).predict([[0.5, 0.5]])


@pytest.mark.parametrize("amplitude", [0.5, 1.0, 3.0])
def test_any_amplitude_may_be_given_beside_robos_prior(amplitude):
    gp = GP(lengthscale=None, amplitude=amplitude, noise_variance=None, prior="robo").fit(X, Y)
    assert math.exp(gp.theta[-2]) == pytest.approx(amplitude)
    assert np.isfinite(gp.predict(NEW)).all()


def test_a_gram_matrix_that_is_singular_but_for_round_off_gets_jitter():
    points = np.linspace(0, 0.05, 5)[:, None]
    gp = GP("se", lengthscale=1.0, amplitude=100.0, noise_variance=0.0).fit(points, [0, 1, 2, 0, 1])
    assert gp.jitter > 0
    assert (gp.predict(np.linspace(0, 1, 101)[:, None])[1] >= 0).all()
