"""Task 1 of document 002, against the known answers of the method notes and independent formulas."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from frugal.papers import style
from frugal.papers.exploration import task1, task1_figure, task1_search, task1_tables
from frugal.papers.exploration.task1 import CANDIDATES, GIVEN, INITIAL, Point
from frugal.papers.tidy import TIDY
from frugal.trials.surrogates.blr import BLR

QUICK = {"n_epochs": 10, "n_walkers": 4, "n_steps": 5}


@pytest.fixture(scope="module")
def runs():
    return task1_search.run_task1([0, 1], n_trials=10, **QUICK)


def test_the_evidence_for_each_degree_is_that_of_the_notes():
    expected = [-33.9333, -32.3520, -22.7722, -22.0791, -22.3868, -24.5779, -28.5013, -32.5590, -36.6522]
    ours = [task1.evidence(Point(K, 4.0, 1.0)) for K in range(9)]
    np.testing.assert_allclose(ours, expected, atol=1e-4)
    assert task1.best("evidence", lambda point: point[1:] == (4.0, 1.0)).K == 3


def test_jointly_the_evidence_prefers_the_second_degree():
    assert task1.evidence(Point(2, 1.0, 1.0)) == pytest.approx(-17.864, abs=1e-3)
    assert task1.evidence(Point(2, 1.0, 8.0)) == pytest.approx(-15.780, abs=1e-3)
    assert task1.best("evidence") == Point(2, 1.0, 8.0)
    assert task1.best("evidence", lambda point: point.lambda_ == 1.0) == Point(2, 1.0, 1.0)


def test_leaving_one_out_prefers_degree_4_or_5():
    assert task1.best("leave_one_out", lambda point: point[1:] == (4.0, 1.0)).K in (4, 5)


def test_the_fragments_objective_puts_the_reported_values_first_among_the_initial_ones():
    ours = [task1.as_published(point) for point in INITIAL]
    np.testing.assert_allclose(ours, [1.5956, 1.3568, 3.7938, 3.8236, 2.4537, 2.2402, 1.6623, 2.3903], atol=1e-4)
    assert task1.best("as_published", lambda point: point in INITIAL) == GIVEN == Point(3, 4.0, 1.0)


def test_the_posterior_at_the_reported_values_is_that_of_the_notes():
    fitted = BLR(task1.basis(task1.X, 3), task1.Y)
    np.testing.assert_allclose(fitted.weights(0.0, np.log(4)), [-0.83161, 0.41574, 0.43633, -0.09851], atol=1e-5)
    mean, std = task1.predict(GIVEN, np.array([-2.0, 0.0, 1.0, 3.0]))
    np.testing.assert_allclose(mean, [0.8703, -0.8316, -0.0780, 1.6829], atol=1e-4)
    np.testing.assert_allclose(std, [0.6268, 0.5495, 0.5504, 0.5900], atol=1e-4)


def test_held_out_densities_are_conditionals_of_the_joint_normal():
    def conditional(point, held_out, given):
        P = task1.basis(task1.X, point.K)
        C = P @ P.T / point.lambda_ + np.eye(10) / point.beta
        gain = C[np.ix_(held_out, given)] @ np.linalg.inv(C[np.ix_(given, given)])
        mean = gain @ task1.Y[given]
        variance = np.diag(C)[held_out] - np.einsum("ij,ji->i", gain, C[np.ix_(given, held_out)])
        return stats.norm.logpdf(task1.Y[held_out], mean, np.sqrt(variance)).sum()

    for point in (GIVEN, Point(2, 1.0, 8.0), Point(5, 10.0, 2.0)):
        expected = conditional(point, task1.VALID, task1.TRAIN)
        assert task1.validation(point) == pytest.approx(expected, rel=1e-7)
        loo = sum(conditional(point, [i], [j for j in range(10) if j != i]) for i in range(10))
        assert task1.leave_one_out(point) == pytest.approx(loo, rel=1e-7)


def test_the_candidates_are_the_grid_and_the_one_initial_point_off_it():
    assert len(CANDIDATES) == 8 * 7 * 7 + 1
    assert CANDIDATES[:8] == INITIAL
    cube = task1_search.unit_cube()
    assert cube.min() == 0
    assert cube.max() == 1
    assert len({tuple(row) for row in cube}) == len(CANDIDATES)


def test_unknown_objectives_and_searches_are_refused():
    with pytest.raises(
        ValueError, match="unknown objective 'accuracy'; known: evidence, validation, leave_one_out"
    ):
        task1.scores("accuracy")
    with pytest.raises(ValueError, match="unknown search 'random'; known: dngo, dngo_as_coded"):
        task1_search.search("evidence", "random", seed=0)
    with pytest.raises(ValueError, match="n_trials must be at least 8 and at most 393, all candidates, got 394"):
        task1_search.search("evidence", "dngo", seed=0, n_trials=394)


def test_the_fragments_acquisition_rewards_low_predictions_and_ours_high_ones():
    mean, std = np.array([-3.0, 0.0, 3.0]), np.full(3, 0.5)
    coded = task1_search.fragment_ei(mean, std, best=1.0)
    assert coded.argmax() == 0
    # By hand: var 0.25, gamma (1 - 0) / 0.25 = 4.
    assert coded[1] == pytest.approx(0.25 * (4 * stats.norm.cdf(4) + stats.norm.pdf(4)))


def test_a_search_starts_from_the_initial_points_and_tries_nothing_twice(runs):
    for (objective, _, _), path in runs.groupby(["objective", "search", "seed"]):
        assert path["step"].tolist() == list(range(1, 11))
        points = [Point(*row) for row in path[["K", "beta", "lambda"]].itertuples(index=False)]
        assert tuple(points[:8]) == INITIAL
        assert len(set(points)) == 10
        np.testing.assert_allclose(path["score"], [task1.OBJECTIVES[objective](point) for point in points])
        np.testing.assert_array_equal(path["best"], path["score"].cummax())
        assert path.loc[path["is_best"], "score"].iloc[0] == path["score"].max()


def test_a_search_depends_on_its_seed_alone():
    again = [task1_search.search("evidence", "dngo", seed=seed, n_trials=11, **QUICK) for seed in (4, 4)]
    pd.testing.assert_frame_equal(*again)


def test_the_corrected_search_finds_a_better_evidence_than_the_reported_values():
    path = task1_search.search("evidence", "dngo", seed=0, n_trials=16, n_epochs=200, marginalise="ml2")
    assert path["best"].iloc[-1] > -17.9
    assert path.loc[path["is_best"], "K"].iloc[0] == 2


def test_the_table_has_published_coded_and_corrected_values_side_by_side(runs):
    table = task1_tables.table_task1(runs, "smoke")
    assert list(table.columns) == [*task1_tables.KEYS, *TIDY, "as_coded"]
    assert not table.duplicated(task1_tables.KEYS).any()

    def cell(quantity, objective, search):
        return table.set_index(task1_tables.KEYS).loc[(1, quantity, objective, search)]

    for quantity, value in (("K", 3), ("beta", 4), ("lambda", 1)):
        assert (table.loc[table["quantity"] == quantity, "published"] == value).all()
        assert cell(quantity, "as_published", "initial")["ours"] == value
        assert (
            cell(quantity, "as_published", "dngo_as_coded")["ours"]
            == cell(quantity, "evidence", "grid")["as_coded"]
        )
    assert cell("K", "evidence", "given")["ours"] == 3
    assert table.loc[(table["quantity"] == "score") & (table["objective"] == "evidence"), "as_coded"].isna().all()
    shares = table[table["quantity"] == "at_optimum"]
    assert (shares["low"] >= 0).all()
    assert (shares["high"] <= 1).all()
    assert [cell(q, "evidence", "grid")["ours"] for q in ("K", "beta", "lambda")] == [2, 1, 8]
    assert cell("score", "evidence", "grid")["ours"] == pytest.approx(-15.780, abs=1e-3)
    for (objective, search), part in runs.groupby(["objective", "search"]):
        finals = part.groupby("seed")["score"].max()
        row = cell("score", objective, search)
        assert row["ours"] == pytest.approx(finals.mean())
        assert row["n_seeds"] == 2
        share = (finals == task1.scores(objective).max()).mean()
        assert cell("at_optimum", objective, search)["ours"] == share


def test_the_figure_shows_the_points_the_band_and_both_evidences():
    table = task1_tables.summarise_task1(0)
    band = table.query("series == 'predictive'").set_index("x")
    np.testing.assert_allclose(band.loc[[-2.0, 0.0, 1.0, 3.0], "y"], [0.8703, -0.8316, -0.0780, 1.6829], atol=1e-4)
    np.testing.assert_allclose(band["high"] - band["y"], band["y"] - band["low"])
    assert band.loc[0.0, "high"] - band.loc[0.0, "y"] == pytest.approx(2 * 0.5495, abs=1e-3)
    assert len(table.query("series == 'points'")) == 10
    for series, K in (("given", 3), ("best", 2)):
        part = table[table["series"] == series]
        assert part["x"].tolist() == list(range(1, 9))
        assert part.loc[part["y"].idxmax(), "x"] == K
    read = pd.read_csv(io.StringIO(table.to_csv(index=False)))
    figure = task1_figure.draw_task1(read)
    left, right = figure.axes
    assert [len(line.get_xdata()) for line in left.lines] == [161, 10]
    assert [len(line.get_xdata()) for line in right.lines] == [8, 8]


def test_the_figure_is_written(tmp_path):
    figure = task1_figure.draw_task1(task1_tables.summarise_task1())
    style.save(figure, tmp_path / "task1.png", tmp_path / "task1.svg")
    assert (tmp_path / "task1.png").stat().st_size > 10_000
