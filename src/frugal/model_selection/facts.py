"""Complete the settings of a fold strategy with facts about data and scorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from frugal.checks import is_whole
from frugal.folds.ledger import ANY_SCORE
from frugal.folds.strategies import settings_of

_UNBOUNDED: Final = ("mutual_info_score", "positive_likelihood_ratio")
"""Scorers of scikit-learn whose scores can be any positive number."""
_BELOW_0: Final = (
    *("r2", "explained_variance", "matthews_corrcoef", "adjusted_mutual_info_score", "adjusted_rand_score"),
    *("d2_absolute_error_score", "d2_brier_score", "d2_log_loss_score"),
)
"""Scorers of scikit-learn whose scores can be below 0, beside negated errors."""


def complete_settings(
    strategy: str,
    settings: Mapping[str, Any],
    *,
    scorer: Any,
    estimator: Any,
    y: Any,
    n_rows: int,
    n_valid: int,
    n_folds: int,
) -> dict[str, Any]:
    """Add facts to the settings of a strategy, if its constructor takes them: rows, classes, folds, best score.

    Candidates with a failed fit are dropped, if the strategy can do so.

    Args:
        strategy: name of the strategy.
        settings: settings that the user gave; they take precedence.
        scorer: scorer whose scores the strategy sees.
        estimator: the estimator whose hyperparameters are searched.
        y: targets.
        n_rows: number of rows.
        n_valid: number of rows that the largest fold is scored on: with fewer, its accuracies would be moved.
        n_folds: number of folds.

    Raises:
        ValueError: on an unknown strategy, one that needs a bound on the scores if none is known, or settings that
            contradict the data.
    """
    known = settings_of(strategy)
    n_classes = n_classes_of(estimator, y)
    facts: dict[str, Any] = {
        "n_rows": n_rows, "n_valid": n_valid, "cv": n_folds, "n_classes": n_classes, "drop_failed": True,
    }  # fmt: skip
    _check_facts(strategy, settings, known, facts)
    if "n_rows" in settings:
        del facts["n_valid"]  # it would take precedence over the user's n_rows
    if facts["n_classes"] is None and "cv" in known:
        facts["n_classes"] = 1  # as scikit-learn's halving counts anything but a classifier
    found = {name: value for name, value in facts.items() if name in known and value is not None}
    if "best_possible_score" in known and "best_possible_score" not in settings:
        found["best_possible_score"] = best_possible_score(scorer, estimator)
        if found["best_possible_score"] is None:
            raise ValueError(
                f"{strategy} needs an upper bound of the scores, which this scorer does not state: "
                "give settings={'best_possible_score': ...}"
            )
    return found | dict(settings)


def _check_facts(
    strategy: str, settings: Mapping[str, Any], known: Mapping[str, Any], facts: Mapping[str, Any]
) -> None:
    """Refuse settings of a strategy that contradict the data, and folds that it cannot use."""
    if "n_valid" in known and settings.get("n_valid", facts["n_valid"]) == 1:
        raise ValueError(f"{strategy} needs folds that are scored on at least 2 rows, got one with 1")
    if "cv" in known and settings.get("cv", facts["cv"]) != facts["cv"]:
        raise ValueError(
            f"{strategy} takes all {facts['cv']} folds of this search: leave cv={settings['cv']!r} out of settings"
        )
    n_rows = settings.get("n_rows")
    if "n_rows" in known and is_whole(n_rows, facts["n_rows"] + 1):
        raise ValueError(f"n_rows must be at most the {facts['n_rows']} rows of the data, got {n_rows!r}")


def best_possible_score(scorer: Any, estimator: Any) -> float | None:
    """Upper bound of a scorer: 1 or 0 for the scorers that scikit-learn names; None if unknown.

    Args:
        scorer: a scorer; it may call the estimator's own `score`. A metric with another sign than its named scorer
            has, such as an error that is not negated, has no bound.
        estimator: the scored estimator.
    """
    from sklearn.base import is_classifier, is_regressor

    function = _metric_of(scorer)
    if function is not None:
        is_bounded = any(function is one and scorer._sign == sign for one, sign in _bounded())
        if not is_bounded or not scorer._kwargs.get("normalize", True):  # or counts
            return None
        return 1.0 if scorer._sign > 0 else 0.0
    return 1.0 if _is_own_score(scorer) and (is_classifier(estimator) or is_regressor(estimator)) else None


def is_accuracy(scorer: Any, estimator: Any) -> bool:
    """Whether a scorer, as in `best_possible_score`, gives the share of rows that a classifier is right on."""
    from sklearn.base import is_classifier
    from sklearn.metrics import accuracy_score

    function = _metric_of(scorer)
    if function is None:
        return _is_own_score(scorer) and is_classifier(estimator)
    return function is accuracy_score and scorer._kwargs.get("normalize", True)


def check_scorer(strategy: Any, scorer: Any, estimator: Any) -> None:
    """Refuse before a fit a scorer whose scores may be below what a strategy accepts.

    Args:
        strategy: a new strategy; one without `score_range` accepts any score.
        scorer: as in `best_possible_score`.
        estimator: as in `best_possible_score`.

    Raises:
        ValueError: if the strategy needs scores of at least 0, and the scorer is a named one of scikit-learn with
            negative scores, or the own score of a regressor.
    """
    from sklearn.base import is_regressor

    accepted = getattr(strategy, "score_range", ANY_SCORE)
    function = _metric_of(scorer)
    if function is None:
        may_be_negative = _is_own_score(scorer) and is_regressor(estimator)
    else:
        is_error = scorer._sign < 0 and _is_one_of(function, (one for one, _ in _bounded()))
        may_be_negative = is_error or _is_one_of(function, _functions(_BELOW_0))
    if may_be_negative and accepted.low >= 0:
        raise ValueError(
            f"{accepted.needs}; those of this scorer may be negative: choose another strategy, such as "
            "greedy_early_stopping, or another scorer"
        )


def _metric_of(scorer: Any) -> Any:
    """The function that a scorer of scikit-learn's classes calls; None for other scorers."""
    from sklearn.metrics._scorer import _BaseScorer

    return scorer._score_func if isinstance(scorer, _BaseScorer) else None


