"""The search as a user of scikit-learn meets it."""

import io
import itertools
import math
import pickle
import re
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, get_scorer, make_scorer, mean_squared_error, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.metadata_routing import get_routing_for_object
from tabled import Hungry, Sized, Tabled, data_of, grid

from frugal.interface import FoldTask
from frugal.model_selection import (
    BetaPruningSearchCV,
    ExactPruningSearchCV,
    FoldSearchCV,
    GreedySearchCV,
    TrialSearchCV,
    fold_search,
)
from frugal.model_selection.base import FitsFailedError
from frugal.model_selection.candidates import list_candidates
from frugal.model_selection.evaluation import Evaluation, exception_of
from frugal.model_selection.facts import best_possible_score, class_codes_of, complete_settings
from frugal.model_selection.progress import ProgressLine
from frugal.spaces import Choice, Integer, SearchSpace, Uniform

SCORES = [[0.5, 0.9, 0.9], [0.6, 0.1, 0.1], [0.7, 0.8, 0.6], [0.2, 0.9, 0.9]]
"""Greedy on these, with early stopping after the second inferior completion: see the test of its columns."""


def searched(scores=SCORES, cls=FoldSearchCV, fixed=None, **options):
    estimator, space, cv, X, y = grid(scores, **(fixed or {}))
    return cls(estimator, space, cv=cv, **options).fit(X, y)


def halved(scores, **options):
    """Halving on 90 rows: all candidates on 6 of them, a third of these on 18, and the last on 54."""
    estimator, space, _, _, _ = grid(scores)
    X, y, cv = data_of(3, rows_per_fold=30)
    given = {"strategy": "successive_halving", "settings": {"min_resources": "smallest"}, "cv": cv}
    return FoldSearchCV(estimator, space, **given, **options).fit(X, y)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


# What it leaves out -----------------------------------------------------------------------------------------


def test_columns_say_what_was_left_out_and_why():
    # The first folds score 0.5, 0.6, 0.7 and 0.2. Candidate 2 is completed (mean 0.7), then 1 gets a fold, and its
    # mean falls to 0.35. Then 0 is completed and better (2.3 / 3 = 0.767). Completing 1 is inferior, and ends it.
    search = searched(settings={"epsilon": 0.0})
    results = search.cv_results_
    assert results["n_folds_evaluated"].tolist() == [3, 3, 3, 1]
    assert [results[f"split{f}_order"].tolist() for f in range(3)] == [[1, 2, 3, 4], [8, 7, 5, 0], [9, 10, 6, 0]]
    assert results["split1_test_score"].tolist()[:3] == [0.9, 0.1, 0.8]
    assert np.isnan([results["split1_test_score"][3], results["split2_test_score"][3]]).all()
    assert np.isnan(results["mean_test_score"][3])
    assert results["rank_test_score"].tolist() == [1, 3, 2, 4]
    assert results["stopped_because"].tolist()[:3] == ["", "", ""]
    assert results["stopped_because"][3] == "the search stopped: 1 candidates completed in a row were no better"
    assert (search.best_index_, search.best_params_) == (0, {"i": 0})
    assert search.best_score_ == pytest.approx(2.3 / 3)
    assert (search.n_fits_, search.n_fits_exhaustive_, search.n_fits_kept_) == (10, 12, 0)
    assert search.ended_because_ == ""


def test_a_lucky_first_fold_ranks_below_every_complete_candidate():
    search = searched([[0.5, 0.5, 0.5], [0.9, 0.1, 0.1]], strategy="standard", max_fits=4)
    assert search.cv_results_["n_folds_evaluated"].tolist() == [3, 1]
    assert search.cv_results_["rank_test_score"].tolist() == [1, 2]
    assert search.best_index_ == 0


def test_pruned_candidates_say_against_which():
    search = searched(
        [[0.9, 0.9, 0.9], [0.1, 0.1, 0.1]], ExactPruningSearchCV, settings={"best_possible_score": 1.0}
    )
    # Two perfect folds would make it (0.1 + 1 + 1) / 3 = 0.7, below 0.9.
    assert search.cv_results_["stopped_because"].tolist() == [
        "",
        "dropped against candidate 0: its mean can be 0.7 at most",
    ]
    assert search.n_fits_ == 4


def test_without_a_fit_it_is_not_said_that_the_best_is_that_of_the_folds_so_far(recwarn):
    with pytest.raises(ValueError, match="no fit was made"):
        searched(time_limit=1e-9)
    assert not [found for found in recwarn if "so the best is" in str(found.message)]


def test_a_candidate_with_a_failed_fold_has_no_mean_of_the_others():
    with pytest.warns(UserWarning, match="no candidate has a score"):
        search = searched([[0.5, np.nan, 0.6, 0.7], [0.4, 0.5, 0.5, 0.7]], strategy="standard", max_fits=3)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()
    assert np.isnan(search.best_score_)


def test_the_best_mean_is_worked_out_for_a_line_that_is_printed_alone(capsys):
    line = ProgressLine(0, 2, 3)
    line.add(lambda: pytest.fail("nothing is printed"))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("strategy", ["standard", "successive_halving"])
def test_splits_may_be_masks(strategy):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)  # a validation row in training would be its own
    splits = list(KFold(2).split(X))
    masks = [tuple(np.isin(np.arange(200), part) for part in split) for split in splits]
    given = {"strategy": strategy, "random_state": 0}
    of_masks, of_rows = (
        FoldSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=cv, **given).fit(X, y)
        for cv in (masks, splits)
    )
    for column in ("split0_test_score", "split1_test_score"):
        np.testing.assert_array_equal(of_masks.cv_results_[column], of_rows.cv_results_[column])


def test_without_a_complete_candidate_the_best_is_that_of_the_folds_so_far():
    with pytest.warns(
        UserWarning, match=r"max_fits=5 was reached before any candidate had a score on all its folds"
    ):
        search = searched(max_fits=5)
    results = search.cv_results_
    assert search.n_fits_ == 5
    assert results["mean_test_score"].tolist() == [0.5, 0.6, 0.75, 0.2]
    assert results["rank_test_score"].tolist() == [3, 2, 1, 4]
    assert results["stopped_because"].tolist() == ["max_fits=5 was reached"] * 4
    assert (search.best_index_, search.best_score_, search.ended_because_) == (2, 0.75, "max_fits=5 was reached")
    assert search.predict(data_of(3)[0]).shape == (9,)


def test_a_strategys_own_budget_that_ends_before_any_candidate_is_complete_is_warned_of():
    with pytest.warns(
        UserWarning, match="the strategy standard ended before any candidate had a score on all its folds"
    ):
        search = searched(strategy="standard", settings={"budget": 2})
    assert search.best_score_ == pytest.approx(0.7)  # of two folds
    assert search.cv_results_["stopped_because"].tolist() == ["the budget was spent"] * 4


def test_a_best_candidate_without_all_folds_is_warned_of_where_complete_ones_have_failed():
    with pytest.warns(UserWarning, match="the strategy standard ended before any candidate had a score on all"):
        search = searched([[0.5, math.nan], [0.6, 0.7]], strategy="standard", settings={"budget": 3})
    assert (search.best_index_, search.best_score_) == (1, 0.6)


