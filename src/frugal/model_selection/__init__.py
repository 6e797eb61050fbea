"""Searches for anyone with a scikit-learn estimator, X and y, that save fits."""

from typing import TYPE_CHECKING

from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal.model_selection.fold_search import FoldSearchCV
    from frugal.model_selection.named import BetaPruningSearchCV, ExactPruningSearchCV, GreedySearchCV

__all__ = ["BetaPruningSearchCV", "ExactPruningSearchCV", "FoldSearchCV", "GreedySearchCV"]

__getattr__ = lazily(
    __name__,
    {
        "BetaPruningSearchCV": "named",
        "ExactPruningSearchCV": "named",
        "FoldSearchCV": "fold_search",
        "GreedySearchCV": "named",
    },
)
