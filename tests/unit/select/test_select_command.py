import json
import os
import re
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import joblib
import numpy as np
import pandas as pd
import pytest
from endless import Endless
from sklearn.datasets import load_iris
from sklearn.metrics import get_scorer
from sklearn.naive_bayes import GaussianNB

from frugal.arguments import make_parser
from frugal.cli import main
from frugal.datasets import DatasetError
from frugal.datasets.user_table import read_table
from frugal.interface import RunError
from frugal.select import report, run
from frugal.select.learned import Learned
from frugal.select.models import Size, default_names, space_of, trial_space_of
from frugal.select.problem import problem_of, splitter


@pytest.fixture
def select(table, capsys):
    def run(*options, frame=table, name="mine.csv"):
        frame.to_csv(name, sep=";", index=False)
        status = main(["select", name, "--n-candidates", "12", "--n-folds", "3", *map(str, options)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_a_classification_with_words_dates_and_gaps(select, table):
    options = ("--target", "dear", "--drop", "price", "--output", "model.joblib", "--results", "results.parquet")
    status, out, err = select(*options)
    assert status == 0, err
    assert "dear has 2 different values: a classification\n" in out
    assert "left out: id, an identifier" in out
    assert "1 of dates: built" in out
    assert "always 'no'" in out
    assert "fits in place of 36" in out
    assert out.endswith("model.joblib has the best one, fitted to all rows, for joblib.load\n")
    model = joblib.load("model.joblib")
    assert (model.predict(table.assign(town="Chur")) == table["dear"]).mean() > 0.7
    results = pd.read_parquet("results.parquet")
    assert len(results) == 12
    assert results["rank"].iloc[0] == 1
    assert json.loads(results["hyperparameters"].iloc[0])
    assert results["n_folds_evaluated"].between(0, 3).all()


def test_a_regression(select):
    status, out, err = select("--drop", "dear", "--estimators", "ridge", "random_forest")
    assert status == 0, err
    assert "different values: a regression\n" in out
    score = float(out.split("r2 ")[1].split(";")[0])
    assert score > 0.7
    assert "always the mean" in out


@pytest.mark.parametrize(("factor", "shown"), [(1e-6, r"-\d\.\d+e-\d\d"), (1e6, r"-\d\.\d+e\+\d\d")])
def test_scores_far_from_1_are_shown_by_their_digits(select, table, factor, shown):
    options = ("--drop", "dear", "--estimators", "ridge", "--scoring", "neg_mean_squared_error")
    status, out, err = select(*options, frame=table.assign(price=factor * table["price"]))
    assert status == 0, err
    assert re.search(rf"neg_mean_squared_error {shown}; always the mean: {shown}\n", out), out
    assert len(re.findall(rf"Ridge, {shown} \(sd ", out)) > 1


def test_groups_stay_together_and_are_not_learned_from(select):
    status, out, err = select("--target", "dear", "--drop", "price", "--groups", "street", "--estimators", "knn")
    assert status == 0, err
    (line,) = [line for line in out.splitlines() if "street" in line]
    assert line.startswith("the rows of each of ")
    assert line.endswith(" values of street stay in one fold")


def test_a_score_that_flatters_is_noted(select, table):
    rare = table.assign(dear=np.where(np.arange(len(table)) % 30 == 0, "yes", "no"))
    status, out, _ = select("--target", "dear", "--drop", "price", "--estimators", "knn", frame=rare)
    assert status == 0
    assert "8 of 240 rows are not 'no': always saying 'no' is right in 96.7 %" in out
    assert "--scoring balanced_accuracy tells more" in out
    assert "better than always 'no'" in out


def test_a_copy_of_the_target_is_left_out(select, table):
    status, out, _ = select(
        "--target", "dear", "--drop", "price", frame=table.assign(code=(table["dear"] == "yes") * 7)
    )
    assert status == 0
    assert "left out: code, a copy of the target (leakage)" in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--target", "dera"), "mine.csv has no column 'dera' (target): use one of id, size, "),
        (("--groups", "road"), "mine.csv has no column 'road' (groups): use one of "),
        (
            ("--task", "regression", "--target", "dear"),
            "mine.csv has values of 'dear' that are not finite numbers",
        ),
        (("--scoring", "acuracy"), "unknown scoring 'acuracy'; did you mean 'accuracy'?"),
        (("--estimators", "random_woods"), "unknown estimator for regression 'random_woods'; known: ridge, svm, "),
        (("--target", "town", "--groups", "dear"), "mine.csv has 2 groups, fewer than 3 folds"),
        (("--target", "dear", "--groups", "size"), "mine.csv has 24 rows without 'size' (groups)"),
        (("--drop", "dear", "--scoring", "accuracy"), "the scoring accuracy cannot be computed for price: "),
        (
            ("--drop", "dear", "--estimators", "ridge", "--time-limit", "0.000001"),
            "no fit was made; is the limit of fits or of time too small?",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(select, options, sentence):
    status, _, err = select(*options)
    assert status == 2
    assert sentence in err.splitlines()[-1]


@pytest.mark.parametrize("n_first", [1, 2])
def test_candidates_that_share_the_best_score_are_counted(table, n_first):
    problem = problem_of("mine.csv", table.drop(columns="price"))
    found, _ = run.search(problem, estimators=["bernoulli_nb"], n_folds=2)
    run.fit(problem, found)
    found.cv_results_["rank_test_score"] = np.arange(len(found.cv_results_["params"])) // n_first + 1
    notes = report.caveats(problem, found, report.baseline(problem, found))
    assert ("2 candidates share the best score; the first that was listed is taken" in notes) is (n_first == 2)


def test_the_file_may_follow_the_names_of_estimators(capsys):
    parse = make_parser().parse_args
    before = parse(["select", "mine.csv", "--estimators", "svm", "knn"])
    after = parse(["select", "--estimators", "svm", "knn", "mine.csv"])
    assert before == after
    assert (after.data, after.estimators) == ("mine.csv", ["svm", "knn"])
    assert parse(["select", "--estimators", "svm", "--target", "y", "mine.csv"]).data == "mine.csv"
    with pytest.raises(SystemExit, match="2"):
        parse(["select", "--estimators", "svm"])
    assert capsys.readouterr().err.splitlines()[-1].endswith("arguments are required: data")


FAST = ("--drop", "price", "--target", "dear", "--estimators", "bernoulli_nb")


def test_a_search_that_is_cut_says_on_how_many_folds_it_judges(table):
    problem = problem_of("mine.csv", table.drop(columns="price"))
    found, _ = run.search(problem, estimators=["bernoulli_nb"], n_folds=5, max_fits=1)
    with pytest.warns(UserWarning, match="before any candidate had a score on all its folds"):
        run.fit(problem, found)
    baseline = report.baseline(problem, found)
    assert " of 1 of 5 folds; always 'no': " in report.comparison(found, baseline)
    assert report.fold_cost(problem, found) == "1 fits; max_fits=1 was reached, an exhaustive search makes 320"
    assert "at most one fold" in report.caveats(problem, found, baseline)[-1]


def test_halving_counts_no_rows_that_it_did_not_learn_from(table):
    problem = problem_of("mine.csv", table.drop(columns="price"))
    options = {"n_candidates": 20, "n_folds": 3}
    found, _ = run.search(problem, estimators=["bernoulli_nb"], strategy="successive_halving", **options)
    run.fit(problem, found)
    cost = report.fold_cost(problem, found)
    assert cost.endswith(f"most of them on a part of the rows, in place of {found.n_fits_exhaustive_} on all")
    assert "training rows" not in cost
    ranked = report.ranking(found)
    n_rows = found.cv_results_["n_rows"]
    assert sorted(ranked["n_rows"]) == sorted(n_rows)
    assert f", given {n_rows.max()} rows: " in report.format_ranking(ranked).splitlines()[0]


def test_rows_of_groups_are_counted_by_fold_and_kept_fits_by_the_journal(table, tmp_path):
    options = {"estimators": ["bernoulli_nb"], "n_candidates": 4, "n_folds": 3, "strategy": "standard"}
    for kept in ("", ", 12 of them from the journal"):
        problem = problem_of("mine.csv", table.drop(columns="price"), groups="street")
        found, _ = run.search(problem, journal=tmp_path / "kept.jsonl", **options)
        run.fit(problem, found)
        # every one of 240 rows is in two of three training parts, of 4 candidates
        expected = f"12 fits{kept} in place of 12, 1,920 training rows in place of 1,920"
        assert report.fold_cost(problem, found).startswith(expected)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--scoring", "f1"), "the scoring f1 cannot be computed for dear: pos_label=1 is not a valid label"),
        (("--scoring", "r2"), "the scoring r2 cannot be computed for dear: "),
        (("--scoring", "f1", "--positive", "maybe"), "positive must be one of no, yes"),
        (
            ("--scoring", "accuracy", "--positive", "yes"),
            "accuracy has no positive class: leave out --positive",
        ),
        (("--scoring", "f1_macro", "--positive", "yes"), "f1_macro has no positive class: leave out --positive"),
        (
            ("--scoring", "neg_log_loss", "--estimators", "svm"),
            "no estimator is left; left out: svm, without predict_proba",
        ),
        (("--groups", "dear"), "the column 'dear' cannot be target and groups at once"),
        (("--drop", "dear"), "the column 'dear' cannot be target and drop at once"),
        (("--results", "r.xlsx"), "r.xlsx must end in .csv or .parquet"),
    ],
)
def test_what_cannot_be_scored_is_refused_before_any_fit(select, options, sentence):
    status, out, err = select(*FAST, *options)
    assert status == 2
    assert sentence in err
    assert "Searching" not in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--strategy", "gredy"), "unknown strategy 'gredy'; known: "),
        (("--n-folds", "1"), "--n-folds must be at least 2 and a whole number, got 1"),
        (("--workers", "0"), "--workers must be at least 1 and a whole number, got 0"),
    ],
)
def test_options_are_refused_before_the_table_is_read(capsys, options, sentence):
    assert main(["select", "no_such_table.csv", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_search_whose_fits_all_fail_says_so_in_one_sentence(select, monkeypatch):
    monkeypatch.setattr(run, "transformer", Endless)
    status, _, err = select(*FAST, "--fit-timeout", "0.000001")
    assert status == 3
    assert re.search(r"frugal select: all \d+ fits failed, the first with: .*took more than 1e-06 s", err)


def test_the_positive_class_can_be_named(select):
    status, out, err = select(*FAST, "--scoring", "f1", "--positive", "yes")
    assert status == 0, err
    assert "f1_score of 'yes' 0." in out
    assert "nan" not in out


def test_estimators_without_what_the_scoring_needs_are_left_out(select):
    status, out, err = select(
        *FAST[:-2], "--scoring", "neg_log_loss", "--estimators", "svm", "bernoulli_nb", "logistic_regression"
    )
    assert status == 0, err
    assert "left out: svm, without predict_proba, which neg_log_loss needs" in out
    assert "nan" not in out
    assert float(out.split("always 'no': ")[1].split()[0]) > -1  # the shares of the classes, no certainty


def test_learners_of_ours_have_probabilities_where_they_know_them(table):
    X, y = table[["id", "street"]], table["dear"]
    model = Learned("bernoulli_nb").fit(X, y)
    assert model.predict_proba(X).shape == (len(table), 2)
    assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all()
    assert not hasattr(Learned("decision_tree"), "decision_function")


def test_a_search_without_a_score_fails(table):
    problem = problem_of("mine.csv", table.drop(columns="price"))
    found, _ = run.search(problem, estimators=["bernoulli_nb"], n_candidates=2, n_folds=2)
    found.fit = lambda *args, **options: setattr(found, "best_score_", np.nan)
    with pytest.raises(RunError, match="no candidate has a score"):
        run.fit(problem, found)


def test_a_fit_that_takes_long_is_not_silent(table, monkeypatch, capsys):
    was_said = Event()

    def say(line, **options):
        print(line, **options)
        was_said.set()

    monkeypatch.setattr(run, "BEAT_S", 0.05)
    monkeypatch.setattr(run, "print", say, raising=False)
    problem = problem_of("mine.csv", table.drop(columns="price"))
    found, _ = run.search(problem, estimators=["bernoulli_nb"], n_candidates=2, n_folds=2)
    found.fit = lambda *args, **options: (was_said.wait(60), setattr(found, "best_score_", 1.0))
    run.fit(problem, found)
    assert re.match(r"still fitting, \d+ s so far\n", capsys.readouterr().out)


@pytest.mark.parametrize("error", [BrokenPipeError, ValueError("I/O operation on closed file")])
def test_a_line_that_nobody_can_read_stops_no_further_ones(table, monkeypatch, error):
    tried, twice = [], Event()

    def refuse(line, **options):
        tried.append(line)
        if len(tried) > 1:
            twice.set()
        raise error

    monkeypatch.setattr(run, "BEAT_S", 0.05)
    monkeypatch.setattr(run, "print", refuse, raising=False)
    problem = problem_of("mine.csv", table.drop(columns="price"))
    found, _ = run.search(problem, estimators=["bernoulli_nb"], n_candidates=2, n_folds=2)
    found.fit = lambda *args, **options: (twice.wait(60), setattr(found, "best_score_", 1.0))
    run.fit(problem, found)
    assert len(tried) > 1


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([1.5, 2.5, 3.5] * 6, "regression"),
        (list(range(18)), "regression"),
        (list(range(21)) * 100, "regression"),
        ([0, 1] * 3, "classification"),
        ([0, 1, 2] * 10, "classification"),
        ([1.0, 2.0, np.nan] * 10, "classification"),
        ([True, False] * 10, "classification"),
        (["1.5", "2.5", "?"] + ["3.25"] * 30, "regression"),
        (["a", "b"] * 10, "classification"),
    ],
)
def test_the_task_is_told_by_the_target(values, task):
    rng = np.random.default_rng(0)
    problem = problem_of("t", pd.DataFrame({"x": rng.normal(size=len(values)), "y": pd.Series(values)}))
    assert problem.task == task


