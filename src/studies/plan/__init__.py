"""Inputs and parameters of the workflow's rules: files, settings, hashes of code.

The rules are literal. Where a rule needs a function of its wildcards, it calls a method of one of the parts of the
`Plan`. Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from studies.plan.common import Config
from studies.plan.folds import FoldJobs
from studies.plan.rows import RowJobs
from studies.plan.shown import ShownJobs
from studies.plan.trials import TrialJobs


class Plan:
    """The jobs of a whole configuration.

    Attributes:
        folds: kept scores, and searches replayed on them.
        rows: studies that compute their own runs.
        trials: searches trial by trial, and what they look up.
        shown: tables, figures and claims.
    """

    def __init__(self, config: Config) -> None:
        """Read the configuration, all keys.

        Raises:
            ValueError: if its blocks do not go together; the message says which.
        """
        self.folds = FoldJobs(config)
        self.rows = RowJobs(config)
        self.trials = TrialJobs(config)
        self.shown = ShownJobs(config)
