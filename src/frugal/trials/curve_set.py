"""A set of learning curves of small networks, made once; `frugal.trials.curves` replays it for every strategy.

Candidates are random draws from the network's space `SPACE`, numbered: the same number is the same candidate
however many there are, whatever rows and epochs. Curves are what `LearnerProblem` with seed 0 measures, so any of
them can be made again by a trial of its candidate. They are trained on the CPU, on one thread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any, Final

import pandas as pd

from frugal.checks import check_known, check_whole
from frugal.datasets import Dataset
from frugal.interface import Candidate, TrialTask
from frugal.learners import NETWORKS, networks
from frugal.seeds import rng_for
from frugal.spaces import as_json
from frugal.trials.lines import Lines
from frugal.trials.problems import LearnerProblem, split

SPACE: Final = "small"
OF_SET: Final = ("network", "dataset", "space", "n_train", "n_valid", "n_epochs", "data")
OF_EPOCH: Final = ("id", "candidate", "epoch", "score", "seconds", "test_error", "reason")
COLUMNS: Final = (*OF_SET, *OF_EPOCH)
"""Of a file of curves, a row per epoch. candidate: a JSON object; seconds: the processor's, of this epoch with its
validation; test_error, reason: on a curve's last row, nan and empty on the others."""


def train_curves(
    network: str,
    dataset: Dataset,
    numbers: Sequence[int],
    *,
    n_train: int,
    n_valid: int,
    n_epochs: int,
    n_test: int = 0,
    journal_path: str | Path | None = None,
) -> pd.DataFrame:
    """Train candidates of a network, each for a number of epochs.

    Args:
        network: one that has a space `SPACE`.
        dataset: what it is trained on.
        numbers: of the candidates, from 0.
        n_train: training rows, the same for all.
        n_valid: validation rows, likewise.
        n_epochs: passes over the training rows; a network that diverges has fewer, with nan as its last score and
            the reason.
        n_test: rows for the error at the end, where the dataset sets none apart.
        journal_path: where curves are kept as they are made, so that a killed job goes on; None: nowhere.

    Returns:
        Columns `COLUMNS`, in the order of the numbers; but for its seconds the same, interrupted or not.

    Raises:
        ValueError: on an unknown network or one without such a space, no or negative numbers, more rows than there
            are, no epochs, or the journal of another job.
    """
    check_known("network", network, NETWORKS)
    if not numbers:
        raise ValueError("numbers must list at least one candidate, got none")
    for number in numbers:
        check_whole("a candidate's number", number, 0)
    for name, value in {"n_train": n_train, "n_valid": n_valid, "n_epochs": n_epochs}.items():
        check_whole(name, value, 1)
    parts = split(dataset, n_valid=n_valid, n_test=n_test, n_train=n_train)
    problem = LearnerProblem(network, dataset, parts, networks.space(SPACE, network), device="cpu")
    candidates = problem.space.sample(rng_for("curves", network, dataset.name), max(numbers) + 1)
    facts = (network, dataset.name, SPACE, n_train, n_valid, n_epochs, dataset.provenance)
    of_set = dict(zip(OF_SET, facts, strict=True))
    lines = None if journal_path is None else Lines(journal_path, of_set)
    made = {row["id"]: row for row in lines.rows} if lines else {}
    if not made.keys() >= set(numbers):  # or the first curve's seconds are those of importing and compiling, too
        replace(problem).evaluate(TrialTask(0, candidates[0], min(n_train, 64), epochs=1), _go_on)
    for number in numbers:
        if number not in made:
            made[number] = _train(problem, number, candidates[number], n_epochs)
            if lines:
                lines.add(made[number])
    rows = [of_set | row for number in numbers for row in _rows(made[number])]
    return pd.DataFrame(rows, columns=COLUMNS)


def _go_on(task: TrialTask, epoch: int, score: float) -> bool:
    return True


def _train(problem: LearnerProblem, number: int, candidate: Candidate, n_epochs: int) -> dict[str, Any]:
    """One curve, as plain values."""
    clock = [process_time()]

    def note(task: TrialTask, epoch: int, score: float) -> bool:
        clock.append(process_time())
        return True

    trial = problem.evaluate(TrialTask(number, candidate, epochs=n_epochs), note)
    if trial.reason:
        clock.append(process_time())  # an epoch in which a network diverges is not reported
    return {
        "id": number,
        "candidate": as_json(candidate),
        "scores": list(trial.curve),
        "seconds": [after - before for before, after in pairwise(clock)],
        "test_error": math.nan if trial.reason else problem.network_test_error(trial),
        "reason": trial.reason,
    }


def _rows(made: dict[str, Any]) -> list[dict[str, Any]]:
    """A curve's rows: `OF_EPOCH`."""
    n = len(made["scores"])
    rows = []
    for i, (score, seconds) in enumerate(zip(made["scores"], made["seconds"], strict=True)):
        last = {"test_error": made["test_error"], "reason": made["reason"]}
        at_end = last if i == n - 1 else {"test_error": math.nan, "reason": ""}
        what = {"id": made["id"], "candidate": made["candidate"], "epoch": i + 1}
        rows.append(what | {"score": score, "seconds": seconds} | at_end)
    return rows
