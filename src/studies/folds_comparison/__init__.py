"""Strategies of all documents side by side, on the same folds; what no single document compares."""
