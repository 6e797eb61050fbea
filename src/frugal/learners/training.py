"""The interface of learners that train epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

Report = Callable[[int, float], bool]
"""Called after each epoch with its number, from 1, and the validation accuracy; False stops."""


@dataclass(frozen=True)
class Training:
    """Result of training so far.

    Attributes:
        curve: validation accuracy in [0, 1] after each epoch, from the first; nan if training diverged in it.
        reason: why training failed; empty if it did not.
    """

    curve: tuple[float, ...]
    reason: str = ""


class Epochwise(Protocol):
    """A learner with one candidate's hyperparameters, whose training can be continued, saved and loaded."""

    device: str

    @property
    def plan(self) -> object:
        """Description of the learner; equal for equal candidates and seeds."""

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