def test_spaces_around_the_words_of_a_target_make_no_further_classes():
    words = pd.Series(["yes", " yes", "no ", "no", " "] * 8)
    problem = problem_of("t", pd.DataFrame({"x": np.random.default_rng(0).normal(size=40), "y": words}))
    assert sorted(problem.target.unique()) == ["no", "yes"]
    assert "8 rows without y are left out" in problem.notes


def test_a_model_that_cannot_be_written_leaves_the_ranking(select, monkeypatch):
    monkeypatch.setattr(joblib, "dump", Mock(side_effect=OSError(28, "No space left on device")))
    status, out, err = select("--target", "dear", "--drop", "price", "--output", "m.joblib", "--results", "r.csv")
    assert status == 3
    assert "m.joblib: no space left on device" in err
    assert "fits in place of 36" in out
    assert not list(Path.cwd().glob("*m.joblib*"))
    assert len(pd.read_csv("r.csv")) == 12


@pytest.mark.parametrize("error", [MemoryError("9 GiB"), BrokenExecutor("no worker is left"), KeyboardInterrupt()])
def test_a_search_that_ends_early_shows_and_writes_the_best_so_far(select, monkeypatch, error):
    def fit(problem, found, fit=run.fit):
        fit(problem, found)
        raise error

    monkeypatch.setattr(run, "fit", fit)
    status, out, err = select("--target", "dear", "--drop", "price", "--output", "m.joblib")
    assert status == (130 if isinstance(error, KeyboardInterrupt) else 3)
    assert (str(error) or "stopped; run the same command again") in err
    assert out.endswith("m.joblib has the best one, fitted to all rows, for joblib.load\n")
    assert joblib.load("m.joblib").predict


