"""`frugal bench select`: what is counted, and that peers and ours are given the same scores."""

import sys
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from frugal.bench import select
from frugal.bench.select_problem import ESTIMATORS, Problem, Spent, one_by_one
from frugal.bench.select_searches import OURS, searches
from frugal.cli import main
from frugal.model_selection import FoldSearchCV


@pytest.fixture(scope="module")
def problem():
    """Sixteen made-up candidates of which the last but one is best, each better than the one before."""
    rng = np.random.default_rng(0)
    scores = np.clip(0.5 + 0.02 * np.arange(16)[:, None] + 0.005 * rng.normal(size=(16, 5)), 0, 1)
    scores[-1] = 0.6
    grid = {"constant": [0, 1, 2, 3], "random_state": [0, 1, 2, 3]}
    X, y = np.zeros((100, 1)), np.tile([0, 1], 50)
    return Problem(
        table="made_up", data="original", kind="svc", seed=0, estimator=DummyClassifier(), grid=grid,
        candidates=list(ParameterGrid(grid)), development=(X, y), test=(X, y), splits=[], scores=scores,
        seconds=np.full(16, 2.0), exhaustive_s=200.0,
    )  # fmt: skip


def test_searches_of_kept_scores_are_charged_for_what_they_look_up(problem):
    for name, search in searches().items():
        if name == "halving":
            continue
        choice = search(problem, 0)
        assert 0 <= choice.candidate < 16
        assert choice.n_fits <= problem.n_fits
        assert 2.0 * choice.n_fits <= choice.seconds < 3.0 * choice.n_fits
        if name in ("random", "optuna", "flaml"):  # the candidate at which a quarter is reached is finished
            assert 20 <= choice.n_fits < 25
    assert searches()["exact_pruning"](problem, 0).candidate == 14 == problem.best


@pytest.mark.parametrize("strategy", OURS)
@pytest.mark.parametrize("seed", [0, 1])
def test_ours_makes_the_fits_and_the_choice_of_the_class(strategy, seed):
    X, y = load_wine(return_X_y=True)
    grid = {"n_neighbors": [1, 5, 9, 19, 39, 79], "weights": ["uniform", "distance"]}
    listed = list(ParameterGrid(grid))
    candidates = [listed[i] for i in np.random.default_rng(seed).permutation(len(listed))]
    splits = list(StratifiedKFold(6, shuffle=True, random_state=seed).split(X, y))
    knn, given = KNeighborsClassifier(), {"cv": splits, "refit": False}
    exhaustive = GridSearchCV(knn, one_by_one(candidates), **given).fit(X, y).cv_results_
    scores = np.stack([exhaustive[f"split{fold}_test_score"] for fold in range(6)], axis=1)
    kept = Problem(
        table="wine", data="original", kind="knn", seed=seed, estimator=knn, grid=grid, candidates=candidates,
        development=(X, y), test=(X, y), splits=splits, scores=scores, seconds=np.ones(len(scores)),
        exhaustive_s=1.0,
    )  # fmt: skip
    looked_up = searches()[strategy](kept, seed)
    live = FoldSearchCV(knn, one_by_one(candidates), strategy=strategy, random_state=seed, **given).fit(X, y)
    assert (looked_up.n_fits, looked_up.candidate) == (live.n_fits_, live.best_index_)


def test_a_candidate_that_is_suggested_again_is_charged_again(problem):
    spent = Spent(problem)
    assert [spent.score(3, 0), spent.score(3, 0)] == [problem.scores[3, 0]] * 2
    assert (spent.n_fits, spent.seconds) == (2, 4.0)


def test_the_random_search_takes_a_quarter_of_the_candidates_whole(problem):
    choices = [searches()["random"](problem, seed) for seed in range(20)]
    assert {choice.n_fits for choice in choices} == {20}
    assert len({choice.candidate for choice in choices}) > 3


@pytest.mark.slow
def test_a_bench_of_one_table_holds_ours_against_every_peer(tmp_path, monkeypatch, capsys):
    command = "bench select --tables wdbc --estimators columns --n-seeds 2 --n-rows 120 --n-folds 3".split()
    output = tmp_path / "cells.csv"
    assert main([*command, "--output", str(output)]) == 0
    assert "greedy_early_stopping" in capsys.readouterr().out
    cells = pd.read_csv(output).set_index(["method", "seed"])
    exhaustive = cells.loc["exhaustive"]
    assert (exhaustive[["fits_share", "rows_share"]] == 1).all(axis=None)
    assert (exhaustive[["regret", "test_loss"]] == 0).all(axis=None)
    assert cells["regret"].min() >= 0
    assert (cells.loc["exact_pruning", "regret"] == 0).all()
    assert (cells.loc["halving", "rows_share"] < cells.loc["halving", "fits_share"]).all()
    assert cells["live_share"].notna().sum() == 1  # of ours, with the first seed


@pytest.mark.parametrize("package", ["optuna", "flaml"])
def test_a_peer_that_is_not_installed_is_named_before_anything_is_measured(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"this needs {package}, which is not installed: .* '\.\[peers\]'"):
        select.bench_select(["wdbc"], ["svc"], progress=pytest.fail)


def test_means_are_over_problems_and_intervals_over_the_seeds_of_each_table():
    cells = pd.DataFrame({"method": "random", "table": list("aabb"), "seed": [0, 1, 0, 1]})
    cells = cells.assign(**{name: [0.1, 0.3, 0.2, 0.2] for name in select.MEASURES})
    cells["live_share"] = [0.25, np.nan, 0.6, np.nan]
    (row,) = select.summarise(cells).to_dict("records")
    # Seeds of a: 0.1 and 0.3, a standard error of 0.1; of b none. Half of it for both, two degrees of freedom.
    half = stats.t.ppf(0.975, 2) * 0.1 / 2
    assert (row["regret"], row["regret_low"], row["regret_high"]) == pytest.approx((0.2, 0.2 - half, 0.2 + half))
    assert (row["worst_regret"], row["worst_test_loss"]) == (0.3, 0.3)
    shown = select.as_markdown(cells).splitlines()[-1]
    mean = "0.20 (-0.02 to 0.42)"
    cost = f"{mean} | 0.10 to 0.30 | {mean} | {mean} | 0.42, 0.25 to 0.60"
    assert (
        shown == f"| `RandomizedSearchCV`, a quarter of the candidates | {cost} | {mean} | {mean} | 0.30 | 0.30 |"
    )
    assert " | 0.20 (-0.02 to 0.42) |  | " in select.as_markdown(cells.assign(live_share=np.nan)).splitlines()[-1]
    (alone,) = select.summarise(cells[cells["seed"] == 0]).to_dict("records")
    assert np.isnan(alone["regret_low"])
    assert select.as_markdown(cells[cells["seed"] == 0]).splitlines()[-1].count(" to ") == 2  # two ranges


def test_the_overhead_is_measured_of_the_default_strategy_the_standard_one_and_the_peer():
    overheads = select.overhead_ms(n_candidates=8)
    assert list(overheads) == ["standard", signature(FoldSearchCV).parameters["strategy"].default, "GridSearchCV"]
    assert all(ms > 0 for ms in overheads.values())


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_candidate_of_an_estimators_grid_is_another_setting_of_it(kind):
    X, y = load_wine(return_X_y=True)
    estimator, grid = ESTIMATORS[kind](X)
    candidates = list(ParameterGrid(grid))
    assert len({str(clone(estimator).set_params(**candidate).get_params()) for candidate in candidates}) == len(
        candidates
    )
    assert clone(estimator).set_params(**candidates[-1]).fit(X, y).score(X, y) > 0.8
