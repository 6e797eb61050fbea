"""One thread per fit. So seconds are comparable between machines, and ties are broken the same way.

If training rows are equally distant, the neighbour that scikit-learn takes depends on its number of threads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit numerical libraries to one thread inside the block, whatever OMP_NUM_THREADS is."""
    with _limited("openmp"), one_blas_thread():  # OpenMP has a limit for each thread
        yield


_counting = Lock()
_blocks: list[Any] = []
"""The limits that BLAS had before the first of the blocks that are open, then one entry for each further one."""


def _after_fork() -> None:
    """No other thread lives on in a forked process, so none holds the lock."""
    global _counting
    _counting = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS until the last of several threads has left: its limit is one for the whole process.

    A BLAS that is loaded while a block is open is limited from the next first block on.
    """
    with _counting:
        _blocks.append(None if _blocks else _limited("blas"))
    try:
        yield
    finally:
        with _counting:
            if len(_blocks) == 1:
                _blocks[0].restore_original_limits()
                _blocks.clear()
            else:
                _blocks.pop()


def _limited(user_api: str) -> Any:
    # A limit reaches only what is loaded: OpenMP is by the one, both BLAS are by the other.
    if user_api == "openmp":
        import sklearn.neighbors  # noqa: F401
    else:
        import scipy.linalg  # noqa: F401
    return _libraries(user_api, len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=4)
def _libraries(user_api: str, n_modules: int) -> Any:
    """Controller of the loaded numerical libraries of a kind.

    Finding them takes longer than most fits, so they are cached. An import may load more libraries. So they are
    looked for again when the number of modules has changed.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api=user_api)
