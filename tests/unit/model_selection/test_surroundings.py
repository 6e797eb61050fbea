"""Fits meet the configuration and the warning filters of the thread that calls `fit`, wherever they run."""

import copy
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from frugal import minimize
from frugal.model_selection import FoldSearchCV, TrialSearchCV

C = "logisticregression__C"


def columns(table):
    """Two of three columns; without a data frame the one that says nothing."""
    return table[["a", "b"]] if hasattr(table, "columns") else table[:, [2]]


def of_dask():
    distributed = pytest.importorskip("distributed")
    return distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)


@contextmanager
def options_of(where, limit="fit_timeout"):
    """Arguments of a search whose fits run there."""
    if where == "threads":
        with ThreadPoolExecutor(2) as pool:
            yield {"executor": pool}
    elif where == "spawned":
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            yield {"executor": pool}
    elif where == "dask":
        with of_dask() as client:
            yield {"executor": client.get_executor(), "n_pending": 2}
    elif where == "threading":
        with joblib.parallel_config("threading", n_jobs=2):
            yield {}
    else:
        yield {"n_jobs": {"n_jobs": 2}, "timeout": {limit: 300.0}, "here": {}}[where]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    return X, (X["a"] + X["b"] > 0).astype(int), rng.uniform(0.5, 2, 120)


FOLDS = FoldSearchCV, {"strategy": "standard"}, "fit_timeout"
TRIALS = TrialSearchCV, {"strategy": "random", "n_trials": 2, "random_state": 0}, "trial_timeout"


EVERYWHERE = [
    *((where, *FOLDS) for where in ("here", "n_jobs", "timeout", "threads", "threading")),
    *((where, *TRIALS) for where in ("here", "n_jobs", "threads")),
    *(pytest.param(where, *FOLDS, marks=pytest.mark.slow) for where in ("spawned", "dask")),
    *(
        pytest.param(where, *TRIALS, marks=pytest.mark.slow)
        for where in ("timeout", "threading", "spawned", "dask")
    ),
]


@pytest.mark.parametrize(("where", "cls", "given", "limit"), EVERYWHERE)
def test_the_configuration_of_scikit_learn_holds_wherever_fits_run(table, where, cls, given, limit):
    X, y, weights = table
    given = given | {"error_score": "raise", "refit": False}
    groups = np.arange(120) % 10
    with options_of(where, limit) as options:
        with sklearn.config_context(transform_output="pandas"):
            pipeline = make_pipeline(StandardScaler(), FunctionTransformer(columns), LogisticRegression())
            plain = cls(pipeline, {C: [1.0, 100.0]}, cv=2, **given, **options).fit(X, y)
        with sklearn.config_context(enable_metadata_routing=True):
            scaler = StandardScaler().set_fit_request(sample_weight=False)
            pipeline = make_pipeline(scaler, LogisticRegression().set_fit_request(sample_weight=True))
            weighted = get_scorer("accuracy").set_score_request(sample_weight=True)
            common = {"cv": GroupKFold(2), "scoring": weighted}
            ours = cls(pipeline, {C: [1.0, 100.0]}, **common, **given, **options)
            ours.fit(X, y, sample_weight=weights, groups=groups)
            grid = {C: [ours.cv_results_["params"][0][C]]}
            theirs = GridSearchCV(pipeline, grid, **common).fit(X, y, sample_weight=weights, groups=groups)
    assert plain.cv_results_["mean_test_score"].min() > 0.9  # 0.5 by the column that says nothing
    assert ours.cv_results_["mean_test_score"][0] == theirs.best_score_


class Warns(DecisionTreeClassifier):
    """Says of every fit that it is shallow."""

    def fit(self, X, y):
        warnings.warn("a shallow tree", UserWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.mark.parametrize("where", ["here", "n_jobs", "threads"])
def test_warning_filters_hold_wherever_fits_run(where):
    X, y = load_iris(return_X_y=True)
    with options_of(where) as options:
        search = FoldSearchCV(Warns(), {"max_depth": [1]}, cv=2, refit=False, **options)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "a shallow")
            assert search.fit(X, y).best_score_ > 0.5
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "a shallow")
            with pytest.raises(ValueError, match="All the 2 fits failed"):
                search.fit(X, y)


def display(candidate):
    return float(sklearn.get_config()["print_changed_only"]) + 0 * candidate["x"]


def test_a_function_to_be_minimised_meets_the_configuration_too():
    options = {"strategy": "random", "n_trials": 2, "random_state": 0, "n_workers": 2}
    for value in (True, False):
        with sklearn.config_context(print_changed_only=value):
            assert minimize(display, {"x": [1.0, 2.0]}, **options).error == value


def size_of_copy(estimator, X, y):
    """The size of a pickle, and the accuracy; a copy is fitted again, which leaves the estimator as it is."""
    tree = estimator.tree_
    copy.deepcopy(estimator).fit(X[:3], y[:3])
    assert estimator.tree_ is tree
    return {"accuracy": estimator.score(X, y), "bytes": -float(len(pickle.dumps(estimator)))}


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_scorer_may_pickle_and_copy_its_estimator(n_jobs):
    X, y = load_iris(return_X_y=True)
    arguments = DecisionTreeClassifier(random_state=0), {"max_depth": [5, 1, 2]}
    given = {"scoring": size_of_copy, "refit": "bytes", "cv": 2, "error_score": "raise"}
    theirs = GridSearchCV(*arguments, **given).fit(X, y)
    ours = FoldSearchCV(*arguments, strategy="standard", n_jobs=n_jobs, **given).fit(X, y)
    assert ours.best_params_ == theirs.best_params_ == {"max_depth": 1}
    assert np.isfinite(ours.cv_results_["mean_test_bytes"]).all()
