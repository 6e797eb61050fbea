"""Hyperparameter search by trials, each chosen from the results of the earlier ones."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar, Final

import numpy as np
from sklearn.model_selection import (
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
)
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _num_samples

from frugal.checks import check_finite, is_whole
from frugal.interface import Trial
from frugal.model_selection.backends import open_backend
from frugal.model_selection.base import (
    ABOVE_0,
    AT_LEAST_1,
    Contexts,
    FitInputs,
    Interruption,
    Problem,
    SearchCV,
    warn_of_failures,
)
from frugal.model_selection.facts import best_possible_score, is_accuracy, n_classes_of, rows_for_the_rarest
from frugal.model_selection.journal import definitions_of_ours
from frugal.model_selection.limited import Limits
from frugal.model_selection.progress import TrialProgress, ending_of
from frugal.model_selection.trial_evaluation import (
    ScoredTrial,
    TrialEvaluation,
    choice_of,
    fits_of,
    tabulate_trials,
)
from frugal.model_selection.trial_journal import TrialJournal, trials_journal
from frugal.model_selection.trial_plan import (
    LOGARITHMIC,
    LimitedTrialStrategy,
    Plan,
    ResourceSpec,
    plan,
    warn_of_less,
    warn_of_repeats,
)
from frugal.model_selection.trial_space import TrialSpace, as_space, space_parts
from frugal.spaces import Choice, SearchSpace
from frugal.trials.live import LiveRun, as_text

_SHARE = Interval(Real, 0, 1, closed="neither")
_NEARLY: Final = 0.05
"""Largest difference between the size of one of several equal folds and the requested share of rows."""
_EVALUATION: Final = (
    "frugal.model_selection.evaluation:Evaluation",
    "frugal.model_selection.trial_evaluation:TrialEvaluation",
)


@dataclass(frozen=True, eq=False)
class _Problem(Problem):
    """Checked arguments of one call of `fit`, with what the strategy needs.

    Attributes:
        space: the search space.
        plan: the strategy with its complete settings.
        seed: seed of the strategy, of draws of rows and of a validation share.
        best_possible_score: score at which the strategy's errors are 0.
        parameter: the estimator's parameter that is the resource; None: none is.
    """

    space: SearchSpace
    plan: Plan
    seed: int
    best_possible_score: float
    parameter: str | None

    @property
    def n_candidates(self) -> int:
        """Largest number of trials, with the last one on the full resource."""
        return self.plan.n_trials + (self.plan.varies is not None)


@dataclass(frozen=True, eq=False)
class _Outcome:
    """The trials of a search, and how it ended.

    Attributes:
        trials: finished trials, in the order in which they were asked for.
        best: trial of lowest error among those on the most of the resource; None: all failed.
        ended: why the search ended before its strategy did; empty: it did not.
    """

    trials: Sequence[Trial]
    best: Trial | None
    ended: str


class TrialSearchCV(SearchCV[_Problem, _Outcome]):
    """Choose hyperparameters by trials that learn from each other: Bayesian optimisation, Hyperband and their kin.

    A trial fits and scores one candidate on every split of `cv`. Some strategies give most trials only a part of a
    resource: of the rows, or of the estimator's own iterations. Other behaviour is that of scikit-learn's
    searches, but that a fit that runs out of memory ends it.

    A strategy minimises errors. The error of a trial is the best possible score minus the mean score, if the
    scorer has a known bound (1 for accuracy, 0 for a negated loss), else minus the mean score. Scores may be any
    real numbers from -1e100 to 1e100.

    Args:
        estimator: an estimator with `fit`, and with `score` unless `scoring` is given.
        space: a `frugal.spaces.SearchSpace`, or a dict from names to dimensions, lists of values (categorical) or
            frozen distributions of `scipy.stats`.
        strategy: one of `frugal.trials.known()`. `ei` needs nothing. `hyperband` needs a resource. `fabolas`,
            `fabolas_joint`, `mtbo` and `hypertune` need `resource="n_samples"`. `fabolas`, `fabolas_joint` and
            `mtbo` need errors of at least 0. `hypertune` needs the signs of the hyperparameters, see
            `SearchSpace.signs`. `fabolas`, `fabolas_joint`, `mtbo`, `entropy_search` and `dngo` need the extra
            `mcmc`, `dngo` also `networks`. `tpe` and `smac` need the extra `peers`.
        settings: settings of the strategy, by name; `frugal.trials.settings_of` lists them.
            Also `best_possible_score`. Unless you give them, amounts of the resource and facts about the data are
            filled in, and `currency` is "cost".
        n_trials: largest number of trials. A strategy that judges candidates by a part of the resource may get one
            more, for its choice on the full resource. None: 50; for `hyperband` every bracket once; for
            `hypertune` 50 after the trials on subsets. If every trial gets the full resource, a space with fewer
            candidates is warned of.
        cv: number of folds, splitter, or list of splits, at least one; or a share of the rows below 1, for a
            single validation part, which is drawn at random; for a classifier it is stratified if every class has
            at least two rows, and each part at least as many rows as there are classes. Given `groups`, every
            group stays whole, so that the share is approximate.
        resource: resource that trials may get a part of: `n_samples`, or a parameter of the estimator, such as
            `max_iter` or `n_estimators`, whose present value is the full resource. None: every trial gets the full
            resource. A part of the rows has two of each class, if there are two.
        scoring: as in scikit-learn: None, a name, a callable, or several of them. The strategy sees the score that
            `refit` names, else the first.
        n_jobs: number of processes, as joblib counts them. They are Frugal's own, also under joblib's `loky` and
            `multiprocessing`, and compute on one thread each. Under `joblib.parallel_config` with another backend,
            such as `threading` or dask's, trials run there.
        n_pending: number of trials that may be pending at once; None: one per worker. The result depends on this
            number, but not on the number of workers.
        refit: whether to fit the best candidate on all rows; the name of a metric; or a callable that receives
            `cv_results_` of the trials on the full resource and returns the index of the best row.
        random_state: seed of the strategy and the rows drawn; None: a new one for every search, or that of the
            journal.
        error_score: score of a fit that fails, or `raise`.
        return_train_score: whether the training parts are scored too.
        verbose: 1 prints a progress line now and then; 2 or more prints a line per fit.
        journal: file that stores every trial, so that the same search repeats none; a .parquet file, or lines of
            JSON under any other name.
        restart: whether to rename an existing journal, with the suffix `.old`, and begin a new one. A journal
            written by older code is always renamed.
        max_fits: largest number of fits, including those from the journal; a trial that would exceed it is not
            started.
        time_limit: seconds after which no trial is started.
        trial_timeout: seconds after which a trial counts as failed. Trials then run in separate processes, and
            such a trial is ended. In an `executor` or a joblib backend it may keep its worker busy.
        executor: any `concurrent.futures.Executor` that runs the trials in place of `n_jobs`; it stays open, and
            pickles and copies of the search leave it out; `clone` keeps it.

    Attributes:
        cv_results_: one row per trial in the order of asking, with the columns of RandomizedSearchCV, `order`
            (from 1) and, if there is a resource, `resource`: how much of it the trial got. Trials on the full
            resource rank before the others. A trial has every split, so there are no columns for missing folds.
        best_index_: row of the best trial, the first of those with rank 1; with a callable `refit`, its choice,
            and there is no `best_score_`.
        best_params_: hyperparameters of the best trial, with the full resource.
        best_score_: mean score of the best trial.
        best_estimator_: the best candidate, fitted on all rows.
        n_trials_: number of trials.
        n_trials_kept_: number of these trials that the journal held.
        n_fits_: number of fits in all trials, without the last one on all rows.
        ended_because_: the limit that ended the search; empty if the strategy ended it.
        n_splits_, scorer_, multimetric_, refit_time_, n_features_in_, feature_names_in_, classes_: as in
            scikit-learn.

    Examples:
        >>> from scipy.stats import loguniform
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> from frugal.model_selection import TrialSearchCV
        >>> X, y = load_iris(return_X_y=True)
        >>> space = {"C": loguniform(1e-2, 1e3), "gamma": loguniform(1e-3, 10)}
        >>> search = TrialSearchCV(SVC(), space, n_trials=12, random_state=0).fit(X, y)
        >>> bool(search.best_score_ > 0.96), search.n_fits_
        (True, 60)

        Hyperband, with iterations as the resource:

        >>> from sklearn.neural_network import MLPClassifier
        >>> search = TrialSearchCV(
        ...     MLPClassifier(max_iter=9),
        ...     {"alpha": loguniform(1e-6, 1), "learning_rate_init": loguniform(1e-4, 1e-1)},
        ...     strategy="hyperband",
        ...     resource="max_iter",
        ...     cv=0.3,
        ...     random_state=0,
        ... )
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):  # that nine iterations are few
        ...     results = search.fit(X, y).cv_results_
        >>> [int((results["resource"] == amount).sum()) for amount in (1, 3, 9)]
        [9, 8, 5]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchCV._parameter_constraints,
        "space": [Mapping, SearchSpace],
        "n_trials": [AT_LEAST_1, None],
        "cv": ["cv_object", _SHARE],
        "resource": [str, None],
        "trial_timeout": [ABOVE_0, None],
    }

    def __init__(
        self,
        estimator: Any,
        space: TrialSpace,
        *,
        strategy: str = "ei",
        settings: Mapping[str, Any] | None = None,
        n_trials: int | None = None,
        cv: Any = 5,
        resource: str | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        n_pending: int | None = None,
        refit: bool | str | Callable[..., int] = True,
        random_state: int | np.random.RandomState | None = None,
        error_score: float | str = math.nan,
        return_train_score: bool = False,
        verbose: int = 0,
        journal: str | os.PathLike[str] | None = None,
        restart: bool = False,
        max_fits: int | None = None,
        time_limit: float | None = None,
        trial_timeout: float | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.strategy = strategy
        self.settings = settings
        self.n_trials = n_trials
        self.cv = cv
        self.resource = resource
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.n_pending = n_pending
        self.refit = refit
        self.random_state = random_state
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.verbose = verbose
        self.journal = journal
        self.restart = restart
        self.max_fits = max_fits
        self.time_limit = time_limit
        self.trial_timeout = trial_timeout
        self.executor = executor

    # Search -------------------------------------------------------------------------------------------------

    def _problem(self, X: Any, y: Any, params: Mapping[str, Any]) -> _Problem:
        space = as_space(self.space)
        seed = self._kept_seed() if self.random_state is None else None
        if seed is None:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        inputs = self._fit_inputs(X, y, params, self._cv(X, y, params.get("groups"), seed))
        if self.max_fits is not None and self.max_fits < inputs.n_splits:
            raise ValueError(
                f"max_fits must be at least {inputs.n_splits}, the fits of a trial, got {self.max_fits}"
            )
        settings = dict(self.settings or {})
        best = settings.pop("best_possible_score", None)
        if best is None:
            best = best_possible_score(inputs.scorer, self.estimator)
        else:
            check_finite("best_possible_score", best)
        if best is None and self.strategy in LOGARITHMIC:
            raise ValueError(
                f"{self.strategy} models the logarithm of errors, so it needs an upper bound of the scores, which "
                "this scorer does not state: give settings={'best_possible_score': ...}, or choose ei"
            )
        planned = plan(
            self.strategy, settings, self._resource_spec(inputs, space, best), space=space, n_trials=self.n_trials
        )
        if planned.varies == "rows" and (planned.n_rows or 0) > _num_samples(inputs.X):
            raise ValueError(f"a whole trial has {_num_samples(inputs.X)} rows, but settings say {planned.n_rows}")
        warn_of_repeats(planned, space, stacklevel=5)
        parameter = self.resource if planned.varies == "epochs" else None
        return _Problem(
            **vars(inputs),
            space=space,
            plan=planned,
            seed=seed,
            best_possible_score=0.0 if best is None else float(best),
            parameter=parameter,
        )

    @property
    def _share(self) -> float | None:
        """`cv` if it is a share of the rows; None: it is what scikit-learn's `check_cv` takes."""
        return float(self.cv) if isinstance(self.cv, Real) and not isinstance(self.cv, Integral) else None

    def _cv(self, X: Any, y: Any, groups: Any, seed: int) -> Any:
        """The splitter, or one validation part if `cv` is a share; groups stay whole."""
        share = self._share
        if share is None:
            return self.cv
        labelled = n_classes_of(self.estimator, y) is not None
        if groups is None:
            counts = np.unique(y, return_counts=True)[1] if labelled else np.array([0])
            n, n_valid = _num_samples(X), math.ceil(share * _num_samples(X))
            is_stratified = counts.min(initial=n) > 1 and len(counts) <= min(n_valid, n - n_valid)
            kind = StratifiedShuffleSplit if is_stratified else ShuffleSplit
            return kind(1, test_size=share, random_state=seed)
        n_folds = round(1 / share)
        most = min(int(np.unique(y, return_counts=True)[1].max()), len(np.unique(groups))) if labelled else 0
        if 2 <= n_folds <= most and abs(1 / n_folds - share) <= _NEARLY:
            folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed).split(X, y, groups)
            return [next((train, test) for train, test in folds if len(train) and len(test))]
        return GroupShuffleSplit(1, test_size=share, random_state=seed)

    def get_metadata_routing(self) -> Any:
        """Routing as in scikit-learn's searches; if `cv` is a share, the splitter takes `groups`."""
        if self._share is None:
            return super().get_metadata_routing()
        state = dict(vars(self), cv=GroupShuffleSplit(1, test_size=self._share))
        split = object.__new__(type(self))
        split.__dict__.update(state)
        return super(TrialSearchCV, split).get_metadata_routing()

    def _resource_spec(self, inputs: FitInputs, space: SearchSpace, best: float | None) -> ResourceSpec:
        """The resource that trials can get a part of."""
        n_rows, n_classes = _num_samples(inputs.X), n_classes_of(self.estimator, inputs.y)
        is_share = best == 1.0 and is_accuracy(inputs.scorer, self.estimator)
        common: dict[str, Any] = {
            "n_classes": n_classes,
            "n_valid": sum(len(test) for _, test in inputs.splits) if is_share else None,
            "rows_text": "resource='n_samples'",
            "epochs_text": "a parameter of the estimator, such as resource='max_iter'",
            "unused_text": "" if self.resource is None else "resource must be None",
        }
        if self.resource is None:
            return ResourceSpec(None, None, 1, noun="", **common)
        if self.resource == "n_samples":
            pair = 2 * (n_classes or 1)  # times the splits, as in halving; times 5 if two reductions by 3 are left
            least = min(max(inputs.n_splits, min(5, n_rows // (9 * pair))) * pair, n_rows)
            if n_classes is not None:
                counts = np.unique(inputs.y, return_counts=True)[1].tolist()
                least = max(least, rows_for_the_rarest(counts, inputs.n_splits))
            return ResourceSpec("rows", n_rows, least, noun="rows", **common)
        parameters = self.estimator.get_params()
        if self.resource not in parameters:
            raise ValueError(
                f"resource must be None, 'n_samples' or a parameter of {type(self.estimator).__name__}, got "
                f"{self.resource!r}"
            )
        if self.resource in space.dimensions:
            raise ValueError(f"{self.resource!r} is the resource, so it cannot be in the space too")
        most = parameters[self.resource]
        is_count = is_whole(most, 1)
        return ResourceSpec("epochs", int(most) if is_count else None, 1, noun=self.resource, **common)

    def _search(self, problem: _Problem, contexts: Contexts) -> tuple[_Outcome, Interruption | None]:
        planned, best = problem.plan, problem.best_possible_score
        evaluation = TrialEvaluation(
            self._evaluation_of(problem, (), problem.seed, contexts, on_parts=self.resource == "n_samples"),
            _num_samples(problem.X),
            problem.n_candidates,
            problem.parameter,
            best,
        )
        options: dict[str, Any] = {"n_jobs": self.n_jobs, "executor": self.executor, "n_pending": self.n_pending}
        limited = self._make(problem)
        run = LiveRun(limited)
        progress = TrialProgress(
            self.verbose,
            planned.n_trials,
            may_end_whole=planned.varies is not None,
            time_limit=self.time_limit,
        )

        def score() -> float | None:
            return None if limited.best is None else best - limited.best.error

        needs_workers = self.trial_timeout is not None
        choices = [one.values for one in problem.space.dimensions.values() if isinstance(one, Choice)]
        roots = (*_EVALUATION, *definitions_of_ours(self.estimator, *chain.from_iterable(choices)))
        journal_file = trials_journal(self.journal, planned.strategy, *roots, restart=self.restart)
        with (
            open_backend(evaluation, **options, needs_workers=needs_workers) as backend,
            TrialJournal(journal_file, self._parts(problem, backend.n_pending), problem.space) as journal,
        ):
            limited.n_kept = journal.n_kept

            def keep(trial: Trial) -> None:
                if isinstance(trial, ScoredTrial):
                    for fit in trial.fits:
                        self._check_fit(fit)
                elif self.error_score == "raise" and trial.reason:  # it was given up
                    raise RuntimeError(trial.reason)
                journal.keep_trial(trial)
                progress.add(score, journal.n_answered)

            interruption = run.go(
                evaluation,
                executor=backend.executor,
                n_pending=backend.n_pending,
                trial_timeout=self.trial_timeout,
                failed_error=evaluation.failed_error(self._failed_score),
                kept=journal.answer,
                keep=keep,
            )
        self.n_trials_kept_ = journal.n_answered
        progress.end(score(), journal.n_answered)
        ended = limited.ended if interruption is None else ending_of(interruption)
        return _Outcome(run.trials, limited.best, ended), interruption

    def _make(self, problem: _Problem) -> LimitedTrialStrategy:
        """A new strategy within the limits of this search, whose time counts from here."""
        strategy = problem.plan.make(problem.space, problem.seed)
        limits = Limits(max_fits=self.max_fits, time_limit=self.time_limit, n_fits_each=problem.n_splits)
        remedy = "give settings={'best_possible_score': ...}, which no score exceeds, or choose ei"
        return LimitedTrialStrategy(strategy, problem.plan, limits, remedy=remedy)

    def _parts(self, problem: _Problem, n_pending: int) -> dict[str, Any]:
        """Values that identify the search, for the header of its journal."""
        if self.journal is None:
            return {}
        return {
            **self._fingerprint(problem, problem.best_possible_score),
            **space_parts(problem.space),
            "strategy": self.strategy,
            "settings": as_text(problem.plan.settings),
            "resource": self.resource,
            "seed": problem.seed,
            "n_pending": n_pending,
        }

    def _record_end(self, problem: _Problem, outcome: _Outcome, interruption: Interruption | None) -> str:
        self.n_trials_ = len(outcome.trials)
        self.n_fits_ = self.n_trials_ * problem.n_splits
        self.ended_because_ = outcome.ended
        is_less = outcome.best is not None and not problem.plan.is_whole(outcome.best.task)
        if interruption is None and is_less:
            warn_of_less(outcome.ended, stacklevel=5)
        return f"{self.n_trials_} trials"

    # Results ------------------------------------------------------------------------------------------------

    def _choose(self, problem: _Problem, outcome: _Outcome) -> None:
        if not outcome.trials:
            raise ValueError("no trial was made; is the limit of time too small?")
        fits = fits_of(outcome.trials, problem.n_splits)
        warn_of_failures(fits, self.error_score)
        _check_errors(outcome)
        results = tabulate_trials(
            outcome.trials,
            problem.plan,
            self._format_results,
            n_splits=problem.n_splits,
            n_rows=_num_samples(problem.X),
            parameter=problem.parameter,
            error_score=self._failed_score,
            return_train_score=self.return_train_score,
            metric=problem.metric,
        )
        whole = np.array([problem.plan.is_whole(trial.task) for trial in outcome.trials])
        self._set_best(problem, results, fits, whole)
        if hasattr(self, "best_params_"):
            self.best_params_ = choice_of(self.best_params_, problem.plan, problem.parameter)


def _check_errors(outcome: _Outcome) -> None:
    """Warn of trials that count as failed only because their error is too large.

    Raises:
        ValueError: if there are such trials, and no other succeeded.
    """
    beyond = [
        trial
        for trial in outcome.trials
        if isinstance(trial, ScoredTrial)
        and math.isnan(trial.error)
        and not any(fit.reason or math.isnan(fit.score) for fit in trial.fits)
    ]
    if not beyond:
        return
    first = beyond[0]
    says = f"{len(beyond)} of {len(outcome.trials)} trials count as failed, since their errors are too large"
    says += f"; the first is trial {first.task.id}: {first.reason}; divide the scores by a constant"
    if outcome.best is None:
        raise ValueError(says)
    warnings.warn(says, UserWarning, stacklevel=5)
