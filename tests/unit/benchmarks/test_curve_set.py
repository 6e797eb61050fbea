import json
import math
from unittest import mock

import numpy as np
import pytest

from frugal.benchmarks import curve_set
from frugal.benchmarks.curve_set import COLUMNS, train_curves
from frugal.learners import networks
from frugal.seeds import rng_for, seed_for
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.lines import Lines
from frugal.trials.parts import split
from killed import KilledError

SMALL = {"n_train": 120, "n_valid": 150, "n_test": 150, "n_epochs": 3}


@pytest.fixture(scope="module")
def table(digits):
    return train_curves("mlp", digits, [0, 1, 2], **SMALL)


def test_curves_are_those_of_networks_trained_by_hand(table, digits):
    parts = split(digits, n_valid=150, n_test=150, n_train=120)
    drawn = networks.space("small", "mlp").sample(rng_for("curves", "mlp", "digits"), 3)
    for i, candidate in enumerate(drawn):
        named = json.dumps(candidate, sort_keys=True)
        net = networks.make(
            "mlp", candidate, input_shape=(8, 8), n_classes=10, seed=seed_for("trial", 0, named), device="cpu"
        )
        trained = net.fit(*parts.train, *parts.valid, epochs=3)
        rows = table[table["id"] == i]
        assert tuple(rows["score"]) == trained.curve
        assert list(rows["epoch"]) == [1, 2, 3]
        assert set(rows["candidate"]) == {named}
        assert rows["test_error"].iloc[-1] == 1 - net.score(*parts.test)
        assert rows["test_error"].iloc[:-1].isna().all()
    assert list(table.columns) == list(COLUMNS)
    assert (table["seconds"] > 0).all()
    assert set(table["data"]) == {digits.provenance}
    assert len(set(table["candidate"])) == 3


def test_a_candidate_is_the_same_whatever_else_is_trained(table, digits):
    alone = train_curves("mlp", digits, [2], **SMALL).drop(columns="seconds")
    assert alone.equals(table[table["id"] == 2].drop(columns="seconds").reset_index(drop=True))


@pytest.mark.parametrize("n_kept", [0, 1, 2, 3])
def test_a_killed_job_ends_in_the_same_table(n_kept, table, digits, tmp_path, monkeypatch):
    add, path = Lines.add, tmp_path / "job.jsonl"

    def killed(self, row):
        if row["id"] == n_kept:
            raise KilledError
        add(self, row)

    monkeypatch.setattr(Lines, "add", killed)
    try:
        train_curves("mlp", digits, [0, 1, 2], **SMALL, journal_path=path)
    except KilledError:
        with path.open("a") as file:
            file.write('{"id": 2, "cand')  # what a crash leaves of a line
    monkeypatch.setattr(Lines, "add", add)
    trained = []
    train = curve_set._train
    monkeypatch.setattr(
        curve_set, "_train", lambda *given, **more: trained.append(given[1].id) or train(*given, **more)
    )
    resumed = train_curves("mlp", digits, [0, 1, 2], **SMALL, journal_path=path)
    assert trained == [0, 1, 2][n_kept:]
    assert resumed.drop(columns="seconds").equals(table.drop(columns="seconds"))
    with pytest.raises(ValueError, match="is the journal of"):
        train_curves("mlp", digits, [0], **{**SMALL, "n_epochs": 2}, journal_path=path)


def test_the_journal_of_curves_with_other_test_rows_is_refused(digits, tmp_path):
    settings = {**SMALL, "n_epochs": 1, "journal_path": tmp_path / "job.jsonl"}
    train_curves("mlp", digits, [0], **settings)
    with pytest.raises(ValueError, match="is the journal of another run, with other n_test"):
        train_curves("mlp", digits, [0], **{**settings, "n_test": 140})  # the training rows are others, too


def test_the_journal_is_closed(digits, tmp_path):
    with mock.patch.object(Lines, "close", autospec=True, side_effect=Lines.close) as close:
        train_curves("mlp", digits, [0], **{**SMALL, "n_epochs": 1}, journal_path=tmp_path / "job.jsonl")
    close.assert_called_once()


def test_a_network_that_diverges_keeps_its_reason(digits, monkeypatch):
    wild = SearchSpace({"learning_rate": Uniform(1e30, 1e31), "momentum": Uniform(0.5, 0.6)})
    monkeypatch.setattr(networks, "space", lambda name, network: wild)
    rows = train_curves("mlp", digits, [0], **SMALL)
    assert list(rows["epoch"]) == [1]
    assert rows["score"].isna().all()
    assert math.isnan(rows["test_error"][0])
    assert rows["reason"][0] == "weights were not finite in epoch 1"
    assert rows["seconds"][0] > 0


