"""Mutations of command lines, judged by a plain reading of each value and by what the answer says of it."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
from stored import CLOCKS, build_searches, run
from stored import answer_of as stored_answer

from faults import WRONG, Fault, Outcome, judge

KIND = "mutation: arguments"
JUNK = (
    "", " ", "-1", "0", "00", "1", "2", "1.0", "1.5", "1e3", "nan", "inf", "-", "--", "x", "None", "true", "[]",
    "{}", "null", "{", '{"x": 1}', '{"": null}', "[1]", "0-", "-0", "3-1", "0-1", "0x1", "1_0", "\uff11", "../x",
    "/", ".", "~", "a\nb", "a\0b", "é", "$(id)", "`id`", "; ls", "%s", "{0}", "*", "wdbc", "greedy", "\ud800",
    "y" * 5000,
    "3", "5", "7", "12", "1-2",
)  # fmt: skip
OUTPUT = "@/out.parquet"


Reading = Callable[[str], object]
"""What a text says, read plainly; None if it may not stand there."""


def whole(low: int) -> Reading:
    """A whole number of at least `low`, as Python's `int` reads it."""

    def read(text: str) -> int | None:
        plain = text.strip().replace("_", "")
        number = int(plain) if re.fullmatch(r"[+-]?\d+", plain) else low - 1
        return number if low <= number < 10**6 else None

    return read


def seconds(text: str) -> float | None:
    """A number above 0 and at most a day, as Python's `float` reads it."""
    try:
        return float(text) if 0 < float(text) <= 86_400 else None
    except ValueError:
        return None


def unseen(read: Reading) -> Reading:
    """A reading that no answer depends on."""
    return lambda text: None if read(text) is None else "any"


def only(name: str) -> Reading:
    """This name, and no other."""
    return lambda text: text if text == name else None


def no_settings(text: str) -> str | None:
    """An empty JSON object."""
    try:
        return "none" if json.loads(text) == {} else None
    except ValueError:
        return None


def span(last: int) -> Reading:
    """Numbers from 0 to `last`: one, or a range."""

    def read(text: str) -> tuple[int, ...] | None:
        found = re.fullmatch(r"\s*\+?(\d+)\s*(?:-\s*(\d+)\s*)?", text)
        if found is None:
            return None
        first, end = int(found[1]), int(found[2] or found[1])
        return tuple(range(first, end + 1)) if first <= end <= last else None

    return read


def input_of(path: str) -> Reading:
    """The one input that is there."""
    return lambda text: path if _path(text) == _path(path) else None


def place(text: str) -> str:
    """Any file or folder to write: the answer is looked for there."""
    return "any"


@dataclass(frozen=True)
class Answer:
    """What a command wrote.

    Attributes:
        facts: what it says of the options' values, by flag.
        content: all else.
    """

    facts: dict[str, object]
    content: str


@dataclass(frozen=True)
class Line:
    """A command line: positional words, then options, their values and how these are read.

    Attributes:
        words: the command and its positional arguments.
        options: flag -> (value, reading); `@/` in a value is the folder.
        required: flags that cannot be left out; all others have the default's value here.
        answer: what the command wrote, given the values of its options.
    """

    words: tuple[str, ...]
    options: dict[str, tuple[str, Reading]]
    required: frozenset[str]
    answer: Callable[[dict[str, str]], Answer]

    def arguments(self, **changed: str) -> list[str]:
        """The line with other values."""
        values = {flag: changed.get(flag, value) for flag, (value, _) in self.options.items()}
        return [*self.words, *(word for pair in values.items() for word in pair)]

    def is_right(self, found: Answer, base: Answer, changed: dict[str, str]) -> bool:
        """Whether `found` is right for the changed values; `base` is the answer to the unchanged command line.

        If the changed values read the same as the old ones, both answers must be the same. Otherwise the content
        must differ, and the facts of the answer must be the changed values.
        """
        readings = {
            flag: (read(changed.get(flag, value)), read(value)) for flag, (value, read) in self.options.items()
        }
        if any(now is None for now, _ in readings.values()):
            return False
        if all(now == before for now, before in readings.values()):
            return found == base
        return found.content != base.content and all(
            readings[flag][0] == fact for flag, fact in found.facts.items()
        )