def test_words_of_a_target_that_look_missing_are_classes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7}.5,{('None', 'NA', 'some', '')[i % 4]}\n" for i in range(40)))
    table, _ = read_table(path)
    problem = problem_of(path, table)
    assert sorted(problem.target.unique()) == ["NA", "None", "some"]
    assert "10 rows without y are left out" in problem.notes


def test_classes_are_those_of_the_table_without_the_rows_that_lack_one():
    x = np.random.default_rng(0).normal(size=40)
    flags = problem_of("t", pd.DataFrame({"x": x, "y": pd.Series([True, False, None, True] * 10)}))
    assert (flags.target.dtype, len(flags.target)) == (bool, 30)
    nullable = pd.Series([True, False, None, True] * 10, dtype="boolean")
    assert problem_of("t", pd.DataFrame({"x": x, "y": nullable})).target.dtype == bool
    numbers = problem_of("t", pd.DataFrame({"x": x, "y": pd.Series([1, 0, np.nan, 1] * 10)}))
    assert (numbers.target.dtype.kind, set(numbers.target)) == ("i", {0, 1})


def test_a_word_that_looks_missing_is_a_class_beside_numbers():
    x = np.random.default_rng(0).normal(size=40)
    for rare in (1, 10):
        y = ["0", "1", "1"] * 13 + ["1"]
        y[:rare] = ["NA"] * rare
        problem = problem_of("t", pd.DataFrame({"x": x, "y": pd.Series(y)}))
        assert sorted(problem.target.unique()) == ["0", "1", "NA"]
        assert len(problem.target) == 40


