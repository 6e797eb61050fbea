import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import ExtraTreeClassifier

from frugal.datasets import Dataset, load
from frugal.folds import Folds, Live, run, run_in_processes, score
from frugal.folds.rungs import _halvings, _rows_of, score_rungs, split_rungs
from frugal.folds.splits import shrink, split
from frugal.folds.strategies import make
from frugal.interface import FoldTask
from frugal.learners import CLASSIFIERS, build, scaler_for, space

WDBC = load("wdbc")


def some(classifier, n=6, seed=0):
    return space("ranges", classifier).sample(np.random.default_rng(seed), n)


def test_each_repetition_and_classifier_draws_its_own_learners():
    seeds = {Folds(WDBC, 4, seed).learner_seed(classifier) for seed in range(3) for classifier in CLASSIFIERS}
    assert len(seeds) == 3 * len(CLASSIFIERS)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("scaler", ["none", "min_max", "robust", "standard"])
def test_scores_are_those_of_a_scikit_learn_pipeline(classifier, scaler):
    candidates = some(classifier)
    table = score(WDBC, classifier, candidates, n_folds=4, seed=2, scaler=scaler)
    folds = Folds(WDBC, 4, 2, scaler)
    for row, candidate in zip(table.scores, candidates, strict=True):
        estimator = build(classifier, candidate, seed=folds.learner_seed(classifier))
        if scaler != "none":
            estimator = make_pipeline(scaler_for(scaler), estimator)
        np.testing.assert_array_equal(row, cross_val_score(estimator, WDBC.X, WDBC.y, cv=folds.parts))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_batch_and_single_fits_agree_on_few_rows_too(classifier):
    candidates = some(classifier, 8)
    for n_rows in (None, 20, 60):
        batch = score(WDBC, classifier, candidates, n_folds=5, seed=0, n_rows=n_rows)
        single = score(WDBC, classifier, candidates, n_folds=5, seed=0, n_rows=n_rows, exact_batch=False)
        np.testing.assert_array_equal(batch.scores, single.scores)
        assert batch.meta["failures"] == single.meta["failures"]


def test_an_estimator_of_ones_own_is_scored_on_the_same_folds():
    candidates = [{"svc__C": 0.1}, {"svc__C": 10.0}, {"svc__C": -1.0}]
    estimator = make_pipeline(StandardScaler(), SVC())
    table = score((WDBC.X, WDBC.y), estimator, candidates, n_folds=4, seed=2)
    folds = Folds(Dataset.from_arrays(WDBC.X, WDBC.y), 4, 2)
    for row, candidate in zip(table.scores[:2], candidates, strict=False):
        expected = cross_val_score(clone(estimator).set_params(**candidate), WDBC.X, WDBC.y, cv=folds.parts)
        np.testing.assert_array_equal(row, expected)
    assert np.isnan(table.scores[2]).all()
    assert table.meta["classifier"] == "Pipeline"
    assert estimator.get_params()["svc__C"] == 1.0
    assert Live(folds, estimator, candidates)(FoldTask(1, 3)).score == table.scores[1, 3]


def test_predictions_in_a_column_are_scored_row_by_row():
    class Column(SVC):
        def predict(self, X):
            return super().predict(X)[:, None]

    tables = [
        score((WDBC.X, WDBC.y), estimator, [{"C": 1.0}], n_folds=3, seed=0) for estimator in (Column(), SVC())
    ]
    assert tables[0].scores.tolist() == tables[1].scores.tolist()


def test_an_estimator_that_draws_at_random_draws_the_same_for_the_same_seed():
    def scores(estimator, seed=0):
        return score((WDBC.X, WDBC.y), estimator, [{"max_features": 1}], n_folds=3, seed=seed).scores.tolist()

    assert scores(ExtraTreeClassifier()) == scores(ExtraTreeClassifier())
    seed = Folds(Dataset.from_arrays(WDBC.X, WDBC.y), 3, 0).learner_seed(ExtraTreeClassifier())
    assert scores(ExtraTreeClassifier()) == scores(ExtraTreeClassifier(random_state=seed))
    assert scores(ExtraTreeClassifier(random_state=5)) != scores(ExtraTreeClassifier())


