import json
import math

import numpy as np
import pandas as pd
import pytest

from frugal import trials
from frugal.benchmarks.curve_set import COLUMNS
from frugal.benchmarks.curves import CurvesProblem
from frugal.benchmarks.searches import search
from frugal.interface import TrialTask
from frugal.learners import networks
from frugal.trials.runs import run
from frugal.trials.strategies.random import Random

N, E, N_ROWS = 8, 5, 100
SPACE = networks.space("small", "mlp")
CANDIDATES = SPACE.sample(np.random.default_rng(0), N)
MEASURED = ["overhead_s"]


def score(curve, epoch):
    return 0.5 + 0.05 * curve + 0.01 * epoch


def stored():
    """Curve i scores `score(i, epoch)`, its epochs take i + 1 seconds; the last one diverges in epoch 3."""
    facts = ("mlp", "mnist", "small", N_ROWS, 50, E, "original")
    rows = []
    for i, candidate in enumerate(CANDIDATES):
        n = 3 if i == N - 1 else E
        for epoch in range(1, n + 1):
            diverged = i == N - 1 and epoch == n
            what = (
                i,
                json.dumps(candidate, sort_keys=True),
                epoch,
                np.nan if diverged else score(i, epoch),
                i + 1.0,
            )
            at_end = epoch == n and i < N - 1
            rows.append((*facts, *what, 0.1 * i if at_end else np.nan, "it diverged" if diverged else ""))
    return pd.DataFrame(rows, columns=COLUMNS)


@pytest.fixture
def problem():
    return CurvesProblem(stored())


def sized(sizes=(25, 50, N_ROWS)):
    """The same on several numbers of rows: on fewer, scores are lower and epochs quicker in proportion."""
    parts = []
    for n in sizes:
        share = n / N_ROWS
        part = stored().assign(n_train=n)
        parts.append(part.assign(score=part["score"] * share, seconds=part["seconds"] * share))
    return pd.concat(parts, ignore_index=True)


def go_on(task, epoch, score):
    return True


def nearest(candidate, among):
    """Brute force."""
    apart = {i: np.linalg.norm(SPACE.to_unit(CANDIDATES[i]) - SPACE.to_unit(candidate)) for i in among}
    return min(apart, key=apart.get)


def test_a_trial_replays_the_curve_of_its_candidate(problem):
    seen = []
    trial = problem.evaluate(TrialTask(4, CANDIDATES[2]), lambda *reported: seen.append(reported[1:]) or True)
    assert seen == [(epoch, score(2, epoch)) for epoch in range(1, E + 1)]
    assert trial.curve == tuple(value for _, value in seen)
    assert (trial.error, trial.reason) == (pytest.approx(1 - score(2, E)), "")
    assert (trial.seconds, trial.cost) == (3.0 * E, float(N_ROWS * E))
    assert problem.replayed == {4: 2}
    assert problem.test_error(CANDIDATES[2]) == pytest.approx(0.2)


def test_a_replay_that_is_stopped_costs_what_was_replayed(problem):
    trial = problem.evaluate(TrialTask(0, CANDIDATES[1]), lambda task, epoch, score: epoch < 2)
    assert trial.curve == (score(1, 1), score(1, 2))
    assert (trial.seconds, trial.cost) == (2 * 2.0, 2.0 * N_ROWS)
    assert trial.error == pytest.approx(1 - score(1, 2))
    shorter = problem.evaluate(TrialTask(1, CANDIDATES[1], epochs=2), go_on)
    assert (shorter.curve, shorter.seconds, shorter.cost) == (trial.curve, trial.seconds, trial.cost)


def test_a_continued_trial_reports_and_costs_its_new_epochs_alone(problem):
    problem.evaluate(TrialTask(0, CANDIDATES[1], epochs=2), go_on)
    seen = []
    task = TrialTask(1, CANDIDATES[1], epochs=4, resume_from=0)
    trial = problem.evaluate(task, lambda task, epoch, score: seen.append(epoch) or True)
    assert seen == [3, 4]
    assert len(trial.curve) == 4
    assert (trial.seconds, trial.cost) == (2 * 2.0, 2.0 * N_ROWS)


def test_a_diverged_curve_fails_where_it_failed_and_not_before(problem):
    seen = []
    trial = problem.evaluate(TrialTask(0, CANDIDATES[-1]), lambda *reported: seen.append(reported[1]) or True)
    assert math.isnan(trial.error)
    assert (trial.reason, len(trial.curve), seen) == ("it diverged", 3, [1, 2])
    assert (trial.seconds, trial.cost) == (3 * 8.0, 3.0 * N_ROWS)
    assert math.isnan(problem.test_error(CANDIDATES[-1]))
    before = problem.evaluate(TrialTask(1, CANDIDATES[-1], epochs=2), go_on)
    assert (before.error, before.reason) == (pytest.approx(1 - score(N - 1, 2)), "")


