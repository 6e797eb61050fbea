"""What the Gaussian processes of sizes and of tasks share, against covariances written out pair by pair."""

import numpy as np
import pytest
from scipy.stats import lognorm, multivariate_normal, norm
from sklearn.gaussian_process.kernels import Matern

from frugal.trials.surrogates import MarginalGP, SizeGP, TaskGP
from frugal.trials.surrogates.evidence import log_posteriors
from frugal.trials.surrogates.kernels import KERNELS

RNG = np.random.default_rng(6)
SCALES, AMPLITUDE, NOISE = np.array([0.4, 0.9]), 1.7, 0.03
GIVEN = {"lengthscale": SCALES, "amplitude": AMPLITUDE, "noise_variance": NOISE}
FACTOR = np.array([[1, 0, 0], [0.8, 0.6, 0], [0.3, 0, 1.2]])
Y = RNG.standard_normal(12)


def joint(n, last):
    return np.column_stack([RNG.random((n, 2)), last])


SIZES, TASKS = joint(12, RNG.random(12)), joint(12, np.arange(12) % 3)
FRESH = RNG.bit_generator.state

NEW_SIZES, NEW_TASKS = joint(5, [0, 0.3, 0.9, 1, 1]), joint(5, [0, 1, 2, 2, 0])
CASES = {
    "loss": (lambda **s: SizeGP("loss", **s), {"size_weights": (0.7, 2.0)}, SIZES, NEW_SIZES),
    "cost": (lambda **s: SizeGP("cost", **s), {"size_weights": (0.7, 2.0)}, SIZES, NEW_SIZES),
    "full": (
        lambda **s: SizeGP("loss", size_covariance="full", **s),
        {"size_weights": (0.7, 2.0, -0.4)},
        SIZES,
        NEW_SIZES,
    ),
    "tasks": (lambda **s: TaskGP(3, **s), {"task_factor": FACTOR}, TASKS, NEW_TASKS),
}


def factor(name, u, v):
    """The last column's part of the covariance, from the notes' formulas."""
    if name == "tasks":
        return (FACTOR @ FACTOR.T)[int(u), int(v)]
    psi_u, psi_v = (u, v) if name == "cost" else ((1 - u) ** 2, (1 - v) ** 2)
    both = -0.4 * np.sqrt(0.7 * 2.0) if name == "full" else 0.0
    return 0.7 + 2.0 * psi_u * psi_v + both * (psi_u + psi_v)


def written_out(name, A, B):
    """Prior covariance (m, n), pair by pair, one-dimensional Matern factors by scikit-learn."""
    shapes = [Matern(scale, nu=2.5)(A[:, [d]], B[:, [d]]) for d, scale in enumerate(SCALES)]
    last = np.array([[factor(name, a, b) for b in B[:, -1]] for a in A[:, -1]])
    return AMPLITUDE * shapes[0] * shapes[1] * last


@pytest.fixture(params=CASES)
def case(request):
    return request.param


def fixed(name, **changes):
    make, mixing, X, new = CASES[name]
    return make(**{**GIVEN, **mixing, **changes}), X, new


def free(name, **settings):
    make, _, X, new = CASES[name]
    return make(**settings), X, new


def test_the_posterior_and_the_evidence_are_those_of_the_joint_gaussian(case):
    gp, X, new = fixed(case)
    gp.fit(X, Y)
    A = written_out(case, X, X) + NOISE * np.eye(len(X))
    gain = written_out(case, new, X) @ np.linalg.inv(A)
    covariance = written_out(case, new, new) - gain @ written_out(case, X, new)
    np.testing.assert_allclose(gp.predict(new)[0], Y.mean() + gain @ (Y - Y.mean()), rtol=1e-9)
    np.testing.assert_allclose(gp.predict(new)[1], np.sqrt(np.diag(covariance)), rtol=1e-9)
    np.testing.assert_allclose(gp.predict(new, with_noise=True)[1] ** 2, np.diag(covariance) + NOISE, rtol=1e-9)
    np.testing.assert_allclose(gp.covariance(new, new[:3]), covariance[:, :3], atol=1e-12)
    expected = multivariate_normal(np.full(len(X), Y.mean()), A).logpdf(Y)
    assert gp.log_evidence == pytest.approx(expected, rel=1e-12)
    assert gp.noise_variance == pytest.approx(NOISE)


