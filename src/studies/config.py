"""The workflow's configuration: read, and refused with one sentence before anything is computed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

SCHEMA = Path("workflow/schemas/config.schema.yaml")


def read(path: str | Path) -> dict[str, Any]:
    """A YAML file as a mapping.

    Raises:
        ValueError: if it is not valid YAML, or not a mapping.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # no text, or no date or number as it is written
        raise ValueError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold keys and values, got {type(content).__name__}")
    return content


def merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the keys of `change` put in its place, mappings key by key, as Snakemake merges files."""
    merged = dict(base)
    for key, value in change.items():
        both = isinstance(value, Mapping) and isinstance(base.get(key), Mapping)
        merged[key] = merge(base[key], value) if both else value
    return {key: merge(value, {}) if isinstance(value, Mapping) else value for key, value in merged.items()}


def check(config: Mapping[str, Any], *, schema: str | Path = SCHEMA, source: str = "config") -> None:
    """Refuse a configuration that the workflow could not run.

    Args:
        config: all keys.
        schema: the JSON schema, as YAML.
        source: where the configuration comes from, for the message.

    Raises:
        ValueError: one sentence with source, key, value and what would have been accepted.
    """
    for key, value in _leaves(config, source):
        _check_leaf(key, value, source)
    validator = _validator(Path(schema), Path(schema).stat().st_mtime_ns)
    errors = sorted(validator.iter_errors(dict(config)), key=lambda e: [str(part) for part in e.path])
    if errors:
        raise ValueError(f"{source}: {_sentence(errors[0])}")
    _check_strategies(config["strategies"], source)
    _check_searches(config, source)
    study = config["greedy_cv"]
    if not set(study["datasets"]) & set(study["wall_clock"]["datasets"]):
        raise ValueError(f"{source}: greedy_cv.wall_clock.datasets has none of greedy_cv.datasets")


def check_all(config: Mapping[str, Any], *, schema: str | Path = SCHEMA, source: str = "config") -> None:
    """Refuse a configuration that `check` refuses, or some job of which would refuse its settings hours later.

    Args:
        config: all keys.
        schema: the JSON schema, as YAML.
        source: where the configuration comes from, for the message.

    Raises:
        ValueError: one sentence with source, key, value and what would have been accepted.
    """
    from studies.config_jobs import check_jobs

    check(config, schema=schema, source=source)
    check_terminations(config, source=source)
    check_compared(config, source=source)
    check_jobs(config, source=source)


LARGEST: Final = 10**9
"""No number of the configuration may be further from 0."""


def _leaves(value: Any, source: str, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no list and holds no others, with its key."""
    if isinstance(value, (Mapping, list)):
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for name, part in parts:
            if isinstance(value, Mapping) and not isinstance(name, str):
                where = f"{source}: {key or 'the top level'}"
                raise ValueError(f"{where} has the key {name!r}, but every key must be a string")
            yield from _leaves(part, source, f"{key}.{name}" if key else str(name))
    else:
        yield key, value


def _check_leaf(key: str, value: Any, source: str) -> None:
    if value is not None and not isinstance(value, (str, bool, int, float)):
        raise ValueError(f"{source}: {key} is {value!r}, but must be a text, a number, true, false or null")
    if isinstance(value, (int, float)) and not abs(value) <= LARGEST:
        raise ValueError(f"{source}: {key} is {value!r}, but must be a number from {-LARGEST} to {LARGEST}")


@lru_cache(maxsize=4)
def _validator(schema: Path, changed: int) -> Any:
    """The schema's validator, made again when its file has changed."""
    import jsonschema

    return jsonschema.Draft202012Validator(read(schema))


def _check_searches(config: Mapping[str, Any], source: str) -> None:
    from studies.blocks import block_of, check_block, check_unique, n_trials_of
    from studies.trials_comparison.problems_and_methods import searches_of

    try:
        searches = searches_of(config)
        check_unique(searches.values())
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    for name, search in searches.items():
        block = block_of(search, config)
        try:
            for _, problem in search.problems:
                n_trials_of(search, block, problem)
            check_block(search, block)
        except ValueError as error:
            raise ValueError(f"{source}: {search.paper}.{name}: {error}") from None


