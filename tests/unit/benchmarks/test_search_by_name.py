"""A search as a job asks for it: its problem, its first candidates, what it refuses and what it says."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from math import nan

import numpy as np
import pandas as pd
import pytest

from frugal import datasets, learners
from frugal.arguments import READ_BY_SETTINGS
from frugal.benchmarks.functions import FUNCTIONS
from frugal.benchmarks.measured import COLUMNS
from frugal.benchmarks.problem_by_name import _OF_STORED
from frugal.benchmarks.searches import _facts, problem, search
from frugal.code.jobs import PROBLEMS
from frugal.files import write
from frugal.interface import Trial, TrialTask
from frugal.spaces import Ordinal, SearchSpace, as_json
from frugal.trials.problems import LearnerProblem

ON_BRANIN = ("function", "branin")


def test_rows_are_set_apart_for_a_dataset_that_has_set_none_apart():
    parts = problem("logistic_regression", "wdbc", 3, {"n_train": 50}).parts
    assert [len(part[1]) for part in (parts.train, parts.valid, parts.test)] == [50, 126, 188]
    again = problem("logistic_regression", "wdbc", 4, {"n_train": 50}).parts
    assert np.array_equal(parts.valid[0], again.valid[0])
    assert not np.array_equal(parts.train[0], again.train[0])
    assert set(parts.valid[1]) == {0, 1}


def test_a_strategy_is_told_how_many_rows_errors_are_measured_on():
    target = problem("logistic_regression", "wdbc", 3, {"n_train": 50})
    assert _facts(target, "mtbo", {})["n_valid"] == 126
    assert _facts(target, "mtbo", {"n_valid": 9}).get("n_valid") is None  # it is given
    assert "n_valid" not in _facts(target, "ei", {})


def test_what_is_recommended_stands_beside_what_was_seen_best():
    table = search("ei", *ON_BRANIN, 0, 8, {})
    best = table["error"].cummin() == table["error"]
    assert table["incumbent"][best].equals(table["candidate"][best])
    assert set(table["recommendation"]) <= set(table["candidate"])
    drawn = search("random", *ON_BRANIN, 0, 8, {})
    assert drawn["recommendation"].equals(drawn["incumbent"])
    assert drawn["candidate"][:5].equals(table["candidate"][:5])


def test_a_method_may_be_a_variant_of_a_strategy_and_start_from_fewer():
    block = {"greedy_ei": {"strategy": "ei", "n_initial": 2, "baseline": "observed"}}
    table = search("greedy_ei", *ON_BRANIN, 0, 4, {"n_initial": 3, "strategies": block})
    plain = search("ei", *ON_BRANIN, 0, 4, {"n_initial": 3})
    assert set(table["method"]) == {"greedy_ei"}
    assert table["candidate"][:2].equals(plain["candidate"][:2])
    assert table["candidate"][2] != plain["candidate"][2]


def test_no_trial_begins_after_the_time_of_a_search(monkeypatch, tmp_path):
    """A trial that is under way when the time ends is made; a search that resumes has spent what it had spent."""
    evaluate = LearnerProblem.evaluate
    monkeypatch.setattr(
        LearnerProblem, "evaluate", lambda self, *task: replace(evaluate(self, *task), seconds=1.0)
    )
    journal = tmp_path / "search.jsonl"
    block = {"n_train": 40, "n_valid": 30, "n_initial": 2, "time_s": 2.5}
    asked = ("random", "elastic_net", "digits", 0, 20, block)
    table = search(*asked, journal_path=journal)
    assert len(table) == 3  # at 2 s a third begins; the optimiser's own time is milliseconds
    monkeypatch.setattr(LearnerProblem, "evaluate", None)
    assert search(*asked, journal_path=journal)["candidate"].equals(table["candidate"])
    with pytest.raises(ValueError, match="time_s must be above 0"):
        search(*asked[:-1], {**block, "time_s": 0})


def test_a_search_does_not_go_on_from_a_journal_of_other_data(tmp_path, monkeypatch):
    asked = ("random", "elastic_net", "digits", 0, 2, {"n_train": 40, "n_valid": 30, "n_initial": 2})
    search(*asked, journal_path=tmp_path / "search.jsonl")
    load = datasets.load
    monkeypatch.setattr(datasets, "load", lambda name, **how: replace(load(name, **how), provenance="stand-in"))
    with pytest.raises(ValueError, match="is the journal of another run, with other data"):
        search(*asked, journal_path=tmp_path / "search.jsonl")

    def backwards(name, **how):
        data = load(name, **how)
        return replace(data, X=data.X[::-1].copy(), y=data.y[::-1].copy())

    monkeypatch.setattr(datasets, "load", backwards)
    with pytest.raises(ValueError, match="is the journal of another run, with other data"):
        search(*asked, journal_path=tmp_path / "search.jsonl")


def test_rows_in_the_order_of_their_classes_are_shuffled_before_some_are_set_apart(monkeypatch):
    X, y = np.arange(90.0)[:, None], np.repeat([0, 1, 2], 30)
    in_order = datasets.Dataset("in_order", X, y, 3, "generated", {"all": np.arange(90)})
    monkeypatch.setattr(datasets, "load", lambda name, **how: in_order)
    parts = problem("logistic_regression", "in_order", 0, {}).parts
    assert [set(part[1]) for part in (parts.train, parts.valid, parts.test)] == [{0, 1, 2}] * 3


@pytest.mark.parametrize(
    ("learner", "block"), [("elastic_net", {}), ("svm_rff", {"epochs": 3}), ("mlp", {"epochs": 1})]
)
def test_a_learner_is_warmed_up_once_before_the_clock_starts_and_answers_the_same(learner, block, monkeypatch):
    training = {"n_train": 40, "n_valid": 30, "space": "hypertune"} | block
    calls, warm, evaluate = [], LearnerProblem.warm, LearnerProblem.evaluate
    monkeypatch.setattr(
        LearnerProblem, "warm", lambda self, arguments: (calls.append("warm"), warm(self, arguments))
    )
    monkeypatch.setattr(
        LearnerProblem, "evaluate", lambda self, *arguments: (calls.append("trial"), evaluate(self, *arguments))[1]
    )
    found = search("random", learner, "digits", 0, 2, training)
    assert calls == ["warm", "trial", "trial"]
    monkeypatch.setattr(LearnerProblem, "warm", lambda self, arguments: None)
    cold = search("random", learner, "digits", 0, 2, training)
    timed = ["seconds", "overhead_s"]
    assert found.drop(columns=timed).equals(cold.drop(columns=timed))


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


def test_a_look_up_has_no_test_error_before_a_trial_has_succeeded(tmp_path):
    candidates = SearchSpace({"C": Ordinal((1.0, 2.0, 3.0)), "gamma": Ordinal((1.0,))}).grid()
    cells = [(as_json(c), 64, 0, nan, nan, 1.0, 64.0, "it failed") for c in candidates[1:]]
    cells.append((as_json(candidates[0]), 64, 0, 0.1, 0.2, 1.0, 64.0, ""))
    table = pd.DataFrame([("svm", "mnist", "original", 0, *cell) for cell in cells], columns=COLUMNS)
    write(table, tmp_path / "table.parquet")
    found = search("random", "lookup", "svm", 1, 12, {"table": str(tmp_path / "table.parquet")})
    n_failed = int(found["error"].notna().argmax())
    assert n_failed > 0
    assert found["test_error"][:n_failed].isna().all()
    assert (found["test_error"][n_failed:] == 0.2).all()


def test_a_fault_of_ours_is_no_failed_trial(monkeypatch):
    def fit(self, X, y):
        raise TypeError("a fault of ours")

    monkeypatch.setattr("sklearn.naive_bayes.BernoulliNB.fit", fit)
    with pytest.raises(TypeError, match="a fault of ours"):
        search("random", "bernoulli_nb", "wdbc", 0, 5, {})


FEW = {"n_train": 200, "n_valid": 100, "n_test": 100, "n_initial": 2}
QUICK = {"n_pool": 32, "n_starts": 1, "n_restarts": 1}
GAIN = {"n_hyper": 2, "n_burn": 0, "n_steps": 2, "n_candidates": 20, "n_representers": 12, "n_samples": 40}
SUBSETS = QUICK | {"subset_rows": 50, "n_subsets": 2, "n_subset_trials": 2}


def of_digits(method, learner, n_trials, block, **settings):
    return search(method, learner, "digits", 0, n_trials, FEW | settings | {"strategies": {method: block}})


@pytest.mark.parametrize("space", ["ranges", "hypertune"])
def test_hypertune_has_the_signs_of_the_learners_space_and_asks_on_subsets(space, recwarn):
    table = of_digits("hypertune", "svm", 8, SUBSETS, space=space)
    assert table["n_rows"].tolist()[:4] == [50] * 4
    assert table["n_rows"].isna().tolist() == [False] * 4 + [True] * 4
    assert table["subset"].tolist()[:4] == [0, 0, 1, 1]
    assert not [found for found in recwarn if "sign" in str(found.message)]


def test_hypertune_without_signs_says_once_that_it_is_ei_unless_that_was_asked(recwarn):
    def branin(control):
        return search("hypertune", *ON_BRANIN, 0, 6, {"strategies": {"hypertune": QUICK | control}})

    asked = branin({"control": "unsigned"})
    assert not recwarn
    table = branin({})
    assert [str(found.message).split(",")[0] for found in recwarn] == [
        "neither the settings nor the space say any sign"
    ]
    block = QUICK | {"kernel": "se", "baseline": "observed", "least_noise": 1e-4, "draws": "hypertune"}
    eis = search("ei", *ON_BRANIN, 0, 6, {"strategies": {"ei": block}})
    assert table["candidate"].equals(eis["candidate"])
    assert table["candidate"].equals(asked["candidate"])


@pytest.mark.parametrize(
    ("method", "block", "message"),
    [
        (
            "fabolas",
            {"n_min": 9, "n_max": 200},
            "n_min must be at least 10, at most 199, fewer than all training rows",
        ),
        ("fabolas", {"n_min": 20, "n_max": 201}, "n_max must be at least 10, at most 200, all training rows"),
        ("fabolas", {"sizes": [9, 50]}, "sizes must be at least 10, at most 199, .* got 9"),
        ("fabolas", {"sizes": [50, 400]}, "sizes must be at least 10, at most 200, .* got 400"),
        ("fabolas", {"sizes": []}, r"sizes must be at least two numbers that increase, got \[\]"),
        ("mtbo", {"auxiliary": 200}, "auxiliary must be at least 10, at most 199, fewer than all training rows"),
        ("mtbo", {}, "auxiliary must be .* got 12500"),
        ("fabolas", {}, "n_max must be at least 10, at most 200, all training rows, .* got 50000"),
        (
            "hypertune",
            SUBSETS | {"subset_rows": 9},
            "subset_rows must be at least 10, the number of classes, got 9",
        ),
        (
            "hypertune",
            SUBSETS | {"subset_rows": 200},
            "subset_rows must be below 200, the number of training rows, got 200",
        ),
    ],
)
def test_rows_that_trials_cannot_be_made_on_are_refused_before_a_trial(method, block, message, monkeypatch):
    monkeypatch.setattr(LearnerProblem, "evaluate", lambda *_: pytest.fail("a trial was made"))
    with pytest.raises(ValueError, match=message):
        of_digits(method, "svm", 7, block)


@pytest.mark.parametrize(
    ("method", "block", "n_rows"),
    [
        ("ei", QUICK, [None] * 5),
        ("hypertune", SUBSETS, [50] * 4 + [None]),
        ("fabolas", GAIN | {"sizes": [50, 100, 200], "n_initial": 2, "incumbent": "last_seen"}, None),
    ],
)
def test_methods_that_know_no_epochs_train_networks_for_those_of_the_settings(method, block, n_rows):
    table = of_digits(method, "mlp", 5, block, epochs=2, space="small")
    rows = table["n_rows"].astype(float).fillna(200)
    assert table["cost"].equals(2 * rows)
    assert table["curve"].map(lambda text: len(json.loads(text))).eq(2).all()
    if n_rows is not None:
        assert rows.tolist() == [n or 200 for n in n_rows]


def test_epochs_are_the_learners_own_unless_set():
    few = {name: value for name, value in FEW.items() if name != "n_initial"}
    assert problem("mlp", "digits", 0, few).n_epochs == 20
    assert problem("mlp", "digits", 0, few | {"epochs": 3}).n_epochs == 3
    assert problem("svm_rff", "digits", 0, few).n_epochs == 27
    assert learners.n_epochs("cifar_cnn") == 25  # document 004
    assert learners.n_epochs("svm") is None
    with pytest.raises(ValueError, match="mnist_cnn needs a number of epochs"):
        problem("mnist_cnn", "digits", 0, few | {"space": "grid"}).evaluate(TrialTask(0, {}), lambda *_: True)


@pytest.mark.parametrize(("block", "most"), [({}, 27), ({"epochs": 9}, 9)])
def test_hyperband_gives_at_most_the_epochs_that_others_train(block, most):
    table = of_digits("hyperband", "svm_rff", 4, {"brackets": [1]}, **block)
    assert table["epochs"].tolist() == [most // 3] * 4  # the first rung has more candidates than that
    whole = of_digits("hyperband", "svm_rff", 2, {"brackets": [0], "max_resource": 4}, **block)
    assert whole["epochs"].tolist() == [4, 4]


def test_the_size_of_a_draw_is_that_of_the_settings():
    bernoulli_problem = problem("bernoulli_nb", "digits", 0, {"n_train": 100, "n_valid": 200, "n_test": 300})
    assert isinstance(bernoulli_problem, LearnerProblem)
    assert [
        len(part[1])
        for part in (bernoulli_problem.parts.train, bernoulli_problem.parts.valid, bernoulli_problem.parts.test)
    ] == [100, 200, 300]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: problem("function", "sphere", 0, {}), "unknown function 'sphere'; known: branin, hartmann6"),
        (lambda: problem("sphere", "digits", 0, {}), "unknown learner 'sphere'"),
        (
            lambda: problem("svm", "digits", 0, {"scaler": "log"}),
            "unknown scaler 'log'; known: none, min_max, robust, standard",
        ),
        (
            lambda: problem("mlp", "digits", 0, {"scaler": "min_max"}),
            "scaler must be left out, since mlp is a network, got 'min_max'",
        ),
        (
            lambda: problem("svm", "digits", 0, {"n_trian": 9}),
            "unknown setting 'n_trian'; known: n_train",
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
        (
            lambda: problem("svm", "digits", 0, {"epochs": 3}),
            "epochs must be left out, since svm does not train in epochs, got 3",
        ),
        (
            lambda: search("hyperband", "svm_rff", "digits", 0, 3, FEW | {"epochs": 2}),
            "max_resource must be at least reduction_factor . min_resource = 3, or no bracket has two",
        ),
        (
            lambda: search(
                "hypertune", "svm", "digits", 0, 9, FEW | {"strategies": {"hypertune": {"signs": {"c": 1}}}}
            ),
            "signs must be for C, gamma, got one for 'c'",
        ),
        (lambda: problem("knn", "digits", 0, {"n_train": 1.5}), "n_train must be at least 1 and a whole number"),
        (lambda: problem("knn", "digits", 0, {"n_valid": True}), "n_valid must be at least 1 and a whole number"),
        (lambda: problem("knn", "digits", 0, {"n_test": "all"}), "n_test must be at least 0 and a whole number"),
        (lambda: problem("knn", "digits", 0, {"space": ""}), "unknown space of knn ''"),
        (lambda: problem("lookup", "svm", 0, {"epochs": 3}), "since lookup does not train in epochs, got 3"),
        (
            lambda: search("ei", *ON_BRANIN, 0, 9, {"n_train": 50}),
            "n_train must be left out, since function does not take it, got 50",
        ),
        (
            lambda: problem("curves", "mlp", 0, {"table": "curves.parquet", "space": "grid"}),
            "space must be left out, since curves does not take it, got 'grid'",
        ),
        (
            lambda: problem("knn", "digits", 0, {"table": "fits.parquet"}),
            "table must be left out, since knn does not take it, got 'fits.parquet'",
        ),
        (lambda: problem("lookupp", "svm", 0, {"table": "fits.parquet"}), "unknown learner 'lookupp'"),
        (lambda: problem("mlp", "digits", 0, {"epochs": 0}), "epochs must be at least 1"),
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


def test_kinds_of_problems_and_the_files_of_their_settings_have_the_same_names_in_every_layer():
    assert set(PROBLEMS) == set(_OF_STORED)
    assert {name for names in _OF_STORED.values() for name in names} == set(READ_BY_SETTINGS)
