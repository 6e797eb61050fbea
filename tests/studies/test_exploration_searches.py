"""Document 002's searches: what is run, resumed and refitted, and the version as coded."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from frugal.benchmarks import searches
from frugal.benchmarks.problem_by_name import of_problem
from frugal.benchmarks.searches import problem
from frugal.learners import build, space
from frugal.trials.runs import COLUMNS, TASK
from studies.exploration import as_coded, surrogate_cost, surrogate_fits
from studies.exploration.as_coded import NAME, Doc002AsCoded
from studies.exploration.refits import REPORTED, refit
from studies.exploration.searches import TASK2

SETTINGS = {
    "n_train": 120,
    "n_valid": 200,
    "n_test": 300,
    "n_initial": 3,
    "strategies": {name: {"n_epochs": 5} for name in ("dngo", "doc002_as_coded")},
}
OF_PROBLEM = of_problem(SETTINGS)
ON_DIGITS = ("logistic_regression", "digits")
BOX = space("box", "logistic_regression")


def search(method, seed=0, n_trials=4, **more):
    others = {NAME: Doc002AsCoded}
    return searches.search(method, *ON_DIGITS, seed, n_trials, SETTINGS, others=others, **more)


@pytest.mark.parametrize("method", TASK2)
def test_every_method_of_a_seed_starts_alike_and_ends_in_its_budget(method):
    table = search(method)
    assert list(table.columns) == ["method", "learner", "dataset", "seed", "data", *COLUMNS]
    assert len(table) == 4
    assert table["error"].between(0, 1).all()
    first = [json.loads(candidate) for candidate in table["candidate"][:3]]
    shared = [json.loads(candidate) for candidate in search("random", n_trials=3)["candidate"]]
    assert first == [
        pytest.approx(point) for point in (as_coded.diagonal(3) if method == as_coded.NAME else shared)
    ]


def test_other_seeds_have_other_first_candidates_and_rows():
    one, other = search("random"), search("random", seed=1)
    assert not set(one["candidate"]) & set(other["candidate"])
    rows = [problem(*ON_DIGITS, seed, OF_PROBLEM).parts for seed in (0, 1)]
    assert not np.array_equal(rows[0].train[0], rows[1].train[0])
    np.testing.assert_array_equal(rows[0].valid[0], rows[1].valid[0])


@pytest.mark.parametrize("method", ["ei", "dngo", "doc002_as_coded"])
def test_an_interrupted_search_ends_with_the_same_trials(method, tmp_path):
    path = tmp_path / "journal"
    whole = search(method, n_trials=5, journal_path=path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:4]) + lines[4][:20])  # killed in the middle of the fourth trial
    resumed = search(method, n_trials=5, journal_path=path)
    same = [*TASK, "error", "incumbent"]
    assert resumed[same].equals(whole[same])
    assert list(resumed["seconds"][:3]) == list(whole["seconds"][:3])


def test_refits_are_fits_on_all_rows_of_what_was_chosen():
    table = search("random")
    table = table.assign(seed=0)
    fits = refit(table, {**SETTINGS, "refit_rows": None, "grid_rows": 50})
    assert fits["method"].tolist() == ["random", "reported", *["grid"] * 25]
    chosen, reported = json.loads(table["recommendation"].iloc[-1]), dict(REPORTED)
    parts = problem(*ON_DIGITS, 0, {**OF_PROBLEM, "n_train": None}).parts
    for row, candidate in ((fits.iloc[0], chosen), (fits.iloc[1], reported)):
        assert json.loads(row["candidate"]) == candidate
        assert row["n_rows"] == len(parts.train[1]) == 1797 - 500
        by_hand = build("logistic_regression", candidate, seed=0).fit(*parts.train)
        assert row["test_error"] == pytest.approx(1 - by_hand.score(*parts.test))
    assert set(fits["n_rows"][2:]) == {50}
    without = refit(table, {**SETTINGS, "refit_rows": 60, "grid_rows": 0})
    assert without["n_rows"].tolist() == [60, 60]


def test_searches_of_two_problems_are_not_fitted_again_together():
    both = pd.DataFrame({"learner": "logistic_regression", "dataset": ["digits", "mnist"], "data": "original"})
    with pytest.raises(ValueError, match=r"of one learner and dataset, got .*'digits'.*'mnist'"):
        refit(both, SETTINGS)


def test_interrupted_refits_end_alike(tmp_path):
    table, path = search("random").assign(seed=0), tmp_path / "journal"
    settings = {**SETTINGS, "refit_rows": 60, "grid_rows": 0}
    whole = refit(table, settings, journal=path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2]) + lines[2][:9])  # killed in the middle of the second fit
    resumed = refit(table, settings, journal=path)
    assert resumed.drop(columns="seconds").equals(whole.drop(columns="seconds"))
    assert resumed["seconds"].iloc[0] == whole["seconds"].iloc[0]
    with pytest.raises(ValueError, match="is the journal of"):
        refit(table, {**settings, "refit_rows": 50}, journal=path)


def test_the_cost_of_fits_is_measured_at_every_size():
    for study, method in product((surrogate_cost, surrogate_fits), ("gp", "dngo")):
        table = study.run(method, 0, {"sizes": [20, 40], "n_epochs": 2})
        assert table["n_trials"].tolist() == [20, 40]
        assert (table["seconds"] > 0).all()


def test_a_problem_without_test_rows_is_not_fitted_again():
    with pytest.raises(ValueError, match="branin has no test rows"):
        refit(searches.search("random", "function", "branin", 0, 5, {}), {})
