"""TPE is Optuna's own: the same candidates, told their errors in any order."""

import math

import numpy as np
import pytest

from frugal import trials
from frugal.interface import Trial
from frugal.spaces import Choice, Integer, SearchSpace, Uniform

optuna = pytest.importorskip("optuna")
SPACE = SearchSpace({"r": Uniform(1e-4, 1.0, "log"), "n": Integer(1, 1000, "log"), "k": Choice(("a", "b"))})


def test_candidates_are_those_of_optuna_whose_trials_are_told_the_other_way_round():
    rate, kind = SPACE.dimensions["r"], SPACE.dimensions["k"]
    distributions = {
        "r": optuna.distributions.FloatDistribution(0.0, 1.0),  # a quantile
        "n": optuna.distributions.IntDistribution(1, 1000, log=True),
        "k": optuna.distributions.CategoricalDistribution(range(2)),
    }
    seed = int(np.random.default_rng(0).integers(2**31))
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=10, constant_liar=True)
    study = optuna.create_study(sampler=sampler)
    ours = trials.make("tpe", space=SPACE, n_trials=24, rng=np.random.default_rng(0))
    for _ in range(12):
        tasks = [ours.ask() for _ in range(2)]
        asked = [study.ask(distributions) for _ in range(2)]
        for task, one in zip(tasks, asked, strict=True):
            values = one.params
            expected = {"r": rate.from_unit(values["r"]), "n": values["n"], "k": kind.values[values["k"]]}
            assert task.candidate == expected
        for task, one in reversed(list(zip(tasks, asked, strict=True))):
            error = abs(math.log(task.candidate["n"]) - 3) + (task.candidate["k"] == "a")
            ours.tell(Trial(task, error, 0.0, 1.0))
            study.tell(one.number, error)
    assert ours.ask() is None
