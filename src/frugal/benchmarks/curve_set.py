"""A set of learning curves of small networks, made once; `frugal.benchmarks.curves` replays it for every strategy.

Candidates are random draws from the network's space `SPACE`, numbered: the same number is the same candidate
however many there are, whatever rows and epochs. Curves are what `LearnerProblem` with seed 0 measures, so any of
them can be made again by a trial of its candidate. They are trained on the CPU, on one thread.

A set may hold each candidate on several numbers of training rows. The validation rows are the same. The fewer rows
are drawn from the largest number of rows, as a trial of `LearnerProblem` on fewer rows draws them (subset 0).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from time import process_time
from typing import Any, Final

import pandas as pd

from frugal.checks import check_known, check_whole
from frugal.datasets import Dataset
from frugal.datasets.arrays import stored_hash
from frugal.interface import TrialTask
from frugal.learners import NETWORKS, networks
from frugal.seeds import rng_for
from frugal.spaces import as_json
from frugal.trials.lines import JournalPath, Lines
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem

SPACE: Final = "small"
SIZE: Final = "n_train"
SET_COLUMNS: Final = ("network", "dataset", "space", "n_train", "n_valid", "n_epochs", "data")
EPOCH_COLUMNS: Final = ("id", "candidate", "epoch", "score", "seconds", "test_error", "reason")
COLUMNS: Final = (*SET_COLUMNS, *EPOCH_COLUMNS)
"""Of a file of curves, a row per epoch. n_train (`SIZE`): training rows of the curve, of which a set may have
several numbers; candidate: a JSON object; seconds: the processor's, of this epoch with its validation; test_error,
reason: on a curve's last row, nan and empty on the others; test errors are those on the most rows alone, since ten
thousand test images take longer than an epoch."""


def train_curves(
    network: str,
    dataset: Dataset,
    numbers: Sequence[int],
    *,
    n_train: int | Sequence[int],
    n_valid: int,
    n_epochs: int,
    n_test: int = 0,
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """Train candidates of a network, each for a number of epochs.

    Args:
        network: name of a network that has a space `SPACE`.
        dataset: dataset to train on.
        numbers: numbers of the candidates, from 0.
        n_train: number of training rows, the same for all candidates; or several numbers, the largest first: each
            candidate is then trained on each of them.
        n_valid: number of validation rows, the same for all candidates.
        n_epochs: passes over the training rows; a network that diverges has fewer, with nan as its last score and
            the reason.
        n_test: number of test rows for the error at the end; 0 if the dataset has test rows.
        journal_path: file that stores each curve as it is made, so that a killed job goes on; None: no file.

    Returns:
        Columns `COLUMNS`, in the order of `numbers`, and for each number from the most rows to the fewest. An
        interruption changes nothing but the seconds.

    Raises:
        ValueError: on an unknown network or one without such a space, no or negative numbers, more rows than there
            are, several numbers of rows that do not decrease or of which one is below the number of classes, no
            epochs, or the journal of another job.
    """
    check_known("network", network, NETWORKS)
    if not numbers:
        raise ValueError("numbers must list at least one candidate, got none")
    for number in numbers:
        check_whole("a candidate's number", number, 0)
    for name, value in {"n_valid": n_valid, "n_epochs": n_epochs}.items():
        check_whole(name, value, 1)
    sizes = _sizes(n_train, dataset.n_classes)
    parts = split(dataset, n_valid=n_valid, n_test=n_test, n_train=sizes[0])
    problem = LearnerProblem(network, dataset, parts, networks.space(SPACE, network), device="cpu")
    candidates = problem.space.sample(rng_for("curves", network, dataset.name), max(numbers) + 1)
    facts = (network, dataset.name, SPACE, sizes, n_valid, n_epochs, dataset.provenance)
    of_set = dict(zip(SET_COLUMNS, facts, strict=True))
    wanted = [(number, size) for number in numbers for size in sizes]
    header = of_set | {"n_test": n_test, "rows": stored_hash(dataset.X, dataset.y)}
    with closing(Lines(journal_path, header)) as lines:
        trained = dict(lines.rows(lambda row: ((row["id"], row[SIZE]), row)))
        if not trained.keys() >= set(wanted):  # or the first curve's seconds would hold importing and compiling
            replace(problem).evaluate(TrialTask(0, candidates[0], min(sizes[0], 64), epochs=1), lambda *_: True)
        for number, size in wanted:
            if (number, size) not in trained:
                task = TrialTask(number, candidates[number], size, epochs=n_epochs)
                one = replace(problem)  # which lets its network go
                trained[number, size] = {SIZE: size} | _train(one, task, tested=size == sizes[0])
                lines.add(trained[number, size])
    rows = [of_set | {SIZE: size} | row for number, size in wanted for row in _rows(trained[number, size])]
    return pd.DataFrame(rows, columns=COLUMNS)


def _sizes(n_train: int | Sequence[int], n_classes: int) -> list[int]:
    """Numbers of training rows, the largest first."""
    if not isinstance(n_train, Sequence) or isinstance(n_train, str):
        check_whole("n_train", n_train, 1)
        return [n_train]
    for size in n_train:
        check_whole("n_train", size, n_classes)
    if not n_train or any(b >= a for a, b in pairwise(n_train)):
        raise ValueError(f"n_train must be a number, or several that decrease, got {list(n_train)}")
    return list(n_train)


def _train(problem: LearnerProblem, task: TrialTask, *, tested: bool) -> dict[str, Any]:
    """Train one curve and return plain values."""
    clock = [process_time()]

    def note(task: TrialTask, epoch: int, score: float) -> bool:
        clock.append(process_time())
        return True

    trial = problem.evaluate(task, note)
    if trial.reason:
        clock.append(process_time())  # an epoch in which a network diverges is not reported
    return {
        "id": task.id,
        "candidate": as_json(task.candidate),
        "scores": list(trial.curve),
        "seconds": [after - before for before, after in pairwise(clock)],
        "test_error": problem.network_test_error(trial) if tested and not trial.reason else math.nan,
        "reason": trial.reason,
    }


def _rows(curve: dict[str, Any]) -> list[dict[str, Any]]:
    """A curve's rows: `EPOCH_COLUMNS`."""
    n = len(curve["scores"])
    rows = []
    for i, (score, seconds) in enumerate(zip(curve["scores"], curve["seconds"], strict=True)):
        last = {"test_error": curve["test_error"], "reason": curve["reason"]}
        at_end = last if i == n - 1 else {"test_error": math.nan, "reason": ""}
        what = {"id": curve["id"], "candidate": curve["candidate"], "epoch": i + 1}
        rows.append(what | {"score": score, "seconds": seconds} | at_end)
    return rows
