"""Probabilities of drawing rows, and the weighted fit to what was drawn, against arithmetic and SciPy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.optimize import approx_fprime, linprog, minimize
from scipy.special import expit
from scipy.stats import norm
from subsample_designs import BETA, MEANS, design, reference

from frugal.rows import FitError, sampling_probabilities
from frugal.rows.sampling import METHODS, draw, draw_by_pilot
from frugal.rows.weighted_logistic import fit_weighted


def rows_and_labels(n_rows=300, n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_features))
    return X, (rng.random(n_rows) < expit(X.sum(axis=1))).astype(float)


def fit(X, y, weights=None, offsets=None):
    weights = np.ones(len(y)) if weights is None else weights
    offsets = np.zeros(len(y)) if offsets is None else offsets
    return fit_weighted(X, y, weights=weights, offsets=offsets, start=np.zeros(X.shape[1]), sample="the sample")


# Probabilities ------------------------------------------------------------------------------------


def test_equations_15_to_17_by_hand():
    X, y = np.array([[3.0, 4.0], [0.0, 1.0], [2.0, 0.0]]), np.array([1, 0, 0])
    pilot = {"coef": np.array([np.log(3), 0.0]), "information": np.diag([1.0, 2.0])}
    p = np.array([27 / 28, 1 / 2, 9 / 10])
    missed = np.array([1 - p[0], p[1], p[2]])
    by_hand = {
        "uniform": np.ones(3),
        "cc": np.array([2.0, 1.0, 1.0]),
        "lcc": missed,
        "osmac_mvc": missed * [5, 1, 2],
        "osmac_mmse": missed * [np.hypot(3, 2), 0.5, 2],
    }
    for method, scores in by_hand.items():
        np.testing.assert_allclose(sampling_probabilities(X, y, method=method, **pilot), scores / scores.sum())


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_are_positive_and_sum_to_1_even_where_the_pilot_leaves_nothing_to_doubt(method):
    X, y = rows_and_labels()
    pilot = {"coef": np.array([1e5, 0.0, 0.0]), "information": np.eye(3)}
    for labels in (y, X[:, 0] > 0):
        found = sampling_probabilities(X, labels, method=method, **pilot)
        assert found.sum() == pytest.approx(1.0, abs=1e-12)
        assert found.min() > 0.99e-12 / 300


def test_local_case_control_with_a_pilot_of_zero_is_uniform():
    X, y = rows_and_labels()
    found = sampling_probabilities(X, y, method="lcc", coef=np.zeros(3))
    np.testing.assert_allclose(found, sampling_probabilities(X, y, method="uniform"))


def test_osmac_on_rows_of_one_length_is_local_case_control():
    X, y = rows_and_labels()
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    found = sampling_probabilities(X, y, method="osmac_mvc", coef=BETA[:3])
    np.testing.assert_allclose(found, sampling_probabilities(X, y, method="lcc", coef=BETA[:3]))


def test_local_case_control_draws_rows_that_the_pilot_gets_wrong():
    # With equation 16's sign as printed it would draw those that the pilot gets right.
    X, y = design("nzNormal", np.random.default_rng(0))
    missed = np.abs(y - expit(X @ BETA))
    rng = np.random.default_rng(1)
    local = draw_by_pilot(X, y, "lcc", 1000, rng, coef=BETA, information=np.eye(7))
    assert missed[local.rows].mean() > 3 * missed[draw(X, y, "uniform", 1000, rng).rows].mean()


@pytest.mark.parametrize(("name", "noted"), [("mzNormal", 2508), ("nzNormal", 660)])
def test_local_case_control_would_accept_as_many_rows_as_the_model_makes_doubtful(name, noted):
    # |y - p| is 2 p (1 - p) on average, and the log-odds are normal with variance .25 (7 + 42 / 2). The method
    # notes counted on one data set; from one to the next the number varies by 17 (standard deviation) on nzNormal.
    log_odds = norm(loc=0.5 * 7 * MEANS[name], scale=np.sqrt(7))
    rows = 10_000 * log_odds.expect(lambda t: 2 * expit(t) * expit(-t))
    sums = [
        np.abs(y - expit(X @ BETA)).sum() for X, y in (design(name, np.random.default_rng(i)) for i in range(9))
    ]
    assert np.mean(sums) == pytest.approx(rows, abs=20)
    assert noted == pytest.approx(rows, abs=50)


def test_each_osmac_minimises_the_trace_that_it_is_derived_from():
    X, y = rows_and_labels(2000)
    full = fit(X, y)
    missed, inverse = np.abs(y - expit(X @ full.coef)), np.linalg.inv(full.information)

    def traces(probabilities):
        scores = (X.T * (missed**2 / probabilities)) @ X
        return np.trace(scores), np.trace(inverse @ scores @ inverse)

    pilot = {"coef": full.coef, "information": full.information}
    found = {method: traces(sampling_probabilities(X, y, method=method, **pilot)) for method in METHODS}
    # Cauchy and Schwarz: the least of sum a_i^2 / pi_i is (sum a_i)^2.
    least = [(missed @ np.linalg.norm(Z, axis=1)) ** 2 for Z in (X, X @ inverse)]
    np.testing.assert_allclose([found["osmac_mvc"][0], found["osmac_mmse"][1]], least)
    assert all(found[method][0] > least[0] for method in METHODS if method != "osmac_mvc")
    assert all(found[method][1] > least[1] for method in METHODS if method != "osmac_mmse")


def test_rows_are_drawn_with_their_probabilities():
    X, y = np.random.default_rng(0).standard_normal((20, 2)), np.arange(20) < 4
    drawn = draw(X, y.astype(float), "cc", 200_000, np.random.default_rng(1))
    expected = np.where(y, 1 / 8, 1 / 32)
    np.testing.assert_array_equal(drawn.probabilities, expected[drawn.rows])
    frequency = np.bincount(drawn.rows, minlength=20) / 200_000
    assert (np.abs(frequency - expected) < 4 * np.sqrt(expected / 200_000)).all()
    np.testing.assert_allclose(sampling_probabilities(X, y, method="cc"), expected)


def test_one_pass_over_all_rows_weighted_by_their_probabilities_gives_the_fit_of_all_rows():
    # The expected score of a draw: exact, without a draw. One group, or two, so that the model is saturated.
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 500)
    X, y = np.column_stack([np.ones(500), group]), (rng.random(500) < 0.2 + 0.5 * group).astype(float)
    odds = [np.mean(y[group == g]) / (1 - np.mean(y[group == g])) for g in (0, 1)]
    expected = np.array([np.log(odds[0]), np.log(odds[1] / odds[0])])
    pilot = np.array([0.7, -2.0])  # far off
    shifts = {"cc": np.log((500 - y.sum()) / y.sum()), "lcc": -X @ pilot}
    for method, shift in shifts.items():
        probabilities = sampling_probabilities(X, y, method=method, coef=pilot)
        found = fit(X, y, weights=probabilities, offsets=np.broadcast_to(shift, 500))
        np.testing.assert_allclose(found.coef, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "lcc"}, r"coef of the pilot is needed by lcc, got None"),
        (
            {"method": "osmac_mmse", "coef": [0, 0, 0]},
            r"information of the pilot is needed by osmac_mmse, got None",
        ),
        ({"method": "lcc", "coef": [0, 0]}, r"coef must be finite and of shape \(3,\), got shape \(2,\)"),
        ({"method": "lcc", "coef": [0, 0, np.inf]}, r"coef must be finite and of shape \(3,\), got shape \(3,\)"),
        (
            {"method": "osmac_mmse", "coef": [0, 0, 0], "information": np.zeros((3, 3))},
            r"information must be positive definite, got a matrix that is not",
        ),
    ],
)
def test_pilots_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        sampling_probabilities(*rows_and_labels(), **arguments)


# The weighted fit ---------------------------------------------------------------------------------


def test_the_fit_to_all_rows_is_scikit_learns():
    X, y = design("mzNormal", np.random.default_rng(0))
    np.testing.assert_allclose(fit(X, y.astype(float)).coef, reference(X, y), atol=1e-7)


def test_the_fit_with_weights_and_offsets_is_scipys_optimum():
    X, y = rows_and_labels()
    rng = np.random.default_rng(1)
    weights, offsets = rng.exponential(size=300), rng.standard_normal(300)

    def loss(beta):
        margins = (2 * y - 1) * (X @ beta + offsets)
        return weights @ np.logaddexp(0, -margins)

    ours = fit(X, y, weights, offsets)
    np.testing.assert_allclose(ours.coef, minimize(loss, np.zeros(3), tol=1e-12).x, atol=1e-5)
    np.testing.assert_allclose(approx_fprime(ours.coef, loss), 0, atol=1e-4)


def test_the_information_is_the_slope_of_the_weighted_score():
    X, y = rows_and_labels()
    weights = np.random.default_rng(1).exponential(size=300)
    ours = fit(X, y, weights)

    def score(beta):
        return X.T @ (weights / weights.mean() * (y - expit(X @ beta)))

    np.testing.assert_allclose(score(ours.coef), 0, atol=1e-10)
    np.testing.assert_allclose(-approx_fprime(ours.coef, score, 1e-6), ours.information, rtol=1e-4, atol=1e-4)


def test_the_covariance_is_the_sandwich_row_by_row():
    # As Wang, Zhu and Ma write it: W V_c W with R of N rows.
    X, y = rows_and_labels(80)
    n_all, probabilities = 5000, np.random.default_rng(1).uniform(1e-5, 1e-3, 80)
    ours = fit(X, y, 1 / probabilities)
    M, Vc = np.zeros((3, 3)), np.zeros((3, 3))
    for x, label, pi in zip(X, y, probabilities, strict=True):
        p = 1 / (1 + np.exp(-x @ ours.coef))
        M += p * (1 - p) * np.outer(x, x) / pi / (80 * n_all)
        Vc += (label - p) ** 2 * np.outer(x, x) / pi**2 / (80 * n_all) ** 2
    np.testing.assert_allclose(ours.covariance, np.linalg.inv(M) @ Vc @ np.linalg.inv(M), rtol=1e-8)


@pytest.mark.parametrize("factor", [1e-12, 7.0, 1e15])
def test_weights_times_a_constant_change_nothing(factor):
    X, y = rows_and_labels()
    weights = 10.0 ** np.random.default_rng(1).uniform(-4, 4, 300)
    plain, scaled = fit(X, y, weights), fit(X, y, factor * weights)
    np.testing.assert_allclose(scaled.coef, plain.coef, rtol=1e-9)
    np.testing.assert_allclose(scaled.covariance, plain.covariance, rtol=1e-8)


def test_a_far_row_does_not_throw_the_steps_off():
    # A full first step would overshoot: the row has nearly all of the leverage.
    X, y = rows_and_labels()
    X[0], y[0] = 1e4, 0.0
    ours = fit(X, y, np.where(np.arange(300) == 0, 1e6, 1.0))
    score = X.T @ (np.where(np.arange(300) == 0, 1e6, 1.0) * (y - expit(X @ ours.coef)))
    np.testing.assert_allclose(score, 0, atol=1e-4)


@pytest.mark.parametrize("far", [1e6, 1e9, 1e15])
def test_one_far_row_does_not_pass_for_separation(far):
    # On its side of the boundary the row's probability is 1, so that it changes nothing.
    X, y = rows_and_labels()
    ours = fit(np.vstack([X, [1.0, far, 0.0]]), np.append(y, float(fit(X, y).coef[1] > 0)))
    np.testing.assert_allclose(ours.coef, fit(X, y).coef, rtol=1e-6)
    # On the other side it holds its coefficient close to 0: the fit is that of the other columns.
    ours = fit(np.vstack([X, [0.0, far, 0.0]]), np.append(y, float(fit(X, y).coef[1] < 0)))
    np.testing.assert_allclose(ours.coef[[0, 2]], fit(X[:, [0, 2]], y).coef, rtol=1e-3)


def test_separated_rows_are_found_beside_a_far_row():
    X, y = np.arange(-4.0, 5)[:, None], (np.arange(9) > 4).astype(float)  # a row on the boundary
    with pytest.raises(FitError, match="is separated"):
        fit(np.vstack([X, [1e9]]), np.append(y, 1.0))


def test_separation_is_found_exactly_where_a_linear_program_finds_it():
    found = {True: 0, False: 0}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, (int(rng.integers(6, 22)), 3)).astype(float)  # many rows on the boundary
        y = (rng.random(len(X)) < expit(2 * X[:, 0])).astype(float)
        if y.min() == y.max() or np.linalg.matrix_rank(X) < 3:
            continue
        margins = (2 * y - 1)[:, None] * X
        program = linprog(-margins.sum(axis=0), A_ub=-margins, b_ub=np.zeros(len(y)), bounds=(-1, 1))
        separated = -program.fun > 1e-7
        found[separated] += 1
        if separated:
            with pytest.raises(FitError, match=r"^the sample is separated") as refused:
                fit(X, y)
            assert refused.value.reason == "separated"
        else:
            np.testing.assert_allclose(X.T @ (y - expit(X @ fit(X, y).coef)), 0, atol=1e-9)
    assert min(found.values()) > 30


@pytest.mark.parametrize(
    ("X", "y", "reason"),
    [
        (np.eye(3), np.ones(3), "missing_class"),
        (np.column_stack([np.arange(9.0), 3 * np.arange(9.0)]), np.arange(9) % 2, "collinear"),
        (np.column_stack([np.arange(9.0), np.zeros(9)]), np.arange(9) % 2, "collinear"),
        (np.arange(-4.0, 5)[:, None], np.arange(9) > 4, "separated"),
    ],
)
def test_rows_that_determine_nothing_are_refused_with_their_reason(X, y, reason):
    with pytest.raises(FitError, match=r"^the sample ") as refused:
        fit(X, y.astype(float))
    assert refused.value.reason == reason


def test_a_start_from_which_no_step_is_defined_is_no_convergence():
    X, y = rows_and_labels()
    message = r"^the sample did not converge by Newton's method with at most 100 steps$"
    with pytest.raises(FitError, match=message):
        fit_weighted(X, y, weights=np.ones(300), offsets=np.zeros(300), start=np.full(3, 1e6), sample="the sample")


def test_an_error_survives_the_way_back_from_another_process():
    error = pickle.loads(pickle.dumps(FitError("the pilot of 10 rows", "missing_class")))
    assert str(error) == "the pilot of 10 rows misses a class"
    assert error.reason == "missing_class"
