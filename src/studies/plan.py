"""What the workflow's rules read and are given: files, settings, hashes of code.

The rules are literal; what they leave to a function of their wildcards is a method of `Plan`. Light to import,
since the workflow reads it at every start.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any, Final

from frugal.code import Job
from frugal.datasets.catalogue import CATALOGUE
from frugal.learners import NETWORKS, SCALERS
from studies import artefacts, blocks, registry
from studies import code as studies_jobs
from studies.captions import caption
from studies.folds_comparison.entries import entries_of
from studies.greedy_cv.combinations import combinations
from studies.records import Study
from studies.searches import Search
from studies.trials_comparison.problems_and_methods import searches_of, shown_on

Config = Mapping[str, Any]
Wildcards = Any
"""What Snakemake fills a rule's places with: names as attributes, text as values."""
ALL: Final = "all"
"""In a path, in place of one method or one length: a job does all of them."""
SENSITIVITY_ONLY: Final = ("sensitivity", "factorial", "sizes", "library")
"""Tables and figures of document 001 that are our own study."""
OLSON_SCALERS: Final = {"bernoulli_nb": "min_max", "decision_tree": "none", "knn": "robust"}
"""Of Olson et al.'s code; that of the tree, which orders every feature as before, is left out."""
OWN_SEEDS: Final = "own_seeds"
"""In a variant's label: every tree has a `random_state` of its own."""
_KEPT: Final = "results/folds/{root}/{dataset}/{classifier}/{variant}/k{k}/seed{seed}"
_OF_WORKFLOW: Final = ("n_seeds", "n_trials", "default_n_trials")
_OF_TERMINATION: Final = ("check_share", "curve", "termination")
_OF_ROWS: Final = ("datasets", "scalers", "subset_share", "rows_per_class", "sizes")
_LOOKED_UP: Final = ("lookup", "curves")


def shares(n_items: int, per_job: int) -> list[tuple[int, int]]:
    """First and last of each job's share of things that are numbered from 0."""
    return [(first, min(first + per_job, n_items) - 1) for first in range(0, n_items, per_job)]


def as_json(settings: Mapping[str, Any]) -> str:
    """Settings as a command takes them, in one order, so that only what they say re-runs a job."""
    return json.dumps(settings, sort_keys=True)


def dataset_files(name: str) -> list[str]:
    """The files of a prepared dataset, or of that which a subset such as letter_2000 is drawn from."""
    source, _, n_rows = name.rpartition("_")
    folder = f"data/processed/{source if n_rows.isdigit() else name}"
    return [f"{folder}/{file}" for file in ("provenance.json", "X.npy", "y.npy")]


def hash_of(job: Job) -> str:
    """The hash of the code of a job, which re-runs it where it changes."""
    return studies_jobs.hash_of(job)


