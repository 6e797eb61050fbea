"""Mutations of command lines, judged by what a plain reading of each value allows."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stored import answer_of as stored_answer
from stored import build_searches, frugal

from faults import WRONG, Fault, Outcome, judge

KIND = "mutation: arguments"
JUNK = (
    "", " ", "-1", "0", "00", "1", "2", "1.0", "1.5", "1e3", "nan", "inf", "-", "--", "x", "None", "true", "[]",
    "{}", "null", "{", '{"x": 1}', '{"": null}', "[1]", "0-", "-0", "3-1", "0-1", "0x1", "1_0", "\uff11", "../x",
    "/", ".", "~", "a\nb", "a\0b", "é", "$(id)", "`id`", "; ls", "%s", "{0}", "*", "wdbc", "greedy", "\ud800",
    "y" * 5000,
)  # fmt: skip
OUTPUT = "@/out.parquet"


def whole(low: int) -> Callable[[str], bool]:
    """Whether a text is a whole number of at least `low`, as Python's `int` reads it."""

    def accepts(text: str) -> bool:
        plain = text.strip().replace("_", "")
        return re.fullmatch(r"[+-]?\d+", plain) is not None and low <= int(plain) < 10**6

    return accepts


def seconds(text: str) -> bool:
    """Whether a text is a number above 0 and at most a day, as Python's `float` reads it."""
    try:
        return 0 < float(text) <= 86_400
    except ValueError:
        return False


def among(*names: str) -> Callable[[str], bool]:
    """Whether a text is one of these."""
    return lambda text: text in names


def no_settings(text: str) -> bool:
    """Whether a text is an empty JSON object."""
    try:
        return json.loads(text) == {}
    except ValueError:
        return False


def folds(text: str) -> bool:
    """Whether a text is one of three folds, or a range of them."""
    found = re.fullmatch(r"\s*\+?(\d+)\s*(?:-\s*(\d+)\s*)?", text)
    return found is not None and all(int(number) <= 2 for number in found.groups() if number)


def spans(text: str) -> bool:
    """Whether a text is 0 or a range that is no more."""
    return re.fullmatch(r"\s*\+?0+\s*(-\s*0+\s*)?", text) is not None


@dataclass(frozen=True)
class Line:
    """A command line: positional words, then options, their values and what these may be.

    Attributes:
        words: the command and its positional arguments.
        options: flag -> (value, whether another one is allowed); `@/` in a value is the folder.
        required: flags that cannot be left out; all others have the default's value here.
        reads: the command's answer, given the values of its options.
    """

    words: tuple[str, ...]
    options: dict[str, tuple[str, Callable[[str], bool]]]
    required: frozenset[str]
    reads: Callable[[dict[str, str]], object]

    def arguments(self, **changed: str) -> list[str]:
        """The line with other values."""
        values = {flag: changed.get(flag, value) for flag, (value, _) in self.options.items()}
        return [*self.words, *(word for pair in values.items() for word in pair)]


def _output(values: dict[str, str]) -> object:
    return stored_answer(Path(values["--output"]))


def _arrays(values: dict[str, str]) -> object:
    return (Path(values["--root"]) / "processed/wdbc/X.npy").read_bytes()


def nothing(text: str) -> bool:
    """Whether a text can name an input: none but the one that is there."""
    return False


def place(text: str) -> bool:
    """Whether a text can name a file or folder to write: any, since the answer is looked for there."""
    return True