def test_an_infinite_class_is_left_out():
    x = np.random.default_rng(0).normal(size=40)
    problem = problem_of("t", pd.DataFrame({"x": x, "y": [0.0, 1.0] * 19 + [np.inf, 1.0]}))
    assert (problem.task, len(problem.target)) == ("classification", 39)


def test_a_column_may_be_named_self():
    x = np.random.default_rng(0).normal(size=40)
    for names in (("self", "y"), ("x", "self")):
        table = pd.DataFrame({names[0]: x, names[1]: [0, 1] * 20})
        assert problem_of("t", table, target=names[1]).table.columns.tolist() == [names[0]]


def test_truth_can_be_a_regressions_target_and_repeated_rows_are_said():
    table = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.0] * 5, "y": [True, False, True, True] * 5})
    problem = problem_of("t", table, task="regression")
    assert problem.target.tolist()[:2] == [1, 0]
    assert "16 of 20 rows repeat another one" in problem.notes[-1]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_small_tables_fit_the_space_of_all_estimators(task):
    rng = np.random.default_rng(0)
    y = np.arange(36) % 12 if task == "classification" else rng.normal(size=36)
    table = pd.DataFrame({"a": rng.normal(size=36), "b": rng.normal(size=36), "y": y})
    problem = problem_of("t", table, task=task)
    found, _ = run.search(problem, n_candidates=20, n_folds=3, strategy="standard")
    run.fit(problem, found.set_params(error_score="raise"))
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_neighbours_are_no_more_than_the_first_rung_of_halving_has_rows():
    rng = np.random.default_rng(0)
    problem = problem_of("t", pd.DataFrame({"a": rng.normal(size=245), "y": np.arange(245) % 2}))
    found, _ = run.search(problem, estimators=["knn"], strategy="successive_halving")
    run.fit(problem, found.set_params(error_score="raise"))
    first = found.cv_results_["n_rows"].min()
    assert first < 50
    neighbours = found.cv_results_["param_model__n_neighbors"].astype(int)
    assert 4 < neighbours.max() <= int(first / 245 * 196) == 15


