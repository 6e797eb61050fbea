"""Pass scikit-learn's configuration and the warning filters of the calling thread on to every fit."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from re import Pattern
from typing import Any


@dataclass(frozen=True)
class Surroundings:
    """scikit-learn's configuration, which is local to a thread, and the warning filters of a process.

    Attributes:
        config: configuration of scikit-learn.
        filters: entries of `warnings.filters`.
        process: id of the process where both were read.
        thread: id of the thread where both were read.
    """

    config: Mapping[str, Any]
    filters: tuple[tuple[Any, ...], ...]
    process: int
    thread: int

    @classmethod
    def here(cls) -> Surroundings:
        """Read the configuration and the filters of this thread."""
        from sklearn import get_config

        return cls(get_config(), tuple(warnings.filters), os.getpid(), threading.get_ident())

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Apply the configuration in another thread, and the filters in another process, inside the block.

        Threads of one process share its filters already.
        """
        from sklearn import config_context

        is_same_process = os.getpid() == self.process
        if is_same_process and threading.get_ident() == self.thread:
            yield
            return
        with config_context(**self.config):
            if is_same_process:
                yield
                return
            with warnings.catch_warnings():
                warnings.resetwarnings()
                for one in self.filters:
                    _append(*one)
                yield


def _append(action: Any, message: Any, category: Any, module: Any, line: int) -> None:
    """Append one entry of `warnings.filters`."""
    if message is None and module is None:
        warnings.simplefilter(action, category, line, append=True)
    else:
        warnings.filterwarnings(action, _text(message), category, _text(module), line, append=True)


def _text(pattern: str | Pattern[str] | None) -> str:
    return "" if pattern is None else pattern if isinstance(pattern, str) else pattern.pattern
