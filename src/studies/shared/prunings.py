"""Prunings of a search, judged where they happen by the scores of all folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugal.folds.replay import Trace


def judge(trace: Trace, means: NDArray[np.float64]) -> dict[str, int | bool]:
    """How many candidates a search pruned, and how many of these wrongly.

    `means` are those over all folds of every candidate, (n_candidates,).

    Returns:
        n_pruned: prunings. n_judged: candidates that were pruned for their scores, not for a failed fit, and not
        restored later. n_wrong: judged candidates whose mean over all folds is higher than that of the candidate
        they were pruned against. best_pruned: whether every candidate with the best mean is among the judged ones.
    """
    n_pruned, leader = 0, -1
    judged: dict[int, int] = {}
    for event in trace.events:
        match event["event"]:
            case "complete" if event["best"]:
                leader = event["candidate"]
            case "prune":
                n_pruned += 1
                if not event.get("failed"):
                    # A peer compares with the best complete candidate, and does not say so.
                    judged[event["candidate"]] = event.get("against", leader)
            case "restore":
                judged.pop(event["candidate"], None)
    n_wrong = sum(bool(means[candidate] > means[against]) for candidate, against in judged.items())
    best = np.flatnonzero(means == means.max()).tolist()
    return {
        "n_pruned": n_pruned,
        "n_judged": len(judged),
        "n_wrong": n_wrong,
        "best_pruned": set(best) <= set(judged),
    }
