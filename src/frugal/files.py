"""Files appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """A temporary name beside `path`, moved into place when the block ends without an error.

    Raises:
        OSError: if the folder cannot be made or written.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")  # one name, so that a killed run leaves at most one behind
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
