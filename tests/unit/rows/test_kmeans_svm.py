"""The k-means SVMs against scikit-learn's SVC on rows that were clustered by hand, repeated or left alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugal.rows import KMSVM, SVMKM, WKMSVM

ALL = (SVMKM, KMSVM, WKMSVM)
SHARP = 1e-10
"""Solver tolerance where two problems with the same solution are compared."""


def two_clouds(n_rows=120, n_features=3, seed=0):
    """Overlapping clouds, one row in three positive."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n_rows) % 3 == 0).astype(int)
    return rng.standard_normal((n_rows, n_features)) + y[:, None], y


def ripley(seed, n_per_class=125):
    """Ripley's synthetic problem: each class an equal mixture of two round normals of variance 0.03."""
    rng = np.random.default_rng(seed)
    centres = np.array([[[-0.7, 0.3], [0.3, 0.3]], [[-0.3, 0.7], [0.4, 0.7]]])
    y = np.repeat([0, 1], n_per_class)
    which = rng.integers(0, 2, len(y))
    return centres[y, which] + np.sqrt(0.03) * rng.standard_normal((len(y), 2)), y


@parametrize_with_checks([SVMKM(), KMSVM(), WKMSVM(), WKMSVM(compression=3, kernel="linear", batch_size=32)])
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_without_compression_every_method_is_the_full_svm(kind, kernel):
    X, y = two_clouds()
    full = SVC(C=2.0, kernel=kernel).fit(X, y)
    ours = kind(compression=1, C=2.0, kernel=kernel).fit(X, y)
    np.testing.assert_array_equal(ours.svc_.support_, full.support_)
    np.testing.assert_array_equal(ours.decision_function(X), full.decision_function(X))


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
def test_on_rows_given_q_times_wkm_is_the_full_svm_and_km_the_svm_of_the_distinct_rows(gamma):
    q, (X, y) = 4, two_clouds(60)
    repeated_X, repeated_y = np.repeat(X, q, axis=0), np.repeat(y, q)
    svm = {"C": 0.5, "gamma": gamma, "tol": SHARP}
    full, distinct = SVC(**svm).fit(repeated_X, repeated_y), SVC(**svm).fit(X, y)
    weighted = WKMSVM(compression=q, **svm).fit(repeated_X, repeated_y)
    unweighted = KMSVM(compression=q, **svm).fit(repeated_X, repeated_y)
    np.testing.assert_allclose(weighted.decision_function(X), full.decision_function(X), rtol=0, atol=1e-6)
    np.testing.assert_allclose(unweighted.decision_function(X), distinct.decision_function(X), rtol=0, atol=1e-6)
    assert np.abs(full.decision_function(X) - distinct.decision_function(X)).max() > 1e-2  # they can be told apart


@pytest.mark.parametrize("compression", [1, 2.5, 7, 1000])
@pytest.mark.parametrize("kind", ALL)
def test_sizes_sum_to_the_rows_of_each_class(kind, compression):
    X, y = two_clouds()
    reduced = kind(compression=compression, random_state=0).reduce(X, y)
    for label, n_rows in zip(*np.unique(y, return_counts=True), strict=True):
        assert reduced.sizes[reduced.y == label].sum() == n_rows


@pytest.mark.parametrize("kind", [KMSVM, WKMSVM])
@pytest.mark.parametrize(("compression", "expected"), [(3, [27, 13]), (16, [5, 2]), (70, [1, 1]), (1e9, [1, 1])])
def test_each_class_gets_its_rows_over_r_centres_and_never_none(kind, compression, expected):
    X, y = two_clouds()  # 80 and 40 rows
    reduced = kind(compression=compression, random_state=0).reduce(X, y)
    assert np.bincount(reduced.y).tolist() == expected


def test_centres_are_the_means_of_the_rows_nearest_to_them():
    X, y = two_clouds()
    reduced = WKMSVM(compression=8, random_state=0).reduce(X, y)
    for label in (0, 1):
        members, centres = X[y == label], reduced.X[reduced.y == label]
        nearest = ((members[:, None, :] - centres) ** 2).sum(axis=2).argmin(axis=1)
        np.testing.assert_array_equal(np.bincount(nearest), reduced.sizes[reduced.y == label])
        means = [members[nearest == cluster].mean(axis=0) for cluster in range(len(centres))]
        np.testing.assert_allclose(centres, means, atol=1e-12)


def test_centres_are_those_of_scikit_learns_k_means_where_there_is_one_best_clustering():
    X, blob = make_blobs(90, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], cluster_std=0.5, random_state=0)
    y = blob % 2
    reduced = KMSVM(compression=90 / 4, random_state=1).reduce(X, y)
    for label in (0, 1):
        theirs = KMeans(2, n_init=10, random_state=0).fit(X[y == label]).cluster_centers_
        ours = reduced.X[reduced.y == label]
        np.testing.assert_allclose(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)], atol=1e-10)


