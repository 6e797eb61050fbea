"""Eight threads on one strategy, of every name and with other seeds than the contract's test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from faults import Fault, Outcome, judge
from frugal import folds, trials

sys.path.insert(0, str(Path(__file__).parents[1] / "contract"))
from test_threads import is_served_folds, is_served_trials, serve_folds, serve_trials

KIND = "threads on a strategy: "
FAMILIES = {
    "folds": (folds.known(), serve_folds, is_served_folds),
    "trials": (trials.known(), serve_trials, is_served_trials),
}


def faults(n: int, seed: int) -> list[Fault]:
    """The first `n`: all strategies in turn."""
    ways = [(family, name) for family, (names, *_) in FAMILIES.items() for name in names]
    chosen = [(*ways[i % len(ways)], seed + i) for i in range(n)]
    return [Fault(KIND + family, name, "eight threads", number) for family, name, number in chosen]


def attempts(n: int, seed: int) -> Iterator[Outcome]:
    """Try `n` strategies."""
    for fault in faults(n, seed):
        _, serve, is_served = FAMILIES[fault.kind.removeprefix(KIND)]
        yield judge(fault, lambda fault=fault, serve=serve: serve(fault.what, fault.seed), is_served, names=None)
