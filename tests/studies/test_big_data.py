"""Document 003, section 3, as a whole: what may be published, its methods, and what a person reads."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_big_data_bootstrap_claims import parallel_runs, serial_runs
from test_big_data_case_control import bias_runs, subsampling_runs
from test_big_data_combinations import made_up, trained_by_hand
from test_big_data_combined_searches import STUDIES, planted
from test_big_data_kmeans_svm_claims import boundaries, compressed
from test_big_data_sample_size import by_hand
from test_big_data_size_aware import toy

from studies import registry
from studies.big_data.paper import PAPER
from studies.big_data.tables import as_factors
from studies.publish import reaches_floor
from studies.tidy import TIDY

EXPLAINED = ("figure6", "figure9", "figure11")
"""Figures of one small run, whose CSVs count no seeds."""


def checked(n_seeds=10):
    """Fits of 3 or 4 steps whose samples end with all rows, in the last seed from the second step on."""
    rows = []
    for seed in range(n_seeds):
        last = seed == n_seeds - 1
        for iteration, size in enumerate([10, 100, 100] if last else [10, 50, 100, 100], start=1):
            error = 1.0 + 0.1 * iteration + 0.01 * seed
            step = {"iteration": iteration, "size": size, "squared_error": error, "variance": 1.0}
            rows.append(step | {"corrected": 1 - size / 100, "seed": seed})
    return pd.DataFrame(rows).assign(method="dynamic_50", n_rows=100, data="original")


def interval_runs(n_seeds):
    return pd.concat([serial_runs(n_seeds), parallel_runs(n_seeds)], ignore_index=True)


def boundary_runs(n_seeds):
    angles = np.linspace(1.0, 9.0, n_seeds)
    return boundaries(angles, angles / 2)


MADE_UP = {
    "figure3 figure3_cost svm_search": partial(toy, never=("ei",)),
    "figure7 figure7_rows interval_widths": interval_runs,
    "figure8 figure8_seconds sample_growth sample_sizes": by_hand,
    "variance_check": checked,
    "figure10 figure10_seconds": subsampling_runs,
    "bias": bias_runs,
    "boundary_angles boundaries": boundary_runs,
    "figure12 figure12_rows compression": lambda n_seeds: compressed(("wdbc", "pima2"), n_seeds),
    "combinations combinations_against_parts": made_up,
    "fractions fractions_seconds": trained_by_hand,
    **{name: partial(planted, name, 0.5) for name in STUDIES},
}
"""Made-up runs of so many seeds, by the names of the figures and tables that are made from them."""
RUNS = {name: make for names, make in MADE_UP.items() for name in names.split()}
SHOWN = [one for one in PAPER.artefacts if one.name in (*RUNS, *EXPLAINED)]
DRAWN = {one.name: one for one in SHOWN if one.draw}
TABLES = [one.name for one in SHOWN if not one.draw]


def publishable(numbers, kind, name, place):
    (place / kind).mkdir(exist_ok=True)
    numbers.to_csv(place / kind / f"{name}.csv", index=False)
    return [reaches_floor(Path(kind) / f"{name}{end}", place, PAPER) for end in (".csv", ".md", ".png")]


@pytest.mark.parametrize("name", sorted({*DRAWN} - {*EXPLAINED}))
def test_a_figure_is_published_with_ten_seeds_and_not_with_nine(name, tmp_path):
    numbers = DRAWN[name].summarise(RUNS[name](9))
    assert numbers["n_seeds"].max() == 9
    for one_more, may in ((0, False), (1, True)):
        assert (
            publishable(numbers.assign(n_seeds=numbers["n_seeds"] + one_more), "figures", name, tmp_path)
            == [may] * 3
        )
    if "source" in numbers:
        assert numbers.loc[numbers["source"] == "published", "n_seeds"].isna().all()


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_figure_that_explains_is_published(name, tmp_path):
    assert all(publishable(DRAWN[name].summarise(0), "figures", name, tmp_path))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_published_with_ten_seeds_and_not_with_nine(name, tmp_path):
    table = registry.tables("big_data")[name].summarise(RUNS[name](9), "paper")
    for one_more, may in ((0, False), (1, True)):
        assert (
            publishable(table.assign(n_seeds=table["n_seeds"] + one_more), "tables", name, tmp_path) == [may] * 3
        )


def test_what_not_every_seed_has_is_left_out_of_the_check_of_the_variance():
    table = registry.tables("big_data")["variance_check"].summarise(checked(), "paper")
    assert (table["n_seeds"] == 10).all()
    steps = table.groupby("measure")["iteration"].agg(list)
    assert steps.pop("corrected_deviation") == [1]  # from the second step on a sample is all rows
    assert all(listed == [1, 2, 3] for listed in steps)  # the fourth was not made in the last seed
    assert len(steps) == 5


def rendered(**columns):
    empty = {"published": np.nan, "ours": 2.0, "low": np.nan, "high": np.nan, "n_seeds": 10, "data": "original"}
    row = {"method": "km_svm", "measure": "error"} | dict.fromkeys(TIDY, "") | {"scale": "paper"} | empty | columns
    head, _, cells, _, note = PAPER.render(pd.DataFrame([row])).splitlines()
    assert head == "| method | error |"
    assert cells.startswith("| km svm | ")
    return cells.removeprefix("| km svm | ").removesuffix(" |"), note


@pytest.mark.parametrize(
    ("columns", "cell"),
    [
        ({}, "2"),
        ({"low": 0.5, "high": 2.25}, "2 (0.5 to 2.25)"),
        ({"low": -1.0, "high": 5.0, "published": 0.12345}, "2 (-1 to 5) [published 0.1235]"),
        ({"published": 3.0, "data": "original/stand-in"}, "2 [published 3] †"),
        ({"low": 1.0, "high": 3.0, "says": "less"}, "2 (1 to 3), less"),
        ({"says": ""}, "2"),
        ({"ours": np.nan}, "no value"),
        ({"ours": np.nan, "published": 3.0}, "no value [published 3]"),
    ],
)
def test_a_cell_has_both_ends_of_its_interval_and_the_published_value(columns, cell):
    text, note = rendered(**columns)
    assert text == cell
    assert note.startswith("Means (their 95 % intervals over seeds) [what is published]; scale paper, 10 seeds, ")
    assert ("†" in note) == ("†" in cell)


def test_a_table_for_people_has_factors_for_logarithms():
    table = pd.DataFrame({
        "measure": ["log10_rows_less_random", "log2_seconds", "rows"],
        "ours": [-1.0, 3.0, 7.0], "low": [-2.0, 2.0, 6.0], "high": [0.0, 4.0, 8.0],
    })  # fmt: skip
    factors = as_factors(table)
    assert factors["measure"].tolist() == ["rows_over_random, times", "seconds, times", "rows"]
    np.testing.assert_allclose(factors[["ours", "low", "high"]], [[0.1, 0.01, 1], [8, 4, 16], [7, 6, 8]])
    for path in (Path(__file__).parents[2] / "results/published").glob("*/tables/*.md"):
        assert "log10" not in path.read_text(), path
