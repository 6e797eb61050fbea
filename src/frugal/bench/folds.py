"""Benchmark of the exact batch scorers against `cross_validate` on the same candidates and splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import process_time
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_known, check_whole
from frugal.datasets.catalogue import parse_name
from frugal.folds.fast import FoldScores, score_fold
from frugal.folds.splits import Split, split
from frugal.interface import Candidate
from frugal.learners import build, space
from frugal.learners.classifiers import N_IN_RANGES
from frugal.seeds import rng_for, seed_for
from frugal.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd

    from frugal.datasets import Dataset

BOUND_BY: Final[Mapping[str, str]] = {
    "bernoulli_nb": "ours: logarithms and a matrix product per candidate, binarising where few share it; "
    "peer: validation, binarising and counting for every candidate",
    "decision_tree": "both: building trees in scikit-learn's own Cython; peer also validation per fit",
    "knn": "ours: one search per fold, its votes, and scikit-learn's searches for the ties that matter; "
    "peer: search and validation for every candidate",
}
"""What a profile of each scorer shows at its top, on digits and wdbc."""


def bench_folds(
    datasets: Sequence[str],
    classifiers: Sequence[str],
    *,
    n_candidates: int = 256,
    n_folds: int = 10,
    root: str = "data",
) -> pd.DataFrame:
    """Milliseconds per fold evaluation, ours and scikit-learn's: one process, one thread, unscaled features.

    Times are of the process, not of the clock, so other processes hardly count. Our folds are timed in
    between equal shares of the peer's candidates, so that both meet the same load of the machine; cutting
    the folds out of the dataset is timed too, since `cross_validate` does it.

    Args:
        datasets: names for `frugal.datasets.load`.
        classifiers: names in `frugal.learners.CLASSIFIERS`.
        n_candidates: at most so many distinct candidates, the first drawn from `ranges`.
        n_folds: folds of a stratified, shuffled split.
        root: folder of the data.

    Returns:
        One row per dataset and classifier: `dataset`, `data` (its provenance), `classifier`, `n_candidates`,
        `n_folds`, `ours_ms`, `peer_ms`, `ratio` (peer over ours), `equal` (whether all scores are the same),
        `n_tied` and `n_deferred` (as in `FoldScores`, over all folds), `bound_by` (what most of the time goes to).

    Raises:
        ValueError: on an unknown dataset or classifier, or folds that the dataset cannot fill.
    """
    import pandas as pd

    from frugal.datasets import load

    check_whole("n_candidates", n_candidates, 1)
    check_whole("n_folds", n_folds, 2)
    for name in datasets:
        parse_name(name)
    for classifier in classifiers:
        check_known("classifier", classifier, BOUND_BY)
    rows = []
    with one_thread():
        for name in datasets:
            dataset = load(name, root=root)
            parts = split(dataset, n_folds, seed=0)
            for classifier in classifiers:
                candidates = distinct_candidates(name, classifier, n_candidates)
                rows.append(_compare(dataset, parts, classifier, candidates))
    return pd.DataFrame(rows)


def distinct_candidates(dataset: str, classifier: str, n_candidates: int) -> list[Candidate]:
    """The first `n_candidates` distinct draws from `ranges`, or all that a long list of draws has."""
    drawn = space("ranges", classifier).sample(rng_for("bench", dataset, classifier), N_IN_RANGES)
    distinct = {tuple(candidate.items()): candidate for candidate in drawn}
    return list(distinct.values())[:n_candidates]


def _compare(
    dataset: Dataset, parts: list[Split], classifier: str, candidates: Sequence[Candidate]
) -> dict[str, object]:
    """Row of the table for one dataset and classifier."""
    X = np.ascontiguousarray(dataset.X, dtype=np.float64)
    seed = seed_for("bench", dataset.name, classifier)
    _score(classifier, X, dataset.y, parts[0], candidates[:2], seed)  # imports are not timed
    ours, peer, seconds = [], np.empty((len(candidates), len(parts))), np.zeros(2)
    for part, share in zip(parts, np.array_split(np.arange(len(candidates)), len(parts)), strict=True):
        started = process_time()
        ours.append(_score(classifier, X, dataset.y, part, candidates, seed))
        switched = process_time()
        for line in share:
            peer[line] = _cross_validate(classifier, X, dataset.y, parts, candidates[line], seed)
        seconds += (switched - started, process_time() - switched)
    ours_ms, peer_ms = 1e3 * seconds / peer.size
    scores = np.stack([fold.scores for fold in ours], axis=1)
    return {
        "dataset": dataset.name,
        "data": dataset.provenance,
        "classifier": classifier,
        "n_candidates": len(candidates),
        "n_folds": len(parts),
        "ours_ms": float(ours_ms),
        "peer_ms": float(peer_ms),
        "ratio": float(peer_ms / ours_ms),
        "equal": np.array_equal(scores, peer, equal_nan=True),
        "n_tied": sum(fold.n_tied for fold in ours),
        "n_deferred": sum(fold.n_deferred for fold in ours),
        "bound_by": BOUND_BY[classifier],
    }


def _score(
    classifier: str,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    part: Split,
    candidates: Sequence[Candidate],
    seed: int,
) -> FoldScores:
    train, test = part
    return score_fold(classifier, X[train], y[train], X[test], y[test], candidates, seed=seed)


def _cross_validate(
    classifier: str,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    parts: list[Split],
    candidate: Candidate,
    seed: int,
) -> NDArray[np.float64]:
    """The peer's accuracies of one candidate, (n_folds,), nan where a fit failed."""
    from sklearn.model_selection import cross_validate

    estimator = build(classifier, candidate, seed=seed)
    result = cross_validate(estimator, X, y, cv=parts, error_score=np.nan)
    return np.asarray(result["test_score"], dtype=np.float64)
