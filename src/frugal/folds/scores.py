"""Fit and score folds: the costly step, done once and stored for every strategy to replay."""

from __future__ import annotations

import json
import logging
import reprlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_choice, check_whole, is_whole
from frugal.folds.fits import Classifier, Fit, built, fit_and_score, name_of, train_and_score
from frugal.folds.splits import Split, shrink, split
from frugal.folds.table import ScoreTable, plain
from frugal.interface import Candidate, FoldTask
from frugal.learners import CLASSIFIERS, NETWORKS, HyperparameterError, check_learner, scaler_for
from frugal.seeds import seed_for
from frugal.threads import one_thread

if TYPE_CHECKING:
    from frugal.datasets import Dataset

SPACES = ("grid", "ranges", "listed")
log = logging.getLogger("frugal")
Arrays = tuple[NDArray[Any], NDArray[np.int64], NDArray[Any], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Folds:
    """The folds of one dataset and seed, ready to be fitted on; picklable, so workers can share it.

    Attributes:
        dataset: rows and labels; those that it sets apart for testing are dropped.
        n_folds: number of folds.
        seed: number of the repetition.
        scaler: `none`, `min_max`, `robust` or `standard`; fitted inside each training part.
        splits: `stratified` or `plain`.
        epochs: passes over the training rows, for networks.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from frugal.datasets import Dataset
        >>> from frugal.folds import Folds
        >>> folds = Folds(Dataset.from_arrays(*load_iris(return_X_y=True)), n_folds=5, seed=0)
        >>> [array.shape for array in folds.arrays(0)]
        [(120, 4), (120,), (30, 4), (30,)]
    """

    dataset: Dataset
    n_folds: int
    seed: int
    scaler: str = "none"
    splits: str = "stratified"
    epochs: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset", self.dataset.training())

    @cached_property
    def parts(self) -> list[Split]:
        """Row numbers per fold."""
        return split(self.dataset, self.n_folds, self.seed, self.splits)

    def arrays(self, fold: int, n_rows: int | None = None, *, keep_pixels: bool = False) -> Arrays:
        """X_train, y_train, X_test, y_test of a fold, scaled, on the share `n_rows` of the rows.

        Features are float64, or with `keep_pixels` what the dataset holds.
        """
        train, test = self.parts[fold]
        if n_rows is not None:
            train, test = shrink((train, test), self.dataset, n_rows, self.seed, fold)
        kind = self.dataset.X.dtype if keep_pixels else np.dtype(np.float64)
        X_train, X_test = (np.ascontiguousarray(self.dataset.X[rows], dtype=kind) for rows in (train, test))
        scaler: Any = scaler_for(self.scaler)
        if scaler is not None:
            X_train = scaler.fit_transform(X_train)
            X_test = scaler.transform(X_test)
        return X_train, self.dataset.y[train], X_test, self.dataset.y[test]

    def learner_seed(self, classifier: Classifier) -> int:
        """`random_state` of every fit of a classifier in this repetition."""
        return seed_for("learner", self.dataset.name, name_of(classifier), self.seed)

    def fitter(self, classifier: Classifier, fold: int, n_rows: int | None = None) -> Callable[[Candidate], Fit]:
        """Return a function that fits a candidate on the training part of a fold and scores it on the other."""
        seed = self.learner_seed(classifier)
        if not _is_network(classifier):
            X, y, X_test, y_test = self.arrays(fold, n_rows)

            def fit(candidate: Candidate) -> Fit:
                # A fit in place would change the rows of the next one.
                copies = X.copy("K"), y.copy(), X_test.copy("K"), y_test.copy()
                return fit_and_score(classifier, candidate, *copies, seed=seed)

            return fit
        check_whole(f"epochs of {classifier}", self.epochs, 1)
        arrays = self.arrays(fold, n_rows, keep_pixels=True)
        options: dict[str, Any] = {
            "image_shape": self.dataset.image_shape,
            "n_classes": self.dataset.n_classes,
            "epochs": self.epochs,
            "seed": seed,
        }
        return lambda candidate: train_and_score(classifier, candidate, *arrays, **options)


@dataclass(frozen=True, eq=False)
class Live:
    """Evaluates fold tasks by real fits on one thread each; the callable that `folds.run` sends to workers.

    Attributes:
        folds: the folds of tasks on all rows.
        classifier: name of a learner, one of `frugal.learners.known()`, or an unfitted estimator.
        candidates: the candidate list, which a task's `candidate` indexes.
        rung_folds: the folds of tasks with `n_rows`; None: `folds` too.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from frugal.datasets import Dataset
        >>> from frugal.folds import Folds, Live
        >>> from frugal.interface import FoldTask
        >>> folds = Folds(Dataset.from_arrays(*load_iris(return_X_y=True)), n_folds=5, seed=0)
        >>> evaluate = Live(folds, "knn", [{"n_neighbors": 1}, {"n_neighbors": 9}])
        >>> evaluate(FoldTask(candidate=1, fold=0)).score > 0.8
        True
    """

    folds: Folds
    classifier: Classifier
    candidates: Sequence[Candidate]
    rung_folds: Folds | None = None

    def __call__(self, task: FoldTask) -> Fit:
        """Evaluate one task."""
        where = self.folds if task.n_rows is None else self.rung_folds or self.folds
        fitter = where.fitter(self.classifier, task.fold, task.n_rows)
        with _one_thread(self.classifier):
            return fitter(self.candidates[task.candidate])


def score(
    dataset: Dataset | str | tuple[ArrayLike, ArrayLike],
    classifier: Classifier,
    candidates: Sequence[Candidate],
    *,
    n_folds: int,
    seed: int,
    folds: Sequence[int] | None = None,
    n_rows: int | None = None,
    exact_batch: bool = True,
    scaler: str = "none",
    splits: str = "stratified",
    space: str = "listed",
    epochs: int | None = None,
) -> ScoreTable:
    """Scores of candidates on folds, one thread each.

    Args:
        dataset: a dataset, the name of one to load, or X and y; rows that it sets apart for testing are not used.
        classifier: name of a learner, one of `frugal.learners.known()`, or any unfitted classifier of
            scikit-learn's kind, which is cloned for every fit.
        candidates: at least one; a repeated one is fitted once per fold.
        n_folds: number of folds of the cross-validation.
        seed: number of the repetition; decides the folds.
        folds: which folds to score; None: all.
        n_rows: rows of the dataset to use, taken inside each split; None: all.
        exact_batch: whether to score all candidates of a fold together if the learner has a batch scorer, that is,
            if it is `bernoulli_nb`, `decision_tree` or `knn`. The scores are the same (`folds.fast`); the seconds
            of the fold are divided evenly. Otherwise each fit is timed alone, and the first candidate of every
            fold is fitted twice, the first time as a warm-up. Networks need no warm-up.
        scaler: `none`, `min_max`, `robust` or `standard`.
        splits: `stratified` or `plain`.
        space: kind of candidates, stored in the metadata for `search`. From a `grid`, `search` draws a candidate
            list with replacement. Of `ranges` (random draws) or `listed` candidates, it takes the first ones.
        epochs: passes over the training rows, for networks and for nothing else.

    Raises:
        ValueError: on an unknown name (also of a hyperparameter), an estimator that is no classifier, an empty
            candidate list, a hyperparameter that JSON cannot hold, such as a kernel object, a seed that is no
            whole number of at least 0, folds that do not exist or are repeated, a network without epochs, or
            epochs for another learner.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from frugal import folds
        >>> candidates = [{"n_neighbors": 1}, {"n_neighbors": 9}, {"n_neighbors": 99}]
        >>> table = folds.score(load_iris(return_X_y=True), "knn", candidates, n_folds=5, seed=0)
        >>> table.scores.shape, table.candidates[table.means.argmax()]
        ((3, 5), {'n_neighbors': 1})

        An estimator of your own:

        >>> from sklearn.svm import SVC
        >>> table = folds.score(load_iris(return_X_y=True), SVC(), [{"C": 0.01}, {"C": 1}], n_folds=5, seed=0)
        >>> table.candidates[table.means.argmax()]
        {'C': 1}
    """
    dataset = _as_dataset(dataset)
    check_choice("space", space, SPACES)
    if not isinstance(candidates, Mapping):
        candidates = list(candidates)
    if isinstance(candidates, Mapping) or not all(isinstance(one, Mapping) for one in candidates):
        raise ValueError(f"candidates must be a list of mappings, got {reprlib.repr(candidates)}")
    if not candidates:
        raise ValueError("candidates is empty; at least one is needed")
    check_whole("seed", seed, 0)
    name = _checked_name(classifier)
    if (epochs is not None) != (name in NETWORKS):
        raise ValueError(f"networks need epochs and others take none; {name} was given epochs={epochs}")
    where = Folds(dataset, n_folds, seed, scaler, splits, epochs)
    numbers = _checked_folds(where, folds)
    candidates = [plain(candidate) for candidate in candidates]
    texts = [_as_text(candidate) for candidate in candidates]
    _check_hyperparameters(classifier, candidates)
    first: dict[str, Candidate] = {}
    for text, candidate in zip(texts, candidates, strict=True):
        first.setdefault(text, candidate)
    distinct, firsts = list(first), list(first.values())
    is_batched = exact_batch and isinstance(classifier, str) and classifier in CLASSIFIERS
    fit: Callable[..., _Column] = _batch if is_batched else _one_by_one
    columns = []
    with _one_thread(classifier):
        for fold in numbers:
            columns.append(fit(where, fold, n_rows, classifier, firsts))
            log.info("fold %d: %d candidates in %.2f s", fold, len(firsts), columns[-1].seconds.sum())
    meta: dict[str, Any] = {
        "dataset": dataset.name,
        "data": dataset.provenance,
        "classifier": name,
        "n_folds": n_folds,
        "seed": seed,
        "n_rows": n_rows,
        "space": space,
        "scaler": scaler,
        "splits": splits,
        "n_rows_of_dataset": len(where.dataset.y),
        "n_classes": dataset.n_classes,
        "folds": numbers,
        **_counts(columns),
        **({} if epochs is None else {"epochs": epochs}),
    }
    table = ScoreTable(
        np.column_stack([block.scores for block in columns]),
        np.column_stack([block.seconds for block in columns]),
        firsts,
        plain(meta),
    )
    if len(distinct) == len(texts):
        return table
    rows = {text: row for row, text in enumerate(distinct)}
    return table.take([rows[text] for text in texts])


def _as_dataset(dataset: Dataset | str | tuple[ArrayLike, ArrayLike]) -> Dataset:
    if isinstance(dataset, str):
        from frugal.datasets import load

        return load(dataset)
    from frugal.datasets import Dataset

    if isinstance(dataset, tuple) and len(dataset) == 2:
        return Dataset.from_arrays(*dataset)
    if not isinstance(dataset, Dataset):
        raise ValueError(
            f"dataset must be a Dataset, the name of one, or a tuple (X, y), got a {type(dataset).__name__}"
        )
    return dataset


def _checked_folds(where: Folds, folds: Sequence[int] | None) -> list[int]:
    """The numbers of the folds to score."""
    existing = range(len(where.parts))
    numbers = list(existing) if folds is None else [int(fold) if is_whole(fold, 0) else fold for fold in folds]
    if not numbers or not set(numbers) <= set(existing):
        raise ValueError(f"folds must lie in [0, {len(existing) - 1}], got {numbers}")
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"folds must not repeat, got {numbers}")
    return numbers


