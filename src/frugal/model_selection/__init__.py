"""Searches for anyone with a scikit-learn estimator, X and y, that save fits."""

from typing import TYPE_CHECKING

from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal.model_selection.fold_search import FoldSearchCV
    from frugal.model_selection.minimum import Minimum, minimize
    from frugal.model_selection.named import BetaPruningSearchCV, ExactPruningSearchCV, GreedySearchCV
    from frugal.model_selection.trial_search import TrialSearchCV

__all__ = [
    "BetaPruningSearchCV",
    "ExactPruningSearchCV",
    "FoldSearchCV",
    "GreedySearchCV",
    "Minimum",
    "TrialSearchCV",
    "minimize",
]

__getattr__ = lazily(
    __name__,
    {
        "BetaPruningSearchCV": "named",
        "ExactPruningSearchCV": "named",
        "FoldSearchCV": "fold_search",
        "GreedySearchCV": "named",
        "Minimum": "minimum",
        "TrialSearchCV": "trial_search",
        "minimize": "minimum",
    },
)
