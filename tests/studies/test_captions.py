"""Words that captions are filled in with."""

from copy import deepcopy
from pathlib import Path

import pytest

from studies import config
from studies.captions import caption, in_seeds, interval_over_error

CONFIG = config.load(Path(__file__).parents[2] / "config/config.yaml")


@pytest.mark.parametrize(("count", "expected"), [(1, "1 seed"), (10, "10 seeds")])
def test_a_number_of_seeds_is_put_in_words(count, expected):
    assert in_seeds(count) == expected


@pytest.mark.parametrize(("n_seeds", "expected"), [(2, "12.7"), (3, "4.3"), (10, "2.3")])
def test_an_interval_has_the_half_width_of_a_table_of_students_t(n_seeds, expected):
    # t(0.975) with 1, 2 and 9 degrees of freedom: 12.706, 4.303 and 2.262.
    assert interval_over_error(n_seeds) == expected


def test_a_band_is_compared_with_an_interval_where_there_are_two_seeds():
    settings = deepcopy(CONFIG)
    settings["hypertune"]["svm"]["n_seeds"] = 3
    assert "(a 95 % interval is 4.3 times as wide)" in caption("hypertune", "figure3", settings)
    settings["hypertune"]["svm"]["n_seeds"] = 1
    assert "mean over 1 seed: above" in caption("hypertune", "figure3", settings)  # no band is drawn


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({}, "the datasets and classifiers of document 001,"),
        ({"datasets": ["wine"]}, "the datasets wine and the classifiers of document 001,"),
        ({"classifiers": ["svm"]}, "the datasets of document 001 and the classifiers svm,"),
        (
            {"datasets": ["wine", "wdbc"], "classifiers": ["svm"]},
            "the datasets wine, wdbc and the classifiers svm,",
        ),
    ],
)
def test_the_comparison_of_folds_says_what_it_averages_over(own, words):
    settings = deepcopy(CONFIG)
    settings["folds_comparison"] |= own
    assert f"averaged over {words}" in caption("folds_comparison", "pareto", settings)


@pytest.mark.parametrize(
    ("block", "paper", "figure"),
    [
        ({"strategies": {"beta_pruning": {}}}, "beta_pruning", ("figure", "figure7")),
        ({"big_data": {"curve_search": {"termination": {}}}}, "big_data", ("figure", "figure5")),
        (
            {"exploration": {"functions_long": {"strategies": {}}}},
            "exploration",
            ("table", "functions_long"),
        ),
        (
            {"exploration": {"functions_long": {"strategies": {"dngo_long": {}}}}},
            "exploration",
            ("table", "functions_long"),
        ),
    ],
)
def test_a_caption_of_settings_that_are_left_to_their_defaults_is_written(block, paper, figure):
    whole = config.complete({"scale": "paper", **block}, source="test")
    kind, name = figure
    assert "Written by" in caption(paper, name, whole, kind=kind)
