"""Look-up problems, the tables behind them, and what is refused; digits stand for MNIST."""

import json
import math
from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MinMaxScaler

from frugal.benchmarks.look_up_jobs import grid_of, measure_part, part_of, problem_of
from frugal.benchmarks.lookup import LookUpProblem, check_cells, recheck
from frugal.benchmarks.measured import COLUMNS, measure
from frugal.datasets import load
from frugal.interface import TrialTask
from frugal.learners import build
from frugal.spaces import Choice, Ordinal, SearchSpace, as_json
from frugal.trials.lines import Lines
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem

SPACE = SearchSpace({"alpha": Ordinal((0.5, 2.0)), "binarize": Ordinal((0.0, 0.5)), "fit_prior": Choice((True,))})


def never_asked(task, epoch, score):
    raise AssertionError("a table reports no epochs")


@pytest.fixture(scope="module")
def problem():
    data = load("digits")
    return LearnerProblem("bernoulli_nb", data, split(data, n_valid=300, n_test=300, seed=0), SPACE)


@pytest.fixture(scope="module")
def table(problem):
    return measure(problem, SPACE.grid(), [40, 160], [3, 2])


def test_a_cell_is_the_trial_that_it_stands_for(problem, table):
    lookup = LookUpProblem(table)
    for candidate in SPACE.grid():
        for n_rows, subset in ((40, 2), (160, 1)):
            task = TrialTask(7, candidate, n_rows, subset)
            live, kept = problem.evaluate(task, never_asked), lookup.evaluate(task, never_asked)
            assert (kept.task, kept.error, kept.cost) == (task, live.error, live.cost)
            assert (kept.reason, kept.overhead_s) == ("", 0.0)
            assert lookup.test_error(candidate, n_rows, subset) == problem.test_error(candidate, n_rows, subset)
    row = table[(table["candidate"] == as_json(candidate)) & (table["n_rows"] == 160) & (table["subset"] == 1)]
    assert kept.seconds == row["seconds"].item() > 0


def test_a_table_says_what_it_has(table):
    lookup = LookUpProblem(table.sample(frac=1, random_state=0))
    assert (lookup.name, lookup.data) == ("bernoulli_nb on digits", "original")
    assert lookup.sizes == (40, 160)
    assert lookup.n_subsets == {40: 3, 160: 2}
    assert lookup.space.dimensions["alpha"] == Ordinal((0.5, 2.0))
    assert lookup.space.dimensions["fit_prior"] == Choice((True,))


def test_no_number_of_rows_is_the_most_and_draws_wrap_around(table):
    lookup, candidate = LookUpProblem(table), SPACE.grid()[0]

    def answer(n_rows, subset):
        trial = lookup.evaluate(TrialTask(0, candidate, n_rows, subset), never_asked)
        return trial.error, trial.seconds, trial.cost

    assert answer(None, 1) == answer(160, 1) == answer(160, 5)
    assert answer(40, 7) == answer(40, 1) != answer(40, 2)
    assert answer(None, 0)[2] == 160.0
    assert lookup.test_error(candidate) == lookup.test_error(candidate, 160, 0)


def test_a_failed_fit_is_a_cell_with_its_reason(problem):
    candidates = [{"alpha": -1.0, "binarize": 0.0}, {"alpha": 1.0, "binarize": 0.0}]
    table = measure(problem, candidates, [40], [1])
    trial = LookUpProblem(table).evaluate(TrialTask(0, candidates[0]), never_asked)
    assert math.isnan(trial.error)
    assert "alpha" in trial.reason
    assert math.isnan(LookUpProblem(table).test_error(candidates[0]))
    assert not math.isnan(LookUpProblem(table).test_error(candidates[1]))
    check_cells(recheck(table, problem, 2, np.random.default_rng(0)))  # failed live as well, so equal


def test_a_killed_measurement_goes_on_and_ends_in_the_same_table(problem, table, tmp_path, monkeypatch):
    path, evaluate, n_calls = tmp_path / "part.jsonl", LearnerProblem.evaluate, []

    def killed_at_the_eighth(self, task, report):
        n_calls.append(task)
        if len(n_calls) == 8:
            raise KeyboardInterrupt
        return evaluate(self, task, report)

    monkeypatch.setattr(LearnerProblem, "evaluate", killed_at_the_eighth)
    with pytest.raises(KeyboardInterrupt):
        measure(problem, SPACE.grid(), [40, 160], [3, 2], path)
    with path.open("a") as file:
        file.write('{"candidate": "cut off')
    again = measure(problem, SPACE.grid(), [40, 160], [3, 2], path)
    assert len(n_calls) == 8 + len(table) - 7
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), table.drop(columns="seconds"))
    with pytest.raises(ValueError, match=r"part\.jsonl is the journal of .*delete it"):
        measure(problem, SPACE.grid()[:2], [40, 160], [3, 2], path)


