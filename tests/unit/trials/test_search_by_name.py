"""A search as a job asks for it: its problem, its first candidates, what it refuses and what it says."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from frugal.interface import Trial
from frugal.trials.functions import FUNCTIONS
from frugal.trials.problems import LearnerProblem
from frugal.trials.searches import problem, search

ON_BRANIN = ("function", "branin")


def test_rows_are_set_apart_for_a_dataset_that_has_set_none_apart():
    parts = problem("logistic_regression", "wdbc", 3, {"n_train": 50}).parts
    assert [len(part[1]) for part in (parts.train, parts.valid, parts.test)] == [50, 126, 188]
    again = problem("logistic_regression", "wdbc", 4, {"n_train": 50}).parts
    assert np.array_equal(parts.valid[0], again.valid[0])
    assert not np.array_equal(parts.train[0], again.train[0])
    assert set(parts.valid[1]) == {0, 1}


def test_what_is_recommended_stands_beside_what_was_seen_best():
    table = search("ei", *ON_BRANIN, 0, 8, {})
    best = table["error"].cummin() == table["error"]
    assert table["incumbent"][best].equals(table["candidate"][best])
    assert set(table["recommendation"]) <= set(table["candidate"])
    drawn = search("random", *ON_BRANIN, 0, 8, {})
    assert drawn["recommendation"].equals(drawn["incumbent"])
    assert drawn["candidate"][:5].equals(table["candidate"][:5])


def test_a_method_may_be_a_variant_of_a_strategy_and_start_from_fewer():
    own = {"greedy_ei": {"strategy": "ei", "n_initial": 2, "baseline": "observed"}}
    table = search("greedy_ei", *ON_BRANIN, 0, 4, {"n_initial": 3, "strategies": own})
    plain = search("ei", *ON_BRANIN, 0, 4, {"n_initial": 3})
    assert set(table["method"]) == {"greedy_ei"}
    assert table["candidate"][:2].equals(plain["candidate"][:2])
    assert table["candidate"][2] != plain["candidate"][2]


def answer_with(monkeypatch, error):
    """Every trial on branin has this error."""

    def evaluate(self, task, report):
        return Trial(task, error, 0.0, 1.0, reason="" if error == error else "ValueError: it overflows")

    monkeypatch.setattr(type(FUNCTIONS["branin"]), "evaluate", evaluate)


def test_a_search_without_a_choice_is_refused(monkeypatch):
    answer_with(monkeypatch, np.nan)
    with pytest.raises(ValueError, match="all 6 trials of ei on branin failed, the first with: Val"):
        search("ei", *ON_BRANIN, 0, 6, {})


def test_a_search_with_nothing_to_choose_between_says_so(monkeypatch, caplog):
    answer_with(monkeypatch, 0.5)
    with caplog.at_level(logging.WARNING):
        table = search("ei", *ON_BRANIN, 0, 6, {})
    assert len(table) == 6
    assert "all 6 errors of ei on branin are 0.5" in caplog.text


def test_a_fault_of_ours_is_no_failed_trial(monkeypatch):
    def fit(self, X, y):
        raise TypeError("a fault of ours")

    monkeypatch.setattr("sklearn.naive_bayes.BernoulliNB.fit", fit)
    with pytest.raises(TypeError, match="a fault of ours"):
        search("random", "bernoulli_nb", "wdbc", 0, 5, {})


def test_the_size_of_a_draw_is_that_of_the_settings():
    on = problem("bernoulli_nb", "digits", 0, {"n_train": 100, "n_valid": 200, "n_test": 300})
    assert isinstance(on, LearnerProblem)
    assert [len(part[1]) for part in (on.parts.train, on.parts.valid, on.parts.test)] == [100, 200, 300]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: problem("function", "sphere", 0, {}), "unknown function 'sphere'; known: branin, hartmann6"),
        (lambda: problem("sphere", "digits", 0, {}), "unknown classifier 'sphere'"),
        (
            lambda: problem("svm", "digits", 0, {"scaler": "log"}),
            "unknown scaler 'log'; known: none, min_max, robust, standard",
        ),
        (
            lambda: search("random", *ON_BRANIN, 0, 3, {"rows": 3}),
            "unknown setting .rows.; known: n_train",
        ),
        (
            lambda: search("ei", *ON_BRANIN, 0, 2, {"n_initial": 5}),
            "n_initial must be at most n_trials = 2, got 5",
        ),
        (lambda: search("ei", *ON_BRANIN, 0, 2, {"n_initial": 0}), "n_initial must be at least 1"),
        (
            lambda: search("ei", *ON_BRANIN, 0, 9, {"n_initial": 3, "strategies": {"ei": {"n_initial": 4}}}),
            "n_initial of ei must be at least 1, at most 3, the first candidates of all",
        ),
        (lambda: search("ei", "lookup", "svm_mnist", 0, 9, {}), "svm_mnist needs the setting 'table'"),
        (lambda: search("eii", *ON_BRANIN, 0, 9, {}), "unknown .*'eii'; known: "),
        (
            lambda: search("ei", *ON_BRANIN, 0, 9, {"strategies": {"eii": {}}}),
            "unknown strategy of the settings 'eii'; known: ",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
