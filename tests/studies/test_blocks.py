"""Blocks of the configuration whose numbers differ by method and data set."""

from __future__ import annotations

import pytest

from studies.blocks import check_block, n_trials_of, on_dataset, on_rows

BLOCK = {
    "n_train": {"letter": 9000, "mnist": 50_000}, "n_valid": 2000, "subset_share": 0.1, "rows_per_class": 10,
    "strategies": {
        "ei": {"kernel": "se"}, "hypertune": {"n_starts": 2}, "hypertune_reversed": {"control": "reversed"},
        "hyperband_rows": {"resource": "rows"},
    },
}  # fmt: skip


def test_settings_follow_from_the_rows_of_a_data_set():
    assert on_rows("ei", BLOCK, "letter", 26) == {"kernel": "se"}
    assert on_rows("hypertune", BLOCK, "letter", 26) == {"subset_rows": 900, "n_starts": 2}
    assert on_rows("fabolas", BLOCK, "letter", 26) == {"n_min": 260, "n_max": 9000, "n_valid": 2000}
    few = on_rows("hypertune", {**BLOCK, "n_train": 1000}, "letter", 26)
    assert few["subset_rows"] == 260  # ten of each of 26 classes; a tenth of all would be four
    by_dataset = {**BLOCK, "n_valid": {"letter": 4400, "mnist": 10_000}}
    assert on_rows("fabolas", by_dataset, "mnist", 10)["n_valid"] == 10_000
    turned = on_rows("hypertune_reversed", BLOCK, "mnist", 10)
    assert turned == {
        "subset_rows": 5000, "n_starts": 2, "control": "reversed", "strategy": "hypertune", "draws": "hypertune",
    }  # fmt: skip
    rows = on_rows("hyperband_rows", BLOCK, "mnist", 10)
    assert (rows["resource"], rows["min_resource"], rows["max_resource"]) == (
        "rows",
        617,
        50_000,
    )  # docs/methods.md, section 9
    assert rows["n_brackets"] is None  # the budget alone ends the search


def test_numbers_of_rows_and_trials_may_be_given_by_data_set():
    block = {
        "datasets": ["letter", "adult"], "scalers": {"adult": "standard"},
        "n_train": {"letter": 8978, "adult": 21_925},
        "n_valid": {"letter": 4400, "adult": 10_799}, "n_test": 6600, "n_initial": 3,
        "n_trials": {"hypertune": 38, "ei": None, "hyperband_rows": {"letter": 60, "mnist": None}},
    }  # fmt: skip
    rows = {"n_train": 21_925, "n_valid": 10_799, "n_test": 6600}
    assert on_dataset(block, "adult") == {**rows, "scaler": "standard", "space": "hypertune"}
    assert n_trials_of("svm_rff", block, "letter") == {"hypertune": 38, "hyperband_rows": 60}
    assert n_trials_of("svm_rff", block, "adult") == {"hypertune": 38}
    assert n_trials_of("svm_rff", block, "mnist") == {"hypertune": 38}
    check_block("svm_rff", block)
    with pytest.raises(ValueError, match="unknown dataset in n_valid 'adult'; known: letter"):
        check_block("svm_rff", {**block, "n_valid": {"letter": 4400}})
    with pytest.raises(ValueError, match=r"unknown dataset of svm_rff in n_trials.random 'wdbc'; known: letter"):
        check_block("svm_rff", {**block, "n_trials": {"hypertune": 38, "random": {"wdbc": 5}}})
    with pytest.raises(ValueError, match="since its time is the budget of all, got none on adult"):
        check_block("svm_rff", {**block, "n_trials": {"hypertune": {"letter": 38}}})
