"""Learners by name, those of other packages and the row-savers among them: built, searched and scored."""

import sys
from importlib import import_module

import numpy as np
import pytest
from sklearn.svm import SVC

from frugal import learners
from frugal.benchmarks.searches import search
from frugal.cli import main
from frugal.datasets import Dataset
from frugal.folds import score
from frugal.learners import CLASSIFIERS, build, known, registry, space
from frugal.learners.registry import HOMES
from frugal.registry import added
from frugal.rows import KMSVM, SVMKM, WKMSVM

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
        machine = build(name, candidate, seed=7)
        assert type(machine) is SAVERS[name]
        assert {key: machine.get_params()[key] for key in candidate} == dict(candidate)
        assert machine.random_state == 7


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
    assert {*CLASSIFIERS, *SAVERS} <= {*known()}
    with pytest.raises(ValueError, match=r"unknown learner 'forest'; known: .*\bbernoulli_nb, .*, wkm_svm"):
        build("forest", {})


CODE = """
from sklearn.dummy import DummyClassifier
from frugal.learners import Learner
from frugal.spaces import Choice, SearchSpace

SPACES = {"grid": SearchSpace({"strategy": Choice(("prior", "stratified"))})}
MINE = Learner("mine", SPACES, "grid", lambda candidate, seed: DummyClassifier(**candidate, random_state=seed))
YOURS = Learner("other_name", SPACES, "grid", MINE.make)
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package on the path whose entry points add learners."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "their_learners.py").write_text(CODE)

    def put(points):
        info = tmp_path / "their_learners-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-learners\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[frugal.learners]\n{points}\n")
        forget()

    def forget():
        added.cache_clear()
        learners.record.cache_clear()

    yield put
    forget()
    sys.modules.pop("their_learners", None)


def test_a_learner_of_another_package_is_built_searched_and_scored(install, table):
    install("mine = their_learners:MINE")
    assert known()[-1] == "mine"
    assert build("mine", {"strategy": "prior"}, seed=3).random_state == 3
    with pytest.raises(ValueError, match="unknown space of mine 'ranges'; known: grid"):
        space("ranges", "mine")
    found = score(table, "mine", space("grid", "mine").grid()[:1], n_folds=3, seed=0)
    assert found.scores.tolist() == [[0.5, 0.5, 0.5]]  # always the same of two classes of one size
    trials = search("random", "mine", "digits", 0, 2, {"n_train": 100, "n_valid": 100, "n_initial": 1})
    assert trials["reason"].tolist() == ["", ""]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            "knn = their_learners:MINE",
            "their_learners:MINE adds 'knn' to frugal.learners, which has one of that name",
        ),
        ("mine = their_learners:NONE", "the learner 'mine' cannot be loaded from their_learners:NONE"),
        (
            "mine = their_learners:SPACES",
            "their_learners:SPACES must be a frugal.learners.Learner named 'mine', got",
        ),
        ("mine = their_learners:YOURS", "must be a frugal.learners.Learner named 'mine', got .*other_name"),
    ],
)
def test_a_record_that_cannot_be_used_is_refused(install, points, message):
    install(points)
    with pytest.raises(ValueError, match=message):
        build("mine", {})


def test_every_learner_has_one_record_and_its_default_space():
    for module, names in HOMES.items():
        assert tuple(learner.name for learner in import_module(module).LEARNERS) == names
    assert len(set(known())) == len(known())
    for name in known():
        record = learners.record(name)
        assert record.default_space in record.spaces
        assert (record.make is None) == (name in learners.NETWORKS)
        assert record.trains_in_epochs == (name in (*learners.NETWORKS, "svm_rff"))


@pytest.mark.parametrize("name", known())
def test_select_trials_and_scores_know_every_learner_or_say_who_can(name, table, tmp_path, capsys):
    rows = np.column_stack([table.X, table.y])
    np.savetxt(tmp_path / "toy.csv", rows, delimiter=",", header="a,b,y", comments="", fmt="%.6f")
    arguments = [str(tmp_path / "toy.csv"), "--target", "y", "--n-candidates", "8", "--n-folds", "2"]
    status = main(["select", "--estimators", name, "--strategy", "standard", *arguments])
    if name in learners.NETWORKS:
        assert status == 2
        printed = capsys.readouterr().err
        assert f"unknown estimator for classification '{name}'; known: logistic_regression, svm, knn" in printed
        return
    assert status == 0
    candidates = [learners.default_space(name).sample(np.random.default_rng(0), 1)[0]]
    assert score(table, name, candidates, n_folds=2, seed=0).scores.shape == (1, 2)
    settings = {"n_train": 200, "n_valid": 100, "n_initial": 1, "scaler": "standard"}
    epochs = {"epochs": 1} if learners.in_epochs(name) else {}
    assert len(search("random", name, "wdbc", 0, 1, settings | epochs)) == 1


def test_a_hyperparameter_that_it_does_not_take_is_refused():
    with pytest.raises(ValueError, match=r"km_svm does not take these hyperparameters: .*'alpha'"):
        build("km_svm", {"alpha": 1.0})


def test_a_module_without_a_learner_of_its_name_is_refused(tmp_path, monkeypatch):
    (tmp_path / "centroid.py").write_text("from frugal.learners import record\nLEARNERS = (record('knn'),)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "HOMES", {**registry.HOMES, "centroid": ("centroid",)})
    with pytest.raises(ValueError, match=r"LEARNERS of centroid must hold .* 'centroid', .* got knn"):
        learners.record("centroid")