def _checked_name(classifier: Classifier) -> str:
    if isinstance(classifier, str):
        check_learner(classifier)
    elif isinstance(classifier, type) or not all(
        hasattr(classifier, method) for method in ("fit", "predict", "get_params", "set_params")
    ):
        raise ValueError(
            f"classifier must be the name of a learner, or an estimator such as SVC(), got {classifier!r}"
        )
    elif _is_no_classifier(classifier):
        raise ValueError(f"classifier must be a classifier by its tags of scikit-learn, got {name_of(classifier)}")
    return name_of(classifier)


def _is_no_classifier(estimator: Any) -> bool:
    """Whether an estimator's tags say that it is something else; those without a type say nothing."""
    from sklearn.utils import get_tags

    try:
        return get_tags(estimator).estimator_type not in (None, "classifier")
    except AttributeError:
        return False


def _check_hyperparameters(classifier: Classifier, candidates: Sequence[Candidate]) -> None:
    """Refuse names that a classifier does not have: every fit would fail. Networks refuse them themselves."""
    if _is_network(classifier):
        return
    for candidate in {frozenset(candidate): candidate for candidate in candidates}.values():
        try:
            built(classifier, candidate)
        except HyperparameterError:
            raise
        except ValueError:  # a value out of range fails the candidate, not the call
            continue