def test_repeats_within_a_group_are_in_one_fold_and_not_noted():
    rows = {"x": [1.5, 2.5, 3.5, 4.0] * 5, "g": [0, 1, 2, 3] * 5, "y": [True, False, True, True] * 5}
    table = pd.DataFrame(rows)
    assert not any("repeat" in note for note in problem_of("t", table, target="y", groups="g").notes)
    assert any("repeat" in note for note in problem_of("t", table.drop(columns="g")).notes)
    apart = table.assign(g=range(20))
    assert any("repeat" in note for note in problem_of("t", apart, target="y", groups="g").notes)


def test_a_positive_class_is_asked_for_unless_it_is_plain():
    table = pd.DataFrame({"x": np.random.default_rng(0).normal(size=40), "y": [1, 2] * 20})
    problem = problem_of("t", table)
    with pytest.raises(ValueError, match="scoring f1 needs a positive class: --positive names it, 1 or 2"):
        run.scorer_of(problem, "f1", None)
    assert run.scorer_of(problem, "f1", "2")[1]._kwargs["pos_label"] == 2
    for plain in ([0, 1], [-1, 1], [False, True], [0.0, 1.0]):
        assert run.scorer_of(problem_of("t", table.assign(y=plain * 20)), "f1", None)[0] == "f1"