def test_the_journal_of_a_table_is_closed(problem, tmp_path):
    with mock.patch.object(Lines, "close", autospec=True, side_effect=Lines.close) as close:
        measure(problem, SPACE.grid()[:1], [40], [1], tmp_path / "part.jsonl")
    close.assert_called_once()


def test_a_recheck_fits_the_cells_anew_and_a_wrong_one_is_refused(problem, table):
    cells = recheck(table, problem, 3, np.random.default_rng(0))
    assert len(cells) == len(cells.drop_duplicates(["candidate", "n_rows", "subset"])) == 3
    assert (cells["error"] == cells["live_error"]).all()
    assert (cells["max_difference"] == 0).all()
    assert (cells["live_seconds"] > 0).all()
    check_cells(cells)
    one_off = table.assign(error=table["error"] + 1 / 300)
    with pytest.raises(ValueError, match=r"on draw . of .* rows has the error .* live; they may differ by 0"):
        check_cells(recheck(one_off, problem, 1, np.random.default_rng(0)))
    check_cells(recheck(one_off, problem, 1, np.random.default_rng(0)).assign(max_difference=1 / 300))
    with pytest.raises(ValueError, match="on draw"):
        check_cells(cells.assign(live_error=math.nan))
    with pytest.raises(ValueError, match="n_cells must be at least 1, at most 20, the cells of the table"):
        recheck(table, problem, 21, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"the table is of .*'seed': 4.*, the problem of .*'seed': 0"):
        recheck(table.assign(seed=4), problem, 1, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="test_error"), "lacks the column 'test_error'; it has learner, dataset"),
        (lambda t: t.head(0), "must have at least one cell, got none"),
        (lambda t: pd.concat([t, t.iloc[[4]]]), r"each cell once; .* on draw 1 of 40 rows is there twice"),
        (
            lambda t: t.assign(candidate=["{C: 1}", *t["candidate"][1:]]),
            "candidate of a look-up table must be a JSON object, got '{C: 1}'",
        ),
        (
            lambda t: t.assign(candidate=[np.nan, *t["candidate"][1:]]),
            "candidate of a look-up table must be a JSON object, got nan",
        ),
        (
            lambda t: t.assign(candidate=['{"layers": [50, 50]}', *t["candidate"][1:]]),
            r"'layers' of a look-up table must be a number, text, true, false or null, got \[50, 50\]",
        ),
        (lambda t: t.drop(index=3), "every combination of its values at every size and draw, 20 cells, got 19"),
        (lambda t: t[t["subset"] != 0], r"draws of 40 rows must be numbered from 0 on, got \[1, 2\]"),
        (
            lambda t: t.assign(subset=t["subset"].where(t["n_rows"] != 40, t["subset"] - 1)),
            r"draws of 40 rows must be numbered from 0 on, got \[-1, 0, 1\]",
        ),
        (lambda t: t.assign(seed=range(len(t))), "must be of one learner, dataset, data and seed, got several"),
        (
            lambda t: t.assign(candidate=['{"a": 1}', *t["candidate"][1:]]),
            r"must have the same hyperparameters, as the first: \['a'\]",
        ),
    ],
)
def test_what_is_no_whole_table_is_refused(table, change, message):
    with pytest.raises(ValueError, match=message):
        LookUpProblem(change(table))


def test_equal_values_of_two_types_are_refused(table):
    doubled = table["candidate"].str.replace('"alpha": 2.0', '"alpha": 2')
    with pytest.raises(
        ValueError, match=r"equal values of a look-up table must be of one type, got 0\.5, 2, 2\.0"
    ):
        LookUpProblem(pd.concat([table, table.assign(candidate=doubled)[table["candidate"] != doubled]]))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"n_rows": 80}, "bernoulli_nb on digits has no 80 rows; it has 40, 160"),
        ({"subset": -1}, "subset must be at least 0 and a whole number, got -1"),
        ({"epochs": 3}, "has no epochs"),
        ({"resume_from": 3}, "has no epochs"),
        ({"candidate": {"alpha": 1.0, "binarize": 0.0, "fit_prior": True}}, r"1.0 is not one of \[0.5, 2.0\]"),
        (
            {"candidate": {"alpha": 0.5}},
            r"expected values for \['alpha', 'binarize', 'fit_prior'\], got \['alpha'\]",
        ),
    ],
)
def test_a_task_that_the_table_lacks_is_refused_with_what_it_has(table, task, message):
    with pytest.raises(ValueError, match=message):
        LookUpProblem(table).evaluate(TrialTask(**{"id": 0, "candidate": SPACE.grid()[0]} | task), never_asked)


