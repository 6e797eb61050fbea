"""Bernoulli naive Bayes: rows are binarised and counted once per pattern of zeros and ones.

Two thresholds give one pattern if no value of the data lies between them. The counts are whole
numbers, so they are the same in any order of summation; from there on a candidate goes through
scikit-learn's formula in scikit-learn's own operations on arrays of the same shape and layout,
which is why the likelihoods, and hence the classes on a tie, are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugal.checks import is_number
from frugal.folds.fast.plain import Batch, Fold, encode
from frugal.interface import Candidate


@dataclass(frozen=True, eq=False)
class _Classes:
    """What a fold's labels give.

    Attributes:
        one_hot: classes of the training rows, (n_train, n_classes).
        counts: training rows per class, (n_classes,).
        log_priors: `fit_prior` -> log prior per class, (n_classes,).
        targets: class of each test row as a position, -1 if no training row has it, (n_test,).
    """

    one_hot: NDArray[np.float64]
    counts: NDArray[np.float64]
    log_priors: dict[bool, NDArray[np.float64]]
    targets: NDArray[np.intp]


def score(fold: Fold, candidates: Sequence[Candidate], *, seed: int) -> Batch:
    """Accuracy per candidate; those whose hyperparameters are not the usual three are left out.

    Args:
        fold: the split.
        candidates: with `alpha`, `fit_prior` and `binarize`.
        seed: not used: this learner draws nothing.
    """
    del seed
    batch = Batch()
    usual = {i: c for i, c in enumerate(candidates) if _is_usual(c)}
    classes = _classes(fold)
    for indices in _by_pattern(fold, usual):
        threshold: Any = usual[indices[0]]["binarize"]
        counts = classes.one_hot.T @ (fold.X_train > threshold).astype(np.float64)
        X_test = (fold.X_test > threshold).astype(np.float64)
        for index in indices:
            batch.scores[index] = _accuracy(X_test, counts, classes, usual[index])
    return batch


def _is_usual(candidate: Candidate) -> bool:
    return (
        set(candidate) == {"alpha", "fit_prior", "binarize"}
        and is_number(candidate["alpha"], low=1e-300)  # 0 and thereabouts: scikit-learn's warnings are its own
        and is_number(candidate["binarize"], low=0.0)
        and isinstance(candidate["fit_prior"], bool)
    )


def _classes(fold: Fold) -> _Classes:
    known, encoded = np.unique(fold.y_train, return_inverse=True)
    one_hot = np.zeros((len(encoded), len(known)))
    one_hot[np.arange(len(encoded)), encoded] = 1.0
    counts = one_hot.sum(axis=0)
    log_priors = {
        True: np.log(counts) - np.log(counts.sum()),
        False: np.full(len(known), -np.log(len(known))),
    }
    return _Classes(one_hot, counts, log_priors, encode(fold.y_test, known))


def _by_pattern(fold: Fold, candidates: dict[int, Candidate]) -> list[list[int]]:
    """Candidate indices grouped by the zeros and ones that `X > binarize` gives."""
    if not candidates:
        return []
    thresholds = np.array([candidate["binarize"] for candidate in candidates.values()], dtype=float)
    low, high = thresholds.min(), thresholds.max()
    between = [X[(low < X) & (high >= X)] for X in (fold.X_train, fold.X_test)]
    patterns = np.searchsorted(np.unique(np.concatenate(between)), thresholds, side="right")
    groups: dict[int, list[int]] = {}
    for index, pattern in zip(candidates, patterns.tolist(), strict=True):
        groups.setdefault(pattern, []).append(index)
    return list(groups.values())


def _accuracy(
    X_test: NDArray[np.float64],
    counts: NDArray[np.float64],
    classes: _Classes,
    candidate: Candidate,
) -> float:
    """Accuracy from counts (n_classes, n_features), by scikit-learn's operations in its order."""
    alpha: Any = candidate["alpha"]
    with np.errstate(divide="ignore", invalid="ignore"):  # a certain feature: log(1 - 1)
        log_prob = np.log(counts + alpha) - np.log((classes.counts + alpha * 2).reshape(-1, 1))
        log_not = np.log(1 - np.exp(log_prob))
        joint = X_test @ (log_prob - log_not).T
        joint += classes.log_priors[bool(candidate["fit_prior"])] + log_not.sum(axis=1)
    correct = np.count_nonzero(joint.argmax(axis=1) == classes.targets)
    return correct / len(X_test)
