"""Complete the settings of a fold strategy with facts about data and scorer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from frugal.folds.strategies import settings_of

_UNBOUNDED: Final = ("mutual_info_score", "positive_likelihood_ratio")
"""Scorers of scikit-learn whose scores can be any positive number."""


def complete_settings(
    strategy: str, settings: Mapping[str, Any], *, scorer: Any, estimator: Any, y: Any, n_rows: int, n_folds: int
) -> dict[str, Any]:
    """Add facts to the settings of a strategy, if its constructor takes them: rows, classes, folds, best score.

    Args:
        strategy: name of the strategy.
        settings: settings that the user gave; they take precedence.
        scorer: scorer whose scores the strategy sees.
        estimator: the estimator whose hyperparameters are searched.
        y: targets.
        n_rows: number of rows.
        n_folds: number of folds.

    Raises:
        ValueError: on an unknown strategy, or one that needs a bound on the scores if none is known.
    """
    known = settings_of(strategy)
    facts: dict[str, Any] = {"n_rows": n_rows, "cv": n_folds, "n_classes": n_classes_of(estimator, y)}
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


def best_possible_score(scorer: Any, estimator: Any) -> float | None:
    """Upper bound of a scorer: 1 or 0 for the scorers that scikit-learn names; None if unknown.

    Args:
        scorer: a scorer; it may call the estimator's own `score`.
        estimator: the scored estimator.
    """
    from sklearn.base import is_classifier, is_regressor

    function = getattr(scorer, "_score_func", None)
    if function is not None:
        if function not in _bounded():
            return None
        return 1.0 if scorer._sign > 0 else 0.0
    is_own_score = type(scorer).__name__ == "_PassthroughScorer"
    return 1.0 if is_own_score and (is_classifier(estimator) or is_regressor(estimator)) else None


@cache
def _bounded() -> frozenset[Any]:
    """Functions of scikit-learn's named scorers with scores of at most 1, or errors of at least 0."""
    from sklearn.metrics import get_scorer, get_scorer_names

    names = set(get_scorer_names()) - set(_UNBOUNDED)
    return frozenset(get_scorer(name)._score_func for name in names)


def n_classes_of(estimator: Any, y: Any) -> int | None:
    """Number of classes of a classifier's targets; None for other estimators."""
    import numpy as np
    from sklearn.base import is_classifier
    from sklearn.utils.multiclass import type_of_target

    if y is None or not is_classifier(estimator) or type_of_target(y) not in ("binary", "multiclass"):
        return None
    return len(np.unique(y))
