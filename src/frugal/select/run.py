"""Choose a model for a user's own table: the searches of `frugal select` and `frugal trials`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frugal.checks import check_choice, check_known, check_whole
from frugal.interface import RunError
from frugal.select.columns import transformer
from frugal.select.models import Size, default_names, space_of, trial_space_of
from frugal.select.question import Question, plain, splitter
from frugal.threads import one_thread

if TYPE_CHECKING:
    from frugal.model_selection import FoldSearchCV, TrialSearchCV

SCORINGS: Final = {"classification": "accuracy", "regression": "r2"}
LEAST_ROWS: Final = 100
"""Rows of a trial at least, training and validation parts together, or half of the table's."""
LEAST_PART: Final = 27
"""Of the rows of a large table, so that Hyperband's brackets stay few."""
MOST_CANDIDATES: Final = 100_000
"""Drawn at most; each is a fit of every fold."""
BEAT_S: Final = 30.0
"""Seconds after which a search, or its last fit, says that it goes on."""


def search(
    question: Question,
    *,
    estimators: Sequence[str] = (),
    strategy: str = "greedy_early_stopping",
    settings: dict[str, Any] | None = None,
    n_candidates: int = 64,
    n_folds: int = 5,
    scoring: str | None = None,
    positive: str | None = None,
    seed: int = 0,
    verbose: int = 0,
    **limits: Any,
) -> tuple[FoldSearchCV, list[str]]:
    """A search of all estimators at once, to be fitted by `fit`; and what its owner should know of it.

    Args:
        question: what is learned from what.
        estimators: names, of `models.known`; none: those of `models.default_names`.
        strategy: of the folds family.
        settings: settings of the strategy.
        n_candidates: drawn from the spaces of all estimators together.
        n_folds: of the cross-validation.
        scoring: scikit-learn's name; None: accuracy, or R squared.
        positive: the class that a scoring such as `f1` is about, as text.
        seed: of candidates, folds and learners.
        verbose: 1 prints a progress line.
        **limits: of `FoldSearchCV`, such as `n_jobs`, `time_limit`, `fit_timeout` and `journal`.

    Raises:
        ValueError: on an unknown estimator, scoring or strategy, or a scoring that cannot be computed.
        DatasetError: if the table cannot fill the folds.
    """
    from frugal.model_selection import FoldSearchCV

    check_whole("n_candidates", n_candidates, 1, MOST_CANDIDATES)
    judged = _judged(question, n_folds, scoring, positive, seed)
    names, notes = estimators or default_names(question.task, len(question.target)), []
    spaces = space_of(names, question.task, step="model", seed=seed, size=judged.size)
    able = [judged.can_score(space["model"][0]) for space in spaces]
    unable = [name for name, is_able in zip(names, able, strict=True) if not is_able]
    if unable:
        notes.append(f"left out: {', '.join(unable)}, {judged.lack}")
    space = [space for space, is_able in zip(spaces, able, strict=True) if is_able]
    if not space:
        raise ValueError(f"no estimator is left; {notes[0]}")
    found = FoldSearchCV(
        _pipeline(question, space[0]["model"][0]),
        space,
        strategy=strategy,
        settings=settings,
        n_candidates=n_candidates,
        cv=judged.cv,
        scoring=judged.scoring,
        random_state=seed,
        verbose=verbose,
        **limits,
    )
    return found, notes


def trial_search(
    question: Question,
    *,
    estimator: str = "hist_gradient_boosting",
    strategy: str = "ei",
    settings: dict[str, Any] | None = None,
    n_trials: int | None = None,
    resource: str | None = None,
    n_folds: int = 5,
    scoring: str | None = None,
    positive: str | None = None,
    seed: int = 0,
    verbose: int = 0,
    **limits: Any,
) -> tuple[TrialSearchCV, list[str]]:
    """A search of one estimator's hyperparameters trial by trial; otherwise as `search`.

    Args:
        question: what is learned from what.
        estimator: a name, of `models.known`.
        strategy: of the trials family.
        settings: settings of the strategy.
        n_trials: as in `TrialSearchCV`.
        resource: `n_samples`, or a parameter of the estimator; None: `n_samples` of a strategy that needs one.
        n_folds: of the cross-validation.
        scoring: as in `search`.
        positive: as in `search`.
        seed: of trials, folds and the estimator.
        verbose: 1 prints a progress line.
        **limits: of `TrialSearchCV`, such as `n_jobs`, `time_limit`, `trial_timeout` and `journal`.

    Raises:
        ValueError: on an unknown estimator, scoring, strategy or resource, or a scoring that cannot be computed.
        DatasetError: if the table cannot fill the folds.
    """
    from frugal.model_selection import TrialSearchCV
    from frugal.model_selection.needs import gives_less

    judged = _judged(question, n_folds, scoring, positive, seed)
    model, space = trial_space_of(estimator, question.task, step="model", seed=seed, size=judged.size)
    if not judged.can_score(model):
        raise ValueError(f"{estimator} cannot be searched: it is {judged.lack}")
    notes, settings = [], dict(settings or {})
    if resource is None and gives_less(strategy):
        resource = "n_samples"
        notes.append(f"{strategy} gives trials a part of the rows")
    elif resource not in (None, "n_samples"):
        check_known(f"resource of {estimator}", str(resource), ("n_samples", *model.get_params()))
        resource = f"model__{resource}"
    if resource == "n_samples" and "sizes" not in settings:
        settings = _least_rows(question, n_folds, strategy) | settings
    found = TrialSearchCV(
        _pipeline(question, model),
        space,
        strategy=strategy,
        settings=settings,
        n_trials=n_trials,
        cv=judged.cv,
        resource=resource,
        scoring=judged.scoring,
        random_state=seed,
        verbose=verbose,
        **limits,
    )
    return found, notes


