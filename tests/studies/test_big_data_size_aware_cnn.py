"""Document 003, section 2.1, on the CNN: stored curves on several sizes in the place of a look-up table."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from frugal.benchmarks.curve_set import COLUMNS
from frugal.benchmarks.searches import search
from frugal.learners import networks
from studies import registry, style
from studies.big_data import arrivals, figure3, size_search
from studies.blocks import sized
from studies.methods import TRIALS
from studies.shared.look_up_tables import cells, least_test_error
from studies.verdicts import CONTRADICTED, NOT_RUN, REPRODUCED, judge_claims

SIZES = (128, 256, 512, 1024, 2048)
N_EPOCHS = 3
LEAST = 0.5
"""Test error of candidate 0, the best, on the largest size."""
CANDIDATES = networks.space("small", "cifar_cnn").sample(np.random.default_rng(0), 50)


def curves(n=50, sizes=SIZES, diverged=()):
    """Candidate i ends LEAST + i / 100 wrong on the most rows, worse on fewer; 128 rows take a second an epoch."""
    rows = []
    for i in range(n):
        for size in sizes:
            facts = ("cifar_cnn", "cifar10", "small", size, 400, N_EPOCHS, "original")
            error = min(LEAST + i / 100 + 0.05 * math.log2(sizes[-1] / size), 1.0)
            for epoch in range(1, N_EPOCHS + 1):
                failed, ends = i in diverged and epoch == 2, epoch == N_EPOCHS
                score = math.nan if failed else 1 - error - 0.01 * (N_EPOCHS - epoch)
                what = (i, json.dumps(CANDIDATES[i], sort_keys=True), epoch, score, size / 128)
                rows.append((*facts, *what, error if ends else math.nan, "it diverged" if failed else ""))
                if failed:
                    break
    return pd.DataFrame(rows, columns=COLUMNS)


def path(method, seed, seconds, test_errors, n_rows=None):
    n = len(test_errors)
    return pd.DataFrame({
        "method": method, "learner": "curves", "dataset": "cnn_sizes_cifar10", "seed": seed, "data": "original",
        "id": range(n), "candidate": "{}", "seconds": seconds, "cost": 1000 * np.asarray(seconds, float),
        "overhead_s": 0.0, "n_rows": n_rows, "test_error": test_errors,
    })  # fmt: skip


ARRIVAL = {"fabolas": 1.0, "mtbo_4": 2.5, "mtbo_16": 2.0, "ei": 12.0, "entropy_search": 3.0, "random": 40.0}


def toy(n_seeds=10, arrival=ARRIVAL, **given):
    """Searches that are good at their second trial of three, or of fifty."""
    paths = []
    for method, seconds in arrival.items():
        spread = 1 + 0.01 * arrivals.METHODS.index(method)  # so that ratios vary from seed to seed
        for seed in range(n_seeds):
            n = 50 if method == "random" else 3
            steps = np.full(n, seconds * 2.0**seed * (spread if seed % 2 else 1 / spread))
            steps[:2] /= 2
            sizes = None if method in ("random", "ei", "entropy_search") else 512
            paths.append(path(method, seed, steps, [1.0] + [LEAST] * (n - 1), sizes))
    return pd.concat([curves(**given), *paths], ignore_index=True)


def judged(runs):
    found = judge_claims(size_search.CLAIMS, {"cnn_search": runs}, "paper")
    return found[found["id"].str.contains("cnn_search")]


def test_a_curve_is_a_cell_with_what_a_trial_to_its_end_gives():
    found = cells(pd.concat([curves(diverged=(1,)), path("ei", 0, [1.0], [0.5])]))
    assert len(found) == 50 * len(SIZES)
    by = found.set_index([found["candidate"], found["n_rows"]])
    best, failed = (json.dumps(CANDIDATES[i], sort_keys=True) for i in (0, 1))
    assert by.loc[(best, 512), ["error", "test_error"]].tolist() == pytest.approx([0.6, 0.6])
    assert by.loc[(best, 512), ["seconds", "cost"]].tolist() == [3 * 4.0, 3 * 512.0]
    assert by.loc[(failed, 512), ["seconds", "cost"]].tolist() == [2 * 4.0, 2 * 512.0]
    assert by.loc[(failed, 512), ["error", "test_error"]].isna().all()


def test_the_least_error_and_the_ratio_are_those_of_the_curves():
    runs = toy(2)
    assert least_test_error(runs) == arrivals.optimum(runs) == pytest.approx(LEAST)
    assert arrivals.cost_ratio(runs, "cost") == arrivals.cost_ratio(runs, "seconds") == 16
    assert len(arrivals.searches(runs)) == 2 * (50 + 5 * 3)  # and no curve among them


def test_similar_results_are_the_same_order():
    found = judged(toy())
    # MTBO-4 is the nearest to a method that it has to be before: entropy search.
    assert found["ours"].tolist() == pytest.approx([3.0 / 2.5] * 2)
    assert found["verdict"].tolist() == [REPRODUCED] * 2
    assert found["is_ours"].tolist() == [False, True]
    assert found["quantity"].str.contains("pairs: agree 11, open 0, disagree 0; shown: MTBO-4").all()


@pytest.mark.parametrize(
    ("change", "ours"),
    [
        ({"ei": 80.0}, 40 / 80),
        ({"fabolas": 4.0}, 2 / 4),
        ({"entropy_search": 1.5}, 1.5 / 2.5),
        ({"mtbo_4": 41.0}, 3 / 41),
        ({"random": 5.0}, 5 / 12),
    ],
)
def test_another_order_is_not_similar(change, ours):
    found = judged(toy(arrival=ARRIVAL | change))
    assert found["verdict"].tolist() == [CONTRADICTED] * 2
    assert found["ours"].tolist() == pytest.approx([ours] * 2)


@pytest.mark.parametrize(
    "runs",
    [
        lambda: toy(n_seeds=9),
        lambda: toy(n=49),
        lambda: toy(sizes=SIZES[1:]),
        lambda: toy().pipe(lambda t: t[(t["method"] != "random") | (t["id"] < 49)]),
        lambda: toy().pipe(lambda t: t[t["method"] != "mtbo_16"]),
    ],
)
def test_runs_below_the_floor_are_not_enough(runs):
    assert not size_search.CNN_SEARCH.is_enough(runs())


def test_no_verdict_is_given_below_the_floor():
    assert size_search.CNN_SEARCH.is_enough(toy())
    assert set(judged(toy(2))["verdict"]) == {NOT_RUN}


@pytest.mark.parametrize(
    ("name", "n_panels", "label"),
    [
        ("figure3_cnn", 3, "Evaluations and optimiser (s)"),
        ("figure3_cnn_cost", 2, "Training rows times epochs"),
    ],
)
def test_a_picture_has_every_method_and_the_ratio(name, n_panels, label):
    drawn = {one.name: one for one in figure3.ARTEFACTS if one.draw}[name]
    picture = drawn.draw(drawn.summarise(toy(2)))
    assert len(picture.axes) == n_panels
    assert picture.axes[0].get_xlabel() == label
    labels = {text.get_text() for text in picture.legends[0].get_texts()}
    shown = {style.LOOKS[method].label for method in registry.study("cnn_search").method_names}
    assert labels == shown | {"least of the table"}
    assert "(costs up to 16 to 1)" in picture.axes[0].get_title()


def test_the_table_is_that_of_the_svm():
    found = (
        registry.tables("big_data")["cnn_search"]
        .summarise(toy(2), "paper")
        .set_index(["method", "measure"])["ours"]
    )
    assert found["fabolas", "seconds_to_10"] == pytest.approx((1 / 1.07 + 2 * 1.07) / 2)
    assert found["fabolas", "cost_to_10"] == pytest.approx(1000 * (1 / 1.07 + 2 * 1.07) / 2)
    assert found["fabolas", "log10_seconds_to_10_less_random"] == pytest.approx(-math.log10(40))


def test_a_search_of_curves_tells_the_test_error_on_the_most_rows(tmp_path):
    curves(12, diverged=(3,)).to_parquet(tmp_path / "curves.parquet")
    settings = {"table": str(tmp_path / "curves.parquet"), "n_initial": 4}
    table = {"sizes": list(SIZES), "n_valid": 400}
    lean = {"n_hyper": 2, "n_burn": 2, "n_steps": 2, "n_representers": 14, "n_samples": 20}
    strategies = {
        "random": {},
        "fabolas": sized(TRIALS["fabolas"], lean, table),
        "mtbo_16": {"strategy": "mtbo"} | sized(TRIALS["mtbo_16"], {"divisor": 16} | lean, table),
    }
    number = {json.dumps(candidate, sort_keys=True): i for i, candidate in enumerate(CANDIDATES)}
    for method, strategy in strategies.items():
        given = settings | {"strategies": {method: strategy}}
        found = search(method, "curves", "cnn_sizes_cifar10", 0, 12, given)
        if method == "random":
            assert found["test_error"].iloc[-1] == LEAST  # it is dealt every curve once
            continue
        incumbents = [number[text] for text in found["incumbent"]]
        assert found["test_error"].tolist() == pytest.approx([LEAST + i / 100 for i in incumbents])
        assert set(found["n_rows"]) <= set(SIZES)
        assert len(set(found["n_rows"])) > 1
        assert set(found["candidate"]) <= set(number)


def test_curves_are_searched_in_a_file_that_is_named():
    with pytest.raises(ValueError, match="the set cnn_sizes_cifar10 needs the setting 'table'"):
        search("random", "curves", "cnn_sizes_cifar10", 0, 3, {})
