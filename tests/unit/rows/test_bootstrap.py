"""The three bootstraps against closed forms, written-out resamples and scikit-learn."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from joblib import parallel_config
from scipy.stats import norm
from sklearn.linear_model import LinearRegression, LogisticRegression

from frugal.rows import Settle, b_of_n, blb, bootstrap, fit_logistic, interval_widths, subsample_size
from frugal.rows.resamples import draw_counts
from frugal.rows.subsamples import Plan


def mean(X, y, weights):
    return np.average(X, axis=0, weights=weights)


def spread(estimates):
    return estimates.std(axis=0)


def problem(n=300, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (rng.random(n) < 1 / (1 + np.exp(-X.sum(axis=1)))).astype(int)


def rng(seed=7):
    return np.random.default_rng(seed)


def recorded(calls):
    """The mean, keeping what it was called with."""

    def fit(X, y, weights):
        calls.append((X, y, weights))
        return mean(X, y, weights)

    return fit


# Closed forms ---------------------------------------------------------------------------------------------------


def test_a_bag_of_one_subsample_of_all_rows_is_the_bootstrap():
    X, y = problem()
    ours = blb(X, y, b=300, s=1, r=12, fit=fit_logistic, statistic=interval_widths, rng=rng())
    theirs = bootstrap(X, y, r=12, fit=fit_logistic, statistic=interval_widths, rng=rng())
    assert np.array_equal(ours.estimates, theirs.estimates)
    assert np.array_equal(ours.statistic, theirs.statistic)
    assert np.array_equal(ours.rows, theirs.rows)


@pytest.mark.parametrize(("k", "percent"), [(20, 16), (100, 4), (200, 2), (400, 1)])
def test_widths_of_few_estimates_are_too_small_by_what_the_pages_say(k, percent):
    draws = np.random.default_rng(0).normal(size=(k, 4000))
    short = 100 - 100 * interval_widths(draws).mean() / (2 * 1.959964)
    assert round(short) == percent


def test_the_width_for_a_normal_mean_is_the_expected_one():
    n, b, r = 4000, 200, 80
    X = rng(1).normal(size=(n, 1))
    found = blb(X, None, b=b, s=40, r=r, fit=mean, statistic=interval_widths, rng=rng())
    order = 0.975 * (r - 1) + 1  # which order statistic is the upper end, by linear interpolation
    quantile = norm.ppf((order - 0.375) / (r + 0.25))  # its expectation, after Blom; 1.96 for many resamples
    expected = 2 * quantile * np.sqrt((b - 1) / b) / np.sqrt(n)
    assert found.statistic[0] == pytest.approx(expected, rel=0.04)


def test_each_subsample_spreads_by_its_own_deviation_over_root_n():
    # Var(sum_i c_i x_i / n) = s^2 / n for multinomial counts c, with s^2 the variance over the b rows, divisor b.
    n, r, seen = 5000, 600, []
    X = rng(2).exponential(size=(n, 1))
    found = blb(X, None, b=40, s=3, r=r, fit=recorded(seen), statistic=spread, rng=rng())
    for j, statistic in enumerate(found.statistics):
        rows = seen[j * r][0]  # with 125 draws per row none is left out
        assert len(rows) == 40
        assert statistic[0] == pytest.approx(rows.std() / np.sqrt(n), rel=4 / np.sqrt(2 * r))


def test_the_bootstrap_of_least_squares_has_the_sandwich_standard_error():
    n = 2000
    X = rng(3).normal(size=(n, 2))
    y = X @ [1.0, -2.0] + rng(4).normal(size=n) * (1 + np.abs(X[:, 0]))  # unequal variances

    def fit(X, y, weights):
        return LinearRegression(fit_intercept=False).fit(X, y, sample_weight=weights).coef_

    found = bootstrap(X, y, r=250, fit=fit, statistic=spread, rng=rng())
    residuals = y - X @ np.linalg.lstsq(X, y)[0]
    bread = np.linalg.inv(X.T @ X)
    sandwich = bread @ (X * residuals[:, None] ** 2).T @ X @ bread
    assert found.statistic == pytest.approx(np.sqrt(np.diag(sandwich)), rel=4 / np.sqrt(2 * 250))


def test_b_of_n_is_root_n_over_b_too_wide_before_rescaling():
    n, r = 2500, 500
    X = rng(5).normal(size=(n, 1))
    run = {"r": r, "fit": mean, "statistic": spread}
    for b in (25, 100, 400):
        raw = b_of_n(X, None, b=b, rescale=False, rng=rng(), **run)
        assert raw.statistic[0] == pytest.approx(X.std() / np.sqrt(b), rel=4 / np.sqrt(2 * r))
    rescaled = b_of_n(X, None, b=400, rng=rng(), **run)
    assert rescaled.statistic[0] == pytest.approx(raw.statistic[0] * np.sqrt(400 / n), rel=1e-12)


def test_a_bootstrap_touches_63_percent_of_the_rows():
    X, _ = problem(n=5000)
    found = bootstrap(X, None, r=20, fit=mean, statistic=spread, rng=rng())
    assert found.rows_touched / (20 * 5000) == pytest.approx(1 - np.exp(-1), abs=0.005)
    assert found.rows.shape == (1, 20)


# Resamples ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "b"), [(1000, 7), (1000, 600), (50, 50)])
def test_counts_sum_to_n_over_at_most_b_rows(n, b):
    X, seen = np.arange(1000.0)[:, None], []
    blb(X[:n], None, b=b, s=2, r=5, fit=recorded(seen), statistic=spread, rng=rng())
    for rows, y, weights in seen:
        assert weights.sum() == n
        assert weights.min() >= 1
        assert len(np.unique(rows)) == len(rows) == len(weights) <= b
        assert y is None


@pytest.mark.parametrize(("n", "b"), [(40, 20), (4000, 20)])  # row numbers and counts are drawn
def test_counts_have_multinomial_moments(n, b):
    counts = np.array([draw_counts(rng(i), n, b) for i in range(3000)])
    p = 1 / b
    assert counts.mean() == n * p
    assert counts.var(axis=0).mean() == pytest.approx(n * p * (1 - p), rel=0.03)
    assert np.cov(counts[:, 0], counts[:, 1])[0, 1] == pytest.approx(-n * p * p, abs=4 * n * p / np.sqrt(3000))


def test_subsamples_and_their_resamples_draw_from_generators_of_their_own():
    plan = Plan(mean, spread, 10, 3, seed=5)
    generators = [plan.generator(j, k) for j in range(3) for k in (None, 0, 1, 2)]
    assert len({generator.random() for generator in generators}) == 12


def test_a_fit_to_counts_is_the_fit_to_rows_written_out():
    X, y = problem(n=60)
    counts = draw_counts(rng(), 90, 60)
    written = np.repeat(np.arange(60), counts)
    assert len(written) == 90
    np.testing.assert_allclose(fit_logistic(X, y, counts), fit_logistic(X[written], y[written]), rtol=1e-8)


def test_every_estimate_is_scikit_learn_s_on_the_written_out_resample():
    X, y = problem(n=200)
    seen = []

    def fit(X, y, weights):
        seen.append((X, y, weights.astype(int)))
        return fit_logistic(X, y, weights, ridge=1e-3)

    found = blb(X, y, b=50, s=2, r=3, fit=fit, statistic=interval_widths, rng=rng())
    reference = LogisticRegression(C=1 / (1e-3 * 200), fit_intercept=False, tol=1e-12, solver="newton-cholesky")
    written = [
        reference.fit(np.repeat(rows, counts, axis=0), np.repeat(labels, counts)).coef_[0].copy()
        for rows, labels, counts in seen
    ]
    np.testing.assert_allclose(found.estimates.reshape(6, 3), written, rtol=1e-6)
    np.testing.assert_allclose(found.coef, np.mean(written, axis=0), rtol=1e-6)


def test_both_readings_average_over_resamples_and_then_over_subsamples():
    X, y = problem()
    found = blb(X, y, b=60, s=3, r=8, fit=fit_logistic, statistic=interval_widths, rng=rng())
    widths = [np.percentile(part, 97.5, axis=0) - np.percentile(part, 2.5, axis=0) for part in found.estimates]
    np.testing.assert_allclose(found.statistics, widths, rtol=1e-12)
    np.testing.assert_allclose(found.statistic, np.mean(widths, axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.coef, found.estimates.reshape(24, 3).mean(axis=0), rtol=1e-12)
    assert (found.n, found.b, found.s, found.r.tolist(), found.n_fits, found.n_failed) == (
        300,
        60,
        3,
        [8] * 3,
        24,
        0,
    )


def test_any_estimator_with_weights_serves_and_labels_may_be_strings():
    X, y = problem()
    names = np.where(y == 1, "yes", "no")

    def fit(X, y, weights):
        return LogisticRegression().fit(X, y, sample_weight=weights).coef_[0]

    found = blb(X, names, b=80, s=2, r=4, fit=fit, statistic=spread, rng=rng())
    plain = blb(X, y, b=80, s=2, r=4, fit=fit, statistic=spread, rng=rng())
    assert np.array_equal(found.estimates, plain.estimates)


def test_a_warm_start_gives_the_same_estimates_from_the_first_one_s_coefficients():
    X, y = problem()
    starts = []

    def fit(X, y, weights, start=None):
        starts.append(start)
        return fit_logistic(X, y, weights, start=start)

    run = {"b": 100, "s": 1, "r": 4, "statistic": interval_widths}
    warm = blb(X, y, fit=fit, warm_start=True, rng=rng(), **run)
    cold = blb(X, y, fit=fit_logistic, rng=rng(), **run)
    np.testing.assert_allclose(warm.estimates, cold.estimates, rtol=1e-7)
    assert starts[0] is None
    assert all(np.array_equal(start, warm.estimates[0, 0]) for start in starts[1:])


# Sizes ----------------------------------------------------------------------------------------------------------


def test_subsample_sizes_are_powers_of_n_rounded_down():
    # 20000^0.9 = 7428.94: rounded down 7428.
    assert [subsample_size(20_000, gamma) for gamma in (0.5, 0.6, 0.7, 0.8, 0.9)] == [141, 380, 1024, 2759, 7428]
    assert [subsample_size(10**6, gamma) for gamma in (1 / 3, 0.5, 2 / 3, 1)] == [100, 1000, 10_000, 10**6]


def test_settling_looks_back_over_a_window():
    z = [np.array([value, 2 * value]) for value in (5.0, 1.2, 1.04, 0.96, 1.0)]
    assert Settle(tolerance=0.05, window=2).reached(z)
    assert not Settle(tolerance=0.03, window=2).reached(z)
    assert not Settle(tolerance=0.05, window=3).reached(z)
    assert not Settle(tolerance=9.0, window=5).reached(z)  # five estimates, and none before the window
    assert Settle(tolerance=0.11, window=1).reached([np.array([0.8, 1.0]), np.array([1.0, 1.0])])  # a mean: 0.1
    assert Settle(tolerance=0.0, window=1).reached([np.zeros(2), np.zeros(2)])
    assert not Settle(tolerance=9.0, window=1).reached([np.ones(2), np.zeros(2)])


def test_resamples_stop_where_the_rule_says_and_are_those_of_the_full_run():
    X, y = problem()
    run = {"b": 80, "fit": fit_logistic, "statistic": spread}
    full = blb(X, y, s=2, r=60, rng=rng(), **run)
    settle = Settle(tolerance=0.1, window=5)
    short = blb(X, y, s=2, r=60, settle_r=settle, rng=rng(), **run)
    for j in range(2):
        z = [full.estimates[j, : t + 1].std(axis=0) for t in range(1, 60)]
        stop = next(
            t for t in range(5, 59) if all(np.mean(np.abs(z[t - i] / z[t] - 1)) <= 0.1 for i in range(1, 6))
        )
        assert short.r[j] == stop + 2  # the first z is of two resamples
        assert np.array_equal(short.estimates[j, : short.r[j]], full.estimates[j, : short.r[j]])
        assert np.isnan(short.estimates[j, short.r[j] :]).all()
    assert short.settled_r.all()
    assert not full.settled_r.any()
    assert short.n_fits == short.r.sum() < full.n_fits


def test_subsamples_stop_where_the_rule_says():
    X, y = problem()
    run = {"b": 80, "r": 10, "fit": fit_logistic, "statistic": spread}
    full = blb(X, y, s=20, rng=rng(), **run)
    short = blb(X, y, s=20, settle_s=Settle(tolerance=0.1, window=3), rng=rng(), **run)
    z = [full.statistics[: t + 1].mean(axis=0) for t in range(20)]
    stop = next(t for t in range(3, 20) if all(np.mean(np.abs(z[t - i] / z[t] - 1)) <= 0.1 for i in range(1, 4)))
    assert short.settled_s
    assert short.s == stop + 1 < 20
    assert np.array_equal(short.statistics, full.statistics[: short.s])


def test_a_bootstrap_and_a_b_of_n_settle_too():
    X, _ = problem()
    settle = Settle(tolerance=0.2, window=4)
    for run in (bootstrap, lambda *a, **k: b_of_n(*a, b=50, **k)):
        found = run(X, None, r=100, fit=mean, statistic=spread, settle=settle, rng=rng())
        assert 6 <= found.r[0] < 100
        assert found.settled_r[0]


# Failures -------------------------------------------------------------------------------------------------------


def test_failed_fits_are_counted_warned_of_and_left_out():
    X, _ = problem()
    calls = []

    def fit(X, y, weights):
        calls.append(None)
        if len(calls) % 4 == 0:
            raise np.linalg.LinAlgError("singular")
        return mean(X, y, weights) if len(calls) % 5 else np.full(3, np.nan)

    with pytest.warns(
        RuntimeWarning, match=r"^8 of 20 fits failed, 5 of them because: singular; they are left out$"
    ):
        found = blb(X, None, b=50, s=2, r=10, fit=fit, statistic=spread, rng=rng())
    assert (found.n_fits, found.n_failed) == (20, 8)
    assert found.reasons == {"singular": 5, "coefficients are not finite": 3}
    assert np.isnan(found.estimates[:, :, 0]).sum() == 8
    np.testing.assert_allclose(found.statistics[0], np.nanstd(found.estimates[0], axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.coefs[1], np.nanmean(found.estimates[1], axis=0), rtol=1e-12)


def test_failed_fits_do_not_settle_a_bag():
    X, _ = problem()
    calls = []

    def fit(X, y, weights):
        calls.append(None)
        if len(calls) > 2:
            raise ValueError("no")
        return mean(X, y, weights)

    with pytest.warns(RuntimeWarning, match="38 of 40 fits failed"):
        found = bootstrap(X, None, r=40, fit=fit, statistic=spread, settle=Settle(window=3), rng=rng())
    assert found.r[0] == 40
    assert not found.settled_r[0]


def test_a_subsample_without_an_estimate_is_in_neither_average():
    X, _ = problem()

    def fit(X, y, weights):
        if X[:, 0].mean() > 0:
            raise ValueError("above 0")
        return mean(X, y, weights)

    with pytest.warns(RuntimeWarning, match="above 0"):
        found = blb(X, None, b=40, s=8, r=5, fit=fit, statistic=spread, rng=rng())
    gone = np.isnan(found.statistics[:, 0])
    assert 0 < gone.sum() < 8
    assert found.n_failed == 5 * gone.sum()
    np.testing.assert_allclose(found.statistic, found.statistics[~gone].mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.coef, found.coefs[~gone].mean(axis=0), rtol=1e-12)


def test_a_resample_without_a_class_is_a_failed_fit():
    X, y = problem(n=40)
    y[:] = 0
    y[:2] = 1
    with pytest.warns(RuntimeWarning, match="the resample misses class 1"):
        found = bootstrap(X, y, r=200, fit=fit_logistic, statistic=spread, rng=rng())
    missed = (1 - 2 / 40) ** 40  # the probability that a resample of n misses two given rows
    assert found.n_failed == pytest.approx(200 * missed, abs=4 * np.sqrt(200 * missed * (1 - missed)))
    with pytest.warns(RuntimeWarning, match="the resample misses class 1"):
        b_of_n(X, y, b=20, r=50, fit=fit_logistic, statistic=spread, rng=rng())


def test_a_bug_in_the_estimator_is_a_crash():
    X, _ = problem()

    def fit(X, y, weights):
        return X["no such column"]

    with pytest.raises(IndexError):
        bootstrap(X, None, r=3, fit=fit, statistic=spread, rng=rng())


# Workers --------------------------------------------------------------------------------------------------------


def test_results_do_not_depend_on_the_number_of_workers():
    X, y = problem()
    settle = Settle(tolerance=0.3, window=2)
    run = {"fit": fit_logistic, "statistic": spread}
    runs = [
        lambda **k: blb(X, y, b=80, s=5, r=6, rng=rng(), **run, **k),
        lambda **k: blb(X, y, b=80, s=9, r=9, settle_s=settle, rng=rng(), **run, **k),
        lambda **k: bootstrap(X, y, r=8, warm_start=True, rng=rng(), **run, **k),
        lambda **k: b_of_n(X, y, b=90, r=30, settle=settle, rng=rng(), **run, **k),
    ]
    with parallel_config(backend="multiprocessing"):  # forks, where the default would start Python anew
        for call in runs:
            alone, shared = call(), call(n_workers=2)
            assert np.array_equal(alone.estimates, shared.estimates, equal_nan=True)
            assert np.array_equal(alone.statistic, shared.statistic)
            assert np.array_equal(alone.rows, shared.rows)
            assert alone.settled_s == shared.settled_s


def test_a_run_depends_on_its_generator_alone():
    X, y = problem()
    run = {"b": 60, "s": 2, "r": 4, "fit": fit_logistic, "statistic": spread}
    first, again, other = (blb(X, y, rng=rng(seed), **run) for seed in (1, 1, 2))
    assert np.array_equal(first.estimates, again.estimates)
    assert not np.array_equal(first.estimates, other.estimates)


def test_numbers_may_be_objects():
    X, y = problem()
    run = {"b": 60, "s": 2, "r": 4, "fit": fit_logistic, "statistic": spread}
    first, objects = (blb(X, given, rng=rng(), **run) for given in (y, y.astype(object)))
    assert np.array_equal(first.estimates, objects.estimates)


# Refusals -------------------------------------------------------------------------------------------------------

X, y = problem(n=30)
THREE = np.arange(30) % 3
RARE = np.where(np.arange(30) == 7, 1, 0)
LENGTHS = count(2)
HOLED = X.copy()
HOLED[7, 1] = np.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": 0}, "b must be at least 1, at most 30, the rows of X, and a whole number, got 0"),
        ({"b": 31}, "b must be at least 1, at most 30, the rows of X, and a whole number, got 31"),
        ({"b": 2.5}, "b must be at least 1, at most 30, the rows of X, and a whole number, got 2.5"),
        ({"y": THREE, "b": 2}, "b must be at least 3, the number of classes in y, got 2"),
        (
            {"y": RARE, "b": 2},
            "b must be large enough for every subsample to hold every class, got 2: "
            "subsample 0 has no row of class 1",
        ),
        ({"s": 0}, "s must be at least 1 and a whole number, got 0"),
        ({"r": 1}, "r must be at least 2 and a whole number, got 1"),
        ({"n_workers": 0}, "n_workers must be at least 1 and a whole number, got 0"),
        ({"warm_start": "no"}, "warm_start must be one of True, False, got 'no'"),
        ({"rng": 3}, "rng must be a numpy.random.Generator, got 3"),
        ({"X": X[:, 0]}, "X must have shape (n, d) with at least one row and one column, got (30,)"),
        ({"X": X.astype(complex)}, "X must hold real numbers, got dtype complex128"),
        ({"X": HOLED, "b": 30}, "X must be finite, got nan or infinite entries"),
        ({"y": y[:-1]}, "y must have shape (30,), one entry per row of X, got (29,)"),
        (
            {"y": np.array([0, "a", None] * 10, dtype=object)},
            "y must hold integers, booleans, strings or real numbers, got dtype object",
        ),
        ({"y": np.where(y == 1, np.inf, 0.0), "b": 30}, "y must be finite, got nan or infinite entries"),
        ({"statistic": lambda e: e.std(axis=0) / 0.0}, "statistic must return finite numbers, got [inf inf inf]"),
        (
            {"fit": lambda X, y, w: np.ones(next(LENGTHS))},
            "fit must return coefficients of one shape, got (2,) and (3,)",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_bag_refuses(change, message):
    given = {"X": X, "y": y, "b": 10, "s": 2, "r": 30, "fit": mean, "statistic": spread, "rng": rng(), **change}
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        blb(given.pop("X"), given.pop("y"), **given)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: subsample_size(100, 0.0), "gamma must be above 0 and at most 1, got 0.0"),
        (lambda: subsample_size(100, 1.1), "gamma must be above 0 and at most 1, got 1.1"),
        (lambda: subsample_size(0, 0.5), "n must be at least 1 and a whole number, got 0"),
        (lambda: interval_widths(np.ones((3, 2)), 1.5), "level must be above 0 and at most 1, got 1.5"),
        (lambda: Settle(tolerance=-0.1), "tolerance must be at least 0 and a finite number, got -0.1"),
        (lambda: Settle(window=0), "window must be at least 1 and a whole number, got 0"),
        (
            lambda: blb(X, y, b=10, s=2, r=30, fit=mean, statistic=spread, rng=rng(), settle_s=0.05),
            "settle_s must be a Settle or None, got 0.05",
        ),
        (
            lambda: bootstrap(X, y, r=30, fit=mean, statistic=spread, rng=rng(), settle=True),
            "settle must be a Settle or None, got True",
        ),
        (
            lambda: b_of_n(X, y, b=10, r=30, fit=mean, statistic=spread, rng=rng(), settle=3),
            "settle must be a Settle or None, got 3",
        ),
        (
            lambda: b_of_n(X, y, b=10, r=30, fit=mean, statistic=spread, rng=rng(), rescale="no"),
            "rescale must be one of True, False, got 'no'",
        ),
        (
            lambda: blb(X, y, b=10, s=2, r=30, fit=mean, statistic=spread, rng=rng(), settle_r=3),
            "settle_r must be a Settle or None, got 3",
        ),
        (
            lambda: bootstrap(X, y, r=30, fit=mean, statistic=spread, rng=rng(), executor=3),
            "executor must have a method submit, as those of concurrent.futures, got 3",
        ),
        (lambda: interval_widths(np.empty((0, 2))), "estimates must have at least one row, got none"),
    ],
)
def test_settings_are_refused(call, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        call()
    assert str(refusal.value) == message


def test_a_run_without_any_estimate_says_why():
    def fit(X, y, weights):
        raise ZeroDivisionError("division by zero")

    with pytest.raises(ValueError, match=r"^6 of 6 fits failed, 6 of them because: division by zero$"):
        bootstrap(X, y, r=6, fit=fit, statistic=spread, rng=rng())
    with pytest.raises(ValueError, match="the resample misses class 1"):
        bootstrap(X[:3], [0, 0, 1], r=2, fit=fit_logistic, statistic=spread, rng=np.random.default_rng(4))
    with pytest.raises(ValueError, match="6 of them because: y must hold the labels of the rows, got None"):
        bootstrap(X, None, r=6, fit=fit_logistic, statistic=spread, rng=rng())


@pytest.mark.parametrize(("name", "value"), [("fit", LogisticRegression()), ("statistic", "widths")])
def test_what_is_no_function_is_refused(name, value):
    functions = {"fit": fit_logistic, "statistic": spread, name: value}
    with pytest.raises(TypeError, match=rf"^{name} must be a function {name}\("):
        blb(X, y, b=6, s=2, r=3, rng=rng(), **functions)


@pytest.mark.parametrize("warm_start", [True, False])
def test_a_fit_that_fills_one_array_gives_an_estimate_each(warm_start):
    out = np.zeros(1)

    def mean(X, y, weights, start=None):
        found = out if start is None else start
        found[:] = weights @ X / weights.sum()
        return found

    X = np.random.default_rng(0).normal(5, 1, (3000, 1))
    options = {"b": 20, "s": 1, "r": 4, "statistic": interval_widths, "warm_start": warm_start}
    found = blb(X, None, fit=mean, rng=np.random.default_rng(1), **options)
    assert len(np.unique(found.estimates)) == 4


def test_a_fit_that_writes_into_its_rows_changes_no_other_fit_and_not_the_callers():
    def mean(X, y, weights):
        X *= 2
        return weights @ X / weights.sum()

    def gentle(X, y, weights):
        return weights @ (2 * X) / weights.sum()

    X = np.random.default_rng(0).normal(5, 1, (3000, 1))
    before = X.copy()
    options = {"b": 20, "s": 1, "r": 4, "statistic": interval_widths}
    found, expected = (blb(X, None, fit=fit, rng=np.random.default_rng(1), **options) for fit in (mean, gentle))
    np.testing.assert_array_equal(found.estimates, expected.estimates)
    bootstrap(X[:2], None, r=8, fit=mean, statistic=interval_widths, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(X, before)
