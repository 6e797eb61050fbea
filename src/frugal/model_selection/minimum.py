"""Minimise any function of hyperparameters that returns an error."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor
from copy import deepcopy
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from sklearn.utils._param_validation import validate_parameter_constraints

from frugal.checks import check_number, check_positive, check_whole
from frugal.interface import Candidate, Trial, TrialTask
from frugal.model_selection.backends import open_backend
from frugal.model_selection.base import CONSTRAINTS
from frugal.model_selection.definitions import definition_of
from frugal.model_selection.evaluation import Surroundings
from frugal.model_selection.journal import seed_in
from frugal.model_selection.limited import Limits
from frugal.model_selection.progress import INTERRUPTED, TrialProgress, ending_of, warn_of_interruption
from frugal.model_selection.trial_journal import TrialJournal, trials_journal
from frugal.model_selection.trial_plan import (
    LimitedTrialStrategy,
    Plan,
    ResourceSpec,
    plan,
    usable,
    warn_of_less,
    warn_of_repeats,
)
from frugal.model_selection.trial_space import TrialSpace, as_space, space_parts
from frugal.spaces import SearchSpace
from frugal.trials.lines import lock_journal
from frugal.trials.live import LiveRun, as_text

if TYPE_CHECKING:
    import pandas as pd

RESOURCE_ARGUMENTS: Final = {"rows": ("n_rows", "subset"), "epochs": ("epochs", "resume_from", "id")}
"""Resource of a strategy -> further arguments that the function may take."""
_OBJECTIVE: Final = "frugal.model_selection.minimum:Objective"


@dataclass(frozen=True, eq=False)
class Minimum:
    """Result of `minimize`.

    Attributes:
        candidate: the candidate with the lowest error. If there is a resource, only trials on the full resource
            count; if none of these succeeded, only those on the largest part.
        error: error of this candidate.
        trials: one row per trial in the order of asking, with the columns of `frugal.trials.run`; a candidate is a
            text there, for `json.loads`.
        n_trials: number of trials.
        ended: the limit that ended the search; empty if the strategy ended it.

    Examples:
        >>> from frugal import minimize
        >>> from frugal.spaces import Uniform
        >>> found = minimize(lambda c: c["x"] ** 2, {"x": Uniform(-1.0, 1.0)}, n_trials=6, random_state=0)
        >>> list(found.candidate), len(found.trials), found.ended
        (['x'], 6, '')
    """

    candidate: Candidate
    error: float
    trials: pd.DataFrame = field(repr=False)
    n_trials: int
    ended: str


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search; `found` is the best result so far, None if no trial succeeded."""

    def __init__(self, found: Minimum | None) -> None:
        super().__init__(INTERRUPTED)
        self.found = found


class OutOfMemoryError(MemoryError):
    """A search ran out of memory; `found` is the best result so far, None if no trial succeeded."""

    def __init__(self, message: str, found: Minimum | None = None) -> None:  # a default, to be unpickled
        super().__init__(message)
        self.found = found


class Broken(BrokenExecutor):
    """The executor of a search broke; `found` is the best result so far, None if no trial succeeded."""

    def __init__(self, message: str, found: Minimum | None = None) -> None:  # a default, to be unpickled
        super().__init__(message)
        self.found = found


