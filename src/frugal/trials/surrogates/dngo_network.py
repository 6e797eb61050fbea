"""The network whose last hidden layer gives DNGO its features: tanh layers, trained by least squares.

Source: Snoek et al. (2015), "Scalable Bayesian optimization using deep neural networks", section 3, and pybnn,
from which document 002 borrowed it: d -> 50 -> 50 -> 50 -> 1, tanh after every hidden layer (after the last, it
bounds the predictive variance), biases, mean squared error, Adam at 0.01, mini-batches of 10, 500 epochs, no
weight decay, weights and biases from U(-1, 1) / sqrt(inputs). Differs from pybnn: weights and order come from the
seed (there, from torch's global generator); an epoch's incomplete last mini-batch is used, not dropped, unless
`drop_last`; Adam's epsilon is 1e-7, beside the uncorrected root (torch: 1e-8).

Training is n_epochs * n / batch_size steps, so linear in the rows. It is in float32 on one CPU thread with the
backward pass written out, about a third of autograd's time; what is computed from the weights is in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from frugal.extras import explained
from frugal.seeds import seed_for
from frugal.trials.surrogates.kernels import Array

if TYPE_CHECKING:
    from torch import Tensor

BATCH_SIZE: Final = 10
"""Rows per step, or all rows if there are fewer."""


@dataclass(frozen=True)
class Network:
    """Trained weights.

    Attributes:
        weights: per layer, (n_out, n_in), the output layer last.
        biases: per layer, (n_out,).
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    def features(self, X: Array) -> Array:
        """Last hidden layer at X (m, d), shape (m, H)."""
        return self._hidden(X)[-1]

    def jacobian(self, X: Array) -> tuple[Array, Array]:
        """Features (m, H) and their derivatives by the inputs (m, H, d)."""
        hidden = self._hidden(X)
        J = np.broadcast_to(np.eye(X.shape[1]), (len(X), X.shape[1], X.shape[1]))
        for weight, h in zip(self.weights, hidden, strict=False):
            J = (1 - h**2)[:, :, None] * (weight @ J)
        return hidden[-1], J

    def _hidden(self, X: Array) -> list[Array]:
        layers = [X]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            layers.append(np.tanh(layers[-1] @ weight.T + bias))
        return layers[1:]


def train(
    X: Array,
    y: Array,
    *,
    n_units: tuple[int, ...] = (50, 50, 50),
    n_epochs: int = 500,
    learning_rate: float = 0.01,
    weight_decay: float = 0.0,
    seed: int = 0,
    drop_last: bool = False,
) -> Network:
    """Fit to standardised rows X (n, d) and targets y (n,); the same arguments give the same bits on one machine.

    Args:
        X: inputs.
        y: targets.
        n_units: number of units of each hidden layer.
        n_epochs: passes over the rows.
        learning_rate: step size of Adam, constant.
        weight_decay: multiple of each weight and bias that is added to its gradient.
        seed: seed of the weights and of the order of rows.
        drop_last: whether an epoch's incomplete last mini-batch is left out, as in pybnn.

    Raises:
        FloatingPointError: if the weights are no longer finite.
    """
    with explained():
        import torch

    from frugal.learners.networks.device import settled
    from frugal.learners.networks.optimisers import Adam

    rng = torch.Generator().manual_seed(seed_for("dngo", "network", seed))
    sizes = [X.shape[1], *n_units, 1]
    values, layers = _layers(sizes)
    gradient, by_layer = _layers(sizes)
    rows, targets = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y, dtype=torch.float32)[:, None]
    batch_size = min(BATCH_SIZE, len(rows))
    n_used = len(rows) - len(rows) % batch_size if drop_last else len(rows)
    with settled("cpu"), torch.no_grad():
        for weight, bias in layers:
            bound = 1 / math.sqrt(weight.shape[1])
            weight.uniform_(-bound, bound, generator=rng)
            bias.uniform_(-bound, bound, generator=rng)
        optimiser = Adam(values, gradient, learning_rate)
        for _ in range(n_epochs):
            order = torch.randperm(len(rows), generator=rng)[:n_used]
            batches = zip(
                torch.split(rows[order], batch_size), torch.split(targets[order], batch_size), strict=True
            )
            for x, target in batches:
                mean_squared_error_gradient(layers, by_layer, x, target)
                if weight_decay:
                    gradient.add_(values, alpha=weight_decay)
                optimiser.step()
    if not math.isfinite(values.sum().item()):
        raise FloatingPointError(f"the network diverged; learning_rate {learning_rate} is too high for these data")
    arrays = [(weight.double().numpy(), bias.double().numpy()) for weight, bias in layers]
    return Network(tuple(weight for weight, _ in arrays), tuple(bias for _, bias in arrays))


@cache
def warm_up() -> None:
    """Import torch and run its first operations (2 s), so that they count in no fit's time; once per process."""
    train(np.zeros((1, 1)), np.zeros(1), n_units=(1,), n_epochs=1, learning_rate=0.01)


def mean_squared_error_gradient(
    layers: list[tuple[Tensor, Tensor]], by_layer: list[tuple[Tensor, Tensor]], x: Tensor, target: Tensor
) -> None:
    """Overwrite `by_layer` with the derivatives of the mean of (output - target)^2 by `layers`.

    Args:
        layers: weight (n_out, n_in) and bias (n_out,) per layer.
        by_layer: the same shapes.
        x: rows (n, d).
        target: (n, 1).
    """
    import torch

    inputs = [x]
    for weight, bias in layers[:-1]:
        inputs.append(torch.addmm(bias, inputs[-1], weight.T).tanh_())
    g = torch.addmm(layers[-1][1], inputs[-1], layers[-1][0].T).sub_(target).mul_(2 / len(x))
    for i in range(len(layers) - 1, -1, -1):
        torch.mm(g.T, inputs[i], out=by_layer[i][0])
        torch.sum(g, 0, out=by_layer[i][1])
        if i:
            g = torch.ops.aten.tanh_backward(g @ layers[i][0], inputs[i])


def _layers(sizes: list[int]) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """One vector of zeros, and views of it: weight (n_out, n_in) and bias (n_out,) per layer."""
    import torch

    shapes = list(zip(sizes[1:], sizes[:-1], strict=True))
    values = torch.zeros(sum(n_out * (n_in + 1) for n_out, n_in in shapes))
    parts = torch.split(values, [size for n_out, n_in in shapes for size in (n_out * n_in, n_out)])
    return values, [(parts[2 * i].view(shape), parts[2 * i + 1]) for i, shape in enumerate(shapes)]
