"""Strategies that save hyperparameter trials, with their surrogates and acquisition functions."""

from typing import TYPE_CHECKING

from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal.trials import acquisitions, surrogates
    from frugal.trials.ledger import initial_design
    from frugal.trials.problems import Problem
    from frugal.trials.runs import run
    from frugal.trials.strategies import known, make, settings_of
    from frugal.trials.termination import terminating

__all__ = [
    "Problem",
    "acquisitions",
    "initial_design",
    "known",
    "make",
    "run",
    "settings_of",
    "surrogates",
    "terminating",
]

__getattr__ = lazily(
    __name__,
    {
        "Problem": "problems",
        "acquisitions": "",
        "initial_design": "ledger",
        "known": "strategies",
        "make": "strategies",
        "run": "runs",
        "settings_of": "strategies",
        "surrogates": "",
        "terminating": "termination",
    },
)
