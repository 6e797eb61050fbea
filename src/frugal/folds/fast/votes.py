"""Votes of the nearest neighbours for all k at once, and where their outcome is scikit-learn's to say.

Where the k-th neighbour and the next one are equally far, the vote is bounded over all ways to choose among the
tied rows: if one class wins in all of them it is settled. Votes by inverse distance are sums of floats whose last
bits depend on the order of the neighbours; classes closer than `MARGIN` are not settled either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.folds.fast.neighbours import Floats, Ints, Neighbours

MARGIN: Final = 1e-9
"""Relative difference of two sums of weights below which their order is scikit-learn's to say."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Ties:
    """Test rows and ks with the k-th and (k+1)-th neighbours equally far, and tied rows of several classes.

    Attributes:
        n_by_k: test rows with any tie, those of one class too, (n_ks,).
        row: test row, (n_ties,).
        k_line: position in `ks`, (n_ties,).
        closer: neighbours strictly nearer than the tied ones, (n_ties,).
        end: position after the last tied one in the list, (n_ties,).
        n_chosen: number of tied neighbours among the k, (n_ties,).
        whole: whether all tied neighbours are in the list, (n_ties,).
        by_class: number of tied neighbours of each class, (n_classes, n_ties).
    """

    n_by_k: Ints
    row: Ints
    k_line: Ints
    closer: Ints
    end: Ints
    n_chosen: Ints
    whole: Bools
    by_class: Ints


def find_ties(neighbours: Neighbours) -> Ties:
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
    return Ties(n_by_k, row, k_line, closer, end, last + 1 - closer, whole, by_class)


def _count_by_class(neighbours: Neighbours, row: Ints, begin: Ints, end: Ints) -> Ints:
    """Listed neighbours from `begin` to before `end` by class, (n_classes, n_ties); arguments (n_ties,)."""
    lengths, n_ties = end - begin, len(row)
    tie = np.repeat(np.arange(n_ties), lengths)
    position = np.arange(len(tie)) - np.repeat(np.cumsum(lengths) - lengths - begin, lengths)
    labels = neighbours.labels[position, row[tie]].astype(np.intp)
    n_classes = len(neighbours.classes)
    return np.bincount(labels * n_ties + tie, minlength=n_classes * n_ties).reshape(n_classes, n_ties)


def vote(neighbours: Neighbours, ties: Ties, by_distance: bool) -> tuple[Ints, Bools]:
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
        label_votes = votes[neighbours.ks, label]
        np.copyto(predicted, label, where=label_votes > best)  # equal: the class that sorts first stays
        if by_distance:
            np.maximum(second, np.minimum(best, label_votes), out=second)
        np.maximum(best, label_votes, out=best)
    unsettled = (best <= second * (1.0 + MARGIN)) & ~whole_votes
    if len(ties.row):
        winner, certain = _bound(ties, votes, weight, whole_votes)
        predicted[ties.k_line, ties.row] = winner
        unsettled[ties.k_line, ties.row] = ~certain
    return predicted, unsettled


def _cumulate(neighbours: Neighbours, weight: NDArray[Any]) -> NDArray[Any]:
    """Votes of the nearest 0, 1, 2, ... neighbours by class; (n_listed + 1, n_classes, n_test)."""
    n_listed, n_test = weight.shape
    votes = np.zeros((n_listed + 1, len(neighbours.classes), n_test), weight.dtype)
    votes[np.arange(1, n_listed + 1)[:, None], neighbours.labels, np.arange(n_test)] = weight
    for position in range(n_listed):  # sooner than `cumsum`, which walks one test row at a time
        votes[position + 1] += votes[position]
    return votes


def _weights(neighbours: Neighbours, by_distance: bool) -> tuple[NDArray[Any], Bools]:
    """Weight of every listed neighbour, and the test rows whose sums of weights are whole, hence exact."""
    if by_distance:
        return invert(neighbours.distances, axis=0)
    n_listed, n_test = neighbours.labels.shape
    kind = np.int16 if n_listed < 2**15 else np.int32
    return np.ones((n_listed, n_test), kind), np.ones(n_test, dtype=bool)


def invert(distances: Floats, axis: int) -> tuple[Floats, Bools]:
    """Weights by inverse distance, and the test rows that coincide with a neighbour.

    For those rows the neighbours at distance 0 count as 1 and the others as 0.

    Args:
        distances: distances between test rows and neighbours.
        axis: axis of the neighbours.
    """
    with np.errstate(divide="ignore"):
        weight = 1.0 / distances
    infinite = np.isinf(weight)
    coincide: Bools = np.logical_or.reduce(infinite, axis=axis)
    return np.where(np.expand_dims(coincide, axis), infinite, weight), coincide


def _bound(
    ties: Ties,
    votes: NDArray[Any],
    weight: NDArray[Any],
    whole_votes: Bools,
) -> tuple[Ints, Bools]:
    """Class that wins whichever of the tied neighbours are taken, if there is one.

    With m of t tied neighbours chosen and t_c of them of class c, at least max(0, m - (t - t_c)) and
    at most min(m, t_c) are of class c; one choice attains the least of one class and the most of
    another at once, so the bounds are sharp for every pair.

    Args:
        ties: the ties.
        votes: votes of the nearest 0, 1, ... neighbours by class, (n_listed + 1, n_classes, n_test).
        weight: weight of each listed neighbour, (n_listed, n_test).
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
