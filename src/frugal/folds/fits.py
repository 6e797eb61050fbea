"""One real fit, scored and timed; the reference for every faster scorer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from frugal.interface import Candidate
from frugal.learners import HyperparameterError, build, networks
from frugal.seeds import seed_for
from frugal.spaces import as_json

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Classifier: TypeAlias = "str | BaseEstimator"
"""A learner by name, or an unfitted estimator of scikit-learn's kind."""


@dataclass(frozen=True)
class Fit:
    """Result of one evaluation.

    Attributes:
        score: higher is better; nan if it failed.
        seconds: seconds of fitting and scoring.
        reason: why the fit failed; empty if it did not.

    Examples:
        >>> from frugal.folds import Fit
        >>> Fit(score=0.9, seconds=0.1)
        Fit(score=0.9, seconds=0.1, reason='')
    """

    score: float
    seconds: float
    reason: str = ""


def name_of(classifier: Classifier) -> str:
    """Name of a classifier in seeds, tables and messages."""
    return classifier if isinstance(classifier, str) else type(classifier).__name__


def built(classifier: Classifier, candidate: Candidate, *, seed: int = 0) -> BaseEstimator:
    """An unfitted classifier with the candidate's hyperparameters; every `random_state` that is not set is `seed`.

    Raises:
        HyperparameterError: on a hyperparameter that it does not take.
        ValueError: on an unknown learner, or an estimator that cannot be cloned.
    """
    if isinstance(classifier, str):
        return build(classifier, candidate, seed=seed)
    from sklearn.base import clone

    estimator = clone(classifier)
    try:
        estimator.set_params(**candidate)
    except ValueError as error:
        raise HyperparameterError(str(error)) from error
    params = estimator.get_params().items()
    free = [name for name, value in params if name.endswith("random_state") and value is None]
    return estimator.set_params(**dict.fromkeys(free, seed))


def fit_and_score(
    classifier: Classifier,
    candidate: Candidate,
    X_train: NDArray[np.float64],
    y_train: NDArray[np.int64],
    X_test: NDArray[np.float64],
    y_test: NDArray[np.int64],
    *,
    seed: int,
) -> Fit:
    """Build, fit and score one candidate; any exception of scikit-learn becomes the reason of a failed fit.

    Args:
        classifier: name of a learner that is fitted in one go, one of `frugal.learners.known()`, or an unfitted
            estimator.
        candidate: hyperparameters.
        X_train: training rows, shape (n_train, n_features).
        y_train: training labels, shape (n_train,).
        X_test: validation rows, shape (n_test, n_features).
        y_test: validation labels, shape (n_test,).
        seed: `random_state` of every part that draws at random.

    Raises:
        MemoryError: if the machine has too little memory, which is no failure of the candidate.
    """
    started = perf_counter()
    try:
        estimator = built(classifier, candidate, seed=seed).fit(X_train, y_train)
        predicted = np.asarray(estimator.predict(X_test)).reshape(y_test.shape)  # some give a column
        score = float(np.mean(predicted == y_test))
    except MemoryError:  # the machine's fault, not the candidate's
        raise
    except Exception as error:  # noqa: BLE001  a failed fit is a row with its reason, whatever it raised
        return Fit(math.nan, perf_counter() - started, f"{type(error).__name__}: {error}")
    return Fit(score, perf_counter() - started)


def train_and_score(
    network: str,
    candidate: Candidate,
    X_train: NDArray[Any],
    y_train: NDArray[np.int64],
    X_test: NDArray[Any],
    y_test: NDArray[np.int64],
    *,
    image_shape: tuple[int, ...] | None,
    n_classes: int,
    epochs: int,
    seed: int,
) -> Fit:
    """Train one network and score it after its last epoch, on the CPU; one that diverges is a failed fit.

    Args:
        network: one of `learners.NETWORKS`.
        candidate: hyperparameters.
        X_train: training rows, shape (n_train, n_features); uint8 pixels, or numbers that are not scaled further.
        y_train: training labels, shape (n_train,).
        X_test: validation rows, shape (n_test, n_features).
        y_test: validation labels, shape (n_test,).
        image_shape: shape of one row as an image; None: rows are not images.
        n_classes: number of classes.
        epochs: passes over the training rows.
        seed: seed of weights, order of rows and dropout, together with the candidate, so that candidates are
            independent.

    Raises:
        ValueError: on an unknown hyperparameter, or one out of range.
    """
    started = perf_counter()
    trained = networks.make(
        network,
        candidate,
        input_shape=image_shape or X_train.shape[1:],
        n_classes=n_classes,
        seed=seed_for("fold", seed, as_json(candidate)),
        device="cpu",
    ).fit(X_train, y_train, X_test, y_test, epochs=epochs)
    score = math.nan if trained.reason else trained.curve[-1]
    return Fit(score, perf_counter() - started, trained.reason)
