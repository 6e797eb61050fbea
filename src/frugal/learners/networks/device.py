"""The device of a network, and the settings under which equal seeds give equal bits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
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


_counting = Lock()
_blocks: list[tuple[int, int, bool]] = []
"""One entry per open block: the settings from before the first of them."""


def _after_fork() -> None:
    """No other thread lives on in a forked process, so none holds the lock."""
    global _counting
    _counting = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def settled(device: str) -> Iterator[None]:
    """Use one thread and deterministic kernels inside the block; torch's settings are restored after it.

    Blocks of several threads may overlap: the last one that ends restores what is one for the whole process.

    New tensors are not filled first, as torch does beside deterministic kernels: nothing here reads them before.

    An operation without a deterministic kernel on a GPU is computed nevertheless, with torch's warning.
    """
    memory: Any = torch.utils.deterministic
    with _counting:
        present = torch.get_num_threads(), torch.get_deterministic_debug_mode(), memory.fill_uninitialized_memory
        _blocks.append(_blocks[0] if _blocks else present)
        n_threads, mode, fills = _blocks[0]
        # Not by `use_deterministic_algorithms`, which imports torch's compiler for a second.
        torch.set_deterministic_debug_mode("warn")
        memory.fill_uninitialized_memory = False
    if device == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS may vary between runs
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)
        with _counting:
            _blocks.pop()
            if not _blocks:
                torch.set_deterministic_debug_mode(mode)
                memory.fill_uninitialized_memory = fills
