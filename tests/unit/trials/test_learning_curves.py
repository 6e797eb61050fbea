import math

import numpy as np
import pytest
from scipy import optimize, stats

from frugal.trials.surrogates.curve_families import FAMILIES, Family
from frugal.trials.surrogates.learning_curves import AUTHORS, CurveModel, UnfittableError, fit_family, n_cut

QUICK = {"n_steps": 200, "n_burn": 100, "thin": 5}
FEW = [FAMILIES[name] for name in ("ilog2", "pow3", "log_power")]
BRIEF = {"families": FEW, "n_walkers": 40, "n_steps": 80, "n_burn": 40, "thin": 5}
LONG = {"n_walkers": 200, "n_steps": 600, "n_burn": 150, "thin": 5}
CONSTANT = Family("constant", ("c",), (0.5,), lambda x, c: c + 0 * x.t)


def curve(name, theta, n, noise, seed=0):
    return FAMILIES[name](theta, np.arange(1, n + 1)) + noise * np.random.default_rng(seed).standard_normal(n)


def model(seed=0, **settings):
    return CurveModel(rng=np.random.default_rng(seed), **settings)


@pytest.mark.parametrize("name", FAMILIES)
def test_least_squares_find_the_family_that_drew_the_curve(name):
    family, rng = FAMILIES[name], np.random.default_rng(1)
    theta = np.array(family.start) * (1 + 0.05 * rng.standard_normal(len(family.start)))
    fit = fit_family(family, family(theta, np.arange(1, 101)), 200, "per_family_soft")
    assert fit.dropped == ""
    assert fit.sigma < 1e-4
    assert family(fit.theta, [200]) == pytest.approx(family(theta, [200]), abs=2e-3)


def test_families_that_fall_or_end_too_high_are_dropped():
    falling = 0.8 - 0.3 * np.log(np.arange(1, 31)) / 5
    assert fit_family(FAMILIES["ilog2"], falling, 100, "per_family_soft").dropped == "it falls"
    assert fit_family(FAMILIES["ilog2"], falling, 100, "combined").dropped == ""
    steep = np.exp(0.5 * np.arange(1, 31) / 3)
    grows = Family("grows", ("a", "b"), (0.1, 0.0), lambda x, a, b: np.exp(a * x.t + b))
    assert fit_family(grows, steep, 100, "per_family_soft").dropped.startswith("its value at the horizon is 1.7")
    nowhere = Family("nowhere", ("a",), (1.0,), lambda x, a: a * np.log(-x.t))
    assert fit_family(nowhere, falling, 100, "combined").dropped == "no fit was found"


def test_where_levenberg_marquardt_fails_another_optimiser_fits(monkeypatch):
    failed = optimize.OptimizeResult(x=np.array([math.nan, math.nan]))
    monkeypatch.setattr(optimize, "least_squares", lambda *given, **options: failed)
    fit = fit_family(FAMILIES["ilog2"], curve("ilog2", (0.6, 0.2), 30, 0.0), 100, "per_family_soft")
    assert fit.theta == pytest.approx([0.6, 0.2], abs=1e-3)


def grid_posterior(y, horizon, threshold):
    """ilog2 under a flat prior on c, a >= 0 and sigma, on a grid: mean and sd of f(E), P(y_E > threshold)."""
    n, x = len(y), 1 / np.log1p(np.arange(1, len(y) + 1))
    design = np.column_stack([np.ones(n), -x])
    best, (rest,) = np.linalg.lstsq(design, y)[:2]
    spread = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * rest / n)
    c, a = (np.linspace(b - 9 * s, b + 9 * s, 121) for b, s in zip(best, spread, strict=True))
    sigma = math.sqrt(rest / n) * np.linspace(0.4, 4, 121)
    c, a = np.meshgrid(c, a[a >= 0], indexing="ij")
    d0, d1 = c - best[0], a - best[1]
    squares = rest + n * d0**2 - 2 * x.sum() * d0 * d1 + (x**2).sum() * d1**2
    log_p = -squares[..., None] / (2 * sigma**2) - n * np.log(sigma)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    final = (c - a / math.log1p(horizon))[..., None]
    mean = (p * final).sum()
    above = (p * stats.norm.sf((threshold - final) / sigma)).sum()
    return (
        mean,
        math.sqrt((p * (final - mean) ** 2).sum()),
        above,
        (p.sum(axis=2) * (final[..., 0] > threshold)).sum(),
    )


def test_one_family_agrees_with_a_grid_integral():
    y, horizon, threshold = curve("ilog2", (0.8, 0.3), 15, 0.05), 100, 0.73
    mean, sd, above, above_without = grid_posterior(y, horizon, threshold)
    fitted = model(families=[FAMILIES["ilog2"]], **LONG).fit(y, horizon)
    ours = fitted.predict(horizon)
    assert ours[0][0] == pytest.approx(mean, abs=0.1 * sd)
    assert ours[1][0] == pytest.approx(sd, rel=0.1)
    assert 0.1 < above_without < above < 0.5  # the threshold tells something
    assert fitted.prob_above(threshold) == pytest.approx(above, abs=0.02)
    assert fitted.prob_above(threshold, noise=False) == pytest.approx(above_without, abs=0.025)


