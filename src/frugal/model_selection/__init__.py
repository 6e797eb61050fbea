"""Searches for anyone with a scikit-learn estimator, X and y, that save fits."""

from __future__ import annotations

from frugal.model_selection.fold_search import FoldSearchCV
from frugal.model_selection.named import BetaPruningSearchCV, ExactPruningSearchCV, GreedySearchCV
from frugal.model_selection.trial_search import TrialSearchCV

__all__ = ["BetaPruningSearchCV", "ExactPruningSearchCV", "FoldSearchCV", "GreedySearchCV", "TrialSearchCV"]
