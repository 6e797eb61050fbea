"""Trials cut short where their learning curve is unlikely to end above the best one so far.

Source: Domhan, Springenberg and Hutter (2015), "Speeding up automatic hyperparameter optimization of deep neural
networks by extrapolation of learning curves"; document 003, section 2.2. Let y_1:n be the scores of a trial's
first n epochs, E the last epoch of a whole trial (`horizon`), and f_comb the extrapolated curve
(`frugal.trials.surrogates.curve_posterior`). Every p epochs, stop the trial if

    P(y_E < y^ | y_1:n) > delta,

where y^ is the best last score of the earlier trials on as many rows. After the trial, y^ = max(y^, y_n). For a
stopped trial the strategy gets the error 1 - mean f_comb(e). Here e is the trial's own last epoch, which is E
unless the strategy asked for fewer. If the mean of f_comb(e) or f_comb(E) lies outside [0, 1], the trial goes on.

From the authors' code: the rule `optimistic` also stops a trial if the standard deviation of f_comb(E) is below
0.005, whatever the probability. A trial goes on if there is no y^ yet, if one of its scores is above y^, or if no
family describes its curve.

Not in the authors' code: there is a y^ for each number of rows, and a search does not end with a candidate whose
trial was given up. The reason: a few wild samples of f_comb can pull the mean of f_comb(E) above every score,
although P(y_E > y^) is almost 0.

Differs from document 003: the curve has validation scores, as in its figures and source, not training scores.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_between, check_choice, check_flag, check_rng, check_settings, check_whole
from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.trials.surrogates.curve_families import Array
from frugal.trials.surrogates.learning_curves import MIN_POINTS, CurveModel, UnfittableError, check_checks

RULES: Final = ("probable", "optimistic")
BESTS: Final = ("last", "running")
CERTAIN_SD: Final = 0.005
"""Standard deviation of f_comb(E) below which the rule `optimistic` stops."""


@dataclass(frozen=True)
class Check:
    """One check of a running trial.

    Attributes:
        trial: id of the trial.
        epoch: number n of observed epochs.
        best: y^.
        prob_above: P(y_E > y^ | y_1:n); nan if no family describes the curve, as the next two.
        mean: E[f_comb(E)].
        sd: standard deviation of f_comb(E).
        stopped: whether the trial was stopped.
        seconds: CPU seconds of the fit; of a stored fit, those when it was made.
    """

    trial: int
    epoch: int
    best: float
    prob_above: float
    mean: float
    sd: float
    stopped: bool
    seconds: float = field(default=0.0, compare=False)


class Fitted(Protocol):
    """Interface of a fit of `CurveModel`, new or stored."""

    def prob_above(self, y: float, *, noise: bool = True) -> float:
        """P(y_E > y), of a noisy y_E or of f_comb(E)."""

    def predict(self, t: ArrayLike) -> tuple[Array, Array]:
        """Mean and standard deviation of f_comb at t."""


class Known(Protocol):
    """Interface of stored fits, such as `extrapolations.Extrapolations`."""

    def fit(self, trial: int, scores: Array, horizon: int) -> Fitted:
        """The stored fit of a trial's first scores."""

    def seconds(self, trial: int, scores: Array, horizon: int) -> float:
        """Seconds that this fit took."""


