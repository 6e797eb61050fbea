"""One life cycle put to every strategy of the trials family."""

import math
import pickle

import numpy as np
import pytest

from frugal import trials
from frugal.checks import check_known
from frugal.interface import WAIT, Trial, TrialTask
from frugal.registry import Registry, needs
from frugal.spaces import Choice, Exponential, Integer, Ordinal, SearchSpace, Uniform
from frugal.trials import strategies
from studies.blocks import NEEDS

PACKAGE = "frugal.trials.strategies"
N = 9
SPACE = SearchSpace(
    {
        "rate": Uniform(1e-4, 1.0, scale="log"),
        "momentum": Uniform(0.0, 0.75),
        "width": Integer(2, 64),
        "penalty": Exponential(2.0),
        "batch": Ordinal((16, 32, 64)),
        "optimizer": Choice(("sgd", "adam", "rmsprop")),
    }
)
SEARCH = {"n_pool": 64, "n_starts": 1}
GAIN = {"n_hyper": 2, "n_burn": 0, "n_steps": 2, "n_candidates": 20, "n_representers": 12, "n_samples": 40}
PER_COST = GAIN | {"incumbent": "last_seen"}
SIZES = [100, 1000, 10000]
"""Given to every strategy that needs sizes."""
QUICK = {
    "ei": SEARCH | {"n_restarts": 1},
    "ei_explore": SEARCH | {"n_restarts": 1},
    "dngo": SEARCH | {"n_units": (10, 10), "n_epochs": 20, "n_walkers": 6, "n_steps": 10},
    "entropy_search": GAIN,
    "fabolas": PER_COST,
    "fabolas_joint": PER_COST,
    "mtbo": PER_COST | {"auxiliary": 1000},
    "hyperband": {"resource": "rows", "max_resource": 10000, "min_resource": 1000, "reduction_factor": 2}
    | {"incumbent": "last_seen"},
    "hypertune": SEARCH
    | {"n_restarts": 1, "signs": {"rate": 1, "penalty": -1, "batch": 1}, "n_sites": 3}
    | {"subset_rows": 50, "n_subsets": 2, "n_subset_trials": 2}
    | {"start": "shared"},  # its default starts from what nobody was told: tests/unit/trials/test_hypertune.py
}
"""The same searches, but shorter ones; other strategies run as they are."""
N_ROWS = {
    "mtbo": {1000, None},
    "hyperband": {1250, 2500},
    "hypertune": {50, None},
}
"""What strategies may ask for that neither need sizes nor always ask for all rows."""
ON_SUBSETS = {"hypertune": [0, 0, 1, 1]}
"""Subsets of the trials before the first candidates, which count until there is one on all rows."""


@pytest.fixture(params=trials.known())
def fresh(request):
    on_sizes = "sizes" in needs(PACKAGE, request.param)
    sizes = {"sizes": SIZES} if on_sizes else {}

    def make(seed=0, n_trials=N, **settings):
        rng, settings = np.random.default_rng(seed), QUICK.get(request.param, {}) | sizes | settings
        return trials.make(request.param, space=SPACE, n_trials=n_trials, rng=rng, **settings)

    make.name = request.param
    make.n_rows = set(SIZES) if on_sizes else N_ROWS.get(request.param, {None})
    make.on_subsets = ON_SUBSETS.get(request.param, [])
    return make


def error_of(candidate):
    unit = SPACE.to_unit(candidate)
    return float(((unit - 0.4) ** 2).mean())


def answer(task, error=None):
    return Trial(task, error_of(task.candidate) if error is None else error, seconds=0.1, cost=1.0)


def run(strategy, error=None):
    tasks = []
    while (task := strategy.ask()) is not None:
        assert task is not WAIT  # nothing is pending
        tasks.append(task)
        strategy.tell(answer(task, error))
    return tasks


@pytest.mark.parametrize("name", trials.known())
def test_a_class_states_its_needs_where_they_can_be_read_without_importing_it(name):
    strategy = Registry(PACKAGE, strategies.__path__, ()).class_of(name)
    assert needs(PACKAGE, name) == getattr(strategy, "needs", ())
    for need in needs(PACKAGE, name):
        check_known("need", need, NEEDS)


