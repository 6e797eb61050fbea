"""Networks as classifiers of the folds family: real trainings on 12 x 12 pictures."""

import json
import math

import numpy as np
import pytest

from frugal.datasets import Dataset
from frugal.folds import Folds, Live, score
from frugal.interface import FoldTask
from frugal.learners import networks, space
from frugal.learners.default import check_default
from frugal.seeds import seed_for

CANDIDATES = [{"optimizer": "adam", "learning_rate": 0.01}, {"optimizer": "sgd", "learning_rate": 0.1}]


def pictures(n_train=120, n_test=60):
    """Ten classes, told apart by which bar of the picture is bright; the test rows come last."""
    rng = np.random.default_rng(0)
    y = np.arange(n_train + n_test) % 10
    X = rng.integers(0, 60, size=(len(y), 12, 12))
    X[np.arange(len(y)), 1 + y, 2:10] = 250
    splits = {"train": np.arange(n_train), "test": np.arange(n_train, len(y))}
    flat = X.reshape(len(y), -1).astype(np.uint8)
    return Dataset("bars", flat, y, 10, "generated", splits, image_shape=(12, 12))


def test_scores_are_those_of_trainings_on_the_folds_of_the_training_rows():
    data = pictures()
    table = score(data, "mnist_cnn", CANDIDATES, n_folds=3, seed=1, epochs=2)
    assert (table.meta["n_rows_of_dataset"], table.meta["epochs"]) == (120, 2)
    folds = Folds(data, 3, 1)
    for candidate, row in zip(CANDIDATES, table.scores, strict=True):
        seed = seed_for("fold", folds.learner_seed("mnist_cnn"), json.dumps(candidate, sort_keys=True))
        for fold, (train, valid) in enumerate(folds.parts):
            assert max(*train, *valid) < 120
            network = networks.make(
                "mnist_cnn", candidate, input_shape=(12, 12), n_classes=10, seed=seed, device="cpu"
            )
            trained = network.fit(data.X[train], data.y[train], data.X[valid], data.y[valid], epochs=2)
            assert trained.curve[-1] == row[fold]
    assert np.isfinite(table.seconds).all()


def test_a_live_evaluation_gives_the_kept_score():
    data = pictures()
    kept = score(data, "mnist_cnn", CANDIDATES, n_folds=3, seed=1, epochs=1)
    live = Live(Folds(data, 3, 1, epochs=1), "mnist_cnn", CANDIDATES)
    assert live(FoldTask(1, 2)).score == kept.scores[1, 2]


def test_a_network_that_diverges_is_a_failed_fit_with_its_reason():
    table = score(pictures(), "mnist_cnn", [{"learning_rate": 1e30}], n_folds=2, seed=0, epochs=2)
    assert np.isnan(table.scores).all()
    assert [message for _, _, message in table.meta["failures"]] == ["weights were not finite in epoch 1"] * 2


@pytest.mark.parametrize(
    ("classifier", "candidate", "epochs", "message"),
    [
        ("mnist_cnn", {}, None, "networks need epochs and others take none; mnist_cnn was given epochs=None"),
        ("knn", {}, 3, "networks need epochs and others take none; knn was given epochs=3"),
        ("mnist_cnn", {}, 0, "epochs of mnist_cnn must be at least 1 and a whole number, got 0"),
        ("mnist_cn", {}, 3, "'mnist_cn'"),
        ("mnist_cnn", {"depth": 3}, 1, "unknown hyperparameter of mnist_cnn 'depth'; known: filters"),
    ],
)
def test_wrong_epochs_and_unknown_hyperparameters_are_no_failed_fits(classifier, candidate, epochs, message):
    with pytest.raises(ValueError, match=message):
        score(pictures(), classifier, [candidate], n_folds=2, seed=0, epochs=epochs)


def test_the_space_of_a_network_is_found_by_its_name():
    with pytest.raises(ValueError, match=r"unknown learner 'mnist_cn'; known: .*knn, .*mnist_cnn"):
        space("grid", "mnist_cn")
    with pytest.raises(ValueError, match="unknown space of mnist_cnn 'ranges'; known: grid"):
        space("ranges", "mnist_cnn")


def test_a_subset_draws_from_the_training_rows_and_keeps_the_test_rows():
    data = pictures()
    part = data.subset(50)
    test = data.X[data.splits["test"]]
    np.testing.assert_array_equal(part.X[part.splits["test"]], test)
    drawn = part.X[part.splits["train"]]
    assert len(drawn) == 50
    assert not (drawn[:, None] == test).all(axis=2).any()
    assert len(part.training().y) == 50
    with pytest.raises(ValueError, match="cannot draw 121 rows of bars: it has 120"):
        data.subset(121)


def test_the_default_network_is_held_to_its_stated_error():
    row = check_default("mnist_cnn", pictures(600), epochs=6, max_error=0.2)
    assert row["error"] <= 0.2
    assert (row["n_rows"], row["dataset"], row["data"]) == (600, "bars", "generated")
    with pytest.raises(ValueError, match=r"the default mnist_cnn on bars errs on .* 0.0% at most is stated"):
        check_default("mnist_cnn", pictures(20), epochs=1, max_error=0.0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"max_error": 1.5}, r"max_error must be at least 0 and at most 1, got 1.5"),
        ({"max_error": math.nan}, r"max_error must be at least 0 and at most 1, got nan"),
        ({"network": "cnn"}, "unknown network 'cnn'; known: mnist_cnn, mlp, cifar_cnn"),
        ({"dataset": pictures().training()}, "bars sets no rows apart for testing"),
    ],
)
def test_a_check_of_a_default_refuses_what_it_cannot_do(changed, message):
    given = {"network": "mnist_cnn", "dataset": pictures(20), "epochs": 1, "max_error": 0.5} | changed
    with pytest.raises(ValueError, match=message):
        check_default(given.pop("network"), given.pop("dataset"), **given)
