"""`strategy="standard"` is GridSearchCV, and exact pruning chooses what it chooses."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tabled import grid

from frugal.model_selection import ExactPruningSearchCV, FoldSearchCV

OURS = ("n_folds_evaluated", "stopped_because")


@st.composite
def tables(draw, failures=True):
    """Scores of some candidates on some folds: any real numbers, many of them equal, some nan."""
    n, k = draw(st.integers(1, 8)), draw(st.integers(2, 5))
    score = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, 0.5, 1.0, *[np.nan] * failures]))
    return draw(st.lists(st.lists(score, min_size=k, max_size=k), min_size=n, max_size=n))


def same(ours, theirs):
    """Assert that every column of theirs but times is one of ours, type and all."""
    for name, column in theirs.items():
        if "_time" in name:
            assert name in ours
            continue
        assert type(ours[name]) is type(column), name
        if isinstance(column, list):
            assert ours[name] == column
        else:
            assert ours[name].dtype == column.dtype, name
            np.testing.assert_array_equal(ours[name], column, err_msg=name)
    extra = set(ours) - set(theirs)
    assert extra == {*OURS, *(name for name in ours if name.endswith("_order"))}


@settings(deadline=None, max_examples=30)
@given(scores=tables(), error_score=st.sampled_from([np.nan, 0.0, -3.5]))
def test_standard_gives_what_grid_search_gives(scores, error_score):
    estimator, space, cv, X, y = grid(scores)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = GridSearchCV(estimator, space, cv=cv, error_score=error_score)
        ours = FoldSearchCV(estimator, space, cv=cv, error_score=error_score, strategy="standard")
        if np.isnan(scores).all():
            for search in (theirs, ours):
                with pytest.raises(ValueError, match=r"All the \d+ fits failed"):
                    search.fit(X, y)
            return
        theirs.fit(X, y)
        ours.fit(X, y)
    same(ours.cv_results_, theirs.cv_results_)
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_equal(ours.best_score_, theirs.best_score_)
    assert ours.n_fits_ == ours.n_fits_exhaustive_ == len(scores) * len(scores[0])


@settings(deadline=None, max_examples=30)
@given(scores=tables(failures=False))
def test_exact_pruning_chooses_a_best_mean(scores):
    """In exact numbers; where means differ by rounding alone, either may be chosen."""
    estimator, space, cv, X, y = grid(scores)
    bound = float(np.max(scores))
    ours = ExactPruningSearchCV(estimator, space, cv=cv, settings={"best_possible_score": bound}).fit(X, y)
    means = np.mean(scores, axis=1)
    assert ours.best_score_ == pytest.approx(means.max(), rel=1e-9, abs=1e-9)
    assert ours.cv_results_["rank_test_score"][ours.best_index_] == 1
    assert ours.n_fits_ <= ours.n_fits_exhaustive_


SETUPS = {
    "several metrics": (
        SVC(),
        {"C": [0.1, 1, 10]},
        {"scoring": ["accuracy", "f1_macro"], "refit": "f1_macro", "return_train_score": True},
    ),
    "lists of grids": (SVC(), [{"kernel": ["linear"], "C": [1, 10]}, {"gamma": [0.1, 1.0]}], {}),
    "steps of a pipeline": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"standardscaler": ["passthrough", StandardScaler()], "logisticregression__C": [0.1, 1.0]},
        {"cv": 3},
    ),
    "no refit": (SVC(), {"C": [0.1, 1]}, {"refit": False, "scoring": {"a": "accuracy", "b": "f1_macro"}}),
    "splits at random": (SVC(), {"C": [0.1, 1]}, {"cv": ShuffleSplit(3, random_state=1)}),
}


@pytest.mark.parametrize("name", SETUPS)
def test_standard_agrees_on_real_estimators(name):
    estimator, space, options = SETUPS[name]
    X, y = load_iris(return_X_y=True)
    theirs = GridSearchCV(estimator, space, **options).fit(X, y)
    ours = FoldSearchCV(estimator, space, strategy="standard", **options).fit(X, y)
    same(ours.cv_results_, theirs.cv_results_)
    for attribute in ("best_params_", "best_score_", "best_index_", "multimetric_", "n_splits_", "n_features_in_"):
        assert getattr(ours, attribute, None) == getattr(theirs, attribute, None), attribute


def test_draws_are_those_of_randomized_search():
    X, y = load_diabetes(return_X_y=True)
    from scipy.stats import loguniform

    space, cv = {"alpha": loguniform(1e-3, 1e3), "fit_intercept": [True, False]}, KFold(3)
    theirs = RandomizedSearchCV(Ridge(), space, n_iter=7, cv=cv, random_state=5).fit(X, y)
    ours = FoldSearchCV(Ridge(), space, n_candidates=7, cv=cv, random_state=5, strategy="standard").fit(X, y)
    same(ours.cv_results_, theirs.cv_results_)
    assert ours.best_params_ == theirs.best_params_