def test_spaces_around_a_group_make_no_further_group():
    rows = {"x": np.arange(12) ** 0.5, "g": ["a", " a", "b", "b "] * 3, "y": [0, 1] * 6}
    problem = problem_of("t", pd.DataFrame(rows), groups="g")
    assert sorted(set(problem.groups)) == ["a", "b"]
    with pytest.raises(DatasetError, match=r"t has 3 rows without 'g' \(groups\)"):
        problem_of("t", pd.DataFrame(rows | {"g": ["a", " ", "b", "b "] * 3}), groups="g")


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_rows_of_a_group_stay_in_one_fold(table, task):
    other = {"classification": "price", "regression": "dear"}[task]
    problem = problem_of("t", table.drop(columns=other), groups="street", task=task)
    assert problem.groups.nunique() < len(table)
    for train, valid in splitter(problem, 3, 0).split(problem.table, problem.target, problem.groups):
        assert not set(problem.groups.iloc[train]) & set(problem.groups.iloc[valid])


@pytest.mark.parametrize("scoring", ["neg_brier_score", "average_precision", "f1"])
def test_a_named_positive_class_scores_as_1_does(table, scoring):
    problem = problem_of("t", table.drop(columns="price"))
    rows = table[["street"]].to_numpy()
    model, coded = (GaussianNB().fit(rows, y) for y in (problem.target, problem.target == "yes"))
    _, scorer = run.scorer_of(problem, scoring, "yes")
    expected = get_scorer(scoring)(coded, rows, (problem.target == "yes").astype(int))
    assert scorer(model, rows, problem.target) == pytest.approx(expected)


def test_large_tables_get_cheaper_spaces():
    size = Size(50_000, 500)
    (forest,) = space_of(["random_forest"], "regression", step="model", seed=0, size=size)
    assert forest["model"][0].max_samples == 0.2
    assert forest["model__max_features"].support() == (0.05, 0.5)
    for is_whole in (True, False):  # early stopping would need all classes in a tenth of the smallest part
        part = size._replace(is_whole=is_whole)
        (boosting,) = space_of(["hist_gradient_boosting"], "classification", step="model", seed=0, size=part)
        assert boosting["model"][0].early_stopping is is_whole
    assert default_names("regression", 5_000) == ("ridge", "knn", "random_forest", "hist_gradient_boosting")


def test_a_model_is_written_although_its_report_cannot_be(select, monkeypatch):
    def broken(ranked):
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(report, "format_ranking", broken)
    files = ("--output", "model.joblib", "--results", "results.csv")
    status, _, err = select("--target", "dear", "--drop", "price", "--estimators", "knn", *files)
    assert status != 0, err
    assert joblib.load("model.joblib").predict
    assert len(pd.read_csv("results.csv")) == 12