def _least_rows(question: Question, n_folds: int, strategy: str) -> dict[str, int]:
    """The setting of a strategy that says on how few rows a trial may be: enough for neighbours and classes."""
    from frugal.trials import settings_of

    n_rows = len(question.target)
    n_classes = question.target.nunique() if question.task == "classification" else 1
    least = min(max(LEAST_ROWS, 2 * n_folds * n_classes, n_rows // LEAST_PART), n_rows // 2)
    by_name = {"min_resource": least, "n_min": least, "subset_rows": max(least, n_rows // 10)}
    return {name: value for name, value in by_name.items() if name in settings_of(strategy)}


def _pipeline(question: Question, model: Any) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline([("columns", transformer(question.columns)), ("model", model)])


@dataclass(frozen=True)
class _Judged:
    """How candidates are judged.

    Attributes:
        cv: makes the folds.
        scoring: as a search is given it.
        methods: of an estimator, any of which the scoring needs.
        size: of the table.
    """

    cv: Any
    scoring: Any
    methods: tuple[str, ...]
    size: Size

    def can_score(self, model: Any) -> bool:
        return any(hasattr(model, method) for method in self.methods)

    @property
    def lack(self) -> str:
        """What is said of an estimator that cannot be scored."""
        return f"without {' or '.join(self.methods)}, which {name_of_scoring(self.scoring)} needs"


def _judged(question: Question, n_folds: int, scoring: str | None, positive: str | None, seed: int) -> _Judged:
    cv = splitter(question, n_folds, seed)
    chosen, scorer = scorer_of(question, scoring, positive)
    n_train = min(len(train) for train, _ in cv.split(question.table, question.target, question.groups))
    n_rarest = int(question.target.value_counts().min()) if question.task == "classification" else n_train
    method = scorer._response_method
    return _Judged(cv, chosen, (method,) if isinstance(method, str) else tuple(method), Size(n_train, n_rarest))


def scorer_of(question: Question, scoring: str | None, positive: str | None) -> tuple[Any, Any]:
    """What a search is given as its scoring, a name where that will do, and the scorer.

    Raises:
        ValueError: if there is no such scoring, or answers that are always the same cannot be scored by it.
    """
    from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

    scoring = SCORINGS[question.task] if scoring is None else scoring
    check_choice("scoring", scoring, get_scorer_names())
    chosen, scorer, y = scoring, get_scorer(scoring), question.target
    has_positive = "pos_label" in signature(scorer._score_func).parameters
    if positive is not None:
        classes = {str(value): plain(value) for value in y.unique()}
        check_choice("positive", positive, tuple(classes))
        if not has_positive:
            raise ValueError(f"the scoring {scoring} is about no single class: leave out --positive")
        options = {**scorer._kwargs, "pos_label": classes[positive]}
        sign, response = scorer._sign > 0, scorer._response_method
        chosen = scorer = make_scorer(
            scorer._score_func, greater_is_better=sign, response_method=response, **options
        )
    rows = np.zeros((len(y), 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = scorer(same_answer(question, scoring).fit(rows, y), rows, y)
    except (AttributeError, TypeError, ValueError) as error:
        remedy = "; --positive names the class that it is about" if has_positive and positive is None else ""
        why = str(error).splitlines()[0]
        raise ValueError(f"the scoring {scoring} cannot be computed for {y.name}: {why}{remedy}") from error
    if not math.isfinite(score):
        raise ValueError(f"the scoring {scoring} cannot be computed for {y.name}: it gives {score}")
    return chosen, scorer


def name_of_scoring(scoring: Any) -> str:
    """Of what a search was given, for people."""
    return (
        scoring
        if isinstance(scoring, str)
        else f"{scoring._score_func.__name__} of {scoring._kwargs['pos_label']!r}"
    )


def same_answer(question: Question, scoring: Any) -> Any:
    """An estimator that says the same of every row: the shares of the classes, the mean, or the median."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if question.task == "classification":
        return DummyClassifier(strategy="prior")
    return DummyRegressor(strategy="median" if "absolute" in str(scoring) else "mean")


def fit(question: Question, found: FoldSearchCV | TrialSearchCV) -> None:
    """Search, and fit the best pipeline on all rows; says now and then that it goes on.

    Every fit has one thread, here as in workers of their own: ties fall the same way, and small trees do
    not wait for threads that other programs hold up.

    Raises:
        KeyboardInterrupt: after Ctrl-C; the best so far is in place by then, if there is one.
        RunError: if no candidate has a score.
    """
    with _heartbeat(), one_thread():
        found.fit(question.table, question.target, groups=question.groups)
    if not math.isfinite(found.best_score_):
        raise RunError("no candidate has a score on all its folds: the warnings say why")


@contextmanager
def _heartbeat() -> Iterator[None]:
    """Says that a fit goes on, since the progress line is printed between fits."""
    ended, started = Event(), monotonic()

    def beat() -> None:
        while not ended.wait(BEAT_S):
            print(f"still fitting, {monotonic() - started:.0f} s so far", flush=True)

    thread = Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
