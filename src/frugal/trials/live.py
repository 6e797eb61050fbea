"""Live runs of a trials strategy: several trials at once in workers, told in the order of asking."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import replace
from time import thread_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frugal.checks import as_python, check_whole
from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.pending import Family, Pending, drive
from frugal.trials.runs import COLUMNS, ask, tell

if TYPE_CHECKING:
    import pandas as pd

Evaluate = Callable[[TrialTask], Trial]
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")


class LiveRun:
    """A live run. After an interruption the finished trials stay in place.

    The strategy gets the results in the order of asking. So a run depends on the number of pending trials, but on
    neither the number of workers nor their speed. A trial whose worker dies is repeated once, with a warning. It
    counts as failed if its worker dies again. A trial that calls `sys.exit` counts as failed, too. Scores of
    single epochs are not reported, so no trial is stopped early.

    Attributes:
        trials: finished trials whose results the strategy has, in the order of asking.

    Args:
        strategy: a new strategy.
    """

    def __init__(self, strategy: TrialStrategy) -> None:
        self._strategy = strategy
        self._rows: list[dict[str, Any]] = []
        self._overheads: dict[int, float] = {}  # of trials under way, by id
        self._telling = 0.0
        self.trials: list[Trial] = []

    def go(
        self,
        evaluate: Evaluate,
        *,
        executor: Executor | None = None,
        n_pending: int = 1,
        trial_timeout: float | None = None,
        failed_error: float = math.nan,
        kept: Callable[[TrialTask], Trial | None] = lambda task: None,
        keep: Callable[[Trial], None] = lambda trial: None,
    ) -> KeyboardInterrupt | BrokenExecutor | MemoryError | None:
        """Ask and tell until the strategy is finished, Ctrl-C is pressed, the executor breaks or memory ends.

        Args:
            evaluate: task -> trial; picklable if the executor uses processes. An exception ends the run.
            executor: executor of the trials, such as `frugal.workers.Workers`; None: this thread, one at a time.
            n_pending: number of trials that may be pending at once.
            trial_timeout: seconds after which a trial counts as failed. `Workers` kill the process; the worker of
                another executor is lost until the trial ends.
            failed_error: error told to the strategy for a trial that counts as failed.
            kept: task -> its trial from an interrupted run, or None; such a trial is not repeated.
            keep: called in this thread with each new trial as soon as it is done.

        Returns:
            The interruption that ended the run; None: there was none. A BrokenExecutor also says that every worker
            is held by trials that were given up.

        Raises:
            ValueError: if `n_pending` is below 1, `trial_timeout` is not positive or given without an executor, or
                the strategy waits while nothing is pending.
            TypeError: if `evaluate` does not return a `Trial`.
        """
        check_whole("n_pending", n_pending, 1)

        def keep_new(task: TrialTask, trial: Trial) -> None:
            keep(self._timed(task, trial))

        family: Family[TrialTask, Trial] = Family(
            noun="trial",
            name=lambda task: f"trial {task.id}",
            answer=Trial,
            failed=lambda task, seconds, reason: Trial(task, failed_error, seconds, math.nan, reason=reason),
        )
        with Pending(family, evaluate, executor, trial_timeout, kept, keep_new) as pending:
            try:
                drive(self._ask, self._tell, pending, n_pending, lambda: False)
            except (KeyboardInterrupt, BrokenExecutor, MemoryError) as interruption:
                return interruption
        return None

    def table(self) -> pd.DataFrame:
        """Table with one row per finished trial and the columns `frugal.trials.runs.COLUMNS`; see `as_text`."""
        import pandas as pd

        return pd.DataFrame(self._rows, columns=COLUMNS)

    def _ask(self) -> TrialTask | Wait | None:
        task, seconds = ask(self._strategy, thread_time)
        self._telling += seconds
        if isinstance(task, TrialTask):
            self._overheads[task.id], self._telling = self._telling, 0.0
        return task

    def _tell(self, task: TrialTask, answer: Trial) -> None:
        trial = self._timed(task, answer)
        row, seconds = tell(self._strategy, trial, as_text, thread_time)
        self._telling += seconds
        self.trials.append(trial)
        self._rows.append(row)

    def _timed(self, task: TrialTask, trial: Trial) -> Trial:
        """Complete a trial with the task that was asked and the optimiser's time before it."""
        return replace(trial, task=task, overhead_s=trial.overhead_s or self._overheads[task.id])


def as_text(candidate: Candidate) -> str:
    """Serialise a candidate as JSON; other objects become their name or text."""
    return json.dumps(_with_text_keys(dict(candidate)), sort_keys=True, default=_plain)


def _with_text_keys(value: Any) -> Any:
    """Mappings with keys as JSON has them: of `{np.int64(0): 1.0}`, a weight by class, `{"0": 1.0}`."""
    if isinstance(value, Mapping):
        return {_key(key): _with_text_keys(one) for key, one in value.items()}
    return [_with_text_keys(one) for one in value] if isinstance(value, list | tuple) else value


def _key(key: object) -> str:
    return key if isinstance(key, str) else json.dumps(as_python(key), default=_plain)


def _plain(value: Any) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if hasattr(value, "__qualname__"):  # a function or a class, whose text would be an address
        return f"{value.__module__}.{value.__qualname__}"
    return without_addresses(repr(value))


def without_addresses(text: str) -> str:
    """A text of objects without their places in memory, which another process does not share."""
    return _ADDRESS.sub("", text)
