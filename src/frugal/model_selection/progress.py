"""Progress of a search: a printed line, and the callbacks of scikit-learn 1.9."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Final

_EVERY_S: Final = {True: 0.2, False: 10.0}
"""Seconds between lines, on a terminal and in a file."""
INTERRUPTED: Final = "the search was interrupted"
BROKEN: Final = "the executor broke"
NO_MEMORY: Final = "the search ran out of memory"


def ending_of(interruption: BaseException) -> str:
    """Describe the exception that ended a search."""
    if isinstance(interruption, KeyboardInterrupt):
        return INTERRUPTED
    what, detail = NO_MEMORY if isinstance(interruption, MemoryError) else BROKEN, str(interruption)
    return f"{what} ({detail})" if detail else what


def warn_of_interruption(
    interruption: BaseException, done: str, place: str | None, *, has_journal: bool, stacklevel: int
) -> None:
    """Warn that a search was interrupted, and say where the best result is (None: there is none).

    Where warnings are errors the interruption is what is raised, so that it has the text as a note.

    Args:
        interruption: KeyboardInterrupt after Ctrl-C, MemoryError, or the error of a broken executor.
        done: number of evaluations, such as `12 fits`.
        place: place of the best candidate; None: there is none.
        has_journal: whether a journal holds the evaluations.
        stacklevel: as in `warnings.warn`.
    """
    best = "there is no candidate yet" if place is None else f"the best candidate so far is {place}"
    text = f"{ending_of(interruption)} after {done}; {best}"
    if not isinstance(interruption, KeyboardInterrupt):
        text += "; the same search goes on from its journal" if has_journal else "; give journal=... to go on"
    try:
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)
    except UserWarning:
        interruption.add_note(text)


def _is_terminal() -> bool:
    try:
        return bool(sys.stdout.isatty())
    except (AttributeError, ValueError):  # none, or a replacement that cannot tell; closed
        return False


class ProgressLine:
    """Prints how many fits are done, the seconds, and the mean score of the best candidate so far.

    Args:
        verbose: 0 prints nothing.
        n_candidates: number of candidates.
        n_folds: number of folds of a complete candidate.
        time_limit: seconds after which no fit is started; None: no limit.
    """

    _unit = "fits"

    def __init__(self, verbose: int, n_candidates: int, n_folds: int, *, time_limit: float | None = None) -> None:
        most = n_candidates * n_folds
        text = f"Searching {n_candidates} candidates on {n_folds} folds: {most} fits at most"
        self._begin(verbose, most, text, time_limit)

    def _begin(self, verbose: int, most: int, text: str, time_limit: float | None) -> None:
        self._is_on, self._most, self._time_limit = verbose > 0, most, time_limit
        self._started = self._printed = monotonic()
        self._n_new, self._n_kept, self._on_terminal = 0, 0, verbose == 1 and _is_terminal()
        if self._is_on:
            print(text)

    def add(self, best: Callable[[], float | None], n_kept: int = 0) -> None:
        """Count a new fit, and print now and then; `n_kept` fits so far were kept in a journal.

        `best` is called for the mean score to print.
        """
        self._n_new, self._n_kept = self._n_new + 1, n_kept
        if self._is_on and monotonic() - self._printed >= _EVERY_S[self._on_terminal]:
            self._print(best(), end="\r" if self._on_terminal else "\n")

    def end(self, best: float | None, n_kept: int = 0) -> None:
        """Print the last line."""
        self._n_kept = n_kept
        if self._is_on:
            self._print(best, end="\n")

    def _print(self, best: float | None, *, end: str) -> None:
        self._printed = monotonic()
        spent = self._printed - self._started
        n_done = self._n_new + self._n_kept
        most = max(self._most, n_done)  # halving makes fits on few rows beyond those
        left = spent / max(self._n_new, 1) * (most - n_done)
        if self._time_limit is not None:
            left = min(left, max(self._time_limit - spent, 0.0))
        done = f"{n_done} of at most {most} {self._unit}"
        text = f"{done}, {spent:.0f} s, about {left:.0f} s left, best: "
        text += "none yet" if best is None else f"{best:.6g}"
        # Of a closed output, or one without flush: no reason to lose the search.
        with suppress(AttributeError, OSError, ValueError):
            print(f"{text:<79}", end=end, flush=True)


class TrialProgress(ProgressLine):
    """Progress of trials, with the best error or score so far.

    Args:
        verbose: 0 prints nothing.
        n_trials: largest number of trials.
        may_end_whole: whether one more trial, on the full resource, may be needed at the end.
        time_limit: seconds after which no trial is started; None: no limit.
    """

    _unit = "trials"

    def __init__(
        self, verbose: int, n_trials: int, *, may_end_whole: bool = False, time_limit: float | None = None
    ) -> None:
        text = f"Searching with {n_trials} trials at most"
        text += ", and one more on all there is if the best had none" if may_end_whole else ""
        self._begin(verbose, n_trials + may_end_whole, text, time_limit)


class Callbacks:
    """The tasks of a fit, announced to the callbacks of scikit-learn 1.9; nothing happens without them.

    Args:
        search: the search, an estimator.
        X: rows passed to `fit`.
        y: targets passed to `fit`.
        sample_weight: weights passed to `fit`; None: there are none.
    """

    def __init__(self, search: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._search = search
        self._fit: Any = None
        self._tasks: Any = None
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"X": X, "y": y, "metadata": metadata}
        if hasattr(search, "_init_callback_context"):
            root = search._init_callback_context(max_subtasks=1 + (search.refit is not False))
            _check_callbacks(search.estimator)
            self._fit = root.call_on_fit_task_begin(estimator=search, **self._data)

    def begin_search(self, n_candidates: int, n_folds: int) -> dict[tuple[int, int], Any]:
        """Announce the search; returns the callback context of each evaluation, if there are callbacks."""
        if self._fit is None:
            return {}
        self._tasks = self._fit.subcontext(
            task_name="search", max_subtasks=n_candidates * n_folds, sequential_subtasks=False
        )
        self._tasks.call_on_fit_task_begin(estimator=self._search)
        if not getattr(self._search, "_skl_callbacks", None):
            return {}
        return {
            divmod(number, n_folds): self._tasks.subcontext(task_name="candidate-split-evaluation", task_id=number)
            for number in range(n_candidates * n_folds)
        }

    def end_search(self) -> None:
        """Announce the end of the search."""
        if self._tasks is not None:
            self._tasks.call_on_fit_task_end(estimator=self._search)

    def refit(self, estimator: Any, *fit_arguments: Any, **fit_params: Any) -> None:
        """Fit the best estimator as a task."""
        if self._fit is None:
            estimator.fit(*fit_arguments, **fit_params)
            return
        task = self._fit.subcontext(task_name="refit-with-best-params")
        with task.propagate_callback_context(estimator):
            task.call_on_fit_task_begin(estimator=self._search, **self._data)
            estimator.fit(*fit_arguments, **fit_params)
        task.call_on_fit_task_end(estimator=self._search, **self._data)

    def end(self) -> None:
        """Announce the end of the fit."""
        if self._fit is not None:
            self._fit.call_on_fit_task_end(estimator=self._search, **self._data)


def _check_callbacks(estimator: Any) -> None:
    """Refuse callbacks of the estimator that scikit-learn would refuse at the refit, after all fits.

    Raises:
        TypeError: on a callback that the search has to have, such as a ProgressBar.
    """
    from sklearn.callback import AutoPropagatedCallback

    for callback in getattr(estimator, "_skl_callbacks", ()):
        if isinstance(callback, AutoPropagatedCallback):
            name = type(callback).__name__
            raise TypeError(f"{name} is a callback of the estimator: give it to the search, with set_callbacks")
