"""Networks by name: candidates to plans to torch networks that train epoch by epoch.

Importing this package does not import torch; `make` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frugal.extras import explained
from frugal.interface import Candidate
from frugal.learners.networks.plans import (
    DEFAULTS,
    NETWORKS,
    Conv,
    Plan,
    authors_grid,
    plan,
    space,
)

if TYPE_CHECKING:
    from frugal.learners.networks.network import Network

__all__ = [
    "DEFAULTS",
    "NETWORKS",
    "Conv",
    "Plan",
    "authors_grid",
    "make",
    "plan",
    "space",
]


def make(
    network: str,
    candidate: Candidate,
    *,
    input_shape: tuple[int, ...],
    n_classes: int,
    seed: int,
    device: str = "auto",
) -> Network:
    """An untrained `network.Network`; arguments and errors are those of its constructor."""
    with explained():
        from frugal.learners.networks.network import Network

    return Network(network, candidate, input_shape=input_shape, n_classes=n_classes, seed=seed, device=device)
