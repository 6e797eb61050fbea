"""Trained networks that later trials continue: in memory, or in a folder so that killed runs resume."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frugal.learners.training import Epochwise


class States:
    """The network of each trial, until a later trial takes it.

    A file is written whole or not at all. A file that was taken stays until the next trial begins (`settle`),
    since a run that is killed before then has to repeat the trial that took it.

    Args:
        folder: where they are kept, a file per trial; made when the first is written. None: in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._held: dict[int, Epochwise] = {}
        self._taken: set[int] = set()

    def keep(self, trial: int, network: Epochwise) -> None:
        """Store the network of a trial.

        Raises:
            OSError: if its file cannot be written.
        """
        if self._folder is None:
            self._held[trial] = network
        else:
            network.save(self._path(self._folder, trial))

    def take(self, trial: int, fresh: Epochwise) -> Epochwise:
        """Take the network of a trial; this works once.

        Args:
            trial: number of the trial.
            fresh: an untrained network of the same candidate, which a file is read into.

        Raises:
            ValueError: if there is none, it was taken before, or it is of another candidate.
        """
        path = None if self._folder is None else self._path(self._folder, trial)
        left = trial in self._held if path is None else path.exists()
        if not left or trial in self._taken:
            raise ValueError(f"trial {trial} has left no state")
        if path is None:
            network = self._held[trial]
            if network.plan != fresh.plan:
                raise ValueError(f"the state of trial {trial} is of another candidate: {network.plan}")
            del self._held[trial]
        else:
            network = fresh.load(path)
        self._taken.add(trial)
        return network

    def settle(self) -> None:
        """Remove the taken files; called when the trial that took them is stored."""
        if self._folder is not None:
            for trial in self._taken:
                self._path(self._folder, trial).unlink(missing_ok=True)

    @staticmethod
    def _path(folder: Path, trial: int) -> Path:
        return folder / f"trial{trial}.pt"