@pytest.mark.parametrize(
    ("classifier", "candidate", "message"),
    [
        (SVC(), {"c": 1}, "Invalid parameter 'c' for estimator SVC"),
        (SVC, {"C": 1}, "classifier must be the name of a learner, or an estimator such as SVC"),
        (3, {"C": 1}, "classifier must be the name of a learner, or an estimator such as SVC"),
        (SVR(), {"C": 1}, "classifier must be a classifier by its tags of scikit-learn, got SVR$"),
        (
            make_pipeline(StandardScaler(), SVR()),
            {"svr__C": 1},
            "must be a classifier by its tags .* got Pipeline$",
        ),
    ],
)
def test_what_is_no_estimator_and_what_it_does_not_take_is_refused(classifier, candidate, message):
    with pytest.raises(ValueError, match=message):
        score((WDBC.X, WDBC.y), classifier, [candidate], n_folds=3, seed=0)


class Untyped(BaseEstimator):
    """An estimator of a user's that says nothing of its kind."""

    def __init__(self, label=0):
        self.label = label

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


class Misordered(Untyped, ClassifierMixin):
    """Its mixin stands where scikit-learn's tags do not see it."""


@pytest.mark.parametrize("kind", [Untyped, Misordered])
def test_an_estimator_without_a_kind_is_scored(kind):
    table = score((WDBC.X, WDBC.y), kind(), [{"label": 1}], n_folds=3, seed=0)
    assert table.means[0] == pytest.approx(WDBC.y.mean(), abs=0.01)


def test_a_failed_fit_keeps_its_message():
    table = score(WDBC, "knn", [{"n_neighbors": 50, "weights": "uniform"}], n_folds=5, seed=0, n_rows=20)
    assert np.isnan(table.scores).all()
    row, column, message = table.meta["failures"][0]
    assert (row, column) == (0, 0)
    assert "n_neighbors" in message
    failed = {"n_neighbors": 50, "weights": "uniform"}, {"n_neighbors": 1, "weights": "uniform"}
    table = score(WDBC, "knn", [*failed[::-1], failed[0]], n_folds=5, seed=0, n_rows=20)
    assert [row for row, _, _ in table.meta["failures"]] == [1] * 5 + [2] * 5


def test_repeated_candidates_are_fitted_once_and_counted_each_time():
    one, two = some("knn", 2)
    table = score(WDBC, "knn", [one, two, one], n_folds=3, seed=0, exact_batch=False)
    assert table.candidates == [one, two, one]
    np.testing.assert_array_equal(table.seconds[0], table.seconds[2])
    np.testing.assert_array_equal(table.scores[0], table.scores[2])


def test_folds_depend_on_dataset_seed_and_k_alone_and_partition_the_rows():
    parts = split(WDBC, 7, 3)
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(569))
    sizes = [len(test) for _, test in parts]
    assert max(sizes) - min(sizes) <= 1
    again = split(load("wdbc"), 7, 3)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(parts, again, strict=True))
    assert not np.array_equal(parts[0][1], split(WDBC, 7, 4)[0][1])
    assert not np.array_equal(parts[0][1], split(replace(WDBC, name="other"), 7, 3)[0][1])


def test_stratified_folds_hold_every_class_in_proportion():
    for _, test in split(WDBC, 10, 0):
        assert abs(WDBC.y[test].mean() - WDBC.y.mean()) < 0.02


def test_more_folds_than_the_smallest_class_are_refused_or_warned_of():
    with pytest.raises(ValueError, match=r"wdbc_1 has 1 row\(s\), but cross-validation needs at least 2"):
        split(WDBC.subset(1), 2, 3)
    rare = WDBC.subset(40)
    smallest = np.bincount(rare.y).min()
    with pytest.raises(ValueError, match=f"n_folds=30 exceeds the {smallest} rows of the smallest"):
        split(rare, 30, 0)
    few = Dataset("few", np.zeros((4, 1)), np.array([0, 0, 0, 1]), 2, "generated", {})
    with pytest.raises(ValueError, match=r"exceeds the 1 row of the smallest class of few; use splits: plain$"):
        split(few, 2, 0)
    with pytest.warns(UserWarning, match="so some of the 30 folds lack it"):
        assert len(split(rare, 30, 0, "plain")) == 30


def test_both_parts_of_a_split_shrink_by_the_same_share():
    # docs/methods.md, section 3: at 20 of 569 rows each of 5 folds trains on 15 rows and tests on 4.
    parts = split(WDBC, 5, 0)[0]
    train, test = shrink(parts, WDBC, 20, 0, 0)
    assert (len(train), len(test)) in {(15, 4), (16, 4), (15, 3)}
    assert len(train) == int(20 / 569 * len(parts[0]))
    assert set(train) <= set(parts[0])
    assert set(test) <= set(parts[1])
    assert len(set(train)) == len(train)
    again = shrink(parts, WDBC, 20, 0, 0)
    assert [part.tolist() for part in again] == [train.tolist(), test.tolist()]
    named = replace(WDBC, name="other")
    for other in (shrink(parts, named, 20, 0, 0), shrink(parts, WDBC, 20, 1, 0), shrink(parts, WDBC, 20, 0, 1)):
        assert set(other[0]) != set(train)
    with pytest.raises(ValueError, match=r"n_rows must lie in \[1, 569\], got 570"):
        shrink(parts, WDBC, 570, 0, 0)
    with pytest.raises(ValueError, match="n_rows=2 leaves fold 0 of wdbc without rows"):
        shrink(parts, WDBC, 2, 0, 0)


