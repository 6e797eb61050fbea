"""Experiments by name: a job of one that does not exist is refused before anything is imported or computed."""

import pytest

from studies.experiments import EXPERIMENTS, run


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_unknown_method_is_refused_in_the_same_words_by_every_experiment(name):
    known = ", ".join(EXPERIMENTS[name].methods)
    with pytest.raises(ValueError, match=f"^unknown method of {name} 'magic'; known: {known}$"):
        run(name, "magic", 0, {})


def test_an_unknown_experiment_is_refused():
    with pytest.raises(ValueError, match=r"^unknown experiment 'sizes'; known: intervals, interval_workers, "):
        run("sizes", "blb", 0, {})
