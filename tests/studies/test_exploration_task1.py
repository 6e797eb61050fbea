"""Task 1 of document 002, against the known answers of docs/methods.md, section 7, and independent formulas."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from frugal.trials.acquisitions import LogEI
from frugal.trials.surrogates.blr import BLR
from frugal.trials.surrogates.dngo import DNGO
from studies.exploration import errors_as_coded, paper, polynomial, task1
from studies.exploration.polynomial import CANDIDATES, GIVEN, INITIAL, METHODS, Point
from studies.exploration.settings import Task1
from studies.registry import experiments
from studies.tidy import TIDY

QUICK = {"n_epochs": 10, "n_walkers": 4, "n_steps": 5}


def searched(seeds, n_trials, methods=METHODS):
    """The study's runs, without their experiment."""
    settings = {"n_trials": n_trials, **QUICK}
    parts = [task1.run(method.name, seed, settings) for seed in seeds for method in methods]
    return pd.concat(parts, ignore_index=True)


def search(objective, name, **given):
    return polynomial.search(objective, task1.TASK1.method(name), **given)


@pytest.fixture(scope="module")
def runs():
    return searched([0, 1], n_trials=10).assign(experiment="task1")


@pytest.fixture(scope="module")
def derived(runs):
    """The searches with what is computed for their tables."""
    return pd.concat([runs, polynomial.score_table(), errors_as_coded.derive(runs)], ignore_index=True)


def best(objective, among=lambda point: True):
    return task1.best(task1.scores_in(polynomial.score_table())[objective], among)


def test_the_evidence_for_each_degree_is_that_of_the_notes():
    expected = [-33.9333, -32.3520, -22.7722, -22.0791, -22.3868, -24.5779, -28.5013, -32.5590, -36.6522]
    ours = [polynomial.evidence(Point(K, 4.0, 1.0)) for K in range(9)]
    np.testing.assert_allclose(ours, expected, atol=1e-4)
    assert best("evidence", lambda point: point[1:] == (4.0, 1.0)).K == 3


def test_jointly_the_evidence_prefers_the_second_degree():
    assert polynomial.evidence(Point(2, 1.0, 1.0)) == pytest.approx(-17.864, abs=1e-3)
    assert polynomial.evidence(Point(2, 1.0, 8.0)) == pytest.approx(-15.780, abs=1e-3)
    assert best("evidence") == Point(2, 1.0, 8.0)
    assert best("evidence", lambda point: point.lambda_ == 1.0) == Point(2, 1.0, 1.0)


