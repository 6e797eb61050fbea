"""SMAC3 behind our contract: what it is told, what comes back, and that nothing else is left behind."""

import json
import logging
import math
import os
import subprocess
import sys
import tempfile
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from frugal import trials
from frugal.interface import Trial
from frugal.spaces import Choice, Exponential, Integer, Ordinal, SearchSpace, Uniform
from frugal.trials.encoding import from_peer, to_peer
from frugal.trials.strategies import smac as ours
from frugal.trials.strategies.smac import _hyperparameter, _ordered

SQUARE = SearchSpace({"x": Uniform(0.0, 1.0), "y": Uniform(0.0, 1.0)})


def bowl(candidate):
    return (candidate["x"] - 0.3) ** 2 + (candidate["y"] - 0.6) ** 2


def make(space=SQUARE, n_trials=10, seed=0, **settings):
    return trials.make("smac", space=space, n_trials=n_trials, rng=np.random.default_rng(seed), **settings)


def spend(strategy, error_of=bowl):
    tasks = []
    while (task := strategy.ask()) is not None:
        tasks.append(task)
        strategy.tell(Trial(task, error_of(task.candidate), 0.0, 1.0))
    return [task.candidate for task in tasks]


@pytest.mark.parametrize(
    "dimension",
    [
        Uniform(-3.0, 5.0),
        Uniform(1e-6, 1e3, scale="log"),
        Integer(2, 64),
        Integer(1, 5000, scale="log"),
        Exponential(2.0),
        Ordinal((16, 32, 64)),
        Choice(("sgd", None, True)),
        Choice(("only",)),
    ],
)
def test_values_of_every_kind_come_back_plain_and_inside_their_dimension(dimension):
    hyperparameter, kinds = _hyperparameter("h", dimension), (float, int, str, bool, type(None))
    for value in hyperparameter.sample_value(200, seed=np.random.RandomState(0)):
        ours = from_peer(dimension, value)
        dimension.to_unit(ours)  # refuses what is outside
        assert type(ours) in kinds
    for u in np.linspace(0, 1, 50):
        value = dimension.from_unit(float(u))
        given = to_peer(dimension, value)
        assert hyperparameter.legal_value(given)
        back = from_peer(dimension, given)
        assert back == (pytest.approx(value, rel=1e-9, abs=1e-12) if dimension.kind == "continuous" else value)


def test_a_log_scale_is_searched_in_the_logarithm():
    low, high = 1e-4, 1.0
    space = SearchSpace({"rate": Uniform(low, high, scale="log"), "n": Integer(1, 1000, scale="log")})
    drawn = spend_one(make(space, 200, n_initial=64), 64)
    assert sum(c["rate"] < 1e-2 for c in drawn) == 32  # a Sobol design halves every coordinate
    assert np.median([c["n"] for c in drawn]) == pytest.approx(math.sqrt(1000), rel=0.15)


def spend_one(strategy, n):
    return [strategy.ask().candidate for _ in range(n)]


def scenario_of(space, n, tmp_path, seed=0):
    from smac import Scenario

    return Scenario(space, deterministic=True, n_trials=n, seed=seed, output_directory=tmp_path)


@pytest.mark.parametrize(("initial", "n"), [((), 11), (({"x": 0.5, "y": 0.5}, {"x": 0.25, "y": 0.75}), 6)])
def test_suggestions_are_those_of_smac3_but_for_the_order_of_its_starts(initial, n, tmp_path, monkeypatch):
    # In one process its starts come in one order, so that both may keep it.
    from ConfigSpace import Configuration, ConfigurationSpace, Float
    from smac import HyperparameterOptimizationFacade as Facade

    space = ConfigurationSpace(space=[Float("x", (0.0, 1.0)), Float("y", (0.0, 1.0))])
    scenario = scenario_of(space, n, tmp_path, seed=int(np.random.default_rng(5).integers(2**31)))
    forest = Facade.get_model(scenario)
    forest._rf_opts["n_jobs"] = 1  # sums over trees in one order
    design = {}
    if initial:
        design = {"n_configs": 0, "additional_configs": [Configuration(space, dict(c)) for c in initial]}
    theirs = Facade(
        scenario,
        lambda config, seed=0: bowl(config),
        model=forest,
        initial_design=Facade.get_initial_design(scenario, **design),
        logging_level=False,
        overwrite=True,
    )
    theirs.optimize()
    expected = [dict(config) for config in theirs.runhistory.get_configs()]
    monkeypatch.setattr(ours, "_ordered", lambda maximiser: maximiser)
    assert spend(make(n_trials=n, seed=5, initial=initial)) == expected


