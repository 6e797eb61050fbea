"""K nearest neighbours: one sorted list per fold serves every number of neighbours and both weights.

Why the scores are scikit-learn's. It computes the same distances for every k, so where the k-th neighbour is
strictly nearer than the next one, its k neighbours are the first k of a longer list. Where the two are equally
far, which of the tied rows it keeps depends on k, so a list for another k does not tell. Such a vote is bounded
over all ways to choose among the tied rows: if one class wins in all of them it is settled, and if not,
scikit-learn itself searches that row's neighbours for that k. Votes by inverse distance are sums of floats whose
last bits depend on the order of the neighbours; classes closer than `MARGIN` go the same way.

The list is scikit-learn's too, unless features are whole numbers: no distance is rounded then, so a quicker
search finds the same ones. A row may be searched apart from the others only where that cannot move its
distances: with whole numbers, or in a k-d tree, whose queries are row by row. Else all rows are searched again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.folds.checks import is_whole
from frugal.folds.fast.plain import Batch, Fold, encode
from frugal.interface import Candidate

if TYPE_CHECKING:
    from sklearn.neighbors import NearestNeighbors

MARGIN: Final = 1e-9
"""Relative difference of two sums of weights below which their order is scikit-learn's to say."""

TREE_TOLERANCE: Final = 1e-12
"""Relative difference of two k-d tree distances that counts as none: a node's bound, computed by `pow`, may
exceed the distance of a row inside by a rounding, and which nodes are opened depends on k."""

MAX_TREE_FEATURES: Final = 15
"""Above it scikit-learn's `auto` searches by brute force."""

SAME_STRATEGY_ROWS: Final = 1024
"""Up to so many test rows (and no more than training rows) scikit-learn splits the work the same way for some
of them as for all; beyond, it may break ties otherwise."""

LOOK_AHEAD: Final = 8
"""Neighbours listed beyond the largest k, so that most ties at that k are seen whole."""

BLOCK_VOTES: Final = 2**22
"""Votes held at once: classes x listed neighbours x test rows."""

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
_Votes = dict[bool, tuple[Ints, Bools]]
"""By distance or not -> the class predicted and whether it is uncertain, (n_ks, n_test) each."""


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Candidates to score: index in the list, number of neighbours, weights; (n_wanted,) each."""

    index: Ints
    k: Ints
    by_distance: Bools

    def where(self, mask: Bools) -> _Wanted:
        """Those of `mask`, (n_wanted,)."""
        return _Wanted(self.index[mask], self.k[mask], self.by_distance[mask])


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """The sorted neighbour list of one search method; test rows are columns.

    Attributes:
        search: scikit-learn's own, by the method that its classifier would choose for each of `ks`.
        ks: the distinct numbers of neighbours that it serves, ascending, (n_ks,).
        distances: of the `n_listed` nearest training rows, ascending, (n_listed, n_test).
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


@dataclass(frozen=True, eq=False)
class _Ties:
    """Test rows and ks with the k-th and (k+1)-th neighbours equally far, and tied rows of several classes.

    Attributes:
        n_by_k: test rows with any tie, those of one class too, (n_ks,).
        row: test row, (n_ties,).
        k_line: position in `ks`, (n_ties,).
        closer: neighbours strictly nearer than the tied ones, (n_ties,).
        end: position after the last tied one in the list, (n_ties,).
        n_chosen: how many of the tied ones are among the k, (n_ties,).
        whole: whether all tied ones are in the list, (n_ties,).
        by_class: how many of the tied ones are of each class, (n_classes, n_ties).
    """

    n_by_k: Ints
    row: Ints
    k_line: Ints
    closer: Ints
    end: Ints
    n_chosen: Ints
    whole: Bools
    by_class: Ints


