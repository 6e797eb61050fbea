import numpy as np
import pytest

from frugal.trials.surrogates import GP, MarginalGP

X = np.array([[0.05], [0.2], [0.45], [0.6], [0.9]])
Y = np.array([1.2, 0.4, -1.1, -0.9, 0.4])


def one_scale_and_noise():
    return GP("se", lengthscale=None, amplitude=1.0, noise_variance=None, prior="repaired")


def check_chain(gp, evidence, first, second, precision):
    """That a chain's means of two hyperparameters are those on a grid; returns the grid's shares and the chain."""
    log_p = np.array([[evidence.log_posterior(np.array([a, b])) for b in second] for a in first])
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    _, chain = MarginalGP(gp, rng=np.random.default_rng(0), n_walkers=16, n_steps=800).sample(evidence)
    batches = chain.reshape(8, -1, 2).mean(axis=1)  # stretches of 100 steps; a chain remembers about 40
    error = batches.std(axis=0, ddof=1) / np.sqrt(8)
    assert (error < precision).all()
    assert (np.abs(chain.mean(axis=(0, 1)) - [p.sum(axis=1) @ first, p.sum(axis=0) @ second]) < 3 * error).all()
    return p, chain


def test_chains_agree_with_the_posterior_integrated_on_a_grid():
    scales, noises = -5 + 6 * (np.arange(40) + 0.5) / 40, -20 + 28 * (np.arange(56) + 0.5) / 56  # midpoints
    gp = one_scale_and_noise()
    check_chain(gp, gp.evidence(X, Y), scales, noises, precision=0.3)


def test_predictions_are_those_of_the_mixture():
    model = MarginalGP(one_scale_and_noise(), rng=np.random.default_rng(0), n_burn=10, n_steps=10).fit(X, Y)
    new = np.array([[0.3], [0.7]])
    parts = [component.predict(new) for component in model.components]
    means, variances = np.array([m for m, _ in parts]), np.array([s**2 for _, s in parts])
    mean, std = model.predict(new)
    np.testing.assert_allclose(mean, means.mean(axis=0))
    np.testing.assert_allclose(std**2, variances.mean(axis=0) + (means**2).mean(axis=0) - mean**2)
    assert len({component.theta.tobytes() for component in model.components}) > 1
    assert (model.believing(new).predict(new)[1] < std).all()


def test_walkers_go_on_where_they_were_and_are_as_many_as_the_rule_says():
    model = MarginalGP(
        GP("matern52_ard", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired"),
        rng=np.random.default_rng(0),
        n_burn=20,
        n_steps=1,
    )
    points = np.column_stack([X, X[::-1]])
    first = np.array([c.theta for c in model.fit(points, Y).components])
    second = np.array([c.theta for c in model.fit(points, Y).components])
    assert first.shape == (10, 4)  # three times (two length-scales and an amplitude), made even
    moved = (first != second).any(axis=1)
    assert 0 < moved.sum() < 10  # one step from where they were: a proposal that is refused leaves a walker there


def test_the_same_generator_gives_the_same_samples():
    def thetas(seed):
        model = MarginalGP(one_scale_and_noise(), rng=np.random.default_rng(seed), n_burn=5, n_steps=5).fit(X, Y)
        return np.array([component.theta for component in model.components])

    assert (thetas(3) == thetas(3)).all()
    assert (thetas(3) != thetas(4)).any()


def test_what_cannot_be_sampled_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="nothing to sample"):
        MarginalGP(GP(lengthscale=1, noise_variance=1), rng=rng).fit(X, Y)
    with pytest.raises(ValueError, match="n_walkers must be at least 4, twice the free hyperparameters, got 3"):
        MarginalGP(one_scale_and_noise(), rng=rng, n_walkers=3).fit(X, Y)
    with pytest.raises(ValueError, match="n_steps must be at least 1"):
        MarginalGP(one_scale_and_noise(), rng=rng, n_steps=0)
    with pytest.raises(ValueError, match="call fit first"):
        MarginalGP(one_scale_and_noise(), rng=rng).predict(X)
