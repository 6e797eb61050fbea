"""A network that trains epoch by epoch, reports its validation accuracy, and can be stopped, saved and resumed."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from frugal.checks import check_whole
from frugal.files import whole
from frugal.interface import Candidate
from frugal.learners.networks.device import choose_device, settled
from frugal.learners.networks.graphs import CapturedStep
from frugal.learners.networks.layers import Autograd, build, initialise
from frugal.learners.networks.optimisers import SGD, make_optimiser
from frugal.learners.networks.plans import plan
from frugal.learners.training import Report, Training
from frugal.limits import check_zip
from frugal.seeds import seed_for

CHECK_EVERY = 100
"""Steps between two checks that all weights are finite; a check on a GPU waits for it."""
_EVALUATED_AT_ONCE = {"cpu": 256, "cuda": 1_024}
"""Rows, by device: a GPU is idle between many small blocks."""


class Network:
    """One network with one candidate's hyperparameters.

    The same seed and rows give the same bits on one machine and kind of device: weights are drawn from the seed,
    the order of rows and dropout from the seed and the epoch, and the CPU computes on one thread. So a run that is
    resumed from a saved state ends as if it had not been interrupted. On a GPU `cifar_cnn` is an exception: torch
    adds up the gradients of its overlapping pools in no fixed order.

    Rows are (n, n_features) or (n, *input_shape), NumPy arrays or tensors; uint8 pixels are divided by 255, other
    numbers taken as they are, in float32. Labels are (n,) integers from 0.

    Attributes:
        plan: layers, optimiser and hyperparameters.
        device: `cpu` or `cuda`.
        values: all parameters, one vector (n_parameters,).
    """

    def __init__(
        self,
        network: str,
        candidate: Candidate,
        *,
        input_shape: tuple[int, ...],
        n_classes: int,
        seed: int,
        device: str = "auto",
    ) -> None:
        """Build and initialise.

        Args:
            network: one of `NETWORKS`.
            candidate: hyperparameters; missing ones have their defaults.
            input_shape: shape of a row: (n_features,), (height, width) or (height, width, channels).
            n_classes: number of classes.
            seed: seed of weights, order of rows and dropout.
            device: `cpu`, `cuda`, or `auto`: CUDA if available.

        Raises:
            ValueError: on an unknown network, hyperparameter or device, or images too small for the network.
        """
        self.plan = plan(network, candidate)
        self.device = choose_device(device)
        self._input_shape, self._n_classes, self._seed = tuple(input_shape), n_classes, seed
        self._curve: list[float] = []
        self._reason = ""
        self._dropout_rng = torch.Generator(self.device)
        self._layers = build(self.plan, self._input_shape, n_classes, self.device)
        sizes = [math.prod(shape) for layer in self._layers for shape in layer.shapes]
        self.values = torch.empty(sum(sizes), device=self.device)
        self._gradient = torch.zeros_like(self.values)
        self._bind(sizes)
        self._optimiser = make_optimiser(self.plan, self.values, self._gradient)

    @property
    def n_parameters(self) -> int:
        """Weights and biases."""
        return self.values.numel()

    @property
    def n_epochs(self) -> int:
        """Epochs trained so far, those of a loaded state included."""
        return len(self._curve)

    @property
    def flops_per_row(self) -> int:
        """Multiplications and additions to train on one row: forwards, then backwards to weights and to inputs.

        The gradient by the network's own input is not needed; elementwise work is not counted.
        """
        return sum(2 * layer.macs * (3 - (i == 0)) for i, layer in enumerate(self._layers))

    def fit(
        self, X: Any, y: Any, X_valid: Any, y_valid: Any, *, epochs: int, report: Report | None = None
    ) -> Training:
        """Train until `epochs` passes are done in all, those of a loaded state included.

        Args:
            X: training rows.
            y: their labels.
            X_valid: validation rows.
            y_valid: their labels.
            epochs: passes over the training rows, at least 1.
            report: called after each epoch with its number, from 1, and the validation accuracy; False stops.

        Returns:
            The validation accuracy of every epoch so far. Weights that are no longer finite end training with nan
            and a reason, not an exception; nothing is trained after that.

        Raises:
            ValueError: if the shapes do not fit, or a label is out of range.
        """
        check_whole("epochs", epochs, 1)
        with settled(self.device):
            rows, labels = self._rows(X), self._labels(y, len(X))
            validation = self._rows(X_valid), self._labels(y_valid, len(X_valid))
            targets = torch.nn.functional.one_hot(labels, self._n_classes).float()
            step: Callable[[Tensor], None] = partial(self._step, rows, targets)
            if self.device == "cuda" and isinstance(self._optimiser, SGD):  # Adam's step changes from step to step
                step = CapturedStep(step, self.plan.batch_size, self._dropout_rng)
            while len(self._curve) < epochs and not self._reason:
                self._train_epoch(len(rows), step)
                self._curve.append(math.nan if self._reason else self._accuracy(*validation))
                if report is not None and not self._reason and not report(len(self._curve), self._curve[-1]):
                    break
        return Training(tuple(self._curve), self._reason)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Most probable class of each row, (n,).

        Raises:
            ValueError: if the rows have the wrong shape.
        """
        with settled(self.device):
            classes: NDArray[np.int64] = self._classes(self._rows(X)).cpu().numpy()
        return classes

    def score(self, X: Any, y: Any) -> float:
        """Accuracy in [0, 1].

        Raises:
            ValueError: if the shapes do not fit, or a label is out of range.
        """
        with settled(self.device):
            return self._accuracy(self._rows(X), self._labels(y, len(X)))

    def save(self, path: str | Path) -> None:
        """Write everything that training needs to continue; the file appears whole or not at all.

        Raises:
            OSError: if the file cannot be written.
        """
        progress = {"curve": self._curve, "reason": self._reason, "n_steps": self._optimiser.n_steps}
        with whole(path) as part:
            torch.save({"identity": self._identity(), "tensors": self._tensors(), **progress}, part)

    def load(self, path: str | Path) -> Network:
        """Restore a state that `save` wrote for the same plan, shape, classes and seed; returns itself.

        Raises:
            OSError: if the file cannot be read.
            ValueError: if the file is not such a state, or is of another network.
        """
        try:
            check_zip(path)  # torch itself does not verify the checksums that it writes
            state = torch.load(path, map_location=self.device, weights_only=True)
        except (RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
            raise ValueError(f"{path} is truncated or holds no network; delete it and train again") from error
        try:
            identity, tensors = dict(state["identity"]), list(state["tensors"])
            n_steps, curve, reason = state["n_steps"], list(state["curve"]), state["reason"]
        except (LookupError, TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no network; delete it and train again") from error
        for name, ours in self._identity().items():
            if identity.get(name) != ours:
                raise ValueError(f"{path} was saved with {name} {identity.get(name)}, this network has {ours}")
        current = self._tensors()
        if [tensor.shape for tensor in current] != [getattr(saved, "shape", None) for saved in tensors]:
            raise ValueError(f"{path} holds tensors of other shapes; delete it and train again")
        for tensor, saved in zip(current, tensors, strict=True):
            tensor.copy_(saved)
        self._optimiser.n_steps, self._curve, self._reason = n_steps, curve, reason
        return self

    def _bind(self, sizes: list[int]) -> None:
        """Bind each layer to its views of the parameters and gradients, and draw its weights."""
        values, gradients = iter(torch.split(self.values, sizes)), iter(torch.split(self._gradient, sizes))
        rng = _generator("weights", self._seed)
        for layer in self._layers:
            views = [(next(values).view(shape), next(gradients).view(shape)) for shape in layer.shapes]
            layer.bind([value for value, _ in views], [gradient for _, gradient in views])
            initialise(layer, self.plan.init, rng)

    def _identity(self) -> dict[str, str | int]:
        shape = str(self._input_shape)
        return {"plan": str(self.plan), "shape": shape, "n_classes": self._n_classes, "seed": self._seed}

    def _tensors(self) -> list[Tensor]:
        """All tensors that training changes: parameters, optimiser state, running means of batch normalisation."""
        running = [b for layer in self._layers if isinstance(layer, Autograd) for b in layer.module.buffers()]
        return [self.values, *self._optimiser.state, *running]

    @torch.no_grad()
    def _train_epoch(self, n_rows: int, step: Callable[[Tensor], None]) -> None:
        """One pass over the rows, in an order drawn for it; sets the reason if training diverges."""
        epoch = len(self._curve)
        order = torch.randperm(n_rows, generator=_generator("order", self._seed, epoch)).to(self.device)
        self._dropout_rng.manual_seed(seed_for("network", "dropout", self._seed, epoch))
        n_before = self._optimiser.n_steps
        for n_steps, batch in enumerate(torch.split(order, self.plan.batch_size), start=1):
            step(batch)
            if n_steps % CHECK_EVERY == 0 and not self._finite():
                break
        self._optimiser.n_steps = n_before + n_steps  # captured steps do not count themselves
        if not self._finite():
            self._reason = f"weights were not finite in epoch {epoch + 1}"

    def _step(self, rows: Tensor, targets: Tensor, batch: Tensor) -> None:
        """One step of the optimiser on some rows (n,) with their one-hot targets."""
        logits = self._logits(_scaled(rows.index_select(0, batch)), self._dropout_rng)
        # The gradient of the mean cross-entropy by the logits.
        g = torch.softmax(logits, 1).sub_(targets.index_select(0, batch)).mul_(1 / len(batch))
        for layer in reversed(self._layers):
            g = layer.backward(g)
        if self.plan.weight_decay:
            self._gradient.add_(self.values, alpha=self.plan.weight_decay)
        self._optimiser.step()

    def _logits(self, x: Tensor, rng: torch.Generator | None = None) -> Tensor:
        for layer in self._layers:
            x = layer.forward(x, rng)
        return x

    def _finite(self) -> bool:
        return math.isfinite(self.values.sum().item())

    @torch.no_grad()
    def _classes(self, rows: Tensor) -> Tensor:
        blocks = torch.split(rows, _EVALUATED_AT_ONCE[self.device])
        return torch.cat([self._logits(_scaled(block)).argmax(1) for block in blocks])

    def _accuracy(self, rows: Tensor, labels: Tensor) -> float:
        return int((self._classes(rows) == labels).sum()) / len(labels)

    def _rows(self, X: Any) -> Tensor:
        """Rows as one tensor (n, n_features) on the device, uint8 or float32."""
        rows, n_features = torch.as_tensor(X), math.prod(self._input_shape)
        if len(rows.shape) < 2 or len(rows) < 1 or rows.shape[1:] not in ((n_features,), tuple(self._input_shape)):
            raise ValueError(
                f"expected rows of {n_features} features, got shape {tuple(rows.shape)}; images are "
                f"{tuple(self._input_shape)}"
            )
        if rows.dtype == torch.uint8:
            return rows.flatten(1).to(self.device)
        rows = rows.flatten(1).to(self.device, torch.float32)
        if not rows.isfinite().all():
            raise ValueError("rows must hold finite numbers below 3.4e38")
        return rows

    def _labels(self, y: Any, n_rows: int) -> Tensor:
        labels = torch.as_tensor(y)
        if labels.shape != (n_rows,):
            raise ValueError(f"expected {n_rows} labels, got shape {tuple(labels.shape)}")
        if labels.is_floating_point():
            raise ValueError(f"labels must be whole numbers, got {labels.dtype}")
        if not 0 <= int(labels.min()) <= int(labels.max()) < self._n_classes:
            raise ValueError(f"labels must lie in [0, {self._n_classes - 1}]")
        return labels.to(self.device, torch.int64)


def _generator(*names: str | int) -> torch.Generator:
    """A generator on the CPU, so that weights and order are the same on every device."""
    return torch.Generator().manual_seed(seed_for("network", *names))


def _scaled(rows: Tensor) -> Tensor:
    return rows.float().mul_(1 / 255) if rows.dtype == torch.uint8 else rows
