from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from frugal.seeds import rng_for
from studies.greedy_cv import searches
from studies.greedy_cv.problem import AXES, BOUNDS, make_problem

SEEDS = range(6)
SEARCHES = {
    "grid": lambda problem, rng: searches.grid_search(problem, per_axis=8),
    "random": lambda problem, rng: searches.random_search(problem, rng, n_candidates=64),
    "bayesian": searches.bayesian_search,
    "evolutionary": searches.evolutionary_search,
    "early_stopping": searches.early_stopping_search,
    "hypergradient": searches.hypergradient_search,
}


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    with threadpool_limits(1):  # small matrices: more threads only wait for each other
        yield


def run_afresh(name: str, seed: int) -> pd.DataFrame:
    return SEARCHES[name](make_problem(seed), rng_for(name, seed))


run = cache(run_afresh)


def points_of(table: pd.DataFrame) -> np.ndarray:
    return table[list(AXES)].to_numpy()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_true_minimum_is_well_inside_the_bounds(seed):
    surface = make_problem(seed).surface["loss"].to_numpy().reshape(41, 41)
    i, j = np.unravel_index(surface.argmin(), surface.shape)
    assert 5 < i < 35
    assert 5 < j < 35
    assert surface.max() > 4 * surface.min()


def test_the_optimum_region_is_the_best_tenth_of_the_surface():
    problem = make_problem(0)
    assert (problem.surface["loss"] <= problem.optimum_loss).mean() == pytest.approx(0.1, abs=0.001)


def test_the_surface_equals_single_evaluations():
    problem = make_problem(3)
    for _, row in problem.surface.iloc[::97].iterrows():
        assert problem.loss(row[list(AXES)].to_numpy(dtype=float)) == pytest.approx(row["loss"], rel=1e-6)


def test_the_loss_is_that_of_scikit_learns_kernel_ridge():
    from sklearn.datasets import load_breast_cancer
    from sklearn.kernel_ridge import KernelRidge

    X, target = load_breast_cancer(return_X_y=True)
    rows = rng_for("search_problem", 5).permutation(len(X))
    X, y = X[rows], 2.0 * target[rows] - 1.0
    X = (X - X[:160].mean(axis=0)) / X[:160].std(axis=0)
    for n_rows in (20, 160):
        model = KernelRidge(kernel="rbf", gamma=0.01, alpha=0.001 * n_rows).fit(X[:n_rows], y[:n_rows])
        expected = np.mean((model.predict(X[160:480]) - y[160:480]) ** 2)
        found = make_problem(5).loss(np.array([-2.0, -3.0]), n_rows)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_hypergradient_equals_central_differences(seed):
    problem = make_problem(seed)
    low, high = np.array(list(BOUNDS.values())).T
    for point in low + (high - low) * np.random.default_rng(seed).random((6, 2)):
        loss, gradient = problem.loss_and_gradient(point)
        steps = 1e-4 * np.eye(2)
        slopes = [(problem.loss(point + h) - problem.loss(point - h)) / 2e-4 for h in steps]
        assert loss == problem.loss(point)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_reaches_the_optimum_region_from_every_seed(name):
    for seed in SEEDS:
        table = run(name, seed)
        if name == "early_stopping":
            table = table[(table["n_rows"] == 160) & table["survives"]]
        best = points_of(table.loc[[table["loss"].idxmin()]])[0]
        problem = make_problem(seed)
        assert problem.loss(best) <= problem.optimum_loss, f"seed {seed}"


@pytest.mark.parametrize("name", SEARCHES)
def test_recorded_losses_are_those_of_the_problem_and_points_lie_within_bounds(name):
    problem, table = make_problem(1), run(name, 1)
    for column, (low, high) in BOUNDS.items():
        assert table[column].between(low, high).all()
    for row in table.iloc[::7].to_dict("records"):
        point = np.array([row[axis] for axis in AXES])
        assert row["loss"] == pytest.approx(problem.loss(point, row.get("n_rows")), rel=1e-12)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_repeats_itself_and_changes_with_its_seed(name):
    first, again, other = run(name, 0), run_afresh(name, 0), run(name, 1)
    pd.testing.assert_frame_equal(first, again)
    assert not first["loss"].equals(other["loss"])


