"""Strategies that save cross-validation folds, and stored scores to compare them on."""

from typing import TYPE_CHECKING

from frugal.folds.fits import Fit
from frugal.folds.replay import Broken, Interrupted, OutOfMemoryError, Trace, replay, run, run_in_processes
from frugal.folds.scores import Folds, Live, score
from frugal.folds.strategies import known, make, settings_of, with_facts
from frugal.folds.table import ScoreTable
from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal.folds import beta

__all__ = [
    "Broken",
    "Fit",
    "Folds",
    "Interrupted",
    "Live",
    "OutOfMemoryError",
    "ScoreTable",
    "Trace",
    "beta",
    "known",
    "make",
    "replay",
    "run",
    "run_in_processes",
    "score",
    "settings_of",
    "with_facts",
]

__getattr__ = lazily(__name__, {"beta": ""})