def test_halving_whose_last_rung_fails_is_not_said_to_lack_folds(recwarn):
    class Small(KNeighborsClassifier):
        def fit(self, X, y):
            if len(X) > 100:
                raise ValueError("too many")
            return super().fit(X, y)

    X, y = load_iris(return_X_y=True)
    search = FoldSearchCV(
        Small(), {"n_neighbors": [1, 3, 5, 7]}, strategy="successive_halving", refit=False, random_state=0
    )
    search.fit(X, y)
    assert search.cv_results_["n_folds_evaluated"][search.best_index_] == 5
    assert not [warning for warning in recwarn if "folds so far" in str(warning.message)]


def test_where_all_candidates_fail_it_is_not_said_that_the_best_is_that_of_the_folds_so_far(recwarn):
    with pytest.raises(FitsFailedError):
        searched([[math.nan, math.nan]] * 2)
    assert not [warning for warning in recwarn if "folds so far" in str(warning.message)]


def test_a_halving_on_folds_whose_last_rung_lacks_some_says_so():
    halved = {"strategy": "successive_halving", "settings": {"n_rows": None}}
    with pytest.warns(UserWarning, match="the strategy successive_halving ended before any candidate had a score"):
        search = searched([[0.5, 0.9], [0.6, 0.1], [0.7, 0.8]], **halved)
    results = search.cv_results_
    assert results["n_folds_evaluated"].max() == 1
    assert results["stopped_because"][search.best_index_] == "the rungs ended"


def test_a_second_fit_that_is_refused_leaves_the_first_as_it_was(tmp_path):
    X, y = load_iris(return_X_y=True)
    FoldSearchCV(SVC(), {"C": [1, 100]}, cv=2, journal=tmp_path / "other.jsonl").fit(X, y)
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, cv=2).fit(X, y)
    before = search.predict(X).tolist(), search.cv_results_["params"]
    search.set_params(journal=tmp_path / "other.jsonl")
    with pytest.raises(ValueError, match="is the journal of another run"):
        search.fit(X, y)
    search.set_params(journal=None, cv=3, strategy="nope")
    with pytest.raises(ValueError, match="unknown strategy 'nope'"):
        search.fit(X, y)
    assert (search.predict(X).tolist(), search.cv_results_["params"], search.n_splits_) == (*before, 2)


@pytest.mark.parametrize("refit", [True, "accuracy"])
def test_a_race_that_is_ended_early_chooses_no_candidate_that_it_has_dropped(refit):
    # After two folds candidate 1 is behind by 0.11 and 0.10, and is dropped. Then the mean of candidate 0 falls to
    # 0.78, below that of candidate 1 over its two folds.
    scores = [[0.91, 0.91, 0.52, 0.9, 0.9], [0.80, 0.81, 0.8, 0.8, 0.8]]
    with pytest.warns(
        UserWarning, match=r"max_fits=5 was reached before any candidate had a score on all its folds"
    ):
        search = searched(scores, strategy="paired_racing", max_fits=5, refit=refit)
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx([0.78, 0.805])
    assert search.cv_results_["stopped_because"].tolist() == [
        "max_fits=5 was reached",
        "dropped against candidate 0",
    ]
    assert (search.best_params_, search.best_score_) == ({"i": 0}, pytest.approx(0.78))


def test_candidates_that_a_race_has_left_are_compared_over_the_folds_that_all_of_them_have():
    # Candidate 1 is dropped after two folds. Of the others one has three, of mean 0.74, and one two, of mean 0.75.
    scores = [[0.91, 0.91, 0.40, 0.9, 0.9], [0.55, 0.95, 0.8, 0.8, 0.8], [0.80, 0.81, 0.8, 0.8, 0.8]]
    with pytest.warns(UserWarning, match="max_fits=7"):
        search = searched(scores, strategy="paired_racing", max_fits=7)
    assert search.cv_results_["n_folds_evaluated"].tolist() == [3, 2, 2]
    assert search.best_params_ == {"i": 0}


def test_several_scores_of_which_the_only_one_is_called_score(iris):
    search = FoldSearchCV(SVC(), {"C": [1e-3, 1.0]}, scoring={"score": "accuracy"}, refit="score", max_fits=4)
    with pytest.warns(UserWarning, match="max_fits=4"):
        search.fit(*iris)
    assert (search.n_fits_, search.multimetric_) == (4, True)
    assert search.cv_results_["rank_test_score"].min() == 1


def test_an_interruption_is_raised_where_warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyboardInterrupt):
            searched(strategy="standard", fixed={"interrupts": 2})


def test_a_time_limit_starts_no_further_fit(monkeypatch):
    seconds = itertools.count()  # one passes whenever the clock is read: at the start, and before each fit
    monkeypatch.setattr("frugal.model_selection.limited.monotonic", lambda: next(seconds))
    search = searched([[0.5, 0.5], [0.9, 0.9]], strategy="standard", time_limit=3)
    assert search.n_fits_ == 2
    assert search.best_params_ == {"i": 0}
    assert search.ended_because_ == "time_limit=3 s was reached"


@pytest.mark.parametrize("strategy", ["standard", "greedy_early_stopping", "successive_halving"])
def test_a_time_limit_forbids_no_fit_of_the_journal(tmp_path, strategy):
    options = {"strategy": strategy, "random_state": 0, "journal": tmp_path / "fits.jsonl"}
    part = searched(max_fits=4, **options)
    again = searched(time_limit=1e-9, **options)
    assert (again.n_fits_, again.best_params_) == (part.n_fits_, part.best_params_)
    assert again.ended_because_ == "time_limit=1e-09 s was reached"
    whole = searched(**options)
    again = searched(time_limit=1e-9, **options)
    assert (again.n_fits_, again.best_params_, again.ended_because_) == (whole.n_fits_, whole.best_params_, "")


@pytest.mark.parametrize("strategy", ["standard", "exact_pruning", "greedy_early_stopping", "successive_halving"])
@pytest.mark.parametrize("n_pending", [1, 3])
def test_a_limit_that_is_just_enough_ended_nothing(strategy, n_pending):
    settings = {"best_possible_score": 1.0} if strategy == "exact_pruning" else {}
    given = {"strategy": strategy, "settings": settings, "n_pending": n_pending}
    whole = searched(**given)
    just = searched(max_fits=whole.n_fits_, **given)
    assert (just.n_fits_, just.ended_because_, just.best_params_) == (whole.n_fits_, "", whole.best_params_)
    less = searched(max_fits=whole.n_fits_ - 1, **given)
    assert less.n_fits_ == whole.n_fits_ - 1
    assert less.ended_because_ == f"max_fits={less.n_fits_} was reached"


def test_any_mapping_will_do_for_settings_and_space(iris):
    space, settings = MappingProxyType({"C": [0.1, 1]}), MappingProxyType({"epsilon": 0.1})
    search = FoldSearchCV(SVC(), space, settings=settings, cv=2).fit(*iris)
    assert search.best_params_ == {"C": 1}
    tried = TrialSearchCV(SVC(), space, settings=MappingProxyType({}), strategy="random", n_trials=2, cv=2)
    assert tried.fit(*iris).n_trials_ == 2


def test_a_callable_refit_is_given_the_complete_candidates():
    seen = {}

    def last(results):
        seen.update(results)
        return len(results["params"]) - 1

    search = searched(settings={"epsilon": 0.0}, refit=last)
    assert seen["params"] == [{"i": 0}, {"i": 1}, {"i": 2}]
    assert not np.isnan(seen["mean_test_score"]).any()
    assert search.best_index_ == 2
    assert not hasattr(search, "best_score_")