def _is_one_of(function: Any, known: Iterable[Any]) -> bool:
    """Whether a metric, which may have no hash, is one of those that are known."""
    return any(function is one for one in known)


def _is_own_score(scorer: Any) -> bool:
    """True if a scorer calls the estimator's own `score`."""
    return type(scorer).__name__ == "_PassthroughScorer"


@cache
def _bounded() -> frozenset[tuple[Any, int]]:
    """Functions and signs of scikit-learn's named scorers with scores of at most 1, or errors of at least 0."""
    from sklearn.metrics import get_scorer, get_scorer_names

    scorers = [get_scorer(name) for name in get_scorer_names() if name not in _UNBOUNDED]
    return frozenset((scorer._score_func, scorer._sign) for scorer in scorers)


@cache
def _functions(names: tuple[str, ...]) -> frozenset[Any]:
    """Score functions of scikit-learn's scorers by name; names that the installed version lacks are left out."""
    from sklearn.metrics import get_scorer, get_scorer_names

    return frozenset(get_scorer(name)._score_func for name in names if name in get_scorer_names())


def n_classes_of(estimator: Any, y: Any) -> int | None:
    """Number of classes of a classifier's targets; None for other estimators, and targets that have no classes."""
    import numpy as np
    from sklearn.base import is_classifier
    from sklearn.utils.multiclass import type_of_target

    if y is None or not is_classifier(estimator):
        return None
    try:
        kind = type_of_target(y)
    except ValueError:  # lists of labels, or a gap: what the estimator makes of them is its own
        return None
    return len(np.unique(y)) if kind in ("binary", "multiclass") else None


def class_codes_of(estimator: Any, y: Any) -> Any:
    """Number of each row's class among the sorted labels, shape (n_rows,); None where `n_classes_of` is."""
    import numpy as np

    return None if n_classes_of(estimator, y) is None else np.unique(y, return_inverse=True)[1].ravel()


def is_by_rows(strategy: str, settings: Mapping[str, Any]) -> bool:
    """Whether a strategy on folds fits to parts of the rows: successive halving, unless folds are its resource.

    Raises:
        ValueError: on an unknown strategy.
    """
    return "min_resources" in settings_of(strategy) and settings.get("n_rows", 0) is not None


def first_share(
    strategy: str, settings: Mapping[str, Any], facts: Mapping[str, Any], *, n_candidates: int, n_folds: int
) -> float:
    """Share of the rows that the first rung of a strategy on folds has; 1 where it has no rungs.

    Args:
        strategy: name of the strategy.
        settings: settings that the user gave; they take precedence.
        facts: n_rows, cv and n_classes, of which the strategy gets those that it takes.
        n_candidates: number of candidates.
        n_folds: number of folds.
    """
    import numpy as np

    from frugal.folds import make

    known = settings_of(strategy)
    completed = {name: value for name, value in facts.items() if name in known} | dict(settings)
    found = make(strategy, n_candidates=n_candidates, n_folds=n_folds, rng=np.random.default_rng(), **completed)
    rungs = getattr(found, "rungs", ())
    return rungs[0].resource / facts["n_rows"] if rungs else 1.0


def rows_for_the_rarest(counts: Sequence[int], n_splits: int) -> int:
    """Rows of a random part that has two rows of the rarest class per split, at most a ninth of all rows.

    A ninth leaves room for two reductions by 3. 0 where the rarest class has at least half of an equal share: then
    parts that are large enough for equal classes do.

    Args:
        counts: rows of each class.
        n_splits: number of splits.
    """
    n_rows, n_rarest = sum(counts), min(counts)
    if 2 * n_rarest * len(counts) >= n_rows:
        return 0
    return min(2 * n_splits * -(-n_rows // n_rarest), n_rows // 9)
