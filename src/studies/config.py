"""The workflow's configuration: completed from the keys that are given, and refused in one sentence.

Light to import: the models of the settings, and YAML.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, get_args

import yaml
from pydantic import ValidationError

from studies.beta_pruning.settings import BetaPruning
from studies.big_data.settings import BigData
from studies.exploration.settings import Exploration
from studies.folds_comparison.settings import FoldsComparison
from studies.greedy_cv.settings import GreedyCv
from studies.hypertune.settings import HyperTune
from studies.settings import (
    LARGEST,
    NAME,
    OURS,
    AllCurves,
    Count,
    Distinct,
    Download,
    Lookup,
    OneOrAll,
    Scale,
    Settings,
    Strategies,
    merge,
    named,
    setting,
)
from studies.trials_comparison.settings import TrialsComparison

__all__ = ["KEYS", "LARGEST", "SCHEMA", "Configuration", "check", "check_all", "complete", "load", "merge", "read"]

SCHEMA: Final = Path("workflow/schemas/config.schema.yaml")
KEYS: Final = Path("docs/configuration.md")
SCALES: Final[tuple[str, ...]] = get_args(Scale)


class Configuration(Settings):
    """All keys of a configuration."""

    scale: Scale = setting("paper", OURS, "label of the run; stands in every table and caption")
    allow_stand_in: bool = setting(
        False, OURS, "whether a dataset that is out of reach may be replaced by a marked stand-in"
    )
    opt_in: Distinct[Literal["pima2"]] = setting([], OURS, "datasets that are fetched only on request")
    download: Download
    fan_out: Literal["packed", "full"] = setting(
        "packed",
        OURS,
        "full: a job for each method, dataset, classifier, seed, n, k and fold, and for each table, figure and"
        " file of claims; every number per job is then 1 unless it is given",
    )
    folds_per_job: Count = setting(20, OURS, "folds that one scoring job does")
    seeds_per_job: Count = setting(30, OURS, "repetitions that one search job does")
    lengths_per_job: OneOrAll = setting("all", OURS, "lengths n of the candidate list that one search job does")
    methods_per_job: OneOrAll = setting(
        "all", OURS, "methods of an experiment, on fewer rows for the most part, that one job does"
    )
    searches_per_job: OneOrAll = setting(
        1,
        OURS,
        "searches that one job does: one, or all of an experiment; of those that are replayed, all of a method",
    )
    shown_per_job: Literal["runs", "paper"] = setting(
        "runs",
        OURS,
        "tables, figures and claims that one job makes: those from the same runs, or all of a paper",
    )
    timed_alone: bool = setting(True, OURS, "whether no other job runs beside fits that are timed")
    strategies: Strategies
    greedy_cv: GreedyCv
    beta_pruning: BetaPruning
    folds_comparison: FoldsComparison
    big_data: BigData
    trials_comparison: TrialsComparison
    exploration: Exploration
    hypertune: HyperTune
    lookup: Lookup
    curves: AllCurves

    laptop: ClassVar = {"scale": "laptop", "allow_stand_in": True, "searches_per_job": "all"}
    smoke: ClassVar = {
        "scale": "smoke",
        "folds_per_job": 1,
        "seeds_per_job": 1,
        "lengths_per_job": 1,
        "searches_per_job": 1,
        "shown_per_job": "paper",
        "timed_alone": False,
    }
    desk: ClassVar = {"scale": "desk", "allow_stand_in": True}
    full: ClassVar[Mapping[str, Any]] = {
        "folds_per_job": 1,
        "seeds_per_job": 1,
        "lengths_per_job": 1,
        "methods_per_job": 1,
        "searches_per_job": 1,
        "curves": {"curves_per_job": 1},
    }


class _UniqueKeyLoader(yaml.SafeLoader):
    """A loader that refuses a key that stands twice, where YAML's others keep the last."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        found = set()
        for key, _ in node.value:
            if (key.tag, str(key.value)) in found:
                raise ValueError(f"line {key.start_mark.line + 1} has the key {key.value!r} of its block again")
            found.add((key.tag, str(key.value)))
        return node


