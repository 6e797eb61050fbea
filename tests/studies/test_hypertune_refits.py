"""Document 004: what searches chose, fitted and tested on digits, against budgets worked out by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from frugal import datasets
from frugal.benchmarks.searches import problem
from studies.hypertune import complexity, searches
from studies.shared import refits

A, B = {"alpha": 1e-4, "l1_ratio": 0.5}, {"alpha": 1e-2, "l1_ratio": 0.25}
ROWS = {"n_train": {"digits": 60}, "n_valid": 100, "n_test": 200}


def search(method, errors, chosen, *, n_subset=0, seed=0):
    """Trials of a second each, of which a tenth is the optimiser's; the first `n_subset` are on fewer rows."""
    n = len(errors)
    return pd.DataFrame({
        "method": method, "learner": "elastic_net", "dataset": "digits", "seed": seed, "data": "original",
        "id": range(n), "candidate": json.dumps(A), "error": errors, "seconds": 0.9, "overhead_s": 0.1,
        "cost": 60.0,
        "n_rows": pd.array([20.0] * n_subset + [None] * (n - n_subset), dtype="Float64"), "curve": "[]",
        "epochs": pd.array([None] * n, dtype="Float64"),
        "incumbent": [None if candidate is None else json.dumps(candidate) for candidate in chosen],
    })  # fmt: skip


# sigma is sqrt(0.1 * 0.9 / 100) = 0.03, so 0.16 is as good as 0.1: HyperTune has 2 s on subsets, 2 until 0.15.
HYPERTUNE = search("hypertune", [0.5, 0.5, 0.3, 0.15, 0.1], [None, None, A, B, A], n_subset=2)
EI = search("ei", [0.3, 0.2], [A, B])
RANDOM = search("random", [0.4, 0.4, 0.3, 0.3, 0.2], [A, A, A, A, B])
LATE = search("hyperband", [0.4] * 6, [None] * 5 + [B])
NEVER = search("fabolas", [0.4] * 2, [None, None])
CONTROL = search("hypertune_reversed", [0.3], [{"alpha": 1.0, "l1_ratio": 0.5}])  # compared by trials alone
ALL = pd.concat([HYPERTUNE, EI, RANDOM, LATE, NEVER, CONTROL], ignore_index=True)


def test_choices_within_hypertunes_time_are_fitted_once_and_tested(tmp_path, monkeypatch):
    fitted, measure = [], refits._test_error

    def test_error(problem, candidate):
        fitted.append(dict(candidate))
        return measure(problem, candidate)

    monkeypatch.setattr(refits, "_test_error", test_error)
    loaded, load = [], datasets.load
    monkeypatch.setattr(datasets, "load", lambda name, **options: (loaded.append(name), load(name, **options))[1])
    table = searches.refit(ALL, ROWS, journal=tmp_path / "journal")
    assert loaded == ["digits"]
    by = table.set_index("method")
    assert by["budget_s"].drop("majority").tolist() == pytest.approx([4.0] * 5)
    assert by["spent_s"].drop("majority").to_dict() == pytest.approx(
        {"hypertune": 4.0, "ei": 2.0, "random": 4.0, "hyperband": 6.0, "fabolas": 2.0}
    )
    assert by["whole_s"].drop("majority").to_dict() == pytest.approx(
        {"hypertune": 5.0, "ei": 2.0, "random": 5.0, "hyperband": 6.0, "fabolas": 2.0}
    )
    chosen = by["candidate"].dropna().map(json.loads).to_dict()
    assert chosen == {"hypertune": B, "ei": B, "random": A, "hyperband": B}
    assert sorted(fitted, key=lambda candidate: candidate["alpha"]) == [A, B]
    refitted = problem("elastic_net", "digits", 0, {**ROWS, "n_train": 60, "space": "hypertune"})
    for method, candidate in chosen.items():
        assert by.loc[method, "test_error"] == refitted.test_error(candidate)
        assert by.loc[method, "n_rows"] == 60
    assert math.isnan(by.loc["fabolas", "test_error"])
    often = np.bincount(refitted.parts.train[1]).argmax()
    assert by.loc["majority", "test_error"] == np.mean(refitted.parts.test[1] != often)
    again = searches.refit(ALL, ROWS, journal=tmp_path / "journal")
    pd.testing.assert_frame_equal(again, table)
    assert len(fitted) == 2


