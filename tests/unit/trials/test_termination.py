import math
from dataclasses import replace

import numpy as np
import pytest

from frugal import trials
from frugal.interface import WAIT, Trial, TrialTask
from frugal.spaces import SearchSpace, Uniform
from frugal.trials import termination
from frugal.trials.surrogates.curve_families import FAMILIES
from frugal.trials.surrogates.learning_curves import UnfittableError
from frugal.trials.termination import Terminating

SPACE = SearchSpace({"x": Uniform(0.0, 1.0)})
E = 20
QUICK = {"n_steps": 60, "n_burn": 30, "thin": 5}


class Recorder:
    """A strategy that asks for given tasks and keeps what it is told."""

    def __init__(self, tasks):
        self.tasks, self.answered, self.reported, self.answer = list(tasks), [], [], True

    def ask(self):
        return self.tasks.pop(0) if self.tasks else None

    def tell(self, trial):
        self.answered.append(trial)

    def report(self, task, epoch, score):
        self.reported.append((task, epoch, score))
        return self.answer

    @property
    def incumbent(self):
        return {"x": 0.5}


class Oracle:
    """In the place of the curve model: what `answers` says of a curve's last score."""

    answers: dict = {}  # noqa: RUF012
    seen: list = []  # noqa: RUF012

    def __init__(self, *, rng, answer=None):
        self.rng = rng

    def fit(self, scores, horizon):
        Oracle.seen.append((tuple(scores), horizon, self.rng.integers(2**32)))
        self.answer = Oracle.answers.get(scores[-1], (1.0, 0.9, 0.1))
        if self.answer is None:
            raise UnfittableError("it falls")
        return self

    def prob_above(self, y, *, noise):
        return self.answer[0] if noise else 1.0

    def predict(self, t):
        return np.array([self.answer[1]]), np.array([self.answer[2]])


@pytest.fixture
def oracle(monkeypatch):
    monkeypatch.setattr(termination, "CurveModel", Oracle)
    monkeypatch.setattr(Oracle, "answers", {})
    monkeypatch.setattr(Oracle, "seen", [])
    return Oracle


def wrapped(n=3, tasks=None, **settings):
    inner = Recorder([TrialTask(i, {"x": i / 10}) for i in range(n)] if tasks is None else tasks)
    rng = np.random.default_rng(settings.pop("seed", 0))
    return inner, Terminating(inner, **{"horizon": E, "rng": rng, "p": 5} | settings)


def train(strategy, task, scores):
    """Report scores until told to stop; the epoch that it stopped after."""
    start = 1 if task.resume_from is None else len(strategy._scores[task.id]) + 1
    done = start - 1
    for done in range(start, len(scores) + 1):
        if not strategy.report(task, done, scores[done - 1]):
            break
    error = 1 - scores[done - 1]
    strategy.tell(Trial(task, error, 1.0, float(done), curve=tuple(scores[:done])))
    return done


def test_tasks_get_their_epochs_and_answers_go_to_the_task_that_was_asked(oracle):
    inner, strategy = wrapped(tasks=[TrialTask(0, {"x": 0.1}), TrialTask(1, {"x": 0.2}, epochs=7), WAIT])
    first, second = strategy.ask(), strategy.ask()
    assert (first.epochs, second.epochs) == (E, 7)
    assert strategy.ask() is WAIT
    assert strategy.ask() is None
    assert train(strategy, first, [0.5] * E) == E
    assert train(strategy, second, [0.6] * 7) == 7
    assert [trial.task for trial in inner.answered] == [
        TrialTask(0, {"x": 0.1}),
        TrialTask(1, {"x": 0.2}, epochs=7),
    ]
    assert inner.reported[0] == (inner.answered[0].task, 1, 0.5)
    with pytest.raises(ValueError, match=r"'x': 0.3.* was not asked"):
        strategy.tell(Trial(replace(first, candidate={"x": 0.3}), 0.5, 1.0, 1.0))
    with pytest.raises(TypeError, match="an answer must be a Trial, got 'x'"):
        strategy.tell("x")
    assert strategy.incumbent == {"x": 0.5}


