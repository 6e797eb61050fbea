"""Jobs of the trials family: searches, what they look up, and fits of what they chose."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from frugal.datasets.catalogue import CATALOGUE
from studies import blocks, registry
from studies import code as job_code
from studies.hypertune.searches import REFIT_SETTINGS
from studies.plan.common import Config, Wildcards, as_json, dataset_files, shares
from studies.records import Study
from studies.settings import named
from studies.trials_comparison.problems_and_methods import searches_of, shown_on

_LOOKED_UP: Final = ("lookup", "curves")
_SEARCH: Final = "{method}/{learner}/{dataset}/seed{seed}.parquet"
"""Path of a search, below `results/trials`."""


class TrialJobs:
    """Jobs of searches trial by trial, of documents 002 to 004 and of the comparison.

    Attributes:
        config: all keys.
        networks_of_curves: blocks of the sets of stored curves, by name.
        searches: experiments of searches, by name.
    """

    def __init__(self, config: Config) -> None:
        """Read the configuration.

        Raises:
            ValueError: if a search's blocks do not go together; the message says which.
        """
        self.config = config
        self.networks_of_curves: Config = config["curves"]["networks"]
        self.searches = searches_of(config)
        self._blocks = {name: blocks.block_of(search, config) for name, search in self.searches.items()}
        self._search_of = {
            (*problem, method): search
            for search in self.searches.values()
            for problem in search.problems
            for method in search.method_names
        }
        self._problems = {
            name: blocks.chosen_problems(search, self._blocks[name]) for name, search in self.searches.items()
        }
        self._n_trials = {
            (name, problem): blocks.n_trials_of(search, self._blocks[name], problem)
            for name, search in self.searches.items()
            for _, problem in self._problems[name]
        }
        tables = blocks.tables_of_sizes(config)
        self._strategies = {}
        for name, search in self.searches.items():
            block = self._blocks[name]
            for learner, problem in self._problems[name]:
                table = tables.get((learner, problem), block)
                for method in search.methods:
                    if method.name in self._n_trials[name, problem]:
                        with named(f"{registry.paper_of(name)}.{name}: {method.name}"):
                            settings = blocks.planned(search, method, block, problem, table=table)
                        self._strategies[learner, problem, method.name] = settings

    # Networks -------------------------------------------------------------------------------------------------

    def default_of(self, network: str) -> Config:
        """Limits of a network's default before it is tuned: epochs, max_error and, for document 004, n_rows."""
        first = self.config["beta_pruning"]["network"]
        if network == first["name"]:
            return dict(first["default"])
        return dict(self.config["hypertune"]["defaults"][network])

    def _default_check(self, learner: str, dataset: str) -> list[str]:
        """The file that says that a tuned network's default is good enough; none for other learners."""
        if learner not in self.config["hypertune"]["defaults"]:
            return []
        n_rows = self.config["hypertune"]["defaults"][learner]["n_rows"]
        name = dataset if n_rows is None else f"{dataset}_{n_rows}"
        return [f"results/networks/{learner}/{name}/default.csv"]

    def _search(self, w: Wildcards) -> Study:
        """The experiment that a search belongs to.

        Raises:
            ValueError: if this configuration has no such search; the message has the problems of the method.
        """
        if (w.learner, w.dataset, w.method) not in self._strategies:
            known = sorted(
                f"{learner}/{dataset}" for learner, dataset, method in self._strategies if method == w.method
            )
            raise ValueError(
                f"this configuration has no search by {w.method} on {w.learner}/{w.dataset}; it has those on"
                f" {', '.join(known) or 'none'}"
            )
        return self._search_of[w.learner, w.dataset, w.method]

    # Searches -------------------------------------------------------------------------------------------------

    def search_methods(self) -> list[str]:
        """Names of all methods of searches."""
        return sorted({name for search in self.searches.values() for name in search.method_names})

    def search_input(self, w: Wildcards) -> list[str]:
        """Files that a search reads: a table of fits, curves, a dataset, or none; a network's check is apart."""
        if w.learner in _LOOKED_UP:
            table = f"results/{w.learner}/{w.dataset}"
            cuts = self._search(w).method(w.method).termination is not None
            return [f"{table}{end}.parquet" for end in (("", "_extrapolations") if cuts else ("",))]
        return dataset_files(w.dataset) if w.dataset in CATALOGUE else []

    def search_check(self, w: Wildcards) -> list[str]:
        """The file that says that a network's default is good enough; a new bound is no reason to search anew."""
        is_read = w.learner not in _LOOKED_UP and w.dataset in CATALOGUE
        return self._default_check(w.learner, w.dataset) if is_read else []

    def search_trials(self, w: Wildcards) -> int:
        """How many trials a search makes."""
        return self._n_trials[self._search(w).name, w.dataset][w.method]

    def search_minutes(self, w: Wildcards) -> int:
        """Minutes that a search may take."""
        return self._search(w).minutes

    def search_settings(self, w: Wildcards) -> str:
        """Settings of a search: the problem's, and those of its own strategy."""
        search = self._search(w)
        block = self._blocks[search.name]
        settings = {key: value for key, value in block.items() if key not in blocks.NOT_OF_THE_PROBLEM}
        if search.resource == "rows":
            settings |= blocks.on_dataset(block, w.dataset)
        settings["strategies"] = {w.method: self._strategies[w.learner, w.dataset, w.method]}
        if w.learner in _LOOKED_UP:
            names = ("table", "extrapolations")
            settings |= dict(zip(names, self.search_input(w), strict=False))
        return as_json(settings)

    def search_code(self, w: Wildcards) -> str:
        """Hash of the code of a search: its strategy's, its learner's and that of what it is made on."""
        looked_up = ""
        if w.learner == "lookup":
            looked_up = self.config["lookup"][w.dataset]["learner"]
        elif w.learner == "curves":
            looked_up = self.network_of(blocks.curve_sets(self.config)[w.dataset][0])
        settings = json.loads(self.search_settings(w))
        return job_code.hash_of(job_code.trials(w.method, w.learner, w.dataset, settings, looked_up))

    def _searches_of(self, w: Wildcards) -> list[Wildcards]:
        """All searches of an experiment, each as the wildcards of its own path."""
        search = self.searches[w.search]
        return [
            SimpleNamespace(method=method, learner=learner, dataset=dataset, seed=seed)
            for method in search.method_names
            for learner, dataset in self._problems[w.search]
            if method in self._n_trials[w.search, dataset]
            for seed in range(self._blocks[w.search]["n_seeds"])
        ]

    def search_pack(self, w: Wildcards) -> str:
        """Folder of the job that does all searches of an experiment, this one included."""
        return f"results/trials/packs/{self._search(w).name}"

    def search_pack_inputs(self, w: Wildcards) -> list[str]:
        """Files that the searches of a pack read."""
        return list(dict.fromkeys(path for one in self._searches_of(w) for path in self.search_input(one)))

    def search_pack_checks(self, w: Wildcards) -> list[str]:
        """Files that say that the networks' defaults in a pack are good enough."""
        return list(dict.fromkeys(path for one in self._searches_of(w) for path in self.search_check(one)))

    def search_pack_jobs(self, w: Wildcards, output: Any) -> list[str]:
        """Params function: these searches as jobs of their own."""
        lines = []
        for one in self._searches_of(w):
            line = ["trials", one.method, "--learner", one.learner, "--dataset", one.dataset, "--seed", one.seed]
            line += ["--n-trials", self.search_trials(one), "--settings", self.search_settings(one)]
            line += ["--output", f"{output}/{_SEARCH.format(**vars(one))}"]
            lines.append(shlex.join(map(str, line)))
        return lines

    def search_pack_code(self, w: Wildcards) -> list[str]:
        """Params function: hashes of the code of these searches."""
        return list(dict.fromkeys(self.search_code(one) for one in self._searches_of(w)))

    def search_files(self, w: Wildcards) -> list[str]:
        """All searches of an experiment, after what they look up, where that holds several numbers of rows."""
        looked_up = [
            f"results/{learner}/{name}.parquet"
            for learner, name in self._problems[w.search]
            if learner in _LOOKED_UP and self.searches[w.search].resource == "sizes"
        ]
        return looked_up + [f"results/trials/{_SEARCH.format(**vars(one))}" for one in self._searches_of(w)]

    def gather_flags(self, w: Wildcards) -> str:
        """Flags that gather an experiment's searches; what they look up has no method to be ordered by."""
        search = self.searches[w.search]
        keys = {"lookup": " --by dataset seed", "curves": " --by dataset"}
        by = keys.get(search.problems[0][0], "") if search.resource == "sizes" else ""
        return f"--experiment {w.search}{' --by dataset seed' if search.resource == 'epochs' else by}"

    # What searches look up ------------------------------------------------------------------------------------

    def lookup_settings(self, w: Wildcards) -> str:
        """Settings of a table of fits, as JSON."""
        return as_json({k: v for k, v in self.config["lookup"][w.table].items() if k != "n_rechecked"})

    def lookup_mb(self, w: Wildcards, attempt: int) -> int:
        """Megabytes of a part of a table of fits; an SVM's holds the kernel matrix of its largest size."""
        block = self.config["lookup"][w.table]
        if block["learner"] != "svm":
            return attempt * 3000
        n_rows = int(max(block["sizes"]))
        return attempt * (2500 + 10 * n_rows * max(n_rows, int(block["n_valid"])) // 10**6)

    def lookup_dataset(self, w: Wildcards) -> list[str]:
        """The files of the prepared dataset of a table."""
        return dataset_files(self.config["lookup"][w.table]["dataset"])

    def lookup_code(self, step: str) -> Callable[[Wildcards], str]:
        """Params function: hash of the code of a step towards a table of fits."""

        def found(w: Wildcards) -> str:
            block = self.config["lookup"][w.table]
            return job_code.hash_of(job_code.lookup(step, block["learner"], block["dataset"]))

        return found

    def network_of(self, name: str) -> str:
        """The network of a set of stored curves, which may have a name of its own."""
        return str(self.networks_of_curves[name].get("network", name))

    def curve_settings(self, w: Wildcards) -> str:
        """Settings of a set of curves, as JSON."""
        block = self.networks_of_curves[w.network]
        return as_json({key: block[key] for key in ("n_train", "n_valid", "n_epochs")})

    def curve_files(self, kind: str) -> Callable[[Wildcards], list[str]]:
        """Input function: the parts of a set of curves, or of what is extrapolated from them."""

        def found(w: Wildcards) -> list[str]:
            n_curves = self.networks_of_curves[w.network]["n_curves"]
            return [
                f"results/curves/{w.network}/{w.dataset}/{kind}{first}-{last}.parquet"
                for first, last in shares(n_curves, self.config["curves"]["curves_per_job"])
            ]

        return found

    def curve_sets(self, *, extrapolated: bool = False) -> list[str]:
        """Names of the sets of stored curves; those of several numbers of rows are not extrapolated."""
        return [
            name
            for name, (_, block) in blocks.curve_sets(self.config).items()
            if not (extrapolated and isinstance(block["n_train"], list))
        ]

    def extrapolation_settings(self) -> str:
        """How curves are extrapolated."""
        block = self.config["big_data"]["curve_search"]
        return as_json({key: block[key] for key in ("check_share", "curve")})

    # What searches chose, fitted and tested -------------------------------------------------------------------

    def tuned(self) -> list[str]:
        """Learners that document 004 tunes."""
        return [one.name for one in registry.paper("hypertune").studies if one.resource == "rows"]

    def tuned_inputs(self, w: Wildcards) -> list[str]:
        """The prepared datasets that a learner is tuned on."""
        return [path for name in self.config["hypertune"][w.learner]["datasets"] for path in dataset_files(name)]

    def tuned_settings(self, w: Wildcards) -> str:
        """Settings of a refit of document 004, as JSON."""
        block = self.config["hypertune"][w.learner]
        return as_json({key: block[key] for key in REFIT_SETTINGS if key in block})

    def tuned_code(self, w: Wildcards) -> str:
        """Hash of the code of a refit of document 004."""
        datasets = self.config["hypertune"][w.learner]["datasets"]
        return job_code.hash_of(job_code.refits("hypertune", [w.learner], datasets))

    def task2_settings(self) -> str:
        """Settings of the refits of document 002's second task, as JSON."""
        block = self.config["exploration"]
        return as_json({**block["refits"], "n_valid": block["task2"]["n_valid"]})

    def _compared(self, w: Wildcards) -> tuple[list[str], list[str]]:
        """The compared methods that are run on a problem, and those that are not at this scale."""
        problem = (w.learner, w.dataset)
        listed = shown_on(self.config, *problem)
        run = [m for m in listed if m in self._n_trials[self._search_of[*problem, m].name, w.dataset]]
        return run, [method for method in listed if method not in run]

    def compared_searches(self, w: Wildcards) -> list[str]:
        """All searches on a problem, after the table or the curves that they look up."""
        looked_up = [f"results/{w.learner}/{w.dataset}.parquet"] if w.learner in _LOOKED_UP else []
        problem = (w.learner, w.dataset)
        return looked_up + [
            f"results/trials/{_SEARCH.format(method=method, learner=w.learner, dataset=w.dataset, seed=seed)}"
            for method in self._compared(w)[0]
            for seed in range(self._blocks[self._search_of[*problem, method].name]["n_seeds"])
        ]

    def compared_data(self, w: Wildcards) -> list[str]:
        """The prepared dataset that live searches' choices are fitted on."""
        return [] if w.learner in _LOOKED_UP else dataset_files(w.dataset)

    def compared_settings(self, w: Wildcards) -> str:
        """Settings of the fits of live searches' choices, as JSON, with the compared methods that are not run."""
        settings: dict[str, Any] = {}
        if w.learner not in _LOOKED_UP:
            first = shown_on(self.config, w.learner, w.dataset)[0]
            block = self._blocks[self._search_of[w.learner, w.dataset, first].name]
            settings = {key: block[key] for key in ("n_train", "n_valid", "n_test")}
            settings["scalers"] = {w.dataset: block["scaler"]}
        not_run = self._compared(w)[1]
        return as_json(settings | ({"not_run": not_run} if not_run else {}))