@pytest.mark.parametrize(("n_pending", "n_fits"), [(1, 10), (4, 12)])
def test_the_number_of_pending_fits_may_change_what_is_left_out_and_nothing_else(n_pending, n_fits):
    # With four pending, both folds that candidate 3 lacks are asked for before the search stops.
    search = searched(settings={"epsilon": 0.0}, n_pending=n_pending)
    assert search.best_params_ == {"i": 0}
    assert search.n_fits_ == n_fits
    scores, expected = search.cv_results_, np.array(SCORES)
    found = np.column_stack([scores[f"split{fold}_test_score"] for fold in range(3)])
    np.testing.assert_array_equal(found[~np.isnan(found)], expected[~np.isnan(found)])


# Failures ---------------------------------------------------------------------------------------------------


FAILING = [[0.5, 0.5], [math.nan, 0.9], [0.4, 0.4]]


def test_failed_fits_rank_last_and_are_warned_of():
    with pytest.warns(Warning, match="1 fits failed out of a total of 4"):
        search = searched(FAILING, strategy="threshold_pruning", settings={"min_folds": 1, "threshold": 0.0})
    results = search.cv_results_
    assert results["n_folds_evaluated"].tolist() == [2, 1, 1]
    assert results["stopped_because"][1] == "a fit failed"
    assert results["rank_test_score"].tolist() == [1, 3, 2]
    assert search.best_params_ == {"i": 0}


def test_the_default_gives_a_candidate_with_a_failed_fit_no_more_folds():
    scores = [[0.5, 0.5, 0.5], [math.nan, 0.9, 0.9], [0.4, math.nan, 0.4], [math.nan, 0.8, 0.8]]
    with pytest.warns(Warning, match="3 fits failed out of a total of 7"):
        search = searched(scores, settings={"epsilon": 1.0})
    assert search.cv_results_["n_folds_evaluated"].tolist() == [3, 1, 2, 1]
    assert search.cv_results_["stopped_because"].tolist() == ["", *["a fit failed"] * 3]
    with pytest.warns(Warning, match="3 fits failed out of a total of 12"):
        search = searched(scores, settings={"epsilon": 1.0, "drop_failed": False})
    assert search.cv_results_["n_folds_evaluated"].tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize("n_pending", [1, 2])
def test_a_limit_that_ends_the_search_hides_no_failed_fit(n_pending):
    scores = [[0.5, 0.5, 0.5], [math.nan, 0.9, 0.9]]
    with pytest.warns(Warning, match="1 fits failed out of a total of 4"):
        search = searched(scores, settings={"epsilon": 1.0}, max_fits=4, n_pending=n_pending)
    assert search.cv_results_["stopped_because"].tolist() == ["", "a fit failed"]
    assert search.ended_because_ == ""


def test_no_candidate_is_dropped_for_a_failed_fit_while_none_has_a_score():
    with pytest.warns(Warning, match="2 fits failed out of a total of 4"):
        search = searched([[math.nan, 0.5], [math.nan, 0.9]], settings={"epsilon": 1.0})
    assert search.cv_results_["n_folds_evaluated"].tolist() == [2, 2]


def test_error_score_is_the_score_of_a_failed_fit():
    with pytest.warns(Warning, match=r"will be set to 2\.0"):
        search = searched(FAILING, error_score=2.0, settings={"epsilon": 1.0})
    assert search.best_params_ == {"i": 1}
    assert search.best_score_ == (2.0 + 0.9) / 2
    with pytest.raises(ValueError, match="candidate 1 fails"):
        searched(FAILING, error_score="raise")


def test_all_fits_failing_is_an_error():
    with pytest.raises(FitsFailedError, match="All the 2 fits failed") as caught:
        searched([[math.nan, math.nan]])
    summary = "all 2 fits failed, the first with: ValueError: candidate 0 fails"
    assert pickle.loads(pickle.dumps(caught.value)).summary == summary


@pytest.mark.parametrize(
    ("reason", "exception"),
    [
        ("the fit took more than 1 s", "the fit took more than 1 s"),
        (
            'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nKeyError: 1\n\nDuring:\n\n'
            'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    h()\n'
            "ValueError: Input X contains NaN.\nSVC does not accept them,\n  see the guide.\n",
            "ValueError: Input X contains NaN. SVC does not accept them, see the guide.",
        ),
        ("", ""),
    ],
)
def test_the_exception_of_a_traceback_has_all_lines_of_its_message(reason, exception):
    assert exception_of(reason) == exception


# Data, scorers, parameters ----------------------------------------------------------------------------------


def test_a_pipeline_on_a_data_frame_with_groups_and_sample_weights_chooses_what_grid_search_does():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(50, 10, 240), "city": rng.choice(["a", "b", "c"], 240)})
    y = np.where(frame["age"] / 10 + 2 * (frame["city"] == "a") + rng.normal(0, 1, 240) > 5.6, "yes", "no")
    fit = {
        "groups": rng.integers(0, 12, 240),
        "logisticregression__sample_weight": rng.uniform(0.1, 3, 240),
    }
    columns = ColumnTransformer([("n", StandardScaler(), ["age"]), ("c", OneHotEncoder(), ["city"])])
    arguments = make_pipeline(columns, LogisticRegression()), {"logisticregression__C": [0.001, 0.01, 0.1, 1, 10]}
    theirs = GridSearchCV(*arguments, cv=GroupKFold(4)).fit(frame, y, **fit)
    ours = ExactPruningSearchCV(*arguments, cv=GroupKFold(4)).fit(frame, y, **fit)
    assert (ours.best_params_, ours.best_score_) == (theirs.best_params_, theirs.best_score_)
    np.testing.assert_array_equal(ours.best_estimator_[-1].coef_, theirs.best_estimator_[-1].coef_)
    assert ours.feature_names_in_.tolist() == ["age", "city"]
    assert ours.classes_.tolist() == ["no", "yes"]


def test_metadata_are_routed_to_estimator_scorer_and_splitter(iris):
    X, y = iris
    rng = np.random.default_rng(1)
    fit = {"sample_weight": rng.uniform(0.1, 5, len(y)), "groups": np.arange(len(y)) % 9}
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = LogisticRegression(max_iter=500).set_fit_request(sample_weight=True)
        scoring = get_scorer("accuracy").set_score_request(sample_weight=True)
        arguments, options = (estimator, {"C": [0.01, 1.0]}), {"scoring": scoring, "cv": GroupKFold(3)}
        theirs = GridSearchCV(*arguments, **options).fit(X, y, **fit)
        ours = FoldSearchCV(*arguments, strategy="standard", **options).fit(X, y, **fit)
        assert str(get_routing_for_object(ours)) == str(get_routing_for_object(theirs)).replace(
            "GridSearchCV", "FoldSearchCV"
        )
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


def test_negated_errors_of_a_regression(iris):
    X, y = load_diabetes(return_X_y=True)
    arguments = Ridge(), {"alpha": [1e-3, 1e-2, 0.1, 1, 10, 100]}
    theirs = GridSearchCV(*arguments, scoring="neg_mean_squared_error").fit(X, y)
    for strategy in ("exact_pruning", "greedy_early_stopping", "wilcoxon"):
        ours = FoldSearchCV(*arguments, scoring="neg_mean_squared_error", strategy=strategy).fit(X, y)
        assert ours.best_params_ == theirs.best_params_


