import dataclasses

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from sklearn.gaussian_process.kernels import Matern
from test_marginal_gp import check_chain

from frugal.trials.surrogates import GP, MarginalGP, SizeGP, from_unit_size, to_unit_size

RNG = np.random.default_rng(8)
FRESH = RNG.bit_generator.state


def test_sizes_are_mapped_as_the_notes_table():
    # docs/methods.md, section 9: n_min = 100, n_max = 50000, sizes n_max / 2^j for j = 8 .. 0.
    table = [0.1077, 0.2193, 0.3308, 0.4423, 0.5539, 0.6654, 0.7769, 0.8885, 1]
    np.testing.assert_allclose(to_unit_size(50000 / 2.0 ** np.arange(8, -1, -1), 100, 50000), table, atol=5e-5)
    assert to_unit_size(25000, 100, 50000) == pytest.approx(1 - 0.111535, abs=1e-6)
    assert to_unit_size(100, 100, 50000) == 0
    assert to_unit_size(25050, 100, 50000, "linear") == pytest.approx(0.5)
    assert from_unit_size(0.5, 100, 1600) == 400
    with pytest.raises(ValueError, match=r"n must be at least 100 and at most 50000 rows, got 97\.65"):
        to_unit_size(50000 / 512, 100, 50000)  # the table's -0.0038


@pytest.mark.parametrize("scale", ["log2", "linear"])
@pytest.mark.parametrize(("n_min", "n_max"), [(100, 50000), (1, 2), (10, 8192)])
def test_every_number_of_rows_comes_back_from_its_size(n_min, n_max, scale):
    rows = np.arange(n_min, n_max + 1)
    sizes = to_unit_size(rows, n_min, n_max, scale)
    assert sizes.min() == 0
    assert sizes.max() == 1
    assert (np.diff(sizes) > 0).all()
    np.testing.assert_array_equal(from_unit_size(sizes, n_min, n_max, scale), rows)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: to_unit_size(10, 10, 20, "ln"), "scale must be one of log2, linear, got 'ln'"),
        (lambda: to_unit_size(10, 0, 20), "n_min must be at least 1 and a whole number, got 0"),
        (lambda: to_unit_size(10, 10, 10), "n_max must be at least 11 and a whole number, got 10"),
        (lambda: to_unit_size([10, 21], 10, 20), "n must be at least 10 and at most 20 rows, got 21"),
        (lambda: to_unit_size(np.nan, 10, 20), "at most 20 rows, got nan"),
        (lambda: from_unit_size(-0.1, 10, 20), "s must be at least 0 and at most 1, got -0.1"),
    ],
)
def test_sizes_that_are_none_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("size_covariance", ["diagonal", "full"])
def test_at_full_size_only_the_constant_part_of_the_loss_is_left(size_covariance):
    weights = (0.6, 3.0, 0.5)[: 3 if size_covariance == "full" else 2]
    given = {"lengthscale": 0.4, "noise_variance": 0.01, "mean": 0.0}
    gp = SizeGP("loss", size_covariance=size_covariance, size_weights=weights, amplitude=1.5, **given)
    X, y = RNG.random((9, 2)), RNG.standard_normal(9)
    new = RNG.random((4, 2))
    whole, new_whole = np.insert(X, 2, 1.0, axis=1), np.insert(new, 2, 1.0, axis=1)
    plain = GP("matern52_product", amplitude=1.5 * 0.6, **given).fit(X, y)
    np.testing.assert_allclose(gp.fit(whole, y).predict(new_whole), plain.predict(new), rtol=1e-10)
    covariance = gp.evidence(whole, y).covariance
    small = np.insert(X, 2, RNG.random(9), axis=1)
    between = covariance.between(new_whole, small, gp.theta[:-2])
    if size_covariance == "diagonal":  # whatever the other's size
        np.testing.assert_allclose(between, covariance.between(new_whole, whole, gp.theta[:-2]), rtol=1e-12)
    else:
        assert np.abs(between - covariance.between(new_whole, whole, gp.theta[:-2])).max() > 0.01


def test_a_full_covariance_without_correlation_is_the_diagonal_one():
    X, y = RNG.random((9, 3)), RNG.standard_normal(9)
    given = {"lengthscale": 0.4, "noise_variance": 0.01, "amplitude": 2.0}
    full = SizeGP("cost", size_covariance="full", size_weights=(0.6, 3.0, 0.0), **given).fit(X, y)
    diagonal = SizeGP("cost", size_weights=(0.6, 3.0), **given).fit(X, y)
    np.testing.assert_allclose(full.predict(X), diagonal.predict(X), rtol=1e-12)
    correlated = SizeGP("cost", size_covariance="full", size_weights=(0.6, 3.0, 0.9), **given).fit(X, y)
    np.testing.assert_allclose(correlated.weights, [[0.6, 0.9 * 1.8**0.5], [0.9 * 1.8**0.5, 3.0]], rtol=1e-12)


