"""One thread for each fit: seconds mean the same on every machine, and ties fall the same way.

Where training rows are equally far, which of them scikit-learn takes depends on how many OpenMP threads it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold numerical libraries to one thread inside the block, whatever OMP_NUM_THREADS says."""
    with _libraries().limit(limits=1):
        yield


@cache
def _libraries() -> Any:
    """Handle on the libraries that scikit-learn computes with; finding them again costs more than most fits."""
    import sklearn.neighbors  # noqa: F401  a limit reaches only what is loaded: OpenMP and both BLAS are, by this
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
