import math

import numpy as np
import pytest

from frugal.trials.surrogates.curve_families import FAMILIES, Family
from frugal.trials.surrogates.curve_posterior import CurvePosterior

E = 300
RNG = np.random.default_rng(0)
Y = FAMILIES["pow3"]((0.84, 0.52, 0.2), np.arange(1, 41)) + 0.005 * RNG.standard_normal(40)
FRESH = RNG.bit_generator.state

LINE = Family("line", ("level", "slope"), (0.5, 0.0), lambda x, level, slope: level + slope * x.t)


def plain(name, p, t):
    """The families once more, one number at a time."""
    if name in ("weibull", "mmf", "janoschek"):
        A, B, k, d = p
        if name == "mmf":
            return A - (A - B) / (1 + (k * t) ** d)
        return A - (A - B) * math.exp(-((k * t) ** d) if name == "weibull" else -k * t**d)
    if name == "pow4":
        return p[0] - (p[1] * t + p[2]) ** -p[3]
    if name == "exp4":
        return p[0] - math.exp(-p[1] * t ** p[3] + p[2])
    if name == "ilog2":
        return p[0] - p[1] / math.log(1 + t)
    if name == "log_log_linear":
        return math.log(p[0] * math.log(t) + p[1])
    a, b, c = p
    if name == "vapor_pressure":
        return math.exp(a + b / t + c * math.log(t))
    if name == "pow3":
        return a - b * t**-c
    if name == "hill3":
        return a * t**b / (c**b + t**b)
    return a / (1 + (t / math.exp(b)) ** c)


def plain_log_posterior(vector, *, normalise, recency):
    sizes = [len(family.start) for family in FAMILIES.values()]
    ends = np.cumsum(sizes)
    sigma, weights = vector[36], vector[37:]
    total = sum(weights) if normalise else 1.0
    value = 0.0
    for t, y in enumerate(Y, start=1):
        f = 0.0
        for k, name in enumerate(FAMILIES):
            f += weights[k] / total * plain(name, vector[ends[k] - sizes[k] : ends[k]], t)
        term = -((y - f) ** 2) / (2 * sigma**2) - math.log(sigma * math.sqrt(2 * math.pi))
        value += term * (10 ** ((t - 1) / len(Y)) if recency else 1)
    return value


def vectors(n=12):
    start = np.concatenate([family.start for family in FAMILIES.values()])
    theta = start * (1 + 0.02 * RNG.standard_normal((n, 36)))
    return np.column_stack([theta, RNG.uniform(0.01, 0.3, n), RNG.uniform(0, 2 / 11, (n, 11))])


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("recency", [True, False])
def test_the_vectorised_likelihood_is_the_plain_one(normalise, recency):
    posterior = CurvePosterior(
        tuple(FAMILIES.values()), Y, E, normalise_weights=normalise, recency_weighting=recency
    )
    assert posterior.dim == 48
    given = vectors()
    expected = [plain_log_posterior(vector, normalise=normalise, recency=recency) for vector in given]
    assert posterior(given) == pytest.approx(expected, rel=1e-12)


def test_with_normalised_weights_their_scale_means_nothing():
    given = vectors()
    scaled = np.column_stack([given[:, :37], 7.0 * given[:, 37:]])
    families = tuple(FAMILIES.values())
    posterior = CurvePosterior(families, Y, E)
    assert posterior(scaled) == pytest.approx(posterior(given), rel=1e-12)
    document = CurvePosterior(families, Y, E, normalise_weights=False)
    assert (np.abs(document(scaled) - document(given)) > 1).all()


def test_recency_weights_sum_to_about_four_per_point():
    # The sum of 10^(t/n) over t = 0 .. n-1 tends to 9 n / ln 10.
    posterior = CurvePosterior([LINE], np.zeros(1000), 1000, recency_weighting=True, sigma=1.0)
    fits_exactly = np.array([[0.0, 0.0, 1.0]])
    assert posterior(fits_exactly)[0] / (-0.5 * math.log(2 * math.pi)) == pytest.approx(
        9000 / math.log(10), rel=2e-3
    )


@pytest.mark.parametrize(
    ("slopes", "prior", "allowed"),
    [
        ((0.001, 0.001), "per_family_soft", True),
        ((0.001, 0.0), "per_family_hard", True),
        ((0.001, -0.0005), "per_family_soft", False),
        ((0.001, -0.0005), "per_family_hard", False),
        ((0.001, -0.0005), "combined", True),  # their mean rises
        ((0.0, 0.0), "combined", False),  # equation (9) is strict
    ],
)
def test_what_the_priors_allow(slopes, prior, allowed):
    posterior = CurvePosterior([LINE, LINE], Y, E, prior=prior)
    vector = np.array([[0.5, slopes[0], 0.5, slopes[1], 0.1, 1.0, 1.0]])
    assert posterior.allowed(vector)[0] == allowed
    assert np.isfinite(posterior(vector)[0]) == allowed


def test_the_soft_prior_looks_at_two_epochs_and_the_hard_one_between():
    dip = Family("dip", ("depth",), (0.1,), lambda x, depth: 0.5 + 1e-3 * x.t - depth * (abs(x.t - 150) < 40))
    vector = np.array([[0.3, 0.1, 1.0]])
    assert CurvePosterior([dip], Y, E).allowed(vector)[0]
    assert not CurvePosterior([dip], Y, E, prior="per_family_hard").allowed(vector)[0]


@pytest.mark.parametrize("prior", ["per_family_soft", "per_family_hard", "combined"])
@pytest.mark.parametrize(
    "vector",
    [
        (0.5, 0.001, 0.0, 1.0),  # sigma
        (0.5, 0.001, -0.1, 1.0),
        (0.5, 0.001, 0.1, -1.0),  # weight
        (0.5, 0.001, 0.1, 0.0),
        (-0.5, 0.001, 0.1, 1.0),  # -0.2 at the horizon
        (100.0, 0.001, 0.1, 1.0),  # 100.3
        (math.nan, 0.001, 0.1, 1.0),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_no_prior_allows(prior, vector):
    posterior = CurvePosterior([LINE], Y, E, prior=prior)
    assert posterior(np.array([vector, (0.5, 0.001, 0.1, 1.0)]))[0] == -math.inf
    assert np.isfinite(posterior(np.array([vector, (0.5, 0.001, 0.1, 1.0)]))[1])


@pytest.mark.filterwarnings("error")
def test_a_family_that_is_not_defined_somewhere_on_the_curve_is_excluded():
    # ln(a t + b) of a negative number at t = 1, but not at 2 and E.
    posterior = CurvePosterior([FAMILIES["pow4"]], Y, E)
    assert posterior.allowed(np.array([[0.8, 1.0, -1.5, 0.1, 0.1, 1.0]]))[0]
    assert posterior(np.array([[0.8, 1.0, -1.5, 0.1, 0.1, 1.0]]))[0] == -math.inf


def test_an_unknown_prior_is_refused():
    with pytest.raises(ValueError, match="prior must be one of per_family_soft, per_family_hard, combined"):
        CurvePosterior([LINE], Y, E, prior="flat")
