import json
import math

import numpy as np
import pandas as pd
import pytest

from frugal import trials
from frugal.interface import TrialTask
from frugal.learners import networks
from frugal.trials.curve_set import COLUMNS
from frugal.trials.curves import CurvesProblem
from frugal.trials.runs import run

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


def go_on(task, epoch, score):
    return True


def nearest(candidate, among):
    """Brute force."""
    apart = {i: np.linalg.norm(SPACE.to_unit(CANDIDATES[i]) - SPACE.to_unit(candidate)) for i in among}
    return min(apart, key=apart.get)


def test_a_trial_replays_the_curve_of_its_candidate(problem):
    seen = []
    trial = problem.evaluate(TrialTask(4, CANDIDATES[2]), lambda *told: seen.append(told[1:]) or True)
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
    trial = problem.evaluate(TrialTask(0, CANDIDATES[-1]), lambda *told: seen.append(told[1]) or True)
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
        (lambda table: table.drop(columns="score"), "needs the column 'score'"),
        (lambda table: table.iloc[:0], "must be of one set, got 0"),
        (lambda table: table.assign(n_epochs=table["id"]), "must be of one set, got 8"),
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