def test_a_scorer_that_gives_several_scores_needs_the_name_of_one():
    def both(estimator, X, y):
        return {"good": estimator.score(X), "bad": -estimator.score(X)}

    estimator, space, cv, X, y = grid(SCORES)
    search = FoldSearchCV(estimator, space, cv=cv, scoring=both, refit="bad").fit(X, y)
    assert search.best_params_ == {"i": 1}  # the smallest mean, 0.267
    assert search.cv_results_["rank_test_bad"][1] == 1
    with pytest.raises(ValueError, match="refit must be set to a scorer key"):
        FoldSearchCV(estimator, space, cv=cv, scoring=both).fit(X, y)


def test_search_without_targets():
    X, _ = load_iris(return_X_y=True)
    search = FoldSearchCV(KMeans(n_init=1, random_state=0), {"n_clusters": [2, 8]}, cv=KFold(3)).fit(X)
    assert search.best_params_ == {"n_clusters": 8}  # inertia is smaller with more clusters


def test_spaces_of_every_kind(iris):
    X, y = iris
    ours = SearchSpace({"C": Uniform(0.01, 100, "log"), "kernel": Choice(("rbf", "linear"))})
    drawn = FoldSearchCV(SVC(), ours, random_state=0, cv=2).fit(X, y).cv_results_["params"]
    assert len(drawn) == 64
    assert all(0.01 <= c["C"] <= 100 and c["kernel"] in ("rbf", "linear") for c in drawn)
    listed = SearchSpace({"C": Choice((1.0, 10.0)), "kernel": Choice(("rbf", "linear"))})
    whole = FoldSearchCV(SVC(), listed, cv=2).fit(X, y).cv_results_["params"]
    assert sorted((c["C"], c["kernel"]) for c in whole) == [(c, k) for c in (1.0, 10.0) for k in ("linear", "rbf")]
    mixed = FoldSearchCV(SVC(), {"degree": Integer(2, 5), "C": [1, 2]}, n_candidates=3, cv=2, random_state=1).fit(
        X, y
    )
    assert len(mixed.cv_results_["params"]) == 3
    for space, message in (
        ([], "space must be a parameter grid, a dict of distributions"),
        ("C", "The 'space' parameter of FoldSearchCV must be"),
        ({"C": "rbf"}, "'C' must list its values or be a distribution, got 'rbf'"),
        ({"C": np.array(1.0)}, r"'C' must list its values or be a distribution, got array\(1.\)"),
        ({"C": []}, "'C' must list at least one value, got none"),
        ({"kernel": "rbf", "C": Uniform(0.01, 100)}, "'kernel' must list its values or be a distribution"),
        ({"class_weight": {0: 1}, "C": Uniform(0.01, 100)}, "'class_weight' must list its values"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            FoldSearchCV(SVC(), space).fit(X, y)


def test_the_same_seed_draws_the_same(iris):
    X, y = iris
    space = SearchSpace({"C": Uniform(0.01, 100, "log")})
    first, second, other = (
        FoldSearchCV(SVC(), space, n_candidates=5, random_state=seed, cv=2).fit(X, y).cv_results_["params"]
        for seed in (3, 3, 4)
    )
    assert first == second != other


class Pairs:
    """Draws tuples of two equal numbers."""

    def rvs(self, random_state):
        return (int(random_state.randint(1, 4)),) * 2


def test_tuples_that_are_equal_are_drawn_once():
    assert len(list_candidates({"sizes": Pairs()}, None, np.random.RandomState(0))) == 3


class Nearly(BaseEstimator):
    """Predicts 1.5, rounded down."""

    def __init__(self, C=1):
        self.C = C

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), 1.5 - 2**-51)


def test_scores_above_the_largest_by_rounding_count_as_it():
    X, y = np.zeros((20, 1)), np.full(20, 1.5)
    scoring = "neg_mean_gamma_deviance"
    assert get_scorer(scoring)(Nearly(), X, y) > 0
    assert ExactPruningSearchCV(Nearly(), {"C": [1, 2]}, scoring=scoring, cv=2).fit(X, y).best_index_ == 0


def test_accuracies_of_large_folds_are_as_they_are_beside_a_small_one(iris, monkeypatch):
    seen, complete = {}, fold_search.complete_settings
    monkeypatch.setattr(
        fold_search, "complete_settings", lambda *args, **given: seen.update(given) or complete(*args, **given)
    )
    X, y = iris
    rows = np.random.default_rng(0).permutation(len(y))
    cv = PredefinedSplit(np.repeat([0, 1, 2], [5, 72, 73]))
    FoldSearchCV(SVC(), {"C": [0.1, 1.0]}, strategy="beta_sequential", cv=cv).fit(X[rows], y[rows])
    assert seen["n_valid"] == 73


