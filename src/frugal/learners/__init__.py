"""Learners by name: how each is built from a candidate, and the spaces its candidates come from."""

from __future__ import annotations

from collections.abc import Mapping

from frugal.checks import check_known
from frugal.learners import classifiers, networks
from frugal.learners import elastic_net as elastic_net  # registers it
from frugal.learners import logistic as logistic  # registers its two
from frugal.learners import svm as svm  # registers it
from frugal.learners import svm_rff as svm_rff  # registers it
from frugal.learners.bounds import check_space
from frugal.learners.classifiers import (
    CLASSIFIERS,
    SCALERS,
    HyperparameterError,
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
    "HyperparameterError",
    "Registered",
    "build",
    "check_learner",
    "check_space",
    "in_epochs",
    "known",
    "n_epochs",
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


def check_learner(learner: str) -> None:
    """Refuse a name that is not of `known()`.

    Raises:
        ValueError: listing the known ones.
    """
    check_known("learner", learner, known())


def space(name: str, learner: str) -> SearchSpace:
    """Search space `name` of a classifier (`grid` or `ranges`), of a registered learner or of a network.

    Raises:
        ValueError: on an unknown space or learner; the message lists the known ones.
    """
    check_learner(learner)
    if learner in NETWORKS:
        return networks.space(name, learner)
    return classifiers.space(name, learner)


def signs(learner: str) -> Mapping[str, int]:
    """The signs that a learner's spaces say of its hyperparameters (`SearchSpace.signs`), all spaces together.

    They are document 004's, and hold whatever increasing scale a space has.

    Returns:
        Hyperparameter -> +1 or -1; empty for a learner whose spaces say none.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.
    """
    check_learner(learner)
    if learner in NETWORKS:
        spaces = [space for (_, network), space in networks.SPACES.items() if network == learner]
    else:
        found = registration(learner)
        spaces = [] if found is None else list(found.spaces.values())
    return {name: sign for space in spaces for name, sign in space.signs.items()}


def n_epochs(learner: str) -> int | None:
    """Epochs that a learner is trained, if nobody says otherwise; None if it has no such number.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.
    """
    check_learner(learner)
    if learner in NETWORKS:
        return networks.N_EPOCHS.get(learner)
    found = registration(learner)
    return None if found is None else found.n_epochs


def in_epochs(learner: str) -> bool:
    """Whether a learner is trained epoch by epoch, so that it can be stopped and resumed.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.
    """
    check_learner(learner)
    found = registration(learner)
    return learner in NETWORKS or (found is not None and found.in_epochs is not None)
