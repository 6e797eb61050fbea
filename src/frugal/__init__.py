"""Frugal: model selection on a budget, by saving folds, trials or rows."""

__version__ = "0.1.0"
