"""One fold of one candidate, fitted and scored by scikit-learn's own routine, under the caller's configuration."""

from __future__ import annotations

import math
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, wraps
from inspect import signature
from itertools import takewhile
from re import Pattern
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from frugal.folds.fits import Fit
from frugal.folds.splits import Split
from frugal.interface import Candidate, FoldTask


@dataclass(frozen=True)
class Surroundings:
    """scikit-learn's configuration, which is local to a thread, and the warning filters of a process.

    Attributes:
        config: configuration of scikit-learn.
        filters: entries of `warnings.filters`.
        process: id of the process where both were read.
        thread: id of the thread where both were read.
    """

    config: Mapping[str, Any]
    filters: tuple[tuple[Any, ...], ...]
    process: int
    thread: int

    @classmethod
    def here(cls) -> Surroundings:
        """Read the configuration and the filters of this thread."""
        from sklearn import get_config

        return cls(get_config(), tuple(warnings.filters), os.getpid(), threading.get_ident())

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Apply the configuration in another thread, and the filters in another process, inside the block.

        Threads of one process share its filters already.
        """
        from sklearn import config_context

        is_same_process = os.getpid() == self.process
        if is_same_process and threading.get_ident() == self.thread:
            yield
            return
        with config_context(**self.config):
            if is_same_process:
                yield
                return
            with warnings.catch_warnings():
                warnings.resetwarnings()
                for one in self.filters:
                    _append(*one)
                yield


def _append(action: Any, message: Any, category: Any, module: Any, line: int) -> None:
    """Append one entry of `warnings.filters`."""
    if message is None and module is None:
        warnings.simplefilter(action, category, line, append=True)
    else:
        warnings.filterwarnings(action, _text(message), category, _text(module), line, append=True)


def _text(pattern: str | Pattern[str] | None) -> str:
    return "" if pattern is None else pattern if isinstance(pattern, str) else pattern.pattern


Scores = float | dict[str, float]
"""One score, or several by the names of their metrics."""


@dataclass(frozen=True)
class ScoredFit(Fit):
    """A fit with everything that `cv_results_` reports.

    Attributes:
        test_scores: scores on the validation part, or `error_score`.
        train_scores: scores on the training part; None: not computed.
        fit_time: seconds of the fit.
        score_time: seconds of the scoring.
    """

    test_scores: Scores = math.nan
    train_scores: Scores | None = None
    fit_time: float = math.nan
    score_time: float = math.nan


def exception_of(reason: str) -> str:
    """The exception at the end of a traceback, in one line; another text in one line."""
    lines = reason.rpartition("Traceback (most recent call last):")[2].strip("\n").splitlines()
    frames = takewhile(lambda line: not line or line[0].isspace(), lines)
    return " ".join(" ".join(lines[len(list(frames)) :]).split())


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Evaluate a task by a fit; it holds everything that a fit needs, and is sent to each worker once.

    Attributes:
        estimator: the estimator, cloned for every fit.
        X: rows, of any type that scikit-learn can index.
        y: targets; None: there are none.
        splits: indices of the training and validation rows of each fold.
        candidates: the candidate list, which a task's `candidate` indexes.
        scorer: called with a fitted estimator and the validation part.
        fit_params: arguments of the estimator's `fit`; those with one value per row are cut to the rows.
        score_params: arguments of the scorer, likewise.
        metric: name of the score that the strategy sees; None: the first.
        return_train_score: whether the training part is scored too.
        error_score: score of a fit that fails, or `raise`.
        verbose: as in scikit-learn's searches; 2 or more prints every fit.
        seed: draws the training rows of a task with `n_rows`.
        caller: the search, for callbacks; None: there are no callbacks.
        contexts: contexts of callbacks, by candidate and fold.
        surroundings: configuration of the thread that made this object, applied wherever a fit runs.
        codes: number of each row's class, shape (n_rows,), for parts of the rows; None: there are no classes.
    """

    estimator: Any
    X: Any
    y: Any
    splits: Sequence[Split]
    candidates: Sequence[Candidate]
    scorer: Callable[..., Any]
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_params: Mapping[str, Any] = field(default_factory=dict)
    metric: str | None = None
    return_train_score: bool = False
    error_score: float | str = math.nan
    verbose: int = 0
    seed: int = 0
    caller: Any = None
    contexts: Mapping[tuple[int, int], Any] = field(default_factory=dict)
    surroundings: Surroundings = field(default_factory=Surroundings.here)
    codes: NDArray[np.intp] | None = None

    def __call__(self, task: FoldTask) -> ScoredFit:
        """Fit a candidate on the training part of a fold, and score it on the validation part.

        Raises:
            MemoryError: if the fit runs out of memory: this is no failure of the candidate. If scoring does, the
                score counts as failed, as in scikit-learn.
        """
        try:
            with self.surroundings.applied():
                return self._fitted(task)
        except _OutOfMemory as error:
            raise MemoryError(*error.args) from error

    def _fitted(self, task: FoldTask) -> ScoredFit:
        from sklearn.base import clone
        from sklearn.model_selection._validation import _fit_and_score

        train, test = self.splits[task.fold]
        if task.n_rows is not None:
            train = self._share(train, task)
        out = _fit_and_score(
            _letting_memory_errors_through(clone(self.estimator)),
            self.X,
            self.y,
            scorer=self.scorer,
            train=train,
            test=test,
            verbose=self.verbose,
            parameters=dict(self.candidates[task.candidate]),
            fit_params=self.fit_params,
            score_params=self.score_params,
            return_train_score=self.return_train_score,
            return_times=True,
            split_progress=(task.fold, len(self.splits)),
            candidate_progress=(task.candidate, len(self.candidates)),
            error_score=self.error_score,
            **self._callback_options(task),
        )
        fit_time, score_time = float(out["fit_time"]), float(out["score_time"])
        scores, reason = out["test_scores"], out["fit_error"] or ""
        return ScoredFit(
            score=primary_score(scores, self.metric),
            seconds=fit_time + score_time,
            reason=reason,
            test_scores=scores,
            train_scores=out.get("train_scores"),
            fit_time=fit_time,
            score_time=score_time,
        )

    def _share(self, train: NDArray[np.intp], task: FoldTask) -> NDArray[np.intp]:
        """Draw training rows without replacement; their share is that of `n_rows` among all rows."""
        assert task.n_rows is not None
        train = np.asarray(train)
        size = max(1, int(task.n_rows / _num_samples(self.X) * len(train)))
        rng = np.random.default_rng([self.seed, task.fold, task.n_rows])
        drawn = rng.choice(train, size=min(size, len(train)), replace=False)
        return drawn if self.codes is None else _with_all_classes(drawn, train, self.codes, rng)

    def _callback_options(self, task: FoldTask) -> dict[str, Any]:
        if self.caller is None or not _knows_callbacks():
            return {}
        return {"caller": self.caller, "callback_ctx": self.contexts.get((task.candidate, task.fold))}


