"""Trials of an estimator: scikit-learn's scores, a strategy's choices, and nothing computed twice."""

import json
import math
import os
import pickle
import signal
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GroupKFold, KFold, RandomizedSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tabled import Sized

from frugal.model_selection import TrialSearchCV
from frugal.model_selection.facts import rows_for_the_rarest
from frugal.model_selection.trial_plan import ResourceSpec, plan
from frugal.model_selection.trial_space import as_space
from frugal.spaces import Choice, Integer, SearchSpace, Uniform

X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
SPACE = {"max_depth": Integer(1, 6), "min_samples_leaf": [1, 2, 5]}
QUICK = {"n_pool": 64, "n_starts": 1, "n_restarts": 1}
RANDOM = {"strategy": "random", "n_trials": 5, "random_state": 0}
TIMES = ("fit_time", "score_time")


def test_a_share_of_fewer_rows_than_classes_is_drawn_without_strata():
    digits = load_digits(return_X_y=True)
    search = TrialSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=0.1, **RANDOM)
    assert search.fit(digits[0][:60], digits[1][:60]).n_splits_ == 1


def test_a_share_of_no_rows_is_refused_as_such():
    with pytest.raises(ValueError, match="n_samples=0"):
        TrialSearchCV(TREE, SPACE, cv=0.3, **RANDOM).fit(X[:0], Y[:0])


def times(factor):
    return lambda estimator, X, y: -factor * (1.7 - estimator.score(X, y))


def test_scores_whose_errors_are_too_large_to_be_squared_are_said_to_count_as_failed():
    space = {"max_depth": Integer(1, 2), "min_impurity_decrease": Uniform(0.0, 0.01)}
    search = TrialSearchCV(TREE, space, scoring=times(1e100), **RANDOM)  # above 0.7 it counts
    with pytest.warns(UserWarning, match=r"[1-4] of 5 trials count as failed, .* the error 1\..*e\+100 is beyond"):
        search.fit(X, Y)
    assert search.best_params_["max_depth"] == 2
    with pytest.raises(ValueError, match=r"5 of 5 trials count as failed, .*; the first is trial 0: the error"):
        search.set_params(scoring=times(1e101)).fit(X, Y)


def same(results, other):
    """But for times."""
    assert list(results) == list(other)
    for name in results:
        if not name.endswith(TIMES):
            np.testing.assert_array_equal(np.array(results[name]), np.array(other[name]))


class Failing(DecisionTreeClassifier):
    """Raises, hangs or ends its process where its depth is 2."""

    def __init__(self, how="", max_depth=None, ccp_alpha=0.0):
        super().__init__(max_depth=max_depth, ccp_alpha=ccp_alpha, random_state=0)
        self.how = how

    def fit(self, X, y):
        if self.max_depth != 2:
            return super().fit(X, y)
        if self.how == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "interrupted":
            raise KeyboardInterrupt
        if self.how == "hangs":
            time.sleep(60)
        raise ValueError("a depth of 2")


class Mortal(DecisionTreeClassifier):
    """Ends its process, or is interrupted, at one fit; each fit leaves a file in a folder."""

    def __init__(self, folder="", at=None, interrupts=False, max_depth=None):
        super().__init__(max_depth=max_depth, random_state=0)
        self.folder, self.at, self.interrupts = folder, at, interrupts

    def fit(self, X, y):
        number = len(list(Path(self.folder).glob("fit*")))
        (Path(self.folder) / f"fit{number}").touch()
        if number == self.at:
            if self.interrupts:
                raise KeyboardInterrupt
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


# Scores ---------------------------------------------------------------------------------------------------------


def test_random_trials_have_the_scores_of_randomized_search():
    cv = KFold(4, shuffle=True, random_state=1)
    ours = TrialSearchCV(TREE, SPACE, cv=cv, return_train_score=True, **RANDOM | {"n_trials": 12}).fit(X, Y)
    listed = {tuple(sorted(p.items())): {k: [v] for k, v in p.items()} for p in ours.cv_results_["params"]}
    theirs = RandomizedSearchCV(TREE, list(listed.values()), n_iter=len(listed), cv=cv, return_train_score=True)
    reference = theirs.fit(X, Y).cv_results_
    places = [reference["params"].index(params) for params in ours.cv_results_["params"]]
    scores = [name for name in reference if "_score" in name and "rank" not in name and not name.endswith(TIMES)]
    assert len(scores) == 12
    for name in scores:
        np.testing.assert_array_equal(ours.cv_results_[name], reference[name][places])
    assert ours.best_score_ == theirs.best_score_
    assert ours.cv_results_["rank_test_score"][ours.best_index_] == 1
    assert ours.cv_results_["order"].tolist() == list(range(1, 13))
    np.testing.assert_array_equal(
        ours.predict(X), clone(TREE).set_params(**ours.best_params_).fit(X, Y).predict(X)
    )
    assert (ours.n_trials_, ours.n_fits_, ours.ended_because_) == (12, 48, "")


