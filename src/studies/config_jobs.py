"""Checks of a configuration by the code that its jobs run, without data or a fit: what a job would refuse later.

They are apart from `config.check`, which every job of the workflow repeats, since importing the strategies takes
seconds.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from frugal import learners
from frugal.benchmarks.problem_by_name import FUNCTION, LOOKUP
from frugal.benchmarks.searches import on_curves
from frugal.checks import check_known, check_whole
from frugal.datasets.catalogue import CATALOGUE, parse_name
from frugal.trials import strategies
from frugal.trials.ledger import LARGEST_DESIGN
from studies import registry
from studies.blocks import (
    ROWS,
    block_of,
    chosen_problems,
    class_counts_of,
    curve_sets,
    n_trials_of,
    on_dataset,
    planned,
    readings_with,
    settings_of,
)
from studies.builds import build, check_search, curves_of, grid_or_space, hollow, n_train_of, table_of
from studies.folds_comparison.entries import entries_of
from studies.records import Method, Study
from studies.settings import named
from studies.trials_comparison.problems_and_methods import searches_of


def check_jobs(config: Mapping[str, Any], *, source: str = "config") -> None:
    """Refuse a configuration if one of its jobs would refuse its settings.

    The configuration is one that `config.check` accepts.

    Raises:
        ValueError: one sentence with source, block and what is wrong.
    """
    with named(source):
        _check_terminations(config)
        _check_compared(config)
        _check_tables(config)
        _check_searches(config)
        _check_experiments(config)
        _check_folds(config)
        _check_readings(config)
        _check_defaults(config)


# Rules and names -----------------------------------------------------------------------------------------------


def _check_terminations(config: Mapping[str, Any]) -> None:
    """Build each termination rule once: it checks its own settings."""
    ends = {name: block["n_epochs"] for name, (_, block) in curve_sets(config).items()}
    for search in searches_of(config).values():
        with named(f"{registry.paper_of(search.name)}.{search.name}"):
            for method in search.methods:
                for _, problem in search.problems if method.termination is not None else ():
                    settings = planned(search, method, block_of(search, config), problem)
                    _check_termination(json.dumps(on_curves(settings["termination"], ends[problem])))


@lru_cache(maxsize=1024)
def _check_termination(settings: str) -> None:
    """Build a rule, once a process for the same settings."""
    strategies.check_termination(json.loads(settings))


_OF_SEARCHES: Final = {"n_initial", "divisor"}
"""Settings of a method that its strategy does not take."""


def _check_compared(config: Mapping[str, Any]) -> None:
    """Build each compared strategy of folds once, and ask those of trials for their settings."""
    entries_of(config)
    block = config["folds_comparison"]
    for name in block.get("datasets", ()):
        with named("folds_comparison.datasets"):
            _check_dataset(name, "it", config["opt_in"])
    for name in block.get("classifiers", ()):
        with named("folds_comparison.classifiers"):
            learners.check_fitted(name)
            check_known(f"space of {name}", block["space"], sorted(learners.record(name).spaces))
    for i, line in enumerate(config["trials_comparison"]["compared"]):
        with named(f"trials_comparison.compared.{i} ({line['name']})"):
            strategies.check_strategy(line["strategy"], set(line.get("settings", ())) - _OF_SEARCHES)
    for name, search in searches_of(config).items():
        block = block_of(search, config)
        for method in search.methods if search.chooses else ():
            with named(f"{registry.paper_of(name)}.{name}: {method.name}"):
                strategies.check_strategy(method.strategy, set(settings_of(method, block)) - _OF_SEARCHES)


# Searches ------------------------------------------------------------------------------------------------------


def _check_searches(config: Mapping[str, Any]) -> None:
    for name, search in searches_of(config).items():
        block = block_of(search, config)
        with named(f"{registry.paper_of(name)}.{name}"):
            chosen = chosen_problems(search, block)
            by_dataset = [block[key] for key in ROWS if isinstance(block.get(key), Mapping)]
            possible = [
                (learner, problem)
                for learner, problem in search.problems
                if all(problem in numbers for numbers in by_dataset)
            ]
            for learner, problem in chosen or possible[:1]:  # one where none is run at this scale
                _check_problem(search, block, learner, problem, config, is_run=bool(chosen))


def _check_problem(
    search: Study,
    block: Mapping[str, Any],
    learner: str,
    problem: str,
    config: Mapping[str, Any],
    *,
    is_run: bool,
) -> None:
    """Build the strategy of every method on a problem, as `benchmarks.searches.search` does."""
    table = table_of(learner, problem, config)
    facts: dict[str, Any] = {}
    space: tuple[Any, ...]
    if learner == FUNCTION:
        space = ("function", problem)
    elif table is not None:
        facts = {"n_rows": max(table["sizes"]), "max_resource": table.get("n_epochs")}
        if learner == LOOKUP:
            space = ("grid", table["learner"], table["space"], table["n_per_dimension"])
        else:
            space = ("learner", table["network"], learners.record(table["network"]).default_space)
    else:
        settings = {**block, **(on_dataset(block, problem) if search.resource == "rows" else {})}
        if "epochs" in settings and not learners.in_epochs(learner):
            raise ValueError(f"epochs must be left out, since {learner} does not train in epochs")
        n_rows = settings["n_train"]
        if is_run:
            n_rows = n_train_of(problem, settings["n_valid"], settings.get("n_test"), settings["n_train"])
        facts = {"n_rows": n_rows, "n_classes": hollow(problem).n_classes}
        facts["max_resource"] = settings.get("epochs", learners.n_epochs(learner))
        space = ("learner", learner, settings.get("space", learners.record(learner).default_space))
    facts = {name: fact for name, fact in facts.items() if fact is not None}
    n_trials = n_trials_of(search, block, problem)
    for method in search.methods:
        with named(method.name):
            if method.name in n_trials:
                settings = planned(search, method, block, problem, table=table or block)
                check_search(settings, method.name, space, n_trials[method.name], block, facts)
            else:
                _check_not_run(method, space, block)


N_TRIED: Final = 1000
"""Trials with which a method is tried out that is not run at this scale."""


def _check_not_run(method: Method, space: tuple[Any, ...], block: Mapping[str, Any]) -> None:
    """Build a method that is not run at this scale, with `N_TRIED` trials: other scales take its settings."""
    settings = {name: value for name, value in settings_of(method, block).items() if name != "divisor"}
    n_initial = settings.pop("n_initial", 1)
    check_whole("n_initial", n_initial, 1, LARGEST_DESIGN)
    build(method.strategy, space, max(N_TRIED, n_initial), n_initial, n_initial, json.dumps(settings), "{}")


# Tables, curves, experiments, folds ----------------------------------------------------------------------------


def _check_tables(config: Mapping[str, Any]) -> None:
    for name, block in config["lookup"].items():
        with named(f"lookup.{name}"):
            learners.check_fitted(block["learner"])
            grid_or_space("grid", block["learner"], block["space"], block["n_per_dimension"])
            if block["learner"] == "svm" and block.get("scaler", "none") != "none":
                raise ValueError(f"scaler must be none for the learner svm, got {block['scaler']}")
            if len(block["n_subsets"]) != len(block["sizes"]):
                found = f"got {block['n_subsets']}"
                raise ValueError(f"n_subsets must hold {len(block['sizes'])} numbers, as sizes does, {found}")
            dimensions = len(learners.space(block["space"], block["learner"]).dimensions)
            n_cells = block["n_per_dimension"] ** dimensions * sum(block["n_subsets"])
            check_whole("n_rechecked", block["n_rechecked"], 1, n_cells, "the cells of the table")
            n_rows = n_train_of(block["dataset"], block["n_valid"], block["n_test"] or None, block["n_train"])
            for size in block["sizes"]:
                check_whole("sizes", size, hollow(block["dataset"]).n_classes, n_rows, "the training rows")
    for name, block in config["curves"]["networks"].items():
        with named(f"curves.networks.{name}"):
            sizes = curves_of(name, config)["sizes"]
            if sizes != sorted(sizes, reverse=True):
                raise ValueError(f"n_train must have the largest number of rows first, got {sizes}")
            n_train_of(block["dataset"], block["n_valid"], None, sizes[0])


def _check_experiments(config: Mapping[str, Any]) -> None:
    for name, study in registry.experiments().items():
        paper = registry.paper_of(name)
        block = config[paper][name]
        with named(f"{paper}.{name}"):
            for dataset in study.datasets_in(block):
                if dataset not in study.simulated:
                    _check_dataset(dataset, study.datasets, config["opt_in"])
            if study.check is not None:
                study.check(block, config)


def _check_dataset(name: str, key: str, opt_in: Collection[str]) -> None:
    hollow(name)
    base = parse_name(name)[0]
    if CATALOGUE[base].opt_in and base not in opt_in:
        raise ValueError(f"opt_in must hold {base}, of which {key} makes use")


def _check_folds(config: Mapping[str, Any]) -> None:
    """Refuse more folds than the smallest class of a dataset can fill."""
    folds: dict[str, tuple[Sequence[int], Sequence[str]]] = {}
    for document in map(registry.paper, registry.PAPERS):
        for study in document.studies:
            folds |= study.folds(study, config) if study.folds is not None else {}
    folds["strategies.successive_halving.cv"] = (
        [config["strategies"]["successive_halving"]["cv"]],
        [*config["greedy_cv"]["datasets"], *config["folds_comparison"].get("datasets", ())],
    )
    for where, (numbers, datasets) in folds.items():
        with named(where):
            for dataset in datasets:
                most, meaning = _least_class(dataset), f"the rows of a class of {dataset}"
                for number in numbers:
                    check_whole("the number of folds", number, 2, most, meaning)


def _check_readings(config: Mapping[str, Any]) -> None:
    """Refuse a reading of document 001 in which a study's runs are those of another: they would count twice."""
    block = config["greedy_cv"]
    usual = config["strategies"]["successive_halving"].get("failed", "last")
    for study in (study for study in registry.paper("greedy_cv").studies if study.replayed is not None):
        names = readings_with(block, study.name) if study.kind_of(study.name) else []
        seen = dict[tuple[Any, ...], str]()
        for name in ("", *names):
            reading = {"failed": usual, **block, **(block["readings"][name] if name else {})}
            keys = ["space", "scaler", "splits", "tie_rule"]
            keys += ["failed"] if "successive_halving" in study.method_names else []
            key = tuple(reading[one] for one in keys)
            if key in seen:
                other = f"of the reading {seen[key]}" if seen[key] else "of the study itself"
                raise ValueError(
                    f"greedy_cv.readings.{name}: its runs of {study.name} would be those {other}; leave "
                    f"{study.name} out of its studies"
                )
            seen[key] = name


def _check_defaults(config: Mapping[str, Any]) -> None:
    """Refuse subsets for a network's default that there are not."""
    for name, default in config["hypertune"]["defaults"].items():
        with named(f"hypertune.defaults.{name}"):
            for _, dataset in registry.study(name).problems:
                hollow(dataset if default["n_rows"] is None else f"{dataset}_{default['n_rows']}")


def _least_class(dataset: str) -> int:
    """Rows of the smallest class; for a subset, an upper bound: its training rows over the number of classes."""
    base, n_rows = parse_name(dataset)
    counts = class_counts_of(base)
    return min(counts) if n_rows is None else len(hollow(dataset).training().y) // len(counts)
