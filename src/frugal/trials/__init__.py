"""Strategies that save hyperparameter trials, and the surrogates and acquisitions that they are made of."""

from frugal.trials import acquisitions, surrogates
from frugal.trials.ledger import initial_design
from frugal.trials.strategies import known, make, settings_of
from frugal.trials.termination import terminating

__all__ = ["acquisitions", "initial_design", "known", "make", "settings_of", "surrogates", "terminating"]
