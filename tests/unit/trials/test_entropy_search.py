import numpy as np
import pytest
from scipy.stats import norm

from frugal.trials.acquisitions.entropy_search import (
    InformationGain,
    _may_change,
    information,
    innovation,
    p_min_after,
    p_min_of,
)
from frugal.trials.acquisitions.epmgp import log_p_min
from frugal.trials.acquisitions.representers import draw, log_density
from frugal.trials.surrogates import GP, SizeGP

RNG = np.random.default_rng(0)
KERNEL = {"kernel": "matern52_ard", "lengthscale": 0.3, "noise_variance": 0.01}
FRESH = RNG.bit_generator.state


def fitted(n=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    return GP(**KERNEL).fit(X, rng.standard_normal(n)), X


def quantiles(n):
    return norm.ppf((np.arange(n) + 0.5) / n)


def belief(n_representers=8, n_samples=1500, seed=0):
    """A Gaussian belief, its factor, normals and samples."""
    rng = np.random.default_rng(seed)
    Z = rng.random((n_representers, 2))
    S = np.exp(-((Z[:, None] - Z) ** 2).sum(axis=2) / 0.18) + 1e-6 * np.eye(n_representers)
    mean, factor = rng.standard_normal(n_representers) / 3, np.linalg.cholesky(S)
    normals = rng.standard_normal((n_samples, n_representers))
    return mean, S, factor, normals, mean + normals @ factor.T


def test_an_innovation_moves_the_belief_as_a_new_fit_does():
    gp, X = fitted()
    y = gp._fitted.data.residuals + gp._offset
    Z, x = RNG.random((9, 2)), RNG.random((1, 2))
    b = innovation(gp, Z, x)[:, 0]
    mean_x, std_x = (part[0] for part in gp.predict(x))
    for w in (-1.3, 0.7):
        observed = mean_x + w * np.sqrt(std_x**2 + gp.noise_variance)
        again = GP(**KERNEL, mean=gp._offset).fit(np.vstack([X, x]), np.append(y, observed))
        assert again.predict(Z)[0] == pytest.approx(gp.predict(Z)[0] + b * w, abs=1e-10)
        assert again.covariance(Z, Z) == pytest.approx(gp.covariance(Z, Z) - np.outer(b, b), abs=1e-10)


def test_the_shifted_samples_have_the_moments_of_the_belief_after():
    mean, S, factor, normals, F = belief(5, 400_000)
    b = S @ np.array([0.5, -0.2, 0.1, 0.4, -0.6])
    b *= 0.9 / np.sqrt(b @ np.linalg.solve(S, b))
    beta = np.linalg.solve(factor, b)
    after = F + np.outer(0.8 - normals @ beta / (1 + np.sqrt(1 - beta @ beta)), b)
    assert after.mean(axis=0) == pytest.approx(mean + 0.8 * b, abs=0.01)
    assert np.cov(after.T) == pytest.approx(S - np.outer(b, b), abs=0.01)


def test_the_envelope_counts_what_comparing_all_lines_counts():
    _, S, factor, normals, F = belief(12, 700)
    B = S @ RNG.standard_normal((12, 5))
    B /= np.sqrt((B * np.linalg.solve(S, B)).sum(axis=0))
    B *= [0.999, 0.7, 0.2, 0.01, 0.0]
    w = quantiles(17)
    found = p_min_after(F, B, normals, w, factor)
    for i, b in enumerate(B.T):
        beta = np.linalg.solve(factor, b)
        shift = normals @ beta / (1 + np.sqrt(1 - beta @ beta))
        brute = np.array([p_min_of(F + np.outer(value - shift, b)) for value in w]).T
        assert np.array_equal(found[i], brute)


def test_representers_drawn_twice_count_what_comparing_all_lines_counts():
    _, S, _, normals, _ = belief(12, 700)
    drawn = RNG.integers(12, size=30)  # at least 18 of them are drawn again
    S = S[np.ix_(drawn, drawn)] + 1e-8 * np.eye(30)
    factor = np.linalg.cholesky(S)
    normals = RNG.standard_normal((700, 30))
    F = normals @ factor.T
    B = np.array([S[:, drawn.tolist().index(one)] / np.sqrt(S[0, 0] + 0.1) for one in np.unique(drawn)]).T
    B = np.array([B[drawn.tolist().index(one)] for one in drawn]) * 0.5
    w = quantiles(20)
    found = p_min_after(F, B, normals, w, factor)
    betas = np.linalg.solve(factor, B)
    shifts = normals @ betas / (1 + np.sqrt(1 - np.minimum((betas**2).sum(axis=0), 1)))
    for i, b in enumerate(B.T):
        brute = np.array([p_min_of(F + np.outer(value - shifts[:, i], b)) for value in w]).T
        assert np.array_equal(found[i], brute)


def test_no_sample_whose_least_line_changes_is_left_out():
    F, slopes = RNG.standard_normal((300, 8)), RNG.standard_normal((20, 8)) * RNG.random((20, 1)) ** 4
    low, high = -3 * RNG.random((20, 300)), 3 * RNG.random((20, 300))
    usual = F.argmin(axis=1)
    ends = [(F + end[:, :, None] * slopes[:, None]).argmin(axis=2) != usual for end in (low, high)]
    changes = ends[0] | ends[1]
    mask = _may_change(F, usual, slopes, low, high)
    assert mask[changes].all()
    assert 0 < changes.sum() <= mask.sum() < 1.5 * changes.sum()


def test_p_min_of_two_values_is_the_formula():
    mean, S = np.array([0.2, -0.4]), np.array([[1.0, 0.3], [0.3, 2.0]])
    p = norm.cdf((mean[1] - mean[0]) / np.sqrt(S[0, 0] + S[1, 1] - 2 * S[0, 1]))
    F = mean + RNG.standard_normal((400_000, 2)) @ np.linalg.cholesky(S).T
    assert p_min_of(F)[0] == pytest.approx(p, abs=3 * np.sqrt(p * (1 - p) / 400_000))
    log_p, _ = log_p_min(mean, S)
    assert np.exp(log_p) == pytest.approx([p, 1 - p], abs=1e-9)


def test_independent_equal_values_are_least_equally_often():
    r, n = 7, 200_000
    shares = p_min_of(RNG.standard_normal((n, r)))
    assert shares == pytest.approx(np.full(r, 1 / r), abs=4 * np.sqrt(1 / r / n))
    assert np.exp(log_p_min(np.zeros(r), np.eye(r))[0]) == pytest.approx(np.full(r, 1 / r), abs=1e-9)


def test_expectation_propagation_agrees_with_monte_carlo_on_ten_points():
    rng = np.random.default_rng(3)
    Z = rng.random((10, 2))
    S = np.exp(-((Z[:, None] - Z) ** 2).sum(axis=2) / (2 * 0.1**2)) + 0.1 * np.eye(10)
    mean = rng.standard_normal(10) / 2
    F = mean + rng.standard_normal((1_000_000, 10)) @ np.linalg.cholesky(S).T
    assert np.exp(log_p_min(mean, S)[0]) == pytest.approx(p_min_of(F), abs=1e-3)


def test_slopes_of_expectation_propagation_are_those_of_finite_differences():
    mean, S, *_ = belief(6)
    S = S + 0.05 * np.eye(6)
    log_p, slopes = log_p_min(mean, S)
    step = 1e-4 * np.eye(6)
    by_mean = np.array([(log_p_min(mean + e, S)[0] - log_p_min(mean - e, S)[0]) / 2e-4 for e in step]).T
    normalised = slopes - np.exp(log_p) @ slopes
    assert by_mean == pytest.approx(normalised, abs=1e-4)


def test_information_is_the_relative_entropy():
    p, log_u = np.array([[0.5], [0.5], [0.0]]), np.array([0.0, -1.0, -7.0])
    assert information(p, log_u) == pytest.approx([np.log(0.5) - 0.5])


def gain_of(component, Z, X, seed=0, log_u=None, **settings):
    rng, log_u = np.random.default_rng(seed), np.zeros(len(Z)) if log_u is None else log_u
    return InformationGain([component], [(Z, log_u)], rng=rng, **settings)(X)[0]


@pytest.mark.parametrize("p_min", ["monte_carlo", "epmgp"])
def test_the_density_of_representers_counts_by_the_change_of_its_mean_logarithm(p_min):
    gp, _ = fitted()
    Z, X, log_u = RNG.random((10, 2)), RNG.random((30, 2)), np.linspace(-3, 0, 10)
    plain, once, twice = (gain_of(gp, Z, X, log_u=k * log_u, p_min=p_min, n_samples=500) for k in (0, 1, 2))
    assert np.abs(once - plain).max() > 0.01
    assert twice - plain == pytest.approx(2 * (once - plain))
    constant = gain_of(gp, Z, X, log_u=np.full(10, -3.0), p_min=p_min, n_samples=500)
    assert constant == pytest.approx(plain)  # of probabilities that sum to 1 before and after


@pytest.mark.parametrize("p_min", ["monte_carlo", "epmgp"])
def test_gains_are_not_negative_and_vanish_where_nothing_is_learnt(p_min):
    gp, _ = fitted()
    Z, X = RNG.random((10, 2)), RNG.random((30, 2))
    gains = np.array([gain_of(gp, Z, X, seed, p_min=p_min, n_samples=500) for seed in range(6)])
    error = gains.std(axis=0, ddof=1) / np.sqrt(6)
    assert (gains.mean(axis=0) >= -3 * error).all()
    assert gains.mean(axis=0).max() > 0.01

    class Apart:
        """What is observed has nothing to do with the representers."""

        noise_variance, predict = gp.noise_variance, gp.predict

        def covariance(self, A, B):
            return gp.covariance(A, B) if A is B else np.zeros((len(A), len(B)))

    assert gain_of(Apart(), Z, X, p_min=p_min) == pytest.approx(np.zeros(30), abs=1e-12)


def test_both_ways_to_probabilities_rank_candidates_alike():
    gp, _ = fitted()
    Z, X = RNG.random((10, 2)), RNG.random((40, 2))
    sampled = gain_of(gp, Z, X, n_samples=5000)
    expanded = gain_of(gp, Z, X, p_min="epmgp", n_quantiles=50)
    assert np.corrcoef(sampled, expanded)[0, 1] > 0.9


def test_full_size_tells_more_than_the_least():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random((12, 2)), rng.choice([0.0, 0.3, 0.6], 12)])
    gp = SizeGP(lengthscale=0.3, amplitude=1.0, noise_variance=0.01, size_weights=(1.0, 1.0))
    gp.fit(X, rng.standard_normal(12))
    Z, places = np.column_stack([rng.random((15, 2)), np.ones(15)]), rng.random((20, 2))
    small, full = (gain_of(gp, Z, np.column_stack([places, np.full(20, s)])) for s in (0.0, 1.0))
    assert (full >= small - 0.005).all()  # a Monte Carlo error
    assert full.mean() > 2 * small.mean()


