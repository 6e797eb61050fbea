"""Learners by name: how each is built from a candidate, and the spaces its candidates come from."""

from __future__ import annotations

from frugal.learners.bounds import check_space
from frugal.learners.classifiers import CLASSIFIERS, SCALERS, scaler_for
from frugal.learners.networks import NETWORKS
from frugal.learners.registry import (
    HyperparameterError,
    Learner,
    build,
    check_fitted,
    check_learner,
    default_space,
    in_epochs,
    known,
    n_epochs,
    record,
    signs,
    space,
)

__all__ = [
    "CLASSIFIERS",
    "NETWORKS",
    "SCALERS",
    "HyperparameterError",
    "Learner",
    "build",
    "check_fitted",
    "check_learner",
    "check_space",
    "default_space",
    "in_epochs",
    "known",
    "n_epochs",
    "record",
    "scaler_for",
    "signs",
    "space",
]
