"""Learners by name: how each is built from a candidate, and the spaces its candidates come from."""

from frugal.learners.classifiers import CLASSIFIERS, SCALERS, build, scaler_for, space

__all__ = ["CLASSIFIERS", "SCALERS", "build", "scaler_for", "space"]
