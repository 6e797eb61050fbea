"""The device of a network, and the settings under which equal seeds give equal bits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from frugal.checks import check_known


def choose_device(device: str) -> str:
    """`cpu` or `cuda`; `auto` is CUDA if available.

    Raises:
        ValueError: on another name, or if CUDA is not available.
    """
    check_known("device", device, ("auto", "cpu", "cuda"))
    present = torch.cuda.is_available()
    if device == "cuda" and not present:
        raise ValueError("there is no CUDA device here; use auto or cpu")
    return ("cuda" if present else "cpu") if device == "auto" else device


@contextmanager
def settled(device: str) -> Iterator[None]:
    """Use one thread and deterministic kernels inside the block; torch's settings are restored after it.

    New tensors are not filled first, as torch does beside deterministic kernels: nothing here reads them before.

    An operation without a deterministic kernel on a GPU is computed nevertheless, with torch's warning.
    """
    n_threads = torch.get_num_threads()
    mode = torch.get_deterministic_debug_mode()
    memory: Any = torch.utils.deterministic
    fills = memory.fill_uninitialized_memory
    if device == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS may vary between runs
    torch.set_num_threads(1)
    # Not by `use_deterministic_algorithms`, which imports torch's compiler for a second.
    torch.set_deterministic_debug_mode("warn")
    memory.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)
        torch.set_deterministic_debug_mode(mode)
        memory.fill_uninitialized_memory = fills