def _scored(values: dict[str, str]) -> Answer:
    path = Path(values["--output"])
    table = pd.read_parquet(path)
    meta = json.loads(pq.read_schema(path).metadata[b"frugal"])
    folds = tuple(sorted(set(table["fold"])))
    facts = {"--seed": meta["seed"], "--n-folds": meta["n_folds"], "--folds": folds}
    return Answer(facts, stored_answer(path))


def _searched(values: dict[str, str]) -> Answer:
    path = Path(values["--output"])
    table = pd.read_parquet(path)
    (n,) = set(table["n"]) & set(table["n_evaluations"] // table["k"])
    return Answer({"--n-candidates": n, "--seeds": tuple(table["seed"])}, stored_answer(path))


def _collected(values: dict[str, str]) -> Answer:
    return Answer({}, stored_answer(Path(values["--output"])) + stored_answer(Path(values["--cells-output"])))


def _tried(values: dict[str, str]) -> Answer:
    table = pd.read_parquet(values["--output"])
    (seed,) = set(table["seed"])
    content = table.drop(columns=["seed", *(name for name in CLOCKS if name in table)]).to_csv(index=False)
    return Answer({"--seed": seed, "--n-trials": len(table)}, content)


def _prepared(values: dict[str, str]) -> Answer:
    return Answer({}, (Path(values["--root"]) / "processed/wdbc/X.npy").read_bytes().hex())


LINES = {
    "scores": Line(
        ("scores",),
        {
            "--dataset": ("wdbc", only("wdbc")), "--classifier": ("bernoulli_nb", only("bernoulli_nb")),
            "--seed": ("0", whole(-(10**6))), "--n-folds": ("3", whole(2)), "--folds": ("0-2", span(2)),
            "--space": ("grid", only("grid")), "--scaler": ("none", only("none")),
            "--splits": ("stratified", only("stratified")), "--root": ("@/data", place),
            "--output": (OUTPUT, place),
        },
        frozenset({"--dataset", "--classifier", "--seed", "--n-folds", "--output"}),
        _scored,
    ),
    "search": Line(
        ("search",),
        {
            "--method": ("greedy", only("greedy")), "--scores": ("@/scores.parquet", input_of("@/scores.parquet")),
            "--n-candidates": ("16", whole(1)), "--seeds": ("0", span(0)), "--settings": ("{}", no_settings),
            "--tie-rule": ("random", only("random")), "--output": (OUTPUT, place),
        },
        frozenset({"--method", "--scores", "--n-candidates", "--output"}),
        _searched,
    ),
    "collect": Line(
        ("collect",),
        {
            "--search": ("@/greedy.parquet", input_of("@/greedy.parquet")), "--output": (OUTPUT, place),
            "--cells-output": ("@/cells.parquet", place),
        },
        frozenset({"--search", "--output", "--cells-output"}),
        _collected,
    ),
    "trials": Line(
        ("trials", "random"),
        {
            "--learner": ("function", only("function")), "--dataset": ("branin", only("branin")),
            "--seed": ("0", whole(-(10**6))), "--n-trials": ("3", whole(1)), "--settings": ("{}", no_settings),
            "--output": (OUTPUT, place),
        },
        frozenset({"--learner", "--dataset", "--seed", "--n-trials", "--output"}),
        _tried,
    ),
    "data": Line(
        ("data", "wdbc"),
        {
            "--root": ("@/data", place), "--n-retries": ("3", unseen(whole(1))),
            "--timeout-s": ("60.0", unseen(seconds)),
        },
        frozenset(),
        _prepared,
    ),
}  # fmt: skip
HOWS = ("value", "character", "drop", "no value", "repeat", "unknown", "extra", "shorten")


def faults(n: int, seed: int) -> list[Fault]:
    """The first `n`: a change of a value in half of them, of the line's structure in the others."""
    ways = [(name, how) for how in ("value", "value", "value", "character", *HOWS[1:]) for name in LINES]
    return [Fault(KIND, *ways[i % len(ways)], seed + i) for i in range(n)]


def mutate(fault: Fault) -> tuple[list[str], bool, dict[str, str], str]:
    """The changed arguments, whether these may be accepted, the changed value by flag, what is at fault."""
    line, rng = LINES[fault.what], fault.rng
    flag = rng.choice(list(line.options))
    value, _ = line.options[flag]
    arguments = line.arguments()
    place = arguments.index(flag)
    if fault.how in ("value", "character"):
        other = rng.choice(JUNK) if fault.how == "value" else _retyped(value, rng)
        return line.arguments(**{flag: other}), True, {flag: other}, flag
    if fault.how == "drop":
        return arguments[:place] + arguments[place + 2 :], flag not in line.required, {}, flag
    if fault.how == "no value":
        return arguments[: place + 1] + arguments[place + 2 :], False, {}, flag
    if fault.how == "repeat":
        return [*arguments, flag, value], True, {}, flag
    if fault.how == "unknown":
        other = rng.choice(["--nonsense", "-q", "---", "--output-"])
        return [*arguments, other, "1"], False, {}, other
    if fault.how == "extra":
        other = rng.choice([text for text in JUNK if text not in ("", "--")])
        return [*line.words, other, *arguments[len(line.words) :]], False, {}, other
    return [*arguments[:place], flag[:-1], *arguments[place + 1 :]], True, {}, flag  # argparse completes it


def names(sentence: str, at_fault: str, changed: dict[str, str]) -> bool:
    """Whether a sentence names an option or an argument, the setting of this name, or the value it was given."""
    setting = at_fault.strip("-").replace("-", "_").removesuffix("s")
    given = changed.get(at_fault, at_fault)
    parts = [given.replace("@/", ""), repr(given), repr(given)[1:-1], *re.findall(r'"(\w+)"', given)]
    sentence = " ".join(sentence.split())
    return (
        at_fault in sentence
        or setting in sentence
        or any(words in sentence for part in parts if (words := " ".join(part.split())))
    )


def _path(text: str) -> Path:
    """Its parts; a command runs in the folder that `@/` names."""
    return Path(text.replace("@/", "./"))


def _retyped(value: str, rng: random.Random) -> str:
    text = list(value)
    place = rng.randrange(len(text))
    text[place] = rng.choice(["", " ", text[place] * 2, text[place].upper(), "-", "0", "/", "."])
    return "".join(text)


def attempts(folder: Path, n: int, seed: int) -> Iterator[Outcome]:
    """Try `n` mutations."""
    whole_folder = folder / "whole"
    build_searches(whole_folder)
    run(whole_folder, "data", "wdbc", "--root", "@/data")
    copies = iter(range(10**9))

    def ask(name: str, arguments: list[str], changed: dict[str, str]) -> Answer:
        copy = Path(shutil.copytree(whole_folder, folder / f"copy{next(copies)}" / "run"))
        line, before = LINES[name], Path.cwd()
        values = {flag: value for flag, (value, _) in line.options.items()} | changed
        os.chdir(copy)
        try:
            run(copy, *arguments)
            return line.answer(
                {flag: str(copy / value.replace("@/", f"{copy}/")) for flag, value in values.items()}
            )
        finally:
            os.chdir(before)
            shutil.rmtree(copy.parent)

    answers = {name: ask(name, line.arguments(), {}) for name, line in LINES.items()}
    for fault in faults(n, seed):
        arguments, is_allowed, changed, at_fault = mutate(fault)

        def attempt(fault: Fault = fault, given: list[str] = arguments, by: dict[str, str] = changed) -> Answer:
            return ask(fault.what, given, by)

        def is_right(
            found: object, fault: Fault = fault, may_be: bool = is_allowed, by: dict[str, str] = changed
        ) -> bool:
            return may_be and LINES[fault.what].is_right(found, answers[fault.what], by)

        def is_named(sentence: str, what: str = at_fault, by: dict[str, str] = changed) -> bool:
            return names(sentence, what, by)

        outcome = judge(fault, attempt, is_right, names=is_named)
        if outcome.verdict == WRONG:
            outcome = Outcome(fault, WRONG, f"accepted: {' '.join(arguments)[:200]}")
        yield outcome
