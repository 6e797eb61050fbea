import json
from dataclasses import replace
from operator import mul

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB

from frugal.benchmarks.functions import FUNCTIONS
from frugal.datasets import Dataset, load
from frugal.interface import TrialTask
from frugal.learners import space
from frugal.trials import problems
from frugal.trials.live import as_text
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem


def never_asked(task, epoch, score):
    raise AssertionError("a learner without epochs reports none")


@pytest.fixture(scope="module")
def problem():
    data = load("digits")
    return LearnerProblem(
        "bernoulli_nb", data, split(data, n_valid=300, n_test=300, seed=0), space("ranges", "bernoulli_nb")
    )


CANDIDATE = {"alpha": 1.0, "fit_prior": True, "binarize": 0.5}


def test_a_trial_is_the_fit_that_anyone_would_make_of_its_rows(problem):
    task = TrialTask(0, CANDIDATE, n_rows=200, subset=3)
    rows = problem.rows(task)
    assert len(set(rows)) == 200
    (X, y), (X_valid, y_valid) = problem.parts.train, problem.parts.valid
    by_hand = BernoulliNB(alpha=1.0, binarize=0.5).fit(X[rows], y[rows])
    trial = problem.evaluate(task, never_asked)
    assert trial.error == pytest.approx(1 - by_hand.score(X_valid, y_valid))
    assert (trial.cost, trial.reason, trial.overhead_s) == (200.0, "", 0.0)
    assert trial.seconds > 0


def test_subsets_are_drawn_by_their_number_and_nested_in_it(problem):
    few, more, other = (
        set(problem.rows(TrialTask(0, CANDIDATE, n_rows=n, subset=subset)))
        for n, subset in ((100, 1), (300, 1), (100, 2))
    )
    assert few < more
    assert few != other


def test_parts_share_no_row_and_leave_none_out():
    data = load("digits")
    marked = data.X.copy()
    marked[:, 0] = np.arange(len(data.y))
    object.__setattr__(data, "X", marked)
    parts = split(data, n_valid=300, n_test=200, seed=5)
    ids = np.concatenate([part[0][:, 0] for part in (parts.train, parts.valid, parts.test)])
    assert sorted(ids) == list(range(len(data.y)))
    last = split(data, n_valid=300, n_test=200)
    assert list(last.valid[0][:, 0]) == list(range(len(ids) - 500, len(ids) - 200))
    few, again, other = (
        split(data, n_valid=300, n_test=200, n_train=100, train_seed=train_seed) for train_seed in (1, 1, 2)
    )
    drawn, drawn_again, drawn_otherwise = (set(parts.train[0][:, 0]) for parts in (few, again, other))
    assert len(drawn) == len(few.train[1]) == 100
    assert drawn < set(last.train[0][:, 0])
    assert drawn == drawn_again != drawn_otherwise
    assert list(few.train[1]) == [data.y[int(row)] for row in few.train[0][:, 0]]
    for part in ("valid", "test"):
        np.testing.assert_array_equal(getattr(few, part)[0], getattr(last, part)[0])


def test_a_failed_fit_is_a_trial_with_its_reason(problem):
    trial = problem.evaluate(TrialTask(0, CANDIDATE | {"alpha": -1.0}), never_asked)
    assert np.isnan(trial.error)
    assert "alpha" in trial.reason


def test_the_test_error_is_of_test_rows(problem):
    X, y = problem.parts.train
    X_test, y_test = problem.parts.test
    by_hand = BernoulliNB(alpha=1.0, binarize=0.5).fit(X, y)
    assert problem.test_error(CANDIDATE) == pytest.approx(1 - by_hand.score(X_test, y_test))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (TrialTask(0, CANDIDATE, n_rows=10**6), "asks for 1000000 rows; there are 1197"),
        (TrialTask(0, CANDIDATE, epochs=3), "bernoulli_nb is not trained in epochs"),
    ],
)
def test_what_a_learner_cannot_do_is_refused(problem, task, message):
    with pytest.raises(ValueError, match=message):
        problem.evaluate(task, never_asked)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"n_valid": 2000, "n_test": 100}, r"n_valid must lie in \[1, 1696\], got 2000"),
        ({"n_valid": 100}, "n_test must be at least 1"),
        ({"n_valid": 100, "n_test": 1796}, "n_test must be at most 1795, got 1796"),
        ({"n_valid": 300, "n_test": 200, "n_train": 1298}, r"n_train must lie in \[1, 1297\], got 1298"),
    ],
)
def test_splits_that_leave_nothing_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        split(load("digits"), **counts)


@pytest.mark.parametrize("n_test", [-3, 3])
def test_a_dataset_with_test_rows_of_its_own_gets_no_others(n_test):
    splits = {"train": np.arange(15), "test": np.arange(15, 20)}
    data = Dataset("toy", np.arange(20.0)[:, None], np.arange(20) % 2, 2, "generated", splits)
    with pytest.raises(ValueError, match=f"toy has test rows of its own; n_test must be 0, got {n_test}"):
        split(data, n_valid=5, n_test=n_test)


