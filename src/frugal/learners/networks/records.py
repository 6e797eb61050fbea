"""The networks as learners."""

from __future__ import annotations

from typing import Final

from frugal.learners.networks.plans import N_EPOCHS, NETWORKS, SPACES
from frugal.learners.registry import Learner

LEARNERS: Final = tuple(
    Learner(
        network,
        SPACES[network],
        default_space="grid" if network == "mnist_cnn" else "hypertune",
        is_network=True,
        n_epochs=N_EPOCHS.get(network),
    )
    for network in NETWORKS
)