def test_fits_are_not_taken_from_a_journal_of_other_data(tmp_path):
    searches.refit(ALL, ROWS, journal=tmp_path / "journal")
    with pytest.raises(ValueError, match="is the journal of another run, with other data"):
        searches.refit(ALL.assign(data="stand-in"), ROWS, journal=tmp_path / "journal")


def test_a_choice_that_fails_on_all_rows_has_no_error_and_the_others_have_theirs(caplog):
    bad = search("random", [0.1], [{"alpha": -1.0, "l1_ratio": 0.5}])
    by = searches.refit(pd.concat([HYPERTUNE, bad]), ROWS).set_index("method")
    assert math.isnan(by.loc["random", "test_error"])
    assert by.loc["hypertune", "test_error"] < 0.5
    assert "the chosen candidate of elastic_net on digits failed" in caplog.text


def test_searches_may_have_one_fixed_time_and_hypertune_none_of_its_own():
    by = searches.refit(pd.concat([EI, RANDOM]), {**ROWS, "time_s": 1.5}).set_index("method").drop("majority")
    assert by["budget_s"].tolist() == [1.5, 1.5]
    assert by["spent_s"].tolist() == pytest.approx([1.0, 1.0])
    assert by["candidate"].map(json.loads).tolist() == [A, A]


def test_a_seed_without_hypertune_has_no_budget():
    with pytest.raises(ValueError, match="elastic_net on digits has no search by hypertune from seed 1"):
        searches.refit(pd.concat([ALL, search("ei", [0.1], [A], seed=1)]), ROWS)


def test_accuracy_rises_with_features_and_rows_and_the_bound_is_that_of_the_rows():
    settings = {
        "dataset": "digits", "n_train": 400, "subset_rows": 50, "n_test": 300, "n_features": [4, 256], "C": 10.0,
        "gamma": 0.002,
    }  # fmt: skip
    found = {method.name: complexity.run(method.name, 0, settings) for method in complexity.METHODS}
    assert found["subset"]["n_rows"].tolist() == [50, 50]
    assert found["all"]["n_rows"].tolist() == [400, 400]
    assert set(found["all"]["data"]) == {datasets.load("digits").provenance}
    for table in found.values():
        n = table["n_rows"].iloc[0]
        by_hand = [math.sqrt(32 * (d * math.log(n + 1) + math.log(160)) / n) for d in (5, 257)]
        assert table["bound"].tolist() == pytest.approx(by_hand)
        assert table["accuracy"].iloc[1] > table["accuracy"].iloc[0]
    assert found["all"]["accuracy"].iloc[1] > max(0.8, found["subset"]["accuracy"].iloc[1])


def test_a_seed_draws_training_rows_and_the_two_classes_are_halves_of_all(monkeypatch):
    numbered = datasets.Dataset.from_arrays(np.arange(100)[:, None], np.arange(100) % 10)
    monkeypatch.setattr(datasets, "load", lambda name, root: numbered)
    fitted = []

    class Halves:
        """Knows that a row is of the later half if its number ends in 5 or more."""

        def fit(self, X, y):
            fitted.append(set(X[:, 0]))
            return self

        def predict(self, X):
            return X[:, 0] % 10 >= 5

    monkeypatch.setattr("frugal.learners.build", lambda name, candidate, seed: Halves())
    settings = {"dataset": "numbered", "n_train": 40, "n_test": 30, "n_features": [4], "C": 1.0, "gamma": 1.0}
    for seed in (0, 1):
        table = complexity.run("all", seed, settings)
        assert table[["train_accuracy", "accuracy"]].to_numpy().tolist() == [[1.0, 1.0]]
    assert [len(rows) for rows in fitted] == [40, 40]
    assert fitted[0] != fitted[1]
