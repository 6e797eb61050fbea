"""Pickles for other processes. Processes of one machine share one copy of large arrays, mapped from a file."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

LARGE_BYTES: Final = 2**20
"""Size from which arrays are mapped; the same as in joblib."""
_ALIGNED: Final = 64
"""Arrays start at multiples of this many bytes."""
_opened: set[str] = set()
"""The files that this process maps."""


def dumps(value: Any, stays: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    """Pickle a value; definitions of `__main__` go by content, and buffers that `stays` rejects are left out."""
    with io.BytesIO() as file:
        _pickler()(file, buffer_callback=stays).dump(value)
        return file.getvalue()


@cache
def _pickler() -> Any:
    try:
        import cloudpickle
    except ImportError:  # joblib before 1.6 brings a copy
        from joblib.externals import cloudpickle
    import numpy as np

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, obj: Any) -> Any:
            if type(obj) is np.memmap:  # whose data NumPy would put into the pickle
                return obj.view(np.ndarray).__reduce_ex__(pickle.HIGHEST_PROTOCOL)
            return super().reducer_override(obj)

    return Pickler


def dumps_mapped(value: Any) -> tuple[bytes, str]:
    """Pickle a value for processes of this machine; its large arrays go to a file that `pickle.loads` maps.

    A process that writes to such an array gets a private copy of the pages that it writes to.

    Returns:
        The pickle, and the path of the file, which the caller must `remove`. The path is empty if no array is
        large, or if the temporary folder has no room.
    """
    large: list[memoryview] = []

    def stays(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        is_small = raw.nbytes < LARGE_BYTES
        if not is_small:
            large.append(raw)
        return is_small

    data = dumps(value, stays)
    if not large:
        return data, ""
    try:
        path = _written(large)
    except OSError:
        return dumps(value), ""
    return pickle.dumps(_InFile(data, path, [raw.nbytes for raw in large])), path


def remove(path: str, process: int) -> None:
    """Remove the file of a pickle, in the process that wrote it; forked processes leave it alone."""
    if os.getpid() == process:
        with suppress(OSError):  # it is gone, or still mapped where the system minds
            Path(path).unlink()


def remove_opened() -> None:
    """Remove the files that this process maps, if their owner ended without removing them."""
    for path in _opened:
        remove(path, os.getpid())


@dataclass(frozen=True)
class _InFile:
    """Stands for a value in a pickle; unpickling gives the value itself.

    Attributes:
        data: the pickle without its large arrays.
        path: path of the file with the large arrays.
        sizes: sizes of the arrays, in bytes.
    """

    data: bytes
    path: str
    sizes: Sequence[int]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return _mapped, (self.data, self.path, self.sizes)


def _mapped(data: bytes, path: str, sizes: Sequence[int]) -> Any:
    with Path(path).open("rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    _opened.add(path)
    starts = [sum(size + _padding(size) for size in sizes[:i]) for i in range(len(sizes))]
    return pickle.loads(
        data, buffers=[view[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    )


def _written(arrays: Sequence[memoryview]) -> str:
    """Write arrays to a file, one after the other, and return its path."""
    descriptor, path = tempfile.mkstemp(prefix="frugal-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            for raw in arrays:
                file.write(raw)
                file.write(bytes(_padding(raw.nbytes)))
    except BaseException:
        Path(path).unlink()
        raise
    return path


def _padding(size: int) -> int:
    return -size % _ALIGNED
