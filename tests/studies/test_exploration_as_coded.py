"""Document 002's search as coded: the life cycle of a strategy, and the space that it is given."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from frugal.interface import WAIT, Trial, TrialTask
from frugal.learners import space
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.surrogates.dngo import AS_PYBNN, DNGO
from studies.exploration import as_coded
from studies.exploration.as_coded import Doc002AsCoded, diagonal
from studies.exploration.polynomial import fragment_ei
from studies.exploration.refits import REPORTED

BOX = space("box", "logistic_regression")
QUICK = {"n_epochs": 2, "marginalise": "ml2"}


def make(space=BOX, n_trials=9, seed=0, **settings):
    return Doc002AsCoded(space=space, n_trials=n_trials, rng=np.random.default_rng(seed), **QUICK, **settings)


def answer(task, error=None):
    found = 0.1 + 0.02 * abs(task.candidate["C"] - 2) + 0.01 * task.candidate["intercept_scaling"]
    return Trial(task, found if error is None else error, 0.0, 1.0)


def spend(strategy, error=None):
    tasks = []
    while (task := strategy.ask()) is not None:
        tasks.append(task)
        strategy.tell(answer(task, error))
    return tasks


def test_the_diagonal_holds_the_reported_point_at_three_quarters():
    assert diagonal(5)[3] == pytest.approx(REPORTED)
    assert diagonal(9)[6] == pytest.approx(REPORTED)
    assert all(point != pytest.approx(REPORTED) for point in diagonal(6))
    for point in diagonal(5):
        BOX.to_unit(point)


def test_the_version_as_coded_seeks_low_accuracies():
    strategy = Doc002AsCoded(space=BOX, n_trials=8, rng=np.random.default_rng(0), n_epochs=100)
    for _ in range(8):
        task = strategy.ask()
        # Accuracy rises with C, so that a search for the highest would go to C = 5.
        strategy.tell(Trial(task, 1 - 0.18 * task.candidate["C"], 0.0, 1.0))
    chosen = [trial.task.candidate["C"] for trial in strategy.trials[5:]]
    assert max(chosen) < 2.5
    assert strategy.incumbent["C"] == 5.0
    assert len({json.dumps(trial.task.candidate) for trial in strategy.trials}) == 8


def test_the_same_seed_gives_the_same_trials_and_the_budget_is_kept():
    np.random.seed(1)  # noqa: NPY002
    first = spend(make())
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    assert spend(make()) == first
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert spend(make(seed=1)) != first
    assert [task.id for task in first] == list(range(9))
    for task in first:
        BOX.to_unit(task.candidate)


def test_it_waits_for_all_answers_before_it_goes_on_from_the_diagonal():
    strategy = make(n_trials=8)
    first = [strategy.ask() for _ in range(5)]
    assert [task.candidate for task in first] == diagonal(5)
    assert strategy.ask() is WAIT
    for task in first[:0:-1]:
        strategy.tell(answer(task))
        assert strategy.ask() is WAIT
    strategy.tell(answer(first[0]))
    sixth = strategy.ask()
    assert isinstance(sixth, TrialTask)
    assert strategy.ask() is WAIT
    strategy.tell(answer(sixth))
    assert strategy.ask().candidate != sixth.candidate


def test_the_order_of_the_answers_changes_nothing():
    rng, strategy, out, tasks = np.random.default_rng(3), make(), [], []
    while True:
        task = strategy.ask()
        if isinstance(task, TrialTask):
            out.append(task)
            tasks.append(task)
            if len(out) < 4:
                continue
        if not out:
            break
        strategy.tell(answer(out.pop(int(rng.integers(len(out))))))
    assert task is None
    assert [trial.task.id for trial in strategy.trials] != list(range(9))
    assert tasks == spend(make())


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_the_baseline_is_of_the_first_candidates_whichever_was_answered_first(monkeypatch, order):
    seen = []
    monkeypatch.setattr(as_coded, "fragment_ei", lambda mean, std, *, best: seen.append(best) or mean)
    strategy = make(n_initial=3)
    first = [strategy.ask() for _ in range(3)]
    for i, error in zip(order, (0.5, 0.4, 0.3), strict=True):
        strategy.tell(answer(first[i], error))
    for error in (0.01, 0.005):
        strategy.tell(answer(strategy.ask(), error))
    assert seen == [pytest.approx(0.7)] * 2


def test_a_suggestion_is_the_largest_acquisition_of_25_by_25_candidates_of_the_box():
    strategy = make(seed=4)
    trials = [answer(strategy.ask()) for _ in range(5)]
    for trial in trials:
        strategy.tell(trial)
    low, high = np.array([0.1, 0.01]), np.array([5.0, 2.0])
    tried = np.array([[trial.task.candidate["C"], trial.task.candidate["intercept_scaling"]] for trial in trials])
    grid = np.array(list(itertools.product(np.linspace(0.1, 5, 25), np.linspace(0.01, 2, 25))))
    accuracies = np.array([1 - trial.error for trial in trials])
    seed = int(np.random.default_rng(4).integers(2**32))
    surrogate = DNGO(seed=seed, as_coded=AS_PYBNN, **QUICK).fit((tried - low) / (high - low), accuracies)
    mean, std = surrogate.predict((grid - low) / (high - low), with_noise=True)
    value = fragment_ei(mean, std, best=accuracies.max())
    value[[(row == tried).all(axis=1).any() for row in grid]] = -np.inf
    assert list(strategy.ask().candidate.values()) == list(grid[value.argmax()])


def test_failed_trials_count_and_are_never_the_incumbent():
    strategy = make()
    assert len(spend(strategy, math.nan)) == 9
    assert strategy.incumbent is None
    assert len(spend(make(), 0.5)) == 9


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_another_box_is_searched_within_its_own_bounds(scale, monkeypatch):
    other = SearchSpace({"C": Uniform(0.05, 50.0, scale), "intercept_scaling": Uniform(0.2, 4.0)})
    monkeypatch.setattr(as_coded, "N_PER_SIDE", 4)
    tried = spend(make(other, n_trials=100, n_initial=2))
    for task in tried:
        other.to_unit(task.candidate)
    assert [task.candidate for task in tried[:2]] == diagonal(2)
    found = sorted(tuple(task.candidate.values()) for task in tried[2:])  # until the grid is used up
    even = itertools.product(np.linspace(0.05, 50, 4), np.linspace(0.2, 4, 4))
    np.testing.assert_allclose(found, list(even))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"space": SearchSpace({"C": Uniform(0.1, 5.0)})}, "searches C and intercept_scaling only, got C"),
        (
            {"space": space("hpolib", "sgd_logistic_regression")},
            "searches C and intercept_scaling only, got learning_rate, l2",
        ),
        ({"space": space("grid", "logistic_regression")}, r"searches ranges \(Uniform\), got C = Ordinal"),
        (
            {"space": SearchSpace({"C": Uniform(0.1, 2.0), "intercept_scaling": Uniform(0.01, 2.0)})},
            r"starts from \{'C': 0.1, .*\}, which its space must hold: 'C': 2.55\d* is outside \[0.1, 2.0\]",
        ),
        ({"n_trials": 4}, "at most n_trials = 4"),
    ],
)
def test_spaces_and_numbers_of_trials_that_it_cannot_search_with_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        make(**settings)