def _with_all_classes(
    drawn: NDArray[np.intp], train: NDArray[np.intp], codes: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Give a draw two rows of each class of the training part, or the one that there is.

    They take the places of rows of classes that have more than two, so that the number of rows stays, as long as
    that many can be spared. Without a class every candidate may fail; with one row of it some estimators do.
    """
    enough = np.minimum(np.bincount(codes[train]), 2)
    lacks = np.maximum(enough - np.bincount(codes[drawn], minlength=len(enough)), 0)
    if not lacks.any():
        return drawn
    rest = rng.permutation(np.setdiff1d(train, drawn))
    added = np.concatenate([rest[codes[rest] == code][: lacks[code]] for code in np.flatnonzero(lacks)])
    order = np.argsort(codes[drawn], kind="stable")
    sorted_codes = codes[drawn][order]
    nth = np.arange(len(drawn)) - np.searchsorted(sorted_codes, sorted_codes)  # rows of its class before it
    spared = np.sort(order[nth >= 2])[::-1][: len(added)]
    return np.concatenate([np.delete(drawn, spared), added])


class _OutOfMemory(BaseException):
    """Carries a MemoryError through scikit-learn, which turns every Exception into a failed fit."""


def _letting_memory_errors_through(estimator: Any) -> Any:
    """Return the estimator; its next `fit` raises a MemoryError as an exception that scikit-learn does not catch.

    The estimator is restored before that `fit` begins, since a scorer may pickle or copy it. The method is looked
    up then, since a wrapper may have that of an inner estimator, which `set_params` exchanges.
    """
    attributes = vars(estimator)
    before = {"fit": attributes["fit"]} if "fit" in attributes else {}

    @wraps(estimator.fit)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        attributes.pop("fit", None)
        attributes.update(before)
        try:
            return estimator.fit(*args, **kwargs)
        except MemoryError as error:
            raise _OutOfMemory(*error.args) from error

    attributes["fit"] = guarded
    return estimator


@cache
def _knows_callbacks() -> bool:
    from sklearn.model_selection._validation import _fit_and_score

    return "callback_ctx" in signature(_fit_and_score).parameters


def primary_score(scores: Scores, metric: str | None) -> float:
    """Score of a fit for the strategy; nan if the fit failed or the score is not finite.

    A score that exceeds 1 by rounding alone, as weighted accuracies can, becomes 1.

    Args:
        scores: one score, or several by name.
        metric: name of the score to return; None: the first.
    """
    if isinstance(scores, dict):
        score = float(next(iter(scores.values())) if metric is None else scores.get(metric, math.nan))
    else:
        score = float(scores)
    if not math.isfinite(score):
        return math.nan
    return 1.0 if 1.0 < score < 1.0 + 1e-12 else score
