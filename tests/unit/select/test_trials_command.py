"""`frugal trials` on a user's own table."""

import math

import joblib
import numpy as np
import pandas as pd
import pytest
from endless import Endless
from sklearn.base import clone

from frugal.cli import main
from frugal.select import report, run
from frugal.select.learned import Learned
from frugal.select.models import known
from frugal.select.problem import problem_of


@pytest.fixture
def trials(table, capsys):
    def search(*options):
        table.to_csv("mine.csv", index=False)
        status = main(["trials", "mine.csv", "--n-folds", "3", *map(str, options)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return search


DEAR = ("--target", "dear", "--drop", "price")


def test_a_classification_trial_by_trial(trials, table):
    options = (*DEAR, "--estimator", "svm", "--n-trials", 10)
    status, out, err = trials(*options, "--output", "model.joblib", "--results", "results.parquet")
    assert status == 0, err
    assert "dear has 2 different values: a classification\n" in out
    assert "10 trials, 30 fits, " in out
    assert "always 'no'" in out
    assert (joblib.load("model.joblib").predict(table) == table["dear"]).mean() > 0.8
    results = pd.read_parquet("results.parquet")
    assert sorted(results["order"]) == list(range(1, 11))
    assert results["mean_score"].is_monotonic_decreasing
    assert (results["estimator"] == "SVC").all()


def test_the_same_command_repeats_no_trial_until_it_restarts(trials):
    options = (*DEAR, "--estimator", "bernoulli_nb", "--n-trials", 4, "--journal", "kept.parquet")
    first, second, third = (trials(*options, *more)[1] for more in ((), (), ("--restart",)))
    assert "from the journal" not in first + third
    assert "4 trials, 4 of them from the journal, 12 fits" in second
    status, _, err = trials(*options[:-1], "kept.parquet", "--scoring", "balanced_accuracy")
    assert status == 2
    assert "kept.parquet is the journal of another run, with other scoring; " in err
    assert err.endswith("delete it, or set it aside by --restart\n")
    status, _, err = trials(*options, "--workers", 2)
    assert status == 2
    assert "of another run, with another --workers; give that number again, or delete it, or set it aside" in err


def test_a_search_whose_trials_all_fail_says_so_in_one_sentence(trials, monkeypatch):
    monkeypatch.setattr(run, "transformer", Endless)
    status, _, err = trials(*DEAR, "--estimator", "bernoulli_nb", "--n-trials", 2, "--trial-timeout", 1e-6)
    assert status == 3
    assert "frugal trials: all 6 fits failed, the first with: " in err


def test_a_mistyped_strategy_is_refused_before_the_table_is_read(capsys):
    assert main(["trials", "no_such_table.csv", "--strategy", "eii"]) == 2
    assert "unknown strategy 'eii'; known: " in capsys.readouterr().err


def test_a_search_without_a_trial_is_refused(trials):
    status, _, err = trials(*DEAR, "--n-trials", 0)
    assert status == 2
    assert "--n-trials must be at least 1 and a whole number, got 0" in err


@pytest.mark.parametrize(("strategy", "is_whole"), [("random", True), ("hyperband", False), ("fabolas", False)])
def test_trials_on_a_part_of_the_rows_set_none_of_it_apart(strategy, is_whole):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=4000), "y": rng.integers(0, 2, 4000)})
    found, _ = run.trial_search(problem_of("t", table, task="classification"), strategy=strategy, n_trials=3)
    assert found.estimator.named_steps["model"].early_stopping is is_whole


def test_a_complete_candidate_that_failed_is_not_called_stopped():
    row = {"rank": 1, "estimator": "svm", "mean_score": math.nan, "hyperparameters": "{}", "n_folds_evaluated": 5}
    failed, stopped = (
        report.format_ranking(pd.DataFrame([row | {"stopped_because": why}])) for why in ("", "a fit failed")
    )
    assert (failed, stopped) == ("  1. svm, failed: ", "  1. svm, stopped after 5 folds: ")