def minimize(
    function: Callable[..., float],
    space: TrialSpace,
    *,
    strategy: str = "ei",
    n_trials: int | None = None,
    settings: Mapping[str, Any] | None = None,
    n_workers: int = 1,
    executor: Executor | None = None,
    n_pending: int | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    journal: str | os.PathLike[str] | None = None,
    restart: bool = False,
    time_limit: float | None = None,
    trial_timeout: float | None = None,
    verbose: int = 0,
) -> Minimum:
    """Search for the candidate with the lowest error of a function.

    The function is called with a candidate, a dict. If the strategy chooses the resource of a trial, the function
    also gets the following keywords, if its signature names them: `n_rows` (None: all rows) and `subset` (number
    of the draw of these rows); or `epochs`, `resume_from` (number of the trial to continue, or None) and `id`
    (number of the trial). With `hyperband` on rows, its setting `epochs` is passed, too.

    The function returns any real number. A trial fails, with a reason, if the result is nan, infinite or beyond
    +-1e100, or if the function raises an exception, `SystemExit` included. MemoryError and KeyboardInterrupt end
    the search, and so does a result that is not a number. A trial that took longer than `trial_timeout` stays
    failed in the journal.

    Args:
        function: candidate -> error; picklable (by cloudpickle) if there are several workers. It gets copies of
            listed lists, dicts, sets and arrays.
        space: a `frugal.spaces.SearchSpace`, or a dict from names to dimensions, lists of values (categorical) or
            frozen distributions of `scipy.stats`.
        strategy: one of `frugal.trials.known()`. `ei` and `random` need nothing. `hyperband` needs a function of
            `n_rows` or `epochs`, and the setting `max_resource`. `fabolas`, `fabolas_joint` and `mtbo` need a
            function of `n_rows`, the setting `n_max`, errors of at least 0, and the extra `mcmc`. `hypertune`
            needs a function of `n_rows`, the setting `subset_rows`, and a `SearchSpace` with `signs`.
            `entropy_search` and `dngo` need the extra `mcmc`, `dngo` also `networks`. `tpe` and `smac` need the
            extra `peers`.
        n_trials: largest number of trials. A strategy that judges candidates by a part of the resource may get one
            more, for its choice on the full resource. None: 50; for `hyperband` every bracket once; for
            `hypertune` 50 after the trials on subsets. If no trial varies a resource, a space with fewer
            candidates is warned of.
        settings: settings of the strategy, by name; `frugal.trials.settings_of` lists them. Unless you give them,
            `currency` is "cost"; `n_valid` is None; `auxiliary` is a quarter and `n_min` a sixteenth of `n_max`,
            at most 100; and `resource` is what the function takes.
        n_workers: number of processes; under `joblib.parallel_config` with another backend than joblib's
            processes, of its workers.
        executor: any `concurrent.futures.Executor` that runs the trials in place of processes; it stays open.
        n_pending: number of trials that may be pending at once; None: one per worker. The result depends on this
            number, but not on the number of workers.
        random_state: seed of the strategy; None: a new one for every search, or that of the journal.
        journal: file that stores every trial, so that the same search repeats none; a .parquet file, or lines of
            JSON under any other name. It identifies the function by name and code, not by the attributes of a
            callable object; the guide says what else it does not see.
        restart: whether to rename an existing journal, with the suffix `.old`, and begin a new one. A journal
            written by older code is always renamed.
        time_limit: seconds after which no trial is started.
        trial_timeout: seconds after which a trial counts as failed. Trials then run in separate processes, and
            such a trial is ended. In an `executor` it may keep its worker busy.
        verbose: 1 prints a progress line now and then.

    Returns:
        The best candidate, its error and all trials.

    Raises:
        ValueError: on arguments that do not go together, the journal of another search, or if every trial failed.
        TypeError: if the function does not return a number.
        ImportError: without the extra that the strategy, or a parquet journal, needs.
        KeyboardInterrupt: after Ctrl-C; its attribute `found` is the best result so far, or None.
        BrokenExecutor: if the executor breaks; it has the same attribute.
        MemoryError: if the function or the strategy runs out of memory; it has the same attribute.

    Examples:
        >>> from frugal import minimize
        >>> from frugal.spaces import Uniform
        >>> def bowl(candidate):
        ...     return (candidate["x"] - 2) ** 2 + (candidate["y"] + 1) ** 2
        >>> space = {"x": Uniform(-5.0, 5.0), "y": Uniform(-5.0, 5.0)}
        >>> found = minimize(bowl, space, n_trials=20, random_state=0)
        >>> round(found.candidate["x"], 1), round(found.candidate["y"], 1)
        (2.0, -1.0)
        >>> found.n_trials, found.error < 0.01
        (20, True)

        A function with a resource:

        >>> def trained(candidate, epochs):
        ...     return (candidate["rate"] - 0.3) ** 2 + 1 / epochs
        >>> found = minimize(
        ...     trained,
        ...     {"rate": Uniform(0.0, 1.0)},
        ...     strategy="hyperband",
        ...     settings={"max_resource": 9},
        ...     random_state=0,
        ... )
        >>> sorted({int(epochs) for epochs in found.trials["epochs"]})
        [1, 3, 9]
    """
    check_whole("n_workers", n_workers, 1)
    if n_pending is not None:
        check_whole("n_pending", n_pending, 1)
    for name, limit in (("time_limit", time_limit), ("trial_timeout", trial_timeout)):
        if limit is not None:
            check_positive(name, limit)
    check_number("verbose", int(verbose) if isinstance(verbose, bool) else verbose, 0)
    if not callable(function):
        raise ValueError(f"function must be callable, got {function!r}")
    arguments = {"settings": settings, "journal": journal, "restart": restart, "executor": executor}
    validate_parameter_constraints(CONSTRAINTS, arguments, "minimize")
    searched = as_space(space)
    planned = plan(
        strategy, settings or {}, _resource_spec(function, settings or {}), space=searched, n_trials=n_trials
    )
    warn_of_repeats(planned, searched, stacklevel=3)
    names = _names(function, planned)
    lacking = [name for name in _required(function) if planned.varies is not None and name not in names]
    if lacking:
        raise ValueError(
            f"{lacking[0]} of function must have a default, since {planned.strategy} varies {planned.varies} alone"
        )
    seed = _seed(random_state, None if restart else journal)
    evaluate = Objective(function, names, planned.n_rows)
    options = {"n_jobs": n_workers, "executor": executor, "n_pending": n_pending}
    with open_backend(evaluate, **options, needs_workers=trial_timeout is not None) as backend:  # type: ignore[arg-type]
        parts = {} if journal is None else _parts(function, searched, planned, seed, backend.n_pending)
        limited = LimitedTrialStrategy(planned.make(searched, seed), planned, Limits(time_limit=time_limit))
        run = LiveRun(limited)
        ends_whole = planned.varies is not None
        progress = TrialProgress(verbose, planned.n_trials, may_end_whole=ends_whole, time_limit=time_limit)
        journal_file = trials_journal(journal, planned.strategy, _OBJECTIVE, restart=restart)
        with lock_journal(journal), TrialJournal(journal_file, parts, searched) as kept:
            limited.n_kept = kept.n_kept

            def keep(trial: Trial) -> None:
                kept.keep_trial(trial)
                progress.add(lambda: None if limited.best is None else limited.best.error, kept.n_answered)

            interruption = run.go(
                evaluate,
                executor=backend.executor,
                n_pending=backend.n_pending,
                trial_timeout=trial_timeout,
                kept=kept.answer,
                keep=keep,
            )
    progress.end(None if limited.best is None else limited.best.error, kept.n_answered)
    if interruption is None:
        found = _found(run, limited)
        _warn_of_trials(run, limited, planned)
        return found
    limited.ended = ending_of(interruption)
    best = None if limited.best is None else _found(run, limited)
    raised: Interrupted | Broken | OutOfMemoryError = Interrupted(best)
    if not isinstance(interruption, KeyboardInterrupt):
        kind = Broken if isinstance(interruption, BrokenExecutor) else OutOfMemoryError
        raised = kind(str(interruption), best)
    kept_at = f"the attribute `found` of this {type(raised).__mro__[1].__name__}"
    done, place, has_journal = f"{len(run.trials)} trials", None if best is None else kept_at, journal is not None
    warn_of_interruption(raised, done, place, has_journal=has_journal, stacklevel=2)
    raise raised from interruption