def check_terminations(config: Mapping[str, Any], *, source: str = "config") -> None:
    """Build each rule that cuts trials short once: it knows its settings best.

    Apart from `check`, which every job of the workflow repeats: importing what a rule is made of takes a second.

    Args:
        config: all keys, of a configuration that `check` accepts.
        source: where the configuration comes from, for the message.

    Raises:
        ValueError: one sentence with source, block and what is wrong.
    """
    from frugal.trials.searches import on_curves
    from studies.big_data.settings import rule_of
    from studies.blocks import block_of, planned
    from studies.trials_comparison.problems_and_methods import searches_of

    blocks, networks = config["big_data"], config["curves"]["networks"]
    ends = {f"{name}_{network['dataset']}": network["n_epochs"] for name, network in networks.items()}
    try:
        where = "big_data.growing_termination"
        block = blocks["growing_termination"]
        rule_of(block["termination"], block["horizon"])
        where = "big_data.terminating_fabolas"
        block = blocks["terminating_fabolas"]
        rule_of(block["termination"], networks[block["curves"]]["n_epochs"])
        for search in searches_of(config).values():
            where = f"{search.paper}.{search.name}"
            for method in search.compared:
                for _, problem in search.problems if method.termination is not None else ():
                    own = planned(search, method, block_of(search, config), problem)
                    _check_termination(json.dumps(on_curves(own["termination"], ends[problem])))
    except ValueError as error:
        raise ValueError(f"{source}: {where}: {error}") from None


def check_compared(config: Mapping[str, Any], *, source: str = "config") -> None:
    """Build each compared strategy of folds once, and ask those of trials for their settings; apart from `check`.

    Args:
        config: all keys, of a configuration that `check` accepts.
        source: where the configuration comes from, for the message.

    Raises:
        ValueError: one sentence with source, entry and what is wrong.
    """
    from studies.blocks import block_of, settings_of
    from studies.folds_comparison.entries import entries_of
    from studies.trials_comparison.problems_and_methods import searches_of

    try:
        entries_of(config)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    for name, search in searches_of(config).items():
        block = block_of(search, config)
        for method in search.compared if search.paper == "trials_comparison" else ():
            try:
                _check_names(method.strategy, frozenset(settings_of(method, block)) - {"n_initial", "divisor"})
            except ValueError as error:
                raise ValueError(f"{source}: {search.paper}.{name}: {method.name}: {error}") from None


def _check_strategies(strategies: Mapping[str, Mapping[str, Any]], source: str) -> None:
    for name, settings in strategies.items():
        try:
            _try_out(name, json.dumps(settings))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{source}: strategies.{name}: {error}") from error


# Each of these asks a strategy once a process for the same settings.


@lru_cache(maxsize=1024)
def _try_out(name: str, settings: str) -> None:
    from frugal.folds.strategies import try_out

    try_out(name, json.loads(settings))


@lru_cache(maxsize=1024)
def _check_names(name: str, settings: frozenset[str]) -> None:
    from frugal.trials.strategies import check_settings

    check_settings(name, settings)


@lru_cache(maxsize=1024)
def _check_termination(settings: str) -> None:
    from frugal.trials.strategies import check_termination

    check_termination(json.loads(settings))


def _sentence(error: Any) -> str:
    """One sentence for a schema violation: key, value, what is accepted."""
    key = ".".join(str(part) for part in error.absolute_path) or "the top level"
    schema = error.schema
    match error.validator:
        case "additionalProperties":
            known = sorted(schema.get("properties", {}))
            unknown = sorted(set(error.instance) - set(known))
            return f"unknown key {unknown[0]!r} at {key}; known keys: {', '.join(known)}"
        case "required":
            missing = sorted(set(error.validator_value) - set(error.instance))
            return f"key {missing[0]!r} is missing at {key}"
        case "enum":
            accepted = f"one of {', '.join(map(str, error.validator_value))}"
        case "type":
            accepted = f"of type {error.validator_value}"
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            accepted = _range(schema)
        case "minItems":
            accepted = f"a list of at least {error.validator_value} item(s)"
        case "pattern":
            accepted = "made of small letters, digits and _"
        case "minProperties":
            accepted = "a mapping of one entry or more"
        case "uniqueItems":
            accepted = "a list without repeats"
        case _:
            accepted = schema.get("description", f"what {error.validator} allows")
    return f"{key} is {error.instance!r}, but must be {accepted}"


def _range(schema: Mapping[str, Any]) -> str:
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    return " and ".join(f"{word} {schema[name]}" for name, word in words.items() if name in schema)