def test_the_same_seed_gives_the_same_trials_whatever_the_global_generators_hold(fresh):
    np.random.seed(1)  # noqa: NPY002
    first = run(fresh())
    np.random.seed(2)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    second = run(fresh())
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert first == second
    assert run(fresh(seed=1)) != first


def test_a_caller_may_change_the_candidate_of_a_task_only_after_its_answer(fresh):
    quiet, edited = fresh(), fresh()
    while (task := quiet.ask()) is not None:
        quiet.tell(answer(task))
        theirs = edited.ask()
        theirs.candidate["seed"] = 0
        with pytest.raises(ValueError, match="was not asked"):
            edited.tell(Trial(theirs, 0.5, seconds=0.1, cost=1.0))
        del theirs.candidate["seed"]
        edited.tell(answer(theirs))
        theirs.candidate.clear()
    assert edited.incumbent == quiet.incumbent
    assert [trial.task for trial in edited.trials] == [trial.task for trial in quiet.trials]


def test_to_read_the_recommendation_changes_no_suggestion(fresh):
    quiet, read = fresh(), fresh()
    while (task := quiet.ask()) is not None:
        assert read.ask() == task
        for strategy in (quiet, read):
            strategy.tell(answer(task))
        assert not hasattr(read, "recommendation") or read.recommendation is not None


def test_a_pickled_strategy_goes_on_where_it_was(fresh):
    strategy = fresh()
    for _ in range(6):
        strategy.tell(answer(strategy.ask()))
    if fresh.name == "smac":  # SMAC3 itself cannot be pickled
        with pytest.raises((AttributeError, pickle.PicklingError)):
            pickle.dumps(strategy)
        return
    other = pickle.loads(pickle.dumps(strategy))
    assert run(other) == run(strategy) != []
    assert other.incumbent == strategy.incumbent


@pytest.mark.parametrize("error", [1e101, -1e101])
def test_an_error_whose_square_overflows_is_refused_before_anything_changes(fresh, error):
    strategy = fresh()
    task = strategy.ask()
    with pytest.raises(ValueError, match="an error must"):
        strategy.tell(answer(task, error))
    strategy.tell(answer(task))  # it is still waited for


def test_the_budget_is_kept_and_candidates_lie_in_the_space(fresh):
    strategy = fresh()
    tasks = run(strategy)
    assert [task.id for task in tasks] == list(range(N))
    for task in tasks:
        SPACE.to_unit(task.candidate)  # refuses what is outside
        assert task.n_rows in fresh.n_rows
        subset = fresh.on_subsets[task.id] if task.id < len(fresh.on_subsets) else task.id  # else drawn anew
        assert task.subset == (0 if task.n_rows is None else subset)
        assert (task.epochs, task.resume_from) == (None, None)
    assert strategy.ask() is None
    assert len(run(fresh(n_trials=1))) == 1


@pytest.mark.parametrize("error", ["0.5", None, True, math.inf, pytest.param(10**400, id="huge")])
def test_an_answer_must_be_a_number(fresh, error):
    strategy = fresh()
    task = strategy.ask()
    with pytest.raises(ValueError, match="an error must be a finite number, or nan for a failed trial, got"):
        strategy.tell(Trial(task, error, seconds=0.1, cost=1.0))
    with pytest.raises(TypeError, match="an answer must be a Trial, got None"):
        strategy.tell(None)
    strategy.tell(answer(task))


def test_the_incumbent_is_the_best_told(fresh):
    strategy, best = fresh(), math.inf
    assert strategy.incumbent is None
    while (task := strategy.ask()) is not None:
        before = strategy.incumbent
        if task.id == len(fresh.on_subsets):
            best = math.inf
        strategy.tell(answer(task))
        assert strategy.incumbent == (task.candidate if error_of(task.candidate) < best else before)
        best = min(best, error_of(task.candidate))