@dataclass(frozen=True)
class Objective:
    """Evaluate a task by calling the user's function.

    Attributes:
        function: takes a candidate, and `names` by keyword.
        names: attributes of the task that the function takes.
        n_rows: rows of a whole trial, for the cost; None: unknown.
        surroundings: configuration of the thread that made this object, applied wherever the function runs.
    """

    function: Callable[..., float]
    names: tuple[str, ...]
    n_rows: int | None
    surroundings: Surroundings = field(default_factory=Surroundings.here)

    def __call__(self, task: TrialTask) -> Trial:
        """Call the function.

        Raises:
            TypeError: if the function does not return a number.
            MemoryError: if the function raises it.
        """
        started = perf_counter()
        reason = ""
        try:
            with self.surroundings.applied():
                resources = {name: getattr(task, name) for name in self.names}
                value: Any = self.function(_own(task.candidate), **resources)
        except MemoryError:
            raise
        except Exception as raised:  # noqa: BLE001  whatever it raised is the reason of a failed trial
            value, reason = math.nan, f"{type(raised).__name__}: {' '.join(str(raised).split())}".rstrip(": ")
        seconds = perf_counter() - started
        error = _as_number(value)
        if not reason and not math.isfinite(error):
            error, reason = math.nan, f"the function returned {error}"
        trial = Trial(task, error, seconds, self._cost(task), reason=reason)
        return usable(trial)

    def _cost(self, task: TrialTask) -> float:
        """Rows times epochs; nan if the number of rows is unknown."""
        if "n_rows" not in self.names:
            return float(task.epochs or 1)
        n_rows = task.n_rows or self.n_rows
        return math.nan if n_rows is None else float(n_rows * (task.epochs or 1))


