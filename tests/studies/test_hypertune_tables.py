"""Document 004: budgets, tables, curves on made-up runs; every expected number is worked out by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pandas as pd
import pytest
from toy_searches import reaches, refit, search, svm_runs

from studies.estimates import NOT_RUN
from studies.hypertune import budgets, curves, errors, paper, searches
from studies.publish import reaches_floor

N_VALID = 10_000


def test_the_budget_is_the_time_on_subsets_and_until_no_trial_is_better_by_two_sigma():
    # At an error of 0.1 on 10,000 rows sigma is sqrt(0.1 * 0.9 / 10,000) = 0.003: 0.106 is as good, 0.107 is not.
    path = searches.paths(search("hypertune", [0.3, 0.107, 0.106, 0.2, 0.1], subsets=[0.5] * 4))
    path["seconds"] = [1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0, 50.0]  # and 0.1 s of the optimiser each
    assert searches.budget_of(path, N_VALID) == pytest.approx(10.0 + 60.0 + 0.7)
    assert searches.budget_of(path, n_valid=7_000) == pytest.approx(10.0 + 30.0 + 0.6)  # sigma 0.0036: 0.107, too
    failed = searches.paths(search("hypertune", [0.3, math.nan, 0.1], subsets=[0.5] * 4))
    failed["seconds"] = [1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0]
    assert searches.budget_of(failed, N_VALID) == pytest.approx(10.0 + 60.0 + 0.7)
    with pytest.raises(ValueError, match="at least two trials on all rows that succeeded, got 1"):
        searches.budget_of(failed.iloc[:-1], N_VALID)


def test_a_choice_is_the_last_one_within_the_budget_and_the_first_one_where_none_is():
    path = searches.paths(search("ei", [0.3, 0.2, 0.4, 0.1]))
    assert searches.choice_within(path, 3.0) == ({"alpha": 0.2}, pytest.approx(3.0))  # 0.9 + 0.1 s, thrice
    assert searches.choice_within(path, 3.99) == ({"alpha": 0.2}, pytest.approx(3.0))
    assert searches.choice_within(path, 100.0) == ({"alpha": 0.1}, pytest.approx(4.0))
    assert searches.choice_within(path, 0.5) == ({"alpha": 0.3}, pytest.approx(1.0))
    nothing = searches.paths(search("hyperband", [0.3], incumbent=None))
    assert searches.choice_within(nothing, 10.0) == (None, pytest.approx(1.0))


def test_paths_count_trials_on_all_rows_alone_but_all_of_the_time():
    path = searches.paths(search("hypertune", [0.3, 0.2], subsets=[0.1] * 3))
    assert path["trial"].tolist() == [0, 0, 0, 1, 2]
    assert path["best"].tolist()[3:] == [0.3, 0.2]
    assert path["best"].isna().tolist()[:3] == [True] * 3
    assert path["spent_seconds"].tolist() == pytest.approx([1, 2, 3, 4, 5])


def test_trials_of_hyperband_count_from_the_last_rung_on():
    curves = [json.dumps([0.5] * n) for n in (1, 3, 9)]
    rungs = search("hyperband", [0.5, 0.4, 0.3], learner="mlp", epochs=[1.0, 3.0, 9.0], curve=curves)
    path = searches.paths(rungs)
    assert path["is_whole"].tolist() == [False, False, True]
    assert path["best"].iloc[-1] == 0.3
    assert path["best"].isna().tolist() == [True, True, False]


def test_curves_are_means_of_steps_with_standard_errors_and_hypertunes_begins_after_its_subsets():
    runs = pd.concat([
        *(search("ei", errors, seed=seed) for seed, errors in enumerate(([0.4, 0.2, 0.3], [0.2, 0.2, 0.1]))),
        *(search("hypertune", [0.3, 0.1], seed=seed, subsets=[0.9] * 4) for seed in (0, 1)),
    ])  # fmt: skip
    table = curves.summarise(runs, ["elastic_net"])
    ei = table[(table["method"] == "ei") & (table["panel"] == "trials")]
    assert ei["mean"].tolist() == pytest.approx([0.7, 0.8, 0.85])
    assert ei["se"].tolist() == pytest.approx([0.1, 0.0, 0.05])  # |a - b| / 2 of two values
    tuned = table[(table["method"] == "hypertune") & (table["panel"] == "seconds")]
    assert (tuned["x"].iloc[0], tuned["x"].iloc[-1]) == (pytest.approx(5.0), pytest.approx(6.0))
    assert (tuned["mean"].iloc[0], tuned["mean"].iloc[-1]) == (pytest.approx(0.7), pytest.approx(0.9))
    assert curves.summarise(runs, ["mlp"]).empty


def test_how_far_a_curve_is_behind_is_the_mean_over_the_trials_that_both_have():
    runs = pd.concat([search("ei", [0.4, 0.3, 0.3, 0.1]), search("hypertune", [0.3, 0.3, 0.2], subsets=[0.9] * 2)])
    found = searches.paths(runs)
    by_trial = curves.areas(found, "hypertune", "ei", "trials")
    assert by_trial["behind"].tolist() == pytest.approx([(-0.1 + 0.0 - 0.1) / 3])
    # In time they share [3, 4]: HyperTune's 0.3 against EI's 0.3, and at 4 s itself 0.3 against 0.1.
    in_time = curves.areas(found, "hypertune", "ei", "seconds")["behind"].item()
    assert in_time == pytest.approx(0.2 / curves.N_POINTS, abs=1e-9)


def test_a_table_has_the_printed_cells_with_rows_for_what_the_document_lacks():
    parts = [
        refit(method, error + 0.01 * seed, seed=seed)
        for method, error in (("majority", 0.96), ("ei", 0.31), ("fabolas", 0.33), ("hypertune", 0.30))
        for seed in range(3)
    ]
    table = errors.tabulate(pd.concat([*parts, refit("ei", 0.2, dataset="adult")]), "paper", number=1)
    cell = table[(table["dataset"] == "letter") & (table["method"] == "hypertune")].iloc[0]
    assert (cell["table"], cell["published"], cell["published_se"]) == (1, 0.30, 0.0)
    assert cell["ours"] == pytest.approx(0.31)
    assert cell["ours_se"] == pytest.approx(0.01 / math.sqrt(3))
    assert (cell["n_seeds"], cell["n_short"], cell["budget_share"]) == (3, 0, pytest.approx(0.8))
    printed = table[table["published"].notna()]
    assert len(printed) == 8
    assert {"majority", "random", "ei"} <= set(table["method"])
    # One seed of the scaled adult is below the floor, where the other cells reach it.
    below = table[table["scale"] == NOT_RUN]
    assert below["ours"].isna().all()
    assert set(below["dataset"]) == {"letter", "mnist", "adult", "vehicle"}
    assert "adult_scaled" not in set(table["dataset"])
    text = errors.render(table)
    assert "0.3100 ± 0.0058 [0.3 ± 0]" in text
    assert f"{NOT_RUN} [0.11 ± 0.007]" in text


def test_small_runs_show_their_numbers_and_are_not_published(tmp_path):
    table = errors.tabulate(refit("hypertune", 0.1, learner="mlp", dataset="mnist", n_epochs=3), "smoke", number=4)
    cell = table[(table["learner"] == "mlp") & (table["method"] == "hypertune")].iloc[0]
    assert (cell["ours"], cell["scale"], cell["published"]) == (0.1, "smoke", 0.05)
    assert table[table["learner"] == "cnn"]["scale"].eq(NOT_RUN).all()
    (tmp_path / "tables").mkdir()
    table.to_csv(tmp_path / "tables/table4.csv")
    assert not reaches_floor(Path("tables/table4.csv"), tmp_path, paper.PAPER)


def test_a_table_of_a_learner_that_was_not_run_says_so_in_every_cell():
    table = errors.tabulate(refit("ei", 0.1), "smoke", number=2)
    assert table["scale"].eq(NOT_RUN).all()
    assert len(table[table["published"].notna()]) == 8


def test_controls_are_differences_to_hypertune_of_the_same_seed():
    runs = pd.concat([
        search(method, [0.3 + 0.1 * seed, last], seed=seed)
        for seed in range(2) for method, last in (("hypertune", 0.1), ("ei", 0.25), ("hypertune_reversed", 0.2))
    ])  # fmt: skip
    table = curves.tabulate_controls(runs, "smoke").set_index(["method", "measure"])
    # 0 and 0.1 behind after the first trial and the second, which ends with the last of the seconds.
    for method, last in (("ei", 0.15), ("hypertune_reversed", 0.1)):
        for measure, share in (("behind_trials", 1 / 2), ("behind_seconds", 1 / curves.N_POINTS)):
            assert table.loc[(method, measure), ["ours", "ours_se"]].tolist() == pytest.approx([last * share, 0.0])
    assert len(table) == 4
    other_seed = pd.concat([search("hypertune", [0.3], seed=0), search("ei", [0.3], seed=1)])
    for none in (search("hypertune", [0.3]), search("ei", [0.3]), other_seed):
        assert curves.tabulate_controls(none, "smoke")["scale"].tolist() == [NOT_RUN]


def test_a_trial_on_fewer_epochs_is_not_whole_however_short_all_of_hyperbands_were():
    # Two of its trials, on one and three epochs of nine; EI's curves have all nine.
    short = search("hyperband", [0.2, 0.1], epochs=[1.0, 3.0], curve=["[0.8]", "[0.8, 0.85, 0.9]"])
    ei = search("ei", [0.3], curve=json.dumps([0.7] * 9))
    found = searches.paths(pd.concat([short, ei]))
    assert found.groupby("method")["is_whole"].sum().to_dict() == {"ei": 1, "hyperband": 0}


@pytest.mark.parametrize("change", [{}, {"n_seeds": 2}, {"cost": 7999.0}])
def test_a_figure_is_published_at_the_floor_alone(tmp_path, change):
    runs = svm_runs({"letter": 0.1}, **change)
    assert reaches(tmp_path, "figure3", curves.summarise(runs, ["svm"])) == (not change)


@pytest.mark.parametrize(("n_rows", "n_epochs", "is_enough"), [(1e4, 10, True), (8e3, 10, False), (1e4, 9, False)])
def test_networks_are_published_with_enough_images_and_epochs_alone(tmp_path, n_rows, n_epochs, is_enough):
    how = {"learner": "mlp", "dataset": "mnist"}
    fits = [refit("ei", 0.1, seed=seed, n_rows=n_rows, n_epochs=n_epochs, **how) for seed in range(3)]
    assert reaches(tmp_path, "table4", errors.tabulate(pd.concat(fits), "paper", number=4)) == is_enough
    curve = json.dumps([0.9] * n_epochs)
    runs = [search("ei", [0.1], seed=seed, cost=n_rows * n_epochs, curve=curve, **how) for seed in range(3)]
    assert reaches(tmp_path, "figure5", curves.summarise(pd.concat(runs), ["mlp"])) == is_enough


def test_budgets_are_what_hypertune_spent_on_subsets_and_until_it_converged():
    # Two trials on subsets and two of three on all rows, a second each, in a budget of four; EI tried 0.2.
    ours = [
        search(
            "hypertune",
            [0.3, last, 0.25],
            subsets=[0.5] * 2,
            seed=seed,
            candidate=[json.dumps({"alpha": x}) for x in (0.5, 0.5, 0.3, last, 0.25)],
        )
        for seed, last in enumerate((0.1, 0.2))
    ]
    ei = search("ei", [0.3, 0.2], candidate=['{"alpha": 0.3}', '{"alpha": 0.2}'])
    fits = [refit("hypertune", 0.1, seed=seed).assign(budget_s=4.0) for seed in (0, 1)]
    runs = pd.concat([*ours, ei, ei.assign(seed=1), *fits])
    found = budgets.measure(searches.paths(runs), searches.tested(runs)).set_index("seed")
    assert found["budget_s"].tolist() == [4.0, 4.0]
    assert found["on_subsets"].tolist() == pytest.approx([0.5, 0.5])
    assert found["n_trials"].tolist() == [2, 2]
    assert found["ei_tried"].tolist() == [False, True]
    table = budgets.tabulate(runs, "smoke").set_index("measure")
    assert (table.loc["ei_tried", "ours"], table.loc["ei_tried", "least"], table.loc["ei_tried", "most"]) == (
        0.5,
        0,
        1,
    )
    text = budgets.render(table.reset_index()[["learner", "dataset", "measure", *table.columns[2:]]])
    assert "50% (0% to 100%)" in text
    assert "The budgets of 0 of 2 searches end with the first trial on all rows;" in text
    assert "1 of 2 chose a candidate that EI tried" in text
    assert budgets.tabulate(ei, "smoke")["scale"].tolist() == [NOT_RUN]
    alone = budgets.tabulate(runs[runs["method"] != "ei"], "smoke").set_index("measure")
    assert (alone.loc["ei_tried", "scale"], alone.loc["n_trials", "scale"]) == (NOT_RUN, "smoke")
    assert "chose a" not in budgets.render(alone.reset_index()[list(budgets.tabulate(runs, "smoke"))])
    fixed = [fit.assign(budget_s=4.5) for fit in fits]  # no trial ends then
    assert budgets.measure(searches.paths(runs), searches.tested(pd.concat(fixed))).empty


def test_the_rows_of_a_table_stand_in_order():
    cells = [
        refit("ei", 0.1, learner="mlp", dataset="mnist", n_epochs=10, n_rows=n).assign(seed=0)
        for n in (40_000, 8_000)
    ]
    assert "Training rows: 8,000, 40,000." in errors.render_cells(
        pd.concat(errors.tabulate(cell, "smoke", number=4) for cell in cells), "dataset", "Errors"
    )


@pytest.mark.parametrize("n_seeds", [3, 2])
def test_budgets_are_published_at_the_floor_alone(tmp_path, n_seeds):
    runs = [search("hypertune", [0.3, 0.1], subsets=[0.5], seed=seed) for seed in range(n_seeds)]
    runs += [refit("hypertune", 0.1, seed=seed).assign(budget_s=3.0) for seed in range(n_seeds)]
    assert reaches(tmp_path, "table_of_budgets", budgets.tabulate(pd.concat(runs), "paper")) == (n_seeds == 3)
