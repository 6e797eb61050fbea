"""Hyperparameter search by cross-validation that leaves out the folds which cannot matter."""

from __future__ import annotations

import math
import os
import warnings
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Final

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples

from frugal.folds.fits import Fit
from frugal.folds.ledger import ANY_SCORE
from frugal.folds.replay import Broken, Interrupted, OutOfMemoryError, run
from frugal.folds.strategies import make
from frugal.interface import Candidate, FoldTask
from frugal.model_selection.backends import open_backend
from frugal.model_selection.base import (
    ABOVE_0,
    AT_LEAST_1,
    Contexts,
    Interruption,
    Problem,
    SearchCV,
    warn_of_failures,
)
from frugal.model_selection.candidates import Space, list_candidates
from frugal.model_selection.evaluation import ScoredFit, primary_score
from frugal.model_selection.facts import check_scorer, complete_settings, is_by_rows
from frugal.model_selection.journal import Journal, definitions_of_ours, journal_of
from frugal.model_selection.limited import LimitedFoldStrategy, Limits
from frugal.model_selection.progress import ProgressLine, ending_of
from frugal.model_selection.results import Outcome, is_complete, tabulate
from frugal.spaces import SearchSpace

_N_PENDING_PER_WORKER: Final = 2
"""Default; faster than 1 and 4 if fits of some candidates take ten times as long as others'."""
_EVALUATION: Final = "frugal.model_selection.evaluation:Evaluation"
"""Parts of a search that a stored fit depends on, beside the estimator; strategies may share a journal."""


@dataclass(frozen=True, eq=False)
class _Problem(Problem):
    """Checked arguments of one call of `fit`, with candidates and seeds.

    Attributes:
        candidates: the candidates to choose from.
        origin: seed from which the candidates and `seed` are drawn.
        seed: seed of the strategy and of draws of rows.
    """

    candidates: Sequence[Candidate]
    origin: int
    seed: int

    @property
    def n_candidates(self) -> int:
        """Length of the candidate list."""
        return len(self.candidates)


