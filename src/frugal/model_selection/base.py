"""Base class of the searches for scikit-learn estimators."""

from __future__ import annotations

import math
import os
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import _fit_context, clone, is_classifier
from sklearn.metrics import get_scorer_names
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import _warn_or_raise_about_fit_failures
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_method_params, indexable

from frugal.folds.fits import Fit
from frugal.folds.splits import Split
from frugal.interface import Candidate, RunError
from frugal.model_selection.evaluation import Evaluation, ScoredFit, exception_of
from frugal.model_selection.facts import class_codes_of
from frugal.model_selection.journal import fingerprint, seed_in
from frugal.model_selection.progress import Callbacks, warn_of_interruption
from frugal.model_selection.results import metric_names, seen_metric
from frugal.model_selection.trial_space import is_plain
from frugal.trials.lines import lock_journal

_CONFIG: Final = ("transform_output", "enable_metadata_routing", "array_api_dispatch")
"""Entries of scikit-learn's configuration on which scores may depend."""

AT_LEAST_1 = Interval(Integral, 1, None, closed="left")
ABOVE_0 = Interval(Real, 0, None, closed="neither")
Interruption = KeyboardInterrupt | BrokenExecutor | MemoryError
"""Exceptions that end a search but leave its best candidate so far in place."""


class FitsFailedError(RunError):
    """Every fit of a search failed. The message is scikit-learn's.

    Attributes:
        summary: the same in a sentence, with the reason of the first fit.
    """

    summary: str = ""


def warn_of_failures(fits: Sequence[Fit], error_score: float | str) -> None:
    """Warn of failed fits, as scikit-learn does.

    Raises:
        FitsFailedError: if every fit failed.
    """
    try:
        _warn_or_raise_about_fit_failures([{"fit_error": fit.reason or None} for fit in fits], error_score)
    except ValueError as error:
        failed = FitsFailedError(str(error))
        failed.summary = f"all {len(fits)} fits failed, the first with: {exception_of(fits[0].reason)}"
        raise failed from error


_RESULTS = (
    "cv_results_",
    "best_index_",
    "best_params_",
    "best_score_",
    "best_estimator_",
    "scorer_",
    "multimetric_",
    "refit_time_",
    "feature_names_in_",
)
"""Attributes of a finished search, of which an interrupted one may have none."""
Contexts = Mapping[tuple[int, int], Any]
"""Contexts of scikit-learn's callbacks, by candidate and split; empty if there are none."""


@dataclass(frozen=True, eq=False)
class FitInputs:
    """The arguments of one call of `fit`, checked and split as by scikit-learn's searches."""

    X: Any
    y: Any
    routed: Any
    scorers: Any
    metric: str | None
    splits: Sequence[Split]
    params: Mapping[str, Any]

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.splits)

    @property
    def scorer(self) -> Any:
        """The scorer that the strategy optimises."""
        if not isinstance(self.scorers, _MultimetricScorer):
            return self.scorers
        return self.scorers._scorers[self.metric or next(iter(self.scorers._scorers))]


class Problem(FitInputs, ABC):
    """Inputs of `fit` with what a kind of search makes of its other arguments."""

    @property
    @abstractmethod
    def n_candidates(self) -> int:
        """The most candidates that the search tries."""


def _as_indices(part: Any) -> Any:
    """The rows of a part of a split, as indices if they are given as a mask."""
    return np.flatnonzero(part) if np.asarray(part).dtype == bool else part


ProblemT = TypeVar("ProblemT", bound=Problem)
OutcomeT = TypeVar("OutcomeT")
"""What `_search` returns: each search has a class of its own for it."""


CONSTRAINTS: Final[dict[str, list[Any]]] = {
    "settings": [Mapping, None],
    "journal": [str, os.PathLike, None],
    "restart": ["boolean"],
    "executor": [HasMethods(["submit"]), None],
}
"""Of arguments that `minimize` has, too."""


