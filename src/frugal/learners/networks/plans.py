"""Networks as data: plans made from candidates, and the spaces of candidates.

This module does not import torch, so that spaces and defaults load fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from frugal.checks import as_python, check_known, check_settings, check_whole
from frugal.interface import Candidate
from frugal.spaces import Choice, Dimension, Integer, SearchSpace, Uniform


@dataclass(frozen=True)
class Conv:
    """A convolution of stride 1, and what follows it: normalisation, ReLU, max-pooling, dropout, in this order.

    Attributes:
        filters: number of output channels.
        kernel: width and height of the kernel, pixels.
        same: pad with zeros so that width and height stay; otherwise no padding ("valid").
        batch_norm: normalise each channel over the mini-batch.
        relu: whether an activation follows.
        pool: (size, stride) of the max-pooling windows, in pixels; a window is `size` wide and high.
        dropout: share of the outputs that are set to 0 in training.
    """

    filters: int
    kernel: int = 3
    same: bool = False
    batch_norm: bool = False
    relu: bool = False
    pool: tuple[int, int] = (2, 2)
    dropout: float = 0.0


@dataclass(frozen=True)
class Dense:
    """A dense layer with ReLU, then dropout of this share of its outputs."""

    units: int
    dropout: float = 0.0


@dataclass(frozen=True)
class Plan:
    """Layers and training of a network; a softmax layer over the classes comes last.

    Attributes:
        layers: hidden layers, convolutions first.
        optimizer: `adam` (beta 0.9 and 0.999, epsilon 1e-7) or `sgd`.
        learning_rate: constant step size.
        momentum: momentum of SGD; 0 for none.
        weight_decay: multiple of each parameter that is added to its gradient, biases included.
        batch_size: rows per step; the last batch of an epoch may be smaller.
        init: distribution of the first weights, `glorot` or `he`, both uniform; biases start at 0.
    """

    layers: tuple[Conv | Dense, ...]
    optimizer: Literal["adam", "sgd"]
    learning_rate: float
    momentum: float = 0.0
    weight_decay: float = 0.0
    batch_size: int = 32
    init: Literal["glorot", "he"] = "glorot"


DEFAULTS: Final[Mapping[str, Candidate]] = {
    "mnist_cnn": {"filters": 16, "dense": 24, "dropout": 0.2, "optimizer": "sgd", "learning_rate": 0.1},
    "mlp": {
        "neurons": 256,
        "n_hidden": 1,
        "dropout": 0.2,
        "batch_size": 32,
        "learning_rate": 0.1,
        "momentum": 0.5,
        "weight_decay": 0.0,
    },
    "cifar_cnn": {
        "filters": (16, 32, 64),
        "batch_size": 64,
        "conv_dropout": 0.1,
        "learning_rate": 0.01,
        "momentum": 0.9,
        "neurons": 128,
        "dropout": 0.3,
    },
}
"""Network -> default candidate; its keys are all hyperparameters of the network.

`mnist_cnn`'s is a row of document 000's grid; after 3 epochs on MNIST's 60,000 training images its error on the
test images was 2.7 to 2.9 %, after 5 epochs 2.2 to 2.3 % (seeds 0 to 2, and 0 and 1). `mlp`'s was 2.5 % after 3
(seed 0). `cifar_cnn`'s was 27.3 % after 10 epochs on CIFAR-10's 50,000 (seed 0).
"""

NETWORKS = tuple(DEFAULTS)

N_EPOCHS: Final[Mapping[str, int]] = {"mlp": 20, "cifar_cnn": 25}
"""Default epochs of a network; document 004 gives the CNN's, and none for the MLP."""

_SIGNS: Final = {"neurons": 1}
"""Document 004's signs for both networks: more neurons make the model more complex."""

N_BLOCKS: Final = 3
"""Convolution blocks of `cifar_cnn`."""

_MNIST_CNN_GRID = SearchSpace(
    {
        "filters": Choice((8, 16)),
        "dense": Choice((24, 12, 6)),
        "dropout": Choice((0.2, 0.4)),
        "optimizer": Choice(("adam", "sgd")),
        "learning_rate": Choice((0.01, 0.1, 1.0)),
    }
)


_DOCUMENT_004: Final[Mapping[str, Dimension]] = {
    "batch_size": Integer(32, 512),
    "learning_rate": Uniform(1e-6, 1.0, "log"),
    "momentum": Uniform(0.3, 0.999),
    "neurons": Integer(2**5, 2**12, "log"),
    "dropout": Uniform(0.0, 0.8),
}