@pytest.mark.parametrize("lambda_", [16.0, 64.0, 512.0])
def test_beyond_the_grids_edge_the_evidence_prefers_the_second_degree_too(lambda_):
    betas = (0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
    largest = [max(polynomial.evidence(Point(K, beta, lambda_)) for beta in betas) for K in range(1, 9)]
    assert np.argmax(largest) + 1 == 2


def test_leaving_one_out_prefers_degree_5():
    assert best("leave_one_out", lambda point: point[1:] == (4.0, 1.0)).K == 5


def test_the_fragments_objective_puts_the_reported_values_first_among_the_initial_ones():
    ours = [polynomial.as_published(point) for point in INITIAL]
    np.testing.assert_allclose(ours, [1.5956, 1.3568, 3.7938, 3.8236, 2.4537, 2.2402, 1.6623, 2.3903], atol=1e-4)
    assert best("as_published", lambda point: point in INITIAL) == GIVEN == Point(3, 4.0, 1.0)


def test_the_posterior_at_the_reported_values_is_that_of_the_notes():
    fitted = BLR(polynomial.basis(polynomial.X, 3), polynomial.Y)
    np.testing.assert_allclose(fitted.weights(0.0, np.log(4)), [-0.83161, 0.41574, 0.43633, -0.09851], atol=1e-5)
    mean, std = polynomial.predict(GIVEN, np.array([-2.0, 0.0, 1.0, 3.0]))
    np.testing.assert_allclose(mean, [0.8703, -0.8316, -0.0780, 1.6829], atol=1e-4)
    np.testing.assert_allclose(std, [0.6268, 0.5495, 0.5504, 0.5900], atol=1e-4)


def test_held_out_densities_are_conditionals_of_the_joint_normal():
    def conditional(point, held_out, given):
        P = polynomial.basis(polynomial.X, point.K)
        C = P @ P.T / point.lambda_ + np.eye(10) / point.beta
        gain = C[np.ix_(held_out, given)] @ np.linalg.inv(C[np.ix_(given, given)])
        mean = gain @ polynomial.Y[given]
        variance = np.diag(C)[held_out] - np.einsum("ij,ji->i", gain, C[np.ix_(given, held_out)])
        return stats.norm.logpdf(polynomial.Y[held_out], mean, np.sqrt(variance)).sum()

    for point in (GIVEN, Point(2, 1.0, 8.0), Point(5, 10.0, 2.0)):
        expected = conditional(point, polynomial.VALID, polynomial.TRAIN)
        assert polynomial.validation(point) == pytest.approx(expected, rel=1e-7)
        loo = sum(conditional(point, [i], [j for j in range(10) if j != i]) for i in range(10))
        assert polynomial.leave_one_out(point) == pytest.approx(loo, rel=1e-7)


def test_the_candidates_are_the_grid_and_the_one_initial_point_off_it():
    most = Task1.model_json_schema()["properties"]["n_trials"]["maximum"]
    assert len(CANDIDATES) == 8 * 7 * 7 + 1 == most
    assert CANDIDATES[:8] == INITIAL
    cube = polynomial.unit_cube()
    assert cube.min() == 0
    assert cube.max() == 1
    assert len({tuple(row) for row in cube}) == len(CANDIDATES)


def test_unknown_objectives_and_searches_are_refused():
    with pytest.raises(
        ValueError, match="unknown objective 'accuracy'; known: evidence, validation, leave_one_out"
    ):
        polynomial.scores("accuracy")
    with pytest.raises(ValueError, match="unknown method 'random'; known: dngo, dngo_as_coded"):
        search("evidence", "random", seed=0)
    with pytest.raises(ValueError, match="n_trials must be at least 8 and at most 393, all candidates, got 394"):
        search("evidence", "dngo", seed=0, n_trials=394)


def test_the_fragments_acquisition_rewards_low_predictions_and_ours_high_ones():
    mean, std = np.array([-3.0, 0.0, 3.0]), np.full(3, 0.5)
    coded = polynomial.fragment_ei(mean, std, best=1.0)
    assert coded.argmax() == 0
    # By hand: var 0.25, gamma (1 - 0) / 0.25 = 4.
    assert coded[1] == pytest.approx(0.25 * (4 * stats.norm.cdf(4) + stats.norm.pdf(4)))


class Fixed:
    """A component with these predictions, whatever it is asked."""

    def __init__(self, mean, std):
        self.prediction = np.array(mean, float), np.array(std, float)

    def predict(self, X):
        return self.prediction


def test_each_error_alone_is_one_change_of_expected_improvement():
    # Of what is minimised: means -mean, so that the improvement of a maximised score above 1 is expected.
    mean, std = np.array([-0.5, 0.9, 1.4]), np.array([0.3, 0.5, 0.2])
    component, X = Fixed(-mean, std), np.zeros((3, 3))

    def h(z):
        return z * stats.norm.cdf(z) + stats.norm.pdf(z)

    def marred(error):
        return np.exp(polynomial.marred_log_ei([component], X, eta=-1.0, error=error))

    np.testing.assert_allclose(marred(""), std * h((mean - 1) / std))
    np.testing.assert_allclose(marred("frozen_baseline"), marred(""))
    np.testing.assert_allclose(marred("orientation"), std * h((1 - mean) / std))
    np.testing.assert_allclose(marred("variance"), std**2 * h((mean - 1) / std**2))
    # Both at once are what the fragment has.
    coded = polynomial.fragment_ei(mean, std, best=1.0)
    np.testing.assert_allclose(coded, std**2 * h((1 - mean) / std**2))
    with pytest.raises(ValueError, match="error must be one of"):
        marred("squared")


def test_without_an_error_it_is_the_mean_of_the_draws_expected_improvements():
    points, y = polynomial.unit_cube(), polynomial.scores("evidence")
    surrogate = DNGO(seed=0, **QUICK).fit(points[:8], -y[:8])
    ours = polynomial.marred_log_ei(surrogate.components, points, eta=1.5)
    expected = LogEI(surrogate.components, [1.5] * len(surrogate.components))(points)
    np.testing.assert_array_equal(ours, expected)


def test_a_frozen_baseline_stays_that_of_the_first_candidates(monkeypatch):
    seen = []

    def acquisition(components, X, *, eta, error):
        seen.append((eta, error))
        return polynomial.scores("as_published").copy()  # the best first, which raises the baseline

    monkeypatch.setattr(polynomial, "marred_log_ei", acquisition)
    search("as_published", "dngo_frozen", seed=0, n_trials=10, **QUICK)
    search("as_published", "dngo_variance", seed=0, n_trials=10, **QUICK)
    first, most = -polynomial.scores("as_published")[:8].max(), -polynomial.scores("as_published").max()
    assert seen == [(first, "frozen_baseline")] * 2 + [(first, "variance"), (most, "variance")]


def log_posterior(theta, *, unsquared=False, prior=True):
    """Of the ten points at K = 3, by dense matrices: the quadratic part is split as pybnn splits it."""
    alpha, beta = np.exp(theta[0]), np.exp(-theta[1])
    P = polynomial.basis(polynomial.X, 3)
    A = alpha * np.eye(4) + beta * P.T @ P
    m = beta * np.linalg.solve(A, P.T @ polynomial.Y)
    residuals = np.linalg.norm(polynomial.Y - P @ m)
    value = 2 * np.log(alpha) + 5 * np.log(beta) - 5 * np.log(2 * np.pi) - alpha / 2 * m @ m
    value -= beta / 2 * (residuals if unsquared else residuals**2) + np.linalg.slogdet(A)[1] / 2
    return value - (theta[0] ** 2 / 2 + (theta[1] + 3) ** 2 / 2 if prior else 0)


@pytest.mark.parametrize(
    ("error", "settings"),
    [("none", {}), ("unsquared_norm", {"unsquared": True}), ("no_prior", {"prior": False}), ("det_offset", {})],
)
def test_optima_of_the_evidence_are_those_of_dense_matrices(error, settings):
    found = errors_as_coded.optima_of_points().set_index("error").loc[error]
    best = optimize.differential_evolution(
        lambda theta: -log_posterior(theta, **settings), [(-10, 10)] * 2, seed=0, tol=1e-10
    )
    assert found["alpha"] == pytest.approx(np.exp(best.x[0]), rel=1e-3)
    assert found["noise_sd"] == pytest.approx(np.exp(best.x[1] / 2), rel=1e-3)


def test_the_unsquared_norm_lowers_the_noise_on_the_ten_points_as_in_the_notes():
    ratios = errors_as_coded.optima_of_points().set_index("error").loc["unsquared_norm"]
    assert 0.15 < 1 - ratios["noise_sd_ratio"] < 0.32
    assert ratios["alpha_ratio"] > 1


def test_the_last_layer_is_fitted_to_each_searchs_own_trials(runs):
    longer = searched([3], 11, METHODS[:1])
    head = errors_as_coded.optima_of_head(pd.concat([runs, longer])).set_index(["seed", "error"])
    assert head.index.get_level_values("seed").unique().tolist() == [0, 1, 3]
    path = longer[longer["objective"] == "evidence"].sort_values("step")
    tried = [CANDIDATES.index(Point(*row)) for row in path[["K", "beta", "lambda"]].itertuples(index=False)]
    fitted = DNGO(marginalise="ml2", seed=3).fit(polynomial.unit_cube()[tried], path["score"])
    component = fitted.components[0]
    assert head.loc[(3, "none"), "alpha"] == pytest.approx(np.exp(component.log_alpha), rel=1e-6)
    assert head.loc[(3, "none"), "noise_sd"] == pytest.approx(np.exp(-component.log_beta / 2), rel=1e-6)
    # A batch is ten trials: the eleventh is dropped, of ten there is none to drop.
    assert head.loc[(3, "dropped_batch"), "alpha_ratio"] != 1
    assert head.loc[(0, "dropped_batch"), "alpha_ratio"] == 1
    assert (head["alpha_ratio"] == head["alpha"] / head["alpha"].xs("none", level="error")).all()


def test_the_table_of_errors_has_each_alone_and_says_what_was_not_run(runs, derived):
    table = errors_as_coded.tabulate(derived, "smoke")
    assert list(table.columns) == [*errors_as_coded.KEYS, *TIDY, "note"]
    assert not table.duplicated(errors_as_coded.KEYS).any()
    cell = table.set_index(errors_as_coded.KEYS)["ours"]
    for search, error in errors_as_coded.SEARCHES.items():
        ends = runs[(runs["search"] == search) & (runs["objective"] == "as_published")].groupby("seed")
        assert cell[("search", error, "score")] == pytest.approx(ends["score"].max().mean())
        stays = [path.sort_values("step")["score"].idxmax() < path.index.min() + 8 for _, path in ends]
        assert cell[("search", error, "is_initial")] == np.mean(stays)
    assert len(cell.xs("search", level="part")) == 5 * 3
    without = errors_as_coded.tabulate(derived[derived["search"] != "dngo_variance"], "smoke")
    variance = without[without["error"] == "variance"]
    assert variance[["scale", "note"]].to_numpy().tolist() == [["not run at this scale"] * 2]
    text = paper.render(without)
    assert "| search | variance |  |  |  |  |  | not run at this scale |  |" in text
    assert "scale smoke, 2 seeds" in text


def test_every_search_with_an_error_is_a_method_of_the_experiment():
    assert experiments()["task1"].method_names == tuple(method.name for method in METHODS)


def test_a_search_starts_from_the_initial_points_and_tries_nothing_twice(runs):
    for (objective, _, _), path in runs.groupby(["objective", "search", "seed"]):
        assert path["step"].tolist() == list(range(1, 11))
        points = [Point(*row) for row in path[["K", "beta", "lambda"]].itertuples(index=False)]
        assert tuple(points[:8]) == INITIAL
        assert len(set(points)) == 10
        np.testing.assert_allclose(path["score"], [polynomial.OBJECTIVES[objective](point) for point in points])
        np.testing.assert_array_equal(path["best"], path["score"].cummax())
        assert path.loc[path["is_best"], "score"].iloc[0] == path["score"].max()


def test_a_search_depends_on_its_seed_alone():
    again = [search("evidence", "dngo", seed=seed, n_trials=11, **QUICK) for seed in (4, 4)]
    pd.testing.assert_frame_equal(*again)


def test_the_corrected_search_finds_a_better_evidence_than_the_reported_values():
    path = search("evidence", "dngo", seed=0, n_trials=16, n_epochs=200, marginalise="ml2")
    assert path["best"].iloc[-1] > -17.9
    assert path.loc[path["is_best"], "K"].iloc[0] == 2


def test_the_table_has_published_coded_and_corrected_values_side_by_side(runs, derived):
    table = task1.tabulate(derived, "smoke")
    assert list(table.columns) == [*task1.KEYS, *TIDY, "as_coded"]
    assert not table.duplicated(task1.KEYS).any()

    def cell(quantity, objective, search):
        return table.set_index(task1.KEYS).loc[(1, quantity, objective, search)]

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
    shown = runs[~runs["search"].isin([method.name for method in METHODS[2:]])]
    assert set(table["search"]) == {"given", "initial", "grid", *shown["search"]}
    for (objective, search), part in shown.groupby(["objective", "search"]):
        finals = part.groupby("seed")["score"].max()
        row = cell("score", objective, search)
        assert row["ours"] == pytest.approx(finals.mean())
        assert row["n_seeds"] == 2
        share = (finals == polynomial.scores(objective).max()).mean()
        assert cell("at_optimum", objective, search)["ours"] == share


def test_the_figure_shows_the_points_the_band_and_both_evidences():
    table = task1.summarise(0)
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
    figure = task1.draw(read)
    left, right = figure.axes
    assert [len(line.get_xdata()) for line in left.lines] == [161, 10]
    assert [len(line.get_xdata()) for line in right.lines] == [8, 8]
