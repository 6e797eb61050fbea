"""Which entries of our tables, and which definitions, matter only to jobs that ask for them by name.

Names are of these kinds: `dataset`; `learner`, one of `frugal.learners`; `trains`, what it is, `network` or `fit`;
`problem` of the trials family, `learner`, `lookup`, `curves` or `function`; `termination`, `yes` or `no`;
`scoring` of folds, `batch` or `timed`; `strategy`; `method` of a study. Whatever is not listed here counts
wherever it is used.
"""

from __future__ import annotations

from typing import Final

from frugal.code.reach import Switches
from frugal.learners.registry import HOMES

SWITCHES: Final = Switches(
    keyed={
        "frugal.datasets.catalogue:_ENTRIES": "dataset",
        "frugal.folds.fast:_SCORERS": "learner",
        "frugal.learners.classifiers:SPACES": "learner",
        "frugal.learners.networks.plans:DEFAULTS": "learner",
        "frugal.learners.networks.plans:N_EPOCHS": "learner",
        "frugal.learners.networks.plans:SPACES": "learner",
        "frugal.learners.networks.plans:_PLANNERS": "learner",
        "frugal.trials.functions:FUNCTIONS": "dataset",
    },
    only={
        "frugal.datasets.store:load": ("problem", "learner"),
        "frugal.folds.fast:score_fold": ("scoring", "batch"),
        "frugal.learners.networks:make": ("trains", "network"),
        "frugal.trials.curves:CurvesProblem": ("problem", "curves"),
        "frugal.trials.extrapolations:Extrapolations": ("termination", "yes"),
        "frugal.trials.lookup:LookUpProblem": ("problem", "lookup"),
        "frugal.trials.problems:LearnerProblem": ("problem", "learner"),
        "frugal.trials.svm_table:measure_svm": ("learner", "svm"),
        "frugal.trials.termination:terminating": ("termination", "yes"),
    },
    without=("frugal.code", "studies.code"),
    families={
        "frugal.folds.strategies:_REGISTRY": "frugal.folds.strategies",
        "frugal.trials.strategies:_REGISTRY": "frugal.trials.strategies",
    },
    homes={
        "frugal.learners.registry:record": {f"{module}:LEARNERS": names for module, names in HOMES.items()},
    },
)
