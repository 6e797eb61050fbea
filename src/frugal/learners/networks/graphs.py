"""A step of training as one launch on a GPU.

A small network's step is some hundred short kernels, and launching them one by one takes longer than they do. A
CUDA graph launches them at once: the same kernels on the same numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import Tensor


class CapturedStep:
    """A training step on batches of one size, captured in its second call; other batches run without the graph.

    The first call runs outside the capture, so that what kernels set up once is not part of the graph.

    Args:
        step: function that trains on a batch (n,) of indices; it must run on the GPU without waiting for it.
        batch_size: number of indices in a batch.
        rng: the generator of random numbers that a step draws.
    """

    def __init__(self, step: Callable[[Tensor], None], batch_size: int, rng: torch.Generator) -> None:
        self._step, self._batch_size, self._rng = step, batch_size, rng
        self._batch: Tensor | None = None
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, batch: Tensor) -> None:
        """Do the step."""
        if len(batch) != self._batch_size:
            self._step(batch)
        elif self._batch is None:
            self._batch = batch.clone()
            stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._step(self._batch)
            torch.cuda.current_stream().wait_stream(stream)
        else:
            self._batch.copy_(batch)
            if self._graph is None:
                self._graph = self._captured(self._batch)
            self._graph.replay()

    def _captured(self, batch: Tensor) -> torch.cuda.CUDAGraph:
        """The graph of a step; capturing it does not compute anything."""
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self._rng)
        with warnings.catch_warnings(), torch.cuda.graph(graph):
            warnings.filterwarnings("ignore", "The AccumulateGrad node's stream")  # nothing is accumulated here
            self._step(batch)
        return graph
