"""Layers with their backward passes, on parameters and gradients that are views of one vector each.

On one CPU core, steps of 32 rows leave torch's modules, autograd and max-pooling busier than the arithmetic;
these layers do document 000's step in about a quarter of that time. Layers without a backward pass of their own go
through autograd (`Autograd`). Activations are (n_rows, ...), float.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor, nn

from frugal.learners.networks.plans import Conv, Plan


class Layer(ABC):
    """One step of a network.

    Attributes:
        shapes: shapes of the parameters, weights first.
        macs: multiplications (each with an addition) per row in the forward pass.
        values: parameters, set by `bind`.
        gradients: gradients of the parameters; `backward` overwrites them.
    """

    shapes: Sequence[tuple[int, ...]] = ()
    macs: int = 0
    values: Sequence[Tensor] = ()
    gradients: Sequence[Tensor] = ()

    def bind(self, values: Sequence[Tensor], gradients: Sequence[Tensor]) -> None:
        """Use these tensors for parameters and gradients."""
        self.values, self.gradients = values, gradients

    @abstractmethod
    def forward(self, x: Tensor, rng: torch.Generator | None) -> Tensor:
        """Output for `x`; `rng` is the generator of training, None outside training."""

    @abstractmethod
    def backward(self, g: Tensor) -> Tensor:
        """The loss's gradient by the input, from `g`, that by the last output; `g` may be overwritten."""


class Dense(Layer):
    """`x @ weight.T + bias` for x (n_rows, ...), flattened; then ReLU if `relu`."""

    def __init__(self, n_in: int, units: int, *, relu: bool, first: bool = False) -> None:
        self.shapes = ((units, n_in), (units,))
        self.macs = units * n_in
        self.relu, self.first = relu, first

    def forward(self, x: Tensor, rng: torch.Generator | None) -> Tensor:
        """(n_rows, units)."""
        weight, bias = self.values
        self._x, self._shape = x.flatten(1), x.shape
        self._y = torch.addmm(bias, self._x, weight.T)
        return self._y.clamp_min_(0) if self.relu else self._y

    def backward(self, g: Tensor) -> Tensor:
        """Shape of x; of the first layer, which needs none, `g` itself."""
        if self.relu:
            g = g.mul_(self._y > 0)
        torch.mm(g.T, self._x, out=self.gradients[0])
        torch.sum(g, 0, out=self.gradients[1])
        return g if self.first else (g @ self.values[0]).view(self._shape)


class Dropout(Layer):
    """In training each input is 0 with probability `share`, else scaled by 1 / (1 - share)."""

    def __init__(self, share: float) -> None:
        self.kept = 1 - share

    def forward(self, x: Tensor, rng: torch.Generator | None) -> Tensor:
        """Masked and scaled `x` in training, else `x`."""
        if rng is None:
            return x
        self._mask = torch.empty_like(x).bernoulli_(self.kept, generator=rng).mul_(1 / self.kept)
        return x * self._mask

    def backward(self, g: Tensor) -> Tensor:
        """The same mask and scale."""
        return g * self._mask


