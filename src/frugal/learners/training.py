"""What learners that train epoch by epoch have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

Report = Callable[[int, float], bool]
"""Called after each epoch with its number, from 1, and the validation accuracy; False stops."""


@dataclass(frozen=True)
class Training:
    """What came of training so far.

    Attributes:
        curve: validation accuracy in [0, 1] after each epoch, from the first; nan for one in which it diverged.
        reason: why it failed; empty if it did not.
    """

    curve: tuple[float, ...]
    reason: str = ""


class Epochwise(Protocol):
    """A learner of one candidate that trains on from where it stopped, or from where it was saved."""

    device: str

    @property
    def plan(self) -> object:
        """What it is made from; equal for equal candidates."""

    @property
    def n_epochs(self) -> int:
        """Epochs trained so far, those of a loaded state included."""

    def fit(
        self, X: Any, y: Any, X_valid: Any, y_valid: Any, *, epochs: int, report: Report | None = None
    ) -> Training:
        """Train until `epochs` passes are done in all."""

    def score(self, X: Any, y: Any) -> float:
        """Accuracy in [0, 1]."""

    def save(self, path: str | Path) -> None:
        """Write all that training needs to go on, whole or not at all."""

    def load(self, path: str | Path) -> Self:
        """Take over what `save` wrote for the same candidate; returns itself."""
