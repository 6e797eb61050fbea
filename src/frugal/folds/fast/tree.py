"""Decision trees: scikit-learn's own builder, without what it repeats for every fit.

The rows are converted once to the 32-bit floats that the builder reads, the training rows column by
column since it sorts columns; checks of rows and hyperparameters are made once here. The builder
sees the same numbers, the same classes and the same `random_state`, so it grows the same trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from frugal.folds.checks import is_number, is_whole
from frugal.folds.fast.plain import Batch, Fold
from frugal.interface import Candidate
from frugal.learners import build


def score(fold: Fold, candidates: Sequence[Candidate], *, seed: int) -> Batch:
    """Accuracy per candidate; those with hyperparameters beyond the usual ones are left out.

    Args:
        fold: the split.
        candidates: hyperparameters by scikit-learn's names.
        seed: `random_state` of every candidate.
    """
    from sklearn import config_context

    batch = Batch()
    with np.errstate(over="ignore"):  # too large for 32 bits: refused by scikit-learn, so left out here
        X_train = np.asfortranarray(fold.X_train, dtype=np.float32)
        X_test = fold.X_test.astype(np.float32)
    if not (np.isfinite(X_train).all() and np.isfinite(X_test).all()):
        return batch
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for index, candidate in enumerate(candidates):
            if _is_usual(candidate):
                tree = build("decision_tree", candidate, seed=seed)
                tree.fit(X_train, fold.y_train, check_input=False)
                batch.scores[index] = _accuracy(tree.predict(X_test, check_input=False), fold)
    return batch


def _accuracy(predicted: NDArray[np.int64], fold: Fold) -> float:
    return np.count_nonzero(predicted == fold.y_test) / len(predicted)


def _is_usual(candidate: Candidate) -> bool:
    """Whether scikit-learn surely takes the candidate: its own check is skipped."""
    checks: dict[str, Callable[[object], bool]] = {
        "min_impurity_decrease": lambda value: is_number(value, low=0.0),
        "max_features": _is_share,
        "criterion": lambda value: isinstance(value, str) and value in ("gini", "entropy"),
        "max_depth": lambda value: value is None or is_whole(value, low=1),
    }
    return all(name in checks and checks[name](value) for name, value in candidate.items())


def _is_share(value: object) -> bool:
    """Whether `value` is a valid `max_features`: a share in (0, 1], a rule, or None; counts are left out."""
    if isinstance(value, float):
        return 0.0 < value <= 1.0
    return value is None or (isinstance(value, str) and value in ("sqrt", "log2"))