def test_a_hopeless_trial_is_stopped_at_a_check_and_told_with_its_expected_error(oracle):
    inner, strategy = wrapped()
    assert train(strategy, strategy.ask(), [0.8] * E) == E
    assert oracle.seen == []  # without a y^ there is nothing to compare with
    oracle.answers[0.4] = (0.049, 0.45, 0.1)
    assert train(strategy, strategy.ask(), [0.3] * 9 + [0.4] * 11) == 10
    assert inner.answered[1].error == pytest.approx(0.55)
    assert inner.answered[1].curve[-1] == 0.4
    assert [(scores[-1], len(scores), horizon) for scores, horizon, _ in oracle.seen] == [
        (0.3, 5, E),
        (0.4, 10, E),
    ]
    checks = [(c.trial, c.epoch, c.best, c.prob_above, c.mean, c.stopped) for c in strategy.checks]
    assert checks == [(1, 5, 0.8, 1.0, 0.9, False), (1, 10, 0.8, 0.049, 0.45, True)]


def test_a_trial_of_fewer_epochs_is_told_with_the_error_that_is_expected_at_their_end(oracle, monkeypatch):
    def predict(self, t):
        return np.array([self.answer[1] - 0.01 * (E - t)]), np.array([self.answer[2]])

    monkeypatch.setattr(Oracle, "predict", predict)
    inner, strategy = wrapped(tasks=[TrialTask(0, {"x": 0.1}), TrialTask(1, {"x": 0.2}, epochs=8)])
    train(strategy, strategy.ask(), [0.8] * E)
    oracle.answers[0.4] = (0.049, 0.75, 0.1)
    assert train(strategy, strategy.ask(), [0.3] * 4 + [0.4] * 4) == 5
    assert inner.answered[1].error == pytest.approx(1 - (0.75 - 0.12))
    assert strategy.checks[0].mean == 0.75  # at the horizon, for which the rule is


def test_stored_extrapolations_are_of_whole_trials(oracle):
    class Stored:
        def fit(self, trial, scores, horizon):
            raise AssertionError("it is not asked")

        def seconds(self, trial, scores, horizon):
            return 0.0

    tasks = [TrialTask(0, {"x": 0.1}), TrialTask(1, {"x": 0.2}, epochs=8)]
    _, strategy = wrapped(tasks=tasks, known=Stored())
    train(strategy, strategy.ask(), [0.8] * E)
    with pytest.raises(ValueError, match="stored extrapolations are of 20 epochs, but a trial has 8"):
        train(strategy, strategy.ask(), [0.3] * 8)


def test_a_trial_that_was_given_up_is_not_what_a_search_ends_with(oracle):
    inner = trials.make("random", space=SPACE, n_trials=4, rng=np.random.default_rng(1))
    strategy = Terminating(inner, horizon=E, rng=np.random.default_rng(2), p=5)
    tasks = [strategy.ask() for _ in range(4)]
    train(strategy, tasks[0], [0.7] * E)
    train(strategy, tasks[1], [0.8] * E)
    oracle.answers[0.1] = (0.01, 0.99, 0.5)  # a mean that a few samples of the curve pull up
    assert train(strategy, tasks[2], [0.1] * E) == 5
    assert inner.incumbent == tasks[2].candidate  # by what it was told
    assert strategy.incumbent == strategy.recommendation == tasks[1].candidate
    train(strategy, tasks[3], [0.9] * E)
    assert strategy.incumbent == tasks[3].candidate


def test_a_caller_may_clear_the_candidates_of_told_trials(oracle):
    inner = trials.make("random", space=SPACE, n_trials=3, rng=np.random.default_rng(1))
    strategy = Terminating(inner, horizon=E, rng=np.random.default_rng(2), p=5)
    tasks = [strategy.ask() for _ in range(3)]
    kept = [dict(task.candidate) for task in tasks]
    oracle.answers[0.1] = (0.01, 0.99, 0.5)
    for task, score in zip(tasks, (0.7, 0.8, 0.1), strict=True):
        train(strategy, task, [score] * E)
        task.candidate.clear()
    assert inner.incumbent == kept[2]
    assert strategy.incumbent == kept[1]


