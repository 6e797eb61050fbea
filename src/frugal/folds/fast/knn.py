"""K nearest neighbours: one sorted list per fold serves every number of neighbours and both weights.

The scores equal scikit-learn's, since it computes the same distances for every k. If the k-th neighbour is
strictly nearer than the next one, the k neighbours are the first k of a longer list (`neighbours`). If the two are
equally far, the tied rows that scikit-learn keeps depend on k, so a list for another k does not tell. Such a vote
is settled if every choice among the tied rows gives the same class (`votes`). If not, or if two classes are too
close for floats, scikit-learn itself searches that row's neighbours for that k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.checks import is_whole
from frugal.folds.fast.neighbours import Floats, Ints, Neighbours, blocks_of, list_neighbours
from frugal.folds.fast.plain import Batch, Fold, encode
from frugal.folds.fast.votes import Bools, find_ties, invert, vote
from frugal.interface import Candidate

MAX_TREE_FEATURES: Final = 15
"""Above it scikit-learn's `auto` searches by brute force."""

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
    neighbours = list_neighbours(fold, ks, by_tree)
    blocks = [(block, find_ties(block)) for block in blocks_of(neighbours)]
    n_tied = np.sum([ties.n_by_k for _, ties in blocks], axis=0)
    votes: _Votes = {}
    for by_distance in np.unique(wanted.by_distance).tolist():
        parts = [vote(block, ties, by_distance) for block, ties in blocks]
        predicted, unsettled = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
        asked = np.isin(np.arange(len(ks)), lines[wanted.by_distance == by_distance])
        votes[by_distance] = predicted, unsettled & asked[:, None]
    _defer(neighbours, fold, votes)
    targets = encode(fold.y_test, neighbours.classes)
    for by_distance, (predicted, unsettled) in votes.items():
        chosen = wanted.by_distance == by_distance
        rows = lines[chosen]
        scores = np.count_nonzero(predicted == targets, axis=1) / len(targets)
        batch.scores.update(zip(wanted.index[chosen].tolist(), scores[rows].tolist(), strict=True))
        batch.n_deferred += int(np.count_nonzero(unsettled, axis=1)[rows].sum())
        batch.n_tied += int(n_tied[rows].sum())


def _defer(neighbours: Neighbours, fold: Fold, votes: _Votes) -> None:
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

    weight = invert(distances, axis=1)[0] if by_distance else np.ones(labels.shape)
    mode, _ = weighted_mode(labels, weight, axis=1)
    return np.asarray(mode.ravel(), dtype=np.intp)