class Plan:
    """The jobs of a whole configuration.

    Attributes:
        config: all keys.
        shown: what every paper and comparison shows, by its name.
        searches: experiments of searches, by name.
        packs: by paper what of it is made in one job, kind and name, by the name of the first.
        entries: compared strategies of the folds family, by name.
        methods: by experiment of document 001 the strategies that are replayed.
        experiments: studies with jobs of their own, by name.
    """

    def __init__(self, config: Config) -> None:
        """Read the configuration.

        Raises:
            ValueError: if its blocks do not go together; the message says which.
        """
        self.config = config
        self.study: Config = config["greedy_cv"]
        self.network: Config = config["beta_pruning"]["network"]
        self.comparison: Config = config["folds_comparison"]
        self.networks_of_curves: Config = config["curves"]["networks"]
        self.methods = {one.name: one.method_names for one in registry.paper("greedy_cv").studies}
        self.explored = registry.study("swept").method_names
        self.experiments = registry.experiments()
        self.shown = {name: artefacts.shown(name, config) for name in registry.PAPERS}
        self.packs = {name: made.packs() for name, made in self.shown.items()}
        self.entries = entries_of(config)
        self.searches = searches_of(config)
        self._blocks = {name: blocks.block_of(search, config) for name, search in self.searches.items()}
        self._search_of = {
            (*problem, method): search
            for search in self.searches.values()
            for problem in search.problems
            for method in search.methods
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
        self._strategies = {
            (learner, problem, method.name): self._planned(search, method.name, learner, problem, tables)
            for name, search in self.searches.items()
            for learner, problem in self._problems[name]
            for method in search.compared
            if method.name in self._n_trials[name, problem]
        }

    # Kept scores, and searches replayed on them --------------------------------------------------------------

    def variant_of(self, settings: Config, classifier: str) -> str:
        """Label of how scores of a classifier are made, from the settings that change them."""
        scaler = OLSON_SCALERS[classifier] if settings["scaler"] == "olson" else settings["scaler"]
        parts = [settings["space"], scaler, settings["splits"]]
        if settings.get("tree_seed") == "candidate":
            parts.append(OWN_SEEDS)
        return "-".join(part for part in parts if part not in ("none", "stratified"))

    def scoring_flags(self, w: Wildcards, *, timed: bool = False) -> str:
        """The command-line flags that a variant's label stands for."""
        space, *rest = w.variant.split("-")
        splits = "plain" if "plain" in rest else "stratified"
        epochs = [part.removeprefix("epochs") for part in rest if part.startswith("epochs")]
        scaler = next((part for part in rest if part in SCALERS), "none")
        flags = f"--space {space} --scaler {scaler} --splits {splits}"
        flags += "".join(f" --epochs {n}" for n in epochs)
        if OWN_SEEDS in rest:
            flags += " --tree-seed candidate"
        if space == "grid":
            return flags
        # One candidate list per seed, as long as the longest list that is searched in it.
        searched = ["wall_clock"] if timed else ["sensitivity", "factorial", "sizes"]
        readings = [self.study, *self.study["readings"].values()]
        if w.variant in [self.variant_of({**self.study, **one}, w.classifier) for one in readings] and not timed:
            searched += ["search_time", "early_stopping"]
        return f"{flags} --n-ranges {max(n for name in searched for n in self.study[name]['n_candidates'])}"

    def timed_flags(self, w: Wildcards) -> str:
        """The same for timed fits."""
        return self.scoring_flags(w, timed=True)

    def settings_of(self, w: Wildcards) -> str:
        """A strategy's own block of the configuration; nothing else re-runs its searches."""
        return as_json(self.config["strategies"].get(w.method, {}))

    def rung_settings(self, w: Wildcards) -> str:
        """Settings of successive halving, with the number of folds in the path of its rungs."""
        return as_json({**self.config["strategies"]["successive_halving"], "cv": int(w.k)})

    def datasets_of(self, experiment: str) -> list[str]:
        """The datasets of one of document 001's experiments: all, its choice, or one at each of its sizes."""
        block = self.study[experiment]
        if experiment == "sizes":
            return [f"{block['dataset']}_{rows}" for rows in block["n_rows"]]
        return [name for name in self.study["datasets"] if name in block.get("datasets", [name])]

    def lengths(self, experiment: str | None = None) -> Callable[[Wildcards], list[int]]:
        """Params function: lengths of the candidate list that a job does, the one in its path or all.

        Args:
            experiment: whose; None: that which searches with this method on this dataset.
        """

        def found(w: Wildcards) -> list[int]:
            if w.n != ALL:
                return [int(w.n)]
            return list(self.study[experiment or self._experiment_of(w)]["n_candidates"])

        return found

    def _experiment_of(self, w: Wildcards) -> str:
        """The experiment of document 001 that searches with this method on this dataset, untimed."""
        listed = ("search_time", "early_stopping", "sizes")
        return next(n for n in listed if w.method in self.methods[n] and w.dataset in self.datasets_of(n))

    def _cells(
        self, root: str, experiment: str, datasets: Iterable[str], classifiers: Sequence[str] | None = None
    ) -> list[str]:
        """The search results of every cell of an experiment, of the study's classifiers by default."""
        block = self.study[experiment]
        lengths = [ALL] if self.config["lengths_per_job"] == "all" else block["n_candidates"]
        return [
            f"{root}/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet"
            for method in self.methods[experiment]
            for dataset in datasets
            for classifier in classifiers or self.study["classifiers"]
            for n in lengths
            for k in block["n_folds"]
            for first, last in shares(block["n_seeds"], self.config["seeds_per_job"])
        ]

    def experiment_files(self, w: Wildcards) -> list[str]:
        """The search results of one of document 001's experiments."""
        root = "wall_clock" if w.experiment == "wall_clock" else "search"
        return self._cells(f"results/folds/{root}", w.experiment, self.datasets_of(w.experiment))

    def experiment_labels(self, w: Wildcards) -> str:
        """Which reading the runs of an experiment are of; sizes have none."""
        return as_json({} if w.experiment == "sizes" else self._labels(self.study))

    def _labels(self, settings: Config) -> dict[str, str]:
        """What tells one reading's runs from another's."""
        parts = [settings[name] for name in ("space", "scaler", "splits", "tie_rule")]
        named = [*parts[:2], *(part for part in parts[2:] if part not in ("stratified", "random"))]
        usual = self.config["strategies"].get("successive_halving", {}).get("failed", "last")
        return {"reading": "/".join(named), "failed": settings.get("failed", usual)}

    def reading_settings(self, w: Wildcards) -> Config:
        """How scores are made and searches measured in another reading of the document."""
        return {**self.study, **self.study["readings"][w.name]}

    def reading_files(self, w: Wildcards) -> list[str]:
        """The search results of one of document 001's experiments in another reading."""
        root = "wall_clock" if w.experiment == "wall_clock" else "search"
        return self._cells(f"results/folds/readings/{w.name}/{root}", w.experiment, self.datasets_of(w.experiment))

    def reading_labels(self, w: Wildcards) -> str:
        """Which reading runs are of."""
        return as_json(self._labels(self.reading_settings(w)))

    def reading_strategy(self, w: Wildcards) -> str:
        """A strategy's own block of the configuration, with where halving ranks failed fits in a reading."""
        is_other = w.method == "successive_halving" and "failed" in self.study["readings"][w.name]
        over = {"failed": self.study["readings"][w.name]["failed"]} if is_other else {}
        return as_json({**self.config["strategies"].get(w.method, {}), **over})

    def factorial_settings(self, w: Wildcards) -> Config:
        """How scores are made and searches measured in a combination."""
        return {**self.study, **combinations(self.study["factorial"])[w.name]}

    def factorial_files(self, w: Wildcards) -> list[str]:
        """The search results of one combination, of the classifiers that are told apart by it."""
        made = self.factorial_settings(w)
        listed = [
            name
            for name in self.study["classifiers"]
            if (made["scaler"] == "none" if name == "decision_tree" else made["tree_seed"] == "repetition")
        ]
        return self._cells(f"results/folds/factorial/{w.name}", "factorial", self.study["datasets"], listed)

    def factorial_labels(self, w: Wildcards) -> str:
        """Which combination runs are of."""
        return as_json(combinations(self.study["factorial"])[w.name])

    def variant_settings(self, w: Wildcards) -> Config:
        """How scores are made and searches measured in a sensitivity variant."""
        return {**self.study, **self.study["sensitivity"]["variants"][w.name]}

    def variant_files(self, w: Wildcards) -> list[str]:
        """The search results of one sensitivity variant."""
        return self._cells(f"results/folds/variants/{w.name}", "sensitivity", self.study["datasets"])

    def _kept(self, w: Wildcards, variant: str, root: str = "scores") -> list[str]:
        """Score files of a search's seeds, and the rungs where its strategy is successive halving."""
        seeds = range(int(w.first), int(w.last) + 1)
        cell = {"root": root, "dataset": w.dataset, "classifier": w.classifier, "variant": variant}
        cv = self.config["strategies"]["successive_halving"]["cv"]
        rungs = [f"{_KEPT}/rungs.parquet".format(**cell, k=cv, seed=seed) for seed in seeds]
        folds = shares(int(w.k), self.config["folds_per_job"])
        return [
            f"{_KEPT}/folds{first}-{last}.parquet".format(**cell, k=w.k, seed=seed)
            for seed in seeds
            for first, last in folds
        ] + (rungs if w.method == "successive_halving" else [])

    def kept_scores(self, w: Wildcards) -> list[str]:
        """Kept scores of a search's seeds; those of sizes are of a space of their own."""
        own = {} if w.dataset in self.study["datasets"] else {"space": self.study["sizes"]["space"]}
        return self._kept(w, self.variant_of({**self.study, **own}, w.classifier))

    def timed_scores(self, w: Wildcards) -> list[str]:
        """The same, timed."""
        return self._kept(w, f"{self.variant_of(self._read(w), w.classifier)}-timed")

    def timed_seconds(self, w: Wildcards) -> list[str]:
        """The seconds of these, a file per score file."""
        return self._kept(w, f"{self.variant_of(self._read(w), w.classifier)}-timed", "seconds")

    def reading_scores(self, w: Wildcards) -> list[str]:
        """Kept scores, made as another reading says."""
        return self._kept(w, self.variant_of(self._read(w), w.classifier))

    def _read(self, w: Wildcards) -> Config:
        """The settings of the reading in a path, or the study's own."""
        return self.reading_settings(w) if hasattr(w, "name") else self.study

    def variant_scores(self, w: Wildcards) -> list[str]:
        """The same, made as a sensitivity variant says."""
        return self._kept(w, self.variant_of(self.variant_settings(w), w.classifier))

    def factorial_scores(self, w: Wildcards) -> list[str]:
        """The same, made as a combination says."""
        return self._kept(w, self.variant_of(self.factorial_settings(w), w.classifier))

    def replay_pack(self, w: Wildcards) -> str:
        """The folder in which a job does a search among all of its method in its experiment."""
        return f"results/folds/packs/{self._experiment_of(w)}/{w.method}"

    def _replays_of(self, w: Wildcards) -> list[Wildcards]:
        """All searches of a method in an experiment, each as the wildcards of its own path."""
        block = self.study[w.experiment]
        return [
            SimpleNamespace(
                method=w.method, dataset=dataset, classifier=classifier, n=n, k=k, first=first, last=last
            )
            for dataset in self.datasets_of(w.experiment)
            for classifier in self.study["classifiers"]
            for n in ([ALL] if self.config["lengths_per_job"] == "all" else block["n_candidates"])
            for k in block["n_folds"]
            for first, last in shares(block["n_seeds"], self.config["seeds_per_job"])
        ]

    def replay_pack_inputs(self, w: Wildcards) -> list[str]:
        """The kept scores of these searches."""
        return list(dict.fromkeys(path for one in self._replays_of(w) for path in self.kept_scores(one)))

    def replay_pack_jobs(self, w: Wildcards, output: Any) -> list[str]:
        """Params function: these searches as jobs of their own."""
        lines = []
        for one in self._replays_of(w):
            line = ["search", "--method", one.method, "--scores", *self.kept_scores(one), "--n-candidates"]
            line += [*self.lengths(w.experiment)(one), "--seeds", f"{one.first}-{one.last}"]
            line += ["--settings", self.settings_of(one), "--tie-rule", self.study["tie_rule"]]
            line += ["--output", f"{output}/{one.dataset}/{one.classifier}/n{one.n}/k{one.k}"]
            line[-1] += f"/seeds{one.first}-{one.last}.parquet"
            lines.append(shlex.join(map(str, line)))
        return lines

    # Networks ------------------------------------------------------------------------------------------------

    def network_scores(self, w: Wildcards = None) -> list[str]:
        """Kept scores of document 000's network, one file per fold, since a fold's trainings take minutes."""
        of = self.network
        return [
            f"{_KEPT}/folds{fold}-{fold}.parquet".format(
                root="scores",
                dataset=of["dataset"],
                classifier=of["name"],
                variant=f"grid-epochs{of['epochs']}",
                k=of["n_folds"],
                seed=seed,
            )
            for seed in range(of["n_seeds"])
            for fold in range(of["n_folds"])
        ]

    def default_of(self, network: str) -> Config:
        """What a network's default is held against before it is tuned: epochs and the highest error."""
        if network == self.network["name"]:
            return dict(self.network["default"])
        return dict(self.config["hypertune"]["defaults"][network])

    def _default_check(self, learner: str, dataset: str) -> list[str]:
        """Of a network that is tuned, the file that says that its default does what it should."""
        if learner not in self.config["hypertune"]["defaults"]:
            return []
        n_rows = self.config["hypertune"]["defaults"][learner]["n_rows"]
        name = dataset if n_rows is None else f"{dataset}_{n_rows}"
        return [f"results/networks/{learner}/{name}/default.csv"]

    def explored_settings(self) -> str:
        """Settings of the strategies that document 000's experiment replays."""
        return as_json({method: self.config["strategies"].get(method, {}) for method in self.explored})

    # Every strategy of the folds family on the same folds ----------------------------------------------------

    def comparison_scores(self, timed: str = "", root: str = "scores") -> Callable[[Wildcards], list[str]]:
        """Input function: kept files of a cell, all seeds and numbers of folds, and rungs if asked for.

        They are those of greedy_cv, or of beta_pruning's network.

        Args:
            timed: `-timed`, or nothing.
            root: `scores` or `seconds`.
        """
        listed = list(self.comparison["n_folds"])
        if timed:
            listed = [k for k in listed if k in self.study["wall_clock"]["n_folds"]]
        seeds = range(self.comparison["n_timed_seeds" if timed else "n_seeds"])

        def found(w: Wildcards) -> list[str]:
            if w.classifier in NETWORKS:
                return self.network_scores()
            settings = {**self.study, "space": self.comparison["space"]}
            variant = f"{self.variant_of(settings, w.classifier)}{timed}"
            cell = {"root": root, "dataset": w.dataset, "classifier": w.classifier, "variant": variant}
            entry = self.entries[w.entry]
            rungs = [entry.settings["cv"]] if entry.strategy == "successive_halving" else []
            return [
                f"{_KEPT}/folds{first}-{last}.parquet".format(**cell, k=k, seed=seed)
                for k in listed
                for seed in seeds
                for first, last in shares(k, self.config["folds_per_job"])
            ] + [f"{_KEPT}/rungs.parquet".format(**cell, k=cv, seed=seed) for seed in seeds for cv in rungs]

        return found

    def entry_settings(self, w: Wildcards) -> str:
        """Settings of a compared strategy; nothing else of the configuration re-runs it."""
        return as_json(dict(self.entries[w.entry].settings))

    def entry_budget(self, w: Wildcards) -> str:
        """The command-line flag of a compared strategy's budget, if it has one."""
        share = self.entries[w.entry].budget_share
        return "" if share is None else f"--budget-share {float(share)}"

    def compared_files(self, w: Wildcards) -> list[str]:
        """The runs of every compared strategy on every cell, or on those with timed fits."""
        if w.kind == "network":  # on fewer rows it is not trained
            entries = [name for name, entry in self.entries.items() if entry.strategy != "successive_halving"]
            cells = [(self.network["dataset"], self.network["name"])]
        else:
            entries = list(self.entries)
            datasets = self.datasets_of("wall_clock" if w.kind == "timed" else "search_time")
            cells = [(dataset, classifier) for dataset in datasets for classifier in self.study["classifiers"]]
        return [
            f"results/folds_comparison/{w.kind}/{entry}/{dataset}/{classifier}.parquet"
            for entry in entries
            for dataset, classifier in cells
        ]

    # Experiments ---------------------------------------------------------------------------------------------

    def _block(self, experiment: str) -> Config:
        """An experiment's block of the configuration."""
        return dict(self.config[registry.paper_of(experiment)][experiment])

    def row_files(self, w: Wildcards) -> list[str]:
        """What the methods of an experiment give."""
        experiment = self.experiments[w.experiment]
        are_one = self.config["methods_per_job"] == "all" and not experiment.is_long
        per_job = 1 if experiment.is_long else self.config["seeds_per_job"]
        return [
            f"results/rows/{w.experiment}/{method}/seeds{first}-{last}.parquet"
            for method in ([ALL] if are_one else experiment.method_names)
            for first, last in shares(self._block(w.experiment)["n_seeds"], per_job)
        ]

    def row_methods(self, w: Wildcards) -> Sequence[str]:
        """Methods that a job does: the one in its path, or all of the experiment."""
        return self.experiments[w.experiment].method_names if w.method == ALL else [w.method]

    def row_inputs(self, w: Wildcards) -> list[str]:
        """The prepared datasets and the curves that an experiment reads; it generates other data itself."""
        block, experiment = self._block(w.experiment), self.experiments[w.experiment]
        key = experiment.datasets
        names = [block[key]] if key == "dataset" else block[key] if key else []
        prepared = [path for name in names if name in CATALOGUE for path in dataset_files(name)]
        curves = [self._row_curves(block)] if experiment.replays_curves else []
        return prepared + curves + self._row_interpreter(experiment, block)

    def _row_curves(self, block: Config) -> str:
        """The file of the stored curves that an experiment replays."""
        name = block["curves"]
        return f"results/curves/{name}_{self.networks_of_curves[name]['dataset']}.parquet"

    def _row_interpreter(self, experiment: Study, block: Config) -> list[str]:
        """The file that says where the other interpreter of an experiment is, unless its settings name it."""
        is_needed = experiment.environment and block["python"] is None
        return [f"results/environments/{experiment.environment}.json"] if is_needed else []

    def row_settings(self, w: Wildcards) -> str:
        """Settings of an experiment; the number of seeds is the workflow's own."""
        block = self._block(w.experiment)
        settings = {key: value for key, value in block.items() if key != "n_seeds"}
        if self.experiments[w.experiment].replays_curves:
            settings["table"] = self._row_curves(block)
        for path in self._row_interpreter(self.experiments[w.experiment], block):
            settings["interpreter"] = path
        return as_json(settings)

    def row_code(self, w: Wildcards) -> str:
        """Hash of the code of an experiment."""
        return hash_of(studies_jobs.rows(w.experiment, json.loads(self.row_settings(w)), self.row_methods(w)))

    # Searches trial by trial ---------------------------------------------------------------------------------

    def _planned(
        self, search: Search, method: str, learner: str, problem: str, tables: Mapping[tuple[str, str], Config]
    ) -> dict[str, Any]:
        """Settings of a method on a problem: those of its block, and what the problem asks for."""
        block = self._blocks[search.name]
        table = tables.get((learner, problem), block)
        n_classes = blocks.classes_of(problem) if search.resource == "rows" else 0
        return blocks.planned(search, search.method(method), block, problem, table=table, n_classes=n_classes)

    def _search(self, w: Wildcards) -> Search:
        """The experiment that a search belongs to."""
        return self._search_of[w.learner, w.dataset, w.method]

    def search_methods(self) -> list[str]:
        """Names of all methods of searches."""
        return sorted({name for search in self.searches.values() for name in search.methods})

    def search_input(self, w: Wildcards) -> list[str]:
        """What a search reads but for a network's check: a table of fits, curves, a dataset, or nothing."""
        if w.learner in _LOOKED_UP:
            made = f"results/{w.learner}/{w.dataset}"
            cuts = self._search(w).method(w.method).termination is not None
            return [f"{made}{end}.parquet" for end in (("", "_extrapolations") if cuts else ("",))]
        return dataset_files(w.dataset) if w.dataset in CATALOGUE else []

    def search_check(self, w: Wildcards) -> list[str]:
        """What says that a network's default does what it should; another bound is no reason to search anew."""
        is_read = w.learner not in _LOOKED_UP and w.dataset in CATALOGUE
        return self._default_check(w.learner, w.dataset) if is_read else []

    def search_trials(self, w: Wildcards) -> int:
        """How many trials a search makes."""
        return self._n_trials[self._search(w).name, w.dataset][w.method]

    def search_minutes(self, w: Wildcards) -> int:
        """Minutes that a search may take; document 004 gives its network 24 hours."""
        return 1440 if self._search(w).paper == "hypertune" else 120

    def search_settings(self, w: Wildcards) -> str:
        """Settings of a search: the problem's, and those of its own strategy."""
        search = self._search(w)
        block, left_out = self._blocks[search.name], (*_OF_WORKFLOW, *_OF_TERMINATION, *_OF_ROWS)
        settings = {key: value for key, value in block.items() if key not in left_out}
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
            looked_up = next(
                self.network_of(name)
                for name, block in self.networks_of_curves.items()
                if f"{name}_{block['dataset']}" == w.dataset
            )
        settings = json.loads(self.search_settings(w))
        return hash_of(studies_jobs.trials(w.method, w.learner, w.dataset, settings, looked_up))

    def _searches_of(self, w: Wildcards) -> list[Wildcards]:
        """All searches of a method in an experiment, each as the wildcards of its own path."""
        search, method = self.searches[w.search], w.method
        return [
            SimpleNamespace(method=method, learner=learner, dataset=dataset, seed=seed)
            for learner, dataset in self._problems[w.search]
            if method in self._n_trials[w.search, dataset]
            for seed in range(self._blocks[search.name]["n_seeds"])
        ]

    def search_pack(self, w: Wildcards) -> str:
        """The folder in which a job does a search among all of its method in its experiment."""
        return f"results/trials/packs/{self._search(w).name}/{w.method}"

    def search_pack_inputs(self, w: Wildcards) -> list[str]:
        """What these searches read."""
        return list(dict.fromkeys(path for one in self._searches_of(w) for path in self.search_input(one)))

    def search_pack_checks(self, w: Wildcards) -> list[str]:
        """What says of their networks' defaults that they do what they should."""
        return list(dict.fromkeys(path for one in self._searches_of(w) for path in self.search_check(one)))

    def search_pack_jobs(self, w: Wildcards, output: Any) -> list[str]:
        """Params function: these searches as jobs of their own."""
        lines = []
        for one in self._searches_of(w):
            line = ["trials", one.method, "--learner", one.learner, "--dataset", one.dataset, "--seed", one.seed]
            line += ["--n-trials", self.search_trials(one), "--settings", self.search_settings(one)]
            line += ["--output", f"{output}/{one.learner}/{one.dataset}/seed{one.seed}.parquet"]
            lines.append(shlex.join(map(str, line)))
        return lines

    def search_pack_code(self, w: Wildcards) -> list[str]:
        """Params function: hashes of the code of these searches."""
        return list(dict.fromkeys(self.search_code(one) for one in self._searches_of(w)))

    def search_files(self, w: Wildcards) -> list[str]:
        """All searches of an experiment, after what they look up, where that holds several numbers of rows."""
        search, problems = self.searches[w.search], self._problems[w.search]
        return [
            f"results/{learner}/{name}.parquet"
            for learner, name in problems
            if learner in _LOOKED_UP and search.resource == "sizes"
        ] + [
            path
            for method in search.methods
            for learner, dataset in problems
            if method in self._n_trials[w.search, dataset]
            for path in self._seeds_of(search, method, learner, dataset)
        ]

    def _seeds_of(self, search: Search, method: str, learner: str, dataset: str) -> list[str]:
        """The searches of a method on a problem, one for each seed."""
        folder = f"results/trials/{method}/{learner}/{dataset}"
        return [f"{folder}/seed{seed}.parquet" for seed in range(self._blocks[search.name]["n_seeds"])]

    def gather_flags(self, w: Wildcards) -> str:
        """Flags that gather an experiment's searches; what they look up has no method to be ordered by."""
        search = self.searches[w.search]
        keys = {"lookup": " --by dataset seed", "curves": " --by dataset"}
        by = keys.get(search.problems[0][0], "") if search.resource == "sizes" else ""
        return f"--experiment {search.name}{' --by dataset seed' if search.resource == 'epochs' else by}"

    def lookup_settings(self, w: Wildcards) -> str:
        """What a table of fits is of."""
        return as_json({k: v for k, v in self.config["lookup"][w.table].items() if k != "n_rechecked"})

    def lookup_dataset(self, w: Wildcards) -> list[str]:
        """The files of the prepared dataset of a table."""
        return dataset_files(self.config["lookup"][w.table]["dataset"])

    def lookup_code(self, step: str) -> Callable[[Wildcards], str]:
        """Params function: hash of the code of a step towards a table of fits."""

        def found(w: Wildcards) -> str:
            block = self.config["lookup"][w.table]
            return hash_of(studies_jobs.lookup(step, block["learner"], block["dataset"]))

        return found

    def network_of(self, name: str) -> str:
        """The network of a set of stored curves, which may have a name of its own."""
        return str(self.networks_of_curves[name].get("network", name))

    def curve_settings(self, w: Wildcards) -> str:
        """What the curves of a set are of."""
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
            f"{name}_{block['dataset']}"
            for name, block in self.networks_of_curves.items()
            if not (extrapolated and isinstance(block["n_train"], list))
        ]

    def extrapolation_settings(self) -> str:
        """How curves are extrapolated."""
        block = self.config["big_data"]["curve_search"]
        return as_json({key: block[key] for key in ("check_share", "curve")})

    # What searches chose, fitted and tested ------------------------------------------------------------------

    def tuned(self) -> list[str]:
        """Learners that document 004 tunes."""
        return [name for name, search in self.searches.items() if search.paper == "hypertune"]

    def tuned_inputs(self, w: Wildcards) -> list[str]:
        """The prepared datasets that a learner is tuned on."""
        return [path for name in self.config["hypertune"][w.learner]["datasets"] for path in dataset_files(name)]

    def tuned_settings(self, w: Wildcards) -> str:
        """What a refit of document 004 is of."""
        block = self.config["hypertune"][w.learner]
        listed = ("n_train", "n_valid", "n_test", "scalers", "epochs")
        return as_json({key: block[key] for key in listed if key in block})

    def tuned_code(self, w: Wildcards) -> str:
        """Hash of the code of a refit of document 004."""
        datasets = self.config["hypertune"][w.learner]["datasets"]
        return hash_of(studies_jobs.refits("hypertune", [w.learner], datasets))

    def task2_settings(self) -> str:
        """What the refits of document 002's second task are of."""
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
        return looked_up + [
            path
            for method in self._compared(w)[0]
            for path in self._seeds_of(self._search_of[w.learner, w.dataset, method], method, w.learner, w.dataset)
        ]

    def compared_data(self, w: Wildcards) -> list[str]:
        """The prepared dataset that live searches' choices are fitted on."""
        return [] if w.learner in _LOOKED_UP else dataset_files(w.dataset)

    def compared_settings(self, w: Wildcards) -> str:
        """What live searches' choices are fitted on, and the compared methods that are not run."""
        settings: dict[str, Any] = {}
        if w.learner not in _LOOKED_UP:
            block = self._blocks["compared_live"]
            settings = {key: block[key] for key in ("n_train", "n_valid", "n_test")}
            settings["scalers"] = {w.dataset: block["scaler"]}
        not_run = self._compared(w)[1]
        return as_json(settings | ({"not_run": not_run} if not_run else {}))

    # Tables, figures and claims ------------------------------------------------------------------------------

    def artefact_inputs(self, kind: str) -> Callable[[Wildcards], list[str]]:
        """Input function: the runs of a table, a figure or claims; the datasets of a figure that explains."""
        return lambda w: self._artefact_inputs(w.paper, kind, f"claims{w.part}" if kind == "claims" else w.name)

    def _artefact_inputs(self, paper: str, kind: str, name: str) -> list[str]:
        shown = self.shown[paper]
        if self._explains(paper, kind, name):
            return [path for dataset in shown.explained[name] for path in dataset_files(dataset)]
        runs = {"table": shown.tables, "figure": shown.figures, "claims": shown.claims}[kind]
        return self._runs(paper, kind, name, runs)

    def _explains(self, paper: str, kind: str, name: str) -> bool:
        """Whether a figure explains by a small real run of a seed."""
        return kind == "figure" and name in self.shown[paper].explained

    def figure_source(self, w: Wildcards, input: Any) -> list[str]:
        """Params function: the flag of what a figure is drawn from, and its values."""
        if self._explains(w.paper, "figure", w.name):
            return ["--seed", str(self.config[w.paper]["figure_seed"])]
        return ["--runs", *input]

    def pack_inputs(self, w: Wildcards) -> list[str]:
        """What a pack of tables, figures and claims is made from: the same runs, or datasets if it explains."""
        listed = [self._artefact_inputs(w.paper, kind, name) for kind, name in self.packs[w.paper][w.pack]]
        return list(dict.fromkeys(path for paths in listed for path in paths))

    def pack_jobs(self, w: Wildcards, input: Any, output: Any) -> list[str]:
        """Params function: the jobs of a pack, which write under its folder what they would under the paper's."""
        lines = []
        for kind, name in self.packs[w.paper][w.pack]:
            path = PurePosixPath(files(kind, w.paper, name)[0]).relative_to(f"results/{w.paper}")
            line = [kind, w.paper, *([] if kind == "claims" else [name])]
            if kind == "figure":
                line += self.figure_source(SimpleNamespace(paper=w.paper, name=name), input)
                line += ["--caption", caption(w.paper, name, self.config, kind=kind)]
            else:
                line += ["--runs", *input, "--scale", self.config["scale"]]
            lines.append(shlex.join([*line, "--output", str(PurePosixPath(str(output), path))]))
        return lines

    def pack_code(self, w: Wildcards) -> list[str]:
        """Params function: hashes of the code of what is in a pack."""
        return [hash_of(studies_jobs.shown(kind, w.paper, name)) for kind, name in self.packs[w.paper][w.pack]]

    def pack_of(self, kind: str) -> Callable[[Wildcards], str]:
        """Input function: the folder of the pack that a table, a figure or claims are made in."""

        def found(w: Wildcards) -> str:
            name = f"claims{w.part}" if kind == "claims" else w.name
            for pack, listed in self.packs[w.paper].items():
                if (kind, name) in listed:
                    return f"results/{w.paper}/packs/{pack}"
            known = ", ".join(one for listed in self.packs[w.paper].values() for of, one in listed if of == kind)
            raise ValueError(f"{w.paper} has no {kind} {name!r}; it has {known or 'none'}")

        return found

    def derived_runs(self, w: Wildcards) -> list[str]:
        """The runs that another is computed from, if any."""
        return self._runs(w.paper, "derived run", w.name, self.shown[w.paper].derived)

    def derived_names(self) -> list[str]:
        """Names of the runs that are computed from others, or from nothing."""
        return sorted({name for made in self.shown.values() for name in made.derived})

    def _runs(self, paper: str, kind: str, name: str, named: artefacts.Made) -> list[str]:
        """Files of the runs that something of a paper is made from."""
        if name not in named:
            raise ValueError(f"{paper} has no {kind} {name!r}; it has {', '.join(named) or 'none'}")
        return [f"results/{self.shown[paper].run_path(run)}" for run in named[name]]

    def caption_of(self, kind: str) -> Callable[[Wildcards], str]:
        """Params function: the caption of a table or figure."""
        return lambda w: caption(w.paper, w.name, self.config, kind=kind)

    def documents_claims(self) -> list[str]:
        """The files of the documents' own claims."""
        return [f"results/{paper}/claims.csv" for paper, made in self.shown.items() if "claims" in made.claims]

    def claims_caption(self, w: Wildcards) -> str:
        """The caption of a file of claims."""
        return caption(w.paper, f"claims{w.part}", self.config, kind="claims")

    def shown_code(self, kind: str) -> Callable[[Wildcards], str]:
        """Params function: hash of the code of a table, a figure or claims."""
        return lambda w: hash_of(studies_jobs.shown(kind, w.paper, getattr(w, "name", "")))

    def derived_code(self, w: Wildcards) -> str:
        """Hash of the code of a run that is computed from others or from nothing."""
        return hash_of(studies_jobs.derived(w.paper, w.name))

    def files_of(self, paper: str, *, ours: bool | None = None) -> list[str]:
        """The files of a paper's tables, figures and claims.

        Args:
            paper: its name.
            ours: of document 001, what is our own study alone (True), or left out (False); None: all.
        """
        made = self.shown[paper]

        def asked(name: str) -> bool:
            is_ours = paper == "greedy_cv" and name.removeprefix("claims_") in SENSITIVITY_ONLY
            return ours is None or is_ours is ours

        return [
            *(path for name in made.tables if asked(name) for path in files("table", paper, name)),
            *(
                path
                for name in (*made.explained, *made.figures)
                if asked(name)
                for path in files("figure", paper, name)
            ),
            *(path for name in made.claims if asked(name) for path in files("claims", paper, name)),
        ]

    def targets(self) -> dict[str, list[str]]:
        """By the name of a target of its own the files of every table, figure and file of claims."""
        found = {}
        for paper, made in self.shown.items():
            kinds = {"table": made.tables, "figure": (*made.explained, *made.figures), "claims": made.claims}
            for kind, names in kinds.items():
                for name in names:
                    found[f"{paper}_{made.target(kind, name)}"] = files(kind, paper, name)
        return found


def files(kind: str, paper: str, name: str) -> list[str]:
    """The files of a table, a figure (pictures, numbers, caption), or claims with our findings beside them."""
    match kind:
        case "table":
            return [f"results/{paper}/tables/{name}{end}" for end in (".csv", ".md")]
        case "figure":
            return [f"results/{paper}/figures/{name}{end}" for end in (".png", ".svg", ".csv", ".md")]
    return [f"results/{paper}/{name}.csv", f"results/{paper}/{name.replace('claims', 'findings')}.csv"]