def test_what_ended_on_the_most_rows_stands_in_for_what_was_given_up(oracle):
    tasks = [
        TrialTask(i, {"x": x}, n_rows=n)
        for i, (x, n) in enumerate([(0.1, 50), (0.2, 100), (0.3, 100), (0.5, 100)])
    ]
    _, strategy = wrapped(tasks=tasks)  # its incumbent is always at 0.5
    for score in (0.9, 0.6, 0.7):
        train(strategy, strategy.ask(), [score] * E)
    oracle.answers[0.1] = (0.01, 0.99, 0.5)
    train(strategy, strategy.ask(), [0.1] * E)
    assert strategy.incumbent == {"x": 0.3}


def test_trials_are_held_against_the_best_on_as_many_rows(oracle):
    tasks = [TrialTask(i, {"x": i / 10}, n_rows=n) for i, n in enumerate([100, 50, 50])]
    _, strategy = wrapped(tasks=tasks)
    train(strategy, strategy.ask(), [0.9] * E)
    oracle.answers[0.4] = (0.01, 0.45, 0.1)
    assert train(strategy, strategy.ask(), [0.4] * E) == E  # the first on 50
    oracle.answers[0.3] = (0.01, 0.35, 0.1)
    assert train(strategy, strategy.ask(), [0.3] * E) == 5
    assert strategy.best_scores == {100: 0.9, 50: 0.4}


@pytest.mark.parametrize(("chosen_on", "incumbent"), [((50, 100), {"x": 0.1}), ((100, 50), {"x": 0.5})])
def test_what_was_given_up_counts_on_the_most_rows_alone(oracle, chosen_on, incumbent):
    # x = 0.5, which the strategy chooses, runs to its end on the one number of rows and is given up on the other.
    whole, given_up = chosen_on
    tasks = [(0.1, 100), (0.2, 50), (0.5, whole), (0.5, given_up)]
    _, strategy = wrapped(tasks=[TrialTask(i, {"x": x}, n_rows=n) for i, (x, n) in enumerate(tasks)])
    for score in (0.8, 0.7, 0.6):
        train(strategy, strategy.ask(), [score] * E)
    oracle.answers[0.3] = (0.01, 0.99, 0.1)
    assert train(strategy, strategy.ask(), [0.3] * E) == 5
    assert strategy.incumbent == incumbent


def test_a_trial_that_is_stopped_because_its_end_is_certain_may_be_the_incumbent(oracle):
    _, strategy = wrapped(tasks=[TrialTask(0, {"x": 0.1}), TrialTask(1, {"x": 0.5})], rule="optimistic")
    train(strategy, strategy.ask(), [0.6] * E)
    oracle.answers[0.5] = (0.9, 0.8, 0.001)
    assert train(strategy, strategy.ask(), [0.5] * E) == 5
    assert strategy.incumbent == {"x": 0.5}


@pytest.mark.parametrize(
    ("answer", "settings", "epochs"),
    [
        ((0.051, 0.45, 0.1), {}, E),  # not certain enough
        ((0.051, 0.45, 0.1), {"delta": 0.9}, 5),
        ((0.0, 1.2, 0.1), {}, E),  # an accuracy above 1 cannot be told
        ((0.0, -0.1, 0.1), {}, E),
        (None, {}, E),  # no family fits
        ((0.5, 0.45, 0.004), {}, E),
        ((0.5, 0.45, 0.004), {"rule": "optimistic"}, 5),
        ((0.5, 0.45, 0.006), {"rule": "optimistic"}, E),
        ((0.0, 0.45, 0.1), {"rule": "optimistic"}, 5),
        ((0.0, 0.45, 0.1), {"noise": False}, E),  # the oracle then says 1
        ((0.0, 0.45, 0.1), {"p": 12}, 12),
    ],
)
def test_when_a_trial_is_stopped(oracle, answer, settings, epochs):
    inner, strategy = wrapped(**settings)
    train(strategy, strategy.ask(), [0.8] * E)
    oracle.answers[0.4] = answer
    assert train(strategy, strategy.ask(), [0.4] * E) == epochs
    assert inner.answered[1].error == pytest.approx(0.6 if epochs == E else 0.55)


