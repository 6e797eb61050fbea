"""Jobs of the folds family: kept scores, searches replayed on them, and the comparison of all strategies."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, get_args

from frugal.datasets.catalogue import parse_name
from frugal.learners import NETWORKS, SCALERS, check_learner
from studies import registry
from studies.blocks import readings_with
from studies.folds_comparison.entries import HALVING, entries_of
from studies.greedy_cv.factorial import combinations
from studies.greedy_cv.settings import Tabulated
from studies.plan.common import ALL, Config, Wildcards, as_json, shares
from studies.settings import named

OLSON_SCALERS: Final = {"bernoulli_nb": "min_max", "decision_tree": "none", "knn": "robust"}
"""Scalers of Olson et al.'s code; that of the tree, which orders every feature as before, is left out."""
OWN_SEEDS: Final = "own_seeds"
"""In a variant's label: every tree has a `random_state` of its own."""
_WITH_READINGS: Final = get_args(Tabulated)
"""Names of document 001's experiments that may be run in other readings."""
_KEPT: Final = "results/folds/{root}/{dataset}/{classifier}/{variant}/k{k}/seed{seed}"
_SEARCH: Final = "{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet"


class FoldJobs:
    """Jobs of documents 000 and 001, and of the comparison of fold strategies.

    Attributes:
        config: all keys.
        greedy_cv: block of document 001.
        network: block of document 000's network.
        comparison: block of the comparison.
        entries: compared strategies, by name.
        replays: document 001's experiments on kept scores, by name.
        gathered: names of those in `replays` whose searches are gathered in one run of the same name, and in
            further runs for other readings of the document.
        timed: name of the one in `gathered` that is on timed fits.
        packed: names of the others in `gathered`, whose searches may run in packs, many in one job.
        explored: strategies that document 000's experiment replays.
    """

    def __init__(self, config: Config) -> None:
        """Read the configuration.

        Raises:
            ValueError: if entries of the comparison do not go together; the message says which.
        """
        self.config = config
        self.greedy_cv: Config = config["greedy_cv"]
        self.network: Config = config["beta_pruning"]["network"]
        self.comparison: Config = config["folds_comparison"]
        self.entries = entries_of(config)
        for key, check in (("datasets", parse_name), ("classifiers", check_learner)):
            with named(f"folds_comparison.{key}"):
                for name in self.comparison.get(key, ()):
                    check(name)
        self.replays = {one.name: one for one in registry.paper("greedy_cv").studies if one.replayed}
        self.gathered = [name for name, study in self.replays.items() if study.kind_of(name)]
        self.timed = next(name for name in self.gathered if self.replays[name].is_timed)
        self.packed = [name for name in self.gathered if name != self.timed]
        self.explored = registry.study("swept").method_names

    def variant_of(self, settings: Config, classifier: str) -> str:
        """Label of how scores of a classifier are made, from the settings that change them."""
        scaler = OLSON_SCALERS.get(classifier, "none") if settings["scaler"] == "olson" else settings["scaler"]
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
        lengths = [
            n
            for name, study in self.replays.items()
            if study.is_timed == timed and self._is_searched(name, w)
            for n in self.greedy_cv[name]["n_candidates"]
        ]
        return f"{flags} --n-ranges {max([*lengths, *self._compared_lengths(w, timed=timed)])}"

    def _compared_variant(self, classifier: str) -> str:
        """Label of how the scores are made that the comparison searches."""
        return self.variant_of({**self.greedy_cv, "space": self.comparison["space"]}, classifier)

    def _compared_lengths(self, w: Wildcards, *, timed: bool) -> list[int]:
        """Lengths of the lists that the comparison searches among scores that are made as a variant says."""
        is_read = w.variant == self._compared_variant(w.classifier) and (
            self.comparison["n_timed_seeds"] > 0 or not timed
        )
        return list(self.comparison["n_candidates"]) if is_read else []

    def rung_lengths(self, experiment: str) -> Callable[[Wildcards], list[int]]:
        """Params function: lengths of the lists whose rungs of halving are fitted, the comparison's among them."""
        is_timed = self.replays[experiment].is_timed

        def found(w: Wildcards) -> list[int]:
            lengths = self.greedy_cv[experiment]["n_candidates"]
            return sorted({*lengths, *self._compared_lengths(w, timed=is_timed)})

        return found

    def _is_searched(self, experiment: str, w: Wildcards) -> bool:
        """Whether an experiment may search among scores that are made as a variant says.

        An experiment with other readings searches only among the scores of its readings.
        """
        if experiment not in _WITH_READINGS:
            return True
        known = self.greedy_cv["readings"]
        readings = [{}, *(known[name] for name in readings_with(self.greedy_cv, experiment))]
        return w.variant in [self.variant_of({**self.greedy_cv, **one}, w.classifier) for one in readings]

    def timed_flags(self, w: Wildcards) -> str:
        """The command-line flags of timed fits."""
        return f"--timed {self.scoring_flags(w, timed=True)}"

    def settings_of(self, w: Wildcards) -> str:
        """A strategy's own block of the configuration; nothing else re-runs its searches."""
        return as_json(self.config["strategies"].get(w.method, {}))

    def rung_settings(self, w: Wildcards) -> str:
        """Settings of successive halving that its rungs depend on, with the number of folds in their path.

        How it ranks failed fits is not among them, so that another reading of the document fits no rung again.
        """
        block = {**self.config["strategies"]["successive_halving"], "cv": int(w.k)}
        return as_json({name: value for name, value in block.items() if name != "failed"})

    def datasets_of(self, experiment: str) -> list[str]:
        """The datasets of one of document 001's experiments."""
        study = self.replays[experiment]
        assert study.folds is not None
        return [name for _, datasets in study.folds(study, self.config).values() for name in datasets]

    def lengths(self, experiment: str | None = None) -> Callable[[Wildcards], list[int]]:
        """Params function: lengths of the candidate list that a job does, the one in its path or all.

        Args:
            experiment: whose; None: that which searches with this method on this dataset.
        """

        def found(w: Wildcards) -> list[int]:
            if w.n != ALL:
                return [int(w.n)]
            return list(self.greedy_cv[experiment or self._experiment_of(w)]["n_candidates"])

        return found

    def _experiment_of(self, w: Wildcards) -> str:
        """The experiment of document 001 that searches with this method on this dataset, untimed.

        Raises:
            ValueError: if this configuration has none; the message has the datasets of the method.
        """
        names = [name for name in self.packed if w.method in self.replays[name].method_names]
        for name in names:
            if w.dataset in self.datasets_of(name):
                return name
        known = ", ".join(sorted({dataset for name in names for dataset in self.datasets_of(name)})) or "none"
        raise ValueError(f"this configuration has no search by {w.method} on {w.dataset}; it has those on {known}")

    def _searches(
        self, experiment: str, *, method: str = "", classifiers: Sequence[str] | None = None
    ) -> list[Wildcards]:
        """All searches of an experiment, each as the wildcards of its own path.

        Args:
            experiment: of document 001.
            method: one of its methods; empty: all.
            classifiers: by default those of the study.
        """
        block = self.greedy_cv[experiment]
        return [
            SimpleNamespace(method=name, dataset=dataset, classifier=classifier, n=n, k=k, first=first, last=last)
            for name in ([method] if method else self.replays[experiment].method_names)
            for dataset in self.datasets_of(experiment)
            for classifier in (self.greedy_cv["classifiers"] if classifiers is None else classifiers)
            for n in ([ALL] if self.config["lengths_per_job"] == "all" else block["n_candidates"])
            for k in block["n_folds"]
            for first, last in shares(block["n_seeds"], self.config["seeds_per_job"])
        ]

    def _files(self, folder: str, experiment: str, classifiers: Sequence[str] | None = None) -> list[str]:
        """The results of all searches of an experiment, under a folder of `results/folds`."""
        searches = self._searches(experiment, classifiers=classifiers)
        return [f"results/folds/{folder}/{one.method}/{_SEARCH.format(**vars(one))}" for one in searches]

    def experiment_files(self, w: Wildcards) -> list[str]:
        """The search results of one of document 001's experiments, in another reading if the path names one."""
        reading = f"readings/{w.name}/" if hasattr(w, "name") else ""
        return self._files(f"{reading}{'wall_clock' if w.experiment == self.timed else 'search'}", w.experiment)

    def experiment_labels(self, w: Wildcards) -> str:
        """Labels of the reading that an experiment's runs are of, as JSON; none where it has no readings."""
        return as_json(self._labels(self._settings_read(w)) if w.experiment in _WITH_READINGS else {})

    def _labels(self, settings: Config) -> dict[str, str]:
        """Labels that tell one reading's runs from another's."""
        parts = [settings[name] for name in ("space", "scaler", "splits", "tie_rule")]
        shown = [*parts[:2], *(part for part in parts[2:] if part not in ("stratified", "random"))]
        usual = self.config["strategies"]["successive_halving"].get("failed", "last")
        return {"reading": "/".join(shown), "failed": settings.get("failed", usual)}

    def reading_settings(self, w: Wildcards) -> Config:
        """How scores are made and searches measured in another reading of the document."""
        return {**self.greedy_cv, **self.greedy_cv["readings"][w.name]}

    def reading_strategy(self, w: Wildcards) -> str:
        """A strategy's own block of the configuration, with where halving ranks failed fits in a reading."""
        is_other = w.method == "successive_halving" and "failed" in self.greedy_cv["readings"][w.name]
        changed = {"failed": self.greedy_cv["readings"][w.name]["failed"]} if is_other else {}
        return as_json({**self.config["strategies"].get(w.method, {}), **changed})

    def factorial_settings(self, w: Wildcards) -> Config:
        """How scores are made and searches measured in a combination."""
        return {**self.greedy_cv, **combinations(self.greedy_cv["factorial"])[w.name]}

    def factorial_files(self, w: Wildcards) -> list[str]:
        """The search results of one combination, of the classifiers whose scores depend on all of its settings.

        A scaler makes no difference to a tree, nor does a tree's seed to other classifiers.
        """
        settings = self.factorial_settings(w)
        classifiers = [
            name
            for name in self.greedy_cv["classifiers"]
            if (settings["scaler"] == "none" if name == "decision_tree" else settings["tree_seed"] == "repetition")
        ]
        return self._files(f"factorial/{w.name}", "factorial", classifiers)

    def factorial_labels(self, w: Wildcards) -> str:
        """Labels of the combination that runs are of, as JSON."""
        return as_json(combinations(self.greedy_cv["factorial"])[w.name])

    def variant_settings(self, w: Wildcards) -> Config:
        """How scores are made and searches measured in a sensitivity variant."""
        return {**self.greedy_cv, **self.greedy_cv["sensitivity"]["variants"][w.name]}

    def variant_files(self, w: Wildcards) -> list[str]:
        """The search results of one sensitivity variant."""
        return self._files(f"variants/{w.name}", "sensitivity")

    def _kept(self, w: Wildcards, variant: str, root: str = "scores") -> list[str]:
        """Score files of a search's seeds, and the rungs where its strategy is successive halving."""
        cv = self.config["strategies"]["successive_halving"]["cv"]
        rungs = [cv] if w.method == "successive_halving" else []
        cell = {"root": root, "dataset": w.dataset, "classifier": w.classifier, "variant": variant}
        return self._score_files(cell, range(int(w.first), int(w.last) + 1), [int(w.k)], rungs)

    def _score_files(
        self, cell: Mapping[str, str], seeds: Iterable[int], n_folds: Iterable[int], rungs: Iterable[int]
    ) -> list[str]:
        """Score files of seeds: of these numbers of folds, and of the rungs with those."""
        return [
            f"{_KEPT}/folds{first}-{last}.parquet".format(**cell, k=k, seed=seed)
            for k in n_folds
            for seed in seeds
            for first, last in shares(k, self.config["folds_per_job"])
        ] + [f"{_KEPT}/rungs.parquet".format(**cell, k=k, seed=seed) for seed in seeds for k in rungs]

    def kept_scores(self, w: Wildcards) -> list[str]:
        """Kept scores of a search's seeds, in the reading of its path; sizes have a space of their own."""
        changed = {} if w.dataset in self.greedy_cv["datasets"] else {"space": self.greedy_cv["sizes"]["space"]}
        return self._kept(w, self.variant_of({**self._settings_read(w), **changed}, w.classifier))

    def of_timed_fits(self, root: str) -> Callable[[Wildcards], list[str]]:
        """Input function: kept `scores` of a search's seeds from timed fits, or their `seconds`, a file each."""
        return lambda w: self._kept(w, f"{self.variant_of(self._settings_read(w), w.classifier)}-timed", root)

    def _settings_read(self, w: Wildcards) -> Config:
        """The settings of the reading in a path, or the study's own."""
        return self.reading_settings(w) if hasattr(w, "name") else self.greedy_cv

    def variant_scores(self, w: Wildcards) -> list[str]:
        """Kept scores of a search's seeds, made as a sensitivity variant says."""
        return self._kept(w, self.variant_of(self.variant_settings(w), w.classifier))

    def factorial_scores(self, w: Wildcards) -> list[str]:
        """Kept scores of a search's seeds, made as a combination says."""
        return self._kept(w, self.variant_of(self.factorial_settings(w), w.classifier))

    def replay_pack(self, w: Wildcards) -> str:
        """Folder of the job that does all searches of a method in an experiment, this one included."""
        return f"results/folds/packs/{self._experiment_of(w)}/{w.method}"

    def replay_pack_inputs(self, w: Wildcards) -> list[str]:
        """The kept scores of all searches of a method in an experiment."""
        searches = self._searches(w.experiment, method=w.method)
        return list(dict.fromkeys(path for one in searches for path in self.kept_scores(one)))

    def replay_pack_jobs(self, w: Wildcards, output: Any) -> list[str]:
        """Params function: these searches as jobs of their own."""
        lines = []
        for one in self._searches(w.experiment, method=w.method):
            line = ["search", "--method", one.method, "--scores", *self.kept_scores(one), "--n-candidates"]
            line += [*self.lengths(w.experiment)(one), "--seeds", f"{one.first}-{one.last}"]
            line += ["--settings", self.settings_of(one), "--tie-rule", self.greedy_cv["tie_rule"]]
            line += ["--output", f"{output}/{_SEARCH.format(**vars(one))}"]
            lines.append(shlex.join(map(str, line)))
        return lines

    # Networks -------------------------------------------------------------------------------------------------

    def network_scores(self) -> list[str]:
        """Kept scores of document 000's network, one file per fold, since a fold's trainings take minutes."""
        block = self.network
        cell = {"root": "scores", "dataset": block["dataset"], "classifier": block["name"], "k": block["n_folds"]}
        variant = f"grid-epochs{block['epochs']}"
        return [
            f"{_KEPT}/folds{fold}-{fold}.parquet".format(**cell, variant=variant, seed=seed)
            for seed in range(block["n_seeds"])
            for fold in range(block["n_folds"])
        ]

    def explored_settings(self) -> str:
        """Settings of the strategies that document 000's experiment replays."""
        return as_json({method: self.config["strategies"].get(method, {}) for method in self.explored})

    # Every strategy of the folds family on the same folds -----------------------------------------------------

    def comparison_scores(self, timed: str = "", root: str = "scores") -> Callable[[Wildcards], list[str]]:
        """Input function: kept files of a cell, all seeds and numbers of folds, and rungs if asked for.

        They are those of greedy_cv, or of beta_pruning's network.

        Args:
            timed: `-timed`, or nothing.
            root: `scores` or `seconds`.
        """
        listed = list(self.comparison["n_folds"])
        if timed:
            listed = [k for k in listed if k in self.greedy_cv[self.timed]["n_folds"]]
        seeds = range(self.comparison["n_timed_seeds" if timed else "n_seeds"])

        def found(w: Wildcards) -> list[str]:
            if w.classifier in NETWORKS:
                return self.network_scores()
            variant = f"{self._compared_variant(w.classifier)}{timed}"
            cell = {"root": root, "dataset": w.dataset, "classifier": w.classifier, "variant": variant}
            entry = self.entries[w.entry]
            rungs = [entry.settings["cv"]] if entry.strategy == HALVING else []
            return self._score_files(cell, seeds, listed, rungs)

        return found

    def entry_settings(self, w: Wildcards) -> str:
        """Settings of a compared strategy; nothing else of the configuration re-runs it."""
        return as_json(dict(self.entries[w.entry].settings))

    def entry_budget(self, w: Wildcards) -> str:
        """The command-line flag of a compared strategy's budget, if it has one."""
        share = self.entries[w.entry].budget_share
        return "" if share is None else f"--budget-share {float(share)}"

    def compared_lengths(self, w: Wildcards) -> str:
        """The command-line flag of the lengths of drawn lists, where the document does not list its candidates."""
        if w.classifier in NETWORKS:
            return ""
        return f"--n-candidates {' '.join(map(str, self.comparison['n_candidates']))}"

    def compared_files(self, w: Wildcards) -> list[str]:
        """The runs of every compared strategy on every cell, or on those with timed fits."""
        if w.kind == "network":  # on fewer rows it is not trained
            entries = [name for name, entry in self.entries.items() if entry.strategy != HALVING]
            cells = [(self.network["dataset"], self.network["name"])]
        else:
            entries = list(self.entries)
            of_document = self.datasets_of(self.timed if w.kind == "timed" else "search_time")
            datasets = self.comparison.get("datasets", of_document)
            classifiers = self.comparison.get("classifiers", self.greedy_cv["classifiers"])
            cells = [(dataset, classifier) for dataset in datasets for classifier in classifiers]
        return [
            f"results/folds_comparison/{w.kind}/{entry}/{dataset}/{classifier}.parquet"
            for entry in entries
            for dataset, classifier in cells
        ]
