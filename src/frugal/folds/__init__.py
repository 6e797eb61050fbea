"""Strategies that save cross-validation folds, and stored scores to compare them on."""

from frugal.folds.fits import Fit
from frugal.folds.replay import Broken, Interrupted, OutOfMemoryError, Trace, replay, run, run_in_processes
from frugal.folds.scores import Folds, Live, score
from frugal.folds.strategies import known, make, settings_of, with_facts
from frugal.folds.table import ScoreTable

__all__ = [
    "Broken",
    "Fit",
    "Folds",
    "Interrupted",
    "Live",
    "OutOfMemoryError",
    "ScoreTable",
    "Trace",
    "known",
    "make",
    "replay",
    "run",
    "run_in_processes",
    "score",
    "settings_of",
    "with_facts",
]
