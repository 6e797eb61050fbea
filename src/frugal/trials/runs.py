"""One strategy on one problem, trial after trial: a killed run resumes and ends with the same trials."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pandas as pd

from frugal.checks import check_number, check_whole
from frugal.interface import Candidate, RunError, Trial, TrialStrategy, TrialTask, Wait
from frugal.spaces import as_json
from frugal.threads import one_blas_thread
from frugal.trials.lines import JournalPath, Lines, file_of
from frugal.trials.problems import Problem, Recalling

TASK = ("id", "candidate", "n_rows", "subset", "epochs", "resume_from")
ANSWER = ("error", "seconds", "cost", "curve", "reason", "overhead_s")
COLUMNS = (*TASK, *ANSWER, "incumbent", "recommendation")
"""Columns of a trials file. Candidates are JSON objects, curves JSON lists. The incumbent is the candidate that
the strategy would return, in most strategies the one with the lowest observed error. The recommendation has the
lowest predicted error; if a strategy has none, it is the incumbent."""

log = logging.getLogger(__name__)


def run(
    strategy: TrialStrategy,
    problem: Problem,
    *,
    kept: Sequence[Trial] = (),
    keep: Callable[[Trial], None] = lambda trial: None,
    time_s: float | None = None,
    n_trials: int | None = None,
) -> pd.DataFrame:
    """Ask, evaluate and tell until the strategy is finished, or its time is over.

    The optimiser's time before a trial (`overhead_s`) is the time of `tell` for the previous trial plus that of
    `ask` for this one. Stored trials of an interrupted run are not evaluated again: the strategy gets their stored
    results.

    Args:
        strategy: a new strategy.
        problem: evaluates the trials. Of stored curves give each run a problem of its own.
        kept: the first trials of an interrupted run of the same strategy, problem and seed, in order.
        keep: called with each new trial as soon as it is done.
        time_s: seconds after which no further trial begins; None: no limit. They are those of trials and of the
            optimiser, but for its `tell` of the last trial.
        n_trials: the most trials that the strategy may ask for; None: any number.

    Returns:
        One row per trial. Of its task: id, candidate (a JSON object), n_rows, subset, epochs and resume_from. Of
        its result: error, seconds, cost, curve (a JSON list), reason and overhead_s. After it: incumbent and
        recommendation of the strategy, JSON objects or None.

    Raises:
        ValueError: if a kept trial is not the one that the strategy asks for, or it asks for fewer than are kept;
            or if `time_s` is below 0 or no number, or `n_trials` no whole number from 1.
        RuntimeError: if the strategy returns WAIT while no trial is pending.
        RunError: if it asks for more than `n_trials`.

    Examples:
        >>> import numpy as np
        >>> from frugal import benchmarks, trials
        >>> branin = benchmarks.problem("function", "branin", 0, {})
        >>> strategy = trials.make("ei", space=branin.space, n_trials=25, rng=np.random.default_rng(0))
        >>> found = trials.run(strategy, branin)
        >>> len(found), bool(found["error"].min() < 0.5)  # the least value is 0.398
        (25, True)
    """
    if time_s is not None:
        check_number("time_s", time_s, 0)
    if n_trials is not None:
        check_whole("n_trials", n_trials, 1)
    rows: list[dict[str, Any]] = []
    n_epochs: dict[int | None, int] = {}  # that trials have behind them
    telling = spent_s = 0.0
    while True:
        if time_s is not None and spent_s >= time_s:
            log.info("%d trials in %.0f s: the time of the search is over", len(rows), spent_s)
            return pd.DataFrame(rows, columns=COLUMNS)
        task, asking = ask(strategy)
        overhead_s = telling + asking
        if task is None:
            if len(rows) < len(kept):
                raise ValueError(f"kept must be trials of this run, which ends after {len(rows)}, got {len(kept)}")
            return pd.DataFrame(rows, columns=COLUMNS)
        if isinstance(task, Wait):
            raise RuntimeError(f"{type(strategy).__name__} returned WAIT while no trial was pending")
        if len(rows) == n_trials:
            raise RunError(f"the strategy must end after {n_trials} trials, but asks for another")
        if len(rows) < len(kept):
            trial = _as_kept(task, kept[len(rows)], strategy, problem, n_epochs.get(task.resume_from, 0))
        else:
            trial = replace(problem.evaluate(task, strategy.report), overhead_s=overhead_s)
            keep(trial)
        row, telling = tell(strategy, trial)
        n_epochs[trial.task.id] = len(trial.curve)
        spent_s += trial.seconds + trial.overhead_s
        rows.append(row)


def ask(
    strategy: TrialStrategy, clock: Callable[[], float] = process_time
) -> tuple[TrialTask | Wait | None, float]:
    """Ask a strategy for a task; returns it and the seconds of the strategy.

    BLAS has one thread, here and in `tell`. The last digits of a Gaussian process depend on the number of threads,
    and its next candidate depends on these digits.
    """
    with one_blas_thread():
        started = clock()
        task = strategy.ask()
        return task, clock() - started


def tell(
    strategy: TrialStrategy,
    trial: Trial,
    text: Callable[[Candidate], str] = as_json,
    clock: Callable[[], float] = process_time,
) -> tuple[dict[str, Any], float]:
    """Tell a strategy the result of a trial; returns the row of `COLUMNS` and the seconds of the strategy.

    With `thread_time` as the clock, what other threads do at the same time does not count.
    """
    with one_blas_thread():
        started = clock()
        strategy.tell(trial)
        chosen = strategy.incumbent
        believed = getattr(strategy, "recommendation", chosen)
        seconds = clock() - started
    ends = {"incumbent": chosen, "recommendation": believed}
    return as_row(trial, text) | {name: None if end is None else text(end) for name, end in ends.items()}, seconds


def _as_kept(task: TrialTask, trial: Trial, strategy: TrialStrategy, problem: Problem, n_before: int) -> Trial:
    """Replay a stored trial: report its epochs after the first `n_before` to the strategy.

    The problem comes first, since the strategy's use of a score may depend on the curve behind the trial.
    """
    # A file has lists for tuples, so that candidates are compared by their texts.
    if replace(trial.task, candidate=task.candidate) != task or as_json(trial.task.candidate) != as_json(
        task.candidate
    ):
        raise ValueError(
            f"kept trial {trial.task.id} is {trial.task}, but {task} is asked for; delete the kept trials, or set "
            "them aside by --restart"
        )
    trial = replace(trial, task=task)
    if isinstance(problem, Recalling):
        problem.recall(trial)
    for epoch, score in enumerate(trial.curve, start=1):
        if epoch > n_before and not math.isnan(score):  # a network that diverges reports no more
            strategy.report(task, epoch, score)
    return trial


def as_row(trial: Trial, text: Callable[[Candidate], str] = as_json) -> dict[str, Any]:
    """A trial as plain values under `TASK` and `ANSWER`, its candidate as `text`."""
    task = {name: getattr(trial.task, name) for name in TASK}
    answer = {name: getattr(trial, name) for name in ANSWER}
    return task | answer | {"candidate": text(trial.task.candidate), "curve": json.dumps(list(trial.curve))}


def as_trial(row: dict[str, Any]) -> Trial:
    """Invert `as_row`."""
    task = {name: row[name] for name in TASK} | {"candidate": json.loads(row["candidate"])}
    answer = {name: row[name] for name in ANSWER} | {"curve": tuple(json.loads(row["curve"]))}
    return Trial(TrialTask(**task), **answer)


class Journal:
    """The trials of a run so far. Each is written before the next starts, and survives the death of the process.

    Attributes:
        path: path of the file.
        trials: trials in the file when it was opened, in order.
        states: folder of the networks that later trials may continue; see `problems.States`.

    Args:
        journal: the file; its folder is created.
        header: values that identify the run. If the file is not resumed, the states beside it are removed.

    Raises:
        ValueError: if the file belongs to another run, or is not a journal.
    """

    def __init__(self, journal: JournalPath, header: dict[str, Any]) -> None:
        self._lines = Lines(journal, header)
        self.path = file_of(journal).path
        self.trials = self._lines.rows(as_trial)
        self.states = states_beside(self.path)
        if self._lines.has_set_aside:
            remove_states(self.states)

    def keep(self, trial: Trial) -> None:
        """Append a trial."""
        self._lines.add(as_row(trial))

    def close(self) -> None:
        """Close the file; nothing can be added any more."""
        self._lines.close()


def states_beside(path: str | Path) -> Path:
    """Folder for the states of a run, beside its journal."""
    return Path(path).with_suffix(".states")


def remove_states(folder: Path) -> None:
    """Remove the states of a run, and their folder unless it holds other files."""
    for pattern in ("trial*.pt", ".trial*.pt.*.part"):
        for state in folder.glob(pattern):
            state.unlink(missing_ok=True)
    with suppress(OSError):  # there is none, or it holds other files
        folder.rmdir()


def forget(path: str | Path) -> None:
    """Remove a journal and the states beside it, if they exist."""
    remove_states(states_beside(path))
    Path(path).unlink(missing_ok=True)
