"""Combinations of the bag of little bootstraps, against the parts that they must come down to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.svm import SVC
from subsample_designs import design

from frugal.rows import KMSVM, WKMSVM, blb, bootstrap, fit_dynamic_sample, fit_logistic, interval_widths
from frugal.rows.combined import blb_dynamic, blb_osmac, blb_svm, distinct_accessed
from frugal.rows.sampling import sampling_probabilities


def rng(seed=7):
    return np.random.default_rng(seed)


def weighted_mean(X, y, weights):
    return np.average(X, axis=0, weights=weights)


def settings(**others):
    return {"fit": fit_logistic, "statistic": interval_widths, "pilot_size": 200} | others


@pytest.fixture(scope="module")
def imbalanced():
    return design("nzNormal", rng(1), 4000)


def test_subsamples_drawn_unevenly_still_estimate_the_mean_of_all_rows(imbalanced):
    X, y = imbalanced
    found = blb_osmac(X, y, b=400, s=60, r=2, rng=rng(), **settings(fit=weighted_mean))
    standard_error = found.bag.coefs.std(axis=0, ddof=1) / np.sqrt(60)
    assert (np.abs(found.bag.coef - X.mean(axis=0)) < 4 * standard_error).all()
    pilot = fit_logistic(X, y)
    pi = sampling_probabilities(X, y, method="osmac_mvc", coef=pilot)
    uncorrected = pi @ X  # what unweighted draws would estimate is far outside
    assert (np.abs(uncorrected - X.mean(axis=0)) > 10 * standard_error).all()


def test_widths_are_those_of_the_fit_to_all_rows_not_of_the_drawing(imbalanced):
    X, y = imbalanced
    found = blb_osmac(X, y, b=1000, s=4, r=60, rng=rng(), **settings())
    full = bootstrap(X, y, r=120, fit=fit_logistic, statistic=interval_widths, rng=rng())
    assert found.bag.statistic.mean() == pytest.approx(full.statistic.mean(), rel=0.12)


def test_uniform_probabilities_estimate_what_plain_blb_does():
    X, y = design("mzNormal", rng(2), 600)
    kwargs = {"b": 200, "s": 60, "r": 20, "fit": weighted_mean, "statistic": interval_widths}
    found = blb_osmac(X, y, rng=rng(), pilot_size=200, method="uniform", **kwargs)
    plain = blb(X, y, rng=rng(), **kwargs)
    assert (found.n_drawn, found.n_scored, found.drawn_by) == (0, 0, "uniform")
    assert found.rows_touched == found.bag.rows.sum()
    errors = [bag.coefs.std(axis=0, ddof=1) / np.sqrt(60) for bag in (found.bag, plain)]
    assert (np.abs(found.bag.coef - plain.coef) < 4 * np.hypot(*errors)).all()
    assert found.bag.statistic.mean() == pytest.approx(plain.statistic.mean(), rel=0.05)


def test_rows_touched_counts_the_pilot_and_the_scored_rows(imbalanced):
    X, y = imbalanced
    found = blb_osmac(X, y, b=300, s=2, r=2, rng=rng(), **settings())
    assert found.rows_touched == found.bag.rows.sum() + 200 + len(y)


def test_an_unbalanced_design_is_fitted_better_from_osmac_subsamples(imbalanced):
    X, y = imbalanced
    full = fit_logistic(X, y)
    ours, plain = [], []
    for seed in range(6):
        ours.append(blb_osmac(X, y, b=300, s=2, r=2, rng=rng(seed), **settings()).bag.coef)
        kwargs = {"b": 300, "s": 2, "r": 2, "fit": fit_logistic, "statistic": interval_widths}
        plain.append(blb(X, y, rng=rng(seed), **kwargs).coef)
    assert np.square(np.array(ours) - full).sum() < 0.5 * np.square(np.array(plain) - full).sum()


def test_pilots_that_fail_leave_uniform_draws():
    X, y = design("mzNormal", rng(3), 300)
    X = np.column_stack([X, np.where(np.arange(300) == np.flatnonzero(y)[0], 1.0, 0.0)])  # a column of one row
    sentence = "both pilots failed, so rows were drawn uniformly: the pilot of 3 rows"
    with pytest.warns(RuntimeWarning, match=sentence):
        found = blb_osmac(X, y, b=100, s=2, r=2, rng=rng(), **settings(pilot_size=3))
    assert (found.drawn_by, found.n_drawn, found.n_scored) == ("uniform", 9, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "lccc"}, "method must be one of uniform, cc, lcc"),
        ({"pilot_size": 0}, "pilot_size must be at least 1"),
        ({"b": 5000}, "b must be at least 1, at most 4000"),
        ({"s": 0}, "s must be at least 1"),
        ({"rng": 3}, r"rng must be a numpy\.random\.Generator"),
    ],
)
def test_bad_arguments_are_named(imbalanced, change, message):
    with pytest.raises(ValueError, match=message):
        blb_osmac(*imbalanced, **(settings(b=300, s=1, r=2, rng=rng()) | change))


def clouds(n=300):
    y = rng(4).integers(2, size=n)
    return rng(5).normal(size=(n, 2)) + 2.0 * y[:, None], y


def test_averaging_decision_values_of_linear_svms_averages_their_coefficients():
    X, y = clouds()
    queries = np.vstack([np.eye(2), np.zeros(2)])
    bag = blb_svm(X, y, queries, b=60, s=2, r=3, svm=WKMSVM(1, kernel="linear", random_state=0), rng=rng())

    def coefficients(rows, labels, weights):
        svc = SVC(kernel="linear").fit(rows, labels, weights)
        return np.append(svc.coef_[0], svc.intercept_)

    theirs = blb(X, y, b=60, s=2, r=3, fit=coefficients, statistic=interval_widths, rng=rng())
    expected = np.column_stack([queries, np.ones(3)]) @ theirs.coef
    np.testing.assert_allclose(bag.coef, expected, atol=1e-6)


def test_a_subsample_of_b_rows_has_b_over_r_centres(monkeypatch):
    X, y = clouds()
    sizes, fit = [], WKMSVM.fit_reduced

    def recorded(self, reduced):
        sizes.append((len(reduced.X), reduced.sizes.sum()))
        return fit(self, reduced)

    monkeypatch.setattr(WKMSVM, "fit_reduced", recorded)
    blb_svm(X, y, X[:5], b=60, s=2, r=3, svm=WKMSVM(5, random_state=0), rng=rng())
    assert len(sizes) == 6
    assert all(abs(centres - 60 / 5) <= 2 and total == 300 for centres, total in sizes)


def test_the_svm_given_is_not_changed_and_what_it_cannot_take_is_refused():
    X, y = clouds()
    svm = KMSVM(5, random_state=0)
    blb_svm(X, y, X[:3], b=60, s=1, r=2, svm=svm, rng=rng())
    assert svm.compression == 5
    assert not hasattr(svm, "svc_")
    with pytest.raises(ValueError, match="y must hold two classes, got 3"):
        blb_svm(X, np.arange(300) % 3, X[:3], b=60, s=1, r=2, svm=svm, rng=rng())
    with pytest.raises(ValueError, match="b must be at least 1 and a whole number, got 0"):
        blb_svm(X, y, X[:3], b=0, s=1, r=2, svm=svm, rng=rng())


def test_dynamic_fits_of_all_rows_find_the_weighted_maximum():
    X, y = design("mzNormal", rng(6), 800)
    sizes = {"b": 200, "s": 2, "r": 3}
    ours = blb_dynamic(X, y, rng=rng(9), theta=0.0, initial_size=800, ridge=2e-5, tol=1e-9, **sizes)
    # The bag draws from the same generator once more, after the seed of the samples.
    seeded = rng(9)
    seeded.integers(2**63)
    theirs = blb(X, y, fit=fit_logistic, statistic=interval_widths, rng=seeded, **sizes)
    np.testing.assert_allclose(ours.bag.estimates, theirs.estimates, atol=1e-5)
    assert (ours.largest == 800).all()
    assert ours.rows_accessed == sum(fit.n_points for fit in ours.fits)


def test_distinct_rows_of_samples_are_those_that_are_expected():
    X, y = design("mzNormal", rng(6), 60)
    counts = np.array([0, 1, 2, 7, 20, 30])
    every = np.repeat(np.arange(6), counts)
    fit = fit_dynamic_sample(X[every], y[:60], theta=0.5, initial_size=15, ridge=1e-3, rng=rng(), max_iter=4)

    def brute(m):
        draws = [len(np.unique(rng(i).permutation(every)[:m])) for i in range(3000)]
        return np.mean(draws)

    expected, before = 0.0, 0
    for m, points, products in zip(fit.trace.size, fit.trace.points, fit.trace.n_products, strict=True):
        part = int(np.ceil(0.1 * m))
        expected += (points - before - products * part) / m * brute(m) + products * brute(part)
        before = points
    assert distinct_accessed(fit, counts) == pytest.approx(expected, rel=0.01)
    ones = fit_dynamic_sample(X, y, theta=0.5, initial_size=15, ridge=1e-3, rng=rng())
    assert distinct_accessed(ones, np.ones(60)) == pytest.approx(ones.n_points)


def test_a_bag_counts_distinct_rows_of_what_its_fits_read():
    X, y = design("mzNormal", rng(6), 500)
    sizes = {"b": 50, "s": 2, "r": 2}
    found = blb_dynamic(X, y, rng=rng(), theta=0.0, initial_size=500, ridge=1e-3, hessian_share=1.0, **sizes)
    assert all(counts.sum() == 500 for counts in found.counts)
    passes = [fit.n_points / 500 for fit in found.fits]  # over all rows each time, of which so many are distinct
    assert found.distinct_accessed == pytest.approx(passes @ found.bag.rows.ravel())


def test_the_size_rule_goes_beyond_the_distinct_rows():
    X, y = design("mzNormal", rng(6), 2000)
    found = blb_dynamic(X, y, b=100, s=1, r=3, rng=rng(), theta=0.5, initial_size=20, ridge=2e-5, tol=1e-4)
    assert (found.bag.rows <= 100).all()
    assert (found.largest == 2000).all()  # by its count of rows, of which at most 100 are distinct


def test_three_classes_have_log_odds_against_the_first():
    X, y = rng(1).normal(size=(300, 2)), np.arange(300) % 3
    found = blb_dynamic(X, y, b=100, s=1, r=2, rng=rng(), theta=0.5, initial_size=50, ridge=1e-3, max_iter=5)
    assert found.bag.coef.shape == (4,)
    coef = found.fits[0].coef
    np.testing.assert_allclose(found.bag.estimates[0, 0], [*(coef[:, 1] - coef[:, 0]), *(coef[:, 2] - coef[:, 0])])


POINTS = pd.DataFrame({"a": [-1.0, -2.0, 1.0, 2.0] * 20, "b": np.linspace(0, 1, 80)})
SIDES = (POINTS["a"] > 0).astype(int)
BAGGED = {"b": 40, "s": 1, "r": 2}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"queries": POINTS[["b", "a"]]}, ValueError, r"queries must have the columns \['a', 'b'\] in this order"),
        ({"y": np.array([1, "a"] * 40, dtype=object)}, ValueError, "y must hold integers, booleans, strings or"),
        ({"svm": KMSVM(compression=0.5)}, ValueError, "compression must be at least 1"),
        ({"svm": KMSVM(compression="a")}, ValueError, "compression must be at least 1"),
        ({"svm": DummyClassifier()}, TypeError, "svm must be a SVMKM, KMSVM or WKMSVM, got a DummyClassifier"),
    ],
)
def test_what_cannot_be_bagged_is_refused_before_a_fit(change, error, message):
    given = {"X": POINTS, "y": SIDES, "queries": POINTS, "svm": KMSVM(compression=4)} | change
    with pytest.raises(error, match=message):
        blb_svm(**given, rng=rng(), **BAGGED)


@pytest.mark.parametrize("kind", [int, float, str])
def test_a_class_that_subsamples_lack_is_refused_whatever_the_kind_of_labels(kind):
    X = np.column_stack([np.ones(3000), np.random.default_rng(0).normal(size=3000)])
    y = np.arange(3000) % 2
    y[:3] = 2
    how = {"b": 200, "s": 5, "r": 5, "theta": 0.5, "initial_size": 100}
    with pytest.raises(ValueError, match="b must be large enough for every subsample to hold every class"):
        blb_dynamic(X, y.astype(kind), rng=rng(), **how)
    balanced = np.arange(3000) % 3
    expected = blb_dynamic(X, balanced, rng=rng(), **how)
    found = blb_dynamic(X, balanced.astype(kind), rng=rng(), **how)
    np.testing.assert_array_equal(found.bag.coef, expected.bag.coef)
    assert found.fits[0].classes.tolist() == np.unique(balanced.astype(kind)).tolist()