def test_its_starts_are_put_in_order_and_left_as_they_are(tmp_path):
    from ConfigSpace import ConfigurationSpace, Float
    from smac import HyperparameterOptimizationFacade as Facade

    space = ConfigurationSpace(seed=3, space=[Float("x", (0.0, 1.0)), Float("y", (0.0, 1.0))])
    configs, listed = space.sample_configuration(20), []
    for order in (lambda maximiser: maximiser, _ordered):
        maximiser = order(Facade.get_acquisition_maximizer(scenario_of(space, 30, tmp_path)))
        maximiser.acquisition_function = SimpleNamespace(
            model=SimpleNamespace(predict_marginalized=lambda X: (X.sum(axis=1), X))
        )
        starts = maximiser._local_search._get_initial_points(configs[:12], 5, [(0.0, c) for c in configs[10:]])
        listed.append([tuple(config.get_array()) for config in starts])
    cheapest = sorted(configs[:12], key=lambda config: config.get_array().sum())[:5]
    assert set(listed[0]) == {tuple(config.get_array()) for config in cheapest + configs[10:]}
    assert listed[1] == sorted(listed[0])


@pytest.mark.parametrize("maximiser", [SimpleNamespace(), SimpleNamespace(_local_search=object())])
def test_an_smac3_without_the_function_that_is_wrapped_is_refused(maximiser):
    with pytest.raises(RuntimeError, match=r"SMAC3 \S+ has no _local_search\._get_init.*; install smac==2\.4\.1"):
        _ordered(maximiser)


@pytest.mark.slow
def test_another_process_makes_the_same_suggestions():
    code = (
        "import json, numpy as np; from frugal import trials; from frugal.interface import Trial;"
        "from frugal.spaces import SearchSpace, Uniform;"
        "space = SearchSpace({'x': Uniform(0.0, 1.0), 'y': Uniform(0.0, 1.0)});"
        "s = trials.make('smac', space=space, n_trials=8, rng=np.random.default_rng(0)); found = []\n"
        "while (task := s.ask()) is not None:\n"
        "    c = task.candidate; found.append(dict(c))\n"
        "    s.tell(Trial(task, (c['x'] - 0.3) ** 2 + (c['y'] - 0.6) ** 2, 0.0, 1.0))\n"
        "print(json.dumps(found))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    other = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert json.loads(other.stdout) == spend(make(n_trials=8))


def test_a_forest_is_grown_as_often_as_asked_for():
    often, once = spend(make(n_trials=4, retrain_after=1)), spend(make(n_trials=4))
    assert often[:2] == once[:2]  # the design, and the first suggestion of the first forest
    assert often[2:] != once[2:]


def test_the_design_has_the_size_asked_for():
    told_nothing = spend_one(make(n_trials=20, n_initial=20), 20)
    assert len({tuple(c.values()) for c in told_nothing}) == 20
    assert spend(make(n_trials=20, n_initial=20)) == told_nothing  # nothing that is told changes it
    with pytest.raises(ValueError, match="n_initial must be at most n_trials = 3, got 4"):
        make(n_trials=3, n_initial=4)
    with pytest.raises(ValueError, match="n_initial must be at least 1 and a whole number, got 0"):
        make(n_initial=0)
    with pytest.raises(ValueError, match="retrain_after must be at least 1"):
        make(retrain_after=0)


def test_answers_reach_the_candidates_that_they_belong_to():
    repeated = {"x": 0.5, "y": 0.5}
    strategy = make(n_trials=8, initial=[repeated, {"x": 0.9, "y": 0.1}, repeated])
    tasks = [strategy.ask() for _ in range(5)]
    for task in tasks[::-1]:
        strategy.tell(Trial(task, bowl(task.candidate), 0.0, 1.0))
    history = strategy._facade.runhistory
    assert len(history) == 4  # a candidate that is tried twice is told once
    for key, value in history.items():
        assert value.cost == pytest.approx(bowl(history.get_config(key.config_id)), rel=1e-12)


def test_failures_are_told_as_the_worst_so_far():
    strategy, errors = make(n_trials=5, n_initial=5), [math.nan, 0.2, math.nan, -3.0, math.nan]
    for error in errors:
        strategy.tell(Trial(strategy.ask(), error, 0.0, 1.0))
    found = list(strategy._facade.runhistory.values())
    assert [value.cost for value in found] == [1.0, 0.2, 0.2, -3.0, 0.2]
    assert [value.status.name for value in found] == ["CRASHED", "SUCCESS"] * 2 + ["CRASHED"]


def test_a_space_that_is_used_up_ends_the_run():
    space = SearchSpace({"a": Choice((1, 2, 3)), "b": Ordinal((1, 2))})
    tried = spend(make(space, n_trials=30), lambda c: c["a"] * c["b"] / 10)
    assert len(tried) == len({tuple(c.items()) for c in tried}) == 6


def test_it_prints_nothing_and_leaves_no_files(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    level = logging.getLogger("smac").level
    root = logging.getLogger().handlers[:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # within SMAC3, not shown by default
        spend(make(n_trials=12, initial=[{"x": 0.1, "y": 0.1}]))
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("smac").level == level
    assert logging.getLogger().handlers == root


def test_thirty_trials_find_the_bottom_of_a_bowl():
    assert min(bowl(c) for c in spend(make(n_trials=30))) < 0.003  # of which random search finds 1 in 100 draws
