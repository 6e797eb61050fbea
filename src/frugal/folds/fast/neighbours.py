"""The sorted list of each test row's nearest training rows, from which `knn` serves every number of neighbours.

The list is scikit-learn's own, unless features are whole numbers: no distance is rounded then, so a quicker search
finds the same ones. A row may be searched apart from the others only if that cannot change its neighbours: in a
k-d tree, whose queries are row by row, or with whole numbers and few test rows (`SAME_STRATEGY_ROWS`). Otherwise
all rows are searched again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.folds.fast.plain import Fold

if TYPE_CHECKING:
    from sklearn.neighbors import NearestNeighbors

TREE_TOLERANCE: Final = 1e-12
"""Relative difference of two k-d tree distances that counts as none: a node's bound, computed by `pow`, may
exceed the distance of a row inside by a rounding, and which nodes are opened depends on k."""

SAME_STRATEGY_ROWS: Final = 1024
"""Up to so many test rows (and no more than training rows) scikit-learn splits the work the same way for some
of them as for all; beyond, it may break ties otherwise."""

LOOK_AHEAD: Final = 8
"""Neighbours listed beyond the largest k, so that most ties at that k are seen whole."""

BLOCK_VOTES: Final = 2**22
"""Votes held at once: classes x listed neighbours x test rows."""

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The sorted neighbour list of one search method; test rows are columns.

    Attributes:
        search: scikit-learn's own, by the method that its classifier would choose for each of `ks`.
        ks: the distinct numbers of neighbours that it serves, ascending, (n_ks,).
        distances: distances of the `n_listed` nearest training rows, ascending, (n_listed, n_test).
        labels: their classes as positions in `classes`, (n_listed, n_test).
        encoded: classes of the training rows as positions in `classes`, (n_train,).
        classes: sorted classes of the training rows, (n_classes,).
        n_train: number of training rows.
        tolerance: relative difference of distances that counts as none.
        by_row: whether a few test rows can be predicted apart from the others.
    """

    search: NearestNeighbors
    ks: Ints
    distances: Floats
    labels: NDArray[Any]
    encoded: NDArray[Any]
    classes: NDArray[np.int64]
    n_train: int
    tolerance: float
    by_row: bool


def list_neighbours(fold: Fold, ks: Ints, by_tree: bool) -> Neighbours:
    """List the neighbours of all test rows, as far as the largest of `ks` and its ties need."""
    from sklearn import config_context
    from sklearn.neighbors import NearestNeighbors

    n_train, n_test = len(fold.X_train), len(fold.X_test)
    n_listed = min(int(ks[-1]) + 1 + LOOK_AHEAD, n_train)
    is_exact = _is_exact(fold)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        search = NearestNeighbors(n_neighbors=int(ks[-1])).fit(fold.X_train)
        if is_exact:
            distances, rows = _list_exactly(fold, n_listed)
        else:
            distances, rows = search.kneighbors(fold.X_test, n_neighbors=n_listed)
    classes, encoded = np.unique(fold.y_train, return_inverse=True)
    encoded = encoded.astype(np.min_scalar_type(len(classes) - 1))
    same_strategy = n_test <= min(n_train, SAME_STRATEGY_ROWS)
    return Neighbours(
        search=search,
        ks=ks,
        distances=np.ascontiguousarray(distances.T),
        labels=encoded[rows.T],
        encoded=encoded,
        classes=classes,
        n_train=n_train,
        tolerance=TREE_TOLERANCE if by_tree and not is_exact else 0.0,
        by_row=by_tree or (same_strategy and is_exact),
    )


def _is_exact(fold: Fold) -> bool:
    """True if squared distances, and the keys of `_list_exactly`, are whole numbers below 2**53.

    No order of operations rounds then, so scikit-learn's distances, by either method, are the true ones.
    """
    largest = max(float(np.abs(X).max()) for X in (fold.X_train, fold.X_test))
    n_train, n_features = fold.X_train.shape
    if 4.0 * largest * largest * n_features * (n_train + 1) >= 2.0**53:
        return False
    return all(bool((np.rint(X) == X).all()) for X in (fold.X_train, fold.X_test))


def _list_exactly(fold: Fold, n_listed: int) -> tuple[Floats, Ints]:
    """Distances and numbers of the nearest training rows of an exact fold, (n_test, n_listed) each.

    A key, n_train x squared distance + row number, holds both, and sorting whole numbers is quick.
    """
    n_train, n_test = len(fold.X_train), len(fold.X_test)
    keys = np.empty((n_test, n_listed))
    lengths = n_train * (fold.X_train**2).sum(axis=1) + np.arange(n_train)
    towards = (-2 * n_train) * fold.X_train.T
    step = max(1, BLOCK_VOTES // n_train)
    for start in range(0, n_test, step):
        X = fold.X_test[start : start + step]
        block = X @ towards
        block += lengths
        block.partition(n_listed - 1, axis=1)
        keys[start : start + step] = block[:, :n_listed]
    keys += n_train * (fold.X_test**2).sum(axis=1)[:, None]
    keys.sort(axis=1)
    squared, rows = np.divmod(keys.astype(np.intp), n_train)
    return np.sqrt(squared), rows


def blocks_of(neighbours: Neighbours) -> list[Neighbours]:
    """The list cut into blocks of test rows whose votes fit in memory."""
    n_listed, n_test = neighbours.labels.shape
    size = max(1, BLOCK_VOTES // (len(neighbours.classes) * (n_listed + 1)))
    cuts = [slice(start, start + size) for start in range(0, n_test, size)]
    return [
        replace(
            neighbours,
            distances=neighbours.distances[:, cut],
            labels=neighbours.labels[:, cut],
        )
        for cut in cuts
    ]
