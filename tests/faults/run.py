"""Try faults of all kinds and write what became of them; `make test-faults` runs it.

About 20 minutes on two idle cores: kills run beside the rest. With `--share 0.1`, a tenth of it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from math import ceil
from pathlib import Path

import arguments
import disks
import kills
import stored
import tables

from faults import HANG, TRACEBACK, VERDICTS, WRONG, Outcome

ROOT = Path(__file__).parents[2]
N_KILLS, N_DAMAGES, N_TABLES, N_SELECTED, N_ARGUMENTS, N_DISKS = 5, 1_000, 500, 22, 500, 48
MEMORY = 16 * 2**30
LISTED = "- `{kind}`, {what}: "

Group = tuple[str, Callable[[Path], Iterator[Outcome]]]


def groups(seed: int, share: float) -> list[Group]:
    """What is tried in this process, one after the other."""

    def n(number: int) -> int:
        return ceil(number * share)

    return [
        ("damage", lambda folder: stored.attempts(folder, n(N_DAMAGES), seed)),
        ("tables", lambda folder: tables.attempts(folder, n(N_TABLES), n(N_SELECTED), seed)),
        ("arguments", lambda folder: arguments.attempts(folder, n(N_ARGUMENTS), seed)),
        ("disks", lambda folder: disks.attempts(folder, n(N_DISKS), seed)),
    ]


def collect(group: Group, folder: Path) -> list[Outcome]:
    """All outcomes of a group, with a line of progress on stderr now and then."""
    name, attempts = group
    found: list[Outcome] = []
    started = shown = time.monotonic()
    for outcome in attempts(folder / name):
        found.append(outcome)
        if outcome.verdict in (TRACEBACK, WRONG, HANG):
            show(f"{outcome.verdict}: {outcome.fault} {outcome.detail}")
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            show(f"{name}: {len(found)} tried in {shown - started:.0f} s")
    counts = Counter(outcome.verdict for outcome in found)
    show(f"{name}: {len(found)} tried in {time.monotonic() - started:.0f} s, {dict(counts)}")
    return found


def show(text: str) -> None:
    """A line of progress."""
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def report(found: list[Outcome], seed: int, share: float, minutes: float) -> str:
    """The page."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    part = "" if share == 1 else f" It tried {share:g} of what the full run tries."
    lines = [
        "# Reliability",
        "",
        f"Made by `python tests/faults/run.py` on {datetime.now(UTC):%Y-%m-%d} at commit {commit} with seed {seed}"
        f" in {minutes:.0f} minutes, not by hand.{part} `make test-faults` makes it again.",
        "",
        "Each fault is tried alone. It is *held* if the answer is that without the fault, or, of a mutation, what"
        " the changed input says beyond doubt. It is *refused* if the command ends in one sentence and exit status"
        " 2 or 3. *Failed* is a traceback, or an error that is not one sentence. *Wrong* is another answer with"
        " exit status 0, half a file, or a file left behind. *Hung* is more than a minute (of a whole run, ten).",
        "",
        "Kills: SIGKILL to the process group of a run of Snakemake at smoke scale, at a drawn moment; the run is"
        " then resumed, and its files compared with those of a run that was not killed.",
        "",
        "| kind | tried | held | refused | failed | wrong | hung |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    kinds = list(dict.fromkeys(kind_of(outcome) for outcome in found))
    for kind in [*kinds, "all"]:
        counts = Counter(o.verdict for o in found if kind in ("all", kind_of(o)))
        numbers = [sum(counts.values()), *(counts[name] for name in VERDICTS)]
        lines.append(f"| {kind} | {' | '.join(map(str, numbers))} |")
    lines += ["", "## Tracebacks that remain", ""]
    lines += listed(found, TRACEBACK) or ["None."]
    for verdict, title in ((WRONG, "Wrong answers"), (HANG, "Hangs")):
        if any(outcome.verdict == verdict for outcome in found):
            lines += ["", f"## {title}", "", *listed(found, verdict)]
    return "\n".join(lines) + "\n"


def kind_of(outcome: Outcome) -> str:
    """The row of the table; kills are told apart by family."""
    fault = outcome.fault
    return f"{fault.kind}: {fault.what}" if fault.kind == kills.KIND else fault.kind


def listed(found: list[Outcome], verdict: str) -> list[str]:
    """A line for each kind and command or file, with the number and the first example."""
    by_what: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in found:
        if outcome.verdict == verdict:
            by_what.setdefault((outcome.fault.kind, outcome.fault.what), []).append(outcome)
    return [
        LISTED.format(kind=kind, what=what)
        + f"{len(several)}, such as `{' '.join(several[0].detail.split())[:160]}`"
        + f" ({several[0].fault.how}, seed {several[0].fault.seed})"
        for (kind, what), several in by_what.items()
    ]


def main() -> int:
    """Run it; the status is 1 if an answer was wrong or a command hung."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="the page; without it, nothing is written")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="of all faults")
    parser.add_argument("--families", nargs="*", default=[family.name for family in kills.FAMILIES])
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    started = time.monotonic()
    chosen = tuple(family for family in kills.FAMILIES if family.name in args.families)
    n_kills = ceil(N_KILLS * args.share)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
        group: Group = ("kills", lambda place: kills.attempts(place, n_kills, args.seed, chosen))
        killed = pool.submit(collect, group, Path(folder))
        others = [outcome for group in groups(args.seed, args.share) for outcome in collect(group, Path(folder))]
        found = [*killed.result(), *others]
    page = report(found, args.seed, args.share, (time.monotonic() - started) / 60)
    if args.output:
        args.output.write_text(page, encoding="utf-8")
    print(page)
    return int(any(outcome.verdict in (WRONG, HANG) for outcome in found))


if __name__ == "__main__":
    sys.exit(main())