def test_a_model_that_predicts_in_place_fails_and_leaves_the_rows_as_they_are(problem, monkeypatch):
    class InPlace(BernoulliNB):
        def predict(self, X):
            X *= 0.0
            return super().predict(X)

    before = problem.parts.valid[0].copy()
    monkeypatch.setattr("frugal.trials.problems.build", lambda *args, **options: InPlace())
    assert problem.evaluate(TrialTask(0, CANDIDATE), never_asked).reason == "ValueError: output array is read-only"
    np.testing.assert_array_equal(problem.parts.valid[0], before)


def test_a_network_reports_its_epochs_stops_when_told_and_goes_on_where_it_was():
    data = load("digits")
    problem = LearnerProblem("mlp", data, split(data, n_valid=300, n_test=300, seed=0), space=None)
    candidate = {"neurons": 16, "learning_rate": 0.01}
    seen = []
    task = TrialTask(0, candidate, epochs=3)
    whole = problem.evaluate(task, lambda task, epoch, score: seen.append(score) or True)
    assert tuple(seen) == whole.curve
    assert whole.error == pytest.approx(1 - whole.curve[-1])
    assert whole.cost == 3 * len(problem.parts.train[1])
    stopped = problem.evaluate(TrialTask(1, candidate, epochs=3), lambda task, epoch, score: epoch < 2)
    assert stopped.curve == whole.curve[:2]
    first = problem.evaluate(TrialTask(2, candidate, epochs=1), lambda *_: True)
    rest = problem.evaluate(TrialTask(3, candidate, epochs=3, resume_from=2), lambda *_: True)
    assert rest.curve == whole.curve
    assert first.cost + rest.cost == whole.cost
    with pytest.raises(ValueError, match="trial 2 has left no state"):
        problem.evaluate(TrialTask(4, candidate, epochs=4, resume_from=2), lambda *_: True)


def test_a_learner_whose_hyperparameters_count_its_epochs_costs_rows_times_epochs():
    data = load("digits")
    parts = split(data, n_valid=300, n_test=300, n_train=50)
    problem = LearnerProblem("sgd_logistic_regression", data, parts, space("hpolib", "sgd_logistic_regression"))
    candidate = {"learning_rate": 0.01, "l2": 0.0, "batch_size": 20, "n_epochs": 7}
    assert problem.evaluate(TrialTask(0, candidate), never_asked).cost == 7 * 50


def test_a_learner_trained_in_epochs_is_tested_as_its_trials_left_it():
    data = load("digits")
    parts = split(data, n_valid=300, n_test=300, seed=0)
    problem = LearnerProblem("svm_rff", data, parts, space("hypertune", "svm_rff"), seed=1)
    candidate = {"C": 1.0, "gamma": 0.5, "n_features": 16}  # so few that another draw has another error
    trial = problem.evaluate(TrialTask(0, candidate), lambda task, epoch, score: True)
    tested = problem.test_error(candidate)
    assert tested == problem.network_test_error(trial)
    assert tested != replace(problem, seed=2).test_error(candidate)


def test_a_function_is_evaluated_whole():
    task = TrialTask(0, {"x": 0.0, "y": 0.0}, n_rows=10)
    with pytest.raises(ValueError, match="branin has neither rows nor epochs"):
        FUNCTIONS["branin"].evaluate(task, lambda epoch, score: True)


def test_the_text_of_a_candidate_names_functions_and_objects_the_same_in_every_process():
    class Kernel:
        pass

    text = as_text({"metric": mul, "kernel": Kernel(), "gamma": np.float64(0.5), "cs": np.array([1, 2])})
    read = json.loads(text)
    assert (read["metric"], read["gamma"], read["cs"]) == ("_operator.mul", 0.5, [1, 2])
    assert "Kernel" in read["kernel"]
    assert "0x" not in text


def test_mappings_of_a_candidate_may_have_keys_of_any_kind():
    text = as_text({"class_weight": {np.int64(1): np.float64(0.5), "rest": [{True: None}]}})
    assert json.loads(text) == {"class_weight": {"1": 0.5, "rest": [{"true": None}]}}


class Column(BernoulliNB):
    """Predicts a column, as some libraries do."""

    def predict(self, X):
        return super().predict(X)[:, None]


def test_predictions_in_a_column_are_compared_row_by_row(problem, monkeypatch):
    task = TrialTask(0, CANDIDATE)
    expected = problem.evaluate(task, never_asked).error
    monkeypatch.setattr(problems, "build", lambda learner, candidate, seed: Column(**candidate))
    assert problem.evaluate(task, never_asked).error == expected