class PatchConvPool(Layer):
    """A first layer: valid convolution of stride 1, then 2x2 max-pooling of stride 2, on rows of pixels.

    A pooled cell is the largest of four windows of the convolution. These four lie in one patch of (kernel + 1)^2
    pixels. So one product gives them all: patches (n_patches, n_pixels) times the kernel at its four places in a
    patch. The bias is added after the maximum, with the same result. A patch of zeros gives the bias alone; more
    than half of MNIST's patches are such. On the CPU they are left out (`skip_blank`). A GPU would have to wait
    for their number.
    """

    def __init__(self, shape: tuple[int, int, int], filters: int, kernel: int, device: str) -> None:
        pixels = torch.arange(math.prod(shape)).view(shape)
        patches = pixels.unfold(0, kernel + 1, 2).unfold(1, kernel + 1, 2)  # (rows, columns, channels, y, x)
        self.n_cells = patches.shape[0] * patches.shape[1]
        self.skip_blank = device == "cpu"
        self._pixels = patches.reshape(-1).to(device)
        self._places = _places(shape[2], kernel).to(device)  # (4 * n_pixels, n_weights)
        self.shapes = ((filters, shape[2], kernel, kernel), (filters,))
        self.macs = 4 * self.n_cells * filters * self._places.shape[1]

    def forward(self, x: Tensor, rng: torch.Generator | None) -> Tensor:
        """(n_rows, n_cells * filters), filters varying fastest."""
        weight, bias = self.values
        n, n_patches = len(bias), len(x) * self.n_cells
        patches, self._used = x.index_select(1, self._pixels).view(n_patches, -1), None
        if self.skip_blank:
            sizes = patches if x.amin() >= 0 else patches.abs()
            self._used = (sizes @ patches.new_ones(patches.shape[1])).nonzero().view(-1)
            patches = patches.index_select(0, self._used)
        kernels = (self._places @ weight.view(n, -1).T).view(4, -1, n).transpose(0, 1).reshape(-1, 4 * n)
        windows = patches @ kernels  # (n_used, 4 * filters): the four windows side by side
        pairs = torch.maximum(windows[:, : 2 * n], windows[:, 2 * n :])
        best = torch.maximum(pairs[:, :n], pairs[:, n:]).add_(bias)
        if self._used is not None:
            best = bias.expand(n_patches, -1).contiguous().index_copy_(0, self._used, best)
        self._patches, self._windows, self._pairs = patches, windows, pairs
        return best.view(len(x), -1)

    def backward(self, g: Tensor) -> Tensor:
        """Nothing comes before the first layer, so `g` itself; where windows tie, the first takes the gradient."""
        n = len(self.values[1])
        g = g.view(-1, n)
        torch.sum(g, 0, out=self.gradients[1])
        used = g if self._used is None else g.index_select(0, self._used)
        _hand_down(used, self._pairs)
        _hand_down(self._pairs, self._windows)
        kernels = (self._patches.T @ self._windows).view(-1, 4, n).transpose(0, 1).reshape(-1, n)
        torch.mm(kernels.T, self._places, out=self.gradients[0].view(n, -1))
        return g


def _places(channels: int, kernel: int) -> Tensor:
    """0 and 1, (4 * n_pixels, n_weights): which weight meets which pixel of a patch, for each of four windows."""
    places = torch.zeros(2, 2, channels, kernel + 1, kernel + 1, channels, kernel, kernel)
    ones = torch.eye(channels * kernel**2).view(channels, kernel, kernel, channels, kernel, kernel)
    for y in range(2):
        for x in range(2):
            places[y, x, :, y : y + kernel, x : x + kernel] = ones
    return places.view(4 * channels * (kernel + 1) ** 2, -1)


def _hand_down(g: Tensor, halves: Tensor) -> None:
    """Overwrite `halves` (n, 2 m) by the gradient `g` (n, m) where a half was the larger, and 0 in the other."""
    first, second = halves.chunk(2, dim=1)
    first.ge_(second).mul_(g)
    torch.sub(g, first, out=second)


class Autograd(Layer):
    """A torch module, its gradient by autograd; parameters are laid out as torch has them."""

    def __init__(self, module: nn.Module, macs: int, *, first: bool) -> None:
        self.module, self.macs, self.first = module, macs, first
        self.shapes = [tuple(p.shape) for p in module.parameters()]

    def bind(self, values: Sequence[Tensor], gradients: Sequence[Tensor]) -> None:
        """Also makes the module compute with them."""
        super().bind(values, gradients)
        for parameter, value in zip(self.module.parameters(), values, strict=True):
            parameter.data = value

    def forward(self, x: Tensor, rng: torch.Generator | None) -> Tensor:
        """Output of the module for `x`."""
        self.module.train(rng is not None)
        if rng is None:
            y: Tensor = self.module(x)
            return y
        with torch.enable_grad():
            self._x = x.detach().requires_grad_(not self.first)
            self._y = self.module(self._x)
        detached: Tensor = self._y.detach()
        return detached

    def backward(self, g: Tensor) -> Tensor:
        """Shape of x; of the first layer, which needs none, `g` itself."""
        by = [*self.module.parameters(), *([] if self.first else [self._x])]
        found = torch.autograd.grad(self._y, by, g)
        for gradient, value in zip(self.gradients, found, strict=False):
            gradient.copy_(value)
        return g if self.first else found[-1]