def test_halving_trains_on_fewer_rows():
    search = halved([[0.1 * i] * 3 for i in range(9)])
    results = search.cv_results_
    # scikit-learn's plan for 9 candidates, 90 rows, 3 folds of no classifier: 6, 18 and 54 rows for 9, 3 and 1.
    assert results["n_rows"].tolist() == [6] * 6 + [18] * 2 + [54]
    assert results["rank_test_score"].tolist() == [9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert search.n_fits_ == 3 * (9 + 3 + 1)
    assert results["stopped_because"].tolist() == ["it left after a rung"] * 8 + [""]
    assert search.best_params_ == {"i": 8}


def test_a_rung_that_is_asked_again_on_as_many_rows_is_fitted_once(tmp_path):
    # 81 candidates need five rungs to come down to one, and 90 rows have three: 6, 6, 6, 18 and 54 rows.
    settings = {"min_resources": "smallest", "aggressive_elimination": True}
    X, y, cv = data_of(3, rows_per_fold=30)
    estimator, space, *_ = grid([[0.01 * i] * 3 for i in range(81)], log=str(tmp_path / "fits"))
    search = FoldSearchCV(estimator, space, strategy="successive_halving", settings=settings, cv=cv).fit(X, y)
    assert search.best_params_ == {"i": 80}
    assert search.n_fits_ == 3 * (81 + 3 + 1)
    fits = (tmp_path / "fits").read_text().splitlines()
    assert len(fits) == search.n_fits_ + 1  # the last one is on all rows
    for max_fits, reached in ((255, ""), (254, "max_fits=254 was reached")):  # a rung again is no further fit
        limited = clone(search).set_params(max_fits=max_fits).fit(X, y)
        assert (limited.n_fits_, limited.ended_because_) == (max_fits, reached)


class Summed(Tabled):
    """Scores the sum of the numbers of its rows."""

    def fit(self, X, y=None):
        self.sum_ = X[:, 1].sum()
        return super().fit(X, y)

    def score(self, X, y=None):
        return float(self.sum_)


def test_halving_draws_the_same_rows_for_all_candidates_and_others_from_another_seed():
    X, y, cv = data_of(3, rows_per_fold=30)
    settings = {"min_resources": "smallest"}
    sums = []
    for seed in (0, 1):
        search = FoldSearchCV(
            Summed(scores=((0.5,) * 3,)), {"i": [0] * 9}, strategy="successive_halving", settings=settings, cv=cv
        )
        results = search.set_params(random_state=seed, refit=False).fit(X, y).cv_results_
        (one,) = set(results["split0_test_score"][results["n_rows"] == 6])
        sums.append(one)
    assert sums[0] != sums[1]


@pytest.mark.parametrize("max_fits", [28, 30, 35])
def test_halving_that_is_ended_within_a_rung_ranks_by_the_last_whole_one(max_fits):
    search = halved([[0.1 * i] * 3 for i in range(9)], max_fits=max_fits)
    # All nine have three folds on 6 rows; candidates 6, 7 and 8 go on to 18, three fits each.
    whole = (max_fits - 27) // 3
    assert search.cv_results_["n_rows"].tolist() == [6] * 6 + [18] * whole + [6] * (3 - whole)
    assert search.best_params_ == {"i": 8 if whole == 0 else 5 + whole}


def test_a_callable_refit_chooses_among_those_on_the_most_rows():
    seen = []

    def refit(results):
        seen.append(results["n_rows"].tolist())
        return int(results["mean_test_score"].argmin())

    search = halved([[0.9] * 3, *[[0.1 * i] * 3 for i in range(1, 9)]], refit=refit)
    assert seen == [[54]]
    assert search.best_params_ == {"i": 0}


RARE = np.repeat(["common", "other", "rare"], [145, 145, 10])
"""Of 240 training rows a part of 16 has half a rare one on average."""


def parts_of(y, estimator=None, splits=None):
    """The splits, and for 20 seeds a fold and the training rows of a part of 20 of 300 rows."""
    estimator = estimator or LogisticRegression()
    X = np.zeros((300, 1))
    if splits is None:
        splits = list(StratifiedKFold(5).split(X, RARE))
    codes = class_codes_of(estimator, y)
    options = {"scorer": None, "fit_params": {}, "score_params": {}, "candidates": [{}], "codes": codes}
    found = []
    for seed in range(20):
        evaluation = Evaluation(estimator, X, y, splits, **options, seed=seed)
        found += [(fold, evaluation._share(splits[fold][0], FoldTask(0, fold, 20))) for fold in range(len(splits))]
    return splits, found


@pytest.mark.parametrize(
    "y", [RARE, pd.Series(RARE, dtype="category"), RARE[:, None], np.unique(RARE, return_inverse=True)[1]]
)
def test_a_part_of_the_rows_has_two_of_each_class(y):
    splits, parts = parts_of(y)
    for fold, part in parts:
        assert len(part) == len(set(part)) == 16
        assert set(part) <= set(splits[fold][0])
        assert np.unique(RARE[part], return_counts=True)[1].min() >= 2
    again = parts_of(y)[1]
    assert all((one[1] == other[1]).all() for one, other in zip(parts, again, strict=True))


def test_a_part_with_all_classes_is_as_it_was_drawn_and_one_of_numbers_too():
    chosen = [set(part) for _, part in parts_of(np.arange(300) % 2)[1]]
    drawn = [set(part) for _, part in parts_of(np.arange(300) / 7, Ridge())[1]]
    several = np.eye(3)[np.arange(300) % 3]
    assert [set(part) for _, part in parts_of(several, KNeighborsClassifier())[1]] == drawn
    assert sum(one == other for one, other in zip(chosen, drawn, strict=True)) > 90  # 14 of 15 of a kind are rare


def test_a_part_has_the_one_row_that_there_is_and_none_of_a_class_without_any():
    train = np.r_[0:145, 290:291]  # no row of `other`, one of `rare`
    for kind in (np.asarray, list, tuple):
        for _, part in parts_of(RARE, splits=[(kind(train), kind(range(291, 300)))])[1]:
            assert sorted(set(RARE[part])) == ["common", "rare"]
            assert (RARE[part] == "rare").sum() == 1


def test_a_part_of_more_classes_than_rows_grows():
    y = np.arange(300) % 60
    _, parts = parts_of(y, splits=[(np.arange(240), np.arange(240, 300))])
    assert {len(part) for _, part in parts} == {120}


@pytest.mark.parametrize("estimator", [LogisticRegression(), QuadraticDiscriminantAnalysis(reg_param=0.1)])
def test_halving_fails_no_candidate_for_want_of_a_class(estimator):
    X = np.random.default_rng(0).normal(size=(300, 2)) + 3 * (RARE == "rare")[:, None]
    space = (
        {"C": np.logspace(-3, 2, 9)} if isinstance(estimator, LogisticRegression) else {"tol": [1e-4, 1e-3, 1e-2]}
    )
    settings = {"min_resources": 20}
    search = FoldSearchCV(estimator, space, strategy="successive_halving", settings=settings, random_state=0)
    assert not np.isnan(search.fit(X, RARE).cv_results_["split0_test_score"]).any()


class Wrapper(BaseEstimator):
    """Has the methods of the estimator in it."""

    def __init__(self, inner=None):
        self.inner = inner

    def __getattr__(self, name):
        if name == "inner" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.inner, name)


def test_an_estimator_whose_fit_is_that_of_a_parameter_is_fitted_with_the_candidates_own(iris):
    space = {"inner": [SVC(C=1e-3), SVC(), KNeighborsClassifier()]}
    search = FoldSearchCV(Wrapper(SVC()), space, strategy="standard").fit(*iris)
    exhaustive = GridSearchCV(Wrapper(SVC()), space).fit(*iris)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], exhaustive.cv_results_["mean_test_score"])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_lack_of_memory_is_no_fault_of_a_candidate(n_jobs, iris):
    search = FoldSearchCV(Hungry(), {"C": [1.0]}, cv=2, n_jobs=n_jobs)
    with pytest.raises(MemoryError, match="8 GiB"):
        search.fit(*iris)


class HungryAtThree(SVC):
    """Runs out of memory where C is 3."""

    def fit(self, X, y):
        if self.C == 3:
            raise MemoryError("8 GiB")
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_lack_of_memory_leaves_the_best_so_far(n_jobs, iris):
    ending = r"the search ran out of memory \(.*: the machine has too little memory \(8 GiB\)\)"
    search = FoldSearchCV(
        HungryAtThree(), {"C": [1, 2, 3, 4]}, strategy="standard", cv=2, n_jobs=n_jobs, n_pending=1
    )
    after = f"{ending} after 4 fits; the best candidate so far is in place; give journal=... to go on"
    with pytest.warns(UserWarning, match=after), pytest.raises(MemoryError, match="8 GiB"):
        search.fit(*iris)
    assert search.cv_results_["n_folds_evaluated"].tolist() == [2, 2, 0, 0]
    assert search.best_params_ in ({"C": 1}, {"C": 2})
    assert re.fullmatch(ending, search.ended_because_)
    assert search.predict(iris[0]).shape == iris[1].shape
    given = {"strategy": "random", "n_trials": 20, "random_state": 0, "n_jobs": n_jobs, "n_pending": 1}
    trials = TrialSearchCV(HungryAtThree(), {"C": [1, 2, 3]}, **given)
    after = r"after \d trials; the best candidate so far is in place"
    with pytest.warns(UserWarning, match=after), pytest.raises(MemoryError, match="8 GiB"):
        trials.fit(*iris)
    assert 0 < trials.n_trials_ < 20
    assert trials.best_params_ in ({"C": 1}, {"C": 2})


def test_a_share_of_the_rows_is_of_all_rows():
    X, y = np.zeros((120, 1)), np.zeros(120)
    settings = {"min_resources": 60, "factor": 2}
    splits = TimeSeriesSplit(5)
    search = FoldSearchCV(Sized(), {"C": [1, 2]}, strategy="successive_halving", settings=settings, cv=splits)
    results = search.fit(X, y).cv_results_
    (left,) = np.flatnonzero(results["n_rows"] == 60)
    assert [results[f"split{fold}_test_score"][left] for fold in range(5)] == [10, 20, 30, 40, 50]


