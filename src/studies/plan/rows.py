"""Jobs of studies that compute their own runs, a method and some seeds each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from studies import code as job_code
from studies import registry
from studies.plan.common import Config, Wildcards, as_json, dataset_files, shares
from studies.records import Study

ALL_METHODS: Final = "all_methods"
"""In paths, for all methods of an experiment; one of them may be called `all`."""


class RowJobs:
    """Jobs of experiments.

    Attributes:
        config: all keys.
        experiments: studies with jobs of their own, by name.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.experiments = registry.experiments()

    def _block(self, experiment: str) -> Config:
        """An experiment's block of the configuration."""
        return dict(self.config[registry.paper_of(experiment)][experiment])

    def files(self, w: Wildcards) -> list[str]:
        """Files that the methods of an experiment give."""
        experiment = self.experiments[w.experiment]
        are_one = self.config["methods_per_job"] == "all" and not experiment.is_long
        per_job = 1 if experiment.is_long else self.config["seeds_per_job"]
        return [
            f"results/rows/{w.experiment}/{method}/seeds{first}-{last}.parquet"
            for method in ([ALL_METHODS] if are_one else experiment.method_names)
            for first, last in shares(self._block(w.experiment)["n_seeds"], per_job)
        ]

    def methods(self, w: Wildcards) -> Sequence[str]:
        """Methods that a job does: the one in its path, or all of the experiment."""
        return self.experiments[w.experiment].method_names if w.method == ALL_METHODS else [w.method]

    def inputs(self, w: Wildcards) -> list[str]:
        """Input function: the prepared datasets and curves that an experiment reads, and its interpreter's file.

        The experiment generates all other data itself.
        """
        block, experiment = self._block(w.experiment), self.experiments[w.experiment]
        names = experiment.datasets_in(block)
        prepared = [path for name in names if name not in experiment.simulated for path in dataset_files(name)]
        curves = [self._curves(block)] if experiment.replays_curves else []
        return prepared + curves + self._interpreter(experiment, block)

    def _curves(self, block: Config) -> str:
        """The file of the stored curves that an experiment replays."""
        name = block["curves"]
        return f"results/curves/{name}_{self.config['curves']['networks'][name]['dataset']}.parquet"

    def _interpreter(self, experiment: Study, block: Config) -> list[str]:
        """The file that says where the other interpreter of an experiment is, unless its settings name it."""
        is_needed = experiment.environment and block["python"] is None
        return [f"results/environments/{experiment.environment}.json"] if is_needed else []

    def settings(self, w: Wildcards) -> str:
        """Settings of an experiment; the number of seeds is the workflow's own."""
        block = self._block(w.experiment)
        settings = {key: value for key, value in block.items() if key != "n_seeds"}
        if self.experiments[w.experiment].replays_curves:
            settings["table"] = self._curves(block)
        for path in self._interpreter(self.experiments[w.experiment], block):
            settings["interpreter"] = path
        return as_json(settings)

    def code(self, w: Wildcards) -> str:
        """Hash of the code of an experiment."""
        return job_code.hash_of(job_code.rows(w.experiment, json.loads(self.settings(w)), self.methods(w)))