def test_rungs_are_scored_once_each_and_taken_apart_again():
    candidates, settings = some("knn", 4), {"cv": 3, "factor": 3}
    rows = _rows_of(_halvings([9, 27], n_rows=569, n_classes=2, settings=settings))
    table = score_rungs(WDBC, "knn", candidates, n_candidates=[9, 27], settings=settings, seed=1)
    rungs = split_rungs(table)
    assert list(rungs) == rows
    for n_rows, rung in rungs.items():
        alone = score(WDBC, "knn", candidates, n_folds=3, seed=1, n_rows=n_rows)
        np.testing.assert_array_equal(rung.scores, alone.scores)
        assert rung.meta["failures"] == alone.meta["failures"]
        assert rung.meta["folds"] == alone.meta["folds"]


def test_settings_of_rungs_are_those_of_the_strategy():
    rows = {"n_rows": 569, "n_classes": 2}
    assert _rows_of(_halvings([256], settings={}, **rows)) == [20, 60, 180, 540]  # docs/methods.md, section 3
    with pytest.raises(ValueError, match="unknown setting 'folds' of successive_halving"):
        _halvings([256], settings={"folds": 5}, **rows)
    with pytest.raises(ValueError, match="cv must be at least 2 and a whole number, got '5'"):
        score_rungs(WDBC, "knn", some("knn", 4), n_candidates=[9], settings={"cv": "5"}, seed=1)


def test_a_strategy_runs_live_on_real_fits():
    candidates = some("decision_tree", 5)
    live = Live(Folds(WDBC, 3, 0), "decision_tree", candidates)
    trace = run(make("greedy", n_candidates=5, n_folds=3, rng=np.random.default_rng(0)), live)
    table = score(WDBC, "decision_tree", candidates, n_folds=3, seed=0)
    for task, got in zip(trace.tasks, trace.scores, strict=True):
        assert got == table.scores[task.candidate, task.fold]
    assert trace.seconds.min() > 0
    few = score(WDBC, "decision_tree", candidates[:1], n_folds=3, seed=0, n_rows=60)
    assert live(FoldTask(0, 0, 60)).score == few.scores[0, 0]
    apart = Live(live.folds, "decision_tree", candidates, Folds(WDBC, 5, 0))
    fifth = score(WDBC, "decision_tree", candidates[:1], n_folds=5, seed=0, n_rows=60)
    assert apart(FoldTask(0, 4, 60)).score == fifth.scores[0, 4]
    assert apart(FoldTask(0, 0)).score == table.scores[0, 0]


def test_a_live_run_in_processes_is_that_of_one():
    live = Live(Folds(WDBC, 3, 0), "decision_tree", some("decision_tree", 4))
    options = {"n_candidates": 4, "n_folds": 3, "rng": np.random.default_rng(0)}
    here = run(make("standard", **options), live)
    there = run_in_processes(make("standard", **options), live, n_workers=1)
    assert there.tasks == here.tasks
    np.testing.assert_array_equal(there.scores, here.scores)
    with pytest.raises(ValueError, match="n_workers must be at least 1 and a whole number, got 0"):
        run_in_processes(make("standard", **options), live, n_workers=0)
    with pytest.raises(ValueError, match="n_pending must be at least 1 and a whole number, got 0"):
        run_in_processes(make("standard", **options), live, n_workers=1, n_pending=0)


THREADS = """
import sys
from dataclasses import replace
from frugal.datasets import load
from frugal.folds import Folds, Live, score
from frugal.interface import FoldTask
from frugal.threads import one_thread
with one_thread():
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as n_threads
    assert n_threads() == 1
print(n_threads())
digits = load("digits", root=sys.argv[1]).subset(600)
digits = replace(digits, X=digits.X // 8)  # three levels of grey: on two threads other ties win
candidates = [{"n_neighbors": k, "weights": "uniform"} for k in range(2, 20, 2)]
print(score(digits, "knn", candidates, n_folds=2, seed=0, exact_batch=False).scores.tolist())
where = Folds(digits, 2, 0)
print([Live(where, "knn", candidates)(FoldTask(i, fold)).score for i in range(9) for fold in range(2)])
"""