class FoldSearchCV(SearchCV[_Problem, Outcome]):
    """Choose hyperparameters as GridSearchCV or RandomizedSearchCV do, with a part of their fits.

    A strategy decides after every fold which candidate gets another one. Skipped folds are nan in `cv_results_`.
    Other behaviour is that of scikit-learn's searches, but that a fit that runs out of memory ends it.

    Args:
        estimator: an estimator with `fit`, and with `score` unless `scoring` is given.
        space: a parameter grid (a dict of lists, or a list of such dicts), a dict of distributions as for
            RandomizedSearchCV, or a `frugal.spaces.SearchSpace`.
        strategy: name of the rule that leaves folds out, one of `frugal.folds.known()`. `greedy_early_stopping`
            needs few fits; `exact_pruning` chooses what the exhaustive search would; `standard` is that search.
        settings: settings of the strategy, by name; `frugal.folds.settings_of` lists them. Unless you give them,
            `n_rows`, `n_valid`, `cv`, `n_classes` and `best_possible_score` come from the data and the scorer, and
            `drop_failed` is True.
        n_candidates: number of candidates to draw, none twice, so that a small space gives fewer; None: the whole
            grid, or 64 if the space is not a grid.
        cv: number of folds, splitter, or list of splits; at least two splits. A number takes the rows in their
            order. If they are sorted, give a splitter that shuffles: most candidates are judged by one fold.
        scoring: as in scikit-learn: None, a name, a callable, or several of them. The strategy sees the score that
            `refit` names, else the first.
        n_jobs: number of processes, as joblib counts them. They are Frugal's own, also under joblib's `loky` and
            `multiprocessing`, and compute on one thread each. Under `joblib.parallel_config` with another backend,
            such as `threading` or dask's, fits run there.
        n_pending: number of fits that may be pending at once; None: two per worker, or one if there is a single
            worker. The result depends on this number, but not on the number of workers. A larger number keeps
            workers busy during a long fit; a smaller one lets the strategy decide on more scores, so that it needs
            fewer fits.
        refit: whether to fit the best candidate on all rows; the name of a metric; or a callable that receives
            `cv_results_` of the complete candidates and returns the index of the best row.
        random_state: seed of the candidates, the rows drawn and the strategy; None: a new one for every search, or
            that of the journal.
        error_score: score of a fit that fails, or `raise`.
        return_train_score: whether the training parts are scored too.
        verbose: 1 prints a progress line now and then; 2 or more prints a line per fit.
        journal: file that stores every fit, but those that were given up, so that the same search repeats none of
            them; a .parquet file, or lines of JSON under any other name.
        restart: whether to rename an existing journal, with the suffix `.old`, and begin a new one. A journal
            written by older code is always renamed.
        max_fits: largest number of fits, including those from the journal.
        time_limit: seconds after which no fit is started.
        fit_timeout: seconds after which a fit counts as failed. Fits then run in separate processes, and
            such a fit is ended. In an `executor` or a joblib backend it may keep its worker busy.
        executor: any `concurrent.futures.Executor` that runs the fits in place of `n_jobs`; it stays open, and
            pickles and copies of the search leave it out; `clone` keeps it.

    Attributes:
        cv_results_: the columns of GridSearchCV, and `n_folds_evaluated`, `stopped_because` (empty if the
            candidate is complete) and `split0_order` and so on: the number of the fit in the order of asking, from
            1, or 0 if there was none. A stopped candidate has nan in its missing splits, and ranks below the
            complete ones. Its mean is nan too; but if no complete candidate has a score, means are over the folds
            so far. With `successive_halving` a stopped candidate has all splits, on fewer rows (`n_rows`), and
            ranks below those on more.
        best_index_: row of the best candidate, the first of those with rank 1; with a callable `refit`, its
            choice, and there is no `best_score_`.
        best_params_: hyperparameters of the best candidate.
        best_score_: mean score of the best candidate.
        best_estimator_: the best candidate, fitted on all rows.
        n_fits_: number of fits, without the last one on all rows.
        n_fits_kept_: number of these fits that the journal held.
        n_fits_exhaustive_: number of fits of an exhaustive search.
        ended_because_: the limit that ended the search; empty if the strategy ended it.
        n_splits_, scorer_, multimetric_, refit_time_, n_features_in_, feature_names_in_, classes_: as in
            scikit-learn.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> from frugal.model_selection import FoldSearchCV
        >>> X, y = load_iris(return_X_y=True)
        >>> space = {"C": [0.01, 0.1, 1, 10, 100], "gamma": [0.01, 0.1, 1, 10]}
        >>> search = FoldSearchCV(SVC(), space).fit(X, y)
        >>> search.best_params_, float(search.best_score_.round(2))
        ({'C': 1, 'gamma': 0.1}, 0.98)
        >>> search.n_fits_ < search.n_fits_exhaustive_
        True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SearchCV._parameter_constraints,
        "space": [Mapping, list, SearchSpace],
        "n_candidates": [AT_LEAST_1, None],
        "fit_timeout": [ABOVE_0, None],
    }

    def __init__(
        self,
        estimator: Any,
        space: Space,
        *,
        strategy: str = "greedy_early_stopping",
        settings: Mapping[str, Any] | None = None,
        n_candidates: int | None = None,
        cv: Any = 5,
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
        fit_timeout: float | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.strategy = strategy
        self.settings = settings
        self.n_candidates = n_candidates
        self.cv = cv
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
        self.fit_timeout = fit_timeout
        self.executor = executor

    # Search -------------------------------------------------------------------------------------------------

    def _problem(self, X: Any, y: Any, params: Mapping[str, Any]) -> _Problem:
        inputs = self._fit_inputs(X, y, params, self.cv)
        if inputs.n_splits < 2:
            raise ValueError(f"cv must give at least two splits, got {inputs.n_splits}; TrialSearchCV takes one")
        origin: Any = self._kept_seed() if self.random_state is None else self.random_state
        if not isinstance(origin, Integral):
            origin = check_random_state(origin).randint(2**31 - 1)
        random_state = np.random.RandomState(origin)
        candidates = list_candidates(self.space, self.n_candidates, random_state)
        seed = int(random_state.randint(2**31 - 1))
        return _Problem(**vars(inputs), candidates=candidates, origin=int(origin), seed=seed)

    def _search(self, problem: _Problem, contexts: Contexts) -> tuple[Outcome, Interruption | None]:
        evaluation = self._evaluation_of(
            problem,
            problem.candidates,
            problem.seed,
            contexts,
            on_parts=is_by_rows(self.strategy, self.settings or {}),
        )
        limits = Limits(max_fits=self.max_fits, time_limit=self.time_limit)
        unlimited = self._make(problem)
        progress = ProgressLine(self.verbose, problem.n_candidates, problem.n_splits, time_limit=self.time_limit)
        fits: dict[FoldTask, Fit] = {}
        interruption: Interruption | None = None

        values = [value for candidate in problem.candidates for value in candidate.values()]
        ours = definitions_of_ours(self.estimator, *values)
        journal_file = journal_of(self.journal, _EVALUATION, *ours, restart=self.restart)
        seeds = {"seed": problem.origin, "row_seed": problem.seed}
        header = {**self._fingerprint(problem, space=list(problem.candidates)), **seeds}
        with Journal(journal_file, header) as journal:
            kept = ChainMap(fits, dict(journal.kept))  # successive halving may ask for a fit again
            strategy = LimitedFoldStrategy(unlimited, limits, kept)

            def keep(task: FoldTask, fit: Fit) -> None:
                self._check_fit(fit)
                fits[task] = fit
                if isinstance(fit, ScoredFit):  # one that was given up is tried again
                    journal.keep(task, fit)
                progress.add(lambda: strategy.best_mean, strategy.n_kept)

            options: dict[str, Any] = {
                "n_jobs": self.n_jobs,
                "executor": self.executor,
                "n_pending": self.n_pending,
                "n_per_worker": _N_PENDING_PER_WORKER,
                "needs_workers": self.fit_timeout is not None,
            }
            with open_backend(evaluation, **options) as backend:
                try:
                    trace = run(
                        strategy,
                        evaluation,
                        executor=backend.executor,
                        n_pending=backend.n_pending,
                        fit_timeout=self.fit_timeout,
                        failed_score=primary_score(self._failed_score, None),
                        kept=kept,
                        keep=keep,
                    )
                except Interrupted as error:
                    trace, interruption = error.trace, KeyboardInterrupt(str(error))
                except (Broken, OutOfMemoryError) as error:
                    trace, interruption = error.trace, error
        answers = dict(zip(trace.tasks, trace.answers, strict=True))
        progress.end(strategy.best_mean, strategy.n_kept)
        self.n_fits_kept_ = sum(task not in fits for task in answers)
        ended = strategy.ended if interruption is None else ending_of(interruption)
        outcome = Outcome(
            problem.candidates,
            problem.n_splits,
            answers | fits,
            strategy.events,
            trace.chosen,
            ended,
            is_interrupted=interruption is not None,
        )
        return outcome, interruption

    def _make(self, problem: _Problem) -> Any:
        settings = complete_settings(
            self.strategy,
            self.settings or {},
            scorer=problem.scorer,
            estimator=self.estimator,
            y=problem.y,
            n_rows=_num_samples(problem.X),
            n_valid=max(_num_samples(valid) for _, valid in problem.splits),
            n_folds=problem.n_splits,
        )
        rng = np.random.default_rng(problem.seed)
        counts = {"n_candidates": problem.n_candidates, "n_folds": problem.n_splits}
        strategy = make(self.strategy, **counts, rng=rng, **settings)
        check_scorer(strategy, problem.scorer, self.estimator)
        try:
            getattr(strategy, "score_range", ANY_SCORE).check(self._failed_score)
        except ValueError as error:
            raise ValueError(
                f"error_score, the score of failed fits, is refused: {error} (nan and 'raise' are accepted)"
            ) from error
        return strategy

    def _record_end(self, problem: _Problem, outcome: Outcome, interruption: Interruption | None) -> str:
        self.n_fits_ = len(outcome.fits)
        self.n_fits_exhaustive_ = len(outcome.candidates) * outcome.n_folds
        self.ended_because_ = outcome.ended
        return f"{self.n_fits_} fits"

    # Results ------------------------------------------------------------------------------------------------

    def _choose(self, problem: _Problem, outcome: Outcome) -> None:
        fits = list(outcome.fits.values())
        if not fits:
            raise ValueError("no fit was made; is the limit of fits or of time too small?")
        warn_of_failures(fits, self.error_score)
        results = tabulate(
            outcome,
            self._format_results,
            error_score=self._failed_score,
            n_rows=_num_samples(problem.X),
            return_train_score=self.return_train_score,
            metric=problem.metric,
        )
        name = self._set_best(problem, results, fits, is_complete(outcome))
        best = getattr(self, "best_index_", results[f"rank_test_{name}"].argmin())
        is_scored = not math.isnan(results[f"mean_test_{name}"][best])
        is_partial = results["n_folds_evaluated"][best] < problem.n_splits
        if is_scored and is_partial and not outcome.is_interrupted:
            ended = outcome.ended or f"the strategy {self.strategy} ended"
            warnings.warn(
                f"{ended} before any candidate had a score on all its folds, so the best is that of the folds so "
                "far",
                UserWarning,
                stacklevel=4,
            )