def test_the_caller_may_change_the_incumbent_and_the_recommendation(fresh):
    strategy, other = fresh(), fresh()
    while (task := strategy.ask()) is not None:
        assert task == other.ask()
        for one in (strategy, other):
            one.tell(answer(task))
        for name in ("incumbent", "recommendation"):
            if (chosen := getattr(strategy, name, None)) is not None:
                chosen.clear()
                assert getattr(strategy, name) == getattr(other, name)


def test_initial_candidates_come_first_and_in_order(fresh):
    design = trials.initial_design(SPACE, 4, np.random.default_rng(5))
    tasks = run(fresh(initial=design))
    n_before = len(fresh.on_subsets)
    assert [task.candidate for task in tasks[n_before : n_before + 4]] == design
    assert len(tasks) == N
    with pytest.raises(ValueError, match="initial must hold at most n_trials = 3 candidates, got 4"):
        fresh(n_trials=3, initial=design)
    with pytest.raises(ValueError, match="expected values for"):
        fresh(initial=[{"rate": 0.1}])


def test_several_trials_may_be_asked_before_any_answer(fresh):
    strategy = fresh()
    first = [strategy.ask() for _ in range(4)]
    assert all(isinstance(task, TrialTask) for task in first)
    for task in first[::-1]:
        strategy.tell(answer(task))
    second = [strategy.ask() for _ in range(3)]
    assert strategy.incumbent == min(first, key=lambda task: error_of(task.candidate)).candidate
    distinct = {tuple(task.candidate.items()) for task in first + second}
    assert len(distinct) == 7
    assert [task.id for task in first + second] == list(range(7))


def test_answers_may_come_in_any_order_until_the_budget_is_spent(fresh):
    strategy, rng, out, n_answers = fresh(), np.random.default_rng(3), [], 0
    while True:
        task = strategy.ask()
        if isinstance(task, TrialTask):
            out.append(task)
            if len(out) < 3:
                continue
        if not out:
            break
        strategy.tell(answer(out.pop(int(rng.integers(len(out))))))
        n_answers += 1
    assert task is None
    assert n_answers == N


def test_answers_are_checked(fresh):
    strategy = fresh()
    task = strategy.ask()
    with pytest.raises(ValueError, match="was not asked"):
        strategy.tell(answer(TrialTask(7, task.candidate)))
    strategy.tell(answer(task))
    with pytest.raises(ValueError, match="told before"):
        strategy.tell(answer(task))


def test_failed_trials_count_and_are_never_the_incumbent(fresh):
    strategy, tasks = fresh(), []
    while (task := strategy.ask()) is not None:
        tasks.append(task)
        strategy.tell(answer(task, math.nan if task.id % 2 == 0 else None))
        assert strategy.incumbent is None or strategy.incumbent in [t.candidate for t in tasks[1::2]]
    assert len(tasks) == N
    assert strategy.incumbent is not None
    failing = fresh()
    assert len(run(failing, math.nan)) == N
    assert failing.incumbent is None


def test_equal_errors_are_no_trouble(fresh):
    strategy = fresh()
    tasks = run(strategy, 0.5)
    assert strategy.incumbent == tasks[len(fresh.on_subsets)].candidate
    assert len(tasks) == N


def test_no_trial_is_stopped_early(fresh):
    strategy = fresh()
    task = strategy.ask()
    assert strategy.report(task, 1, 0.1) is True
    strategy.tell(answer(task))


def test_unknown_names_settings_and_budgets_are_refused(fresh):
    with pytest.raises(ValueError, match=r"unknown strategy 'grid'; known: .*ei"):
        trials.make("grid", space=SPACE, n_trials=3, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"unknown setting 'colour' of \w+; known: .*initial"):
        fresh(colour="red")
    with pytest.raises(ValueError, match="n_trials must be at least 1 and a whole number, got 0"):
        fresh(n_trials=0)
    with pytest.raises(ValueError, match="rng must be"):
        trials.make("random", space=SPACE, n_trials=3, rng=0)
    with pytest.raises(ValueError, match="space must have at least one dimension"):
        trials.make("random", space=SearchSpace({}), n_trials=3, rng=np.random.default_rng(0))
