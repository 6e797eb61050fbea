"""Six ways to search, run on one real problem of two hyperparameters whose true surface is known."""

from studies.greedy_cv.searches.bayesian import bayesian_search, surrogate_panels
from studies.greedy_cv.searches.early_stopping import early_stopping_search
from studies.greedy_cv.searches.enumerated import grid_search, random_search
from studies.greedy_cv.searches.evolutionary import evolutionary_search
from studies.greedy_cv.searches.hypergradient import hypergradient_search
from studies.greedy_cv.searches.problem import AXES, BOUNDS, Problem, make_problem

__all__ = [
    "AXES",
    "BOUNDS",
    "Problem",
    "bayesian_search",
    "early_stopping_search",
    "evolutionary_search",
    "grid_search",
    "hypergradient_search",
    "make_problem",
    "random_search",
    "surrogate_panels",
]
