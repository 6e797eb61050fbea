"""A disk that is full: what a command writes is whole or absent, and what was there before stays."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from stored import NB, SEARCH, answer_of, build_searches, run

from faults import HELD, REFUSED, WRONG, Fault, Outcome, judge

LIMITED, FULL = "disk: limit of a file's size", "disk: full file system"
KEPT = b"what was there before"
OUTPUT, JOURNAL, TAKEN = "o.parquet", "o.jsonl", "taken"
COMMANDS = {
    "scores": (*("scores", *NB, "--n-folds", "3", "--root", "@/data", "--output"), "@/out/o.parquet"),
    "search": (
        *("search", "--method", "greedy", "--scores", "@/scores.parquet", "--n-candidates", "16"),
        *("--output", "@/out/o.parquet"),
    ),
    "collect": (
        *("collect", "--search", "@/greedy.parquet", "--cells-output", "@/out/c.parquet"),
        *("--output", "@/out/o.parquet"),
    ),
    "trials": ("trials", "random", *SEARCH, "@/out/o.parquet"),
}


@contextmanager
def limit(n_bytes: int) -> Iterator[None]:
    """No file may become longer than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@contextmanager
def small_disk(folder: Path, n_bytes: int) -> Iterator[None]:
    """A file system in memory of this size; an OSError where it cannot be mounted."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        raise OSError(mounted.stderr.decode().strip())
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def can_mount(folder: Path) -> bool:
    """Whether this user may mount a file system."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with small_disk(folder, 4096):
            return True
    except OSError:
        return False


def faults(n: int, seed: int, kind: str) -> list[Fault]:
    """The first `n`: every command in turn, with and without a file at the output's place."""
    ways = [(name, how) for how in ("nothing there", "a file there") for name in COMMANDS]
    return [Fault(kind, *ways[i % len(ways)], seed + i) for i in range(n)]


def attempts(folder: Path, n: int, seed: int) -> Iterator[Outcome]:
    """Try `n` limits, and `n` full disks where this user may mount one."""
    whole = folder / "whole"
    build_searches(whole)
    run(whole, "data", "wdbc", "--root", "@/data")
    answers, sizes = {}, {}
    for name, arguments in COMMANDS.items():
        run(whole, *arguments)
        answers[name] = {path.name: answer_of(path) for path in (whole / "out").iterdir()}
        sizes[name] = sorted(path.stat().st_size for path in (whole / "out").iterdir())
        shutil.rmtree(whole / "out")
    for kind in (LIMITED, *([FULL] if can_mount(folder / "disk") else [])):
        for fault in faults(n, seed, kind):
            yield _attempt(folder, fault, answers[fault.what], sizes[fault.what])
            shutil.rmtree(folder / "copy")


def _attempt(folder: Path, fault: Fault, answer: dict[str, str], sizes: list[int]) -> Outcome:
    copy = Path(shutil.copytree(folder / "whole", folder / "copy"))
    out = copy / "out"
    out.mkdir()
    rng = fault.rng
    size = rng.choice(sizes)
    room = rng.choice([0, 1, 100, rng.randrange(size), size - 1, size, 10 * sum(sizes)])
    is_enough = room > sum(sizes)
    if fault.kind == FULL:
        with small_disk(out, 262_144):
            (out / TAKEN).write_bytes(bytes(max(0, 63 * 4096 - room)))
            return _judged(fault, copy, answer, is_enough=is_enough)
    return _judged(fault, copy, answer, is_enough=is_enough, room=room)


def _judged(
    fault: Fault, copy: Path, answer: dict[str, str], *, is_enough: bool, room: int | None = None
) -> Outcome:
    """What became of a command; where there `is_enough` room, it has to go through."""
    out = copy / "out"
    was_there = fault.how == "a file there"
    if was_there:
        (out / OUTPUT).write_bytes(KEPT)

    def attempt() -> object:
        with nullcontext() if room is None else limit(room):
            run(copy, *COMMANDS[fault.what])
        return left(out)

    def names(sentence: str) -> bool:
        return any(f"out/{name}" in sentence for name in (*answer, JOURNAL))

    outcome = judge(fault, attempt, lambda found: found == answer, names=names, statuses=(2, 3))
    if outcome.verdict == HELD:
        return outcome
    spoiled = spoilt(left(out), answer, was_there)
    if outcome.verdict == REFUSED and is_enough:
        spoiled = "refused, though there was room"
    return Outcome(fault, WRONG, f"{outcome.detail}; {spoiled}") if spoiled else outcome


def left(out: Path) -> dict[str, str | None]:
    """What each file in a folder says, and None of what is no table; those of the test apart."""
    found = {}
    for path in out.iterdir():
        if path.name != TAKEN:
            try:
                found[path.name] = answer_of(path)
            except (ValueError, OSError):
                content = path.read_bytes()
                found[path.name] = content.decode() if content == KEPT else None
    return found


def spoilt(found: dict[str, str | None], answer: dict[str, str], was_there: bool) -> str:
    """What a command that failed has left and should not have; empty if nothing.

    A search's journal may stay, so that it goes on. `collect` may have written one of its two files. An output is
    then as it was, or whole.
    """
    strange = sorted(found.keys() - answer.keys() - {JOURNAL})
    if strange:
        return f"left {', '.join(strange)}"
    if was_there and OUTPUT not in found:
        return "what was there is gone"
    before = {OUTPUT: KEPT.decode()} if was_there else {}
    right = {name: (text, before.get(name, text)) for name, text in answer.items()}
    half = [name for name in found.keys() & answer.keys() if found[name] not in right[name]]
    return f"{', '.join(half)} is neither whole nor as it was" if half else ""