class SearchCV(BaseSearchCV, Generic[ProblemT, OutcomeT]):  # type: ignore[misc]
    """Base of the searches: `fit`, the constraints of shared arguments, and what scikit-learn's tools ask for."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"])],
        "strategy": [str],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, list, tuple, set, dict, None],
        "n_jobs": [AT_LEAST_1, Interval(Integral, None, -1, closed="right"), None],
        "n_pending": [AT_LEAST_1, None],
        "max_fits": [AT_LEAST_1, None],
        "refit": ["boolean", str, callable],
        "random_state": ["random_state"],
        "error_score": [StrOptions({"raise"}), Real],
        "return_train_score": ["boolean"],
        "verbose": ["verbose"],
        "time_limit": [ABOVE_0, None],
        **CONSTRAINTS,
    }

    def __sklearn_tags__(self) -> Any:
        """Tags of scikit-learn's searches; the estimator decides on the tags of targets."""
        tags = super().__sklearn_tags__()
        tags.target_tags = deepcopy(get_tags(self.estimator).target_tags)
        return tags

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search, and fit the best candidate on all rows.

        Args:
            X: rows, shape (n_rows, n_features), of any kind that the estimator accepts.
            y: targets; None: there are none.
            **params: `groups`, `sample_weight` and other arguments of the estimator's `fit`, the scorer and the
                splitter, routed as in scikit-learn's searches.

        Returns:
            The search itself.

        Raises:
            ValueError: on arguments that do not go together, a strategy that lacks what it needs, the journal of
                another search, or if every fit failed.
            ImportError: without the extra that the strategy, or a parquet journal, needs.
            Exception: with `error_score="raise"`, that of the fit; RuntimeError if the fit was given up.
            KeyboardInterrupt: after Ctrl-C. Before it is raised, the best candidate so far is refitted, and the
                attributes describe it. If that fails, the error is the cause of the KeyboardInterrupt.
            BrokenExecutor: if the executor stops evaluating; the rest is as for KeyboardInterrupt.
            MemoryError: if a fit or the strategy runs out of memory; the rest is as for KeyboardInterrupt.
        """
        problem = self._problem(X, y, params)
        callbacks = Callbacks(self, problem.X, problem.y, params.get("sample_weight"))
        contexts = callbacks.begin_search(problem.n_candidates, problem.n_splits)
        with lock_journal(self.journal):
            outcome, interruption = self._search(problem, contexts)
        for name in [name for name in _RESULTS if name in vars(self)]:  # of an earlier fit
            delattr(self, name)
        self.n_splits_ = problem.n_splits
        callbacks.end_search()
        done = self._record_end(problem, outcome, interruption)
        place = "in place" if self.n_fits_ else None
        try:
            if interruption is None or self.n_fits_:
                self._choose(problem, outcome)
                if self.refit:
                    self._refit(problem, callbacks)
        except Exception as error:
            if interruption is None:
                raise
            what = str(error).partition("\n")[0]
            place = f"not in place, because of {type(error).__name__}: {what}"
            interruption.add_note(f"the best candidate so far is {place}")
            interruption.__cause__ = error
        if interruption is not None:
            warn_of_interruption(interruption, done, place, has_journal=self.journal is not None, stacklevel=3)
            raise interruption
        callbacks.end()
        return self

    @abstractmethod
    def _problem(self, X: Any, y: Any, params: Mapping[str, Any]) -> ProblemT:
        """Check the arguments of `fit`."""

    @abstractmethod
    def _search(self, problem: ProblemT, contexts: Contexts) -> tuple[OutcomeT, Interruption | None]:
        """Run the strategy to its end or to a limit; returns the outcome and the exception that interrupted it."""

    @abstractmethod
    def _record_end(self, problem: ProblemT, outcome: OutcomeT, interruption: Interruption | None) -> str:
        """Record how the search ended, and warn if a limit ended it early; returns what was done, as `12 fits`."""

    @abstractmethod
    def _choose(self, problem: ProblemT, outcome: OutcomeT) -> None:
        """Set `cv_results_` and the `best_*` attributes."""

    def _fit_inputs(self, X: Any, y: Any, params: Mapping[str, Any], cv: Any) -> FitInputs:
        """Check the arguments of `fit`, and split the rows."""
        if y is None and get_tags(self).target_tags.required:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        scorers, _ = self._get_scorers()
        X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        cv = check_cv(cv, y, classifier=is_classifier(self.estimator))
        n_splits = cv.get_n_splits(X, y, **routed.splitter.split)
        parts = cv.split(X, y, **routed.splitter.split)
        splits = [(_as_indices(train), _as_indices(valid)) for train, valid in parts]
        if len(splits) != n_splits:
            raise ValueError(
                f"cv.split gives {len(splits)} splits, but cv.get_n_splits says {n_splits}; they must agree"
            )
        if not splits:
            raise ValueError("cv must give at least one split, got none")
        metric = self.refit if isinstance(self.refit, str) else None
        if metric is None and isinstance(self.scoring, set):  # "the first" would depend on the process
            metric = min(self.scoring)
        return FitInputs(X, y, routed, scorers, metric, splits, params)

    def _kept_seed(self) -> int | None:
        """Seed of the journal that the search resumes; None: there is no journal."""
        return seed_in(None if self.restart else self.journal)

    def _fingerprint(self, inputs: FitInputs, *settings: Any, **parts: Any) -> dict[str, str]:
        """Hashes that identify the search, for the header of its journal; empty without a journal.

        Args:
            inputs: checked arguments of `fit`.
            *settings: further values on which scores depend.
            **parts: further parts of the search, each hashed under its name.
        """
        if self.journal is None:
            return {}
        return fingerprint(
            data=(inputs.X, inputs.y, {name: value for name, value in inputs.params.items() if value is not None}),
            estimator=clone(self.estimator),
            **parts,
            splits=inputs.splits,
            scoring=(self.scoring, inputs.metric, self.return_train_score, self.error_score, *settings),
            configuration=[get_config().get(name) for name in _CONFIG],
        )

    def _evaluation_of(
        self,
        inputs: FitInputs,
        candidates: Sequence[Candidate],
        seed: int,
        contexts: Contexts,
        *,
        on_parts: bool,
    ) -> Evaluation:
        """How a candidate is fitted and scored; `on_parts`: whether also on parts of the rows."""
        return Evaluation(
            clone(self.estimator),
            inputs.X,
            inputs.y,
            inputs.splits,
            candidates,
            inputs.scorers,
            inputs.routed.estimator.fit,
            inputs.routed.scorer.score,
            metric=inputs.metric,
            return_train_score=self.return_train_score,
            error_score=self.error_score,
            verbose=self.verbose,
            seed=seed,
            caller=self if contexts else None,
            contexts=contexts,
            codes=class_codes_of(self.estimator, inputs.y) if on_parts else None,
        )

    @property
    def _failed_score(self) -> float:
        """Score of a failed fit; nan if it is to raise an error."""
        return math.nan if self.error_score == "raise" else float(self.error_score)

    def _check_fit(self, fit: Fit) -> None:
        """Raise if `refit` names none of the fit's metrics, or if the fit failed and `error_score` is "raise"."""
        if isinstance(fit, ScoredFit) and isinstance(fit.test_scores, dict):
            self._check_refit_for_multimetric(fit.test_scores)
        if self.error_score == "raise" and fit.reason:
            raise RuntimeError(fit.reason)

    def _set_best(
        self, inputs: FitInputs, results: dict[str, Any], fits: Sequence[Fit], comparable: NDArray[np.bool_]
    ) -> str:
        """Set `cv_results_` and the `best_*` attributes; returns the name of the metric that the strategy saw.

        Args:
            inputs: checked arguments of `fit`.
            results: one row per candidate.
            fits: the fits behind the results.
            comparable: rows that a callable `refit` chooses from; if there are none, it chooses from all.
        """
        names = metric_names(fits)
        self.multimetric_ = names is not None
        if names is not None:
            self._check_refit_for_multimetric(names)
        refit_metric = self.refit if self.multimetric_ else "score"
        seen = "score" if names is None else seen_metric(inputs.metric, names)
        if self.refit or not self.multimetric_:
            scored = ~np.isnan(results[f"mean_test_{seen}"])
            best = self._best_index(results, refit_metric, comparable, scored)
            self.best_index_, self.best_params_ = best, results["params"][best]
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{refit_metric}"][best]
                if math.isnan(self.best_score_):
                    warnings.warn(
                        "no candidate has a score, so the first is in place of the best: does the scoring suit "
                        "the estimator and the target?",
                        stacklevel=5,
                    )
        is_multimetric = isinstance(inputs.scorers, _MultimetricScorer)
        self.scorer_ = inputs.scorers._scorers if is_multimetric else inputs.scorers
        self.cv_results_ = results
        return seen

    def _best_index(
        self,
        results: dict[str, Any],
        refit_metric: Any,
        comparable: NDArray[np.bool_],
        scored: NDArray[np.bool_],
    ) -> int:
        """Row of rank 1, or the choice of the callable `refit`.

        It chooses among comparable rows if one of them has a score, else among those with a score, else among all.
        """
        if not callable(self.refit):
            return int(self._select_best_index(self.refit, refit_metric, results))
        which = np.flatnonzero(comparable if scored[comparable].any() else scored)
        if not which.size:
            which = np.arange(len(comparable))
        rows = {
            name: [column[i] for i in which] if isinstance(column, list) else column[which]
            for name, column in results.items()
        }
        return int(which[self._select_best_index(self.refit, refit_metric, rows)])

    def _refit(self, inputs: FitInputs, callbacks: Callbacks) -> None:
        """Fit the best candidate on all rows."""
        best = clone(self.estimator).set_params(**clone(dict(self.best_params_), safe=False))
        started = time.time()
        arguments = (inputs.X,) if inputs.y is None else (inputs.X, inputs.y)
        callbacks.refit(best, *arguments, **inputs.routed.estimator.fit)
        self.refit_time_ = time.time() - started
        self.best_estimator_ = best
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_

    # Copies -------------------------------------------------------------------------------------------------

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy that shares the executor, which cannot be copied."""
        state = dict(vars(self), executor=None)
        bare = object.__new__(type(self))
        bare.__dict__.update(state)
        cloned: Self = super(SearchCV, bare).__sklearn_clone__()
        cloned.executor = self.executor
        if not is_plain(state.get("settings")):  # copied together, so that they name the same objects as the space
            shared: dict[str, Any] = deepcopy({name: state[name] for name in ("space", "settings")})
            cloned.__dict__.update(shared)
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "executor": None}