def test_the_best_score_is_the_last_or_the_highest_of_ended_trials(oracle):
    fallen = [0.7] * 19 + [0.6]
    for which, best in (("last", 0.6), ("running", 0.7)):
        _, strategy = wrapped(best=which)
        assert strategy.best_scores == {}
        train(strategy, strategy.ask(), fallen)
        assert strategy.best_scores == {None: best}
        train(strategy, strategy.ask(), [0.5] * E)
        assert strategy.best_scores == {None: best}
        task = strategy.ask()
        strategy.tell(Trial(task, math.nan, 1.0, 1.0, reason="diverged"))
        assert strategy.best_scores == {None: best}


def test_a_stopped_trial_raises_the_best_score_by_what_it_reached(oracle):
    # Line 9 of the algorithm has no exception for it; `optimistic` stops good trials too.
    oracle.answers[0.9] = (0.9, 0.95, 0.001)
    inner, strategy = wrapped(rule="optimistic", p=8)
    train(strategy, strategy.ask(), [0.85] * E)
    assert train(strategy, strategy.ask(), [0.5] * 7 + [0.9] * 13) == E  # above y^ it is not looked at
    oracle.answers[0.85] = (0.9, 0.95, 0.001)
    assert train(strategy, strategy.ask(), [0.85] * E) == 8
    assert inner.answered[2].error == pytest.approx(0.05)
    assert strategy.best_scores == {None: 0.9}


def test_a_trial_above_the_best_or_at_its_end_or_with_a_nan_is_not_looked_at(oracle):
    _, strategy = wrapped(n=4)
    train(strategy, strategy.ask(), [0.5] * E)
    train(strategy, strategy.ask(), [0.6] * E)
    train(strategy, strategy.ask(), [0.3, math.nan] + [0.4] * 18)
    assert oracle.seen == []
    train(strategy, strategy.ask(), [0.4] * E)
    assert [len(scores) for scores, _, _ in oracle.seen] == [5, 10, 15]


def test_several_trials_may_be_under_way_and_each_check_has_its_own_draws(oracle):
    def draws(order):
        _, strategy = wrapped(n=3)
        train(strategy, strategy.ask(), [0.9] * E)
        tasks = {1: strategy.ask(), 2: strategy.ask()}
        Oracle.seen.clear()
        count = {1: 0, 2: 0}
        for trial in order:
            count[trial] += 1
            strategy.report(tasks[trial], count[trial], trial / 10)
        return {(scores[-1], len(scores)): draw for scores, _, draw in oracle.seen}

    first, second = draws([1, 2] * 10), draws([2] * 10 + [1] * 10)
    assert first == second
    assert set(first) == {(0.1, 5), (0.1, 10), (0.2, 5), (0.2, 10)}
    assert len(set(first.values())) == 4


def test_a_trial_that_goes_on_from_another_has_its_curve(oracle):
    tasks = [TrialTask(0, {}), TrialTask(1, {}, epochs=6), TrialTask(2, {}, epochs=18, resume_from=1)]
    _, strategy = wrapped(tasks=tasks)
    train(strategy, strategy.ask(), [0.9] * E)
    scores = [i / 100 for i in range(1, 19)]
    train(strategy, strategy.ask(), scores[:6])
    task = strategy.ask()
    strategy.report(task, 1, scores[0])  # as a kept trial is told again, from its first epoch
    train(strategy, task, scores)
    assert [len(seen) for seen, _, _ in oracle.seen] == [5, 10, 15]
    assert oracle.seen[-1][0] == tuple(scores[:15])


def test_a_stop_by_the_strategy_itself_is_passed_on(oracle):
    inner, strategy = wrapped()
    inner.answer = False
    assert train(strategy, strategy.ask(), [0.5] * E) == 1
    assert inner.answered[0].error == 0.5


def test_a_failed_trial_is_told_as_it_is_even_if_it_was_stopped(oracle):
    inner, strategy = wrapped()
    train(strategy, strategy.ask(), [0.8] * E)
    oracle.answers[0.4] = (0.0, 0.45, 0.1)
    task = strategy.ask()
    assert [strategy.report(task, epoch, 0.4) for epoch in range(1, 7)] == [True] * 4 + [False] * 2
    strategy.tell(Trial(task, math.nan, 1.0, 1.0, reason="no room on disk"))
    assert math.isnan(inner.answered[1].error)
    assert strategy.best_scores == {None: 0.8}


