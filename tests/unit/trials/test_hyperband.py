"""Hyperband: its brackets against the published tables, its choices against brute force, its epochs resumed."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest

from frugal import trials
from frugal.interface import WAIT, Trial, TrialTask
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.brackets import Rung, last_bracket, plan_bracket, robo_settings
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem
from frugal.trials.runs import Journal, run
from killed import KilledError

SPACE = SearchSpace({"x": Uniform(0.0, 1.0)})
NINE = {"max_resource": 9, "resource": "epochs"}


def hyperband(n_trials=10**6, seed=0, space=SPACE, **settings):
    rng = np.random.default_rng(seed)
    return trials.make("hyperband", space=space, n_trials=n_trials, rng=rng, **settings)


def answer_all(strategy, error, cost=lambda task: 1.0):
    """Trials of a run, each with the error that a function of its task gives."""
    answered = []
    while (task := strategy.ask()) is not None:
        assert task is not WAIT  # nothing is pending
        answered.append(Trial(task, error(task), 0.0, cost(task)))
        strategy.tell(answered[-1])
    return answered


# Brackets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rounding", "first_rungs", "total", "n_evaluations"),
    [
        ("ceil", [81, 34, 15, 8, 5], 1902, 206),
        ("floor", [81, 33, 15, 7, 5], 1872, 204),
        ("robo", [81, 27, 9, 6, 5], 1701, 187),
    ],
)
def test_brackets_of_81_and_3_are_the_published_ones(rounding, first_rungs, total, n_evaluations):
    plans = [plan_bracket(s, max_resource=81, rounding=rounding) for s in (4, 3, 2, 1, 0)]
    assert [plan[0].n_candidates for plan in plans] == first_rungs
    rungs = [rung for plan in plans for rung in plan]
    assert sum(rung.n_candidates * rung.resource for rung in rungs) == total
    assert sum(rung.n_candidates for rung in rungs) == n_evaluations


def test_rungs_are_those_of_the_papers_table():
    # Li et al. (2018), Table 1, with their pseudo-code's 34 candidates at s = 3.
    expected = [
        [(81, 1), (27, 3), (9, 9), (3, 27), (1, 81)],
        [(34, 3), (11, 9), (3, 27), (1, 81)],
        [(15, 9), (5, 27), (1, 81)],
        [(8, 27), (2, 81)],
        [(5, 81)],
    ]
    for s, rungs in zip((4, 3, 2, 1, 0), expected, strict=True):
        assert plan_bracket(s, max_resource=81) == [Rung(*rung) for rung in rungs]


@pytest.mark.parametrize("rounding", ["ceil", "floor", "robo"])
@pytest.mark.parametrize("eta", [2, 3, 4])
@pytest.mark.parametrize(("least", "most"), [(1, 81), (1, 100), (7, 1000), (16, 4096), (100, 50_000)])
def test_a_bracket_costs_no_more_than_its_share_and_one_full_trial(least, most, eta, rounding):
    sizes = {"max_resource": most, "min_resource": least, "reduction_factor": eta}
    s_max = last_bracket(**sizes)
    assert eta**s_max * least <= most < eta ** (s_max + 1) * least
    for s in range(s_max + 1):
        rungs = plan_bracket(s, rounding=rounding, **sizes)
        assert len(rungs) == s + 1
        assert rungs[-1].resource == most
        exact = sum(rung.n_candidates * most / eta ** (s - i) for i, rung in enumerate(rungs))
        assert exact <= (s_max + 1) * most + most
        for i, (rung, following) in enumerate(pairwise(rungs)):
            assert following.n_candidates == rung.n_candidates // eta >= 1
            assert following.resource > rung.resource >= least
            assert abs(rung.resource - most / eta ** (s - i)) <= 0.5


@pytest.mark.parametrize("power", range(1, 30))
def test_a_power_of_the_factor_has_all_its_rungs(power):
    # In floating point log(3^k) / log(3) falls below k for some k, and a bracket would be lost.
    assert last_bracket(max_resource=3**power) == power


@pytest.mark.parametrize(
    ("n_train", "min_rows", "b", "smallest", "n_brackets"),
    [
        (50_000, 10 * 10, 5, 617, 6),  # MNIST
        (8_978, 10 * 26, 3, 998, 10),  # letter
        (21_925, 10 * 2, 6, 90, 5),  # adult
        (44_228, 10 * 2, 7, 61, 4),  # vehicle
        (40_000, 512, 3, 4_444, 10),  # CIFAR-10, the network
    ],
)
def test_robos_setting_has_the_subsets_and_brackets_that_its_code_gives(
    n_train, min_rows, b, smallest, n_brackets
):
    settings = robo_settings(n_train, min_rows)
    strategy = hyperband(**settings)
    first = strategy.ask()
    assert first.n_rows == smallest
    assert settings["n_brackets"] == n_brackets
    answered = [Trial(first, 0.5, 0.0, 1.0)]
    strategy.tell(answered[0])
    answered += answer_all(strategy, lambda task: task.candidate["x"])
    sizes = sorted({trial.task.n_rows for trial in answered})
    assert len(sizes) == b
    assert sizes[-1] == n_train


# Choices ---------------------------------------------------------------------------------------------------------


def by_brute_force(draws, plan, error):
    """Candidates of every rung of one bracket, by sorting all of them."""
    alive, rungs = list(draws), []
    for rung in plan:
        alive = alive[: rung.n_candidates]
        rungs.append(sorted(alive, key=draws.index))
        alive = sorted(rungs[-1], key=lambda x: (error(x, rung.resource), draws.index(x)))
    return rungs


@pytest.mark.parametrize("levels", [3, 1000])
def test_survivors_are_the_best_told_and_of_equals_those_drawn_first(levels):
    def error(x, epochs):  # ranks change with the resource; with 3 levels most are tied
        return round(levels * abs(math.sin(50 * x + epochs))) / levels

    strategy = hyperband(max_resource=27, n_brackets=4)
    answered = answer_all(strategy, lambda task: error(task.candidate["x"], task.epochs))
    at = 0
    for s in (3, 2, 1, 0):
        plan = plan_bracket(s, max_resource=27)
        draws = [trial.task.candidate["x"] for trial in answered[at : at + plan[0].n_candidates]]
        earlier = {}
        for rung, expected in zip(plan, by_brute_force(draws, plan, error), strict=True):
            tasks = [trial.task for trial in answered[at : at + rung.n_candidates]]
            assert [task.candidate["x"] for task in tasks] == expected
            assert all((task.epochs, task.n_rows) == (rung.resource, None) for task in tasks)
            assert [task.resume_from for task in tasks] == [earlier.get(x) for x in expected]
            earlier = {task.candidate["x"]: task.id for task in tasks}
            at += rung.n_candidates
    assert at == len(answered)


def test_without_noise_the_best_candidate_drawn_wins():
    strategy = hyperband(max_resource=81, n_brackets=5)
    answered = answer_all(strategy, lambda task: task.candidate["x"])
    assert len(answered) == 206
    assert strategy.incumbent["x"] == min(trial.task.candidate["x"] for trial in answered)


def test_brackets_begin_again_with_fresh_candidates_until_the_budget_is_asked():
    answered = answer_all(hyperband(50, **NINE), lambda task: task.candidate["x"])
    assert [trial.task.epochs for trial in answered[:13]] == [1] * 9 + [3] * 3 + [9]
    round_of = 13 + 5 + 1 + 3  # trials of s = 2, 1 and 0
    assert [trial.task.epochs for trial in answered[round_of : round_of + 13]] == [1] * 9 + [3] * 3 + [9]
    drawn = [trial.task.candidate["x"] for trial in answered if trial.task.resume_from is None]
    assert len(set(drawn)) == len(drawn)
    assert len(answered) == 50


def test_one_bracket_is_successive_halving():
    answered = answer_all(hyperband(max_resource=81, brackets=[4], n_brackets=1), lambda task: task.candidate["x"])
    assert [trial.task.epochs for trial in answered] == [1] * 81 + [3] * 27 + [9] * 9 + [27] * 3 + [81]


def test_on_rows_every_trial_is_a_fit_of_its_own():
    settings = {"resource": "rows", "max_resource": 900, "min_resource": 100, "n_brackets": 1, "epochs": 5}
    answered = answer_all(hyperband(**settings), lambda task: task.candidate["x"])
    assert [trial.task.n_rows for trial in answered] == [100] * 9 + [300] * 3 + [900]
    for trial in answered:
        assert (trial.task.subset, trial.task.epochs, trial.task.resume_from) == (trial.task.id, 5, None)


def test_a_failed_candidate_does_not_go_on_and_a_rung_of_failures_ends_its_bracket():
    def error(task):
        return math.nan if task.id < 13 and (task.id not in (3, 8) or task.epochs == 3) else 0.5

    answered = answer_all(hyperband(20, **NINE), error)
    assert [trial.task.resume_from for trial in answered[9:11]] == [3, 8]
    assert [trial.task.epochs for trial in answered[9:16]] == [3, 3, *[3] * 5]  # then bracket 1: five of them
    assert answered[11].task.resume_from is None


def test_a_rung_is_asked_at_once_and_the_next_one_waits_for_all_its_answers():
    strategy = hyperband(**NINE)
    first = [strategy.ask() for _ in range(9)]
    assert strategy.ask() is WAIT
    for task in first[:0:-1]:
        strategy.tell(Trial(task, task.candidate["x"], 0.0, 1.0))
    assert strategy.ask() is WAIT
    strategy.tell(Trial(first[0], first[0].candidate["x"], 0.0, 1.0))
    best = sorted(sorted(first, key=lambda task: task.candidate["x"])[:3], key=lambda task: task.id)
    assert [strategy.ask().resume_from for _ in range(3)] == [task.id for task in best]


def test_the_incumbent_is_judged_on_the_most_resource_or_on_any():
    errors = [*np.linspace(0.1, 0.2, 9), 0.4, 0.3, 0.5, 0.45]
    for rule, expected in [("full", [0, 9, 10, 10, 12]), ("last_seen", [0] * 5)]:
        strategy, answered, chosen = hyperband(13, incumbent=rule, **NINE), [], []
        assert strategy.incumbent is None
        for number, error in enumerate(errors):
            answered.append(strategy.ask())
            strategy.tell(Trial(answered[-1], float(error), 0.0, 1.0))
            if number >= 8:
                chosen.append(strategy.incumbent)
        assert chosen == [answered[i].candidate for i in expected]


def test_initial_candidates_take_the_place_of_the_first_draws():
    design = [{"x": x} for x in np.linspace(0.1, 0.9, 11)]
    answered = answer_all(hyperband(22, initial=design, **NINE), lambda task: 0.5)
    drawn = [trial.task.candidate for trial in answered if trial.task.resume_from is None]
    assert drawn[:11] == design  # nine in the first bracket, two in the second
    assert len({candidate["x"] for candidate in drawn}) == len(drawn) == 9 + 5 + 3


# Trials that are resumed -----------------------------------------------------------------------------------------

SMALL = SearchSpace({"learning_rate": Uniform(1e-3, 0.3, "log"), "momentum": Uniform(0.3, 0.95)})
MEASURED = ["seconds", "overhead_s"]
N_TRIALS = 15  # the first bracket, and the next one as far as it gets


def problem(data, states=None):
    parts = split(data, n_valid=200, n_test=200, seed=0, n_train=100)
    return LearnerProblem("mlp", data, parts, space=SMALL, states=states, device="cpu")


def search(data, journal=None, keep=None):
    strategy = hyperband(N_TRIALS, space=SMALL, **NINE)
    if journal is None:
        return run(strategy, problem(data))
    return run(strategy, problem(data, journal.states), kept=journal.trials, keep=keep or journal.keep)


@pytest.fixture(scope="module")
def uninterrupted(digits):
    return search(digits)


def test_a_resumed_trial_ends_as_one_trained_from_scratch_and_pays_for_the_rest_only(digits, uninterrupted):
    learner_problem = problem(digits)
    for row in uninterrupted.itertuples():
        task = TrialTask(0, json.loads(row.candidate), epochs=row.epochs)
        scratch = learner_problem.evaluate(task, lambda *_: True)
        assert row.error == scratch.error
        before = 0 if math.isnan(row.resume_from) else uninterrupted["epochs"][int(row.resume_from)]
        assert row.cost == 100 * (row.epochs - before)
    assert uninterrupted["resume_from"].notna().sum() == 4


@pytest.mark.parametrize("n_kept", [0, 9, 10, 13])
def test_a_killed_run_resumes_and_ends_with_the_same_trials(n_kept, digits, uninterrupted, tmp_path):
    first = Journal(tmp_path / "run.jsonl", {"seed": 0})

    def killed(trial):
        if trial.task.id == n_kept:
            raise KilledError  # after the trial has left its state, before it is kept
        first.keep(trial)

    with pytest.raises(KilledError):
        search(digits, first, killed)
    again = Journal(tmp_path / "run.jsonl", {"seed": 0})
    assert len(again.trials) == n_kept
    table = search(digits, again)
    assert table.drop(columns=MEASURED).equals(uninterrupted.drop(columns=MEASURED))


def test_it_is_found_by_scikit_learn_where_both_are_successive_halving():
    # An independent search with the same plan: 27 candidates of noiseless score, factor 3, to 27 samples.
    from sklearn.dummy import DummyClassifier
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    class Fixed(DummyClassifier):
        def __init__(self, x=0.0):
            super().__init__()
            self.x = x

        def score(self, X, y, sample_weight=None):
            return 1 - abs(math.sin(50 * self.x))

    drawn = [trial.task.candidate["x"] for trial in answer_all(hyperband(27, max_resource=27), lambda task: 0.5)]
    X, y = np.zeros((27, 1)), np.arange(27) % 2
    peer = HalvingGridSearchCV(
        Fixed(), {"x": drawn}, factor=3, min_resources=1, max_resources=27, cv=[(np.arange(27), np.arange(27))],
        refit=False,
    ).fit(X, y)  # fmt: skip
    answered = answer_all(
        hyperband(max_resource=27, brackets=[3], n_brackets=1),
        lambda task: abs(math.sin(50 * task.candidate["x"])),
    )
    rungs = {1: 27, 3: 9, 9: 3, 27: 1}
    assert peer.n_candidates_ == list(rungs.values())
    assert peer.n_resources_ == list(rungs)
    for i, epochs in enumerate(rungs):
        ours = {trial.task.candidate["x"] for trial in answered if trial.task.epochs == epochs}
        theirs = peer.cv_results_["param_x"][peer.cv_results_["iter"] == i]
        assert ours == set(theirs)


# Refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reduction_factor": 1}, "reduction_factor must be at least 2 and a whole number, got 1"),
        ({"reduction_factor": 2.5}, "reduction_factor must be at least 2 and a whole number, got 2.5"),
        (
            {"max_resource": 200, "min_resource": 100},
            r"max_resource must be at least reduction_factor \* min_resource = 300, or no bracket has two rungs, "
            "got 200",
        ),
        ({"min_resource": 0, "resource": "rows"}, "min_resource must be at least 1 and a whole number, got 0"),
        ({"max_resource": 81.0}, "max_resource must be at least 1 and a whole number, got 81.0"),
        (
            {"brackets": [5]},
            "bracket must be at least 0, at most 4, the bracket that starts on 1 of 81, and a whole number, got 5",
        ),
        ({"brackets": []}, "brackets must name at least one bracket, got none"),
        ({"n_brackets": 0}, "n_brackets must be at least 1 and a whole number, got 0"),
        ({"rounding": "up"}, "rounding must be one of ceil, floor, robo, got 'up'"),
        ({"resource": "seconds"}, "resource must be one of epochs, rows, got 'seconds'"),
        ({"incumbent": "mean"}, "incumbent must be one of full, last_seen, got 'mean'"),
        ({"epochs": 3}, "epochs may be given where rows are the resource, not beside it, got 3"),
        ({"epochs": 0, "resource": "rows"}, "epochs must be at least 1 and a whole number, got 0"),
    ],
)
def test_what_it_does_not_take_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        hyperband(**settings)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((500, 100), r"n_train must be at least reduction_factor\^2 \* min_rows = 900, got 500"),
        ((500, 0), "min_rows must be at least 1 and a whole number, got 0"),
    ],
)
def test_rows_that_are_too_few_for_robos_setting_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        robo_settings(*arguments)


def test_more_rows_than_there_are_are_refused_by_the_problem(digits):
    parts = split(digits, n_valid=300, n_test=300, seed=0)
    learner_problem = LearnerProblem("bernoulli_nb", digits, parts, space=None)
    with pytest.raises(ValueError, match="a trial asks for 6667 rows; there are 1197"):
        run(hyperband(3, resource="rows", min_resource=5000, max_resource=20_000), learner_problem)
