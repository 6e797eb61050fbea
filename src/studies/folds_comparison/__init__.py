"""Strategies of all documents side by side on the same folds, which no single document compares."""
