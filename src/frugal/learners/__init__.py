"""Learners by name: how each is built from a candidate, and the spaces its candidates come from."""

from __future__ import annotations

from frugal.learners import classifiers, networks
from frugal.learners import logistic as logistic  # registers its two
from frugal.learners import svm as svm  # registers it
from frugal.learners.classifiers import CLASSIFIERS, SCALERS, Registered, build, register, registered, scaler_for
from frugal.learners.networks import NETWORKS
from frugal.spaces import SearchSpace

__all__ = [
    "CLASSIFIERS",
    "NETWORKS",
    "SCALERS",
    "Registered",
    "build",
    "check_known",
    "known",
    "register",
    "registered",
    "scaler_for",
    "space",
]


def known() -> tuple[str, ...]:
    """Names of all learners: `CLASSIFIERS`, `NETWORKS` and what was registered."""
    return (*CLASSIFIERS, *NETWORKS, *registered())


def check_known(learner: str) -> None:
    """Refuse a name that is not of `known()`.

    Raises:
        ValueError: listing the known ones.
    """
    if learner not in known():
        raise ValueError(f"unknown classifier {learner!r}; known: {', '.join(known())}")


def space(name: str, learner: str) -> SearchSpace:
    """Search space `name` of a classifier (`grid` or `ranges`), of a registered learner or of a network.

    Raises:
        ValueError: on an unknown space or learner; the message lists the known ones.
    """
    check_known(learner)
    if learner in NETWORKS:
        return networks.space(name, learner)
    return classifiers.space(name, learner)
