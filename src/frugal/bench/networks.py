"""How fast the networks train: against plain torch in the same run, and as a share of the device's peak."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frugal.checks import check_known, check_whole
from frugal.learners.networks import DEFAULTS, Conv, Plan, make

if TYPE_CHECKING:
    import pandas as pd
    from torch import nn

    from frugal.datasets import Dataset
    from frugal.interface import Candidate
    from frugal.learners.networks.network import Network

DATASETS: Final[Mapping[str, str]] = {"mnist_cnn": "mnist", "mlp": "mnist", "cifar_cnn": "cifar10"}
"""What each network is measured on; the pictures matter, since empty patches of an image cost nothing."""
_PEAK_SIDE, _N_PRODUCTS = 1024, 4


def bench_networks(
    networks: Sequence[str] = ("mnist_cnn", "mlp"),
    *,
    candidate: Candidate | None = None,
    dataset: str | None = None,
    n_rows: int = 4_800,
    n_repeats: int = 5,
    device: str = "auto",
    root: str = "data",
) -> pd.DataFrame:
    """Measure training images per second of each network and of a plain torch module, and the device's peak.

    The peer is the same network as `torch.nn` layers with `torch.optim`, fed by a `DataLoader` over float tensors
    in memory, as a tutorial would write it. On the CPU all compute on one thread and times are of the process, not
    of the clock. They take turns, an epoch each and some matrix products, so that all meet the same load.

    Args:
        networks: names in `NETWORKS`.
        candidate: hyperparameters that differ from the defaults.
        dataset: name for `frugal.datasets.load`; None: as in `DATASETS`.
        n_rows: number of training rows of an epoch, the first ones.
        n_repeats: number of timed epochs; an untimed one comes first.
        device: `cpu`, `cuda`, or `auto`: CUDA if available.
        root: folder of the data.

    Returns:
        One row per network: `network`, `dataset`, `data` (provenance), `device`, `batch_size`, `images_per_s`,
        `peer_images_per_s`, `ratio` (ours over the peer's), `flops_per_image` (forwards and backwards, as the
        arithmetic needs), `gflops_per_s`, `peak_gflops_per_s` (float32 product of 1024 x 1024 matrices), and
        `share_of_peak`.

    Raises:
        ValueError: on an unknown network, hyperparameter, dataset or device, or if the candidate diverges.
    """
    import pandas as pd

    from frugal.datasets import load

    check_whole("n_rows", n_rows, 1)
    check_whole("n_repeats", n_repeats, 1)
    for network in networks:
        check_known("network", network, DEFAULTS)
    rows = []
    for network in networks:
        data = load(dataset or DATASETS[network], root=root)
        ours = make(
            network,
            candidate or {},
            input_shape=data.row_shape,
            n_classes=data.n_classes,
            seed=0,
            device=device,
        )
        rows.append({"network": network, **_measure(ours, data, n_rows, n_repeats)})
    return pd.DataFrame(rows)


def _measure(ours: Network, data: Dataset, n_rows: int, n_repeats: int) -> dict[str, object]:
    """Measure one network; returns its row of the table."""
    import torch

    from frugal.learners.networks.device import settled

    train = data.training()
    X, y = np.ascontiguousarray(train.X[:n_rows]), train.y[:n_rows]
    epochs = iter(range(1, n_repeats + 2))
    with settled(ours.device), torch.random.fork_rng():
        a = torch.rand(_PEAK_SIDE, _PEAK_SIDE, device=ours.device)
        turns: tuple[Callable[[], Any], ...] = (
            lambda: ours.fit(X, y, X[:1], y[:1], epochs=next(epochs)),
            _peer(ours.plan, X, y, data.row_shape, data.n_classes, ours.device),
            lambda: [a @ a for _ in range(_N_PRODUCTS)],
        )
        rounds = [[_timed(turn, ours.device) for turn in turns] for _ in range(n_repeats + 1)]
    if reason := ours.fit(X, y, X[:1], y[:1], epochs=n_repeats + 1).reason:
        raise ValueError(f"nothing was measured: {reason}")
    seconds = np.sum(rounds[1:], axis=0)
    images = len(y) * n_repeats / seconds[:2]
    rate = images[0] * ours.flops_per_row
    peak = _N_PRODUCTS * n_repeats * 2 * _PEAK_SIDE**3 / seconds[2]
    return {
        "dataset": data.name,
        "data": data.provenance,
        "device": ours.device,
        "batch_size": ours.plan.batch_size,
        "images_per_s": float(images[0]),
        "peer_images_per_s": float(images[1]),
        "ratio": float(images[0] / images[1]),
        "flops_per_image": ours.flops_per_row,
        "gflops_per_s": float(rate / 1e9),
        "peak_gflops_per_s": float(peak / 1e9),
        "share_of_peak": float(rate / peak),
    }


def _timed(run: Callable[[], Any], device: str) -> float:
    """Seconds of a call: process time on the CPU, wall-clock time on a GPU."""
    import torch

    if device == "cpu":
        started = process_time()
        run()
        return process_time() - started
    torch.cuda.synchronize()
    started = perf_counter()
    run()
    torch.cuda.synchronize()
    return perf_counter() - started


def _peer(plan: Plan, X: Any, y: Any, shape: tuple[int, ...], n_classes: int, device: str) -> Callable[[], None]:
    """Return a function that trains the plain module for one epoch on these rows."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    images = torch.as_tensor(X).float().view(len(X), *shape) / (255 if X.dtype == np.uint8 else 1)
    if len(shape) > 1:
        images = images.view(len(X), *shape[:2], -1).permute(0, 3, 1, 2).contiguous()
    loader = DataLoader(TensorDataset(images, torch.as_tensor(y)), plan.batch_size, shuffle=True)
    module = plain_module(plan, shape, n_classes).to(device).train()
    if plan.optimizer == "adam":
        optimiser: torch.optim.Optimizer = torch.optim.Adam(
            module.parameters(), plan.learning_rate, eps=1e-7, weight_decay=plan.weight_decay
        )
    else:
        optimiser = torch.optim.SGD(
            module.parameters(), plan.learning_rate, plan.momentum, weight_decay=plan.weight_decay
        )
    criterion = torch.nn.CrossEntropyLoss()

    def epoch() -> None:
        for x, labels in loader:
            optimiser.zero_grad()
            criterion(module(x.to(device)), labels.to(device)).backward()
            optimiser.step()

    return epoch