def _own(candidate: Candidate) -> dict[str, Any]:
    """A candidate whose lists, dicts, sets and arrays the function may change; the rest is the space's own."""
    kinds = (list, dict, set, bytearray, np.ndarray)
    return {name: deepcopy(value) if isinstance(value, kinds) else value for name, value in candidate.items()}


def _as_number(value: Any) -> float:
    refusal = TypeError(f"function must return an error, a number, got {value!r}")
    if isinstance(value, str | bytes):
        raise refusal
    try:
        return float(value)
    except OverflowError:  # a whole number of more than 308 digits
        return math.inf
    except (TypeError, ValueError) as error:
        raise refusal from error


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Parameters of a function after the candidate, by name."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some builtins have no signature
        return {}
    return {p.name: p for p in parameters[1:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def _required(function: Callable[..., Any]) -> list[str]:
    """Amounts of a resource that the function takes and has no default for."""
    taken = _parameters(function)
    return [n for n in ("n_rows", "epochs") if n in taken and taken[n].default is inspect.Parameter.empty]


def _resource_spec(function: Callable[..., Any], settings: Mapping[str, Any]) -> ResourceSpec:
    taken = _parameters(function)
    kinds: list[Literal["rows", "epochs"]] = ["rows", "epochs"]
    found = [kind for kind in kinds if RESOURCE_ARGUMENTS[kind][0] in taken]
    asked = [kind for kind in found if kind == settings.get("resource")]
    resource = next(iter([*asked, *found]), None)
    required = _required(function)
    return ResourceSpec(
        resource=resource,
        most=None,
        least=1,
        noun=resource or "",
        n_classes=None,
        n_valid=None,
        rows_text="a function of n_rows, as in `def function(candidate, n_rows)`",
        epochs_text="a function of epochs",
        unused_text=f"{' and '.join(required)} of function must have a default" if required else "",
        takes_epochs="epochs" in taken,
    )


def _names(function: Callable[..., Any], planned: Plan) -> tuple[str, ...]:
    """Attributes of a task that the function takes, where trials differ in a resource."""
    if planned.varies is None:
        return ()
    names = RESOURCE_ARGUMENTS[planned.varies]
    if planned.varies == "rows" and planned.epochs is not None:
        names = (*names, "epochs")
    return tuple(name for name in names if name in _parameters(function))


def _seed(random_state: Any, journal: str | os.PathLike[str] | None) -> int:
    if random_state is None:
        kept = seed_in(journal)
        return int(np.random.default_rng().integers(2**31)) if kept is None else kept
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    check_whole("random_state", random_state, 0)
    return int(random_state)


def _parts(
    function: Callable[..., Any], space: SearchSpace, planned: Plan, seed: int, n_pending: int
) -> dict[str, Any]:
    """Values that identify the search, for the header of its journal."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return {
        "function": f"{getattr(function, '__module__', '')}.{name} {definition_of(function)}",
        **space_parts(space),
        "strategy": planned.strategy,
        "settings": as_text(planned.settings),
        "seed": seed,
        "n_pending": n_pending,
    }


def _found(run: LiveRun, limited: LimitedTrialStrategy) -> Minimum:
    """Return the best trial.

    Raises:
        ValueError: if there is none.
    """
    n_trials = len(run.trials)
    if limited.best is None:
        raise ValueError(
            f"all {n_trials} trials failed; the first: {run.trials[0].reason}"
            if n_trials
            else f"no trial was made: {limited.ended}"
        )
    best = limited.best
    return Minimum(dict(best.task.candidate), best.error, run.table(), n_trials, limited.ended)


def _warn_of_trials(run: LiveRun, limited: LimitedTrialStrategy, planned: Plan) -> None:
    """Warn if trials failed, or if the best one is not on the full resource."""
    failed, n_trials = [trial for trial in run.trials if math.isnan(trial.error)], len(run.trials)
    if failed:
        first = failed[0]
        warnings.warn(
            f"{len(failed)} of {n_trials} trials failed; the first is trial {first.task.id}: {first.reason}",
            RuntimeWarning,
            stacklevel=3,
        )
    assert limited.best is not None
    if not planned.is_whole(limited.best.task):
        warn_of_less(limited.ended, stacklevel=4)
