"""Lock of a journal, so that one search at a time writes it."""

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
    """Hold an exclusive lock on a journal.

    The lock is on a file beside the journal, and the system releases it if the process dies. On machines and file
    systems without locks this does nothing.

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
    """Lock an open file; returns False if another process or thread holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (ENOLCK, ENOSYS, EOPNOTSUPP):
            raise
    return True
