"""What the workflow's rules read and are given: files, settings, hashes of code.

The rules are literal; what they leave to a function of their wildcards is a method of a part of the `Plan`. Light
to import, since the workflow reads it at every start.
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