def read(path: str | Path) -> dict[str, Any]:
    """A YAML file as a mapping.

    Raises:
        ValueError: if it is not valid YAML, has a key twice, or is not a mapping.
    """
    try:
        content = _UniqueKeyLoader(Path(path).read_text(encoding="utf-8")).get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # no text, or no date or number as it is written
        raise ValueError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold keys and values, got {type(content).__name__}")
    return content


def complete(overrides: Mapping[str, Any], *, source: str = "config") -> dict[str, Any]:
    """The whole configuration: the documents' numbers, then the scale's over them, then the given ones over both.

    With `fan_out: full`, the numbers per job of `Configuration.full` lie between the scale's and the given ones.

    `source` says in messages where the keys come from.

    Raises:
        ValueError: one sentence with source, key, value and what would have been accepted.
    """
    if "scale" not in overrides:
        raise ValueError(f"{source}: key 'scale' is missing at the top level; it is one of {', '.join(SCALES)}")
    scale = overrides["scale"]
    whole = Configuration.at(scale if scale in SCALES else "paper")
    if overrides.get("fan_out") == "full":
        whole = merge(whole, Configuration.full)
    whole = merge(whole, overrides)
    _keep_empty(Configuration, overrides, whole)
    _validate(whole, source)
    return whole


def load(*paths: str | Path) -> dict[str, Any]:
    """The whole configuration of files, each merged over those before it.

    Raises:
        ValueError: as `read` and `complete`.
    """
    overrides: dict[str, Any] = {}
    for path in paths:
        overrides = merge(overrides, read(path))
    return complete(overrides, source=" and ".join(map(str, paths)))


def _keep_empty(model: type[Settings], overrides: Mapping[str, Any], whole: dict[str, Any]) -> None:
    """Put back the empty mappings that merging lost: of what is no section, `{}` means none."""
    sections = model.sections()
    for name in model.model_fields:
        override = overrides.get(name)
        if name not in sections and override == {}:
            whole[name] = {}
        elif name in sections and isinstance(override, Mapping):
            _keep_empty(sections[name], override, whole[name])


def check(config: Mapping[str, Any], *, source: str = "config") -> None:
    """Refuse a configuration that the workflow could not run.

    The configuration is whole, as of `complete`; `source` says in messages where it comes from.

    Raises:
        ValueError: one sentence with source, key, value and what would have been accepted.
    """
    from studies.folds_comparison.entries import try_out_once

    with named(source):
        for name, settings in config["strategies"].items():
            with named(f"strategies.{name}"):
                try_out_once(name, json.dumps(settings))
        if "cv" not in config["strategies"]["successive_halving"]:
            raise ValueError(
                "strategies.successive_halving must have the key 'cv', the number of folds of its rungs, got none"
            )
        _check_searches(config)


def check_all(config: Mapping[str, Any], *, source: str = "config") -> None:
    """Refuse a configuration if `check` refuses it, or if one of its jobs would refuse its settings hours later.

    The configuration is whole, as of `complete`.

    Raises:
        ValueError: one sentence with source, key, value and what would have been accepted.
    """
    from studies.config_jobs import check_jobs

    check(config, source=source)
    check_jobs(config, source=source)


