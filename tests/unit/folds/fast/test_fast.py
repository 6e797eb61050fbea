"""The exact batch scorers give scikit-learn's own scores, failures and all, to the last bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from frugal.folds.fast import FoldScores, knn, neighbours, score_fold, tree
from frugal.folds.fast.plain import Batch, Fold, complete
from frugal.learners import CLASSIFIERS, build, space
from frugal.seeds import rng_for
from frugal.threads import one_thread


@pytest.fixture(scope="module", autouse=True)
def _on_one_thread():
    with one_thread():
        yield


KINDS = ("small integers", "scaled integers", "continuous", "repeated rows", "repeated halves")


def make_fold(kind, n_train, n_test, n_features, n_classes, seed):
    """Random rows of one kind; the last column is constant if there are several, classes may be missing."""
    rng = np.random.default_rng(seed)
    n_rows = n_train + n_test
    if "integers" in kind:
        X = rng.integers(0, 4, (n_rows, n_features)).astype(float)
    else:
        X = rng.normal(size=(n_rows, n_features))
    if "repeated" in kind:
        X = X[rng.integers(0, max(1, n_rows // 3), n_rows)]
    if kind == "repeated halves":  # whole halves: ties between rows that are not duplicates
        X = np.round(2 * X) / 2
    if kind == "scaled integers":
        X = StandardScaler().fit_transform(X)
    if n_features > 1:
        X[:, -1] = X[0, -1]
    y = rng.integers(0, n_classes, n_rows) * 3 - 1
    parts = X[:n_train], y[:n_train], X[n_train:], y[n_train:]
    return tuple(np.ascontiguousarray(part) for part in parts)


@st.composite
def folds(draw):
    n_train = draw(st.integers(1, 80) | st.integers(240, 700))
    return make_fold(
        draw(st.sampled_from(KINDS)),
        n_train,
        n_test=draw(st.integers(1, 60)),
        n_features=draw(st.integers(1, 22)),
        n_classes=draw(st.integers(1, 7)),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


def sampled(classifier, seed, n_candidates=4):
    rng = rng_for("test_fast", classifier, seed)
    return [c for name in ("grid", "ranges") for c in space(name, classifier).sample(rng, n_candidates)]


def score_fold_plain(classifier, X_train, y_train, X_test, y_test, candidates, *, seed) -> FoldScores:
    """The reference: fit and score one candidate after the other."""
    return complete(classifier, Fold(X_train, y_train, X_test, y_test), candidates, Batch(), seed=seed)


def assert_identical(classifier, fold, candidates, seed=0) -> FoldScores:
    fast = score_fold(classifier, *fold, candidates, seed=seed)
    plain = score_fold_plain(classifier, *fold, candidates, seed=seed)
    assert np.array_equal(fast.scores, plain.scores, equal_nan=True)
    assert dict(fast.reasons) == dict(plain.reasons)
    assert fast.scores.dtype == plain.scores.dtype
    return fast


def all_ks(up_to, step=1):
    return [
        {"n_neighbors": k, "weights": weights}
        for k in range(1, up_to + 1, step)
        for weights in ("uniform", "distance")
    ]


@settings(deadline=None, max_examples=150)
@given(folds(), st.integers(0, 2**16))
def test_neighbours_score_as_scikit_learn_does_on_any_rows(fold, seed):
    n_train = len(fold[0])
    edges = {1, 2, n_train // 2 - 1, n_train // 2, n_train - 1, n_train, n_train + 1}
    extra = [{"n_neighbors": k, "weights": weights} for k in edges if k > 0 for weights in ("uniform", "distance")]
    assert_identical("knn", fold, sampled("knn", seed) + extra)


@settings(deadline=None, max_examples=80)
@given(folds(), st.integers(0, 2**16))
def test_naive_bayes_scores_as_scikit_learn_does_on_any_rows(fold, seed):
    extra = [{"alpha": 1e-10, "fit_prior": True, "binarize": float(np.abs(fold[0]).max())}]
    assert_identical("bernoulli_nb", fold, sampled("bernoulli_nb", seed, 8) + extra)


@settings(deadline=None, max_examples=80)
@given(folds(), st.integers(0, 2**32 - 1))
def test_trees_score_as_scikit_learn_does_on_any_rows_and_seed(fold, seed):
    assert_identical("decision_tree", fold, sampled("decision_tree", seed, 20), seed=seed)


@settings(deadline=None, max_examples=30)
@given(folds(), st.integers(0, 2**32 - 1))
def test_trees_that_share_a_fit_score_as_scikit_learn_does(fold, seed):
    limits, decreases, shares = (None, 1, 2, 3, 5, 9, 40), (0.0, 1e-3, 0.02, 0.1), (0.3, 0.33, None)
    crossed = itertools.product(limits, decreases, shares)
    listed = [{"max_depth": d, "min_impurity_decrease": m, "max_features": f} for d, m, f in crossed]
    assert_identical("decision_tree", fold, listed, seed=seed)


@pytest.mark.parametrize(
    ("alike", "n_grown"),
    [
        ([{"max_depth": limit} for limit in (40, 50, None)], 1),
        ([{"max_depth": limit} for limit in (1, 2, 50)], 3),
        ([{"max_features": value} for value in (1.0, None)], 1),
        ([{"max_features": value} for value in (0.17, 0.19, "sqrt")], 1),
        ([{"max_features": value} for value in (0.1, 0.17)], 2),
    ],
    ids=["limits beyond the tree", "limits within it", "all features", "five features", "three and five features"],
)
def test_a_tree_is_grown_once_for_all_hyperparameters_that_leave_it_alone(monkeypatch, alike, n_grown):
    X, y = load_breast_cancer(return_X_y=True)
    fold = X[:500], y[:500], X[500:], y[500:]
    grown = []
    monkeypatch.setattr(tree, "build", lambda *a, **kw: grown.append(a) or build(*a, **kw))
    scores = score_fold("decision_tree", *fold, alike, seed=3).scores
    assert len(grown) == n_grown
    np.testing.assert_array_equal(scores, score_fold_plain("decision_tree", *fold, alike, seed=3).scores)


def test_a_tree_that_a_larger_threshold_leaves_alone_is_grown_once(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    fold = X[:500], y[:500], X[500:], y[500:]
    listed = [{"criterion": "gini", "min_impurity_decrease": value} for value in (0.0, 0.0015, 0.0031, 0.02)]
    grown = []
    monkeypatch.setattr(tree, "build", lambda *a, **kw: grown.append(a) or build(*a, **kw))
    scores = score_fold("decision_tree", *fold, listed[::-1], seed=3).scores[::-1]
    assert 1 < len(grown) < len(listed)
    np.testing.assert_array_equal(scores, score_fold_plain("decision_tree", *fold, listed, seed=3).scores)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("load", [load_digits, load_breast_cancer])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_scores_are_identical_on_real_data(classifier, load, scaled):
    X, y = load(return_X_y=True)
    X = np.ascontiguousarray(StandardScaler().fit_transform(X) if scaled else X)
    rows = np.random.default_rng(5).permutation(len(y))[:500]
    train, test = rows[:420], rows[420:]
    fold = X[train], y[train].astype(np.int64), X[test], y[test].astype(np.int64)
    assert_identical(classifier, fold, sampled(classifier, 11, 12), seed=3)


@pytest.mark.parametrize("n_features", [2, 17])  # a k-d tree, and brute force
def test_every_number_of_neighbours_is_identical_where_most_rows_tie(n_features):
    fold = make_fold("small integers", 300, 40, n_features, 5, seed=1)
    scores = assert_identical("knn", fold, all_ks(160, step=3))
    assert scores.n_tied > scores.n_deferred > 0


@pytest.mark.parametrize("n_features", [2, 17])
def test_leaving_ties_to_the_first_of_a_longer_list_would_change_scores(monkeypatch, n_features):
    fold = make_fold("small integers", 300, 40, n_features, 5, seed=1)
    plain = score_fold_plain("knn", *fold, all_ks(60), seed=0)
    monkeypatch.setattr(knn, "_defer", lambda *_: None)
    assert not np.array_equal(score_fold("knn", *fold, all_ks(60), seed=0).scores, plain.scores)


@pytest.mark.parametrize("kind", ["small integers", "repeated rows"])
def test_more_than_1024_test_rows_are_identical(kind):
    # Beyond, scikit-learn may split the work by test rows instead of training rows, and break ties otherwise.
    fold = make_fold(kind, 1300, 1100, 17, 4, seed=2)
    assert_identical("knn", fold, all_ks(25, step=6))


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize(("n_train", "n_test"), [(15, 60), (600, 90), (600, 700)])
def test_scores_are_identical_on_as_many_threads(n_threads, n_train, n_test):
    # Which of the tied rows scikit-learn keeps depends on its threads and on how it shares the work among them.
    fold = make_fold("small integers", n_train, n_test, 17, 5, seed=3)
    with threadpool_limits(n_threads):
        assert_identical("knn", fold, all_ks(16, step=2))


def test_votes_are_the_same_in_blocks_of_test_rows(monkeypatch):
    fold = make_fold("small integers", 120, 30, 17, 4, seed=4)
    monkeypatch.setattr(neighbours, "BLOCK_VOTES", 2000)
    assert assert_identical("knn", fold, all_ks(40)).n_deferred > 0


def test_a_tie_that_decides_the_vote_is_deferred_and_counted():
    # The test row 0 is as far from -1 (class 0) as from 1 (class 1): k = 1 has to choose, k = 2 takes both.
    fold = np.array([[-1.0], [1.0], [5.0]]), np.array([0, 1, 1]), np.zeros((4, 1)), np.zeros(4, int)
    scores = assert_identical("knn", fold, [{"n_neighbors": 1, "weights": "uniform"}])
    assert (scores.n_tied, scores.n_deferred) == (4, 4)
    scores = assert_identical("knn", fold, [{"n_neighbors": 2, "weights": "uniform"}])
    assert (scores.n_tied, scores.n_deferred) == (0, 0)


def test_a_tie_between_rows_of_one_class_is_counted_but_needs_no_deferring():
    fold = np.array([[-1.0], [1.0], [5.0]]), np.array([1, 1, 0]), np.zeros((4, 1)), np.ones(4, int)
    scores = assert_identical("knn", fold, [{"n_neighbors": 1, "weights": w} for w in ("uniform", "distance")])
    assert scores.scores.tolist() == [1.0, 1.0]
    assert (scores.n_tied, scores.n_deferred) == (8, 0)


def test_a_row_that_coincides_with_training_rows_is_voted_on_by_those_alone():
    fold = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([1, 0, 0, 0]), np.zeros((1, 1)), np.array([0])
    scores = assert_identical("knn", fold, all_ks(4))
    assert scores.scores[3:].all()  # one vote each at distance 0: the class that sorts first


@pytest.mark.parametrize(
    ("classifier", "candidate", "reason"),
    [
        ("knn", {"n_neighbors": 31, "weights": "uniform"}, "ValueError: Expected n_neighbors <= n_samples_fit"),
        ("knn", {"n_neighbors": 0, "weights": "uniform"}, "InvalidParameterError"),
        ("knn", {"n_neighbors": 2.0, "weights": "uniform"}, "InvalidParameterError"),
        ("knn", {"n_neighbors": 2, "weights": "rank"}, "InvalidParameterError"),
        ("knn", {"neighbours": 2}, "HyperparameterError: knn does not take these hyperparameters"),
        ("bernoulli_nb", {"alpha": -1.0, "fit_prior": True, "binarize": 0.0}, "InvalidParameterError"),
        ("bernoulli_nb", {"alpha": 1.0, "fit_prior": True, "binarize": -0.5}, "InvalidParameterError"),
        ("bernoulli_nb", {"alpha": 1.0, "fit_prior": "yes", "binarize": 0.5}, "InvalidParameterError"),
        ("decision_tree", {"max_features": 0.0}, "InvalidParameterError"),
        ("decision_tree", {"criterion": "error"}, "InvalidParameterError"),
        ("decision_tree", {"max_depth": 0}, "InvalidParameterError"),
        ("decision_tree", {"min_impurity_decrease": -0.1}, "InvalidParameterError"),
    ],
)
def test_a_failed_fit_keeps_the_reason_of_scikit_learn_and_spares_the_others(classifier, candidate, reason):
    fold = make_fold("continuous", 30, 9, 4, 3, seed=6)
    good = sampled(classifier, 1, 2)[:2]
    scores = assert_identical(classifier, fold, [good[0], candidate, good[1]])
    assert list(scores.reasons) == [1]
    assert scores.reasons[1].startswith(reason)


@pytest.mark.parametrize(
    ("classifier", "candidate"),
    [
        ("knn", {"n_neighbors": 3}),
        ("knn", {"n_neighbors": 3, "weights": "distance", "p": 1}),
        ("knn", {"n_neighbors": np.int64(3), "weights": "distance"}),
        ("bernoulli_nb", {"binarize": None}),
        ("bernoulli_nb", {"alpha": 2, "fit_prior": False, "binarize": 0}),
        ("decision_tree", {"max_features": 2, "min_samples_leaf": 3}),
        ("decision_tree", {}),
    ],
)
def test_hyperparameters_outside_the_spaces_are_identical_too(classifier, candidate):
    fold = make_fold("repeated rows", 40, 12, 4, 3, seed=7)
    assert_identical(classifier, fold, [candidate])


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39, 1e200])
@pytest.mark.parametrize("where", [0, 2])  # training rows, test rows
def test_rows_that_scikit_learn_may_refuse_are_identical(classifier, value, where):
    fold = make_fold("continuous", 30, 9, 4, 3, seed=8)
    fold[where][1, 2] = value
    with np.errstate(all="ignore"):
        assert_identical(classifier, fold, sampled(classifier, 2, 2))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_rows_of_other_types_are_identical(classifier):
    X_train, y_train, X_test, y_test = make_fold("small integers", 60, 20, 5, 3, seed=9)
    fold = np.asfortranarray(X_train), y_train.astype(np.int32), X_test.astype(np.uint8), y_test
    assert_identical(classifier, fold, sampled(classifier, 3, 2))


def test_an_unknown_classifier_is_refused_with_the_known_ones():
    fold = make_fold("continuous", 10, 4, 2, 2, seed=0)
    with pytest.raises(ValueError, match="unknown classifier 'forest'; known: bernoulli_nb, decision_tree, knn"):
        score_fold("forest", *fold, [], seed=0)
