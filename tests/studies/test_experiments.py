"""Experiments by name: a job of one that does not exist is refused before anything is imported or computed."""

import pytest

from studies.registry import experiments, run


@pytest.mark.parametrize("name", experiments())
def test_an_unknown_method_is_refused_in_the_same_words_by_every_experiment(name):
    known = ", ".join(experiments()[name].method_names)
    with pytest.raises(ValueError, match=f"^unknown method of {name} 'magic'; known: {known}$"):
        run(name, "magic", 0, {})


def test_an_unknown_experiment_is_refused():
    with pytest.raises(
        ValueError,
        match=r"^unknown experiment 'sizes'; known: task1, surrogate_cost, intervals, ",
    ):
        run("sizes", "blb", 0, {})
