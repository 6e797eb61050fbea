"""Problems that every trials strategy can be compared on: kept tables of real fits, stored curves, functions."""

from typing import TYPE_CHECKING

from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal.benchmarks.lookup import LookUpProblem
    from frugal.benchmarks.problem_by_name import problem

__all__ = ["LookUpProblem", "problem"]

__getattr__ = lazily(__name__, {"LookUpProblem": "lookup", "problem": "problem_by_name"})
