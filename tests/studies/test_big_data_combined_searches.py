"""Searches with combinations: what their trials are, what they cost, and what is made of them."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from frugal.benchmarks.curves import CurvesProblem
from frugal.interface import TrialTask
from frugal.learners import networks
from frugal.rows import fit_dynamic_sample
from frugal.seeds import rng_for
from frugal.spaces import as_json
from frugal.trials import make
from frugal.trials.termination import terminating
from studies.big_data import combined_searches, growing_termination, reduced_search, terminating_fabolas
from studies.big_data.search_paths import Clocked, follow, to_same, with_spent
from studies.big_data.terminating_fabolas import AtHorizon
from studies.registry import experiments
from studies.tidy import TIDY
from studies.verdicts import CONTRADICTED, NOT_RUN, REPRODUCED, UNDECIDED, judge, judge_claims

STUDIES = {
    "growing_termination": growing_termination,
    "reduced_search": reduced_search,
    "terminating_fabolas": terminating_fabolas,
}
GROWN = {
    "dataset": "digits", "n_train": 600, "n_valid": 300, "horizon": 12, "theta": 0.5, "start_share": 0.05,
    "n_trials": 3, "termination": {"p": 6, "curve": {"n_steps": 40, "n_burn": 20}},
}  # fmt: skip
REDUCED = {
    "dataset": "digits", "sizes": [64, 256], "n_valid": 200, "n_test": 200, "compression": 4, "n_initial": 3,
    "n_trials": {"random": 3, "ei": 3, "fabolas": 4},
    "strategies": {
        "random": {"n_initial": 2},
        "fabolas": {"n_hyper": 2, "n_burn": 5, "n_steps": 5, "n_representers": 8, "n_samples": 50},
    },
}  # fmt: skip
TERMINATED = {
    "curves": "planted", "n_initial": 4, "n_trials": 7,
    "fabolas": {"n_hyper": 2, "n_burn": 5, "n_steps": 5, "n_representers": 14, "n_samples": 50},
    "termination": {"p": 12, "curve": {"n_steps": 20, "n_burn": 10}},
}  # fmt: skip
SIZES, N_EPOCHS = (400, 200), 18
CANDIDATE = {"step": 1.0, "ridge": 1e-4}


def go_on(task, epoch, score):
    return True


def parts(rng, n=120, d=4):
    X = np.column_stack([rng.normal(size=(n, d)), np.ones(n)])
    y = (X @ rng.normal(size=(d + 1, 3)) + rng.normal(size=(n, 3))).argmax(axis=1)
    return (X[:80], y[:80]), (X[80:100], y[80:100]), (X[100:], y[100:])


def growing_problem(*, dynamic, horizon=10):
    settings = {"data": "generated", "theta": 0.5, "initial_size": 10, "horizon": horizon, "seed": 3}
    return growing_termination.GrowingProblem(*parts(np.random.default_rng(0)), dynamic=dynamic, **settings)


def test_an_epoch_of_batch_gradient_descent_is_one_step():
    (X, y), (V, v), (T, t) = parts(np.random.default_rng(0))
    problem = growing_problem(dynamic=False)
    trial = problem.evaluate(TrialTask(0, CANDIDATE), go_on)
    W, scores = np.zeros((5, 3)), []
    for _ in range(10):  # gradient descent as in any textbook
        P = np.exp(X @ W)
        P /= P.sum(axis=1, keepdims=True)
        W = W - CANDIDATE["step"] * (X.T @ (P - np.eye(3)[y]) / len(y) + CANDIDATE["ridge"] * W)
        scores.append(((V @ W).argmax(axis=1) == v).mean())
    assert trial.curve == pytest.approx(scores, abs=1e-12)
    assert trial.error == pytest.approx(1 - scores[-1])
    assert trial.cost == 10 * len(y)
    assert problem.test_error(CANDIDATE) == pytest.approx(((T @ W).argmax(axis=1) != t).mean())


def test_an_epoch_of_growing_samples_ends_with_the_last_step_within_its_rows():
    (X, y), (V, v), _ = parts(np.random.default_rng(0))
    trial = growing_problem(dynamic=True).evaluate(TrialTask(2, CANDIDATE), go_on)
    same = {
        "theta": 0.5,
        "solver": "sgd",
        "initial_size": 10,
        "line_search": False,
        "tol": 0.0,
        "classes": [0, 1, 2],
    }
    n_steps, fits = 0, []
    while not fits or fits[-1].n_points < 10 * len(y):
        n_steps += 1
        rng = rng_for("big_data", "growing_termination", "samples", 3, 2)
        fits.append(fit_dynamic_sample(X, y, rng=rng, max_iter=n_steps, **CANDIDATE, **same))
    assert len({fit.trace.size[-1] for fit in fits}) > 2  # the samples grew
    for epoch, score in enumerate(trial.curve, start=1):
        last = [fit for fit in fits if fit.n_points <= epoch * len(y)][-1]
        assert score == pytest.approx((last.predict(V) == v).mean())
    assert len(trial.curve) == 10
    assert trial.cost == fits[-1].n_points


def test_a_trial_that_is_stopped_is_the_beginning_of_the_whole_one():
    whole = growing_problem(dynamic=True).evaluate(TrialTask(0, CANDIDATE), go_on)
    clocked = Clocked(growing_problem(dynamic=True))
    cut = clocked.evaluate(TrialTask(0, CANDIDATE, epochs=10), lambda task, epoch, score: epoch < 4)
    assert cut.curve == whole.curve[:4]
    assert 4 * 80 <= cut.cost < 5.5 * 80
    assert clocked.spent[0] >= 0.0


def svm_problem(compression):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = (np.square(X).sum(axis=1) > 1.4).astype(np.int64)
    cut = [(X[a:b], y[a:b]) for a, b in ((0, 200), (200, 250), (250, 300))]
    return reduced_search.ReducedProblem(*cut, data="generated", compression=compression, seed=0), cut


def test_without_compression_a_trial_is_the_plain_svm():
    problem, ((X, y), (V, v), (T, t)) = svm_problem(1.0)
    candidate = {"C": 2.0, "gamma": 0.5}
    trial = problem.evaluate(TrialTask(0, candidate), go_on)
    svm = SVC(**candidate).fit(X, y)
    assert trial.error == pytest.approx((svm.predict(V) != v).mean())
    assert trial.cost == 200
    assert problem.test_error(candidate) == pytest.approx((svm.predict(T) != t).mean())


def test_rows_that_trials_share_are_clustered_once():
    problem, _ = svm_problem(4.0)
    first, again = (problem.evaluate(TrialTask(i, {"C": 10.0**i, "gamma": 1.0}), go_on) for i in range(2))
    n_centres = again.cost
    assert first.cost == 200 + n_centres
    assert abs(n_centres - 50) <= 1
    full = problem.evaluate(TrialTask(2, {"C": 1.0, "gamma": 1.0}, 200, subset=7), go_on)
    assert full.cost == n_centres  # any draw of all rows is all rows
    small = [problem.evaluate(TrialTask(i, {"C": 1.0, "gamma": 1.0}, 100, subset=i), go_on) for i in (3, 4)]
    assert [trial.cost > 100 for trial in small] == [True, True]  # other rows, clustered anew


def test_what_a_search_on_centres_chose_is_also_tested_as_the_plain_svm(tmp_path):
    one = {"n_trials": {"random": 1}, "strategies": {"random": {"n_initial": 1}}}  # the same candidate for both
    plain, centres = (
        reduced_search.run(method, 0, REDUCED | one, tmp_path).iloc[0] for method in ("random_svm", "random_wkm")
    )
    assert plain["test_error"] != centres["test_error"]
    assert plain["full_test_error"] == centres["full_test_error"] == plain["test_error"]


def path(method, seed, quality, seconds, rows, **more):
    n = len(quality)
    return pd.DataFrame(
        {
            "method": method, "seed": seed, "trial": range(n), "test_error": quality, "best_error": quality,
            "full_test_error": quality, "seconds": seconds, "check_seconds": 0.0, "overhead_s": 0.0, "rows": rows,
            "n_train": 20_000, "data": "generated", **more,
        }
    )  # fmt: skip


def test_searches_are_compared_where_both_were_as_good_as_the_worse_end():
    # The worse end is 0.2: there after 2 + 3 s and 20 rows, against 40 s and 100 rows.
    ours = path("a", 0, [0.5, 0.2, 0.1], [2.0, 3.0, 9.0], [10, 10, 10])
    other = path("b", 0, [0.2, 0.2], [40.0, 1.0], [100, 1])
    runs = with_spent(pd.concat([other, ours]))
    assert to_same(runs, "a", "b", "seconds", "test_error")[0] == pytest.approx(math.log10(5 / 40))
    assert to_same(runs, "a", "b", "rows", "test_error")[0] == pytest.approx(math.log10(20 / 100))
    assert to_same(runs, "a", "c", "rows", "test_error").empty
    found = with_spent(ours.assign(check_seconds=1.0, overhead_s=0.5)[::-1])
    assert found["spent_seconds"].tolist() == [3.5, 8.0, 18.5]


COMBINATIONS = {
    "growing_termination": ("dynamic_terminated",),
    "reduced_search": ("fabolas_wkm",),
    "terminating_fabolas": ("fabolas_horizon", "fabolas_joint"),
}


def planted(experiment, factor, n_seeds=10, fast=()):
    """Runs in which combinations take `factor` of the time and rows of others, `fast` ones a tenth of it."""
    methods = experiments()[experiment].method_names
    rng = np.random.default_rng(0)
    found = []
    for seed in range(n_seeds):
        for method in methods:
            scale = factor if method in COMBINATIONS[experiment] else 0.1 * factor if method in fast else 1.0
            scale *= 1 + 0.05 * rng.random()
            quality = np.linspace(0.5, 0.1 + 0.001 * rng.random(), 20)
            found.append(path(method, seed, quality, scale, 100 * scale, stopped=False, poor=rng.random(20)))
    return pd.concat(found, ignore_index=True)


@pytest.mark.parametrize("experiment", STUDIES)
def test_a_planted_speed_up_is_found_and_a_planted_loss_too(experiment):
    study = STUDIES[experiment]
    first, parts = next(iter(study.COMPARISON.parts.items()))
    runs = planted(experiment, 0.5)
    table = study.ARTEFACTS[0].summarise(runs, "planted")
    assert list(table.columns) == [*combined_searches.KEYS, *TIDY, "n_missing", "says"]
    row = table[(table["method"] == first) & (table["against"] == parts[0])].set_index("measure")
    assert row.loc["log10_seconds_to_same", "ours"] == pytest.approx(math.log10(0.5), abs=0.05)
    assert row.loc["log10_seconds_to_same", "says"] == "less"
    assert row.loc["test_error_less", "says"] == "not told apart"
    assert study.FLOOR(runs)
    assert not study.FLOOR(runs[runs["seed"] > 0])
    assert not study.FLOOR(runs.assign(n_train=500))
    slow = combined_searches.paired(
        with_spent(planted(experiment, 2.0)), first, parts[0], study.COMPARISON.quality
    )
    assert slow["log10_seconds_to_same"].min() > 0.2


def curves(n_curves=10):
    """A set whose curves rise to an asymptote that is the lower, the higher the learning rate."""
    space, rows = networks.space("small", "mlp"), []
    drawn = space.sample(np.random.default_rng(0), n_curves)
    rates = sorted(range(n_curves), key=lambda i: drawn[i]["learning_rate"])
    for number, candidate in enumerate(drawn):
        for size in SIZES:
            end = 0.95 - 0.06 * rates.index(number) - 0.1 * (size < SIZES[0])
            scores = end - 0.4 / np.arange(1, N_EPOCHS + 1)
            facts = {"network": "mlp", "dataset": "mnist", "space": "small", "n_train": size, "n_valid": 500}
            facts |= {"n_epochs": N_EPOCHS, "data": "generated", "id": number, "candidate": as_json(candidate)}
            columns = {"epoch": range(1, N_EPOCHS + 1), "score": scores, "seconds": size / 1000.0}
            columns |= {"test_error": [math.nan] * (N_EPOCHS - 1) + [1 - scores[-1]], "reason": ""}
            rows.append(pd.DataFrame(columns).assign(**facts))
    return pd.concat(rows, ignore_index=True)


class Scripted:
    """Asks for tasks in turn and keeps what it is told."""

    def __init__(self, tasks):
        self.left, self.trials, self.incumbent = list(tasks), [], None

    def ask(self):
        return self.left.pop(0) if self.left else None

    def tell(self, trial):
        self.trials.append(trial)

    def report(self, task, epoch, score):
        return True


@pytest.mark.parametrize(("to_the_end", "factor"), [(False, 1.0), (True, 3.0)])
def test_a_stopped_trial_costs_what_it_took_or_would_have_taken(to_the_end, factor):
    problem = CurvesProblem(curves())
    ends = [curve.scores[-1] for curve in problem.curves]
    best, worst = (problem.curves[int(i)].candidate for i in (np.argmax(ends), np.argmin(ends)))
    # On 200 rows the best one ends below the best on 400, and is not to be stopped for that.
    tasks = [TrialTask(i, c, n) for i, (c, n) in enumerate([(best, 400), (best, 200), (worst, 200), (worst, 400)])]
    inner = Scripted(tasks)
    settings = {"horizon": N_EPOCHS, "p": 6, "curve": {"n_steps": 60, "n_burn": 30}}
    wrapped = AtHorizon(inner, N_EPOCHS) if to_the_end else inner
    strategy = terminating(wrapped, rng=np.random.default_rng(0), **settings)
    while (task := strategy.ask()) is not None:
        strategy.tell(problem.evaluate(task, strategy.report))
    assert [len(trial.curve) for trial in inner.trials] == [N_EPOCHS, N_EPOCHS, 6, 6]
    assert [trial.task for trial in inner.trials] == tasks
    assert [trial.seconds for trial in inner.trials[2:]] == pytest.approx([6 * 0.2 * factor, 6 * 0.4 * factor])
    assert [trial.cost for trial in inner.trials[2:]] == pytest.approx([6 * 200 * factor, 6 * 400 * factor])
    assert [trial.seconds for trial in inner.trials[:2]] == pytest.approx([18 * 0.4, 18 * 0.2])
    last_seen = problem.curves[int(np.argmin(ends))].scores[5]
    assert inner.trials[3].error != pytest.approx(1 - last_seen)  # it is extrapolated
    inner.incumbent = worst  # given up, on either number of rows
    assert strategy.incumbent == best


def test_candidates_above_the_median_error_are_poor(tmp_path):
    curves().to_parquet(tmp_path / "curves.parquet")
    found = terminating_fabolas.run("random", 0, TERMINATED | {"table": str(tmp_path / "curves.parquet")})
    median = 0.05 + 0.06 * 4.5 + 0.4 / N_EPOCHS  # of the errors at the ends of `curves`, on the most rows
    assert found["poor"].tolist() == (found["error"] > median).tolist()
    assert found["poor"].nunique() == 2


def test_one_version_alone_learns_the_costs_of_whole_trials(tmp_path, monkeypatch):
    curves().to_parquet(tmp_path / "curves.parquet")
    settings = TERMINATED | {"table": str(tmp_path / "curves.parquet"), "n_trials": 4}  # the initial design
    wrapped = []

    def without_checks(strategy, **rule):
        wrapped.append(strategy)
        return strategy

    monkeypatch.setattr("frugal.trials.termination.terminating", without_checks)
    versions = [method.name for method in terminating_fabolas.METHODS if method.termination is not None]
    for version in versions:
        terminating_fabolas.run(version, 0, settings)
    horizons = {
        version: strategy.horizon
        for version, strategy in zip(versions, wrapped, strict=True)
        if isinstance(strategy, AtHorizon)
    }
    assert horizons == {"fabolas_horizon": N_EPOCHS}


def judged(experiment, runs):
    found = judge_claims(STUDIES[experiment].CLAIMS, {experiment: runs}, "planted")
    assert found["id"].str.startswith(f"big_data.{experiment}.").all()
    return found.set_index("id")


@pytest.mark.parametrize("experiment", STUDIES)
def test_a_combination_has_to_be_faster_than_each_of_its_parts(experiment):
    found = judged(experiment, planted(experiment, 0.5))
    speeds = found[found.index.str.contains("speed_up")]
    assert speeds["ours"].tolist() == pytest.approx([2.0] * len(speeds), rel=0.05)
    assert speeds["verdict"].tolist() == [REPRODUCED] * len(speeds)
    assert speeds["is_ours"].sum() == len(speeds) - 1  # rows, and versions of ours, are findings
    part = STUDIES[experiment].COMPARISON.parts[COMBINATIONS[experiment][0]][0]
    one = judged(experiment, planted(experiment, 0.5, fast=(part,)))  # ten times faster than the combination
    assert one.loc[speeds.index, "ours"].tolist() == pytest.approx([0.1] * len(speeds), rel=0.05)
    assert one.loc[speeds.index, "verdict"].tolist() == [CONTRADICTED] * len(speeds)
    assert set(judged(experiment, planted(experiment, 0.5, n_seeds=9))["verdict"]) == {NOT_RUN}


def measured(what, arrays):
    return claim_on(what).measure(arrays, np.random.default_rng(0))


def claim_on(what):
    return next(claim for claim in terminating_fabolas.CLAIMS if claim.id.endswith(f".{what}"))


@pytest.mark.parametrize(
    ("what", "arrays", "ours", "verdict"),
    [
        ("suboptimal_stopped", {"stopped": [[6], [1], [4], [3, 4]]}, 100 * 35 / 40, REPRODUCED),
        ("suboptimal_stopped", {"stopped": [[6], [1], [4], [0, 1]]}, 100 * 5 / 40, CONTRADICTED),
        ("suboptimal_stopped", {"stopped": [[6], [1], [4], [1, 3]]}, 50.0, UNDECIDED),
        ("halves_stopped", {"stopped": [[6], [1], [4], [3, 4]]}, 100 * (35 / 40 - 1 / 6), REPRODUCED),
        ("halves_stopped", {"stopped": [[6], [3], [4], [0, 1]]}, 100 * (5 / 40 - 1 / 2), CONTRADICTED),
        ("suboptimal_attractive", {"poor_alone": [[0.1, 0.2]]}, 15.0, REPRODUCED),
        ("suboptimal_attractive", {"poor_alone": [[-0.1, -0.2]]}, -15.0, CONTRADICTED),
        ("attractive_against_horizon", {"poor_horizon": [[0.1, -0.1]]}, 0.0, UNDECIDED),
    ],
)
def test_what_is_stopped_and_proposed_is_judged(what, arrays, ours, verdict):
    by_seed = {name: np.array([np.resize(row, 10) for row in rows]) for name, rows in arrays.items()}
    by_seed = {name: rows if name == "stopped" else rows[0] for name, rows in by_seed.items()}
    found = judge([claim_on(what)], by_seed, enough=True, scale="planted").iloc[0]
    assert found["ours"] == pytest.approx(ours)
    assert found["verdict"] == verdict


def test_what_was_stopped_and_proposed_is_counted_by_halves():
    # Told the costs spent: 3 of 4 proposals poor, 2 of these stopped, of the better one none.
    naive = path("fabolas_spent", 0, [0.1] * 6, 1.0, 1.0, stopped=[False, False, True, True, False, False])
    naive["poor"] = [math.nan, math.nan, 1.0, 1.0, 1.0, 0.0]
    alone = path("fabolas", 0, [0.1] * 2, 1.0, 1.0, stopped=False, poor=[math.nan, 0.0])
    found = terminating_fabolas.arrays(pd.concat([naive, alone]))
    assert found["stopped"].tolist() == [[1], [0], [3], [2]]
    assert measured("halves_stopped", found).ours == pytest.approx(100 * 2 / 3)
    assert found["poor_alone"] == pytest.approx([3 / 4 - 0.0])
    assert np.isnan(found["poor_horizon"]).all()


def test_a_seed_without_proposals_in_one_half_says_nothing_of_that_half():
    # Better half: 1 of 4 stopped, all in seed 0. Worse half: 2 of 2, in seed 1, which has none in the better half.
    first = path("fabolas_spent", 0, [0.1] * 4, 1.0, 1.0, stopped=[True, False, False, False], poor=0.0)
    second = path("fabolas_spent", 1, [0.1] * 2, 1.0, 1.0, stopped=True, poor=1.0)
    both = terminating_fabolas.arrays(pd.concat([first, second]))
    assert measured("halves_stopped", both).ours == pytest.approx(100 * (2 / 2 - 1 / 4))
    assert measured("suboptimal_stopped", both).ours == 100.0
    assert measured("suboptimal_stopped", both).n_seeds == 1
    assert math.isnan(measured("halves_stopped", terminating_fabolas.arrays(first)).ours)


SLOW = "terminating_fabolas"


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.slow] * (name == SLOW)) for name in STUDIES]
)
def experiment(request, tmp_path_factory):
    methods = experiments()[request.param].method_names
    root = tmp_path_factory.mktemp("data")
    curves().to_parquet(root / "curves.parquet")
    settings = {
        "growing_termination": GROWN,
        "reduced_search": REDUCED,
        "terminating_fabolas": TERMINATED | {"table": str(root / "curves.parquet")},
    }[request.param]
    seeds = (0,) if request.param == SLOW else (0, 1)  # the rule's checks take a second
    run = STUDIES[request.param].run
    runs = [
        run(method, seed, settings, root).assign(method=method, seed=seed) for method in methods for seed in seeds
    ]
    return request.param, pd.concat(runs, ignore_index=True)


def test_an_experiment_has_rows_a_table_and_a_picture(experiment):
    name, runs = experiment
    study, methods = STUDIES[name], experiments()[name].method_names
    assert set(runs["method"]) == set(methods)
    assert (runs[["seconds", "rows"]] > 0).all(axis=None)
    assert runs["test_error"].between(0, 1).all()
    table = study.ARTEFACTS[0].summarise(runs, "test")
    assert table["ours"].notna().all()
    numbers = study.ARTEFACTS[1].summarise(runs)
    assert set(numbers["panel"]) == {"rows", "seconds"}
    ends = numbers.groupby(["panel", "method"])["mean"].last()
    listed = table[table["against"] == ""].set_index(["measure", "method"])["ours"][study.COMPARISON.quality]
    for panel in ("rows", "seconds"):
        assert ends[panel].to_dict() == pytest.approx(listed.to_dict())
    picture = study.ARTEFACTS[1].draw(numbers)
    assert len({line.get_label() for axis in picture.axes[::2] for line in axis.lines}) == len(methods)
    found = study.arrays(runs)
    in_both = name != "terminating_fabolas" or found["stopped"][::2].all()  # a seed has three proposals here
    for claim in study.CLAIMS:
        ours = claim.measure(found, np.random.default_rng(0)).ours
        is_known = len(set(runs["seed"])) > 1 or "speed_up" not in claim.id  # one seed does not vary
        is_known &= in_both or "stopped" not in claim.id
        assert math.isfinite(ours) == is_known, claim.id


def test_bands_are_drawn_where_there_are_three_seeds_or_more():
    numbers = pd.DataFrame(
        {
            "panel": "rows", "method": "batch", "x": [1.0, 2.0, 4.0, 8.0], "mean": 0.3, "low": 0.1, "high": 0.5,
            "n_seeds": [2, 3, 3, 3], "data": "generated",
        }
    )  # fmt: skip
    axes = growing_termination.ARTEFACTS[1].draw(numbers).axes[0]
    drawn = axes.collections[0].get_paths()[0].vertices
    assert [drawn[:, 0].min(), drawn[:, 0].max()] == [2.0, 8.0]
    few = growing_termination.ARTEFACTS[1].draw(numbers.assign(n_seeds=2)).axes[0]
    assert not any(len(path.vertices) for collection in few.collections for path in collection.get_paths())


def test_cells_of_a_seed_share_their_candidates_and_stopped_trials_begin_alike(experiment):
    name, runs = experiment
    if name == "growing_termination":
        cells = [
            runs[(runs["method"] == method) & (runs["seed"] == 0)] for method in ("batch", "batch_terminated")
        ]
        whole, cut = (cell.set_index("trial") for cell in cells)
        same = cut.index[~cut["stopped"]]
        assert len(same)
        assert (cut.loc[same, "error"] == whole.loc[same, "error"]).all()
        assert (cut["rows"] <= whole["rows"]).all()
        assert (whole["rows"] == 12 * 600).all()  # every step is on all rows
        growing = runs[runs["method"].isin(("dynamic", "dynamic_terminated"))].groupby("method")["rows"]
        assert growing.agg(lambda rows: (rows % 600 > 0).any()).tolist() == [True, True]
    elif name == "terminating_fabolas":
        first = runs[(runs["trial"] < 4) & (runs["seed"] == 0)].groupby("method")["test_error"].first()
        assert len(set(first)) == 1
        assert runs.loc[runs["method"] != "random", "stopped"].any()
        whole, cut = (runs[runs["method"] == method] for method in ("random", "random_terminated"))
        assert (cut["rows"].to_numpy() <= whole["rows"].to_numpy()).all()  # trial by trial the same candidates
        assert not runs.loc[runs["method"].isin(("random", "fabolas")), "stopped"].any()
        assert set(runs.loc[runs["method"] == "fabolas_joint", "n_rows"]) <= set(SIZES)
        assert runs.loc[runs["method"] == "fabolas", "poor"].isna().sum() == 4
    else:
        first = runs[(runs["trial"] == 0) & (runs["seed"] == 0)].set_index("method")
        assert first.loc["random_svm", "error"] == first.loc["ei_svm", "error"]
        assert first.loc["random_wkm", "error"] == first.loc["ei_wkm", "error"]
        assert set(runs.loc[runs["method"].str.startswith("fabolas"), "n_rows"]) <= {64, 256}


def test_a_search_is_followed_trial_by_trial():
    problem = growing_problem(dynamic=False, horizon=6)
    strategy = make("random", space=growing_termination.SPACE, n_trials=3, rng=np.random.default_rng(0))
    table = follow(strategy, problem, problem.test_error)
    assert table["best_error"].tolist() == table["error"].cummin().tolist()
    best = int(table["error"].to_numpy().argmin())
    candidate = json.loads(json.dumps(dict(strategy.trials[best].task.candidate)))
    assert table["test_error"].iloc[-1] == problem.test_error(candidate)
    assert (table["n_epochs"] == 6).all()


@pytest.mark.parametrize(
    ("experiment", "change", "message"),
    [
        ("growing_termination", {"termination": {"p": 12}}, "p must be at least 1, at most 11"),
        ("growing_termination", {"termination": {"horizon": 30}}, "must not hold horizon, which is 12"),
        (
            "growing_termination",
            {"n_valid": 2000},
            "digits has 1438 rows .* got 600 to train and 2000 to validate",
        ),
        ("reduced_search", {"sizes": [64, 9000]}, "digits has 1438 rows to train and validate on, got 9000"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_sentence(experiment, change, message, tmp_path):
    settings = {"growing_termination": GROWN, "reduced_search": REDUCED}[experiment] | change
    study = STUDIES[experiment]
    with pytest.raises(ValueError, match=message):
        study.run(study.METHODS[0].name, 0, settings, tmp_path)