@pytest.mark.parametrize("kernel", KERNELS)
def test_gram_matrices_are_positive_semi_definite(case, kernel):
    gp, _, _ = free(case, kernel=kernel)
    last = RNG.integers(0, 3, 40) if case == "tasks" else RNG.random(40)
    X = joint(40, last)
    evidence = gp.evidence(X, RNG.standard_normal(40))
    for theta in evidence.prior.draw(RNG, 5):
        gram = evidence.covariance.between(X, X, theta[:-2])
        np.testing.assert_allclose(gram, gram.T, rtol=1e-12)
        np.testing.assert_allclose(np.diag(gram), evidence.covariance.at(X, theta[:-2])[0], rtol=1e-12)
        assert np.linalg.eigvalsh(gram).min() > -1e-12 * np.trace(gram)


@pytest.mark.parametrize(("kernel", "prior"), [(kernel, "repaired") for kernel in KERNELS] + [("se", "robo")])
def test_the_gradient_of_the_objective_matches_finite_differences(case, kernel, prior):
    if (case, prior) == ("full", "robo"):
        case, kernel = "loss", "se_mahalanobis"
    gp, X, _ = free(case, kernel=kernel, prior=prior)
    evidence = gp.evidence(X, Y)
    theta = evidence.prior.draw(np.random.default_rng(5), 1)[0].clip(-2, 1)
    theta[-1] = -3.0
    value, gradient = evidence.with_gradient(theta)
    assert value == pytest.approx(evidence.log_posterior(theta), rel=1e-12)
    steps = 1e-5 * np.eye(len(theta))
    numeric = [(evidence.with_gradient(theta + e)[0] - evidence.with_gradient(theta - e)[0]) / 2e-5 for e in steps]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


def test_gradients_of_predictions_match_finite_differences_and_are_zero_across_tasks(case):
    gp, X, new = fixed(case)
    gp.fit(X, Y)
    new = new[:3]  # inside the box of sizes
    if case != "tasks":
        new = np.clip(new, 0.01, 0.99)
    mean, std, by_mean, by_std = gp.predict_with_gradient(new)
    np.testing.assert_allclose([mean, std], gp.predict(new), rtol=1e-12)
    steps = 1e-5 * np.eye(3)[: 2 if case == "tasks" else 3]
    for column, e in enumerate(steps):
        ahead, behind = gp.predict(new + e), gp.predict(new - e)
        np.testing.assert_allclose(by_mean[:, column], (ahead[0] - behind[0]) / 2e-5, atol=1e-6)
        np.testing.assert_allclose(by_std[:, column], (ahead[1] - behind[1]) / 2e-5, atol=1e-6)
    if case == "tasks":
        assert (by_mean[:, -1] == 0).all()
        assert (by_std[:, -1] == 0).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("prior", ["repaired", "robo"])
def test_many_settings_at_once_have_the_objective_of_one_after_the_other(case, kernel, prior):
    if (case, prior) == ("full", "robo"):
        case = "loss"
    gp, X, _ = free(case, kernel=kernel, prior=prior)
    evidence = gp.evidence(X, Y)
    theta = evidence.prior.draw(np.random.default_rng(3), 19)  # two blocks and a part of one
    theta[4, 0], theta[11, -2] = 1.1, -30  # outside the box
    expected = [evidence.log_posterior(one) for one in theta]
    assert np.isneginf(expected).sum() == 2
    np.testing.assert_allclose(log_posteriors(evidence)(theta), expected, rtol=1e-8)


def test_a_setting_without_a_cholesky_factor_spoils_no_other():
    twice = np.repeat(SIZES[:4], 3, axis=0)
    gp = SizeGP(lengthscale=0.5, noise_variance=1e-9, size_weights=(1, 1))
    evidence = gp.evidence(twice, Y)
    amplitudes = np.array([[0.0], [19.9], [1.0]])
    jitters = [gp.at(evidence, evidence.full(one)).jitter for one in amplitudes]
    assert (np.array(jitters) > 0).tolist() == [False, True, False]  # there the noise is below round-off
    expected = [evidence.log_posterior(one) for one in amplitudes]
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(log_posteriors(evidence)(amplitudes), expected, rtol=1e-6)


