"""Decision trees: scikit-learn's own builder, without what it repeats for every fit.

The rows are converted once to the 32-bit floats that the builder reads, the training rows column by
column since it sorts columns; checks of rows and hyperparameters are made once here. The builder
sees the same numbers, the same classes and the same `random_state`, so it grows the same trees.

Three hyperparameters often leave a tree as it is, and then its score is taken over without another fit:

- `max_features` acts by the number of features that it comes to.
- `min_impurity_decrease` acts only where the builder compares the best split of a node with it. A tree
  whose every split gains more than a larger value of it would be grown with that value as well.
- `max_depth` acts only at nodes of that depth. Two limits that a tree does not reach grow the same tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np

from frugal.checks import is_number, is_whole
from frugal.folds.fast.plain import Batch, Fold
from frugal.interface import Candidate
from frugal.learners import build

DECREASE, LIMIT = "min_impurity_decrease", "max_depth"
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
        for alike in _alike(candidates, n_features=X_train.shape[1]):
            grown: list[_Grown] = []
            for index in alike:
                known = next((one for one in grown if one.is_grown_by(candidates[index])), None)
                if known is None:
                    known = _grow(fold, X_train, X_test, candidates[index], seed)
                    grown.append(known)
                batch.scores[index] = known.accuracy
    return batch


@dataclass(frozen=True, slots=True)
class _Grown:
    """A tree, and what decides which other candidates grow it.

    Attributes:
        max_depth: limit that it was grown with.
        depth: depth that it has.
        smallest_gain: least weighted decrease of impurity over its splits.
        accuracy: accuracy on the test rows.
    """

    max_depth: float
    depth: int
    smallest_gain: float
    accuracy: float

    def is_grown_by(self, candidate: Candidate) -> bool:
        """Whether a candidate of the same group with no smaller `min_impurity_decrease` grows this tree."""
        limit = _max_depth(candidate)
        same_depth = limit == self.max_depth or self.depth < min(limit, self.max_depth)
        return same_depth and _decrease(candidate) < self.smallest_gain - MARGIN


def _grow(fold: Fold, X_train: Any, X_test: Any, candidate: Candidate, seed: int) -> _Grown:
    tree = build("decision_tree", candidate, seed=seed)
    tree.fit(X_train, fold.y_train, check_input=False)
    predicted = tree.predict(X_test, check_input=False)
    accuracy = np.count_nonzero(predicted == fold.y_test) / len(predicted)
    return _Grown(_max_depth(candidate), tree.get_depth(), _smallest_gain(tree.tree_), accuracy)


def _alike(candidates: Sequence[Candidate], *, n_features: int) -> list[list[int]]:
    """Usual candidates that differ in `min_impurity_decrease` and `max_depth` alone, by the former."""
    groups: dict[object, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        if _is_usual(candidate):
            others = {k: v for k, v in candidate.items() if k not in (DECREASE, LIMIT)}
            others["max_features"] = _n_drawn(candidate.get("max_features"), n_features)
            groups[tuple(sorted((k, repr(v)) for k, v in others.items()))].append(index)
    return [sorted(group, key=lambda index: _decrease(candidates[index])) for group in groups.values()]


def _n_drawn(max_features: object, n_features: int) -> int:
    """Features that scikit-learn draws at a node."""
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        return max(1, int({"sqrt": np.sqrt, "log2": np.log2}[max_features](n_features)))
    return max(1, int(cast(float, max_features) * n_features))


def _max_depth(candidate: Candidate) -> float:
    """The limit on the depth; infinite where there is none."""
    limit = candidate.get(LIMIT)
    return np.inf if limit is None else cast(float, limit)


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