def test_given_sigma_a_linear_family_has_its_conjugate_posterior():
    y, sigma, t = curve("ilog2", (0.8, 0.3), 25, 0.02), 0.02, np.array([3.0, 30.0, 300.0])
    design = np.column_stack([np.ones(25), -1 / np.log1p(np.arange(1, 26))])
    precision = design.T @ design / sigma**2
    mean = np.linalg.solve(precision, design.T @ y / sigma**2)
    at = np.column_stack([np.ones(3), -1 / np.log1p(t)])
    sd = np.sqrt(np.einsum("ij,jk,ik->i", at, np.linalg.inv(precision), at))
    fitted = model(families=[FAMILIES["ilog2"]], sigma=sigma, **LONG).fit(y, 300)
    ours = fitted.predict(t)
    assert ((ours[0] - at @ mean) / sd) == pytest.approx(0.0, abs=0.1)
    assert ours[1] == pytest.approx(sd, rel=0.1)
    assert fitted.samples.shape == (200 * 90, 3)


def test_a_constant_curve_has_the_predictive_of_one_gaussian():
    # Flat priors on level and sigma: y_E is Student's t with n - 2 degrees of freedom.
    y = 0.3 + 0.01 * np.random.default_rng(2).standard_normal(20)
    scale = math.sqrt(((y - y.mean()) ** 2).sum() / 18 * (1 + 1 / 20))
    fitted = model(families=[CONSTANT], **LONG).fit(y, 60)
    for threshold in (0.29, 0.305, 0.315):
        expected = stats.t(18).sf((threshold - y.mean()) / scale)
        assert fitted.prob_above(threshold) == pytest.approx(expected, abs=0.02)
    known = model(families=[CONSTANT], sigma=0.01, **LONG).fit(y, 60)
    expected = stats.norm.sf((0.305 - y.mean()) / (0.01 * math.sqrt(1 + 1 / 20)))
    assert known.prob_above(0.305) == pytest.approx(expected, abs=0.02)


def test_a_parameter_that_is_0_at_the_start_varies_as_any_other():
    level = Family("constant", ("c",), (0.0,), lambda x, c: 0.5 + c + 0 * x.t)
    fitted = model(families=[level], sigma=0.01, **LONG).fit([0.5] * 20, 60)
    assert fitted.predict(60)[1][0] == pytest.approx(0.01 / math.sqrt(20), rel=0.1)


@pytest.mark.filterwarnings("error")
def test_a_curve_without_any_noise_is_fitted():
    fitted = model(**QUICK).fit([0.1135] * 12, 50)
    assert fitted.prob_above(0.2) < 0.05
    assert fitted.prob_above(0.05) > 0.95


@pytest.mark.parametrize("name", ["pow3", "log_power"])
@pytest.mark.parametrize("n", [60, 200])
def test_decisions_on_curves_of_known_families(name, n):
    # docs/methods.md, section 10: 200 or 60 of 500 points, noise 5e-4, y^ = y_E -+ 0.05.
    theta = (0.84, 0.52, 0.2) if name == "pow3" else FAMILIES[name].start
    fitted = model(**QUICK).fit(curve(name, theta, n, 5e-4), 500)
    final = FAMILIES[name](theta, [500])[0]
    assert fitted.prob_above(final + 0.05) < 0.05
    assert fitted.prob_above(final - 0.05) > 0.95


def test_the_same_generator_gives_the_same_samples():
    y = curve("pow3", (0.84, 0.52, 0.2), 30, 0.005)
    np.random.seed(1)  # noqa: NPY002
    first = model(**BRIEF).fit(y, 60)
    np.random.seed(2)  # noqa: NPY002
    assert (model(**BRIEF).fit(y, 60).samples == first.samples).all()
    assert (model(seed=1, **BRIEF).fit(y, 60).samples != first.samples).any()


def test_every_prior_and_weighting_can_be_sampled():
    y = curve("log_power", FAMILIES["log_power"].start, 30, 0.005)
    seen, by_default = set(), model(**BRIEF).fit(y, 100).predict([1, 30, 100])[0][2]
    for settings in (
        {"prior": "per_family_hard"}, {"prior": "combined"}, {"normalise_weights": False},
        {"recency_weighting": True}, {"start_weights": "equal"}, {"n_walkers": 60},
    ):  # fmt: skip
        fitted = model(**BRIEF | settings).fit(y, 100)
        assert np.isfinite(fitted.posterior(fitted.samples)).all()
        mean, sd = fitted.predict([1, 30, 100])
        assert mean[:2] == pytest.approx(y[[0, 29]], abs=0.06)
        assert (sd > 0).all()
        seen.add(mean[2])
        assert "prior" in settings or mean[2] != by_default
    assert len(seen) >= 5  # a prior that no walker meets changes nothing
    assert len(fitted.samples) == 60 * 8


