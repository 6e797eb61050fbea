"""One thread per fit. So seconds are comparable between machines, and ties are broken the same way.

If training rows are equally distant, the neighbour that scikit-learn takes depends on its number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit numerical libraries to one thread inside the block, whatever OMP_NUM_THREADS is."""
    with _libraries().limit(limits=1):
        yield


@cache
def _libraries() -> Any:
    """Controller of the loaded numerical libraries, cached: finding them takes longer than most fits."""
    import sklearn.neighbors  # noqa: F401  a limit reaches only what is loaded: OpenMP and both BLAS are, by this
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
