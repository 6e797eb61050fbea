"""Choose a model for a user's own table: the searches of `frugal select` and `frugal trials`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import signature
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frugal.checks import as_python, check_choice, check_known, check_whole, is_whole
from frugal.interface import RunError
from frugal.select.columns import transformer
from frugal.select.models import Size, default_names, space_of, trial_space_of
from frugal.select.problem import Problem, splitter
from frugal.threads import one_thread

if TYPE_CHECKING:
    from frugal.model_selection import FoldSearchCV, TrialSearchCV

SCORINGS: Final = {"classification": "accuracy", "regression": "r2"}
LEAST_ROWS: Final = 100
"""Smallest number of rows of a trial, training and validation parts together, or half of the table if less."""
LEAST_PART: Final = 27
"""The smallest trial on a large table has one in so many rows; this keeps Hyperband's brackets few."""
MOST_CANDIDATES: Final = 100_000
"""Largest number of candidates; each may need a fit per fold."""
_PLAIN: Final = ({0, 1}, {-1, 1})
"""Classes of which 1 is the positive one."""
BEAT_S: Final = 30.0
"""Seconds between two lines that report a fit still under way."""


def search(
    problem: Problem,
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
    """Make a search over all estimators at once, to be fitted by `fit`; returns it with notes for the user.

    Args:
        problem: the learning problem.
        estimators: names in `models.known`; empty: those of `models.default_names`.
        strategy: name of a strategy of the folds family.
        settings: settings of the strategy.
        n_candidates: number of candidates, drawn from the spaces of all estimators together.
        n_folds: number of folds.
        scoring: scikit-learn's name of a scoring; None: accuracy, or R squared.
        positive: the positive class of a scoring such as `f1`, as text.
        seed: seed of candidates, folds and learners.
        verbose: 1 prints a progress line.
        **limits: further arguments of `FoldSearchCV`, such as `n_jobs`, `time_limit`, `fit_timeout`, `journal`.

    Raises:
        ValueError: on an unknown estimator, scoring or strategy, or a scoring that cannot be computed.
        DatasetError: if the table cannot fill the folds.
    """
    from frugal.model_selection import FoldSearchCV
    from frugal.model_selection.facts import first_share, is_by_rows

    check_whole("n_candidates", n_candidates, 1, MOST_CANDIDATES)
    validation = _validation(problem, n_folds, scoring, positive, seed)
    names, notes = estimators or default_names(problem.task, len(problem.target)), []
    size = validation.size
    if is_by_rows(strategy, settings or {}):
        n_classes = problem.target.nunique() if problem.task == "classification" else 1
        facts = {"n_rows": len(problem.target), "cv": n_folds, "n_classes": n_classes}
        share = first_share(strategy, settings or {}, facts, n_candidates=n_candidates, n_folds=n_folds)
        size = size._replace(is_whole=False, n_least=int(share * size.n_train))
    spaces = space_of(names, problem.task, step="model", seed=seed, size=size)
    able = [validation.can_score(space["model"][0]) for space in spaces]
    unable = [name for name, is_able in zip(names, able, strict=True) if not is_able]
    if unable:
        notes.append(f"left out: {', '.join(unable)}, {validation.lack}")
    space = [space for space, is_able in zip(spaces, able, strict=True) if is_able]
    if not space:
        raise ValueError(f"no estimator is left; {notes[0]}")
    found = FoldSearchCV(
        _pipeline(problem, space[0]["model"][0]),
        space,
        strategy=strategy,
        settings=settings,
        n_candidates=n_candidates,
        cv=validation.cv,
        scoring=validation.scoring,
        random_state=seed,
        verbose=verbose,
        **limits,
    )
    return found, notes


def trial_search(
    problem: Problem,
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
    """Make a search over one estimator's hyperparameters trial by trial; otherwise as `search`.

    Args:
        problem: the learning problem.
        estimator: a name in `models.known`.
        strategy: name of a strategy of the trials family.
        settings: settings of the strategy.
        n_trials: as in `TrialSearchCV`.
        resource: `n_samples`, or a parameter of the estimator; None: `n_samples` if the strategy needs a resource.
        n_folds: number of folds.
        scoring: as in `search`.
        positive: as in `search`.
        seed: seed of trials, folds and the estimator.
        verbose: 1 prints a progress line.
        **limits: further arguments of `TrialSearchCV`, such as `n_jobs`, `time_limit`, `trial_timeout`, `journal`.

    Raises:
        ValueError: on an unknown estimator, scoring, strategy or resource, or a scoring that cannot be computed.
        DatasetError: if the table cannot fill the folds.
    """
    from frugal.model_selection import TrialSearchCV
    from frugal.model_selection.trial_plan import gives_less

    if n_trials is not None:
        check_whole("n_trials", n_trials, 1)
    validation = _validation(problem, n_folds, scoring, positive, seed)
    is_whole = not gives_less(strategy) and resource != "n_samples"
    size = validation.size._replace(is_whole=is_whole)
    model, space = trial_space_of(estimator, problem.task, step="model", seed=seed, size=size)
    if not validation.can_score(model):
        raise ValueError(f"{estimator} cannot be searched: it is {validation.lack}")
    notes, settings = [], dict(settings or {})
    if resource is None and gives_less(strategy):
        resource = "n_samples"
        notes.append(f"{strategy} gives trials a part of the rows")
    elif resource not in (None, "n_samples"):
        check_known(f"resource of {estimator}", str(resource), ("n_samples", *model.get_params()))
        resource = f"model__{resource}"
    if resource == "n_samples" and "sizes" not in settings:
        settings = _least_rows(problem, n_folds, strategy, settings) | settings
    found = TrialSearchCV(
        _pipeline(problem, model),
        space,
        strategy=strategy,
        settings=settings,
        n_trials=n_trials,
        cv=validation.cv,
        resource=resource,
        scoring=validation.scoring,
        random_state=seed,
        verbose=verbose,
        **limits,
    )
    return found, notes


def _least_rows(problem: Problem, n_folds: int, strategy: str, settings: Mapping[str, Any]) -> dict[str, int]:
    """Setting of a strategy for the smallest number of rows of a trial: enough for neighbours and classes."""
    from frugal.model_selection.facts import rows_for_the_rarest
    from frugal.trials import settings_of

    known = settings_of(strategy)
    counts = problem.target.value_counts().tolist() if problem.task == "classification" else [len(problem.target)]
    most = [int(settings[name]) for name in ("max_resource", "n_max") if is_whole(settings.get(name), 1)]
    n_rows = min([len(problem.target), *most])
    factor = settings.get("reduction_factor", known.get("reduction_factor", 3))
    of_classes = max(2 * n_folds * len(counts), rows_for_the_rarest(counts, n_folds))
    least = min(max(LEAST_ROWS, of_classes, n_rows // LEAST_PART), n_rows // 2)
    check_whole("reduction_factor", factor, 2)
    in_brackets = min(least, n_rows // factor)  # or no bracket has two rungs
    by_name = {"min_resource": in_brackets, "n_min": least, "subset_rows": max(least, n_rows // 10)}
    return {name: value for name, value in by_name.items() if name in known}


def _pipeline(problem: Problem, model: Any) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline([("columns", transformer(problem.columns)), ("model", model)])


@dataclass(frozen=True)
class _Validation:
    """Folds and scoring of the candidates.

    Attributes:
        cv: splitter of the folds.
        scoring: the argument `scoring` of the search.
        methods: names of estimator methods; the scoring needs one of them.
        size: size of the table.
    """

    cv: Any
    scoring: Any
    methods: tuple[str, ...]
    size: Size

    def can_score(self, model: Any) -> bool:
        """True if the model has a method that the scoring needs."""
        return any(hasattr(model, method) for method in self.methods)

    @property
    def lack(self) -> str:
        """The missing methods of an estimator that cannot be scored, for messages."""
        return f"without {' or '.join(self.methods)}, which {name_of_scoring(self.scoring)} needs"


def _validation(
    problem: Problem, n_folds: int, scoring: str | None, positive: str | None, seed: int
) -> _Validation:
    cv = splitter(problem, n_folds, seed)
    chosen, scorer = scorer_of(problem, scoring, positive)
    parts = [problem.target.iloc[train] for train, _ in cv.split(problem.table, problem.target, problem.groups)]
    n_train = n_rarest = min(map(len, parts))
    if problem.task == "classification":  # groups may leave a part few rows of a class, strata do not
        counted = [problem.target] if problem.groups is None else parts
        n_rarest = min(int(part.value_counts().min()) for part in counted)
    method = scorer._response_method
    return _Validation(
        cv, chosen, (method,) if isinstance(method, str) else tuple(method), Size(n_train, n_rarest)
    )


def scorer_of(problem: Problem, scoring: str | None, positive: str | None) -> tuple[Any, Any]:
    """Return the argument `scoring` of a search, a name if possible, and the scorer.

    Raises:
        ValueError: if there is no such scoring, or it cannot score a constant prediction.
    """
    from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

    scoring = SCORINGS[problem.task] if scoring is None else scoring
    if scoring not in (names := get_scorer_names()):
        close = get_close_matches(scoring, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
        raise ValueError(f"unknown scoring {scoring!r}; {hint}")
    chosen, scorer, y = scoring, get_scorer(scoring), problem.target
    is_averaged = scorer._kwargs.get("average", "binary") != "binary"  # over classes, as f1_macro
    has_positive = "pos_label" in signature(scorer._score_func).parameters and not is_averaged
    labels = set(y.unique()) if has_positive else set()
    if has_positive and positive is None and len(labels) == 2 and 1 in labels and labels not in _PLAIN:
        shown = " or ".join(sorted(str(as_python(value)) for value in labels))
        raise ValueError(f"the scoring {scoring} needs a positive class: --positive names it, {shown}")
    if positive is not None:
        classes = {str(value): as_python(value) for value in y.unique()}
        check_choice("positive", positive, tuple(classes))
        if not has_positive:
            raise ValueError(f"the scoring {scoring} has no positive class: leave out --positive")
        options = {**scorer._kwargs, "pos_label": classes[positive]}
        sign, response = scorer._sign > 0, scorer._response_method
        chosen = scorer = make_scorer(
            scorer._score_func, greater_is_better=sign, response_method=response, **options
        )
    rows = np.zeros((len(y), 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = scorer(dummy_estimator(problem, scoring).fit(rows, y), rows, y)
    except (AttributeError, TypeError, ValueError) as error:
        remedy = "; --positive names the positive class" if has_positive and positive is None else ""
        why = str(error).splitlines()[0]
        raise ValueError(f"the scoring {scoring} cannot be computed for {y.name}: {why}{remedy}") from error
    if not math.isfinite(score):
        raise ValueError(f"the scoring {scoring} cannot be computed for {y.name}: it gives {score}")
    return chosen, scorer


def name_of_scoring(scoring: Any) -> str:
    """Name of a search's scoring, for people."""
    return (
        scoring
        if isinstance(scoring, str)
        else f"{scoring._score_func.__name__} of {scoring._kwargs['pos_label']!r}"
    )


def dummy_estimator(problem: Problem, scoring: Any) -> Any:
    """An estimator with a constant prediction: the shares of the classes, the mean, or the median."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if problem.task == "classification":
        return DummyClassifier(strategy="prior")
    return DummyRegressor(strategy="median" if "absolute" in str(scoring) else "mean")


def fit(problem: Problem, found: FoldSearchCV | TrialSearchCV) -> None:
    """Search, and fit the best pipeline on all rows; prints a line now and then during long fits.

    Every fit has one thread, in this process as in workers: so ties are broken the same way, and small trees do
    not wait for threads that other programs keep busy.

    Raises:
        KeyboardInterrupt: after Ctrl-C; the attributes of the search then describe the best candidate so far.
        RunError: if every fit failed, or no candidate has a score.
    """
    from frugal.model_selection.base import FitsFailedError

    with _heartbeat(), one_thread():
        try:
            found.fit(problem.table, problem.target, groups=problem.groups)
        except FitsFailedError as error:
            raise RunError(error.summary) from error
    if not math.isfinite(found.best_score_):
        raise RunError("no candidate has a score on all its folds: the warnings say why")


@contextmanager
def _heartbeat() -> Iterator[None]:
    """Print a line now and then inside the block, since the progress line is printed between fits only."""
    ended, started = Event(), monotonic()

    def beat() -> None:
        while not ended.wait(BEAT_S):
            with suppress(OSError, ValueError):  # of a closed output: nobody reads the line
                print(f"still fitting, {monotonic() - started:.0f} s so far", flush=True)

    thread = Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