SPACES: Final[Mapping[str, Mapping[str, SearchSpace]]] = {
    "mnist_cnn": {"grid": _MNIST_CNN_GRID},
    "mlp": {
        "small": SearchSpace(
            {
                "batch_size": Integer(32, 512, "log"),
                "learning_rate": Uniform(1e-4, 1.0, "log"),
                "momentum": Uniform(0.3, 0.99),
                "neurons": Integer(16, 512, "log"),
                "dropout": Uniform(0.0, 0.8),
            },
            signs=_SIGNS,
        ),
        "hypertune": SearchSpace(_DOCUMENT_004, signs=_SIGNS),
    },
    "cifar_cnn": {
        "small": SearchSpace(
            {
                "batch_size": Integer(16, 128, "log"),
                "learning_rate": Uniform(1e-3, 0.3, "log"),
                "momentum": Uniform(0.3, 0.95),
                "filters": Integer(4, 16, "log"),
                "conv_dropout": Uniform(0.0, 0.2),
                "neurons": Integer(16, 256, "log"),
                "dropout": Uniform(0.0, 0.5),
            },
            signs=_SIGNS,
        ),
        "hypertune": SearchSpace({**_DOCUMENT_004, "conv_dropout": Uniform(0.0, 0.8)}, signs=_SIGNS),
    },
}
"""Search spaces by network and name.

`grid` is the 72 distinct rows of document 000. `small` has document 004's hyperparameters in ranges like HPOlib's,
with networks so small that many can be trained on one core. `hypertune` has document 004's hyperparameters, five
and six; their bounds, which it does not print, are HPOlib's, but dropout ends at 0.8, not 0.99.
"""


def space(name: str, network: str) -> SearchSpace:
    """Search space of a network; unlike `learners.space` it lets the hash of a job's code see the spaces.

    Raises:
        ValueError: on an unknown space or network; the message lists the known ones.
    """
    check_known("network", network, SPACES)
    check_known(f"space of {network}", name, SPACES[network])
    return SPACES[network][name]


def authors_grid(rng: np.random.Generator) -> list[Candidate]:
    """Document 000's candidates in the order of one run: 96 rows in random order, 24 of them repeats.

    Its code lists the learning rate .01 twice, so every row with .01 comes twice.
    """
    grid = _MNIST_CNN_GRID.grid()
    rows = grid + [candidate for candidate in grid if candidate["learning_rate"] == 0.01]
    return [rows[i] for i in rng.permutation(len(rows))]


def plan(network: str, candidate: Candidate) -> Plan:
    """The plan of a network with a candidate's hyperparameters; missing ones have their defaults.

    `mnist_cnn` is document 000's: one 3x3 convolution without activation, 2x2 max-pooling, a dense layer,
    dropout, softmax; 32 rows per step, Glorot's uniform initialisation, zero biases and SGD without momentum,
    which its library (Keras) defaulted to. `mlp` has `n_hidden` equal layers of `neurons` units, each with
    dropout, and SGD. `cifar_cnn` has three blocks (5x5 convolution to `filters` channels, one number for all or a
    list of three, batch normalisation, ReLU, 3x3 max-pooling of stride 2, dropout), one dense layer, and SGD; its
    architecture is ours, since document 004 names only "the benchmark architecture" and its hyperparameters, the
    number of filters not among them.

    Raises:
        ValueError: on an unknown network or hyperparameter, or a value out of range.
    """
    check_known("network", network, DEFAULTS)
    check_settings(candidate, DEFAULTS[network], f"hyperparameter of {network}", complete=False)
    hyperparameters = {name: as_python(value) for name, value in candidate.items()}
    planned = _PLANNERS[network](dict(DEFAULTS[network]) | hyperparameters)
    _check(planned)
    return planned


def _mnist_cnn(c: dict[str, Any]) -> Plan:
    layers = (Conv(c["filters"]), Dense(c["dense"], c["dropout"]))
    return Plan(layers, c["optimizer"], c["learning_rate"])


def _mlp(c: dict[str, Any]) -> Plan:
    check_whole("n_hidden", c["n_hidden"], 0)
    layers = (Dense(c["neurons"], c["dropout"]),) * c["n_hidden"]
    return Plan(layers, "sgd", c["learning_rate"], c["momentum"], c["weight_decay"], c["batch_size"])


def _cifar_cnn(c: dict[str, Any]) -> Plan:
    conv: dict[str, Any] = {"same": True, "batch_norm": True, "relu": True, "pool": (3, 2)}
    filters = c["filters"] if isinstance(c["filters"], list | tuple) else [c["filters"]] * N_BLOCKS
    if len(filters) != N_BLOCKS:
        raise ValueError(f"filters must be one number or {N_BLOCKS}, got {c['filters']!r}")
    blocks: list[Conv | Dense] = [Conv(n, 5, **conv, dropout=c["conv_dropout"]) for n in filters]
    layers = (*blocks, Dense(c["neurons"], c["dropout"]))
    return Plan(layers, "sgd", c["learning_rate"], c["momentum"], batch_size=c["batch_size"], init="he")


_PLANNERS = {"mnist_cnn": _mnist_cnn, "mlp": _mlp, "cifar_cnn": _cifar_cnn}


def _check(planned: Plan) -> None:
    counts = [layer.filters if isinstance(layer, Conv) else layer.units for layer in planned.layers]
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in (*counts, planned.batch_size)):
        raise ValueError(
            f"units and batch size must be whole numbers of at least 1, got {counts} and {planned.batch_size!r}"
        )
    if any(not 0 <= layer.dropout < 1 for layer in planned.layers):
        raise ValueError(f"dropout must lie in [0, 1), got {[layer.dropout for layer in planned.layers]}")
    check_known("optimizer", planned.optimizer, ("adam", "sgd"))
    if not (planned.learning_rate > 0 and 0 <= planned.momentum < 1 and planned.weight_decay >= 0):
        raise ValueError(
            "learning_rate must be above 0, momentum in [0, 1) and weight_decay at least 0, "
            f"got {planned.learning_rate}, {planned.momentum} and {planned.weight_decay}"
        )