# A scikit-learn citizen ---------------------------------------------------------------------------------------


def test_clone_and_pickle_keep_everything(iris):
    X, y = iris
    search = GreedySearchCV(SVC(), {"C": [0.1, 1]}, settings={"epsilon": 0.1}, cv=3, random_state=0).fit(X, y)
    original, cloned = search.get_params(), clone(search).get_params()
    for params in (original, cloned):
        params.pop("estimator")  # a clone of its own
    assert cloned == original
    assert not hasattr(clone(search), "cv_results_")
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert again.cv_results_["params"] == search.cv_results_["params"]


def test_searches_nest(iris):
    X, y = iris
    inner = GreedySearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=3)
    assert cross_val_score(inner, X, y, cv=3).mean() > 0.9
    outer = FoldSearchCV(inner, {"estimator__gamma": [0.01, 0.1]}, cv=3).fit(X, y)
    assert outer.best_estimator_.best_params_["C"] in (0.1, 1, 10)
    assert outer.score(X, y) > 0.9


def test_it_is_shown_with_its_estimator(iris):
    X, y = iris
    search = FoldSearchCV(SVC(), {"C": [0.1, 1]})
    assert repr(search) == "FoldSearchCV(estimator=SVC(), space={'C': [0.1, 1]})"
    assert "best_estimator_: SVC" in search.fit(X, y)._repr_html_()


@pytest.mark.parametrize(
    ("cls", "strategy"),
    [
        (GreedySearchCV, "greedy_early_stopping"),
        (ExactPruningSearchCV, "exact_pruning"),
        (BetaPruningSearchCV, "beta_pruning"),
    ],
)
def test_named_searches_fix_their_strategy(cls, strategy):
    search = cls(SVC(), {"C": [1]}, cv=3)
    assert search.strategy == strategy
    assert "strategy" not in search.get_params()
    assert {*search.get_params(deep=False), "strategy"} == set(FoldSearchCV(SVC(), {}).get_params(deep=False))
    with pytest.raises(TypeError, match="unexpected keyword argument 'strategy'"):
        cls(SVC(), {"C": [1]}, strategy="greedy")


def test_beta_pruning_knows_the_size_of_its_folds(iris):
    X, y = iris
    search = BetaPruningSearchCV(SVC(), {"kernel": ["rbf", "sigmoid"], "C": [1, 10, 100]}).fit(X, y)
    assert search.best_score_ > 0.95  # some folds score exactly 1
    assert search.n_fits_ < 30


def test_beta_strategies_know_the_size_of_folds_that_overlap(iris):
    X, y = iris
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0)  # 50 folds of 30 rows
    search = BetaPruningSearchCV(SVC(), {"C": [1, 10]}, cv=cv)
    inputs = search._fit_inputs(X, y, {}, cv)
    facts = {"scorer": inputs.scorer, "estimator": SVC(), "y": y, "n_rows": 150, "n_valid": 30, "n_folds": 50}
    assert complete_settings("beta_pruning", {}, **facts)["n_valid"] == 30
    assert complete_settings("beta_pruning", {"n_rows": 100}, **facts) == {"n_rows": 100, "n_classes": 3}
    assert search.fit(X, y).best_score_ > 0.95


def test_the_first_of_a_set_of_metrics_is_that_of_its_name(iris):
    X, y = iris
    search = FoldSearchCV(SVC(), {"C": [1]}, scoring={"recall_macro", "accuracy"}, refit=False)
    assert search._fit_inputs(X, y, {}, 5).metric == "accuracy"


with_callbacks = pytest.mark.skipif(find_spec("sklearn.callback") is None, reason="scikit-learn has no callbacks")


class Listening:
    """A callback that notes in a file the tasks that begin and end, in whichever process."""

    def __init__(self, path):
        self.path = path

    def setup(self, estimator, context):
        self.is_open = True

    def on_fit_task_begin(self, estimator, context):
        self._note("begin", context.task_name)

    def on_fit_task_end(self, estimator, context):
        self._note("end", context.task_name)

    def teardown(self, estimator, context):
        self.is_open = False

    def _note(self, event, name):
        with self.path.open("a") as file:
            file.write(f"{event} {name}\n")

    def noted(self, event):
        return sorted(line.split()[1] for line in self.path.read_text().splitlines() if line.startswith(event))


@with_callbacks
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("kind", "options", "most"),
    [(FoldSearchCV, {}, 20), (TrialSearchCV, {"strategy": "random", "n_trials": 3, "random_state": 0}, 15)],
)
def test_callbacks_hear_of_every_fit(iris, tmp_path, kind, options, most, n_jobs):
    X, y = iris
    listening, space = Listening(tmp_path / "tasks"), {"C": [0.01, 0.1, 1, 10]}
    search = kind(SVC(), space, n_jobs=n_jobs, **options).set_callbacks(listening).fit(X, y)
    begun = listening.noted("begin")
    assert begun.count("candidate-split-evaluation") == search.n_fits_ <= most
    assert begun == listening.noted("end")
    assert {"fit", "search", "refit-with-best-params"} <= set(begun)
    assert listening.is_open is False


class Keyed(Listening):
    """A callback that keeps what it knows by the estimator that it was set up with."""

    def setup(self, estimator, context):
        self.known = {estimator: True}

    def on_fit_task_begin(self, estimator, context):
        assert self.known[estimator]

    on_fit_task_end = on_fit_task_begin


@with_callbacks
def test_callbacks_are_handed_the_search_itself(iris, tmp_path):
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, cv=KFold(3).split(*iris)).set_callbacks(Keyed(tmp_path / "x"))
    assert search.fit(*iris).n_fits_ > 0


class Bar(Listening):
    """As scikit-learn's ProgressBar, a callback that a search hands on to what it fits."""

    max_propagation_depth = None


@with_callbacks
def test_a_progress_bar_of_the_estimator_is_refused_before_a_fit(iris, tmp_path):
    estimator = LogisticRegression().set_callbacks(Bar(tmp_path / "tasks"))
    with pytest.raises(TypeError, match="Bar is a callback of the estimator: give it to the search"):
        FoldSearchCV(estimator, {"C": [1, 10]}).fit(*iris)


def test_verbose_prints_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr("frugal.model_selection.progress.monotonic", lambda: 0.0)
    searched(verbose=1)
    first, last = capsys.readouterr().out.splitlines()
    assert first == "Searching 4 candidates on 3 folds: 12 fits at most"
    assert last.startswith("12 of at most 12 fits, 0 s, about 0 s left, best: 0.")
    searched(verbose=0)
    assert capsys.readouterr().out == ""


def test_a_progress_line_that_nobody_can_read_ends_no_search(monkeypatch):
    output = io.StringIO()

    def say(text, **options):
        print(text, file=output, **options)
        output.close()

    monkeypatch.setattr("frugal.model_selection.progress.print", say, raising=False)
    assert searched(verbose=1).n_fits_ > 0
    assert output.closed


class Tee:
    """A replacement of the standard output that can only write."""

    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append(text)


@pytest.mark.parametrize("verbose", [0, 1])
def test_an_output_that_can_only_write_ends_no_search(monkeypatch, verbose):
    monkeypatch.setattr("sys.stdout", Tee())
    assert searched(verbose=verbose).n_fits_ > 0


class Tagger(ClassifierMixin, Nearly):
    """A classifier that takes a list of labels a row."""

    def score(self, X, y):
        return np.mean([self.C / 10 for labels in y])