@pytest.mark.slow
def test_fits_run_on_one_thread_whatever_the_environment_says(tmp_path):
    printed = [
        subprocess.run(
            [sys.executable, "-c", THREADS, str(tmp_path)],
            env={**os.environ, "OMP_NUM_THREADS": str(n)}, capture_output=True, text=True, check=True,
        ).stdout.splitlines()
        for n in (1, 2)
    ]  # fmt: skip
    assert [n for n, _, _ in printed] == ["1", "2"]
    assert printed[0][1:] == printed[1][1:]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_folds": 1}, r"n_folds must lie in \[2, 569\]"),
        ({"folds": [5]}, r"folds must lie in \[0, 4\], got \[5\]"),
        ({"folds": [0, 1, 0]}, r"folds must not repeat, got \[0, 1, 0\]"),
        ({"n_folds": "5"}, r"n_folds must lie in \[2, 569\], the rows of wdbc, got '5'"),
        ({"n_rows": 20.5}, r"n_rows must lie in \[1, 569\], got 20.5"),
        ({"space": "lists"}, "space must be one of grid, ranges, listed, got 'lists'"),
        ({"splits": "grouped"}, "unknown splits 'grouped'; known: stratified, plain"),
        ({"scaler": "max"}, "unknown scaler 'max'; known: none, min_max"),
        ({"candidates": []}, "candidates is empty"),
        ({"candidates": iter([])}, "candidates is empty"),
        ({"candidates": {"n_neighbors": 3}}, "candidates must be a list of mappings, got {'n_nei"),
        (
            {"candidates": [{"n_neighbors": 3, "metric": max}]},
            "'metric' of a candidate must be a number, text, bool, None, a list of these, or a mapping .* got <",
        ),
        ({"candidates": [3]}, r"candidates must be a list of mappings, got \[3\]"),
        ({"seed": None}, "seed must be at least 0 and a whole number, got None"),
        (
            {"candidates": [{"n_neighbors": 3}, {"n_neighbours": 3}]},
            r"knn does not take these hyperparameters: .*'n_neighbours'",
        ),
        (
            {"classifier": "forest", "candidates": [{}]},
            "unknown learner 'forest'; known: bernoulli_nb, decision_tree, knn",
        ),
    ],
)
def test_what_cannot_be_scored_is_refused_before_the_first_fit(options, message):
    usual = {"classifier": "knn", "candidates": some("knn", 1), "n_folds": 5, "seed": 0}
    with pytest.raises(ValueError, match=message):
        score(WDBC, **usual | options)


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, SystemExit])
def test_what_is_no_fault_of_the_candidate_is_raised(monkeypatch, error):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr("sklearn.neighbors.KNeighborsClassifier.fit", fails)
    with pytest.raises(error):
        score(WDBC, "knn", [{"n_neighbors": 3}], n_folds=2, seed=0, exact_batch=False)


def test_a_fit_in_place_does_not_change_the_rows_of_the_next():
    X, y = load_iris(return_X_y=True)
    X = X + 100.0
    candidates = [{"alpha": 1.0}, {"alpha": 1.0, "tol": 1e-3}]
    copied, in_place = (
        score((X, y), RidgeClassifier(copy_X=copy), candidates, n_folds=3, seed=0).scores for copy in (True, False)
    )
    np.testing.assert_array_equal(in_place, copied)
    assert copied.min() > 0.7

    class Writes(RidgeClassifier):
        def fit(self, X, y):
            X -= 100.0
            return super().fit(X, y)

        def predict(self, X):
            X -= 100.0
            return super().predict(X)

    np.testing.assert_array_equal(score((X, y), Writes(), candidates, n_folds=3, seed=0).scores, copied)


