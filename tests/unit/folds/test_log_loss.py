"""The Gamma model of log-losses against closed forms, adaptive quadrature and draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad, quad_vec
from scipy.special import gammainc
from scipy.stats import gamma

from frugal.folds.log_loss import Posterior, prob_greater

SETS = ((), (0.3,), (0.3, 0.31), (0.05, 2.0), (1e-4,), (0.1, 0.101, 0.102, 0.103, 0.104), (40.0, 41.0))
losses = st.lists(st.floats(0.01, 20), max_size=6)


def log_likelihood(listed, kappa, mean):
    constant = kappa * math.log(kappa / mean) - math.lgamma(kappa)
    return sum(constant + (kappa - 1) * math.log(loss) - kappa * loss / mean for loss in listed)


@pytest.mark.parametrize("listed", SETS[1:], ids=str)
def test_moments_and_cdf_agree_with_adaptive_quadrature(listed):
    at = np.array([0.02, 0.1, 0.3, 1.0, 5.0])

    def integrand(u, v):  # kappa = exp(u), mean = exp(v)
        kappa, mean = math.exp(u), math.exp(v)
        log_prior = 2 * u - 0.02 * kappa - 3 * v - 2 / mean
        log_density = log_prior + log_likelihood(listed, kappa, mean)
        of_x = gammainc(kappa, kappa * at / mean)
        return math.exp(log_density - shift) * np.array([1.0, mean, mean**2 * (1 + 1 / kappa), *of_x])

    shift = max(
        log_likelihood(listed, k, t) for k in np.geomspace(0.1, 900, 40) for t in np.geomspace(1e-4, 40, 50)
    )
    middle = math.log(np.mean(listed)) if listed else 0.0

    def over_mean(u):
        return quad_vec(
            lambda v: integrand(u, v), -9, 11, points=[middle - 0.3, middle, middle + 0.3], epsrel=1e-7
        )[0]

    total, *rest = quad_vec(over_mean, -9, 8.2, epsrel=1e-5)[0]
    mean, second, *cdf = np.array(rest) / total
    posterior = Posterior.fit(listed)
    assert posterior.mean == pytest.approx(mean, rel=1e-4)
    assert posterior.sd == pytest.approx(math.sqrt(second - mean**2), rel=2e-3)
    np.testing.assert_allclose(posterior.cdf(at), cdf, atol=1e-4)


def test_small_losses_keep_their_probability_where_losses_span_many_decades():
    posterior = Posterior.fit([1e-12, 1e-6, 1.0, 1e-9, 1e-15])
    shares = np.array([1e-3, 0.01, 0.05, 0.2])
    np.testing.assert_allclose(posterior.cdf(posterior.quantile(shares)), shares, rtol=0.02)


@pytest.mark.parametrize("rate", [0.01, 0.5])
def test_the_prior_has_its_closed_form(rate):
    prior = Posterior.fit([], rate=rate, scale=2.0)
    assert prior.mean == pytest.approx(2.0, rel=1e-6)
    assert prior.sd == pytest.approx(2.0 * math.sqrt(2 * (1 + 2 * rate) - 1), rel=1e-4)  # E[1 / kappa] = 2 rate


def test_distributions_keep_the_shape_of_the_question_and_begin_at_0():
    posterior, x = Posterior.fit([0.3, 0.31]), np.array([[0.1, 0.3, 2.0], [-0.1, 0.0, 0.5]])
    for function in (posterior.pdf, posterior.cdf):
        np.testing.assert_allclose(function(x)[0], [function(one).item() for one in x[0]], rtol=1e-9)
        assert function(x)[1, :2].tolist() == [0.0, 0.0]
    assert posterior.cdf(np.inf) == pytest.approx(1.0)
    shares = np.array([[0.05, 0.5], [0.9, 0.95]])
    np.testing.assert_allclose(posterior.cdf(posterior.quantile(shares)), shares, atol=1e-4)


@pytest.mark.parametrize("listed", [(0.3,), (0.3, 0.31)])
@pytest.mark.parametrize("x", [0.1, 0.3, 2.0])
def test_the_density_is_a_ratio_of_evidences(listed, x):
    ratio = math.exp(Posterior.fit([*listed, x]).log_evidence - Posterior.fit(listed).log_evidence)
    assert float(Posterior.fit(listed).pdf(x)) == pytest.approx(ratio, rel=1e-5)


@pytest.mark.parametrize("listed", SETS, ids=str)
def test_the_density_integrates_to_the_distribution_function(listed):
    posterior = Posterior.fit(listed)
    low, high = posterior.quantile([0.05, 0.95])
    inside, _ = quad(posterior.pdf, low, high, limit=200, points=[posterior.quantile(0.5)])
    assert inside == pytest.approx(float(posterior.cdf(high) - posterior.cdf(low)), abs=2e-5)
    assert inside == pytest.approx(0.9, abs=2e-5)


@pytest.mark.parametrize(("p", "q"), [((0.3,), (0.4, 0.5)), ((), (0.2,)), ((0.1, 0.12), (0.11,))])
def test_prob_greater_agrees_with_weighted_draws_of_the_prior(p, q):
    share, error = share_greater(p, q)
    assert prob_greater(Posterior.fit(p), Posterior.fit(q)) == pytest.approx(share, abs=4 * error + 1e-4)


def share_greater(p, q, n=400_000):
    """P(X_p > X_q) by importance sampling from the prior, and its standard error."""
    rng = np.random.default_rng(7)
    drawn = []
    for listed in (p, q):
        kappa, mean = rng.gamma(2, 50, n), 2 / rng.gamma(3, 1, n)
        weights = np.exp(sum((gamma.logpdf(x, kappa, scale=mean / kappa) for x in listed), np.zeros(n)))
        drawn.append((rng.gamma(kappa, mean / kappa), weights / weights.sum()))
    (x, wx), (y, wy) = drawn
    order = np.argsort(y)
    below = np.concatenate([[0.0], np.cumsum(wy[order])])[np.searchsorted(y[order], x)]
    estimate = float(wx @ below)
    return estimate, math.sqrt(float(wx**2 @ (below - estimate) ** 2) + float((wy**2).sum()) / 4)


@settings(deadline=None, max_examples=30)
@given(losses, losses)
def test_comparisons_are_antisymmetric(first, second):
    p, q = Posterior.fit(first), Posterior.fit(second)
    assert prob_greater(p, q) + prob_greater(q, p) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("loss", [0.0, -0.1, math.inf, math.nan])
def test_losses_that_no_model_has_are_refused(loss):
    with pytest.raises(ValueError, match=r"a log-loss must be above 0 and finite, got .*; clip the predicted"):
        Posterior.fit([0.5, loss])


def test_settings_out_of_range_are_refused():
    with pytest.raises(ValueError, match="scale must be at least 1e-06 and a finite number, got 0"):
        Posterior.fit([], scale=0)
    with pytest.raises(ValueError, match="rate must be at least 1e-06 and a finite number, got -1"):
        Posterior.fit([], rate=-1)