def _one_thread(classifier: Classifier) -> AbstractContextManager[None]:
    """One thread, but for networks, which limit torch themselves: it would take the limit for its own setting."""
    return nullcontext() if _is_network(classifier) else one_thread()


def _is_network(classifier: Classifier) -> TypeGuard[str]:
    return isinstance(classifier, str) and classifier in NETWORKS


def _as_text(candidate: Candidate) -> str:
    """A candidate as the table's file holds it."""
    for name, value in candidate.items():
        try:
            json.dumps(value, sort_keys=True)
        except TypeError as error:
            raise ValueError(
                f"{name!r} of a candidate must be a number, text, bool, None, a list of these, or a mapping of "
                f"texts to these, got {value!r}"
            ) from error
    return json.dumps(candidate, sort_keys=True)


@dataclass(frozen=True, eq=False)
class _Column:
    scores: NDArray[np.float64]
    seconds: NDArray[np.float64]
    reasons: dict[int, str]
    n_deferred: int = 0
    n_tied: int = 0


def _counts(columns: Sequence[_Column]) -> dict[str, Any]:
    """Failed fits as row, column and message, and how many scores were deferred or tied."""
    failures = [
        [row, column, message] for column, block in enumerate(columns) for row, message in block.reasons.items()
    ]
    return {
        "failures": sorted(failures),
        "n_deferred": sum(block.n_deferred for block in columns),
        "n_tied": sum(block.n_tied for block in columns),
    }


