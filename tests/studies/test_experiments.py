"""Experiments by name: a job of one that does not exist is refused before anything is imported or computed."""

import re

import pytest

from studies.jobs import run_experiment as run
from studies.registry import experiments


@pytest.mark.parametrize("name", experiments())
def test_an_unknown_method_is_refused_in_the_same_words_by_every_experiment(name):
    known = ", ".join(experiments()[name].method_names)
    with pytest.raises(ValueError, match=f"^unknown method of {name} 'magic'; known: {known}$"):
        run(name, "magic", 0, {})


def test_an_unknown_experiment_is_refused():
    with pytest.raises(
        ValueError,
        match=r"^unknown experiment 'sizes'; known: library, task1, surrogate_cost, surrogate_fits, intervals, ",
    ):
        run("sizes", "blb", 0, {})


@pytest.mark.parametrize("name", experiments())
def test_unknown_settings_are_refused_with_those_that_are_known(name):
    with pytest.raises(ValueError, match=f"^unknown setting of {name} 'magic'; known: "):
        run(name, experiments()[name].method_names[0], 0, {"magic": 1})
    with pytest.raises(ValueError, match=f"^unknown setting of {name} 'n_seeds'; known: "):
        run(name, experiments()[name].method_names[0], 0, {"n_seeds": 1})


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("surrogate_cost", {"sizes": [50, 20]}, "sizes is [50, 20], but must be a list of increasing numbers"),
        ("intervals", {"n_rows": 60}, "n_rows is 60, but must be a whole number of at least 100"),
        ("sample_sizes", {"fixed_share": 1.5}, "fixed_share is 1.5, but must be a number above 0 and at most 1"),
        ("sample_sizes", {"max_passes": 0}, "max_passes is 0, but must be a number above 0"),
        ("variance_check", {"start_share": 2.0}, "start_share is 2.0, but must be a number above 0 and at most 1"),
        ("boundaries", {"n_per_class": 1}, "n_per_class is 1, but must be a whole number of at least 2"),
        ("compression", {"n_folds": 1}, "n_folds is 1, but must be a whole number of at least 2 and at most 100"),
        ("compression", {"datasets": "wdbc"}, "datasets is 'wdbc', but must be a list of at least 1 item"),
        ("compression", {"Cs": []}, "Cs is [], but must be a list of at least 1 item"),
        ("compression", {"compressions": [0.5]}, "compressions.0 is 0.5, but must be a number of at least 1"),
        ("combinations", {"r": 1}, "r is 1, but must be a whole number of at least 2"),
        ("combinations", {"sizes": {"nzNormal": 2.5}}, "sizes.nzNormal is 2.5, but must be a whole number"),
        ("combinations", {"gammas": [0.8]}, "dynamic_gammas must be among gammas (0.8), got 0.7"),
        ("fractions", {"fractions": [0.5, 1]}, "fractions.1 is 1, but must be a number above 0 and below 1"),
        ("growing_termination", {"horizon": 2}, "horizon is 2, but must be a whole number of at least 6"),
        ("reduced_search", {"sizes": [256, 64]}, "sizes is [256, 64], but must be a list of increasing numbers"),
        ("reduced_search", {"compression": 1}, "compression is 1, but must be a number above 1"),
        ("complexity", {"n_train": 50}, "subset_rows is 500, but must be at most 50, the training rows"),
    ],
)
def test_the_model_of_an_experiment_refuses_wrong_settings_before_anything_runs(name, change, message):
    with pytest.raises(ValueError, match=f"^settings: .*{re.escape(message)}"):
        run(name, experiments()[name].method_names[0], 0, change)


def test_settings_that_are_not_given_are_the_documents_own():
    assert set(run("boundaries", "km_svm", 0, {"n_fresh": 10})["n_rows"]) == {250}
