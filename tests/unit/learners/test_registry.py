"""Learners that other packages register: the row-savers, built, searched and scored by name."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.svm import SVC

import frugal.rows.learners  # noqa: F401  registers them
from frugal import learners
from frugal.datasets import Dataset
from frugal.folds import score
from frugal.learners import CLASSIFIERS, Registered, build, known, register, space
from frugal.rows import KMSVM, SVMKM, WKMSVM
from frugal.spaces import Choice, SearchSpace

SAVERS = {"svm_km": SVMKM, "km_svm": KMSVM, "wkm_svm": WKMSVM}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = rng.standard_normal((60, 2)) + 3.0 * y[:, None]
    return Dataset("toy", X, y, 2, "generated", {"all": np.arange(60)})


@pytest.mark.parametrize("name", SAVERS)
def test_a_row_saver_is_built_from_a_candidate_of_its_spaces(name):
    drawn = space("ranges", name).sample(np.random.default_rng(1), 20)
    for candidate in [*drawn, *space("grid", name).grid()]:
        made = build(name, candidate, seed=7)
        assert type(made) is SAVERS[name]
        assert {key: made.get_params()[key] for key in candidate} == dict(candidate)
        assert made.random_state == 7


@pytest.mark.parametrize("name", SAVERS)
def test_ranges_hold_the_grid(name):
    ranges, grid = space("ranges", name), space("grid", name)
    assert len(grid.grid()) == 144
    points = np.array([ranges.to_unit(candidate) for candidate in grid.grid()])
    assert points.min() == pytest.approx(0.0)
    assert points.max() == pytest.approx(1.0)


def test_folds_are_scored_as_by_scikit_learns_svm_where_nothing_is_compressed(table):
    candidates = [{"C": 1.0, "gamma": 0.25, "compression": 1.0}, {"C": 1.0, "gamma": 0.25, "compression": 5.0}]
    found = score(table, "wkm_svm", candidates, n_folds=3, seed=0, exact_batch=False)
    plain = score(table, "wkm_svm", candidates[:1], n_folds=3, seed=0, exact_batch=False)
    assert found.meta["failures"] == []
    assert np.array_equal(found.scores[0], plain.scores[0])
    from frugal.folds.splits import split

    expected = [
        SVC(C=1.0, gamma=0.25).fit(table.X[train], table.y[train]).score(table.X[test], table.y[test])
        for train, test in split(table, 3, 0)
    ]
    assert found.scores[0].tolist() == expected


def test_the_classifiers_of_document_001_are_what_they_were():
    assert CLASSIFIERS == ("bernoulli_nb", "decision_tree", "knn")
    assert known()[:3] == CLASSIFIERS
    assert {*SAVERS} <= {*known()}


def test_a_registered_learner_is_found_under_its_name_only(monkeypatch):
    monkeypatch.setattr(learners.classifiers, "_registered", {})
    only = SearchSpace({"strategy": Choice(("prior", "uniform"))})
    register("made_up", Registered(lambda candidate, seed: (dict(candidate), seed), {"grid": only}))
    assert build("made_up", {"strategy": "prior"}, seed=3) == ({"strategy": "prior"}, 3)
    assert space("grid", "made_up") is only
    learners.check_learner("made_up")
    with pytest.raises(ValueError, match="unknown space of made_up 'ranges'; known: grid"):
        space("ranges", "made_up")
    with pytest.raises(ValueError, match=r"unknown classifier 'wkm_svm'; known: bernoulli_nb, .*, made_up"):
        build("wkm_svm", {})


@pytest.mark.parametrize("name", ["knn", "wkm_svm", "mnist_cnn"])
def test_a_name_that_is_taken_is_refused(name):
    with pytest.raises(ValueError, match=f"the learner '{name}' is there already; known: bernoulli_nb"):
        register(name, Registered(lambda candidate, seed: None, {}))


def test_a_hyperparameter_that_it_does_not_take_is_refused():
    with pytest.raises(ValueError, match=r"km_svm does not take these hyperparameters: .*'alpha'"):
        build("km_svm", {"alpha": 1.0})


def test_learners_do_not_import_the_row_savers():
    code = "import sys, frugal.learners; sys.exit('frugal.rows' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