@pytest.mark.parametrize("name", ["grid", "random", "bayesian", "evolutionary", "hypergradient"])
def test_no_search_has_more_than_64_evaluations_and_the_best_so_far_is_a_running_minimum(name):
    table = run(name, 2).drop_duplicates("step").sort_values("step")
    assert len(table) <= 64
    assert list(table["step"]) == list(range(1, len(table) + 1))
    if name != "evolutionary":  # its rows are in rank order
        assert list(table["best_so_far"]) == list(np.minimum.accumulate(table["loss"]))


def test_grid_search_of_three_values_has_the_documents_nine_candidates():
    table = searches.grid_search(make_problem(0), per_axis=3)
    assert len(table) == 9
    assert [table[axis].nunique() for axis in AXES] == [3, 3]


def test_a_smaller_budget_of_random_search_is_a_prefix():
    problem = make_problem(0)
    small = searches.random_search(problem, rng_for("random", 0), n_candidates=9)
    large = searches.random_search(problem, rng_for("random", 0), n_candidates=64)
    assert small["loss"].tolist() == large["loss"].tolist()[:9]


def test_expected_improvement_matches_simulation_and_vanishes_without_uncertainty():
    draws = np.random.default_rng(0).normal(0.2, 0.5, 400_000)
    simulated = np.maximum(0.1 - draws, 0.0).mean()
    found = searches.expected_improvement(np.array([0.2, 0.2, 0.0]), np.array([0.5, 0.0, 0.0]), 0.1)
    np.testing.assert_allclose(found, [simulated, 0.0, 0.1], atol=2e-3)


def test_bayesian_search_evaluates_where_the_acquisition_is_highest_and_says_why_it_stopped():
    problem, table = make_problem(0), run("bayesian", 0)
    panels = searches.surrogate_panels(problem, table, 12)
    best = panels.loc[[panels["expected_improvement"].idxmax()]]
    assert points_of(best).tolist() == points_of(table[table["step"] == 13]).tolist()
    assert table["stop"].iloc[-1] == "too little to gain"
    assert table["improvement_left"].iloc[-1] < searches.TOLERANCE
    short = searches.bayesian_search(problem, rng_for("bayesian", 0), budget=12)
    assert (len(short), short["stop"].iloc[-1]) == (12, "budget spent")


def test_each_generation_keeps_the_better_half_and_discards_the_worse():
    table = run("evolutionary", 0)
    generations = [part for _, part in table.groupby("generation")]
    for before, after in pairwise(generations):
        kept, gone = before[~before["discarded"]], before[before["discarded"]]
        assert kept["loss"].max() <= gone["loss"].min()
        assert set(after.loc[~after["is_new"], "step"]) == set(kept["step"])
        assert after["is_new"].sum() == searches.POPULATION // 2


def test_children_take_each_hyperparameter_from_a_parent_or_mutate_one():
    parents = np.array([[-4.0, -5.0], [-3.0, -4.0], [-2.0, -3.0], [-1.0, -2.0]])
    children, origins = searches.breed(parents, 200, np.random.default_rng(0))
    is_recombined = np.array(origins) == "recombination"
    assert 60 < is_recombined.sum() < 140
    for child in children[is_recombined]:
        assert child[0] in parents[:, 0]
        assert child[1] in parents[:, 1]
        assert child.tolist() not in parents.tolist()
    assert not np.isin(children[~is_recombined], parents).any()


def test_early_stopping_halves_the_candidates_and_doubles_the_rows():
    table = run("early_stopping", 0)
    sizes = table.groupby("rung").agg(n=("candidate", "size"), rows=("n_rows", "first"))
    assert sizes.to_numpy().tolist() == [[64, 20], [32, 40], [16, 80], [8, 160]]
    for rung, part in table.groupby("rung"):
        kept, gone = part[part["survives"]], part[~part["survives"]]
        assert kept["loss"].max() <= gone["loss"].min()
        following = table.loc[table["rung"] == rung + 1, "candidate"]
        assert following.empty or set(following) == set(kept["candidate"])
    assert searches.REDUCTION_FACTOR == 2