def test_representers_follow_their_density():
    # exp(3 x) on [0, 1] has the mean 1 / (1 - exp(-3)) - 1 / 3
    points = np.concatenate([draw(lambda u: 3 * u[:, 0], 2, 100, np.random.default_rng(i)) for i in range(20)])
    assert points.mean(axis=0) == pytest.approx([1 / (1 - np.exp(-3)) - 1 / 3, 0.5], abs=0.03)
    assert ((points >= 0) & (points <= 1)).all()


def test_the_density_is_expected_improvement_or_its_exponential():
    gp, _ = fitted()
    X, eta = np.random.default_rng(1).random((5, 2)), 0.1
    mean, std = gp.predict(X)
    z = (eta - mean) / std
    improvement = std * (norm.pdf(z) + z * norm.cdf(z))
    assert log_density(gp, eta)(X) == pytest.approx(np.log(improvement))
    assert log_density(gp, eta, "exp_ei")(X) == pytest.approx(improvement)


def test_bad_settings_are_refused():
    gp, _ = fitted()
    with pytest.raises(ValueError, match="p_min must be one of monte_carlo, epmgp, got 'exact'"):
        gain_of(gp, RNG.random((5, 2)), RNG.random((2, 2)), p_min="exact")
    with pytest.raises(ValueError, match="representers must be 1 sets, one per component, got 0"):
        InformationGain([gp], [], rng=RNG)
    with pytest.raises(ValueError, match="representers must be one of log_ei, exp_ei, got 'ei'"):
        log_density(gp, 0.0, "ei")
    with pytest.raises(ValueError, match="n_representers must be at least 4, twice the dimensions, got 3"):
        draw(lambda u: u[:, 0], 2, 3, RNG)
