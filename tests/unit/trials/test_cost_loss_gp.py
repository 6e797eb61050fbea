"""One Gaussian process of cost and loss: its covariance entry by entry, and Fabolas on it."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

from frugal import trials
from frugal.interface import Trial
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.surrogates import SizeGP
from frugal.trials.surrogates.cost_loss_gp import COST, CostLossGP, _CostLossFactor

WEIGHTS = (0.6, 3.0, 1.7, 0.4, 0.8)
GIVEN = {"lengthscale": 0.4, "amplitude": 1.5, "noise_variance": 0.01, "mean": 0.0}


def points(rng, n=6):
    """Half of them losses, half of them costs, in two dimensions."""
    s = rng.random(n)
    return np.column_stack([rng.random((n, 2)), np.where(np.arange(n) < n // 2, s, COST + s)])


def by_hand(a, b):
    """k of two points, from the equation in the module."""
    (env_a, env_b, cost_a, cost_b, rho), kernel = WEIGHTS, Matern(0.4, nu=2.5)
    k = np.prod([kernel([[a[i]]], [[b[i]]])[0, 0] for i in range(2)])
    s, t = (x[2] - COST * (x[2] >= COST) for x in (a, b))
    if a[2] < COST and b[2] < COST:
        return k * (env_a + env_b * (1 - s) ** 2 * (1 - t) ** 2)
    if a[2] >= COST and b[2] >= COST:
        return k * (cost_a + cost_b * s * t)
    return k * rho * np.sqrt(env_a * cost_a)


def test_the_covariance_is_that_of_the_equation():
    X = points(np.random.default_rng(0))
    gp = CostLossGP(weights=WEIGHTS, **GIVEN).fit(X, np.zeros(6))
    ours = gp.evidence(X, np.zeros(6)).covariance.between(X, X, gp.theta[:-2])
    np.testing.assert_allclose(ours, [[by_hand(a, b) for b in X] for a in X], rtol=1e-10)
    assert np.linalg.eigvalsh(ours).min() > 0


def test_without_correlation_loss_and_cost_are_fabolas_two_models():
    rng = np.random.default_rng(1)
    X, y, new = points(rng, 12), rng.standard_normal(12), points(rng, 8)
    joint = CostLossGP(weights=(*WEIGHTS[:4], 0.0), **GIVEN).fit(X, y)
    for variant, rows, weights in (("loss", slice(0, 6), WEIGHTS[:2]), ("cost", slice(6, 12), WEIGHTS[2:4])):
        block = slice(0, 4) if variant == "loss" else slice(4, 8)
        shift = np.array([0, 0, 0 if variant == "loss" else COST])
        alone = SizeGP(variant, size_weights=weights, **GIVEN).fit(X[rows] - shift, y[rows])
        np.testing.assert_allclose(joint.predict(new[block]), alone.predict(new[block] - shift), rtol=1e-9)


def test_a_low_loss_says_what_it_costs_where_they_are_correlated():
    x = np.array([[0.3, 0.3, 1.0]])
    for rho, sign in ((0.9, 1), (-0.9, -1), (0.0, 0)):
        gp = CostLossGP(weights=(1.0, 1.0, 1.0, 1.0, rho), **GIVEN).fit(x, [-2.0])
        mean = gp.predict(np.array([[0.3, 0.3, COST]]))[0][0]
        assert np.sign(np.round(mean, 12)) == -sign


def test_derivatives_are_those_of_finite_differences():
    factor, parameters, u = _CostLossFactor(), np.array([0.3, -0.5, 0.2, 0.9, 0.7]), np.array([0.2, 0.9, 2.1, 2.8])
    for i, gradient in enumerate(factor.weights_gradient(parameters)):
        step = 1e-6 * np.eye(5)[i]
        wanted = (factor.weights(parameters + step) - factor.weights(parameters - step)) / 2e-6
        np.testing.assert_allclose(gradient, wanted, atol=1e-8)
    wanted = (factor.features(u + 1e-6) - factor.features(u - 1e-6)) / 2e-6
    np.testing.assert_allclose(factor.slopes(u), wanted, atol=1e-8)


@pytest.mark.parametrize("weights", [(1, 1, 1, 1), (1, 1, 1, 0, 0.5), (1, 1, 1, 1, 1.0)])
def test_weights_that_cannot_be_are_refused(weights):
    with pytest.raises(
        ValueError, match="weights must be env_a and env_b of loss and of cost, above 0, and a corr"
    ):
        CostLossGP(weights=weights)


SPACE = SearchSpace({"x": Uniform(0.0, 1.0), "y": Uniform(0.0, 1.0)})
QUICK = {"n_hyper": 4, "n_burn": 60, "n_steps": 20, "n_candidates": 40, "n_representers": 12, "n_samples": 100}


def test_fabolas_knows_the_costs_and_losses_that_it_was_told():
    settings = {"n_trials": 11, "sizes": [64, 256, 1024], "n_initial": 8, **QUICK}
    strategy = trials.make("fabolas_joint", space=SPACE, rng=np.random.default_rng(0), **settings)
    while (task := strategy.ask()) is not None:
        error = 0.05 + (task.candidate["x"] - 0.3) ** 2 + 0.1 * (1 - task.n_rows / 1024) ** 2
        strategy.tell(Trial(task, error, seconds=task.n_rows / 100.0, cost=1.0))
    X = np.array(strategy._points)
    measured = np.array([trial.seconds for trial in strategy.trials])
    assert np.median(np.abs(np.log(strategy._costs(X).mean(axis=0) / measured))) < 0.2
    losses = strategy._loss.predict(X)[0]  # standardised log errors
    assert np.corrcoef(losses, np.log([trial.error for trial in strategy.trials]))[0, 1] > 0.95
    assert len({trial.task.n_rows for trial in strategy.trials}) > 1


@pytest.mark.parametrize("correlated", [True, False])
def test_the_correlation_is_fitted_or_held_at_0(correlated):
    settings = {"n_trials": 9, "sizes": [64, 256], "n_initial": 8, "correlated": correlated, **QUICK}
    strategy = trials.make("fabolas_joint", space=SPACE, rng=np.random.default_rng(0), **settings)
    while (task := strategy.ask()) is not None:
        strategy.tell(Trial(task, 0.1 + task.candidate["x"], seconds=1.0 + task.candidate["x"], cost=1.0))
    weights = np.array([gp.weights for gp in strategy._cost.components])
    assert (np.abs(weights[:, 0, 2]) > 0).all() == correlated
    assert np.ptp(weights[:, 0, 0]) > 0
    assert np.ptp(weights[:, 2, 2]) > 0


def test_fabolas_on_one_process_refuses_what_its_kernel_has_not():
    given = {"space": SPACE, "n_trials": 5, "rng": np.random.default_rng(0), "sizes": [64, 256]}
    with pytest.raises(ValueError, match="size_covariance must be diagonal, got 'full'"):
        trials.make("fabolas_joint", size_covariance="full", **given)
    with pytest.raises(ValueError, match="prior must be one of repaired, got 'robo'"):
        trials.make("fabolas_joint", prior="robo", **given)
