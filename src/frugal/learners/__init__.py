"""Learners by name: how each is built from a candidate, and the spaces its candidates come from."""

from __future__ import annotations

from collections.abc import Mapping

from frugal.learners import classifiers, networks
from frugal.learners import elastic_net as elastic_net  # registers it
from frugal.learners import logistic as logistic  # registers its two
from frugal.learners import svm as svm  # registers it
from frugal.learners import svm_rff as svm_rff  # registers it
from frugal.learners.bounds import check_space
from frugal.learners.classifiers import (
    CLASSIFIERS,
    SCALERS,
    Registered,
    build,
    register,
    registered,
    registration,
    scaler_for,
)
from frugal.learners.networks import NETWORKS
from frugal.spaces import SearchSpace

__all__ = [
    "CLASSIFIERS",
    "NETWORKS",
    "SCALERS",
    "Registered",
    "build",
    "check_known",
    "check_space",
    "known",
    "register",
    "registered",
    "registration",
    "scaler_for",
    "signs",
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


def signs(learner: str) -> Mapping[str, int]:
    """How a learner's accuracy on much data goes with a hyperparameter, below the optimum for little data.

    Document 004's: +1 where a larger value makes the model more complex, -1 where it makes it simpler; what is not
    named has no sign. They hold whatever increasing scale a space has.

    Returns:
        Hyperparameter -> +1 or -1; empty for a learner of which nobody has said any.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.
    """
    check_known(learner)
    if learner in NETWORKS:
        return networks.SIGNS.get(learner, {})
    found = registration(learner)
    return {} if found is None else found.signs