def test_reports_are_checked(oracle):
    _, strategy = wrapped()
    task = strategy.ask()
    with pytest.raises(ValueError, match="epoch must be at least 1, at most 1, one after the last reported"):
        strategy.report(task, 2, 0.5)
    with pytest.raises(ValueError, match="was not asked"):
        strategy.report(replace(task, id=9), 1, 0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"horizon": 5}, "horizon must be at least 6"),
        ({"p": 20}, "p must be at least 1, at most 19, the horizon without its last epoch"),
        ({"p": 0}, "p must be at least 1"),
        ({"delta": 1.5}, "delta must be at least 0 and at most 1"),
        ({"rule": "brave"}, "rule must be one of probable, optimistic"),
        ({"best": "mean"}, "best must be one of last, running"),
        ({"curve": {"walkers": 3}}, "unknown setting of curve 'walkers'; known: prior, "),
        ({"curve": {"prior": "flat"}}, "prior must be one of"),
        ({"rng": 0}, "rng must be a numpy.random.Generator"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        wrapped(**settings)


def test_every_strategy_of_the_family_takes_termination_as_a_setting():
    def make(**termination):
        rng = np.random.default_rng(0)
        return trials.make("random", space=SPACE, n_trials=2, rng=rng, termination=termination)

    with pytest.raises(ValueError, match="termination must hold settings by name, got 50"):
        trials.make("random", space=SPACE, n_trials=2, rng=np.random.default_rng(0), termination=50)

    strategy = make(horizon=E, p=5)
    assert isinstance(strategy, Terminating)
    assert strategy.ask().epochs == E
    with pytest.raises(ValueError, match="unknown setting of termination 'every'; known: horizon, p, delta, rule"):
        make(horizon=E, every=5)
    with pytest.raises(ValueError, match="termination needs a horizon, in epochs; got p"):
        make(p=5)


def test_of_noisy_curves_hopeless_ones_are_stopped_and_better_ones_are_not():
    # Curves that end 0.1 below or above y^, from two families; each is looked at after 15, 30 and 45 of 60 epochs.
    rng, t, noise = np.random.default_rng(7), np.arange(1, 61), 0.01
    strategy = trials.make(
        "random", space=SPACE, n_trials=13, rng=np.random.default_rng(0),
        termination={"horizon": 60, "p": 15, "curve": QUICK},
    )  # fmt: skip

    def curve(final, rate, name):
        shape = FAMILIES[name]((1.0, 1.0, rate) if name == "pow3" else (1.0, 0.5, -2 * rate), t)
        return final * shape / shape[-1] + noise * rng.standard_normal(60)

    train(strategy, strategy.ask(), curve(0.7, 0.5, "pow3"))
    stops = {0.6: [], 0.8: []}
    for final in stops:
        for i in range(6):
            strategy.best_scores = {None: 0.7}
            scores = curve(final, rng.uniform(0.4, 0.8), ("pow3", "log_power")[i % 2])
            stops[final].append(train(strategy, strategy.ask(), scores))
    right = np.mean([epoch < 60 for epoch in stops[0.6]])
    wrong = np.mean([epoch < 60 for epoch in stops[0.8]])
    assert right >= 5 / 6, stops
    assert wrong <= 1 / 6, stops
    stopped = [check for check in strategy.checks if check.stopped]
    assert abs(np.mean([check.mean for check in stopped]) - 0.6) < 0.04  # what the strategy was told


def test_an_earlier_rung_does_not_stand_in_for_a_trial_that_was_given_up(oracle):
    good, short = TrialTask(0, {"x": 0.1}), TrialTask(1, {"x": 0.5}, epochs=6)
    _, strategy = wrapped(tasks=[good, short, TrialTask(2, {"x": 0.5}, epochs=18, resume_from=1)])
    train(strategy, strategy.ask(), [0.8] * E)
    train(strategy, strategy.ask(), [0.1] * 6)
    oracle.answers[0.2] = (0.01, 0.99, 0.5)  # what the strategy is told is better than the first trial
    assert train(strategy, strategy.ask(), [0.1] * 6 + [0.2] * 12) == 10
    assert strategy.incumbent == {"x": 0.1}