def test_wkm_is_the_svc_of_its_centres_repeated_as_often_as_their_sizes():
    X, y = two_clouds()
    ours = WKMSVM(compression=5, C=0.3, gamma=0.4, tol=SHARP, random_state=0).fit(X, y)
    left = ours.reduced_
    counts = left.sizes.astype(int)
    repeated = SVC(C=0.3, gamma=0.4, tol=SHARP).fit(np.repeat(left.X, counts, axis=0), np.repeat(left.y, counts))
    np.testing.assert_allclose(ours.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-6)


def test_with_equal_cluster_sizes_wkm_is_km_with_c_scaled():
    X, blob = make_blobs(80, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], cluster_std=0.5, random_state=0)
    y = blob % 2  # four blobs of 20 rows
    svm = {"compression": 20, "gamma": 0.05, "tol": SHARP, "random_state": 0}
    weighted, scaled = WKMSVM(C=0.01, **svm).fit(X, y), KMSVM(C=0.2, **svm).fit(X, y)
    np.testing.assert_array_equal(weighted.reduced_.sizes, [20, 20, 20, 20])
    np.testing.assert_allclose(weighted.decision_function(X), scaled.decision_function(X), rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", ALL)
def test_swapping_the_labels_swaps_the_sign(kind):
    X, y = two_clouds()
    model = kind(compression=4, tol=SHARP, random_state=3)
    straight, swapped = clone(model).fit(X, y), clone(model).fit(X, 1 - y)
    np.testing.assert_allclose(straight.decision_function(X), -swapped.decision_function(X), rtol=0, atol=1e-7)
    np.testing.assert_array_equal(straight.predict(X), 1 - swapped.predict(X))


@pytest.mark.parametrize("kind", ALL)
def test_neither_the_order_of_the_rows_nor_a_second_fit_changes_anything(kind):
    X, y = two_clouds()
    order = np.random.default_rng(1).permutation(len(y))
    model = kind(compression=4, gamma=0.3, random_state=3)
    first, again, shuffled = (clone(model).fit(*data) for data in ((X, y), (X, y), (X[order], y[order])))
    np.testing.assert_array_equal(first.decision_function(X), again.decision_function(X))
    np.testing.assert_array_equal(first.decision_function(X), shuffled.decision_function(X))


@pytest.mark.parametrize("kind", ALL)
def test_a_weight_counts_as_so_many_equal_rows(kind):
    X, y = two_clouds(60)
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    model = kind(compression=3, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-9)
    np.testing.assert_array_equal(weighted.reduced_.sizes, repeated.reduced_.sizes)


def test_svm_km_with_a_cluster_per_row_keeps_the_data():
    X, y = two_clouds()
    reduced = SVMKM(compression=1.001).reduce(X, y)
    order, theirs = np.lexsort(X.T), np.lexsort(reduced.X.T)
    np.testing.assert_array_equal(reduced.X[theirs], X[order])
    np.testing.assert_array_equal(reduced.y[theirs], y[order])
    assert set(reduced.weights) == {1.0}


def test_svm_km_on_separated_blobs_keeps_their_centres_alone():
    X, blob = make_blobs(90, centers=[[0, 0], [20, 0], [0, 20]], cluster_std=0.5, random_state=0)
    labels = np.array(["a", "b", "a"])
    ours = SVMKM(compression=30, random_state=0).fit(X, labels[blob])
    means = np.array([X[blob == number].mean(axis=0) for number in range(3)])
    left = ours.reduced_
    order, expected = np.lexsort(left.X.T), np.lexsort(means.T)
    np.testing.assert_allclose(left.X[order], means[expected])
    assert left.y[order].tolist() == labels[expected].tolist()
    assert left.sizes.tolist() == [30, 30, 30]
    assert left.weights.tolist() == [1, 1, 1]


def test_svm_km_keeps_every_row_of_a_cluster_with_two_classes():
    rng = np.random.default_rng(0)
    pure, mixed = rng.standard_normal((50, 2)), rng.standard_normal((40, 2)) + 100
    X, y = np.vstack([pure, mixed]), np.r_[np.zeros(50, int), np.arange(40) % 2]
    reduced = SVMKM(compression=45, random_state=0).reduce(X, y)
    np.testing.assert_allclose(reduced.X[0], pure.mean(axis=0))
    assert reduced.sizes.tolist() == [50] + [1] * 40
    kept = np.lexsort(reduced.X[1:].T)
    np.testing.assert_array_equal(reduced.X[1:][kept], mixed[np.lexsort(mixed.T)])
    np.testing.assert_array_equal(reduced.y[1:][kept], y[50:][np.lexsort(mixed.T)])


def test_equal_rows_of_two_classes_are_both_kept_by_svm_km():
    X, y = np.array([[0.0], [0.0], [5.0], [9.0]]), np.array([0, 1, 1, 0])
    reduced = SVMKM(compression=4 / 3, random_state=0).reduce(X, y)
    assert sorted(zip(reduced.X[:, 0], reduced.y, strict=True)) == [(0, 0), (0, 1), (5, 1), (9, 0)]


@pytest.mark.parametrize("kind", ALL)
def test_three_classes_with_names_are_told_apart(kind):
    X, blob = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    y = np.array(["ash", "birch", "cedar"])[blob]
    model = kind(compression=5, random_state=0).fit(X, y)
    assert model.classes_.tolist() == ["ash", "birch", "cedar"]
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.97


def test_one_reduction_serves_many_values_of_c_and_gamma():
    X, y = two_clouds()
    reduced = WKMSVM(compression=4, random_state=0).reduce(X, y)
    for C, gamma in ((0.1, 0.2), (10.0, "scale")):
        model = WKMSVM(compression=4, C=C, gamma=gamma, random_state=0)
        at_once = clone(model).fit(X, y).decision_function(X)
        np.testing.assert_array_equal(model.fit_reduced(reduced).decision_function(X), at_once)


def test_mini_batches_give_a_clustering_nearly_as_good():
    X, y = two_clouds(2000)
    spread = []
    for batch_size in (None, 256):
        reduced = KMSVM(compression=20, batch_size=batch_size, random_state=0).reduce(X, y)
        nearest = ((X[:, None, :] - reduced.X) ** 2).sum(axis=2)
        nearest[y[:, None] != reduced.y] = np.inf
        spread.append(nearest.min(axis=1).sum())
    assert spread[1] < 1.25 * spread[0]


def test_the_boundary_of_wkm_is_closer_to_the_full_one_than_that_of_km():
    # Figure 11: R = 5 on Ripley's problem, 125 rows per class; slopes of about -.17 full, -.21 WKM, -.40 KM.
    angles = {KMSVM: [], WKMSVM: []}
    for seed in range(15):
        X, y = ripley(seed)
        full = SVC(kernel="linear").fit(X, y).coef_[0]
        for kind, found in angles.items():
            ours = kind(compression=5, kernel="linear", random_state=seed).fit(X, y).svc_.coef_[0]
            found.append(np.degrees(np.arccos(full @ ours / np.linalg.norm(full) / np.linalg.norm(ours))))
    difference = np.array(angles[KMSVM]) - np.array(angles[WKMSVM])
    assert difference.mean() > 3 * difference.std(ddof=1) / np.sqrt(len(difference))
    assert np.mean(angles[WKMSVM]) < 0.6 * np.mean(angles[KMSVM])


def test_it_is_tuned_inside_a_pipeline_like_any_classifier():
    X, y = two_clouds()
    grid = {"wkmsvm__compression": [1, 4], "wkmsvm__C": [0.1, 1.0]}
    search = GridSearchCV(make_pipeline(StandardScaler(), WKMSVM(random_state=0)), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.7


@pytest.mark.parametrize("compression", [0.5, 0, -3, float("nan"), float("inf"), "5", True, None])
@pytest.mark.parametrize("kind", ALL)
def test_a_compression_below_1_or_no_number_is_refused(kind, compression):
    with pytest.raises(
        ValueError, match=f"^compression must be at least 1 and a finite number, got {compression!r}$"
    ):
        kind(compression=compression).fit(*two_clouds())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "precomputed"}, "^kernel must act on rows, since these are clustered, got 'precomputed'$"),
        ({"kernel": "cubic"}, "^The 'kernel' parameter of SVC must be .* Got 'cubic' instead.$"),
        ({"C": -1.0}, "^The 'C' parameter of SVC must be a float in the range .* Got -1.0 instead.$"),
        ({"gamma": "wide"}, "^The 'gamma' parameter of SVC must be .* Got 'wide' instead.$"),
        ({"n_init": 0}, "^The 'n_init' parameter of KMeans must be .* Got 0 instead.$"),
        ({"batch_size": 0}, "^The 'batch_size' parameter of MiniBatchKMeans must be .* Got 0 instead.$"),
    ],
)
def test_other_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        KMSVM(**settings).fit(*two_clouds())


def test_labels_of_one_class_are_refused():
    X, y = two_clouds()
    message = r"^y must hold two classes among rows of positive weight, got 1 class\(es\)$"
    with pytest.raises(ValueError, match=message):
        KMSVM().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match=message):
        KMSVM().fit(X, y, sample_weight=1.0 - y)


def test_labels_that_are_measurements_are_refused():
    X, y = two_clouds()
    with pytest.raises(ValueError, match=r"^Unknown label type: continuous"):
        SVMKM().fit(X, y + 0.5 * X[:, 0])
