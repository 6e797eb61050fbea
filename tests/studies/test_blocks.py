"""Blocks of the configuration whose numbers differ by method and data set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from frugal import trials
from studies import registry
from studies.blocks import check_block, check_unique, n_trials_of, on_dataset, planned
from studies.records import Method

SEARCHES = registry.searches()
METHODS = registry.search_methods()
BLOCK = {
    "n_train": {"letter": 9000, "mnist": 50_000}, "n_valid": 2000, "subset_share": 0.1, "rows_per_class": 10,
    "strategies": {"ei": {"kernel": "se"}, "hypertune": {"n_starts": 2}},
}  # fmt: skip


def on_rows(name, block, dataset):
    """What document 004's experiments plan for a method."""
    return planned(SEARCHES["svm_rff"], METHODS[name], block, dataset)


def test_settings_follow_from_the_rows_of_a_data_set():
    assert on_rows("ei", BLOCK, "letter") == {"kernel": "se"}
    assert on_rows("hypertune", BLOCK, "letter") == {"subset_rows": 900, "n_starts": 2}
    assert on_rows("fabolas", BLOCK, "letter") == {"n_min": 260, "n_max": 9000, "n_valid": 2000}
    few = on_rows("hypertune", {**BLOCK, "n_train": 1000}, "letter")
    assert few["subset_rows"] == 260  # ten of each of 26 classes; a tenth of all would be four
    by_dataset = {**BLOCK, "n_valid": {"letter": 4400, "mnist": 10_000}}
    assert on_rows("fabolas", by_dataset, "mnist")["n_valid"] == 10_000
    turned = on_rows("hypertune_reversed", BLOCK, "mnist")
    assert turned == {
        "subset_rows": 5000, "n_starts": 2, "control": "reversed", "strategy": "hypertune", "draws": "hypertune",
    }  # fmt: skip
    rows = on_rows("hyperband_rows", BLOCK, "mnist")
    assert (rows["resource"], rows["min_resource"], rows["max_resource"]) == (
        "rows",
        617,
        50_000,
    )  # docs/methods.md, section 9
    assert rows["n_brackets"] is None  # the budget alone ends the search


@pytest.mark.parametrize("name", ["ei_explore", "fabolas_joint", "entropy_search"])
def test_a_strategy_whose_name_begins_with_anothers_is_planned_as_itself(name):
    block = {**BLOCK, "strategies": {"ei": {"kernel": "se"}, "fabolas": {"n_hyper": 4}, name: {"n_starts": 3}}}
    search = replace(SEARCHES["elastic_net"], methods=(*SEARCHES["elastic_net"].methods, Method(name)))
    settings = planned(search, search.method(name), block, "letter")
    rows = {"n_min": 260, "n_max": 9000, "n_valid": 2000} if name == "fabolas_joint" else {}
    assert settings == {**rows, "n_starts": 3}  # nothing of ei's or fabolas'; no strategy: it is the method's name
    assert (search.method(name).strategy, name in trials.known()) == (name, True)
    variant = Method(f"{name}_variant", name)
    assert planned(search, variant, block, "letter") == {**rows, "strategy": name}


def test_what_makes_a_method_cannot_be_changed_in_the_configuration():
    search = SEARCHES["svm_rff"]
    for name, settings in (
        ("hypertune_reversed", {"control": "unsigned"}),
        ("hyperband_rows", {"resource": "epochs"}),
        ("ei", {"strategy": "random"}),
        ("ei", {"termination": {}}),
    ):
        with pytest.raises(
            ValueError, match=rf"^strategies\.{name} must not hold {next(iter(settings))}, which belongs"
        ):
            planned(search, METHODS[name], {**BLOCK, "strategies": {name: settings}}, "letter")


def test_termination_needs_stored_curves():
    with pytest.raises(ValueError, match="for experiments on stored curves: curve_search, compared_curves"):
        planned(SEARCHES["functions"], METHODS["ei_terminated"], {}, "branin")


def test_numbers_of_rows_and_trials_may_be_given_by_data_set():
    block = {
        "datasets": ["letter", "adult"], "scalers": {"adult": "standard"},
        "n_train": {"letter": 8978, "adult": 21_925},
        "n_valid": {"letter": 4400, "adult": 10_799}, "n_test": 6600, "n_initial": 3,
        "n_trials": {
            **dict.fromkeys(SEARCHES["svm_rff"].method_names), "hypertune": 38,
            "hyperband_rows": {"letter": 60, "mnist": None},
        },
    }  # fmt: skip
    search = SEARCHES["svm_rff"]
    rows = {"n_train": 21_925, "n_valid": 10_799, "n_test": 6600}
    assert on_dataset(block, "adult") == {**rows, "scaler": "standard", "space": "hypertune"}
    assert n_trials_of(search, block, "letter") == {"hypertune": 38, "hyperband_rows": 60}
    assert n_trials_of(search, block, "adult") == {"hypertune": 38}
    assert n_trials_of(search, block, "mnist") == {"hypertune": 38}
    check_block(search, block)
    with pytest.raises(ValueError, match="unknown dataset in n_valid 'adult'; known: letter"):
        check_block(search, {**block, "n_valid": {"letter": 4400}})
    with pytest.raises(ValueError, match=r"unknown dataset of svm_rff in n_trials.random 'wdbc'; known: letter"):
        check_block(search, {**block, "n_trials": {**block["n_trials"], "random": {"wdbc": 5}}})
    with pytest.raises(ValueError, match="since its time is the budget of all, got none on adult"):
        check_block(search, {**block, "n_trials": {**block["n_trials"], "hypertune": {"letter": 38}}})
    with pytest.raises(ValueError, match="n_trials must have a number for ei, or null where it is not run"):
        n_trials_of(search, {**block, "n_trials": {"random": 5, "hypertune": 38}}, "letter")


def test_a_variant_starts_from_as_many_candidates_as_its_method():
    block = {"n_initial": 15, "strategies": {"ei": {"n_initial": 3}}, "n_trials": 4}
    search = replace(SEARCHES["functions"], methods=(Method("ei"), Method("ei_b", "ei", variant_of="ei")))
    assert n_trials_of(search, block, "branin") == {"ei": 4, "ei_b": 4}
    alone = replace(search, methods=(Method("ei"), Method("ei_b", "ei")))
    with pytest.raises(ValueError, match="n_initial of ei_b must be at most n_trials = 4, got 15"):
        n_trials_of(alone, block, "branin")


def test_a_search_of_two_experiments_is_refused():
    twice = replace(SEARCHES["compared_svm"], methods=(METHODS["ei"],))
    with pytest.raises(
        ValueError, match="ei of lookup on svm_mnist is a search of svm_search and of compared_svm"
    ):
        check_unique([SEARCHES["svm_search"], twice])
    check_unique(SEARCHES.values())


def test_a_method_is_the_same_in_every_study_that_has_it():
    for search in SEARCHES.values():
        assert search.methods == tuple(METHODS[name] for name in search.method_names)
