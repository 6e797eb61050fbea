"""A trials strategy of a search: its settings, completed with facts about data and resource, and its limits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeVar

import numpy as np

from frugal.checks import check_whole, is_number
from frugal.interface import WAIT, Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.model_selection.limited import Limits
from frugal.spaces import SearchSpace, alike
from frugal.trials.brackets import last_bracket, plan_bracket
from frugal.trials.checks import LARGEST_TARGET, check_list, check_sizes
from frugal.trials.strategies import check_strategy, make, settings_of

N_TRIALS: Final = 50
"""Default number of trials."""
PLAIN: Final = "ei, dngo, entropy_search or random"
"""Strategies without needs, named in error messages."""
LOGARITHMIC: Final = ("fabolas", "fabolas_joint", "mtbo")
"""Strategies that model the logarithm of errors. SMAC3 scales errors to [0, 1] before it takes the logarithm."""


@dataclass(frozen=True)
class ResourceSpec:
    """The resource that trials can get a part of, and facts about the data.

    Attributes:
        resource: `rows` or `epochs`; None: there is no resource.
        most: the full resource; None: only the settings can state it.
        least: smallest amount that a trial needs.
        noun: name of the resource in messages, in the plural.
        n_classes: number of classes; None: the targets are not classes, or unknown.
        n_valid: number of validation rows that errors are shares of; None: they are no shares of rows.
        rows_text: way for a user to offer rows as the resource, for error messages.
        epochs_text: way for a user to offer epochs as the resource, for error messages.
        unused_text: remedy if a strategy does not use the resource, for error messages; empty: none is needed.
        takes_epochs: whether trials on rows take a number of epochs, too.
    """

    resource: Literal["rows", "epochs"] | None
    most: int | None
    least: int
    noun: str
    n_classes: int | None
    n_valid: int | None
    rows_text: str
    epochs_text: str
    unused_text: str = ""
    takes_epochs: bool = False


@dataclass(frozen=True)
class Plan:
    """A strategy with its complete settings.

    Attributes:
        strategy: name of the strategy.
        settings: settings of the strategy.
        n_trials: number of trials.
        n_rows: rows of a whole trial; None: a whole trial has `n_rows` None.
        epochs: epochs of a whole trial; None: a whole trial has `epochs` None.
        varies: the resource that differs between trials; None: every trial is whole.
    """

    strategy: str
    settings: Mapping[str, Any]
    n_trials: int
    n_rows: int | None
    epochs: int | None
    varies: Literal["rows", "epochs"] | None

    def is_whole(self, task: TrialTask) -> bool:
        """True if a task has the full resource."""
        return task.n_rows in (None, self.n_rows) and task.epochs in (None, self.epochs)

    def make(self, space: SearchSpace, seed: int) -> TrialStrategy:
        """Make a new strategy."""
        rng = np.random.default_rng(seed)
        return make(self.strategy, space=space, n_trials=self.n_trials, rng=rng, **self.settings)


def gives_less(strategy: str) -> bool:
    """True if some trials of a strategy get only a part of a resource.

    Raises:
        ValueError: on an unknown strategy.
    """
    return not {"max_resource", "n_max", "subset_rows"}.isdisjoint(settings_of(strategy))


def warn_of_repeats(planned: Plan, space: SearchSpace, *, stacklevel: int) -> None:
    """Warn if a search on full resources has more trials than the space has candidates."""
    if planned.varies is None and space.n_points is not None and space.n_points < planned.n_trials:
        warnings.warn(
            f"the space has {space.n_points} candidates, fewer than the {planned.n_trials} trials of the search "
            "(n_trials), so that some are tried again, or the search ends before",
            stacklevel=stacklevel,
        )


def warn_of_less(ended: str, *, stacklevel: int) -> None:
    """Warn that the best trial has only a part of the resource; `ended` says why the search ended, if early."""
    why = f", since {ended}" if ended else ""
    best = "the best is that of the trials on the largest part"
    warnings.warn(f"no trial on the full resource has succeeded{why}; {best}", UserWarning, stacklevel=stacklevel)


def plan(
    strategy: str, settings: Mapping[str, Any], spec: ResourceSpec, *, space: SearchSpace, n_trials: int | None
) -> Plan:
    """Complete the settings of a strategy.

    The cost that strategies weigh is rows times epochs, not seconds, so that a search can be repeated.

    Args:
        strategy: name of the strategy.
        settings: settings that the user gave; they take precedence.
        spec: the resource, and facts about the data.
        space: the search space, with the signs of its hyperparameters.
        n_trials: number of trials; None: `N_TRIALS`, after the trials on subsets if there are any; for a strategy
            with brackets, every bracket once.

    Raises:
        ValueError: on an unknown strategy or setting, or a strategy that needs a resource that is not offered; the
            message says what would satisfy it.
    """
    if "termination" in settings:
        raise ValueError(
            "termination needs a score after every epoch, which is not asked for here; `frugal.trials.make` "
            "takes it, and `frugal.trials.run` reports them"
        )
    known = settings_of(strategy)
    check_strategy(strategy, settings)
    if n_trials is not None:
        check_whole("n_trials", n_trials, 1)
    facts = {"n_classes": spec.n_classes, "n_valid": spec.n_valid, "currency": "cost"}
    found = {
        name: facts[name] for name in facts if name in known and (name == "n_valid" or facts[name] is not None)
    }
    if "max_resource" in known:
        return _plan_brackets(strategy, found | dict(settings), spec, n_trials)
    if "n_max" in known:
        return _plan_sizes(strategy, found | dict(settings), spec, known, n_trials)
    if "subset_rows" in known:
        return _plan_subsets(strategy, found | dict(settings), spec, space, known, n_trials)
    if spec.unused_text:
        raise ValueError(
            f"{strategy} gives every trial the full resource, so {spec.unused_text}; strategies that vary it: "
            "hyperband, fabolas, fabolas_joint, mtbo, hypertune"
        )
    return Plan(strategy, found | dict(settings), n_trials or N_TRIALS, None, None, None)


def _plan_brackets(strategy: str, settings: dict[str, Any], spec: ResourceSpec, n_trials: int | None) -> Plan:
    if spec.resource is None:
        raise ValueError(
            f"{strategy} needs a resource that it can give trials less of: {spec.rows_text}, or "
            f"{spec.epochs_text}; without one, choose {PLAIN}"
        )
    settings.setdefault("resource", spec.resource)
    if settings["resource"] != spec.resource:
        raise ValueError(f"resource of {strategy} must be {spec.resource!r} here, got {settings['resource']!r}")
    is_rows = spec.resource == "rows"
    if is_rows and settings.get("epochs") is not None and not spec.takes_epochs:
        raise ValueError(
            f"epochs of {strategy} must be left out, since trials on rows take none, got {settings['epochs']!r}"
        )
    most = settings.setdefault("max_resource", spec.most)
    if most is None:
        raise ValueError(f"{strategy} needs settings={{'max_resource': ...}}, the {spec.noun} of a whole trial")
    factor = settings.get("reduction_factor", 3)
    least = spec.least
    if is_number(most, 1) and is_number(factor, 2):
        least = min(least, max(1, int(most / factor)))  # one reduction at least
    settings.setdefault("min_resource", least)
    sizes = {name: settings[name] for name in ("max_resource", "min_resource")} | {"reduction_factor": factor}
    if n_trials is None:
        numbers = settings.get("brackets")
        numbers = range(last_bracket(**sizes) + 1) if numbers is None else numbers
        check_list("brackets", numbers)
        if len(numbers) == 0:
            raise ValueError("brackets must name at least one bracket, got none")
        rounding = settings.get("rounding", "ceil")
        n_trials = sum(rung.n_candidates for s in numbers for rung in plan_bracket(s, rounding=rounding, **sizes))
    return Plan(
        strategy, settings, n_trials, most if is_rows else None, settings.get("epochs") if is_rows else most,
        spec.resource,
    )  # fmt: skip


def _plan_sizes(
    strategy: str, settings: dict[str, Any], spec: ResourceSpec, known: Mapping[str, Any], n_trials: int | None
) -> Plan:
    _need_rows(strategy, spec)
    sizes = settings.get("sizes")
    if sizes is None and settings.setdefault("n_max", spec.most) is None:
        raise ValueError(f"{strategy} needs settings={{'n_max': ...}}, the rows of a whole trial")
    if sizes is None:
        check_whole("n_max", settings["n_max"], 2)
    else:
        check_sizes(sizes, 1)
    most: int = settings["n_max"] if sizes is None else sizes[-1]
    if "auxiliary" in known:
        settings.setdefault("auxiliary", min(max(spec.least, most // 4), most // 2))
    elif sizes is None:
        settings.setdefault("n_min", min(max(spec.least, min(100, most // 16)), most // 2))
    return Plan(strategy, settings, n_trials or N_TRIALS, most, None, "rows")


def _plan_subsets(
    strategy: str,
    settings: dict[str, Any],
    spec: ResourceSpec,
    space: SearchSpace,
    known: Mapping[str, Any],
    n_trials: int | None,
) -> Plan:
    _need_rows(strategy, spec)
    if settings.get("control", "none") == "unsigned":
        return Plan(strategy, settings, n_trials or N_TRIALS, None, None, "rows")
    signs = space.signs if settings.get("signs") is None else settings["signs"]
    if isinstance(signs, Mapping) and not any(signs.values()):
        raise ValueError(
            f"{strategy} needs to know in which direction hyperparameters make the model more complex: give "
            "space=SearchSpace({...}, signs={'C': 1, ...}), 1 where larger values do, -1 where smaller ones do; "
            f"without that, choose {PLAIN}"
        )
    if spec.most is not None:
        settings.setdefault("n_rows", spec.most)
        settings.setdefault("subset_rows", min(max(spec.least, spec.most // 10), spec.most // 2))
    elif "subset_rows" not in settings:
        raise ValueError(f"{strategy} needs settings={{'subset_rows': ...}}, 5 to 10 % of all rows")
    count, each = (settings.get(name, known[name]) for name in ("n_subsets", "n_subset_trials"))
    check_whole("n_subsets", count, 1)
    check_whole("n_subset_trials", each, 2)
    n_trials = count * each + N_TRIALS if n_trials is None else n_trials
    if n_trials <= count * each:
        raise ValueError(
            f"{strategy} begins with n_subsets * n_subset_trials = {count * each} trials on subsets, so n_trials "
            f"must be above that, got {n_trials}; settings={{'n_subsets': ..., 'n_subset_trials': ...}} lowers it"
        )
    return Plan(strategy, settings, n_trials, None, None, "rows")


def _need_rows(strategy: str, spec: ResourceSpec) -> None:
    if spec.resource != "rows":
        raise ValueError(
            f"{strategy} chooses how many rows a trial is given: it needs {spec.rows_text}; without that, choose "
            f"{PLAIN}"
        )


AnyTrial = TypeVar("AnyTrial", bound=Trial)
_REMEDY: Final = f"add a constant to the errors, or choose {PLAIN}"


class LimitedTrialStrategy:
    """A trials strategy that keeps the limits of a search, and asks for a last trial if needed.

    A search returns the candidate with the lowest error among trials on the full resource. If the strategy chooses
    a candidate without such a trial, the candidate gets one at the end.

    Attributes:
        best: trial with the lowest error among those on the most of the resource; None: all failed.
        ended: the limit that ended the search; empty if the strategy ended it.
        closing: the last trial, if the search asked for it and not the strategy; None: there was none.
        n_kept: number of the first trials that a journal holds, which the time limit does not forbid.

    Args:
        strategy: a new strategy.
        plan: the strategy's settings, and the resource of a whole trial.
        limits: limits of the search.
        remedy: advice in the error message on negative errors, which a strategy that models logarithms refuses.
    """

    def __init__(self, strategy: TrialStrategy, plan: Plan, limits: Limits, *, remedy: str = _REMEDY) -> None:
        self._strategy, self._plan, self._limits, self._remedy = strategy, plan, limits, remedy
        self._n_asked, self._n_out, self._next_id = 0, 0, 0
        self._whole: list[Candidate] = []  # candidates of whole trials, failed ones too
        self.best: Trial | None = None
        self.ended = ""
        self.closing: TrialTask | None = None
        self.n_kept = 0

    def ask(self) -> TrialTask | Wait | None:
        """The next trial; None once the search is over."""
        if self.closing is not None or self.ended:
            return None
        reached = self._limits.reached(self._n_asked, is_kept=self._n_asked < self.n_kept)
        strategy = _copied(self._strategy) if reached else self._strategy  # it may have ended by itself
        task = strategy.ask()
        if task is None:
            task = WAIT if self._n_out else self._last()
        if isinstance(task, TrialTask) and reached:
            self.ended, self.closing = reached, None
            return None
        if isinstance(task, TrialTask):
            self._n_asked, self._n_out = self._n_asked + 1, self._n_out + 1
            self._next_id = max(self._next_id, task.id + 1)
        return task

    def tell(self, trial: Trial) -> None:
        """Record a finished trial.

        Raises:
            ValueError: on an error below 0, if the strategy models the logarithm of errors.
        """
        self._n_out -= 1
        if self._plan.strategy in LOGARITHMIC and trial.error < 0:
            if trial.error < -1e-12:  # no rounding
                raise ValueError(
                    f"{self._plan.strategy} models the logarithm of errors, so they must be at least 0, got "
                    f"{trial.error:g}; {self._remedy}"
                )
            trial = replace(trial, error=0.0)
        if trial.task is not self.closing:
            self._strategy.tell(trial)
        if self._plan.is_whole(trial.task):
            self._whole.append(trial.task.candidate)
        if not math.isnan(trial.error) and (self.best is None or _rank(trial) < _rank(self.best)):
            self.best = trial

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """Report a score to the strategy."""
        return self._strategy.report(task, epoch, score)

    @property
    def incumbent(self) -> Candidate | None:
        """The incumbent of the strategy."""
        return self._strategy.incumbent

    @property
    def recommendation(self) -> Candidate | None:
        """The recommendation of the strategy; its incumbent if it has none."""
        return getattr(self._strategy, "recommendation", self._strategy.incumbent)

    def _last(self) -> TrialTask | None:
        """A trial of the incumbent on the full resource; None if the incumbent had one."""
        chosen = self._strategy.incumbent
        if chosen is None or any(_are_alike(chosen, candidate) for candidate in self._whole):
            return None
        self.closing = TrialTask(self._next_id, chosen, self._plan.n_rows, epochs=self._plan.epochs)
        return self.closing


def _copied(strategy: TrialStrategy) -> TrialStrategy:
    """A copy to ask in vain; the strategy itself if it cannot be copied, as SMAC3: it is not asked again."""
    try:
        return deepcopy(strategy)
    except (TypeError, AttributeError):
        return strategy


def _are_alike(first: Candidate, second: Candidate) -> bool:
    return all(alike(value, second[name]) for name, value in first.items())


def usable(trial: AnyTrial) -> AnyTrial:
    """Mark a trial as failed if the square of its error overflows."""
    if math.isnan(trial.error) or abs(trial.error) <= LARGEST_TARGET:
        return trial
    return replace(trial, error=math.nan, reason=f"the error {trial.error:g} is beyond +-{LARGEST_TARGET:g}")


def _rank(trial: Trial) -> tuple[float, float, float]:
    """Sort key: most rows first, then most epochs, then lowest error."""
    return -(trial.task.n_rows or math.inf), -(trial.task.epochs or math.inf), trial.error