def test_given_hyperparameters_stay_and_others_are_fitted_to_a_maximum(case):
    gp, X, new = fixed(case, amplitude=None, **{next(iter(CASES[case][1])): None})
    gp.fit(X, Y)
    assert gp.noise_variance == pytest.approx(NOISE)
    np.testing.assert_allclose(gp.hyperparameters.lengthscale, SCALES)
    evidence = gp.evidence(X, Y)
    at = gp.theta[evidence.free]
    slope = evidence.with_gradient(at)[1]
    inside = (at > evidence.box[:, 0] + 1e-6) & (at < evidence.box[:, 1] - 1e-6)
    np.testing.assert_allclose(slope[inside], 0, atol=1e-3)
    assert inside.sum() >= 3
    variance = gp.hyperparameters.amplitude * gp.weights[-1, -1]
    if case == "tasks":
        far = gp.at(gp.evidence(X[:0:-12], Y[:0:-12]), gp.theta)  # one point
        assert far.covariance(new[2:3], new[2:3])[0, 0] <= variance * (1 + 1e-9)


def test_chains_of_joint_processes_go_on_and_as_many_samples_are_kept_as_asked(case):
    gp, X, new = free(case)
    model = MarginalGP(gp, rng=np.random.default_rng(0), n_burn=5, n_steps=3, n_samples=10).fit(X, Y)
    n_free = len(gp.evidence(X, Y).template)
    n_walkers = len(model._walkers)
    assert n_walkers == max(3 * (n_free - 1) + (n_free - 1) % 2, 2 * n_free)
    assert len(model.components) == 10
    before = model._walkers.copy()
    model.fit(X, Y)
    moved = (model._walkers != before).any(axis=1).sum()
    assert moved > 0
    assert isinstance(model.components[0], type(gp))
    np.testing.assert_array_equal([c.theta for c in model.components], model._walkers[:10])
    believer = model.believing(new)
    assert (believer.predict(new)[1] < model.predict(new)[1]).all()
    with pytest.raises(ValueError, match=f"n_samples must be at most {n_walkers}, the number of walkers, got 99"):
        MarginalGP(gp, rng=np.random.default_rng(0), n_samples=99).fit(X, Y)
    with pytest.raises(ValueError, match="n_samples must be at least 1, at most 12, the number of walkers, and"):
        MarginalGP(gp, rng=np.random.default_rng(0), n_walkers=12, n_samples=13)


@pytest.mark.parametrize("name", ["loss", "tasks"])
def test_robos_priors_are_the_densities_that_the_notes_list(name):
    gp, X, _ = free(name, prior="robo", kernel="matern52_product")
    prior = gp.evidence(X, Y).prior
    shift, scale = (-2, 0.001) if name == "loss" else (0, 0.1)
    expected, ours = [], []
    for theta in prior.draw(np.random.default_rng(1), 4):
        noise = np.exp(theta[-1])
        slip = norm.pdf(theta[2:4]).sum() if name == "loss" else 0.0
        horseshoe = np.log(np.log(1 + 3 * (scale / noise) ** 2))
        expected.append(lognorm.logpdf(theta[-2], 1, loc=shift) + slip + horseshoe)
        ours.append(prior.log_density(theta)[0])
        assert ((theta >= prior.box[:, 0]) & (theta <= prior.box[:, 1])).all()
    np.testing.assert_allclose(np.diff(ours), np.diff(expected), rtol=1e-7)
    draws = prior.draw(np.random.default_rng(2), 4000)
    assert np.median(draws[:, -2]) == pytest.approx(np.exp(shift), rel=0.1)
    if name == "tasks":
        np.testing.assert_allclose(prior.box[2:-2], [[0, 1], [-1, 0], [0, 1], [0, 1], [-1, 0]])
        np.testing.assert_allclose(draws[:, 2:-2].mean(axis=0), [0.5, -0.5, 0.5, 0.5, -0.5], atol=0.03)
    below = draws[0].copy()
    below[-2] = shift - 0.01
    assert gp.evidence(X, Y).log_posterior(below) == -np.inf


