"""Decision trees: scikit-learn's own builder, without what it repeats for every fit.

The rows are converted once to the 32-bit floats that the builder reads, the training rows column by
column since it sorts columns; checks of rows and hyperparameters are made once here. The builder
sees the same numbers, the same classes and the same `random_state`, so it grows the same trees.

`min_impurity_decrease` acts only where the builder compares the best split of a node with it. A tree
whose every split gains more than a larger value of it would be grown with that value as well, split by
split, so its score is taken over without another fit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np

from frugal.checks import is_number, is_whole
from frugal.folds.fast.plain import Batch, Fold
from frugal.interface import Candidate
from frugal.learners import build

DECREASE: Final = "min_impurity_decrease"
MARGIN: Final = 1e-9
"""How far a split's gain must be above a threshold to be surely so, since it is computed here in another order."""


def score(fold: Fold, candidates: Sequence[Candidate], *, seed: int) -> Batch:
    """Accuracy per candidate; those with hyperparameters beyond the usual ones are left out.

    Args:
        fold: the split.
        candidates: hyperparameters by scikit-learn's names.
        seed: `random_state` of every candidate that has none of its own.
    """
    from sklearn import config_context

    batch = Batch()
    with np.errstate(over="ignore"):  # too large for 32 bits: refused by scikit-learn, so left out here
        X_train = np.asfortranarray(fold.X_train, dtype=np.float32)
        X_test = fold.X_test.astype(np.float32)
    if not (np.isfinite(X_train).all() and np.isfinite(X_test).all()):
        return batch
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for alike in _alike(candidates):
            smallest_gain = -np.inf
            for index in alike:
                if not _decrease(candidates[index]) < smallest_gain - MARGIN:
                    tree = build("decision_tree", candidates[index], seed=seed)
                    tree.fit(X_train, fold.y_train, check_input=False)
                    predicted = tree.predict(X_test, check_input=False)
                    accuracy = np.count_nonzero(predicted == fold.y_test) / len(predicted)
                    smallest_gain = _smallest_gain(tree.tree_)
                batch.scores[index] = accuracy
    return batch


def _alike(candidates: Sequence[Candidate]) -> list[list[int]]:
    """Usual candidates that differ only in `min_impurity_decrease`, smallest first."""
    groups: dict[object, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        if _is_usual(candidate):
            others = tuple(sorted((k, repr(v)) for k, v in candidate.items() if k != DECREASE))
            groups[others].append(index)
    return [sorted(group, key=lambda index: _decrease(candidates[index])) for group in groups.values()]


def _decrease(candidate: Candidate) -> float:
    return cast(float, candidate.get(DECREASE, 0.0))


def _smallest_gain(tree: Any) -> float:
    """Least weighted decrease of impurity over the splits of a grown tree; infinite if it has none."""
    parent = np.flatnonzero(tree.children_left >= 0)
    left, right = tree.children_left[parent], tree.children_right[parent]
    impurity = tree.impurity * tree.weighted_n_node_samples
    gains = (impurity[parent] - impurity[left] - impurity[right]) / tree.weighted_n_node_samples[0]
    return float(gains.min(initial=np.inf))


def _is_usual(candidate: Candidate) -> bool:
    """True if scikit-learn surely takes the candidate: its own check is skipped."""
    checks: dict[str, Callable[[object], bool]] = {
        "min_impurity_decrease": lambda value: is_number(value, low=0.0),
        "max_features": _is_share,
        "criterion": lambda value: isinstance(value, str) and value in ("gini", "entropy"),
        "max_depth": lambda value: value is None or is_whole(value, low=1),
        "random_state": lambda value: is_whole(value, low=0),
    }
    return all(name in checks and checks[name](value) for name, value in candidate.items())


def _is_share(value: object) -> bool:
    """True if `value` is a valid `max_features`: a share in (0, 1], a rule, or None; counts are left out."""
    if isinstance(value, float):
        return 0.0 < value <= 1.0
    return value is None or (isinstance(value, str) and value in ("sqrt", "log2"))
