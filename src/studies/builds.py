"""Build strategies, and data sets without features, to find what a job would refuse without running it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from frugal import learners
from frugal.benchmarks.functions import FUNCTIONS
from frugal.benchmarks.look_up_jobs import grid_of
from frugal.benchmarks.problem_by_name import CURVES, LOOKUP
from frugal.benchmarks.searches import N_INITIAL
from frugal.checks import check_whole
from frugal.datasets import Dataset
from frugal.datasets.catalogue import CATALOGUE, parse_name
from frugal.spaces import SearchSpace
from frugal.trials import strategies
from frugal.trials.ledger import LARGEST_DESIGN, initial_design
from frugal.trials.parts import split
from studies.blocks import class_counts_of, curve_sets
from studies.code import OTHERS

# Data sets -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def hollow(name: str) -> Dataset:
    """A dataset of the catalogue, or a subset such as letter_2000, with all its rows and none of their features.

    Raises:
        ValueError: if there is no such dataset, or it has fewer rows.
    """
    base, n_rows = parse_name(name)
    entry = CATALOGUE[base]
    splits = {part: np.arange(*ends) for part, ends in entry.splits.items()} or {"all": np.arange(entry.rows)}
    y = np.zeros(entry.rows, dtype=np.int64)
    whole = Dataset(base, np.empty((entry.rows, 0)), y, len(class_counts_of(base)), "original", splits)
    return whole if n_rows is None else whole.subset(n_rows)


@lru_cache(maxsize=256)
def n_train_of(name: str, n_valid: int, n_test: int | None, n_train: int | None) -> int:
    """Training rows of a problem on a dataset, once rows are set apart as `problem_by_name.problem` does it.

    Raises:
        ValueError: if there are not that many rows.
    """
    data = hollow(name)
    apart = 0 if "test" in data.splits or n_test is None else n_test
    return len(split(data, n_valid=n_valid, n_test=apart, n_train=n_train).train[1])


# Problems and strategies ---------------------------------------------------------------------------------------


def table_of(learner: str, problem: str, config: Mapping[str, Any]) -> dict[str, Any] | None:
    """The block of a table or a set of curves, with its sizes and network; None: it is neither."""
    if learner == LOOKUP:
        return dict(config["lookup"][problem])
    if learner != CURVES:
        return None
    return curves_of(curve_sets(config)[problem][0], config)


def curves_of(name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The block of a set of curves, with its sizes and network."""
    block = config["curves"]["networks"][name]
    n_train = block["n_train"]
    return {"network": name, **block, "sizes": n_train if isinstance(n_train, list) else [n_train]}


def check_search(
    settings: Mapping[str, Any],
    method: str,
    space: tuple[Any, ...],
    n_trials: int,
    block: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> None:
    """Build the strategy of a search, and refuse numbers of first candidates that it could not start from.

    Args:
        settings: planned for the method on its problem.
        method: its name, that of its strategy unless `settings` say otherwise.
        space: as `build` takes it.
        n_trials: of the search.
        block: the experiment's settings; n_initial, if it has it, is drawn for all methods.
        facts: what only the problem knows.

    Raises:
        ValueError, TypeError: on what the strategy refuses.
    """
    keywords = {name: value for name, value in settings.items() if name not in ("draws", "termination")}
    name, n_drawn = keywords.pop("strategy", method), block.get("n_initial", min(N_INITIAL, n_trials))
    n_initial = keywords.pop("n_initial", n_drawn)
    check_whole("n_initial", n_drawn, 1, LARGEST_DESIGN)
    check_whole("n_initial", n_initial, 1, n_drawn, "the first candidates of all")
    check_whole("n_initial", n_initial, 1, n_trials, "n_trials")
    build(name, space, n_trials, n_drawn, n_initial, json.dumps(keywords), json.dumps(facts))


@lru_cache(maxsize=4096)
def build(
    name: str, space: tuple[Any, ...], n_trials: int, n_drawn: int, n_initial: int, settings: str, facts: str
) -> None:
    """Build a strategy, once a process for the same arguments.

    Args:
        name: of the strategy.
        space: arguments of `grid_or_space`: `function` and its name; `learner`, its name and that of its space; or
            `grid`, the same and how many values each hyperparameter has.
        n_trials: that it makes.
        n_drawn: first candidates of all methods.
        n_initial: of these, those that it starts from.
        settings: as JSON.
        facts: what only the problem knows, as JSON; the strategy takes those that its settings lack.

    Raises:
        ValueError, TypeError: on what the strategy refuses.
    """
    search_space, keywords, rng = grid_or_space(*space), json.loads(settings), np.random.default_rng(0)
    if name in OTHERS:
        from studies.exploration.as_coded import Doc002AsCoded

        Doc002AsCoded(space=search_space, n_trials=n_trials, rng=rng, n_initial=n_initial, **keywords)
        return
    known, of_problem = strategies.settings_of(name), json.loads(facts)
    if keywords.get("resource", "epochs") != "epochs":
        of_problem.pop("max_resource", None)
    keywords = {fact: value for fact, value in of_problem.items() if fact in known} | keywords
    if "initial" in known:
        keywords["initial"] = initial_design(search_space, n_drawn, np.random.default_rng(0))[:n_initial]
    strategies.make(name, space=search_space, n_trials=n_trials, rng=rng, **keywords)


@lru_cache(maxsize=64)
def grid_or_space(kind: str, name: str, space: str = "", n_per_dimension: int = 0) -> SearchSpace:
    """The space of a function, or of a learner; of a grid, with its values as choices."""
    if kind == "function":
        return FUNCTIONS[name].space
    whole = learners.space(space, name)
    if kind == "learner":
        return whole
    listed = grid_of(whole, n_per_dimension).dimensions
    known = learners.signs(name)
    return SearchSpace(listed, signs={name: known[name] for name in listed if name in known})
