import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from frugal.trials.acquisitions import LogEI, best_means, log_ei, log_h, log_rival_ei, maximise, perturbed, sobol
from frugal.trials.surrogates import GP, MarginalGP

RNG = np.random.default_rng(3)
X = RNG.random((12, 2))
Y = np.cos(5 * X[:, 0]) + X[:, 1]


@pytest.fixture(scope="module")
def gp():
    return GP("matern52_ard", lengthscale=[0.3, 0.6], noise_variance=1e-4).fit(X, Y)


@pytest.fixture(scope="module")
def sampled():
    free = GP("se", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired")
    return MarginalGP(free, rng=np.random.default_rng(0), n_burn=20, n_steps=20).fit(X, Y)


@pytest.mark.parametrize(
    ("z", "expected"),
    [  # by 60-digit arithmetic
        (3, 1.098739665327708),
        (0, -0.9189385332046727),
        (-0.5, -1.62051626438732),
        (-1, -2.485121025712641),
        (-5, -16.74430116266099),
        (-20, -206.9178385094251),
        (-40, -808.29856835662),
        (-100, -5010.12957880025),
        (-1000, -500014.7344520912),
        (-1e5, -5000000023.944789),
    ],
)
def test_log_h_has_its_known_values(z, expected):
    assert log_h(np.array([z], dtype=float))[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("z", [-1.0001, -3, -37.5, -1e3, -9.9e5, -1.1e6, -1e8])
def test_log_h_agrees_with_quadrature_in_the_far_tail(z):
    # h(z) = phi(z) / z^2 * int_0^inf u exp(-u - u^2 / (2 z^2)) du, so the integral carries all but phi.
    integral = quad(lambda u: u * np.exp(-u - u * u / (2 * z * z)), 0, np.inf, epsabs=0, epsrel=1e-12)[0]
    expected = norm.logpdf(z) + np.log(integral / z**2)
    assert log_h(np.array([z]))[0] == pytest.approx(expected, rel=1e-14, abs=1e-12)


def test_log_h_rises_everywhere_across_its_three_forms():
    z = np.concatenate([-np.logspace(9, -3, 400), np.linspace(0, 8, 50), [-1e6 - 1, -1e6, -1e6 + 1]])
    values = log_h(np.sort(z))
    assert np.isfinite(values).all()
    assert (np.diff(values) > 0).all()


@pytest.mark.parametrize(("mean", "std", "eta"), [(0.0, 1.0, 0.0), (0.5, 0.3, 0.2), (-1.0, 2.0, 0.5)])
def test_expected_improvement_is_its_monte_carlo_mean(mean, std, eta):
    gains = np.maximum(eta - (mean + std * np.random.default_rng(0).standard_normal(1_000_000)), 0)
    ours = np.exp(log_ei(np.array([mean]), np.array([std]), eta))[0]
    assert abs(ours - gains.mean()) < 3 * gains.std() / 1000


def test_the_gradient_matches_finite_differences(gp, sampled):
    for model, eta_shift in ((gp, 0.0), (sampled, 0.0), (gp, -30.0)):  # the last far in the tail
        etas = [eta + eta_shift for eta in best_means(model.components, X)]
        acquisition = LogEI(model.components, etas)
        for x in np.random.default_rng(8).uniform(0.05, 0.95, (5, 2)):
            value, gradient = acquisition.with_gradient(x)
            assert value == pytest.approx(acquisition(x[None])[0], rel=1e-11)
            numeric = [
                (acquisition((x + e)[None])[0] - acquisition((x - e)[None])[0]) / 2e-6 for e in 1e-6 * np.eye(2)
            ]
            np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)


def test_it_is_the_expected_improvement_that_is_averaged_over_hyperparameters_not_its_logarithm(sampled):
    new = np.random.default_rng(1).random((6, 2))
    etas = best_means(sampled.components, X)
    logs = [log_ei(*c.predict(new), eta) for c, eta in zip(sampled.components, etas, strict=True)]
    each = np.exp(logs)
    np.testing.assert_allclose(np.exp(LogEI(sampled.components, etas)(new)), np.mean(each, axis=0), rtol=1e-9)
    geometric = np.mean(logs, axis=0)
    assert (np.mean(each, axis=0) > np.exp(geometric)).all()
    as_robo = LogEI(sampled.components, etas, logs=True)
    np.testing.assert_allclose(as_robo(new), geometric, rtol=1e-9)
    x, steps = new[0], 1e-6 * np.eye(2)
    value, gradient = as_robo.with_gradient(x)
    assert value == pytest.approx(geometric[0])
    numeric = [(as_robo((x + e)[None])[0] - as_robo((x - e)[None])[0]) / 2e-6 for e in steps]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)


