"""Functions with known minima, to be optimised in place of a learner."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from frugal.interface import Candidate, Trial, TrialTask
from frugal.spaces import SearchSpace, Uniform

if TYPE_CHECKING:
    from frugal.trials.problems import Report


@dataclass(frozen=True)
class FunctionProblem:
    """A function with a known minimum. The error of a trial is its value, which need not lie in [0, 1].

    Attributes:
        name: name of the function.
        space: the box in which it is minimised.
        function: candidate -> value.
        minimum: least value in the box.
        data: "generated".
    """

    name: str
    space: SearchSpace
    function: Callable[[Candidate], float]
    minimum: float
    data: str = "generated"

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """The function's value; a cost of 1 per trial."""
        if task.n_rows is not None or task.epochs is not None:
            raise ValueError(f"{self.name} has neither rows nor epochs")
        started = process_time()
        value = self.function(task.candidate)
        return Trial(task, value, process_time() - started, 1.0)


def _branin(candidate: Candidate) -> float:
    x, y = (float(candidate[name]) for name in ("x", "y"))  # type: ignore[arg-type]
    valley = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


_HARTMANN_A = np.array(
    [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
)
_HARTMANN_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)
_HARTMANN_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])


def _hartmann6(candidate: Candidate) -> float:
    x = np.array([candidate[f"x{i}"] for i in range(1, 7)], float)
    return -float(_HARTMANN_WEIGHTS @ np.exp(-(_HARTMANN_A * (x - _HARTMANN_P) ** 2).sum(axis=1)))


FUNCTIONS: Mapping[str, FunctionProblem] = {
    "branin": FunctionProblem(
        "branin", SearchSpace({"x": Uniform(-5.0, 10.0), "y": Uniform(0.0, 15.0)}), _branin, 0.39788735772973816
    ),
    "hartmann6": FunctionProblem(
        "hartmann6",
        SearchSpace({f"x{i}": Uniform(0.0, 1.0) for i in range(1, 7)}),
        _hartmann6,
        -3.322368011415515,
    ),
}
"""Branin and the six-dimensional Hartmann function, as Dixon and Szegoe (1978) state them."""