SCALERS, SPLITS = among("none", "min_max", "robust", "standard"), among("stratified", "plain")
LINES = {
    "scores": Line(
        ("scores",),
        {
            "--dataset": ("wdbc", among("wdbc")), "--classifier": ("bernoulli_nb", among("bernoulli_nb")),
            "--seed": ("0", whole(-(10**6))), "--n-folds": ("3", whole(2)), "--folds": ("0-2", folds),
            "--space": ("grid", among("grid", "ranges")), "--scaler": ("none", SCALERS),
            "--splits": ("stratified", SPLITS), "--root": ("@/data", place), "--output": (OUTPUT, place),
        },
        frozenset({"--dataset", "--classifier", "--seed", "--n-folds", "--output"}),
        _output,
    ),
    "search": Line(
        ("search",),
        {
            "--method": ("greedy", among("greedy")), "--scores": ("@/scores.parquet", nothing),
            "--n-candidates": ("16", whole(1)), "--seeds": ("0", spans), "--settings": ("{}", no_settings),
            "--tie-rule": ("random", among("random", "first")), "--output": (OUTPUT, place),
        },
        frozenset({"--method", "--scores", "--n-candidates", "--output"}),
        _output,
    ),
    "collect": Line(
        ("collect",),
        {
            "--search": ("@/greedy.parquet", nothing), "--output": (OUTPUT, place),
            "--cells-output": ("@/cells.parquet", place),
        },
        frozenset({"--search", "--output", "--cells-output"}),
        _output,
    ),
    "trials": Line(
        ("trials", "random"),
        {
            "--learner": ("function", among("function")), "--dataset": ("branin", among("branin", "hartmann6")),
            "--seed": ("0", whole(-(10**6))), "--n-trials": ("3", whole(1)), "--settings": ("{}", no_settings),
            "--output": (OUTPUT, place),
        },
        frozenset({"--learner", "--dataset", "--seed", "--n-trials", "--output"}),
        _output,
    ),
    "data": Line(
        ("data", "wdbc"),
        {
            "--root": ("@/data", place), "--n-retries": ("3", whole(1)),
            "--timeout-s": ("60.0", seconds),
        },
        frozenset(),
        _arrays,
    ),
}  # fmt: skip
HOWS = ("value", "character", "drop", "no value", "repeat", "unknown", "extra", "shorten")


def faults(n: int, seed: int) -> list[Fault]:
    """The first `n`: a change of a value in half of them, of the line's structure in the others."""
    ways = [(name, how) for how in ("value", "value", "value", "character", *HOWS[1:]) for name in LINES]
    return [Fault(KIND, *ways[i % len(ways)], seed + i) for i in range(n)]


def mutate(fault: Fault) -> tuple[list[str], bool, dict[str, str]]:
    """The changed arguments, whether they may be accepted, and the changed value by flag."""
    line, rng = LINES[fault.what], fault.rng
    flag = rng.choice(list(line.options))
    value, allows = line.options[flag]
    arguments = line.arguments()
    place = arguments.index(flag)
    if fault.how in ("value", "character"):
        other = rng.choice(JUNK) if fault.how == "value" else _retyped(value, rng)
        is_same = other == value or (allows is nothing and _path(other) == _path(value))
        return line.arguments(**{flag: other}), is_same or allows(other), {flag: other}
    if fault.how == "drop":
        return arguments[:place] + arguments[place + 2 :], flag not in line.required, {}
    if fault.how == "no value":
        return arguments[: place + 1] + arguments[place + 2 :], False, {}
    if fault.how == "repeat":
        return [*arguments, flag, value], True, {}
    if fault.how == "unknown":
        return [*arguments, rng.choice(["--nonsense", "-q", "---", "--output-"]), "1"], False, {}
    if fault.how == "extra":
        return [*arguments[:1], rng.choice([text for text in JUNK if text]), *arguments[1:]], False, {}
    return [*arguments[:place], flag[:-1], *arguments[place + 1 :]], True, {}  # argparse knows unique beginnings


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
    frugal(whole_folder, "data", "wdbc", "--root", "@/data")
    copies = iter(range(10**9))
    answers: dict[str, object] = {}

    def ask(name: str, arguments: list[str], changed: dict[str, str]) -> object:
        copy = Path(shutil.copytree(whole_folder, folder / f"copy{next(copies)}" / "run"))
        line, before = LINES[name], Path.cwd()
        values = {flag: value for flag, (value, _) in line.options.items()} | changed
        os.chdir(copy)
        try:
            frugal(copy, *arguments)
            return line.reads(
                {flag: str(copy / value.replace("@/", f"{copy}/")) for flag, value in values.items()}
            )
        finally:
            os.chdir(before)
            shutil.rmtree(copy.parent)

    for name, line in LINES.items():
        answers[name] = ask(name, line.arguments(), {})
    for fault in faults(n, seed):
        arguments, is_allowed, changed = mutate(fault)
        keeps = all(LINES[fault.what].options[flag][1] is place for flag in changed)

        def is_right(answer: object, of: Fault = fault, allowed: bool = is_allowed, same: bool = keeps) -> bool:
            return allowed and (not same or answer == answers[of.what])

        outcome = judge(fault, lambda of=fault, given=(arguments, changed): ask(of.what, *given), is_right)
        if outcome.verdict == WRONG:
            outcome = Outcome(fault, WRONG, f"accepted: {' '.join(arguments)[:200]}")
        yield outcome
