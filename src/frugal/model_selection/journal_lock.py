"""A journal is written by one search at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from errno import ENOLCK, ENOSYS, EOPNOTSUPP
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def lock_journal(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Keep every other process and thread off a journal.

    What is locked is a file beside it; the system unlocks that if the process dies. Machines and file systems
    without such locks let everybody in.

    Args:
        path: of the journal, which need not exist; None: there is none.

    Raises:
        ValueError: naming the journal, if another search is writing it.
    """
    if path is None or fcntl is None:
        yield
        return
    lock = Path(f"{os.fspath(path)}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        while True:
            file = stack.enter_context(lock.open("w"))
            if not _is_locked(file):
                raise ValueError(
                    f"{path} is the journal of a search that is under way; searches that run at once, or one "
                    "within another, need one each"
                )
            if lock.exists() and os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                break  # otherwise the search before has just removed the file that is locked here
        stack.callback(lock.unlink, missing_ok=True)
        yield


def _is_locked(file: IO[str]) -> bool:
    """Lock a file for whoever has opened it here; False: somebody else has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (ENOLCK, ENOSYS, EOPNOTSUPP):
            raise
    return True