def drawn(rng, n, d, hyperparameters):
    """Points (n + 1, d + 1), sizes up to 1/4 but for the last one, and f there from the prior of the loss."""
    log_l, log_env_a, log_env_b, log_a = np.split(hyperparameters, [d, d + 1, d + 2])
    X = rng.random((n + 1, d + 1))
    X[:, -1] = np.append(0.25 * rng.random(n), 1.0)
    psi = (1 - X[:, -1]) ** 2
    K = np.exp(log_a) * (np.exp(log_env_a) + np.exp(log_env_b) * np.outer(psi, psi))
    for column, scale in enumerate(np.exp(log_l)):
        K = K * Matern(scale, nu=2.5)(X[:, [column]])
    return X, np.linalg.cholesky(K + 1e-10 * np.trace(K) * np.eye(n + 1)) @ rng.standard_normal(n + 1)


def covered(variant, n_repeats):
    """How often the 95 % interval at full size holds f there, the hyperparameters being known."""
    rng = np.random.default_rng(11)
    hyperparameters = np.log([0.5, 0.7, 0.8, 1.5, 1.2])
    scales, env_a, env_b, amplitude = np.exp(hyperparameters[:2]), *np.exp(hyperparameters[2:])
    gp = SizeGP(
        variant,
        lengthscale=scales,
        amplitude=amplitude,
        noise_variance=0.01,
        size_weights=(env_a, env_b),
        mean=0.0,
    )
    hits = 0
    for _ in range(n_repeats):
        X, f = drawn(rng, 25, 2, hyperparameters)
        mean, std = gp.fit(X[:-1], f[:-1] + 0.1 * rng.standard_normal(25)).predict(X[-1:])
        hits += abs(f[-1] - mean[0]) < norm.ppf(0.975) * std[0]
    return hits


def test_the_full_size_value_is_covered_when_only_small_sizes_were_seen():
    n_repeats = 600
    assert binomtest(covered("loss", n_repeats), n_repeats, 0.95).pvalue > 0.01
    assert binomtest(covered("cost", n_repeats), n_repeats, 0.95).pvalue < 1e-4  # the wrong basis would be noticed


def test_the_full_size_value_is_covered_when_hyperparameters_are_sampled_too():
    n_repeats, rng = 60, np.random.default_rng(4)
    places = []
    for _ in range(n_repeats):
        X, f = drawn(rng, 12, 1, np.concatenate([[np.log(0.5)], rng.standard_normal(3)]))
        gp = SizeGP("loss", mean=0.0, lengthscale=0.5, noise_variance=0.01)
        model = MarginalGP(gp, rng=rng, n_walkers=12, n_burn=30, n_steps=10)
        model.fit(X[:-1], f[:-1] + 0.1 * rng.standard_normal(12))
        both = np.vstack([X[-1], [X[-1, 0], 0.25]])  # at full size, and at the largest size seen
        means, stds = np.array([component.predict(both) for component in model.components]).transpose(1, 0, 2)
        places.append(norm.cdf(f[-1], means, stds).mean(axis=0))  # of f in the two mixtures
    inside = ((np.array(places) > 0.025) & (np.array(places) < 0.975)).sum(axis=0)
    assert binomtest(int(inside[0]), n_repeats, 0.95).pvalue > 0.01
    assert binomtest(int(inside[1]), n_repeats, 0.95).pvalue < 1e-4  # where nothing is extrapolated


def test_chains_agree_with_the_posterior_integrated_on_a_grid():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.random(10), rng.random(10)])
    y = 2 * (1 - X[:, 1]) ** 2 + 0.3 * rng.standard_normal(10)
    gp = SizeGP("loss", lengthscale=0.6, amplitude=1.0, noise_variance=0.09)
    evidence = gp.evidence(X, y)
    assert evidence.free.tolist() == [False, True, True, False, False]
    grid = -7 + 14 * (np.arange(60) + 0.5) / 60  # midpoints; beyond them the prior is below 1e-10
    p, chain = check_chain(gp, evidence, grid, grid, precision=0.1)
    spread = np.sqrt(p.sum(axis=1) @ grid**2 - (p.sum(axis=1) @ grid) ** 2)
    assert chain[:, :, 0].std() == pytest.approx(spread, rel=0.15)


def test_the_noise_that_is_given_or_fitted_is_said_in_its_own_units():
    X, y = RNG.random((30, 2)), RNG.standard_normal(30)
    assert SizeGP(noise_variance=0.25).fit(X, y).noise_variance == pytest.approx(0.25)
    fit = SizeGP(noise_scale=0.1).fit(X, y)
    same = pytest.approx(fit.noise_variance, rel=1e-15)  # exponentials of several libraries, within a last digit
    assert np.exp(fit.theta[-1]) == same
    assert dataclasses.asdict(fit.hyperparameters)["noise_variance"] == same


@pytest.mark.parametrize(("n_min", "n_max"), [(65, 183), (55, 549), (100, 400), (100, 85_649)])
def test_the_most_rows_have_the_size_1(n_min, n_max):
    # NumPy's logarithm of the ratio is above Python's for 65 and 183, and below it for 55 and 549.
    assert to_unit_size([n_min, n_max], n_min, n_max).tolist() == [0.0, 1.0]
