"""One strategy on one problem, trial after trial: a killed run resumes and ends with the same trials."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd

from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.trials.problems import Problem

TASK = ("id", "candidate", "n_rows", "subset", "epochs", "resume_from")
ANSWER = ("error", "seconds", "cost", "curve", "reason", "overhead_s")
COLUMNS = (*TASK, *ANSWER, "incumbent")
"""Of a trials file: candidates and incumbents are JSON objects, a curve a JSON list."""


def run(
    strategy: TrialStrategy,
    problem: Problem,
    *,
    kept: Sequence[Trial] = (),
    keep: Callable[[Trial], None] = lambda trial: None,
) -> pd.DataFrame:
    """Ask, evaluate and tell until the strategy is finished.

    The optimiser's time before a trial is that of asking for it and of being told the one before. Trials that are
    kept from an interrupted run are told as they were, without being evaluated again.

    Args:
        strategy: fresh.
        problem: what its trials are made on.
        kept: the first trials of an interrupted run of the same strategy, problem and seed, in order.
        keep: called with each new trial as soon as it is done.

    Returns:
        One row per trial, columns `COLUMNS`; `incumbent` is the strategy's after the trial.

    Raises:
        ValueError: if a kept trial is not the one that the strategy asks for.
        RuntimeError: if the strategy waits although every trial has been answered.
    """
    rows: list[dict[str, Any]] = []
    telling = 0.0
    while True:
        started = perf_counter()
        task = strategy.ask()
        overhead_s = telling + perf_counter() - started
        if task is None:
            return pd.DataFrame(rows, columns=COLUMNS)
        if isinstance(task, Wait):
            raise RuntimeError(f"{type(strategy).__name__} waits although every trial has been answered")
        if len(rows) < len(kept):
            trial = _as_kept(task, kept[len(rows)], strategy)
        else:
            trial = replace(problem.evaluate(task, strategy.report), overhead_s=overhead_s)
            keep(trial)
        started = perf_counter()
        strategy.tell(trial)
        telling = perf_counter() - started
        rows.append({**as_row(trial), "incumbent": _json(strategy.incumbent)})


def _as_kept(task: TrialTask, trial: Trial, strategy: TrialStrategy) -> Trial:
    """A kept trial, with the strategy told of its epochs as it was then."""
    if trial.task != task:
        raise ValueError(
            f"kept trial {trial.task.id} is {trial.task}, but {task} is asked for; delete the kept trials"
        )
    for epoch, score in enumerate(trial.curve, start=1):
        strategy.report(task, epoch, score)
    return trial


def as_row(trial: Trial) -> dict[str, Any]:
    """A trial as plain values under `TASK` and `ANSWER`."""
    task = {name: getattr(trial.task, name) for name in TASK}
    answer = {name: getattr(trial, name) for name in ANSWER}
    return task | answer | {"candidate": _json(trial.task.candidate), "curve": json.dumps(list(trial.curve))}


def as_trial(row: dict[str, Any]) -> Trial:
    """The trial that `as_row` made a row of."""
    task = {name: row[name] for name in TASK} | {"candidate": json.loads(row["candidate"])}
    answer = {name: row[name] for name in ANSWER} | {"curve": tuple(json.loads(row["curve"]))}
    return Trial(TrialTask(**task), **answer)


class Journal:
    """Trials of a run under way, one JSON object per line, each on disk before the next trial starts."""

    def __init__(self, path: str | Path, header: dict[str, Any]) -> None:
        """Open or go on with a journal.

        Args:
            path: of the file; its folder is made.
            header: what the run is of; another run's journal is refused.

        Raises:
            ValueError: if the file belongs to another run.
        """
        self.path = Path(path)
        self.trials: list[Trial] = []
        self.path.parent.mkdir(parents=True, exist_ok=True)
        first = json.dumps(header, sort_keys=True)
        lines = self.path.read_text().splitlines(keepends=True) if self.path.exists() else []
        whole = [line for line in lines if line.endswith("\n")]  # a line cut off by a crash is done again
        if whole and whole[0].rstrip("\n") != first:
            raise ValueError(f"{path} is the journal of {whole[0].strip()}, not of {first}; delete it")
        self.trials = [as_trial(json.loads(line)) for line in whole[1:]]
        self.path.write_text("".join(whole) or first + "\n")

    def keep(self, trial: Trial) -> None:
        """Append a trial."""
        with self.path.open("a") as file:
            file.write(json.dumps(as_row(trial)) + "\n")


def _json(candidate: Candidate | None) -> str | None:
    return None if candidate is None else json.dumps(dict(candidate), sort_keys=True)
