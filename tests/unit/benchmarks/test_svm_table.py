"""The SVM's table against live fits and against LIBSVM's own predictions."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from frugal.benchmarks import svm_table
from frugal.benchmarks.look_up_jobs import grid_of
from frugal.benchmarks.lookup import LookUpProblem, check_cells, recheck
from frugal.benchmarks.measured import measure
from frugal.benchmarks.svm_table import Votes, measure_svm
from frugal.datasets import load
from frugal.interface import TrialTask
from frugal.learners import build, space
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem

GRID = grid_of(space("ranges", "svm"), 5)


@pytest.fixture(scope="module")
def problem():
    data = load("digits")
    return LearnerProblem("svm", data, split(data, n_valid=200, n_test=200, seed=0), GRID)


@pytest.fixture(scope="module")
def table(problem):
    return measure_svm(problem, GRID.grid(), [60, 30], [1, 2])


@pytest.mark.parametrize("classes", [range(10), (3, 8), (0, 1, 9)])
def test_votes_are_libsvm_s_predictions(classes):
    # The numbers of rows per class are equal, so that at large gamma decisions are 0 and ties abound.
    data = load("digits")
    rng = np.random.default_rng(0)
    drawn = [rng.permutation(np.flatnonzero(data.y == label))[:40] for label in classes]
    X, y = (np.concatenate([part[rows] for rows in drawn]) for part in (data.X, data.y))
    for gamma in np.exp(np.linspace(-10, 10, 6)):
        kernel, kernel_all = rbf_kernel(X, gamma=gamma), rbf_kernel(data.X, X, gamma=gamma)
        for C in np.exp(np.linspace(-10, 10, 4)):
            svc = SVC(kernel="precomputed", C=C).fit(kernel, y)
            np.testing.assert_array_equal(Votes(svc).predict(kernel_all), svc.predict(kernel_all))


def test_errors_are_those_of_live_trials(problem, table):
    live = measure(problem, GRID.grid(), [60, 30], [1, 2])
    keys = ["learner", "dataset", "data", "seed", "candidate", "n_rows", "subset", "error", "test_error", "reason"]
    pd.testing.assert_frame_equal(table[keys], live[keys])
    assert table["error"].min() < 0.25 < 0.85 < table["error"].max()  # the grid has good and useless candidates


def test_a_table_made_in_blocks_of_the_kernel_is_the_same(problem, table, monkeypatch):
    monkeypatch.setattr("frugal.benchmarks.svm_table.BLOCK", 1000)  # 16 and 33 rows at a time
    in_blocks = measure_svm(problem, GRID.grid(), [60, 30], [1, 2])
    pd.testing.assert_frame_equal(in_blocks.drop(columns="seconds"), table.drop(columns="seconds"))


@pytest.mark.parametrize("block", [10, 2**27])
def test_a_row_is_like_itself_however_large_its_features(block, monkeypatch):
    monkeypatch.setattr("frugal.benchmarks.svm_table.BLOCK", block)
    X = 1e5 * np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_array_equal(np.diagonal(svm_table._kernel(X, X, 1e4)), 1.0)


def test_costs_are_kernel_values(table):
    assert (table["cost"] == table["n_rows"] * (table["n_rows"] + 200)).all()


def test_seconds_are_of_both_matrices_the_fit_and_its_votes(problem, monkeypatch):
    clock = [0.0]

    def lasting(seconds, function):
        def slowed(*args, **kwargs):
            clock[0] += seconds
            return function(*args, **kwargs)

        return slowed

    monkeypatch.setattr(svm_table, "process_time", lambda: clock[0])
    monkeypatch.setattr(svm_table, "_kernel", lasting(1.0, svm_table._kernel))
    monkeypatch.setattr(SVC, "fit", lasting(0.1, SVC.fit))
    monkeypatch.setattr(Votes, "predict", lasting(0.01, Votes.predict))
    table = measure_svm(problem, GRID.grid(), [30], [1])
    np.testing.assert_allclose(table["seconds"], 2.11)  # those of the test rows do not count


def test_a_trial_of_the_learner_is_scikit_learn_s_svc(problem):
    candidate = {"C": 10.0, "gamma": 1e-3}
    rows = problem.rows(TrialTask(0, candidate, 300, 1))
    (X, y), (X_valid, y_valid) = problem.parts.train, problem.parts.valid
    by_hand = SVC(kernel="rbf", **candidate).fit(X[rows], y[rows])
    trial = problem.evaluate(TrialTask(0, candidate, 300, 1), lambda *_: True)
    assert trial.error == pytest.approx(1 - by_hand.score(X_valid, y_valid))
    assert build("svm", candidate).get_params()["gamma"] == 1e-3


def test_a_killed_measurement_goes_on_and_ends_in_the_same_table(problem, table, tmp_path, monkeypatch):
    path, predict, n_calls = tmp_path / "part.jsonl", Votes.predict, []

    def killed_later(self, kernel):
        n_calls.append(1)
        if len(n_calls) == 60:
            raise KeyboardInterrupt
        return predict(self, kernel)

    monkeypatch.setattr(Votes, "predict", killed_later)
    with pytest.raises(KeyboardInterrupt):
        measure_svm(problem, GRID.grid(), [60, 30], [1, 2], path)
    n_kept = len(path.read_text().splitlines()) - 1
    assert 0 < n_kept < len(table)
    again = measure_svm(problem, GRID.grid(), [60, 30], [1, 2], path)
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), table.drop(columns="seconds"))
    kept = LookUpProblem(again)
    assert kept.space.signs == {"C": 1, "gamma": 1}
    assert kept.sizes == (30, 60)


def test_a_fit_that_fails_is_a_cell_with_its_reason(problem):
    candidates = [{"C": -1.0, "gamma": 1.0}, {"C": 1.0, "gamma": 1.0}]
    failed, succeeded = measure_svm(problem, candidates, [30], [1]).to_dict("records")
    assert math.isnan(failed["error"])
    assert math.isnan(failed["test_error"])
    assert "C" in failed["reason"]
    assert (succeeded["reason"], math.isnan(succeeded["error"])) == ("", False)


def test_a_recheck_allows_the_svm_a_handful_of_rows(problem, table):
    cells = recheck(table, problem, 3, np.random.default_rng(1))
    assert (cells["max_difference"] == 1 / 200).all()  # 5 of 10,000, rounded up to a row
    assert (cells["error"] == cells["live_error"]).all()
    check_cells(cells.assign(error=cells["error"] + 1 / 200))
    with pytest.raises(ValueError, match=r"they may differ by 0\.005"):
        check_cells(cells.assign(error=cells["error"] + 2 / 200))


def test_other_learners_and_scalers_are_refused(problem):
    for change in ({"learner": "knn"}, {"scaler": "standard"}):
        facts = {"learner": "svm", "scaler": "none"} | change
        other = LearnerProblem(dataset=problem.dataset, parts=problem.parts, space=GRID, **facts)
        with pytest.raises(ValueError, match="expected svm without a scaler, got"):
            measure_svm(other, GRID.grid(), [30], [1])
