"""Functions with a known minimum."""

import numpy as np
import pytest
from scipy import optimize

from frugal.benchmarks import problem
from frugal.benchmarks.functions import FUNCTIONS
from frugal.interface import TrialTask


@pytest.mark.parametrize("name", ["branin", "hartmann6"])
def test_the_stated_minimum_is_what_a_global_search_finds(name):
    problem = FUNCTIONS[name]

    def value(u):
        return problem.evaluate(TrialTask(0, problem.space.from_unit(np.asarray(u))), lambda *_: True).error

    found = optimize.shgo(value, [(0, 1)] * len(problem.space.dimensions), n=128, sampling_method="sobol")
    assert found.fun == pytest.approx(problem.minimum, abs=1e-6)


@pytest.mark.parametrize("seed", [-1, 1.5, 2**32, None, True])
def test_a_seed_that_learners_would_refuse_is_refused_by_the_problem(seed):
    with pytest.raises(ValueError, match="seed must be at least 0, at most 4294967295, and a whole number"):
        problem("function", "branin", seed, {})