def test_targets_whose_classes_no_strategy_asks_for_are_as_the_estimator_takes_them():
    y = [["a"], ["a", "b"], [], ["b"], ["a"], []]
    search = FoldSearchCV(Tagger(), {"C": [1, 10]}, cv=KFold(3)).fit(np.zeros((6, 1)), y)
    assert search.best_params_ == {"C": 10}


class ByRegion:
    """A scorer that has an attribute of scikit-learn's name, and is called alone."""

    def __init__(self, function):
        self._score_func = function

    def __call__(self, estimator, X, y):
        return self._score_func(y, estimator.predict(X))


@pytest.mark.parametrize("kind", [FoldSearchCV, BetaPruningSearchCV, TrialSearchCV])
def test_a_scorer_of_another_class_is_only_called(iris, kind):
    options = {"strategy": "random", "n_trials": 2, "random_state": 0} if kind is TrialSearchCV else {}
    search = kind(SVC(), {"C": [1, 10]}, scoring=ByRegion(accuracy_score), **options).fit(*iris)
    assert search.best_score_ > 0.9


class Frozen(BaseEstimator):
    """As FrozenEstimator: it is its own clone; and it cannot be copied."""

    def __sklearn_clone__(self):
        return self

    def __deepcopy__(self, memo):
        raise TypeError("cannot be copied")


def test_a_clone_of_the_search_clones_its_space_as_scikit_learn_does():
    listed = Frozen()
    for settings in (None, {"n_sds": 1.0}):
        cloned = clone(FoldSearchCV(SVC(), {"first": [listed]}, strategy="predicted_folds", settings=settings))
        assert cloned.space["first"][0] is listed


def test_more_fits_than_were_expected_leave_no_negative_time(monkeypatch, capsys):
    monkeypatch.setattr("frugal.model_selection.progress.monotonic", lambda: 0.0)
    line = ProgressLine(1, n_candidates=1, n_folds=2)
    for _ in range(3):  # halving makes fits on few rows, too
        line.add(lambda: 0.5)
    line.end(0.5)
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 of at most 3 fits, 0 s, about 0 s left")


def test_kept_fits_count_as_done_and_took_no_time(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 10.0, 20.0])
    monkeypatch.setattr("frugal.model_selection.progress.monotonic", lambda: next(clock))
    line = ProgressLine(1, n_candidates=10, n_folds=10)
    line.add(lambda: None, 97)
    line.end(None, 98)
    _, middle, end = capsys.readouterr().out.splitlines()
    assert middle.startswith("98 of at most 100 fits, 10 s, about 20 s left")
    assert end.startswith("99 of at most 100 fits, 20 s, about 20 s left")


def test_no_more_time_is_left_than_the_limit_leaves(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 14.0, 16.0])
    monkeypatch.setattr("frugal.model_selection.progress.monotonic", lambda: next(clock))
    line = ProgressLine(1, n_candidates=10, n_folds=10, time_limit=15.0)
    line.add(lambda: None)
    line.end(None)
    _, soon, over = capsys.readouterr().out.splitlines()
    assert soon.startswith("1 of at most 100 fits, 14 s, about 1 s left, best: none yet")
    assert over.startswith("1 of at most 100 fits, 16 s, about 0 s left")


# Warnings ---------------------------------------------------------------------------------------------------


def test_no_candidate_is_drawn_twice():
    space = {"C": stats.randint(1, 21), "shrinking": [True, False]}
    fits = FoldSearchCV(SVC(), space, n_candidates=30, cv=2, random_state=0).fit(*load_iris(return_X_y=True))
    drawn = {tuple(candidate.values()) for candidate in fits.cv_results_["params"]}
    assert len(drawn) == len(fits.cv_results_["params"]) == 30


def test_listed_values_of_an_array_are_drawn_once_nan_too_and_rows_of_one_are_refused():
    space = {"C": stats.randint(1, 2), "tol": np.array([math.nan, 0.001])}
    drawn = list_candidates(space, None, np.random.RandomState(0))
    assert len(drawn) == 2
    with pytest.raises(ValueError, match=r"'tol' must be an array of shape \(n,\), got shape \(2, 2\)"):
        list_candidates(space | {"tol": np.ones((2, 2))}, None, np.random.RandomState(0))


def test_a_space_of_few_points_gives_these_and_says_so_where_more_were_asked_for():
    X, y = load_iris(return_X_y=True)
    search = FoldSearchCV(SVC(), SearchSpace({"C": Integer(1, 3)}), cv=2, random_state=0).fit(X, y)
    assert sorted(candidate["C"] for candidate in search.cv_results_["params"]) == [1, 2, 3]
    assert search.n_fits_exhaustive_ == 6
    with pytest.warns(UserWarning, match="200 draws gave 3 different candidates, fewer than the 10 asked for"):
        search.set_params(n_candidates=10).fit(X, y)


def test_more_candidates_than_a_grid_has_are_all_of_them():
    X, y = load_iris(return_X_y=True)
    space = {"C": [1, 2, 3], "gamma": [0.1, 0.2]}
    search = FoldSearchCV(SVC(), space, strategy="standard", n_candidates=7, cv=2, random_state=0)
    with pytest.warns(UserWarning, match="the space has 6 candidates, fewer than the 7 asked for") as caught:
        search.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    assert len(search.cv_results_["params"]) == 6


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (FoldSearchCV, {"strategy": "standard"}),
        (FoldSearchCV, {"strategy": "greedy"}),
        (TrialSearchCV, {"strategy": "random", "n_trials": 2}),
    ],
)
def test_a_best_candidate_without_a_score_is_warned_of(cls, options):
    X, y = load_iris(return_X_y=True)
    space = SearchSpace({"C": Uniform(1, 2)}) if cls is TrialSearchCV else {"C": [1, 2]}
    search = cls(SVC(), space, scoring=lambda *arguments: math.nan, cv=2, random_state=0, **options)
    with pytest.warns(UserWarning, match="no candidate has a score, so the first is in place of the best"):
        search.fit(X, y)
    assert math.isnan(search.best_score_)


# Refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "bayes"}, "unknown strategy 'bayes'; known: aggressive_early_stopping"),
        ({"strategy": "ei"}, "'ei' is a strategy of TrialSearchCV, `minimize` and `frugal trials`; known here: "),
        ({"settings": {"epsilno": 1}}, "unknown setting 'epsilno' of greedy_early_stopping"),
        ({"max_fits": 0}, "'max_fits' parameter of FoldSearchCV must be an int in the range"),
        ({"time_limit": 0}, "'time_limit' parameter of FoldSearchCV must be a float in the range"),
        ({"n_pending": 0}, "'n_pending' parameter of FoldSearchCV"),
        ({"n_jobs": 0}, "'n_jobs' parameter of FoldSearchCV"),
        ({"executor": 3}, "'executor' parameter of FoldSearchCV"),
        ({"cv": [(np.arange(50), np.arange(50, 100))]}, "cv must give at least two splits, got 1"),
        (
            {"strategy": "successive_halving", "settings": {"cv": 3}},
            "takes all 5 folds .*: leave cv=3 out of settings",
        ),
        ({"strategy": "successive_halving", "settings": {"n_rows": 1000}}, "at most the 150 rows .*, got 1000"),
        ({"strategy": "beta_greedy", "cv": LeaveOneOut()}, "scored on at least 2 rows, got one with 1"),
        (
            {"strategy": "beta_pruning", "scoring": "neg_log_loss"},
            r"the Beta model needs scores in \[0, 1\].* may be negative: choose another strategy, such as",
        ),
        ({"strategy": "threshold_pruning", "scoring": "matthews_corrcoef"}, "scores of at least 0; those of this"),
        (
            {"strategy": "beta_pruning", "scoring": lambda *arguments: -0.5},
            r"the Beta model needs scores in \[0, 1\].*, got -0.5",
        ),
        (
            {"strategy": "exact_pruning", "scoring": make_scorer(lambda a, b: 0.5)},
            "give settings={'best_possible_score'",
        ),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(iris, options, message):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        FoldSearchCV(LogisticRegression(max_iter=2000), {"C": [0.1, 1]}, **options).fit(X, y)