def _batch(
    where: Folds, fold: int, n_rows: int | None, classifier: str, candidates: Sequence[Candidate]
) -> _Column:
    from frugal.folds.fast import score_fold

    arrays = where.arrays(fold, n_rows)
    started = perf_counter()
    block = score_fold(classifier, *arrays, candidates, seed=where.learner_seed(classifier))
    each = (perf_counter() - started) / len(candidates)
    seconds = np.full(len(candidates), each)
    return _Column(block.scores, seconds, dict(block.reasons), block.n_deferred, block.n_tied)


def _one_by_one(
    where: Folds, fold: int, n_rows: int | None, classifier: Classifier, candidates: Sequence[Candidate]
) -> _Column:
    fitter, fits = where.fitter(classifier, fold, n_rows), []
    is_network = _is_network(classifier)
    if is_network:
        import frugal.learners.networks.network  # noqa: F401  and torch with it, untimed
    else:
        fitter(candidates[0])  # imports and caches warm up untimed
    for number, candidate in enumerate(candidates, start=1):
        fits.append(fitter(candidate))
        if is_network:
            log.info("fold %d: %d of %d, %.4f", fold, number, len(candidates), fits[-1].score)
    return _Column(
        np.array([fit.score for fit in fits]),
        np.array([fit.seconds for fit in fits]),
        {i: fit.reason for i, fit in enumerate(fits) if fit.reason},
    )
