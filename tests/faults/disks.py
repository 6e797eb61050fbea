"""A disk that is full: what a command writes is whole or absent, and what was there before stays."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stored import NB, SEARCH, answer_of, build_searches, frugal

from faults import REFUSED, WRONG, Fault, Outcome, judge

LIMITED, FULL = "disk: limit of a file's size", "disk: full file system"
KEPT = b"what was there before"
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
    frugal(whole, "data", "wdbc", "--root", "@/data")
    answers, sizes = {}, {}
    for name, arguments in COMMANDS.items():
        frugal(whole, *arguments)
        output = whole / "out/o.parquet"
        answers[name], sizes[name] = answer_of(output), output.stat().st_size
        shutil.rmtree(whole / "out")
    for kind in (LIMITED, *([FULL] if can_mount(folder / "disk") else [])):
        for fault in faults(n, seed, kind):
            yield _attempt(folder, fault, answers[fault.what], sizes[fault.what])
            shutil.rmtree(folder / "copy")


def _attempt(folder: Path, fault: Fault, answer: str, size: int) -> Outcome:
    copy = Path(shutil.copytree(folder / "whole", folder / "copy"))
    out = copy / "out"
    out.mkdir()
    room = fault.rng.choice([0, 1, 100, fault.rng.randrange(size), size - 1, size])
    if fault.kind == FULL:
        with small_disk(out, 65_536):
            taken = max(0, 15 * 4096 - room)
            (out / "taken").write_bytes(bytes(taken))
            return _judged(fault, copy, answer)
    return _judged(fault, copy, answer, room)


def _judged(fault: Fault, copy: Path, answer: str, room: int | None = None) -> Outcome:
    out = copy / "out"
    output = out / "o.parquet"
    if fault.how == "a file there":
        output.write_bytes(KEPT)

    def attempt() -> object:
        if room is None:
            frugal(copy, *COMMANDS[fault.what])
        else:
            with limit(room):
                frugal(copy, *COMMANDS[fault.what])
        return answer_of(output)

    outcome = judge(fault, attempt, lambda found: found == answer)
    left = [path.name for path in out.iterdir() if path.name.endswith(".part")]
    before = output.read_bytes() if output.exists() else None
    untouched = before == (KEPT if fault.how == "a file there" else None)
    is_whole = untouched or answer_of(output) == answer  # `collect` has written one of two files
    if outcome.verdict == REFUSED and (left or not is_whole):
        return Outcome(fault, WRONG, f"refused, but left {left or output.name}")
    return outcome