def test_refinement_finds_the_maximum_of_a_dense_grid(gp):
    acquisition = LogEI(gp.components, best_means(gp.components, X))
    axis = np.linspace(0, 1, 201)
    dense = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    pool = sobol(2, 128, np.random.default_rng(0))
    points, values = maximise(acquisition, pool, snap=lambda x: x, n_starts=5)
    assert len(points) == len(values) == 133
    assert values.max() >= acquisition(dense).max() - 1e-9
    assert values.max() > values[:128].max()
    assert np.linalg.norm(points[values.argmax()] - dense[acquisition(dense).argmax()]) < 0.01


def test_points_are_compared_at_the_candidates_they_stand_for(gp):
    acquisition = LogEI(gp.components, best_means(gp.components, X))
    lattice = lambda x: np.round(4 * x) / 4  # noqa: E731
    pool = lattice(sobol(2, 64, np.random.default_rng(0)))
    points, values = maximise(acquisition, pool, snap=lattice, n_starts=3)
    np.testing.assert_allclose(4 * points, np.round(4 * points))
    np.testing.assert_allclose(values, acquisition(points))


def test_pools_lie_in_the_cube():
    near = perturbed(np.array([[0.0, 1.0], [0.5, 0.5]]), np.random.default_rng(0))
    assert near.shape == (20, 2)
    assert near.min() >= 0
    assert near.max() <= 1
    many = perturbed(np.full((5, 2), 0.5), np.random.default_rng(0))
    assert many.std(axis=0) == pytest.approx([0.1, 0.1], rel=0.15)
    assert sobol(3, 100, np.random.default_rng(0)).shape == (100, 3)


def test_no_points_and_fewer_than_no_starts_are_refused(gp):
    with pytest.raises(ValueError, match="n_points must be at least 1 and a whole number, got 0"):
        sobol(1, 0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="n_starts must be at least 0 and a whole number, got -1"):
        maximise(LogEI(gp.components, [0.0]), X, snap=lambda X: X, n_starts=-1)


class Arms:
    """Jointly Gaussian arms at 0, 1, 2, ... on a line."""

    def __init__(self, mean, covariance):
        self.mean, self.S = np.array(mean), np.array(covariance)

    def predict(self, X):
        at = X[:, 0].astype(int)
        return self.mean[at], np.sqrt(np.diag(self.S)[at])

    def covariance(self, A, B):
        return self.S[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]


def test_the_rivals_gain_is_that_of_two_known_arms():
    # f_0 - f_1 ~ N(-0.5, 1 + 0.49 - 2 * 0.3), so E[(f_0 - f_1)+] = d (phi(t / d) + t / d Phi(t / d)).
    arms = Arms([0.0, 0.5], [[1.0, 0.3], [0.3, 0.49]])
    d, t = np.sqrt(0.89), -0.5
    expected = d * (norm.pdf(t / d) + t / d * norm.cdf(t / d))
    values = log_rival_ei([arms], np.array([[0.0], [1.0]]), np.array([0.0]))
    assert values[0] == -np.inf  # no rival of itself
    assert np.exp(values[1]) == pytest.approx(expected, rel=1e-12)
    draws = np.random.default_rng(0).multivariate_normal(arms.mean, arms.S, 400_000)
    gains = np.maximum(draws[:, 0] - draws[:, 1], 0)
    assert abs(gains.mean() - expected) < 3 * gains.std() / np.sqrt(len(gains))


def test_a_rival_that_moves_with_the_first_gains_less(gp):
    together = Arms([0.0, 0.1, 0.1], [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    values = log_rival_ei([together], np.array([[1.0], [2.0]]), np.array([0.0]))
    assert values[1] > values[0]
    ours = log_rival_ei(gp.components, np.vstack([X[:1], X[:1] + 1e-3]), X[0])
    assert ours[0] == -np.inf
    assert ours[1] < log_rival_ei(gp.components, np.array([[0.5, 0.5]]), X[0])[0]
