"""Strategies that save cross-validation folds, and the kept scores they are compared on."""

from frugal.folds.replay import Trace, replay, run
from frugal.folds.scores import Folds, Live, score
from frugal.folds.strategies import known, make, settings_of
from frugal.folds.table import ScoreTable

__all__ = [
    "Folds",
    "Live",
    "ScoreTable",
    "Trace",
    "known",
    "make",
    "replay",
    "run",
    "score",
    "settings_of",
]