def test_others_meet_the_nearest_curve_that_was_given_to_the_fewest(problem):
    asked = SPACE.sample(np.random.default_rng(1), 2 * N)
    for i, candidate in enumerate(asked):
        problem.evaluate(TrialTask(i, candidate, epochs=1), go_on)
    first, second = (list(problem.replayed.values())[part] for part in (slice(0, N), slice(N, None)))
    assert sorted(first) == sorted(second) == list(range(N))
    for order, candidates in ((first, asked[:N]), (second, asked[N:])):
        left = set(range(N))
        for given, candidate in zip(order, candidates, strict=True):
            assert given == nearest(candidate, sorted(left))
            left.remove(given)
    again = problem.evaluate(TrialTask(99, asked[0], epochs=3), go_on)
    assert problem.replayed[99] == first[0]
    assert again.task.candidate == asked[0]


def test_the_space_leads_to_the_nearest_candidate_that_has_a_curve(problem):
    for u in np.random.default_rng(2).random((50, len(SPACE.dimensions))):
        assert problem.space.from_unit(u) == CANDIDATES[nearest(SPACE.from_unit(u), range(N))]
    assert problem.space.signs == SPACE.signs == {"neurons": 1}
    drawn = problem.space.sample(np.random.default_rng(3), 4)
    assert drawn == SPACE.sample(np.random.default_rng(3), 4)


def test_a_model_based_strategy_asks_for_what_has_curves_and_is_told_what_is_true(problem):
    strategy = trials.make(
        "ei", space=problem.space, n_trials=N, rng=np.random.default_rng(0), initial=CANDIDATES[:2], n_pool=64
    )
    table = run(strategy, problem)
    asked = [json.loads(candidate) for candidate in table["candidate"]]
    assert all(candidate in CANDIDATES for candidate in asked)
    assert len({json.dumps(candidate) for candidate in asked}) == N  # none twice, since all can be found
    assert [problem.replayed[i] for i in range(N)] == [CANDIDATES.index(candidate) for candidate in asked]


@pytest.mark.parametrize("n_rows", [25, 50, 100, None])
@pytest.mark.parametrize("subset", [0, 7])
def test_a_trial_on_fewer_rows_replays_that_curve_whatever_draw_it_asks_for(n_rows, subset):
    problem, n = CurvesProblem(sized()), n_rows or N_ROWS
    trial = problem.evaluate(TrialTask(0, CANDIDATES[2], n_rows, subset, epochs=4), go_on)
    assert problem.sizes == (25, 50, 100)
    assert trial.curve == tuple(score(2, epoch) * n / N_ROWS for epoch in (1, 2, 3, 4))
    assert (trial.seconds, trial.cost) == (4 * 3.0 * n / N_ROWS, 4.0 * n)
    assert problem.test_error(CANDIDATES[2]) == pytest.approx(0.2)  # on the most rows, whatever was asked for


def test_a_candidate_is_the_same_on_all_sizes_and_continued_on_its_own():
    problem = CurvesProblem(sized())
    strange = SPACE.sample(np.random.default_rng(8), 1)[0]
    first = problem.evaluate(TrialTask(0, strange, 25, epochs=2), go_on)
    more = problem.evaluate(TrialTask(1, strange, 50, epochs=2), go_on)
    assert problem.replayed[0] == problem.replayed[1]
    assert more.error < first.error
    onward = problem.evaluate(TrialTask(2, strange, 25, epochs=5, resume_from=0), go_on)
    assert (len(onward.curve), onward.cost) == (5, 3.0 * 25)
    with pytest.raises(ValueError, match="trial 0 was on 25 rows, got n_rows 50"):
        problem.evaluate(TrialTask(3, strange, 50, epochs=5, resume_from=0), go_on)
    with pytest.raises(ValueError, match="trial 1 was on 50 rows, got n_rows None"):
        problem.evaluate(TrialTask(3, strange, epochs=5, resume_from=1), go_on)
    with pytest.raises(ValueError, match="were made on 25, 50, 100 rows, got n_rows 30"):
        problem.evaluate(TrialTask(3, strange, 30), go_on)


def test_what_has_a_curve_meets_its_own_even_if_another_met_it_before(problem):
    close = CANDIDATES[3] | {"momentum": CANDIDATES[3]["momentum"] + 1e-6}
    problem.evaluate(TrialTask(0, close, epochs=1), go_on)
    problem.evaluate(TrialTask(1, CANDIDATES[3], epochs=1), go_on)
    assert problem.replayed == {0: 3, 1: 3}


