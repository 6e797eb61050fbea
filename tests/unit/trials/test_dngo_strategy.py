"""The strategy on DNGO: on a smooth function, and that its settings reach the surrogate."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugal import trials
from frugal.interface import Trial
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.surrogates.dngo import AS_PYBNN
from frugal.trials.surrogates.dngo_network import warm_up

SPACE = SearchSpace({"a": Uniform(-1.0, 3.0), "b": Uniform(0.0, 10.0)})


def best_of(name, seed, n_trials=14, **settings):
    strategy = trials.make(name, space=SPACE, n_trials=n_trials, rng=np.random.default_rng(seed), **settings)
    while (task := strategy.ask()) is not None:
        a, b = task.candidate["a"], task.candidate["b"]
        strategy.tell(Trial(task, (a - 0.2) ** 2 / 16 + (b - 7.0) ** 2 / 100, seconds=0.0, cost=1.0))
    return min(trial.error for trial in strategy.trials), strategy


def test_on_a_bowl_it_beats_random_search():
    quick = {"n_epochs": 100, "marginalise": "ml2", "n_pool": 128, "n_starts": 1}
    ours = [best_of("dngo", seed, **quick)[0] for seed in range(9)]
    drawn = [best_of("random", seed)[0] for seed in range(30)]
    assert np.median(ours) < 0.25 * np.median(drawn)


def test_every_setting_of_the_surrogate_is_one_of_the_strategy():
    settings = {
        "n_units": (6, 5),
        "n_epochs": 3,
        "learning_rate": 0.02,
        "weight_decay": 0.01,
        "marginalise": "mcmc",
        "n_walkers": 4,
        "n_steps": 3,
        "prior_mean": "quadratic",
        "ei_variance": "predictive",
        "as_coded": AS_PYBNN,
    }
    assert settings.keys() < trials.settings_of("dngo").keys()
    _, strategy = best_of("dngo", 0, n_trials=5, n_pool=16, n_starts=1, **settings)
    assert math.isfinite(strategy.max_log_ei)
    surrogate = strategy._dngo
    for name, value in settings.items():
        assert getattr(surrogate, name) == (frozenset(value) if name == "as_coded" else value)
    assert len(surrogate.components) == 4


def test_a_setting_of_the_surrogate_out_of_range_is_refused():
    with pytest.raises(ValueError, match=r"as_coded must be one of .*, got 'typo'"):
        best_of("dngo", 0, as_coded=["typo"])


def test_torch_is_ready_before_the_first_fit_which_is_timed():
    warm_up.cache_clear()
    trials.make("dngo", space=SPACE, n_trials=3, rng=np.random.default_rng(0))
    assert warm_up.cache_info().currsize == 1