class Terminating:
    """Any strategy of the family, with hopeless trials cut short; several trials may be pending.

    A check costs seconds, within the trial that it checks. Each has its own generator, derived from trial and
    epoch, so that its decision depends on other trials only through y^.

    Attributes:
        strategy: the wrapped strategy.
        best_scores: y^ by number of rows; None stands for all rows.
        checks: the checks so far.

    Args:
        strategy: the strategy that proposes trials; its tasks without `epochs` get `horizon` epochs.
        horizon: E, epochs of a whole trial, at least 6. A multiple of p must be at least 5 and below it.
        rng: generator from which the seed of the checks is drawn.
        p: epochs between checks; 30 in the paper, according to the document. Give it for a horizon of 30 or less.
        delta: a trial is stopped if P(y_E < y^) is above this number.
        rule: `probable` or `optimistic`.
        best: the score of a finished trial that counts for y^: its `last` (the document's), or the highest
            `running` one.
        noise: whether P is that of a noisy y_E (the document's) or of f_comb(E).
        curve: settings of `CurveModel`.
        known: stored fits, used in place of new ones; a curve without a stored fit is refused.

    Raises:
        ValueError: on a setting outside its range.
    """

    def __init__(
        self,
        strategy: TrialStrategy,
        *,
        horizon: int,
        rng: np.random.Generator,
        p: int = 30,
        delta: float = 0.95,
        rule: str = "probable",
        best: str = "last",
        noise: bool = True,
        curve: Mapping[str, Any] | None = None,
        known: Known | None = None,
    ) -> None:
        check_rng(rng)
        check_whole("horizon", horizon, MIN_POINTS + 1)
        check_whole("p", p, 1, horizon - 1, "the horizon without its last epoch")
        check_checks("p", p, horizon)
        check_between("delta", delta, 0.0, 1.0)
        check_choice("rule", rule, RULES)
        check_choice("best", best, BESTS)
        check_flag("noise", noise)
        check_curve_settings({} if curve is None else curve)
        self._curve_settings = dict(curve or {})
        self.strategy, self._horizon, self._p, self._delta = strategy, horizon, p, delta
        self._rule, self._best_of, self._noise = rule, best, noise
        self._known = known
        self._seed = int(rng.integers(2**63))
        self._asked: dict[int, TrialTask] = {}  # by id, as the strategy asked
        self._scores: dict[int, list[float]] = {}
        self._stopped: dict[int, float] = {}  # id -> E[f_comb] at the trial's last epoch
        self._ended: list[Trial] = []  # by themselves or by the strategy
        self._given_up: list[TrialTask] = []
        self.best_scores: dict[int | None, float] = {}
        self.checks: list[Check] = []

    def ask(self) -> TrialTask | Wait | None:
        """The strategy's next trial, with `epochs` set."""
        task = self.strategy.ask()
        if task is None or isinstance(task, Wait):
            return task
        self._asked[task.id] = task
        earlier = [] if task.resume_from is None else self._scores.get(task.resume_from, [])
        self._scores[task.id] = list(earlier)
        # the caller may change its candidate
        return replace(task, candidate=dict(task.candidate), epochs=task.epochs or self._horizon)

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """Take note of a score; False if the trial is stopped, by this rule or by the strategy's own.

        Raises:
            ValueError: if the trial was not asked, or an epoch was left out.
        """
        scores = self._scores.get(task.id)
        if scores is None:
            raise ValueError(f"{task} was not asked")
        check_whole("epoch", epoch, 1, len(scores) + 1, "one after the last reported")
        goes_on = self.strategy.report(self._asked[task.id], epoch, score)
        if epoch <= len(scores):  # an epoch of the trial that this one resumes, reported again
            return goes_on
        scores.append(score)
        if task.id not in self._stopped and self._is_due(task, epoch):
            self._check(task, np.array(scores))
        return goes_on and task.id not in self._stopped

    def tell(self, trial: Trial) -> None:
        """Hand an answer on, a stopped trial's with the error that is expected at the end of its epochs."""
        if not isinstance(trial, Trial):
            raise TypeError(f"an answer must be a Trial, got {trial!r}")
        task = self._asked.get(trial.task.id, trial.task)  # the strategy refuses one that was not asked
        if any(getattr(task, name) != getattr(trial.task, name) for name in ("candidate", "n_rows", "subset")):
            raise ValueError(f"{trial.task} was not asked")
        expected = self._stopped.get(task.id)
        failed = math.isnan(trial.error)
        error = trial.error if expected is None or failed else 1 - expected
        self.strategy.tell(replace(trial, task=task, error=error))
        if not failed:
            if expected is None:
                self._ended.append(replace(trial, task=replace(trial.task, candidate=task.candidate)))
            scores = [s for s in self._scores[task.id] if math.isfinite(s)] or [1 - trial.error]
            score = scores[-1] if self._best_of == "last" else max(scores)
            best = self.best_scores.get(task.n_rows, -math.inf)
            self.best_scores[task.n_rows] = max(best, score)

    @property
    def incumbent(self) -> Candidate | None:
        """The strategy's incumbent, replaced as in `_hopeful` if its trial was given up."""
        return self._hopeful(self.strategy.incumbent)

    @property
    def recommendation(self) -> Candidate | None:
        """The strategy's recommendation, or its incumbent if it has none, replaced as in `_hopeful`."""
        return self._hopeful(getattr(self.strategy, "recommendation", self.strategy.incumbent))

    def _hopeful(self, chosen: Candidate | None) -> Candidate | None:
        """Return the chosen candidate, or another one if its trial on the most rows so far was given up.

        The other one has the best trial that ended on as many rows, of candidates without such a trial if there
        are any. An earlier, shorter trial of the chosen candidate does not stand in for the one that was given up.
        Trials that were given up on fewer rows do not count here: what the strategy concludes from them stands.
        """
        tasks = [*self._given_up, *(trial.task for trial in self._ended)]
        most = max(map(_n_rows, tasks), default=math.inf)
        whole = [trial for trial in self._ended if _n_rows(trial.task) == most]
        given_up = [task for task in self._given_up if _n_rows(task) == most]
        longest = max((task.epochs or math.inf for task in given_up if task.candidate == chosen), default=0)
        ended = [trial.task.epochs or math.inf for trial in whole if trial.task.candidate == chosen]
        if max(ended, default=0) >= longest:
            return chosen
        hopeless = [task.candidate for task in given_up]
        rest = [trial for trial in whole if trial.task.candidate not in hopeless] or whole
        # the longest, then the best
        return dict(min(rest, key=lambda trial: (-(trial.task.epochs or math.inf), trial.error)).task.candidate)

    def _last(self, task: TrialTask) -> int:
        return min(self._horizon, task.epochs or self._horizon)

    def _is_due(self, task: TrialTask, epoch: int) -> bool:
        return epoch % self._p == 0 and MIN_POINTS <= epoch < self._last(task)

    def _check(self, task: TrialTask, scores: Array) -> None:
        trial, best, last = task.id, self.best_scores.get(task.n_rows, -math.inf), self._last(task)
        if self._known is not None and last != self._horizon:
            raise ValueError(f"stored extrapolations are of {self._horizon} epochs, but a trial has {last}")
        if best == -math.inf or not np.isfinite(scores).all() or scores.max() > best:
            return
        look = Check(trial, len(scores), best, math.nan, math.nan, math.nan, False)
        started = process_time()
        try:
            model = self._fitted(trial, scores)
            above = model.prob_above(best, noise=self._noise)
            mean, sd = (float(part[0]) for part in model.predict(self._horizon))
            last_mean = mean if last == self._horizon else float(model.predict(last)[0][0])
        except UnfittableError:
            self.checks.append(replace(look, seconds=self._seconds(trial, scores, started)))
            return
        hopeless = above < 1 - self._delta
        is_certain = self._rule == "optimistic" and sd < CERTAIN_SD
        stops = (hopeless or is_certain) and 0 <= mean <= 1 and 0 <= last_mean <= 1
        seconds = self._seconds(trial, scores, started)
        self.checks.append(replace(look, prob_above=above, mean=mean, sd=sd, stopped=stops, seconds=seconds))
        if stops:
            self._stopped[trial] = last_mean
            if hopeless:
                self._given_up.append(replace(task, candidate=self._asked[trial].candidate))

    def _fitted(self, trial: int, scores: Array) -> Fitted:
        if self._known is not None:
            return self._known.fit(trial, scores, self._horizon)
        rng = np.random.default_rng([self._seed, trial, len(scores)])
        return CurveModel(rng=rng, **self._curve_settings).fit(scores, self._horizon)

    def _seconds(self, trial: int, scores: Array, started: float) -> float:
        if self._known is None:
            return process_time() - started
        return self._known.seconds(trial, scores, self._horizon)