def plain_module(plan: Plan, input_shape: tuple[int, ...], n_classes: int) -> nn.Sequential:
    """The plan's network as torch layers: (n, n_features), or (n, channels, height, width), to logits.

    Parameters come in the order of `Network.values`. Where a dense layer follows a convolution, its inputs are
    ordered channels first, as torch flattens them.
    """
    from torch import nn

    height, width, channels = (*input_shape, 1)[:3] if len(input_shape) > 1 else (1, 1, input_shape[0])
    layers: list[nn.Module] = []
    for layer in plan.layers:
        if isinstance(layer, Conv):
            padding = "same" if layer.same else 0
            layers.append(nn.Conv2d(channels, layer.filters, layer.kernel, padding=padding))
            layers += [nn.BatchNorm2d(layer.filters)] * layer.batch_norm + [nn.ReLU()] * layer.relu
            size, stride = layer.pool
            layers.append(nn.MaxPool2d(size, stride))
            shrunk = 0 if layer.same else layer.kernel - 1
            height, width = ((side - shrunk - size) // stride + 1 for side in (height, width))
            channels = layer.filters
        else:
            layers += [nn.Flatten(), nn.Linear(math.prod((height, width, channels)), layer.units), nn.ReLU()]
            height, width, channels = 1, 1, layer.units
        layers += [nn.Dropout(layer.dropout)] * (layer.dropout > 0)
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(height * width * channels, n_classes))