@pytest.mark.parametrize(
    ("sizes", "n_subsets", "message"),
    [
        ([40, 9], [1, 1], "sizes must be at least 10, the number of classes, got 9"),
        (
            [40, 1198],
            [1, 1],
            "sizes must be at least 10, at most 1197, the training rows, and a whole number, got 1198",
        ),
        ([40, 40], [1, 1], r"none of them twice, got \[40, 40\]"),
        ([], [], "at least one number of rows"),
        ([40, 80], [1], "n_subsets must hold a number per size, so 2, got 1"),
        ([40], [0], "n_subsets must be at least 1 and a whole number, got 0"),
        ([40.5], [1], "sizes must be at least 1 and a whole number, got 40.5"),
    ],
)
def test_sizes_that_cannot_be_measured_are_refused(problem, sizes, n_subsets, message):
    with pytest.raises(ValueError, match=message):
        measure(problem, SPACE.grid(), sizes, n_subsets)


def test_candidates_are_at_least_one_and_each_once(problem):
    for candidates in ([], SPACE.grid()[:1] * 2):
        with pytest.raises(ValueError, match="at least one, none of them twice"):
            measure(problem, candidates, [40], [1])


@pytest.mark.parametrize("learner", ["mlp", "svm_rff"])
def test_learners_trained_in_epochs_have_no_tables(learner):
    data = load("digits")
    problem = LearnerProblem(learner, data, split(data, n_valid=300, n_test=300), SPACE)
    with pytest.raises(ValueError, match=f"{learner} is trained in epochs, for which there are no tables"):
        measure(problem, SPACE.grid(), [40], [1])


def test_a_grid_is_evenly_spaced_from_end_to_end_and_its_parts_share_no_candidate():
    from frugal.learners import space

    grid = grid_of(space("ranges", "svm"), 20)
    assert grid.grid() == space("grid", "svm").grid()
    logs = np.log(grid.dimensions["gamma"].values)
    np.testing.assert_allclose(logs, np.linspace(-10, 10, 20), atol=1e-12)
    parts = [part_of(grid, part) for part in range(20)]
    assert {len(part) for part in parts} == {20}
    assert {as_json(c) for part in parts for c in part} == {as_json(c) for c in grid.grid()}
    assert all(len({c["gamma"] for c in part}) == 1 for part in parts)
    with pytest.raises(ValueError, match="part must be at least 0, at most 19, the last value of gamma"):
        part_of(grid, 20)
    with pytest.raises(ValueError, match="n_per_dimension must be at least 2"):
        grid_of(grid, 1)
    with pytest.raises(ValueError, match="fit_prior has only 1 values, so n_per_dimension cannot be 2"):
        grid_of(SPACE, 2)


def test_a_lacking_setting_is_named():
    with pytest.raises(ValueError, match="missing setting 'space'"):
        measure_part({"learner": "svm", "dataset": "mnist"}, 0)


def test_a_table_of_a_model_of_ones_own_has_no_signs(table):
    found = LookUpProblem(table.assign(learner="my_model"))
    assert (found.name, dict(found.space.signs)) == ("my_model on digits", {})


def test_a_journal_of_other_rows_under_the_same_name_is_refused(problem, tmp_path):
    asked = {"sizes": [40], "n_subsets": [1], "journal_path": tmp_path / "j.jsonl"}
    measure(problem, SPACE.grid(), **asked)
    X, y = problem.parts.train
    other = replace(problem, parts=replace(problem.parts, train=(X[::-1].copy(), y[::-1].copy())))
    with pytest.raises(ValueError, match="is the journal of another run, with other rows"):
        measure(other, SPACE.grid(), **asked)


def test_a_scaler_is_fitted_on_the_training_rows_and_part_of_the_journal(tmp_path):
    settings = {
        "learner": "logistic_regression", "dataset": "digits", "space": "box", "n_per_dimension": 2, "seed": 0,
        "sizes": [500], "n_subsets": [1], "n_valid": 200, "n_test": 300, "n_train": 500, "scaler": "min_max",
    }  # fmt: skip
    journal = tmp_path / "part0.jsonl"
    cell = measure_part(settings, 0, journal_path=journal).iloc[0]
    (X, y), (X_valid, y_valid) = (getattr(problem_of(settings).parts, name) for name in ("train", "valid"))
    scaler = MinMaxScaler().fit(X)
    model = build("logistic_regression", json.loads(cell["candidate"]), seed=0).fit(scaler.transform(X), y)
    error = np.mean(model.predict(scaler.transform(X_valid)) != y_valid)
    assert cell["error"] == pytest.approx(error, abs=1e-9)
    unscaled = {name: value for name, value in settings.items() if name != "scaler"}
    with pytest.raises(ValueError, match="journal"):
        measure_part(unscaled, 0, journal_path=journal)
    with pytest.raises(ValueError, match="with other n_test"):  # the training rows are others, too
        measure_part(settings | {"n_test": 400}, 0, journal_path=journal)
    with pytest.raises(ValueError, match="unknown scaler 'log'; known: none, min_max, robust, standard"):
        problem_of({**settings, "scaler": "log"})


def test_columns_are_those_that_are_stated(table):
    assert tuple(table.columns) == COLUMNS
    assert json.loads(table["candidate"][0]) == SPACE.grid()[0]
    assert list(table["n_rows"]) == [40] * 12 + [160] * 8