def test_the_repaired_prior_takes_the_noise_scale_it_is_given_and_halves_what_may_not_be_negative():
    for scale in (0.001, 0.1):
        prior = SizeGP(noise_scale=scale).evidence(SIZES, Y).prior
        a, b = np.zeros(6), np.zeros(6)
        a[2], a[-1], b[-1] = 1.5, -9.0, -4.0
        difference = prior.log_density(a)[0] - prior.log_density(b)[0]
        s = np.exp([-4.5, -2.0])
        horseshoe = np.log(np.log1p(3 * (scale / s) ** 2)) + np.log(s)
        assert difference == pytest.approx(-(1.5**2) / 2 + horseshoe[0] - horseshoe[1], rel=1e-10)
    draws = TaskGP(2).evidence(joint(4, [0, 1, 0, 1]), Y[:4]).prior.draw(np.random.default_rng(0), 4000)
    assert draws[:, 2].min() >= 0
    assert draws[:, 2].mean() == pytest.approx(np.sqrt(2 / np.pi), abs=0.03)
    assert draws[:, 3].std() == pytest.approx(1, abs=0.04)


def test_a_process_without_noise_can_be_sampled_too():
    gp = SizeGP(noise_variance=0, lengthscale=0.3)
    model = MarginalGP(gp, rng=np.random.default_rng(0), n_burn=3, n_steps=3).fit(SIZES, Y)
    assert np.isfinite(model.predict(NEW_SIZES)).all()
    np.testing.assert_allclose(model.predict(SIZES)[0], Y, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SizeGP("price"), "variant must be one of loss, cost, got 'price'"),
        (lambda: SizeGP(size_covariance="half"), "size_covariance must be one of diagonal, full, got 'half'"),
        (lambda: SizeGP(size_covariance="full", prior="robo"), "size_covariance must be diagonal with the prior"),
        (lambda: SizeGP(prior="flat"), "prior must be one of repaired, robo, got 'flat'"),
        (lambda: SizeGP(kernel="rbf"), "kernel must be one of"),
        (lambda: SizeGP(noise_scale=0), "noise_scale must be above 0 and a finite number, got 0"),
        (lambda: SizeGP(size_weights=(1, 0)), r"size_weights must be env_a and env_b, above 0, got \(1, 0\)"),
        (lambda: SizeGP(size_covariance="full", size_weights=(1, 1)), "above 0, and a correlation, got"),
        (lambda: SizeGP(size_covariance="full", size_weights=(1, 1, 1)), "within -0.9999 and 0.9999, got 1"),
        (lambda: TaskGP(0), "n_tasks must be at least 1 and a whole number, got 0"),
        (lambda: TaskGP(2, task_factor=[[2, 0], [1, 1]]), "task_factor must be lower triangular"),
        (lambda: TaskGP(2, task_factor=[[1, 0], [-1, 1]]), "task_factor must be lower triangular"),
        (lambda: TaskGP(2, task_factor=[[1, 1], [0, 1]]), "task_factor must be lower triangular"),
        (lambda: SizeGP().fit([[0.1, 1.2]], [0.0]), "X must lie in the unit cube, got a coordinate of 1.2"),
        (lambda: SizeGP().fit([[0.1]], [0.0]), r"a column at least beside its last one, got shape \(1, 1\)"),
        (lambda: TaskGP(2).fit([[0.1, 2]], [0.0]), "a whole number from 0 to 1, got 2"),
        (lambda: TaskGP(2).fit([[0.1, 0.5]], [0.0]), "a whole number from 0 to 1, got 0.5"),
        (lambda: TaskGP(2).fit([[1.1, 1]], [0.0]), "X must lie in the unit cube, got a coordinate of 1.1"),
        (lambda: TaskGP(2).fit([0.1, 1], [0.0]), "X must have shape"),
        (lambda: fixed("tasks")[0].fit(TASKS, Y).predict([[0.1, 1]]), r"X must have shape \(n, 3\), got \(1, 2\)"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
