"""Mutations of the configuration, put to `python -m studies config check`: refused in one sentence, or harmless.

A mutation may be accepted only if the new value has the same kind as the old one. Exceptions are the few keys that
accept values of several kinds.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from faults import DAMAGES, Fault, Outcome, command, damage, judge
from studies import cli, config
from studies.artefacts import shown
from studies.folds_comparison.entries import entries_of
from studies.registry import PAPERS
from studies.settings import MOST, MOST_ROWS
from studies.trials_comparison.problems_and_methods import searches_of

KIND = "mutation: configuration"
ROOT = Path(__file__).parents[2]
SCALES = ("smoke", "config", "desk", "paper")
HOWS = ("replace", "replace", "replace", "drop", "add", "characters")
VALUES = (
    None, True, False, [], {}, "x", "2", ["x"], [1], {"x": 1},
    -1, -0.5, 0, 1, 2.5, 10**6, 10**9, 10**12, 1e300, float("nan"), float("inf"),
)  # fmt: skip
ADDED, GONE = "added_key", "nothing"
SEVERAL_KINDS = (
    r"\.(n_trials|n_valid)\.\w+(\.\w+)?$|\.n_trials$|\.(n_train|n_test|n_startup|epochs)$"
    r"|\.(defaults\.\w+|sample_sizes|variance_check)\.n_rows$|\.library\.python$"
)
"""Where a number, nothing and numbers by name may stand for each other, or nothing and the path of Python."""
OF_ANY_SIZE = r"(seed|\.Cs?|\.gammas?)(\.\d+)?$"
"""Numbers that are no counts: seeds, penalties and widths of kernels."""
ROWS = r"\.(n_rows|n_truth_rows|svm_rows|nzNormal|student_t|bias\.sizes\.\d+)$"
"""Numbers of rows that are generated, or drawn if there are as many."""

Choose = Callable[[Sequence[Any]], Any]


def scale(name: str) -> dict[str, Any]:
    """A scale's configuration, whole."""
    return config.load(ROOT / "config/config.yaml", ROOT / f"config/{name}.yaml")


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Path of every key and element."""
    parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def mutated(original: dict[str, Any], how: str, choose: Choose) -> tuple[dict[str, Any], tuple[str | int, ...]]:
    """A copy with one key dropped, added or replaced, and its path."""
    changed = copy.deepcopy(original)
    path = choose(list(places(original)))
    place = changed
    for key in path[:-1]:
        place = place[key]
    last = path[-1]
    if how == "drop":
        del place[last]
    elif how == "add" and isinstance(place[last], dict):
        place[last][ADDED] = choose(VALUES)
        path = (*path, ADDED)
    else:
        place[last] = choose(VALUES)
    return changed, path


def kind_of(value: object) -> str:
    """Kind of a value; a whole number is one as a float, and true and false are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return type(value).__name__
    return "number"


def differences(original: object, changed: object, path: str = "") -> Iterator[tuple[str, object, object]]:
    """Where two configurations differ: path, and what stands there in each, or `GONE`."""
    if isinstance(original, dict) and isinstance(changed, dict):
        for key in dict.fromkeys([*original, *changed]):
            yield from differences(original.get(key, GONE), changed.get(key, GONE), f"{path}.{key}")
    elif isinstance(original, list) and isinstance(changed, list) and len(original) == len(changed):
        for i, (old, new) in enumerate(zip(original, changed, strict=True)):
            yield from differences(old, new, f"{path}.{i}")
    elif kind_of(original) != kind_of(changed) or original != changed:
        yield path, original, changed


def most(path: str) -> int:
    """The largest number that may be accepted at a path, which begins with a dot."""
    if re.search(OF_ANY_SIZE, path):
        return config.LARGEST
    return MOST_ROWS if re.search(ROWS, path) else MOST


def harm(original: dict[str, Any], changed: dict[str, Any]) -> str:
    """Why an accepted configuration is not harmless; empty if it is."""
    for path, old, new in differences(original, changed):
        if ADDED in path and ".variants." not in path:
            return f"{path} was accepted"
        numbers = new if isinstance(new, list) else [new]
        if not all(abs(number) <= config.LARGEST for number in numbers if kind_of(number) == "number"):
            return f"{path} = {new!r} was accepted"
        if kind_of(new) == "number" and new > most(path):
            return f"{path} = {new!r} was accepted, more than {most(path)}"
        is_open = GONE in (old, new) or re.search(SEVERAL_KINDS, path)
        if not is_open and kind_of(old) != kind_of(new):
            return f"{path} = {new!r} was accepted in the place of {old!r}"
    json.dumps(changed, allow_nan=False)
    if not all(shown(paper, changed).runs() for paper in PAPERS):
        return "a paper has no runs"
    return "" if entries_of(changed) and searches_of(changed) else "nothing is compared or searched"


def names(sentence: str, path: Sequence[str | int], original: dict[str, Any]) -> bool:
    """Whether a sentence names a key of the path, or the block that reads what is there."""
    words = set(re.findall(r"\w+", sentence))
    keys = [key for key in path if isinstance(key, str)]
    block = re.search(r": ([a-z_0-9]+)\.([a-z_0-9]+)", sentence)
    is_block = block is not None and block[2] in original.get(block[1], {})
    return bool(words & set(keys[1:] or keys)) or is_block


def faults(n: int, seed: int) -> list[Fault]:
    """The first `n`: all scales in turn, and all ways at each."""
    return [Fault(KIND, SCALES[i % len(SCALES)], HOWS[i // len(SCALES) % len(HOWS)], seed + i) for i in range(n)]


def attempts(folder: Path, n: int, seed: int) -> Iterator[Outcome]:
    """Try `n` mutations."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "mutated.yaml"
    originals = {name: scale(name) for name in SCALES}
    texts = {name: text_of(original).encode() for name, original in originals.items()}
    for text in texts.values():  # as they are, they pass; what is imported for it is not timed
        path.write_bytes(text)
        check(path)
    for fault in faults(n, seed):
        original, rng = originals[fault.what], fault.rng
        if fault.how == "characters":
            path.write_bytes(damage(texts[fault.what], rng.choice(DAMAGES), rng))
            at: Sequence[str | int] = ()
        else:
            changed, at = mutated(original, fault.how, rng.choice)
            path.write_text(text_of(changed))

        def is_harmless(answer: object, original: dict[str, Any] = original) -> bool:
            return harm(original, config.complete(config.read(path))) == ""

        def is_named(sentence: str, original: dict[str, Any] = original, at: Sequence[str | int] = at) -> bool:
            return str(path) in sentence and (not at or names(sentence, at, original))

        yield judge(fault, lambda: check(path), is_harmless, names=is_named)


def text_of(content: dict[str, Any]) -> str:
    """YAML, as its quicker writer has it where there is one."""
    text: str = yaml.dump(content, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False)
    return text


def check(path: Path) -> str:
    """What the command says of a configuration."""
    return command(cli.main, ["config", "check", str(path)])