@pytest.mark.parametrize(
    ("network", "numbers", "change", "message"),
    [
        ("vgg", [0], {}, "unknown network 'vgg'; known: mnist_cnn, mlp, cifar_cnn"),
        ("mnist_cnn", [0], {}, "unknown space of mnist_cnn 'small'; known: grid"),
        ("mlp", [], {}, "at least one candidate, got none"),
        ("mlp", [-1], {}, "number must be at least 0 and a whole number, got -1"),
        ("mlp", [0], {"n_epochs": 0}, "n_epochs must be at least 1 and a whole number, got 0"),
        ("mlp", [0], {"n_train": "5"}, "n_train must be at least 1 and a whole number, got '5'"),
        ("mlp", [0], {"n_valid": 5000}, r"n_valid must lie in \[1, 1646\], got 5000"),
        ("mlp", [0], {"n_train": 5000}, r"n_train must lie in \[1, 1497\], got 5000"),
        ("mlp", [0], {"n_train": [5000, 60]}, r"n_train must lie in \[1, 1497\], got 5000"),
        ("mlp", [0], {"n_train": []}, r"n_train must be a number, or several that decrease, got \[\]"),
        ("mlp", [0], {"n_train": [60, 120]}, r"or several that decrease, got \[60, 120\]"),
        ("mlp", [0], {"n_train": [60, 60]}, r"or several that decrease, got \[60, 60\]"),
        # digits has ten classes
        ("mlp", [0], {"n_train": [60, 9]}, "n_train must be at least 10 and a whole number, got 9"),
    ],
)
def test_what_cannot_be_trained_is_refused(network, numbers, change, message, digits):
    with pytest.raises(ValueError, match=message):
        train_curves(network, digits, numbers, **{**SMALL, **change})


def test_small_spaces_make_networks(digits):
    for network in ("mlp", "cifar_cnn"):
        space = networks.space("small", network)
        for corner in (np.zeros(len(space.dimensions)), np.ones(len(space.dimensions))):
            networks.plan(network, space.from_unit(corner))  # refuses what it cannot build


def test_curves_on_several_sizes_are_trials_on_fewer_rows_of_the_largest(digits):
    sizes = [120, 60, 30]
    table = train_curves("mlp", digits, [1, 0], **{**SMALL, "n_train": sizes})
    assert table[["id", "n_train"]].drop_duplicates().to_numpy().tolist() == [
        [i, n] for i in (1, 0) for n in sizes
    ]
    parts = split(digits, n_valid=150, n_test=150, n_train=120)
    # Rows of the largest number, in the order that the name "trial rows" draws them; the first of them are kept.
    order = rng_for("trial rows", "digits", 0, 0).permutation(120)
    for (_, n), rows in table.groupby(["id", "n_train"]):
        candidate = json.loads(rows["candidate"].iloc[0])
        seed = seed_for("trial", 0, rows["candidate"].iloc[0])
        net = networks.make("mlp", candidate, input_shape=(8, 8), n_classes=10, seed=seed, device="cpu")
        kept = np.sort(order[:n])
        trained = net.fit(parts.train[0][kept], parts.train[1][kept], *parts.valid, epochs=3)
        assert tuple(rows["score"]) == trained.curve
        tested = [1 - net.score(*parts.test)] if n == 120 else []
        assert rows["test_error"].dropna().tolist() == tested


def test_on_the_largest_size_curves_are_those_of_a_set_on_it_alone(table, digits):
    several = train_curves("mlp", digits, [0, 1, 2], **{**SMALL, "n_train": [120, 12]})
    largest = several[several["n_train"] == 120].reset_index(drop=True)
    assert largest.drop(columns="seconds").equals(table.drop(columns="seconds"))


@pytest.mark.parametrize("n_kept", [0, 1, 3])
def test_a_killed_job_on_several_sizes_goes_on_within_a_candidate(n_kept, digits, tmp_path, monkeypatch):
    add, path, several = Lines.add, tmp_path / "job.jsonl", {**SMALL, "n_train": [40, 20]}
    whole = train_curves("mlp", digits, [0, 1], **several)
    kept = []

    def killed(self, row):
        if len(kept) == n_kept:
            raise KilledError
        kept.append(row)
        add(self, row)

    monkeypatch.setattr(Lines, "add", killed)
    with pytest.raises(KilledError):
        train_curves("mlp", digits, [0, 1], **several, journal_path=path)
    monkeypatch.setattr(Lines, "add", add)
    trained, train = [], curve_set._train
    monkeypatch.setattr(
        curve_set, "_train", lambda *given, **more: trained.append(given[1]) or train(*given, **more)
    )
    resumed = train_curves("mlp", digits, [0, 1], **several, journal_path=path)
    assert [(task.id, task.n_rows) for task in trained] == [(0, 40), (0, 20), (1, 40), (1, 20)][n_kept:]
    assert resumed.drop(columns="seconds").equals(whole.drop(columns="seconds"))
