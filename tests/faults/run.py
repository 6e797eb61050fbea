"""Try faults of all kinds and write what became of them; `make test-faults` runs it.

About 9 minutes on two cores: the kills run beside the rest, in a process of their own, so that the limits
and threads of the others do not reach them. With `--share 0.1`, a tenth of it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from math import ceil
from multiprocessing import get_context
from pathlib import Path

import arguments
import configuration
import deaths
import disks
import kills
import stored
import tables
import threads

from faults import HANG, MAX_SECONDS, TRACEBACK, VERDICTS, WRONG, Outcome

ROOT = Path(__file__).parents[2]
N_KILLS, N_DAMAGES, N_TABLES, N_SELECTED, N_ARGUMENTS, N_DISKS = 5, 1_000, 500, 100, 500, 48
N_CONFIGURATIONS, N_DEATHS, N_THREADS = 1_200, 96, 270
MEMORY = 16 * 2**30
LISTED = "- `{kind}`, {what}: "
MEANINGS = f"""\
Kills run in one process and all other faults in another, at the same time, each one after the other. Mutations,
damage, limits, deaths and threads meet a fresh copy of their files. A fault is counted once:

- *Held*: it changed nothing that matters. The command went through, with exit status 0, and its answer is the one
  without the fault. Of a mutated table or command line, it is what a plain reading of the changed input asks for.
  A mutated configuration passes the check, and each of its values is of a kind that may stand there.
- *Refused*: a command ended in one sentence and exit status 2, which is for bad input; or a call in a ValueError
  or OSError of one line. On a full disk, status 3 counts too, which is for runs that fail. A `raise` of ours has
  made the sentence, or the system has and names a file: an error that nobody meant is never a refusal. A refused
  argument is named, or its value; so is the key of a configuration, or the block that reads it; so is the file
  that a full disk could not hold.
- *Failed*: a traceback, any other exit status, or an error that is no such sentence. A killed run that cannot be
  resumed has failed.
- *Wrong*: another answer with exit status 0, half a file, a file that is gone, or one that is left behind.
- *Hung*: more than {MAX_SECONDS} s; of a killed run, more than {kills.LIMIT_S // 60} minutes.

Kills: SIGKILL to the process group of a run of Snakemake at smoke scale, at a drawn moment; the run is then
resumed, and its files compared with those of a run that was not killed. Deaths: a worker of a pool is killed in a
fit, or ends itself; the fit is repeated once, no other is, and after a second death that fit alone has failed.
Threads: eight share one strategy, switched as often as Python can. Mutated configurations go through
`python -m studies config check`. All commands but those of kills are called in the suite's process."""

Group = tuple[str, Callable[[Path], Iterator[Outcome]]]


def groups(seed: int, share: float) -> list[Group]:
    """What is tried in this process, one after the other."""

    def n(number: int) -> int:
        return ceil(number * share)

    return [
        ("damage", lambda folder: stored.attempts(folder, n(N_DAMAGES), seed)),
        ("tables", lambda folder: tables.attempts(folder, n(N_TABLES), n(N_SELECTED), seed)),
        ("arguments", lambda folder: arguments.attempts(folder, n(N_ARGUMENTS), seed)),
        ("configurations", lambda folder: configuration.attempts(folder, n(N_CONFIGURATIONS), seed)),
        ("disks", lambda folder: disks.attempts(folder, n(N_DISKS), seed)),
        ("deaths", lambda folder: deaths.attempts(folder, n(N_DEATHS), seed)),
        ("threads", lambda folder: threads.attempts(n(N_THREADS), seed)),
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


def killed(folder: Path, n: int, seed: int, names: list[str]) -> list[Outcome]:
    """All outcomes of kills, of the families of these names."""
    chosen = tuple(family for family in kills.FAMILIES if family.name in names)
    return collect(("kills", lambda place: kills.attempts(place, n, seed, chosen)), folder)


def show(text: str) -> None:
    """A line of progress."""
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def report(found: list[Outcome], seed: int, share: float, minutes: float, load: float) -> str:
    """The page; `load` is the machine's before the first fault."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    part = "" if share == 1 else f" It tried {share:g} of what the full run tries."
    lines = [
        "# Reliability",
        "",
        f"Made by `python tests/faults/run.py` on {datetime.now(UTC):%Y-%m-%d} at commit {commit} with seed"
        f" {seed}, not by hand. It took {minutes:.0f} minutes on {len(os.sched_getaffinity(0))} cores. When it"
        f" began, the machine's load was {load:.1f}; 0 is an idle machine.{part}"
        " `make test-faults` makes this page again.",
        "",
        MEANINGS,
        "",
        "| kind | tried | held | refused | failed | wrong | hung |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    kinds = list(dict.fromkeys(kind_of(outcome) for outcome in found))
    for kind in [*kinds, "all"]:
        counts = Counter(o.verdict for o in found if kind in ("all", kind_of(o)))
        numbers = [sum(counts.values()), *(counts[name] for name in VERDICTS)]
        lines.append(f"| {kind} | {' | '.join(map(str, numbers))} |")
    if disks.FULL not in kinds:
        lines += ["", "No full file system was tried: this user may not mount one."]
    lines += ["", "## Tracebacks that remain", ""]
    lines += listed(found, TRACEBACK) or ["None: no command and no call failed."]
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
    started, load = time.monotonic(), os.getloadavg()[0]
    beside = ProcessPoolExecutor(1, get_context("spawn"))
    with tempfile.TemporaryDirectory() as folder, beside as pool:
        kills_found = pool.submit(killed, Path(folder), ceil(N_KILLS * args.share), args.seed, args.families)
        others = [outcome for group in groups(args.seed, args.share) for outcome in collect(group, Path(folder))]
        found = [*kills_found.result(), *others]
    page = report(found, args.seed, args.share, (time.monotonic() - started) / 60, load)
    if args.output:
        args.output.write_text(page, encoding="utf-8")
    print(page)
    return int(any(outcome.verdict in (WRONG, HANG) for outcome in found))


if __name__ == "__main__":
    sys.exit(main())