def test_the_sampling_of_the_authors_is_at_hand():
    settings = model(**AUTHORS)
    assert (settings.n_walkers, settings.n_steps, settings.n_burn, settings.thin) == (100, 2500, 500, 10)


def test_a_flat_beginning_is_cut_and_the_horizon_moves_along():
    y = np.concatenate([np.full(10, 0.1), curve("pow3", (0.9, 0.6, 0.5), 30, 0.002)])
    assert n_cut(y) == 10
    assert n_cut(np.full(9, 0.1)) == 0
    assert n_cut(np.array([0.1, 0.5, 0.1, 0.5, 0.5, 0.5, 0.5])) == 0  # four in a row
    whole = model(cut_beginning=True, **BRIEF).fit(y, 110)
    rest = model(**BRIEF).fit(y[10:], 100)
    assert whole.n_cut == 10
    assert (whole.samples == rest.samples).all()
    assert whole.predict([11, 110])[0].tolist() == rest.predict([1, 100])[0].tolist()
    with pytest.raises(ValueError, match="t must be at least 11, the first epoch fitted, got 10"):
        whole.predict(10)


@pytest.mark.parametrize(
    ("y", "horizon", "message"),
    [
        ([0.1, 0.2, math.nan, 0.3, 0.4], 20, "curve must be finite, got nan at epoch 3"),
        ([0.1, 0.2, 0.3, 0.4], 20, r"curve must be a list of at least 5 scores, got shape \(4,\)"),
        ([[0.1] * 6], 20, r"at least 5 scores, got shape \(1, 6\)"),
        ([0.1, 0.2, 0.3, 0.4, 0.5], 4, "horizon must be at least 5 and a whole number, got 4"),
        ([0.1, 0.2, 0.3, 0.4, 0.5], 9.5, "horizon must be at least 5 and a whole number, got 9.5"),
    ],
)
def test_curves_that_make_no_sense_are_refused(y, horizon, message):
    with pytest.raises(ValueError, match=message):
        model().fit(y, horizon)


def test_a_falling_curve_is_said_to_fit_no_family():
    falling = np.linspace(0.8, 0.2, 20)
    with pytest.raises(UnfittableError, match=r"per_family_soft .pow3: it falls, ilog2: it falls"):
        model(families=[FAMILIES["pow3"], FAMILIES["ilog2"]]).fit(falling, 22)
    with pytest.raises(UnfittableError, match="the families' mean falls"):
        model(families=[FAMILIES["ilog2"]], prior="combined").fit(falling, 40)


@pytest.mark.parametrize(("curve", "error"), [(np.linspace(0.8, 0.2, 20), UnfittableError), ([0.1], ValueError)])
def test_a_fit_that_fails_leaves_nothing_of_the_fit_before(curve, error):
    fitted = model(families=[FAMILIES["ilog2"]]).fit(1 - 0.5 / np.arange(1.0, 21.0), 22)
    assert 0 <= fitted.prob_above(0.9) <= 1
    with pytest.raises(error):
        fitted.fit(curve, 40)
    with pytest.raises(ValueError, match="has seen no curve"):
        fitted.prob_above(0.9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prior": "flat"}, "prior must be one of per_family_soft, per_family_hard, combined"),
        ({"start_weights": "random"}, "start_weights must be one of by_fit, equal"),
        ({"sigma": 0.0}, "sigma must be above 0"),
        ({"families": []}, r"families must be at least one of FAMILIES, got \[\]"),
        ({"families": 3}, "families must be a list, got 3"),
        ({"families": ["pow3"]}, r"families must be at least one of FAMILIES, got \['pow3'\]"),
        ({"n_walkers": 60}, "n_walkers must be at least "),
        ({"n_burn": -1}, "n_burn must be at least 0"),
        ({"thin": 0}, "thin must be at least 1"),
        ({"n_steps": 100, "n_burn": 100, "thin": 5}, "n_steps must be at least 105"),
        ({"rng": 3}, "rng must be a numpy.random.Generator"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        CurveModel(**{"rng": np.random.default_rng(0)} | settings)


def test_what_needs_a_fit_says_so_and_too_few_walkers_are_refused():
    for question in (lambda one: one.predict(10), lambda one: one.prob_above(0.5)):
        with pytest.raises(ValueError, match="this model has seen no curve: call fit first"):
            question(model())
    y = curve("ilog2", (0.8, 0.3), 10, 0.01)
    with pytest.raises(ValueError, match="n_walkers must be at least 8 and a whole number, got 6"):
        model(families=[FAMILIES["ilog2"]], n_walkers=6)
    with pytest.raises(ValueError, match="y must be a finite number, got nan"):
        model(families=[FAMILIES["ilog2"]], **QUICK).fit(y, 20).prob_above(math.nan)