def test_a_share_is_one_validation_part_and_so_is_a_split():
    share = TrialSearchCV(TREE, SPACE, cv=0.2, **RANDOM).fit(X, Y)
    assert share.n_splits_ == 1
    assert set(np.round(share.cv_results_["split0_test_score"] * 30, 6) % 1) == {0.0}  # of 30 rows
    split = np.arange(0, 120), np.arange(120, 150)
    one = TrialSearchCV(TREE, SPACE, cv=[split], **RANDOM).fit(X, Y)
    params = one.cv_results_["params"][0]
    fitted = clone(TREE).set_params(**params).fit(X[split[0]], Y[split[0]])
    assert one.cv_results_["mean_test_score"][0] == fitted.score(X[split[1]], Y[split[1]])


def test_a_share_is_not_stratified_by_a_class_of_one_row():
    y = np.where(np.arange(150) == 7, 3, Y)
    search = TrialSearchCV(TREE, SPACE, cv=0.2, **RANDOM).fit(X, y)
    assert search.n_splits_ == 1


def near_copies():
    """Groups of five rows that hardly differ, of a label that nothing tells."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 5)
    rows = rng.normal(size=(60, 4))[groups] + 0.01 * rng.normal(size=(300, 4))
    return rows, rng.integers(0, 2, 60)[groups], groups


@pytest.mark.parametrize("share", [0.2, 0.37, 0.75])
@pytest.mark.parametrize("is_classifier", [True, False])
@pytest.mark.parametrize("routed", [True, False])
def test_a_share_leaves_groups_whole(share, is_classifier, routed):
    rows, y, groups = near_copies()
    estimator = KNeighborsClassifier() if is_classifier else KNeighborsRegressor()
    search = TrialSearchCV(estimator, {"n_neighbors": [1, 3]}, cv=share, **RANDOM)
    splits = []
    inputs = search._fit_inputs
    search._fit_inputs = lambda *args: splits.append(inputs(*args)) or splits[-1]
    with config_context(enable_metadata_routing=routed):
        search.fit(rows, y, groups=groups)
    ((train, valid),) = splits[0].splits
    assert not set(groups[train]) & set(groups[valid])
    assert len(train) + len(valid) == 300
    assert len(valid) / 300 == pytest.approx(share, abs=0.05)
    assert search.best_score_ < 0.8  # 1 where copies are on both sides


@pytest.mark.parametrize(("share", "n_groups"), [(0.25, 3), (0.2, 4), (0.3, 2)])
def test_fewer_groups_than_a_share_asks_for_leave_one_out(share, n_groups):
    rows, y, _ = near_copies()
    search = TrialSearchCV(KNeighborsClassifier(1), {"n_neighbors": [1]}, cv=share, **RANDOM)
    assert search.fit(rows, y, groups=np.arange(len(y)) % n_groups).n_splits_ == 1


@pytest.mark.parametrize("share", [0.05, 0.96, np.float32(0.25)])
def test_any_share_of_groups_will_do_and_any_kind_of_number(share):
    rows, y, _ = near_copies()
    few = np.r_[np.flatnonzero(y == 0)[:15], np.flatnonzero(y == 1)[:15]]  # fewer rows of a class than folds
    search = TrialSearchCV(KNeighborsClassifier(1), {"n_neighbors": [1]}, cv=share, **RANDOM)
    assert search.fit(rows[few], y[few], groups=np.arange(30)).n_splits_ == 1


def test_listed_values_may_be_arrays():
    priors = [np.full(3, 1 / 3), np.array([0.8, 0.1, 0.1])]
    for strategy in ("ei", "tpe", "smac"):
        found = TrialSearchCV(
            GaussianNB(), {"priors": priors}, strategy=strategy, n_trials=4, cv=0.3, random_state=0
        )
        assert found.fit(X, Y).best_score_ > 0.9


@pytest.mark.parametrize("weights", [{np.int64(0): 1.0, np.int64(2): 2.0}, {True: 1.0, 2: 2.0}])
def test_listed_values_may_be_mappings_with_any_keys(weights, tmp_path):
    space = {"class_weight": [weights]}
    search = TrialSearchCV(DecisionTreeClassifier(), space, cv=0.3, journal=tmp_path / "trials.jsonl", **RANDOM)
    for _ in range(2):  # the second time from the journal
        assert search.fit(X, Y).best_params_ == {"class_weight": weights}


def test_any_real_score_will_do():
    X_real, y_real = load_diabetes(return_X_y=True)
    biased = make_scorer(lambda y, predicted: 7.0 - abs(float(np.mean(y - predicted))))
    for scoring in ("neg_mean_squared_error", "r2", biased):
        space = {"alpha": loguniform(1e-3, 1e3)}
        search = TrialSearchCV(
            Ridge(), space, n_trials=6, settings=QUICK, scoring=scoring, cv=3, random_state=0
        ).fit(X_real, y_real)
        assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    with pytest.raises(ValueError, match=r"mtbo models the logarithm of errors, .*best_possible_score"):
        TrialSearchCV(Ridge(), space, strategy="mtbo", resource="n_samples", scoring=biased).fit(X_real, y_real)


def test_an_infinite_score_is_no_choice_since_its_trial_failed():
    space = {"alpha": [0.1, 0.2, 0.4, 0.8]}
    for much in (np.inf, 1e150):

        def score(estimator, X, y, much=much):
            return much if estimator.alpha > 0.3 else estimator.alpha

        search = TrialSearchCV(Ridge(), space, strategy="random", n_trials=12, cv=2, random_state=0, scoring=score)
        assert search.fit(X, Y).best_params_ == {"alpha": 0.2}
        ranks, alphas = search.cv_results_["rank_test_score"], search.cv_results_["param_alpha"]
        assert set(alphas[ranks == ranks.max()]) == {0.4, 0.8}


@pytest.mark.filterwarnings("ignore")  # of scores that are not finite
def test_each_metric_ranks_by_itself():
    scoring = {
        "a": lambda estimator, X, y: math.nan if estimator.max_depth == 3 else 0.5,
        "b": lambda estimator, X, y: float(estimator.max_depth),
    }
    search = TrialSearchCV(TREE, {"max_depth": [1, 2, 3]}, **RANDOM, cv=2, scoring=scoring, refit="a").fit(X, Y)
    results = search.cv_results_
    deepest = results["param_max_depth"] == 3
    assert deepest.any()
    assert set(results["rank_test_b"][deepest]) == {1}
    assert set(results["rank_test_a"][deepest]) == {results["rank_test_a"].max()}


@pytest.mark.parametrize("strategy", ["fabolas", "mtbo"])
def test_the_unit_of_a_target_changes_no_proposal(strategy):
    X_real, y_real = load_diabetes(return_X_y=True)
    quick = {"n_steps": 10, "n_burn": 10, "n_hyper": 2, "n_candidates": 30, "n_samples": 50, "n_initial": 4}
    options = {"strategy": strategy, "n_trials": 6, "cv": 0.3, "random_state": 0, "resource": "n_samples"}
    tried = [
        TrialSearchCV(
            Ridge(), {"alpha": loguniform(1e-3, 1e3)}, settings=quick, scoring="neg_mean_squared_error", **options
        )
        .fit(X_real, unit * y_real)
        .cv_results_["param_alpha"]
        .astype(float)
        for unit in (1.0, 1e-9)
    ]
    np.testing.assert_allclose(tried[1], tried[0], rtol=1e-6)


def test_several_metrics_and_a_callable_refit():
    options = RANDOM | {"scoring": ["accuracy", "neg_log_loss"], "cv": 3}
    search = TrialSearchCV(TREE, SPACE, refit="neg_log_loss", **options).fit(X, Y)
    assert search.best_score_ == search.cv_results_["mean_test_neg_log_loss"].max()
    worst = TrialSearchCV(TREE, SPACE, refit=lambda r: int(np.argmin(r["mean_test_accuracy"])), **options).fit(
        X, Y
    )
    assert worst.best_index_ == np.argmin(worst.cv_results_["mean_test_accuracy"])
    none = TrialSearchCV(TREE, SPACE, refit=False, **options).fit(X, Y)
    assert not hasattr(none, "best_estimator_")


def test_a_pipeline_on_a_table_with_groups_and_weights():
    table = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 5.8, "long", "short"))
    columns = ColumnTransformer([("n", StandardScaler(), list("abcd")), ("c", OneHotEncoder(), ["kind"])])
    pipeline = make_pipeline(columns, LogisticRegression())
    space = {"logisticregression__C": Uniform(1e-2, 1e2, scale="log")}
    groups, weights = np.arange(150) % 10, np.linspace(1, 2, 150)
    search = TrialSearchCV(pipeline, space, cv=GroupKFold(5), **RANDOM)
    search.fit(table, Y, groups=groups, logisticregression__sample_weight=weights)
    assert search.best_score_ > 0.9
    assert list(search.feature_names_in_) == [*"abcd", "kind"]
    pipeline.set_params(**search.best_params_).fit(table, Y, logisticregression__sample_weight=weights)
    np.testing.assert_array_equal(search.predict(table), pipeline.predict(table))


def test_failed_fits_follow_error_score():
    space = {"n_neighbors": [1, 500]}
    options = RANDOM | {"n_trials": 8, "cv": 3}
    failed, bad = (pytest.warns(UserWarning, match=text) for text in ("Scoring failed", "scores are non-finite"))
    with failed, bad:
        search = TrialSearchCV(KNeighborsClassifier(), space, error_score=np.nan, **options).fit(X, Y)
    failed = np.isnan(search.cv_results_["mean_test_score"])
    assert 0 < failed.sum() < 8
    assert search.cv_results_["rank_test_score"][failed].min() == (~failed).sum() + 1
    assert search.best_params_ == {"n_neighbors": 1}
    with pytest.raises(ValueError, match="Expected n_neighbors"):
        TrialSearchCV(KNeighborsClassifier(), space, error_score="raise", **options).fit(X, Y)


def test_a_score_of_nan_is_no_failure_that_is_raised():
    def scoring(estimator, X, y):
        return np.nan if estimator.n_neighbors == 3 else estimator.score(X, y)

    options = RANDOM | {"n_trials": 6, "cv": 2, "scoring": scoring, "error_score": "raise"}
    with pytest.warns(UserWarning, match="scores are non-finite"):
        search = TrialSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, **options).fit(X, Y)
    assert search.best_params_ == {"n_neighbors": 1}


def test_whoever_ignores_warnings_is_not_warned_of_scores_that_are_not_finite():
    def scoring(estimator, X, y):
        return np.nan if estimator.n_neighbors == 5 else estimator.score(X, y)

    space = {"n_neighbors": [1, 5]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        search = TrialSearchCV(KNeighborsClassifier(), space, scoring=scoring, **RANDOM | {"n_trials": 8, "cv": 3})
        search.fit(X, Y)
    assert 0 < np.isnan(search.cv_results_["mean_test_score"]).sum() < 8
    assert not caught


# Resources ------------------------------------------------------------------------------------------------------


def test_hyperband_gives_rows_and_trials_on_all_of_them_rank_first():
    settings = {"max_resource": 150, "min_resource": 50}
    search = TrialSearchCV(
        TREE, SPACE, strategy="hyperband", resource="n_samples", settings=settings, cv=3, random_state=0
    ).fit(X, Y)
    # Li et al. (2018): R = 150 / 50 = 3 and eta = 3 make s_max = 1; ceil(2 / 2 * 3) = 3 candidates, then 2.
    assert search.cv_results_["resource"].tolist() == [50, 50, 50, 150, 150, 150]
    ranks, means = search.cv_results_["rank_test_score"], search.cv_results_["mean_test_score"]
    assert sorted(ranks[3:])[0] == 1
    assert ranks[3:].max() <= 3 < ranks[:3].min()
    assert search.best_score_ == means[3:].max()
    assert search.cv_results_["params"][3] in search.cv_results_["params"][:3]
    whole = cross_val_score(clone(TREE).set_params(**search.best_params_), X, Y, cv=3)
    assert search.best_score_ == whole.mean()


def test_a_parameter_of_the_estimator_may_be_the_resource():
    search = TrialSearchCV(
        LogisticRegression(max_iter=90), {"C": loguniform(1e-2, 1e2)}, strategy="hyperband", resource="max_iter",
        settings={"min_resource": 30}, cv=2, random_state=0,
    )  # fmt: skip
    with pytest.warns(Warning, match="converge"):
        search.fit(X, Y)
    assert [p["max_iter"] for p in search.cv_results_["params"]] == [30, 30, 30, 90, 90, 90]
    assert search.cv_results_["resource"].tolist() == [30, 30, 30, 90, 90, 90]
    assert search.best_params_["max_iter"] == search.best_estimator_.max_iter == 90


def test_a_choice_made_on_subsets_is_scored_on_all_rows():
    gain = {"n_hyper": 2, "n_burn": 0, "n_steps": 2, "n_candidates": 20, "n_representers": 12, "n_samples": 40}
    search = TrialSearchCV(
        TREE, SPACE, strategy="fabolas", resource="n_samples", settings=gain, n_trials=4, cv=3, random_state=0
    ).fit(X, Y)
    assert search.cv_results_["resource"][-1] == 150
    assert search.best_score_ == cross_val_score(search.best_estimator_, X, Y, cv=3).mean()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "hyperband"}, "hyperband needs a resource .*: resource='n_samples', or a parameter"),
        (
            {"strategy": "ei", "resource": "n_samples"},
            "ei gives every trial the full resource, so resource must be",
        ),
        ({"strategy": "fabolas", "resource": "max_depth", "space": {"min_samples_leaf": [1, 2]}}, "n_samples"),
        (
            {"strategy": "hyperband", "resource": "max_depth"},
            "'max_depth' is the resource, so it cannot be in",
        ),
        (
            {"strategy": "hyperband", "resource": "rows"},
            "resource must be None, 'n_samples' or a parameter of D",
        ),
        (
            {"strategy": "hyperband", "resource": "max_leaf_nodes"},
            r"hyperband needs settings=.'max_resource': .*, the max_leaf_nodes of a whole trial",
        ),
        ({"strategy": "hypertune", "resource": "n_samples"}, "in which direction hyperparameters make the model"),
        ({"strategy": "grid"}, "unknown strategy 'grid'; known"),
        ({"settings": {"colour": 1}}, "unknown setting 'colour' of ei"),
        ({"space": {"max_depth": 3}}, "'max_depth' must be a dimension"),
        ({"space": {"max_depth": []}}, r"'max_depth' must list at least one value, got \[\]"),
        (
            {"space": {"max_depth": np.ones((2, 2))}},
            r"'max_depth' must be an array of shape \(n,\), got shape \(2, 2\)",
        ),
        (
            {"strategy": "hyperband", "resource": "n_samples", "settings": {"brackets": []}},
            "brackets must name at least one bracket, got none",
        ),
        (
            {"strategy": "hyperband", "resource": "n_samples", "settings": {"epochs": 7}},
            "epochs of hyperband must be left out, since trials on rows take none, got 7",
        ),
        ({"n_trials": 0}, "n_trials"),
        ({"cv": 1.5}, "cv"),
        ({"cv": []}, "cv must give at least one split, got none"),
    ],
)
def test_what_a_strategy_needs_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        TrialSearchCV(TREE, **{"space": SPACE} | options).fit(X, Y)


ROWS = ResourceSpec("rows", 1000, 20, "rows", 2, 100, "rows", "epochs")


@pytest.mark.parametrize(
    ("strategy", "given", "completed"),
    [
        ("mtbo", {}, {"n_max": 1000, "auxiliary": 250}),
        ("mtbo", {"n_max": 60}, {"auxiliary": 20}),
        ("fabolas", {}, {"n_max": 1000, "n_min": 62}),
        ("fabolas", {"n_max": 4000}, {"n_min": 100}),
        ("hypertune", {}, {"n_rows": 1000, "subset_rows": 100}),
        ("hypertune", {"subset_rows": 50}, {"n_rows": 1000, "subset_rows": 50}),
        ("hyperband", {}, {"resource": "rows", "max_resource": 1000, "min_resource": 20}),
    ],
)
def test_sizes_follow_from_the_rows_there_are_and_are_never_below_the_least(strategy, given, completed):
    space = SearchSpace({"C": Uniform(0.1, 1.0)}, signs={"C": 1})
    settings = plan(strategy, given, ROWS, space=space, n_trials=None).settings
    assert completed.items() <= settings.items()


@pytest.mark.parametrize(
    ("strategy", "completed"),
    [
        ("mtbo", {"auxiliary": 6}),
        ("fabolas", {"n_min": 6}),
        ("hyperband", {"min_resource": 4}),
        ("hypertune", {"subset_rows": 6}),
    ],
)
def test_a_table_of_few_rows_has_room_for_a_smaller_trial(strategy, completed):
    space = SearchSpace({"C": Uniform(0.1, 1.0)}, signs={"C": 1})
    settings = plan(strategy, {}, replace(ROWS, most=12), space=space, n_trials=None).settings
    assert completed.items() <= settings.items()


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([2200, 800], 0),  # more than half of an equal share, 1500, is as good as equal
        ([2700, 300], 60),  # two for each of three splits: 6 of 300
        ([2940, 60], 300),
        ([2997, 3], 333),  # at most a ninth of the rows
    ],
)
def test_trials_have_rows_enough_for_the_rarest_class(counts, expected):
    assert rows_for_the_rarest(counts, 3) == expected
    y = np.repeat(np.arange(2), counts)
    search = TrialSearchCV(
        TREE, SPACE, strategy="hyperband", resource="n_samples", n_trials=1, cv=3, random_state=0
    )
    search.fit(np.random.default_rng(0).normal(size=(3000, 2)), y)
    assert search.cv_results_["resource"][0] >= max(expected, 12)


def test_hypertune_without_signs_needs_none_if_it_is_the_control_that_ignores_them():
    space = SearchSpace({"C": Uniform(0.1, 1.0)})
    assert plan("hypertune", {"control": "unsigned"}, ROWS, space=space, n_trials=None).n_trials == 50


def test_accuracies_are_shares_of_the_validation_rows_of_all_splits():
    for scoring, n_valid in (("accuracy", 150), ("neg_log_loss", None)):
        search = TrialSearchCV(TREE, SPACE, cv=5, scoring=scoring)
        inputs = search._fit_inputs(X, Y, {}, 5)
        best = 1.0 if scoring == "accuracy" else 0.0
        assert search._resource_spec(inputs, as_space(SPACE), best).n_valid == n_valid


def test_the_resource_of_a_plan_is_the_one_that_is_offered():
    space = SearchSpace({"C": Uniform(0.1, 1.0)})
    with pytest.raises(ValueError, match="resource of hyperband must be 'rows' here, got 'epochs'"):
        plan("hyperband", {"resource": "epochs"}, ROWS, space=space, n_trials=None)


def test_a_share_is_stratified():
    search = TrialSearchCV(TREE, SPACE, cv=0.2)
    for seed in range(5):
        ((_, valid),) = search._cv(X, Y, None, seed).split(X, Y)
        assert np.bincount(Y[valid]).tolist() == [10, 10, 10]


class Slightly(Sized):
    """Scores more than the best possible, by rounding."""

    def score(self, X, y=None):
        return 1e-15


class Summed(Sized):
    """Scores the sum of the numbers of its rows."""

    def fit(self, X, y=None):
        self.sum_ = X[:, 0].sum()
        return self

    def score(self, X, y=None):
        return float(self.sum_)


def test_trials_on_a_part_draw_rows_of_their_own_and_cost_what_they_trained_on(tmp_path):
    rows, path = np.arange(90.0)[:, None], tmp_path / "trials.jsonl"
    search = TrialSearchCV(
        Summed(), {"C": Uniform(0.1, 1.0)}, strategy="hyperband", resource="n_samples", cv=KFold(3), journal=path
    )
    search.set_params(settings={"max_resource": 90, "min_resource": 30}, random_state=0, refit=False)
    results = search.fit(rows, np.zeros(90)).cv_results_
    on_a_part = results["split0_test_score"][results["resource"] == 30]
    assert len(set(on_a_part)) == len(on_a_part) == 3
    costs = [json.loads(line)["cost"] for line in path.read_text().splitlines()[1:]]
    assert sorted(costs) == sorted(2 * results["resource"])  # two thirds of the rows on each of three splits


def test_a_clone_finds_the_listed_objects_that_its_settings_name():
    listed = [GaussianNB(), KNeighborsClassifier()]
    options = {"strategy": "random", "n_trials": 3, "cv": 2, "random_state": 0}
    search = TrialSearchCV(make_pipeline(StandardScaler(), GaussianNB()), {"gaussiannb": listed}, **options)
    search.set_params(settings={"initial": [{"gaussiannb": listed[1]}]})
    cloned = clone(search).fit(X, Y)
    assert isinstance(cloned.cv_results_["params"][0]["gaussiannb"], KNeighborsClassifier)
    assert search.space["gaussiannb"][0] is listed[0]


def test_an_error_below_0_by_rounding_is_told_as_0():
    settings = {"best_possible_score": 0.0, "n_hyper": 2, "n_burn": 0, "n_steps": 2, "n_candidates": 20}
    search = TrialSearchCV(Slightly(), {"C": Uniform(0.0, 1.0)}, strategy="mtbo", n_trials=4, cv=2, random_state=0)
    search.set_params(resource="n_samples", settings=settings | {"n_representers": 12, "n_samples": 40})
    assert search.fit(np.arange(40.0)[:, None], np.zeros(40)).best_score_ == 1e-15


# Workers and journals -------------------------------------------------------------------------------------------


def test_the_number_of_workers_changes_nothing():
    options = {"n_trials": 6, "settings": QUICK, "n_pending": 2, "cv": 3, "random_state": 0}
    here = TrialSearchCV(TREE, SPACE, **options).fit(X, Y)
    there = TrialSearchCV(TREE, SPACE, n_jobs=2, **options).fit(X, Y)
    same(there.cv_results_, here.cv_results_)
    again = TrialSearchCV(TREE, SPACE, **options).fit(X, Y)
    same(again.cv_results_, here.cv_results_)


@pytest.mark.slow
def test_a_dead_worker_costs_its_own_trial(tmp_path):
    options = RANDOM | {"cv": 2, "n_trials": 3}
    space = {"max_depth": Integer(1, 6)}
    search = TrialSearchCV(Mortal(str(tmp_path), at=3), space, trial_timeout=300.0, **options)
    with pytest.warns(RuntimeWarning, match="trial 1 is repeated, since its worker died"):
        search.fit(X, Y)
    assert len(list(tmp_path.glob("fit*"))) == 3 * 2 + 2 + 1  # both fits of the trial again, and the refit
    same(search.cv_results_, TrialSearchCV(TREE, space, **options).fit(X, Y).cv_results_)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"settings": {"best_possible_score": 2.0}}, "scoring"),
        ({"return_train_score": True}, "scoring"),
        ({"resource": "max_features"}, "resource"),
    ],
)
def test_the_journal_of_another_search_is_refused(tmp_path, change, part):
    estimator = GradientBoostingClassifier(n_estimators=4, max_features=4, random_state=0)
    options = {"strategy": "hyperband", "resource": "n_estimators", "n_trials": 2, "cv": 2, "random_state": 0}
    search = TrialSearchCV(
        estimator, {"learning_rate": Uniform(0.1, 1.0)}, journal=tmp_path / "trials.jsonl", **options
    ).fit(X, Y)
    with pytest.raises(ValueError, match=f"is the journal of another run, with other (settings and )?{part}"):
        search.set_params(**change).fit(X, Y)


@pytest.mark.parametrize(("strategy", "resource"), [("random", None), ("ei", None), ("hyperband", "n_samples")])
def test_with_more_trials_a_search_goes_on_from_its_journal(tmp_path, strategy, resource):
    settings = QUICK if strategy == "ei" else None
    options = {"strategy": strategy, "resource": resource, "settings": settings, "cv": 3, "random_state": 0}
    TrialSearchCV(TREE, SPACE, n_trials=6, journal=tmp_path / "journal.jsonl", **options).fit(X, Y)
    more = TrialSearchCV(TREE, SPACE, n_trials=9, journal=tmp_path / "journal.jsonl", **options).fit(X, Y)
    assert (more.n_trials_kept_, more.n_trials_) == (6, 9)
    same(more.cv_results_, TrialSearchCV(TREE, SPACE, n_trials=9, **options).fit(X, Y).cv_results_)


def test_a_limit_of_fits_starts_no_further_trial_and_leaves_the_best_so_far(tmp_path):
    options = RANDOM | {"cv": 3, "n_trials": 6}
    whole = TrialSearchCV(TREE, SPACE, **options).fit(X, Y)
    assert (whole.n_fits_, whole.ended_because_) == (18, "")
    for max_fits, n_trials in [(11, 3), (12, 4), (18, 6), (100, 6)]:
        search = TrialSearchCV(TREE, SPACE, max_fits=max_fits, journal=tmp_path / "journal.jsonl", **options)
        search.fit(X, Y)
        assert (search.n_trials_, search.n_fits_) == (n_trials, 3 * n_trials)
        assert search.cv_results_["params"] == whole.cv_results_["params"][:n_trials]
        assert search.best_score_ == whole.cv_results_["mean_test_score"][:n_trials].max()
        assert search.ended_because_ == ("" if max_fits >= 18 else f"max_fits={max_fits} was reached")
        assert search.predict(X).shape == (150,)
    assert search.n_trials_kept_ == 6
    with pytest.raises(ValueError, match="max_fits must be at least 3, the fits of a trial, got 2"):
        TrialSearchCV(TREE, SPACE, max_fits=2, **options).fit(X, Y)


def test_a_limit_of_fits_before_the_first_trial_on_all_rows_is_said():
    settings = {"max_resource": 150, "min_resource": 50}
    search = TrialSearchCV(
        TREE,
        SPACE,
        strategy="hyperband",
        resource="n_samples",
        settings=settings,
        cv=3,
        random_state=0,
        max_fits=6,
    )
    with pytest.warns(
        UserWarning, match="no trial on the full resource has succeeded, since max_fits=6 was reached"
    ):
        search.fit(X, Y)
    assert search.cv_results_["resource"].tolist() == [50, 50]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of fits that failed
@pytest.mark.parametrize(
    ("how", "error_score"),
    [("dies", 0.5), ("dies", np.nan), ("hangs", 0.5)],
)
def test_the_strategy_is_told_of_a_trial_that_was_given_up_what_it_is_told_of_one_that_raised(how, error_score):
    options = {"n_trials": 5, "settings": QUICK, "cv": 2, "random_state": 0, "error_score": error_score}
    space = {"max_depth": Integer(1, 3), "ccp_alpha": Uniform(0.0, 0.3)}
    raised, given_up = (
        TrialSearchCV(Failing(end), space, trial_timeout=4.0, **options).fit(X, Y) for end in ("raises", how)
    )
    depths = [params["max_depth"] for params in raised.cv_results_["params"]]
    assert 2 in depths[:3]
    same(given_up.cv_results_, raised.cv_results_)


@pytest.mark.parametrize("name", ["trials.parquet", "trials.jsonl"])
def test_an_interrupted_search_leaves_its_best_and_repeats_no_trial(tmp_path, name):
    options = {"n_trials": 4, "settings": QUICK, "cv": 2, "journal": tmp_path / name, "random_state": None}
    space, estimator = {"max_depth": Integer(1, 6)}, Mortal(str(tmp_path), at=5, interrupts=True)
    search = TrialSearchCV(estimator, space, **options)
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="interrupted after 2 trials; the best"):
        search.fit(X, Y)
    assert search.n_trials_ == 2
    assert search.predict(X).shape == (150,)
    n_before = len(list(tmp_path.glob("fit*")))
    again = TrialSearchCV(estimator, space, **options).fit(X, Y)
    assert (again.n_trials_, again.n_trials_kept_) == (4, 2)
    assert len(list(tmp_path.glob("fit*"))) == n_before + 2 * 2 + 1
    np.testing.assert_array_equal(again.cv_results_["mean_fit_time"][:2], search.cv_results_["mean_fit_time"])
    with pytest.raises(ValueError, match="is the journal of another run, with other data"):
        TrialSearchCV(estimator, space, **options).fit(X[::2], Y[::2])


def test_the_journal_of_a_search_whose_listed_arrays_have_changed_is_refused(tmp_path):
    zeros, other = np.zeros(2000), np.eye(1, 2000, 1000)[0]
    assert repr(zeros) == repr(other)  # all but the ends are left out
    options = RANDOM | {"n_trials": 1, "cv": 2, "journal": tmp_path / "trials.jsonl"}
    TrialSearchCV(Sized(), {"C": [zeros]}, **options).fit(X, Y)
    assert TrialSearchCV(Sized(), {"C": [zeros.copy()]}, **options).fit(X, Y).n_trials_kept_ == 1
    with pytest.raises(ValueError, match="is the journal of another run, with other listed objects"):
        TrialSearchCV(Sized(), {"C": [other]}, **options).fit(X, Y)


# A scikit-learn estimator ---------------------------------------------------------------------------------------


def test_a_second_fit_that_is_interrupted_at_once_has_nothing_of_the_first():
    search = TrialSearchCV(
        Failing(), {"ccp_alpha": [0.0, 0.1, 0.2]}, strategy="random", n_trials=3, cv=2, random_state=0
    )
    assert search.fit(X, Y).best_score_ > 0.9
    search.estimator.set_params(how="interrupted", max_depth=2)
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="there is no candidate yet"):
        search.fit(X[:100], Y[:100])
    assert search.n_trials_ == 0
    assert [name for name in vars(search) if name.startswith(("best_", "cv_results_"))] == []


def test_it_can_be_cloned_pickled_nested_and_shown():
    search = TrialSearchCV(
        TREE, SearchSpace({"max_depth": Integer(1, 4), "splitter": Choice(("best",))}), **RANDOM
    )
    fitted = clone(search).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    assert clone(search).get_params()["n_trials"] == 5
    assert cross_val_score(search, X, Y, cv=2).shape == (2,)
    assert "TrialSearchCV" in search._repr_html_()


def on_few_rows(estimator, space, X, y, n_trials):
    """Hyperband over rows, each trial on one split."""
    options = {"strategy": "hyperband", "resource": "n_samples", "cv": 0.3, "random_state": 0}
    return TrialSearchCV(estimator, space, n_trials=n_trials, **options).fit(X, y).cv_results_


def test_trials_on_a_share_have_enough_rows_of_every_class():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    space = {"logisticregression__C": [0.1, 1.0, 10.0]}
    results = on_few_rows(model, space, *load_breast_cancer(return_X_y=True), 30)
    assert results["resource"].min() >= 20
    assert np.isfinite(results["mean_test_score"]).all()


def test_a_small_table_of_many_classes_has_room_for_two_rungs():
    X, y = load_digits(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(y == digit)[:10] for digit in range(10)])
    results = on_few_rows(TREE, {"max_depth": [1, 3, 9]}, X[rows], y[rows], 6)
    assert set(results["resource"]) == {33, 100}


def test_a_space_of_fewer_candidates_than_trials_is_warned_of():
    options = {"strategy": "random", "n_trials": 3, "cv": 2, "random_state": 0}
    with pytest.warns(
        UserWarning, match=r"the space has 2 candidates, fewer than the 3 trials of the search \(n_trials\)"
    ):
        TrialSearchCV(TREE, {"max_depth": [1, 2]}, **options).fit(X, Y)
    with pytest.warns(UserWarning, match="the space has 2 candidates") as caught:
        TrialSearchCV(TREE, {"max_depth": Integer(1, 2)}, **options).fit(X, Y)
    assert [warning.filename for warning in caught] == [__file__]