def _n_rows(task: TrialTask) -> float:
    return task.n_rows or math.inf


def terminating(strategy: TrialStrategy, *, rng: np.random.Generator, **settings: Any) -> Terminating:
    """A strategy with hopeless trials cut short; `settings` are those of `Terminating`.

    Raises:
        ValueError: on an unknown setting or no horizon, or a setting outside its range.
        ImportError: without emcee (the extra `mcmc`).

    Examples:
        >>> import numpy as np
        >>> from frugal import trials
        >>> from frugal.spaces import SearchSpace, Uniform
        >>> space, rng = SearchSpace({"rate": Uniform(1e-4, 1.0, scale="log")}), np.random.default_rng(0)
        >>> searched = trials.make("random", space=space, n_trials=9, rng=rng)
        >>> strategy = trials.terminating(searched, rng=rng, horizon=100)
        >>> task = strategy.ask()
        >>> task.epochs, strategy.report(task, epoch=1, score=0.1)
        (100, True)
    """
    known = _settings_of(Terminating, "strategy", "rng")
    check_settings(settings, known, "setting of termination", complete=False)
    if "horizon" not in settings:
        raise ValueError(f"termination needs a horizon, in epochs; got {', '.join(settings) or 'no settings'}")
    return Terminating(strategy, rng=rng, **settings)


def check_curve_settings(settings: Mapping[str, Any]) -> None:
    """Raise ValueError on settings that `CurveModel` does not take, before any work is done."""
    if not isinstance(settings, Mapping):
        raise ValueError(f"curve must hold settings by name, got {settings!r}")
    check_settings(settings, _settings_of(CurveModel, "rng"), "setting of curve", complete=False)
    CurveModel(rng=np.random.default_rng(0), **settings)  # refuses values out of range before a trial is made


def _settings_of(strategy: type, *apart: str) -> list[str]:
    return [name for name in inspect.signature(strategy).parameters if name not in apart]