def of_study(paper: str, name: str, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of a study: those that are given, over the document's own numbers.

    The number of seeds is no setting here.

    Raises:
        ValueError: one sentence with key, value and what would have been accepted.
    """
    from frugal.checks import check_settings

    known = [key for key in Configuration.sections()[paper].sections()[name].model_fields if key != "n_seeds"]
    check_settings(overrides, known, f"setting of {name}", complete=False)
    whole = complete({"scale": "paper", paper: {name: overrides}}, source="settings")
    return {key: whole[paper][name][key] for key in known}


def _validate(config: Mapping[str, Any], source: str) -> None:
    """Validate a configuration with the models of the settings; the error says what is wrong and accepted."""
    try:
        Configuration.model_validate(config)
    except ValidationError as error:
        raise ValueError(f"{source}: {_sentence(error, config)}") from None


def _check_searches(config: Mapping[str, Any]) -> None:
    from studies import registry
    from studies.blocks import block_of, check_block, check_unique, n_trials_of
    from studies.trials_comparison.problems_and_methods import searches_of

    searches = searches_of(config)
    check_unique(searches.values())
    for name, search in searches.items():
        block = block_of(search, config)
        with named(f"{registry.paper_of(name)}.{name}"):
            for _, problem in search.problems:
                n_trials_of(search, block, problem)
            check_block(search, block)


def _sentence(error: ValidationError, config: Mapping[str, Any]) -> str:
    """One sentence for the first thing that is refused, or, of what may be of several kinds, the part of it."""
    found = [(_place(each["loc"], config), each) for each in error.errors(include_url=False)]
    first = found[0][0]
    inside = [one for one in found if one[0][: len(first)] == first]
    place, refused = max(inside, key=lambda one: len(one[0]) + len(one[1].get("ctx", {}).get("at", ())))
    context = refused.get("ctx", {})
    path = (*place, *context.get("at", ()))
    match refused["type"]:
        case "key":
            return f"{_named(path)} has the key {context['key']!r}, but every key must be a string"
        case "invalid_key":
            return f"{_named(path[:-1])} has the key {path[-1]!r}, but every key must be a string"
        case "extra_forbidden":
            known = _known(path[:-1])
            return _unknown(str(path[-1]), path[:-1], known)
        case "unknown":
            return _unknown(context["name"], path, context["known"])
        case "missing":
            return f"key {refused['loc'][-1]!r} is missing at {_named(path)}"
        case "string_pattern_mismatch" if refused["input"] != reduce(getitem, place, config):
            *above, key = path
            return f"{_named(above)} has the key {key!r}, but every key must be {NAME}"
        case "rule":
            return f"{_named(path)} {context['rule']}"
        case "value_error":
            return f"{_named(path)}: {context['error']}" if path else str(context["error"])
        case "refused":
            accepted, value = context["accepted"], context["value"]
        case "too_short":
            least = context["min_length"]
            kind = "a list" if isinstance(refused["input"], list) else "a mapping"
            accepted, value = f"{kind} of at least {least} item{'s' * (least > 1)}", refused["input"]
        case _:
            from studies.keys import accepted_at

            accepted, value = accepted_at(Configuration, place), reduce(getitem, place, config)
    if accepted == "true or false" and isinstance(value, str):  # Snakemake takes Python's words there, not YAML's
        accepted += " (behind --config: True or False)"
    return f"{_named(path)} is {value!r}, but must be {accepted}"


def _unknown(name: str, path: Sequence[object], known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1)
    nearest = f"; the nearest is {close[0]!r}" if close else ""
    return f"unknown key {name!r} at {_named(path)}; known keys: {', '.join(known)}{nearest}"


def _named(path: Sequence[object]) -> str:
    return ".".join(map(str, path)) or "the top level"


def _place(parts: Sequence[Any], config: Any) -> tuple[Any, ...]:
    """Keys and numbers of elements alone, of a path that names the kinds of value that were tried, too."""
    place: list[Any] = []
    for part in parts:
        is_key = isinstance(config, Mapping) and part in config
        if is_key or (isinstance(config, list) and isinstance(part, int) and part < len(config)):
            config = config[part]
            place.append(part)
    return tuple(place)


def _known(path: Sequence[Any]) -> list[str]:
    """Keys of the model at a path."""
    from studies.keys import properties_at

    return sorted(properties_at(Configuration, path))