def score(fold: Fold, candidates: Sequence[Candidate], *, seed: int) -> Batch:
    """Accuracy per candidate; those whose fit or prediction scikit-learn refuses are left out.

    Args:
        fold: the split.
        candidates: with `n_neighbors` and `weights`.
        seed: not used: this learner draws nothing.
    """
    del seed
    batch = Batch()
    n_train, n_features = fold.X_train.shape
    wanted = _wanted(candidates, n_train)
    # What `algorithm="auto"` searches by: a k-d tree, or brute force.
    by_tree = (wanted.k < n_train // 2) & (n_features <= MAX_TREE_FEATURES)
    for tree in (True, False):
        if (by_tree == tree).any():
            _score_group(fold, wanted.where(by_tree == tree), tree, batch)
    return batch


def _wanted(candidates: Sequence[Candidate], n_train: int) -> _Wanted:
    usual = [(i, _k(c), c["weights"] == "distance") for i, c in enumerate(candidates) if _is_usual(c)]
    index, k, by_distance = np.array(usual, dtype=np.intp).reshape(-1, 3).T
    return _Wanted(index, k, by_distance == 1).where(k <= n_train)


def _is_usual(candidate: Candidate) -> bool:
    weights = candidate.get("weights")
    return (
        candidate.keys() == {"n_neighbors", "weights"}
        and is_whole(candidate["n_neighbors"], low=1)
        and isinstance(weights, str)
        and weights in ("uniform", "distance")
    )


def _k(candidate: Candidate) -> int:
    return int(candidate["n_neighbors"])  # type: ignore[call-overload, no-any-return]


def _score_group(fold: Fold, wanted: _Wanted, by_tree: bool, batch: Batch) -> None:
    """Score the candidates of one search method into `batch`."""
    ks, lines = np.unique(wanted.k, return_inverse=True)
    neighbours = _neighbours(fold, ks, by_tree)
    blocks = [(block, _find_ties(block)) for block in _blocks(neighbours)]
    n_tied = np.sum([ties.n_by_k for _, ties in blocks], axis=0)
    votes: _Votes = {}
    for by_distance in np.unique(wanted.by_distance).tolist():
        parts = [_vote(block, ties, by_distance) for block, ties in blocks]
        predicted, unsettled = (np.concatenate(of_blocks, axis=1) for of_blocks in zip(*parts, strict=True))
        asked = np.isin(np.arange(len(ks)), lines[wanted.by_distance == by_distance])
        votes[by_distance] = predicted, unsettled & asked[:, None]
    _defer(neighbours, fold, votes)
    targets = encode(fold.y_test, neighbours.classes)
    for by_distance, (predicted, unsettled) in votes.items():
        chosen = wanted.by_distance == by_distance
        of = lines[chosen]
        scores = np.count_nonzero(predicted == targets, axis=1) / len(targets)
        batch.scores.update(zip(wanted.index[chosen].tolist(), scores[of].tolist(), strict=True))
        batch.n_deferred += int(np.count_nonzero(unsettled, axis=1)[of].sum())
        batch.n_tied += int(n_tied[of].sum())


def _blocks(neighbours: _Neighbours) -> list[_Neighbours]:
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


def _neighbours(fold: Fold, ks: Ints, by_tree: bool) -> _Neighbours:
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
    return _Neighbours(
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
    """Whether squared distances, and the keys of `_list_exactly`, are whole numbers below 2**53.

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


def _find_ties(neighbours: _Neighbours) -> _Ties:
    """All (k, test row) with the k-th and (k+1)-th neighbours equally far, and their run of equals."""
    ks, distances = neighbours.ks, neighbours.distances
    n_listed, n_test = distances.shape
    starts = np.ones((n_listed + 1, n_test), dtype=bool)  # whether a new distance begins here
    starts[1:-1] = distances[1:] > distances[:-1] * (1.0 + neighbours.tolerance)
    k_line, row = np.nonzero(~starts[ks[ks < n_listed]])  # k = n_train takes every row: no tie
    last = ks[k_line] - 1  # position of the k-th neighbour
    positions = np.arange(n_listed + 1)[:, None]
    closer = np.maximum.accumulate(np.where(starts, positions, 0))[last, row]
    ends = np.minimum.accumulate(np.where(starts, positions, n_listed)[::-1])[::-1]
    end = ends[last + 1, row]
    whole = (end < n_listed) | (n_listed == neighbours.n_train)
    changes = np.zeros((n_listed, n_test), dtype=np.int32)  # of class along the list
    np.cumsum(neighbours.labels[1:] != neighbours.labels[:-1], axis=0, out=changes[1:])
    open_ = ~whole | (changes[closer, row] < changes[end - 1, row])  # else any choice is the same
    n_by_k = np.bincount(k_line, minlength=len(ks))
    row, k_line, last, closer, end, whole = (a[open_] for a in (row, k_line, last, closer, end, whole))
    by_class = _count_by_class(neighbours, row, closer, end)
    return _Ties(n_by_k, row, k_line, closer, end, last + 1 - closer, whole, by_class)


def _count_by_class(neighbours: _Neighbours, row: Ints, begin: Ints, end: Ints) -> Ints:
    """Listed neighbours from `begin` to before `end` by class, (n_classes, n_ties); arguments (n_ties,)."""
    lengths, n_ties = end - begin, len(row)
    tie = np.repeat(np.arange(n_ties), lengths)
    position = np.arange(len(tie)) - np.repeat(np.cumsum(lengths) - lengths - begin, lengths)
    labels = neighbours.labels[position, row[tie]].astype(np.intp)
    n_classes = len(neighbours.classes)
    return np.bincount(labels * n_ties + tie, minlength=n_classes * n_ties).reshape(n_classes, n_ties)


def _vote(neighbours: _Neighbours, ties: _Ties, by_distance: bool) -> tuple[Ints, Bools]:
    """Class by vote for all ks at once, from cumulative sums along the neighbour list.

    Returns:
        The class as a position, (n_ks, n_test), and where it is not certain that scikit-learn's is the same.
    """
    weight, whole_votes = _weights(neighbours, by_distance)
    votes = _cumulate(neighbours, weight)
    shape = (len(neighbours.ks), len(whole_votes))
    best, second = np.zeros(shape, votes.dtype), np.zeros(shape, votes.dtype)
    predicted = np.zeros(shape, dtype=np.intp)
    for label in range(len(neighbours.classes)):
        of_label = votes[neighbours.ks, label]
        np.copyto(predicted, label, where=of_label > best)  # equal: the class that sorts first stays
        if by_distance:
            np.maximum(second, np.minimum(best, of_label), out=second)
        np.maximum(best, of_label, out=best)
    unsettled = (best <= second * (1.0 + MARGIN)) & ~whole_votes
    if len(ties.row):
        winner, certain = _bound(ties, votes, weight, whole_votes)
        predicted[ties.k_line, ties.row] = winner
        unsettled[ties.k_line, ties.row] = ~certain
    return predicted, unsettled


def _cumulate(neighbours: _Neighbours, weight: NDArray[Any]) -> NDArray[Any]:
    """Votes of the nearest 0, 1, 2, ... neighbours by class; (n_listed + 1, n_classes, n_test)."""
    n_listed, n_test = weight.shape
    votes = np.zeros((n_listed + 1, len(neighbours.classes), n_test), weight.dtype)
    votes[np.arange(1, n_listed + 1)[:, None], neighbours.labels, np.arange(n_test)] = weight
    for position in range(n_listed):  # sooner than `cumsum`, which walks one test row at a time
        votes[position + 1] += votes[position]
    return votes


def _weights(neighbours: _Neighbours, by_distance: bool) -> tuple[NDArray[Any], Bools]:
    """Weight of every listed neighbour, and the test rows whose sums of weights are whole, hence exact."""
    if by_distance:
        return _invert(neighbours.distances, axis=0)
    n_listed, n_test = neighbours.labels.shape
    kind = np.int16 if n_listed < 2**15 else np.int32
    return np.ones((n_listed, n_test), kind), np.ones(n_test, dtype=bool)


def _invert(distances: Floats, axis: int) -> tuple[Floats, Bools]:
    """Weights by inverse distance, and the test rows that coincide with a neighbour.

    For those rows the neighbours at distance 0 count as 1 and the others as 0.

    Args:
        distances: of test rows and neighbours.
        axis: that of the neighbours.
    """
    with np.errstate(divide="ignore"):
        weight = 1.0 / distances
    infinite = np.isinf(weight)
    coincide: Bools = np.logical_or.reduce(infinite, axis=axis)
    return np.where(np.expand_dims(coincide, axis), infinite, weight), coincide


def _bound(
    ties: _Ties,
    votes: NDArray[Any],
    weight: NDArray[Any],
    whole_votes: Bools,
) -> tuple[Ints, Bools]:
    """Class that wins whichever of the tied neighbours are taken, if there is one.

    With m of t tied neighbours chosen and t_c of them of class c, at least max(0, m - (t - t_c)) and
    at most min(m, t_c) are of class c; one choice attains the least of one class and the most of
    another at once, so the bounds are sharp for every pair.

    Args:
        ties: where the ties are.
        votes: of the nearest 0, 1, ... neighbours by class, (n_listed + 1, n_classes, n_test).
        weight: of each listed neighbour, (n_listed, n_test).
        whole_votes: test rows whose votes are exact; the class that sorts first wins when they are equal.

    Returns:
        The class as a position, and whether it is certain; (n_ties,) each.
    """
    labels = np.arange(votes.shape[1])[:, None]
    closer, one = votes[ties.closer, labels, ties.row], weight[ties.closer, ties.row]
    n_left = ties.n_chosen - (ties.end - ties.closer)
    least = closer + one * np.maximum(0, n_left + ties.by_class)
    most = closer + one * np.minimum(ties.n_chosen, ties.by_class)
    winner = least.argmax(axis=0)
    slack = np.where(whole_votes[ties.row], -0.5 * (labels > winner), MARGIN * most)
    rival = np.where(labels == winner, -np.inf, most + slack).max(axis=0)
    certain = np.take_along_axis(least, winner[None, :], axis=0)[0] > rival
    return winner, certain & ties.whole


def _defer(neighbours: _Neighbours, fold: Fold, votes: _Votes) -> None:
    """Put scikit-learn's own prediction where a vote is unsettled, by one search for each k concerned.

    The steps are those of its `predict`: its search for this very k, its weights, and its `weighted_mode`, which
    for equal weights is the vote that takes the first class on a tie.
    """
    from sklearn import config_context

    unsettled = np.logical_or.reduce([mask for _, mask in votes.values()])
    with config_context(assume_finite=True):
        for line in np.flatnonzero(unsettled.any(axis=1)):
            rows = np.flatnonzero(unsettled[line])
            X, taken = (fold.X_test[rows], slice(None)) if neighbours.by_row else (fold.X_test, rows)
            distances, nearest = neighbours.search.kneighbors(X, n_neighbors=int(neighbours.ks[line]))
            labels = neighbours.encoded[nearest[taken]]
            for by_distance, (predicted, mask) in votes.items():
                mine = mask[line, rows]
                if mine.any():
                    mode = _mode(labels[mine], distances[taken][mine], by_distance)
                    predicted[line, rows[mine]] = mode


def _mode(labels: NDArray[Any], distances: Floats, by_distance: bool) -> Ints:
    """Class by vote, (n_rows,), of neighbours' labels and distances, (n_rows, k) each, in scikit-learn's words."""
    from sklearn.utils.extmath import weighted_mode

    weight = _invert(distances, axis=1)[0] if by_distance else np.ones(labels.shape)
    mode, _ = weighted_mode(labels, weight, axis=1)
    return np.asarray(mode.ravel(), dtype=np.intp)