class _Images(nn.Module):
    """Rows (n, height * width * channels) as images (n, channels, height, width)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape = shape

    def forward(self, x: Tensor) -> Tensor:
        return x.view(-1, *self.shape).permute(0, 3, 1, 2)


def build(plan: Plan, input_shape: tuple[int, ...], n_classes: int, device: str) -> list[Layer]:
    """The layers of a plan, unbound: rows (n, n_features), float, to logits (n, n_classes).

    Args:
        plan: layers of the network.
        input_shape: (n_features,), (height, width) or (height, width, channels), as a row is laid out.
        n_classes: number of logits.
        device: `cpu` or `cuda`.

    Raises:
        ValueError: if a convolution meets no image, or one too small for it.
    """
    layers: list[Layer] = []
    shape = (*input_shape, 1) if len(input_shape) == 2 else input_shape  # (height, width, channels) or (n,)
    for planned in plan.layers:
        if isinstance(planned, Conv):
            layer, shape = _conv(planned, shape, device, first=not layers)
        else:
            layer = Dense(math.prod(shape), planned.units, relu=True, first=not layers)
            shape = (planned.units,)
        layers += [layer, Dropout(planned.dropout)] if planned.dropout else [layer]
    return [*layers, Dense(math.prod(shape), n_classes, relu=False, first=not layers)]


def _conv(conv: Conv, shape: tuple[int, ...], device: str, *, first: bool) -> tuple[Layer, tuple[int, ...]]:
    """The layer of a convolution block, and the shape (height, width, channels) of what leaves it."""
    if len(shape) != 3:
        raise ValueError(f"a convolution needs rows of shape (height, width, channels), got {shape}")
    height, width, channels = shape
    size, stride = conv.pool
    sides = [side - (0 if conv.same else conv.kernel - 1) for side in (height, width)]
    if min(sides) < size:
        raise ValueError(f"an image of {height} x {width} pixels is too small for {conv}")
    after = (*((side - size) // stride + 1 for side in sides), conv.filters)
    if first and not (conv.same or conv.batch_norm or conv.relu) and conv.pool == (2, 2):
        return PatchConvPool((height, width, channels), conv.filters, conv.kernel, device), after
    parts: list[nn.Module] = [_Images(shape)] if first else []
    with torch.random.fork_rng(devices=[]):  # torch draws weights here, which `initialise` replaces
        parts.append(nn.Conv2d(channels, conv.filters, conv.kernel, padding="same" if conv.same else 0))
    parts += [nn.BatchNorm2d(conv.filters)] * conv.batch_norm + [nn.ReLU()] * conv.relu
    module = nn.Sequential(*parts, nn.MaxPool2d(size, stride)).to(device)
    macs = math.prod(sides) * conv.filters * channels * conv.kernel**2
    return Autograd(module, macs, first=first), after


_DRAWS: Final = {"glorot": nn.init.xavier_uniform_, "he": nn.init.kaiming_uniform_}


def initialise(layer: Layer, scheme: str, rng: torch.Generator) -> None:
    """Draw the weights of a bound layer on the CPU, from Glorot's or He's uniform distribution.

    Biases become 0. Batch normalisation gets scales of 1 and shifts of 0.
    """
    for i, value in enumerate(layer.values):
        if value.dim() > 1:
            value.copy_(_DRAWS[scheme](torch.empty(value.shape), generator=rng))  # type: ignore[operator]
        else:
            value.fill_(1.0 if i == 2 else 0.0)  # batch normalisation: scale, then shift