@pytest.mark.parametrize("strategy", ["beta_greedy", "beta_pruning", "beta_sequential", "threshold_pruning"])
def test_a_regression_is_refused_before_a_fit_where_scores_must_not_be_negative(strategy):
    calls = []

    class Counting(Ridge):
        def fit(self, X, y):
            calls.append(1)
            return super().fit(X, y)

    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(
        ValueError, match="may be negative: choose another strategy, such as greedy_early_stopping"
    ):
        FoldSearchCV(Counting(), {"alpha": [0.1, 1]}, strategy=strategy).fit(X, y)
    assert not calls
    FoldSearchCV(Counting(), {"alpha": [0.1, 1]}, strategy=strategy, scoring=r2_as_share).fit(X, y)
    assert calls


def r2_as_share(estimator, X, y):
    """R squared, negative ones as 0."""
    return max(estimator.score(X, y), 0.0)


def test_targets_are_asked_for(iris):
    with pytest.raises(ValueError, match="FoldSearchCV requires y to be passed"):
        FoldSearchCV(SVC(), {"C": [1]}).fit(iris[0])


@pytest.mark.parametrize(
    ("scoring", "bound"),
    [
        ("accuracy", 1.0),
        ("r2", 1.0),
        ("roc_auc", 1.0),
        ("neg_mean_squared_error", 0.0),
        ("neg_log_loss", 0.0),
        ("positive_likelihood_ratio", None),
        ("mutual_info_score", None),
        (make_scorer(mean_squared_error, greater_is_better=False), 0.0),
        (make_scorer(mean_squared_error), None),  # an error that is not negated may be as large as it likes
        (make_scorer(r2_score, greater_is_better=False), None),
        (make_scorer(len), None),
        (make_scorer(accuracy_score, normalize=False), None),
        (len, None),
    ],
)
def test_the_bound_on_scores_is_known_of_scorers_that_scikit_learn_names(scoring, bound):
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    assert best_possible_score(scorer, SVC()) == bound


@dataclass
class Share:
    """A metric without a hash, as every class with an `__eq__` and no `__hash__`."""

    of: float = 1.0

    def __call__(self, y, predicted):
        return self.of * accuracy_score(y, predicted)


@pytest.mark.parametrize("strategy", ["greedy_early_stopping", "exact_pruning", "beta_pruning"])
def test_a_metric_needs_no_hash(strategy):
    scorer = make_scorer(Share())
    assert best_possible_score(scorer, SVC()) is None
    settings = {"best_possible_score": 1.0} if strategy == "exact_pruning" else None
    search = FoldSearchCV(SVC(), {"C": [0.1, 1.0]}, strategy=strategy, scoring=scorer, settings=settings)
    assert search.fit(*load_wine(return_X_y=True)).best_score_ > 0.5


class FailsOn(KNeighborsClassifier):
    """Fails on the fold that holds a row out, with some number of neighbours, or always."""

    def __init__(self, n_neighbors=5, row=None, of=None):
        super().__init__(n_neighbors)
        self.row, self.of = row, of

    def fit(self, X, y):
        if self.of in (None, self.n_neighbors) and not (self.row == X).all(axis=1).any():
            raise RuntimeError("did not converge")
        return super().fit(X, y)


def on_wine(row, of=None, **limits):
    """Fold halving of six numbers of neighbours, and the wine that it is on."""
    X, y = load_wine(return_X_y=True)
    X = X / X.std(axis=0)
    space = {"n_neighbors": [60, 50, 40, 30, 20, 9]}
    search = FoldSearchCV(FailsOn(row=X[row], of=of), space, strategy="fold_halving", random_state=0, **limits)
    return search.fit(X, y)


@pytest.mark.filterwarnings("ignore")  # of fits that failed
def test_a_finalist_of_fold_halving_that_fails_is_replaced():
    search = on_wine(50, of=30)
    assert search.best_params_ == {"n_neighbors": 40}  # the other one with three folds
    assert search.cv_results_["n_folds_evaluated"].tolist() == [1, 1, 5, 5, 1, 1]
    assert search.best_score_ == np.mean([search.cv_results_[f"split{fold}_test_score"][2] for fold in range(5)])


@pytest.mark.filterwarnings("ignore")
def test_every_candidate_of_fold_halving_is_tried_while_all_fail_on_the_last_fold():
    assert on_wine(50).cv_results_["n_folds_evaluated"].tolist() == [5, 5, 5, 5, 5, 5]


@pytest.mark.filterwarnings("ignore")
def test_if_every_complete_candidate_fails_the_others_have_means_of_their_folds_so_far():
    search = on_wine(50, max_fits=14)
    results = search.cv_results_
    assert results["n_folds_evaluated"].tolist() == [1, 1, 5, 5, 1, 1]
    assert results["rank_test_score"].tolist() == [3, 1, 5, 5, 2, 3]
    assert (search.best_index_, search.best_score_) == (1, results["split0_test_score"][1])
    chosen = on_wine(50, max_fits=14, refit=lambda rows: int(np.nanargmax(rows["mean_test_score"])))
    assert chosen.best_index_ == 1


@pytest.mark.filterwarnings("ignore")
def test_a_candidate_without_a_finite_score_is_told_from_one_whose_fit_failed():
    search = FoldSearchCV(SVC(), {"C": [1.0, 2.0]}, scoring=lambda est, X, y: math.nan if est.C == 2.0 else 0.5)
    search.fit(*load_iris(return_X_y=True))
    assert search.cv_results_["stopped_because"][1].startswith("a score does not count: not finite")


@pytest.mark.filterwarnings("ignore")  # of fits that failed, and of NumPy's means of them
@pytest.mark.parametrize("strategy", ["standard", "greedy", "greedy_early_stopping", "paired_racing", "wilcoxon"])
def test_scores_near_the_largest_float_are_chosen_from_as_grid_search_chooses(iris, strategy):
    largest = np.finfo(float).max
    search = FoldSearchCV(SVC(), {"C": [-1, 1, -2]}, strategy=strategy, error_score=-largest, random_state=0)
    assert search.fit(*iris).best_params_ == {"C": 1}
    search.set_params(scoring=lambda e, X, y: -largest * (1.1 - e.score(X, y)), space={"C": [1e-3, 1]})
    assert search.fit(*iris).best_params_ == {"C": 1}


def test_an_error_score_that_a_strategy_cannot_take_is_refused_before_the_first_fit():
    X, y = load_wine(return_X_y=True)
    search = FoldSearchCV(FailsOn(), {"n_neighbors": [1, 3]}, strategy="beta_pruning", error_score=-1)
    with pytest.raises(
        ValueError, match=r"error_score, .*: the Beta model needs scores in \[0, 1\], .* got -1.0 \("
    ):
        search.fit(X, y)
