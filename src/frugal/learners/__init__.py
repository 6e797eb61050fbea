"""Learners by name: how each is built from a candidate, and the spaces its candidates come from."""

from __future__ import annotations

from frugal.learners import classifiers, networks
from frugal.learners.classifiers import CLASSIFIERS, SCALERS, build, scaler_for
from frugal.learners.networks import NETWORKS
from frugal.spaces import SearchSpace

__all__ = ["CLASSIFIERS", "NETWORKS", "SCALERS", "build", "check_known", "scaler_for", "space"]


def check_known(learner: str) -> None:
    """Refuse a name that is neither of `CLASSIFIERS` nor of `NETWORKS`.

    Raises:
        ValueError: listing the known ones.
    """
    if learner not in (*CLASSIFIERS, *NETWORKS):
        raise ValueError(f"unknown classifier {learner!r}; known: {', '.join((*CLASSIFIERS, *NETWORKS))}")


def space(name: str, learner: str) -> SearchSpace:
    """Search space `name` of a classifier (`grid` or `ranges`) or of a network.

    Raises:
        ValueError: on an unknown space or learner; the message lists the known ones.
    """
    check_known(learner)
    if learner in NETWORKS:
        return networks.space(name, learner)
    return classifiers.space(name, learner)
