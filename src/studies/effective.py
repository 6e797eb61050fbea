"""The settings of every job of a run, by problem and method: the code's defaults with the configuration over them.

`publish` records it, so that a reader of a number sees what made it without this code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, Final

from studies import registry
from studies.blocks import (
    NOT_OF_THE_PROBLEM,
    block_of,
    chosen_problems,
    n_trials_of,
    on_dataset,
    planned,
    tables_of_sizes,
)
from studies.records import Method, Study
from studies.trials_comparison.problems_and_methods import searches_of, shown_on

OF_PROBLEM: Final = "of the problem"
"""In place of a number of rows, classes or epochs that the problem supplies."""
ALL: Final = "all problems"

Settings = dict[str, Any]
ByMethod = dict[str, dict[str, dict[str, Settings]]]
"""By run, problem and method."""


@cache
def defaults() -> dict[str, dict[str, Settings]]:
    """Default values of settings, by family and name; `others` has those that belong to no family."""
    from frugal.folds import strategies as folds
    from frugal.trials import strategies as trials
    from frugal.trials.surrogates.dngo import AS_PYBNN, DNGO
    from frugal.trials.termination import Terminating
    from studies.exploration.as_coded import NAME, Doc002AsCoded

    dngo = _keywords(DNGO)
    coded = {**dngo, **_keywords(Doc002AsCoded), "as_coded": list(AS_PYBNN)}
    return {
        "folds": {name: plain(folds.settings_of(name)) for name in folds.known()},
        "trials": {name: plain(trials.settings_of(name)) for name in trials.known()} | {NAME: plain(coded)},
        "others": {"termination": plain(_keywords(Terminating)), "dngo": plain(dngo)},
    }


def _keywords(function: Callable[..., Any]) -> Settings:
    """Keywords and their defaults, without those that a search gives."""
    keywords = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    supplied = ("space", "n_trials", "rng", "seed", "known")
    return {keyword.name: keyword.default for keyword in keywords if keyword.name not in supplied}


def plain(value: Any) -> Any:
    """A value as JSON holds it; `required` for a setting without a default."""
    if value is inspect.Parameter.empty:
        return "required"
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def effective(folder: str, config: Mapping[str, Any]) -> ByMethod:
    """The settings of the jobs of all runs of a paper or a comparison.

    Raises:
        KeyError, ValueError: on a configuration of another version of the code.
    """
    found: ByMethod = {}
    for run, problem, method, settings in chain(
        _replayed(folder, config), _searched(folder, config), _experiments(folder, config)
    ):
        found.setdefault(run, {}).setdefault(problem, {})[method] = plain(settings)
    return found


Found = Iterator[tuple[str, str, str, Settings]]
"""Run, problem, method and its settings."""


def merged(family: str, strategy: str, settings: Mapping[str, Any]) -> Settings:
    """Settings of a strategy; numbers that its problem supplies are marked as such."""
    values = {name: value for name, value in defaults()[family][strategy].items() if name != "initial"}
    names = ("n_rows", "n_classes", "max_resource")
    facts = {name: OF_PROBLEM for name in names if values.get(name, 0) in (None, "required")}
    return {"strategy": strategy, **values, **facts, **settings}


def _replayed(folder: str, config: Mapping[str, Any]) -> Found:
    """Strategies of the folds family on kept scores."""
    for study in registry.paper(folder).studies:
        replayed = {} if study.replayed is None else study.replayed(study, config)
        for run, methods in replayed.items():
            for method in methods:
                yield run, ALL, method.name, merged("folds", method.strategy, method.settings)


def _searched(folder: str, config: Mapping[str, Any]) -> Found:
    """Searches of the trials family; a comparison shows those of the experiments beside it, too."""
    studies = registry.paper(folder).studies
    compared = any(study.chooses for study in studies)
    for search in searches_of(config).values() if compared else [study for study in studies if study.problems]:
        block = block_of(search, config)
        for learner, dataset in chosen_problems(search, block):
            run = f"{learner}-{dataset}" if compared else search.name
            for name, n_trials in n_trials_of(search, block, dataset).items():
                if not compared or _is_shown(config, learner, dataset, name):
                    settings = _of_search(search, search.method(name), config, (learner, dataset))
                    yield run, f"{learner} on {dataset}", name, {"n_trials": n_trials, **settings}


def _is_shown(config: Mapping[str, Any], learner: str, dataset: str, method: str) -> bool:
    try:
        return method in shown_on(config, learner, dataset)
    except ValueError:  # no experiment of the comparison is on this problem
        return False


def _of_search(search: Study, method: Method, config: Mapping[str, Any], problem: tuple[str, str]) -> Settings:
    """Settings of a search, as `benchmarks.searches.search` merges them."""
    block = block_of(search, config)
    table = tables_of_sizes(config).get(problem, block)
    planned_settings = planned(search, method, block, problem[1], table=table)
    strategy = planned_settings.pop("strategy", method.name)
    of_problem = {name: value for name, value in block.items() if name not in NOT_OF_THE_PROBLEM}
    if search.resource == "rows":
        of_problem |= on_dataset(block, problem[1])
    first = {"n_initial": of_problem.pop("n_initial")} if "n_initial" in of_problem else {}
    if "termination" in planned_settings:
        planned_settings["termination"] = _rule(planned_settings["termination"])
    return {**merged("trials", strategy, {**first, **planned_settings}), "problem": of_problem}


def _experiments(folder: str, config: Mapping[str, Any]) -> Found:
    """Experiments that are no searches by a strategy alone: their settings, and what a method adds to them."""
    for study in registry.paper(folder).studies:
        if study.run is not None:
            block = {key: value for key, value in config[folder][study.name].items() if key != "n_seeds"}
            for name in study.method_names:
                added = {} if study.recorded_settings is None else study.recorded_settings(name, block)
                yield study.name, ALL, name, {**block, **added}


def given_by_problem(strategy: str) -> list[str]:
    """Settings of a strategy that an experiment supplies, such as the sizes of one that chooses among them."""
    return [key for key in ("sizes", "n_valid") if key in defaults()["trials"].get(strategy, {})]


def termination_of(method: Method, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The rule that cuts the trials of a method short, by the name `termination`; None where there is none."""
    return {"termination": None if method.termination is None else _rule(settings["termination"])}


def _rule(settings: Mapping[str, Any]) -> Settings:
    """Settings of `Terminating`; its p follows from `check_share`, if the settings have that."""
    follows = ("horizon", "p") if "check_share" in settings else ("horizon",)
    return {**defaults()["others"]["termination"], **dict.fromkeys(follows, OF_PROBLEM), **settings}