def test_a_column_that_the_terminal_has_no_letters_for_is_no_error(table):
    table.rename(columns={"size": "größe"}).to_csv("mine.csv", index=False)
    search = "select mine.csv --target dear --drop price --estimators knn --n-candidates 2 --n-folds 2"
    done = subprocess.run(
        [sys.executable, "-m", "frugal", *search.split()],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert r"gr\xf6\xdfe" in done.stdout


def test_groups_without_a_name_are_refused(select):
    status, _, err = select("--target", "dear", "--groups", "")
    assert status == 2
    assert "has no column '' (groups)" in err


def test_classes_that_a_float_would_round_are_refused():
    table = pd.DataFrame({"x": range(9), "y": [1234567890123456789, 1234567890123457789, None] * 3})
    with pytest.raises(
        DatasetError, match=r"ids\.csv has whole numbers above 2\^53 in 'y', which would be rounded"
    ):
        problem_of("ids.csv", table, task="classification")


HALVES = [1.5, 2.5] * 6


@pytest.mark.parametrize(
    ("columns", "task", "sentence"),
    [
        (
            {"x": HALVES, "y": ["no"] * 9 + [None] * 3},
            None,
            "has 9 row(s) with a 'y' and 1 different value(s) of it",
        ),
        ({"x": HALVES, "y": [None] * 12}, None, "has 0 row(s) with a 'y' and 0 different value(s) of it"),
        (
            {"x": HALVES, "y": HALVES},
            "classification",
            "has fractions in 'y', which are no classes: leave out --task",
        ),
        ({"y": ["no", "yes"] * 6}, None, "has no column to learn from: it has the target alone"),
        (
            {"town": "Bern", "copy": ["a", "b"] * 6, "y": ["no", "yes"] * 6},
            None,
            "has no column to learn from; left out: town, which has one value; "
            "left out: copy, a copy of the target (leakage)",
        ),
    ],
)
def test_a_table_that_nothing_can_be_learned_from_is_refused(columns, task, sentence):
    with pytest.raises(DatasetError) as caught:
        problem_of("mine.csv", pd.DataFrame(columns), task=task)
    assert str(caught.value).startswith(f"mine.csv {sentence}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("common", "rare", "named"), [("no", "yes", "'yes'"), (0, 1, "1"), (False, True, "True")])
def test_a_class_with_fewer_rows_than_folds_is_named(common, rare, named):
    x = np.random.default_rng(0).normal(size=12)
    problem = problem_of("mine.csv", pd.DataFrame({"x": x, "y": [common] * 10 + [rare] * 2}))
    assert len(list(splitter(problem, 2, 0).split(problem.table, problem.target))) == 2
    message = f"mine.csv has 2 row(s) of y {named}, fewer than 3 folds: leave that class out, or use fewer folds"
    with pytest.raises(DatasetError, match=f"^{re.escape(message)}$"):
        splitter(problem, 3, 0)


def test_a_regression_on_fewer_rows_than_folds_is_refused(select, table):
    status, _, err = select("--target", "price", "--drop", "dear", frame=table[:2])
    assert status == 2
    assert "mine.csv has 2 row(s) with a 'price', fewer than 3 folds" in err


def test_a_class_that_stands_in_one_group_alone_costs_no_candidate_its_folds():
    n, rng = 3000, np.random.default_rng(0)
    groups, rare = np.arange(n) % 3, np.zeros(n, dtype=int)
    rare[np.flatnonzero(groups == 0)[:19]] = 1
    rare[1] = 1
    x = rng.normal(size=n) + rare
    problem = problem_of("t", pd.DataFrame({"x": x, "g": groups, "y": rare}), groups="g", task="classification")
    validation = run._validation(problem, 3, None, None, 0)
    assert validation.size.n_rarest == 1
    (space,) = space_of(["hist_gradient_boosting"], problem.task, step="model", seed=0, size=validation.size)
    assert space["model"][0].early_stopping is False


@pytest.mark.parametrize("search", [space_of, trial_space_of])
def test_a_learner_without_defaults_has_the_probabilities_that_it_can_give(search):
    name = "sgd_logistic_regression"
    found = search([name] if search is space_of else name, "classification", step="m", seed=0, size=Size(90, 30))
    model = found[0]["m"][0] if search is space_of else found[0]
    assert hasattr(model, "predict_proba")
    assert model.fit(*load_iris(return_X_y=True)).predict_proba(np.zeros((1, 4))).shape == (1, 3)
