"""Optimisers of one vector of parameters, as Keras writes them: in place, few passes, a state of plain tensors."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from frugal.learners.networks.plans import Plan


class SGD:
    """`velocity = momentum * velocity + gradient; values -= learning_rate * velocity`.

    Attributes:
        state: tensors that a resumed run needs, apart from the values; overwritten in place.
        n_steps: steps done.
    """

    def __init__(self, values: Tensor, gradient: Tensor, learning_rate: float, momentum: float) -> None:
        self.values, self.gradient = values, gradient
        self.learning_rate, self.momentum = learning_rate, momentum
        self.state = [torch.zeros_like(values)] if momentum else []
        self.n_steps = 0

    def step(self) -> None:
        """Move the values against the gradient."""
        self.n_steps += 1
        direction = self.gradient
        if self.momentum:
            direction = self.state[0].mul_(self.momentum).add_(direction)
        self.values.add_(direction, alpha=-self.learning_rate)


class Adam:
    """Kingma and Ba (2015), with epsilon beside the uncorrected root (their "epsilon hat"), as Keras has it.

    Attributes:
        state: first and second moment, as in `SGD`.
        n_steps: steps done.
    """

    BETAS = (0.9, 0.999)
    EPSILON = 1e-7

    def __init__(self, values: Tensor, gradient: Tensor, learning_rate: float) -> None:
        self.values, self.gradient = values, gradient
        self.learning_rate = learning_rate
        self.state = [torch.zeros_like(values), torch.zeros_like(values)]
        self._root = torch.empty_like(values)
        self.n_steps = 0

    def step(self) -> None:
        """Move the values by their first moment over the root of the second."""
        self.n_steps += 1
        (first, second), (b1, b2) = self.state, self.BETAS
        first.lerp_(self.gradient, 1 - b1)
        second.mul_(b2).addcmul_(self.gradient, self.gradient, value=1 - b2)
        torch.sqrt(second, out=self._root).add_(self.EPSILON)
        rate = self.learning_rate * math.sqrt(1 - b2**self.n_steps) / (1 - b1**self.n_steps)
        self.values.addcdiv_(first, self._root, value=-rate)


def make_optimiser(plan: Plan, values: Tensor, gradient: Tensor) -> SGD | Adam:
    """The plan's optimiser of `values` by `gradient`, both (n_parameters,); weight decay is the caller's."""
    if plan.optimizer == "adam":
        return Adam(values, gradient, plan.learning_rate)
    return SGD(values, gradient, plan.learning_rate, plan.momentum)