FEW = {"n_hyper": 2, "n_burn": 2, "n_steps": 2, "n_representers": 12, "n_samples": 50}


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("fabolas", {"sizes": [25, 50, 100], "n_valid": 50, **FEW}),
        ("mtbo", {"auxiliary": 25, "n_max": 100, "n_valid": 50, **FEW}),
        ("entropy_search", FEW),
    ],
)
def test_strategies_with_an_information_gain_ask_for_listed_candidates_alone(method, settings):
    problem = CurvesProblem(sized())
    first = [problem.space.from_unit(u) for u in np.random.default_rng(4).random((3, len(SPACE.dimensions)))]
    strategy = trials.make(
        method, space=problem.space, n_trials=N, rng=np.random.default_rng(0), initial=first, **settings
    )
    table = run(strategy, problem)
    asked = [json.loads(candidate) for candidate in table["candidate"]]
    assert all(candidate in CANDIDATES for candidate in asked)
    assert [problem.replayed[i] for i in range(N)] == [CANDIDATES.index(candidate) for candidate in asked]
    proposed = table.iloc[len(first) :]
    assert not proposed.duplicated(["candidate", "n_rows"]).any()  # none twice, since there are others


@pytest.mark.parametrize(("method", "settings"), [("ei", {}), ("entropy_search", FEW)])
def test_before_a_model_is_fitted_candidates_are_listed_ones_too(method, settings, problem):
    options = {"initial": CANDIDATES[:1], **settings}
    strategy = trials.make(method, space=problem.space, n_trials=6, rng=np.random.default_rng(0), **options)
    asked = [strategy.ask().candidate for _ in range(6)]  # none is told
    assert all(candidate in CANDIDATES for candidate in asked)


@pytest.mark.parametrize("method", ["random", "tpe"])
@pytest.mark.parametrize("n_kept", [0, 3, 10])
def test_an_interrupted_run_meets_the_same_curves(method, n_kept):
    def strategy():
        return trials.make(method, space=SPACE, n_trials=10, rng=np.random.default_rng(5))

    kept, whole, again = [], CurvesProblem(stored()), CurvesProblem(stored())
    expected = run(strategy(), whole, keep=kept.append)
    resumed = run(strategy(), again, kept=kept[:n_kept])
    assert resumed.drop(columns=MEASURED).equals(expected.drop(columns=MEASURED))
    assert again.replayed == whole.replayed


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"n_rows": 50}, "were made on 100 rows, got n_rows 50"),
        ({"epochs": 6}, "epochs must be at least 1, at most 5, those of the stored curves, .* got 6"),
        ({"epochs": 4, "resume_from": 7}, "trial 7 has left no state"),
        ({"epochs": 2, "resume_from": 0}, "trial 0 has 2 epochs already, got epochs 2"),
        ({"epochs": 3, "resume_from": 1}, "trial 1 has left no state of"),
        ({"candidate": CANDIDATES[0] | {"neurons": 10**6}}, "1000000 is not a whole number in"),
    ],
)
def test_what_the_curves_cannot_answer_is_refused(task, message, problem):
    problem.evaluate(TrialTask(0, CANDIDATES[0], epochs=2), go_on)
    problem.evaluate(TrialTask(1, CANDIDATES[1], epochs=2), go_on)
    with pytest.raises(ValueError, match=message):
        problem.evaluate(TrialTask(2, **{"candidate": CANDIDATES[0], **task}), go_on)
    with pytest.raises(ValueError, match="was not asked for"):
        problem.test_error(CANDIDATES[5])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop(columns="score"), "lacks the column 'score'"),
        (lambda table: table.iloc[:0], "must be of one set, got 0"),
        (lambda table: table.assign(n_epochs=table["id"]), "must be of one set, got 8"),
        (lambda table: pd.concat([table, table]), "must have every epoch once; number 0 on 100 rows has not"),
        (lambda table: table[table["epoch"] != 2], "must have every epoch once; number 0 on 100 rows has not"),
        (
            lambda table: pd.concat([table, table[table["id"] > 0].assign(n_train=50)]),
            "must be of the same candidates on 50 rows as on the most",
        ),
    ],
)
def test_a_table_that_is_no_set_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        CurvesProblem(change(stored()))


def test_a_set_is_read_from_its_file(tmp_path):
    stored().to_parquet(tmp_path / "set.parquet")
    read = CurvesProblem.read(tmp_path / "set.parquet")
    assert [curve.candidate for curve in read.curves] == CANDIDATES
    assert (read.name, read.data, read.n_epochs) == ("curves of mlp on mnist", "original", E)


class NeverAsked(Random):
    """Its incumbent is no candidate that it asks for, as HyperTune's average may be."""

    def __init__(self, *, n_initial, **given):
        super().__init__(**given)

    @property
    def incumbent(self):
        return CANDIDATES[0]


def test_an_incumbent_without_a_trial_has_no_test_error(tmp_path):
    stored().to_parquet(tmp_path / "set.parquet")
    settings = {"table": str(tmp_path / "set.parquet")}
    found = search("never_asked", "curves", "mlp_mnist", 0, 3, settings, others={"never_asked": NeverAsked})
    assert set(found["incumbent"]) == {json.dumps(CANDIDATES[0], sort_keys=True)}
    assert found["test_error"].isna().all()