def test_arrays_are_scored_as_the_dataset_that_they_make():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.where(rng.random(60) < 0.5, "no", "yes")
    candidates = [{"n_neighbors": k, "weights": "uniform"} for k in (1, 5)]
    table = score((X, y), "knn", candidates, n_folds=3, seed=0)
    dataset = Dataset.from_arrays(X, y)
    assert (dataset.n_classes, dataset.y.tolist()) == (2, (y == "yes").astype(int).tolist())
    np.testing.assert_array_equal(table.scores, score(dataset, "knn", candidates, n_folds=3, seed=0).scores)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([1.0, 2.0], [0, 1], r"X must have shape \(n_rows, n_features\) and y \(n_rows,\), got \(2,\) and \(2,\)"),
        ([[1.0], [2.0]], [0], r"got \(2, 1\) and \(1,\)"),
        ([[1.0], [np.nan]], [0, 1], "X holds values that are missing or infinite"),
        (csr_array([[1.0], [2.0]]), [0, 1], r"X must be dense, got a csr_array: give X\.toarray\(\)"),
        ([[1.0], [{}]], [0, 1], "X must hold real numbers in rows of the same length: float"),
        ([[1.0], [2.0, 3.0]], [0, 1], "X must hold real numbers in rows of the same length: setting an array"),
        (np.array([[1.0], [1j]]), [0, 1], "X must hold real numbers, got dtype complex128"),
        (
            pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 1j]}),
            [0, 1],
            "X must hold real numbers, got dtype complex128",
        ),
        (pd.DataFrame({"a": pd.to_datetime(["2024-01-01"] * 2)}), [0, 1], "real numbers, got dtype datetime64"),
        ([[1.0], [2.0]], [1, 1], "y holds a single class, expected two or more"),
        ([[1.0], [2.0], [3.0]], [0.0, 1.0, np.nan], "y holds missing labels; drop those rows"),
        ([[1.0], [2.0], [3.0]], ["no", "yes", np.nan], "y holds missing labels"),
        ([[1.0], [2.0], [3.0]], ["no", "yes", None], "y holds missing labels"),
        ([[1.0], [2.0], [3.0]], [0.0, 0.5, 1.0], "y holds 0.5, which is no class; write classes as whole numbers"),
        ([[1.0], [2.0], [3.0]], np.array([0, 1.5, 1], dtype=object), "y holds 1.5, which is no class"),
        ([[1.0], [2.0], [3.0]], np.array([0, np.inf, 1]), "y holds inf, which is no class"),
        (
            [[1.0], [2.0], [3.0]],
            np.array([1, "a", 1], dtype=object),
            "y holds labels of different kinds, such as 1 and 'a'; write them all as text or all as numbers",
        ),
        ([[1.0], [2.0], [3.0]], [1, "1", 2], "y holds labels of different kinds, such as 2 and '1'"),
    ],
)
def test_arrays_that_make_no_dataset_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        Dataset.from_arrays(X, y)


@pytest.mark.parametrize(("dataset", "kind"), [([WDBC.X, WDBC.y], "list"), ((WDBC.X,), "tuple"), (3, "int")])
def test_what_is_no_dataset_is_refused(dataset, kind):
    with pytest.raises(ValueError, match=rf"or a tuple \(X, y\), got a {kind}$"):
        score(dataset, "knn", some("knn", 1), n_folds=3, seed=0)


def test_whole_numbers_that_are_floats_are_labels():
    assert Dataset.from_arrays([[1.0], [2.0], [3.0]], [3.0, 1.0, 3.0]).y.tolist() == [1, 0, 1]


TWO_BLOCKS = """
import threading
from concurrent.futures import ThreadPoolExecutor

import sklearn.neighbors
from threadpoolctl import threadpool_info

from frugal.threads import one_thread

first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))


def blas():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


def first():
    with one_thread():
        first_is_in.set()
        second_is_in.wait(10)
    first_is_out.set()


def second():
    first_is_in.wait(10)
    with one_thread():
        second_is_in.set()
        first_is_out.wait(10)
        return blas()


before = blas()
with ThreadPoolExecutor(2) as threads:
    done = [threads.submit(first), threads.submit(second)]
assert before == {2}
print(done[1].result(), blas())
"""


def test_the_limit_of_threads_ends_with_the_last_block_whichever_began_first():
    # In a process of its own, which starts with two threads and in which no one else has set a limit.
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    ran = subprocess.run([sys.executable, "-c", TWO_BLOCKS], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "{1} {2}"


def test_the_limit_reaches_a_library_that_was_loaded_after_the_first_block():
    code = """
from threadpoolctl import threadpool_info
from frugal.threads import one_thread
with one_thread():
    pass
import torch
with one_thread():
    print({library["num_threads"] for library in threadpool_info()})
"""
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "{1}"


def test_numbers_of_numpy_count_folds_seeds_and_rows():
    data, candidates = load_iris(return_X_y=True), [{"n_neighbors": np.int64(5)}, {"n_neighbors": 1}]
    ours = score(data, "knn", candidates, n_folds=3, seed=1, n_rows=100, folds=[0, 1])
    theirs = score(
        data, "knn", candidates, n_folds=np.int64(3), seed=np.int64(1), n_rows=np.int32(100), folds=np.arange(2)
    )
    np.testing.assert_array_equal(ours.scores, theirs.scores)
    assert json.dumps(ours.meta) == json.dumps(theirs.meta)