@pytest.mark.slow
def test_hyperband_counts_the_rows_of_its_trials(table):
    many = pd.concat([table] * 4, ignore_index=True).drop(columns="price")
    problem = problem_of("mine.csv", many)
    found, notes = run.trial_search(problem, estimator="knn", strategy="hyperband", n_folds=3)
    run.fit(problem, found)
    # R = 960 rows, 100 at least, s_max = 2: 9, 3 and 1 trials, 5 and 1, and 3
    resource = found.cv_results_["resource"]
    assert [(resource == rows).sum() for rows in (107, 320, 960)] == [9, 3 + 5, 1 + 1 + 3]
    assert notes == ["hyperband gives trials a part of the rows"]
    # two thirds of the rows are for training: 71, 213 and 640 of them, three times
    given = 3 * (9 * (107 * 640 // 960) + 8 * (320 * 640 // 960) + 5 * 640)
    assert f"{given:,} training rows in place of {3 * 22 * 640:,} if each trial had all" in report.trial_cost(
        problem, found
    )
    assert "given 960" in report.format_ranking(report.ranking(found))


def test_a_trial_has_rows_enough_for_neighbours_and_classes():
    def least(n_rows, strategy="hyperband", n_folds=5, n_classes=2, **settings):
        table = pd.DataFrame(
            {"x": np.random.default_rng(0).normal(size=n_rows), "y": np.arange(n_rows) % n_classes}
        )
        return run._least_rows(problem_of("t", table, task="classification"), n_folds, strategy, settings)

    assert least(1_000) == {"min_resource": 100}
    assert least(1_000, n_classes=15) == {"min_resource": 150}
    assert least(54_000) == {"min_resource": 2_000}
    assert least(120) == {"min_resource": 40}
    assert least(5_000, "hypertune") == {"subset_rows": 500}
    assert least(1_000, "fabolas") == {"n_min": 100}
    assert least(1_000, "ei") == {}
    assert least(10_000, max_resource=150) == {"min_resource": 50}
    assert least(10_000, max_resource=150, reduction_factor=2) == {"min_resource": 75}
    assert least(10_000, "fabolas", n_max=300) == {"n_min": 100}


@pytest.mark.parametrize(
    ("strategy", "settings"), [("hyperband", {"max_resource": 150}), ("fabolas", {"n_max": 150, "n_burn": 1})]
)
def test_the_most_rows_of_a_trial_may_be_given_alone(strategy, settings):
    table = pd.DataFrame({"x": np.random.default_rng(0).normal(size=5_000), "y": np.arange(5_000) % 2})
    problem = problem_of("t", table, task="classification")
    options = {"estimator": "hist_gradient_boosting", "strategy": strategy, "n_trials": 2}
    found, _ = run.trial_search(problem, settings=settings, **options)
    assert found.set_params(error_score="raise").fit(problem.table, problem.target).n_trials_ >= 2


def test_iterations_can_be_what_trials_get_less_of(trials):
    settings = '{"max_resource": 9, "brackets": [1]}'
    options = ("--strategy", "hyperband", "--resource", "max_iter", "--settings", settings)
    status, out, err = trials(*DEAR, *options)
    assert status == 0, err
    # 5 trials of 3 and one of 9, on 3 folds
    assert "max_iter 72 in all in place of 162 if each trial had all" in out


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_estimator_takes_what_its_space_holds(task):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2 if task == "classification" else rng.normal(size=60)
    problem = problem_of(
        "t", pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60), "y": y}), task=task
    )
    for name in known(task):
        found, _ = run.trial_search(problem, estimator=name, strategy="random", n_trials=2, n_folds=2)
        run.fit(problem, found.set_params(error_score="raise"))
        assert np.isfinite(found.cv_results_["mean_test_score"]).all(), name


def test_a_learner_of_ours_takes_hyperparameters_one_by_one():
    model = clone(Learned("knn", {"weights": "uniform"}).set_params(n_neighbors=3, seed=2))
    assert (model.candidate, model.seed) == ({"weights": "uniform", "n_neighbors": 3}, 2)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--target", "dera"), "mine.csv has no column 'dera' (target): use one of id, size, "),
        (("--estimator", "random_woods"), "unknown estimator for regression 'random_woods'; known: ridge, svm, "),
        (("--strategy", "greedy"), "'greedy' is a strategy of FoldSearchCV and `frugal select`; known here: "),
        (("--resource", "depth"), "unknown resource of hist_gradient_boosting 'depth'; known: n_samples, "),
        (("--resource", "n_samples"), "ei gives every trial the full resource, so resource must be None"),
        (("--scoring", "accuracy"), "the scoring accuracy cannot be computed for price: "),
        ((*DEAR, "--estimator", "svm", "--scoring", "neg_log_loss"), "svm cannot be searched: it is without "),
        (("--results", "r.xlsx"), "r.xlsx must end in .csv or .parquet"),
        (("--time-limit", "0.000001"), "no trial was made; is the limit of time too small?"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(trials, options, sentence):
    status, _, err = trials("--drop", "dear", *options) if DEAR[0] not in options else trials(*options)
    assert status == 2
    assert sentence in err.splitlines()[-1]


@pytest.mark.parametrize(("flag", "needs"), [("--learner", "--dataset"), ("--dataset", "--learner")])
def test_a_learner_or_a_dataset_by_name_is_no_table(capsys, flag, needs):
    with pytest.raises(SystemExit):
        main(["trials", "ei", flag, "knn"])
    errors = capsys.readouterr().err
    assert "frugal trials: error: the following arguments are required" in errors
    assert needs in errors.splitlines()[-1]
